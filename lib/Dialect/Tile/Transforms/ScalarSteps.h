//===- ScalarSteps.h - the parts of tile-scalar-steps -----------*- C++ -*-===//
//
// Tiles that are another one plus a number, the same for all elements.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_SCALARSTEPS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_SCALARSTEPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// The number that all elements of a tile are: a value, or a constant if the value is null.
struct Uniform {
  mlir::Value value;
  mlir::IntegerAttr constant;
};

/// By how much all elements move.
struct Step {
  Uniform by;
  bool down = false;
};

/// One step: \p op makes a tile of another one, \p from, by moving all elements alike. Where it
/// does not, \p from may be anything.
std::optional<Step> stepOf(mlir::Operation *op, mlir::Value &from);

/// Writes the numbers by which tiles of one type move.
class StepBuilder {
public:
  /// Inserts before \p loop.
  StepBuilder(mlir::scf::ForOp loop, mlir::RankedTensorType tile);

  mlir::Value zero();
  /// \p start and all of \p steps.
  mlir::Value sum(mlir::Value start, llvm::ArrayRef<Step> steps);
  /// The tile \p base, moved by \p by.
  mlir::Value moved(mlir::Value base, mlir::Value by);

  mlir::OpBuilder builder;

private:
  mlir::Value numberOf(const Uniform &uniform);

  mlir::Location loc;
  mlir::RankedTensorType tile;
  mlir::IntegerType number;
};

/// Has \p loop carry a number instead of its carried tile \p index, which is \p base plus the
/// number:
/// \p start in the first iteration, and what \p next writes in the others.
void carryNumber(mlir::scf::ForOp loop, unsigned index, mlir::Value base, mlir::Value start,
                 llvm::function_ref<mlir::Value(StepBuilder &)> next);

/// Does the same for tiles of which the iteration before says where they are, by its number alone;
/// then each iteration computes that for itself. How many there were.
unsigned followIterations(mlir::scf::ForOp loop);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_SCALARSTEPS_H
