//===- JoinReductions.cpp - reductions of reductions ------------*- C++ -*-===//
//
// The pass `tile-join-reductions`. A tile is often reduced to one number axis by axis. Each
// reduction combines what lanes have, for every row by itself, although a thread could combine its
// own rows first. Since the order of combination is left open, two reductions along neighbouring
// axes are one along both.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEJOINREDUCTIONS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Whether two reductions of one tile each combine by the same operation, and nothing else.
static bool combineAlike(ReduceOp a, ReduceOp b) {
  Operation *first = a.getSingleCombiner(), *second = b.getSingleCombiner();
  return a.getSrcs().size() == 1 && b.getSrcs().size() == 1 && first && second &&
         first->getName() == second->getName() && first->getAttrs() == second->getAttrs();
}

/// Makes `outer`, which reduces what another reduction alone gives it, reduce that one's source.
static bool join(ReduceOp outer) {
  auto inner = outer.getSrcs().front().getDefiningOp<ReduceOp>();
  if (!inner || !combineAlike(outer, inner) || !inner.getResult(0).hasOneUse())
    return false;
  // The axis of `outer`, counted as those of the source of `inner`.
  unsigned axis = inner.getAxis(), other = outer.getAxis();
  other += other >= axis;
  unsigned first = std::min(axis, other);
  if (std::max(axis, other) != first + 1)
    return false;
  Value source = inner.getSrcs().front();
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[first] *= shape[first + 1];
  shape.erase(shape.begin() + first + 1);
  OpBuilder b(outer);
  Value joined = ReshapeOp::create(b, outer.getLoc(), type.clone(shape), source);
  outer->setOperand(0, joined);
  outer.setAxis(first);
  inner.erase();
  return true;
}

namespace {

struct JoinReductions : tilec::tile::impl::TileJoinReductionsBase<JoinReductions> {
  void runOnOperation() override {
    // In the order in which they come, the one that is erased has been visited.
    getOperation().walk([&](ReduceOp op) {
      while (join(op))
        ++numJoined;
    });
  }
};

} // namespace
