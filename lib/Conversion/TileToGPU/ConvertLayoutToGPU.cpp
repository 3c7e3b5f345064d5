//===- ConvertLayoutToGPU.cpp - moving elements between threads -*- C++ -*-===//
//
// planConversion names the cheapest means: nothing, a permutation of registers, shuffles inside a warp,
// or shared memory with a swizzle under which both the stores and the loads are free of bank conflicts.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Swizzle.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

namespace {

class ConversionEmitter {
public:
  ConversionEmitter(ConvertLayoutOp op, OpBuilder &builder)
      : op(op), source(layoutOf(op.getSrc().getType())), result(layoutOf(op.getType())),
        code(builder, op.getLoc()), b(builder), loc(op.getLoc()) {}

  Value throughShuffles(const ShufflePlan &plan, Value vector);
  Value throughShared(const SharedPlan &plan, Value vector, VectorType type);

private:
  Value select(const ShufflePlan &plan, ArrayRef<Value> candidates);
  Value selectorBit(const BitSelector &selector);
  void store(const SharedPlan &plan, Value base, Value stored);
  Value address(const SharedPlan &plan, const LinearLayout &layout, Value base, uint32_t reg,
                int64_t bytes);

  ConvertLayoutOp op;
  LinearLayout source, result;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The parity of the bits of the thread's number that the selector looks at, as i1.
Value ConversionEmitter::selectorBit(const BitSelector &selector) {
  SmallVector<uint64_t> bases;
  for (unsigned bit = 0; bit < 32; ++bit)
    bases.push_back(bit < kWarpBits ? selector.lane >> bit & 1
                                    : selector.warp >> (bit - kWarpBits) & 1);
  Value parity = code.linear(code.threadId(), bases);
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
  SmallVector<Value> registers;
  for (const ShufflePlan::Register &reg : plan.registers) {
    SmallVector<Value> candidates;
    for (uint32_t candidate : reg.candidates) {
      Value one = code.slice(vector, candidate, 1);
      if (!plan.sameLane)
        one = code.shuffleFrom(one, code.linearOfThread(lanes, warps, reg.laneXor));
      else if (reg.laneXor != 0)
        one = code.shuffleXor(one, reg.laneXor);
      candidates.push_back(one);
    }
    registers.push_back(select(plan, candidates));
  }
  return code.concat(registers);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value ConversionEmitter::address(const SharedPlan &plan, const LinearLayout &layout, Value base,
                                 uint32_t reg, int64_t bytes) {
  std::vector<uint64_t> lanes = plan.layout.offsetBases(layout, InDim::Lane);
  std::vector<uint64_t> warps = plan.layout.offsetBases(layout, InDim::Warp);
  uint64_t constant = plan.layout.offset(layout.applyFlat(InDim::Register, reg));
  return code.sharedAddress(base, code.linearOfThread(lanes, warps, constant), bytes);
}

void ConversionEmitter::store(const SharedPlan &plan, Value base, Value stored) {
  int64_t bytes = cast<VectorType>(stored.getType()).getElementTypeBitWidth() / 8;
  // Of threads that hold copies, the first stores.
  Value mine = code.threadBitsAreZero(source.freeBits(InDim::Lane) |
                                      source.freeBits(InDim::Warp) << kWarpBits);
  OpBuilder::InsertionGuard guard(b);
  if (mine) {
    auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (const std::vector<uint32_t> &registers : plan.store.vectors) {
    Value piece = code.permute(stored, SmallVector<int64_t>(registers.begin(), registers.end()));
    LLVM::StoreOp::create(b, loc, piece, address(plan, source, base, registers[0], bytes),
                          bytes * plan.store.vecElems);
  }
}

Value ConversionEmitter::throughShared(const SharedPlan &plan, Value vector, VectorType type) {
  Value base = code.sharedBase(op, op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr).getInt());
  if (op->hasAttr(kSharedBarrierAttr))
    code.barrier();
  Value stored = code.toShared(vector);
  store(plan, base, stored);
  code.barrier();
  auto storedType = cast<VectorType>(stored.getType());
  int64_t bytes = storedType.getElementTypeBitWidth() / 8;
  SmallVector<Value> pieces;
  SmallVector<int64_t> order(type.getDimSize(0));
  int64_t position = 0;
  for (const std::vector<uint32_t> &registers : plan.load.vectors) {
    auto pieceType = VectorType::get({int64_t(registers.size())}, storedType.getElementType());
    pieces.push_back(LLVM::LoadOp::create(b, loc, pieceType,
                                          address(plan, result, base, registers[0], bytes),
                                          bytes * plan.load.vecElems));
    for (uint32_t reg : registers)
      order[reg] = position++;
  }
  return code.fromShared(code.permute(code.concat(pieces), order), type);
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
    ConversionEmitter emitter(op, rewriter);
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    switch (plan->kind) {
    case ConversionKind::Identity:
    case ConversionKind::Registers: {
      SmallVector<int64_t> order(plan->registers.begin(), plan->registers.end());
      rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).permute(adaptor.getSrc(), order));
      return success();
    }
    case ConversionKind::Shuffle:
      rewriter.replaceOp(op, emitter.throughShuffles(plan->shuffle, adaptor.getSrc()));
      return success();
    case ConversionKind::Shared:
      break;
    }
    if (!op->hasAttr(kSharedOffsetAttr))
      return op.emitOpError() << "needs shared memory; run tile-allocate-shared first";
    unsigned bits = 8 * byteSize(elementOf(op.getType()));
    std::optional<SharedPlan> shared = chooseSwizzle(source, result, bits, error);
    if (!shared)
      return op.emitOpError() << "cannot go through shared memory: " << error;
    rewriter.replaceOp(op, emitter.throughShared(*shared, adaptor.getSrc(), type));
    return success();
  }
};

} // namespace

void mlir::tile::populateConvertLayoutPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<ConvertLayoutPattern>(converter, patterns.getContext());
}
