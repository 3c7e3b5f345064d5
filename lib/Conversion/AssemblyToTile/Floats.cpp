//===- Floats.cpp - floating point arithmetic -------------------*- C++ -*-===//
//
// PTX ISA, "Floating Point Instructions" and "Half Precision Floating Point Instructions". A pair
// is two lanes. Approximations are as exact as the CPU's functions.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

using FloatOrder = arith::CmpFPredicate;

/// 0 where `x` is negative; NaN stays.
Value tilec::assembly::cutOffNegative(Code &code, Value x) {
  Value zero = code.real(tile::elementOf(x.getType()), 0);
  Value isKept = code.compare(FloatOrder::UGT, x, zero);
  return code.select(isKept, x, zero);
}

/// Limited to 0 and 1; NaN is 0.
Value tilec::assembly::saturate(Code &code, Value x) {
  Type element = tile::elementOf(x.getType());
  Value zero = code.real(element, 0), one = code.real(element, 1);
  x = code.select(code.compare(FloatOrder::OGT, x, zero), x, zero);
  return code.select(code.compare(FloatOrder::OGT, x, one), one, x);
}

//===----------------------------------------------------------------------===//
// In each direction of rounding
//===----------------------------------------------------------------------===//

/// Whether the opcode rounds other than to nearest, which only f32 can here.
static bool isDirected(const Opcode &opcode) {
  StringRef rounding = opcode.rounding();
  return !rounding.empty() && rounding != "rn";
}

static SmallVector<Value> widened(Code &code, ArrayRef<Value> a) {
  Type f64 = FloatType(Float64Type::get(a[0].getContext()));
  return llvm::map_to_vector(a, [&](Value x) { return code.resizeF(x, f64); });
}

static Value narrowed(Code &code, const Opcode &opcode, Value x) {
  return code.narrow(x, Float32Type::get(x.getContext()), opcode.rounding());
}

static Value add(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.addF(a[0], a[1]);
  SmallVector<Value> wide = widened(code, a);
  return narrowed(code, opcode, code.oddSum(wide[0], wide[1], opcode.rounding()));
}

static Value sub(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.subF(a[0], a[1]);
  return add(code, opcode, type, {a[0], code.negate(a[1])});
}

static Value mul(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.mulF(a[0], a[1]);
  SmallVector<Value> wide = widened(code, a);
  return narrowed(code, opcode, code.mulF(wide[0], wide[1])); // exact before
}

static Value fma(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.fma(a[0], a[1], a[2]);
  SmallVector<Value> wide = widened(code, a);
  Value product = code.mulF(wide[0], wide[1]);
  return narrowed(code, opcode, code.oddSum(product, wide[2], opcode.rounding()));
}

static Value div(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.divF(a[0], a[1]);
  SmallVector<Value> wide = widened(code, a);
  return narrowed(code, opcode, code.oddQuotient(wide[0], wide[1]));
}

static Value rcp(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  if (type.bits == 64 && opcode.has("approx") != opcode.has("ftz"))
    return {};
  Value one = code.real(tile::elementOf(a[0].getType()), 1);
  return div(code, opcode, type, {one, a[0]});
}

static Value sqrt(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (!isDirected(opcode))
    return code.make<math::SqrtOp>(a[0]);
  return narrowed(code, opcode, code.oddRoot(widened(code, a)[0]));
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

static Value rsqrt(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  if (type.bits == 32)
    return code.make<math::RsqrtOp>(a[0]);
  Value one = code.real(tile::elementOf(a[0].getType()), 1);
  return code.divF(one, code.make<math::SqrtOp>(a[0]));
}

template <typename OpT>
static Value function(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  return opcode.has("approx") ? code.make<OpT>(a[0]) : Value();
}

/// By e^2|x|, which vectorises, and near 0 by the first terms of the series.
static Value tanh(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  Type f32 = Float32Type::get(a[0].getContext());
  auto number = [&](double value) { return code.real(f32, value); };
  Value x = code.resizeF(a[0], f32), size = code.magnitude(x);
  Value power = code.make<math::ExpOp>(code.addF(size, size));
  Value far = code.subF(number(1), code.divF(number(2), code.addF(power, number(1))));
  Value sign = code.bitAnd(code.toBits(x), uint64_t(1) << 31);
  far = code.fromBits(code.bitOr(code.toBits(far), sign), f32);
  Value square = code.mulF(x, x), series = number(-17.0 / 315);
  for (double factor : {2.0 / 15, -1.0 / 3})
    series = code.addF(code.mulF(series, square), number(factor));
  Value near = code.addF(x, code.mulF(x, code.mulF(series, square)));
  Value isNear = code.compare(FloatOrder::OLT, size, number(0.25));
  Value result = code.select(isNear, near, far);
  // The sign of NaN is no number's.
  result = code.select(code.isNaN(x), x, result);
  return code.resizeF(result, code.floatType(type));
}

//===----------------------------------------------------------------------===//
// Signs and comparisons
//===----------------------------------------------------------------------===//

static Value abs(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.magnitude(a[0]);
}

static Value neg(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.negate(a[0]);
}

static uint64_t signOf(NumberType type) { return uint64_t(1) << (type.bits - 1); }

/// copysign: the sign of the first on the second.
static Value copysign(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  Value sign = code.bitAnd(code.toBits(a[0]), signOf(type));
  Value rest = code.bitAnd(code.toBits(a[1]), signOf(type) - 1);
  return code.fromBits(code.bitOr(sign, rest), code.floatType(type));
}

/// min and max: -0 is less than 0, and a number wins over NaN unless .NaN asks for that. With
/// .xorsign.abs, of the magnitudes, and negative where one operand is.
template <typename OpT>
static Value extreme(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  if (opcode.has("xorsign") != opcode.has("abs"))
    return {};
  Value x = a[0], y = a[1];
  if (opcode.has("abs")) {
    x = code.magnitude(x);
    y = code.magnitude(y);
  }
  Value result = code.make<OpT>(x, y);
  if (!opcode.has("NaN")) {
    result = code.select(code.isNaN(y), x, result);
    result = code.select(code.isNaN(x), y, result);
  }
  if (!opcode.has("abs"))
    return result;
  Value sign = code.bitXor(code.toBits(a[0]), code.toBits(a[1]));
  sign = code.bitAnd(sign, signOf(type));
  return code.fromBits(code.bitOr(code.toBits(code.magnitude(result)), sign), code.floatType(type));
}

ArrayRef<Row> tilec::assembly::floatRows() {
  static constexpr char directed[] = "rn rz rm rp";
  static constexpr char anyRounding[] = "approx rn rz rm rp";
  static constexpr char halves[] = "f16 f16x2", brains[] = "bf16 bf16x2", pair[] = "f32x2";
  static constexpr char extremes[] = "ftz NaN xorsign abs", brainExtremes[] = "NaN xorsign abs";
  constexpr Row::Emit min = extreme<arith::MinimumFOp>, max = extreme<arith::MaximumFOp>;
  static constexpr Row rows[] = {
      {"add", "f32", "rn rz rm rp ftz sat", "", "ttt", add},
      {"add", pair, "rn rz rm rp ftz", "", "ttt", add},
      {"add", halves, "rn ftz sat", "", "ttt", add},
      {"add", "f64 bf16 bf16x2", "rn", "", "ttt", add},
      {"sub", "f32", "rn rz rm rp ftz sat", "", "ttt", sub},
      {"sub", pair, "rn rz rm rp ftz", "", "ttt", sub},
      {"sub", halves, "rn ftz sat", "", "ttt", sub},
      {"sub", "f64 bf16 bf16x2", "rn", "", "ttt", sub},
      {"mul", "f32", "rn rz rm rp ftz sat", "", "ttt", mul},
      {"mul", pair, "rn rz rm rp ftz", "", "ttt", mul},
      {"mul", halves, "rn ftz sat", "", "ttt", mul},
      {"mul", "f64 bf16 bf16x2", "rn", "", "ttt", mul},
      {"fma", "f32", "ftz sat", directed, "tttt", fma},
      {"fma", pair, "ftz", directed, "tttt", fma},
      {"fma", halves, "ftz sat relu", "rn", "tttt", fma},
      {"fma", brains, "relu", "rn", "tttt", fma},
      {"fma", "f64", "", "rn", "tttt", fma},
      {"mad", "f32", "ftz sat", directed, "tttt", fma},
      {"mad", "f64", "", "rn", "tttt", fma},
      {"div", "f32", "ftz", "approx full rn rz rm rp", "ttt", div},
      {"div", "f64", "", "rn", "ttt", div},
      {"rcp", "f32", "ftz", anyRounding, "tt", rcp},
      {"rcp", "f64", "ftz", "approx rn", "tt", rcp},
      {"sqrt", "f32", "ftz", anyRounding, "tt", sqrt},
      {"sqrt", "f64", "", "rn", "tt", sqrt},
      {"rsqrt", "f32 f64", "ftz", "approx", "tt", rsqrt},
      {"sin", "f32", "ftz", "approx", "tt", function<math::SinOp>},
      {"cos", "f32", "ftz", "approx", "tt", function<math::CosOp>},
      {"lg2", "f32", "ftz", "approx", "tt", function<math::Log2Op>},
      {"ex2", "f32", "ftz", "approx", "tt", function<math::Exp2Op>},
      {"ex2", halves, "", "approx", "tt", function<math::Exp2Op>},
      {"ex2", brains, "approx", "ftz", "tt", function<math::Exp2Op>},
      {"tanh", "f32 f16 f16x2 bf16 bf16x2", "", "approx", "tt", tanh},
      {"abs", "f32 f16 f16x2", "ftz", "", "tt", abs},
      {"abs", "f64 bf16 bf16x2", "", "", "tt", abs},
      {"neg", "f32 f16 f16x2", "ftz", "", "tt", neg},
      {"neg", "f64 bf16 bf16x2", "", "", "tt", neg},
      {"min", "f32", extremes, "", "ttt", min},
      {"min", halves, extremes, "", "ttt", min},
      {"min", brains, brainExtremes, "", "ttt", min},
      {"min", "f64", "", "", "ttt", min},
      {"max", "f32", extremes, "", "ttt", max},
      {"max", halves, extremes, "", "ttt", max},
      {"max", brains, brainExtremes, "", "ttt", max},
      {"max", "f64", "", "", "ttt", max},
      {"copysign", "f32 f64", "", "", "ttt", copysign},
  };
  return rows;
}
