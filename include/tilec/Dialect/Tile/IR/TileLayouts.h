//===- TileLayouts.h - layouts of operations -------------------*- C++ -*-===//
//
// Questions about how operations and layouts go together that the interfaces answer, and layouts
// for tiles of which little is known.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILELAYOUTS_H
#define TILEC_DIALECT_TILE_IR_TILELAYOUTS_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// True when all tile operands and results of `op` have one shape and each result element depends
/// on the operand elements at its own position only.
bool isElementwise(mlir::Operation *op);

/// True for operations without side effects that every thread can repeat for whatever elements it
/// needs: ranges, splats, constants, shape changes and elementwise work.
bool isRepeatable(mlir::Operation *op);

/// Spreads the tile over the threads, the first dimension of `order` first; a thread has
/// `elementsPerThread` neighbours along `axis`.
LayoutAttr blockedLayout(mlir::RankedTensorType type, LaunchShape launch,
                         llvm::ArrayRef<unsigned> order, unsigned axis, int64_t elementsPerThread);

/// The axes from the last to the first, which is from the fastest to the slowest, but `axis` first.
llvm::SmallVector<unsigned> orderFrom(mlir::RankedTensorType type, unsigned axis);

/// How many elements of the tile each thread has if they share it, at least 1.
int64_t elementsOfThread(mlir::RankedTensorType type, LaunchShape launch);

/// A layout for a tile of which nothing is known: neighbouring elements in neighbouring threads.
LayoutAttr defaultLayout(mlir::RankedTensorType type, LaunchShape launch);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_TILELAYOUTS_H
