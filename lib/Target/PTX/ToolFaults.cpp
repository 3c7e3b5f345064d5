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

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

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
  changed |= avoidProductFaults(function);
  if (isEnabled(Workaround::NaNOfKnownSign))
    changed |= askForNaN(function);
  return changed;
}
