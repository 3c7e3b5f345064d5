//===- FlattenLoads.cpp - boxes as the matrices that products take -*- C++ -*-===//
//
// The pass `tile-flatten-loads`. A box of three dimensions and more, loaded and reshaped to a
// factor, would be a tile in registers in between, which no copy into shared memory can serve.
// Pointers are values that are computed for free, so they are reshaped instead. A reshape that only
// drops dimensions of size 1 goes on to where their parts come from: whoever asks how pointers
// follow each other need not look through it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFLATTENLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The load from which `factor` comes by nothing but shape changes, at least one of which is a
/// reshape; `changes` are those behind it up to the last reshape, in order.
static LoadOp loadOfBox(Value factor, SmallVectorImpl<Operation *> &changes) {
  SmallVector<Operation *> path;
  while (Operation *op = factor.getDefiningOp()) {
    if (!op->hasOneUse())
      return {};
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto isReshape = [](Operation *change) { return isa<ReshapeOp>(change); };
      auto last = llvm::find_if(path, isReshape);
      changes.assign(path.rbegin(), std::make_reverse_iterator(last));
      return load;
    }
    if (!isa<ReshapeOp, PermuteOp>(op))
      return {};
    path.push_back(op);
    factor = op->getOperand(0);
  }
  return {};
}

/// `value` with `changes`, whose types are of another element. A constant stays one, so that zeros
/// are known as such.
static Value changed(Value value, ArrayRef<Operation *> changes, OpBuilder &b) {
  if (SplatElementsAttr splat; matchPattern(value, m_Constant(&splat))) {
    auto last = cast<RankedTensorType>(changes.back()->getResult(0).getType());
    auto type = RankedTensorType::get(last.getShape(), splat.getElementType());
    return arith::ConstantOp::create(b, value.getLoc(), splat.resizeSplat(type));
  }
  for (Operation *change : changes) {
    auto shape = cast<RankedTensorType>(change->getResult(0).getType()).getShape();
    auto type = RankedTensorType::get(shape, elementOf(value.getType()));
    Operation *copy = b.clone(*change);
    copy->setOperand(0, value);
    copy->getResult(0).setType(type);
    value = copy->getResult(0);
  }
  return value;
}

/// Loads the elements where `changes` would put them.
static void flatten(LoadOp load, ArrayRef<Operation *> changes) {
  OpBuilder b(load);
  // What is only reshaped is the same block.
  if (!llvm::all_of(changes, llvm::IsaPred<ReshapeOp>))
    load.getBlockMutable().clear();
  SmallVector<Value> operands;
  for (Value operand : load->getOperands())
    operands.push_back(isa<BlockType>(operand.getType()) ? operand : changed(operand, changes, b));
  auto matrix = cast<LoadOp>(b.clone(*load));
  matrix->setOperands(operands);
  matrix.getResult().setType(changes.back()->getResult(0).getType());
  changes.back()->replaceAllUsesWith(matrix);
  for (Operation *change : llvm::reverse(changes))
    change->erase();
  load.erase();
}

/// Which dimensions of its source `op` keeps, if those that it drops have size 1 and it does
/// nothing else.
static std::optional<SmallVector<unsigned>> keptDims(ReshapeOp op) {
  auto from = cast<RankedTensorType>(op.getSrc().getType()).getShape();
  auto to = cast<RankedTensorType>(op.getType()).getShape();
  SmallVector<unsigned> kept;
  for (auto [dim, size] : llvm::enumerate(from)) {
    if (kept.size() < to.size() && size == to[kept.size()])
      kept.push_back(dim);
    else if (size != 1)
      return std::nullopt;
  }
  if (kept.size() != to.size() || kept.size() == from.size())
    return std::nullopt;
  return kept;
}

/// `value` without the dimensions that are not kept, all of size 1.
static Value withDims(Value value, ArrayRef<unsigned> kept, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  SmallVector<int64_t> shape;
  for (unsigned dim : kept)
    shape.push_back(type.getDimSize(dim));
  auto smaller = RankedTensorType::get(shape, type.getElementType());
  if (SplatElementsAttr splat; matchPattern(value, m_Constant(&splat)))
    return arith::ConstantOp::create(rewriter, value.getLoc(), splat.resizeSplat(smaller));
  return ReshapeOp::create(rewriter, value.getLoc(), smaller, value);
}

namespace {

/// The same computation of tiles without those dimensions, of numbers, conditions and pointers,
/// which are computed wherever they are needed.
struct DropDims : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Operation *source = op.getSrc().getDefiningOp();
    std::optional<SmallVector<unsigned>> kept = keptDims(op);
    bool isPlace = isa<IntegerType, PtrType>(elementOf(op.getType()));
    if (!source || !kept || !isPlace || source->getNumResults() != 1 || source->getNumRegions() ||
        !isMemoryEffectFree(source) || !(isElementwise(source) || isa<BroadcastOp>(source)))
      return rewriter.notifyMatchFailure(op, "the source stays as it is");
    SmallVector<Value> operands;
    for (Value operand : source->getOperands())
      operands.push_back(withDims(operand, *kept, rewriter));
    Operation *smaller = rewriter.clone(*source);
    smaller->setOperands(operands);
    smaller->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, smaller);
    return success();
  }
};

/// A dimension that was added and is kept is added behind the reshape, so that it is known as one.
struct DropDimsOfExpand : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getSrc().getDefiningOp<ExpandDimsOp>();
    std::optional<SmallVector<unsigned>> kept = keptDims(op);
    unsigned axis = expand ? expand.getAxis() : 0;
    const unsigned *place = kept ? llvm::find(*kept, axis) : nullptr;
    if (!expand || !kept || kept->size() == 1 || place == kept->end())
      return rewriter.notifyMatchFailure(op, "no dimension was added that is kept");
    SmallVector<unsigned> others; // Of the source, which has one less.
    for (unsigned dim : *kept)
      if (dim != axis)
        others.push_back(dim > axis ? dim - 1 : dim);
    Value smaller = withDims(expand.getSrc(), others, rewriter);
    rewriter.replaceOpWithNewOp<ExpandDimsOp>(op, op.getType(), smaller, place - kept->begin());
    return success();
  }
};

struct FlattenLoads : tilec::tile::impl::TileFlattenLoadsBase<FlattenLoads> {
  using TileFlattenLoadsBase::TileFlattenLoadsBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    // The benefit orders them before the pattern of all reshapes that drops an added dimension.
    set.add<DropDims>(context);
    set.add<DropDimsOfExpand>(context, /*benefit=*/2);
    ReshapeOp::getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    bool isChanged = false;
    getOperation().walk([&](DotOp dot) {
      for (Value factor : {dot.getLhs(), dot.getRhs()}) {
        SmallVector<Operation *> changes;
        if (LoadOp load = loadOfBox(factor, changes); load && !changes.empty()) {
          flatten(load, changes);
          isChanged = true;
          ++numFlattened;
        }
      }
    });
    if (!isChanged)
      return;
    SmallVector<Operation *> reshapes;
    getOperation().walk([&](ReshapeOp op) { reshapes.push_back(op); });
    (void)applyOpPatternsGreedily(
        reshapes, patterns,
        GreedyRewriteConfig().setStrictness(GreedyRewriteStrictness::ExistingAndNewOps));
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
