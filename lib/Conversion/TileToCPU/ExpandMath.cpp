//===- ExpandMath.cpp - exponentials and logarithms of f32 -----*- C++ -*-===//
//
// Branch-free code on scalars, so that LLVM's vectoriser handles a loop around it like any other.
// The polynomials were fitted with the Remez algorithm to the smallest largest relative error over
// the reduced range, whose bound is noted beside each; rounding adds the rest of the error that the
// execution tests check (2 ulp). Multiply-adds are left to LLVM, which has one only on processors
// that do; constants are split so that the result is as good without.
//
//===----------------------------------------------------------------------===//

#include "Expand.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

//===----------------------------------------------------------------------===//
// Calculator
//===----------------------------------------------------------------------===//

Value Calculator::f32(double value) {
  return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(float(value)));
}

Value Calculator::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

Value Calculator::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}

Value Calculator::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}

Value Calculator::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}

Value Calculator::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = f32(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = mulAdd(sum, x, f32(coefficient));
  return sum;
}

Value Calculator::shl(Value a, int64_t by) {
  return arith::ShLIOp::create(builder, loc, a, integer(a.getType(), by));
}

Value Calculator::shrU(Value a, int64_t by) {
  return arith::ShRUIOp::create(builder, loc, a, integer(a.getType(), by));
}

Value Calculator::shrS(Value a, int64_t by) {
  return arith::ShRSIOp::create(builder, loc, a, integer(a.getType(), by));
}

Value Calculator::cmp(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value Calculator::cmp(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

Value Calculator::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// 1.5 * 2^23: adding it to a float of magnitude below 2^22 rounds that to the nearest integer and
/// leaves the integer in the low bits.
static constexpr double kRounder = 12582912.0;

/// `x` limited to [low, high]; NaN stays NaN.
static Value clamp(Calculator &calc, Value x, double low, double high) {
  Value below = calc.cmp(arith::CmpFPredicate::OLT, x, calc.f32(low));
  x = calc.select(below, calc.f32(low), x);
  Value above = calc.cmp(arith::CmpFPredicate::OGT, x, calc.f32(high));
  return calc.select(above, calc.f32(high), x);
}

/// `value` times 2^n for n from -252 to 254, in two steps: one power of two may not be a float
/// itself, and a result that is subnormal must be rounded only once.
static Value scaleByPower(Calculator &calc, Value value, Value n) {
  Value half = calc.shrS(n, 1);
  Value rest = calc.isub(n, half);
  for (Value part : {half, rest}) {
    Value biased = calc.shl(calc.iadd(part, calc.i32(127)), 23);
    value = calc.mul(value, calc.bits(calc.f32Type(), biased));
  }
  return value;
}

/// e^x = 2^n * e^r with n the integer next to x / ln 2 and r = x - n * ln 2.
static Value expandExp(Calculator &calc, Value x) {
  // Past these the result is infinity and 0.
  x = clamp(calc, x, -104.0, 89.0);
  Value rounder = calc.f32(kRounder);
  Value rounded = calc.mulAdd(x, calc.f32(0x1.715476p+0), rounder); // log2(e)
  Value n = calc.sub(rounded, rounder);
  // ln 2 in two parts, the first short enough for its product with n to be exact.
  Value r = calc.sub(x, calc.mul(n, calc.f32(0x1.62e4p-1)));
  r = calc.sub(r, calc.mul(n, calc.f32(0x1.7f7d1cp-20)));
  // (e^r - 1 - r) / r^2, relative error of e^r below 3.1e-9.
  Value q = calc.polynomial(
      r, {0.499999934476, 0.166665206321, 0.0416683880955, 0.00836871685266, 0.00138145956018});
  Value power = calc.add(calc.mulAdd(calc.mul(r, r), q, r), calc.f32(1.0));
  Value integer = calc.isub(calc.bits(calc.i32Type(), rounded), calc.bits(calc.i32Type(), rounder));
  return scaleByPower(calc, power, integer);
}

static Value expandExp2(Calculator &calc, Value x) {
  x = clamp(calc, x, -151.0, 129.0);
  Value rounder = calc.f32(kRounder);
  Value rounded = calc.add(x, rounder);
  Value r = calc.sub(x, calc.sub(rounded, rounder));
  // (2^r - 1) / r, relative error of 2^r below 2.0e-9.
  Value q = calc.polynomial(r, {0.693147202858, 0.240226479134, 0.0555033246516, 0.00961843736573,
                                0.00133988769387, 0.000153533645459});
  Value integer = calc.isub(calc.bits(calc.i32Type(), rounded), calc.bits(calc.i32Type(), rounder));
  return scaleByPower(calc, calc.mulAdd(r, q, calc.f32(1.0)), integer);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent * (1 + f) with 1 + f from sqrt(1/2) to sqrt(2).
struct Decomposed {
  Value exponent; // an f32
  Value f;
};
} // namespace

/// `x` is positive and finite, or the result does not matter.
static Decomposed decompose(Calculator &calc, Value x) {
  // Subnormal numbers are scaled to normal ones first.
  Value tiny = calc.cmp(arith::CmpFPredicate::OLT, x, calc.f32(0x1p-126));
  Value scaled = calc.select(tiny, calc.mul(x, calc.f32(0x1p23)), x);
  Value bias = calc.select(tiny, calc.f32(-23.0), calc.f32(0.0));
  // Counting the exponent from sqrt(1/2) puts the other factor around 1.
  Value root = calc.i32(0x3f3504f3);
  Value shifted = calc.isub(calc.bits(calc.i32Type(), scaled), root);
  Value exponent = calc.cast<arith::SIToFPOp>(calc.f32Type(), calc.shrS(shifted, 23));
  Value mantissa = calc.iadd(calc.bitAnd(shifted, calc.i32(0x7fffff)), root);
  Value f = calc.sub(calc.bits(calc.f32Type(), mantissa), calc.f32(1.0));
  return {calc.add(exponent, bias), f};
}

/// log(1 + f) - f.
static Value logTail(Calculator &calc, Value f) {
  // (log(1 + f) - f + f^2 / 2) / f^3, relative error of log(1 + f) below 7.5e-10.
  Value p = calc.polynomial(f, {0.333333125989, -0.250000095952, 0.20002119068, -0.166679964759,
                                0.142195435772, -0.124055702944, 0.118882139285, -0.116758004976,
                                0.0674670739163});
  Value square = calc.mul(f, f);
  return calc.mulAdd(calc.mul(square, f), p, calc.mul(square, calc.f32(-0.5)));
}

/// The logarithm of 0, of negative numbers, of infinity and of NaN; `normal` of everything else.
static Value logSpecial(Calculator &calc, Value x, Value normal) {
  Value infinity = calc.f32(std::numeric_limits<double>::infinity());
  Value isInfinite = calc.cmp(arith::CmpFPredicate::OEQ, x, infinity);
  Value result = calc.select(isInfinite, infinity, normal);
  Value isZero = calc.cmp(arith::CmpFPredicate::OEQ, x, calc.f32(0.0));
  result = calc.select(isZero, calc.f32(-std::numeric_limits<double>::infinity()), result);
  Value isBad = calc.cmp(arith::CmpFPredicate::ULT, x, calc.f32(0.0));
  return calc.select(isBad, calc.f32(std::numeric_limits<double>::quiet_NaN()), result);
}

static Value expandLog(Calculator &calc, Value x) {
  auto [exponent, f] = decompose(calc, x);
  // ln 2 in two parts, as in expandExp.
  Value low = calc.mulAdd(exponent, calc.f32(0x1.7f7d1cp-20), logTail(calc, f));
  Value sum = calc.mulAdd(exponent, calc.f32(0x1.62e4p-1), calc.add(f, low));
  return logSpecial(calc, x, sum);
}

static Value expandLog2(Calculator &calc, Value x) {
  auto [exponent, f] = decompose(calc, x);
  Value tail = logTail(calc, f);
  // Times log2(e) as 1 plus a rest: the 1 loses nothing.
  Value rest = calc.f32(0.44269504088896340736);
  Value sum = calc.mulAdd(f, rest, calc.mul(tail, rest));
  sum = calc.add(calc.add(calc.add(sum, tail), f), exponent);
  return logSpecial(calc, x, sum);
}

Value cpu::expandMath(OpBuilder &builder, Operation *op) {
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
      !op->getResult(0).getType().isF32())
    return {};
  Calculator calc(builder, op->getLoc());
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return expandExp(calc, x); })
      .Case([&](math::Exp2Op) { return expandExp2(calc, x); })
      .Case([&](math::LogOp) { return expandLog(calc, x); })
      .Case([&](math::Log2Op) { return expandLog2(calc, x); })
      .Case([&](math::RsqrtOp) -> Value {
        Value root = math::SqrtOp::create(builder, op->getLoc(), x);
        return arith::DivFOp::create(builder, op->getLoc(), calc.f32(1.0), root);
      })
      .Default([](Operation *) { return Value(); });
}
