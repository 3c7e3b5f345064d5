//===- Scratch.cpp - shared memory that an operation exchanges through -*- C++ -*-===//

#include "tilec/Dialect/Tile/Analysis/Scratch.h"

#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Scan.h"
#include "tilec/Layout/Swizzle.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

static LinearLayout layoutOf(Value tileValue) {
  auto type = cast<RankedTensorType>(tileValue.getType());
  return getLayout(type).toLinearLayout(type.getShape());
}

static std::optional<ReductionPlan> planOf(ReduceOp op) {
  if (!getLayout(op.getSrcs()[0].getType()))
    return std::nullopt;
  return planReduction(layoutOf(op.getSrcs()[0]), op.getAxis());
}

int64_t mlir::tile::getReductionScratchOffset(ReduceOp op, uint32_t numParts, unsigned index) {
  int64_t slots = planOf(op)->result.numElements() * numParts;
  int64_t offset = 0;
  for (unsigned i = 0; i < index; ++i)
    offset += llvm::alignTo(slots * byteSize(elementOf(op.getSrcs()[i].getType())),
                            kScratchAlignment);
  return offset;
}

static int64_t reductionBytes(ReduceOp op, uint32_t numParts) {
  return numParts == 1 ? 0 : getReductionScratchOffset(op, numParts, op.getSrcs().size());
}

int64_t mlir::tile::getConversionRounds(int64_t totalBytes) {
  int64_t rounds = 1;
  while (totalBytes / rounds > kStaticSharedLimit)
    rounds *= 2;
  return rounds;
}

static int64_t conversionBytes(ConvertLayoutOp op) {
  LinearLayout source = layoutOf(op.getSrc()), result = layoutOf(op.getResult());
  std::string error;
  std::optional<ConversionPlan> plan = planConversion(source, result, error);
  if (!plan || plan->kind != ConversionKind::Shared)
    return 0;
  unsigned bytes = byteSize(elementOf(op.getType()));
  std::optional<SharedPlan> shared = chooseSwizzle(source, result, 8 * bytes, error);
  if (!shared)
    return 0;
  int64_t total = int64_t(shared->layout.numElements()) * bytes;
  return total / getConversionRounds(total);
}

static int64_t numElements(Value tileValue) {
  return cast<RankedTensorType>(tileValue.getType()).getNumElements();
}

/// Scratch of one vector of all elements, in rounds.
static int64_t roundBytes(int64_t total) { return total / getConversionRounds(total); }

int64_t mlir::tile::getScanScratchOffset(ScanOp op, unsigned index) {
  LinearLayout layout = layoutOf(op.getSrcs()[0]);
  ScanPlan plan = *planScan(layout, op.getAxis());
  // One total for each row and piece of a thread, and for each thread but for the axis inside a warp.
  unsigned bits = plan.otherRegisters.size() + plan.highRegisters.size() +
                  layout.numBases(InDim::Lane) - plan.lanes.size() + layout.numBases(InDim::Warp);
  int64_t offset = 0;
  for (unsigned i = 0; i < index; ++i)
    offset += llvm::alignTo(byteSize(elementOf(op.getSrcs()[i].getType())) << bits,
                            kScratchAlignment);
  return offset;
}

static int64_t scanBytes(ScanOp op) {
  std::optional<ScanPlan> plan = planScan(layoutOf(op.getSrcs()[0]), op.getAxis());
  return !plan || plan->warps.empty() ? 0 : getScanScratchOffset(op, op.getSrcs().size());
}

/// Every register of every thread of the CTA.
static int64_t flipBytes(FlipOp op) {
  LinearLayout layout = layoutOf(op.getResult());
  return int64_t(byteSize(elementOf(op.getType()))) * layout.numRegisters() *
         layout.size(InDim::Lane) * layout.size(InDim::Warp);
}

int64_t mlir::tile::getFlipRounds(FlipOp op) { return getConversionRounds(flipBytes(op)); }

/// Only what several warps hold copies of, and somebody looks at, has to be told.
static int64_t atomicBytes(Operation *op) {
  if (op->use_empty())
    return 0;
  int64_t bytes = byteSize(elementOf(op->getResult(0).getType()));
  if (!isa<RankedTensorType>(op->getResult(0).getType()))
    return getLaunchShape(op->getParentOfType<FunctionOpInterface>()).numWarps > 1 ? bytes : 0;
  LinearLayout layout = layoutOf(op->getResult(0));
  return layout.freeBits(InDim::Warp) ? int64_t(layout.numElements()) * bytes : 0;
}

int64_t mlir::tile::getScratchBytes(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) && !getLayout(type))
      return 0;
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ReduceOp reduce) {
        std::optional<ReductionPlan> plan = planOf(reduce);
        return plan ? reductionBytes(reduce, plan->numWarpParts()) : 0;
      })
      .Case([](ConvertLayoutOp convert) { return conversionBytes(convert); })
      .Case([](ScanOp scan) { return scanBytes(scan); })
      .Case([](FlipOp flip) {
        LinearLayout layout = layoutOf(flip.getResult());
        return pointOf(layout, layout.axisMask(flip.getAxis())).warp ? roundBytes(flipBytes(flip)) : 0;
      })
      .Case([](GatherOp gather) {
        return roundBytes(numElements(gather.getSrc()) * byteSize(elementOf(gather.getType())));
      })
      .Case([](HistogramOp histogram) {
        return numElements(histogram.getResult()) * byteSize(elementOf(histogram.getType()));
      })
      .Case<AtomicRMWOp, AtomicCASOp>([](Operation *atomic) { return atomicBytes(atomic); })
      .Default([](Operation *) { return 0; });
}

int64_t mlir::tile::getClusterScratchBytes(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return 0;
  std::optional<ReductionPlan> plan = planOf(reduce);
  return plan ? reductionBytes(reduce, plan->numBlockParts()) : 0;
}
