//===- StreamTiles.h - which kernels can be streamed ------------*- C++ -*-===//
//
// The analysis of tile-stream-tiles: whether a kernel can work on its tiles piece by piece, and
// what that takes. tile-choose-launch asks as well, since the launch shape depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// What streaming a kernel's tiles takes.
struct StreamPlan {
  /// Elements of the tiles, all of one shape.
  int64_t elements = 0;
  /// Elements of a piece in each thread: those of one access of the narrowest load, or several
  /// times as many if no tile is kept in shared memory.
  int64_t width = 0;
  /// Bytes of the loaded tiles that are kept in shared memory; 0 if each is read only once.
  int64_t bytes = 0;
  /// Registers that one element of each loaded tile would take, together.
  int64_t registers = 0;
  uint64_t numLoads = 0;
};

/// Whether only one reduction needs what `load` loads, and nothing between the two writes memory or
/// is a volatile load: then the loop of that reduction can load each piece where it needs it.
bool isReadByOneWalk(LoadOp load);

/// How `kernel` can be streamed. Nothing if its tiles differ in shape or have several dimensions,
/// if they come from anything but loads, elementwise work, reductions and stores, if these are not
/// in one block, or if a tile that must be kept in shared memory is loaded by accesses too narrow
/// for an asynchronous copy.
std::optional<StreamPlan> planStream(mlir::func::FuncOp kernel, const AxisInfoAnalysis &axes);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_STREAMTILES_H
