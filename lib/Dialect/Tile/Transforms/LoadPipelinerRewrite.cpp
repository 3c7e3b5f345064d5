//===- LoadPipelinerRewrite.cpp - the loop that uses slots -----*- C++ -*-===//
//
// The part of LoadPipeliner that rewrites a loop. The forms are those that PipelineLoads.cpp and
// SpecializeWarps.cpp describe.
//
//===----------------------------------------------------------------------===//

#include "LoadPipeliner.h"

#include "CopyRole.h"
#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec::tile;

Value LoadPipeliner::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

/// `value` after `ahead` steps.
Value LoadPipeliner::movedBy(Value value, Value step, int64_t ahead) {
  if (ahead == 0)
    return value;
  Value distance = arith::MulIOp::create(builder, loc, step, constant(step.getType(), ahead));
  return arith::AddIOp::create(builder, loc, value, distance);
}

int64_t LoadPipeliner::numBulk() {
  return llvm::count_if(loads, [](const AheadLoad &ahead) { return bool(ahead.block); });
}

/// What stands for the values that the loop's body has in an iteration.
IRMapping LoadPipeliner::valuesOf(const Iteration &iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), movedBy(iteration.counter, loop.getStep(), iteration.ahead));
  for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), iteration.carried))
    if (Value step = slices.stepOf(argument))
      mapping.map(argument, movedBy(value, step, iteration.ahead));
  for (auto [number, value] : llvm::zip_equal(slices.stepped(), iteration.stepped))
    mapping.map(loop.getRegionIterArg(number), value);
  for (auto [index, value] : llvm::zip(indices, iteration.indices))
    mapping.map(index.load.getResult(), value);
  return mapping;
}

/// Starts the loads of an iteration. Returns what stands for the values of its body.
IRMapping LoadPipeliner::start(const Iteration &iteration, Value intoSlot) {
  IRMapping mapping = valuesOf(iteration);
  for (AheadLoad &ahead : loads) {
    LoopSlices::clone(builder, ahead.slice, mapping);
    if (ahead.block) {
      startBulk(ahead, mapping, intoSlot);
      continue;
    }
    Value mask = ahead.load.getMask();
    BufferCopyOp::create(builder, ahead.load.getLoc(), mapping.lookupOrDefault(ahead.load.getPtr()),
                         ahead.buffer, intoSlot, mask ? mapping.lookupOrDefault(mask) : Value(),
                         ahead.load.getEvict());
  }
  return mapping;
}

/// Starts the loads of an iteration if there is one. Returns the stepped values of the next.
SmallVector<Value> LoadPipeliner::startIf(const Iteration &iteration, Value intoSlot) {
  Value exists = hasIterationAhead(builder, loop, iteration.counter, iteration.ahead);
  auto branch = scf::IfOp::create(builder, loc, iteration.stepped.getTypes(), exists,
                                  /*withElseRegion=*/!iteration.stepped.empty());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping = start(iteration, intoSlot);
    if (!iteration.stepped.empty()) {
      scf::YieldOp::create(builder, loc, slices.next(builder, mapping));
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, iteration.stepped);
    }
  }
  if (anyByThreads())
    AsyncCommitOp::create(builder, loc);
  return branch.getResults();
}

/// Makes the loop carry the number of the current slot and, before it, the parity of the barrier
/// where its blocks land, if there is one, and what is known of the iteration that is to be
/// started, `ofNext`. This stays the same until rewriteBody() knows the next one.
void LoadPipeliner::addArguments(int64_t numSlots, ValueRange ofNext) {
  IRRewriter rewriter(builder);
  SmallVector<Value> first(ofNext);
  if (landed)
    first.push_back(firstParity);
  first.push_back(firstSlot);
  auto next = [&](OpBuilder &b, Location at, ArrayRef<BlockArgument> added) {
    Value one = arith::ConstantIntOp::create(b, at, b.getI32Type(), 1);
    Value last = arith::ConstantIntOp::create(b, at, b.getI32Type(), numSlots - 1);
    Value zero = arith::ConstantIntOp::create(b, at, b.getI32Type(), 0);
    Value more = arith::AddIOp::create(b, at, added.back(), one);
    Value wraps = arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, added.back(), last);
    SmallVector<Value> values(added.drop_back());
    if (landed)
      values.back() = nextPhase(b, at, added.back(), values.back(), numSlots);
    values.push_back(arith::SelectOp::create(b, at, wraps, zero, more));
    return values;
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "a counted loop can carry more");
  loop = cast<scf::ForOp>(replaced->getOperation());
  slices.setLoop(loop);
  slot = loop.getRegionIterArgs().back();
  if (landed)
    parity = loop.getRegionIterArgs().drop_back().back();
}

/// What the slot holds in `layout`, after the load's casts.
Value LoadPipeliner::readMatrix(AheadLoad &ahead, LayoutAttr layout) {
  auto inLayout = [&](Value value) {
    auto tile = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
  };
  Value read =
      BufferLoadOp::create(builder, ahead.load.getLoc(), inLayout(ahead.load), ahead.buffer, slot);
  for (Operation *cast : ahead.casts) {
    Operation *copy = builder.clone(*cast);
    copy->setOperand(0, read);
    copy->getResult(0).setType(inLayout(cast->getResult(0)));
    read = copy->getResult(0);
  }
  return read;
}

/// Puts what the slot holds in the place of a load, in each layout that users want.
void LoadPipeliner::readSlot(AheadLoad &ahead) {
  LoadOp load = ahead.load;
  if (!ahead.isMatrix) {
    load.replaceAllUsesWith(readCopied(builder, load.getLoc(), load.getType(), ahead.buffer, slot,
                                       load.getMask(), load.getOther()));
  } else {
    Value last = ahead.last();
    for (Operation *user : llvm::make_early_inc_range(last.getUsers()))
      if (auto conversion = dyn_cast<ConvertLayoutOp>(user)) {
        conversion.replaceAllUsesWith(readMatrix(ahead, getLayout(conversion.getType())));
        conversion.erase();
      }
    if (!last.use_empty())
      last.replaceAllUsesWith(readMatrix(ahead, getLayout(last.getType())));
    for (Operation *cast : llvm::reverse(ahead.casts))
      cast->erase();
  }
  load.erase();
}

/// Starts the loads of the iteration whose slot is the next to be free, and finds what those of the
/// one behind it depend on.
void LoadPipeliner::startAhead(int64_t numStages, int64_t numSlots) {
  Value counter = loop.getInductionVar();
  // The slot N-1 ahead is the one before, or the one before that.
  Type i32 = builder.getI32Type();
  int64_t back = numSlots - numStages + 1;
  Value wraps =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, slot, constant(i32, back));
  Value before = arith::SubIOp::create(builder, loc, slot, constant(i32, back));
  Value behindIt = arith::AddIOp::create(builder, loc, slot, constant(i32, numSlots - back));
  Value free = arith::SelectOp::create(builder, loc, wraps, behindIt, before);
  SmallVector<Value> carried(loop.getRegionIterArgs());
  size_t last = carried.size() - (landed ? 2 : 1);
  size_t numStepped = slices.stepped().size();
  ArrayRef<Value> ofNext =
      ArrayRef(carried).take_front(last).take_back(indices.size() + numStepped);
  SmallVector<Value> stepped = startIf(
      {counter, carried, numStages - 1, ofNext.take_back(numStepped), ofNext.drop_back(numStepped)},
      free);
  SmallVector<Value> next = loadIndices({counter, carried, numStages, stepped});
  next.append(stepped);
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(unsigned(last - next.size()), unsigned(next.size()), next);
}

void LoadPipeliner::rewriteBody(int64_t numStages, int64_t numSlots, DotOp behind) {
  builder.setInsertionPointToStart(loop.getBody());
  bool waitsFirst = sharesElements();
  if (waitsFirst && anyByThreads())
    AsyncWaitOp::create(builder, loc, numStages - 2);
  if (landed)
    MBarrierWaitOp::create(builder, loc, landed, slot, parity);
  if (behind)
    builder.setInsertionPointAfter(behind);
  if (numSlots >= numStages)
    startAhead(numStages, numSlots);
  else if (anyByThreads())
    AsyncCommitOp::create(builder, loc); // Waits count groups.
  if (!waitsFirst)
    AsyncWaitOp::create(builder, loc, numStages - 1);
  for (AheadLoad &ahead : loads) {
    builder.setInsertionPoint(ahead.load);
    readSlot(ahead);
  }
  // What loads needed in their own iteration, other loads among it.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// The slot of the iteration that is `by` after the first one.
Value LoadPipeliner::firstSlotMoved(int64_t by, int64_t numSlots) {
  Type i32 = builder.getI32Type();
  if (!around)
    return constant(i32, by);
  if (by == 0)
    return firstSlot;
  Value last = constant(i32, numSlots - by);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, firstSlot, last);
  Value behind = arith::AddIOp::create(builder, loc, firstSlot, constant(i32, by));
  Value before = arith::AddIOp::create(builder, loc, firstSlot, constant(i32, by - numSlots));
  return arith::SelectOp::create(builder, loc, wraps, before, behind);
}

static void moveAll(ArrayRef<Operation *> ops, Operation *place) {
  for (Operation *op : ops)
    op->moveBefore(place);
}

/// Starts the loads of the first iterations: before the loop or, if the one around it is flattened,
/// an iteration of that early. Makes the loop carry what follows from there.
void LoadPipeliner::startFirst(int64_t numStages, int64_t numSlots) {
  SmallVector<Operation *> buffers;
  for (AheadLoad &ahead : loads) {
    ahead.buffer = AllocBufferOp::create(builder, ahead.load.getLoc(), bufferType(ahead, numSlots));
    buffers.push_back(ahead.buffer.getDefiningOp());
  }
  auto makeState = [&] {
    firstParity = landed ? constant(builder.getI32Type(), 0) : Value();
    firstSlot = constant(builder.getI32Type(), 0);
  };
  if (around)
    makeState();
  Operation *before = loop->getPrevNode();
  SmallVector<Value> stepped = llvm::map_to_vector(
      slices.stepped(), [&](unsigned number) { return loop.getInitArgs()[number]; });
  for (int64_t k = 0; k + 1 < numStages; ++k)
    stepped = startIf({loop.getLowerBound(), loop.getInitArgs(), k, stepped},
                      firstSlotMoved(k, numSlots));
  SmallVector<Operation *> prologue;
  for (Operation *op = before->getNextNode(); op != loop; op = op->getNextNode())
    prologue.push_back(op);
  if (around)
    moveAll(buffers, around->getLoop());
  if (around && !around->take(prologue)) {
    moveAll(buffers, before);
    around.reset();
  }
  if (landed)
    makeBarrier(around ? around->getLoop().getOperation() : buffers.front());
  if (!firstSlot)
    makeState();
  SmallVector<Value> ofNext =
      loadIndices({loop.getLowerBound(), loop.getInitArgs(), numStages - 1, stepped});
  ofNext.append(stepped);
  addArguments(numSlots, ofNext);
}

/// Starts the first loads an iteration of the loop around early, and makes that loop carry the slot
/// and the parity from the last iteration of one to the first of the next.
void LoadPipeliner::carryThroughAround() {
  SmallVector<Value> state, initial;
  for (Value value : {firstParity, firstSlot})
    if (value)
      state.push_back(value);
  scf::ForOp outer = around->getLoop();
  builder.setInsertionPoint(outer);
  for (Value value : state)
    initial.push_back(constant(value.getType(), 0));
  SmallVector<Value> results(loop.getResults().take_back(state.size()));
  around->startAhead(builder, loop, state, initial, results);
  IRRewriter rewriter(builder);
  FailureOr<LoopLikeOpInterface> replaced = outer.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return results; });
  assert(succeeded(replaced) && "a counted loop can carry more");
  loopOfSlots = cast<scf::ForOp>(replaced->getOperation());
  auto carried = loopOfSlots.getRegionIterArgs().take_back(state.size());
  for (auto [value, argument] : llvm::zip_equal(state, carried)) {
    value.replaceAllUsesWith(argument);
    value.getDefiningOp()->erase();
  }
}

void LoadPipeliner::rewrite(int64_t numStages, int64_t numSlots, DotOp behind) {
  bool isShared = sharesElements();
  makeMaps();
  if (numBulk() != 0) {
    func::FuncOp function = loop->getParentOfType<func::FuncOp>();
    OpBuilder entry = OpBuilder::atBlockBegin(&function.front());
    landed = AllocMBarrierOp::create(entry, loc, /*offset=*/IntegerAttr(),
                                     builder.getI32IntegerAttr(int32_t(numSlots)),
                                     builder.getI32IntegerAttr(int32_t(numBulk())));
  }
  startFirst(numStages, numSlots);
  rewriteBody(numStages, numSlots, behind);
  loopOfSlots = loop;
  if (around)
    carryThroughAround();
  // Nothing is on its way any more, and what follows may use memory that threads share.
  builder.setInsertionPointAfter(loopOfSlots);
  if (isShared && anyByThreads())
    AsyncWaitOp::create(builder, loc, 0);
}

void LoadPipeliner::rewriteInPlace(int64_t numSlots, OpBuilder &allocs,
                                   SmallVectorImpl<Value> &buffers) {
  if (buffers.empty())
    for (AheadLoad &ahead : loads)
      buffers.push_back(
          AllocBufferOp::create(allocs, ahead.load.getLoc(), bufferType(ahead, numSlots)));
  for (auto [ahead, buffer] : llvm::zip_equal(loads, buffers))
    ahead.buffer = buffer;
  makeMaps();
  copyBefore(allocs);
  firstSlot = constant(builder.getI32Type(), 0);
  addArguments(numSlots, /*ofNext=*/{});
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  SmallVector<Value> stepped = llvm::map_to_vector(
      slices.stepped(), [&](unsigned number) -> Value { return carried[number]; });
  start({loop.getInductionVar(), carried, /*ahead=*/0, stepped}, slot);
  AsyncCommitOp::create(builder, loc);
  AsyncWaitOp::create(builder, loc, 0);
  for (AheadLoad &ahead : loads) {
    builder.setInsertionPoint(ahead.load);
    readSlot(ahead);
  }
  loop->setAttr(kCopiesInPlaceAttr, builder.getUnitAttr());
}
