//===- CopyLoads.cpp - loads straight into shared memory --------*- C++ -*-===//
//
// The pass `tile-copy-loads`. What a program loads only to store it into the buffer of an exchange
// takes registers on its way, so few such loads are in flight at a time. An asynchronous copy takes
// none. So such a load becomes one, with a group of its own, and moves up before the first point
// where threads wait, as far as shared memory has room. Before the buffer is read threads wait for
// that group: groups of others may come in between, but then a wait covers more, never less.
//
// Loops that copy ahead count groups, too, and keep their loads. Warps with roles do as well.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ExpandExchanges.h"
#include "LoopIterations.h"
#include "SharedLifetimes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/MatrixAccess.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECOPYLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

/// A load all of which one operation stores into a buffer, and which has no other user.
struct StoredLoad {
  LoadOp load;
  BufferStoreOp store;
  AllocBufferOp buffer;
  BufferType type; ///< Of the buffer, with a map that keeps together what a copy brings.
};

/// The loads of a block that become copies.
class BlockCopies {
public:
  BlockCopies(Block &block, const AxisInfoAnalysis &axes, SharedLifetimes &lifetimes,
              int64_t mostBytes)
      : block(block), axes(axes), lifetimes(lifetimes), mostBytes(mostBytes) {}

  /// Returns the number of loads that became copies.
  unsigned run();

private:
  bool isRepeated(LoadOp load) const;
  std::optional<StoredLoad> describe(LoadOp load) const;
  BufferType typeForCopies(LoadOp load, AllocBufferOp buffer) const;
  Operation *choosePlace(StoredLoad stored, IRRewriter &rewriter);
  void copy(StoredLoad stored, Operation *place, IRRewriter &rewriter);
  void insertWaits(OpBuilder &builder);

  Block &block;
  const AxisInfoAnalysis &axes;
  SharedLifetimes &lifetimes;
  int64_t mostBytes;
  /// What each group brings.
  llvm::MapVector<Operation *, AllocBufferOp> groups;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// Whether the rows or columns of a tile lie in the same place: all but the first of them come from
/// L1, which copies of 16 bytes bypass.
bool BlockCopies::isRepeated(LoadOp load) const {
  return llvm::any_of(axes.get(load.getPtr()).dims,
                      [](const AxisInfo::Dim &dim) { return dim.constancy > 1; });
}

std::optional<StoredLoad> BlockCopies::describe(LoadOp load) const {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || tile.getRank() < 2 || !load.isPlain() || !load.mayFillWithZeros() ||
      load.getCache() != CacheModifier::None || !load->hasOneUse() || !isWholeInCTA(tile) ||
      isRepeated(load))
    return std::nullopt;
  StoredLoad stored;
  stored.load = load;
  stored.store = dyn_cast<BufferStoreOp>(*load->user_begin());
  if (!stored.store || stored.store->getBlock() != &block || !stored.store.getPeers().empty() ||
      stored.store.getAxis())
    return std::nullopt;
  stored.buffer = stored.store.getBuffer().getDefiningOp<AllocBufferOp>();
  if (!stored.buffer || stored.buffer->getBlock() != &block)
    return std::nullopt;
  BufferType type = stored.buffer.getType();
  bool isWhole =
      type.getRounds() == 1 && type.getSlots() == 1 && type.getShape() == tile.getShape();
  for (Operation *user : stored.buffer->getUsers())
    isWhole &=
        user == stored.store || (isa<BufferLoadOp, GroupDotOp>(user) &&
                                 stored.store->isBeforeInBlock(block.findAncestorOpInBlock(*user)));
  if (isWhole)
    stored.type = typeForCopies(load, stored.buffer);
  return stored.type ? std::optional(stored) : std::nullopt;
}

/// The buffer's type if its map keeps together what a copy of 16 bytes brings, or with a map that
/// does so and makes no load from the buffer slower; null if there is none.
BufferType BlockCopies::typeForCopies(LoadOp load, AllocBufferOp buffer) const {
  BufferType type = buffer.getType();
  LinearLayout layout = layoutOf(load.getResult());
  int64_t bytes = byteSize(type.getElementType());
  int64_t width = axes.getRegisterWidth(load.getPtr(), load.getMask());
  auto isTogether = [&](const SharedLayout &map) {
    return neighboursIn(map, layout, width) * bytes >= tilec::kMaxAccessBytes;
  };
  SharedLayout map = type.getMap().toSharedLayout();
  if (isTogether(map))
    return type;
  unsigned bits = unsigned(8 * bytes);
  SharedLayout other = placeForMatrices(layout.shape(), innerAxis(layout), bits);
  auto isReadAsWell = [&](Operation *user) {
    auto read = dyn_cast<BufferLoadOp>(user);
    auto cost = [&](const SharedLayout &map) {
      return leastCost(layoutOf(read.getResult()), map, bits, /*isStore=*/false, bits < 32);
    };
    return isa<BufferStoreOp>(user) || (read && cost(other) <= cost(map));
  };
  if (!isTogether(other) || !llvm::all_of(buffer->getUsers(), isReadAsWell))
    return {};
  return BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                         SharedAttr::get(type.getContext(), other), /*rounds=*/1, /*slots=*/1);
}

//===----------------------------------------------------------------------===//
// Where the copies start
//===----------------------------------------------------------------------===//

/// Whether a load may move up over `op`: it writes no memory but buffers, and tells others nothing.
static bool mayMoveOver(Operation *op) {
  if (op->hasTrait<OrdersAccesses>() || isa<WarpRolesOp>(op))
    return false;
  return isa<GroupDotOp, GroupWaitOp>(op) || onlyAffectsShared(op) || isMemoryEffectFree(op) ||
         hasSingleEffect<MemoryEffects::Read>(op);
}

/// Whether nothing happens at `op` but that tiles, or parts of them, get into registers.
static bool onlyReadsBuffers(Operation *op) {
  return isa<BufferLoadOp, AllocBufferOp, ShapeChangeOpInterface>(op) || isElementwise(op);
}

/// The first of the loads from buffers that stand together with `op`; `op` if there are none before
/// it.
static Operation *firstOfReads(Operation *op) {
  Operation *first = op;
  for (Operation *before = op->getPrevNode(); before && onlyReadsBuffers(before);
       before = before->getPrevNode())
    if (isa<BufferLoadOp>(before))
      first = before;
  return first;
}

/// Whether threads wait at `op` for each other or for what they have loaded. Factors are read piece
/// by piece next to their product, so nothing shall come between. What is in flight reads its
/// factors until threads have waited for it: so nothing is written from its start to that, either.
static bool waits(Operation *op) {
  return isa<BufferStoreOp>(op) || (isa<BufferLoadOp, GroupDotOp>(op) && firstOfReads(op) == op) ||
         llvm::any_of(op->getOperands(),
                      [](Value operand) { return operand.getDefiningOp<LoadOp>() != nullptr; });
}

/// Moves what `stored.load` needs as far up as there is memory for its buffer, and not over what
/// fills the buffers from which it comes, as the exchange of indices does. Returns the place of the
/// copy; null if there is no memory for it even in the place of the load.
Operation *BlockCopies::choosePlace(StoredLoad stored, IRRewriter &rewriter) {
  SmallVector<Operation *> places = {stored.load};
  llvm::SmallPtrSet<Operation *, 16> needed;
  auto needOperands = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (Operation *place = block.findAncestorOpInBlock(*source))
            needed.insert(place);
    });
  };
  needOperands(stored.load);
  for (Operation *op = stored.load->getPrevNode(); op && mayMoveOver(op); op = op->getPrevNode()) {
    if (needed.contains(op)) {
      if (!isMemoryEffectFree(op) && !isa<LoadOp>(op))
        break;
      needOperands(op);
    }
    if (waits(op))
      places.push_back(op);
  }
  for (Operation *place : llvm::reverse(places))
    if (lifetimes.mostBytesFrom(stored.buffer, place) <= mostBytes &&
        (place == stored.load ||
         succeeded(moveOperationDependencies(rewriter, stored.load, place))))
      return place;
  return nullptr;
}

void BlockCopies::copy(StoredLoad stored, Operation *place, IRRewriter &rewriter) {
  lifetimes.needFrom(stored.buffer, place);
  stored.buffer.getResult().setType(stored.type);
  rewriter.moveOpBefore(stored.buffer, place);
  rewriter.setInsertionPoint(place);
  LoadOp load = stored.load;
  BufferCopyOp::create(rewriter, load.getLoc(), load.getPtr(), stored.buffer, /*slot=*/Value(),
                       load.getMask(), load.getEvict());
  auto commit = AsyncCommitOp::create(rewriter, load.getLoc(), /*ordered=*/true);
  groups.insert({commit, stored.buffer});
  rewriter.eraseOp(stored.store);
  rewriter.eraseOp(load);
}

//===----------------------------------------------------------------------===//
// Where threads wait for them
//===----------------------------------------------------------------------===//

/// Before the first operation that reads what a group brings, threads wait for that group. Readers
/// with nothing but loads from buffers in between share a wait, and a barrier with those.
void BlockCopies::insertWaits(OpBuilder &builder) {
  llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> firstReads; // Groups, by first readers.
  for (auto [commit, buffer] : groups) {
    Operation *first = nullptr;
    for (Operation *user : buffer->getUsers())
      if (Operation *op = block.findAncestorOpInBlock(*user);
          !isa<BufferCopyOp>(op) && (!first || op->isBeforeInBlock(first)))
        first = op;
    if (first)
      firstReads[first].push_back(commit);
  }
  // Groups are counted in the order in which they start, also those of others in this block.
  llvm::DenseMap<Operation *, unsigned> numbers;
  unsigned started = 0, landed = 0;
  auto lastReadBy = [&](Operation *op) {
    unsigned last = 0;
    for (Operation *commit : firstReads.lookup(op))
      last = std::max(last, numbers.lookup(commit));
    return last;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<AsyncCommitOp>(op))
      numbers[&op] = ++started;
    unsigned last = lastReadBy(&op);
    if (last <= landed)
      continue;
    for (Operation *next = op.getNextNode(); next && onlyReadsBuffers(next);
         next = next->getNextNode())
      last = std::max(last, lastReadBy(next));
    builder.setInsertionPoint(firstOfReads(&op));
    AsyncWaitOp::create(builder, op.getLoc(), started - last, /*ordered=*/true);
    landed = last;
  }
}

unsigned BlockCopies::run() {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (LoadOp load : llvm::to_vector(block.getOps<LoadOp>()))
    if (std::optional<StoredLoad> stored = describe(load))
      if (Operation *place = choosePlace(*stored, rewriter))
        copy(*stored, place, rewriter);
  if (!groups.empty())
    insertWaits(rewriter);
  return groups.size();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether `block` is in a loop that copies ahead, or in a role of warps.
static bool countsGroups(Block &block) {
  for (Operation *op = block.getParentOp(); op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
    if (isa<WarpRolesOp>(op))
      return true;
    if (isa<LoopLikeOpInterface>(op) &&
        op->walk([](AsyncCommitOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return true;
  }
  return false;
}

/// Whether anything that is loaded goes to a buffer at once.
static bool storesLoads(func::FuncOp kernel) {
  auto result = kernel.walk([](BufferStoreOp store) {
    bool isLoaded = isa_and_nonnull<LoadOp>(store.getValue().getDefiningOp());
    return isLoaded ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {

struct CopyLoads : tilec::tile::impl::TileCopyLoadsBase<CopyLoads> {
  using TileCopyLoadsBase::TileCopyLoadsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    // Of kernels without products many programs run at a time, and hide the latency of their loads.
    if (!kernel->hasAttr(kKernelAttr) || !isEnabled(kernel, tilec::GpuHeuristic::CopyLoads) ||
        !getTarget(kernel).has(tilec::GpuFeature::AsyncCopy) || !hasProducts(kernel))
      return;
    if (!storesLoads(kernel))
      return markAllAnalysesPreserved();
    AxisInfoAnalysis axes(kernel);
    SharedLifetimes lifetimes(kernel);
    int64_t mostBytes = sharedBesideRegisters(kernel, lifetimes.mostBytes());
    kernel.walk([&](Block *block) {
      if (!countsGroups(*block))
        numCopied += BlockCopies(*block, axes, lifetimes, mostBytes).run();
    });
  }
};

} // namespace
