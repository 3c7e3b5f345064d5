//===- PipelineLoads.cpp - load ahead of the loop --------------*- C++ -*-===//
//
// The pass `tile-pipeline-loads`. A loop of N stages has the loads of its next N-1 iterations under
// way:
//
//   for k in 0 .. N-2: start the loads of iteration k into slot k; commit
//   for each iteration: start the loads of the iteration N-1 ahead, if there is one; commit;
//                       wait until only N-1 groups are pending; read the slot; compute
//
// Every thread copies what it reads later itself, so the loop has no barrier for it. Where threads
// share elements, one copies for all, and the wait comes first: one barrier then stands between it
// and the copies. A load can go ahead when its pointers and mask follow from the loop's counter by
// operations without effects. As in Triton, whoever asks for stages says that no iteration stores
// what one of the next N-1 loads.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPIPELINELOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

namespace {

/// A load that goes ahead, with the operations of the loop's body that its pointers and mask need,
/// in order.
struct AheadLoad {
  LoadOp load;
  SetVector<Operation *> slice;
  int64_t width;
  Value buffer;
};

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, const AxisInfoAnalysis &axes)
      : loop(loop), axes(axes), builder(loop), loc(loop.getLoc()) {}

  /// Finds the loads. Returns whether there are any.
  bool collect();
  /// Bytes of shared memory that one slot for each of the loads takes.
  int64_t slotBytes();
  void rewrite(int64_t numStages);

private:
  bool addToSlice(Value value, SetVector<Operation *> &slice);
  BufferType bufferType(AheadLoad &ahead, int64_t numStages);
  bool sharesElements();
  Value constant(Type type, int64_t value);
  void start(Value counter, Value slot);
  void startIf(Value condition, Value from, int64_t ahead, Value slot);
  void addSlotArgument(int64_t numStages);
  void rewriteBody(int64_t numStages);

  scf::ForOp loop;
  const AxisInfoAnalysis &axes;
  OpBuilder builder;
  Location loc;
  SmallVector<AheadLoad> loads;
  Value slot; // That of the current iteration.
};

} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

bool Pipeliner::addToSlice(Value value, SetVector<Operation *> &slice) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loop.getBody())
    return argument == loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || slice.contains(op))
    return true;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!addToSlice(operand, slice))
      return false;
  slice.insert(op);
  return true;
}

bool Pipeliner::collect() {
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !load.isPlain())
      continue;
    AheadLoad ahead = {load, {}, axes.getRegisterWidth(load.getPtr(), load.getMask()), {}};
    if (ahead.width * byteSize(type.getElementType()) < kLeastCopyBytes)
      continue;
    if (addToSlice(load.getPtr(), ahead.slice) &&
        (!load.getMask() || addToSlice(load.getMask(), ahead.slice)))
      loads.push_back(std::move(ahead));
  }
  return !loads.empty();
}

BufferType Pipeliner::bufferType(AheadLoad &ahead, int64_t numStages) {
  auto tile = cast<RankedTensorType>(ahead.load.getType());
  LinearLayout layout = getLayout(tile).toLinearLayout(tile.getShape());
  auto map = SharedAttr::get(loop.getContext(), placeByThread(layout, ahead.width));
  return BufferType::get(loop.getContext(), tile.getShape(), tile.getElementType(), map,
                         /*rounds=*/1, numStages);
}

int64_t Pipeliner::slotBytes() {
  int64_t bytes = 0;
  for (AheadLoad &ahead : loads)
    bytes += bufferType(ahead, /*numStages=*/1).getSlotBytes();
  return bytes;
}

/// Whether threads read what other threads copy.
bool Pipeliner::sharesElements() {
  return llvm::any_of(loads, [](AheadLoad &ahead) {
    auto tile = cast<RankedTensorType>(ahead.load.getType());
    LinearLayout layout = getLayout(tile).toLinearLayout(tile.getShape());
    return layout.freeBits(InDim::Lane) != 0 || layout.freeBits(InDim::Warp) != 0;
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value Pipeliner::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

/// Starts the loads of the iteration with `counter`.
void Pipeliner::start(Value counter, Value intoSlot) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), counter);
  for (AheadLoad &ahead : loads) {
    for (Operation *op : ahead.slice)
      if (!mapping.contains(op->getResult(0)))
        builder.clone(*op, mapping);
    Value mask = ahead.load.getMask();
    BufferCopyOp::create(builder, ahead.load.getLoc(), mapping.lookupOrDefault(ahead.load.getPtr()),
                         ahead.buffer, intoSlot, mask ? mapping.lookupOrDefault(mask) : Value());
  }
}

/// Starts, under `condition`, the loads of the iteration `ahead` steps after the one with counter
/// `from`.
void Pipeliner::startIf(Value condition, Value from, int64_t ahead, Value intoSlot) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value step = loop.getStep();
    Value distance = arith::MulIOp::create(builder, loc, step, constant(step.getType(), ahead));
    start(arith::AddIOp::create(builder, loc, from, distance), intoSlot);
  }
  AsyncCommitOp::create(builder, loc);
}

/// Makes the loop carry the number of the current slot.
void Pipeliner::addSlotArgument(int64_t numStages) {
  IRRewriter rewriter(builder);
  Value first = constant(builder.getI32Type(), 0);
  auto next = [&](OpBuilder &b, Location at, ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    Value one = arith::ConstantIntOp::create(b, at, b.getI32Type(), 1);
    Value last = arith::ConstantIntOp::create(b, at, b.getI32Type(), numStages - 1);
    Value zero = arith::ConstantIntOp::create(b, at, b.getI32Type(), 0);
    Value more = arith::AddIOp::create(b, at, added[0], one);
    Value wraps = arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, added[0], last);
    return {arith::SelectOp::create(b, at, wraps, zero, more)};
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "a counted loop can carry more");
  loop = cast<scf::ForOp>(replaced->getOperation());
  slot = loop.getRegionIterArgs().back();
}

void Pipeliner::rewriteBody(int64_t numStages) {
  builder.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  // The slot N-1 ahead is the one before.
  Type i32 = builder.getI32Type();
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, constant(i32, 0));
  Value before = arith::SubIOp::create(builder, loc, slot, constant(i32, 1));
  Value free = arith::SelectOp::create(builder, loc, isFirst, constant(i32, numStages - 1), before);
  bool waitsFirst = sharesElements();
  if (waitsFirst)
    AsyncWaitOp::create(builder, loc, numStages - 2);
  startIf(hasTurnAhead(builder, loop, counter, numStages - 1), counter, numStages - 1, free);
  if (!waitsFirst)
    AsyncWaitOp::create(builder, loc, numStages - 1);
  for (AheadLoad &ahead : loads) {
    builder.setInsertionPoint(ahead.load);
    Value read = readCopied(builder, ahead.load.getLoc(), ahead.load.getType(), ahead.buffer, slot,
                            ahead.load.getMask(), ahead.load.getOther());
    ahead.load.replaceAllUsesWith(read);
    ahead.load.erase();
  }
}

void Pipeliner::rewrite(int64_t numStages) {
  for (AheadLoad &ahead : loads)
    ahead.buffer =
        AllocBufferOp::create(builder, ahead.load.getLoc(), bufferType(ahead, numStages));
  for (int64_t k = 0; k + 1 < numStages; ++k)
    startIf(hasTurnAhead(builder, loop, loop.getLowerBound(), k), loop.getLowerBound(), k,
            constant(builder.getI32Type(), k));
  addSlotArgument(numStages);
  rewriteBody(numStages);
}

namespace {

struct PipelineLoads : tilec::tile::impl::TilePipelineLoadsBase<PipelineLoads> {
  using TilePipelineLoadsBase::TilePipelineLoadsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kNumStagesAttr))
        loops.push_back(loop);
    });
    int64_t left = getTarget(function).sharedForCopies();
    if (loops.empty() || left == 0)
      return;
    AxisInfoAnalysis axes(function);
    for (scf::ForOp loop : loops) {
      Pipeliner pipeliner(loop, axes);
      auto wanted = loop->getAttrOfType<IntegerAttr>(kNumStagesAttr).getInt();
      loop->removeAttr(kNumStagesAttr);
      if (!pipeliner.collect())
        continue;
      int64_t stages = std::min(wanted, left / pipeliner.slotBytes());
      if (stages < 2)
        continue;
      left -= stages * pipeliner.slotBytes();
      pipeliner.rewrite(stages);
      ++numPipelined;
    }
  }
};

} // namespace
