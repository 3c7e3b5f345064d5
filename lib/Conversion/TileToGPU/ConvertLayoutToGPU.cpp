//===- ConvertLayoutToGPU.cpp - moving elements between threads -*- C++ -*-===//
//
// planConversion names the cheapest means inside a warp: nothing, a permutation of registers,
// shuffles, or swaps between pairs of lanes. What has to leave the warp, tile-expand-exchanges has
// sent through a buffer.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

class ConversionEmitter {
public:
  ConversionEmitter(ConvertLayoutOp op, OpBuilder &builder)
      : source(layoutOf(op.getSrc().getType())), code(builder, op.getLoc()), b(builder),
        loc(op.getLoc()) {}

  Value throughShuffles(const ShufflePlan &plan, Value vector);
  Value swap(LaneSwap swap, Value vector);

private:
  Value select(const ShufflePlan &plan, ArrayRef<Value> candidates);
  Value selectorBit(const BitSelector &selector);

  LinearLayout source;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The parity of the bits of the thread's place that the selector looks at, as i1.
Value ConversionEmitter::selectorBit(const BitSelector &selector) {
  auto bits = [](uint32_t mask, unsigned count) {
    SmallVector<uint64_t> bases;
    for (unsigned bit = 0; bit < count; ++bit)
      bases.push_back(mask >> bit & 1);
    return bases;
  };
  Value parity = code.linearOfPlace(bits(selector.lane, kWarpBits),
                                    bits(selector.warp, source.numBases(InDim::Warp)),
                                    bits(selector.block, source.numBases(InDim::Block)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, parity, code.i32(0));
}

/// Picks the candidate whose index the selectors spell, lowest bit first.
Value ConversionEmitter::select(const ShufflePlan &plan, ArrayRef<Value> candidates) {
  SmallVector<Value> level(candidates);
  for (const BitSelector &selector : plan.selectors) {
    Value bit = selectorBit(selector);
    SmallVector<Value> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(arith::SelectOp::create(b, loc, bit, level[i + 1], level[i]));
    level = next;
  }
  return level[0];
}

Value ConversionEmitter::throughShuffles(const ShufflePlan &plan, Value vector) {
  SmallVector<uint64_t> lanes(plan.laneOfLane.begin(), plan.laneOfLane.end());
  SmallVector<uint64_t> warps(plan.laneOfWarp.begin(), plan.laneOfWarp.end());
  SmallVector<uint64_t> blocks(plan.laneOfBlock.begin(), plan.laneOfBlock.end());
  SmallVector<Value> registers;
  for (const ShufflePlan::Register &reg : plan.registers) {
    SmallVector<Value> candidates;
    for (uint32_t candidate : reg.candidates) {
      Value one = code.slice(vector, candidate, 1);
      if (!plan.sameLane)
        one = code.shuffleFrom(one, code.linearOfPlace(lanes, warps, blocks, reg.laneXor));
      else if (reg.laneXor != 0)
        one = code.shuffleXor(one, reg.laneXor);
      candidates.push_back(one);
    }
    registers.push_back(select(plan, candidates));
  }
  return code.concat(registers);
}

/// Each lane keeps the registers whose bit is that of the lane, and sends the others.
Value ConversionEmitter::swap(LaneSwap swap, Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getDimSize(0);
  SmallVector<int64_t> halves[2], order(count);
  for (int64_t reg = 0; reg < count; ++reg) {
    bool isHigh = (reg >> swap.registerBit & 1) != 0;
    order[reg] = int64_t(halves[isHigh].size()) + (isHigh ? count / 2 : 0);
    halves[isHigh].push_back(reg);
  }
  Value low = code.permute(vector, halves[0]), high = code.permute(vector, halves[1]);
  Value isHigh = selectorBit({uint32_t(1) << swap.laneBit, 0, 0});
  Value sent = arith::SelectOp::create(b, loc, isHigh, low, high);
  Value received = code.shuffleXor(sent, uint32_t(1) << swap.laneBit);
  low = arith::SelectOp::create(b, loc, isHigh, received, low);
  high = arith::SelectOp::create(b, loc, isHigh, high, received);
  return code.permute(code.concat({low, high}), order);
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

struct ConvertLayoutPattern : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout source = layoutOf(op.getSrc().getType()), result = layoutOf(op.getType());
    std::string error;
    std::optional<ConversionPlan> plan = planConversion(source, result, error);
    if (!plan)
      return op.emitOpError() << "cannot be planned: " << error;
    switch (plan->kind) {
    case ConversionKind::Identity:
    case ConversionKind::Registers: {
      SmallVector<int64_t> order(plan->registers.begin(), plan->registers.end());
      rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).permute(adaptor.getSrc(), order));
      return success();
    }
    case ConversionKind::Shuffle:
      rewriter.replaceOp(
          op, ConversionEmitter(op, rewriter).throughShuffles(plan->shuffle, adaptor.getSrc()));
      return success();
    case ConversionKind::Swaps: {
      ConversionEmitter emitter(op, rewriter);
      Value vector = adaptor.getSrc();
      for (LaneSwap swap : plan->swaps)
        vector = emitter.swap(swap, vector);
      SmallVector<int64_t> order(plan->registers.begin(), plan->registers.end());
      rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).permute(vector, order));
      return success();
    }
    case ConversionKind::Shared:
      return op.emitOpError() << "moves elements between warps; run tile-expand-exchanges first";
    }
    llvm_unreachable("all kinds are covered");
  }
};

} // namespace

void tilec::tile::populateConvertLayoutPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<ConvertLayoutPattern>(converter, patterns.getContext());
}
