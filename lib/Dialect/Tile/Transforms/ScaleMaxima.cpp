//===- ScaleMaxima.cpp - maxima before they are scaled ---------*- C++ -*-===//
//
// The pass `tile-scale-maxima`. An attention multiplies all scores by one number or two, masks
// some, looks for the maximum, and subtracts it. The subtraction makes one instruction of itself
// and the multiplication, so that products exist only for the mask and the maximum. But rounding is
// monotonous: if numbers are positive and finite, the maximum of the products is the product of the
// maximum, to the bit. And most tiles are whole: their mask is true everywhere. What is not known
// is asked at run time; where it is so, the scores are compared as they are, and multiplied behind.
//
// No question is asked where the scores and what the loop carries take more registers than a thread
// has. Then ptxas takes a part of the rows after the other, each from its product to its weights,
// and a branch would need the scores of all of them.
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

/// A multiplication of a tile with one number: a scalar, or a positive constant.
struct Step {
  arith::MulFOp product;
  Value scalar; // Null for a constant.
  std::optional<llvm::APFloat> constant = std::nullopt;
};

/// A maximum of a tile's products with numbers.
class ScaledMaximum {
public:
  /// Nothing if `reduce` is no such maximum.
  static std::optional<ScaledMaximum> find(ReduceOp reduce);

  /// Whether it is asked at run time if the maximum may be scaled.
  bool isAsked() const {
    return masked || llvm::any_of(steps, [](const Step &step) { return bool(step.scalar); });
  }

  void rewrite();

private:
  Value isUsual(OpBuilder &b);
  Value maximumOf(OpBuilder &b, Value source);
  SmallVector<Value> numbers(OpBuilder &b);
  Value scale(OpBuilder &b, Value value, ValueRange by);
  void rewriteByBranch(OpBuilder &b, Value usual);

  FloatType numberType() { return cast<FloatType>(getElementTypeOrSelf(tile)); }

  ReduceOp reduce;
  arith::SelectOp masked;     // Of the products and -inf; null if there is no mask.
  SmallVector<Step, 2> steps; // In order.
  Value tile;                 // What is multiplied first.
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

/// The multiplication that makes `tile`, which becomes what is multiplied; nothing if there is
/// none.
static std::optional<Step> stepTo(Value &tile) {
  auto product = tile.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  for (auto [other, factor] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())}) {
    llvm::APFloat constant(0.0);
    auto splat = factor.getDefiningOp<SplatOp>();
    bool isConstant = matchPattern(factor, m_ConstantFloat(&constant)) &&
                      constant.isFiniteNonZero() && !constant.isNegative();
    if (!splat && !isConstant)
      continue;
    tile = other;
    return splat ? Step{product, splat.getSrc()} : Step{product, Value(), constant};
  }
  return std::nullopt;
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
  found.tile = source;
  while (std::optional<Step> step = stepTo(found.tile)) {
    found.steps.insert(found.steps.begin(), *step);
    if (isFromDot(found.tile))
      return found;
  }
  return std::nullopt;
}

/// Whether scalars are positive and finite, and the mask true everywhere; null if there is neither
/// a scalar nor a mask.
Value ScaledMaximum::isUsual(OpBuilder &b) {
  Location loc = reduce.getLoc();
  FloatType type = numberType();
  Value usual;
  auto require = [&](Value condition) {
    usual = usual ? arith::AndIOp::create(b, loc, usual, condition) : condition;
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value scalar, const llvm::APFloat &with) {
    require(arith::CmpFOp::create(b, loc, predicate, scalar,
                                  arith::ConstantFloatOp::create(b, loc, type, with)));
  };
  for (const Step &step : steps)
    if (step.scalar) {
      compare(arith::CmpFPredicate::OGT, step.scalar,
              llvm::APFloat::getZero(type.getFloatSemantics()));
      compare(arith::CmpFPredicate::OLT, step.scalar,
              llvm::APFloat::getInf(type.getFloatSemantics()));
    }
  if (masked)
    require(createIsAllTrue(b, loc, masked.getCondition()));
  return usual;
}

Value ScaledMaximum::maximumOf(OpBuilder &b, Value source) {
  auto clone = cast<ReduceOp>(b.clone(*reduce));
  clone.getSrcsMutable().assign(source);
  return clone.getResult(0);
}

/// The numbers of all steps.
SmallVector<Value> ScaledMaximum::numbers(OpBuilder &b) {
  SmallVector<Value> all;
  for (const Step &step : steps)
    all.push_back(step.scalar ? step.scalar
                              : arith::ConstantFloatOp::create(b, reduce.getLoc(), numberType(),
                                                               *step.constant));
  return all;
}

Value ScaledMaximum::scale(OpBuilder &b, Value value, ValueRange by) {
  for (auto [step, number] : llvm::zip_equal(steps, by)) {
    Location loc = step.product.getLoc();
    Value factor = isa<RankedTensorType>(value.getType())
                       ? SplatOp::create(b, loc, value.getType(), number).getResult()
                       : number;
    value = arith::MulFOp::create(b, loc, value, factor, step.product.getFastmathAttr());
  }
  return value;
}

/// Branches give the maximum, and a tile and numbers whose product is what it is the maximum of.
void ScaledMaximum::rewriteByBranch(OpBuilder &b, Value usual) {
  Location loc = reduce.getLoc();
  Value before = reduce.getSrcs()[0];
  auto yield = [&](OpBuilder &at, Value maximum, Value source, ValueRange by) {
    SmallVector<Value> results = {maximum, source};
    llvm::append_range(results, by);
    scf::YieldOp::create(at, loc, results);
  };
  auto branch = scf::IfOp::create(
      b, loc, usual,
      [&](OpBuilder &then, Location) {
        SmallVector<Value> by = numbers(then);
        yield(then, scale(then, maximumOf(then, tile), by), tile, by);
      },
      [&](OpBuilder &other, Location) {
        Value one = arith::ConstantFloatOp::create(
            other, loc, numberType(), llvm::APFloat::getOne(numberType().getFloatSemantics()));
        yield(other, maximumOf(other, before), before, SmallVector<Value>(steps.size(), one));
      });
  Value product = scale(b, branch.getResult(1), branch.getResults().drop_front(2));
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

void ScaledMaximum::rewrite() {
  OpBuilder b(reduce.getContext());
  b.setInsertionPointAfterValue(reduce.getSrcs()[0]);
  if (Value usual = isUsual(b))
    return rewriteByBranch(b, usual);
  b.setInsertionPoint(reduce);
  Value maximum = scale(b, maximumOf(b, tile), numbers(b));
  reduce.replaceAllUsesWith(ValueRange{maximum});
  reduce.erase();
}

/// Whether `scores` and the tiles that the loop around carries take more registers than one of
/// `threads` threads has.
static bool exceedsRegisters(Value scores, int64_t threads) {
  int64_t bits = 0;
  auto add = [&](Type type) {
    if (auto tile = dyn_cast<RankedTensorType>(type); tile && tile.getElementType().isIntOrFloat())
      bits += tile.getNumElements() * tile.getElementTypeBitWidth();
  };
  add(scores.getType());
  Operation *op = scores.getDefiningOp();
  if (auto loop = op->getParentOfType<scf::ForOp>())
    llvm::for_each(loop.getResultTypes(), add);
  constexpr int64_t bitsOfRegister = 32;
  return bits > threads * bitsOfRegister * getTarget(op).maxRegistersPerThread();
}

namespace {

struct ScaleMaxima : tilec::tile::impl::TileScaleMaximaBase<ScaleMaxima> {
  using TileScaleMaximaBase::TileScaleMaximaBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isEnabled(kernel, tilec::GpuHeuristic::ScaleMaxima))
      return markAllAnalysesPreserved();
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
      if (std::optional<ScaledMaximum> maximum = ScaledMaximum::find(reduce);
          maximum && !(maximum->isAsked() && exceedsRegisters(reduce.getSrcs()[0], threads))) {
        maximum->rewrite();
        ++numMaxima;
      }
  }
};

} // namespace
