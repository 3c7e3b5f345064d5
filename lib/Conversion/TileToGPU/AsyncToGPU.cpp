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
using tilec::layout::SharedLayout;

/// How many registers from a multiple of that number on are neighbours in the buffer, in every
/// thread; at most `most`.
static int64_t neighboursIn(const SharedLayout &map, const LinearLayout &layout, int64_t most) {
  uint64_t moved = 0;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t offset : map.offsetBases(layout, dim))
      moved |= offset;
  std::vector<uint64_t> registers = map.offsetBases(layout, InDim::Register);
  int64_t width = 1;
  for (auto [bit, offset] : llvm::enumerate(registers)) {
    uint64_t others = moved;
    for (uint64_t later : llvm::ArrayRef(registers).drop_front(bit + 1))
      others |= later;
    uint64_t within = 2 * uint64_t(width) - 1;
    if (2 * width > most || offset != uint64_t(width) || (others & within) != 0)
      break;
    width *= 2;
  }
  return width;
}

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
    PlaceAddress address(code, base, elementBytes, /*sharesAddress=*/true,
                         map.offsetBases(layout, InDim::Register),
                         map.offsetBases(layout, InDim::Lane), map.offsetBases(layout, InDim::Warp),
                         map.offsetBases(layout, InDim::Block));
    Value first = code.isFirstCopyInCTA(layout); // Each has a buffer of its own.
    for (uint32_t reg = 0; reg < layout.numRegisters(); reg += width) {
      if (reg & layout.freeBits(InDim::Register))
        continue;
      Value shared = address.get(map.offset(layout.applyFlat(InDim::Register, reg)));
      Value global = code.extract(adaptor.getPtr(), reg);
      Value mask = op.getMask() ? code.extract(adaptor.getMask(), reg) : Value();
      if (width * elementBytes >= kLeastCopyBytes) {
        emitter.copyAsync(shared, global, first, mask, width * elementBytes);
        continue;
      }
      Value loaded = emitter.loadGlobal({global, mask, Value(), type}, {});
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

} // namespace

void tilec::tile::populateAsyncPatterns(const TypeConverter &converter,
                                        const LoweringContext &lowering,
                                        RewritePatternSet &patterns) {
  patterns.add<BufferCopyPattern>(converter, lowering, patterns.getContext());
  patterns.add<AsyncCommitPattern, AsyncWaitPattern>(converter, patterns.getContext());
}
