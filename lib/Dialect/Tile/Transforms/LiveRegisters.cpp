//===- LiveRegisters.cpp - how many registers tiles fill -------*- C++ -*-===//
//
// The implementation of LiveRegisters.h: one walk over the values of each block that is asked for,
// and of those around it.
//
//===----------------------------------------------------------------------===//

#include "LiveRegisters.h"

#include "LoopIterations.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::isMadeAgain(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() ||
                isa<SplatOp, BroadcastOp, ExpandDimsOp, MakeRangeOp>(op));
}

int64_t tilec::tile::registersOfTile(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !getLayout(type) || !isa<FloatType, IntegerType>(type.getElementType()) ||
      type.getElementType().isInteger(1) || isMadeAgain(value))
    return 0;
  return llvm::divideCeil(bytesOfThread(type), 4);
}

const LiveRegisters::Counts &LiveRegisters::countsOf(Block *block) {
  auto [it, isNew] = blocks.try_emplace(block);
  Counts &counts = it->second;
  if (!isNew)
    return counts;
  for (Operation &op : *block)
    counts.positions.insert({&op, counts.positions.size()});
  // First how they change from one operation to the next.
  counts.before.resize(counts.positions.size() + 1);
  counts.inside = counts.before;
  auto count = [&](Value value, int64_t begin) {
    int64_t registers = registersOfTile(value);
    if (registers == 0)
      return;
    int64_t lastBefore = begin, lastInside = begin;
    for (Operation *user : value.getUsers()) {
      Operation *place = block->findAncestorOpInBlock(*user);
      int64_t position = counts.positions.lookup(place);
      lastBefore = std::max(lastBefore, position + 1);
      lastInside = std::max(lastInside, place == user ? position : position + 1);
    }
    counts.before[begin] += registers;
    counts.before[lastBefore] -= registers;
    counts.inside[begin] += registers;
    counts.inside[lastInside] -= registers;
  };
  for (BlockArgument argument : block->getArguments())
    count(argument, 0);
  for (Operation &op : *block)
    for (Value result : op.getResults())
      count(result, counts.positions.lookup(&op) + 1);
  for (SmallVector<int64_t> *each : {&counts.before, &counts.inside})
    for (size_t i = 1; i < each->size(); ++i)
      (*each)[i] += (*each)[i - 1];
  return counts;
}

int64_t LiveRegisters::before(Operation *op) {
  const Counts &counts = countsOf(op->getBlock());
  int64_t registers = counts.before[counts.positions.lookup(op)];
  while ((op = op->getParentOp()) && op->getBlock() && !isa<func::FuncOp>(op)) {
    const Counts &around = countsOf(op->getBlock());
    registers += around.inside[around.positions.lookup(op)];
  }
  return registers;
}

int64_t LiveRegisters::mostIn(Block &block) {
  int64_t most = 0;
  block.walk([&](Operation *op) { most = std::max(most, before(op)); });
  return most;
}

int64_t LiveRegisters::mostBetween(Operation *begin, Operation *end) {
  int64_t most = before(end);
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
    op->walk([&](Operation *inner) { most = std::max(most, before(inner)); });
  return most;
}
