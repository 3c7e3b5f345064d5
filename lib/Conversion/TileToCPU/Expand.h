//===- Expand.h - scalar arithmetic written out ----------------*- C++ -*-===//
//
// Private to the expansion pass. Each function below looks at one scalar operation and returns the
// value that replaces it, written before it, or null to leave it alone.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOLINALG_EXPAND_H
#define TILEC_LIB_CONVERSION_TILETOLINALG_EXPAND_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tilec::tile::cpu {

/// Short names for the operations that expansions are made of.
class Calculator {
public:
  Calculator(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value f32(double value);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return integer(builder.getI32Type(), value); }

  /// Float arithmetic that LLVM may fuse into multiply-adds, and nothing else.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mulAdd(mlir::Value a, mlir::Value b, mlir::Value c) { return add(mul(a, b), c); }
  /// The polynomial with coefficients from the constant term up.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  mlir::Value iadd(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  mlir::Value isub(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  mlir::Value bitAnd(mlir::Value a, mlir::Value b) {
    return mlir::arith::AndIOp::create(builder, loc, a, b);
  }
  mlir::Value bitOr(mlir::Value a, mlir::Value b) {
    return mlir::arith::OrIOp::create(builder, loc, a, b);
  }
  mlir::Value shl(mlir::Value a, int64_t by);
  mlir::Value shrU(mlir::Value a, int64_t by);
  mlir::Value shrS(mlir::Value a, int64_t by);
  mlir::Value cmp(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  template <typename OpT> mlir::Value cast(mlir::Type type, mlir::Value value) {
    return OpT::create(builder, loc, type, value);
  }
  mlir::Value bits(mlir::Type type, mlir::Value value) {
    return cast<mlir::arith::BitcastOp>(type, value);
  }

  mlir::Type i1Type() { return builder.getI1Type(); }
  mlir::Type i16Type() { return builder.getIntegerType(16); }
  mlir::Type i32Type() { return builder.getI32Type(); }
  mlir::Type i64Type() { return builder.getI64Type(); }
  mlir::Type f32Type() { return builder.getF32Type(); }
  mlir::Type f64Type() { return builder.getF64Type(); }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// f16 and bf16 arithmetic through f32.
mlir::Value expandHalfArithmetic(mlir::OpBuilder &builder, mlir::Operation *op);

/// exp, exp2, log, log2 and rsqrt of f32.
mlir::Value expandMath(mlir::OpBuilder &builder, mlir::Operation *op);

/// Integer divisions, shifts and conversions from float that could be undefined.
mlir::Value expandUndefined(mlir::OpBuilder &builder, mlir::Operation *op);

/// Conversions between floats, and from integers, that involve bf16; those of f16 that take two
/// roundings; and the rest of f16 when `expandF16`.
mlir::Value expandConversion(mlir::OpBuilder &builder, mlir::Operation *op, bool expandF16);

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_EXPAND_H
