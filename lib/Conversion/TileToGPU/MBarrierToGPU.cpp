//===- MBarrierToGPU.cpp - barriers in two halves ---------------*- C++ -*-===//
//
// PTX's mbarrier objects: all threads of the CTA arrive in each phase, and poll its parity.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

struct AllocMBarrierPattern : OpConversionPattern<AllocMBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocMBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    Value object = code.sharedBase(op, op.getOffset());
    unsigned threads =
        tilec::kWarpSize * getLaunchShape(op->getParentOfType<func::FuncOp>()).numWarps;
    code.emitIf(code.threadBitsAre(threads - 1), [&] {
      NVVM::MBarrierInitOp::create(rewriter, op.getLoc(), object, code.i32(threads),
                                   /*predicate=*/Value());
    });
    rewriter.replaceOp(op, object);
    return success();
  }
};

struct MBarrierArrivePattern : OpConversionPattern<MBarrierArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MBarrierArriveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    if (op.getAfterCopies())
      emitter.instruction("cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", adaptor.getBarrier());
    else
      emitter.instruction("mbarrier.arrive.shared.b64 _, [$0];", adaptor.getBarrier());
    rewriter.eraseOp(op);
    return success();
  }
};

struct MBarrierWaitPattern : OpConversionPattern<MBarrierWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MBarrierWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The instruction suspends a thread for a while, then says whether the phase is complete.
    AccessEmitter(rewriter, op.getLoc())
        .instruction("{ .reg .pred %done; tilec_wait_${:uid}: "
                     "mbarrier.try_wait.parity.shared.b64 %done, [$0], $1; "
                     "@!%done bra tilec_wait_${:uid}; }",
                     adaptor.getBarrier(), adaptor.getParity());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::tile::populateMBarrierPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<AllocMBarrierPattern, MBarrierArrivePattern, MBarrierWaitPattern>(
      converter, patterns.getContext());
}
