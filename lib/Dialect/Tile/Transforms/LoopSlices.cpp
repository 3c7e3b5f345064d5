//===- LoopSlices.cpp - what an iteration is before it comes ---*- C++ -*-===//
//
// Slices of a loop's body, cut where what the loop carries is known ahead: by a step that is the
// same in each iteration, or by carrying the value a second time.
//
//===----------------------------------------------------------------------===//

#include "LoopSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Layout/LinearLayout.h"

using namespace mlir;
using namespace tilec::tile;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

static bool isWorthCarrying(Type type, const tilec::LoadTuning &tuning) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return true;
  LayoutAttr layout = getLayout(tile);
  return layout &&
         layout.toLinearLayout(tile.getShape()).numRegisters() <= tuning.mostUpdatedElements;
}

unsigned LoopSlices::numberOf(BlockArgument argument) {
  return argument.getArgNumber() - loop.getNumInductionVars();
}

Value LoopSlices::stepOf(BlockArgument argument) {
  auto add = loop.getYieldedValues()[numberOf(argument)].getDefiningOp<arith::AddIOp>();
  if (!add || !add.getType().isIntOrIndex())
    return {};
  for (auto [base, step] : {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}})
    if (base == argument && loop.isDefinedOutsideOfLoop(step))
      return step;
  return {};
}

bool LoopSlices::addCarried(BlockArgument argument) {
  if (argument == loop.getInductionVar() || stepOf(argument))
    return true;
  if (!carried.insert(numberOf(argument)))
    return true;
  Value next = loop.getYieldedValues()[numberOf(argument)];
  tilec::GpuArch target = getTarget(loop);
  const tilec::LoadTuning &tuning = target.tuning().loads;
  return isWorthCarrying(next.getType(), tuning) && addTo(next, updates, Loads::Scalar) &&
         updates.size() <= tuning.mostUpdates;
}

/// Whether `op`, with all that it contains, can be computed twice by each thread for itself.
static bool isRepeatedCheaply(Operation *op, LoopSlices::Loads loads) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.isPlain() && (loads == LoopSlices::Loads::Any ||
                              (loads == LoopSlices::Loads::Scalar && !isTile(load.getResult())));
  if (!isMemoryEffectFree(op))
    return false;
  return !op->walk([](Operation *inner) {
              return isa<LoopLikeOpInterface, DotOp>(inner) || exchangesData(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

bool LoopSlices::addOperands(Operation *op, Slice &slice, Loads loads) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::all_of(used, [&](Value value) { return addTo(value, slice, loads); });
}

bool LoopSlices::addTo(Value value, Slice &slice, Loads loads) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loop.getBody())
    return addCarried(argument);
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || slice.contains(op))
    return true;
  if (!isRepeatedCheaply(op, loads) || !addOperands(op, slice, loads))
    return false;
  slice.insert(op);
  return true;
}

bool LoopSlices::add(Value value, Slice &slice, Loads loads) {
  auto before = std::tuple(carried, updates, slice);
  if (addTo(value, slice, loads))
    return true;
  std::tie(carried, updates, slice) = std::move(before);
  return false;
}

void LoopSlices::clone(OpBuilder &builder, const Slice &slice, IRMapping &mapping) {
  for (Operation *op : slice)
    if (!mapping.contains(op->getResult(0)))
      builder.clone(*op, mapping);
}

SmallVector<Value> LoopSlices::next(OpBuilder &builder, IRMapping &mapping) {
  clone(builder, updates, mapping);
  return llvm::map_to_vector(stepped(), [&](unsigned number) {
    return mapping.lookupOrDefault(loop.getYieldedValues()[number]);
  });
}
