//===- TrigExpansions.h - sine, cosine, tangent ----------------*- C++ -*-===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H
#define TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H

#include "mlir/IR/Builders.h"

namespace tilec::tile {

struct SinCos {
  mlir::Value sin, cos;
};

/// Sine and cosine of x, an f32 or f64 or a vector of them, at most 2 ulp off over the whole range;
/// NaN for infinities. They share most of the work; of what nobody uses nothing is left after dead
/// code elimination. The builder must be inside a module, which gets a table.
SinCos expandSinCos(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// The same for the tangent, at most 3 ulp off.
mlir::Value expandTan(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H
