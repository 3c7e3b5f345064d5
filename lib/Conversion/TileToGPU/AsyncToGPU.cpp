//===- AsyncToGPU.cpp - loads ahead of their use ---------------*- C++ -*-===//
//
// A ring becomes the address of the thread's own part of it. A thread's copies lie as far apart as
// all threads have one: neighbouring threads' copies are neighbours, so that no two share a bank.
// Copies of less than 4 bytes, which cp.async does not make, go through registers.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// The copies that make up one thread's part of a slot.
struct RingPart {
  RingPart(RingType type, Operation *op)
      : width(type.getWidth()), copyBytes(width * byteSize(type.getTile().getElementType())),
        count(type.getThreadBytes() / copyBytes),
        threads(getLaunchShape(op->getParentOfType<func::FuncOp>()).numWarps << kWarpBits) {}

  /// The address of copy `copy` in slot `slot` (an i32).
  Value address(ThreadCode &code, Value ring, Value slot, int64_t copy) const {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    Value offset = arith::MulIOp::create(b, loc, slot, code.i32(count * threads * copyBytes));
    offset = arith::AddIOp::create(b, loc, offset, code.i32(copy * threads * copyBytes));
    return code.sharedAddress(ring, offset, 1);
  }

  int64_t width, copyBytes, count, threads;
};

struct AllocRingPattern : OpConversionPattern<AllocRingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocRingOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError() << "has no place yet; run tile-allocate-shared first";
    if (!getLayout(op.getType().getTile()))
      return op.emitOpError() << "expects a tile with a layout; run tile-assign-layouts first";
    ThreadCode code(rewriter, op.getLoc());
    RingPart part(op.getType(), op);
    Value own =
        arith::MulIOp::create(rewriter, op.getLoc(), code.threadId(), code.i32(part.copyBytes));
    rewriter.replaceOp(op, code.sharedAddress(code.sharedBase(op, *op.getOffset()), own, 1));
    return success();
  }
};

struct AsyncLoadPattern : OpConversionPattern<AsyncLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    RingPart part(op.getRing().getType(), op);
    Type element =
        getTypeConverter()->convertType(op.getRing().getType().getTile().getElementType());
    auto type = VectorType::get({part.width}, element);
    for (int64_t copy = 0; copy < part.count; ++copy) {
      int64_t reg = copy * part.width;
      Value shared = part.address(code, adaptor.getRing(), adaptor.getSlot(), copy);
      Value global = code.extract(adaptor.getPtr(), reg);
      Value mask = op.getMask() ? code.extract(adaptor.getMask(), reg) : Value();
      if (part.copyBytes >= kLeastCopyBytes)
        emitter.copyAsync(shared, global, mask, part.copyBytes);
      else
        LLVM::StoreOp::create(rewriter, op.getLoc(),
                              emitter.loadGlobal({global, mask, Value(), type}, {}), shared,
                              part.copyBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCommitPattern : OpConversionPattern<AsyncCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter(rewriter, op.getLoc()).instruction("cp.async.commit_group;");
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncWaitPattern : OpConversionPattern<AsyncWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter(rewriter, op.getLoc())
        .instruction("cp.async.wait_group " + std::to_string(op.getPending()) + ";");
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingReadPattern : OpConversionPattern<RingReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RingReadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    RingPart part(op.getRing().getType(), op);
    Type element = getTypeConverter()->convertType(elementOf(op.getType()));
    SmallVector<Value> pieces;
    for (int64_t copy = 0; copy < part.count; ++copy) {
      int64_t reg = copy * part.width;
      pieces.push_back(emitter.loadShared(
          {part.address(code, adaptor.getRing(), adaptor.getSlot(), copy),
           op.getMask() ? code.extract(adaptor.getMask(), reg) : Value(),
           op.getOther() ? code.slice(adaptor.getOther(), reg, part.width) : Value(),
           VectorType::get({part.width}, element)}));
    }
    rewriter.replaceOp(op, code.concat(pieces));
    return success();
  }
};

} // namespace

void tilec::tile::populateAsyncPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<AllocRingPattern, AsyncLoadPattern, AsyncCommitPattern, AsyncWaitPattern,
               RingReadPattern>(converter, patterns.getContext());
}
