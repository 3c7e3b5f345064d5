//===- FloatCode.h - building blocks of math functions ----------*- C++ -*-===//
//
// Emitters that the expansions of math functions share: arithmetic on a float type, scalar or
// vector, by short names, with the integers of its bits beside it, so that an expansion reads like
// the formula that it is.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilec::tile {

/// A float constant of `type`, a scalar or a vector of equal elements.
mlir::Value splatConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                          double value);

/// Calls a scalar intrinsic on each element. Its results are of the type `result`; none: f32.
mlir::Value callOnElements(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef intrinsic,
                           llvm::ArrayRef<mlir::Value> operands, mlir::Type result = {});

/// Calls `call` with each element of the operands, which gives a `result`, and joins what it gives.
mlir::Value mapElements(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> operands, mlir::Type result,
                        llvm::function_ref<mlir::Value(mlir::ValueRange)> call);

/// Products and sums may become one operation, as those of kernels may; where a function needs
/// their rounding it says so with fma.
inline constexpr mlir::arith::FastMathFlags kMayFuse = mlir::arith::FastMathFlags::contract;

/// Arithmetic on one float type, scalar or vector, and on the integers of its width.
class FloatCode {
public:
  FloatCode(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : b(builder), loc(loc), type(type), element(getElementTypeOrSelf(type)),
        isDouble(element.isF64()) {
    mlir::Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    intType = shaped ? shaped.clone(integer) : integer;
  }

  mlir::Value real(double value) { return splatConstant(b, loc, type, value); }
  mlir::Value integer(int64_t value) {
    return constant(b.getIntegerAttr(getElementTypeOrSelf(intType), value), intType);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, loc, x, y, kMayFuse);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, loc, x, y, kMayFuse);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, loc, x, y, kMayFuse);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  mlir::Value addInt(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value subInt(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubIOp::create(b, loc, x, y);
  }
  mlir::Value shiftRight(mlir::Value x, int64_t bits) {
    return mlir::arith::ShRSIOp::create(b, loc, x, integer(bits));
  }
  mlir::Value bits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, loc, intType, x); }
  mlir::Value fromBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, loc, type, x); }
  mlir::Value toInt(mlir::Value x) { return mlir::arith::FPToSIOp::create(b, loc, intType, x); }
  mlir::Value toReal(mlir::Value x) { return mlir::arith::SIToFPOp::create(b, loc, type, x); }
  mlir::Value roundEven(mlir::Value x) { return mlir::math::RoundEvenOp::create(b, loc, x); }

  /// 2^n for integers n in the range of normal exponents.
  mlir::Value powerOfTwo(mlir::Value n) {
    mlir::Value biased = addInt(n, integer(bias()));
    return fromBits(mlir::arith::ShLIOp::create(b, loc, biased, integer(mantissaBits())));
  }
  /// The polynomial with the given coefficients, highest power first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value sum = real(coefficients[0]);
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

  int64_t bias() const { return isDouble ? 1023 : 127; }
  int64_t mantissaBits() const { return isDouble ? 52 : 23; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type, element, intType;
  bool isDouble;

private:
  mlir::Value constant(mlir::TypedAttr scalar, mlir::Type ofType) {
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(ofType))
      return mlir::arith::ConstantOp::create(
          b, loc, mlir::DenseElementsAttr::get(shaped, mlir::Attribute(scalar)));
    return mlir::arith::ConstantOp::create(b, loc, scalar);
  }
};

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_FLOATCODE_H
