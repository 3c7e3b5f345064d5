//===- DeferReductions.cpp - reductions after loops ------------*- C++ -*-===//
//
// The pass `tile-defer-reductions`. A loop that adds the sum of a tile to a number, or takes the
// maximum of both, has threads exchange what they hold in each iteration, though only the last
// result is seen. Instead each thread combines what it holds itself, the loop carries that, and
// the threads exchange once, behind the loop. Registers are no more: what a thread carries of the
// result it carries of its part. Where one block combines the results of several such reductions,
// as loops do that are unrolled in the source, threads exchange once for all of them.
//
// An axis along which a thread holds elements is split into what threads and what registers count,
// so that the part is a tile like any other and the rest of the pipeline need not know about it.
//
//===----------------------------------------------------------------------===//

#include "ExpandExchanges.h"
#include "LayoutRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "tilec/Layout/Transforms.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEDEFERREDUCTIONS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

namespace {

/// `carried = combine(carried, changes(reduce(tile)))`, where nothing else in the loop needs
/// either.
struct Repeated {
  Operation *combine = nullptr;
  SmallVector<Operation *> changes; // Of shape, the last one first.
  ReduceOp reduce;
  TypedAttr neutral;   // Of combining two elements.
  unsigned number = 0; // Of the carried value.
};

/// Reductions of tiles of one layout by one operation, in their order in a block, whose results
/// that operation combines with each other and with nothing but `start`.
struct Chain {
  SmallVector<ReduceOp> reductions;
  SmallVector<Operation *> combining; // The last one first.
  Value start;                        // Null if there are only reductions.
};

/// How an axis is split: runs of bits of its index, the highest first.
struct Run {
  int64_t size;
  bool isInThread;
};

} // namespace

static std::optional<Repeated> findRepeated(scf::ForOp loop, unsigned number) {
  auto isInside = [&](Operation *op) {
    return op && op->getBlock() == loop.getBody() && op->hasOneUse();
  };
  Repeated found;
  found.number = number;
  BlockArgument carried = loop.getRegionIterArg(number);
  Operation *combine = found.combine = loop.getYieldedValues()[number].getDefiningOp();
  if (!isInside(combine) || combine->getNumOperands() != 2 || !carried.hasOneUse() ||
      !llvm::is_contained(combine->getOperands(), carried))
    return std::nullopt;
  Value other = combine->getOperand(combine->getOperand(0) == carried ? 1 : 0);
  while (isInside(other.getDefiningOp()) &&
         (isShapeChange(other.getDefiningOp()) || isa<SplatOp>(other.getDefiningOp()))) {
    found.changes.push_back(other.getDefiningOp());
    other = other.getDefiningOp()->getOperand(0);
  }
  found.reduce = other.getDefiningOp<ReduceOp>();
  if (!found.reduce || !isInside(found.reduce) || found.reduce.getSrcs().size() != 1)
    return std::nullopt;
  Operation *combiner = found.reduce.getSingleCombiner();
  std::optional<TypedAttr> neutral = combiner && combiner->getName() == combine->getName()
                                         ? arith::getNeutralElement(combiner)
                                         : std::nullopt;
  if (!neutral)
    return std::nullopt;
  found.neutral = *neutral;
  if (isa<arith::AddFOp>(combiner)) // Upstream's zero would lose the sign of -0.
    found.neutral = FloatAttr::get(combiner->getResult(0).getType(), -0.0);
  return found;
}

static bool areAlike(ReduceOp a, ReduceOp b) {
  return a.getSrcs().getTypes() == b.getSrcs().getTypes() && a.getAxis() == b.getAxis() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getCombine(), &b.getCombine(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// The reduction that `value` is, if `combine` alone needs it and combines as it does.
static ReduceOp reductionFor(Operation *combine, Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce->getBlock() != combine->getBlock() || !reduce->hasOneUse() ||
      reduce.getSrcs().size() != 1)
    return ReduceOp();
  Operation *combiner = reduce.getSingleCombiner();
  bool isSame = combiner && combiner->getName() == combine->getName() &&
                combiner->getAttrs() == combine->getAttrs() && arith::getNeutralElement(combiner);
  return isSame ? reduce : ReduceOp();
}

/// The chain that `last` ends; of less than two reductions if there is none.
static Chain findChain(Operation *last) {
  Chain chain;
  for (Operation *combine = last; combine;) {
    ReduceOp found[2];
    for (unsigned i : {0, 1})
      found[i] = reductionFor(combine, combine->getOperand(i));
    unsigned which = found[1] ? 1 : 0;
    if (!found[which] ||
        (!chain.reductions.empty() && !areAlike(chain.reductions[0], found[which])))
      break;
    chain.combining.push_back(combine);
    chain.reductions.push_back(found[which]);
    chain.start = combine->getOperand(1 - which);
    ReduceOp other = found[1 - which];
    if (other && areAlike(chain.reductions[0], other)) {
      chain.reductions.push_back(other);
      chain.start = nullptr;
      break;
    }
    combine = chain.start.getDefiningOp();
    if (combine && (combine->getBlock() != last->getBlock() || !combine->hasOneUse() ||
                    combine->getName() != last->getName()))
      break;
  }
  llvm::sort(chain.reductions, [](ReduceOp a, ReduceOp b) { return a->isBeforeInBlock(b); });
  return chain;
}

/// The runs of the axis that `reduce` is along; nothing if threads do not count whole bits of it,
/// or no exchange is saved since each thread has all elements along it.
static std::optional<SmallVector<Run>> runsOf(ReduceOp reduce) {
  LinearLayout layout = layoutOf(reduce.getSrcs()[0]);
  unsigned axis = reduce.getAxis(), shift = layout.axisShift(axis);
  uint64_t mask = layout.axisMask(axis), inThread = 0, among = 0;
  for (uint64_t basis : layout.flatBases(InDim::Register)) {
    if ((basis & mask) != 0 && !llvm::isPowerOf2_64(basis))
      return std::nullopt;
    inThread |= basis & mask;
  }
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t basis : layout.flatBases(dim))
      among |= basis & mask;
  if (among == 0 || (among & inThread) != 0)
    return std::nullopt;
  SmallVector<Run> runs;
  for (unsigned bit = layout.axisBits(axis); bit-- > 0;) {
    bool isInThread = (inThread >> (shift + bit) & 1) != 0;
    if (runs.empty() || runs.back().isInThread != isInThread)
      runs.push_back({1, isInThread});
    runs.back().size *= 2;
  }
  return runs;
}

static ReduceOp cloneReduce(OpBuilder &b, ReduceOp like, Value source, unsigned axis) {
  LinearLayout result = tilec::layout::reduceDim(layoutOf(source), axis);
  Type element = elementOf(source.getType());
  Type type = result.rank() ? Type(tileTypeOf(element, result)) : element;
  auto reduce = ReduceOp::create(b, like.getLoc(), TypeRange(type), ValueRange(source), axis);
  IRMapping mapping;
  like.getCombine().cloneInto(&reduce.getCombine(), mapping);
  return reduce;
}

/// What each thread has of the source of `reduce`, combined: the axis becomes one of threads.
static Value combineInThreads(OpBuilder &b, ReduceOp reduce, ArrayRef<Run> runs) {
  Value source = reduce.getSrcs()[0];
  unsigned axis = reduce.getAxis();
  if (llvm::none_of(runs, [](const Run &run) { return run.isInThread; }))
    return source;
  Location loc = reduce.getLoc();
  LinearLayout layout = layoutOf(source);
  Type element = elementOf(source.getType());
  auto reshape = [&](const tilec::layout::Shape &shape) {
    layout = tilec::layout::reshape(layout, shape);
    source = b.createOrFold<ReshapeOp>(loc, tileTypeOf(element, layout), source);
  };
  // Runs become axes, those of registers go behind all others, and what is left of each kind is
  // one axis again.
  tilec::layout::Shape shape = layout.shape(), split(shape.begin(), shape.begin() + axis), merged;
  for (const Run &run : runs)
    split.push_back(run.size);
  split.insert(split.end(), shape.begin() + axis + 1, shape.end());
  SmallVector<unsigned> others, inThread;
  int64_t registers = 1;
  for (unsigned i = 0; i < split.size(); ++i) {
    bool isInThread = i >= axis && i < axis + runs.size() && runs[i - axis].isInThread;
    (isInThread ? inThread : others).push_back(i);
    registers *= isInThread ? split[i] : 1;
  }
  std::vector<unsigned> order(others.begin(), others.end());
  llvm::append_range(order, inThread);
  reshape(split);
  layout = tilec::layout::permute(layout, order);
  SmallVector<int32_t> axes(order.begin(), order.end());
  source = b.createOrFold<PermuteOp>(loc, tileTypeOf(element, layout), source, axes);
  merged = shape;
  merged[axis] /= registers;
  merged.push_back(registers);
  reshape(merged);
  return cloneReduce(b, reduce, source, merged.size() - 1).getResult(0);
}

static Value combine(OpBuilder &b, Operation *like, Value carried, Value other) {
  OperationState state(like->getLoc(), like->getName());
  state.addOperands({carried, other});
  state.addTypes(carried.getType());
  state.addAttributes(like->getAttrs());
  return b.create(state)->getResult(0);
}

/// `loop` with another value carried in place of one: the argument gets its type, and the yielded
/// value is for the caller to set.
static scf::ForOp carryInstead(scf::ForOp loop, unsigned number, Value init) {
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits[number] = init;
  auto carrying =
      scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  carrying->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  carrying.getRegion().takeBody(loop.getRegion());
  carrying.getRegionIterArg(number).setType(init.getType());
  for (auto [old, now] : llvm::zip_equal(loop.getResults(), carrying.getResults()))
    if (old.getType() == now.getType())
      old.replaceAllUsesWith(now);
  return carrying;
}

/// The reduction that `start` is, where the loop goes on with more of the same: of a tile of the
/// same layout, by the same operation, for the loop alone. Null if it is something else.
static ReduceOp findFirst(const Repeated &repeated, Value start) {
  ReduceOp reduce = repeated.reduce;
  auto first = start.getDefiningOp<ReduceOp>();
  bool isAlike = first && first->hasOneUse() && repeated.changes.empty() && areAlike(first, reduce);
  return isAlike ? first : ReduceOp();
}

/// Has each thread combine what it has for all reductions of `chain`, and all threads once.
static void join(const Chain &chain, ArrayRef<Run> runs) {
  Operation *last = chain.combining.front();
  Value parts;
  for (ReduceOp reduce : chain.reductions) {
    OpBuilder b(reduce);
    Value part = combineInThreads(b, reduce, runs);
    parts = parts ? combine(b, last, parts, part) : part;
  }
  OpBuilder b(last);
  ReduceOp like = chain.reductions.front();
  Value result = cloneReduce(b, like, parts, like.getAxis()).getResult(0);
  if (result.getType() != last->getResult(0).getType())
    result = ConvertLayoutOp::create(b, like.getLoc(), last->getResult(0).getType(), result);
  if (chain.start)
    result = combine(b, last, chain.start, result);
  last->replaceAllUsesWith(ValueRange(result));
  for (Operation *combine : chain.combining)
    combine->erase();
  for (ReduceOp reduce : chain.reductions)
    reduce.erase();
}

/// What the loop carried before, from the parts that it carries now and what it started with; that
/// is null if the parts hold it.
static Value combineBehind(OpBuilder &b, Repeated &repeated, Value parts, Value start) {
  ReduceOp reduce = repeated.reduce;
  Value whole = cloneReduce(b, reduce, parts, reduce.getAxis()).getResult(0);
  Type wanted = reduce.getResult(0).getType();
  if (whole.getType() != wanted)
    whole = ConvertLayoutOp::create(b, reduce.getLoc(), wanted, whole);
  for (Operation *change : llvm::reverse(repeated.changes)) {
    Operation *copy = b.clone(*change);
    copy->setOperand(0, whole);
    whole = copy->getResult(0);
  }
  return start ? combine(b, repeated.combine, start, whole) : whole;
}

/// Has each thread combine on its own in `loop`, and all threads behind it. Returns the loop that
/// replaces it.
static scf::ForOp defer(scf::ForOp loop, Repeated repeated, ArrayRef<Run> runs) {
  OpBuilder b(repeated.reduce);
  Value part = combineInThreads(b, repeated.reduce, runs);
  auto type = cast<RankedTensorType>(part.getType());
  b.setInsertionPoint(loop);
  Value start = loop.getInitArgs()[repeated.number], init;
  ReduceOp first = findFirst(repeated, start);
  if (first) {
    // A loop without iterations costs no second exchange.
    init = combineInThreads(b, first, runs);
    start = nullptr;
  } else {
    init = arith::ConstantOp::create(b, repeated.reduce.getLoc(),
                                     DenseElementsAttr::get(type, repeated.neutral));
  }
  scf::ForOp carrying = carryInstead(loop, repeated.number, init);

  b.setInsertionPoint(repeated.combine);
  Value next = combine(b, repeated.combine, carrying.getRegionIterArg(repeated.number), part);
  carrying.getBody()->getTerminator()->setOperand(repeated.number, next);
  b.setInsertionPointAfter(carrying);
  Value result = combineBehind(b, repeated, carrying.getResult(repeated.number), start);
  loop.getResult(repeated.number).replaceAllUsesWith(result);

  loop.erase();
  repeated.combine->erase();
  for (Operation *change : repeated.changes)
    change->erase();
  repeated.reduce.erase();
  if (first)
    first.erase();
  return carrying;
}

/// The operations of `kernel` that may end a chain, the last ones first.
static SmallVector<Operation *> findCombining(func::FuncOp kernel) {
  SmallVector<Operation *> found;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ReduceOp>(op))
      return WalkResult::skip();
    if (op->getNumOperands() == 2 && op->getNumResults() == 1 && isElementwise(op))
      found.push_back(op);
    return WalkResult::advance();
  });
  std::reverse(found.begin(), found.end());
  return found;
}

namespace {

struct DeferReductions : tilec::tile::impl::TileDeferReductionsBase<DeferReductions> {
  using TileDeferReductionsBase::TileDeferReductionsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isEnabled(kernel, tilec::GpuHeuristic::DeferReductions))
      return;
    joinChains(kernel);
    // Inner loops first: what they leave is then the same in the loop around them.
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned number = 0, count = loop.getNumRegionIterArgs(); number < count; ++number)
        if (std::optional<Repeated> repeated = findRepeated(loop, number))
          if (std::optional<SmallVector<Run>> runs = runsOf(repeated->reduce)) {
            loop = defer(loop, *repeated, *runs);
            ++numDeferred;
          }
  }

private:
  void joinChains(func::FuncOp kernel);
};

} // namespace

void DeferReductions::joinChains(func::FuncOp kernel) {
  SmallPtrSet<Operation *, 8> joined;
  for (Operation *last : findCombining(kernel)) {
    if (joined.contains(last))
      continue;
    Chain chain = findChain(last);
    if (chain.reductions.size() < 2)
      continue;
    std::optional<SmallVector<Run>> runs = runsOf(chain.reductions.front());
    if (!runs)
      continue;
    joined.insert_range(chain.combining);
    numDeferred += chain.reductions.size() - 1;
    join(chain, *runs);
  }
}
