//===- ToolFaults.cpp - Around what LLVM and ptxas get wrong -----*- C++ -*-===//
//
// Forms of correct code that the tools behind us do not compile to what they say. The random
// kernels of docs/fuzzing.md found each; test/Conformance/found_by_fuzzing.py has them.
//
// - LLVM 22 (InstCombine) compares a float with zero by its bits, where it is a bitcast, without a
//   look at whether it is one of an integer: of a half taken as bfloat it makes invalid code.
// - Its back end makes 1 of the signed i1 that is set, -1, where bfloat is converted to.
// - A store may take a register that is wider than what it stores, and LLVM leaves truncations to
//   stores so. But where a floating-point instruction wrote that register, ptxas 13 does not store
//   its low bits: it converts the number to an integer of that width. (Pairs of floats it takes as
//   they are.) LLVM has registers without types and gives no hint of a bitcast.
// - ptxas takes it that negations of 16 bits and absolute values do not overflow: -32768 widened is
//   32768 afterwards, and the remainder of an absolute value is never negative.
// - It knows that a choice of -1.0 and 0.0 is the integer -1 or 0, and gives that bit by bit where
//   an unsigned integer is asked for, which would be 0.
//
// A move of bits in assembly is something that neither looks through, and ptxas drops it.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

/// `value`, an integer of 16, 32 or 64 bits, through an instruction that they know nothing of.
static Value *throughAssembly(IRBuilderBase &builder, const Twine &code, Value *value) {
  Type *type = value->getType();
  unsigned bits = type->getIntegerBitWidth();
  const char *constraints = bits == 16 ? "=h,h" : bits == 32 ? "=r,r" : "=l,l";
  InlineAsm *callee = InlineAsm::get(FunctionType::get(type, {type}, false), code.str(),
                                     constraints, /*hasSideEffects=*/false);
  return builder.CreateCall(callee, {value});
}

/// The bits of `value`, which are in one register, moved, and of its type again.
static Value *moveBits(IRBuilderBase &builder, Value *value) {
  unsigned bits = value->getType()->getPrimitiveSizeInBits();
  Value *integer = builder.CreateBitCast(value, builder.getIntNTy(bits));
  Value *moved = throughAssembly(builder, "mov.b" + Twine(bits) + " $0, $1;", integer);
  return builder.CreateBitCast(moved, value->getType());
}

/// `make` of `value`, or of each of its elements.
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

/// Whether optimisation may find that bits of `value` are bits of an operand.
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
// Floats that are bitcasts of other floats, compared with zero
//===----------------------------------------------------------------------===//

/// Whether `cast` may make a float of 16 bits from another kind of them.
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
// Truth as a number
//===----------------------------------------------------------------------===//

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

/// Whether `value` is computed from single bits and constants alone.
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
      return false; // It reads a register of the machine.
    reached.insert_range(operands);
  }
  return true;
}

/// The operand of `instruction` if it makes an unsigned integer of a float32; null otherwise.
static Use *getMadeUnsigned(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || call->arg_size() != 1 || !call->getArgOperand(0)->getType()->isFloatTy())
    return nullptr;
  const Function *callee = call->getCalledFunction();
  const auto *code = dyn_cast<InlineAsm>(call->getCalledOperand());
  bool isMatch = callee ? callee->getName().starts_with("llvm.nvvm.f2u")
                        : code && StringRef(code->getAsmString()).starts_with("cvt.rzi.u");
  return isMatch ? &call->getArgOperandUse(0) : nullptr;
}

static bool raiseToZero(Function &function) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    Use *made = getMadeUnsigned(instruction);
    if (!made || isa<Constant>(made->get()) || !isOfTruth(made->get()))
      continue;
    IRBuilder<> builder(&instruction);
    Constant *zero = ConstantFP::getZero(made->get()->getType());
    Value *isNegative = builder.CreateFCmpOLT(made->get(), zero);
    made->set(builder.CreateSelect(isNegative, zero, made->get()));
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Low bits of floats, stored
//===----------------------------------------------------------------------===//

/// Whether `value` is in a register that a floating-point instruction may have written.
static bool hasBitsOfFloat(const Instruction &value) {
  if (isa<BitCastInst>(value))
    return value.getOperand(0)->getType()->isFloatingPointTy();
  // An author's own instructions leave floats in registers of integers, too.
  const Type *type = value.getType();
  if (!type->isIntegerTy(16) && !type->isIntegerTy(32) && !type->isIntegerTy(64))
    return false;
  const Value *source = isa<ExtractValueInst>(value) ? value.getOperand(0) : &value;
  const auto *call = dyn_cast<CallInst>(source);
  const auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && code->getAsmString().contains(".f");
}

/// Whether code generation stores the elements of `store` in parts.
static bool isSplit(const StoreInst &store) {
  uint64_t bits = store.getValueOperand()->getType()->getScalarSizeInBits();
  return store.getAlign().value() * 8 < bits;
}

/// Puts a move behind what is stored in part.
static bool moveStoredBits(Function &function) {
  // What stores reach, and whether through something that takes part of a register.
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
// Overflow
//===----------------------------------------------------------------------===//

/// What `instruction` computes with instructions that ptxas lets overflow; null if those it has do.
static Value *withOverflow(Instruction &instruction, IRBuilderBase &builder) {
  Value *x;
  bool isAbs = match(&instruction, m_Intrinsic<Intrinsic::abs>(m_Value(x)));
  if (!isAbs && !match(&instruction, m_Neg(m_Value(x))) &&
      !match(&instruction, m_c_Mul(m_Value(x), m_AllOnes())))
    return nullptr;
  unsigned bits = x->getType()->getScalarSizeInBits();
  if ((bits != 16 && !(isAbs && (bits == 32 || bits == 64))) ||
      ComputeNumSignBits(x, instruction.getDataLayout()) > 1)
    return nullptr;
  std::string code = "sub.u16 $0, 0, $1;";
  if (isAbs)
    code = formatv("{{ .reg .b{0} negated; sub.u{0} negated, 0, $1; max.s{0} $0, $1, negated; }",
                   bits);
  return forEachElement(builder, x,
                        [&](Value *element) { return throughAssembly(builder, code, element); });
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

bool tilec::avoidBackEndFaults(Function &function) {
  bool changed = selectTruth(function);
  changed |= raiseToZero(function);
  changed |= replaceWhatOverflows(function);
  changed |= moveStoredBits(function);
  return changed;
}
