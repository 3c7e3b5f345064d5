//===- Code.cpp - arithmetic on tiles ---------------------------*- C++ -*-===//
//
// What takes more than one operation, or another one for scalars than for tiles.
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

Type Code::floatType(const NumberType &type) {
  if (type.format == "f16")
    return b.getF16Type();
  if (type.format == "bf16")
    return b.getBF16Type();
  if (type.format == "f32")
    return b.getF32Type();
  return type.format == "f64" ? b.getF64Type() : Type();
}

static TypedAttr constantOf(Type type, TypedAttr element) {
  if (auto tileType = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tileType, Attribute(element));
  return element;
}

Value Code::number(unsigned bits, uint64_t value) {
  Type element = integerType(bits);
  auto attr = IntegerAttr::get(element, llvm::APInt(64, value).trunc(bits));
  return arith::ConstantOp::create(b, loc, constantOf(like(element), attr));
}

Value Code::real(Type element, double value) {
  return arith::ConstantOp::create(b, loc,
                                   constantOf(like(element), b.getFloatAttr(element, value)));
}

std::optional<uint64_t> Code::known(Value value) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getZExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// `by`, which has 32 bits, with the size of `x`.
Value Code::distance(Value x, Value by) {
  unsigned bits = bitsOf(x);
  if (bits < 32)
    by = make<arith::MinUIOp>(by, number(32, bits));
  return resize(by, bits);
}

Value Code::shiftRight(Value x, Value by, bool isSigned) {
  by = distance(x, by);
  return isSigned ? make<arith::ShRSIOp>(x, by) : make<arith::ShRUIOp>(x, by);
}

Value Code::resize(Value x, unsigned bits, bool isSigned) {
  if (bitsOf(x) == bits)
    return x;
  Type type = like(integerType(bits));
  if (bitsOf(x) > bits)
    return make<arith::TruncIOp>(type, x);
  return isSigned ? make<arith::ExtSIOp>(type, x) : make<arith::ExtUIOp>(type, x);
}

/// Of numbers without sign of 64 bits: by halves, since nothing is wider.
Value Code::mulHigh64(Value x, Value y) {
  auto low = [&](Value v) { return bitAnd(v, 0xffffffff); };
  auto high = [&](Value v) { return shiftRight(v, 32); };
  Value lowLow = mul(low(x), low(y));
  Value cross = add(mul(high(x), low(y)), high(lowLow));
  Value other = add(mul(low(x), high(y)), low(cross));
  return add(mul(high(x), high(y)), add(high(cross), high(other)));
}

Value Code::mulHigh(Value x, Value y, bool isSigned) {
  unsigned bits = bitsOf(x);
  if (bits < 64) {
    Value product = mul(resize(x, 2 * bits, isSigned), resize(y, 2 * bits, isSigned));
    return resize(shiftRight(product, bits), bits);
  }
  Value product = mulHigh64(x, y);
  if (!isSigned)
    return product;
  // A negative factor was taken for one that is larger by 2^64.
  product = sub(product, bitAnd(shiftRight(x, 63, /*isSigned=*/true), y));
  return sub(product, bitAnd(shiftRight(y, 63, /*isSigned=*/true), x));
}

Value Code::least(Value x, Value y, bool isSigned) {
  return isSigned ? make<arith::MinSIOp>(x, y) : make<arith::MinUIOp>(x, y);
}

Value Code::most(Value x, Value y, bool isSigned) {
  return isSigned ? make<arith::MaxSIOp>(x, y) : make<arith::MaxUIOp>(x, y);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value Code::fma(Value x, Value y, Value z) { return make<math::FmaOp>(x, y, z); }

Value Code::toBits(Value x) {
  Type element = tile::elementOf(x.getType());
  if (isa<IntegerType>(element))
    return x;
  return make<arith::BitcastOp>(like(integerType(element.getIntOrFloatBitWidth())), x);
}

Value Code::fromBits(Value x, Type element) { return make<arith::BitcastOp>(like(element), x); }

static uint64_t signBit(Value x) { return uint64_t(1) << (Code::bitsOf(x) - 1); }

/// By the bits, which halves need not become wider for.
Value Code::negate(Value x) {
  Value bits = toBits(x);
  return fromBits(bitXor(bits, numberLike(bits, signBit(x))), tile::elementOf(x.getType()));
}

Value Code::magnitude(Value x) {
  return fromBits(bitAnd(toBits(x), signBit(x) - 1), tile::elementOf(x.getType()));
}

Value Code::resizeF(Value x, Type element) {
  Type from = tile::elementOf(x.getType());
  if (from == element)
    return x;
  unsigned bits = element.getIntOrFloatBitWidth();
  // Between the two of 16 bits, by way of a type that has the numbers of both.
  if (bitsOf(x) == bits)
    return resizeF(resizeF(x, b.getF32Type()), element);
  return bitsOf(x) < bits ? make<arith::ExtFOp>(like(element), x)
                          : make<arith::TruncFOp>(like(element), x);
}

Value Code::flush(Value x) {
  auto element = cast<FloatType>(tile::elementOf(x.getType()));
  llvm::APFloat least = llvm::APFloat::getSmallestNormalized(element.getFloatSemantics());
  Value bits = toBits(x);
  Value isSmall = compare(arith::CmpIPredicate::ult, bitAnd(bits, signBit(x) - 1),
                          least.bitcastToAPInt().getZExtValue());
  return fromBits(select(isSmall, bitAnd(bits, signBit(x)), bits), element);
}
