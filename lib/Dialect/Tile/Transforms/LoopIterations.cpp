//===- LoopIterations.cpp - helpers to move loads across iterations -*- C++ -*-===//
//
// What passes that start loads of later iterations have in common: code that asks whether there is
// such an iteration, whether loads may move in the loop, and how much they bring.
//
//===----------------------------------------------------------------------===//

#include "LoopIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Reduction.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

Value tilec::tile::hasIterationAhead(OpBuilder &builder, scf::ForOp loop, Value counter,
                                     int64_t ahead) {
  Location loc = loop.getLoc();
  Value upper = loop.getUpperBound();
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, counter, upper);
  if (ahead == 0)
    return any;
  // The difference of the bounds is exact as an unsigned number.
  Value left = arith::SubIOp::create(builder, loc, upper, counter);
  Value step = loop.getStep();
  if (left.getType().isInteger(32)) {
    left = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), left);
    step = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), step);
  }
  Value steps =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), ahead));
  Value distance = arith::MulIOp::create(builder, loc, step, steps);
  Value far = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, distance);
  return arith::AndIOp::create(builder, loc, any, far);
}

LoadOp tilec::tile::loadIf(OpBuilder &builder, LoadOp load, Value exists,
                           llvm::function_ref<Value(Value)> translate) {
  Location loc = load.getLoc();
  Value mask = exists;
  if (auto tileType = dyn_cast<RankedTensorType>(load.getType()))
    mask = SplatOp::create(builder, loc, tileType.clone(builder.getI1Type()), exists);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, loc, translate(load.getMask()), mask);
  Value other = load.getOther() ? translate(load.getOther()) : Value();
  return LoadOp::create(builder, loc, load.getType(), translate(load.getPtr()), mask, other,
                        load.getCache(), load.getEvict(), /*isVolatile=*/false);
}

/// Whether `op` writes no memory that loads read, by itself.
static bool isRead(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return (load && !load.getIsVolatile()) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isMemoryEffectFree(op);
}

/// Whether `op` is of what tile-pipeline-loads writes: into shared memory alone.
static bool isCopyToSlots(Operation *op) {
  return isa<AllocBufferOp, BufferLoadOp, SlotCopyOpInterface, AsyncCommitOp, AsyncWaitOp,
             MBarrierWaitOp>(op);
}

static bool allOps(scf::ForOp loop, llvm::function_ref<bool(Operation *)> holds) {
  auto check = [&](Operation *op) {
    return holds(op) ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !loop.walk(check).wasInterrupted();
}

bool tilec::tile::onlyReads(scf::ForOp loop) { return allOps(loop, isRead); }

bool tilec::tile::onlyReadsBesideSlots(scf::ForOp loop) {
  return allOps(loop, [](Operation *op) { return isRead(op) || isCopyToSlots(op); });
}

bool tilec::tile::isLoaded(Value factor) {
  Operation *op = factor.getDefiningOp();
  while (isa_and_nonnull<PermuteOp, ConvertLayoutOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<LoadOp>(op);
}

bool tilec::tile::computesFactors(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
    return llvm::any_of(ValueRange{dot.getLhs(), dot.getRhs()}, [&](Value factor) {
      return !loop.isDefinedOutsideOfLoop(factor) && !isLoaded(factor);
    });
  });
}

int64_t tilec::tile::bytesOfTile(Type type) {
  auto tile = cast<RankedTensorType>(type);
  return tile.getNumElements() * byteSize(tile.getElementType());
}

int64_t tilec::tile::bytesOfThread(Type type) {
  int64_t bytes = byteSize(elementOf(type));
  if (LayoutAttr layout = getLayout(type))
    bytes *= layout.toLinearLayout(cast<RankedTensorType>(type).getShape()).numRegisters();
  return bytes;
}

/// The parts of warps and CTAs, and results that all share, which take no more.
static int64_t bytesOfParts(ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  std::optional<ReductionPlan> plan =
      planReduction(getLayout(type).toLinearLayout(type.getShape()), op.getAxis());
  if (!plan)
    return std::numeric_limits<int64_t>::max();
  int64_t bytes = 0;
  for (Value source : op.getSrcs())
    bytes += 2 * byteSize(elementOf(source.getType())) * partialLayout(*plan).numElements();
  return bytes;
}

int64_t tilec::tile::bytesOfExchange(Operation *op) {
  auto exchange = dyn_cast<ExchangeOpInterface>(op);
  if (!exchange || !exchange.crossesWarps())
    return 0;
  int64_t limit = getTarget(op).defaultSharedPerBlock(); // What is larger goes in rounds.
  if (auto conversion = dyn_cast<ConvertLayoutOp>(op))
    return std::min(limit, bytesOfTile(conversion.getType()));
  if (auto reduction = dyn_cast<ReduceOp>(op))
    return std::min(limit, bytesOfParts(reduction));
  return limit;
}

GroupWaitOp tilec::tile::findWait(Operation *from, int64_t &started) {
  for (Operation *op = from; op; op = op->getNextNode()) {
    if (isa<GroupDotOp>(op))
      ++started;
    if (auto wait = dyn_cast<GroupWaitOp>(op); wait && int64_t(wait.getPending()) <= started)
      return wait;
  }
  return {};
}

bool tilec::tile::hasProducts(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<DotOp, GroupDotOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilec::tile::isWholeInCTA(RankedTensorType type) {
  auto layout = getLayout(type).toLinearLayout(type.getShape());
  return llvm::all_of(layout.flatBases(tilec::layout::InDim::Block),
                      [](uint64_t basis) { return basis == 0; });
}
