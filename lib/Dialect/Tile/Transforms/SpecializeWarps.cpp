//===- SpecializeWarps.cpp - warps that only copy --------------*- C++ -*-===//
//
// The pass `tile-specialize-warps`. tile-pipeline-loads has left the copies of some loops in the
// iterations that read them. Here the kernel gets four warps that make these copies and nothing
// else; the others multiply, and neither copy nor wait for the whole CTA in the loop. Copies and
// products meet at two barrier objects a slot:
//
//   who copies, in each iteration:    wait until the slot is empty; start the copies; arrive at
//                                     full once they have landed
//   who multiplies, in each iteration: wait until the slot is full; products; behind the wait for
//                                     the last of them, arrive at empty
//
// Buffers that different products read first have barriers of their own, so that the scores of an
// attention are multiplied before the values are there.
//
// A product may be in flight until the next iteration has waited for one of its own. Then the
// arrival is for the slot of the iteration before; in the first iteration that is the last slot,
// which nobody has filled yet: it counts as in use until then. In a loop over tiles the slot of a
// tile's last iteration is needed for the next tile before that one begins. So there the last
// arrival is behind the loop, and there is none in the first iteration, whose slot before is a
// number more than there are slots.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "CopyRole.h"
#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESPECIALIZEWARPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Those who multiply
//===----------------------------------------------------------------------===//

/// The buffers that `copied.loop` reads beside what is filled for it.
static llvm::SetVector<Value> otherBuffers(const CopiedLoop &copied, ArrayRef<FactorCopy> factors) {
  llvm::SetVector<Value> others;
  scf::ForOp loop = copied.loop;
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<BufferType>(operand.getType()) && loop.isDefinedOutsideOfLoop(operand))
        others.insert(operand);
  });
  for (const CopyGroup &group : copied.groups)
    for (SlotCopyOpInterface copy : group.copies)
      others.remove(copy.getBuffer());
  for (FactorCopy factor : factors)
    others.remove(factor.copy.getBuffer());
  return others;
}

/// What was stored for the loop is waited for before it, or tile-insert-barriers would do so in
/// each iteration. `waited` are the buffers that the loop which this one continues has waited for.
static void waitForOthers(CopiedLoop &copied, ArrayRef<FactorCopy> factors,
                          llvm::SetVector<Value> &waited) {
  llvm::SetVector<Value> others = otherBuffers(copied, factors);
  if (!copied.continues)
    waited.clear();
  bool isAnyNew = llvm::any_of(others, [&](Value buffer) { return !waited.contains(buffer); });
  waited.insert(others.begin(), others.end());
  if (!isAnyNew)
    return;
  OpBuilder b(copied.guard ? copied.guard.getOperation() : copied.loop.getOperation());
  BarrierOp::create(b, copied.loop->getLoc());
}

/// Has `branch` give more values: `inside`, of its first arm, or `otherwise`. Returns them.
static SmallVector<Value> giveMore(scf::IfOp branch, ValueRange inside, ValueRange otherwise) {
  OpBuilder b(branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, inside.getTypes());
  auto more = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  more->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  more.getThenRegion().takeBody(branch.getThenRegion());
  more.getElseRegion().takeBody(branch.getElseRegion());
  if (more.getElseRegion().empty()) {
    b.setInsertionPointToStart(&more.getElseRegion().emplaceBlock());
    scf::YieldOp::create(b, branch.getLoc());
  }
  auto yield = [](Block *block, ValueRange values) {
    Operation *end = block->getTerminator();
    end->insertOperands(end->getNumOperands(), values);
  };
  yield(more.thenBlock(), inside);
  yield(more.elseBlock(), otherwise);
  unsigned numBefore = branch.getNumResults();
  branch.replaceAllUsesWith(more.getResults().take_front(numBefore));
  branch.erase();
  return more.getResults().drop_front(numBefore);
}

/// Has the loop around `copied` carry `state` from one iteration to the next. Returns it as an
/// iteration begins with it; what it ends with is still to be said.
static SmallVector<Value> carryAround(CopiedLoop &copied, ValueRange state) {
  IRRewriter rewriter(copied.around.getContext());
  FailureOr<LoopLikeOpInterface> replaced = copied.around.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
        return SmallVector<Value>(added.begin(), added.end());
      });
  assert(succeeded(replaced) && "a counted loop can carry more");
  copied.around = cast<scf::ForOp>(replaced->getOperation());
  return llvm::to_vector_of<Value>(copied.around.getRegionIterArgs().take_back(state.size()));
}

/// Says behind the wait for the last products of `copied.loop`, which carries the slot of the
/// iteration before, that `group` has read that of the last iteration.
static void arriveForLast(CopiedLoop &copied, CopyGroup &group) {
  int64_t started = 0;
  GroupWaitOp wait = findWait(copied.loop->getNextNode(), started);
  assert(wait && "no product is in flight behind the loop");
  OpBuilder b(copied.loop->getContext());
  b.setInsertionPointAfter(wait);
  MBarrierArriveOp::create(b, copied.loop.getLoc(), group.empty, copied.loop.getResults().back(),
                           /*eachWarp=*/true, /*afterCopies=*/false, /*condition=*/Value());
}

/// Makes `copied.loop` carry the phase of its slot behind what it carries and, if it frees its last
/// slot, that of the iteration before. It begins with the slot and the phase in `state`, the first
/// of loops that share them with both zero; in a loop over tiles `state` becomes what that carries.
static void carrySlots(CopiedLoop &copied, SmallVector<Value> &state) {
  Location loc = copied.loop.getLoc();
  if (!copied.continues) {
    bool isGuarded = !copied.around && copied.guard;
    OpBuilder before(isGuarded ? copied.guard.getOperation() : copied.outermost().getOperation());
    state.assign(2, arith::ConstantIntOp::create(before, loc, before.getI32Type(), 0));
    if (copied.around)
      state = carryAround(copied, state);
  }
  OpBuilder b(copied.loop);
  unsigned number = cast<BlockArgument>(copied.slot).getArgNumber();
  copied.loop.getTiedLoopInit(cast<BlockArgument>(copied.slot))->set(state[0]);
  SmallVector<Value> initial = {state[1]};
  if (copied.freesLast())
    initial.push_back(arith::ConstantIntOp::create(b, loc, b.getI32Type(), copied.numSlots));
  auto next = [&](OpBuilder &at, Location, ArrayRef<BlockArgument> added) {
    SmallVector<Value> values = {nextPhase(at, loc, copied.slot, added[0], copied.numSlots)};
    values.resize(added.size(), copied.slot);
    return values;
  };
  IRRewriter rewriter(b);
  FailureOr<LoopLikeOpInterface> replaced = copied.loop.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "a counted loop can carry more");
  copied.loop = cast<scf::ForOp>(replaced->getOperation());
  copied.slot = copied.loop.getBody()->getArgument(number);
}

/// Makes `copied.loop` wait and arrive at its slots. `state` is the slot and the phase to start
/// with, none for the first, and then those behind the loop.
static void addBarriers(CopiedLoop &copied, SmallVector<Value> &state) {
  Location loc = copied.loop.getLoc();
  carrySlots(copied, state);
  auto carried = copied.loop.getRegionIterArgs();
  Value phase = copied.freesLast() ? carried.drop_back().back() : carried.back();
  OpBuilder b(copied.loop);
  auto arrive = [&](const CopyGroup &group) {
    Value slot = copied.slot, isAny;
    if (group.isReadNext && copied.freesLast()) {
      slot = carried.back();
      Value none = arith::ConstantIntOp::create(b, loc, b.getI32Type(), copied.numSlots);
      isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, slot, none);
    } else if (group.isReadNext) {
      slot = slotBefore(b, loc, slot, copied.numSlots);
    }
    MBarrierArriveOp::create(b, loc, group.empty, slot, /*eachWarp=*/true, /*afterCopies=*/false,
                             isAny);
  };
  for (CopyGroup &group : copied.groups) {
    b.setInsertionPoint(group.firstRead);
    MBarrierWaitOp::create(b, loc, group.full, copied.slot, phase);
    b.setInsertionPointAfter(group.lastRead);
    arrive(group);
    if (group.isReadNext && copied.freesLast())
      arriveForLast(copied, group);
  }
  if (!copied.isContinued && !copied.around)
    return;
  SmallVector<Value> behind = {copied.loop.getTiedLoopResult(cast<BlockArgument>(copied.slot)),
                               copied.loop.getTiedLoopResult(cast<BlockArgument>(phase))};
  state = copied.guard ? giveMore(copied.guard, behind, state) : behind;
  if (!copied.around)
    return;
  Operation *end = copied.around.getBody()->getTerminator();
  end->setOperands(end->getNumOperands() - unsigned(state.size()), unsigned(state.size()), state);
}

/// Takes the copies out of a loop. What only they needed is dead, and has no effects.
static void eraseCopies(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (isa<SlotCopyOpInterface, AsyncCommitOp>(op))
      op.erase();
    else if (isa<AsyncWaitOp>(op)) {
      op.erase();
      return;
    }
  }
}

/// Says behind the loops of a tile, and the wait for their last products, that `factor` has been
/// read: loads from it into registers, which an arrival does not wait for, are over by then, too.
static void arriveBehindLoops(FactorCopy &factor, ArrayRef<CopiedLoop> loops) {
  Block *block = factor.copy->getBlock();
  Operation *last = factor.copy;
  for (const CopiedLoop &copied : loops) {
    scf::ForOp loop = copied.loop;
    if (Operation *op = block->findAncestorOpInBlock(*loop); op && last->isBeforeInBlock(op))
      last = op;
  }
  while (isa<GroupWaitOp>(last->getNextNode()))
    last = last->getNextNode();
  OpBuilder b(block->getParentOp()->getContext());
  b.setInsertionPointAfter(last);
  MBarrierArriveOp::create(b, factor.copy.getLoc(), factor.empty, /*slot=*/Value(),
                           /*eachWarp=*/true, /*afterCopies=*/false, /*condition=*/Value());
}

/// Makes `loop` carry the phase of what is filled once in each iteration, which begins as `first`.
/// Returns that of an iteration.
static Value carryTilePhase(scf::ForOp loop, Value first) {
  IRRewriter rewriter(loop.getContext());
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &inner, Location loc, ArrayRef<BlockArgument> added) {
        return SmallVector<Value>{otherPhase(inner, loc, added[0])};
      });
  assert(succeeded(replaced) && "a counted loop can carry more");
  return cast<scf::ForOp>(replaced->getOperation()).getRegionIterArgs().back();
}

/// Has those who multiply wait for `factor` where it is copied for them, in a loop over tiles in
/// the phase of the tile.
static void waitFor(FactorCopy &factor, ArrayRef<CopiedLoop> loops) {
  BulkCopyOp copy = factor.copy;
  Location loc = copy.getLoc();
  auto around = dyn_cast<scf::ForOp>(copy->getParentOp());
  OpBuilder b(around ? around.getOperation() : copy.getOperation());
  Value phase = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  if (around) {
    arriveBehindLoops(factor, loops);
    phase = carryTilePhase(around, phase);
    b.setInsertionPoint(copy);
  }
  MBarrierWaitOp::create(b, loc, factor.full, /*slot=*/Value(), phase);
  copy.erase();
}

/// Takes the tensor maps out of a role that copies no blocks.
static void eraseMaps(Region &role) {
  SmallVector<Operation *> maps;
  role.walk([&](Operation *op) {
    if (isa<MakeTensorMapsOp, ReleaseTensorMapsOp>(op))
      maps.push_back(op);
  });
  for (Operation *op : llvm::reverse(maps))
    op->erase();
}

/// Says behind the loop, and the wait for its last products, that its slots are free.
static void arriveBehind(CopiedLoop &copied) {
  Operation *last = copied.outermost();
  while (isa<GroupWaitOp>(last->getNextNode()))
    last = last->getNextNode();
  OpBuilder b(copied.loop->getContext());
  b.setInsertionPointAfter(last);
  MBarrierArriveOp::create(b, copied.loop.getLoc(), copied.done, /*slot=*/Value(),
                           /*eachWarp=*/true, /*afterCopies=*/false, /*condition=*/Value());
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

/// Whether the rows of what `pointers` lead to are at distances that are known at run time only: no
/// address is another one plus a constant.
static bool haveOwnAddresses(Value pointers) {
  llvm::SetVector<Operation *> open;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && isa<RankedTensorType>(value.getType()))
      open.insert(op);
  };
  add(pointers);
  for (size_t index = 0; index < open.size(); ++index) {
    Operation *op = open[index];
    bool scales = isa<arith::MulIOp>(op) && llvm::none_of(op->getOperands(), isConstant);
    if (scales || isa<arith::RemSIOp, arith::RemUIOp>(op))
      return true;
    for (Value operand : op->getOperands())
      add(operand);
  }
  return false;
}

/// Registers that a thread needs to copy what one of `loops` reads in an iteration.
static int64_t registersOfCopies(ArrayRef<CopiedLoop> loops, const tilec::RoleTuning &tuning) {
  constexpr int64_t unit = 8, perAddress = 2;
  int64_t most = tuning.registersOfCopies;
  for (const CopiedLoop &copied : loops) {
    int64_t bytes = 0;
    for (const CopyGroup &group : copied.groups)
      for (SlotCopyOpInterface copy : group.copies)
        if (auto byThreads = dyn_cast<BufferCopyOp>(*copy);
            byThreads && haveOwnAddresses(byThreads.getPtr()))
          bytes += byThreads.getBuffer().getType().getSlotBytes();
    int64_t addresses = bytes / (kMaxCopyBytes * kCopyWarps * tilec::kWarpSize);
    most = std::max(most, tuning.registersBesideAddresses + perAddress * addresses);
  }
  return std::min<int64_t>(llvm::alignTo(most, unit), tuning.mostRegistersOfCopies);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct SpecializeWarps : tilec::tile::impl::TileSpecializeWarpsBase<SpecializeWarps> {
  using TileSpecializeWarpsBase::TileSpecializeWarpsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    loops = takeCopiedLoops(kernel);
    if (loops.empty())
      return;
    factors = takeFactorCopies(kernel);
    numWarps = getLaunchShape(kernel).numWarps;
    createObjects();
    WarpRolesOp roles = createRoles();
    fillCopyRole(loops, factors, roles.getRoles()[1].front(), roles.getRoles()[0].front());
    SmallVector<Value> state;
    llvm::SetVector<Value> waited;
    for (CopiedLoop &copied : loops) {
      waitForOthers(copied, factors, waited);
      addBarriers(copied, state);
      eraseCopies(copied.loop);
      if (copied.done)
        arriveBehind(copied);
    }
    for (FactorCopy &factor : factors)
      waitFor(factor, loops);
    eraseMaps(roles.getRoles()[0]);
    numLoops += loops.size();
    if (remarks)
      kernel.emitRemark() << "kernel '" << kernel.getName() << "' has " << kCopyWarps
                          << " more warps, which only copy";
  }

private:
  Value createObject(OpBuilder &b, int64_t slots, int64_t arrivals) {
    return AllocMBarrierOp::create(b, getOperation().getLoc(), /*offset=*/IntegerAttr(),
                                   b.getI32IntegerAttr(int32_t(slots)),
                                   b.getI32IntegerAttr(int32_t(arrivals)));
  }

  /// Phases of objects begin with the kernel, so each loop has its own unless it goes on with those
  /// of another. The slots are the same for all: who copies for a loop with objects of its own
  /// waits until the one before is done.
  void createObjects() {
    OpBuilder b = OpBuilder::atBlockBegin(&getOperation().front());
    for (CopiedLoop &copied : loops) {
      for (auto [index, group] : llvm::enumerate(copied.groups)) {
        const CopyGroup *before = copied.continues ? &std::prev(&copied)->groups[index] : nullptr;
        group.full = before ? before->full : createObject(b, copied.numSlots, arrivalsOf(group));
        group.empty = before ? before->empty : createObject(b, copied.numSlots, numWarps);
      }
      // Maps are in use until all blocks have landed.
      if (!copied.isContinued && (&copied != &loops.back() || copied.copiesBlocks()))
        copied.done = createObject(b, /*slots=*/1, numWarps);
    }
    for (FactorCopy &factor : factors) {
      factor.full = createObject(b, /*slots=*/1, /*arrivals=*/1 + kCopyWarps);
      if (factor.isOfTile())
        factor.empty = createObject(b, /*slots=*/1, numWarps);
    }
    if (llvm::any_of(loops, [](const CopiedLoop &copied) { return copied.copiesBlocks(); }))
      AsyncFenceOp::create(b, getOperation().getLoc(), /*arrays=*/false);
    BarrierOp::create(b, getOperation().getLoc());
  }

  /// What fills a slot: each block arrives by itself, the copies of threads with each of these; and
  /// if there are none, each warp.
  static int64_t arrivalsOf(const CopyGroup &group) {
    int64_t blocks = llvm::count_if(group.copies, llvm::IsaPred<BulkCopyOp>);
    bool anyByThreads = blocks < int64_t(group.copies.size());
    return blocks + kCopyWarps * (anyByThreads ? tilec::kWarpSize : 1);
  }

  /// Registers that each thread must have at entry: ptxas compiles no product of a warp group in a
  /// function with fewer (C7602).
  int64_t registersOfWidestProduct() {
    constexpr int64_t besideSums = 26, bitsOfRegister = 32;
    int64_t most = 0;
    getOperation().walk([&](GroupDotOp dot) {
      auto sum = cast<RankedTensorType>(dot.getResult().getType());
      int64_t columns = groupColumns(getLayout(sum).toLinearLayout(sum.getShape()));
      int64_t bits = kGroupRows * columns * sum.getElementTypeBitWidth();
      int64_t threads = tilec::kWarpsPerGroup * tilec::kWarpSize;
      most = std::max(most, besideSums + bits / (threads * bitsOfRegister));
    });
    return most;
  }

  /// Registers of a thread that multiplies and of one that copies, where so many CTAs share those
  /// of a multiprocessor; nothing if these are too few. Who copies keeps what is not needed.
  std::optional<std::pair<int64_t, int64_t>> registersFor(int64_t numCTAs) {
    constexpr int64_t unit = 8;
    tilec::GpuArch arch = getTarget(getOperation());
    int64_t copying = registersOfCopies(loops, arch.tuning().roles);
    int64_t multiplying = registersOfProducts(arch, numWarps, numCTAs, copying);
    int64_t groups = numWarps / tilec::kWarpsPerGroup;
    int64_t least = (groups + 1) * registersOfWidestProduct() - groups * multiplying;
    copying = std::max<int64_t>(copying, llvm::divideCeilSigned(least, unit) * unit);
    int64_t ofCTA = (groups * multiplying + copying) * tilec::kWarpsPerGroup * tilec::kWarpSize;
    if (numCTAs * ofCTA > arch.registersPerSM())
      return std::nullopt;
    return std::pair(multiplying, copying);
  }

  /// The same, by what shared memory has room for.
  std::pair<int64_t, int64_t> registersOfRoles() {
    tilec::GpuArch arch = getTarget(getOperation());
    int64_t bytes = 0;
    getOperation().walk([&](AllocBufferOp buffer) { bytes += buffer.getType().getBytes(); });
    bool fitTwo = 2 * (bytes + arch.reservedSharedPerBlock()) <= arch.sharedPerSM();
    if (numWarps == tilec::kWarpsPerGroup && fitTwo) {
      auto shared = registersFor(/*numCTAs=*/2);
      if (shared && shared->first >= arch.tuning().roles.leastOfSharedGroup)
        return *shared;
    }
    auto alone = registersFor(/*numCTAs=*/1);
    assert(alone && "a multiprocessor has registers for one CTA with any product");
    return *alone;
  }

  /// All that the kernel does, but for allocations of what its warps share, becomes the first role.
  WarpRolesOp createRoles() {
    func::FuncOp kernel = getOperation();
    Block &body = kernel.front();
    OpBuilder b(body.getTerminator());
    auto [multiply, copy] = registersOfRoles();
    OperationState state(kernel.getLoc(), WarpRolesOp::getOperationName());
    for (int role = 0; role < 2; ++role)
      state.addRegion()->emplaceBlock();
    auto roles = cast<WarpRolesOp>(b.create(state));
    roles.setNumWarps({int32_t(numWarps), int32_t(kCopyWarps)});
    roles.setRegisters({int32_t(multiply), int32_t(copy)});
    llvm::SmallPtrSet<Operation *, 16> shared;
    for (CopiedLoop &copied : loops)
      for (CopyGroup &group : copied.groups)
        for (SlotCopyOpInterface each : group.copies)
          shared.insert(each.getBuffer().getDefiningOp());
    for (FactorCopy factor : factors)
      shared.insert(factor.copy.getBuffer().getDefiningOp());
    kernel.walk([&](MakeTensorMapsOp maps) { shared.insert(maps.getScratch().getDefiningOp()); });
    for (Operation &op : llvm::make_early_inc_range(body)) {
      bool stays = shared.contains(&op) || isa<AllocMBarrierOp, AsyncFenceOp, WarpRolesOp>(op) ||
                   &op == body.getTerminator() || (isa<BarrierOp>(op) && isFirstBarrier(op));
      if (!stays)
        op.moveBefore(&roles.getRoles()[0].front(), roles.getRoles()[0].front().end());
    }
    kernel->setAttr(kNumWarpsAttr, b.getI32IntegerAttr(int32_t(numWarps + kCopyWarps)));
    return roles;
  }

  /// Whether it is the one behind the initialisation of the objects.
  static bool isFirstBarrier(Operation &op) {
    return isa_and_nonnull<AllocMBarrierOp, AsyncFenceOp>(op.getPrevNode());
  }

  SmallVector<CopiedLoop> loops;
  SmallVector<FactorCopy> factors; // Before these.
  int64_t numWarps = 0;            // Those of the author.
};

} // namespace
