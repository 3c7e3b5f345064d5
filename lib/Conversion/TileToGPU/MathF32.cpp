//===- MathF32.cpp - functions of float32 by hardware and polynomials -*- C++ -*-===//
//
// Each function takes some twenty instructions without a branch. The coefficients are minimax fits,
// in the order of rising powers; docs/math.md has the errors that were measured.
//
//   log    x = 2^e m with m in [2/3, 4/3): ln(1+f) = f + f^2 P(f), f = m - 1
//   tanh   below 0.6: x + x^3 P(x^2); above: 1 - 2 / (e^2x + 1)
//   erf    below 1: x + x P(x^2); above: 1 - 2^P(x), where P fits log2(1 - erf x)
//
//===----------------------------------------------------------------------===//

#include "FloatCode.h"
#include "MathExpansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tilec::tile;

Value tilec::tile::splatConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr scalar = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(shaped, Attribute(scalar)));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value tilec::tile::callOnElements(OpBuilder &builder, Location loc, StringRef intrinsic,
                                  ArrayRef<Value> operands, Type result) {
  if (!result)
    result = builder.getF32Type();
  return mapElements(builder, loc, operands, result, [&](ValueRange scalars) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(intrinsic),
                                         scalars)
        ->getResult(0);
  });
}

Value tilec::tile::mapElements(OpBuilder &builder, Location loc, ArrayRef<Value> operands,
                               Type result, llvm::function_ref<Value(ValueRange)> call) {
  auto vector = dyn_cast<VectorType>(operands[0].getType());
  if (!vector)
    return call(operands);
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getDimSize(0); ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(builder, loc, operand, i));
    results.push_back(call(scalars));
  }
  return vector::FromElementsOp::create(builder, loc, vector.clone(result), results);
}

static Value approximate(FloatCode &code, StringRef intrinsic, Value x) {
  return callOnElements(code.b, code.loc, intrinsic, {x});
}

static Value exp2OfMost(FloatCode &code, Value x) {
  return approximate(code, "llvm.nvvm.ex2.approx.ftz", x);
}

/// The polynomial with the given coefficients, lowest power first.
static Value rising(FloatCode &code, Value x, ArrayRef<double> coefficients) {
  return code.polynomial(x, llvm::to_vector(llvm::reverse(coefficients)));
}

//===----------------------------------------------------------------------===//
// The exponential
//===----------------------------------------------------------------------===//

Value tilec::tile::expandExpF32(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  // e^x = 2^(n + t). Adding 1.5 2^23 rounds to the integer n, and 127 leaves n's biased exponent in
  // the low bits. n is that of a normal power: the rest of a larger or smaller x stays in t.
  Value limited = arith::MaxNumFOp::create(
      builder, loc, arith::MinNumFOp::create(builder, loc, x, code.real(88)), code.real(-87.25));
  Value magic = code.real(0x1.8p23 + 127);
  Value moved = code.fma(limited, code.real(0x1.715476p+0), magic);
  Value n = code.sub(moved, magic);
  Value t = code.fma(x, code.real(0x1.715476p+0), arith::NegFOp::create(builder, loc, n));
  t = code.fma(x, code.real(0x1.4ae0cp-26), t);
  Value power = code.fromBits(
      arith::ShLIOp::create(builder, loc, code.bits(moved), code.integer(code.mantissaBits())));
  return code.mul(exp2OfMost(code, t), power);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
struct SplitF32 {
  Value exponent, fraction; // x = 2^exponent * (1 + fraction)
  Value lifted;             // x, or x * 2^23 where it is denormal
};
} // namespace

static SplitF32 splitF32(FloatCode &code, Value x) {
  Value isSmall = code.compare(arith::CmpFPredicate::OLT, x, code.real(0x1p-126));
  Value lifted = code.select(isSmall, code.mul(x, code.real(0x1p23)), x);
  Value lowered = code.select(isSmall, code.real(-23), code.real(0));
  // Subtracting the bits of 2/3 leaves in the exponent's field by how much x is out of [2/3, 4/3).
  Value bits = code.bits(lifted);
  Value shift = arith::AndIOp::create(code.b, code.loc, code.subInt(bits, code.integer(0x3f2aaaab)),
                                      code.integer(int32_t(0xff800000)));
  Value mantissa = code.fromBits(code.subInt(bits, shift));
  Value exponent = code.fma(code.toReal(shift), code.real(0x1p-23), lowered);
  return {exponent, code.sub(mantissa, code.real(1)), lifted};
}

/// The values at 0, negative numbers, infinity and NaN.
static Value logSpecialsF32(FloatCode &code, Value x, Value lifted, Value result) {
  Value infinity = code.real(std::numeric_limits<float>::infinity());
  Value isPlain = arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ult,
                                        code.bits(lifted), code.integer(0x7f800000));
  result = code.select(isPlain, result, code.fma(lifted, infinity, infinity));
  Value isZero = code.compare(arith::CmpFPredicate::OEQ, x, code.real(0));
  return code.select(isZero, code.real(-std::numeric_limits<float>::infinity()), result);
}

Value tilec::tile::expandLogF32(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  SplitF32 split = splitF32(code, x);
  Value f = split.fraction;
  Value tail = rising(code, f,
                      {-0x1p-1, 0x1.555502p-2, -0x1.fffe84p-3, 0x1.99d1f2p-3, -0x1.55a754p-3,
                       0x1.1ebe68p-3, -0x1.f25de0p-4, 0x1.1ed144p-3, -0x1.0931d4p-3});
  Value ln = code.fma(tail, code.mul(f, f), f);
  Value result = code.fma(split.exponent, code.real(0x1.62e430p-1), ln);
  return logSpecialsF32(code, x, split.lifted, result);
}

Value tilec::tile::expandLog2F32(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  SplitF32 split = splitF32(code, x);
  Value f = split.fraction;
  Value tail = rising(code, f,
                      {-0x1.715476p-1, 0x1.ec7026p-2, -0x1.715364p-2, 0x1.279f6ap-2, -0x1.ece6e8p-3,
                       0x1.9daf0ep-3, -0x1.677edep-3, 0x1.9dca44p-3, -0x1.7e9852p-3});
  // log2 e in two parts: the first power needs more digits than one float has.
  Value low = code.mul(f, code.real(0x1.4ae0c0p-26));
  Value log2 = code.fma(f, code.real(0x1.715476p+0), code.fma(tail, code.mul(f, f), low));
  return logSpecialsF32(code, x, split.lifted, code.add(split.exponent, log2));
}

//===----------------------------------------------------------------------===//
// tanh and erf
//===----------------------------------------------------------------------===//

/// `near` where |x| is below `bound` or NaN, else `far`; with the sign of x.
static Value joinOdd(FloatCode &code, Value x, Value size, double bound, Value near, Value far) {
  Value isFar = code.compare(arith::CmpFPredicate::OGE, size, code.real(bound));
  // Also of what is near: a multiply-add makes +0 of -0.
  return math::CopySignOp::create(code.b, code.loc, code.select(isFar, far, near), x);
}

Value tilec::tile::expandTanhF32(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Value size = math::AbsFOp::create(builder, loc, x);
  Value square = code.mul(x, x);
  Value tail = rising(
      code, square, {-0x1.55553ep-2, 0x1.1109aep-3, -0x1.b898dep-5, 0x1.54b8a0p-6, -0x1.825856p-8});
  Value near = code.fma(code.mul(tail, square), x, x);
  // Where the power overflows, its reciprocal is 0.
  Value power = exp2OfMost(code, code.mul(size, code.real(2 * 1.4426950408889634)));
  Value inverse = approximate(code, "llvm.nvvm.rcp.approx.ftz.f", code.add(power, code.real(1)));
  Value far = code.fma(inverse, code.real(-2), code.real(1));
  return joinOdd(code, x, size, 0.6, near, far);
}

Value tilec::tile::expandErfF32(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Value size = math::AbsFOp::create(builder, loc, x);
  Value tail = rising(code, code.mul(x, x),
                      {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cf8p-4, -0x1.b7f90ep-6, 0x1.5405b2p-8,
                       -0x1.a3f700p-11, 0x1.496a30p-14});
  Value near = code.fma(tail, x, x);
  // 1 - erf 4 is less than half a step from 1.
  Value bounded = arith::MinNumFOp::create(builder, loc, size, code.real(4));
  Value power = rising(code, bounded,
                       {-0x1.0252c2p-11, -0x1.a0448cp+0, -0x1.d75f3ap-1, -0x1.30a4b0p-3,
                        0x1.02182ep-5, -0x1.16b256p-8, 0x1.19f330p-12});
  Value far = code.sub(code.real(1), exp2OfMost(code, power));
  return joinOdd(code, x, size, 1, near, far);
}
