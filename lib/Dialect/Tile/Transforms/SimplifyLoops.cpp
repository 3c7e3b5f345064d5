//===- SimplifyLoops.cpp - what loops carry without changing it --*- C++ -*-===//
//
// The pass `tile-simplify-loops`, which also makes one of branches that do the same, and of a
// carried number that counts as the loop does, the counter.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
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

/// Whether `value` is the counter's value an iteration before the first.
static bool isBeforeFirst(Value value, scf::ForOp loop) {
  Value first = loop.getLowerBound(), step = loop.getStep();
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    return difference.getLhs() == first && difference.getRhs() == step;
  APInt by;
  if (!matchPattern(step, m_ConstantInt(&by)))
    return false;
  APInt number, start;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return sum.getLhs() == first && matchPattern(sum.getRhs(), m_ConstantInt(&number)) &&
           number == -by;
  return matchPattern(value, m_ConstantInt(&number)) &&
         matchPattern(first, m_ConstantInt(&start)) && number == start - by;
}

/// Puts the counter in the place of a carried number that moves with it. Persistent kernels count
/// tiles twice, so that other compilers may have the loads of the next tile go ahead.
static void useCounter(scf::ForOp loop, BlockArgument carried) {
  auto more = loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp<arith::AddIOp>();
  Value counter = loop.getInductionVar(), first = loop.getTiedLoopInit(carried)->get();
  if (carried.getType() != counter.getType() || !more || more.getLhs() != carried ||
      more.getRhs() != loop.getStep())
    return;
  if (first == loop.getLowerBound())
    carried.replaceAllUsesExcept(counter, more);
  else if (isBeforeFirst(first, loop))
    more.getResult().replaceUsesWithIf(
        counter, [&](OpOperand &use) { return use.getOwner() != loop.getBody()->getTerminator(); });
  // Nobody but the loop itself may want it now.
  if (carried.hasOneUse() && loop.getTiedLoopResult(carried).use_empty() && more->hasOneUse())
    loop.getTiedLoopYieldedValue(carried)->set(carried);
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
    getOperation().walk([](scf::ForOp loop) {
      for (BlockArgument carried : loop.getRegionIterArgs())
        useCounter(loop, carried);
    });
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
