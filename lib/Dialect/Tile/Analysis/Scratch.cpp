//===- Scratch.cpp - shared memory that an operation exchanges through -*- C++ -*-===//

#include "tilec/Dialect/Tile/Analysis/Scratch.h"

#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Swizzle.h"
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

int64_t mlir::tile::getScratchBytes(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    std::optional<ReductionPlan> plan = planOf(reduce);
    return plan ? reductionBytes(reduce, plan->numWarpParts()) : 0;
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return getLayout(convert.getType()) ? conversionBytes(convert) : 0;
  return 0;
}

int64_t mlir::tile::getClusterScratchBytes(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return 0;
  std::optional<ReductionPlan> plan = planOf(reduce);
  return plan ? reductionBytes(reduce, plan->numBlockParts()) : 0;
}
