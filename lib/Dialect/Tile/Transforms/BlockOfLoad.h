//===- BlockOfLoad.h - what block a tile of pointers is ---------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_BLOCKOFLOAD_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_BLOCKOFLOAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Gives a load of a tile of pointers that are a block of a tensor a description of it, where
/// arguments alone say what the tensor is; false, and nothing changes, where there is none. The
/// tensor is named before `outermost`, the outermost of the loops around the load. The load may be
/// replaced by one in another order of its axes.
bool describeBlock(LoadOp load, mlir::scf::ForOp outermost, const AxisInfoAnalysis &axes);

/// The same for a store, which may be in no loop: pointers and mask are exactly those of the
/// block's elements that are in the tensor, and neighbours are along the last axis. Without a loop
/// the tensor is named before the store.
bool describeBlock(StoreOp store, mlir::scf::ForOp outermost, const AxisInfoAnalysis &axes);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_BLOCKOFLOAD_H
