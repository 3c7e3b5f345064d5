//===- Types.h - Element types of the kernel language -----------*- C++ -*-===//
//
// The scalar types a kernel computes with, and pointers to them. Signedness lives here and only
// here: in the IR int32 and uint32 are the same type. Everything is a plain value and thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_TYPES_H
#define TILEC_LANGUAGE_TYPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

/// A scalar type. int1 is the boolean and counts as an unsigned integer.
enum class ScalarKind : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  FP8E5,
  FP8E4NV,
  FP8E4B15,
  FP8E4B8,
  FP8E5B16,
  FP16,
  BF16,
  FP32,
  FP64,
};
constexpr unsigned numScalarKinds = unsigned(ScalarKind::FP64) + 1;

/// What is known of one scalar type.
struct ScalarInfo {
  ScalarKind kind;
  llvm::StringLiteral name;      // In `tl`: "int32", "float8e4nv".
  llvm::StringLiteral shortName; // In signatures: "i32", "fp8e4nv".
  unsigned bits;
  unsigned mantissaBits; // Floats only.
  unsigned exponentBias; // Floats only.
};

/// The facts about `kind`.
const ScalarInfo &scalarInfo(ScalarKind kind);

/// An element type: a scalar, or a pointer of some depth to one.
struct DType {
  ScalarKind kind = ScalarKind::Void;
  uint8_t pointerDepth = 0;
  /// For pointers: what is pointed to must not be written.
  bool isConst = false;

  DType() = default;
  /*implicit*/ DType(ScalarKind kind) : kind(kind) {}
  static DType pointerTo(DType element, bool isConst = false);

  bool isPointer() const { return pointerDepth != 0; }
  bool isScalar(ScalarKind wanted) const { return !isPointer() && kind == wanted; }
  bool isBool() const { return isScalar(ScalarKind::Int1); }
  bool isInt() const { return isSignedInt() || isUnsignedInt(); }
  bool isSignedInt() const;
  /// int1 included.
  bool isUnsignedInt() const;
  /// fp8 types included.
  bool isFloat() const { return !isPointer() && kind >= ScalarKind::FP8E5; }
  bool isFP8() const { return isFloat() && kind <= ScalarKind::FP8E5B16; }
  bool isStandardFloat() const { return isFloat() && !isFP8(); }
  bool isFP16() const { return isScalar(ScalarKind::FP16); }
  bool isBF16() const { return isScalar(ScalarKind::BF16); }
  bool isFP32() const { return isScalar(ScalarKind::FP32); }
  bool isFP64() const { return isScalar(ScalarKind::FP64); }
  /// Width in bits; 64 for pointers, 0 for void.
  unsigned bits() const { return isPointer() ? 64 : scalarInfo(kind).bits; }
  /// What a pointer points to. Must be a pointer.
  DType pointee() const;

  /// The name that messages use, as Triton prints it: "int32", "pointer<fp32>" is
  /// "pointer<float32>".
  std::string str() const;
  /// The spelling in signatures: "i32", "*fp32", "*kfp32".
  std::string signatureStr() const;

  bool operator==(const DType &other) const {
    return kind == other.kind && pointerDepth == other.pointerDepth && isConst == other.isConst;
  }
  bool operator!=(const DType &other) const { return !(*this == other); }
};

/// The scalar type with this name in `tl` ("int32"), if there is one.
std::optional<ScalarKind> scalarByName(llvm::StringRef name);

/// The names of all scalar types in `tl`.
llvm::ArrayRef<llvm::StringRef> scalarNames();

/// Reads a type as an annotation or a signature spells it: canonical names ("i32", "*fp32",
/// "*kfp16", "B"), the aliases of annotations ("float32*", "tl.int64", "const fp32*", "int32_t").
std::optional<DType> parseTypeName(llvm::StringRef text);

/// The canonical spelling nearest to a mistyped type name, for "did you mean".
std::optional<std::string> closestTypeName(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_LANGUAGE_TYPES_H
