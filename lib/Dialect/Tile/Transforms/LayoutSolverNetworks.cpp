//===- LayoutSolverNetworks.cpp - layouts along chains of free values -*- C++ -*-===//
//
// The part of LayoutSolver that pins values of networks. A free value is rematerialized in each
// layout that is demanded, with all that it is computed from. A network is a long chain of free
// values, so that this would cost more with every step. There are two kinds:
//
// A butterfly (a Fourier or Hadamard transform) splits a tile, joins what it computes from the
// halves, and splits again along another axis. In the layout that the end of the chain needs, each
// thread would compute both halves of every split along an axis that lanes share, twice as much at
// every step. So the second such split pins its source in the layout that follows from the first,
// and its halves come from one exchange that brings the axis into registers, together with the
// axes of the next splits.
//
// A sorting network sums over pairs, so that a thread sees both elements, broadcasts the sums, and
// carries indices that start as a range. Such values are pinned, in the layout that follows from
// the reduction, once the chain has a few steps.
//
//===----------------------------------------------------------------------===//

#include "LayoutSolver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Transforms.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

static LinearLayout linear(Value value, LayoutAttr layout) {
  return layout.toLinearLayout(tileType(value).getShape());
}

static LayoutAttr halfLayout(TakeOp op, LayoutAttr source) {
  return LayoutAttr::get(op.getContext(),
                         tilec::layout::reduceDim(linear(op.getSrc(), source), op.getAxis()));
}

//===----------------------------------------------------------------------===//
// Splits that follow
//===----------------------------------------------------------------------===//

/// Tiles after a split that are searched for the next one.
static constexpr size_t kMaxLookahead = 64;

namespace {
/// A tile that is computed from an earlier one, and how its elements follow from the earlier one's:
/// `bits` is a layout of the tile whose lane bits are the bits of the earlier tile's flat index. A
/// bit is zero if a split took it.
struct Traced {
  Value tile;
  LinearLayout bits;
};
} // namespace

/// For a tile itself: each bit of its flat index is a lane bit.
static LinearLayout allBits(RankedTensorType type) {
  LinearLayout::FlatBasisLists bases;
  for (int64_t bit = 1; bit < type.getNumElements(); bit *= 2)
    bases[static_cast<unsigned>(InDim::Lane)].push_back(static_cast<uint64_t>(bit));
  std::string error;
  return *LinearLayout::createFlat({type.getShape().begin(), type.getShape().end()},
                                   std::move(bases), error);
}

/// Follows the bits from `from` to the result of `op`, if that is elementwise work, a shape change,
/// or a broadcast along one axis; nothing otherwise.
static std::optional<Traced> traceThrough(Operation *op, const Traced &from) {
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  Value result = op->getResult(0);
  if (isShapeChange(op))
    return Traced{result, shapedLayout(op, from.bits)};
  if (isElementwise(op))
    return Traced{result, from.bits};
  if (!isa<BroadcastOp>(op))
    return std::nullopt;
  ArrayRef<int64_t> before = tileType(from.tile).getShape(), after = tileType(result).getShape();
  std::optional<unsigned> axis;
  for (unsigned i = 0; i < before.size(); ++i)
    if (before[i] != after[i]) {
      if (axis)
        return std::nullopt;
      axis = i;
    }
  if (!axis)
    return Traced{result, from.bits};
  return Traced{result, insertInRegisters(squeezeDim(from.bits, *axis), *axis, after[*axis])};
}

/// The next split of a tile that is computed from `from`, and the bits in its source.
static std::optional<std::pair<TakeOp, LinearLayout>> nextSplit(Traced from) {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Traced> front = {std::move(from)};
  for (size_t i = 0; i < front.size() && i < kMaxLookahead; ++i)
    for (Operation *user : front[i].tile.getUsers()) {
      if (auto take = dyn_cast<TakeOp>(user))
        return std::pair(take, front[i].bits);
      std::optional<Traced> next = traceThrough(user, front[i]);
      if (next && seen.insert(next->tile).second)
        front.push_back(std::move(*next));
    }
  return std::nullopt;
}

/// The bits of the flat index of this split's source that later splits divide by, in their order.
static std::vector<uint64_t> laterSplits(TakeOp op) {
  std::vector<uint64_t> wanted;
  LinearLayout bits = allBits(op.getSrc().getType());
  for (TakeOp split = op; split;) {
    std::optional<std::pair<TakeOp, LinearLayout>> next =
        nextSplit({split.getResult(), tilec::layout::reduceDim(bits, split.getAxis())});
    if (!next)
      break;
    std::tie(split, bits) = std::move(*next);
    for (auto [i, basis] : llvm::enumerate(bits.flatBases(InDim::Lane)))
      if (basis & bits.axisMask(split.getAxis()))
        wanted.push_back(uint64_t(1) << i);
  }
  return wanted;
}

/// A layout of a split's source that differs little from `layout`, in which each thread has both
/// halves, and also those of as many of the next splits as possible: these then need no exchange.
LayoutAttr LayoutSolver::splitLayout(TakeOp op, LayoutAttr layout) {
  auto [known, isNew] = splitLayouts.insert({{op, layout}, LayoutAttr()});
  if (!isNew)
    return known->second;
  LinearLayout from = linear(op.getSrc(), layout);
  std::vector<uint64_t> wanted;
  if (!tilec::layout::isInRegisters(from, op.getAxis()))
    wanted = laterSplits(op);
  if (std::optional<LinearLayout> near =
          tilec::layout::bringIntoRegisters(from, op.getAxis(), wanted))
    known->second = LayoutAttr::get(op.getContext(), *near);
  return known->second;
}

//===----------------------------------------------------------------------===//
// What follows from pinned values
//===----------------------------------------------------------------------===//

/// If `op` broadcasts the result of a reduction along the axis that was reduced, the layout of the
/// reduction's source: in it, every thread has the result for all elements that it held before.
LayoutAttr LayoutSolver::broadcastAgain(BroadcastOp op) const {
  Value thin = op.getSrc();
  auto reduce = isa_and_nonnull<ExpandDimsOp, ReshapeOp>(thin.getDefiningOp())
                    ? thin.getDefiningOp()->getOperand(0).getDefiningOp<ReduceOp>()
                    : ReduceOp();
  if (!reduce || tileType(reduce.getSrcs()[0]).getShape() != op.getType().getShape())
    return {};
  SmallVector<int64_t> kept(op.getType().getShape());
  kept[reduce.getAxis()] = 1;
  return tileType(thin).getShape() == ArrayRef<int64_t>(kept) ? workLayouts.lookup(reduce)
                                                              : LayoutAttr();
}

/// The layout of a free tile that follows from the first pinned one that it is computed from if
/// each thread makes all copies of its elements; null if there is none, or threads share elements.
/// From the values in `seen` nothing follows.
LayoutAttr LayoutSolver::broadcastInThread(Value value, llvm::SmallDenseSet<Value> &seen,
                                           unsigned budget) const {
  if (LayoutAttr layout = layoutOf(value))
    return linear(value, layout).hasReplication() ? LayoutAttr() : layout;
  Operation *op = value.getDefiningOp();
  if (!op || decisionOf(value) || budget == 0 || !seen.insert(value).second)
    return {};
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    LayoutAttr source = broadcastInThread(operand, seen, budget - 1);
    std::optional<Traced> traced =
        source ? traceThrough(op, {operand, linear(operand, source)}) : std::nullopt;
    if (traced)
      return LayoutAttr::get(op->getContext(), traced->bits);
  }
  return {};
}

LayoutSolver::Forward LayoutSolver::forward(Value value, unsigned budget) {
  if (std::optional<Decision> decision = decisionOf(value)) {
    Forward pinnedHere;
    pinnedHere.layout = layouts[*decision];
    pinnedHere.isExchanged = exchanged.contains(*decision);
    return pinnedHere;
  }
  if (!value.getDefiningOp() || budget == 0)
    return {};
  auto found = forwards.find(value);
  if (found != forwards.end())
    return found->second;
  Forward result = followForward(value, budget - 1);
  forwards[value] = result;
  return result;
}

/// Whether `value` is computed element by element from the result of a reduction.
static bool isOfReduction(Value value) {
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size() && index < kMaxLookahead; ++index) {
    Operation *op = open[index].getDefiningOp();
    if (isa_and_nonnull<ReduceOp>(op))
      return true;
    if (op && (isElementwise(op) || isShapeChange(op)))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          open.insert(operand);
  }
  return false;
}

LayoutSolver::Forward LayoutSolver::followForward(Value value, unsigned budget) {
  Operation *op = value.getDefiningOp();
  Forward result;
  unsigned axis = 0;
  if (isShapeChange(op)) {
    result = forward(op->getOperand(0), budget);
    if (result.layout)
      result.layout = shapedLayout(op, result.layout);
  } else if (auto take = dyn_cast<TakeOp>(op)) {
    result = forward(take.getSrc(), budget);
    result.hasSplit = true;
    if (LayoutAttr source = result.layout ? splitLayout(take, result.layout) : LayoutAttr())
      result.layout = halfLayout(take, source);
    else
      result.layout = {};
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    result.layout = broadcastAgain(broadcast);
    result.hasReduced = isOfReduction(broadcast.getSrc());
  } else if (Value joined = joinedValue(op, axis)) {
    result = forward(joined, budget);
    if (result.layout)
      result.layout = LayoutAttr::get(
          op->getContext(), tilec::layout::insertInRegisters(linear(joined, result.layout), axis,
                                                             tileType(value).getDimSize(axis)));
  } else if (isElementwise(op)) {
    result = followElementwise(op, budget);
  }
  return result;
}

/// The first operand from which a layout follows decides. Depth and flags are those of all
/// operands.
LayoutSolver::Forward LayoutSolver::followElementwise(Operation *op, unsigned budget) {
  Forward result;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Forward source = forward(operand, budget);
    result.hasSplit |= source.hasSplit;
    result.hasReduced |= source.hasReduced;
    if (!source.layout)
      continue;
    if (!result.layout)
      result.layout = source.layout;
    result.isExchanged |= source.isExchanged;
    result.depth = std::max(result.depth, source.depth + 1);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Pins two computed tiles that are joined in the layout that follows from theirs, so that, where
/// another one is needed, the whole is exchanged and not each part.
void LayoutSolver::pinJoined(Operation *op, Value part, LayoutAttr layout) {
  if (!decisionOf(part))
    return;
  Value result = op->getResult(0);
  pin(result, newDecision(tileType(result), layout));
  forwards.clear();
  for (Value operand : op->getOperands())
    demand(operand, layout);
}

/// Pins a free elementwise value or shape change in the layout that follows from the pinned value
/// that it is computed from, or in a default layout if there is none.
void LayoutSolver::pinForward(Value value) {
  LayoutAttr layout = forward(value).layout;
  if (!layout)
    layout = defaultLayout(tileType(value), launch);
  Decision decision = newDecision(tileType(value), layout);
  pin(value, decision);
  exchanged.insert(decision);
  forwards.clear();
  Operation *op = value.getDefiningOp();
  for (OpOperand &operand : op->getOpOperands())
    if (isElementwise(op))
      demand(operand.get(), layout);
    else
      workOperand(op, operand.getOperandNumber(),
                  operandLayout(op, operand.getOperandNumber(), layout));
}

void LayoutSolver::computeOnce(Value value) {
  // Orders of the axes are views for whoever reads memory.
  while (!decisionOf(value) && isa_and_nonnull<PermuteOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (decisionOf(value)) {
    leftOpen.insert(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1 && (isElementwise(op) || isShapeChange(op)) &&
      forward(value).layout)
    pinForward(value);
}

/// Whether the free `value` takes more arithmetic than an exchange of it would, by far.
bool LayoutSolver::isCostly(Value value) const {
  constexpr int64_t manySteps = 16; // For each element.
  int64_t many = manySteps * tileType(value).getNumElements(), steps = 0;
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size() && steps < many; ++index) {
    Operation *op = open[index].getDefiningOp();
    if (!op || decisionOf(open[index]))
      continue;
    if (isElementwise(op))
      steps += tileType(open[index]).getNumElements();
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.insert(operand);
  }
  return steps >= many;
}

/// Pins the parts from which the free `value` is joined, so that a thread has all parts of what it
/// computes them from: four random numbers follow from one counter.
void LayoutSolver::pinParts(Value value) {
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size() && index < kMaxLookahead; ++index)
    if (Operation *op = open[index].getDefiningOp(); op && !decisionOf(open[index]))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          open.insert(operand);
  for (Value each : llvm::reverse(open)) {
    unsigned axis = 0;
    Value part = each.getDefiningOp() ? joinedValue(each.getDefiningOp(), axis) : Value();
    Operation *op = part ? part.getDefiningOp() : nullptr;
    if (op && op->getNumResults() == 1 && isElementwise(op) && !forward(part).layout)
      pinForward(part);
  }
}

/// Pins a factor of a product that follows from nothing pinned, random numbers for one, where the
/// threads that need an element would all compute it at length.
void LayoutSolver::computeFactorOnce(Value factor, LayoutAttr layout) {
  LinearLayout where = linear(factor, layout);
  while (!decisionOf(factor) && isa_and_nonnull<PermuteOp>(factor.getDefiningOp()))
    factor = factor.getDefiningOp()->getOperand(0);
  Operation *op = factor.getDefiningOp();
  if (where.hasReplication() && !decisionOf(factor) && op && isElementwise(op) &&
      op->getNumResults() == 1 && isCostly(factor)) {
    pinParts(factor);
    pinForward(factor);
  }
}

/// The value that a chain of shape changes starts from.
static Value rootOf(Value value, llvm::function_ref<bool(Value)> isPinned) {
  while (!isPinned(value) && value.getDefiningOp() && isShapeChange(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether all that is computed from `value` by elementwise work becomes narrower before a user
/// needs a layout: then an exchange behind that moves fewer bytes than one before.
static bool isNarrowedLater(Value value) {
  auto bytes = [](Value tile) { return byteSize(elementOf(tile.getType())); };
  llvm::SetVector<Value> open;
  open.insert(value);
  for (size_t index = 0; index < open.size(); ++index) {
    if (open[index].use_empty() || open.size() > kMaxLookahead)
      return false;
    for (Operation *user : open[index].getUsers()) {
      if (!isElementwise(user) || user->getNumResults() != 1)
        return false;
      Value result = user->getResult(0);
      if (!isa<arith::TruncFOp, arith::TruncIOp>(user) || bytes(result) >= bytes(value))
        open.insert(result);
    }
  }
  return true;
}

void LayoutSolver::visitTake(TakeOp op) {
  Value root = rootOf(op.getSrc(), [&](Value value) { return decisionOf(value).has_value(); });
  Operation *made = root.getDefiningOp();
  bool isFree = !decisionOf(root) && made && isElementwise(made) && made->getNumResults() == 1;
  Forward source = forward(op.getSrc());
  if (!source.layout && source.hasSplit && isFree) {
    pinForward(root); // Ranges and what is computed from them.
    source = forward(op.getSrc());
  }
  if (!source.layout)
    return; // It stays free.
  bool isThere = tilec::layout::isInRegisters(linear(op.getSrc(), source.layout), op.getAxis());
  if (!source.hasSplit && !source.isExchanged) {
    if (isThere && decisionOf(root) && isNarrowedLater(op.getResult())) {
      workOperand(op, 0, source.layout);
      pin(op.getResult(), newDecision(tileType(op.getResult()), halfLayout(op, source.layout)));
    }
    return;
  }
  LayoutAttr split = splitLayout(op, source.layout);
  if (!split || (isThere && !source.isExchanged))
    return;
  if (!decisionOf(root)) {
    if (!isFree)
      return;
    pinForward(root);
  }
  workOperand(op, 0, split);
  Decision half = newDecision(tileType(op.getResult()), halfLayout(op, split));
  pin(op.getResult(), half);
  exchanged.insert(half);
}

void LayoutSolver::visitFree(Operation *op) {
  Value result = op->getResult(0);
  Forward where = forward(result);
  if (!where.layout || op->getNumResults() != 1)
    return;
  unsigned axis = 0;
  Value part = joinedValue(op, axis);
  if ((part && where.isExchanged) ||
      (where.hasReduced && where.depth >= accesses.getTuning().mostFreeSteps))
    pinForward(result);
  else if (part)
    pinJoined(op, part, where.layout);
}
