//===- AtomicToGPU.cpp - atomic operations and barriers ----------*- C++ -*-===//
//
// Each element is one predicated `atom` instruction. Of threads that hold copies, the first
// executes it; if the result is used, it goes from there to the others, by a shuffle or through
// shared memory.
//
// A scalar operation stands for the whole program: with release semantics all threads of the CTA
// wait before it, so that what they wrote is released with it, and with acquire semantics they wait
// after it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/Scratch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

/// PTX adds bf16 from here on; before, a loop of compare-and-swap does.
static constexpr unsigned kBF16AddCapability = 90;

//===----------------------------------------------------------------------===//
// One instruction
//===----------------------------------------------------------------------===//

static StringRef operationName(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return "add";
  case AtomicKind::And:
    return "and";
  case AtomicKind::Or:
    return "or";
  case AtomicKind::Xor:
    return "xor";
  case AtomicKind::MaxS:
  case AtomicKind::MaxU:
    return "max";
  case AtomicKind::MinS:
  case AtomicKind::MinU:
    return "min";
  case AtomicKind::Exchange:
    return "exch";
  }
  llvm_unreachable("all kinds are covered");
}

/// The type suffix: signed for maxima of signed integers, bits for what has no arithmetic.
static std::string typeName(AtomicKind kind, Type element) {
  std::string bits = std::to_string(element.getIntOrFloatBitWidth());
  if (isa<FloatType>(element))
    return element.isF16() ? "noftz.f16" : element.isBF16() ? "noftz.bf16" : "f" + bits;
  switch (kind) {
  case AtomicKind::Add:
  case AtomicKind::MaxU:
  case AtomicKind::MinU:
    return "u" + bits;
  case AtomicKind::MaxS:
  case AtomicKind::MinS:
    return "s" + bits;
  default:
    return "b" + bits;
  }
}

static std::string prefixOf(MemSemantic sem, MemScope scope) {
  return ("atom." + stringifyMemSemantic(sem) + "." + stringifyMemScope(scope) + ".global.").str();
}

namespace {

class AtomicEmitter {
public:
  AtomicEmitter(OpBuilder &builder, Location loc, unsigned capability)
      : code(builder, loc), b(builder), loc(loc), capability(capability) {}

  /// One instruction on one element; `predicate` may be null.
  Value change(AtomicRMWOp op, Value ptr, Value value, Value predicate);
  Value exchange(AtomicCASOp op, Value ptr, Value expected, Value value, Value predicate);

  /// The vector with the registers of the first copies everywhere.
  Value spread(Operation *op, Value vector, const LinearLayout &layout, bool hasWaited);

  ThreadCode code;

private:
  Value instruction(StringRef opcode, ArrayRef<Value> operands, Value predicate);
  Value addBF16(AtomicRMWOp op, Value ptr, Value value, Value predicate);

  OpBuilder &b;
  Location loc;
  unsigned capability;
};

} // namespace

/// `operands` are the address and the values, of one type each.
Value AtomicEmitter::instruction(StringRef opcode, ArrayRef<Value> operands, Value predicate) {
  Type element = operands[1].getType();
  unsigned bits = element.getIntOrFloatBitWidth();
  Type word = b.getIntegerType(bits);
  StringRef constraint = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  SmallVector<Value> inputs = {operands[0]};
  std::string constraints = ("=&" + constraint + ",l").str(), text;
  for (Value operand : operands.drop_front()) {
    inputs.push_back(LLVM::BitcastOp::create(b, loc, word, operand));
    constraints += ("," + constraint).str();
  }
  if (predicate) {
    // What is not executed must still define the result.
    text = "mov.b" + std::to_string(bits) + " $0, 0; @$" + std::to_string(inputs.size() + 1) + " ";
    inputs.push_back(predicate);
    constraints += ",b";
  }
  text += (opcode + " $0, [$1]").str();
  for (unsigned i = 1; i < operands.size(); ++i)
    text += ", $" + std::to_string(i + 1);
  text += ";";
  auto op =
      LLVM::InlineAsmOp::create(b, loc, TypeRange(word), inputs, text, constraints + ",~{memory}",
                                /*has_side_effects=*/true, /*is_align_stack=*/false,
                                LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return LLVM::BitcastOp::create(b, loc, element, op->getResult(0));
}

Value AtomicEmitter::addBF16(AtomicRMWOp op, Value ptr, Value value, Value predicate) {
  auto add = [&](OpBuilder &builder) -> Value {
    StringRef scope = op.getScope() == MemScope::System ? ""
                      : op.getScope() == MemScope::CTA  ? "block"
                                                        : "device";
    LLVM::AtomicOrdering orders[] = {LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::acquire,
                                     LLVM::AtomicOrdering::release, LLVM::AtomicOrdering::acq_rel};
    return LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::fadd, ptr, value,
                                     orders[unsigned(op.getSem())], scope);
  };
  if (!predicate)
    return add(b);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  auto branch = scf::IfOp::create(
      b, loc, predicate,
      [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, add(builder)); },
      [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, zero); });
  return branch.getResult(0);
}

Value AtomicEmitter::change(AtomicRMWOp op, Value ptr, Value value, Value predicate) {
  if (value.getType().isBF16() && capability < kBF16AddCapability)
    return addBF16(op, ptr, value, predicate);
  std::string opcode = prefixOf(op.getSem(), op.getScope()) + operationName(op.getKind()).str() +
                       "." + typeName(op.getKind(), value.getType());
  return instruction(opcode, {ptr, value}, predicate);
}

Value AtomicEmitter::exchange(AtomicCASOp op, Value ptr, Value expected, Value value,
                              Value predicate) {
  std::string opcode = prefixOf(op.getSem(), op.getScope()) + "cas." +
                       typeName(AtomicKind::Exchange, value.getType());
  return instruction(opcode, {ptr, expected, value}, predicate);
}

Value AtomicEmitter::spread(Operation *op, Value vector, const LinearLayout &layout,
                            bool hasWaited) {
  uint32_t lanes = layout.freeBits(InDim::Lane);
  if (!op->hasAttr(kSharedOffsetAttr)) {
    constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
    if (lanes == 0)
      return vector;
    Value first = arith::AndIOp::create(b, loc, code.threadId(), code.i32(allLanes & ~lanes));
    return code.shuffleFrom(vector, first);
  }
  if (op->hasAttr(kSharedBarrierAttr) && !hasWaited)
    code.barrier();
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value base = code.sharedBase(op, op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr).getInt());
  auto slot = [&](uint32_t reg) {
    Value index = code.linearOfThread(layout.flatBases(InDim::Lane), layout.flatBases(InDim::Warp),
                                      layout.applyFlat(InDim::Register, reg));
    return code.sharedAddress(base, index, bytes);
  };
  {
    OpBuilder::InsertionGuard guard(b);
    auto branch = scf::IfOp::create(b, loc, code.isFirstCopy(layout), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    for (int64_t reg = 0; reg < type.getDimSize(0); ++reg)
      if ((reg & layout.freeBits(InDim::Register)) == 0)
        LLVM::StoreOp::create(b, loc, code.extract(vector, reg), slot(reg));
  }
  code.barrier();
  SmallVector<Value> read;
  for (int64_t reg = 0; reg < type.getDimSize(0); ++reg)
    read.push_back(LLVM::LoadOp::create(b, loc, type.getElementType(), slot(reg)));
  return code.fromElements(read);
}

//===----------------------------------------------------------------------===//
// The patterns
//===----------------------------------------------------------------------===//

namespace {

/// What both operations share: `apply` writes the instruction for one register.
LogicalResult
convertAtomic(Operation *op, Value mask, MemSemantic sem, unsigned capability,
              ConversionPatternRewriter &rewriter,
              llvm::function_ref<Value(AtomicEmitter &, int64_t reg, Value predicate)> apply) {
  AtomicEmitter emitter(rewriter, op->getLoc(), capability);
  ThreadCode &code = emitter.code;
  bool isScalar = !isa<RankedTensorType>(op->getOperand(0).getType());
  LinearLayout layout = isScalar ? scalarLayout(op) : layoutOf(op->getOperand(0).getType());
  bool releases = isScalar && (sem == MemSemantic::Release || sem == MemSemantic::AcqRel);
  if (releases)
    code.barrier();
  Value mine = code.isFirstCopy(layout);
  uint32_t copies = layout.freeBits(InDim::Register);
  SmallVector<Value> results;
  for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
    if (reg & copies) {
      results.push_back(results[reg & ~copies]);
      continue;
    }
    Value predicate = mine;
    if (mask) {
      predicate = isa<VectorType>(mask.getType()) ? code.extract(mask, reg) : mask;
      if (mine)
        predicate = arith::AndIOp::create(rewriter, op->getLoc(), predicate, mine);
    }
    results.push_back(apply(emitter, reg, predicate));
  }
  Value vector = code.fromElements(results);
  if (!op->use_empty()) {
    vector = emitter.spread(op, vector, layout, releases);
    bool acquires = sem == MemSemantic::Acquire || sem == MemSemantic::AcqRel;
    if (isScalar && acquires && !op->hasAttr(kSharedOffsetAttr))
      code.barrier();
  }
  rewriter.replaceOp(op, isScalar ? code.extract(vector, 0) : vector);
  return success();
}

Value registerOf(ThreadCode &code, Value value, int64_t reg) {
  return isa<VectorType>(value.getType()) ? code.extract(value, reg) : value;
}

struct AtomicRMWPattern : OpConversionPattern<AtomicRMWOp> {
  AtomicRMWPattern(const TypeConverter &converter, MLIRContext *context,
                   const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return convertAtomic(op, adaptor.getMask(), op.getSem(), lowering.computeCapability, rewriter,
                         [&](AtomicEmitter &emitter, int64_t reg, Value predicate) {
                           return emitter.change(
                               op, registerOf(emitter.code, adaptor.getPtr(), reg),
                               registerOf(emitter.code, adaptor.getValue(), reg), predicate);
                         });
  }

  const LoweringContext &lowering;
};

struct AtomicCASPattern : OpConversionPattern<AtomicCASOp> {
  AtomicCASPattern(const TypeConverter &converter, MLIRContext *context,
                   const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return convertAtomic(op, Value(), op.getSem(), lowering.computeCapability, rewriter,
                         [&](AtomicEmitter &emitter, int64_t reg, Value predicate) {
                           return emitter.exchange(
                               op, registerOf(emitter.code, adaptor.getPtr(), reg),
                               registerOf(emitter.code, adaptor.getExpected(), reg),
                               registerOf(emitter.code, adaptor.getValue(), reg), predicate);
                         });
  }

  const LoweringContext &lowering;
};

struct BarrierPattern : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode(rewriter, op.getLoc()).barrier();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::tile::populateAtomicPatterns(const TypeConverter &converter,
                                        const LoweringContext &context,
                                        RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, AtomicCASPattern>(converter, patterns.getContext(), context);
  patterns.add<BarrierPattern>(converter, patterns.getContext());
}
