//===- TileFolds.cpp - folds and canonicalisations -------------*- C++ -*-===//
//
// The obvious ones: constants through shape changes, chains of one shape change, promises of
// numbers, and memory accesses under a mask that is known.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Shape changes
//===----------------------------------------------------------------------===//

/// The constant `attr` (a scalar, or a splat) as a splat of `type`; null when it is neither, or
/// when elements of `type` have no constants.
static Attribute splatLike(Attribute attr, Type type) {
  auto tileType = cast<RankedTensorType>(type);
  if (!tileType.getElementType().isIntOrFloat())
    return {};
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attr))
    return splat.resizeSplat(tileType);
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(attr))
    return SplatElementsAttr::get(tileType, attr);
  return {};
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (type.getNumElements() != 1)
    return {};
  return SplatElementsAttr::get(type, Builder(getContext()).getI32IntegerAttr(int32_t(getStart())));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) { return splatLike(adaptor.getSrc(), getType()); }

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return splatLike(adaptor.getSrc(), getType());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return splatLike(adaptor.getSrc(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return splatLike(adaptor.getSrc(), getType());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool isIdentity = llvm::is_sorted(getOrder());
  if (isIdentity && getSrc().getType() == getType())
    return getSrc();
  return splatLike(adaptor.getSrc(), getType());
}

OpFoldResult TakeOp::fold(FoldAdaptor adaptor) { return splatLike(adaptor.getSrc(), getType()); }

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  bool isSingle = cast<RankedTensorType>(getType()).getDimSize(getAxis()) == 1;
  if (isSingle || getSrc().getDefiningOp<SplatOp>())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<FlipOp>())
    if (inner.getAxis() == getAxis())
      return inner.getSrc();
  return splatLike(adaptor.getSrc(), getType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<ConvertLayoutOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return splatLike(adaptor.getSrc(), getType());
}

namespace {

/// A shape change of a splat is a splat: the elements are all alike.
template <typename OpT> struct ShapeOfSplat : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "source is not a splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// A shape change of another one, `InnerT`, whose source it may take instead: two of one kind are
/// one, and before a reshape the order of the elements is all that counts.
template <typename OpT, typename InnerT = OpT> struct ShapeOfShape : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().template getDefiningOp<InnerT>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is no such shape change");
    rewriter.replaceOpWithNewOp<OpT>(op, op.getType(), inner.getSrc());
    return success();
  }
};

/// Two orders of dimensions, one after the other, are one.
struct PermuteOfPermute : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<PermuteOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is not a permutation");
    SmallVector<int32_t> order;
    for (int32_t axis : op.getOrder())
      order.push_back(inner.getOrder()[axis]);
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getSrc(), order);
    return success();
  }
};

} // namespace

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<PermuteOp>, PermuteOfPermute>(context);
}

void TakeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<TakeOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<BroadcastOp>, ShapeOfShape<BroadcastOp>>(context);
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ExpandDimsOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns
      .add<ShapeOfSplat<ReshapeOp>, ShapeOfShape<ReshapeOp>, ShapeOfShape<ReshapeOp, ExpandDimsOp>>(
          context);
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

static bool isNumber(PromiseOp op) { return !isa<RankedTensorType>(op.getType()); }

/// A promise of what is promised already.
OpFoldResult PromiseOp::fold(FoldAdaptor) {
  // A constant tells everything itself.
  if (isNumber(*this) && matchPattern(getSrc(), m_Constant()))
    return getSrc();
  auto inner = getSrc().getDefiningOp<PromiseOp>();
  bool saysMore =
      !inner || !isNumber(*this) || inner.getDivisibility().front() < getDivisibility().front();
  return saysMore ? OpFoldResult() : getSrc();
}

namespace {

/// What is promised of a number holds wherever it is used behind the promise: the stride of one
/// tensor is a size of another one.
struct UsesBehindPromise : OpRewritePattern<PromiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PromiseOp op, PatternRewriter &rewriter) const override {
    if (!isNumber(op))
      return rewriter.notifyMatchFailure(op, "is a promise of a tile");
    auto isBehind = [&](OpOperand &use) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && op->isBeforeInBlock(user);
    };
    if (llvm::none_of(op.getSrc().getUses(), isBehind))
      return rewriter.notifyMatchFailure(op, "source has no use behind it");
    rewriter.replaceUsesWithIf(op.getSrc(), op.getResult(), isBehind);
    return success();
  }
};

/// What is promised of a number that was made wider holds for the narrow one.
struct PromiseOfExtension : OpRewritePattern<PromiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PromiseOp op, PatternRewriter &rewriter) const override {
    Operation *extension = op.getSrc().getDefiningOp();
    if (!isNumber(op) || !isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
      return rewriter.notifyMatchFailure(op, "source is not an extended number");
    Value narrow = extension->getOperand(0);
    unsigned bits = narrow.getType().getIntOrFloatBitWidth();
    if (llvm::Log2_64(uint64_t(op.getDivisibility().front())) >= bits)
      return rewriter.notifyMatchFailure(op, "the narrow type has no such multiples");
    Value known = PromiseOp::create(rewriter, op.getLoc(), narrow.getType(), narrow,
                                    op.getDivisibility(), op.getContiguity(), op.getConstancy());
    Operation *wide = rewriter.clone(*extension);
    rewriter.modifyOpInPlace(wide, [&] { wide->setOperand(0, known); });
    rewriter.replaceOp(op, wide->getResults());
    return success();
  }
};

} // namespace

void PromiseOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<UsesBehindPromise, PromiseOfExtension>(context);
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? OpFoldResult(getSrc()) : OpFoldResult();
}

/// The value of a mask that is one constant everywhere.
static std::optional<bool> constantMask(Value mask) {
  DenseElementsAttr elements;
  if (mask && matchPattern(mask, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<bool>();
  APInt scalar;
  if (mask && matchPattern(mask, m_ConstantInt(&scalar)))
    return scalar.getBoolValue();
  return std::nullopt;
}

namespace {

struct LoadUnderConstantMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "mask is absent or not constant");
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getMaskMutable().clear();
        op.getOtherMutable().clear();
      });
      return success();
    }
    if (!op.getOther())
      return rewriter.notifyMatchFailure(op, "masked off, but there is no 'other' to take");
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
};

struct StoreUnderConstantMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "mask is absent or not constant");
    if (*mask)
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct AssertTrue : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AssertOp op, PatternRewriter &rewriter) const override {
    if (!constantMask(op.getCondition()).value_or(false))
      return rewriter.notifyMatchFailure(op, "condition is not known to hold");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadUnderConstantMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreUnderConstantMask>(context);
}

void AssertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AssertTrue>(context);
}
