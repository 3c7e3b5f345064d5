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

namespace mlir::tile::linalgroad {

/// Short names for the operations that expansions are made of.
class Calculator {
public:
  Calculator(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value f32(double value);
  Value integer(Type type, int64_t value);
  Value i32(int64_t value) { return integer(builder.getI32Type(), value); }

  /// Float arithmetic that LLVM may fuse into multiply-adds, and nothing else.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mulAdd(Value a, Value b, Value c) { return add(mul(a, b), c); }
  /// The polynomial with coefficients from the constant term up.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  Value iadd(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value isub(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value bitOr(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }
  Value shl(Value a, int64_t by);
  Value shrU(Value a, int64_t by);
  Value shrS(Value a, int64_t by);
  Value cmp(arith::CmpFPredicate predicate, Value a, Value b);
  Value cmp(arith::CmpIPredicate predicate, Value a, Value b);
  Value select(Value condition, Value a, Value b);
  template <typename OpT> Value cast(Type type, Value value) {
    return OpT::create(builder, loc, type, value);
  }
  Value bits(Type type, Value value) { return cast<arith::BitcastOp>(type, value); }

  Type i1Type() { return builder.getI1Type(); }
  Type i16Type() { return builder.getIntegerType(16); }
  Type i32Type() { return builder.getI32Type(); }
  Type i64Type() { return builder.getI64Type(); }
  Type f32Type() { return builder.getF32Type(); }
  Type f64Type() { return builder.getF64Type(); }

  OpBuilder &builder;
  Location loc;
};

/// f16 and bf16 arithmetic through f32.
Value expandHalfArithmetic(OpBuilder &builder, Operation *op);

/// exp, exp2, log, log2 and rsqrt of f32.
Value expandMath(OpBuilder &builder, Operation *op);

/// Integer divisions, shifts and conversions from float that could be undefined.
Value expandUndefined(OpBuilder &builder, Operation *op);

/// Conversions between floats, and from integers, that involve bf16; those of f16 that take two
/// roundings; and the rest of f16 when `expandF16`.
Value expandConversion(OpBuilder &builder, Operation *op, bool expandF16);

} // namespace mlir::tile::linalgroad

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_EXPAND_H
