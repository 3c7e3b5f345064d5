//===- FlattenedLoop.h - a loop around one that loads ahead ----*- C++ -*-===//
//
// A part of tile-pipeline-loads: in a loop that is flattened, the first loads of the loop in it
// start when that of the iteration before is over, and are on their way while the rest of that
// iteration runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_FLATTENEDLOOP_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_FLATTENEDLOOP_H

#include "LoopSlices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tilec::tile {

class FlattenedLoop {
public:
  /// Whether `op` orders accesses of memory, so that none moves across it.
  static bool ordersMemory(mlir::Operation *op);

  /// Loops whose author asks for that in vain, since something in them orders accesses of memory,
  /// do not ask any more.
  static void dropOrdered(mlir::func::FuncOp function);

  /// The loop around `inner`, if its author asks for that, and nothing in it orders accesses of
  /// memory.
  static std::optional<FlattenedLoop> around(mlir::scf::ForOp inner);

  mlir::scf::ForOp getLoop() const { return loop; }

  /// Bytes of shared memory that exchanges in the loop need, other than those of `inner`.
  int64_t exchangedBytes(mlir::scf::ForOp inner);

  /// Takes `prologue`, operations in order whose results nobody else uses, as what starts the first
  /// loads of each iteration. Fails, and takes nothing, if they need what is not known an iteration
  /// ahead.
  bool take(llvm::ArrayRef<mlir::Operation *> prologue);

  /// Executes the prologue before the loop for the first iteration and, behind `inner`, for the
  /// next one. `state`, which the prologue uses and the loop then carries, is `initial` first, and
  /// what `inner` ends with in `results` next.
  void startAhead(mlir::OpBuilder &builder, mlir::scf::ForOp inner, mlir::ValueRange state,
                  mlir::ValueRange initial, mlir::ValueRange results);

private:
  explicit FlattenedLoop(mlir::scf::ForOp loop) : loop(loop), slices(loop) {}

  void emit(mlir::OpBuilder &builder, mlir::IRMapping &mapping);

  mlir::scf::ForOp loop;
  LoopSlices slices;
  LoopSlices::Slice slice; // What the prologue needs of the body.
  llvm::SmallVector<mlir::Operation *> prologue;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_FLATTENEDLOOP_H
