//===- ConstValue.h - Compile-time values given from outside ----*- C++ -*-===//
//
// The values that a caller can give to a constexpr parameter, and the reader of their text form.
// They are plain values without references to a source or to MLIR, so that tools, the JIT and
// caches can keep and compare them. The interpreter's own values are in Specializer/Object.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_CONSTVALUE_H
#define TILEC_LANGUAGE_CONSTVALUE_H

#include "tilec/Language/Diagnostics.h"
#include "tilec/Language/Types.h"
#include "llvm/ADT/APInt.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// One of: None, a bool, an integer of any size, a float, a string, a type, a tuple of these. A
/// plain value.
class ConstValue {
public:
  enum class Kind { None, Bool, Int, Float, String, Type, Tuple, Function };

  ConstValue() = default;
  static ConstValue none() { return ConstValue(); }
  static ConstValue boolean(bool value);
  static ConstValue integer(int64_t value);
  /// A signed integer of any width.
  static ConstValue integer(llvm::APInt value);
  static ConstValue real(double value);
  static ConstValue string(std::string value);
  static ConstValue type(DType value);
  /// `className` names the class of a named tuple in the kernel's file; empty for a plain tuple.
  static ConstValue tuple(std::vector<ConstValue> elements, std::string className = "");
  /// The jit function that the kernel's file calls `name`.
  static ConstValue function(std::string name);

  Kind kind() const { return valueKind; }
  // Each of these may be called for its kind only.
  bool asBool() const { return flag; }
  const llvm::APInt &asInt() const { return number; }
  double asFloat() const { return floating; }
  llvm::StringRef asString() const { return text; }
  llvm::StringRef functionName() const { return text; }
  DType asType() const { return dtype; }
  llvm::ArrayRef<ConstValue> elements() const { return items; }
  /// Of a tuple; empty for a plain one.
  llvm::StringRef className() const { return text; }

  /// The value as the language writes it: `12`, `0.5`, `True`, `'s'`, `tl.float16`, `(1, 2)`,
  /// `Point(1, 2)`; for a function its name.
  std::string str() const;

  /// Same kind and value; floats by their bits, so nan equals nan and -0.0 differs from 0.0.
  bool operator==(const ConstValue &other) const;
  bool operator!=(const ConstValue &other) const { return !(*this == other); }

private:
  Kind valueKind = Kind::None;
  bool flag = false;
  double floating = 0;
  llvm::APInt number{64, 0};
  std::string text;
  DType dtype;
  std::vector<ConstValue> items;
};

/// The shortest text that reads back as `value`, as Python's repr gives it ("0.1", "1e-05", "inf").
std::string reprOfFloat(double value);

/// `text` in quotes with escapes, as Python's repr gives it.
std::string reprOfString(llvm::StringRef text);

/// Reads any constant expression of the language: `12`, `-1`, `1 << 10`, `0.5`, `True`, `None`,
/// `"s"`, `tl.float16`, `(1, 2)`, `float("inf")`. A name alone that is no type becomes the function
/// of that name, and `Name(..)` a named tuple of that class; whether there is one is known when a
/// kernel is specialised. The text is copied into a buffer `bufferName` of `sourceMgr`, so that
/// errors show it. Returns nothing after reporting an error.
std::optional<ConstValue> parseConstValue(llvm::StringRef text, llvm::StringRef bufferName,
                                          llvm::SourceMgr &sourceMgr,
                                          DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_LANGUAGE_CONSTVALUE_H
