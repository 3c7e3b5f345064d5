//===- LayoutSolver.cpp - decides on a layout for every tile value -*- C++ -*-===//
//
// See LayoutSolver.h for the model. Decisions are a union-find: control flow and elementwise work
// unite two classes as long as one of them has no layout; two classes with layouts stay apart, and
// AssignLayouts.cpp inserts a conversion between them. This file has the classes and the visits of
// single operations; LayoutSolverNetworks.cpp has the decisions about chains of free values.
//
//===----------------------------------------------------------------------===//

#include "LayoutSolver.h"

#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

LayoutSolver::Decision LayoutSolver::find(Decision decision) const {
  while (parents[decision] != decision)
    decision = parents[decision];
  return decision;
}

LayoutSolver::Decision LayoutSolver::newDecision(RankedTensorType type, LayoutAttr layout) {
  parents.push_back(parents.size());
  layouts.push_back(layout);
  types.push_back(type);
  return parents.back();
}

std::optional<LayoutSolver::Decision> LayoutSolver::decisionOf(Value value) const {
  auto it = pinned.find(value);
  if (it == pinned.end())
    return std::nullopt;
  return find(it->second);
}

LayoutAttr LayoutSolver::layoutOf(Value value) const {
  std::optional<Decision> decision = decisionOf(value);
  return decision ? layouts[*decision] : LayoutAttr();
}

void LayoutSolver::unify(Value a, Value b) {
  std::optional<Decision> first = decisionOf(a), second = decisionOf(b);
  if (!first || !second || *first == *second)
    return;
  if (layouts[*first] && layouts[*second])
    return; // Both have a layout; a conversion will connect them.
  if (!layouts[*first])
    std::swap(*first, *second);
  parents[*second] = *first;
  forwards.clear();
}

void LayoutSolver::demand(Value value, LayoutAttr layout) {
  if (!layout || !isTile(value) || !demanded.insert({value, layout}).second)
    return;
  if (std::optional<Decision> decision = decisionOf(value)) {
    if (!layouts[*decision] && !leftOpen.contains(value)) {
      layouts[*decision] = layout;
      forwards.clear();
    }
    return;
  }
  madeIn[value] = layout;
  Operation *op = value.getDefiningOp();
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      demand(operand.get(), operandLayout(op, operand.getOperandNumber(), layout));
}

void LayoutSolver::work(Operation *op, LayoutAttr layout) {
  workLayouts[op] = layout;
  for (Value operand : op->getOperands())
    demand(operand, layout);
}

void LayoutSolver::workOperand(Operation *op, unsigned operand, LayoutAttr layout) {
  operandLayouts[{op, operand}] = layout;
  demand(op->getOperand(operand), layout);
}

/// Chains of shape changes are followed up to this length.
static constexpr unsigned kMaxShapeChain = 16;

LayoutAttr LayoutSolver::naturalLayout(Value value) const {
  SmallVector<Operation *> changes;
  while (!decisionOf(value)) {
    Operation *op = value.getDefiningOp();
    if (!isShapeChange(op) || changes.size() == kMaxShapeChain)
      return {};
    changes.push_back(op);
    value = op->getOperand(0);
  }
  LayoutAttr layout = layoutOf(value);
  for (Operation *op : llvm::reverse(changes))
    layout = layout ? shapedLayout(op, layout) : LayoutAttr();
  return layout;
}

LayoutAttr LayoutSolver::earlierLayout(Value value) const {
  for (unsigned step = 0; step < kMaxShapeChain; ++step) {
    if (LayoutAttr layout = madeIn.lookup(value))
      return layout;
    Operation *op = value.getDefiningOp();
    if (!op || !isElementwise(op) || op->getNumOperands() != 1 || !isTile(op->getOperand(0)))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

Value LayoutSolver::firstPinnedTile(ValueRange values) const {
  Value open;
  for (Value value : values) {
    if (!isTile(value) || !decisionOf(value))
      continue;
    if (layoutOf(value))
      return value;
    if (!open)
      open = value;
  }
  return open;
}

bool LayoutSolver::isOfProduct(Value value) const {
  std::optional<Decision> decision = isTile(value) ? decisionOf(value) : std::nullopt;
  return decision && layouts[*decision] && ofProducts.contains(*decision);
}

/// Whether all that is computed from `op` element by element is stored: then it may as well be
/// where the store wants it.
static bool isOnlyStored(Operation *op) {
  constexpr size_t mostOps = 16;
  llvm::SetVector<Operation *> open;
  open.insert(op);
  for (size_t index = 0; index < open.size(); ++index)
    for (Operation *user : open[index]->getUsers()) {
      if (isElementwise(user))
        open.insert(user);
      if (!isa<StoreOp>(user) && (!isElementwise(user) || open.size() > mostOps))
        return false;
    }
  return true;
}

/// Whether `op` is in the loop of the product whose layout `value` has, and what follows there is
/// for the next product, or carried.
bool LayoutSolver::isInLoopOfProduct(Operation *op, Value value) const {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  Operation *product = ofProducts.lookup(*decisionOf(value));
  return loop && loop == product->getParentOfType<LoopLikeOpInterface>() && !isOnlyStored(op);
}

/// The operand in whose layout an elementwise operation works: the first that has one, but what is
/// selected before the condition, which has fewer bytes, and what a product computes before all
/// others in its loop.
Value LayoutSolver::leaderOf(Operation *elementwise) const {
  ValueRange operands = elementwise->getOperands();
  Value first = firstPinnedTile(operands);
  if (isa<arith::SelectOp>(elementwise))
    if (Value selected = firstPinnedTile(operands.drop_front()))
      first = selected;
  if (!first || isOfProduct(first))
    return first;
  auto product = llvm::find_if(operands, [&](Value operand) {
    return isOfProduct(operand) && isInLoopOfProduct(elementwise, operand);
  });
  return product == operands.end() ? first : *product;
}

LayoutAttr LayoutSolver::settledLayout(Value value) {
  std::optional<Decision> decision = decisionOf(value);
  if (!decision)
    return {};
  if (!layouts[*decision])
    layouts[*decision] = defaultLayout(types[*decision], launch);
  return layouts[*decision];
}

void LayoutSolver::settle(func::FuncOp function) {
  for (auto &entry : pinned)
    (void)settledLayout(entry.first);
  function.walk([&](Operation *op) {
    if (isElementwise(op) && !isInScalarCode(op) && op->getNumResults() > 0 &&
        getPinned(op->getResult(0)))
      workLayouts[op] = getPinned(op->getResult(0));
  });
}

LayoutAttr LayoutSolver::getPinned(Value value) const { return layoutOf(value); }

LayoutAttr LayoutSolver::getWorkLayout(Operation *op, unsigned operand) const {
  if (LayoutAttr layout = operandLayouts.lookup({op, operand}))
    return layout;
  return workLayouts.lookup(op);
}

//===----------------------------------------------------------------------===//
// Straight-line operations
//===----------------------------------------------------------------------===//

void LayoutSolver::visitRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op);
}

void LayoutSolver::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) { visitLoad(load); })
      .Case([&](StoreOp store) { visitStore(store); })
      .Case([&](BufferCopyOp copy) { visitBufferCopy(copy); })
      .Case([&](BufferLoadOp load) { visitBufferLoad(load); })
      .Case([&](TakeOp take) { visitTake(take); })
      .Case([&](AccessOpInterface access) { visitAccess(access); })
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::IfOp branch) { visitIf(branch); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop); })
      .Default([&](Operation *other) {
        if (isElementwise(other))
          visitElementwise(other);
        else if (auto work = dyn_cast<LayoutOpInterface>(other))
          visitLayoutOp(work);
      });
}

void LayoutSolver::visitLoad(LoadOp op) {
  if (!isTile(op.getPtr()))
    return;
  // All CTAs of a cluster repeat products, so each needs what these are computed from.
  LayoutAttr layout = launch.numCTAs > 1 && multiplies
                          ? accesses.chooseForCTA(op.getPtr(), op.getMask())
                          : groups.layoutOf(op);
  if (!layout && order.isShapeOfOrdered(op)) {
    layout = accesses.chooseForWarp(op.getPtr(), op.getMask());
  } else if (!layout) {
    layout = accesses.choose(op.getPtr(), op.getMask());
    // Pointers that were computed from loaded values are not converted if that gains nothing.
    llvm::SmallDenseSet<Value> seen;
    LayoutAttr own = layoutOf(op.getPtr());
    if (!own)
      own = broadcastInThread(op.getPtr(), seen);
    if (own && own != layout &&
        accesses.cost(op.getPtr(), op.getMask(), own) <=
            accesses.cost(op.getPtr(), op.getMask(), layout))
      layout = own;
  }
  work(op, layout);
  pin(op.getResult(), newDecision(tileType(op.getResult()), layout));
}

void LayoutSolver::visitStore(StoreOp op) {
  if (!isTile(op.getPtr()))
    return;
  bool isOrdered = order.isOrdered(op);
  LayoutAttr layout = isOrdered ? accesses.chooseForWarp(op.getPtr(), op.getMask())
                                : accesses.choose(op.getPtr(), op.getMask());
  // The value's own layout saves a conversion, if the access is about as cheap in it. For a free
  // value it is one in which the value is computed for another user already, or that follows from
  // what it is computed from.
  LayoutAttr own = layoutOf(op.getValue());
  if (!own)
    own = earlierLayout(op.getValue());
  if (!own)
    own = forward(op.getValue()).layout;
  bool isPossible =
      own && own != layout && (!isOrdered || isInOneWarp(own, tileType(op.getValue())));
  if (isPossible && accesses.isNearlyAsCheap(op.getPtr(), op.getMask(), own, layout)) {
    layout = own;
    // A few shuffles make half as many accesses, each of twice as much of a row.
    bool isFree = !decisionOf(op.getPtr()) && !(op.getMask() && decisionOf(op.getMask()));
    LayoutAttr wide = isFree ? accesses.widened(op.getPtr(), op.getMask(), own) : LayoutAttr();
    if (wide)
      layout = wide;
  }
  work(op, layout);
}

/// The threads copy as they would load, and read what they have copied.
void LayoutSolver::visitBufferCopy(BufferCopyOp op) {
  LayoutAttr layout = accesses.choose(op.getPtr(), op.getMask());
  work(op, layout);
  BufferType type = op.getBuffer().getType();
  auto map = SharedAttr::get(
      op.getContext(),
      tilec::layout::placeByThread(layout.toLinearLayout(type.getShape()),
                                   accesses.width(op.getPtr(), op.getMask(), layout)));
  bufferLayouts[op.getBuffer()] = layout;
  bufferTypes[op.getBuffer()] =
      BufferType::get(op.getContext(), type.getShape(), type.getElementType(), map,
                      type.getRounds(), type.getSlots());
}

void LayoutSolver::visitBufferLoad(BufferLoadOp op) {
  LayoutAttr layout = bufferLayouts.lookup(op.getBuffer());
  work(op, layout);
  pin(op.getResult(), newDecision(tileType(op.getResult()), layout));
}

/// Chooses the layout for the pointers, or the value's own, which saves a conversion, if it costs
/// no more.
void LayoutSolver::visitAccess(AccessOpInterface op) {
  Value ptr = op.getPtr(), mask = op.getMask();
  if (!isTile(ptr))
    return;
  LayoutAttr layout = accesses.choose(ptr, mask);
  LayoutAttr own = layoutOf(op->getOperand(1));
  if (own && own != layout && accesses.cost(ptr, mask, own) <= accesses.cost(ptr, mask, layout))
    layout = own;
  work(op, layout);
  for (Value result : op->getResults())
    pin(result, newDecision(tileType(result), layout));
}

/// What the solver knows when it visits an operation.
class LayoutSolver::Choice : public LayoutChoice {
public:
  explicit Choice(LayoutSolver &solver) : solver(solver) {}

  Value getLeader(ValueRange values) override { return solver.firstPinnedTile(values); }
  LayoutAttr getLayout(Value tile) override { return solver.naturalLayout(tile); }
  LayoutAttr getLayoutOfSource(Value tile) override { return solver.forward(tile).layout; }
  LayoutAttr getLayoutOfBroadcast(Value tile) override {
    llvm::SmallDenseSet<Value> seen;
    return solver.broadcastInThread(tile, seen);
  }
  void computeOnce(Value tile) override { solver.computeOnce(tile); }
  const LaunchShape &getLaunch() const override { return solver.launch; }
  const tilec::LayoutTuning &getTuning() const override { return solver.accesses.getTuning(); }

private:
  LayoutSolver &solver;
};

void LayoutSolver::visitLayoutOp(LayoutOpInterface op) {
  WorkLayouts layouts;
  layouts.operands.resize(op->getNumOperands());
  layouts.results.resize(op->getNumResults());
  Choice choice(*this);
  op.chooseLayouts(choice, layouts);
  if (auto dot = dyn_cast<DotOp>(*op)) {
    computeFactorOnce(dot.getLhs(), layouts.operands[0]);
    computeFactorOnce(dot.getRhs(), layouts.operands[1]);
  }
  if (llvm::all_equal(layouts.operands) && !layouts.operands.empty()) {
    work(op, layouts.operands.front());
  } else {
    for (auto [index, layout] : llvm::enumerate(layouts.operands))
      workOperand(op, index, layout);
  }
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), layouts.results))
    if (isTile(result)) {
      pin(result, newDecision(tileType(result), layout));
      if (isa<DotOp>(op))
        ofProducts[*decisionOf(result)] = op;
    }
}

void LayoutSolver::visitElementwise(Operation *op) {
  if (op->getNumResults() == 0 || !isTile(op->getResult(0)))
    return;
  Value leader = leaderOf(op);
  if (!leader)
    return visitFree(op);
  for (Value result : op->getResults())
    pin(result, *decisionOf(leader));
  for (Value operand : op->getOperands()) {
    unify(leader, operand);
    demand(operand, layoutOf(leader));
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Products that carried tiles meet.
using MetProducts = llvm::SmallDenseMap<Value, DotOp>;

/// The product from which `value` is computed element by element, perhaps by way of a carried tile
/// that meets one; null if none is found nearby.
static DotOp productBehind(Value value, const MetProducts &met) {
  constexpr size_t mostValues = 16;
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size() && index < mostValues; ++index) {
    if (DotOp dot = met.lookup(open[index]))
      return dot;
    Operation *op = open[index].getDefiningOp();
    if (auto dot = dyn_cast_or_null<DotOp>(op))
      return dot;
    if (op && isElementwise(op))
      open.insert(op->operand_begin(), op->operand_end());
  }
  return {};
}

/// The product that adds to `value`, or whose result meets it element by element, or the same of
/// what is computed from it so, in loops inside as well; null if none is found nearby.
static DotOp productThatMeets(Value value, const MetProducts &met) {
  constexpr size_t mostValues = 64;
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size() && index < mostValues; ++index)
    for (OpOperand &use : open[index].getUses()) {
      Operation *user = use.getOwner();
      if (auto dot = dyn_cast<DotOp>(user); dot && dot.getAcc() == open[index])
        return dot;
      if (auto loop = dyn_cast<scf::ForOp>(user)) {
        open.insert(loop.getTiedLoopRegionIterArg(&use));
      } else if (isElementwise(user) && user->getNumResults() == 1) {
        for (Value operand : user->getOperands())
          if (DotOp dot = open.contains(operand) ? DotOp() : productBehind(operand, met))
            return dot;
        open.insert(user->getResult(0));
      }
    }
  return {};
}

/// The products that tiles which `loop` carries meet. One may be met by way of another tile, which
/// may come later.
static MetProducts productsThatMeet(scf::ForOp loop) {
  MetProducts met;
  bool isNew = true;
  while (isNew) {
    isNew = false;
    for (Value argument : loop.getRegionIterArgs())
      if (isTile(argument) && !met.contains(argument))
        if (DotOp dot = productThatMeets(argument, met))
          isNew = met.try_emplace(argument, dot).second;
  }
  return met;
}

/// Whether `argument`, which `loop` carries, is combined element by element with what a reduction
/// in the loop gives, as the maximum of the rows so far.
static bool meetsReduction(Value argument, scf::ForOp loop) {
  constexpr size_t mostValues = 16;
  llvm::SetVector<Value> open;
  for (Operation *user : argument.getUsers())
    if (isElementwise(user) && loop.getBody() == user->getBlock())
      open.insert(user->operand_begin(), user->operand_end());
  for (size_t index = 0; index < open.size() && index < mostValues; ++index) {
    Operation *op = open[index].getDefiningOp();
    if (!op || !loop->isProperAncestor(op))
      continue;
    if (isa<ReduceOp>(op))
      return true;
    if (isElementwise(op))
      open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// The layout in which `dot` adds.
static LayoutAttr layoutOfSum(DotOp dot, LaunchShape launch) {
  tilec::GpuArch arch = getTarget(dot);
  tilec::layout::WarpOrder order = chooseWarpOrder(dot, launch, arch);
  return LayoutAttr::get(dot.getContext(), dotLayouts(dot, launch, arch, order).acc);
}

/// What products add to, or are added to, has their layout, wherever it comes from and whoever sees
/// it first: else it would be exchanged in each iteration. What is combined with reductions of the
/// loop gets their layout for the same reason.
void LayoutSolver::visitFor(scf::ForOp op) {
  MetProducts met = productsThatMeet(op);
  for (auto [init, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs()))
    if (isTile(init)) {
      std::optional<Decision> decision = decisionOf(init);
      if (DotOp dot = met.lookup(argument)) {
        decision = newDecision(tileType(init), layoutOfSum(dot, launch));
        ofProducts[*decision] = dot;
      } else if (meetsReduction(argument, op)) {
        decision.reset();
      }
      pin(argument, decision ? *decision : newDecision(tileType(init)));
    }
  visitRegion(op.getRegion());
  for (auto [init, argument, yielded, result] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs(),
                                                          op.getYieldedValues(), op.getResults())) {
    if (!isTile(init))
      continue;
    unify(argument, yielded);
    unify(argument, init);
    demand(init, layoutOf(argument));
    demand(yielded, layoutOf(argument));
    pin(result, *decisionOf(argument));
  }
}

void LayoutSolver::visitIf(scf::IfOp op) {
  for (Region *region : op.getRegions())
    visitRegion(*region);
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Value result = op.getResult(i);
    if (!isTile(result))
      continue;
    Value options[] = {op.thenYield().getOperand(i), op.elseYield().getOperand(i)};
    Value leader = firstPinnedTile(options);
    pin(result, leader ? *decisionOf(leader) : newDecision(tileType(result)));
    for (Value option : options) {
      unify(result, option);
      demand(option, layoutOf(result));
    }
  }
}

void LayoutSolver::visitWhile(scf::WhileOp op) {
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments()))
    if (isTile(init)) {
      std::optional<Decision> decision = decisionOf(init);
      pin(argument, decision ? *decision : newDecision(tileType(init)));
    }
  visitRegion(op.getBefore());
  for (auto [passed, argument, result] :
       llvm::zip(op.getConditionOp().getArgs(), op.getAfterArguments(), op.getResults()))
    if (isTile(passed)) {
      std::optional<Decision> decision = decisionOf(passed);
      pin(argument, decision ? *decision : newDecision(tileType(passed)));
      pin(result, *decisionOf(argument));
    }
  visitRegion(op.getAfter());
  for (auto [init, argument, yielded] :
       llvm::zip(op.getInits(), op.getBeforeArguments(), op.getYieldOp().getOperands()))
    if (isTile(init)) {
      unify(argument, yielded);
      demand(init, layoutOf(argument));
      demand(yielded, layoutOf(argument));
    }
}
