//===- TileExchanges.cpp - which operations cross warps --------*- C++ -*-===//
//
// Whether an operation moves data between warps, which costs shared memory and barriers. It follows
// from layouts alone: the plan that lib/Layout makes for the operation says what leaves a warp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Scan.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

static LinearLayout layoutOf(Value tileValue) {
  auto type = cast<RankedTensorType>(tileValue.getType());
  return getLayout(type).toLinearLayout(type.getShape());
}

bool tilec::tile::exchangesData(Operation *op) {
  auto exchange = dyn_cast<ExchangeOpInterface>(op);
  if (!exchange)
    return false;
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) && !getLayout(type))
      return false;
  return exchange.crossesWarps();
}

bool ConvertLayoutOp::crossesWarps() {
  std::string error;
  std::optional<ConversionPlan> plan =
      planConversion(layoutOf(getSrc()), layoutOf(getResult()), error);
  return plan && plan->kind == ConversionKind::Shared;
}

bool ReduceOp::crossesWarps() {
  std::optional<ReductionPlan> plan = planReduction(layoutOf(getSrcs()[0]), getAxis());
  return plan && (!plan->warpMasks.empty() || !plan->blockMasks.empty());
}

bool ScanOp::crossesWarps() {
  LinearLayout layout = layoutOf(getSrcs()[0]);
  if (std::optional<ScanPlan> plan = planScan(layout, getAxis()))
    return !plan->warps.empty();
  return llvm::any_of(layout.flatBases(InDim::Block),
                      [&](uint64_t basis) { return (basis & layout.axisMask(getAxis())) != 0; });
}

bool FlipOp::crossesWarps() {
  LinearLayout layout = layoutOf(getResult());
  HwPoint distance = pointOf(layout, layout.axisMask(getAxis()));
  return distance.warp != 0 || distance.block != 0;
}

/// Any element may be needed anywhere.
bool GatherOp::crossesWarps() { return true; }

bool HistogramOp::crossesWarps() { return true; }

/// Whether the threads that hold copies of an atomic operation's result are in several warps or
/// CTAs, and somebody looks at the result.
static bool spreadsBetweenWarps(Operation *atomic) {
  if (atomic->use_empty())
    return false;
  Value result = atomic->getResult(0);
  if (isa<RankedTensorType>(result.getType())) {
    LinearLayout layout = layoutOf(result);
    return layout.freeBits(InDim::Warp) != 0 || layout.freeBits(InDim::Block) != 0;
  }
  LaunchShape launch = getLaunchShapeAt(atomic);
  return launch.numWarps > 1 || launch.numCTAs > 1;
}

bool AtomicRMWOp::crossesWarps() { return spreadsBetweenWarps(*this); }

bool AtomicCASOp::crossesWarps() { return spreadsBetweenWarps(*this); }
