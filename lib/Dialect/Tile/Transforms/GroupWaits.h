//===- GroupWaits.h - waits for products of warp groups --------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_GROUPWAITS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_GROUPWAITS_H

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilec::tile {

/// Inserts waits for all `products` of a kernel, which are in the order of the text. In the loops
/// `synchronous` none stays in flight.
void insertGroupWaits(mlir::ArrayRef<GroupDotOp> products,
                      const llvm::SmallPtrSetImpl<mlir::Operation *> &synchronous);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_GROUPWAITS_H
