//===- SimplifyLoops.cpp - what loops carry without changing it --*- C++ -*-===//
//
// The pass `tile-simplify-loops`, which also makes one of branches that do the same.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESIMPLIFYLOOPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;

/// Replaces branches by what both arms do, if that is the same.
static void mergeEqualArms(Operation *root, RewriterBase &rewriter) {
  SmallVector<scf::IfOp> branches;
  root->walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    Region &first = branch.getThenRegion(), &second = branch.getElseRegion();
    if (second.empty() || !OperationEquivalence::isRegionEquivalentTo(
                              &first, &second, OperationEquivalence::IgnoreLocations))
      continue;
    Block *arm = branch.thenBlock();
    auto yield = cast<scf::YieldOp>(arm->getTerminator());
    SmallVector<Value> results(yield.getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(arm, branch);
    rewriter.replaceOp(branch, results);
  }
}

namespace {

struct SimplifyLoops : tilec::tile::impl::TileSimplifyLoopsBase<SimplifyLoops> {
  using TileSimplifyLoopsBase::TileSimplifyLoopsBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    scf::ForOp::getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool isChanged = true;
    // Each round ends at least one carried value or loop, so there is a last one.
    while (isChanged) {
      DominanceInfo dominance(getOperation());
      eliminateCommonSubExpressions(rewriter, dominance, getOperation());
      mergeEqualArms(getOperation(), rewriter);
      SmallVector<Operation *> loops;
      getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
      isChanged = false;
      if (!loops.empty())
        (void)applyOpPatternsGreedily(
            loops, patterns,
            GreedyRewriteConfig().setStrictness(GreedyRewriteStrictness::ExistingAndNewOps),
            &isChanged);
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
