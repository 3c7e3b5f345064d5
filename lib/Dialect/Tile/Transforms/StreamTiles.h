//===- StreamTiles.h - which kernels can work piece by piece ---*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"

namespace mlir::tile {

/// What a kernel would keep in shared memory if it worked through its tiles piece by piece.
struct StreamPlan {
  /// Elements of the tiles, all of one shape.
  int64_t elements = 0;
  /// Elements that one thread copies together: the narrowest of the loads.
  int64_t width = 0;
  /// Bytes of the loaded tiles.
  int64_t bytes = 0;
};

/// Nothing if `kernel` has a tile that is not one of loads, elementwise work, reductions and stores
/// of one shape with one dimension, all in one block; or if a load is too narrow to be copied.
std::optional<StreamPlan> planStream(func::FuncOp kernel, const AxisInfoAnalysis &axes);

} // namespace mlir::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
