//===- CopyRole.cpp - the code of warps that only copy ---------*- C++ -*-===//
//
// Repeats of a kernel what its copies need. Layouts were made for the warps that multiply; where
// these are more, the registers of a thread that copies take over what the bits of the missing
// warps said. That is a change of basis which all operations on tiles admit.
//
//===----------------------------------------------------------------------===//

#include "CopyRole.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

static Value isSlot(OpBuilder &b, Location loc, Value slot, int64_t number) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, slot, constant(b, loc, number));
}

Value tilec::tile::nextPhase(OpBuilder &b, Location loc, Value slot, Value phase,
                             int64_t numSlots) {
  Value wraps = isSlot(b, loc, slot, numSlots - 1);
  Value change = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
  return arith::XOrIOp::create(b, loc, phase, change);
}

Value tilec::tile::slotBefore(OpBuilder &b, Location loc, Value slot, int64_t numSlots) {
  Value less = arith::SubIOp::create(b, loc, slot, constant(b, loc, 1));
  return arith::SelectOp::create(b, loc, isSlot(b, loc, slot, 0), constant(b, loc, numSlots - 1),
                                 less);
}

Value tilec::tile::otherPhase(OpBuilder &b, Location loc, Value phase) {
  return arith::XOrIOp::create(b, loc, phase, constant(b, loc, 1));
}

//===----------------------------------------------------------------------===//
// Layouts of fewer warps
//===----------------------------------------------------------------------===//

/// `type`, a tile's or another, for a CTA of kCopyWarps warps.
static Type forCopyWarps(Type type) {
  LayoutAttr attr = getLayout(type);
  if (!attr)
    return type;
  auto tile = cast<RankedTensorType>(type);
  LinearLayout layout = attr.toLinearLayout(tile.getShape());
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    bases[unsigned(dim)] = layout.flatBases(dim);
  std::vector<uint64_t> &warps = bases[unsigned(InDim::Warp)];
  std::vector<uint64_t> &registers = bases[unsigned(InDim::Register)];
  for (; warps.size() > llvm::Log2_64(kCopyWarps); warps.pop_back())
    if (warps.back() != 0)
      registers.push_back(warps.back());
  std::string error;
  std::optional<LinearLayout> result =
      LinearLayout::createFlat(layout.shape(), std::move(bases), error);
  assert(result && "no basis is lost");
  return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                               LayoutAttr::get(type.getContext(), *result));
}

/// Gives `op` its results for the warps that copy.
static void retype(Operation *op) {
  for (OpResult result : op->getResults())
    result.setType(forCopyWarps(result.getType()));
  auto constantOp = dyn_cast<arith::ConstantOp>(op);
  auto splat = constantOp ? dyn_cast<SplatElementsAttr>(constantOp.getValue()) : nullptr;
  if (splat)
    constantOp.setValueAttr(splat.resizeSplat(cast<ShapedType>(constantOp.getType())));
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

class CopyRole {
public:
  CopyRole(ArrayRef<CopiedLoop> loops, ArrayRef<FactorCopy> factors, Block &role)
      : loops(loops), factors(factors), b(OpBuilder::atBlockEnd(&role)) {}

  void emitBlock(Block &source, IRMapping known);

private:
  /// A loop of this role, what it carries of the one that it repeats, and the values in it.
  struct OwnLoop {
    scf::ForOp loop;
    SmallVector<BlockArgument> carried;
    IRMapping inside;
  };

  Value repeat(Value value, IRMapping &known);
  OwnLoop createLoop(scf::ForOp loop, const llvm::DenseSet<Value> &needed, ValueRange more,
                     IRMapping &known);
  void emitBranch(scf::IfOp branch, IRMapping &known);
  void emitFactor(const FactorCopy &factor, IRMapping &known);
  void begin(const CopiedLoop &copied);
  void emitAround(const CopiedLoop &copied, IRMapping &known);
  void emitLoop(const CopiedLoop &copied, IRMapping &known);
  void emitBody(const CopiedLoop &copied, const llvm::DenseSet<Value> &needed, Value phase,
                IRMapping &known);
  void startGroup(const CopiedLoop &copied, const CopyGroup &group, Value slot, Value phase);

  ArrayRef<CopiedLoop> loops;
  ArrayRef<FactorCopy> factors;
  OpBuilder b;
  /// Slot and phase behind the last loop.
  SmallVector<Value> state;
  /// The phase of what is copied once for each iteration of a loop over tiles.
  Value tilePhase;
};

} // namespace

/// `value` in this role, computed here unless it is known.
Value CopyRole::repeat(Value value, IRMapping &known) {
  if (Value found = known.lookupOrNull(value))
    return found;
  Operation *op = value.getDefiningOp();
  // Arguments of the kernel, and what lies before the roles.
  if (!op || !getWarpRole(op->getParentRegion()))
    return value;
  for (Value operand : op->getOperands())
    repeat(operand, known);
  retype(b.clone(*op, known));
  return known.lookup(value);
}

/// What `open` depends on of what `loop` computes: results of operations, and carried values.
static llvm::DenseSet<Value> neededIn(scf::ForOp loop, SmallVector<Value> open) {
  llvm::DenseSet<Value> needed;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!loop.getRegion().isAncestor(value.getParentRegion()) || !needed.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      open.append(op->operand_begin(), op->operand_end());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    auto own = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (argument == own.getInductionVar())
      continue;
    open.push_back(own.getTiedLoopYieldedValue(argument)->get());
    open.push_back(own.getTiedLoopInit(argument)->get());
  }
  return needed;
}

/// The operands of all copies.
static SmallVector<Value> operandsOfCopies(const CopiedLoop &copied) {
  SmallVector<Value> operands;
  for (const CopyGroup &group : copied.groups)
    for (SlotCopyOpInterface copy : group.copies)
      operands.append(copy->operand_begin(), copy->operand_end());
  return operands;
}

/// Waits until nobody reads the slot any more. In its first phase it was never full; but of slots
/// that are freed an iteration later, the last one is freed once before.
void CopyRole::startGroup(const CopiedLoop &copied, const CopyGroup &group, Value slot,
                          Value phase) {
  Location loc = group.empty.getLoc();
  Value change = constant(b, loc, 1);
  if (group.isReadNext && !copied.freesLast()) {
    Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, slot,
                                          constant(b, loc, copied.numSlots - 1));
    change = arith::ExtUIOp::create(b, loc, b.getI32Type(), isOther);
  }
  MBarrierWaitOp::create(b, loc, group.empty, slot, arith::XOrIOp::create(b, loc, phase, change));
}

/// Copies, and what they need, in the order of the loop's body.
void CopyRole::emitBody(const CopiedLoop &copied, const llvm::DenseSet<Value> &needed, Value phase,
                        IRMapping &known) {
  Value slot = known.lookup(copied.slot);
  scf::ForOp loop = copied.loop;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isNeeded =
        llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); });
    if (isNeeded)
      retype(b.clone(op, known));
    auto copy = dyn_cast<SlotCopyOpInterface>(op);
    if (!copy)
      continue;
    const CopyGroup *group = llvm::find_if(copied.groups, [&](const CopyGroup &each) {
      return llvm::is_contained(each.copies, copy);
    });
    if (copy == group->copies.front())
      startGroup(copied, *group, slot, phase);
    Operation *own = b.clone(op, known);
    if (auto bulk = dyn_cast<BulkCopyOp>(own)) {
      bulk.getBarrierMutable().assign(group->full);
      bulk.getBarrierSlotMutable().assign(slot);
    }
    // Warps that start no copy arrive, too: else they might wait for a phase that is long over.
    bool anyByThreads = !llvm::all_of(group->copies, llvm::IsaPred<BulkCopyOp>);
    if (copy == group->copies.back())
      MBarrierArriveOp::create(b, op.getLoc(), group->full, slot, /*eachWarp=*/!anyByThreads,
                               /*afterCopies=*/anyByThreads, /*condition=*/Value());
  }
}

/// The first of the loops that share a state begins with the first phase of the first slot.
void CopyRole::begin(const CopiedLoop &copied) {
  if (!copied.continues && !copied.around)
    state.assign(2, constant(b, copied.loop->getLoc(), 0));
}

/// Creates a loop with the bounds of `loop`, which carries what is `needed` of what that one
/// carries, and then `more`.
CopyRole::OwnLoop CopyRole::createLoop(scf::ForOp loop, const llvm::DenseSet<Value> &needed,
                                       ValueRange more, IRMapping &known) {
  OwnLoop own;
  SmallVector<Value> initial;
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (needed.contains(argument)) {
      own.carried.push_back(argument);
      initial.push_back(repeat(loop.getTiedLoopInit(argument)->get(), known));
    }
  llvm::append_range(initial, more);
  Value lower = repeat(loop.getLowerBound(), known), upper = repeat(loop.getUpperBound(), known),
        step = repeat(loop.getStep(), known);
  own.loop = scf::ForOp::create(b, loop.getLoc(), lower, upper, step, initial,
                                [](OpBuilder &, Location, Value, ValueRange) {});
  own.inside = known;
  own.inside.map(loop.getInductionVar(), own.loop.getInductionVar());
  for (auto [argument, mine] : llvm::zip(own.carried, own.loop.getRegionIterArgs()))
    own.inside.map(argument, mine);
  return own;
}

void CopyRole::emitLoop(const CopiedLoop &copied, IRMapping &known) {
  scf::ForOp loop = copied.loop;
  Location loc = loop.getLoc();
  SmallVector<Value> roots = operandsOfCopies(copied);
  roots.push_back(copied.slot);
  llvm::DenseSet<Value> needed = neededIn(loop, roots);
  for (Operation &op : *loop.getBody())
    if (isa<SlotCopyOpInterface>(op) ||
        llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      for (Value operand : op.getOperands())
        if (loop.isDefinedOutsideOfLoop(operand))
          repeat(operand, known);
  begin(copied);
  OwnLoop own = createLoop(loop, needed, state[1], known);
  auto ofSlot = unsigned(llvm::find(own.carried, copied.slot) - own.carried.begin());
  own.loop.getInitArgsMutable()[ofSlot].assign(state[0]);
  Value phase = own.loop.getRegionIterArgs().back();
  state = {own.loop.getResult(ofSlot), own.loop.getResults().back()};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(own.loop.getBody());
  emitBody(copied, needed, phase, own.inside);
  SmallVector<Value> next;
  for (BlockArgument argument : own.carried)
    next.push_back(own.inside.lookupOrDefault(loop.getTiedLoopYieldedValue(argument)->get()));
  next.push_back(nextPhase(b, loc, own.inside.lookup(copied.slot), phase, copied.numSlots));
  scf::YieldOp::create(b, loc, next);
}

/// Repeats the loop around a loop that copies, with what copies need of what it carries, and the
/// slot and the phase.
void CopyRole::emitAround(const CopiedLoop &copied, IRMapping &known) {
  scf::ForOp loop = copied.around, inner = copied.loop;
  SmallVector<Value> roots = operandsOfCopies(copied);
  roots.append({inner.getLowerBound(), inner.getUpperBound(), inner.getStep()});
  if (scf::IfOp branch = copied.guard)
    roots.push_back(branch.getCondition());
  for (const FactorCopy &factor : factors)
    roots.append(factor.copy->operand_begin(), factor.copy->operand_end());
  size_t numCarried = factors.empty() ? 2 : 3;
  SmallVector<Value> initial(numCarried, constant(b, loop.getLoc(), 0));
  OwnLoop own = createLoop(loop, neededIn(loop, roots), initial, known);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(own.loop.getBody());
  ValueRange carried = ValueRange(own.loop.getRegionIterArgs()).take_back(numCarried);
  state = llvm::to_vector(carried.take_front(2));
  tilePhase = factors.empty() ? Value() : carried.back();
  emitBlock(*loop.getBody(), own.inside);
  SmallVector<Value> next;
  for (BlockArgument argument : own.carried)
    next.push_back(repeat(loop.getTiedLoopYieldedValue(argument)->get(), own.inside));
  llvm::append_range(next, state);
  if (tilePhase)
    next.push_back(otherPhase(b, loop.getLoc(), tilePhase));
  scf::YieldOp::create(b, loop.getLoc(), next);
  state = llvm::to_vector(ValueRange(own.loop.getResults()).take_back(numCarried).take_front(2));
}

void CopyRole::emitBranch(scf::IfOp branch, IRMapping &known) {
  Value condition = repeat(branch.getCondition(), known);
  const CopiedLoop *passing =
      llvm::find_if(loops, [&](const CopiedLoop &copied) { return copied.guard == branch; });
  bool passesOn = passing != loops.end();
  if (passesOn)
    begin(*passing);
  SmallVector<Value> before = state;
  bool hasElse = branch.elseBlock() && !branch.elseBlock()->empty();
  auto own =
      scf::IfOp::create(b, branch.getLoc(), passesOn ? TypeRange(ValueRange(before)) : TypeRange(),
                        condition, hasElse || passesOn);
  auto fill = [&](Block *block, Block *source) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    state = before;
    if (source)
      emitBlock(*source, known);
    if (passesOn)
      scf::YieldOp::create(b, branch.getLoc(), state);
  };
  fill(own.thenBlock(), branch.thenBlock());
  if (own.elseBlock())
    fill(own.elseBlock(), hasElse ? branch.elseBlock() : nullptr);
  state = before;
  if (passesOn)
    state = own.getResults();
}

void CopyRole::emitFactor(const FactorCopy &factor, IRMapping &known) {
  BulkCopyOp copy = factor.copy;
  for (Value operand : copy->getOperands())
    repeat(operand, known);
  if (factor.empty)
    MBarrierWaitOp::create(b, copy.getLoc(), factor.empty, /*slot=*/Value(),
                           otherPhase(b, copy.getLoc(), tilePhase));
  auto own = cast<BulkCopyOp>(b.clone(*copy, known));
  own.getBarrierMutable().assign(factor.full);
  MBarrierArriveOp::create(b, copy.getLoc(), factor.full, /*slot=*/Value(), /*eachWarp=*/true,
                           /*afterCopies=*/false, /*condition=*/Value());
}

/// What is computed in a block is known in that block alone.
void CopyRole::emitBlock(Block &source, IRMapping known) {
  for (Operation &op : source) {
    // Maps are there in all branches, until behind the loop that uses them.
    if (auto maps = dyn_cast<MakeTensorMapsOp>(op))
      repeat(maps.getPlace(), known);
    if (isa<ReleaseTensorMapsOp>(op))
      b.clone(op, known);
    for (const FactorCopy &factor : factors)
      if (factor.copy == &op)
        emitFactor(factor, known);
    auto isInside = [&](const CopiedLoop &copied) { return op.isAncestor(copied.loop); };
    const CopiedLoop *inside = llvm::find_if(loops, isInside);
    if (inside == loops.end())
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      emitBranch(branch, known);
      continue;
    }
    if (&op != inside->loop)
      emitAround(*inside, known);
    else
      emitLoop(*inside, known);
    if (inside->done && &op == inside->outermost())
      MBarrierWaitOp::create(b, op.getLoc(), inside->done, /*slot=*/Value(),
                             constant(b, op.getLoc(), 0));
  }
}

void tilec::tile::fillCopyRole(ArrayRef<CopiedLoop> loops, ArrayRef<FactorCopy> factors,
                               Block &role, Block &source) {
  CopyRole(loops, factors, role).emitBlock(source, IRMapping());
  // The last copies land before their threads end.
  OpBuilder b = OpBuilder::atBlockEnd(&role);
  Location loc = source.getParentOp()->getLoc();
  AsyncCommitOp::create(b, loc);
  AsyncWaitOp::create(b, loc, 0);
}
