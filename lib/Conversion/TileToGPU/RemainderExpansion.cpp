//===- RemainderExpansion.cpp - the remainder of a division -----*- C++ -*-===//
//
// The remainder of floats is exact, whatever the quotient. A step subtracts q b 2^k, where k makes
// the whole number q = a / (b 2^k) have at most as many digits as a float: one multiply-add without
// rounding. A first step with k = 0 is enough unless the quotient has more than 22 (of f64: 51)
// digits; a loop takes that many off in each iteration.
//
//===----------------------------------------------------------------------===//

#include "FloatCode.h"
#include "MathExpansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tilec::tile;

/// Whether any element of a vector of booleans, or a boolean, is true.
static Value anyOf(FloatCode &code, Value flags) {
  auto vector = dyn_cast<VectorType>(flags.getType());
  if (!vector)
    return flags;
  Value any;
  for (int64_t i = 0; i < vector.getDimSize(0); ++i) {
    Value flag = vector::ExtractOp::create(code.b, code.loc, flags, i);
    any = any ? arith::OrIOp::create(code.b, code.loc, any, flag).getResult() : flag;
  }
  return any;
}

/// The field of the exponent of a positive number, below 1 for denormals: that of its first digit.
static Value exponentField(FloatCode &code, Value x) {
  int64_t digits = code.mantissaBits() + 1;
  double least = std::ldexp(1.0, 1 - int(code.bias()));
  Value isSmall = code.compare(arith::CmpFPredicate::OLT, x, code.real(least));
  Value lifted = code.mul(x, code.real(std::ldexp(1.0, int(digits))));
  Value field = code.shiftRight(code.bits(code.select(isSmall, lifted, x)), code.mantissaBits());
  return code.subInt(field, code.select(isSmall, code.integer(digits), code.integer(0)));
}

/// `a` less `q` times `b`, for the whole number q next to a / b.
static Value restOf(FloatCode &code, Value a, Value q, Value b) {
  // The quotient may have been rounded up to a whole number.
  Value rest = code.fma(arith::NegFOp::create(code.b, code.loc, q), b, a);
  Value below = code.compare(arith::CmpFPredicate::OLT, rest, code.real(0));
  return code.select(below, code.add(rest, b), rest);
}

/// The remainder of a / b for a >= 0 and b > 0 if the quotient has few digits; else `a`.
static Value firstStep(FloatCode &code, Value a, Value b) {
  Value q = math::TruncOp::create(code.b, code.loc, code.div(a, b));
  Value isSmall = code.compare(arith::CmpFPredicate::OLT, q,
                               code.real(std::ldexp(1.0, int(code.mantissaBits()) - 1)));
  // The product of 0 with an infinite b would be no number.
  Value isDivided = code.compare(arith::CmpFPredicate::OGE, a, b);
  Value isDone = arith::AndIOp::create(code.b, code.loc, isSmall, isDivided);
  return code.select(isDone, restOf(code, a, q, b), a);
}

/// `a` less the largest multiple of b 2^k that is not above it, for 0 < b <= a.
/// `field` is that of b's exponent.
static Value step(FloatCode &code, Value a, Value b, Value field) {
  Value distance = code.subInt(exponentField(code, a), field);
  Value beyond = code.subInt(distance, code.integer(code.mantissaBits() - 1));
  Value k = arith::MaxSIOp::create(code.b, code.loc, beyond, code.integer(0));
  // 2^k in two factors: k may be larger than the largest exponent.
  Value half = code.shiftRight(k, 1);
  Value scaled =
      code.mul(code.mul(b, code.powerOfTwo(half)), code.powerOfTwo(code.subInt(k, half)));
  return restOf(code, a, math::TruncOp::create(code.b, code.loc, code.div(a, scaled)), scaled);
}

Value tilec::tile::expandRemainder(OpBuilder &builder, Location loc, Value x, Value y) {
  FloatCode code(builder, loc, x.getType());
  Value infinity = code.real(std::numeric_limits<double>::infinity());
  Value size = math::AbsFOp::create(builder, loc, x);
  Value divisor = math::AbsFOp::create(builder, loc, y);
  // Where there is nothing to do: x is not finite, y is 0 or NaN.
  Value isFinite = code.compare(arith::CmpFPredicate::OLT, size, infinity);
  Value isDivisor = code.compare(arith::CmpFPredicate::OGT, divisor, code.real(0));
  Value isPlain = arith::AndIOp::create(builder, loc, isFinite, isDivisor);
  Value safe = code.select(isPlain, divisor, code.real(1));
  Value start = firstStep(code, code.select(isPlain, size, code.real(0)), safe);

  Value field = exponentField(code, safe);
  auto loop = scf::WhileOp::create(
      builder, loc, x.getType(), start,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        FloatCode inside(b, at, x.getType());
        Value more = inside.compare(arith::CmpFPredicate::OGE, arguments[0], safe);
        scf::ConditionOp::create(b, at, anyOf(inside, more), arguments);
      },
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        FloatCode inside(b, at, x.getType());
        Value a = arguments[0];
        Value more = inside.compare(arith::CmpFPredicate::OGE, a, safe);
        scf::YieldOp::create(b, at, inside.select(more, step(inside, a, safe, field), a));
      });
  Value result = math::CopySignOp::create(builder, loc, loop.getResult(0), x);
  return code.select(isPlain, result, code.real(std::numeric_limits<double>::quiet_NaN()));
}
