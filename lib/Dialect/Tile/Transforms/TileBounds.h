//===- TileBounds.h - between which numbers a tile's elements are -*- C++ -*-===//
//
// The smallest and the largest element of a tile of integers as scalars that are computed at run
// time, from the arithmetic that makes the tile. So a kernel can find out, by some instructions of
// a thread, that a mask is true everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_TILEBOUNDS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_TILEBOUNDS_H

#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// Whether createIsAllTrue() knows `mask`: signed comparisons, and what `and` makes of them, of
/// tiles that are sums and multiples of ranges and scalars of at most 32 bits.
bool hasKnownBounds(mlir::Value mask);

/// Creates an i1 that is true only if all elements of `mask` are, which hasKnownBounds(). It may be
/// false where all are true.
mlir::Value createIsAllTrue(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value mask);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_TILEBOUNDS_H
