//===- LiveRegisters.h - how many registers tiles fill ---------*- C++ -*-===//
//
// An estimate, before code is generated, of the registers that the tiles live at an operation fill.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LIVEREGISTERS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LIVEREGISTERS_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Counts the 32-bit registers of a thread that hold tiles. What LLVM and ptxas compute again where
/// it is needed takes none: constants, ranges, copies along an axis, pointers and truth values.
/// What is counted is remembered: between calls no operation may move. Layouts must be final.
class LiveRegisters {
public:
  /// The registers of tiles that are live just before `op`: those of its block that it or a later
  /// operation uses, and those around it that are needed in a loop or branch or behind it.
  int64_t before(mlir::Operation *op);

  /// The most that is live before `end` or an operation of its block, or in the regions of one,
  /// from behind `begin` on. `begin` stands before `end` in its block.
  int64_t mostBetween(mlir::Operation *begin, mlir::Operation *end);

  /// The most that is live before an operation of `block`, or in the regions of one.
  int64_t mostIn(mlir::Block &block);

private:
  /// Of the tiles that a block defines: by the operations' order, those live before each of them,
  /// and those that are live in its regions.
  struct Counts {
    llvm::DenseMap<mlir::Operation *, unsigned> positions;
    llvm::SmallVector<int64_t> before, inside;
  };
  const Counts &countsOf(mlir::Block *block);

  llvm::DenseMap<mlir::Block *, Counts> blocks;
};

/// Whether each user of a tile makes it again, so that it stays in no register: constants, ranges,
/// copies of scalars and along an axis.
bool isMadeAgain(mlir::Value value);

/// The registers of a thread that `value` fills.
int64_t registersOfTile(mlir::Value value);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LIVEREGISTERS_H
