//===- AsyncToGPU.cpp - asynchronous copies ---------------------*- C++ -*-===//
//
// A thread copies, with one instruction, registers whose elements are neighbours both in global
// memory (AxisInfo) and in the buffer (its map). Copies of less than 4 bytes, which cp.async does
// not make, go through registers.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "BufferCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;
using tilec::layout::neighboursIn;
using tilec::layout::SharedLayout;

/// ptxas moves no access to memory over it. The threads of a warp are together, so that it costs no
/// instruction. Without it, ptxas has copies start behind what waits for later loads.
static constexpr llvm::StringLiteral kOrder = "bar.warp.sync 0xffffffff;";

namespace {

struct BufferCopyPattern : OpConversionPattern<BufferCopyOp> {
  BufferCopyPattern(const TypeConverter &converter, const LoweringContext &lowering,
                    MLIRContext *context)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(BufferCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    BufferType buffer = op.getBuffer().getType();
    SharedLayout map = buffer.getMap().toSharedLayout();
    LinearLayout layout = layoutOf(op.getPtr().getType());
    int64_t elementBytes = byteSize(buffer.getElementType());
    int64_t width =
        neighboursIn(map, layout, lowering.axes.getRegisterWidth(op.getPtr(), op.getMask()));
    auto type = VectorType::get({width}, getTypeConverter()->convertType(buffer.getElementType()));
    Value base = slotAddress(code, adaptor.getBuffer(), adaptor.getSlot(), buffer);
    PlaceAddress address(code, base, elementBytes, map.offsetBases(layout, InDim::Lane),
                         map.offsetBases(layout, InDim::Warp),
                         map.offsetBases(layout, InDim::Block));
    Value first = code.isFirstCopyInCTA(layout); // Each has a buffer of its own.
    for (uint32_t reg = 0; reg < layout.numRegisters(); reg += width) {
      if (reg & layout.freeBits(InDim::Register))
        continue;
      Value shared = address.get(map.offset(layout.applyFlat(InDim::Register, reg)));
      Value global = code.extract(adaptor.getPtr(), reg);
      Value mask = op.getMask() ? code.extract(adaptor.getMask(), reg) : Value();
      if (width * elementBytes >= kLeastCopyBytes) {
        emitter.copyAsync(shared, global, first, mask, width * elementBytes, op.getEvict());
        continue;
      }
      Value loaded =
          emitter.loadGlobal({global, mask, Value(), type}, {CacheModifier::None, op.getEvict()});
      code.emitIf(first, [&] {
        LLVM::StoreOp::create(rewriter, op.getLoc(), loaded, shared, width * elementBytes);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  const LoweringContext &lowering;
};

struct AsyncCommitPattern : OpConversionPattern<AsyncCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    emitter.instruction("cp.async.commit_group;");
    if (op.getOrdered())
      emitter.instruction(kOrder);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncWaitPattern : OpConversionPattern<AsyncWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    if (op.getOrdered())
      emitter.instruction(kOrder);
    emitter.instruction("cp.async.wait_group " + std::to_string(op.getPending()) + ";");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::tile::populateAsyncPatterns(const TypeConverter &converter,
                                        const LoweringContext &lowering,
                                        RewritePatternSet &patterns) {
  patterns.add<BufferCopyPattern>(converter, lowering, patterns.getContext());
  patterns.add<AsyncCommitPattern, AsyncWaitPattern>(converter, patterns.getContext());
}
