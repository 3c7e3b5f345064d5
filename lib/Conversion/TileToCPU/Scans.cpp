//===- Scans.cpp - scans and histograms as loop nests ----------*- C++ -*-===//
//
// A scan visits the elements along its axis in order, from the end with `reverse`, and carries what
// it has combined in accumulators, one for each position across the axis. Its loops are those of
// the tile's shape; across the axis they vectorise.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

namespace {

/// The loops over a tile's shape, without those of one iteration.
struct Nest {
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<AffineExpr> position;

  explicit Nest(MLIRContext *context) : context(context) {}

  /// Adds the loop of a dimension; nothing is left of one of size 1.
  void add(int64_t size, utils::IteratorType kind) {
    if (size == 1) {
      position.push_back(getAffineConstantExpr(0, context));
      return;
    }
    position.push_back(getAffineDimExpr(extents.size(), context));
    extents.push_back(size);
    kinds.push_back(kind);
  }

private:
  MLIRContext *context;
};

} // namespace

void cpu::emitScan(KernelState &state, ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  unsigned axis = op.getAxis();
  Nest nest(op.getContext());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    nest.add(size, dim == axis ? utils::IteratorType::reduction : utils::IteratorType::parallel);
  SmallVector<AffineExpr> across(nest.position);
  across.erase(across.begin() + axis);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  if (shape.empty()) {
    shape.push_back(1);
    across.push_back(getAffineConstantExpr(0, op.getContext()));
  }
  AffineExpr along = nest.position[axis];
  if (op.getReverse())
    nest.position[axis] = getAffineConstantExpr(type.getDimSize(axis) - 1, op.getContext()) - along;

  LoopBuilder loop(state, op.getLoc(), nest.extents, nest.kinds);
  AffineMap own = loop.map(nest.position);
  SmallVector<Buffer *> results;
  SmallVector<Value> before, values;
  for (Value source : op.getSrcs()) {
    results.push_back(
        state.pool.create(op.getLoc(), type.getShape(), elementType(source.getType())));
    loop.addOutput(results.back(), own);
    state.pool.define(results.back(), own);
  }
  for (Value source : op.getSrcs())
    before.push_back(loop.addOutput(
        state.pool.createAccumulator(op.getLoc(), shape, elementType(source.getType())),
        loop.map(across)));
  for (Value source : op.getSrcs())
    values.push_back(loop.element(source, own));
  if (auto dim = dyn_cast<AffineDimExpr>(along)) {
    SmallVector<Value> next =
        emitCombine(loop.ops(), op.getCombine(), state.scalars, before, values);
    Value first = loop.isFirst({dim.getPosition()});
    for (auto [value, combined] : llvm::zip_equal(values, next))
      value = arith::SelectOp::create(loop.ops(), op.getLoc(), first, value, combined);
  }
  SmallVector<Value> yielded(values);
  yielded.append(values);
  loop.finish(yielded);
  state.pool.nextEvent();
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results))
    state.buffers[result] = buffer;
}

void cpu::emitHistogram(KernelState &state, HistogramOp op) {
  Location loc = op.getLoc();
  int64_t bins = cast<RankedTensorType>(op.getType()).getNumElements();
  Buffer *counts = state.pool.create(loc, {bins}, state.builder.getI32Type());
  Nest zeros(op.getContext());
  zeros.add(bins, utils::IteratorType::parallel);
  LoopBuilder clear(state, loc, zeros.extents, zeros.kinds);
  clear.addOutput(counts, clear.map(zeros.position));
  clear.finish(zeroOf(clear.ops(), loc, clear.ops().getI32Type()));
  state.pool.nextEvent();

  Nest nest(op.getContext());
  nest.add(cast<RankedTensorType>(op.getSrc().getType()).getNumElements(),
           utils::IteratorType::reduction);
  LoopBuilder loop(state, loc, nest.extents, nest.kinds);
  OpBuilder &body = loop.ops();
  AffineMap own = loop.map(nest.position);
  Value value = loop.element(op.getSrc(), own);
  Value limit = arith::ConstantOp::create(body, loc, body.getIntegerAttr(value.getType(), bins));
  Value counted = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult, value, limit);
  if (op.getMask())
    counted = arith::AndIOp::create(body, loc, counted, loop.element(op.getMask(), own));
  scf::IfOp::create(body, loc, counted, [&](OpBuilder &b, Location) {
    Value bin = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value);
    Value count = memref::LoadOp::create(b, loc, counts->memory, bin);
    Value one = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 1);
    memref::StoreOp::create(b, loc, arith::AddIOp::create(b, loc, count, one), counts->memory, bin);
    scf::YieldOp::create(b, loc);
  });
  state.pool.touch(counts);
  loop.finish({});
  state.pool.nextEvent();
  state.buffers[op.getResult()] = counts;
}
