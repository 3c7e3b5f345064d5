//===- MemoryAccess.cpp - Calls that stand for accesses ---------*- C++ -*-===//
//
// Until the end, an access with a mask is a call with memory effects, which LLVM can share and
// move. Here such calls are recognised, and their names taken apart.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "tilec/Target/PTXAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tilec;

/// How many registers of type \p word \p result is; nothing if it is of another type.
static std::optional<unsigned> countRegisters(Type *result, Type *word) {
  if (result->isVoidTy())
    return 0;
  if (result == word)
    return 1;
  auto *registers = dyn_cast<StructType>(result);
  if (!registers || registers->getNumElements() < 2 || !all_equal(registers->elements()) ||
      registers->getElementType(0) != word)
    return std::nullopt;
  return registers->getNumElements();
}

std::optional<MemoryAccess::Kind> MemoryAccess::kindOf(const Function &function) {
  StringRef name = function.getName();
  if (!function.isDeclaration() || !name.consume_front(kAccessPrefix))
    return std::nullopt;
  const FunctionType *type = function.getFunctionType();
  if (type->isVarArg() || type->getNumParams() < 3 || !type->getParamType(0)->isPointerTy() ||
      !type->params().back()->isIntegerTy(1))
    return std::nullopt;
  ArrayRef<Type *> registers = type->params().drop_front().drop_back();
  Type *word = registers.front();
  std::optional<unsigned> results = countRegisters(type->getReturnType(), word);
  if (!results || !all_equal(registers) ||
      !(word->isIntegerTy(16) || word->isIntegerTy(32) || word->isIntegerTy(64)))
    return std::nullopt;
  if (name.starts_with("ld.") && *results == registers.size())
    return Kind::Load;
  if (name.starts_with("st.") && *results == 0)
    return Kind::Store;
  if (name.starts_with("atom.") && *results != 0 && registers.size() % *results == 0)
    return Kind::Atomic;
  return std::nullopt;
}

std::optional<MemoryAccess> MemoryAccess::get(const Value &value) {
  const auto *call = dyn_cast<CallInst>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  std::optional<Kind> kind = callee ? kindOf(*callee) : std::nullopt;
  if (!kind)
    return std::nullopt;
  return MemoryAccess(*call, *kind);
}

StringRef MemoryAccess::opcodeOf(const Function &function) {
  return function.getName().drop_front(kAccessPrefix.size());
}

bool MemoryAccess::isFloatingPoint() const {
  StringRef type = opcode().rsplit('.').second;
  return type.starts_with("f") || type.starts_with("bf");
}

ArrayRef<Use> MemoryAccess::registers() const {
  return ArrayRef<Use>(call->arg_begin(), call->arg_end()).drop_front().drop_back();
}

unsigned MemoryAccess::resultCount() const {
  return *countRegisters(call->getType(), registers()[0]->getType());
}
