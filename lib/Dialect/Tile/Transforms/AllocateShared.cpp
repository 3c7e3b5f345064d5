//===- AllocateShared.cpp - place scratch in shared memory -----*- C++ -*-===//
//
// The pass `tile-allocate-shared`.
//
// Model: an operation with scratch S writes S, passes a barrier that all threads of the CTA reach, and
// reads S. After that barrier every read of earlier scratch is over, but reads of S itself may still be
// going on in slow threads. So the state between operations is the set of areas that may still be
// read, and an operation whose scratch overlaps one must wait at a barrier before it writes.
//
// The scalars that control flow depends on are the same in every thread, so all threads agree on the
// path; a branch only makes the state the union of what its arms leave behind, and a loop body starts
// with what either the code before it or its own end leaves behind.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/Analysis/Scratch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Shared memory that may be spent to save barriers; beyond it, scratch is reused.
static constexpr int64_t kBarrierBudgetBytes = 8 * 1024;

namespace {

struct Area {
  int64_t begin, end;
  bool overlaps(const Area &other) const { return begin < other.end && other.begin < end; }
};

/// The areas that slow threads may still be reading.
using State = SmallVector<Area, 2>;

class Allocator {
public:
  void visit(Region &region, State &state);
  int64_t getTotal() const { return total; }
  const llvm::MapVector<Operation *, Area> &getAreas() const { return areas; }
  const llvm::DenseSet<Operation *> &getWaiting() const { return waiting; }

private:
  void visitOp(Operation *op, State &state);
  void visitBranches(Operation *op, State &state);
  void visitFor(scf::ForOp op, State &state);
  void visitWhile(scf::WhileOp op, State &state);
  Area place(int64_t bytes, const State &state);

  llvm::MapVector<Operation *, Area> areas;
  llvm::DenseSet<Operation *> waiting;
  int64_t total = 0;
};

} // namespace

static bool overlapsAny(const Area &area, const State &state) {
  return llvm::any_of(state, [&](const Area &other) { return area.overlaps(other); });
}

Area Allocator::place(int64_t bytes, const State &state) {
  // Either the start, or just after some area that is still read.
  SmallVector<int64_t> starts = {0};
  for (const Area &area : state)
    starts.push_back(llvm::alignTo(area.end, kScratchAlignment));
  llvm::sort(starts);
  for (int64_t start : starts) {
    Area area = {start, start + bytes};
    if (!overlapsAny(area, state) && area.end <= std::max(total, kBarrierBudgetBytes))
      return area;
  }
  return {0, bytes};
}

void Allocator::visitOp(Operation *op, State &state) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, state);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop, state);
  if (isa<scf::IfOp>(op))
    return visitBranches(op, state);
  int64_t bytes = getScratchBytes(op);
  if (bytes == 0)
    return;
  auto [it, isNew] = areas.insert({op, Area()});
  if (isNew)
    it->second = place(bytes, state);
  if (overlapsAny(it->second, state))
    waiting.insert(op);
  total = std::max(total, it->second.end);
  state = {it->second};
}

void Allocator::visit(Region &region, State &state) {
  for (Block &block : region)
    for (Operation &op : block)
      visitOp(&op, state);
}

void Allocator::visitBranches(Operation *op, State &state) {
  State before = state;
  State after;
  for (Region &region : op->getRegions()) {
    State branch = before;
    visit(region, branch);
    llvm::append_range(after, branch);
  }
  state = after;
}

void Allocator::visitFor(scf::ForOp op, State &state) {
  State before = state;
  // The second time the body starts with what its own end leaves behind.
  for (int pass = 0; pass < 2; ++pass) {
    visit(op.getRegion(), state);
    llvm::append_range(state, before);
  }
}

void Allocator::visitWhile(scf::WhileOp op, State &state) {
  State before = state;
  visit(op.getBefore(), state);
  visit(op.getAfter(), state);
  llvm::append_range(state, before);
  // The second time the loop starts with what its own end leaves behind; it ends after its first region.
  visit(op.getBefore(), state);
  State after = state;
  visit(op.getAfter(), state);
  state = after;
}

namespace {

struct AllocateShared : mlir::tile::impl::TileAllocateSharedBase<AllocateShared> {
  using TileAllocateSharedBase::TileAllocateSharedBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kKernelAttr))
      return;
    Allocator allocator;
    State state;
    allocator.visit(function.getBody(), state);
    Builder builder(&getContext());
    for (auto &[op, area] : allocator.getAreas()) {
      op->setAttr(kSharedOffsetAttr, builder.getI32IntegerAttr(area.begin));
      if (allocator.getWaiting().contains(op))
        op->setAttr(kSharedBarrierAttr, builder.getUnitAttr());
    }
    numBarriers += allocator.getWaiting().size();
    function->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(allocator.getTotal()));
  }
};

} // namespace
