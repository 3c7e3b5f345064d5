//===- SelectBranches.cpp - selections in place of branches -----*- C++ -*-===//
//
// The pass `tile-select-branches`. A tile that a branch yields is in registers where the branch
// ends, and so is what the arm that changes nothing passes on: all elements of it at once. Where
// an arm is a few instructions an element, both arms are computed and each element selects. The
// tile is then elementwise work like any other, an element of it computed where it is needed.
//
// Branches in loops stay: kernels have them to leave out work in most iterations.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESELECTBRANCHES
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Operations on tiles in both arms together, up to which computing both takes less than a branch.
static constexpr unsigned kMostOperations = 8;

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

/// Whether the operation may be computed where nobody asked for it, in an instruction or two for
/// each element. Functions of the math dialect take more.
static bool isCheap(Operation &op) {
  return isPure(&op) && op.getNumRegions() == 0 &&
         (isa<arith::ArithDialect>(op.getDialect()) || isa<SplatOp, AddPtrOp>(op)) &&
         !isa<arith::DivFOp, arith::RemFOp>(op);
}

/// Whether the branch yields a tile and both arms are cheap.
static bool canSelect(scf::IfOp branch) {
  if (branch.getElseRegion().empty() || branch->getParentOfType<LoopLikeOpInterface>() ||
      llvm::none_of(branch.getResultTypes(), isTile))
    return false;
  unsigned count = 0;
  for (Block *arm : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : arm->without_terminator()) {
      if (!isCheap(op))
        return false;
      count += llvm::any_of(op.getResultTypes(), isTile);
    }
  return count <= kMostOperations;
}

/// Moves the operations of an arm before its branch; returns what it yields.
static SmallVector<Value> hoistArm(Block *arm, scf::IfOp branch, RewriterBase &rewriter) {
  auto yield = cast<scf::YieldOp>(arm->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(arm, branch);
  return yielded;
}

/// Computes both arms before the branch, and selects each result.
static void select(scf::IfOp branch, RewriterBase &rewriter) {
  SmallVector<Value> whenTrue = hoistArm(branch.thenBlock(), branch, rewriter);
  SmallVector<Value> whenFalse = hoistArm(branch.elseBlock(), branch, rewriter);
  SmallVector<Value> results;
  rewriter.setInsertionPoint(branch);
  for (auto [yes, no] : llvm::zip_equal(whenTrue, whenFalse)) {
    Value condition = branch.getCondition();
    if (auto type = dyn_cast<RankedTensorType>(yes.getType()))
      condition =
          SplatOp::create(rewriter, branch.getLoc(), type.clone(rewriter.getI1Type()), condition);
    results.push_back(rewriter.createOrFold<arith::SelectOp>(branch.getLoc(), condition, yes, no));
  }
  rewriter.replaceOp(branch, results);
}

namespace {

struct SelectBranches : tilec::tile::impl::TileSelectBranchesBase<SelectBranches> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner branches first: what is left of them is cheap, too.
    getOperation().walk([&](scf::IfOp branch) {
      if (!canSelect(branch))
        return;
      select(branch, rewriter);
      ++numSelected;
    });
  }
};

} // namespace
