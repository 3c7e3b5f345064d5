//===- TrigExpansions.cpp - sine, cosine, tangent --------------*- C++ -*-===//
//
// x = q pi/2 + r with |r| <= pi/4, then polynomials in r, chosen and signed by q modulo 4.
//
// Up to a bound, r = x - q pi/2 with pi/2 in three parts: each multiply-add is all but exact, as it
// cancels leading digits only. Beyond it, Payne and Hanek's method: of the bits of 2/pi only those
// matter whose product with x is below 4 and above the precision, so a window of them is multiplied
// with the digits of x in integers. That is code of its own, which a thread enters only if one of
// its elements needs it.
//
//===----------------------------------------------------------------------===//

#include "TrigExpansions.h"

#include "FloatCode.h"
#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tilec::tile;

/// The bits of 2/pi behind the point, after a word of zeros.
static constexpr uint32_t kTwoOverPi[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c,
    0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

static constexpr StringLiteral kTableName = "__tilec_two_over_pi";

namespace {

/// Arithmetic on values of one type, scalars or vectors: f32 or f64, and integers of any width.
class Code {
public:
  Code(OpBuilder &builder, Location loc, Type type)
      : b(builder), loc(loc), type(type), element(getElementTypeOrSelf(type)),
        isDouble(element.isF64()) {}

  Type like(Type other) const {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(other)) : other;
  }
  Value real(double value) { return constant(b.getFloatAttr(element, value), type); }
  Value integer(unsigned bits, uint64_t value) {
    Type width = b.getIntegerType(bits);
    return constant(b.getIntegerAttr(width, APInt(64, value).trunc(bits)), like(width));
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value addi(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subi(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value muli(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, loc, x, y); }
  Value shr(Value x, Value y) { return arith::ShRUIOp::create(b, loc, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, loc, c, x, y); }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = real(coefficients[0]);
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

  OpBuilder &b;
  Location loc;
  Type type, element;
  bool isDouble;

private:
  Value constant(TypedAttr scalar, Type ofType) {
    if (auto shaped = dyn_cast<ShapedType>(ofType))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(shaped, Attribute(scalar)));
    return arith::ConstantOp::create(b, loc, scalar);
  }
};

/// x = q pi/2 + r; q is an i32, of which the low two bits count.
struct Reduced {
  Value q, r;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Arguments up to this reduce by multiply-adds.
static double fastLimit(const Code &code) { return code.isDouble ? 0x1p30 : 0x1p16; }

static Reduced reduceFast(Code &code, Value x) {
  Value n =
      math::RoundEvenOp::create(code.b, code.loc, code.mul(x, code.real(0x1.45f306dc9c883p-1)));
  static constexpr double parts32[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  static constexpr double parts64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                       -0x1.f1976b7ed8fbcp-110};
  Value r = x;
  for (double part : code.isDouble ? ArrayRef(parts64) : ArrayRef(parts32))
    r = code.fma(n, code.real(-part), r);
  Type i32 = code.like(code.b.getI32Type());
  return {arith::FPToSIOp::create(code.b, code.loc, i32, n), r};
}

/// The address of the table, which is made when a module first needs it.
static Value tableAddress(OpBuilder &b, Location loc) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto table = module.lookupSymbol<LLVM::GlobalOp>(kTableName);
  if (!table) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    SmallVector<int32_t> words(std::begin(kTwoOverPi), std::end(kTwoOverPi));
    auto type = LLVM::LLVMArrayType::get(top.getI32Type(), words.size());
    table = LLVM::GlobalOp::create(top, module.getLoc(), type, /*isConstant=*/true,
                                   LLVM::Linkage::Internal, kTableName, top.getI32TensorAttr(words),
                                   /*alignment=*/4, kGlobalSpace);
  }
  return LLVM::AddressOfOp::create(b, loc, table);
}

/// `count` words of 2/pi as i64, from the bit whose product with the last digit of x, of weight
/// 2^exponent, is 2.
static SmallVector<Value> window(Code &code, Value exponent, unsigned count) {
  OpBuilder &b = code.b;
  Value start = code.addi(exponent, code.integer(32, 30));
  Value index = code.shr(start, code.integer(32, 5));
  Value offset =
      arith::ExtUIOp::create(b, code.loc, b.getI64Type(), code.andi(start, code.integer(32, 31)));
  Value table = tableAddress(b, code.loc);
  SmallVector<Value> raw, words;
  for (unsigned i = 0; i <= count; ++i) {
    Value at = code.addi(index, code.integer(32, i));
    Value address = LLVM::GEPOp::create(b, code.loc, table.getType(), b.getI32Type(), table,
                                        ArrayRef<LLVM::GEPArg>{at});
    Value word = LLVM::LoadOp::create(b, code.loc, b.getI32Type(), address);
    raw.push_back(arith::ExtUIOp::create(b, code.loc, b.getI64Type(), word));
  }
  Value half = code.integer(64, 32);
  for (unsigned i = 0; i < count; ++i) {
    Value both = code.ori(code.shl(raw[i], half), raw[i + 1]);
    words.push_back(code.shr(code.shl(both, offset), half));
  }
  return words;
}

/// Rounds the top two bits of a fixed-point number (in units of 2^-62) off: the quarter turns, and
/// what is left of the number, signed.
static std::pair<Value, Value> splitTurns(Code &code, Value top) {
  Value rounded = code.addi(top, code.integer(64, uint64_t(1) << 61));
  Value turns = code.shr(rounded, code.integer(64, 62));
  Value rest = code.subi(top, code.shl(turns, code.integer(64, 62)));
  return {arith::TruncIOp::create(code.b, code.loc, code.b.getI32Type(), turns), rest};
}

/// A scalar f32, not small.
static Reduced reduceSlow32(Code &code, Value x) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  Value field = code.andi(code.shr(bits, code.integer(32, 23)), code.integer(32, 255));
  Value digits = code.ori(code.andi(bits, code.integer(32, 0x7fffff)), code.integer(32, 0x800000));
  Value m = arith::ExtUIOp::create(b, loc, b.getI64Type(), digits);
  SmallVector<Value> words = window(code, code.subi(field, code.integer(32, 127 + 23)), 3);
  Value low = code.shr(code.muli(words[2], m), code.integer(64, 32));
  Value middle = code.addi(code.muli(words[1], m), low);
  Value top = code.addi(code.shl(code.muli(words[0], m), code.integer(64, 32)), middle);
  auto [turns, rest] = splitTurns(code, top);
  Value wide = arith::SIToFPOp::create(b, loc, b.getF64Type(), rest);
  Value unit = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0x1.921fb54442d18p-62));
  Value r = arith::MulFOp::create(b, loc, wide, unit);
  return {turns, arith::TruncFOp::create(b, loc, b.getF32Type(), r)};
}

/// A scalar f64, not small: the same with words of 64 bits.
static Reduced reduceSlow64(Code &code, Value x) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type i64 = b.getI64Type();
  Value bits = arith::BitcastOp::create(b, loc, i64, x);
  Value field = code.andi(code.shr(bits, code.integer(64, 52)), code.integer(64, 2047));
  field = arith::TruncIOp::create(b, loc, b.getI32Type(), field);
  uint64_t hidden = uint64_t(1) << 52;
  Value m = code.ori(code.andi(bits, code.integer(64, hidden - 1)), code.integer(64, hidden));
  SmallVector<Value> halves = window(code, code.subi(field, code.integer(32, 1023 + 52)), 6);
  SmallVector<Value> words;
  for (unsigned i = 0; i < 6; i += 2)
    words.push_back(code.ori(code.shl(halves[i], code.integer(64, 32)), halves[i + 1]));
  auto last = arith::MulUIExtendedOp::create(b, loc, words[2], m);
  auto middle = arith::MulUIExtendedOp::create(b, loc, words[1], m);
  Value low = code.addi(middle.getLow(), last.getHigh());
  Value carries = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, low, last.getHigh());
  Value carry = arith::ExtUIOp::create(b, loc, i64, carries);
  Value top = code.addi(code.addi(code.muli(words[0], m), middle.getHigh()), carry);
  auto [turns, rest] = splitTurns(code, top);
  Value high = code.mul(arith::SIToFPOp::create(b, loc, x.getType(), rest), code.real(0x1p-62));
  Value v = code.fma(arith::UIToFPOp::create(b, loc, x.getType(), low), code.real(0x1p-126), high);
  Value small = code.mul(v, code.real(0x1.1a62633145c07p-54));
  return {turns, code.fma(v, code.real(0x1.921fb54442d18p+0), small)};
}

static Reduced reduceSlow(OpBuilder &b, Location loc, Value x) {
  Code code(b, loc, x.getType());
  Reduced size = code.isDouble ? reduceSlow64(code, x) : reduceSlow32(code, x);
  Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, code.real(0));
  Value r = code.select(negative, code.sub(code.real(0), size.r), size.r);
  Value isInfinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, loc, x),
                            code.real(std::numeric_limits<double>::infinity()));
  return {code.select(negative, code.subi(code.integer(32, 0), size.q), size.q),
          code.select(isInfinite, code.real(std::numeric_limits<double>::quiet_NaN()), r)};
}

static SmallVector<Value> elementsOf(OpBuilder &b, Location loc, Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return {value};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vector.getDimSize(0); ++i)
    elements.push_back(vector::ExtractOp::create(b, loc, value, i));
  return elements;
}

static Value fromElements(OpBuilder &b, Location loc, Type type, ArrayRef<Value> elements) {
  return isa<VectorType>(type) ? vector::FromElementsOp::create(b, loc, type, elements).getResult()
                               : elements.front();
}

static Reduced reduce(Code &code, Value x) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Reduced fast = reduceFast(code, x);
  Value size = math::AbsFOp::create(b, loc, x);
  Value large =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, size, code.real(fastLimit(code)));
  SmallVector<Value> flags = elementsOf(b, loc, large);
  Value any = flags.front();
  for (Value flag : ArrayRef(flags).drop_front())
    any = arith::OrIOp::create(b, loc, any, flag);
  auto branch = scf::IfOp::create(b, loc, TypeRange{fast.q.getType(), fast.r.getType()}, any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // The others' exponents would lead out of the table.
  Value safe = code.select(large, x, code.real(fastLimit(code)));
  SmallVector<Value> turns, rests;
  for (Value element : elementsOf(b, loc, safe)) {
    Reduced slow = reduceSlow(b, loc, element);
    turns.push_back(slow.q);
    rests.push_back(slow.r);
  }
  Value q = fromElements(b, loc, fast.q.getType(), turns);
  Value r = fromElements(b, loc, fast.r.getType(), rests);
  scf::YieldOp::create(b, loc,
                       ValueRange{code.select(large, q, fast.q), code.select(large, r, fast.r)});
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, ValueRange{fast.q, fast.r});
  return {branch.getResult(0), branch.getResult(1)};
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// For |r| <= pi/4, fitted with the Remez algorithm: relative errors below 4e-9 and 3e-21.
static Value sinOfEighth(Code &code, Value r, Value z) {
  static constexpr double narrow[] = {-0.000195149696, 0.00833215844, -0.166666552};
  static constexpr double wide[] = {-7.5784708202367386e-13, 1.605836178530301e-10,
                                    -2.5052104871208288e-08, 2.7557319214024785e-06,
                                    -0.00019841269841254725, 0.0083333333333333228,
                                    -0.16666666666666666};
  Value p = code.polynomial(z, code.isDouble ? ArrayRef(wide) : ArrayRef(narrow));
  return code.fma(code.mul(z, r), p, r);
}

static Value cosOfEighth(Code &code, Value z) {
  static constexpr double narrow[] = {2.44327875e-05, -0.0013887313, 0.0416666456};
  static constexpr double wide[] = {4.7377094829036873e-14, -1.1470283929972267e-11,
                                    2.0876754279046738e-09, -2.755731921496414e-07,
                                    2.4801587301570469e-05, -0.0013888888888888872,
                                    0.041666666666666664};
  Value p = code.polynomial(z, code.isDouble ? ArrayRef(wide) : ArrayRef(narrow));
  Value leading = code.fma(z, code.real(-0.5), code.real(1));
  return code.fma(code.mul(z, z), p, leading);
}

/// The hardware's reciprocal, and a step for what it lacks; f32. No divisor of a tangent is
/// denormal.
static Value refinedQuotient(Code &code, Value over, Value under) {
  Value inverse = callOnElements(code.b, code.loc, "llvm.nvvm.rcp.approx.ftz.f", {under});
  Value quotient = code.mul(over, inverse);
  Value rest = code.fma(arith::NegFOp::create(code.b, code.loc, quotient), under, over);
  return code.fma(rest, inverse, quotient);
}

namespace {
/// q, sin r and cos r for x = q pi/2 + r, which all functions of x follow from.
struct Parts {
  Value q, sine, cosine;
};
} // namespace

static Parts partsOf(Code &code, Value x) {
  Reduced reduced = reduce(code, x);
  Value z = code.mul(reduced.r, reduced.r);
  return {reduced.q, sinOfEighth(code, reduced.r, z), cosOfEighth(code, z)};
}

static Value isSet(Code &code, Value q, uint64_t bit) {
  Value bits = code.andi(q, code.integer(32, bit));
  return arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ne, bits,
                               code.integer(32, 0));
}

static Value negate(Code &code, Value v) { return arith::NegFOp::create(code.b, code.loc, v); }

/// A multiply-add makes +0 of -0: the sine or the tangent of x, given `result` for all others.
static Value keepZero(Code &code, Value x, Value result) {
  Value isZero =
      arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::OEQ, x, code.real(0));
  return code.select(isZero, x, result);
}

/// The sine `quarters` quarter turns later.
static Value sineAfter(Code &code, const Parts &parts, uint64_t quarters) {
  Value q = quarters ? code.addi(parts.q, code.integer(32, quarters)) : parts.q;
  Value size = code.select(isSet(code, q, 1), parts.cosine, parts.sine);
  return code.select(isSet(code, q, 2), negate(code, size), size);
}

SinCos tilec::tile::expandSinCos(OpBuilder &builder, Location loc, Value x) {
  Code code(builder, loc, x.getType());
  Parts parts = partsOf(code, x);
  return {keepZero(code, x, sineAfter(code, parts, 0)), sineAfter(code, parts, 1)};
}

Value tilec::tile::expandTan(OpBuilder &builder, Location loc, Value x) {
  Code code(builder, loc, x.getType());
  Parts parts = partsOf(code, x);
  Value odd = isSet(code, parts.q, 1);
  Value over = code.select(odd, negate(code, parts.cosine), parts.sine);
  Value under = code.select(odd, parts.sine, parts.cosine);
  Value result = code.isDouble ? Value(arith::DivFOp::create(builder, loc, over, under))
                               : refinedQuotient(code, over, under);
  return keepZero(code, x, result);
}
