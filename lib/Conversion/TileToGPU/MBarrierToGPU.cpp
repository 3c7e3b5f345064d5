//===- MBarrierToGPU.cpp - barriers in two halves ---------------*- C++ -*-===//
//
// PTX's mbarrier objects: threads arrive in each phase, and poll its parity.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "BufferCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;

Value tilec::tile::objectAddress(ThreadCode &code, Value barrier, Value slot) {
  return slot ? code.sharedAddress(barrier, slot, AllocMBarrierOp::kBytes) : barrier;
}

namespace {

/// One thread makes the objects of `op`, with no phase over; `again` where there were some.
void initialize(ThreadCode &code, AllocMBarrierOp op, Value first, bool again) {
  OpBuilder &b = code.builder();
  int64_t threads = tilec::kWarpSize * getLaunchShapeAt(op).numWarps;
  Value arrivals = code.i32(op.getArrivals().value_or(threads));
  Value isFirst = arith::CmpIOp::create(b, code.location(), arith::CmpIPredicate::eq,
                                        code.threadId(), code.i32(0));
  code.emitIf(isFirst, [&] {
    for (uint32_t slot = 0; slot < op.getSlots(); ++slot) {
      Value object = slot ? objectAddress(code, first, code.i32(slot)) : first;
      if (again)
        NVVM::MBarrierInvalOp::create(b, code.location(), object);
      NVVM::MBarrierInitOp::create(b, code.location(), object, arrivals, /*predicate=*/Value());
    }
  });
}

struct AllocMBarrierPattern : OpConversionPattern<AllocMBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocMBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError() << "has no place yet; run tile-allocate-shared first";
    ThreadCode code(rewriter, op.getLoc());
    Value first = code.sharedBase(op, *op.getOffset());
    initialize(code, op, first, /*again=*/false);
    rewriter.replaceOp(op, first);
    return success();
  }
};

struct ResetMBarrierPattern : OpConversionPattern<ResetMBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ResetMBarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    initialize(code, op.getBarrier().getDefiningOp<AllocMBarrierOp>(), adaptor.getBarrier(),
               /*again=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MBarrierArrivePattern : OpConversionPattern<MBarrierArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MBarrierArriveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    Value object = objectAddress(code, adaptor.getBarrier(), adaptor.getSlot());
    if (op.getAfterCopies()) {
      emitter.instruction("cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", object);
    } else if (op.getEachWarp()) {
      // What its other lanes did before is done: they are all here.
      NVVM::SyncWarpOp::create(rewriter, op.getLoc(), code.i32(-1));
      Value lane = arith::AndIOp::create(rewriter, op.getLoc(), code.threadId(),
                                         code.i32(tilec::kWarpSize - 1));
      if (Value condition = op.getCondition())
        lane = arith::SelectOp::create(rewriter, op.getLoc(), condition, lane, code.i32(1));
      emitter.instruction("{ .reg .pred %first; setp.eq.u32 %first, $1, 0; "
                          "@%first mbarrier.arrive.shared.b64 _, [$0]; }",
                          object, lane);
    } else {
      emitter.instruction("mbarrier.arrive.shared.b64 _, [$0];", object);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct MBarrierWaitPattern : OpConversionPattern<MBarrierWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MBarrierWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    Value object = objectAddress(emitter.code, adaptor.getBarrier(), adaptor.getSlot());
    // The instruction suspends a thread for a while, then says whether the phase is complete.
    emitter.instruction("{ .reg .pred %done; tilec_wait_${:uid}: "
                        "mbarrier.try_wait.parity.shared.b64 %done, [$0], $1; "
                        "@!%done bra tilec_wait_${:uid}; }",
                        object, adaptor.getParity());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::tile::populateMBarrierPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns
      .add<AllocMBarrierPattern, ResetMBarrierPattern, MBarrierArrivePattern, MBarrierWaitPattern>(
          converter, patterns.getContext());
}
