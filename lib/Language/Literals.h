//===- Literals.h - Values of number and string literals --------*- C++ -*-===//
//
// Converts the text of literals. Problems are returned with their location.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_LITERALS_H
#define TILEC_LIB_LANGUAGE_LITERALS_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilec {

/// Most digits of a number literal, as in CPython.
constexpr unsigned maxNumberDigits = 4300;

/// What is wrong with a literal, and where in the source.
struct LiteralProblem {
  const char *begin = nullptr;
  const char *end = nullptr;
  std::string message;
  bool isWarning = false;
};

/// A number: an integer, unless `floating` says otherwise.
struct NumberValue {
  bool floating = false;
  bool imaginary = false; // `2j`; the other members say nothing then.
  double floatValue = 0;
  llvm::APInt intValue; // Never negative; wide enough for a sign bit.
};

/// Converts a Number token. Nothing after filling `problem`.
std::optional<NumberValue> decodeNumber(llvm::StringRef token, LiteralProblem &problem);

/// Appends the value of the piece `body` of a string literal to `out`, as UTF-8: escapes are
/// resolved unless `raw`, line ends become LF, and in the literal text of f-strings (`format`)
/// doubled braces become single. False after adding an error to `problems`, which may receive
/// warnings in any case.
bool decodeString(llvm::StringRef body, bool raw, bool format, llvm::SmallVectorImpl<char> &out,
                  llvm::SmallVectorImpl<LiteralProblem> &problems);

} // namespace tilec

#endif // TILEC_LIB_LANGUAGE_LITERALS_H
