//===- LayoutSolverSplits.cpp - layouts along chains of splits -*- C++ -*-===//
//
// A butterfly (a Fourier or Hadamard transform, a sorting network) splits a tile, joins what it
// computes from the halves, and splits again along another axis. Splits and joins are free: in the
// layout that the end of the chain wants, each thread would compute both halves of every split
// along an axis that lanes share, twice as much at every step. So the second split along such an
// axis decides: what it splits is pinned where it is, its halves come from one exchange that has
// the axis in registers, and so do all later steps.
//
//===----------------------------------------------------------------------===//

#include "LayoutSolver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Transforms.h"

using namespace mlir;
using namespace mlir::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

static bool isShapeChange(Operation *op) { return isa<ReshapeOp, ExpandDimsOp, PermuteOp>(op); }

static LinearLayout linear(Value value, LayoutAttr layout) {
  return layout.toLinearLayout(cast<RankedTensorType>(value.getType()).getShape());
}

static bool isInRegisters(const LinearLayout &layout, unsigned axis) {
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t basis : layout.flatBases(dim))
      if (basis & layout.axisMask(axis))
        return false;
  return true;
}

/// The layout of a split's source, near to `layout`, in which each thread has both halves.
static LayoutAttr splitLayout(TakeOp op, LayoutAttr layout) {
  std::optional<LinearLayout> near =
      tilec::layout::bringIntoRegisters(linear(op.getSrc(), layout), op.getAxis());
  return near ? LayoutAttr::get(op.getContext(), *near) : LayoutAttr();
}

static LayoutAttr halfLayout(TakeOp op, LayoutAttr source) {
  return LayoutAttr::get(op.getContext(),
                         tilec::layout::reduceDim(linear(op.getSrc(), source), op.getAxis()));
}

/// One of the values that `op` joins along a new axis, before it got that axis; null if it is no
/// join.
static Value joinedValue(Operation *op, unsigned &axis) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return {};
  auto wide = select.getTrueValue().getDefiningOp<BroadcastOp>();
  auto other = select.getFalseValue().getDefiningOp<BroadcastOp>();
  auto thin = wide ? wide.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  auto otherThin = other ? other.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  if (!thin || !otherThin || thin.getAxis() != otherThin.getAxis())
    return {};
  axis = thin.getAxis();
  auto from = cast<RankedTensorType>(thin.getType()), to = cast<RankedTensorType>(wide.getType());
  for (int64_t i = 0; i < to.getRank(); ++i)
    if (i != axis && from.getDimSize(i) != to.getDimSize(i))
      return {};
  return thin.getSrc();
}

LayoutSolver::Forward LayoutSolver::forward(Value value) {
  if (std::optional<Decision> decision = decisionOf(value))
    return {layouts[*decision], false, exchanged.contains(*decision)};
  auto found = forwards.find(value);
  if (found != forwards.end())
    return found->second;
  Forward result = value.getDefiningOp() ? followForward(value) : Forward();
  forwards[value] = result;
  return result;
}

LayoutSolver::Forward LayoutSolver::followForward(Value value) {
  Operation *op = value.getDefiningOp();
  if (isShapeChange(op)) {
    Forward source = forward(op->getOperand(0));
    if (source.layout)
      source.layout = shapedLayout(op, source.layout);
    return source;
  }
  if (auto take = dyn_cast<TakeOp>(op)) {
    Forward source = forward(take.getSrc());
    LayoutAttr split = source.layout ? splitLayout(take, source.layout) : LayoutAttr();
    return {split ? halfLayout(take, split) : LayoutAttr(), true, source.isExchanged};
  }
  unsigned axis = 0;
  if (Value joined = joinedValue(op, axis)) {
    Forward source = forward(joined);
    if (source.layout)
      source.layout = LayoutAttr::get(
          op->getContext(), tilec::layout::insertInRegisters(
                                linear(joined, source.layout), axis,
                                cast<RankedTensorType>(value.getType()).getDimSize(axis)));
    return source;
  }
  if (isElementwise(op))
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        if (Forward source = forward(operand); source.layout)
          return source;
  return {};
}

void LayoutSolver::pinForward(Value value) {
  Forward where = forward(value);
  Operation *op = value.getDefiningOp();
  Decision decision = newDecision(cast<RankedTensorType>(value.getType()), where.layout);
  pin(value, decision);
  if (where.isExchanged)
    exchanged.insert(decision);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    demand(operand, operandLayout(op, index, where.layout));
}

void LayoutSolver::visitTake(TakeOp op) {
  Forward source = forward(op.getSrc());
  if (!source.layout || !(source.hasSplit || source.isExchanged))
    return; // Free: made where it is wanted.
  bool isThere = isInRegisters(linear(op.getSrc(), source.layout), op.getAxis());
  LayoutAttr split = splitLayout(op, source.layout);
  if (!split || (isThere && !source.isExchanged))
    return;
  Value root = op.getSrc();
  while (!decisionOf(root) && isShapeChange(root.getDefiningOp()))
    root = root.getDefiningOp()->getOperand(0);
  if (!decisionOf(root)) {
    if (!isElementwise(root.getDefiningOp()))
      return;
    pinForward(root);
  }
  exchanged.insert(*decisionOf(root));
  workOperand(op, 0, split);
  Decision half = newDecision(cast<RankedTensorType>(op.getType()), halfLayout(op, split));
  pin(op.getResult(), half);
  exchanged.insert(half);
}

void LayoutSolver::visitJoin(Operation *op) {
  unsigned axis = 0;
  if (joinedValue(op, axis) && forward(op->getResult(0)).isExchanged &&
      forward(op->getResult(0)).layout)
    pinForward(op->getResult(0));
}
