//===- Signature.h - Types of kernel parameters from text -------*- C++ -*-===//
//
// Reads the signature text of a kernel. Two forms exist:
//
//   "*fp32:16, *fp32:16, i32, 1024"        positional: one item a parameter, constexpr ones
//   included "x=*fp32:16, y=*fp32:16, n=i32"        named: any order, any subset
//
// An item is a number (which makes the parameter a constexpr) or a type with an optional hint:
// `:16` promises that the value, or the address, is a multiple of 16; `:1` makes the parameter the
// constexpr 1.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_SIGNATURE_H
#define TILEC_LANGUAGE_SIGNATURE_H

#include "tilec/Language/ConstValue.h"

namespace tilec {

/// The type of a run-time parameter and the promise about its value.
struct ParamType {
  DType type;
  /// 1 (nothing promised) or 16.
  unsigned divisibility = 1;
  /// The value, an integer, is promised to be 1. Unlike a constexpr, the parameter stays one: the
  /// caller passes the value, and the arithmetic with it keeps its type.
  bool equalsOne = false;
};

/// One item of a signature: a type or a constant. After the hint `:1` it has both, the constant 1
/// and the type with the promise, of which the constant counts.
struct SignatureItem {
  std::string name; // Empty in the positional form.
  std::optional<ParamType> type;
  std::optional<ConstValue> value;
  llvm::SMRange range; // In the signature's buffer; invalid when built by hand.
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

} // namespace tilec

#endif // TILEC_LANGUAGE_SIGNATURE_H
