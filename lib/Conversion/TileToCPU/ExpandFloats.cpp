//===- ExpandFloats.cpp - f16 and bf16 -------------------------*- C++ -*-===//
//
// Processors compute f32 and f64. An operation on f16 or bf16 is done in f32 and rounded: f32 has
// more than twice the digits, so the second rounding of a sum, product, quotient or root changes
// nothing. A multiply-add takes f64, and for bf16 also what that loses. What LLVM would turn into a
// call of a helper that may not exist in the process, or into an instruction that flushes subnormal
// numbers, is integer arithmetic here.
//
//===----------------------------------------------------------------------===//

#include "Expand.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Support/Workarounds.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// a * b + c of bf16 in f64, which has all digits of the product but not of a sum of numbers far
/// apart: the last digit of an inexact sum is made odd, so that rounding it to bf16 gives what
/// rounding the exact sum would.
static Value expandFma(OpBuilder &builder, math::FmaOp op) {
  Calculator calc(builder, op.getLoc());
  auto widened = [&](Value x) { return calc.cast<arith::ExtFOp>(calc.f64Type(), x); };
  Value product = calc.mul(widened(op.getA()), widened(op.getB())), c = widened(op.getC());
  Value sum = calc.add(product, c), ofSum = calc.sub(sum, product);
  Value error = calc.add(calc.sub(product, calc.sub(sum, ofSum)), calc.sub(c, ofSum));
  Value bits = calc.bits(calc.i64Type(), sum), zero = calc.integer(calc.i64Type(), 0);
  Value one = calc.integer(calc.i64Type(), 1), none = calc.bits(calc.f64Type(), zero);
  // NaN, for infinite sums, is not unequal.
  Value isInexact = calc.cmp(arith::CmpFPredicate::ONE, error, none);
  Value isEven = calc.cmp(arith::CmpIPredicate::eq, calc.bitAnd(bits, one), zero);
  Value isShort =
      calc.cmp(arith::CmpIPredicate::eq, calc.cmp(arith::CmpFPredicate::OGT, error, none),
               calc.cmp(arith::CmpFPredicate::OGT, sum, none));
  Value odd = calc.select(isShort, calc.iadd(bits, one), calc.isub(bits, one));
  Value moved = calc.select(isEven, odd, bits);
  Value result = calc.bits(calc.f64Type(), calc.select(isInexact, moved, bits));
  return calc.cast<arith::TruncFOp>(op.getType(), result);
}

Value cpu::expandHalfArithmetic(OpBuilder &builder, Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      llvm::none_of(op->getOperandTypes(), isHalf) ||
      !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp>(op))
    return {};
  Location loc = op->getLoc();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Calculator calc(builder, loc);
    Value a = calc.bits(calc.i16Type(), select.getTrueValue());
    Value b = calc.bits(calc.i16Type(), select.getFalseValue());
    return calc.bits(select.getType(), calc.select(select.getCondition(), a, b));
  }
  auto fma = dyn_cast<math::FmaOp>(op);
  if (fma && fma.getType().isBF16())
    return expandFma(builder, fma);
  // The sum in a multiply-add is rounded from more digits than f32 has.
  Type wide = fma ? builder.getF64Type() : builder.getF32Type();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isHalf(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand, arith::ExtFOp::create(builder, loc, wide, operand).getResult());
  Operation *copy = builder.clone(*op, mapping);
  Value result = copy->getResult(0);
  Type type = result.getType();
  if (!isHalf(type))
    return result; // a comparison, or a conversion to an integer
  result.setType(wide);
  return arith::TruncFOp::create(builder, loc, type, result);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value bf16ToF32(Calculator &calc, Value x) {
  Value wide = calc.cast<arith::ExtUIOp>(calc.i32Type(), calc.bits(calc.i16Type(), x));
  return calc.bits(calc.f32Type(), calc.shl(wide, 16));
}

/// Rounds to nearest, ties to even; NaN becomes a quiet NaN of the same sign.
static Value f32ToBF16(Calculator &calc, Value x) {
  Value bits = calc.bits(calc.i32Type(), x);
  Value odd = calc.bitAnd(calc.shrU(bits, 16), calc.i32(1));
  Value rounded = calc.iadd(calc.iadd(bits, calc.i32(0x7fff)), odd);
  Value isNaN = calc.cmp(arith::CmpFPredicate::UNO, x, x);
  Value result = calc.select(isNaN, calc.bitOr(bits, calc.i32(0x400000)), rounded);
  Value high = calc.cast<arith::TruncIOp>(calc.i16Type(), calc.shrU(result, 16));
  return calc.bits(calc.builder.getBF16Type(), high);
}

static Value f16ToF32(Calculator &calc, Value x) {
  Value bits = calc.cast<arith::ExtUIOp>(calc.i32Type(), calc.bits(calc.i16Type(), x));
  Value magnitude = calc.bitAnd(bits, calc.i32(0x7fff));
  Value sign = calc.shl(calc.bitAnd(bits, calc.i32(0x8000)), 16);
  Value rebias = calc.i32(112 << 23); // the biases are 15 and 127
  Value normal = calc.iadd(calc.shl(magnitude, 13), rebias);
  Value isSpecial = calc.cmp(arith::CmpIPredicate::uge, magnitude, calc.i32(0x7c00));
  normal = calc.select(isSpecial, calc.iadd(normal, rebias), normal);
  // A subnormal number is its digits times 2^-24.
  Value digits = calc.cast<arith::SIToFPOp>(calc.f32Type(), magnitude);
  Value small = calc.bits(calc.i32Type(), calc.mul(digits, calc.f32(0x1p-24)));
  Value isSmall = calc.cmp(arith::CmpIPredicate::ult, magnitude, calc.i32(0x400));
  return calc.bits(calc.f32Type(), calc.bitOr(calc.select(isSmall, small, normal), sign));
}

/// Rounds to nearest, ties to even.
static Value f32ToF16(Calculator &calc, Value x) {
  Value bits = calc.bits(calc.i32Type(), x);
  Value magnitude = calc.bitAnd(bits, calc.i32(0x7fffffff));
  Value odd = calc.bitAnd(calc.shrU(magnitude, 13), calc.i32(1));
  Value rounded = calc.iadd(calc.iadd(magnitude, calc.i32(0xfff - (112 << 23))), odd);
  Value result = calc.shrU(rounded, 13);
  // Adding 1/2 puts the last digit of a subnormal result at the last digit of the sum, which the
  // addition rounds.
  Value half = calc.f32(0.5);
  Value sum = calc.add(calc.bits(calc.f32Type(), magnitude), half);
  Value small = calc.isub(calc.bits(calc.i32Type(), sum), calc.bits(calc.i32Type(), half));
  Value isSmall = calc.cmp(arith::CmpIPredicate::ult, magnitude, calc.i32(0x38800000));
  result = calc.select(isSmall, small, result);
  Value isNaN = calc.cmp(arith::CmpIPredicate::ugt, magnitude, calc.i32(0x7f800000));
  Value special = calc.select(isNaN, calc.i32(0x7e00), calc.i32(0x7c00));
  Value isHuge = calc.cmp(arith::CmpIPredicate::uge, magnitude, calc.i32(0x47800000));
  result = calc.select(isHuge, special, result);
  Value sign = calc.bitAnd(calc.shrU(bits, 16), calc.i32(0x8000));
  Value narrow = calc.cast<arith::TruncIOp>(calc.i16Type(), calc.bitOr(result, sign));
  return calc.bits(calc.builder.getF16Type(), narrow);
}

/// f64 to f32 such that rounding the result once more gives what rounding `x` directly would: where
/// digits are lost, the last digit kept is made odd.
static Value f64ToF32Odd(Calculator &calc, Value x) {
  Value nearest = calc.cast<arith::TruncFOp>(calc.f32Type(), x);
  Value back = calc.cast<arith::ExtFOp>(calc.f64Type(), nearest);
  Value bits = calc.bits(calc.i32Type(), nearest);
  Value wideBits = calc.bits(calc.i64Type(), x), backBits = calc.bits(calc.i64Type(), back);
  // Bits of one sign compare as magnitudes; step back where rounding went away from zero.
  Value past = calc.cmp(arith::CmpIPredicate::ugt, backBits, wideBits);
  Value truncated = calc.select(past, calc.isub(bits, calc.i32(1)), bits);
  Value odd = calc.bits(calc.f32Type(), calc.bitOr(truncated, calc.i32(1)));
  // Exact, and NaN.
  Value isInexact = calc.cmp(arith::CmpFPredicate::ONE, back, x);
  return calc.select(isInexact, odd, nearest);
}

/// An i64 as an f64 whose rounding to bf16 is that of the integer: digits that f64 cannot hold are
/// summed up in the last one that it can.
static Value i64ToF64Sticky(Calculator &calc, Value x, bool isSigned) {
  Value mask = calc.integer(calc.i64Type(), 0x7ff);
  Value low = calc.bitAnd(x, mask);
  Value zero = calc.integer(calc.i64Type(), 0);
  Value sticky = calc.select(calc.cmp(arith::CmpIPredicate::ne, low, zero),
                             calc.integer(calc.i64Type(), 0x800), zero);
  Value rounded = calc.bitOr(calc.isub(x, low), sticky);
  // |x| < 2^53, as one unsigned comparison.
  Value moved = isSigned ? calc.iadd(x, calc.integer(calc.i64Type(), int64_t(1) << 53)) : x;
  Value limit = calc.integer(calc.i64Type(), int64_t(1) << (isSigned ? 54 : 53));
  Value isExact = calc.cmp(arith::CmpIPredicate::ult, moved, limit);
  Value value = calc.select(isExact, x, rounded);
  return isSigned ? calc.cast<arith::SIToFPOp>(calc.f64Type(), value)
                  : calc.cast<arith::UIToFPOp>(calc.f64Type(), value);
}

static Value expandExtension(Calculator &calc, Value x, Type type, bool expandF16) {
  Type from = x.getType();
  if (!from.isBF16() && !(from.isF16() && expandF16))
    return {};
  Value wide = from.isBF16() ? bf16ToF32(calc, x) : f16ToF32(calc, x);
  return type.isF32() ? wide : calc.cast<arith::ExtFOp>(type, wide);
}

static Value expandTruncation(Calculator &calc, Value x, Type type, bool expandF16) {
  if (!isHalf(type))
    return {};
  bool isWide = x.getType().isF64();
  if (isWide)
    x = f64ToF32Odd(calc, x);
  if (type.isBF16())
    return f32ToBF16(calc, x);
  if (expandF16)
    return f32ToF16(calc, x);
  return isWide ? calc.cast<arith::TruncFOp>(type, x) : Value();
}

/// Numbers that f16 makes infinite, infinite already before the conversion: the workaround
/// integer-as-half.
static Value makeHugeInfinite(Calculator &calc, Value x) {
  if (!tilec::isEnabled(tilec::Workaround::IntegerAsHalf))
    return x;
  for (double sign : {1.0, -1.0}) {
    auto beyond = sign > 0 ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE;
    Value isHuge = calc.cmp(beyond, x, calc.f32(sign * 65520.0));
    x = calc.select(isHuge, calc.f32(sign * HUGE_VAL), x);
  }
  return x;
}

static Value expandFromInteger(Calculator &calc, Value x, Type type, bool isSigned,
                               bool expandF16) {
  if (!isHalf(type))
    return {};
  auto toFloat = [&](Type wide) {
    return isSigned ? calc.cast<arith::SIToFPOp>(wide, x) : calc.cast<arith::UIToFPOp>(wide, x);
  };
  // Integers that f32 cannot hold are beyond the range of f16: rounding twice does no harm.
  if (type.isF16()) {
    Value wide = toFloat(calc.f32Type());
    if (x.getType().getIntOrFloatBitWidth() > 16)
      wide = makeHugeInfinite(calc, wide);
    return expandF16 ? f32ToF16(calc, wide) : calc.cast<arith::TruncFOp>(type, wide);
  }
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (width <= 16)
    return f32ToBF16(calc, toFloat(calc.f32Type()));
  Value wide = width <= 32 ? toFloat(calc.f64Type()) : i64ToF64Sticky(calc, x, isSigned);
  return f32ToBF16(calc, f64ToF32Odd(calc, wide));
}

Value cpu::expandConversion(OpBuilder &builder, Operation *op, bool expandF16) {
  Calculator calc(builder, op->getLoc());
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return {};
  Value x = op->getOperand(0);
  Type type = op->getResult(0).getType();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ExtFOp) { return expandExtension(calc, x, type, expandF16); })
      .Case([&](arith::TruncFOp) { return expandTruncation(calc, x, type, expandF16); })
      .Case([&](arith::SIToFPOp) { return expandFromInteger(calc, x, type, true, expandF16); })
      .Case([&](arith::UIToFPOp) { return expandFromInteger(calc, x, type, false, expandF16); })
      .Default([](Operation *) { return Value(); });
}
