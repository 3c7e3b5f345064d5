//===- FlattenedLoop.cpp - a loop around one that loads ahead --*- C++ -*-===//
//
// The prologue of the inner loop is written once, in its place before that loop, and moved from
// there: what it needs of the outer loop's body is computed for the iteration that is to come.
//
//===----------------------------------------------------------------------===//

#include "FlattenedLoop.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilec::tile;

bool FlattenedLoop::ordersMemory(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.isPlain();
  // Who has no result of an atomic operation learns nothing of others.
  return op->hasTrait<OrdersAccesses>() && !(isa<AtomicRMWOp>(op) && op->use_empty());
}

/// Whether anything in the loop does.
static bool ordersAny(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        return FlattenedLoop::ordersMemory(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void FlattenedLoop::dropOrdered(func::FuncOp function) {
  function.walk([](scf::ForOp loop) {
    if (loop->hasAttr(kFlattenAttr) && ordersAny(loop))
      loop->removeAttr(kFlattenAttr);
  });
}

std::optional<FlattenedLoop> FlattenedLoop::around(scf::ForOp inner) {
  auto outer = dyn_cast<scf::ForOp>(inner->getParentOp());
  if (!outer || !outer->hasAttr(kFlattenAttr) || ordersAny(outer))
    return std::nullopt;
  return FlattenedLoop(outer);
}

int64_t FlattenedLoop::exchangedBytes(scf::ForOp inner) {
  int64_t most = 0;
  loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == inner)
      return WalkResult::skip();
    most = std::max(most, bytesOfExchange(op));
    return WalkResult::advance();
  });
  return most;
}

bool FlattenedLoop::take(ArrayRef<Operation *> ops) {
  llvm::SetVector<Value> used;
  for (Operation *op : ops) {
    used.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
  }
  for (Value value : used)
    if (!llvm::is_contained(ops, value.getDefiningOp()) && !slices.add(value, slice))
      return false;
  prologue.assign(ops.begin(), ops.end());
  return true;
}

void FlattenedLoop::emit(OpBuilder &builder, IRMapping &mapping) {
  LoopSlices::clone(builder, slice, mapping);
  for (Operation *op : prologue)
    builder.clone(*op, mapping);
}

void FlattenedLoop::startAhead(OpBuilder &builder, scf::ForOp inner, ValueRange state,
                               ValueRange initial, ValueRange results) {
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto startIf = [&](Value exists, llvm::function_ref<void(IRMapping &)> fill) {
    auto branch = scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping;
    fill(mapping);
    emit(builder, mapping);
  };
  builder.setInsertionPoint(loop);
  startIf(hasIterationAhead(builder, loop, loop.getLowerBound(), 0), [&](IRMapping &mapping) {
    mapping.map(state, initial);
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  });
  builder.setInsertionPointAfter(inner);
  startIf(hasIterationAhead(builder, loop, loop.getInductionVar(), 1), [&](IRMapping &mapping) {
    IRMapping current;
    SmallVector<Value> stepped = slices.next(builder, current);
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (Value step = slices.stepOf(argument))
        mapping.map(argument, arith::AddIOp::create(builder, loc, argument, step));
    for (auto [number, value] : llvm::zip_equal(slices.stepped(), stepped))
      mapping.map(loop.getRegionIterArg(number), value);
    mapping.map(loop.getInductionVar(),
                arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep()));
    mapping.map(state, results);
  });
  for (Operation *op : llvm::reverse(prologue))
    op->erase();
  prologue.clear();
}
