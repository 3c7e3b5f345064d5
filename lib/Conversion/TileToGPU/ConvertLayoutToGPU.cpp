//===- ConvertLayoutToGPU.cpp - moving elements between threads -*- C++ -*-===//
//
// planConversion names the cheapest means: nothing, a permutation of registers, shuffles inside a warp,
// or shared memory with a swizzle under which both the stores and the loads are free of bank conflicts.
//
// A tile that is larger than the scratch goes through it in rounds: the high bits of an element's offset
// say in which round it moves. Where those bits depend on the thread, a thread stores only in the round
// that is its own, and loads in every round but keeps what its own round brought.
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
  /// Where one access goes in one round; `isMine` is null when every thread takes part.
  struct Slot {
    Value address;
    Value isMine;
  };
  std::optional<Slot> slotInRound(const SharedPlan &plan, const LinearLayout &layout, Value base,
                                  uint32_t reg, uint64_t round);
  void storeRound(const SharedPlan &plan, Value base, Value stored, uint64_t round);
  void loadRound(const SharedPlan &plan, Value base, SmallVectorImpl<Value> &pieces,
                 uint64_t round);

  ConvertLayoutOp op;
  LinearLayout source, result;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
  /// Through shared memory: bytes of an element there, and elements of one round.
  int64_t elementBytes = 0;
  uint64_t roundElements = 0;
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

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<ConversionEmitter::Slot>
ConversionEmitter::slotInRound(const SharedPlan &plan, const LinearLayout &layout, Value base,
                               uint32_t reg, uint64_t round) {
  std::array<SmallVector<uint64_t>, kNumInDims> inside, roundBits;
  bool sameRound = true;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t basis : plan.layout.offsetBases(layout, dim)) {
      inside[unsigned(dim)].push_back(basis % roundElements);
      roundBits[unsigned(dim)].push_back(basis / roundElements);
      sameRound &= basis < roundElements;
    }
  auto ofPlace = [&](ArrayRef<SmallVector<uint64_t>> bases, uint64_t constant) {
    return code.linearOfPlace(bases[unsigned(InDim::Lane)], bases[unsigned(InDim::Warp)],
                              bases[unsigned(InDim::Block)], constant);
  };
  uint64_t constant = plan.layout.offset(layout.applyFlat(InDim::Register, reg));
  Slot slot;
  if (sameRound) {
    if (constant / roundElements != round)
      return std::nullopt;
  } else {
    Value own = ofPlace(roundBits, constant / roundElements);
    slot.isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, code.i32(round));
  }
  Value offset = ofPlace(inside, constant % roundElements);
  slot.address = code.sharedAddress(base, offset, elementBytes);
  return slot;
}

void ConversionEmitter::storeRound(const SharedPlan &plan, Value base, Value stored,
                                   uint64_t round) {
  // Of threads that hold copies, the first stores.
  Value first = code.threadBitsAreZero(source.freeBits(InDim::Lane) |
                                       source.freeBits(InDim::Warp) << kWarpBits);
  for (const std::vector<uint32_t> &registers : plan.store.vectors) {
    std::optional<Slot> slot = slotInRound(plan, source, base, registers[0], round);
    if (!slot)
      continue;
    Value condition = slot->isMine ? slot->isMine : first;
    if (slot->isMine && first)
      condition = arith::AndIOp::create(b, loc, slot->isMine, first);
    Value piece = code.permute(stored, SmallVector<int64_t>(registers.begin(), registers.end()));
    OpBuilder::InsertionGuard guard(b);
    if (condition) {
      auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    LLVM::StoreOp::create(b, loc, piece, slot->address, elementBytes * plan.store.vecElems);
  }
}

void ConversionEmitter::loadRound(const SharedPlan &plan, Value base,
                                  SmallVectorImpl<Value> &pieces, uint64_t round) {
  for (auto [registers, piece] : llvm::zip(plan.load.vectors, pieces)) {
    std::optional<Slot> slot = slotInRound(plan, result, base, registers[0], round);
    if (!slot)
      continue;
    auto type = VectorType::get({int64_t(registers.size())}, b.getIntegerType(8 * elementBytes));
    Value loaded = LLVM::LoadOp::create(b, loc, type, slot->address,
                                        elementBytes * plan.load.vecElems);
    // The first round may bring every thread something; later ones replace what is not its own.
    piece = piece && slot->isMine
                ? arith::SelectOp::create(b, loc, slot->isMine, loaded, piece).getResult()
                : loaded;
  }
}

Value ConversionEmitter::throughShared(const SharedPlan &plan, Value vector, VectorType type) {
  Value base = code.sharedBase(op, op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr).getInt());
  elementBytes = byteSize(elementOf(op.getType()));
  uint64_t rounds = getConversionRounds(plan.layout.numElements() * elementBytes);
  roundElements = plan.layout.numElements() / rounds;
  Value stored = code.toWords(vector, 8 * elementBytes);
  SmallVector<Value> pieces(plan.load.vectors.size());
  for (uint64_t round = 0; round < rounds; ++round) {
    if (round > 0 || op->hasAttr(kSharedBarrierAttr))
      code.barrier();
    storeRound(plan, base, stored, round);
    code.barrier();
    loadRound(plan, base, pieces, round);
  }
  SmallVector<int64_t> order(type.getDimSize(0));
  int64_t position = 0;
  for (const std::vector<uint32_t> &registers : plan.load.vectors)
    for (uint32_t reg : registers)
      order[reg] = position++;
  return code.fromWords(code.permute(code.concat(pieces), order), type);
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
