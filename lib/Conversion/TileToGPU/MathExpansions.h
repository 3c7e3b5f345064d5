//===- MathExpansions.h - functions by polynomials -------------*- C++ -*-===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H
#define TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// e^x for f64 (or a vector of it), at most 1 ulp off.
Value expandExpF64(OpBuilder &builder, Location loc, Value x);
/// 2^x for f64, at most 1 ulp off; exact for integers.
Value expandExp2F64(OpBuilder &builder, Location loc, Value x);
/// ln x for f64, at most 2 ulp off.
Value expandLogF64(OpBuilder &builder, Location loc, Value x);
/// log2 x for f64, at most 2 ulp off; exact for powers of two.
Value expandLog2F64(OpBuilder &builder, Location loc, Value x);

/// ln x for f32 (or a vector of it), at most 1 ulp off.
Value expandLogF32(OpBuilder &builder, Location loc, Value x);
/// log2 x for f32, at most 1 ulp off; exact for powers of two.
Value expandLog2F32(OpBuilder &builder, Location loc, Value x);
/// tanh x for f32, at most 3 ulp off.
Value expandTanhF32(OpBuilder &builder, Location loc, Value x);
/// erf x for f32, at most 3 ulp off.
Value expandErfF32(OpBuilder &builder, Location loc, Value x);

/// x - n y for the quotient n rounded toward zero, of f32 or f64: exact, with the sign of x. NaN if
/// x is infinite or y is 0.
Value expandRemainder(OpBuilder &builder, Location loc, Value x, Value y);

/// Replaces conversions of floats to integers in `root` by instructions that saturate and give 0 for
/// NaN, for constants too, and those of large integers to f16 by instructions that give infinity.
void expandConversions(Operation *root);

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_MATHEXPANSIONS_H
