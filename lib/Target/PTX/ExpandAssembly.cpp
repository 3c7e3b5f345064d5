//===- ExpandAssembly.cpp - Calls that stand for assembly -------*- C++ -*-===//
//
// Replaces the calls that tilec/Target/PTXAssembly.h describes by inline assembly with an operand
// or a result for each element of a vector. SplitVectors.cpp drops the extractions and insertions
// that this makes.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "tilec/Target/PTXAssembly.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// The elements of each vector, and what is none, one after the other.
static SmallVector<Type *> flatten(ArrayRef<Type *> types) {
  SmallVector<Type *> flat;
  for (Type *type : types) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    flat.append(vector ? vector->getNumElements() : 1, type->getScalarType());
  }
  return flat;
}

static SmallVector<Value *> flatOperands(IRBuilderBase &builder, const CallInst &call) {
  SmallVector<Value *> flat;
  for (Value *operand : call.args()) {
    auto *vector = dyn_cast<FixedVectorType>(operand->getType());
    for (unsigned i = 0; vector && i != vector->getNumElements(); ++i)
      flat.push_back(builder.CreateExtractElement(operand, uint64_t(i)));
    if (!vector)
      flat.push_back(operand);
  }
  return flat;
}

/// A value of `type` from results of `assembly`, of which `next` is the first.
static Value *takeResult(IRBuilderBase &builder, CallInst *assembly, Type *type, unsigned &next) {
  auto take = [&]() -> Value * {
    return assembly->getType()->isStructTy() ? builder.CreateExtractValue(assembly, next++)
                                             : assembly;
  };
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return take();
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i != vector->getNumElements(); ++i)
    result = builder.CreateInsertElement(result, take(), uint64_t(i));
  return result;
}

static void expand(CallInst &call) {
  IRBuilder<> builder(&call);
  Type *result = call.getType();
  auto *structure = dyn_cast<StructType>(result);
  SmallVector<Type *> types = flatten(structure ? structure->elements() : ArrayRef(result));
  SmallVector<Value *> operands = flatOperands(builder, call);
  SmallVector<Type *> operandTypes;
  for (Value *operand : operands)
    operandTypes.push_back(operand->getType());
  Type *flat = types.size() == 1 ? types[0] : StructType::get(call.getContext(), types);
  const Function *callee = call.getCalledFunction();
  InlineAsm *code =
      InlineAsm::get(FunctionType::get(flat, operandTypes, false),
                     callee->getFnAttribute(tilec::kAssemblyTextAttr).getValueAsString(),
                     callee->getFnAttribute(tilec::kAssemblyConstraintsAttr).getValueAsString(),
                     /*hasSideEffects=*/true);
  CallInst *assembly = builder.CreateCall(code, operands);
  assembly->setDoesNotThrow();
  if (callee->hasFnAttribute(tilec::kAssemblyTakeUpAttr))
    assembly->addFnAttr(callee->getFnAttribute(tilec::kAssemblyTakeUpAttr));
  unsigned next = 0;
  Value *same = structure ? PoisonValue::get(result) : nullptr;
  for (unsigned i = 0; structure && i != structure->getNumElements(); ++i)
    same = builder.CreateInsertValue(
        same, takeResult(builder, assembly, structure->getElementType(i), next), i);
  call.replaceAllUsesWith(same ? same : takeResult(builder, assembly, result, next));
  call.eraseFromParent();
}

bool tilec::expandAssembly(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (const Function *callee = call->getCalledFunction();
          callee && callee->hasFnAttribute(kAssemblyTextAttr))
        calls.push_back(call);
  for (CallInst *call : calls)
    expand(*call);
  return !calls.empty();
}
