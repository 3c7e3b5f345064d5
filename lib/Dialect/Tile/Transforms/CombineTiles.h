//===- CombineTiles.h - regions that combine scalars, on tiles --*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_COMBINETILES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_COMBINETILES_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Whether the operations of a region that combines scalars, as reductions and scans have it, also
/// exist on tiles.
bool combinesTiles(mlir::Region &combine);

/// Applies such a region to tiles, element by element: `before` are its first arguments, `values`
/// the others. All tiles have one shape and layout. Scalars that the region takes from its
/// surroundings are the same for all elements.
llvm::SmallVector<mlir::Value> combineTiles(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Region &combine, mlir::ValueRange before,
                                            mlir::ValueRange values);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_COMBINETILES_H
