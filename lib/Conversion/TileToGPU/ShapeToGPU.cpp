//===- ShapeToGPU.cpp - making and reshaping tiles -------------*- C++ -*-===//
//
// The layouts of source and result are chosen so that every thread already holds what it needs; a
// shape change is then a choice among the thread's own registers, which the algebra computes.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Transforms.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

struct MakeRangePattern : OpConversionPattern<MakeRangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeRangeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = layoutOf(op.getType());
    ThreadCode code(rewriter, op.getLoc());
    Value thread = code.linearOfPlace(layout.flatBases(InDim::Lane), layout.flatBases(InDim::Warp),
                                      layout.flatBases(InDim::Block));
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    SmallVector<int32_t> registers;
    uint64_t registerBits = 0, threadBits = 0;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      registers.push_back(layout.applyFlat(InDim::Register, reg));
      registerBits |= registers.back();
    }
    for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
      for (uint64_t basis : layout.flatBases(dim))
        threadBits |= basis;
    // Where no bit comes from both sides, addition is xor, and folds into address arithmetic.
    bool disjoint = (registerBits & threadBits) == 0;
    int32_t start = disjoint ? int32_t(op.getStart()) : 0;
    for (int32_t &value : registers)
      value = int32_t(uint32_t(value) + uint32_t(start));
    Location loc = op.getLoc();
    Value wide = vector::BroadcastOp::create(rewriter, loc, type, thread);
    Value constants = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(registers)));
    Value range = disjoint ? arith::AddIOp::create(rewriter, loc, wide, constants).getResult()
                           : arith::XOrIOp::create(rewriter, loc, wide, constants).getResult();
    if (!disjoint && op.getStart() != 0) {
      Value offset = arith::ConstantOp::create(
          rewriter, loc, DenseElementsAttr::get(type, int32_t(op.getStart())));
      range = arith::AddIOp::create(rewriter, loc, range, offset);
    }
    rewriter.replaceOp(op, range);
    return success();
  }
};

struct SplatPattern : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSrc());
    return success();
  }
};

/// Replaces `op` by a choice of the source's registers.
LogicalResult pickRegisters(Operation *op, Value source,
                            const std::optional<std::vector<uint32_t>> &map,
                            ConversionPatternRewriter &rewriter) {
  if (!map)
    return op->emitOpError() << "needs elements of other threads; the source's layout must follow "
                                "from the result's";
  SmallVector<int64_t> order(map->begin(), map->end());
  rewriter.replaceOp(op, ThreadCode(rewriter, op->getLoc()).permute(source, order));
  return success();
}

struct BroadcastPattern : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return pickRegisters(op, adaptor.getSrc(),
                         broadcastMap(layoutOf(op.getSrc().getType()), layoutOf(op.getType())),
                         rewriter);
  }
};

struct ExpandDimsPattern : OpConversionPattern<ExpandDimsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ExpandDimsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout source = expandDim(layoutOf(op.getSrc().getType()), op.getAxis());
    return pickRegisters(op, adaptor.getSrc(), registerMap(source, layoutOf(op.getType())),
                         rewriter);
  }
};

struct ReshapePattern : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout result = layoutOf(op.getType());
    LinearLayout source = reshape(layoutOf(op.getSrc().getType()), result.shape());
    return pickRegisters(op, adaptor.getSrc(), registerMap(source, result), rewriter);
  }
};

struct PermutePattern : OpConversionPattern<PermuteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PermuteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::vector<unsigned> order(op.getOrder().begin(), op.getOrder().end());
    LinearLayout source = permute(layoutOf(op.getSrc().getType()), order);
    return pickRegisters(op, adaptor.getSrc(), registerMap(source, layoutOf(op.getType())),
                         rewriter);
  }
};

struct TakePattern : OpConversionPattern<TakeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TakeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout source = layoutOf(op.getSrc().getType());
    int64_t size = source.shape()[op.getAxis()];
    auto map = registerMap(source, insertInRegisters(layoutOf(op.getType()), op.getAxis(), size));
    // Of the registers along the axis, those at the index.
    std::optional<std::vector<uint32_t>> taken;
    if (map) {
      taken.emplace();
      for (size_t reg = op.getIndex(); reg < map->size(); reg += size)
        taken->push_back((*map)[reg]);
    }
    return pickRegisters(op, adaptor.getSrc(), taken, rewriter);
  }
};

} // namespace

void tilec::tile::populateShapePatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<MakeRangePattern, SplatPattern, BroadcastPattern, ExpandDimsPattern, ReshapePattern,
               PermutePattern, TakePattern>(converter, patterns.getContext());
}
