//===- ToolFaults.cpp - Code that LLVM or ptxas compile wrongly --*- C++ -*-===//
//
// Two passes, one before LLVM's optimizer and one before its back end, which rewrite correct code
// that LLVM or ptxas would compile to something else. The table in Support/Workarounds.def says
// which fault each part avoids; the random kernels of docs/fuzzing.md found them. More about those
// of ptxas:
//
// - low-bits-of-float: PTX lets a store take a register that is wider than what it stores, and LLVM
//   leaves truncations to stores so. Where the register was written by a floating-point
//   instruction, ptxas converts the number instead. It does not where the register holds a pair of
//   floats. LLVM's registers have no type, so a bitcast between the two leaves no instruction.
// - truth-as-unsigned: ptxas keeps the choice of -1.0 and 0.0 as the integer -1 or 0, and takes the
//   bits of that for the unsigned integer.
// - identical-products: of two instructions of warp groups with the same registers and places of
//   factors in memory, ptxas keeps one and leaves the sums of the other undefined, also if these
//   places were written in between. So it is where both halves of a tile have one constant, and in
//   iterations of a loop that ptxas unrolls.
// - known-fp8: the hardware multiplies halves where warps multiply fp8. ptxas makes the halves of a
//   factor that it knows, and takes its lower two bytes for the upper two. Conversions of bytes
//   that it knows go to a register that is written again before it is read.
// - nan-of-known-sign: what cannot be negative (an absolute value, a square) is taken to be above
//   each negative number, also where it is NaN. Whether it is NaN is then the same question.
//
// A `mov` in inline assembly hides where bits come from: LLVM does not look into it, and ptxas
// keeps the type that it gives to the register. It costs no instruction, as ptxas removes the move.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "tilec/Support/Workarounds.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace llvm;
using tilec::Workaround;
using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// Shared by the rewrites
//===----------------------------------------------------------------------===//

/// The result of the assembly `code` for `value`, an integer of 16, 32 or 64 bits.
static Value *throughAssembly(IRBuilderBase &builder, const Twine &code, Value *value) {
  Type *type = value->getType();
  unsigned bits = type->getIntegerBitWidth();
  const char *constraints = bits == 16 ? "=h,h" : bits == 32 ? "=r,r" : "=l,l";
  InlineAsm *callee = InlineAsm::get(FunctionType::get(type, {type}, false), code.str(),
                                     constraints, /*hasSideEffects=*/false);
  return builder.CreateCall(callee, {value});
}

/// `value`, which fits one register, after a `mov` of its bits in inline assembly.
static Value *moveBits(IRBuilderBase &builder, Value *value) {
  unsigned bits = value->getType()->getPrimitiveSizeInBits();
  Value *integer = builder.CreateBitCast(value, builder.getIntNTy(bits));
  Value *moved = throughAssembly(builder, "mov.b" + Twine(bits) + " $0, $1;", integer);
  return builder.CreateBitCast(moved, value->getType());
}

/// The result of `make` for `value`, or for each element if it is a vector.
static Value *forEachElement(IRBuilderBase &builder, Value *value,
                             function_ref<Value *(Value *)> make) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!type)
    return make(value);
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i != type->getNumElements(); ++i) {
    Value *element = make(builder.CreateExtractElement(value, i));
    result = builder.CreateInsertElement(result, element, i);
  }
  return result;
}

/// Whether the bits of `value` may be bits of an operand, unchanged.
static bool mayPassBits(const Instruction &value) {
  if (isa<BitCastInst, TruncInst, ZExtInst, SExtInst, PHINode, SelectInst, FreezeInst>(value))
    return true;
  if (isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst>(value))
    return true;
  switch (value.getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Add:
  case Instruction::Sub:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// recast-float: floats that are bitcasts of other floats, compared with zero
//===----------------------------------------------------------------------===//

/// Whether `cast` may give the bits of a half to a bfloat or the other way round.
static bool makesFloatOfFloat(const BitCastInst &cast) {
  const Type *made = cast.getType()->getScalarType();
  if (!made->is16bitFPTy())
    return false;
  SmallSetVector<const Value *, 8> reached;
  reached.insert(cast.getOperand(0));
  for (size_t i = 0; i != reached.size(); ++i) {
    const Type *type = reached[i]->getType()->getScalarType();
    if (type->is16bitFPTy() && type != made)
      return true;
    if (auto *source = dyn_cast<Instruction>(reached[i]); source && mayPassBits(*source))
      reached.insert_range(source->operands());
  }
  return false;
}

bool tilec::avoidOptimizerFaults(Function &function) {
  if (!isEnabled(Workaround::RecastFloat))
    return false;
  SmallVector<BitCastInst *> found;
  for (Instruction &instruction : instructions(function))
    if (auto *cast = dyn_cast<BitCastInst>(&instruction))
      if (makesFloatOfFloat(*cast))
        found.push_back(cast);
  for (BitCastInst *cast : found) {
    IRBuilder<> builder(cast);
    Value *bits = builder.CreateBitCast(cast->getOperand(0),
                                        cast->getType()->getWithNewType(builder.getInt16Ty()));
    Value *moved = forEachElement(builder, bits, [&](Value *x) { return moveBits(builder, x); });
    cast->setOperand(0, moved);
  }
  return !found.empty();
}

//===----------------------------------------------------------------------===//
// truth-as-bfloat, truth-as-unsigned: truth values as numbers
//===----------------------------------------------------------------------===//

/// Replaces conversions of signed truth values to bfloat by selections.
static bool selectTruth(Function &function) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *truth;
    if (!match(&instruction, m_SIToFP(m_Value(truth))) ||
        !truth->getType()->isIntOrIntVectorTy(1) ||
        !instruction.getType()->getScalarType()->isBFloatTy())
      continue;
    IRBuilder<> builder(&instruction);
    Type *type = instruction.getType();
    instruction.replaceAllUsesWith(
        builder.CreateSelect(truth, ConstantFP::get(type, -1.0), ConstantFP::get(type, 0.0)));
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

/// Whether `value` is computed from truth values and constants alone.
static bool isOfTruth(const Value *value) {
  SmallSetVector<const Value *, 8> reached;
  reached.insert(value);
  for (size_t i = 0; i != reached.size(); ++i) {
    if (isa<Constant>(reached[i]) || reached[i]->getType()->isIntOrIntVectorTy(1))
      continue;
    auto *source = dyn_cast<Instruction>(reached[i]);
    if (!source || source->mayReadFromMemory())
      return false;
    auto operands = isa<CallBase>(source) ? cast<CallBase>(source)->args() : source->operands();
    if (operands.empty())
      return false; // It reads a special register, such as the number of the thread.
    reached.insert_range(operands);
  }
  return true;
}

/// The operand of `instruction` if that converts a float32 to an unsigned integer; null otherwise.
static Use *getConvertedToUnsigned(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || call->arg_size() != 1 || !call->getArgOperand(0)->getType()->isFloatTy())
    return nullptr;
  const Function *callee = call->getCalledFunction();
  const auto *code = dyn_cast<InlineAsm>(call->getCalledOperand());
  bool isMatch = callee ? callee->getName().starts_with("llvm.nvvm.f2u")
                        : code && StringRef(code->getAsmString()).starts_with("cvt.rzi.u");
  return isMatch ? &call->getArgOperandUse(0) : nullptr;
}

/// Makes negative numbers 0 before a conversion to an unsigned integer, which would do it as well.
static bool raiseToZero(Function &function) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    Use *operand = getConvertedToUnsigned(instruction);
    if (!operand || isa<Constant>(operand->get()) || !isOfTruth(operand->get()))
      continue;
    IRBuilder<> builder(&instruction);
    Constant *zero = ConstantFP::getZero(operand->get()->getType());
    Value *isNegative = builder.CreateFCmpOLT(operand->get(), zero);
    operand->set(builder.CreateSelect(isNegative, zero, operand->get()));
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// low-bits-of-float: low bits of floats, stored
//===----------------------------------------------------------------------===//

/// Whether `value` is in a register that a floating-point instruction may have written.
static bool hasBitsOfFloat(const Instruction &value) {
  if (isa<BitCastInst>(value))
    return value.getOperand(0)->getType()->isFloatingPointTy();
  // The assembly of a kernel's author may leave floats in registers of integers as well.
  const Type *type = value.getType();
  if (!type->isIntegerTy(16) && !type->isIntegerTy(32) && !type->isIntegerTy(64))
    return false;
  const Value *source = isa<ExtractValueInst>(value) ? value.getOperand(0) : &value;
  if (std::optional<tilec::MemoryAccess> access = tilec::MemoryAccess::get(*source))
    return access->isFloatingPoint();
  const auto *call = dyn_cast<CallInst>(source);
  const auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && code->getAsmString().contains(".f");
}

/// Whether code generation stores the elements of `store` in parts.
static bool isSplit(const StoreInst &store) {
  uint64_t bits = store.getValueOperand()->getType()->getScalarSizeInBits();
  return store.getAlign().value() * 8 < bits;
}

/// Moves the bits of floats that are stored in part.
static bool moveStoredBits(Function &function) {
  // The values whose bits are stored, and whether only a part of them is.
  using Reached = PointerIntPair<Instruction *, 1, bool>;
  SetVector<Reached> reached;
  auto reach = [&](Value *value, bool isPart) {
    if (auto *instruction = dyn_cast<Instruction>(value))
      reached.insert({instruction, isPart});
  };
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      reach(store->getValueOperand(), isSplit(*store));
  SetVector<Instruction *> found;
  for (size_t i = 0; i != reached.size(); ++i) {
    auto [value, isPart] = std::pair(reached[i].getPointer(), reached[i].getInt());
    if (isPart && hasBitsOfFloat(*value))
      found.insert(value);
    else if (mayPassBits(*value))
      for (Value *operand : value->operands())
        reach(operand, isPart || isa<TruncInst, ExtractElementInst>(value));
  }
  for (Instruction *value : found) {
    SmallVector<Use *> uses(make_pointer_range(value->uses()));
    IRBuilder<> builder(value->getParent(), std::next(value->getIterator()));
    Value *moved = moveBits(builder, value);
    for (Use *use : uses)
      use->set(moved);
  }
  return !found.empty();
}

//===----------------------------------------------------------------------===//
// negation-overflow, absolute-overflow
//===----------------------------------------------------------------------===//

/// The value of `instruction`, a negation or an absolute value, computed in a way in which ptxas
/// knows that it may overflow; null if it is neither, cannot overflow, or ptxas handles it.
static Value *withOverflow(Instruction &instruction, IRBuilderBase &builder) {
  Value *x;
  const APInt *factor = nullptr;
  bool isAbs = match(&instruction, m_Intrinsic<Intrinsic::abs>(m_Value(x)));
  // Multiplications by such numbers become shifts and negations.
  if (!isAbs && !match(&instruction, m_Neg(m_Value(x))) &&
      !match(&instruction, m_c_Mul(m_Value(x), m_NegatedPower2(factor))))
    return nullptr;
  if (!isEnabled(isAbs ? Workaround::AbsoluteOverflow : Workaround::NegationOverflow))
    return nullptr;
  unsigned bits = x->getType()->getScalarSizeInBits();
  // Code generation negates 8 bits as the upper ones of 16.
  bool isByte = bits == 8 && !isAbs;
  unsigned shift = factor ? (-*factor).logBase2() : 0;
  if ((bits != 16 && !isByte && !(isAbs && (bits == 32 || bits == 64))) ||
      ComputeNumSignBits(x, instruction.getDataLayout()) > 1 + shift)
    return nullptr;
  std::string code = "sub.u16 $0, 0, $1;";
  if (isAbs)
    code = formatv("{{ .reg .b{0} negated; sub.u{0} negated, 0, $1; max.s{0} $0, $1, negated; }",
                   bits);
  return forEachElement(builder, x, [&](Value *element) {
    Value *shifted = shift ? builder.CreateShl(element, shift) : element;
    Value *wide = isByte ? builder.CreateZExt(shifted, builder.getInt16Ty()) : shifted;
    return builder.CreateTrunc(throughAssembly(builder, code, wide), element->getType());
  });
}

static bool replaceWhatOverflows(Function &function) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    IRBuilder<> builder(&instruction);
    Value *same = withOverflow(instruction, builder);
    if (!same)
      continue;
    instruction.replaceAllUsesWith(same);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Identical products
//===----------------------------------------------------------------------===//

/// `value`, as the sum with so many zeros of which ptxas does not know that they are: the highest
/// bit of the mask of the lanes below.
static Value *withZeros(IRBuilderBase &builder, Value *value, unsigned count) {
  Value *mask = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
  Value *zeros = builder.CreateMul(builder.CreateLShr(mask, 31), builder.getInt32(count));
  return builder.CreateAdd(value, builder.CreateZExtOrTrunc(zeros, value->getType()));
}

/// The four operands of the left factor's registers in an instruction of a group's product; none if
/// it is no such instruction, or the factor is in memory.
static SmallVector<unsigned, 4> leftRegisters(StringRef line) {
  SmallVector<unsigned, 4> operands;
  if (!line.starts_with("wgmma.mma_async"))
    return operands;
  StringRef rest = line.split("}, {").second;
  unsigned number;
  while (rest.consume_front("$") && !rest.consumeInteger(10, number)) {
    operands.push_back(number);
    rest.consume_front(", ");
  }
  return operands;
}

/// Has no two instructions of `assembly` take the same registers and the same place in memory.
static bool separateProducts(CallInst &assembly, StringRef text) {
  auto *sums = dyn_cast<StructType>(assembly.getType());
  unsigned numResults = sums ? sums->getNumElements() : 1;
  std::set<std::pair<StringRef, SmallVector<Value *, 4>>> seen;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  StringRef place;
  unsigned numChanged = 0;
  for (StringRef line : lines) {
    if (line.starts_with("add.s64 r,"))
      place = line;
    SmallVector<unsigned, 4> operands = leftRegisters(line);
    if (operands.empty())
      continue;
    SmallVector<Value *, 4> values;
    for (unsigned operand : operands)
      values.push_back(assembly.getArgOperand(operand - numResults));
    if (seen.insert({place, values}).second)
      continue;
    IRBuilder<> builder(&assembly);
    assembly.setArgOperand(operands.front() - numResults,
                           withZeros(builder, values.front(), ++numChanged));
  }
  return numChanged != 0;
}

namespace {

/// The products of a function so far, by their instructions and operands.
class SeenProducts {
public:
  explicit SeenProducts(Function &function) : dominance(function), loops(dominance) {}

  bool separate(CallInst &assembly, StringRef text);

private:
  static bool keepRolled(Loop &loop, const CallInst &assembly);
  Value *firstLoaded(Value *operand);

  DominatorTree dominance;
  LoopInfo loops;
  std::map<std::pair<StringRef, SmallVector<Value *, 8>>, unsigned> seen;
  /// What was loaded first by the same function from the same place, and its elements.
  std::map<std::tuple<Value *, Value *, unsigned>, Value *> loaded;
};

} // namespace

/// The element of a tuple that an intrinsic function loads from one place, if `value` is one.
static CallInst *loadOfElement(Value *value) {
  auto *element = dyn_cast<ExtractValueInst>(value);
  auto *call = element ? dyn_cast<CallInst>(element->getAggregateOperand()) : nullptr;
  return call && call->onlyReadsMemory() && call->arg_size() == 1 ? call : nullptr;
}

/// Whether ptxas takes `value` for the same in each iteration: what a place in shared memory holds
/// counts as that, whatever was copied there in between, and what is computed from it.
static bool looksInvariant(const Loop &loop, Value *value) {
  constexpr size_t mostValues = 64;
  SmallSetVector<Value *, 16> open;
  open.insert(value);
  for (size_t index = 0; index < open.size(); ++index) {
    if (loop.isLoopInvariant(open[index]))
      continue;
    auto *instruction = dyn_cast<Instruction>(open[index]);
    bool isRead = instruction && (isa<LoadInst>(instruction) || isa<CallInst>(instruction)) &&
                  !instruction->mayWriteToMemory();
    bool isPure = instruction && !isa<PHINode>(instruction) && !instruction->mayReadOrWriteMemory();
    if ((!isRead && !isPure) || open.size() > mostValues)
      return false;
    open.insert_range(instruction->operands());
  }
  return true;
}

/// Has ptxas not unroll a loop each of whose iterations would have the same product.
bool SeenProducts::keepRolled(Loop &loop, const CallInst &assembly) {
  if (!all_of(assembly.args(), [&](Value *operand) { return looksInvariant(loop, operand); }))
    return false;
  loop.setLoopAlreadyUnrolled();
  return true;
}

/// `operand`, or what was loaded first from where it is loaded.
Value *SeenProducts::firstLoaded(Value *operand) {
  CallInst *load = loadOfElement(operand);
  if (!load)
    return operand;
  unsigned index = cast<ExtractValueInst>(operand)->getIndices().front();
  std::tuple key(load->getCalledOperand(), load->getArgOperand(0), index);
  return loaded.try_emplace(key, operand).first->second;
}

/// What was stored in between is no operand, so products of one place in memory look the same.
bool SeenProducts::separate(CallInst &assembly, StringRef text) {
  bool changed = false;
  for (Loop *loop = loops.getLoopFor(assembly.getParent()); loop; loop = loop->getParentLoop())
    changed |= keepRolled(*loop, assembly);
  SmallVector<Value *, 8> operands;
  for (Value *operand : assembly.args())
    operands.push_back(firstLoaded(operand));
  unsigned numBefore = seen[{text, operands}]++;
  Use *place = find_if(assembly.args(),
                       [](const Use &operand) { return operand->getType()->isIntegerTy(64); });
  if (numBefore == 0 || place == assembly.arg_end())
    return changed;
  IRBuilder<> builder(&assembly);
  place->set(withZeros(builder, *place, numBefore));
  return true;
}

static bool separateProducts(Function &function) {
  SmallVector<CallInst *> products;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    if (code && code->getAsmString().contains("wgmma.mma_async"))
      products.push_back(call);
  }
  if (products.empty())
    return false;
  SeenProducts seen(function);
  bool changed = false;
  for (CallInst *product : products) {
    StringRef text = cast<InlineAsm>(product->getCalledOperand())->getAsmString();
    changed |= separateProducts(*product, text);
    changed |= seen.separate(*product, text);
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// known-fp8: factors and conversions
//===----------------------------------------------------------------------===//

namespace {

/// Which registers hold a byte that ptxas may know at compile time: it finds masks that are false
/// everywhere, and what loads under them give.
class KnownRegisters {
public:
  bool mayBeKnown(Value *value);

private:
  bool compute(Instruction &instruction);

  DenseMap<Value *, bool> known;
  unsigned depth = 0;
};

} // namespace

bool KnownRegisters::compute(Instruction &instruction) {
  if (std::optional<tilec::MemoryAccess> access = tilec::MemoryAccess::get(instruction))
    return access->kind() == tilec::MemoryAccess::Kind::Load &&
           !match(access->predicate(), m_One());
  if (instruction.mayReadFromMemory())
    return false;
  auto isKnown = [&](Value *operand) { return mayBeKnown(operand); };
  auto *call = dyn_cast<CallInst>(&instruction);
  if (call && call->getIntrinsicID() != Intrinsic::nvvm_prmt)
    return !call->arg_empty() && llvm::all_of(call->args(), isKnown);
  // Bytes of several registers are put together by shuffles, or by shifts and sums.
  return llvm::any_of(instruction.operands(), [&](Value *operand) {
    return isa<Constant>(operand) ? isa<PHINode, SelectInst>(instruction) : isKnown(operand);
  });
}

bool KnownRegisters::mayBeKnown(Value *value) {
  constexpr unsigned mostDeep = 100;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return isa<Constant>(value) && !isa<UndefValue>(value);
  auto [entry, isNew] = known.insert({value, true});
  if (!isNew || depth == mostDeep)
    return entry->second;
  ++depth;
  bool result = compute(*instruction);
  --depth;
  return known[value] = result;
}

/// Whether `name` is that of an intrinsic that multiplies fp8 or converts it to halves.
static bool takesFP8(StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return false;
  return name.starts_with("e4m3x2.to.") || name.starts_with("e5m2x2.to.") ||
         (name.starts_with("mma.") && (name.contains(".e4m3.") || name.contains(".e5m2.")));
}

/// Hides fp8 that ptxas may know from what takes it.
static bool hideKnownFP8(Function &function) {
  KnownRegisters registers;
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *taker = dyn_cast<IntrinsicInst>(&instruction);
    if (!taker || !takesFP8(taker->getCalledFunction()->getName()))
      continue;
    for (Use &operand : taker->args()) {
      if (!operand->getType()->isIntegerTy() || !registers.mayBeKnown(operand))
        continue;
      IRBuilder<> builder(taker);
      operand.set(withZeros(builder, operand, 1));
      changed = true;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// nan-of-known-sign: comparisons that only NaN fails
//===----------------------------------------------------------------------===//

/// Whether `value` is never below zero, but may be NaN.
static bool isNotNegative(const Value *value, const SimplifyQuery &query) {
  const auto *call = dyn_cast<IntrinsicInst>(value);
  return (call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.ex2.")) ||
         cannotBeOrderedLessThanZero(value, query);
}

/// Has comparisons of what is not negative with less than that ask whether it is a number.
static bool askForNaN(Function &function) {
  SimplifyQuery query(function.getDataLayout());
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    const APFloat *limit;
    auto *compare = dyn_cast<FCmpInst>(&instruction);
    if (!compare || !match(compare->getOperand(1), m_APFloat(limit)))
      continue;
    bool isBelow = limit->isNegative() && !limit->isZero() && !limit->isNaN();
    FCmpInst::Predicate predicate = compare->getPredicate();
    if (!(predicate == FCmpInst::FCMP_OGE && (isBelow || limit->isZero())) &&
        !(predicate == FCmpInst::FCMP_OGT && isBelow))
      continue;
    if (!isNotNegative(compare->getOperand(0), query))
      continue;
    compare->setPredicate(FCmpInst::FCMP_ORD);
    compare->setOperand(1, ConstantFP::getZero(compare->getOperand(0)->getType()));
    changed = true;
  }
  return changed;
}

bool tilec::avoidBackEndFaults(Function &function) {
  bool changed = false;
  if (isEnabled(Workaround::TruthAsBFloat))
    changed |= selectTruth(function);
  if (isEnabled(Workaround::TruthAsUnsigned))
    changed |= raiseToZero(function);
  changed |= replaceWhatOverflows(function);
  if (isEnabled(Workaround::LowBitsOfFloat))
    changed |= moveStoredBits(function);
  if (isEnabled(Workaround::IdenticalProducts))
    changed |= separateProducts(function);
  if (isEnabled(Workaround::KnownFP8))
    changed |= hideKnownFP8(function);
  if (isEnabled(Workaround::NaNOfKnownSign))
    changed |= askForNaN(function);
  return changed;
}
