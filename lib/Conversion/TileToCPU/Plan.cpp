//===- Plan.cpp - which steps over tiles share a loop ----------*- C++ -*-===//
//
// One walk in program order gives every step and scalar operation its time. Two numbers describe a
// tile: `ready`, the first time at which an element can be computed in a loop over the tile's own
// shape, and `done`, the first time at which any element can be, from any loop. They differ for a
// load, whose elements exist one by one in its own loop and all together only after it.
//
// Memory order: a store waits until the groups of all earlier loads and stores are complete,
// because pointers may overlap: element 0 of a store may overwrite what element 1 of an earlier
// load reads. A load waits for earlier stores likewise.
//
// A second walk over the groups finds the tiles that more than one of them computes and either
// keeps them in a buffer or lets each compute them again.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

bool cpu::isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool cpu::isInline(Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0)))
    return false;
  if (op->getNumRegions() != 0)
    return isa<MapOp>(op);
  return isa<MakeRangeOp, SplatOp, ConvertLayoutOp, AddPtrOp, PtrToIntOp, IntToPtrOp, PtrCastOp,
             PromiseOp, GatherOp, arith::ConstantOp>(op) ||
         changesPosition(op) || OpTrait::hasElementwiseMappableTraits(op);
}

bool cpu::changesPosition(Operation *op) { return isa<PositionOpInterface>(op); }

bool cpu::isAccess(Operation *op) { return isa<LoadOp, AtomicRMWOp, AtomicCASOp>(op); }

bool cpu::makesBuffers(Operation *op) { return isa<ReduceOp, ScanOp, HistogramOp, DotOp>(op); }

/// Rough cost of computing one element by `op` itself, in units of an addition.
static unsigned ownCost(Operation *op) {
  if (isa<MakeRangeOp, SplatOp, ConvertLayoutOp, PtrToIntOp, IntToPtrOp, PtrCastOp, PromiseOp,
          arith::ConstantOp>(op) ||
      changesPosition(op))
    return 0;
  if (isa<MapOp>(op))
    return 32;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivFOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemFOp>(op))
    return 32;
  return isa<math::MathDialect>(op->getDialect()) ? 32 : 1;
}

SmallVector<Value> Step::reads() const {
  if (!op)
    return {value};
  SmallVector<Value> tiles;
  for (Value operand : op->getOperands())
    if (isTile(operand))
      tiles.push_back(operand);
  return tiles;
}

ArrayRef<int64_t> Step::shape() const {
  Value tile = op ? op->getOperand(0) : value;
  return cast<RankedTensorType>(tile.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

namespace {

class Planner {
public:
  explicit Planner(const Segment &segment) : segment(segment) {
    inside.insert(segment.ops.begin(), segment.ops.end());
  }

  Plan run();

private:
  void visit(Operation *op);
  void visitMemory(Operation *op);
  void visitOwnBuffers(Operation *op);
  void visitDot(DotOp op);
  void visitGather(GatherOp op);
  void visitInline(Operation *op);
  void visitScalar(Operation *op);
  int operandsReady(Operation *op) const;
  int ready(Value value) const { return readyAt.lookup(value); }
  Step *addStep(Step::Kind kind, Operation *op, Value value, Buffer *dest, int time);
  void keep(Value tile);
  void keepForOthers(Operation *op);
  void keepLeaves(Value tile);

  bool isKept(Value tile) const { return forced.contains(tile) || segment.hasBuffer(tile); }
  unsigned costUpTo(Value tile, unsigned limit, unsigned depth = 0) const;
  bool isCheap(Value tile) const;

  /// Whether a step's elements depend on what `target` holds when the step runs.
  enum class Reads { No, SamePosition, Anywhere };
  using ReadsByTile = llvm::DenseMap<Value, Reads>;
  Reads readsOf(Value tile, Value target, ReadsByTile &known);
  Reads readsOf(const Step &step, Value target);
  void scheduleWrites();
  bool isDirect(const TileWrite &write);
  bool accumulatesInPlace(const TileWrite &write);
  int firstTimeAfterReaders(const TileWrite &write);

  void makeGroups();
  void chooseKept();
  /// Tiles that a group needs at their own position, and at others.
  using Reached = std::array<llvm::DenseSet<Value>, 2>;
  void reach(unsigned group, ArrayRef<Value> tiles, Reached &seen);

  const Segment &segment;
  Plan plan;
  llvm::DenseSet<Operation *> inside;
  llvm::DenseMap<Value, int> readyAt, doneAt;
  llvm::DenseSet<Value> forced;               // tiles that get a buffer whatever happens
  llvm::DenseMap<Value, unsigned> computedIn; // tile to the first group that computes it
  llvm::DenseMap<Value, ReadsByTile> readers; // of each tile that a write replaces
  int afterLoads = 0, afterStores = 0, afterAsserts = 0;
};

} // namespace

int Planner::operandsReady(Operation *op) const {
  int time = 0;
  for (Value operand : op->getOperands())
    time = std::max(time, ready(operand));
  // A combine region may use scalars from outside.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        time = std::max(time, ready(operand));
    });
  return time;
}

/// Shape changes cost nothing, but what makes long chains of them is not worth following.
static constexpr unsigned kMaxCheapDepth = 24;

/// Cost of one element, counting a subexpression as often as it is used; at most `limit`.
unsigned Planner::costUpTo(Value tile, unsigned limit, unsigned depth) const {
  Operation *op = tile.getDefiningOp();
  if (isKept(tile) || !op || !isInline(op))
    return std::min(limit, 1u); // read from a buffer
  if (depth == kMaxCheapDepth)
    return limit;
  unsigned cost = ownCost(op);
  for (Value operand : op->getOperands())
    if (isTile(operand) && cost < limit)
      cost += costUpTo(operand, limit - cost, depth + 1);
  return std::min(cost, limit);
}

/// True when computing an element of `tile` a second time costs less than keeping the tile: few
/// cheap operations on ranges, scalars and kept tiles.
bool Planner::isCheap(Value tile) const {
  unsigned limit = isa<FloatType>(elementOf(tile.getType())) ? 4 : 16;
  return costUpTo(tile, limit) < limit;
}

Step *Planner::addStep(Step::Kind kind, Operation *op, Value value, Buffer *dest, int time) {
  plan.steps.push_back(std::make_unique<Step>(Step{kind, op, value, dest, time}));
  return plan.steps.back().get();
}

/// Gives a tile a buffer, also one that an earlier segment could compute but did not keep.
void Planner::keep(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (segment.hasBuffer(tile) || !op || makesBuffers(op))
    return; // has one, or gets one anyway
  if (!inside.contains(op) && !isInline(op))
    return;
  if (!forced.insert(tile).second)
    return;
  if (!isAccess(op))
    addStep(Step::Keep, nullptr, tile, nullptr, ready(tile));
  doneAt[tile] = std::max(doneAt.lookup(tile), ready(tile) + 1);
}

void Planner::visitMemory(Operation *op) {
  int time = std::max(operandsReady(op), afterAsserts);
  bool scalar = op->getNumOperands() == 0 || !isTile(op->getOperand(0));
  bool writes = !isa<LoadOp>(op);
  if (!writes) {
    time = std::max(time, afterStores);
    afterLoads = std::max(afterLoads, time + 1);
  } else {
    time = std::max({time, afterLoads, afterStores});
    afterStores = std::max(afterStores, time + 1);
  }
  if (scalar)
    plan.scalars.insert({time, op});
  else
    addStep(isAccess(op) ? Step::Load : Step::Store, op, {}, nullptr, time);
  for (Value result : op->getResults()) {
    readyAt[result] = time;
    doneAt[result] = scalar ? time : time + 1;
  }
}

void Planner::visitOwnBuffers(Operation *op) {
  int time = operandsReady(op);
  Step::Kind kind = isa<ReduceOp>(op) ? Step::Reduce
                    : isa<ScanOp>(op) ? Step::Scan
                                      : Step::Histogram;
  addStep(kind, op, {}, nullptr, time);
  for (Value result : op->getResults())
    readyAt[result] = doneAt[result] = time + 1;
}

/// Elements of the factors are read many times, in another order than they are computed in.
void Planner::visitDot(DotOp op) {
  int time = 0;
  for (Value factor : {op.getLhs(), op.getRhs()})
    if (!isCheap(factor))
      keep(factor);
  for (Value operand : op->getOperands())
    time = std::max(time, doneAt.lookup(operand));
  addStep(Step::Dot, op, {}, nullptr, time);
  readyAt[op.getResult()] = doneAt[op.getResult()] = time + 1;
}

/// The source is read anywhere, from a buffer.
void Planner::visitGather(GatherOp op) {
  keep(op.getSrc());
  int time = std::max(doneAt.lookup(op.getSrc()), ready(op.getIndices()));
  readyAt[op.getResult()] = time;
  doneAt[op.getResult()] = std::max(time, doneAt.lookup(op.getIndices()));
}

void Planner::visitInline(Operation *op) {
  Value result = op->getResult(0);
  if (auto gather = dyn_cast<GatherOp>(op))
    return visitGather(gather);
  if (!changesPosition(op)) {
    int done = 0;
    for (Value operand : op->getOperands())
      done = std::max(done, isTile(operand) ? doneAt.lookup(operand) : ready(operand));
    readyAt[result] = operandsReady(op);
    doneAt[result] = std::max(done, readyAt[result]);
    return;
  }
  // Each element may be read many times from another loop: not worth computing it there unless
  // it is cheap. This also bounds the size of a loop's body.
  Value source = op->getOperand(0);
  if (!isCheap(source))
    keep(source);
  readyAt[result] = doneAt[result] = doneAt.lookup(source);
}

void Planner::visitScalar(Operation *op) {
  int time = operandsReady(op);
  if (isa<AssertOp>(op)) {
    time = std::max(time, afterAsserts);
    afterAsserts = std::max(afterAsserts, time);
  }
  if (isa<BarrierOp>(op) && segment.ordersBarriers)
    time = afterLoads = afterStores = std::max({time, afterLoads, afterStores});
  plan.scalars.insert({time, op});
  for (Value result : op->getResults())
    readyAt[result] = time;
}

void Planner::visit(Operation *op) {
  if (isAccess(op) || isa<StoreOp, PrintOp>(op))
    return visitMemory(op);
  if (auto dot = dyn_cast<DotOp>(op))
    return visitDot(dot);
  if (makesBuffers(op))
    return visitOwnBuffers(op);
  if (isInline(op))
    return visitInline(op);
  if (auto check = dyn_cast<AssertOp>(op); check && isTile(check.getCondition())) {
    int time = std::max(operandsReady(op), afterAsserts);
    addStep(Step::Assert, op, {}, nullptr, time);
    // What follows in the program must not run when the assertion fails.
    afterAsserts = time + 1;
    return;
  }
  visitScalar(op);
}

//===----------------------------------------------------------------------===//
// Tiles that outlive the segment
//===----------------------------------------------------------------------===//

/// Makes sure that an element of `tile` can be computed after the segment.
void Planner::keepLeaves(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !inside.contains(op) || isKept(tile))
    return;
  if (isAccess(op) || !isCheap(tile))
    return keep(tile);
  for (Value operand : op->getOperands())
    if (isTile(operand))
      keepLeaves(operand);
}

void Planner::keepForOthers(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isTile(result))
      continue;
    bool leaves = llvm::any_of(result.getUsers(), [&](Operation *user) {
      return user != segment.next && !inside.contains(user);
    });
    if (leaves)
      keepLeaves(result);
  }
}

//===----------------------------------------------------------------------===//
// Writes into the buffers of loops and branches
//===----------------------------------------------------------------------===//

/// Recursion ends at operations whose result is known: those of the segment, in order (see below),
/// or cheap ones from before it, which are few.
Planner::Reads Planner::readsOf(Value tile, Value target, ReadsByTile &known) {
  if (tile == target)
    return Reads::SamePosition;
  Operation *op = tile.getDefiningOp();
  // A load reads its own operands in its own step.
  if (!op || !isInline(op))
    return Reads::No;
  auto found = known.find(tile);
  if (found != known.end())
    return found->second;
  Reads reads = Reads::No;
  for (Value operand : op->getOperands())
    if (isTile(operand))
      reads = std::max(reads, readsOf(operand, target, known));
  if (reads == Reads::SamePosition && (changesPosition(op) || isa<GatherOp>(op)))
    reads = Reads::Anywhere;
  return known[tile] = reads;
}

Planner::Reads Planner::readsOf(const Step &step, Value target) {
  auto [entry, isNew] = readers.try_emplace(target);
  ReadsByTile &known = entry->second;
  if (isNew)
    for (Operation *op : segment.ops)
      if (isInline(op))
        readsOf(op->getResult(0), target, known);
  Reads reads = Reads::No;
  for (Value tile : step.reads())
    reads = std::max(reads, readsOf(tile, target, known));
  return reads;
}

/// A write may run in the loop that computes its value when, of all the buffers about to be
/// overwritten, it reads nothing but the elements at its own position.
bool Planner::isDirect(const TileWrite &write) {
  Step step{Step::Write, nullptr, write.value, nullptr, 0};
  return llvm::all_of(segment.writes, [&](const TileWrite &other) {
    return !other.replaces || readsOf(step, other.replaces) != Reads::Anywhere;
  });
}

int Planner::firstTimeAfterReaders(const TileWrite &write) {
  int time = 0;
  if (!write.replaces)
    return time;
  for (const std::unique_ptr<Step> &step : plan.steps) {
    Reads reads = readsOf(*step, write.replaces);
    // Within one loop an element is read before it is written.
    if (reads != Reads::No)
      time = std::max(time, step->time + (reads == Reads::Anywhere || step->isAlone() ? 1 : 0));
  }
  return time;
}

/// A product may be added up in the buffer that it will be written to when nothing else needs the
/// product before, or what the buffer holds now, but the accumulator at its own position.
bool Planner::accumulatesInPlace(const TileWrite &write) {
  auto dot = write.value.getDefiningOp<DotOp>();
  if (!dot || !inside.contains(dot) || !dot->hasOneUse())
    return false;
  Step acc{Step::Write, nullptr, dot.getAcc(), nullptr, 0};
  for (const TileWrite &other : segment.writes) {
    if (other.replaces && readsOf(acc, other.replaces) == Reads::Anywhere)
      return false;
    Step value{Step::Write, nullptr, other.value, nullptr, 0};
    if (&other != &write && write.replaces && readsOf(value, write.replaces) != Reads::No)
      return false;
  }
  Step *own = nullptr;
  int time = 0;
  for (const std::unique_ptr<Step> &step : plan.steps) {
    if (step->op == dot) {
      own = step.get();
      continue;
    }
    if (!write.replaces || readsOf(*step, write.replaces) == Reads::No)
      continue;
    if (step->kind == Step::Dot) // Its time may still change.
      return false;
    time = std::max(time, step->time + 1);
  }
  for (Value factor : {dot.getLhs(), dot.getRhs()}) {
    Step reads{Step::Write, nullptr, factor, nullptr, 0};
    if (write.replaces && readsOf(reads, write.replaces) != Reads::No)
      return false;
  }
  own->time = std::max(own->time, time);
  own->dest = write.dest;
  return true;
}

void Planner::scheduleWrites() {
  SmallVector<const TileWrite *> direct, copies;
  for (const TileWrite &write : segment.writes) {
    if (write.value == write.replaces || accumulatesInPlace(write))
      continue; // the buffer holds it already
    bool now = isDirect(write);
    if (!now)
      keep(write.value);
    (now ? direct : copies).push_back(&write);
  }
  // Direct writes of one shape read each other's buffers, so they share one loop.
  std::map<SmallVector<int64_t>, int> timeOfShape;
  auto shapeOf = [](const TileWrite *write) {
    return SmallVector<int64_t>(cast<RankedTensorType>(write->value.getType()).getShape());
  };
  for (const TileWrite *write : direct) {
    int &time = timeOfShape[shapeOf(write)];
    time = std::max({time, ready(write->value), firstTimeAfterReaders(*write)});
  }
  for (const TileWrite *write : direct)
    addStep(Step::Write, nullptr, write->value, write->dest, timeOfShape[shapeOf(write)]);
  for (const TileWrite *write : copies) {
    int time = std::max(doneAt.lookup(write->value), firstTimeAfterReaders(*write));
    addStep(Step::Write, nullptr, write->value, write->dest, time);
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Planner::makeGroups() {
  // Those with a loop of their own have a number, the others share number 0.
  std::map<std::tuple<int, SmallVector<int64_t>, int>, SmallVector<Step *>> byTime;
  int own = 0;
  for (const std::unique_ptr<Step> &step : plan.steps) {
    byTime[{step->time, SmallVector<int64_t>(step->shape()), step->isAlone() ? ++own : 0}]
        .push_back(step.get());
  }
  for (auto &[key, steps] : byTime)
    plan.groups.push_back({std::get<0>(key), std::get<1>(key), steps, {}});
  for (auto [index, group] : llvm::enumerate(plan.groups)) {
    for (Step *step : group.steps) {
      Value tile = step->kind == Step::Load ? step->op->getResult(0) : step->value;
      if (step->kind == Step::Load || step->kind == Step::Keep)
        computedIn[tile] = index;
      if (step->kind == Step::Keep || (step->kind == Step::Load && forced.contains(tile)))
        group.kept.insert(tile);
    }
  }
}

/// Records that group `index` needs elements of `tiles`. A tile whose elements it needs at another
/// position than its own, behind a reshape or flip, is computed there but cannot be kept there: the
/// first group that computes it at its own position does that.
void Planner::reach(unsigned index, ArrayRef<Value> tiles, Reached &seen) {
  SmallVector<std::pair<Value, bool>> open;
  for (Value tile : tiles)
    open.push_back({tile, false});
  while (!open.empty()) {
    auto [tile, isMoved] = open.pop_back_val();
    Operation *op = tile.getDefiningOp();
    if (segment.hasBuffer(tile) || !op || makesBuffers(op) || !seen[isMoved].insert(tile).second)
      continue; // kept anyway, or done
    if (!isMoved)
      computedIn.try_emplace(tile, index);
    auto home = computedIn.find(tile);
    if (home != computedIn.end() && home->second != index &&
        (isAccess(op) || forced.contains(tile) || !isCheap(tile))) {
      plan.groups[home->second].kept.insert(tile);
      continue;
    }
    if (isAccess(op))
      continue; // its operands belong to its own step
    for (Value operand : op->getOperands())
      if (isTile(operand))
        open.push_back({operand, isMoved || changesPosition(op)});
  }
}

void Planner::chooseKept() {
  for (unsigned index = 0; index < plan.groups.size(); ++index) {
    Reached seen;
    for (Step *step : plan.groups[index].steps)
      reach(index, step->reads(), seen);
  }
}

Plan Planner::run() {
  for (Operation *op : segment.ops)
    visit(op);
  for (Operation *op : segment.ops)
    keepForOthers(op);
  scheduleWrites();
  makeGroups();
  chooseKept();
  return std::move(plan);
}

Plan cpu::makePlan(const Segment &segment) { return Planner(segment).run(); }
