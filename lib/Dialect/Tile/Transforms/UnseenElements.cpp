//===- UnseenElements.cpp - elements that nobody will see -------*- C++ -*-===//
//
// A kernel that multiplies reads rows behind the end of a matrix from somewhere else (`offsets %
// M`), multiplies them, and masks what becomes of them when it stores. So follow what depends on a
// row, as long as it is the same row of another tile.
//
//===----------------------------------------------------------------------===//

#include "UnseenElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

class ElementTracer {
public:
  /// Without `rest`, the first store decides.
  ElementTracer(std::optional<AffineSum> rest, AffineForms &forms)
      : rest(std::move(rest)), forms(forms) {}

  void add(Value value, unsigned axis) { open.insert({value, axis}); }
  const std::optional<AffineSum> &getRest() const { return rest; }
  /// False if something sees the elements.
  bool run() {
    for (size_t next = 0; next < open.size(); ++next)
      for (OpOperand &use : open[next].first.getUses())
        if (!follow(use, open[next].second))
          return false;
    return isSameInIterations();
  }

private:
  bool follow(OpOperand &use, unsigned axis);
  bool followReduce(ReduceOp op, unsigned axis);
  bool followDot(DotOp op, unsigned operand, unsigned axis);
  bool followYield(scf::YieldOp op, unsigned operand, unsigned axis);
  bool followElementwise(Operation *op, unsigned axis);
  bool isMasked(Value mask, unsigned axis);
  bool isSameInIterations();

  std::optional<AffineSum> rest;
  AffineForms &forms;
  llvm::SmallSetVector<std::pair<Value, unsigned>, 16> open;
  /// Those that carry elements to their next iteration.
  llvm::SmallPtrSet<Operation *, 4> loops;
};

} // namespace

bool ElementTracer::isMasked(Value mask, unsigned axis) {
  return mask && llvm::any_of(forms.readMask(mask).bounds, [&](const IndexBound &bound) {
           if (bound.axis != int(axis) || bound.isBelow)
             return false;
           if (!rest)
             rest = bound.rest;
           return *rest == bound.rest;
         });
}

bool ElementTracer::followReduce(ReduceOp op, unsigned axis) {
  if (axis == op.getAxis())
    return false;
  for (Value result : op.getResults())
    add(result, axis - (axis > op.getAxis()));
  return true;
}

/// Along the depth, elements are added to others.
bool ElementTracer::followDot(DotOp op, unsigned operand, unsigned axis) {
  auto rank = unsigned(cast<RankedTensorType>(op.getType()).getRank());
  unsigned depth = operand == 0 ? rank - 1 : rank - 2;
  if (operand < 2 && axis == depth)
    return false;
  add(op.getResult(), axis);
  return true;
}

bool ElementTracer::followYield(scf::YieldOp op, unsigned operand, unsigned axis) {
  Operation *around = op->getParentOp();
  if (!isa<scf::ForOp, scf::IfOp>(around))
    return false;
  add(around->getResult(operand), axis);
  if (auto loop = dyn_cast<scf::ForOp>(around)) {
    add(loop.getRegionIterArg(operand), axis);
    loops.insert(loop);
  }
  return true;
}

/// What a later iteration stores is masked by what the scalars are then.
bool ElementTracer::isSameInIterations() {
  return !rest || llvm::all_of(rest->get(), [&](const auto &item) {
    return llvm::all_of(item.first.scalars, [&](unsigned number) {
      return llvm::all_of(loops, [&](Operation *loop) {
        return cast<scf::ForOp>(loop).isDefinedOutsideOfLoop(forms.scalar(number));
      });
    });
  });
}

bool ElementTracer::followElementwise(Operation *op, unsigned axis) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  for (Value result : op->getResults())
    add(result, axis);
  return true;
}

bool ElementTracer::follow(OpOperand &use, unsigned axis) {
  unsigned operand = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case([&](StoreOp store) {
        return &use == &store.getValueMutable() && isMasked(store.getMask(), axis);
      })
      .Case([&](AtomicRMWOp update) {
        return &use == &update.getValueMutable() && update.getResult().use_empty() &&
               isMasked(update.getMask(), axis);
      })
      .Case([&](ExpandDimsOp op) {
        add(op.getResult(), axis + (axis >= op.getAxis()));
        return true;
      })
      .Case([&](BroadcastOp op) {
        add(op.getResult(), axis);
        return true;
      })
      .Case([&](PermuteOp op) {
        auto place = llvm::find(op.getOrder(), int32_t(axis));
        add(op.getResult(), unsigned(place - op.getOrder().begin()));
        return true;
      })
      .Case([&](ReduceOp op) { return followReduce(op, axis); })
      .Case([&](DotOp op) { return followDot(op, operand, axis); })
      .Case([&](scf::ForOp loop) {
        OpResult result = loop.getTiedLoopResult(&use);
        if (!result)
          return false;
        add(result, axis);
        add(loop.getTiedLoopRegionIterArg(&use), axis);
        return true;
      })
      .Case([&](scf::YieldOp op) { return followYield(op, operand, axis); })
      .Default([&](Operation *op) { return followElementwise(op, axis); });
}

std::optional<AffineSum> tilec::tile::restUnseen(Value value, unsigned axis, AffineForms &forms) {
  ElementTracer tracer(/*rest=*/std::nullopt, forms);
  tracer.add(value, axis);
  return tracer.run() ? tracer.getRest() : std::nullopt;
}

bool tilec::tile::areUnseen(Value value, unsigned axis, const AffineSum &rest, AffineForms &forms) {
  ElementTracer tracer(rest, forms);
  tracer.add(value, axis);
  return tracer.run();
}
