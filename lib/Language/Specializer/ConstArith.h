//===- ConstArith.h - Python's arithmetic on compile-time values -*- C++ -*-===//
//
// Operators on constexprs have Python's meaning: integers of any size, true and floor division,
// comparison across int and float. Integers may not grow beyond maxConstBits, so that no source
// text can exhaust memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTARITH_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTARITH_H

#include "Object.h"
#include "llvm/Support/StringSaver.h"

namespace tilec::front {

constexpr unsigned maxConstBits = 1 << 14;
constexpr size_t maxConstElements = 1 << 16; // Of a tuple or a string.

/// Outcome of an operation: `object`, or a message without a location when `error` is not empty.
struct ConstResult {
  Object object;
  std::string error;
};

/// `left op right` for two compile-time values. New strings are stored in `strings`.
ConstResult constBinary(ast::BinaryOp op, const Object &left, const Object &right,
                        llvm::StringSaver &strings);
ConstResult constUnary(ast::UnaryOpKind op, const Object &operand);
/// Comparisons `== != < <= > >=`; the other kinds are not for this function.
ConstResult constCompare(ast::CompareOp op, const Object &left, const Object &right);

/// The same for two tuples, which code of compile time may order.
ConstResult constCompareTuples(ast::CompareOp op, const Object &left, const Object &right);

/// Python's truth of a compile-time value.
bool constTruth(const Object &object);

/// What Python's float() makes of a text; nothing when it is no number.
std::optional<double> parseFloat(llvm::StringRef text);

/// `int(x)` for a number; fails for nan, infinities and other kinds.
ConstResult constToInt(const Object &object);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTARITH_H
