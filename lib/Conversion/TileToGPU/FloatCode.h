//===- FloatCode.h - building blocks of math functions ----------*- C++ -*-===//
//
// Emitters that the expansions of math functions share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::tile {

/// A float constant of `type`, a scalar or a vector of equal elements.
Value splatConstant(OpBuilder &builder, Location loc, Type type, double value);

/// Calls a scalar intrinsic on each element. Its results are of the type `result`; none: f32.
Value callOnElements(OpBuilder &builder, Location loc, StringRef intrinsic,
                     ArrayRef<Value> operands, Type result = {});

/// Calls `call` with each element of the operands, which gives a `result`, and joins what it gives.
Value mapElements(OpBuilder &builder, Location loc, ArrayRef<Value> operands, Type result,
                  llvm::function_ref<Value(ValueRange)> call);

/// Products and sums may become one operation, as those of kernels may; where a function needs
/// their rounding it says so with fma.
inline constexpr arith::FastMathFlags kMayFuse = arith::FastMathFlags::contract;

/// Arithmetic on one float type, scalar or vector, and on the integers of its width.
class FloatCode {
public:
  FloatCode(OpBuilder &builder, Location loc, Type type)
      : b(builder), loc(loc), type(type), element(getElementTypeOrSelf(type)),
        isDouble(element.isF64()) {
    Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
    auto shaped = dyn_cast<ShapedType>(type);
    intType = shaped ? shaped.clone(integer) : integer;
  }

  Value real(double value) { return splatConstant(b, loc, type, value); }
  Value integer(int64_t value) {
    return constant(b.getIntegerAttr(getElementTypeOrSelf(intType), value), intType);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y, kMayFuse); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y, kMayFuse); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y, kMayFuse); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value addInt(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subInt(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value shiftRight(Value x, int64_t bits) {
    return arith::ShRSIOp::create(b, loc, x, integer(bits));
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value toInt(Value x) { return arith::FPToSIOp::create(b, loc, intType, x); }
  Value toReal(Value x) { return arith::SIToFPOp::create(b, loc, type, x); }
  Value roundEven(Value x) { return math::RoundEvenOp::create(b, loc, x); }

  /// 2^n for integers n in the range of normal exponents.
  Value powerOfTwo(Value n) {
    Value biased = addInt(n, integer(bias()));
    return fromBits(arith::ShLIOp::create(b, loc, biased, integer(mantissaBits())));
  }
  /// The polynomial with the given coefficients, highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = real(coefficients[0]);
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

  int64_t bias() const { return isDouble ? 1023 : 127; }
  int64_t mantissaBits() const { return isDouble ? 52 : 23; }

  OpBuilder &b;
  Location loc;
  Type type, element, intType;
  bool isDouble;

private:
  Value constant(TypedAttr scalar, Type ofType) {
    if (auto shaped = dyn_cast<ShapedType>(ofType))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(shaped, Attribute(scalar)));
    return arith::ConstantOp::create(b, loc, scalar);
  }
};

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H
