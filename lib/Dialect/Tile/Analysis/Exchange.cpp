//===- Exchange.cpp - which operations exchange data between warps -*- C++ -*-===//
//
// Answers whether an operation exchanges data between warps, which costs shared memory and
// barriers. It follows from layouts alone: the plan that lib/Layout makes for the operation says
// what leaves a warp. Passes that move loads ask it, and tile-expand-exchanges.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Analysis/Exchange.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Scan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

static LinearLayout layoutOf(Value tileValue) {
  auto type = cast<RankedTensorType>(tileValue.getType());
  return getLayout(type).toLinearLayout(type.getShape());
}

static bool crossesWarps(ConvertLayoutOp op) {
  std::string error;
  std::optional<ConversionPlan> plan =
      planConversion(layoutOf(op.getSrc()), layoutOf(op.getResult()), error);
  return plan && plan->kind == ConversionKind::Shared;
}

static bool crossesWarps(ReduceOp op) {
  std::optional<ReductionPlan> plan = planReduction(layoutOf(op.getSrcs()[0]), op.getAxis());
  return plan && (!plan->warpMasks.empty() || !plan->blockMasks.empty());
}

static bool crossesWarps(ScanOp op) {
  LinearLayout layout = layoutOf(op.getSrcs()[0]);
  if (std::optional<ScanPlan> plan = planScan(layout, op.getAxis()))
    return !plan->warps.empty();
  return llvm::any_of(layout.flatBases(InDim::Block),
                      [&](uint64_t basis) { return (basis & layout.axisMask(op.getAxis())) != 0; });
}

static bool crossesWarps(FlipOp op) {
  LinearLayout layout = layoutOf(op.getResult());
  HwPoint distance = pointOf(layout, layout.axisMask(op.getAxis()));
  return distance.warp != 0 || distance.block != 0;
}

bool tilec::tile::spreadsBetweenWarps(Operation *atomic) {
  if (atomic->use_empty())
    return false;
  Value result = atomic->getResult(0);
  if (isa<RankedTensorType>(result.getType())) {
    LinearLayout layout = layoutOf(result);
    return layout.freeBits(InDim::Warp) != 0 || layout.freeBits(InDim::Block) != 0;
  }
  LaunchShape launch = getLaunchShape(atomic->getParentOfType<FunctionOpInterface>());
  return launch.numWarps > 1 || launch.numCTAs > 1;
}

bool tilec::tile::exchangesData(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) && !getLayout(type))
      return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ConvertLayoutOp, ReduceOp, ScanOp, FlipOp>([](auto each) { return crossesWarps(each); })
      .Case<GatherOp, HistogramOp>([](auto) { return true; })
      .Case<AtomicRMWOp, AtomicCASOp>([](Operation *atomic) { return spreadsBetweenWarps(atomic); })
      .Default(false);
}
