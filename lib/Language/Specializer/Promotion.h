//===- Promotion.h - The type rules of operators ----------------*- C++ -*-===//
//
// Which type a literal gets, and which type two operands meet in. Pure functions over types.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_PROMOTION_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_PROMOTION_H

#include "Object.h"

namespace tilec::front {

/// A type, or a message when `error` is not empty.
struct TypeResult {
  DType type;
  std::string error;
};

/// The type of a compile-time number that becomes a run-time value: int32, uint32, int64 or uint64
/// by magnitude; float32, or float64 when float32 cannot hold it as a normal number; int1.
TypeResult literalType(const Object &number);

/// The type in which two run-time operands meet. `divOrMod` selects the rules of `/ // %`.
TypeResult promote(DType left, DType right, bool divOrMod);

/// The wider of two integer types; of two of one width, the unsigned one.
DType promoteInts(DType left, DType right);

/// The type in which a run-time operand and a literal meet: the operand's own type when the
/// literal's kind (bool < int < float) does not exceed the operand's. Checks that the literal fits
/// an integer type.
TypeResult promoteLiteral(DType operand, const Object &literal, bool divOrMod);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_PROMOTION_H
