//===- MathExpansions.h - functions by polynomials -------------*- C++ -*-===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H
#define TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H

#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// e^x for f64 (or a vector of it), at most 1 ulp off.
mlir::Value expandExpF64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// 2^x for f64, at most 1 ulp off; exact for integers.
mlir::Value expandExp2F64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// ln x for f64, at most 2 ulp off.
mlir::Value expandLogF64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// log2 x for f64, at most 2 ulp off; exact for powers of two.
mlir::Value expandLog2F64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// e^x for f32 (or a vector of it), at most 3 ulp off.
mlir::Value expandExpF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// ln x for f32, at most 1 ulp off.
mlir::Value expandLogF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// log2 x for f32, at most 1 ulp off; exact for powers of two.
mlir::Value expandLog2F32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// tanh x for f32, at most 3 ulp off.
mlir::Value expandTanhF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
/// erf x for f32, at most 3 ulp off.
mlir::Value expandErfF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// x - n y for the quotient n rounded toward zero, of f32 or f64: exact, with the sign of x. NaN if
/// x is infinite or y is 0.
mlir::Value expandRemainder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                            mlir::Value y);

/// Replaces conversions of floats to integers in `root` by instructions that saturate and give 0
/// for NaN, for constants too, and those of large integers to f16 by instructions that give
/// infinity.
void expandConversions(mlir::Operation *root);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H
