//===- CheckKernel.h - what layouts can be given to ------------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHECKKERNEL_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHECKKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec::tile {

/// Checks that layouts can be assigned in `kernel`: that it says how many warps it has, that every
/// tensor in it is a tile, and that every operation on tiles is one that the layout passes know.
/// Reports each violation at its operation.
mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHECKKERNEL_H
