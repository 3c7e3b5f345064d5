//===- FindBlocks.cpp - tiles of pointers that are blocks -------*- C++ -*-===//
//
// The pass `tile-find-blocks`. Most matrices that products take are loaded through tiles of
// pointers, `base + rows * stride + columns`, under masks that end with the matrix. These are
// blocks of a tensor, which hardware copies by itself (TMA) once it has a map of the tensor. So
// loads of such tiles get a description of their block (BlockOfLoad.h), where launches can make the
// map: from arguments alone. Which loops want that is decided here.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArgumentExpression.h"
#include "BlockOfLoad.h"
#include "LoopIterations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFINDBLOCKS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The outermost of `loop` and those around it, if launches know whether programs come to it; null
/// otherwise.
static scf::ForOp outermostLoop(scf::ForOp loop) {
  scf::ForOp outermost = loop;
  auto kernel = loop->getParentOfType<func::FuncOp>();
  for (Operation *around = loop->getParentOp(); around != kernel; around = around->getParentOp()) {
    if (auto next = dyn_cast<scf::ForOp>(around)) {
      outermost = next;
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(around);
    if (!branch || !isOfArguments(branch.getCondition(), kernel))
      return {};
  }
  return outermost;
}

namespace {

struct FindBlocks : tilec::tile::impl::TileFindBlocksBase<FindBlocks> {
  using TileFindBlocksBase::TileFindBlocksBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kKernelAttr) || !launcherMakesMaps(kernel) ||
        !getTarget(kernel).has(tilec::GpuFeature::TensorMaps) ||
        !isEnabled(kernel, tilec::GpuHeuristic::FindBlocks))
      return markAllAnalysesPreserved();
    // Hardware's copies are not ordered with what threads write in the same loop.
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (llvm::any_of(loop.getBody()->getOps<LoadOp>(),
                       [](LoadOp load) { return isOfFactor(load); }) &&
          outermostLoop(loop) && onlyReads(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return markAllAnalysesPreserved();
    AxisInfoAnalysis axes(kernel);
    for (scf::ForOp loop : loops)
      describeLoads(loop, axes);
  }

private:
  /// Whether warp groups multiply what is made of the load's tile.
  static bool isOfFactor(LoadOp load) {
    return isOfFactor(load, [](DotOp, bool) { return true; });
  }

  /// The same for products that count, by whether it is their left factor.
  static bool isOfFactor(LoadOp load, llvm::function_ref<bool(DotOp, bool)> counts) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    auto kernel = load->getParentOfType<func::FuncOp>();
    return type && type.getRank() > 1 && isFactor(load, [&](DotOp dot, bool isLeft) {
             return counts(dot, isLeft) &&
                    fitsWarpGroups(dot, getLaunchShape(kernel), getTarget(kernel));
           });
  }

  /// Whether two groups of warps add up a tile that is large for them: other products of as few
  /// bytes take less time than the barrier of hardware's copies.
  static bool addsLargeTile(scf::ForOp loop) {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    return getLaunchShape(kernel).numWarps == 2 * tilec::kWarpsPerGroup &&
           llvm::any_of(loop.getBody()->getOps<DotOp>(),
                        [](DotOp dot) { return dot.getType().getNumElements() >= kLargeSum; });
  }

  void describeLoads(scf::ForOp loop, const AxisInfoAnalysis &axes) {
    const tilec::ProductTuning &tuning = getTarget(loop).tuning().products;
    SmallVector<LoadOp> loads;
    llvm::copy_if(loop.getBody()->getOps<LoadOp>(), std::back_inserter(loads),
                  [](LoadOp load) { return isOfFactor(load); });
    int64_t bytes = 0;
    for (LoadOp load : loads)
      bytes += bytesOfTile(load.getType());
    if (bytes < (computesFactors(loop) || addsLargeTile(loop) ? tuning.leastBytesBesideMuch
                                                              : tuning.leastBytesOfBlocks))
      return;
    for (LoadOp load : loads)
      numFound += describeBlock(load, outermostLoop(loop), axes);
    describeLoadsBefore(loop, axes);
  }

  /// What products of all iterations read, such as the queries of an attention, may come by the
  /// same way.
  void describeLoadsBefore(scf::ForOp loop, const AxisInfoAnalysis &axes) {
    auto around = loop->getParentOfType<scf::ForOp>();
    scf::ForOp outermost = around ? outermostLoop(around) : scf::ForOp();
    SmallVector<LoadOp> loads;
    for (auto load : loop->getBlock()->getOps<LoadOp>())
      if (load->isBeforeInBlock(loop) && isOfFactor(load, [&](DotOp dot, bool isLeft) {
            return isLeft && loop->isProperAncestor(dot);
          }))
        loads.push_back(load);
    for (LoadOp load : loads)
      numFound += describeBlock(load, outermost, axes);
  }
};

} // namespace
