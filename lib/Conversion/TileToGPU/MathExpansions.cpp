//===- MathExpansions.cpp - functions of float64 by polynomials -*- C++ -*-===//
//
// Exponential: x = n ln2 + r with |r| <= ln2/2, e^x = 2^n e^r. The power of two is applied in two
// halves, so that results in the denormal range round once and neither half leaves the exponent's
// range.
//
// Logarithm: x = 2^e m with m between sqrt(1/2) and sqrt(2), and with s = (m-1)/(m+1)
// ln m = 2 (s + s^3/3 + s^5/5 + ...). ln2 is split so that e times its high part is exact.
//
// The coefficients are those of the Taylor series; |r| <= 0.347 and |s| <= 0.172 make as many terms
// as are taken here suffice for the type.
//
//===----------------------------------------------------------------------===//

#include "MathExpansions.h"

#include "FloatCode.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tilec::tile;

namespace {

/// x = 2^exponent * mantissa, and where x has none.
struct Split {
  Value exponent; // As a float.
  Value lnMantissa;
};

} // namespace

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// 2^n e^r for an integral float n and |r| <= ln2/2.
static Value scaleExp(FloatCode &code, Value n, Value r) {
  SmallVector<double> coefficients;
  for (int power = 13; power >= 0; --power)
    coefficients.push_back(1.0 / std::tgamma(power + 1.0));
  Value result = code.polynomial(r, coefficients);
  Value whole = code.toInt(n);
  Value half = code.shiftRight(whole, 1);
  result = code.mul(result, code.powerOfTwo(half));
  return code.mul(result, code.powerOfTwo(code.subInt(whole, half)));
}

/// Where x is NaN, x; else the result for x clamped to what does not overflow the integers.
static Value clamp(FloatCode &code, Value x, double low, double high) {
  Value bounded = arith::MaxNumFOp::create(code.b, code.loc, x, code.real(low));
  return arith::MinNumFOp::create(code.b, code.loc, bounded, code.real(high));
}

static Value keepNaN(FloatCode &code, Value x, Value result) {
  return code.select(code.compare(arith::CmpFPredicate::UNO, x, x), x, result);
}

Value tilec::tile::expandExpF64(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Value bounded = clamp(code, x, -760, 720);
  Value n = code.roundEven(code.mul(bounded, code.real(0x1.71547652b82fep+0)));
  Value r = code.fma(n, code.real(-0x1.62e42fefa39efp-1), bounded);
  r = code.fma(n, code.real(-0x1.abc9e3b39803fp-56), r);
  return keepNaN(code, x, scaleExp(code, n, r));
}

Value tilec::tile::expandExp2F64(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Value bounded = clamp(code, x, -1090, 1030);
  Value n = code.roundEven(bounded);
  Value r = code.mul(code.sub(bounded, n), code.real(0x1.62e42fefa39efp-1));
  return keepNaN(code, x, scaleExp(code, n, r));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

static Split splitLog(FloatCode &code, Value x) {
  // Denormals are brought into the normal range first.
  double lift = std::ldexp(1.0, code.mantissaBits() + 1);
  double smallest = std::ldexp(1.0, 1 - int(code.bias()));
  Value isSmall = code.compare(arith::CmpFPredicate::OLT, x, code.real(smallest));
  Value normal = code.select(isSmall, code.mul(x, code.real(lift)), x);
  Value lowered = code.select(isSmall, code.integer(code.mantissaBits() + 1), code.integer(0));
  // Subtracting sqrt(1/2)'s bits makes the exponent field that of the nearest power below
  // x/sqrt(1/2).
  Value bits = code.bits(normal);
  int64_t anchor = 0x3FE6A09E667F3BCD;
  Value exponent = code.shiftRight(code.subInt(bits, code.integer(anchor)), code.mantissaBits());
  Value scaled =
      arith::ShLIOp::create(code.b, code.loc, exponent, code.integer(code.mantissaBits()));
  Value mantissa = code.fromBits(code.subInt(bits, scaled));
  Value one = code.real(1);
  Value f = code.sub(mantissa, one);
  Value s = code.div(f, code.add(mantissa, one));
  Value z = code.mul(s, s);
  SmallVector<double> coefficients;
  for (int power = 23; power >= 3; power -= 2)
    coefficients.push_back(2.0 / power);
  // ln m = 2s + s z P(z); 2s = f - s f, which loses less than doubling the rounded s.
  Value tail = code.mul(z, code.polynomial(z, coefficients));
  Value ln = code.sub(f, code.mul(s, code.sub(f, tail)));
  return {code.toReal(code.subInt(exponent, lowered)), ln};
}

/// The values at 0, negative numbers, infinity and NaN.
static Value logSpecials(FloatCode &code, Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  Value zero = code.real(0);
  result =
      code.select(code.compare(arith::CmpFPredicate::OEQ, x, zero), code.real(-infinity), result);
  result = code.select(code.compare(arith::CmpFPredicate::OLT, x, zero),
                       code.real(std::numeric_limits<double>::quiet_NaN()), result);
  Value isPlain = code.compare(arith::CmpFPredicate::OLT, x, code.real(infinity));
  return code.select(isPlain, result, x);
}

Value tilec::tile::expandLogF64(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Split split = splitLog(code, x);
  double high = 0x1.62e42feep-1;
  double low = 0x1.a39ef35793c76p-33;
  Value result = code.add(split.lnMantissa, code.mul(split.exponent, code.real(low)));
  result = code.fma(split.exponent, code.real(high), result);
  return logSpecials(code, x, result);
}

Value tilec::tile::expandLog2F64(OpBuilder &builder, Location loc, Value x) {
  FloatCode code(builder, loc, x.getType());
  Split split = splitLog(code, x);
  Value result = code.fma(split.lnMantissa, code.real(0x1.71547652b82fep+0), split.exponent);
  return logSpecials(code, x, result);
}
