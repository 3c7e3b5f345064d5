//===- ScanToGPU.cpp - scans in thread and warp -----------------*- C++ -*-===//
//
// planScan splits the coordinate along the axis into register bits (low), lane bits, warp bits and
// register bits (high). The elements that differ in low bits are a group.
//
// 1. Each group is scanned in the thread.
// 2. The totals of groups are scanned by shuffles: for each lane bit, lanes that come later take
//    what all earlier lanes of the other half have together.
// 3. What comes before a group is combined into each of its elements (ScanCode.cpp). Where a
//    thread has several pieces (high bits), the last lane's totals are those of the piece.
//
// Of a scan over several warps, tile-expand-exchanges has left these steps as operations of their
// own. "Earlier" is meant in the direction of the scan: with `reverse`, all orders turn around.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ScanCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

class ScanEmitter : public ScanCode {
public:
  using ScanCode::ScanCode;

  Values emit(const Values &sources);

private:
  Values scanThread(const Values &sources);
  Values lastOfGroups(const Values &elements);
  Values scanLanes(Values totals);
  Values totalsOfParts(const Values &groups);
};

} // namespace

Values ScanEmitter::scanThread(const Values &sources) {
  if (numLow() == 1)
    return sources;
  SmallVector<Values> scanned(numLow());
  SmallVector<int64_t> order(registersOf(sources));
  int64_t position = 0;
  for (uint32_t low = 0; low < numLow(); ++low)
    for (int64_t reg : registersAt(low))
      order[reg] = position++;
  for (uint32_t i = 0; i < numLow(); ++i) {
    uint32_t low = inOrder(i, numLow());
    scanned[low] = permute(sources, registersAt(low));
    if (i > 0)
      scanned[low] = combine(scanned[inOrder(i - 1, numLow())], scanned[low]);
  }
  Values results;
  for (unsigned source = 0; source < sources.size(); ++source) {
    SmallVector<Value> parts;
    for (const Values &values : scanned)
      parts.push_back(values[source]);
    results.push_back(code.permute(code.concat(parts), order));
  }
  return results;
}

Values ScanEmitter::lastOfGroups(const Values &elements) {
  SmallVector<int64_t> order(steps.groups.numRegisters());
  for (int64_t reg : registersAt(inOrder(numLow() - 1, numLow())))
    order[groupOf[reg]] = reg;
  return permute(elements, order);
}

Values ScanEmitter::scanLanes(Values totals) {
  uint32_t below = 0;
  constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
  for (uint32_t bit : plan.lanes) {
    // The earlier half's last lane: its number has this bit cleared, and all below set; or the
    // reverse.
    uint32_t set = reverse ? bit : below, keep = allLanes & ~(bit | below);
    Value lane = arith::OrIOp::create(b, loc, laneBits(keep), code.i32(set));
    Values earlier;
    for (Value total : totals)
      earlier.push_back(code.shuffleFrom(total, lane));
    Value isCleared = isZero(laneBits(bit));
    Values combined = combine(earlier, totals);
    totals = reverse ? select(isCleared, combined, totals) : select(isCleared, totals, combined);
    below |= bit;
  }
  return totals;
}

/// The totals of the pieces, which the last lane has, for all lanes.
Values ScanEmitter::totalsOfParts(const Values &groups) {
  SmallVector<int64_t> order(steps.parts.numRegisters());
  for (uint32_t reg = 0; reg < steps.groups.numRegisters(); ++reg)
    order[partOfGroup(steps, axis, reg, /*warp=*/0)] = reg;
  Values totals = permute(groups, order);
  uint32_t mask = laneMask();
  if (mask == 0)
    return totals;
  constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
  Value last =
      arith::OrIOp::create(b, loc, laneBits(allLanes & ~mask), code.i32(reverse ? 0 : mask));
  for (Value &vector : totals)
    vector = code.shuffleFrom(vector, last);
  return totals;
}

Values ScanEmitter::emit(const Values &sources) {
  Values elements = scanThread(sources);
  if (plan.lanes.empty() && numHigh() == 1)
    return elements;
  Values groups = scanLanes(lastOfGroups(elements));
  return finish(elements, groups, numHigh() == 1 ? Values() : totalsOfParts(groups));
}

//===----------------------------------------------------------------------===//
// The patterns
//===----------------------------------------------------------------------===//

namespace {

struct ScanPattern : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = layoutOf(op.getSrcs()[0].getType());
    auto plan = planScan(layout, op.getAxis());
    if (!plan)
      return op.emitOpError() << "cannot scan in this layout: the bits of the axis must be bits of "
                                 "registers, lanes, warps and again registers, in this order";
    if (!plan->warps.empty())
      return op.emitOpError()
             << "combines what several warps hold; run tile-expand-exchanges first";
    ScanEmitter emitter(op.getCombine(), op.getReverse(), layout, op.getAxis(), *plan, rewriter,
                        op.getLoc());
    rewriter.replaceOp(op, emitter.emit(Values(adaptor.getSrcs())));
    return success();
  }
};

struct FinishScanPattern : OpConversionPattern<FinishScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FinishScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = layoutOf(op.getElements()[0].getType());
    ScanPlan plan = *planScan(layout, op.getAxis());
    ScanCode code(op.getCombine(), op.getReverse(), layout, op.getAxis(), plan, rewriter,
                  op.getLoc());
    rewriter.replaceOp(op, code.finish(Values(adaptor.getElements()), Values(adaptor.getGroups()),
                                       Values(adaptor.getParts())));
    return success();
  }
};

} // namespace

void tilec::tile::populateScanPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<ScanPattern, FinishScanPattern>(converter, patterns.getContext());
}
