//===- SpreadLine.h - a line as a tile -------------------------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_SPREADLINE_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_SPREADLINE_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// The tile of `type`'s shape whose elements along `axis` are those of `line`, and equal along all
/// other axes.
mlir::Value spreadLine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value line,
                       unsigned axis, mlir::RankedTensorType type);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_SPREADLINE_H
