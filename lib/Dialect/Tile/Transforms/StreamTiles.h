//===- StreamTiles.h - which kernels can work piece by piece ---*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// What a kernel would keep in shared memory if it worked through its tiles piece by piece.
struct StreamPlan {
  /// Elements of the tiles, all of one shape.
  int64_t elements = 0;
  /// Elements of a piece for each thread: those that it copies together in the narrowest of the
  /// loads, or more where none has to wait.
  int64_t width = 0;
  /// Bytes of the loaded tiles that wait in shared memory; none if each is read once.
  int64_t bytes = 0;
  /// Registers that one element of all loaded tiles would take.
  int64_t registers = 0;
  uint64_t numLoads = 0;
};

/// Whether one reduction alone needs what `load` brings, and nothing between the two writes memory
/// or must be read in order: then a walk over pieces can load each where it needs it.
bool isReadByOneWalk(LoadOp load);

/// Nothing if `kernel` has a tile that is not one of loads, elementwise work, reductions and stores
/// of one shape with one dimension, all in one block; or if a load that must wait in shared memory
/// is too narrow to be copied.
std::optional<StreamPlan> planStream(mlir::func::FuncOp kernel, const AxisInfoAnalysis &axes);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
