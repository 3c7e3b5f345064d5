//===- Rounding.cpp - results that are rounded in a direction ---*- C++ -*-===//
//
// Processors round to nearest here. A result in another direction is the one rounded to nearest or
// its neighbour, by where the exact result lies. That of float32 is known in float64, where digits
// that are lost leave a trace in the last one (rounding to odd).
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

using FloatOrder = arith::CmpFPredicate;

Value Code::narrow(Value x, Type element, StringRef rounding) {
  Value nearest = resizeF(x, element);
  if (rounding != "rz" && rounding != "rm" && rounding != "rp")
    return nearest;
  Value back = resizeF(nearest, tile::elementOf(x.getType()));
  Value bits = toBits(nearest);
  Value one = numberLike(bits, 1);
  // Bits count away from zero.
  Value away = add(bits, one), back1 = sub(bits, one);
  Value result;
  if (rounding == "rz") {
    result = select(compare(FloatOrder::OGT, magnitude(back), magnitude(x)), back1, bits);
  } else {
    bool isUp = rounding == "rp";
    Value isOutside = compare(isUp ? FloatOrder::OLT : FloatOrder::OGT, back, x);
    Value moved =
        isUp ? select(isNegative(nearest), back1, away) : select(isNegative(nearest), away, back1);
    result = select(isOutside, moved, bits);
  }
  return fromBits(result, element);
}

/// `result`, whose last digit is made odd where it is not exact: the exact one is above it or
/// below.
Value Code::makeOdd(Value result, Value isInexact, Value isAbove) {
  Value bits = toBits(result);
  Value one = numberLike(bits, 1);
  Value isEven = compare(arith::CmpIPredicate::eq, bitAnd(bits, one), uint64_t(0));
  Value isAway = bitXor(isAbove, isNegative(result));
  Value moved = select(isAway, add(bits, one), sub(bits, one));
  return fromBits(select(bitAnd(isInexact, isEven), moved, bits),
                  tile::elementOf(result.getType()));
}

Value Code::oddSum(Value x, Value y, StringRef rounding) {
  Value sum = addF(x, y);
  Value part = subF(sum, x);
  // What the sum has lost, exactly.
  Value rest = addF(subF(x, subF(sum, part)), subF(y, part));
  Value zero = real(tile::elementOf(x.getType()), 0);
  Value result =
      makeOdd(sum, compare(FloatOrder::ONE, rest, zero), compare(FloatOrder::OGT, rest, zero));
  if (rounding != "rm")
    return result;
  // Where it rounds down, the sum of numbers that cancel is -0.
  Value isZero = compare(FloatOrder::OEQ, sum, zero);
  Value hasSign = bitOr(isNegative(x), isNegative(y));
  return select(bitAnd(isZero, hasSign), negate(zero), result);
}

Value Code::oddQuotient(Value x, Value y) {
  Value quotient = divF(x, y);
  Value rest = fma(negate(quotient), y, x);
  Value zero = real(tile::elementOf(x.getType()), 0);
  Value isAbove = compare(FloatOrder::OGT, rest, zero);
  return makeOdd(quotient, compare(FloatOrder::ONE, rest, zero), bitXor(isAbove, isNegative(y)));
}

Value Code::oddRoot(Value x) {
  Value root = make<math::SqrtOp>(x);
  Value rest = fma(negate(root), root, x);
  Value zero = real(tile::elementOf(x.getType()), 0);
  return makeOdd(root, compare(FloatOrder::ONE, rest, zero), compare(FloatOrder::OGT, rest, zero));
}
