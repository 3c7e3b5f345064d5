//===- DotPlan.h - how a product of matrices is computed --------*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_IR_DOTPLAN_H
#define TILEC_DIALECT_TILE_IR_DOTPLAN_H

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Layout/Dot.h"

namespace tilec::tile {

/// The matrix instruction that multiplies the elements of `op` on `arch`; nothing where threads
/// multiply by themselves: the target has none for them, or the factors are too shallow. The only
/// place that makes this choice.
std::optional<tilec::layout::MmaShape> matrixInstruction(DotOp op, const tilec::GpuArch &arch);

/// The layouts in which `op` works in a kernel of this launch shape.
tilec::layout::DotLayouts dotLayouts(DotOp op, LaunchShape launch, const tilec::GpuArch &arch);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_DOTPLAN_H
