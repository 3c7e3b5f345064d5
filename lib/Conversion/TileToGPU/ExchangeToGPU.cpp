//===- ExchangeToGPU.cpp - flip, gather, histogram ---------------*- C++ -*-===//
//
// The index along a flipped dimension changes in all its bits. Because layouts are linear, the
// element that belongs here is in every thread at one and the same distance of registers, lanes and
// warps: a permutation of registers and a shuffle, or a trip through shared memory.
//
// A gather writes its source to shared memory, in row-major order and in rounds if it is large, and
// reads where the indices say. A histogram counts there by atomic additions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/Scratch.h"
#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

static int64_t sizeOf(Value vector) { return cast<VectorType>(vector.getType()).getDimSize(0); }

static Type elementTypeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getElementType();
}

static Value scratchOf(ThreadCode &code, Operation *op) {
  return code.sharedBase(op, op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr).getInt());
}

/// Runs what `emit` writes only where `condition` (null: everywhere) holds.
static void emitIf(ThreadCode &code, Value condition, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(code.builder());
  if (condition) {
    auto branch = scf::IfOp::create(code.builder(), code.location(), condition,
                                    /*withElseRegion=*/false);
    code.builder().setInsertionPointToStart(branch.thenBlock());
  }
  emit();
}

static LogicalResult needsScratch(Operation *op) {
  if (op->hasAttr(kSharedOffsetAttr))
    return success();
  return op->emitOpError() << "needs shared memory; run tile-allocate-shared first";
}

//===----------------------------------------------------------------------===//
// flip
//===----------------------------------------------------------------------===//

namespace {

struct FlipPattern : OpConversionPattern<FlipOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FlipOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = layoutOf(op.getType());
    HwPoint distance = pointOf(layout, layout.axisMask(op.getAxis()));
    ThreadCode code(rewriter, op.getLoc());
    if (distance.warp != 0) {
      if (failed(needsScratch(op)))
        return failure();
      rewriter.replaceOp(op, throughShared(code, op, adaptor.getSrc(), distance));
      return success();
    }
    SmallVector<int64_t> order;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
      order.push_back(reg ^ distance.reg);
    Value flipped = code.permute(adaptor.getSrc(), order);
    if (distance.lane != 0)
      flipped = code.shuffleXor(flipped, distance.lane);
    rewriter.replaceOp(op, flipped);
    return success();
  }

private:
  /// Each thread writes its registers side by side with those of its neighbours, and reads the
  /// places of the thread at the distance, some registers at a time.
  static Value throughShared(ThreadCode &code, FlipOp op, Value source, HwPoint distance) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    auto type = cast<VectorType>(source.getType());
    Value stored = code.toShared(source), base = scratchOf(code, op);
    int64_t bytes = byteSize(elementOf(op.getType()));
    int64_t threads = getLaunchShape(op->getParentOfType<func::FuncOp>()).numWarps << kWarpBits;
    int64_t perRound = type.getDimSize(0) / getFlipRounds(op);
    uint32_t partner = distance.lane | distance.warp << kWarpBits;
    Value own = code.threadId();
    Value other = arith::XOrIOp::create(b, loc, own, code.i32(partner));
    auto slot = [&](Value thread, int64_t reg) {
      Value index = arith::AddIOp::create(b, loc, thread, code.i32(reg % perRound * threads));
      return code.sharedAddress(base, index, bytes);
    };
    SmallVector<Value> results(type.getDimSize(0));
    for (int64_t start = 0; start < type.getDimSize(0); start += perRound) {
      if (start > 0 || op->hasAttr(kSharedBarrierAttr))
        code.barrier();
      for (int64_t reg = start; reg < start + perRound; ++reg)
        LLVM::StoreOp::create(b, loc, code.extract(stored, reg), slot(own, reg));
      code.barrier();
      for (int64_t reg = start; reg < start + perRound; ++reg)
        results[reg ^ distance.reg] =
            LLVM::LoadOp::create(b, loc, elementTypeOf(stored), slot(other, reg));
    }
    return code.fromShared(code.fromElements(results), type);
  }
};

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

struct GatherPattern : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(needsScratch(op)))
      return failure();
    ThreadCode code(rewriter, op.getLoc());
    SmallVector<Value> places = placesOf(code, op, adaptor.getIndices());
    Value stored = code.toShared(adaptor.getSrc());
    int64_t elements = cast<RankedTensorType>(op.getSrc().getType()).getNumElements();
    int64_t rounds = getConversionRounds(elements * byteSize(elementOf(op.getType())));
    SmallVector<Value> results(places.size());
    for (int64_t round = 0; round < rounds; ++round) {
      if (round > 0 || op->hasAttr(kSharedBarrierAttr))
        code.barrier();
      writeRound(code, op, stored, round, elements / rounds);
      code.barrier();
      readRound(code, op, elementTypeOf(stored), places, results, round, elements / rounds);
    }
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    rewriter.replaceOp(op, code.fromShared(code.fromElements(results), type));
    return success();
  }

private:
  /// For each register of the result, the row-major index of the source's element.
  static SmallVector<Value> placesOf(ThreadCode &code, GatherOp op, Value indices) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    LinearLayout layout = layoutOf(op.getType()), source = layoutOf(op.getSrc().getType());
    unsigned axis = op.getAxis();
    auto toSource = [&](uint64_t flat) {
      Coords coords = layout.unflatten(flat);
      coords[axis] = 0;
      return source.flatten(coords);
    };
    auto basesOf = [&](InDim dim) {
      SmallVector<uint64_t> bases;
      for (uint64_t basis : layout.flatBases(dim))
        bases.push_back(toSource(basis));
      return bases;
    };
    SmallVector<uint64_t> lanes = basesOf(InDim::Lane), warps = basesOf(InDim::Warp);
    Type type = elementTypeOf(indices);
    Value most = arith::ConstantIntOp::create(b, loc, type, source.shape()[axis] - 1);
    SmallVector<Value> places;
    for (int64_t reg = 0; reg < sizeOf(indices); ++reg) {
      // An index outside must not lead outside of the scratch.
      Value index = arith::MinUIOp::create(b, loc, code.extract(indices, reg), most);
      if (type != b.getI32Type())
        index = arith::TruncIOp::create(b, loc, b.getI32Type(), index);
      index = arith::ShLIOp::create(b, loc, index, code.i32(source.axisShift(axis)));
      Value rest =
          code.linearOfThread(lanes, warps, toSource(layout.applyFlat(InDim::Register, reg)));
      places.push_back(arith::OrIOp::create(b, loc, rest, index));
    }
    return places;
  }

  static Value isIn(ThreadCode &code, Value place, int64_t round, int64_t perRound) {
    Value own = arith::ShRUIOp::create(code.builder(), code.location(), place,
                                       code.i32(llvm::Log2_64(perRound)));
    return arith::CmpIOp::create(code.builder(), code.location(), arith::CmpIPredicate::eq, own,
                                 code.i32(round));
  }

  static Value addressOf(ThreadCode &code, GatherOp op, Value place, int64_t perRound) {
    Value inside =
        arith::AndIOp::create(code.builder(), code.location(), place, code.i32(perRound - 1));
    return code.sharedAddress(scratchOf(code, op), inside, byteSize(elementOf(op.getType())));
  }

  static void writeRound(ThreadCode &code, GatherOp op, Value stored, int64_t round,
                         int64_t perRound) {
    LinearLayout layout = layoutOf(op.getSrc().getType());
    bool isWhole = uint64_t(perRound) == layout.numElements();
    for (int64_t reg = 0; reg < sizeOf(stored); ++reg) {
      Value place =
          code.linearOfThread(layout.flatBases(InDim::Lane), layout.flatBases(InDim::Warp),
                              layout.applyFlat(InDim::Register, reg));
      emitIf(code, isWhole ? Value() : isIn(code, place, round, perRound), [&] {
        LLVM::StoreOp::create(code.builder(), code.location(), code.extract(stored, reg),
                              addressOf(code, op, place, perRound));
      });
    }
  }

  static void readRound(ThreadCode &code, GatherOp op, Type element, ArrayRef<Value> places,
                        MutableArrayRef<Value> results, int64_t round, int64_t perRound) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    for (auto [place, result] : llvm::zip_equal(places, results)) {
      Value loaded = LLVM::LoadOp::create(b, loc, element, addressOf(code, op, place, perRound));
      result = result ? arith::SelectOp::create(b, loc, isIn(code, place, round, perRound), loaded,
                                                result)
                            .getResult()
                      : loaded;
    }
  }
};

//===----------------------------------------------------------------------===//
// histogram
//===----------------------------------------------------------------------===//

struct HistogramPattern : OpConversionPattern<HistogramOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(HistogramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(needsScratch(op)))
      return failure();
    ThreadCode code(rewriter, op.getLoc());
    if (op->hasAttr(kSharedBarrierAttr))
      code.barrier();
    Value base = scratchOf(code, op);
    clear(code, op, base);
    code.barrier();
    count(code, op, base, adaptor.getSrc(), adaptor.getMask());
    code.barrier();
    LinearLayout layout = layoutOf(op.getType());
    SmallVector<Value> counts;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      Value bin = code.linearOfThread(layout.flatBases(InDim::Lane), layout.flatBases(InDim::Warp),
                                      layout.applyFlat(InDim::Register, reg));
      counts.push_back(LLVM::LoadOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                            code.sharedAddress(base, bin, kCountBytes)));
    }
    rewriter.replaceOp(op, code.fromElements(counts));
    return success();
  }

private:
  static constexpr int64_t kCountBytes = 4;

  static int64_t binsOf(HistogramOp op) {
    return cast<RankedTensorType>(op.getType()).getNumElements();
  }

  static void clear(ThreadCode &code, HistogramOp op, Value base) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    int64_t bins = binsOf(op);
    int64_t threads = getLaunchShape(op->getParentOfType<func::FuncOp>()).numWarps << kWarpBits;
    for (int64_t start = 0; start < bins; start += threads) {
      Value bin = arith::AddIOp::create(b, loc, code.threadId(), code.i32(start));
      Value exists = bins % threads == 0 ? Value()
                                         : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                                                 bin, code.i32(bins))
                                               .getResult();
      emitIf(code, exists, [&] {
        LLVM::StoreOp::create(b, loc, code.i32(0), code.sharedAddress(base, bin, kCountBytes));
      });
    }
  }

  /// Of places that hold copies of an element, the first counts it.
  static void count(ThreadCode &code, HistogramOp op, Value base, Value values, Value masks) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    LinearLayout layout = layoutOf(op.getSrc().getType());
    Value first = code.isFirstCopy(layout);
    Value limit = arith::ConstantIntOp::create(b, loc, elementTypeOf(values), binsOf(op));
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      if (reg & layout.freeBits(InDim::Register))
        continue;
      Value value = code.extract(values, reg);
      Value counted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, limit);
      for (Value also : {masks ? code.extract(masks, reg) : Value(), first})
        if (also)
          counted = arith::AndIOp::create(b, loc, counted, also);
      emitIf(code, counted, [&] {
        Value bin = value;
        if (bin.getType() != b.getI32Type())
          bin = arith::TruncIOp::create(b, loc, b.getI32Type(), bin);
        LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add,
                                  code.sharedAddress(base, bin, kCountBytes), code.i32(1),
                                  LLVM::AtomicOrdering::monotonic);
      });
    }
  }
};

} // namespace

void mlir::tile::populateExchangePatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<FlipPattern, GatherPattern, HistogramPattern>(converter, patterns.getContext());
}
