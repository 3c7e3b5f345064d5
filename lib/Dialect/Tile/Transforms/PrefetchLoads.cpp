//===- PrefetchLoads.cpp - load one iteration ahead -------------*- C++ -*-===//
//
// The pass `tile-prefetch-loads`. To load for the next iteration, the pass needs the pointers that
// the loads will have there. They follow from the values of this iteration: the counter is one step
// further, what the loop carries is what this iteration yields, and what is computed from the two
// without effects is cloned with these as operands. The loads go to the start of the body, and the
// loop carries their results.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPREFETCHLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::kRegisterBytes;
using tilec::LoadTuning;

namespace {

/// Operations to rematerialize, with their operands of this iteration (0) or of the next (1).
using Rematerialized = llvm::SmallDenseSet<std::pair<Operation *, unsigned>>;

class Prefetcher {
public:
  Prefetcher(scf::ForOp loop, const LoadTuning &tuning) : loop(loop), tuning(tuning) {}

  /// Finds the loads. Returns whether there are any.
  bool collect();
  unsigned rewrite();

private:
  bool inBody(Operation *op) { return op && op->getBlock() == loop.getBody(); }
  /// If the loop carries `value` into this iteration: the value that it has in the next one.
  bool isUnrolled();
  Value yieldedFor(Value value);
  bool canRematerialize(Value value, bool forNext, Rematerialized &rematerialized);
  Value rematerialize(OpBuilder &builder, Value value, IRMapping &mapping);
  Value valueOfNext(OpBuilder &builder, Value value);
  SmallVector<Value> loadFirst(OpBuilder &builder);
  SmallVector<Value> loadNext(OpBuilder &builder);

  scf::ForOp loop;
  const LoadTuning &tuning;
  SmallVector<LoadOp> loads;
  /// Values of this iteration and of the next that are rematerialized at the start of the body.
  IRMapping current, next;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

Value Prefetcher::yieldedFor(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() || value == loop.getInductionVar())
    return {};
  return loop.getTiedLoopYieldedValue(argument)->get();
}

/// Whether `op` divides by the same number in each iteration, so that it may do so once more.
static bool dividesByInvariant(Operation *op, scf::ForOp loop) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
         loop.isDefinedOutsideOfLoop(op->getOperand(1));
}

/// Whether `value`, as it is in this iteration or will be in the next, can be computed at the start
/// of the body.
bool Prefetcher::canRematerialize(Value value, bool forNext, Rematerialized &rematerialized) {
  if (forNext)
    if (Value yielded = yieldedFor(value))
      return canRematerialize(yielded, /*forNext=*/false, rematerialized);
  Operation *op = value.getDefiningOp();
  if (!inBody(op))
    return true;
  if (!(isPure(op) || dividesByInvariant(op, loop)) || op->getNumRegions() != 0 ||
      exchangesData(op))
    return false;
  if (!rematerialized.insert({op, forNext}).second)
    return true;
  return rematerialized.size() <= tuning.mostRematerialized &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return canRematerialize(operand, forNext, rematerialized);
         });
}

/// Whether `op` is in a loop that stays one: those of a few iterations do not.
static bool isInLoop(Operation *op, unsigned mostUnrolled) {
  auto outer = op->getParentOfType<LoopLikeOpInterface>();
  if (!outer)
    return false;
  std::optional<llvm::APInt> count = outer.getStaticTripCount();
  return !count || count->ugt(mostUnrolled) || isInLoop(outer, mostUnrolled);
}

/// Whether ptxas unrolls the loop, as it does with short ones that nothing surrounds, and inside of
/// others with those that have a constant number of iterations and no conditions.
bool Prefetcher::isUnrolled() {
  if (!isInLoop(loop, getTarget(loop).tuning().code.mostUnrolled))
    return true;
  return loop.getStaticTripCount() &&
         llvm::none_of(loads, [](LoadOp load) { return load.getMask(); });
}

bool Prefetcher::collect() {
  // Beside what is copied ahead for products, each load that is not costs its latency.
  bool waits = !loop.getBody()->getOps<AsyncWaitOp>().empty() ||
               !loop.getBody()->getOps<MBarrierWaitOp>().empty();
  if (loop->hasAttr(kNumStagesAttr) || !(waits ? onlyReadsBesideSlots(loop) : onlyReads(loop)))
    return false;
  int64_t bytes = 0, widened = 0;
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    Rematerialized rematerialized;
    if (!llvm::all_of(load->getOperands(), [&](Value operand) {
          return canRematerialize(operand, /*forNext=*/true, rematerialized);
        }))
      continue;
    // A load whose operands are loop-invariant is the same in each iteration: nothing to prefetch.
    if (rematerialized.empty() && llvm::none_of(load->getOperands(), [&](Value operand) {
          return operand == loop.getInductionVar() || yieldedFor(operand);
        }))
      continue;
    int64_t ofLoad = bytesOfThread(load.getType());
    bytes += ofLoad;
    widened += ofLoad * std::max<int64_t>(1, kRegisterBytes / byteSize(elementOf(load.getType())));
    loads.push_back(load);
  }
  int64_t most = waits ? tuning.mostBytesBesideSlots : tuning.mostBytesCarried;
  return !loads.empty() && widened <= most &&
         (waits || bytes >= tuning.leastBytesCarried || !isUnrolled());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Rematerializes `value` at the builder's insertion point, from what `mapping` has for the loop's
/// arguments.
Value Prefetcher::rematerialize(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!inBody(op))
    return value;
  for (Value operand : op->getOperands())
    mapping.map(operand, rematerialize(builder, operand, mapping));
  Operation *clone = builder.clone(*op, mapping);
  // Without iterations the divisor may be zero.
  if (dividesByInvariant(op, loop) && clone->getBlock() != loop.getBody()) {
    builder.setInsertionPoint(clone);
    Value divisor = op->getOperand(1);
    auto one = arith::ConstantOp::create(builder, op->getLoc(),
                                         cast<TypedAttr>(builder.getOneAttr(divisor.getType())));
    clone->setOperand(1, builder.createOrFold<arith::MaxUIOp>(op->getLoc(), divisor, one));
    builder.setInsertionPointAfter(clone);
  }
  return mapping.lookup(value);
}

Value Prefetcher::valueOfNext(OpBuilder &builder, Value value) {
  if (Value known = next.lookupOrNull(value))
    return known;
  if (Value yielded = yieldedFor(value)) {
    next.map(value, rematerialize(builder, yielded, current));
  } else if (Operation *op = value.getDefiningOp(); inBody(op)) {
    for (Value operand : op->getOperands())
      next.map(operand, valueOfNext(builder, operand));
    builder.clone(*op, next);
  } else {
    next.map(value, value);
  }
  return next.lookup(value);
}

SmallVector<Value> Prefetcher::loadFirst(OpBuilder &builder) {
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, init);
  Value any = hasIterationAhead(builder, loop, loop.getLowerBound(), 0);
  SmallVector<Value> loaded;
  for (LoadOp load : loads)
    loaded.push_back(loadIf(builder, load, any,
                            [&](Value value) { return rematerialize(builder, value, first); }));
  return loaded;
}

SmallVector<Value> Prefetcher::loadNext(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  Value goesOn = hasIterationAhead(builder, loop, counter, 1);
  next.map(counter, arith::AddIOp::create(builder, loop.getLoc(), counter, loop.getStep()));
  SmallVector<Value> loaded;
  for (LoadOp load : loads)
    loaded.push_back(
        loadIf(builder, load, goesOn, [&](Value value) { return valueOfNext(builder, value); }));
  return loaded;
}

unsigned Prefetcher::rewrite() {
  IRRewriter rewriter(loop);
  SmallVector<Value> first = loadFirst(rewriter);
  auto replace = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> loaded = loadNext(rewriter);
    for (auto [load, value] : llvm::zip(loads, carried))
      rewriter.replaceOp(load, value);
    return loaded;
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, replace);
  assert(succeeded(replaced) && "a counted loop can carry more");
  // The computation of this iteration's pointers is dead now.
  Block &body = replaced->getLoopRegions().front()->front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  return loads.size();
}

namespace {

struct PrefetchLoads : tilec::tile::impl::TilePrefetchLoadsBase<PrefetchLoads> {
  using TilePrefetchLoadsBase::TilePrefetchLoadsBase;

  void runOnOperation() override {
    if (!isEnabled(getOperation(), tilec::GpuHeuristic::PrefetchLoads))
      return;
    const LoadTuning &tuning = getTarget(getOperation()).tuning().loads;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    unsigned count = 0;
    for (scf::ForOp loop : loops) {
      Prefetcher prefetcher(loop, tuning);
      if (prefetcher.collect())
        count += prefetcher.rewrite();
    }
    if (count > 0)
      getOperation()->setAttr(kLoadsAheadAttr, UnitAttr::get(&getContext()));
    numPrefetched += count;
  }
};

} // namespace
