//===- ConstFunctions.h - Python's functions on known values ----*- C++ -*-===//
//
// What both the interpreter of host code and HostExpr, which evaluates when a kernel is launched,
// need beyond the operators of ConstArith.h. Each is defined once, so that an expression has one
// result whenever it is evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTFUNCTIONS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTFUNCTIONS_H

#include "ConstArith.h"

namespace tilec::front {

/// `left == right`, which any two values have.
bool constEquals(const Object &left, const Object &right);

/// The place that `index` stands for in a sequence of `size` elements: a negative one counts from
/// the end. Nothing when it is outside or no integer.
std::optional<size_t> constIndex(const Object &index, size_t size);

/// abs(value) of a number.
ConstResult constAbs(const Object &value);

/// One step of min() and max(): `value` where it is better than `best`, which wins over its equals.
ConstResult constExtreme(bool isMax, const Object &value, const Object &best);

/// triton.cdiv(left, right)
ConstResult constCDiv(const Object &left, const Object &right, llvm::StringSaver &strings);

/// triton.next_power_of_2(number); nothing when that is above 2**61.
std::optional<int64_t> constNextPowerOf2(int64_t number);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_CONSTFUNCTIONS_H
