//===- InsertBarriers.cpp - insert the barriers of a kernel -----*- C++ -*-===//
//
// The pass `tile-insert-barriers`, the last on tiles. SharedHazards finds the operations before or
// after which threads must wait, given where tile-allocate-shared has put each buffer; the pass
// inserts the barriers there, or earlier where threads would keep many registers while they wait.
// In a kernel with clusters it also has the CTAs wait until all of them run. What threads write
// into buffers that hardware reads (PTX, "Async proxy") they fence, before the barrier that
// follows.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LiveRegisters.h"
#include "SharedHazards.h"
#include "mlir/IR/Builders.h"
#include "tilec/Arch/Tuning.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEINSERTBARRIERS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The memory of a CTA may be written once it runs. So the CTAs of a cluster say first of all that
/// they run, and wait for the others: before `firstRemote`, as late as they can, or at once if that
/// is null.
static void startCluster(func::FuncOp kernel, Operation *firstRemote) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
  ClusterArriveOp::create(b, kernel.getLoc(), /*relaxed=*/true);
  // Inside a loop or a branch, a CTA would wait more or less often than once.
  if (firstRemote && firstRemote->getParentOp() == kernel)
    b.setInsertionPoint(firstRemote);
  ClusterWaitOp::create(b, kernel.getLoc());
}

static void waitForCluster(OpBuilder &b, Location loc) {
  ClusterArriveOp::create(b, loc, /*relaxed=*/false);
  ClusterWaitOp::create(b, loc);
}

/// What writes into memory that other CTAs of the cluster may still have to load: in a kernel with
/// products each of them loads its tiles whole, but stores only a part.
static SmallVector<AccessOpInterface> storesOverLoads(func::FuncOp kernel) {
  SmallVector<AccessOpInterface> stores;
  bool multiplies = false;
  if (getLaunchShape(kernel).numCTAs > 1)
    kernel.walk([&](Operation *op) {
      multiplies |= isa<DotOp, GroupDotOp>(op);
      if (auto access = dyn_cast<AccessOpInterface>(op); access && !isa<LoadOp, BufferCopyOp>(op))
        stores.push_back(access);
    });
  return multiplies ? stores : SmallVector<AccessOpInterface>();
}

/// Whether hardware reads what `op` stores.
static bool isStoreForHardware(Operation *op) {
  auto store = dyn_cast<BufferStoreOp>(op);
  return store && llvm::any_of(store.getBuffer().getUsers(), usesAsyncProxy);
}

/// The first operation in the block of `copy` behind which it has landed for sure; null if there is
/// none.
static AsyncWaitOp waitFor(BufferCopyOp copy) {
  unsigned started = 0; // Groups from that of the copy on.
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    started += isa<AsyncCommitOp>(op);
    if (auto wait = dyn_cast<AsyncWaitOp>(op); wait && wait.getPending() < started)
      return wait;
  }
  return {};
}

/// Each thread passes on its own writes, of several stores at once.
static void insertFences(func::FuncOp kernel) {
  OpBuilder b(kernel.getContext());
  kernel.walk([&](BufferStoreOp store) {
    Operation *next = store->getNextNode();
    if (!isStoreForHardware(store) || (next && isStoreForHardware(next)))
      return;
    b.setInsertionPointAfter(store);
    AsyncFenceOp::create(b, store.getLoc(), /*arrays=*/false);
  });
  llvm::SetVector<Operation *> waits;
  kernel.walk([&](BufferCopyOp copy) {
    if (!copy.getSlot() && llvm::any_of(copy.getBuffer().getUsers(), usesAsyncProxy))
      if (AsyncWaitOp wait = waitFor(copy))
        waits.insert(wait);
  });
  for (Operation *wait : waits) {
    b.setInsertionPointAfter(wait);
    AsyncFenceOp::create(b, wait->getLoc(), /*arrays=*/false);
  }
}

static SharedArea areaOf(AllocBufferOp buffer) {
  int64_t begin = *buffer.getOffset();
  return {begin, begin + buffer.getType().getBytes()};
}

/// Whether a barrier that shall be behind `op`, and before an access to `area`, may stand before it
/// instead.
static bool mayFollowBarrier(Operation *op, const SharedArea &area) {
  if (op->getNumRegions() != 0 && !isa<ReduceOp>(op))
    return false;
  if (auto load = dyn_cast<BufferLoadOp>(op)) {
    auto buffer = load.getBuffer().getDefiningOp<AllocBufferOp>();
    return buffer && !area.overlaps(areaOf(buffer));
  }
  return isa<LoadOp, AllocBufferOp>(op) || isMemoryEffectFree(op);
}

/// Where threads that must wait before `access`, a store to a buffer or a load from one, have the
/// fewest registers to keep meanwhile: what is loaded for it, or beside it, is loaded behind the
/// barrier then, piece by piece. `access` itself unless that saves many.
static Operation *findBarrierPlace(Operation *access, LiveRegisters &live) {
  const tilec::LoadTuning &tuning = getTarget(access).tuning().loads;
  SharedArea area{0, 0}; // Loads write none.
  if (auto store = dyn_cast<BufferStoreOp>(access)) {
    auto buffer = store.getBuffer().getDefiningOp<AllocBufferOp>();
    if (!buffer)
      return access;
    area = areaOf(buffer);
  }
  int64_t now = live.before(access);
  if (now < tuning.manyLiveAtBarriers)
    return access;
  Operation *best = access;
  int64_t fewest = now - tuning.leastSavedAtBarriers;
  for (Operation *op = access->getPrevNode(); op && mayFollowBarrier(op, area);
       op = op->getPrevNode()) {
    int64_t registers = live.before(op);
    if (registers < fewest) {
      fewest = registers;
      best = op;
    }
  }
  return best;
}

namespace {

struct InsertBarriers : tilec::tile::impl::TileInsertBarriersBase<InsertBarriers> {
  using TileInsertBarriersBase::TileInsertBarriersBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kKernelAttr))
      return;
    WalkResult walked = kernel.walk([](AllocBufferOp buffer) {
      if (buffer.getOffset())
        return WalkResult::advance();
      buffer.emitOpError() << "has no place yet; run tile-allocate-shared first";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    insertFences(kernel);
    auto place = [](AllocBufferOp buffer, const SharedState &) { return areaOf(buffer); };
    bool mayBeEarly = isEnabled(kernel, tilec::GpuHeuristic::SinkLoads);
    while (true) {
      SharedHazards hazards(place);
      hazards.run(kernel);
      // Where one barrier is earlier, those that are left may stand elsewhere.
      if (!mayBeEarly || !insertEarly(hazards))
        return insert(hazards);
    }
  }

private:
  /// Inserts barriers before the places where threads must wait, if that saves registers. Returns
  /// whether there are some.
  bool insertEarly(const SharedHazards &hazards) {
    LiveRegisters live;
    llvm::SetVector<Operation *> places;
    for (auto [op, scope] : hazards.waitsBefore())
      if (isa<BufferStoreOp, BufferLoadOp>(op) && scope == WaitScope::CTA)
        if (Operation *place = findBarrierPlace(op, live); place != op)
          places.insert(place);
    OpBuilder b(&getContext());
    for (Operation *place : places) {
      b.setInsertionPoint(place);
      BarrierOp::create(b, place->getLoc());
    }
    numBarriers += places.size();
    return !places.empty();
  }

  void insert(const SharedHazards &hazards) {
    OpBuilder b(&getContext());
    SmallVector<AccessOpInterface> stores = storesOverLoads(getOperation());
    bool hasOthers = !stores.empty();
    getOperation().walk([&](ClusterArriveOp) { hasOthers = true; });
    // First: a barrier of the cluster before the first write comes behind the wait for its start.
    if (Operation *remote = hazards.firstRemoteWrite())
      startCluster(getOperation(), hasOthers ? nullptr : remote);
    for (AccessOpInterface store : stores) {
      b.setInsertionPoint(store);
      waitForCluster(b, store.getLoc());
    }
    for (auto [op, scope] : hazards.waitsBefore()) {
      b.setInsertionPoint(op);
      if (scope == WaitScope::CTA) {
        BarrierOp::create(b, op->getLoc());
      } else {
        waitForCluster(b, op->getLoc());
      }
    }
    for (Operation *op : hazards.waitsAfter()) {
      b.setInsertionPointAfter(op);
      BarrierOp::create(b, op->getLoc());
    }
    numBarriers += hazards.waitsBefore().size() + hazards.waitsAfter().size();
  }
};

} // namespace
