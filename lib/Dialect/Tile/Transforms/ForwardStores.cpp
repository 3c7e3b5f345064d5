//===- ForwardStores.cpp - loads of what was just stored --------*- C++ -*-===//
//
// The pass `tile-forward-stores`. On a GPU, the thread that loads an element need not be the one
// that stored it. Where a program stores a tile and loads it again by the same pointers, the value
// is at hand.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArrayWrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFORWARDSTORES
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

struct ForwardStores : tilec::tile::impl::TileForwardStoresBase<ForwardStores> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) { forwardIn(*block); });
  }

private:
  void forwardIn(Block &block);
  void forward(StoreOp store, LoadOp load);
};

} // namespace

void ForwardStores::forward(StoreOp store, LoadOp load) {
  Value value = store.getValue();
  if (load.getOther()) {
    OpBuilder b(load);
    value = arith::SelectOp::create(b, load.getLoc(), load.getMask(), value, load.getOther());
  }
  load.replaceAllUsesWith(value);
  load.erase();
  ++numForwarded;
}

/// Whether a barrier is executed in `op`: what comes behind it means memory, where of two elements
/// of one address only one was stored.
static bool hasBarrier(Operation &op) {
  return op.walk([](BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void ForwardStores::forwardIn(Block &block) {
  // By the pointers; only those behind which nothing was written to an array.
  llvm::SmallDenseMap<Value, StoreOp> stored;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto load = dyn_cast<LoadOp>(op);
    StoreOp last = load && load.isPlain() ? stored.lookup(load.getPtr()) : StoreOp();
    if (last && last.getMask() == load.getMask()) {
      forward(last, load);
      continue;
    }
    if (mayWriteArraysInside(&op) || hasBarrier(op))
      stored.clear();
    if (auto store = dyn_cast<StoreOp>(op))
      stored[store.getPtr()] = store;
  }
}
