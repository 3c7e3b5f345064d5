//===- ExpandReductions.cpp - reductions over warps and CTAs ---*- C++ -*-===//
//
// The part of tile-expand-exchanges that handles reductions. One whose dimension several warps or
// CTAs share becomes steps that each stay inside a thread or a warp:
//
// 1. tile.partial_reduce combines what each warp holds. Its result has one more dimension, with a
//    part for each warp.
// 2. The parts go through a buffer into the registers of every thread that needs the result, and
//    are reduced there; or into lanes that need the same results, where combining is much work and
//    every warp does the same. If that would be many values for each thread, most of them also read
//    by other threads, they are first spread over all threads, each of which combines some elements
//    for all; one more exchange distributes the results.
// 3. The parts of the CTAs of a cluster do the same, through buffers that each CTA also writes in
//    its peers.
//
//===----------------------------------------------------------------------===//

#include "ExpandExchanges.h"

#include "mlir/IR/IRMapping.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Transforms.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

class ReductionExpander {
public:
  ReductionExpander(ReduceOp op, const ReductionPlan &plan, RewriterBase &rewriter)
      : op(op), plan(plan), b(rewriter), loc(op.getLoc()), launch(getLaunchShapeAt(op)) {}

  void expand();

private:
  SmallVector<Value> partialReduce();
  SmallVector<Value> reduceLast(ArrayRef<Value> parts);
  SmallVector<Value> exchange(ArrayRef<Value> parts, const LinearLayout &wanted,
                              ArrayRef<int32_t> peers);
  SmallVector<Value> combineWarps(ArrayRef<Value> parts, const LinearLayout &result);
  SmallVector<Value> combineSharing(ArrayRef<Value> parts);
  SmallVector<Value> combineCTAs(ArrayRef<Value> parts);
  bool shouldShareWork() const;
  bool shouldCombineInLanes(const LinearLayout &result);
  int64_t elementsPerThread() const;
  LinearLayout sharedWork() const;

  ReduceOp op;
  const ReductionPlan &plan;
  RewriterBase &b;
  Location loc;
  LaunchShape launch;
};

} // namespace

/// Combines inside each warp.
SmallVector<Value> ReductionExpander::partialReduce() {
  LinearLayout layout = partialLayout(plan);
  SmallVector<Type> types;
  for (Value source : op.getSrcs())
    types.push_back(tileTypeOf(elementOf(source.getType()), layout));
  auto partial = PartialReduceOp::create(b, loc, types, op.getSrcs(), op.getAxis());
  IRMapping mapping;
  op.getCombine().cloneInto(&partial.getCombine(), mapping);
  return SmallVector<Value>(partial.getResults());
}

/// Combines along the last dimension, which each thread holds.
SmallVector<Value> ReductionExpander::reduceLast(ArrayRef<Value> parts) {
  LinearLayout layout = layoutOf(parts[0]);
  LinearLayout result = reduceDim(layout, layout.rank() - 1);
  SmallVector<Type> types;
  for (Value part : parts) {
    Type element = elementOf(part.getType());
    types.push_back(result.rank() ? Type(tileTypeOf(element, result)) : element);
  }
  auto reduce = ReduceOp::create(b, loc, types, parts, layout.rank() - 1);
  IRMapping mapping;
  op.getCombine().cloneInto(&reduce.getCombine(), mapping);
  return SmallVector<Value>(reduce.getResults());
}

/// Brings tiles whose last dimension are parts into the layout `wanted`, where threads hold all
/// parts.
SmallVector<Value> ReductionExpander::exchange(ArrayRef<Value> parts, const LinearLayout &wanted,
                                               ArrayRef<int32_t> peers) {
  LinearLayout writer = layoutOf(parts[0]);
  // Every CTA gets the parts of all CTAs: its buffer holds the whole tile.
  SharedLayout map = placeParts(peers.empty() ? writer : wanted, writer.rank() - 1, plan.result);
  SmallVector<Value> buffers;
  for (Value part : parts)
    buffers.push_back(makeBuffer(b, loc, writer.shape(), elementOf(part.getType()), map));
  ExchangeOptions options;
  options.peers = peers;
  return throughBuffers(b, loc, parts, buffers, wanted, options);
}

/// How many elements of the result each thread combines when all share the work.
int64_t ReductionExpander::elementsPerThread() const {
  return std::max<int64_t>(1, int64_t(plan.result.numElements()) /
                                  (tilec::kWarpSize * launch.numWarps));
}

bool ReductionExpander::shouldShareWork() const {
  tilec::GpuArch target = getTarget(op);
  const tilec::LayoutTuning &tuning = target.tuning().layouts;
  int64_t parts = plan.numWarpParts(), alone = plan.result.numRegisters() * parts;
  return isEnabled(op, tilec::GpuHeuristic::ShareReductions) && launch.numCTAs == 1 &&
         alone >= tuning.manyParts && elementsPerThread() * parts * tuning.leastShare <= alone;
}

/// Whether lanes that would all combine the same parts had better take a part each.
bool ReductionExpander::shouldCombineInLanes(const LinearLayout &result) {
  tilec::GpuArch target = getTarget(op);
  const tilec::LayoutTuning &tuning = target.tuning().layouts;
  int64_t parts = plan.numWarpParts(), values = op.getSrcs().size();
  int64_t steps = llvm::Log2_64(parts);
  if (!isEnabled(op, tilec::GpuHeuristic::ShareReductions) ||
      llvm::count(result.flatBases(InDim::Lane), 0) < steps)
    return false;
  int64_t combiner = llvm::range_size(op.getCombine().front().without_terminator());
  int64_t alone = (parts - 1) * combiner;
  int64_t across = steps * (combiner + values * tuning.issuesOfShuffle);
  return alone * 2 >= across * tuning.leastGainOfLanesHalves;
}

/// The layout of the result in which each thread has elements of its own, as far as there are any.
LinearLayout ReductionExpander::sharedWork() const {
  LinearLayout::FlatBasisLists bases;
  uint64_t next = 1, end = plan.result.numElements();
  auto take = [&](InDim dim, unsigned count) {
    for (unsigned i = 0; i < count; ++i, next *= 2)
      bases[unsigned(dim)].push_back(next < end ? next : 0);
  };
  take(InDim::Lane, plan.result.numBases(InDim::Lane));
  take(InDim::Warp, plan.result.numBases(InDim::Warp));
  for (; next < end; next *= 2)
    bases[unsigned(InDim::Register)].push_back(next);
  std::string error;
  return *LinearLayout::createFlat(plan.result.shape(), std::move(bases), error);
}

/// The parts of warps, the last dimension, become the layout `result` without it.
SmallVector<Value> ReductionExpander::combineWarps(ArrayRef<Value> parts,
                                                   const LinearLayout &result) {
  LinearLayout wanted = shouldCombineInLanes(result)
                            ? insertInLanes(result, result.rank(), plan.numWarpParts())
                            : insertInRegisters(result, result.rank(), plan.numWarpParts());
  return reduceLast(exchange(parts, wanted, /*peers=*/{}));
}

/// As combineWarps where all threads share the work.
SmallVector<Value> ReductionExpander::combineSharing(ArrayRef<Value> parts) {
  SmallVector<Value> values = combineWarps(parts, sharedWork());
  SmallVector<Value> buffers;
  for (Value value : values)
    buffers.push_back(makeConversionBuffer(b, loc, value, plan.result));
  return throughBuffers(b, loc, values, buffers, plan.result);
}

/// The parts of CTAs, the last dimension, become the result.
SmallVector<Value> ReductionExpander::combineCTAs(ArrayRef<Value> parts) {
  LinearLayout wanted = insertInRegisters(plan.result, plan.result.rank(), plan.numBlockParts());
  SmallVector<int32_t> peers(plan.blockMasks.begin(), plan.blockMasks.end());
  return reduceLast(exchange(parts, wanted, peers));
}

void ReductionExpander::expand() {
  SmallVector<Value> values = partialReduce();
  if (!plan.warpMasks.empty()) {
    // What is left once the warps' parts are combined: the result, and the parts of the CTAs.
    ReductionPlan ofCTAs = plan;
    ofCTAs.warpMasks.clear();
    LinearLayout result = plan.blockMasks.empty() ? plan.result : partialLayout(ofCTAs);
    values = shouldShareWork() ? combineSharing(values) : combineWarps(values, result);
  }
  if (!plan.blockMasks.empty())
    values = combineCTAs(values);
  b.replaceOp(op, values);
}

void tilec::tile::expandReduction(ReduceOp op, RewriterBase &rewriter) {
  ReductionPlan plan = *planReduction(layoutOf(op.getSrcs()[0]), op.getAxis());
  ReductionExpander(op, plan, rewriter).expand();
}
