//===- Signature.h - Types of kernel parameters from text -------*- C++ -*-===//
//
// Reads the signature text of a kernel. Two forms exist:
//
//   "*fp32:16, *fp32:16, i32, 1024"        positional: one item a parameter, constexpr ones
//   included "x=*fp32:16, y=*fp32:16, n=i32"        named: any order, any subset
//
// An item is a number (which makes the parameter a constexpr) or a type with an optional hint:
// `:16` promises that the value, or the address, is a multiple of 16; `:1` makes the parameter the
// constexpr 1. Items in parentheses are those of a tuple, "shape=(i32, i32:16, 1)"; with a class of
// the kernel's file in front, "p=Point(*fp32, i32)", they are the fields of a named tuple.
//
// "tensordesc<bf16[64, BLOCK_K]>" is a tensor descriptor that the host makes, with the type and the
// shape of its blocks; a size may be the name of a constexpr parameter, and ", nan" before the
// bracket pads with NaN. `:16` promises that the last size and the strides are multiples of 16.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_SIGNATURE_H
#define TILEC_LANGUAGE_SIGNATURE_H

#include "tilec/Language/ConstValue.h"
#include "tilec/Language/KernelParam.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// What code is made for of a tensor descriptor that the host makes.
struct DescriptorType {
  /// A size of the blocks along one axis.
  struct Size {
    std::string text;    // A number, or the name of a constexpr parameter.
    llvm::SMRange range; // In the signature's buffer; invalid when built by hand.
  };

  DType element;
  std::vector<Size> block;
  bool padsWithNaN = false;
  bool isConst = false; // The kernel must not write the tensor.

  /// The sizes as numbers or names, which are not looked at.
  static DescriptorType of(DType element, std::vector<std::string> block, bool padsWithNaN);
  unsigned rank() const { return unsigned(block.size()); }
  /// Run-time arguments: the base, a size an axis, and a stride for each axis but the last.
  unsigned numArguments() const { return 2 * rank(); }
  /// Which classes make a difference for one of these. Others than the last size and the strides
  /// change nothing in how wide accesses are.
  ClassRule classesOf(unsigned argument) const { return {false, argument >= rank()}; }
  /// What such an argument must be a multiple of: the base in bytes, strides in elements.
  int64_t divisorOf(unsigned argument) const;
  /// "tensordesc<bf16[64, BLOCK_K], nan>": as a signature spells it.
  std::string str() const;
};

/// Why a tensor descriptor cannot have so many axes; empty if it can.
std::string whyNoRank(size_t rank);

/// Why a tensor cannot have a descriptor whose elements have this type; empty if it can.
std::string whyNoDescriptor(DType element, bool padsWithNaN);

/// One item of a signature: a type, a constant or a tuple of items. After the hint `:1` it has type
/// and constant, 1 and the type with the promise, of which the constant counts.
struct SignatureItem {
  std::string name; // Empty in the positional form and in tuples.
  std::optional<ParamType> type;
  std::optional<ConstValue> value;
  /// Of a tuple, which has neither type nor value.
  std::vector<SignatureItem> elements;
  bool isTuple = false;
  /// The class of a named tuple. A tuple without one takes the class that the parameter's
  /// annotation names, if that is one.
  std::string className;
  /// Of a tensor descriptor, which is a tuple of the base, the sizes and the strides:
  /// "(*bf16, (i32, i32), (i64, 1))".
  std::optional<DescriptorType> descriptor;
  llvm::SMRange range; // In the signature's buffer; invalid when built by hand.

  /// Makes it a descriptor; `classOf` says what is promised of its run-time arguments.
  void makeDescriptor(DescriptorType type, llvm::function_ref<ArgumentClass(unsigned)> classOf);

  /// Calls `visit` for the item, or for the innermost items of a tuple, in order.
  void forEachLeaf(llvm::function_ref<void(SignatureItem &)> visit);
  void forEachLeaf(llvm::function_ref<void(const SignatureItem &)> visit) const;
  /// "(i32, 1)": the item as a signature spells it, for messages.
  std::string str() const;
};

/// A signature that was read.
struct Signature {
  std::string kernel; // Before a `:` in "KERNEL:p=..."; empty when absent.
  bool positional = false;
  std::vector<SignatureItem> items;
};

/// Reads `text`, which is copied into a buffer `bufferName` of `sourceMgr` so that errors show it.
/// A leading `KERNEL:` is taken off when the text has the named form. Returns nothing after
/// reporting errors, each at the item that is wrong.
std::optional<Signature> parseSignature(llvm::StringRef text, llvm::StringRef bufferName,
                                        llvm::SourceMgr &sourceMgr, DiagnosticEngine &diagnostics);

/// The parts of `text` between commas that are in no brackets or quotes; a comma at the end is
/// followed by none.
llvm::SmallVector<llvm::StringRef> splitAtCommas(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_LANGUAGE_SIGNATURE_H
