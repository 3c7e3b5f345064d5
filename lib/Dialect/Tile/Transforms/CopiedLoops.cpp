//===- CopiedLoops.cpp - loops whose copies others make --------*- C++ -*-===//
//
// A part of tile-specialize-warps: which copies of a loop belong together, when their slots are
// free, and which loops go on where the one before them stopped.
//
//===----------------------------------------------------------------------===//

#include "CopyRole.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Which copies belong together, and when their slot is free
//===----------------------------------------------------------------------===//

/// The operation in the body of `loop` that `reader` is or is in.
static Operation *inBody(scf::ForOp loop, Operation *reader) {
  return loop.getBody()->findAncestorOpInBlock(*reader);
}

/// What reads `buffer` in `loop`, in order.
static SmallVector<Operation *> readersOf(scf::ForOp loop, Value buffer) {
  SmallVector<Operation *> readers;
  loop.walk([&](Operation *op) {
    if (readsBuffer(op, buffer))
      readers.push_back(op);
  });
  return readers;
}

namespace {

/// Behind which operation of a loop's body `reader` has read the slot of an iteration: that one or,
/// if `isNext`, the one after.
struct ReadEnd {
  Operation *op;
  bool isNext;
};

} // namespace

/// The end of a read into registers. The load has only been issued behind its operation: an arrival
/// does not wait for it, and the next copy may be there first while tensor cores read shared
/// memory. A product of a group behind it, or else the iteration, ends when it has what it was
/// issued for.
static Operation *endOfLoad(scf::ForOp loop, Operation *load) {
  int64_t started = 0;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (isa<GroupDotOp>(op)) {
      GroupWaitOp wait = findWait(op->getNextNode(), started);
      return wait ? wait.getOperation() : op;
    }
  return loop.getBody()->getTerminator()->getPrevNode();
}

static ReadEnd endOf(scf::ForOp loop, Operation *reader) {
  if (!isa<GroupDotOp>(reader))
    return {endOfLoad(loop, inBody(loop, reader)), false};
  // In a branch, products are waited for at once.
  if (reader->getBlock() != loop.getBody())
    return {inBody(loop, reader), false};
  int64_t started = 0;
  if (GroupWaitOp wait = findWait(reader->getNextNode(), started))
    return {wait, false};
  GroupWaitOp wait = findWait(&loop.getBody()->front(), started);
  assert(wait && "some iteration waits for a product");
  return {wait, true};
}

/// Groups of copies by the product, or the operation around it, that reads them first.
static SmallVector<CopyGroup> groupCopies(scf::ForOp loop) {
  llvm::MapVector<Operation *, CopyGroup> groups;
  for (auto copy : loop.getBody()->getOps<SlotCopyOpInterface>()) {
    SmallVector<Operation *> readers = readersOf(loop, copy.getBuffer());
    CopyGroup &group = groups[inBody(loop, readers.front())];
    group.copies.push_back(copy);
    for (Operation *reader : readers) {
      ReadEnd end = endOf(loop, reader);
      // The last of them; one in the next iteration is behind all in this one.
      bool isLater = !group.lastRead || (end.isNext && !group.isReadNext) ||
                     (end.isNext == group.isReadNext && group.lastRead->isBeforeInBlock(end.op));
      if (isLater) {
        group.lastRead = end.op;
        group.isReadNext = end.isNext;
      }
    }
  }
  SmallVector<CopyGroup> result;
  for (auto &[first, group] : groups) {
    group.firstRead = first;
    result.push_back(group);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Loops that go on with the slots of the loop before them
//===----------------------------------------------------------------------===//

/// The branch that the loop is in if it has iterations, as tile-use-warp-groups leaves loops; null
/// if there is none.
static scf::IfOp guardOf(scf::ForOp loop) {
  auto branch = dyn_cast<scf::IfOp>(loop->getParentOp());
  bool isAlone = branch && loop->getBlock() == branch.thenBlock() &&
                 llvm::hasSingleElement(branch.thenBlock()->getOps<scf::ForOp>());
  return isAlone ? branch : scf::IfOp();
}

/// The loop or its guard, whichever is in `block`; null if none is.
static Operation *placeIn(Block *block, scf::ForOp loop) {
  if (loop->getBlock() == block)
    return loop;
  scf::IfOp guard = guardOf(loop);
  return guard && guard->getBlock() == block ? guard.getOperation() : nullptr;
}

/// The maps of the blocks that `copied` copies; null if it copies none.
static MakeTensorMapsOp mapsOf(const CopiedLoop &copied) {
  for (const CopyGroup &group : copied.groups)
    for (SlotCopyOpInterface copy : group.copies)
      if (auto bulk = dyn_cast<BulkCopyOp>(*copy))
        return bulk.getMap().getDefiningOp<MakeTensorMapsOp>();
  return {};
}

/// Adds what has to move to before `place` for `value` to be known there to `moved`, in order;
/// whether that is possible.
static bool collectToMove(Value value, Operation *place, llvm::SetVector<Operation *> &moved) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place) ||
      moved.contains(op))
    return true;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return collectToMove(operand, place, moved); }))
    return false;
  moved.insert(op);
  return true;
}

/// Has both loops take their maps from one operation before the first: a CTA has one place for
/// maps, from before the first copy until the last one has landed. Whether that is possible.
static bool shareMaps(CopiedLoop &first, CopiedLoop &second) {
  MakeTensorMapsOp maps = mapsOf(first), others = mapsOf(second);
  if (!maps || !others || maps == others)
    return maps == others;
  llvm::SetVector<Operation *> moved;
  size_t numMaps = maps.getMaps().size() + others.getMaps().size();
  if (maps->getBlock() != others->getBlock() || numMaps > MakeTensorMapsOp::kMostMaps ||
      !llvm::all_of(others.getOperands().drop_back(),
                    [&](Value operand) { return collectToMove(operand, maps, moved); }))
    return false;
  for (Operation *op : moved)
    op->moveBefore(maps);
  OpBuilder b(maps);
  auto join = [](ValueRange left, ValueRange right) {
    SmallVector<Value> all(left);
    llvm::append_range(all, right);
    return all;
  };
  Value scratch = AllocBufferOp::create(
      b, maps.getLoc(), MakeTensorMapsOp::scratchOf(b.getContext(), int64_t(numMaps)));
  auto both = MakeTensorMapsOp::create(
      b, maps.getLoc(), maps.getPlace().getType(),
      llvm::to_vector(TypeRange(join(maps.getMaps(), others.getMaps()))),
      join(maps.getBases(), others.getBases()), join(maps.getSizes(), others.getSizes()),
      join(maps.getStrides(), others.getStrides()), scratch);
  for (Operation *user : llvm::make_early_inc_range(maps.getPlace().getUsers()))
    user->erase();
  others.getPlace().replaceAllUsesWith(both.getPlace());
  for (auto [old, map] : llvm::zip_equal(join(maps.getMaps(), others.getMaps()), both.getMaps()))
    old.replaceAllUsesWith(map);
  for (MakeTensorMapsOp old : {maps, others}) {
    Operation *buffer = old.getScratch().getDefiningOp();
    old.erase();
    buffer->erase();
  }
  return true;
}

/// Whether both are filled, read and freed in the same way.
static bool areAlike(const CopyGroup &first, const CopyGroup &second) {
  return first.isReadNext == second.isReadNext && first.copies.size() == second.copies.size() &&
         llvm::all_of(llvm::zip_equal(first.copies, second.copies), [](auto pair) {
           SlotCopyOpInterface copy = std::get<0>(pair), like = std::get<1>(pair);
           return copy->getName() == like->getName() && copy.getBuffer() == like.getBuffer();
         });
}

static bool areAlike(ArrayRef<CopyGroup> first, ArrayRef<CopyGroup> second) {
  return first.size() == second.size() &&
         llvm::all_of(llvm::zip_equal(first, second),
                      [](auto pair) { return areAlike(std::get<0>(pair), std::get<1>(pair)); });
}

/// Where `first` is in a block in which `second` is behind it; null if there is none.
static Operation *placeBefore(scf::ForOp first, scf::ForOp second) {
  SmallVector<Block *, 2> blocks = {second->getBlock()};
  if (scf::IfOp guard = guardOf(second))
    blocks.push_back(guard->getBlock());
  for (Block *block : blocks)
    if (Operation *place = placeIn(block, first))
      return place->isBeforeInBlock(placeIn(block, second)) ? place : nullptr;
  return nullptr;
}

/// Has `second` go on with the slots, barriers and phases of `first`, if that is possible: then its
/// copies start while products of `first` still run.
static void continueWith(CopiedLoop &first, CopiedLoop &second) {
  Operation *place = placeBefore(first.loop, second.loop);
  if (!place || !areAlike(first.groups, second.groups) || !shareMaps(first, second))
    return;
  second.continues = first.isContinued = true;
  first.guard = dyn_cast<scf::IfOp>(place);
}

static CopiedLoop describe(scf::ForOp loop) {
  CopiedLoop copied;
  copied.loop = loop;
  copied.groups = groupCopies(loop);
  SlotCopyOpInterface copy = copied.groups.front().copies.front();
  copied.slot = copy.getSlot();
  copied.numSlots = copy.getBuffer().getType().getSlots();
  scf::IfOp guard = guardOf(loop);
  copied.around = dyn_cast<scf::ForOp>(guard ? guard->getParentOp() : loop->getParentOp());
  if (copied.around)
    copied.guard = guard;
  return copied;
}

SmallVector<FactorCopy> tilec::tile::takeFactorCopies(func::FuncOp kernel) {
  SmallVector<FactorCopy> factors;
  kernel.walk([&](BulkCopyOp copy) {
    if (copy.getSlot() || copy.getBarrier())
      return;
    factors.push_back({copy});
    assert((factors.back().isOfTile() || !copy->getParentOfType<scf::ForOp>()) &&
           "each tile copies it");
  });
  return factors;
}

SmallVector<CopiedLoop> tilec::tile::takeCopiedLoops(func::FuncOp kernel) {
  SmallVector<CopiedLoop> loops;
  kernel.walk([&](scf::ForOp loop) {
    loop->removeAttr(kWarpSpecializeAttr);
    if (loop->removeAttr(kCopiesInPlaceAttr))
      loops.push_back(describe(loop));
  });
  for (size_t index = 1; index < loops.size(); ++index)
    continueWith(loops[index - 1], loops[index]);
  return loops;
}
