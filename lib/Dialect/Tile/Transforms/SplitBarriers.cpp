//===- SplitBarriers.cpp - arrive early, wait late -------------*- C++ -*-===//
//
// The pass `tile-split-barriers`. A loop that waits for a product of warp groups, computes with it,
// and starts another one has a barrier at the head of each iteration, behind which slots are filled
// again. Nothing that the barrier orders happens behind the wait, so threads arrive there, and wait
// at the head of the next iteration. Meanwhile groups of warps are out of step by up to a whole
// softmax, and one multiplies while the other computes.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESPLITBARRIERS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// The barrier at the head of a loop's body, and what belongs to it.
struct HeadBarrier {
  scf::ForOp loop;
  BarrierOp barrier;
  AsyncWaitOp copies; // The wait before it for the thread's own copies; may be null.
  GroupWaitOp last;   // Behind it the iteration does nothing that the barrier orders.
};

} // namespace

/// The only barrier of `loop`, if nothing but a wait for copies comes before it.
static HeadBarrier findHead(scf::ForOp loop) {
  HeadBarrier head = {loop, {}, {}, {}};
  int64_t count = 0;
  loop.walk([&](Operation *op) { count += isa<BarrierOp, ClusterWaitOp>(op); });
  if (count != 1)
    return head;
  for (Operation &op : *loop.getBody()) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      head.barrier = barrier;
      return head;
    }
    auto copies = dyn_cast<AsyncWaitOp>(op);
    if (copies && !head.copies)
      head.copies = copies;
    else if (!isMemoryEffectFree(&op))
      return head;
  }
  return head;
}

/// The wait for products behind which the body has no effects but to start products, of which there
/// is one at least. These stay in flight into the next iteration, and what reads their slots is in
/// flight at the head of the next iteration whatever happens there.
static GroupWaitOp findLastWait(scf::ForOp loop) {
  bool startsProduct = false;
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (auto wait = dyn_cast<GroupWaitOp>(op))
      return startsProduct ? wait : GroupWaitOp();
    if (isa<GroupDotOp>(op))
      startsProduct = true;
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return {};
}

/// Arrives; in its place the copies before are waited for that the barrier is to publish.
static void arrive(OpBuilder &builder, HeadBarrier head, Value object) {
  Location loc = head.barrier.getLoc();
  bool afterCopies = head.copies && head.copies.getPending() == 0;
  if (head.copies && !afterCopies)
    AsyncWaitOp::create(builder, loc, head.copies.getPending());
  MBarrierArriveOp::create(builder, loc, object, /*slot=*/Value(), /*eachWarp=*/false, afterCopies,
                           /*condition=*/Value());
}

/// Every thread arrives once before the loop and once in each iteration, and waits once in each and
/// once behind the loop.
static void split(HeadBarrier head, Value object) {
  OpBuilder builder(head.loop);
  Location loc = head.barrier.getLoc();
  arrive(builder, head, object);
  builder.setInsertionPointAfter(head.last);
  arrive(builder, head, object);

  IRRewriter rewriter(builder.getContext());
  builder.setInsertionPoint(head.loop);
  Value first = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 0);
  auto next = [](OpBuilder &b, Location at, ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    Value one = arith::ConstantIntOp::create(b, at, b.getI32Type(), 1);
    return {arith::XOrIOp::create(b, at, added[0], one)};
  };
  rewriter.setInsertionPoint(head.loop);
  FailureOr<LoopLikeOpInterface> replaced = head.loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "a counted loop can carry more");
  auto loop = cast<scf::ForOp>(replaced->getOperation());

  builder.setInsertionPoint(head.barrier);
  MBarrierWaitOp::create(builder, loc, object, /*slot=*/Value(), loop.getRegionIterArgs().back());
  builder.setInsertionPointAfter(loop);
  MBarrierWaitOp::create(builder, loc, object, /*slot=*/Value(), loop.getResults().back());
  head.barrier.erase();
  if (head.copies)
    head.copies.erase();
}

namespace {

struct SplitBarriers : tilec::tile::impl::TileSplitBarriersBase<SplitBarriers> {
  using TileSplitBarriersBase::TileSplitBarriersBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto bytes = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
    // Warps with roles have objects already.
    if (!kernel.getOps<WarpRolesOp>().empty())
      return;
    // One group of warps has no other to be out of step with.
    if (!bytes || getLaunchShape(kernel).numWarps <= tilec::kWarpsPerGroup ||
        !isEnabled(kernel, tilec::GpuHeuristic::SplitBarriers))
      return;
    SmallVector<HeadBarrier> heads;
    kernel.walk([&](scf::ForOp loop) {
      // The object's phases begin with the kernel, so a loop runs once.
      if (loop->getParentOfType<LoopLikeOpInterface>())
        return;
      HeadBarrier head = findHead(loop);
      if (head.barrier && (head.last = findLastWait(loop)) &&
          head.barrier->isBeforeInBlock(head.last))
        heads.push_back(head);
    });
    splitAll(heads, bytes.getInt());
  }

private:
  /// Objects lie behind the buffers.
  void splitAll(ArrayRef<HeadBarrier> heads, int64_t bytes) {
    constexpr int64_t objectBytes = AllocMBarrierOp::kBytes;
    func::FuncOp kernel = getOperation();
    int64_t offset = llvm::alignTo(bytes, objectBytes);
    int64_t room = (getTarget(kernel).maxSharedPerBlock() - offset) / objectBytes;
    if (heads.empty() || int64_t(heads.size()) > room)
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
    SmallVector<Value> objects;
    for (HeadBarrier head : heads) {
      objects.push_back(AllocMBarrierOp::create(
          builder, head.barrier.getLoc(), builder.getI32IntegerAttr(int32_t(offset)),
          builder.getI32IntegerAttr(1), /*arrivals=*/IntegerAttr()));
      offset += objectBytes;
    }
    BarrierOp::create(builder, kernel.getLoc());
    for (auto [head, object] : llvm::zip_equal(heads, objects))
      split(head, object);
    kernel->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(int32_t(offset)));
    numSplit += heads.size();
  }
};

} // namespace
