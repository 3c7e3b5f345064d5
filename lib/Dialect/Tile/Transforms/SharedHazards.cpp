//===- SharedHazards.cpp - where threads must wait for each other -*- C++ -*-===//
//
// The implementation of the model in SharedHazards.h: a forward walk over a kernel with the set of
// areas whose accesses may be unfinished. Branches unite their states. A loop's body is visited
// twice, since the second time it starts with what its own end leaves behind, and more visits add
// nothing. Both tile-allocate-shared and tile-insert-barriers run it, so that they agree.
//
//===----------------------------------------------------------------------===//

#include "SharedHazards.h"

#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------===//

bool tilec::tile::overlapsAny(const SharedArea &area, const SharedAreas &areas) {
  return llvm::any_of(areas, [&](const SharedArea &other) { return area.overlaps(other); });
}

/// Areas recur: without this, each branch would double their number.
static void addArea(SharedAreas &areas, const SharedArea &area) {
  if (!llvm::is_contained(areas, area))
    areas.push_back(area);
}

static void addAreas(SharedAreas &areas, const SharedAreas &others) {
  for (const SharedArea &area : others)
    addArea(areas, area);
}

void SharedState::merge(const SharedState &other) {
  addAreas(copied, other.copied);
  addAreas(multiplied, other.multiplied);
  addAreas(written, other.written);
  addAreas(read, other.read);
  addAreas(remote, other.remote);
  addAreas(used, other.used);
}

/// The copies of a thread are done; other threads have not been told yet.
void SharedState::waitForCopies(bool all) {
  addAreas(written, copied);
  if (all)
    copied.clear();
}

/// The products of a thread are done; those of other threads may not be.
void SharedState::waitForProducts(bool all) {
  addAreas(read, multiplied);
  if (all)
    multiplied.clear();
}

void SharedState::waitForCTA() {
  written.clear();
  read.clear();
}

void SharedState::waitForCluster() {
  waitForCTA();
  remote.clear();
  used.clear();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void SharedHazards::waitBefore(Operation *op, WaitScope scope, SharedState &state) {
  auto [it, isNew] = before.insert({op, scope});
  if (scope == WaitScope::Cluster)
    it->second = scope;
  if (it->second == WaitScope::Cluster)
    state.waitForCluster();
  else
    state.waitForCTA();
}

SharedArea SharedHazards::areaOf(AllocBufferOp buffer, const SharedState &state) {
  SharedArea area = place(buffer, state);
  if (isThreadPrivate(buffer))
    area.owner = buffer;
  return area;
}

void SharedHazards::visitAccess(Operation *op, Value buffer, Access access, SharedState &state) {
  SharedArea area = areaOf(buffer.getDefiningOp<AllocBufferOp>(), state);
  bool isWrite = access != Access::Read;
  bool waitsForCluster = overlapsAny(area, state.remote) ||
                         (access == Access::RemoteWrite && overlapsAny(area, state.used));
  if (waitsForCluster)
    waitBefore(op, WaitScope::Cluster, state);
  else if (overlapsAny(area, state.written) || (isWrite && overlapsAny(area, state.read)))
    waitBefore(op, WaitScope::CTA, state);
  addArea(state.used, area);
  if (access == Access::RemoteWrite) {
    addArea(state.remote, area);
    if (!firstRemote)
      firstRemote = op;
  } else if (access == Access::Copy) {
    addArea(state.copied, area);
  } else if (access != Access::Announced) {
    addArea(isWrite ? state.written : state.read, area);
  }
}

/// Reads and writes the buffers that the operation names so.
void SharedHazards::visitEffects(MemoryEffectOpInterface op, SharedState &state) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BufferType>(operand.get().getType()))
      continue;
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffectsOnValue(operand.get(), effects);
    if (effects.empty())
      continue;
    bool writes = llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
    visitAccess(op, operand.get(), writes ? Access::Write : Access::Read, state);
    if (isa<GroupDotOp>(op.getOperation()))
      addArea(state.multiplied, place(operand.get().getDefiningOp<AllocBufferOp>(), state));
  }
}

/// One atomic operation of a whole CTA orders what all its threads do: it releases what they wrote
/// before, and what they do after it is behind what it acquires. Where the result goes through a
/// buffer, that exchange waits.
void SharedHazards::visitAtomic(Operation *op, MemSemantic sem, bool firstOnly,
                                SharedState &state) {
  if (isa<RankedTensorType>(op->getResult(0).getType()))
    return;
  if (sem == MemSemantic::Release || sem == MemSemantic::AcqRel)
    waitBefore(op, WaitScope::CTA, state);
  bool acquires = sem == MemSemantic::Acquire || sem == MemSemantic::AcqRel;
  if (acquires && !firstOnly && !op->use_empty()) {
    after.insert(op);
    state.waitForCTA();
  }
}

void SharedHazards::visitOp(Operation *op, SharedState &state) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { visitFor(loop, state); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop, state); })
      .Case([&](WarpRolesOp roles) { visitRoles(roles, state); })
      .Case([&](scf::IfOp branch) { visitBranches(branch, state); })
      .Case([&](BarrierOp) { state.waitForCTA(); })
      .Case([&](ClusterWaitOp) { state.waitForCluster(); })
      .Case([&](BufferStoreOp store) {
        visitAccess(store, store.getBuffer(),
                    store.getPeers().empty() ? Access::Write : Access::RemoteWrite, state);
      })
      .Case([&](BufferCopyOp copy) { visitAccess(copy, copy.getBuffer(), Access::Copy, state); })
      .Case([&](BulkCopyOp copy) { visitAccess(copy, copy.getBuffer(), Access::Announced, state); })
      .Case([&](MakeTensorMapsOp maps) {
        visitAccess(maps, maps.getScratch(), Access::Write, state);
      })
      .Case([&](AsyncWaitOp wait) { state.waitForCopies(/*all=*/wait.getPending() == 0); })
      .Case([&](GroupWaitOp wait) { state.waitForProducts(/*all=*/wait.getPending() == 0); })
      .Case<AtomicRMWOp, AtomicCASOp>(
          [&](auto atomic) { visitAtomic(atomic, atomic.getSem(), atomic.getFirstOnly(), state); })
      .Case([&](MemoryEffectOpInterface other) { visitEffects(other, state); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void SharedHazards::visit(Region &region, SharedState &state) {
  for (Block &block : region)
    for (Operation &op : block)
      visitOp(&op, state);
}

/// Copies ahead of a loop start under a condition, and what they bring is read behind it: one
/// barrier before the branch that they are right in serves both.
void SharedHazards::waitForCopiesIn(Operation *branch, SharedState &state) {
  for (Region &region : branch->getRegions())
    for (Operation &op : region.getOps()) {
      auto copy = dyn_cast<SlotCopyOpInterface>(op);
      if (!copy)
        continue;
      SharedArea area = areaOf(copy.getBuffer().getDefiningOp<AllocBufferOp>(), state);
      if (overlapsAny(area, state.written) || overlapsAny(area, state.read))
        return waitBefore(branch, WaitScope::CTA, state);
    }
}

void SharedHazards::visitBranches(Operation *op, SharedState &state) {
  waitForCopiesIn(op, state);
  SharedState before = state, after;
  for (Region &region : op->getRegions()) {
    SharedState branch = before;
    visit(region, branch);
    after.merge(branch);
  }
  state = after;
}

/// The second time the body starts with what its own end leaves behind.
void SharedHazards::visitIterations(scf::ForOp op, SharedState &state) {
  SharedState entry = state;
  for (int pass = 0; pass < 2; ++pass) {
    visit(op.getRegion(), state);
    state.merge(entry);
  }
}

/// What threads wait for in the loop only because of what was there before it, they wait for once,
/// before it.
void SharedHazards::visitFor(scf::ForOp op, SharedState &state) {
  SharedState entry = state;
  Waits outside = before;
  visitIterations(op, state);
  Waits all = std::exchange(before, outside);
  SharedState none;
  visitIterations(op, none);
  Waits own = std::exchange(before, all);
  if (own.size() == all.size())
    return;
  before = outside;
  bool isCluster = llvm::any_of(all, [&](const std::pair<Operation *, WaitScope> &wait) {
    return !own.contains(wait.first) && wait.second == WaitScope::Cluster;
  });
  waitBefore(op, isCluster ? WaitScope::Cluster : WaitScope::CTA, entry);
  visitIterations(op, entry);
  if (before.size() > all.size())
    before = all;
  else
    state = entry;
}

void SharedHazards::visitWhile(scf::WhileOp op, SharedState &state) {
  SharedState before = state;
  visit(op.getBefore(), state);
  visit(op.getAfter(), state);
  state.merge(before);
  // The second time the loop starts with what its own end leaves behind; it ends after its first
  // region.
  visit(op.getBefore(), state);
  SharedState after = state;
  visit(op.getAfter(), state);
  state = after;
}

/// What warps of other roles do is ordered by barrier objects; a barrier would be one of the role
/// alone.
void SharedHazards::visitRoles(WarpRolesOp op, const SharedState &state) {
  for (Region &role : op.getRoles()) {
    SharedState own = state;
    visit(role, own);
  }
}

void SharedHazards::run(func::FuncOp kernel) {
  SharedState state;
  visit(kernel.getBody(), state);
}
