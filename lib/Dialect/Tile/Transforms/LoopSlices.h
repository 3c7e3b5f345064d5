//===- LoopSlices.h - what an iteration is before it comes -----*- C++ -*-===//
//
// How the pointers and masks of a load follow from what a loop carries, so that they can be
// computed for an iteration that is still to come.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPSLICES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPSLICES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tile {

/// What some values of a loop's body depend on. What the loop carries and changes by the same
/// amount in each iteration is known any number of iterations ahead. Everything else that it
/// carries is known one iteration ahead of one that is known: whoever wants more carries it a
/// second time, as it will be then, and steps it on. Numbers stay valid when the loop gets more
/// carried values.
class LoopSlices {
public:
  using Slice = llvm::SetVector<mlir::Operation *>;
  /// Which plain loads may be in a slice.
  enum class Loads { None, Scalar, Any };

  explicit LoopSlices(mlir::scf::ForOp loop) : loop(loop) {}

  /// The loop was replaced by one that carries more.
  void setLoop(mlir::scf::ForOp replacement) { loop = replacement; }

  /// Adds the operations of the body from which `value` follows to `slice`, in order. Fails, and
  /// changes nothing, if it depends on exchanges between threads, on large tiles that the loop
  /// carries, or on other loads of this iteration. What has to be stepped on may depend on loaded
  /// scalars. Layouts must be final.
  bool add(mlir::Value value, Slice &slice, Loads loads = Loads::None);
  /// What each iteration adds to a carried scalar; null if there is no such number.
  mlir::Value stepOf(mlir::BlockArgument carried);
  /// The numbers of those carried values that have to be stepped on.
  llvm::ArrayRef<unsigned> stepped() const { return carried.getArrayRef(); }
  /// What the iteration after the one that `mapping` stands for finds in the stepped() values.
  llvm::SmallVector<mlir::Value> next(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  /// Clones what `mapping` does not have yet.
  static void clone(mlir::OpBuilder &builder, const Slice &slice, mlir::IRMapping &mapping);

private:
  bool addTo(mlir::Value value, Slice &slice, Loads loads);
  bool addOperands(mlir::Operation *op, Slice &slice, Loads loads);
  bool addCarried(mlir::BlockArgument argument);
  unsigned numberOf(mlir::BlockArgument argument);

  mlir::scf::ForOp loop;
  llvm::SetVector<unsigned> carried;
  Slice updates; // From which the next iteration's values of `carried` follow.
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPSLICES_H
