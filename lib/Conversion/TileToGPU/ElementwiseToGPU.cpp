//===- ElementwiseToGPU.cpp - what works on each register alone -*- C++ -*-===//
//
// Elementwise operations keep their name and attributes and work on the vectors that tiles became.
// Where a division, a shift or a comparison makes neighbours equal, they become one value, so that
// LLVM computes what follows from it once.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *context,
                     const LoweringContext &lowering)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context),
        lowering(lowering) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>())
      return rewriter.notifyMatchFailure(op, "not elementwise");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "result type has no distributed form");
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrDictionary().getValue());
    Operation *distributed = rewriter.create(state);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp, arith::CmpIOp>(op))
      rewriter.replaceOp(op, shareEqual(op->getResult(0), distributed->getResult(0), rewriter));
    else
      rewriter.replaceOp(op, distributed);
    return success();
  }

private:
  /// `vector`, which is what `tile` became, with each register replaced by the first that is known
  /// to be equal.
  Value shareEqual(Value tile, Value vector, ConversionPatternRewriter &rewriter) const {
    int64_t same = isa<RankedTensorType>(tile.getType()) ? lowering.axes.getSameRegisters(tile) : 1;
    if (same == 1)
      return vector;
    SmallVector<int64_t> firsts;
    for (int64_t reg = 0; reg < cast<VectorType>(vector.getType()).getDimSize(0); ++reg)
      firsts.push_back(reg - reg % same);
    return ThreadCode(rewriter, vector.getLoc()).permute(vector, firsts);
  }

  const LoweringContext &lowering;
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return rewriter.notifyMatchFailure(op, "only splats can be distributed");
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "result type has no distributed form");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, splat.resizeSplat(type));
    return success();
  }
};

struct AddPtrPattern : OpConversionPattern<AddPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AddPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type pointee =
        getTypeConverter()->convertType(cast<PtrType>(elementOf(op.getType())).getPointee());
    Value offset = adaptor.getOffset();
    Type wide = rewriter.getI64Type();
    if (auto vector = dyn_cast<VectorType>(offset.getType()))
      wide = vector.clone(wide);
    if (offset.getType() != wide)
      offset = arith::ExtSIOp::create(rewriter, op.getLoc(), wide, offset);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, adaptor.getPtr().getType(), pointee,
                                             adaptor.getPtr(), ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

template <typename From, typename To> struct CastPattern : OpConversionPattern<From> {
  using OpConversionPattern<From>::OpConversionPattern;

  LogicalResult matchAndRewrite(From op, typename From::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<To>(op, this->getTypeConverter()->convertType(op.getType()),
                                    adaptor.getSrc());
    return success();
  }
};

/// All pointers are alike once they are distributed, and promises have served their purpose.
template <typename OpT> struct SameValuePattern : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSrc());
    return success();
  }
};

struct ProgramIdPattern : OpConversionPattern<ProgramIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).programId(op.getAxis()));
    return success();
  }
};

struct NumProgramsPattern : OpConversionPattern<NumProgramsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).numPrograms(op.getAxis()));
    return success();
  }
};

} // namespace

void tilec::tile::populateElementwisePatterns(const TypeConverter &converter,
                                              const LoweringContext &lowering,
                                              RewritePatternSet &patterns) {
  patterns.add<ElementwisePattern>(converter, patterns.getContext(), lowering);
  patterns
      .add<ConstantPattern, AddPtrPattern, SameValuePattern<PtrCastOp>, SameValuePattern<PromiseOp>,
           ProgramIdPattern, NumProgramsPattern, CastPattern<PtrToIntOp, LLVM::PtrToIntOp>,
           CastPattern<IntToPtrOp, LLVM::IntToPtrOp>>(converter, patterns.getContext());
}
