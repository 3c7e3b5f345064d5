//===- ScanToGPU.cpp - scans in thread, warp and CTA ------------*- C++ -*-===//
//
// planScan splits the coordinate along the axis into register bits (low), lane bits, warp bits and
// register bits (high). A *row* is what the other register bits choose; all rows of a thread are
// one vector, and a *piece* is the vectors of one choice of high bits.
//
// 1. Each piece is scanned in the thread, over its low bits.
// 2. The totals of the thread's neighbours in the warp are scanned by shuffles: for each lane bit,
// lanes
//    that come later take what all earlier lanes of the other half have together.
// 3. The last lane of each warp writes the warp's totals to shared memory, all wait, and each
// thread
//    combines what comes before its own warp, and before each of its pieces.
// 4. What comes before is combined into each register.
//
// "Earlier" is meant in the direction of the scan: with `reverse`, all orders turn around. Nothing
// needs a neutral element; where nothing comes before, a select keeps the value.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ScalarCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Layout/Scan.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

/// What comes before, and whether something does; `exists` is null where it always does, and
/// `values` is empty where nothing ever does.
struct Before {
  Values values;
  Value exists;
};

class ScanEmitter {
public:
  ScanEmitter(ScanOp op, const ScanPlan &plan, ValueRange scratch, OpBuilder &builder)
      : op(op), plan(plan), scratch(scratch), code(builder, op.getLoc()), b(builder),
        loc(op.getLoc()), reverse(op.getReverse()) {}

  Values emit(const Values &sources);

private:
  Values combine(const Values &a, const Values &b) {
    return combineVectors(code, op.getCombine(), a, b);
  }
  Values select(Value condition, const Values &a, const Values &b);
  /// The registers of all rows where low and high bits of the coordinate are `low` and `high`.
  SmallVector<int64_t> registersAt(uint32_t low, uint32_t high) const;
  Values pieceAt(const Values &all, uint32_t low, uint32_t high);
  void scanThread(const Values &sources);
  Values scanLanes(Values totals);
  Before beforeLane(const Values &scanned);
  SmallVector<Before> beforePieces(const Values &scanned);
  SmallVector<Values> warpTotals(const Values &scanned);
  Before join(const Before &earlier, const Before &later);
  Values finish(const Values &sources, const Before &lanes, ArrayRef<Before> pieces);

  uint32_t numLow() const { return 1u << plan.lowRegisters.size(); }
  uint32_t numHigh() const { return 1u << plan.highRegisters.size(); }
  uint32_t numWarps() const { return 1u << plan.warps.size(); }
  uint32_t laneMask() const;
  Value laneBits(uint32_t mask);
  Value isZero(Value bits);
  /// Position `i` of `count` in the direction of the scan.
  uint32_t inOrder(uint32_t i, uint32_t count) const { return reverse ? count - 1 - i : i; }
  Value slot(unsigned source, uint32_t reg, Value warp);

  ScanOp op;
  const ScanPlan &plan;
  /// The address of the buffer of each source; empty where no data leaves a warp.
  ValueRange scratch;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
  bool reverse;
  /// Each piece, scanned in the thread: for each high choice, for each low one.
  SmallVector<SmallVector<Values>> pieces;
};

} // namespace

static uint32_t spread(uint32_t value, ArrayRef<uint32_t> masks) {
  uint32_t result = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    result |= (value >> bit & 1) ? mask : 0;
  return result;
}

uint32_t ScanEmitter::laneMask() const { return spread(~0u, plan.lanes); }

SmallVector<int64_t> ScanEmitter::registersAt(uint32_t low, uint32_t high) const {
  SmallVector<int64_t> registers;
  for (uint32_t row = 0; row < 1u << plan.otherRegisters.size(); ++row)
    registers.push_back(spread(row, plan.otherRegisters) | spread(low, plan.lowRegisters) |
                        spread(high, plan.highRegisters));
  return registers;
}

Values ScanEmitter::pieceAt(const Values &all, uint32_t low, uint32_t high) {
  Values piece;
  for (Value vector : all)
    piece.push_back(code.permute(vector, registersAt(low, high)));
  return piece;
}

Values ScanEmitter::select(Value condition, const Values &a, const Values &b2) {
  Values selected;
  for (auto [yes, no] : llvm::zip_equal(a, b2))
    selected.push_back(arith::SelectOp::create(b, loc, condition, yes, no));
  return selected;
}

Value ScanEmitter::laneBits(uint32_t mask) {
  return arith::AndIOp::create(b, loc, code.threadId(), code.i32(mask));
}

Value ScanEmitter::isZero(Value bits) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, code.i32(0));
}

//===----------------------------------------------------------------------===//
// Thread and warp
//===----------------------------------------------------------------------===//

void ScanEmitter::scanThread(const Values &sources) {
  for (uint32_t high = 0; high < numHigh(); ++high) {
    SmallVector<Values> piece(numLow());
    for (uint32_t i = 0; i < numLow(); ++i) {
      uint32_t low = inOrder(i, numLow());
      piece[low] = pieceAt(sources, low, high);
      if (i > 0)
        piece[low] = combine(piece[inOrder(i - 1, numLow())], piece[low]);
    }
    pieces.push_back(std::move(piece));
  }
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

/// What the earlier lanes of the warp have together, from the scan over lanes.
Before ScanEmitter::beforeLane(const Values &scanned) {
  if (plan.lanes.empty())
    return {};
  uint32_t mask = laneMask();
  constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
  // Counting by one inside the masked bits: the others are made such that a carry or borrow passes.
  Value own = laneBits(mask);
  Value start =
      reverse ? arith::OrIOp::create(b, loc, own, code.i32(allLanes & ~mask)).getResult() : own;
  Value next = arith::AddIOp::create(b, loc, start, code.i32(reverse ? 1 : -1));
  Value inside = arith::AndIOp::create(b, loc, next, code.i32(mask));
  Value lane = arith::OrIOp::create(b, loc, inside, laneBits(allLanes & ~mask));
  Before before;
  for (Value vector : scanned)
    before.values.push_back(code.shuffleFrom(vector, lane));
  Value end = code.i32(reverse ? mask : 0);
  before.exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, end);
  return before;
}

//===----------------------------------------------------------------------===//
// CTA
//===----------------------------------------------------------------------===//

/// The address of the total of register `reg` of source `source`, of the thread's rows but of warp
/// `warp` along the axis (null: of the thread's own).
Value ScanEmitter::slot(unsigned source, uint32_t reg, Value warp) {
  auto layout = layoutOf(op.getSrcs()[0].getType());
  SmallVector<uint64_t> own, ofPart;
  uint64_t place = numWarps();
  for (unsigned bit = 0; bit < kWarpBits; ++bit) {
    bool isAlong = laneMask() >> bit & 1;
    own.push_back(isAlong ? 0 : place);
    place <<= isAlong ? 0 : 1;
  }
  for (unsigned bit = 0; bit < layout.numBases(InDim::Warp); ++bit) {
    auto it = llvm::find(plan.warps, 1u << bit);
    bool isAlong = it != plan.warps.end();
    own.push_back(isAlong ? (warp ? 0 : 1u << (it - plan.warps.begin())) : place);
    place <<= isAlong ? 0 : 1;
  }
  Value index = code.linear(code.threadId(), own, reg * place);
  if (warp)
    index = arith::AddIOp::create(b, loc, index, warp);
  return code.sharedAddress(scratch[source], index,
                            byteSize(elementOf(op.getSrcs()[source].getType())));
}

/// The totals of all warps, in the order of their numbers along the axis.
SmallVector<Values> ScanEmitter::warpTotals(const Values &scanned) {
  {
    OpBuilder::InsertionGuard guard(b);
    if (uint32_t mask = laneMask()) {
      Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, laneBits(mask),
                                           code.i32(reverse ? 0 : mask));
      auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    for (auto [source, vector] : llvm::enumerate(scanned)) {
      Value stored = code.toShared(vector);
      for (int64_t reg = 0; reg < registersOf(scanned); ++reg)
        LLVM::StoreOp::create(b, loc, code.extract(stored, reg), slot(source, reg, Value()));
    }
  }
  code.barrier();
  SmallVector<Values> totals(numWarps());
  for (uint32_t warp = 0; warp < numWarps(); ++warp)
    for (auto [source, vector] : llvm::enumerate(scanned)) {
      auto type = cast<VectorType>(vector.getType());
      Type element = cast<VectorType>(code.toShared(vector).getType()).getElementType();
      SmallVector<Value> read;
      for (int64_t reg = 0; reg < registersOf(scanned); ++reg)
        read.push_back(LLVM::LoadOp::create(b, loc, element, slot(source, reg, code.i32(warp))));
      totals[warp].push_back(code.fromShared(code.fromElements(read), type));
    }
  return totals;
}

/// For each piece, what the earlier warps have of it, and all of what earlier pieces have.
SmallVector<Before> ScanEmitter::beforePieces(const Values &scanned) {
  SmallVector<Before> result(numHigh());
  bool crossesWarps = !plan.warps.empty();
  if (!crossesWarps && numHigh() == 1)
    return result;
  SmallVector<Values> totals;
  if (crossesWarps) {
    totals = warpTotals(scanned);
  } else {
    // The last lane has the warp's totals.
    uint32_t mask = laneMask();
    constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
    Values all(scanned);
    if (mask) {
      Value last =
          arith::OrIOp::create(b, loc, laneBits(allLanes & ~mask), code.i32(reverse ? 0 : mask));
      for (Value &vector : all)
        vector = code.shuffleFrom(vector, last);
    }
    totals.push_back(all);
  }
  uint32_t warpBits = spread(~0u, plan.warps) << kWarpBits;
  int64_t rows = registersOf(scanned) / numHigh();
  Values carried;
  for (uint32_t i = 0; i < numHigh(); ++i) {
    uint32_t high = inOrder(i, numHigh());
    Before &before = result[high];
    for (uint32_t j = 0; j < numWarps(); ++j) {
      uint32_t warp = inOrder(j, numWarps());
      if (crossesWarps && !carried.empty()) {
        Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, laneBits(warpBits),
                                            code.i32(spread(warp, plan.warps) << kWarpBits));
        before.values = before.values.empty() ? carried : select(isOwn, carried, before.values);
      } else {
        before.values = carried;
      }
      Values total;
      for (Value vector : totals[warp])
        total.push_back(code.slice(vector, high * rows, rows));
      carried = carried.empty() ? total : combine(carried, total);
    }
    if (i == 0 && crossesWarps)
      before.exists =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, laneBits(warpBits),
                                code.i32(spread(inOrder(0, numWarps()), plan.warps) << kWarpBits));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

Before ScanEmitter::join(const Before &earlier, const Before &later) {
  if (earlier.values.empty() || later.values.empty())
    return earlier.values.empty() ? later : earlier;
  Values both = combine(earlier.values, later.values);
  if (later.exists)
    both = select(later.exists, both, earlier.values);
  if (!earlier.exists)
    return {both, {}};
  both = select(earlier.exists, both, later.values);
  Value exists = later.exists
                     ? arith::OrIOp::create(b, loc, earlier.exists, later.exists).getResult()
                     : Value();
  return {both, exists};
}

Values ScanEmitter::finish(const Values &sources, const Before &lanes,
                           ArrayRef<Before> beforePiece) {
  int64_t count = registersOf(sources);
  SmallVector<SmallVector<Value>> parts(sources.size());
  SmallVector<int64_t> order(count);
  int64_t position = 0;
  for (uint32_t high = 0; high < numHigh(); ++high) {
    Before lane = lanes;
    int64_t rows = registersOf(pieces[high][0]);
    for (Value &vector : lane.values)
      vector = code.slice(vector, high * rows, rows);
    Before before = join(beforePiece[high], lane);
    for (uint32_t low = 0; low < numLow(); ++low) {
      Values values = pieces[high][low];
      if (!before.values.empty()) {
        Values combined = combine(before.values, values);
        values = before.exists ? select(before.exists, combined, values) : combined;
      }
      for (auto [part, value] : llvm::zip_equal(parts, values))
        part.push_back(value);
      for (int64_t reg : registersAt(low, high))
        order[reg] = position++;
    }
  }
  Values results;
  for (auto &part : parts)
    results.push_back(code.permute(code.concat(part), order));
  return results;
}

Values ScanEmitter::emit(const Values &sources) {
  scanThread(sources);
  Values totals;
  for (unsigned source = 0; source < sources.size(); ++source) {
    SmallVector<Value> ofPieces;
    for (const SmallVector<Values> &piece : pieces)
      ofPieces.push_back(piece[inOrder(numLow() - 1, numLow())][source]);
    totals.push_back(code.concat(ofPieces));
  }
  totals = scanLanes(totals);
  Before lanes = beforeLane(totals);
  return finish(sources, lanes, beforePieces(totals));
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

struct ScanPattern : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = planScan(layoutOf(op.getSrcs()[0].getType()), op.getAxis());
    if (!plan)
      return op.emitOpError() << "cannot scan in this layout: the bits of the axis must be bits of "
                                 "registers, lanes, warps and again registers, in this order";
    if (!plan->warps.empty() && op.getScratch().empty())
      return op.emitOpError()
             << "combines what several warps hold; run tile-expand-exchanges first";
    rewriter.replaceOp(
        op, ScanEmitter(op, *plan, adaptor.getScratch(), rewriter).emit(Values(adaptor.getSrcs())));
    return success();
  }
};

} // namespace

void tilec::tile::populateScanPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<ScanPattern>(converter, patterns.getContext());
}
