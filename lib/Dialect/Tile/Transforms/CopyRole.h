//===- CopyRole.h - the code of warps that only copy -----------*- C++ -*-===//
//
// A part of tile-specialize-warps: loops with their copies taken apart, and what the warps that
// copy do.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_COPYROLE_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_COPYROLE_H

#include "WarpRoles.h"

namespace tilec::tile {

/// Copies whose slots are filled, read and freed together.
struct CopyGroup {
  /// By threads or, of blocks, by hardware.
  llvm::SmallVector<SlotCopyOpInterface> copies;
  /// Operations of the loop's body: the first that reads, and the one behind which all have read;
  /// if `isReadNext` that of the next iteration.
  mlir::Operation *firstRead = nullptr, *lastRead = nullptr;
  bool isReadNext = false;
  /// The barriers, an object a slot: copies have landed; products have read.
  mlir::Value full, empty;
};

/// A tile that is copied once, for all iterations of a loop.
struct FactorCopy {
  BulkCopyOp copy;
  /// The barriers: it has landed; in a loop over tiles, products have read it.
  mlir::Value full = {}, empty = {};

  /// Whether that is in a loop over tiles.
  bool isOfTile() { return mlir::isa<mlir::scf::ForOp>(copy->getParentOp()); }
};

/// A loop with its copies, in the role of those who multiply.
struct CopiedLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<CopyGroup> groups;
  mlir::Value slot; // That of an iteration, which the loop carries.
  int64_t numSlots = 0;
  /// Whether it goes on with the slots, barriers and phases of the loop before it, as if both were
  /// one loop; and whether the loop behind it does so with its own.
  bool continues = false, isContinued = false;
  /// The loop over tiles around it, which carries slot and phase from one tile to the next; null if
  /// there is none.
  mlir::scf::ForOp around;
  /// The branch in which the loop is if it has iterations, where slot and phase are needed behind
  /// that.
  mlir::scf::IfOp guard;
  /// Where those who multiply say that the loop is over; null if nobody asks.
  mlir::Value done;

  /// What is over when the slots are not used any more.
  mlir::scf::ForOp outermost() const { return around ? around : loop; }

  /// Whether the slot of the last iteration is freed behind the loop, not by another loop.
  bool freesLast() const {
    return around && llvm::any_of(groups, [](const CopyGroup &group) { return group.isReadNext; });
  }

  bool copiesBlocks() const {
    return llvm::any_of(groups, [](const CopyGroup &group) {
      return llvm::any_of(group.copies, llvm::IsaPred<BulkCopyOp>);
    });
  }
};

/// The loops of `kernel` that tile-pipeline-loads has left for this, in the order of the text, not
/// marked any more.
llvm::SmallVector<CopiedLoop> takeCopiedLoops(mlir::func::FuncOp kernel);

/// The copies of `kernel` before such loops, in the order of the text.
llvm::SmallVector<FactorCopy> takeFactorCopies(mlir::func::FuncOp kernel);

/// The phase of the slot of the next iteration: it changes when slots start again.
mlir::Value nextPhase(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                      mlir::Value phase, int64_t numSlots);

/// The slot of the iteration before.
mlir::Value slotBefore(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                       int64_t numSlots);

/// The phase that follows `phase`.
mlir::Value otherPhase(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value phase);

/// Fills `role` with the copies of all `loops`, and `factors` before these, which are in `source`:
/// the same loops under the same conditions, with copies that are spread over kCopyWarps warps.
void fillCopyRole(llvm::ArrayRef<CopiedLoop> loops, llvm::ArrayRef<FactorCopy> factors,
                  mlir::Block &role, mlir::Block &source);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_COPYROLE_H
