//===- AllocateShared.cpp - place scratch in shared memory -----*- C++ -*-===//
//
// The pass `tile-allocate-shared`.
//
// Model: an operation with scratch S writes S, passes a barrier that all threads of the CTA reach, and
// reads S. After that barrier every read of earlier scratch is over, but reads of S itself may still be
// going on in slow threads. So the state between operations is the set of areas that may still be
// read, and an operation whose scratch overlaps one must wait at a barrier before it writes.
//
// A reduction over the CTAs of a cluster also writes into its peers' shared memory. A peer may be as far
// behind as the last barrier of the whole cluster, so what is written remotely must avoid every area that
// was used since then, and a second set keeps these. A read is always of a CTA's own memory, so no CTA
// needs to outlive its last operation.
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

#include <map>
#include <set>

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
  bool operator==(const Area &other) const { return begin == other.begin && end == other.end; }
};

using Areas = SmallVector<Area, 4>;

/// Areas recur: without this, each branch would double their number.
void addArea(Areas &areas, const Area &area) {
  if (!llvm::is_contained(areas, area))
    areas.push_back(area);
}

/// What slow threads may still be using: those of this CTA, which read, and those of the whole cluster.
struct State {
  Areas inCTA, inCluster;

  void merge(const State &other) {
    for (const Area &area : other.inCTA)
      addArea(inCTA, area);
    for (const Area &area : other.inCluster)
      addArea(inCluster, area);
  }
};

/// Who takes part in an exchange of data.
enum class Scope { CTA, Cluster };
using Exchange = std::pair<Operation *, Scope>;

class Allocator {
public:
  explicit Allocator(int64_t numWarps) : numWarps(numWarps) {}

  void placeRings(func::FuncOp function);
  void visit(Region &region, State &state);
  /// Says in attributes what was decided. Returns the number of exchanges that wait before they write.
  unsigned annotate(func::FuncOp function) const;

private:
  void visitOp(Operation *op, State &state);
  void visitExchange(Exchange exchange, int64_t bytes, State &state);
  void visitBranches(Operation *op, State &state);
  void visitFor(scf::ForOp op, State &state);
  void visitWhile(scf::WhileOp op, State &state);
  Area place(int64_t bytes, const Areas &inUse);

  std::map<Exchange, Area> areas;
  std::set<Exchange> waiting;
  /// The first operation that writes into other CTAs.
  Operation *firstRemote = nullptr;
  int64_t numWarps;
  /// The rings come first, for the whole kernel; scratch follows.
  int64_t ringBytes = 0;
  int64_t total = 0;
};

} // namespace

static bool overlapsAny(const Area &area, const Areas &areas) {
  return llvm::any_of(areas, [&](const Area &other) { return area.overlaps(other); });
}

Area Allocator::place(int64_t bytes, const Areas &inUse) {
  // Either the start, or just after some area that is still read.
  SmallVector<int64_t> starts = {ringBytes};
  for (const Area &area : inUse)
    starts.push_back(llvm::alignTo(area.end, kScratchAlignment));
  llvm::sort(starts);
  for (int64_t start : starts) {
    Area area = {start, start + bytes};
    if (!overlapsAny(area, inUse) && area.end <= std::max(total, ringBytes + kBarrierBudgetBytes))
      return area;
  }
  return {ringBytes, ringBytes + bytes};
}

void Allocator::visitOp(Operation *op, State &state) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, state);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop, state);
  if (isa<scf::IfOp>(op))
    return visitBranches(op, state);
  visitExchange({op, Scope::CTA}, getScratchBytes(op), state);
  visitExchange({op, Scope::Cluster}, getClusterScratchBytes(op), state);
}

void Allocator::visitExchange(Exchange exchange, int64_t bytes, State &state) {
  if (bytes == 0)
    return;
  bool isRemote = exchange.second == Scope::Cluster;
  const Areas &inUse = isRemote ? state.inCluster : state.inCTA;
  auto [it, isNew] = areas.insert({exchange, Area()});
  const Area &area = it->second;
  if (isNew)
    it->second = place(bytes, inUse);
  if (isRemote && !firstRemote)
    firstRemote = exchange.first;
  if (overlapsAny(area, inUse))
    waiting.insert(exchange);
  total = std::max(total, area.end);
  // Now this area is read, and the barrier before the reads has ended all earlier use.
  state.inCTA = {area};
  if (isRemote)
    state.inCluster.clear();
  addArea(state.inCluster, area);
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
    after.merge(branch);
  }
  state = after;
}

void Allocator::visitFor(scf::ForOp op, State &state) {
  State before = state;
  // The second time the body starts with what its own end leaves behind.
  for (int pass = 0; pass < 2; ++pass) {
    visit(op.getRegion(), state);
    state.merge(before);
  }
}

void Allocator::visitWhile(scf::WhileOp op, State &state) {
  State before = state;
  visit(op.getBefore(), state);
  visit(op.getAfter(), state);
  state.merge(before);
  // The second time the loop starts with what its own end leaves behind; it ends after its first region.
  visit(op.getBefore(), state);
  State after = state;
  visit(op.getAfter(), state);
  state = after;
}

void Allocator::placeRings(func::FuncOp function) {
  function.walk([&](AllocRingOp op) {
    if (!getLayout(op.getType().getTile()))
      return;
    op->setAttr(kSharedOffsetAttr, Builder(op.getContext()).getI32IntegerAttr(ringBytes));
    ringBytes += llvm::alignTo(op.getType().getTotalBytes(numWarps), kScratchAlignment);
  });
  total = ringBytes;
}

unsigned Allocator::annotate(func::FuncOp function) const {
  Builder builder(function.getContext());
  for (const auto &[exchange, area] : areas) {
    auto [op, scope] = exchange;
    bool isRemote = scope == Scope::Cluster;
    op->setAttr(isRemote ? kClusterOffsetAttr : kSharedOffsetAttr,
                builder.getI32IntegerAttr(area.begin));
    if (waiting.count(exchange))
      op->setAttr(isRemote ? kClusterBarrierAttr : kSharedBarrierAttr, builder.getUnitAttr());
  }
  if (firstRemote) {
    // Inside a loop or a branch, it would wait more or less often than once.
    bool isOnce = firstRemote->getParentOp() == function;
    Operation *starter = isOnce ? firstRemote : function.getOperation();
    starter->setAttr(kClusterStartAttr, builder.getUnitAttr());
  }
  function->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(total));
  return waiting.size();
}

namespace {

struct AllocateShared : mlir::tile::impl::TileAllocateSharedBase<AllocateShared> {
  using TileAllocateSharedBase::TileAllocateSharedBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kKernelAttr))
      return;
    Allocator allocator(getLaunchShape(function).numWarps);
    allocator.placeRings(function);
    State state;
    allocator.visit(function.getBody(), state);
    numBarriers += allocator.annotate(function);
  }
};

} // namespace
