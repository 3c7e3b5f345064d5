//===- Groups.cpp - a group of steps as one loop nest ----------*- C++ -*-===//
//
// The loops of a group are the dimensions of its shape that are not 1. When something reduces along
// the last of them, that loop is split in two: an outer loop over chunks and an inner loop over the
// *lanes* of a chunk. Each lane accumulates alone, so the inner loop has no dependence and LLVM
// vectorises it for any combine region. The lanes are combined after the loop: by halves, as
// vectors, when the combine region consists of operations that vectors have, otherwise in two
// steps. Accumulators start with a neutral element where one is known; otherwise the first chunk
// initialises them.
//
// A reduction along another dimension accumulates straight into its result, whose elements are the
// lanes.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

/// Lanes of a reduction along the last dimension: four vectors of the widest kind (64 bytes) for
/// elements of four bytes, enough to hide the latency of an addition.
static constexpr int64_t kLaneBytes = 256;

/// Lanes are folded to this many at once, then one by one.
static constexpr int64_t kFoldedLanes = 8;

namespace {

/// A reduction, or an assertion (the conjunction of its condition along every dimension).
struct Reduction {
  Step *step;
  SmallVector<Buffer *> accumulators, results;
  SmallVector<Value> before; // what the accumulators hold
  bool inLanes = false;      // accumulates by lane, to be folded
  bool hasNeutral = false;   // accumulators start with a neutral element
};

class GroupWriter {
public:
  GroupWriter(KernelState &state, const Group &group);
  void write();

private:
  void chooseLoops();
  void writeLoop();
  void writeLoops();
  void prepare(LoopBuilder &loop);
  void prepareReduction(LoopBuilder &loop, Step *step);
  void startNeutral(Reduction &reduction);
  void fill(LoopBuilder &loop);
  void accumulate(LoopBuilder &loop, Reduction &reduction);
  void fold(Reduction &reduction);
  void foldVectors(Reduction &reduction);
  SmallVector<AffineExpr> resultPosition(const Step *step) const;
  void foldInto(Reduction &reduction, ArrayRef<Buffer *> from, ArrayRef<Buffer *> to, int64_t lanes,
                int64_t left);
  SmallVector<Value> combine(OpBuilder &builder, Step *step, ValueRange left, ValueRange right);
  void bindResults(Reduction &reduction);

  bool isWholeTile(const Step *step) const { return step->kind == Step::Assert; }
  bool reducesLane(const Step *step) const;
  ValueRange sources(Step *step) const;
  /// The sizes and loop numbers of the dimensions that a reduction along the lane dimension keeps.
  SmallVector<int64_t> keptExtents(const Step *step) const;
  SmallVector<unsigned> keptLoops(const Step *step) const;

  KernelState &state;
  const Group &group;
  Location loc;
  int laneAxis = -1;    // the tile dimension that is split
  int64_t numLanes = 1; // lanes of that dimension
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<int> loopOfDim; // loop of each tile dimension (the outer one where split), -1: size 1
  SmallVector<AffineExpr> position;
  SmallVector<Buffer *> keptBuffers;
  SmallVector<Reduction> reductions;
};

} // namespace

GroupWriter::GroupWriter(KernelState &state, const Group &group)
    : state(state), group(group),
      loc(group.steps.front()->op ? group.steps.front()->op->getLoc()
                                  : group.steps.front()->value.getLoc()) {
  chooseLoops();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static int64_t reductionAxis(const Step *step) { return cast<ReduceOp>(step->op).getAxis(); }

ValueRange GroupWriter::sources(Step *step) const { return step->op->getOperands(); }

bool GroupWriter::reducesLane(const Step *step) const {
  return isWholeTile(step) || (step->kind == Step::Reduce && int(reductionAxis(step)) == laneAxis);
}

void GroupWriter::chooseLoops() {
  MLIRContext *context = state.builder.getContext();
  int last = -1;
  for (auto [dim, size] : llvm::enumerate(group.shape))
    if (size != 1)
      last = dim;
  unsigned widest = 8;
  for (Step *step : group.steps) {
    if (step->kind != Step::Assert && (step->kind != Step::Reduce || reductionAxis(step) != last))
      continue;
    laneAxis = last;
    for (Value source : sources(step)) {
      Type element = elementType(source.getType());
      widest = std::max(widest, element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64);
    }
  }
  if (laneAxis >= 0)
    numLanes = std::min(group.shape[laneAxis], kLaneBytes / std::max(widest / 8, 4u));
  auto addLoop = [&](int64_t extent, bool reduces) {
    extents.push_back(extent);
    kinds.push_back(reduces ? utils::IteratorType::reduction : utils::IteratorType::parallel);
    return getAffineDimExpr(extents.size() - 1, context);
  };
  for (auto [dim, size] : llvm::enumerate(group.shape)) {
    loopOfDim.push_back(size == 1 ? -1 : int(extents.size()));
    bool reduces = llvm::any_of(group.steps, [&, dim = int(dim)](Step *step) {
      return isWholeTile(step) || (step->kind == Step::Reduce && reductionAxis(step) == dim);
    });
    if (size == 1) {
      position.push_back(getAffineConstantExpr(0, context));
    } else if (int(dim) == laneAxis && numLanes < size) {
      AffineExpr chunk = addLoop(size / numLanes, true);
      position.push_back(chunk * numLanes + addLoop(numLanes, false));
    } else {
      position.push_back(addLoop(size, reduces && int(dim) != laneAxis));
    }
  }
}

SmallVector<int64_t> GroupWriter::keptExtents(const Step *step) const {
  SmallVector<int64_t> sizes;
  for (unsigned loop : keptLoops(step))
    sizes.push_back(extents[loop]);
  return sizes;
}

SmallVector<unsigned> GroupWriter::keptLoops(const Step *step) const {
  SmallVector<unsigned> loops;
  if (isWholeTile(step))
    return loops;
  for (auto [dim, loop] : llvm::enumerate(loopOfDim))
    if (loop >= 0 && int(dim) != laneAxis)
      loops.push_back(loop);
  return loops;
}

//===----------------------------------------------------------------------===//
// The loop nest
//===----------------------------------------------------------------------===//

/// The element that changes nothing when it is combined with another, when there is one.
static TypedAttr neutralElement(const Step *step) {
  if (step->kind == Step::Assert)
    return Builder(step->op->getContext()).getBoolAttr(true);
  Operation *op = cast<ReduceOp>(step->op).getSingleCombiner();
  if (!op)
    return {};
  Type type = op->getResult(0).getType();
  auto integer = [&](const APInt &value) -> TypedAttr { return IntegerAttr::get(type, value); };
  auto real = [&](double value) -> TypedAttr { return FloatAttr::get(type, value); };
  unsigned width = type.getIntOrFloatBitWidth();
  // An infinity or NaN may not be used where the operation promises that there is none.
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op)) {
    arith::FastMathFlags flags = fast.getFastMathFlagsAttr().getValue();
    if (bitEnumContainsAny(flags, arith::FastMathFlags::nnan | arith::FastMathFlags::ninf))
      return {};
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case([&](arith::AddFOp) { return real(-0.0); }) // +0 would lose the sign of -0
      .Case([&](arith::MulFOp) { return real(1.0); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return real(std::numeric_limits<double>::quiet_NaN()); })
      .Case([&](arith::MaximumFOp) { return real(-infinity); })
      .Case([&](arith::MinimumFOp) { return real(infinity); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(APInt::getZero(width)); })
      .Case([&](arith::MulIOp) { return integer(APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(APInt::getAllOnes(width)); })
      .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(width)); })
      .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(width)); })
      .Default([](Operation *) { return TypedAttr(); });
}

/// Fills the accumulators with the neutral element, where there is one.
void GroupWriter::startNeutral(Reduction &reduction) {
  TypedAttr neutral = neutralElement(reduction.step);
  if (!neutral)
    return;
  reduction.hasNeutral = true;
  Buffer *buffer = (reduction.inLanes ? reduction.accumulators : reduction.results)[0];
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer->memory.getType()).getShape();
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  LoopBuilder loop(state, loc, shape, iterators);
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    exprs.push_back(getAffineDimExpr(dim, state.builder.getContext()));
  loop.addOutput(buffer, loop.map(exprs));
  loop.finish(Value(arith::ConstantOp::create(loop.ops(), loc, neutral)));
}

void GroupWriter::prepareReduction(LoopBuilder &loop, Step *step) {
  Reduction reduction{step, {}, {}, {}, false};
  MLIRContext *context = state.builder.getContext();
  reduction.inLanes = laneAxis >= 0 && reducesLane(step);
  SmallVector<AffineExpr> exprs;
  for (auto [index, source] : llvm::enumerate(sources(step))) {
    Type element = elementType(source.getType());
    SmallVector<int64_t> shape = {1};
    if (step->kind == Step::Reduce)
      if (auto tile = dyn_cast<RankedTensorType>(step->op->getResult(index).getType()))
        shape.assign(tile.getShape().begin(), tile.getShape().end());
    if (!reduction.inLanes) {
      reduction.results.push_back(state.pool.create(loc, shape, element));
      continue;
    }
    SmallVector<int64_t> lanes = keptExtents(step);
    lanes.push_back(numLanes);
    reduction.accumulators.push_back(state.pool.createAccumulator(loc, lanes, element));
    reduction.results.push_back(shape.size() == 1 && shape[0] == 1
                                    ? state.pool.createAccumulator(loc, shape, element)
                                    : state.pool.create(loc, shape, element));
  }
  if (reduction.inLanes) {
    for (unsigned kept : keptLoops(step))
      exprs.push_back(getAffineDimExpr(kept, context));
    unsigned outer = loopOfDim[laneAxis];
    exprs.push_back(
        getAffineDimExpr(numLanes < group.shape[laneAxis] ? outer + 1 : outer, context));
  } else if (isWholeTile(step) || group.shape.size() == 1) {
    exprs.push_back(getAffineConstantExpr(0, context));
  } else {
    exprs = position;
    exprs.erase(exprs.begin() + reductionAxis(step));
  }
  startNeutral(reduction);
  for (Buffer *buffer : reduction.inLanes ? reduction.accumulators : reduction.results)
    reduction.before.push_back(loop.addOutput(buffer, loop.map(exprs)));
  reductions.push_back(std::move(reduction));
}

/// Declares every output, in the order in which fill() yields.
void GroupWriter::prepare(LoopBuilder &loop) {
  AffineMap own = loop.map(position);
  for (Buffer *buffer : keptBuffers) {
    loop.addOutput(buffer, own);
    state.pool.define(buffer, own);
  }
  for (Step *step : group.steps)
    if (step->kind == Step::Write)
      loop.addOutput(step->dest, own);
  for (Step *step : group.steps)
    if (step->kind == Step::Reduce || step->kind == Step::Assert)
      prepareReduction(loop, step);
}

SmallVector<Value> GroupWriter::combine(OpBuilder &builder, Step *step, ValueRange left,
                                        ValueRange right) {
  if (auto reduce = dyn_cast<ReduceOp>(step->op))
    return emitCombine(builder, reduce.getCombine(), state.scalars, left, right);
  return {arith::AndIOp::create(builder, step->op->getLoc(), left[0], right[0])};
}

void GroupWriter::accumulate(LoopBuilder &loop, Reduction &reduction) {
  SmallVector<unsigned> reduced; // the loops in which the accumulators stay the same
  for (auto [dim, number] : llvm::enumerate(loopOfDim)) {
    bool isAxis = isWholeTile(reduction.step) || int64_t(dim) == reductionAxis(reduction.step);
    bool isLaneOnly = int(dim) == laneAxis && numLanes == group.shape[dim];
    if (number >= 0 && isAxis && !(isLaneOnly && reduction.inLanes))
      reduced.push_back(number);
  }
  SmallVector<Value> values;
  for (Value source : sources(reduction.step))
    values.push_back(loop.element(source, loop.map(position)));
  if (reduction.hasNeutral) {
    values = combine(loop.ops(), reduction.step, reduction.before, values);
  } else if (Value first = loop.isFirst(reduced)) {
    SmallVector<Value> next = combine(loop.ops(), reduction.step, reduction.before, values);
    for (auto [value, combined] : llvm::zip_equal(values, next))
      value = arith::SelectOp::create(loop.ops(), loc, first, value, combined);
  }
  reduction.before = values; // now what the accumulators hold after the iteration
}

void GroupWriter::fill(LoopBuilder &loop) {
  AffineMap own = loop.map(position);
  SmallVector<Value> yielded;
  auto get = [&](Value value) -> Value {
    if (!value)
      return {};
    return loop.element(value, own);
  };
  for (Step *step : group.steps)
    if (step->kind == Step::Load)
      loop.element(step->op->getResult(0), own);
  for (Value tile : group.kept)
    yielded.push_back(loop.element(tile, own));
  for (Step *step : group.steps)
    if (step->kind == Step::Write)
      yielded.push_back(loop.element(step->value, own));
  for (Reduction &reduction : reductions) {
    accumulate(loop, reduction);
    yielded.append(reduction.before);
  }
  for (Step *step : group.steps) {
    if (auto print = dyn_cast_or_null<PrintOp>(step->op)) {
      Value element = get(print.getValue());
      SmallVector<Value> index;
      for (AffineExpr expr : position)
        index.push_back(loop.positionOf(expr));
      emitPrint(state, loop.ops(), print, index, element);
    }
    if (auto store = dyn_cast_or_null<StoreOp>(step->op)) {
      Value pointer = get(store.getPtr()), value = get(store.getValue());
      emitStore(loop.ops(), store, pointer, value,
                loop.check(store, own, pointer, value, get(store.getMask())));
    }
  }
  loop.finish(yielded);
}

//===----------------------------------------------------------------------===//
// Folding the lanes
//===----------------------------------------------------------------------===//

/// Where loops over what a reduction in lanes keeps write the result, which keeps its dimensions of
/// size 1.
SmallVector<AffineExpr> GroupWriter::resultPosition(const Step *step) const {
  MLIRContext *context = state.builder.getContext();
  SmallVector<AffineExpr> target;
  unsigned next = 0;
  for (auto [dim, number] : llvm::enumerate(loopOfDim)) {
    if (isWholeTile(step) || int(dim) == laneAxis)
      continue;
    target.push_back(number < 0 ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(next++, context));
  }
  if (target.empty())
    target.push_back(getAffineConstantExpr(0, context));
  return target;
}

/// Combines `lanes` lanes of `from` until `left` are left in `to`; one that is left has no
/// dimension.
void GroupWriter::foldInto(Reduction &reduction, ArrayRef<Buffer *> from, ArrayRef<Buffer *> to,
                           int64_t lanes, int64_t left) {
  MLIRContext *context = state.builder.getContext();
  SmallVector<int64_t> sizes = keptExtents(reduction.step);
  unsigned rank = sizes.size();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  sizes.push_back(lanes / left);
  iterators.push_back(utils::IteratorType::reduction);
  AffineExpr lane = getAffineDimExpr(rank, context);
  SmallVector<AffineExpr> source;
  for (unsigned dim = 0; dim < rank; ++dim)
    source.push_back(getAffineDimExpr(dim, context));
  SmallVector<AffineExpr> target(source);
  if (left > 1) {
    sizes.push_back(left);
    iterators.push_back(utils::IteratorType::parallel);
    AffineExpr kept = getAffineDimExpr(rank + 1, context);
    source.push_back(lane * left + kept);
    target.push_back(kept);
  } else {
    source.push_back(lane);
    target = resultPosition(reduction.step);
  }
  LoopBuilder loop(state, loc, sizes, iterators);
  SmallVector<Value> before, values;
  for (Buffer *buffer : to)
    before.push_back(loop.addOutput(buffer, loop.map(target)));
  for (Buffer *buffer : from)
    values.push_back(loop.read(buffer, loop.map(source)));
  SmallVector<Value> next = combine(loop.ops(), reduction.step, before, values);
  Value first = loop.isFirst({rank});
  for (auto [value, combined] : llvm::zip_equal(values, next))
    value = arith::SelectOp::create(loop.ops(), loc, first, value, combined);
  loop.finish(values);
  state.pool.nextEvent();
}

/// Folds all lanes by halves: the combine region on vectors.
void GroupWriter::foldVectors(Reduction &reduction) {
  SmallVector<int64_t> sizes = keptExtents(reduction.step);
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  LoopBuilder loop(state, loc, sizes, iterators);
  for (Buffer *result : reduction.results)
    loop.addOutput(result, loop.map(resultPosition(reduction.step)));
  OpBuilder &body = loop.ops();
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    indices.push_back(loop.index(dim));
  indices.push_back(arith::ConstantIndexOp::create(body, loc, 0));
  SmallVector<Value> lanes;
  for (Buffer *buffer : reduction.accumulators) {
    state.pool.touch(buffer);
    auto type = VectorType::get({numLanes}, storageType(buffer->element));
    lanes.push_back(vector::LoadOp::create(body, loc, type, buffer->memory, indices));
  }
  for (int64_t left = numLanes / 2; left >= 1; left /= 2) {
    SmallVector<Value> low, high;
    for (Value vector : lanes) {
      low.push_back(vector::ExtractStridedSliceOp::create(body, loc, vector, {0}, {left}, {1}));
      high.push_back(vector::ExtractStridedSliceOp::create(body, loc, vector, {left}, {left}, {1}));
    }
    lanes = combine(body, reduction.step, low, high);
  }
  for (Value &vector : lanes)
    vector = vector::ExtractOp::create(body, loc, vector, ArrayRef<int64_t>{0});
  loop.finish(lanes);
  state.pool.nextEvent();
}

void GroupWriter::fold(Reduction &reduction) {
  auto reduce = dyn_cast<ReduceOp>(reduction.step->op);
  if (!reduce || canCombineVectors(reduce))
    return foldVectors(reduction);
  ArrayRef<Buffer *> from = reduction.accumulators;
  SmallVector<Buffer *> fewer;
  int64_t lanes = numLanes;
  if (lanes > kFoldedLanes) {
    SmallVector<int64_t> shape = keptExtents(reduction.step);
    shape.push_back(kFoldedLanes);
    for (Buffer *buffer : from)
      fewer.push_back(state.pool.createAccumulator(loc, shape, buffer->element));
    foldInto(reduction, from, fewer, lanes, kFoldedLanes);
    from = fewer;
    lanes = kFoldedLanes;
  }
  foldInto(reduction, from, reduction.results, lanes, 1);
}

void GroupWriter::bindResults(Reduction &reduction) {
  OpBuilder &builder = state.builder;
  auto loadScalar = [&](Buffer *buffer) -> Value {
    state.pool.touch(buffer);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value value = memref::LoadOp::create(builder, loc, buffer->memory, zero);
    return fromStorage(builder, loc, value, buffer->element);
  };
  if (auto check = dyn_cast<AssertOp>(reduction.step->op)) {
    cf::AssertOp::create(builder, check.getLoc(), loadScalar(reduction.results[0]),
                         check.getMessage());
    return;
  }
  for (auto [result, buffer] :
       llvm::zip_equal(reduction.step->op->getResults(), reduction.results)) {
    if (isTile(result))
      state.buffers[result] = buffer;
    else
      state.scalars.map(result, loadScalar(buffer));
  }
}

void GroupWriter::writeLoop() {
  LoopBuilder loop(state, loc, extents, kinds);
  prepare(loop);
  fill(loop);
}

/// Reductions have too much of their own for a second loop.
void GroupWriter::writeLoops() {
  SmallVector<Value> wraps = wrapsOf(group);
  if (wraps.empty() || llvm::any_of(group.steps, [](const Step *step) {
        return step->kind == Step::Reduce || step->kind == Step::Assert;
      }))
    return writeLoop();
  Value inside = emitIsInside(state, loc, wraps);
  auto choice = scf::IfOp::create(state.builder, loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(state.builder);
  state.builder.setInsertionPointToStart(choice.thenBlock());
  state.identities.insert_range(wraps);
  writeLoop();
  state.identities.clear();
  state.builder.setInsertionPointToStart(choice.elseBlock());
  writeLoop();
}

void GroupWriter::write() {
  for (Value tile : group.kept)
    keptBuffers.push_back(
        state.pool.create(tile.getLoc(), group.shape, elementType(tile.getType())));
  writeLoops();
  state.pool.nextEvent();
  for (auto [tile, buffer] : llvm::zip_equal(group.kept, keptBuffers))
    state.buffers[tile] = buffer;
  for (Reduction &reduction : reductions) {
    if (reduction.inLanes)
      fold(reduction);
    bindResults(reduction);
  }
}

void cpu::emitGroup(KernelState &state, const Group &group) {
  Operation *op = group.steps.front()->op;
  if (auto scan = dyn_cast_or_null<ScanOp>(op))
    return emitScan(state, scan);
  if (auto histogram = dyn_cast_or_null<HistogramOp>(op))
    return emitHistogram(state, histogram);
  if (auto dot = dyn_cast_or_null<DotOp>(op))
    return emitDot(state, dot, group.steps.front()->dest);
  GroupWriter(state, group).write();
}
