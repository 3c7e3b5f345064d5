//===- AssignLayouts.cpp - give tiles their layouts -------------*- C++ -*-===//
//
// The pass `tile-assign-layouts`. LayoutSolver decides; this file rewrites: pinned values get their
// layout in place, free values are rematerialized in each layout that a user demands, and a
// conversion connects a pinned value with a user that works in another layout. A load is repeated
// instead where that is cheaper than the conversion.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "CheckKernel.h"
#include "LayoutSolver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

static RankedTensorType withLayout(Type type, LayoutAttr layout) {
  auto tileType = cast<RankedTensorType>(type);
  return RankedTensorType::get(tileType.getShape(), tileType.getElementType(), layout);
}

namespace {

class Rewriter {
public:
  Rewriter(func::FuncOp function, const LayoutSolver &solver, const AccessLayouts &accesses)
      : function(function), solver(solver), accesses(accesses), builder(function.getContext()),
        rematerializesLoads(isEnabled(function, tilec::GpuHeuristic::RematerializeLoads)) {}

  void run();

  unsigned numConversions = 0;
  unsigned numRematerialized = 0;

private:
  bool isTile(Value value) const { return isa<RankedTensorType>(value.getType()); }
  void collect();
  /// The version of `value`, as it was before rewriting, that has `layout`.
  Value get(Value value, LayoutAttr layout);
  /// Whether a pinned value costs less to compute in `layout` than to convert, with loads of its
  /// own if `mayLoadTiles`.
  bool isFreeAgain(Value value, LayoutAttr layout, bool mayLoadTiles) const;
  bool findFreeAgain(Value value, LayoutAttr layout, bool mayLoadTiles) const;
  bool isCheapAgain(Value value, LayoutAttr layout, bool mayLoadTiles = true) const;
  bool isWidened(Value value, LayoutAttr layout) const;
  bool isReadFromSlot(Value value, LayoutAttr layout) const;
  bool isBetterFromSlot(LoadOp load, LayoutAttr attr) const;
  Value convert(Value pinnedValue, LayoutAttr layout);
  Value makeAgain(Value freeValue, LayoutAttr layout);
  void findReplaced();
  void need(Value value, LayoutAttr layout);
  void setOperand(OpOperand &operand, LayoutAttr layout);
  void rewriteOperands(Operation *op);
  bool canBeErased(Operation *op) const;
  void reviveUsed();
  void eraseDeadTiles();

  func::FuncOp function;
  const LayoutSolver &solver;
  const AccessLayouts &accesses;
  OpBuilder builder;
  bool rematerializesLoads;
  llvm::SmallVector<Operation *> operations;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> versions;
  /// What the operands of loads and of elementwise work were before they were rewritten.
  llvm::DenseMap<Operation *, llvm::SmallVector<Value>> operandsBefore;
  /// Operations whose pinned results are computed again for their only user.
  llvm::DenseSet<Operation *> replaced;
  llvm::DenseSet<std::pair<Value, Attribute>> needed;
  /// What isFreeAgain() found, without and with loads of tiles.
  mutable std::array<llvm::DenseMap<std::pair<Value, Attribute>, bool>, 2> freeAgain;
};

} // namespace

void Rewriter::collect() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isInScalarCode(op))
      return;
    operations.push_back(op);
    if (isa<LoadOp>(op) || isElementwise(op))
      operandsBefore[op] = llvm::to_vector(op->getOperands());
    for (Value result : op->getResults())
      if (LayoutAttr layout = solver.getPinned(result))
        versions[{result, layout}] = result;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (LayoutAttr layout = solver.getPinned(argument))
            versions[{argument, layout}] = argument;
  });
}

Value Rewriter::get(Value value, LayoutAttr layout) {
  if (Value version = versions.lookup({value, layout}))
    return version;
  if (!solver.getPinned(value) || isCheapAgain(value, layout) || isWidened(value, layout))
    return makeAgain(value, layout);
  Value version = convert(value, layout);
  versions[{value, layout}] = version;
  return version;
}

/// Whether a factor's load in a loop goes through a slot, from which any layout is read without an
/// exchange, while it would stay synchronous in the layout `attr`: its accesses are too narrow to
/// be copies, or lanes hold copies and each starts many narrow ones (see makesManyCopies of
/// tile-pipeline-loads).
bool Rewriter::isBetterFromSlot(LoadOp load, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(load.getType());
  tilec::GpuArch target = getTarget(load);
  if (type.getRank() < 2 || !isa<scf::ForOp>(load->getParentOp()) ||
      !target.has(tilec::GpuFeature::AsyncCopy) || !isFactor(load.getResult()))
    return false;
  ArrayRef<Value> operands = operandsBefore.find(load)->second;
  Value ptr = operands[0], mask = load.getMask() ? operands[1] : Value();
  int64_t elementBytes = byteSize(type.getElementType());
  if (accesses.width(ptr, mask, attr) * elementBytes < kLeastCopyBytes)
    return accesses.canGoAhead(load, ptr, mask);
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  int64_t width = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    width = std::max<int64_t>(width, layout.contiguousRegisters(axis));
  return layout.freeBits(InDim::Lane) != 0 && width * elementBytes < tilec::kMaxAccessBytes &&
         layout.numRegisters() > target.tuning().loads.mostNarrowCopies * width;
}

/// Whether `value` is loaded in a loop for a factor that `layout` is for. It comes through a slot,
/// from which that is read as well as any other: by ldmatrix, or since rows are where they are for
/// its sake. So what is computed from it is computed in that layout, too, unless many warps would
/// repeat that. Warp groups take right factors from shared memory, into which they go in any
/// layout.
bool Rewriter::isReadFromSlot(Value value, LayoutAttr layout) const {
  auto load = value.getDefiningOp<LoadOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!load || !operandsBefore.contains(load))
    return false;
  ArrayRef<Value> operands = operandsBefore.find(load)->second;
  if (!accesses.canGoAhead(load, operands[0], load.getMask() ? operands[1] : Value()))
    return false;
  LinearLayout linear = layout.toLinearLayout(type.getShape());
  constexpr int64_t matrixBytes = 2; // Of elements that ldmatrix transposes.
  // Wider elements cost twice as much to exchange, and 16-byte accesses do not give them to the
  // registers that an instruction takes together.
  constexpr unsigned mostCopies = 1, mostWideCopies = 4;
  int64_t bytes = byteSize(type.getElementType());
  unsigned copies = 1u << llvm::popcount(linear.freeBits(InDim::Warp));
  LaunchShape launch = getLaunchShape(load->getParentOfType<func::FuncOp>());
  auto counts = [&](DotOp dot, bool isLeft) {
    if (dot.getRowsTogether() != 1)
      return isLeft;
    bool byGroups = fitsWarpGroups(dot, launch, getTarget(dot));
    if (byGroups)
      return isLeft && bytes == matrixBytes && copies == 1;
    return bytes >= matrixBytes && copies <= (bytes == matrixBytes ? mostCopies : mostWideCopies);
  };
  return isFactor(value, counts) && linear.freeBits(InDim::Lane) == 0;
}

/// Whether `op` loads a vector beside a product, where an exchange would make all warps meet.
static bool isLineBesideProduct(Operation *op) {
  return isa<LoadOp>(op) && cast<RankedTensorType>(op->getResult(0).getType()).getRank() < 2 &&
         !op->getBlock()->getOps<DotOp>().empty();
}

/// Whether `value` is a vector from outside of the loop that `op` is in, where an exchange is made
/// but once.
static bool isLineFromOutside(Value value, Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  return loop && cast<RankedTensorType>(value.getType()).getRank() < 2 &&
         loop.isDefinedOutsideOfLoop(value);
}

/// Whether `op` is a step or two of arithmetic for each element.
static bool isSimple(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         !isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp,
              arith::RemUIOp>(op);
}

/// Whether all that the free `value` is computed from is there, or made, in the layouts that it
/// needs without an exchange.
bool Rewriter::isFreeAgain(Value value, LayoutAttr layout, bool mayLoadTiles) const {
  if (!isTile(value) || !layout || solver.getPinned(value) == layout)
    return true;
  auto [known, isNew] = freeAgain[mayLoadTiles].try_emplace({value, layout}, false);
  if (isNew) {
    bool result = findFreeAgain(value, layout, mayLoadTiles);
    freeAgain[mayLoadTiles][{value, layout}] = result;
    return result;
  }
  return known->second;
}

bool Rewriter::findFreeAgain(Value value, LayoutAttr layout, bool mayLoadTiles) const {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<LoadOp>(op); load && operandsBefore.contains(load)) {
    ArrayRef<Value> operands = operandsBefore.find(load)->second;
    if (getTarget(load).has(tilec::GpuFeature::AsyncCopy) && isFactor(load.getResult()) &&
        accesses.canGoAhead(load, operands[0], load.getMask() ? operands[1] : Value()))
      return true; // By way of a slot.
  }
  if (solver.getPinned(value))
    return isCheapAgain(value, layout, mayLoadTiles);
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return isFreeAgain(operand.get(), operandLayout(op, operand.getOperandNumber(), layout),
                       mayLoadTiles);
  });
}

bool Rewriter::isCheapAgain(Value value, LayoutAttr layout, bool mayLoadTiles) const {
  // With other users the first version stays: there may be several of a vector, and of what little
  // arithmetic makes of a load that comes through a slot.
  Operation *op = value.getDefiningOp();
  if (!op || !operandsBefore.contains(op) || solver.isExchanged(value))
    return false;
  bool isLine = isLineBesideProduct(op);
  if (!value.hasOneUse() && !isLine && !isSimple(op))
    return false;
  mayLoadTiles &= value.hasOneUse();
  ArrayRef<Value> operands = operandsBefore.find(op)->second;
  unsigned axis = 0;
  bool joins = joinedValue(op, axis) != nullptr;
  bool followsCheaply = llvm::all_of(operands, [&](Value operand) {
    if (joins)
      return isFreeAgain(operand, layout, mayLoadTiles);
    return !isTile(operand) || !solver.getPinned(operand) ||
           isCheapAgain(operand, layout, mayLoadTiles) || isReadFromSlot(operand, layout) ||
           isLineFromOutside(operand, op);
  });
  auto load = dyn_cast<LoadOp>(op);
  if (!load || !followsCheaply)
    return followsCheaply;
  Value ptr = operands[0], mask = load.getMask() ? operands[1] : Value();
  return rematerializesLoads && (mayLoadTiles || isLine) && load.isPlain() &&
         !isBetterFromSlot(load, layout) && !isReadFromSlot(value, layout) &&
         accesses.isCheaperThanExchange(ptr, mask, layout, solver.getPinned(value));
}

/// Whether `value` is only wider than what it is made from, so that a conversion of that moves
/// fewer bytes; unless so many threads hold each element of `layout`, as those of products without
/// matrix instructions do, that making it again in each iteration takes longer.
bool Rewriter::isWidened(Value value, LayoutAttr layout) const {
  constexpr int mostCopyBits = 2;
  LinearLayout linear = layout.toLinearLayout(cast<RankedTensorType>(value.getType()).getShape());
  auto isInLoop = [](DotOp dot, bool) { return isa<scf::ForOp>(dot->getParentOp()); };
  if (linear.rank() > 1 && isFactor(value, isInLoop) &&
      llvm::popcount(linear.freeBits(InDim::Lane)) + llvm::popcount(linear.freeBits(InDim::Warp)) >
          mostCopyBits)
    return false;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
                         arith::UIToFPOp>(op) &&
         value.hasOneUse() && operandsBefore.contains(op) && !solver.isExchanged(value) &&
         byteSize(elementOf(op->getOperand(0).getType())) < byteSize(elementOf(value.getType()));
}

/// Notes what is computed again where `value` is needed in `layout`.
void Rewriter::need(Value value, LayoutAttr layout) {
  if (!isTile(value) || !layout || !needed.insert({value, layout}).second)
    return;
  Operation *op = value.getDefiningOp();
  LayoutAttr own = solver.getPinned(value);
  if (own == layout || (own && !isCheapAgain(value, layout) && !isWidened(value, layout)))
    return;
  if (own && value.hasOneUse())
    replaced.insert(op);
  for (OpOperand &operand : op->getOpOperands())
    need(operand.get(), own ? layout : operandLayout(op, operand.getOperandNumber(), layout));
}

/// Finds what nobody needs in its first layout, so that nothing is converted for its sake.
void Rewriter::findReplaced() {
  for (Operation *op : llvm::reverse(operations))
    if (!replaced.contains(op))
      for (OpOperand &operand : op->getOpOperands())
        need(operand.get(), solver.getWorkLayout(op, operand.getOperandNumber()));
}

Value Rewriter::convert(Value value, LayoutAttr layout) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  ++numConversions;
  return ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), layout),
                                 value);
}

Value Rewriter::makeAgain(Value value, LayoutAttr layout) {
  Operation *op = value.getDefiningOp();
  auto before = operandsBefore.find(op);
  SmallVector<Value> operands =
      before == operandsBefore.end() ? llvm::to_vector(op->getOperands()) : before->second;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (isTile(operand))
      operand = get(operand, isa<LoadOp>(op) ? layout : operandLayout(op, index, layout));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  for (auto [result, again] : llvm::zip(op->getResults(), copy->getResults())) {
    again.setType(withLayout(result.getType(), layout));
    versions[{result, layout}] = again;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    constant.setValueAttr(splat.resizeSplat(cast<ShapedType>(constant.getType())));
  }
  ++numRematerialized;
  return versions[{value, layout}];
}

void Rewriter::setOperand(OpOperand &operand, LayoutAttr layout) {
  if (isTile(operand.get()))
    operand.set(get(operand.get(), layout));
}

/// Makes the tile operands of `op` have the layouts that it works in.
void Rewriter::rewriteOperands(Operation *op) {
  bool works = false;
  for (OpOperand &operand : op->getOpOperands())
    if (LayoutAttr layout = solver.getWorkLayout(op, operand.getOperandNumber())) {
      setOperand(operand, layout);
      works = true;
    }
  if (works)
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      setOperand(loop.getInitArgsMutable()[index], solver.getPinned(argument));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
      setOperand(loop.getInitsMutable()[index], solver.getPinned(argument));
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    for (auto [index, result] : llvm::enumerate(op->getParentOp()->getResults()))
      setOperand(condition.getArgsMutable()[index], solver.getPinned(result));
  } else if (isa<scf::YieldOp>(op)) {
    ValueRange targets = op->getParentOp()->getResults();
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      targets = loop.getBeforeArguments();
    for (auto [index, target] : llvm::enumerate(targets))
      setOperand(op->getOpOperand(index), solver.getPinned(target));
  }
}

/// Whether nothing is lost with `op` if nobody uses its results.
bool Rewriter::canBeErased(Operation *op) const {
  return (isRepeatable(op) || isa<LoadOp>(op) || replaced.contains(op)) &&
         llvm::any_of(op->getResults(), [&](Value result) { return isTile(result); });
}

/// What turned out to be needed as it was, since it has been converted for another user before.
void Rewriter::reviveUsed() {
  llvm::SmallPtrSet<Operation *, 32> dead;
  for (Operation *op : llvm::reverse(operations)) {
    bool isUsed =
        !llvm::all_of(op->getUsers(), [&](Operation *user) { return dead.contains(user); });
    if (!isUsed && canBeErased(op)) {
      dead.insert(op);
    } else if (replaced.erase(op)) {
      rewriteOperands(op);
    }
  }
}

/// Erases free values that were rematerialized, and loads that were repeated.
void Rewriter::eraseDeadTiles() {
  for (Operation *op : llvm::reverse(operations))
    if (canBeErased(op) && isOpTriviallyDead(op))
      op->erase();
}

void Rewriter::run() {
  collect();
  findReplaced();
  for (Operation *op : operations)
    if (!replaced.contains(op))
      rewriteOperands(op);
  reviveUsed();
  for (Operation *op : operations)
    if (auto buffer = dyn_cast<AllocBufferOp>(op))
      if (BufferType type = solver.getBufferType(buffer))
        buffer.getBuffer().setType(type);
  // Types change last: until here they tell what a value was.
  for (auto &[key, version] : versions)
    if (isTile(version))
      version.setType(withLayout(version.getType(), cast<LayoutAttr>(key.second)));
  eraseDeadTiles();
}

/// Moves conversions that one branch alone needs into it, but not into a loop.
static void sinkConversions(func::FuncOp function) {
  DominanceInfo dominance(function);
  auto isBeside = [](Operation *op, Region *region) {
    return isa<ConvertLayoutOp>(op) && op->getBlock() == region->getParentOp()->getBlock();
  };
  auto moveToBegin = [](Operation *op, Region *region) {
    op->moveBefore(&region->front(), region->front().begin());
  };
  function.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    SmallVector<Region *> regions;
    getSinglyExecutedRegionsToSink(branch, regions);
    controlFlowSink(regions, dominance, isBeside, moveToBegin);
  });
}

namespace {

struct AssignLayouts : tilec::tile::impl::TileAssignLayoutsBase<AssignLayouts> {
  using TileAssignLayoutsBase::TileAssignLayoutsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kKernelAttr))
      return;
    if (failed(checkKernel(function)))
      return signalPassFailure();
    AxisInfoAnalysis axes(function);
    const tilec::LayoutTuning &tuning = getTarget(function).tuning().layouts;
    LayoutSolver solver(function, axes, getLaunchShape(function), tuning);
    AccessLayouts accesses(axes, getLaunchShape(function), tuning);
    Rewriter rewriter(function, solver, accesses);
    rewriter.run();
    sinkConversions(function);
    function.walk([&](StoreOp store) {
      if (solver.isOrdered(store))
        store->setAttr(kInOrderAttr, UnitAttr::get(&getContext()));
    });
    numConversions += rewriter.numConversions;
    numRematerialized += rewriter.numRematerialized;
  }
};

} // namespace
