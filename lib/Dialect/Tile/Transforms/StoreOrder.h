//===- StoreOrder.h - stores that must stay in program order ---*- C++ -*-===//
//
// Which stores of a kernel may write what another one has written, such that the order of the two
// decides what memory holds in the end.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_STOREORDER_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_STOREORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::tile {

/// The small stores of a function, of scalars and of tiles with fewer elements than a program has
/// threads, that may overlap with another small store or, in a loop, with themselves, such that
/// different threads would write. One warp has to make them, in order. Pointers that follow from
/// different arguments of the kernel are taken not to overlap.
///
/// Large tiles are no part of this, since all warps store them; nor are the tiles of a cluster,
/// which its CTAs share.
class StoreOrder {
public:
  StoreOrder(mlir::func::FuncOp function, const AxisInfoAnalysis &axes, LaunchShape launch);

  /// Whether one warp has to make `op`, after a wait for the earlier stores of its lanes.
  bool isOrdered(StoreOp op) const { return ordered.contains(op); }

  /// Whether such a store makes a tile of the shape of `op`. Loaded by each warp, tiles that come
  /// together in the end need not be handed to the one that stores.
  bool isShapeOfOrdered(LoadOp op) const;

private:
  llvm::DenseSet<mlir::Operation *> ordered;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_STOREORDER_H
