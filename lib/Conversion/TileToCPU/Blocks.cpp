//===- Blocks.cpp - blocks, loops and branches -----------------*- C++ -*-===//
//
// A block is cut into segments at its structured control flow. Tiles that a loop carries or a
// branch yields live in buffers: the segment before a loop writes the initial values, and the last
// segment of its body writes the new ones over them. What is left of the control flow carries
// scalars only.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

//===----------------------------------------------------------------------===//
// What can be converted
//===----------------------------------------------------------------------===//

static bool isControlFlow(Operation *op) { return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op); }

static bool isScalarOperation(Operation *op) {
  if (isa<InlineAsmOp>(op))
    return false;
  if (llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile))
    return false;
  return isa<arith::ArithDialect, math::MathDialect, TileDialect>(op->getDialect());
}

LogicalResult cpu::checkKernel(Operation *kernel) {
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op); dot && dot.getLhsFloat()) {
      dot.emitOpError() << "multiplies as " << *dot.getLhsFloat()
                        << ", which is not supported on the CPU";
      return WalkResult::interrupt();
    }
    if (op == kernel || isControlFlow(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        isInline(op) || isAccess(op) || makesBuffers(op) || isa<StoreOp, PrintOp, AssertOp>(op) ||
        (op->getNumRegions() == 0 && op->getDialect() && isScalarOperation(op)))
      return WalkResult::advance();
    emitError(op->getLoc()) << "'" << op->getName().stripDialect()
                            << "' is not supported on the CPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static void emitScalar(KernelState &state, Operation *op) {
  OpBuilder &builder = state.builder;
  auto get = [&](Value value) -> Value {
    return value ? state.scalars.lookupOrDefault(value) : Value();
  };
  auto check = [&](Operation *access, Value stored, Value mask) {
    return emitCheck(state, builder, access, get(access->getOperand(0)), stored, get(mask),
                     /*index=*/{});
  };
  TypeSwitch<Operation *>(op)
      .Case([&](ProgramIdOp id) { state.scalars.map(id, state.grid[unsigned(id.getAxis())]); })
      .Case([&](NumProgramsOp count) {
        state.scalars.map(count, state.grid[3 + unsigned(count.getAxis())]);
      })
      .Case([&](LoadOp load) {
        Value pointer = get(load.getPtr()), mask = check(load, {}, load.getMask());
        state.scalars.map(load, emitLoad(builder, load, pointer, mask, get(load.getOther())));
      })
      .Case([&](StoreOp store) {
        Value pointer = get(store.getPtr()), value = get(store.getValue());
        emitStore(builder, store, pointer, value, check(store, value, store.getMask()));
      })
      .Case([&](AtomicRMWOp atomic) {
        Value pointer = get(atomic.getPtr()), value = get(atomic.getValue());
        Value mask = check(atomic, {}, atomic.getMask());
        state.scalars.map(atomic, emitAtomic(builder, atomic, pointer, value, mask));
      })
      .Case([&](AtomicCASOp atomic) {
        Value pointer = get(atomic.getPtr()), mask = check(atomic, {}, {});
        state.scalars.map(atomic, emitAtomic(builder, atomic, pointer, get(atomic.getExpected()),
                                             get(atomic.getValue()), mask));
      })
      .Case([&](PrintOp print) { emitPrint(state, builder, print, {}, get(print.getValue())); })
      .Case([&](BarrierOp barrier) { emitBarrier(state, barrier); })
      .Case([&](AssertOp check) {
        cf::AssertOp::create(builder, check.getLoc(), get(check.getCondition()),
                             check.getMessage());
      })
      .Default([&](Operation *other) {
        if (other->getNumResults() != 1) {
          builder.clone(*other, state.scalars);
          return;
        }
        SmallVector<Value> operands = llvm::map_to_vector(other->getOperands(), get);
        state.scalars.map(other->getResult(0), emitElement(builder, other, operands));
      });
}

static void emitSegment(KernelState &state, ArrayRef<Operation *> ops, ArrayRef<TileWrite> writes,
                        Operation *next) {
  auto hasBuffer = [&](Value value) { return state.buffers.count(value) != 0; };
  Plan plan = makePlan({ops, writes, next, hasBuffer, state.checksMemory});
  auto scalar = plan.scalars.begin();
  auto emitScalarsUpTo = [&](int time) {
    for (; scalar != plan.scalars.end() && scalar->first <= time; ++scalar)
      emitScalar(state, scalar->second);
  };
  for (const Group &group : plan.groups) {
    emitScalarsUpTo(group.time);
    emitGroup(state, group);
  }
  emitScalarsUpTo(std::numeric_limits<int>::max());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

namespace {

/// Writes one operation of structured control flow. The segment before it is written first, because
/// it has to fill the buffers that the loop starts from.
class ControlFlowWriter {
public:
  ControlFlowWriter(KernelState &state, ArrayRef<Operation *> before)
      : state(state), before(before) {}

  void write(scf::ForOp op);
  void write(scf::IfOp op);
  void write(scf::WhileOp op);

private:
  Buffer *bufferFor(Value tile);
  /// Binds each of `values` (block arguments or results) that is a tile to a new buffer.
  SmallVector<Buffer *> bindTiles(ValueRange values);
  void bindScalars(ValueRange values, ValueRange scalars);
  void bindResults(Operation *op, ArrayRef<Buffer *> buffers, ValueRange scalars);
  SmallVector<TileWrite> writesOf(ValueRange values, ArrayRef<Buffer *> buffers,
                                  ValueRange replaces = {});
  SmallVector<Value> scalarsOf(ValueRange values);
  SmallVector<Type> scalarTypesOf(ValueRange values);
  void emitBranch(Region &region, ArrayRef<Buffer *> results);

  KernelState &state;
  ArrayRef<Operation *> before;
};

} // namespace

Buffer *ControlFlowWriter::bufferFor(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return state.pool.create(tile.getLoc(), type.getShape(), elementType(type));
}

SmallVector<Buffer *> ControlFlowWriter::bindTiles(ValueRange values) {
  SmallVector<Buffer *> buffers;
  for (Value value : values)
    if (isTile(value))
      buffers.push_back(state.buffers[value] = bufferFor(value));
  return buffers;
}

void ControlFlowWriter::bindScalars(ValueRange values, ValueRange scalars) {
  unsigned next = 0;
  for (Value value : values)
    if (!isTile(value))
      state.scalars.map(value, scalars[next++]);
}

void ControlFlowWriter::bindResults(Operation *op, ArrayRef<Buffer *> buffers, ValueRange scalars) {
  unsigned next = 0;
  for (Value result : op->getResults())
    if (isTile(result))
      state.buffers[result] = buffers[next++];
  bindScalars(op->getResults(), scalars);
}

SmallVector<TileWrite> ControlFlowWriter::writesOf(ValueRange values, ArrayRef<Buffer *> buffers,
                                                   ValueRange replaces) {
  SmallVector<TileWrite> writes;
  for (auto [index, value] : llvm::enumerate(values))
    if (isTile(value))
      writes.push_back(
          {value, buffers[writes.size()], replaces.empty() ? Value() : replaces[index]});
  return writes;
}

SmallVector<Value> ControlFlowWriter::scalarsOf(ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isTile(value))
      scalars.push_back(state.scalars.lookupOrDefault(value));
  return scalars;
}

SmallVector<Type> ControlFlowWriter::scalarTypesOf(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    if (!isTile(value))
      types.push_back(elementType(value.getType()));
  return types;
}

/// Makes a loop end whatever its bounds are: with a step that is not positive it does not run, and
/// its number is wide enough not to wrap around when a step passes the end. Steps that are 1 need
/// neither.
static void boundLoop(OpBuilder &builder, scf::ForOp op, MutableArrayRef<Value> bounds) {
  APInt step;
  bool isConstant = matchPattern(op.getStep(), m_ConstantInt(&step));
  auto type = dyn_cast<IntegerType>(bounds[0].getType());
  if (!type || (isConstant && step.isOne()))
    return;
  Location loc = op.getLoc();
  if (type.getWidth() < 64) {
    for (Value &bound : bounds) {
      bool isUnsigned = op.getUnsignedCmp() && &bound != &bounds.back();
      bound = isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, builder.getI64Type(), bound))
                         : Value(arith::ExtSIOp::create(builder, loc, builder.getI64Type(), bound));
    }
  }
  if (isConstant && step.isStrictlyPositive())
    return;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(bounds[0].getType(), value));
  };
  Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, bounds[2], number(0));
  bounds[1] = arith::SelectOp::create(builder, loc, runs, bounds[1], bounds[0]);
  bounds[2] = arith::SelectOp::create(builder, loc, runs, bounds[2], number(1));
}

void ControlFlowWriter::write(scf::ForOp op) {
  SmallVector<Buffer *> carried = bindTiles(op.getRegionIterArgs());
  emitSegment(state, before, writesOf(op.getInitArgs(), carried), op);
  SmallVector<Value> bounds = scalarsOf({op.getLowerBound(), op.getUpperBound(), op.getStep()});
  boundLoop(state.builder, op, bounds);
  auto emitBody = [&](OpBuilder &inner, Location loc, Value number, ValueRange scalars) {
    OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPointToEnd(inner.getInsertionBlock());
    state.pool.enterLoop();
    Type type = op.getInductionVar().getType();
    if (number.getType() != type)
      number = arith::TruncIOp::create(state.builder, loc, type, number);
    state.scalars.map(op.getInductionVar(), number);
    bindScalars(op.getRegionIterArgs(), scalars);
    ValueRange next = op.getYieldedValues();
    emitBlock(state, *op.getBody(), writesOf(next, carried, op.getRegionIterArgs()));
    state.pool.leaveLoop();
    scf::YieldOp::create(state.builder, loc, scalarsOf(next));
  };
  auto loop = scf::ForOp::create(state.builder, op.getLoc(), bounds[0], bounds[1], bounds[2],
                                 scalarsOf(op.getInitArgs()), emitBody, op.getUnsignedCmp());
  bindResults(op, carried, loop.getResults());
}

void ControlFlowWriter::emitBranch(Region &region, ArrayRef<Buffer *> results) {
  Operation *yield = region.front().getTerminator();
  emitBlock(state, region.front(), writesOf(yield->getOperands(), results));
  scf::YieldOp::create(state.builder, yield->getLoc(), scalarsOf(yield->getOperands()));
}

void ControlFlowWriter::write(scf::IfOp op) {
  emitSegment(state, before, {}, op);
  SmallVector<Buffer *> results = bindTiles(op.getResults());
  Value condition = state.scalars.lookupOrDefault(op.getCondition());
  auto copy =
      scf::IfOp::create(state.builder, op.getLoc(), scalarTypesOf(op.getResults()), condition,
                        /*addThenBlock=*/true, /*addElseBlock=*/op.elseBlock() != nullptr);
  OpBuilder::InsertionGuard guard(state.builder);
  state.builder.setInsertionPointToEnd(copy.thenBlock());
  emitBranch(op.getThenRegion(), results);
  if (op.elseBlock()) {
    state.builder.setInsertionPointToEnd(copy.elseBlock());
    emitBranch(op.getElseRegion(), results);
  }
  bindResults(op, results, copy.getResults());
}

void ControlFlowWriter::write(scf::WhileOp op) {
  SmallVector<Buffer *> tested = bindTiles(op.getBeforeArguments());
  emitSegment(state, before, writesOf(op.getInits(), tested), op);
  // The condition passes tiles on through buffers of their own: both regions may use all of theirs.
  SmallVector<Buffer *> passed = bindTiles(op.getAfterArguments());
  state.pool.enterLoop();
  auto emitBefore = [&](OpBuilder &inner, Location loc, ValueRange scalars) {
    OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPointToEnd(inner.getInsertionBlock());
    bindScalars(op.getBeforeArguments(), scalars);
    scf::ConditionOp end = op.getConditionOp();
    emitBlock(state, *op.getBeforeBody(), writesOf(end.getArgs(), passed));
    Value condition = state.scalars.lookupOrDefault(end.getCondition());
    scf::ConditionOp::create(state.builder, loc, condition, scalarsOf(end.getArgs()));
  };
  auto emitAfter = [&](OpBuilder &inner, Location loc, ValueRange scalars) {
    OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPointToEnd(inner.getInsertionBlock());
    bindScalars(op.getAfterArguments(), scalars);
    ValueRange next = op.getYieldOp().getOperands();
    emitBlock(state, *op.getAfterBody(), writesOf(next, tested));
    scf::YieldOp::create(state.builder, loc, scalarsOf(next));
  };
  auto loop = scf::WhileOp::create(state.builder, op.getLoc(), scalarTypesOf(op.getResults()),
                                   scalarsOf(op.getInits()), emitBefore, emitAfter);
  state.pool.leaveLoop();
  bindResults(op, passed, loop.getResults());
}

void cpu::emitBlock(KernelState &state, Block &block, ArrayRef<TileWrite> writes) {
  // A block may run several times or never: what it keeps of tiles from outside is its own.
  llvm::DenseMap<Value, Buffer *> outside = state.buffers;
  SmallVector<Operation *> segment;
  for (Operation &op : block.without_terminator()) {
    if (!isControlFlow(&op)) {
      segment.push_back(&op);
      continue;
    }
    ControlFlowWriter writer(state, segment);
    TypeSwitch<Operation *>(&op).Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
        [&](auto flow) { writer.write(flow); });
    segment.clear();
  }
  emitSegment(state, segment, writes, block.getTerminator());
  state.buffers = std::move(outside);
}
