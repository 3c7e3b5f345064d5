//===- KeepBits.cpp - The low bits of floats, stored as they are -*- C++ -*-===//
//
// A store may take a register that is wider than what it stores, and LLVM leaves truncations to
// stores so. But where a floating-point instruction wrote that register, ptxas does not store its
// low bits: it converts the number to an integer of that width. (Pairs of floats it takes as they
// are.) LLVM has registers without types and gives no hint of a bitcast, so a move of bits is put
// between, which ptxas heeds, and drops.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Whether code generation may find that the low bits of `value` are those of an operand.
static bool mayPassLowBits(const Instruction &value) {
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

/// Whether `value` is in a register that a floating-point instruction may have written.
static bool hasBitsOfFloat(const Instruction &value) {
  if (isa<BitCastInst>(value))
    return value.getOperand(0)->getType()->isFloatingPointTy();
  // An author's own instructions leave floats in registers of integers, too.
  const Value *source = isa<ExtractValueInst>(value) ? value.getOperand(0) : &value;
  const auto *call = dyn_cast<CallInst>(source);
  const auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && code->getAsmString().contains(".f");
}

/// The moves that PTX has: the constraint of a register of `bits`, or null.
static const char *constraintFor(unsigned bits) {
  switch (bits) {
  case 16:
    return "=h,h";
  case 32:
    return "=r,r";
  case 64:
    return "=l,l";
  default:
    return nullptr;
  }
}

/// Puts a move behind `value`. False if it is in no single register.
static bool moveBits(Instruction &value) {
  unsigned bits = value.getType()->getPrimitiveSizeInBits();
  const char *constraint = constraintFor(bits);
  if (!constraint)
    return false;
  IRBuilder<> builder(value.getParent(), std::next(value.getIterator()));
  Type *integer = builder.getIntNTy(bits);
  std::string move = ("mov.b" + Twine(bits) + " $0, $1;").str();
  InlineAsm *callee = InlineAsm::get(FunctionType::get(integer, {integer}, false), move, constraint,
                                     /*hasSideEffects=*/false);
  Value *given = builder.CreateBitCast(&value, integer);
  CallInst *moved = builder.CreateCall(callee, {given});
  Value *result = builder.CreateBitCast(moved, value.getType());
  value.replaceUsesWithIf(
      result, [&](Use &use) { return use.getUser() != moved && use.getUser() != given; });
  return true;
}

bool tilec::keepBits(Function &function) {
  // What stores reach, and whether through something that takes part of a register.
  using Reached = PointerIntPair<Instruction *, 1, bool>;
  SetVector<Reached> reached;
  auto reach = [&](Value *value, bool isPart) {
    if (auto *instruction = dyn_cast<Instruction>(value))
      reached.insert({instruction, isPart});
  };
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      reach(store->getValueOperand(), /*isPart=*/false);
  bool changed = false;
  for (size_t i = 0; i != reached.size(); ++i) {
    auto [value, isPart] = std::pair(reached[i].getPointer(), reached[i].getInt());
    if (isPart && hasBitsOfFloat(*value))
      changed |= moveBits(*value);
    else if (mayPassLowBits(*value))
      for (Value *operand : value->operands())
        reach(operand, isPart || isa<TruncInst, ExtractElementInst>(value));
  }
  return changed;
}
