//===- FoldComparisons.cpp - comparisons that ranges decide -----*- C++ -*-===//
//
// The pass `tile-fold-comparisons`. Upstream's arithmetic says which numbers its result may be;
// this adds tiles, whose range is that of all elements, and the counters of loops. Upstream's
// analysis takes the last number of a counter to be one below the loop's bound; a mask at the end
// of an array needs the last one that the steps come to. Ranges follow from constants alone, so
// they do not change while comparisons become constants.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFOLDCOMPARISONS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

class RangeAnalysis {
public:
  /// Which numbers `value`, or the elements of a tile, may be. They are integers.
  ConstantIntRanges of(Value value);

private:
  ConstantIntRanges compute(Value value);
  ConstantIntRanges ofResult(OpResult result);

  DenseMap<Value, ConstantIntRanges> known;
};

} // namespace

static bool isInteger(Value value) { return isa<IntegerType>(elementOf(value.getType())); }

static ConstantIntRanges anyNumber(Value value) {
  return ConstantIntRanges::maxRange(ConstantIntRanges::getStorageBitwidth(value.getType()));
}

/// The counters of a loop with constant bounds: the last one is a whole number of steps from the
/// first.
static std::optional<ConstantIntRanges> ofCounter(scf::ForOp loop) {
  llvm::APInt first, step;
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  if (!count || count->isZero() || !matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return std::nullopt;
  llvm::APInt last = first + (count->zextOrTrunc(first.getBitWidth()) - 1) * step;
  return last.sge(first) ? std::optional(ConstantIntRanges::fromSigned(first, last)) : std::nullopt;
}

ConstantIntRanges RangeAnalysis::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  ConstantIntRanges range = compute(value);
  known.insert({value, range});
  return range;
}

ConstantIntRanges RangeAnalysis::compute(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return ofResult(result);
  auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
  bool isCounter = loop && value == loop.getInductionVar();
  return (isCounter ? ofCounter(loop) : std::nullopt).value_or(anyNumber(value));
}

ConstantIntRanges RangeAnalysis::ofResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(range.getType());
    return ConstantIntRanges::fromSigned(llvm::APInt(bits, range.getStart(), /*isSigned=*/true),
                                         llvm::APInt(bits, range.getEnd() - 1, /*isSigned=*/true));
  }
  if (isa<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, PermuteOp>(op))
    return of(op->getOperand(0));
  ConstantIntRanges range = anyNumber(result);
  auto arithmetic = dyn_cast<InferIntRangeInterface>(op);
  if (!arithmetic || !llvm::all_of(op->getOperands(), isInteger))
    return range;
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value each) { return of(each); });
  arithmetic.inferResultRanges(operands, [&](Value value, const ConstantIntRanges &found) {
    if (value == result)
      range = found;
  });
  return range;
}

namespace {

struct FoldComparisons : tilec::tile::impl::TileFoldComparisonsBase<FoldComparisons> {
  void runOnOperation() override {
    RangeAnalysis ranges;
    SmallVector<std::pair<arith::CmpIOp, bool>> decided;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // In program order: a chain of sums may be long, and must not be followed at once.
      for (Value result : llvm::make_filter_range(op->getResults(), isInteger)) {
        std::optional<llvm::APInt> number = ranges.of(result).getConstantValue();
        if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && number)
          decided.push_back({compare, number->isOne()});
      }
    });
    for (auto [compare, result] : decided)
      replace(compare, result);
    numFolded += decided.size();
    if (decided.empty())
      markAllAnalysesPreserved();
  }

private:
  static void replace(arith::CmpIOp compare, bool result) {
    OpBuilder b(compare);
    Type type = compare.getType();
    TypedAttr value = b.getBoolAttr(result);
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, result);
    compare.replaceAllUsesWith(arith::ConstantOp::create(b, compare.getLoc(), value).getResult());
    compare.erase();
  }
};

} // namespace
