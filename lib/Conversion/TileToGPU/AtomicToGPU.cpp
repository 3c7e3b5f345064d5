//===- AtomicToGPU.cpp - atomic operations ----------*- C++ -*-===//
//
// Each element is one predicated `atom` instruction; from compute capability 9.0 on, neighbouring
// elements of a thread that are added to are one. Of threads that hold copies, the first
// executes it; if the result is used, it goes from there to the others, by a shuffle or, where they
// are in other warps, through a buffer (tile-expand-exchanges). An order other than relaxed costs a
// fence each time: where a thread has several instructions, one fence before and after all of them
// says the same.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "ScalarCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

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
  case AtomicKind::MaxNum:
  case AtomicKind::MinNum:
    break; // Loops of LLVM's.
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

/// LLVM's name of a scope.
static StringRef syncScope(MemScope scope) {
  return scope == MemScope::System ? "" : scope == MemScope::CTA ? "block" : "device";
}

static bool releases(MemSemantic sem) {
  return sem == MemSemantic::Release || sem == MemSemantic::AcqRel;
}

static bool acquires(MemSemantic sem) {
  return sem == MemSemantic::Acquire || sem == MemSemantic::AcqRel;
}

namespace {

class AtomicEmitter {
public:
  AtomicEmitter(OpBuilder &builder, Location loc, const tilec::GpuArch &target)
      : code(builder, loc), accesses(builder, loc), b(builder), loc(loc), target(target) {}

  /// One instruction on neighbouring elements, the first at `ptr`; `predicate` may be null.
  Values change(AtomicRMWOp op, MemSemantic sem, Value ptr, Values values, Value predicate);
  Value exchange(AtomicCASOp op, MemSemantic sem, Value ptr, Value expected, Value value,
                 Value predicate);
  void fence(MemScope scope);

  /// The vector with the registers of the first copies everywhere.
  Value spread(Value vector, const LinearLayout &layout);

  ThreadCode code;

private:
  Values instruction(StringRef opcode, MemSemantic sem, Value ptr, ArrayRef<Values> operands,
                     Value predicate);
  Value changeInLoop(AtomicRMWOp op, MemSemantic sem, Value ptr, Value value, Value predicate);

  AccessEmitter accesses;
  OpBuilder &b;
  Location loc;
  tilec::GpuArch target;
};

} // namespace

/// `operands` are the values, of one type, each a register or a vector of them; so is the result.
Values AtomicEmitter::instruction(StringRef opcode, MemSemantic sem, Value ptr,
                                  ArrayRef<Values> operands, Value predicate) {
  Type element = operands[0][0].getType();
  Type word = b.getIntegerType(element.getIntOrFloatBitWidth());
  SmallVector<Value> registers;
  for (const Values &operand : operands)
    for (Value value : operand)
      registers.push_back(LLVM::BitcastOp::create(b, loc, word, value));
  // One that orders other accesses is a barrier to them.
  MemoryUse use = sem == MemSemantic::Relaxed ? MemoryUse::ReadWrite : MemoryUse::Anything;
  Values results;
  for (Value result : accesses.call(opcode, use, ptr, predicate, registers, operands[0].size()))
    results.push_back(LLVM::BitcastOp::create(b, loc, element, result));
  return results;
}

/// What no instruction does to a single float of 16 bits: LLVM makes it a loop that exchanges the
/// result if nobody else was faster.
Value AtomicEmitter::changeInLoop(AtomicRMWOp op, MemSemantic sem, Value ptr, Value value,
                                  Value predicate) {
  LLVM::AtomicBinOp operation = op.getKind() == AtomicKind::Add      ? LLVM::AtomicBinOp::fadd
                                : op.getKind() == AtomicKind::MaxNum ? LLVM::AtomicBinOp::fmax
                                                                     : LLVM::AtomicBinOp::fmin;
  auto change = [&](OpBuilder &builder) -> Value {
    LLVM::AtomicOrdering orders[] = {LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::acquire,
                                     LLVM::AtomicOrdering::release, LLVM::AtomicOrdering::acq_rel};
    return LLVM::AtomicRMWOp::create(builder, loc, operation, ptr, value, orders[unsigned(sem)],
                                     syncScope(op.getScope()));
  };
  if (!predicate)
    return change(b);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  auto branch = scf::IfOp::create(
      b, loc, predicate,
      [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, change(builder)); },
      [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, zero); });
  return branch.getResult(0);
}

Values AtomicEmitter::change(AtomicRMWOp op, MemSemantic sem, Value ptr, Values values,
                             Value predicate) {
  Type element = values[0].getType();
  bool isAdd = op.getKind() == AtomicKind::Add;
  if ((isa<FloatType>(element) && !isAdd) ||
      (element.isBF16() && !target.has(tilec::GpuFeature::Bf16Arith)))
    return {changeInLoop(op, sem, ptr, values[0], predicate)};
  std::string type = typeName(op.getKind(), element);
  if (values.size() > 1) {
    // The number of elements stands before the type, and behind what is said of denormals.
    StringRef rest = type;
    bool noftz = rest.consume_front("noftz.");
    type = (noftz ? "noftz.v" : "v") + std::to_string(values.size()) + "." + rest.str();
  }
  return instruction(prefixOf(sem, op.getScope()) + operationName(op.getKind()).str() + "." + type,
                     sem, ptr, {values}, predicate);
}

Value AtomicEmitter::exchange(AtomicCASOp op, MemSemantic sem, Value ptr, Value expected,
                              Value value, Value predicate) {
  std::string opcode =
      prefixOf(sem, op.getScope()) + "cas." + typeName(AtomicKind::Exchange, value.getType());
  return instruction(opcode, sem, ptr, {Values{expected}, Values{value}}, predicate)[0];
}

void AtomicEmitter::fence(MemScope scope) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, syncScope(scope));
}

Value AtomicEmitter::spread(Value vector, const LinearLayout &layout) {
  constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
  uint32_t lanes = layout.freeBits(InDim::Lane);
  if (lanes == 0)
    return vector;
  Value first = arith::AndIOp::create(b, loc, code.threadId(), code.i32(allLanes & ~lanes));
  return code.shuffleFrom(vector, first);
}

//===----------------------------------------------------------------------===//
// The patterns
//===----------------------------------------------------------------------===//

namespace {

/// What both operations share: `apply` writes the instruction for `width` registers from `reg` on.
template <typename Atomic>
LogicalResult convertAtomic(
    Atomic op, Value mask, int64_t width, const tilec::GpuArch &target,
    ConversionPatternRewriter &rewriter,
    llvm::function_ref<Values(AtomicEmitter &, MemSemantic, int64_t reg, Value predicate)> apply) {
  if (op.crossesWarps() && !op.getFirstOnly())
    return op->emitOpError()
           << "has a result that several warps hold; run tile-expand-exchanges first";
  AtomicEmitter emitter(rewriter, op->getLoc(), target);
  ThreadCode &code = emitter.code;
  MemSemantic sem = op.getSem();
  bool isScalar = !isa<RankedTensorType>(op->getOperand(0).getType());
  LinearLayout layout = isScalar ? scalarLayout(op) : layoutOf(op->getOperand(0).getType());
  uint32_t copies = layout.freeBits(InDim::Register);
  uint32_t count = layout.numRegisters() >> llvm::popcount(copies);
  bool fences = count > width;
  if (fences && releases(sem))
    emitter.fence(op.getScope());
  Value mine = code.isFirstCopy(layout);
  SmallVector<Value> results;
  for (uint32_t reg = 0; reg < layout.numRegisters(); reg += width) {
    if (reg & copies) {
      // The vector's copies: copied bits lie above those of a vector.
      for (uint32_t i = 0; i < width; ++i)
        results.push_back(results[(reg + i) & ~copies]);
      continue;
    }
    Value predicate = mine;
    if (mask) {
      predicate = isa<VectorType>(mask.getType()) ? code.extract(mask, reg) : mask;
      if (mine)
        predicate = arith::AndIOp::create(rewriter, op->getLoc(), predicate, mine);
    }
    llvm::append_range(results,
                       apply(emitter, fences ? MemSemantic::Relaxed : sem, reg, predicate));
  }
  if (fences && acquires(sem))
    emitter.fence(op.getScope());
  Value vector = code.fromElements(results);
  if (!op->use_empty() && !op.getFirstOnly())
    vector = emitter.spread(vector, layout);
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
    int64_t width = vectorWidth(op);
    return convertAtomic(
        op, adaptor.getMask(), width, lowering.target, rewriter,
        [&](AtomicEmitter &emitter, MemSemantic sem, int64_t reg, Value predicate) {
          Values values;
          for (int64_t i = 0; i < width; ++i)
            values.push_back(registerOf(emitter.code, adaptor.getValue(), reg + i));
          return emitter.change(op, sem, registerOf(emitter.code, adaptor.getPtr(), reg), values,
                                predicate);
        });
  }

private:
  /// Neighbouring registers that one instruction adds to neighbouring places.
  int64_t vectorWidth(AtomicRMWOp op) const {
    Type element = elementOf(op.getValue().getType());
    bool hasVectors = element.isF32() || element.isF16() || element.isBF16();
    if (!isa<RankedTensorType>(op.getValue().getType()) || op.getKind() != AtomicKind::Add ||
        !hasVectors || !lowering.target.has(tilec::GpuFeature::VectorAtomics))
      return 1;
    return lowering.axes.getRegisterWidth(op.getPtr(), op.getMask());
  }

  const LoweringContext &lowering;
};

struct AtomicCASPattern : OpConversionPattern<AtomicCASOp> {
  AtomicCASPattern(const TypeConverter &converter, MLIRContext *context,
                   const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return convertAtomic(
        op, Value(), /*width=*/1, lowering.target, rewriter,
        [&](AtomicEmitter &emitter, MemSemantic sem, int64_t reg, Value predicate) -> Values {
          return {emitter.exchange(op, sem, registerOf(emitter.code, adaptor.getPtr(), reg),
                                   registerOf(emitter.code, adaptor.getExpected(), reg),
                                   registerOf(emitter.code, adaptor.getValue(), reg), predicate)};
        });
  }

  const LoweringContext &lowering;
};

} // namespace

void tilec::tile::populateAtomicPatterns(const TypeConverter &converter,
                                         const LoweringContext &context,
                                         RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, AtomicCASPattern>(converter, patterns.getContext(), context);
}
