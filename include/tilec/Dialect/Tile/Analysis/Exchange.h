//===- Exchange.h - which operations exchange data between warps -*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_EXCHANGE_H
#define TILEC_DIALECT_TILE_ANALYSIS_EXCHANGE_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Whether `op`, whose tiles have layouts, exchanges data between warps or CTAs through shared
/// memory, so that threads wait for each other. False for operations on buffers, which are the
/// parts of an exchange.
bool exchangesData(mlir::Operation *op);

/// Whether the threads that hold copies of an atomic operation's result are in several warps or
/// CTAs, and somebody looks at the result.
bool spreadsBetweenWarps(mlir::Operation *atomic);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_EXCHANGE_H
