//===- SinkLoads.cpp - factors are read where their product is --*- C++ -*-===//
//
// The pass `tile-sink-loads`. What is loaded from a buffer long before its user fills registers
// meanwhile: neither LLVM nor ptxas moves it over a barrier or a store. Next to a matrix
// instruction a factor is read piece by piece. So loads of factors move down to their products,
// with what only rearranges or converts the tile on the way; the buffer is in use for longer. A
// factor of a warp group's product does so where threads wait for another exchange on the way: one
// barrier then serves both.
//
// What is computed before a loop and needed behind it moves behind it as well, where it takes more
// registers than what it is computed from; and what is loaded from a buffer, whoever needs it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ExpandExchanges.h"
#include "LiveRegisters.h"
#include "LoopIterations.h"
#include "SharedLifetimes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESINKLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Factors of products
//===----------------------------------------------------------------------===//

/// Whether lanes share the depth of a product, as those of matrix instructions do. Of other
/// products ptxas loads all of a factor first in any case.
static bool isByInstructions(DotOp product) {
  LinearLayout left = layoutOf(product.getLhs());
  uint64_t depth = left.axisMask(left.rank() - 1);
  return llvm::any_of(left.flatBases(InDim::Lane),
                      [&](uint64_t basis) { return (basis & depth) != 0; });
}

/// Whether a factor takes so many registers that it is better read several times.
static bool isLarge(Value factor) {
  return registersOfTile(factor) > getTarget(factor.getDefiningOp()).tuning().loads.manyOfFactor;
}

/// Whether the threads have not enough registers for all that is live before `product`.
static bool isCrowded(DotOp product) {
  return LiveRegisters().before(product) > getTarget(product).tuning().loads.manyLiveAtProducts;
}

namespace {
/// What is computed from one load alone up to the first product that takes it as a factor.
struct Factor {
  SmallVector<Operation *> operations; // The load first.
  Operation *product = nullptr;        // A DotOp or GroupDotOp.
  bool isChain = true;                 // Each operation is the only user of the one before.
};
} // namespace

/// Whether `op` may be computed from values of `known` alone, anywhere behind them.
static bool followsFrom(const SmallPtrSetImpl<Operation *> &known, Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *made = operand.getDefiningOp();
           return made && (known.contains(made) || made->hasTrait<OpTrait::ConstantLike>());
         });
}

/// The way of `load` to a product in the same block, before which nothing else needs it.
static std::optional<Factor> findFactor(BufferLoadOp load) {
  Factor factor{{load}, {}};
  SmallPtrSet<Operation *, 16> moved = {load};
  for (Operation *op = load->getNextNode(); op && !factor.product; op = op->getNextNode()) {
    bool uses = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && moved.contains(operand.getDefiningOp());
    });
    if (!uses)
      continue;
    if (isa<DotOp, GroupDotOp>(op)) {
      factor.product = op;
    } else if (followsFrom(moved, op)) {
      factor.operations.push_back(op);
      moved.insert(op);
    } else {
      return std::nullopt;
    }
  }
  if (!factor.product)
    return std::nullopt;
  for (Operation *op : factor.operations) {
    factor.isChain &= op->hasOneUse();
    for (Operation *user : op->getUsers()) {
      Operation *place = load->getBlock()->findAncestorOpInBlock(*user);
      if (!place || (!moved.contains(place) && place->isBeforeInBlock(factor.product)))
        return std::nullopt;
    }
  }
  return factor;
}

/// Whether a load from `buffer` may move down over `op`: neither is the buffer written there, nor
/// are others told that it may be.
static bool staysUnwritten(Value buffer, Operation *op) {
  WalkResult walked = op->walk([&](Operation *inner) {
    if (inner->hasTrait<OrdersAccesses>() || isa<WarpRolesOp>(inner))
      return WalkResult::interrupt();
    bool uses = llvm::is_contained(inner->getOperands(), buffer);
    return uses && !isa<BufferLoadOp, DotOp, GroupDotOp>(inner) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

static bool staysUnwritten(Value buffer, Operation *begin, Operation *end) {
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
    if (!staysUnwritten(buffer, op))
      return false;
  return true;
}

/// Whether `load` reads a buffer of its own block that is stored once, and else only loaded.
static bool isOfExchange(BufferLoadOp load, AllocBufferOp buffer) {
  return !load.getSlot() && buffer->getBlock() == load->getBlock() &&
         llvm::all_of(buffer->getUsers(), llvm::IsaPred<BufferStoreOp, BufferLoadOp>) &&
         llvm::count_if(buffer->getUsers(), llvm::IsaPred<BufferStoreOp>) == 1;
}

/// The resident CTAs where each thread takes all registers that it may: such kernels are where
/// loads must move.
static int64_t ctasByRegisters(Operation *op) {
  tilec::GpuArch arch = getTarget(op);
  int64_t threads = int64_t(tilec::kWarpSize) * getLaunchShapeAt(op).numWarps;
  int64_t most = std::min<int64_t>(arch.maxRegistersPerThread(), arch.registersPerSM() / threads);
  return arch.registersPerSM() / (threads * most);
}

/// Shared memory of a CTA that costs none of these.
static int64_t bytesBesideRegisters(Operation *op) {
  tilec::GpuArch arch = getTarget(op);
  return std::min<int64_t>(arch.sharedForCopies(), arch.sharedPerSM() / ctasByRegisters(op) -
                                                       arch.reservedSharedPerBlock());
}

/// Whether threads wait for other exchanges between `load` and the product of a warp group, so that
/// the load can share a barrier with them, and no other product is in flight where it goes: ptxas
/// writes no registers beside asynchronous products.
static bool sharesBarrier(BufferLoadOp load, GroupDotOp product) {
  bool waits = false, isBusy = false;
  for (Operation *op = load->getNextNode(); op != product; op = op->getNextNode()) {
    waits |= isa<BufferStoreOp>(op);
    if (auto wait = dyn_cast<GroupWaitOp>(op))
      isBusy &= wait.getPending() != 0;
    else
      isBusy |= op->walk([](GroupDotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }
  return waits && !isBusy;
}

namespace {
/// Memory for buffers that are needed for longer.
class SharedRoom {
public:
  explicit SharedRoom(func::FuncOp kernel)
      : kernel(kernel), lifetimes(kernel),
        mostBytes(sharedBesideRegisters(kernel, lifetimes.mostBytes())),
        // For so many a limit of registers may make room, whatever their number is here.
        leastCTAs(std::min<int64_t>(residentCTAs(kernel, lifetimes.mostBytes()),
                                    getTarget(kernel).tuning().code.mostBlocksOfProducts)) {}

  /// Keeps `buffer` up to `last`, unless that costs a resident CTA of the `most` that there are
  /// registers for.
  bool keepUntil(AllocBufferOp buffer, Operation *last, int64_t most = INT64_MAX) {
    // Alignment and barrier objects come to what the buffers take.
    int64_t bytes = lifetimes.mostBytesUntil(buffer, last) + kGroupBufferAlignment;
    if (bytes > mostBytes || residentCTAs(kernel, bytes) < std::min(leastCTAs, most))
      return false;
    lifetimes.needUntil(buffer, last);
    return true;
  }

private:
  func::FuncOp kernel;
  SharedLifetimes lifetimes;
  int64_t mostBytes, leastCTAs;
};
} // namespace

/// The account of the kernel that `op` is in: it is made for those that ask.
static SharedRoom &roomAround(Operation *op, std::optional<SharedRoom> &room) {
  if (!room)
    room.emplace(op->getParentOfType<func::FuncOp>());
  return *room;
}

/// Whether a factor is better read at its product: the factors of a product by instructions then
/// share one barrier, too. Of another one only where another CTA works while this one waits for its
/// factors.
static bool isBetterAt(DotOp product, BufferLoadOp load, AllocBufferOp buffer,
                       std::optional<SharedRoom> &room) {
  Operation *last = product->getPrevNode();
  const tilec::LoadTuning &tuning = getTarget(product).tuning().loads;
  auto isCrowdedMeanwhile = [&](int64_t many) {
    return last != load && LiveRegisters().mostBetween(load, last) > many;
  };
  if (load.getSlot()) {
    // What a slot holds is there already: reading it behind a barrier makes nobody wait.
    bool isCrowded = isByInstructions(product)
                         ? LiveRegisters().before(product) > tuning.manyLiveAtSlots
                         : isCrowdedMeanwhile(tuning.manyLiveAtBarriers);
    return isCrowded && staysUnwritten(buffer, load, product);
  }
  if (isByInstructions(product))
    return isOfExchange(load, buffer) && roomAround(load, room).keepUntil(buffer, product);
  // With more than all registers live, there are no more CTAs than those that take all of them.
  int64_t numCTAs = ctasByRegisters(product);
  return numCTAs > 1 && isCrowdedMeanwhile(tuning.manyLiveAtProducts) &&
         isOfExchange(load, buffer) && roomAround(load, room).keepUntil(buffer, product, numCTAs);
}

/// Moves what a factor comes from to its product, if that is better.
static bool sinkFactor(BufferLoadOp load, AllocBufferOp buffer, std::optional<SharedRoom> &room) {
  std::optional<Factor> factor = findFactor(load);
  // Other buffers are in use for longer, for less gain where arithmetic follows.
  if (!factor || (!factor->isChain && !load.getSlot()))
    return false;
  if (auto product = dyn_cast<DotOp>(factor->product)) {
    if (!isBetterAt(product, load, buffer, room))
      return false;
  } else if (!isOfExchange(load, buffer) ||
             !sharesBarrier(load, cast<GroupDotOp>(factor->product)) ||
             !roomAround(load, room).keepUntil(buffer, factor->product)) {
    return false;
  }
  for (Operation *op : factor->operations)
    op->moveBefore(factor->product);
  return true;
}

/// Whether a factor of several products, or of one in a loop or branch around it, is better read
/// each time; and there is memory for that beside `kept` bytes of others. Without instructions for
/// them, the only product of a factor has its elements in time by an early load.
static bool staysInBuffer(BufferLoadOp load, AllocBufferOp buffer, Operation *user, bool isOnly,
                          int64_t kept) {
  auto product = dyn_cast<DotOp>(user);
  if (!product ||
      !isa<DotOp, scf::ForOp, scf::IfOp>(load->getBlock()->findAncestorOpInBlock(*product)))
    return false;
  bool isNextTo = isOnly && product->getBlock() == load->getBlock();
  if (!isByInstructions(product) && (isNextTo || !isLarge(load.getResult())))
    return false;
  int64_t bytes = slotBytes(product).around + buffer.getType().getBytes();
  if (isLarge(load.getResult()))
    return bytes <= int64_t(getTarget(product).sharedForCopies());
  // Fewer CTAs are better than registers in local memory, as long as one works while another waits.
  tilec::GpuArch arch = getTarget(product);
  int64_t most = std::max<int64_t>({tilec::kStaticSharedLimit, bytesBesideRegisters(product),
                                    arch.sharedPerSM() / 2 - arch.reservedSharedPerBlock()});
  return bytes + kept <= most && isCrowded(product);
}

namespace {
/// A use of a loaded tile by a product, perhaps with its axes in another order.
struct ReadByProduct {
  SmallVector<Operation *, 2> changes; // Of shape, the first one first.
  OpOperand *use;
};
} // namespace

/// Adds the uses of `value`, which is what `changes` make of a load; false if others than products
/// need it.
static bool findReads(Value value, SmallVector<Operation *, 2> &changes,
                      SmallVectorImpl<ReadByProduct> &reads) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<DotOp>(user)) {
      reads.push_back({changes, &use});
      continue;
    }
    if (!isa<ShapeChangeOpInterface>(user))
      return false;
    changes.push_back(user);
    if (!findReads(user->getResult(0), changes, reads))
      return false;
    changes.pop_back();
  }
  return true;
}

/// Has the product load the tile itself.
static void readAgain(BufferLoadOp load, const ReadByProduct &read) {
  OpBuilder builder(read.use->getOwner());
  IRMapping again;
  builder.clone(*load, again);
  for (Operation *change : read.changes)
    builder.clone(*change, again);
  read.use->set(again.lookup(read.use->get()));
}

/// Erases `op` and the shape changes of its result.
static void eraseWithChanges(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    eraseWithChanges(user);
  op->erase();
}

/// Moves a load to its products, or reads it for each of them; whether it does. `kept` are the
/// bytes of buffers that are read several times.
static bool loadAtProducts(BufferLoadOp load, int64_t &kept, std::optional<SharedRoom> &room) {
  auto buffer = load.getBuffer().getDefiningOp<AllocBufferOp>();
  if (!buffer || load.use_empty() || load.getPrevious() || load.getMask())
    return false;
  if (sinkFactor(load, buffer, room))
    return true;
  SmallVector<Operation *, 2> changes;
  SmallVector<ReadByProduct> reads;
  if (!isOfExchange(load, buffer) || !findReads(load.getResult(), changes, reads) ||
      !llvm::all_of(reads, [&](const ReadByProduct &read) {
        return staysInBuffer(load, buffer, read.use->getOwner(), reads.size() == 1, kept);
      }))
    return false;
  kept += buffer.getType().getBytes();
  for (const ReadByProduct &read : reads)
    readAgain(load, read);
  eraseWithChanges(load);
  return true;
}

//===----------------------------------------------------------------------===//
// What loops do not need
//===----------------------------------------------------------------------===//

/// Registers that a value keeps occupied; truth values are packed or fill one each.
static int64_t registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !getLayout(type) || isMadeAgain(value))
    return 0;
  return layoutOf(value).numRegisters();
}

/// The first user of `op`, or what it is in, in op's block; null if no loop stands between them.
static Operation *firstUserBehindLoop(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *place = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || place->isBeforeInBlock(first))
      first = place;
  }
  for (Operation *between = op->getNextNode(); first && between != first;
       between = between->getNextNode())
    if (isa<scf::ForOp, scf::WhileOp>(between))
      return first;
  return nullptr;
}

/// Whether `op` loads all of a buffer that is stored once, and may do so at `end` as well: then the
/// buffer is kept until there.
static bool isLoadUntil(Operation *op, Operation *end, std::optional<SharedRoom> &room) {
  auto load = dyn_cast<BufferLoadOp>(op);
  auto buffer = load ? load.getBuffer().getDefiningOp<AllocBufferOp>() : AllocBufferOp();
  return buffer && !load.getPrevious() && !load.getMask() && isOfExchange(load, buffer) &&
         roomAround(op, room).keepUntil(buffer, end);
}

/// Moves a large tile's computation, or its load from a buffer, behind the loops that stand before
/// its first user, unless more registers would be kept for its operands than for its result.
static void sinkBehindLoops(Operation *op, std::optional<SharedRoom> &room) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      registersOf(op->getResult(0)) < getTarget(op).tuning().loads.leastBehindLoops)
    return;
  Operation *user = firstUserBehindLoop(op);
  if (!user || !(isPure(op) || isa<BufferLoadOp>(op)))
    return;
  int64_t kept = 0;
  for (Value operand : op->getOperands()) {
    bool isNeededBehind = llvm::any_of(operand.getUsers(), [&](Operation *other) {
      Operation *place = op->getBlock()->findAncestorOpInBlock(*other);
      return other != op && (!place || !place->isBeforeInBlock(user));
    });
    kept += isNeededBehind ? 0 : registersOf(operand);
  }
  if (kept >= registersOf(op->getResult(0)))
    return;
  if (isPure(op) || isLoadUntil(op, user, room))
    op->moveBefore(user);
}

namespace {

struct SinkLoads : tilec::tile::impl::TileSinkLoadsBase<SinkLoads> {
  using TileSinkLoadsBase::TileSinkLoadsBase;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(kKernelAttr) ||
        !isEnabled(getOperation(), tilec::GpuHeuristic::SinkLoads))
      return;
    // Slots come last: a barrier that others ask for then stands before what is read from them.
    SmallVector<BufferLoadOp> loads;
    for (bool isOfSlot : {false, true})
      getOperation().walk([&](BufferLoadOp load) {
        if (bool(load.getSlot()) == isOfSlot)
          loads.push_back(load);
      });
    int64_t kept = 0;
    std::optional<SharedRoom> room;
    for (BufferLoadOp load : loads)
      numSunk += loadAtProducts(load, kept, room);
    getOperation().walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        sinkBehindLoops(&op, room);
    });
  }
};

} // namespace
