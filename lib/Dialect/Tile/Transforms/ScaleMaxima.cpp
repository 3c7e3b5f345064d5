//===- ScaleMaxima.cpp - maxima before they are scaled ---------*- C++ -*-===//
//
// The pass `tile-scale-maxima`. An attention multiplies all scores by one number, masks some,
// looks for the maximum, and subtracts it. The subtraction makes one instruction of itself and the
// multiplication, so that products exist only for the mask and the maximum. But rounding is
// monotonous: if the number is positive and finite, the maximum of the products is the product of
// the maximum, to the bit. And most tiles are whole: their mask is true everywhere. Both is asked
// at run time; where it is so, the scores are compared as they are, and multiplied behind.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "TileBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESCALEMAXIMA
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A maximum of products of a tile with one number.
class ScaledMaximum {
public:
  /// Nothing if `reduce` is no such maximum.
  static std::optional<ScaledMaximum> find(ReduceOp reduce);

  void rewrite();

private:
  Value isUsual(OpBuilder &b);
  Value maximumOf(OpBuilder &b, Value source);
  Value scale(OpBuilder &b, Value value, Value by);

  ReduceOp reduce;
  arith::SelectOp masked; // Of the products and -inf; null if there is no mask.
  arith::MulFOp products;
  Value tile, factor; // The tile that is multiplied, and the number.
};

} // namespace

static bool isMinusInfinity(Value value) {
  llvm::APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) && constant.isInfinity() &&
         constant.isNegative();
}

/// Whether `value` is what a product of matrices brings: elsewhere threads wait for memory, and
/// multiplications cost nothing.
static bool isFromDot(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<CastOpInterface>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<DotOp>(op);
}

std::optional<ScaledMaximum> ScaledMaximum::find(ReduceOp reduce) {
  if (reduce.getSrcs().size() != 1 ||
      !isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(reduce.getSingleCombiner()))
    return std::nullopt;
  ScaledMaximum found;
  found.reduce = reduce;
  Value source = reduce.getSrcs()[0];
  found.masked = source.getDefiningOp<arith::SelectOp>();
  if (found.masked) {
    if (!isMinusInfinity(found.masked.getFalseValue()) ||
        !hasKnownBounds(found.masked.getCondition()))
      return std::nullopt;
    source = found.masked.getTrueValue();
  }
  found.products = source.getDefiningOp<arith::MulFOp>();
  if (!found.products)
    return std::nullopt;
  for (auto [tile, factor] : {std::pair(found.products.getLhs(), found.products.getRhs()),
                              std::pair(found.products.getRhs(), found.products.getLhs())})
    if (auto splat = factor.getDefiningOp<SplatOp>(); splat && isFromDot(tile)) {
      found.tile = tile;
      found.factor = splat.getSrc();
      return found;
    }
  return std::nullopt;
}

/// Whether the number is positive and finite, and the mask true everywhere.
Value ScaledMaximum::isUsual(OpBuilder &b) {
  Location loc = reduce.getLoc();
  auto type = cast<FloatType>(factor.getType());
  auto compare = [&](arith::CmpFPredicate predicate, const llvm::APFloat &with) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, factor,
                                 arith::ConstantFloatOp::create(b, loc, type, with));
  };
  Value isPositive =
      compare(arith::CmpFPredicate::OGT, llvm::APFloat::getZero(type.getFloatSemantics()));
  Value isFinite =
      compare(arith::CmpFPredicate::OLT, llvm::APFloat::getInf(type.getFloatSemantics()));
  Value usual = arith::AndIOp::create(b, loc, isPositive, isFinite);
  if (masked)
    usual = arith::AndIOp::create(b, loc, usual, createIsAllTrue(b, loc, masked.getCondition()));
  return usual;
}

Value ScaledMaximum::maximumOf(OpBuilder &b, Value source) {
  auto clone = cast<ReduceOp>(b.clone(*reduce));
  clone.getSrcsMutable().assign(source);
  return clone.getResult(0);
}

Value ScaledMaximum::scale(OpBuilder &b, Value value, Value by) {
  Location loc = products.getLoc();
  if (isa<RankedTensorType>(value.getType()))
    by = SplatOp::create(b, loc, value.getType(), by);
  return arith::MulFOp::create(b, loc, value, by, products.getFastmathAttr());
}

/// Branches give the maximum, and a tile and a number whose product is what it is the maximum of.
void ScaledMaximum::rewrite() {
  Location loc = reduce.getLoc();
  Operation *source = masked ? masked.getOperation() : products.getOperation();
  Value before = source->getResult(0);
  OpBuilder b(source->getContext());
  b.setInsertionPointAfter(source);
  auto branch = scf::IfOp::create(
      b, loc, isUsual(b),
      [&](OpBuilder &then, Location) {
        Value maximum = scale(then, maximumOf(then, tile), factor);
        scf::YieldOp::create(then, loc, ValueRange{maximum, tile, factor});
      },
      [&](OpBuilder &other, Location) {
        auto type = cast<FloatType>(factor.getType());
        Value one = arith::ConstantFloatOp::create(other, loc, type,
                                                   llvm::APFloat::getOne(type.getFloatSemantics()));
        scf::YieldOp::create(other, loc, ValueRange{maximumOf(other, before), before, one});
      });
  Value product = scale(b, branch.getResult(1), branch.getResult(2));
  before.replaceUsesWithIf(product, [&](OpOperand &use) {
    return !branch->isProperAncestor(use.getOwner()) && use.getOwner() != reduce;
  });
  reduce.replaceAllUsesWith(ValueRange{branch.getResult(0)});
  reduce.erase();
  // The mask and the products are needed in one branch only.
  DominanceInfo dominance;
  controlFlowSink(
      &branch.getElseRegion(), dominance,
      [](Operation *op, Region *) { return isMemoryEffectFree(op); },
      [](Operation *op, Region *region) {
        op->moveBefore(&region->front(), region->front().begin());
      });
}

namespace {

struct ScaleMaxima : tilec::tile::impl::TileScaleMaximaBase<ScaleMaxima> {
  using TileScaleMaximaBase::TileScaleMaximaBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    LaunchShape launch = getLaunchShape(kernel);
    int64_t threads = tilec::kWarpSize * launch.numWarps * launch.numCTAs;
    int64_t least = threads * getTarget(kernel).tuning().products.leastScores;
    SmallVector<ReduceOp> reductions;
    kernel.walk([&](ReduceOp reduce) {
      if (cast<RankedTensorType>(reduce.getSrcs()[0].getType()).getNumElements() >= least)
        reductions.push_back(reduce);
    });
    // Looked at one after the other: two may be of the same products.
    for (ReduceOp reduce : reductions)
      if (std::optional<ScaledMaximum> maximum = ScaledMaximum::find(reduce)) {
        maximum->rewrite();
        ++numMaxima;
      }
  }
};

} // namespace
