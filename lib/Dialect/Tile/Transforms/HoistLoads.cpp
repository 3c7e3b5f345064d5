//===- HoistLoads.cpp - start loads before threads wait ---------*- C++ -*-===//
//
// The pass `tile-hoist-loads`. ptxas overlaps loads with arithmetic, but moves none across a
// barrier. So this pass does, in the bodies of loops, and everywhere in kernels that multiply. It
// visits a block in order and collects the operations at which threads wait: exchanges of data
// between threads, and first uses of loaded values. A load moves, with what computes its pointers,
// before the first of them that it does not depend on. An operation that may write memory empties
// the collection.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LoopIterations.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEHOISTLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::LoadTuning;

namespace {

class BlockHoister {
public:
  /// At most `mostBytes` of a thread move.
  BlockHoister(Block &block, int64_t mostBytes) : block(block), mostBytes(mostBytes) {}

  /// Returns the number of loads that moved.
  unsigned run();

private:
  void visit(Operation *op);
  bool hoist(LoadOp load);
  bool isFirstUse(Operation *op);
  /// Appends `op` and those of its operands that must move with it before `place`, operands first.
  /// False if some of them cannot move. `isTop` is for the load itself.
  bool collect(Operation *op, Operation *place, SetVector<Operation *> &moving,
               bool isTop = true) const;

  Block &block;
  int64_t mostBytes;
  /// Operations at which threads wait for data or for each other, since memory was last written.
  SmallVector<Operation *> waits;
  /// Loads whose values have been used.
  DenseSet<Operation *> used;
  int64_t bytesAhead = 0;
};

} // namespace

bool BlockHoister::collect(Operation *op, Operation *place, SetVector<Operation *> &moving,
                           bool isTop) const {
  if (op->getBlock() != &block || op->isBeforeInBlock(place) || moving.contains(op))
    return true;
  // An operand that is loaded after `place` does not move: only the load itself does.
  bool isTheLoad = isa<LoadOp>(op) && isTop;
  if (op == place || !(isTheLoad || (isPure(op) && op->getNumRegions() == 0 && !exchangesData(op))))
    return false;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp();
        source && !collect(source, place, moving, /*isTop=*/false))
      return false;
  moving.insert(op);
  return true;
}

/// Moves `load` before the first operation in `waits` that it can move before.
bool BlockHoister::hoist(LoadOp load) {
  int64_t bytes = bytesOfThread(load.getType());
  if (bytesAhead + bytes > mostBytes)
    return false;
  for (Operation *place : waits) {
    SetVector<Operation *> moving;
    if (!collect(load, place, moving))
      continue;
    for (Operation *part : moving)
      part->moveBefore(place);
    bytesAhead += bytes;
    return true;
  }
  return false;
}

bool BlockHoister::isFirstUse(Operation *op) {
  bool isFirst = false;
  for (Value operand : op->getOperands())
    if (auto load = operand.getDefiningOp<LoadOp>(); load && load->getBlock() == &block)
      isFirst |= used.insert(load).second;
  return isFirst;
}

void BlockHoister::visit(Operation *op) {
  if (!isMemoryEffectFree(op)) {
    waits.clear();
    bytesAhead = 0;
  } else if (exchangesData(op) || isFirstUse(op)) {
    waits.push_back(op);
  }
}

unsigned BlockHoister::run() {
  unsigned numHoisted = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto load = dyn_cast<LoadOp>(op);
    if (load && !load.getIsVolatile())
      numHoisted += hoist(load);
    else
      visit(&op);
  }
  return numHoisted;
}

namespace {

struct HoistLoads : tilec::tile::impl::TileHoistLoadsBase<HoistLoads> {
  using TileHoistLoadsBase::TileHoistLoadsBase;

  void runOnOperation() override {
    if (!isEnabled(getOperation(), tilec::GpuHeuristic::HoistLoads))
      return;
    const LoadTuning &tuning = getTarget(getOperation()).tuning().loads;
    bool multiplies = hasProducts(getOperation());
    unsigned count = 0;
    getOperation().walk([&](Operation *op) {
      bool isLoop = isa<LoopLikeOpInterface>(op);
      // Outside a loop a program waits once, while others run: occupancy is worth more. Of programs
      // with products few run at a time.
      if ((!isLoop && !multiplies) || op->hasTrait<HasScalarCode>())
        return;
      int64_t mostBytes = multiplies ? tuning.mostBytesAheadOfProducts : tuning.mostBytesAhead;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          count += BlockHoister(block, mostBytes).run();
    });
    if (count > 0)
      getOperation()->setAttr(kLoadsAheadAttr, UnitAttr::get(&getContext()));
    numHoisted += count;
  }
};

} // namespace
