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
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_SIGNATURE_H
#define TILEC_LANGUAGE_SIGNATURE_H

#include "tilec/Language/ConstValue.h"
#include "tilec/Language/KernelParam.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

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
  llvm::SMRange range; // In the signature's buffer; invalid when built by hand.

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
