//===- TrigExpansions.h - sine, cosine, tangent ----------------*- C++ -*-===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H
#define TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

enum class Trig { Sin, Cos, Tan };

/// The function of x, an f32 or f64 or a vector of them, at most 2 ulp off (3 for the tangent) over the
/// whole range; NaN for infinities. The builder must be inside a module, which gets a table.
Value expandTrig(OpBuilder &builder, Location loc, Trig function, Value x);

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_TRIGEXPANSIONS_H
