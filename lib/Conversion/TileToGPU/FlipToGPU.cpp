//===- FlipToGPU.cpp - elements in reverse order -----------------*- C++ -*-===//
//
// The index along a flipped dimension changes in all its bits. Because layouts are linear, the
// element that belongs here is in every thread at one and the same distance of registers, lanes and
// warps: a permutation of registers and a shuffle. Where warps are at a distance,
// tile-expand-exchanges has sent the tile through a buffer.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

struct FlipPattern : OpConversionPattern<FlipOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FlipOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = layoutOf(op.getType());
    HwPoint distance = pointOf(layout, layout.axisMask(op.getAxis()));
    if (distance.warp != 0)
      return op.emitOpError() << "moves elements between warps; run tile-expand-exchanges first";
    ThreadCode code(rewriter, op.getLoc());
    SmallVector<int64_t> order;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
      order.push_back(reg ^ distance.reg);
    Value flipped = code.permute(adaptor.getSrc(), order);
    if (distance.lane != 0)
      flipped = code.shuffleXor(flipped, distance.lane);
    rewriter.replaceOp(op, flipped);
    return success();
  }
};

} // namespace

void tilec::tile::populateFlipPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<FlipPattern>(converter, patterns.getContext());
}
