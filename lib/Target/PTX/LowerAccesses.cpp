//===- LowerAccesses.cpp - Calls that stand for accesses to PTX -*- C++ -*-===//
//
// Replaces the calls that tilec/Target/PTXAccess.h describes by inline PTX: one instruction,
// predicated, without a branch, so that loads stay in flight together. Before it, its destination
// gets what the access returns where the predicate is false. This is the last pass on the IR: until
// then LLVM shares, moves and drops accesses by the attributes of the called functions, and no pass
// behind it looks into the text.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "tilec/Target/PTXAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using tilec::MemoryAccess;

namespace {

/// The inline assembly for one access.
class AccessAssembly {
public:
  /// `policy` is what an access with `.L2::cache_hint` takes, null for others.
  AccessAssembly(const MemoryAccess &access, Value *policy);

  /// A call like \p access.
  CallInst *insertBefore(CallInst &access) const;

private:
  std::string input(Value *value, StringRef constraint);
  std::string inputVector(ArrayRef<Use> values, StringRef constraint);

  std::string text, constraints;
  unsigned resultCount;
  SmallVector<Value *> operands;
};

} // namespace

/// "$3", or "{$3, $4}" of two registers.
static std::string vectorOf(ArrayRef<std::string> registers) {
  return registers.size() == 1 ? registers.front() : "{" + join(registers, ", ") + "}";
}

/// Adds an operand; the result is its name in the text.
std::string AccessAssembly::input(Value *value, StringRef constraint) {
  if (!constraints.empty())
    constraints += ",";
  constraints += constraint;
  operands.push_back(value);
  return "$" + std::to_string(resultCount + operands.size() - 1);
}

std::string AccessAssembly::inputVector(ArrayRef<Use> values, StringRef constraint) {
  SmallVector<std::string> names;
  for (Value *value : values)
    names.push_back(input(value, constraint));
  return vectorOf(names);
}

AccessAssembly::AccessAssembly(const MemoryAccess &access, Value *policy)
    : resultCount(access.resultCount()) {
  unsigned bits = access.registerBits();
  StringRef constraint = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  bool isLoad = access.kind() == MemoryAccess::Kind::Load;
  SmallVector<std::string> results;
  for (unsigned i = 0; i < resultCount; ++i) {
    results.push_back("$" + std::to_string(i));
    constraints += (i ? ",=&" : "=&") + constraint.str();
  }
  std::string arguments = "[" + input(access.pointer(), "l") + "]";
  ArrayRef<Use> registers = access.registers();
  size_t width = resultCount ? resultCount : registers.size();
  for (; !isLoad && !registers.empty(); registers = registers.drop_front(width))
    arguments += ", " + inputVector(registers.take_front(width), constraint);
  if (policy)
    arguments += ", " + input(policy, "l");
  if (!match(access.predicate(), m_One())) {
    std::string guard = "@" + input(access.predicate(), "b") + " ";
    for (unsigned i = 0; i < resultCount; ++i) {
      bool isZero = !isLoad || isa<UndefValue>(registers[i]);
      text += "mov.b" + std::to_string(bits) + " " + results[i] + ", " +
              (isZero ? "0" : input(registers[i], constraint)) + "; ";
    }
    text += guard;
  }
  text += access.opcode().str() + " ";
  if (resultCount)
    text += vectorOf(results) + ", ";
  text += arguments + ";";
  if (!isLoad)
    constraints += ",~{memory}";
}

CallInst *AccessAssembly::insertBefore(CallInst &access) const {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = FunctionType::get(access.getType(), types, /*isVarArg=*/false);
  IRBuilder<> builder(&access);
  return builder.CreateCall(InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true),
                            operands);
}

/// The policy that \p access takes, which is made once where its function begins; null for none.
static Value *policyFor(const MemoryAccess &access, Function &function) {
  if (!access.opcode().contains(".L2::cache_hint"))
    return nullptr;
  StringRef which = access.opcode().contains("evict_first") ? "first" : "last";
  std::string text = (tilec::kPolicyPrefix + which + ".b64 $0, 1.0;").str();
  BasicBlock &entry = function.getEntryBlock();
  for (Instruction &instruction : entry)
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (auto *code = dyn_cast<InlineAsm>(call->getCalledOperand());
          code && code->getAsmString() == text)
        return call;
  IRBuilder<> builder(&*entry.getFirstInsertionPt());
  return builder.CreateCall(InlineAsm::get(FunctionType::get(builder.getInt64Ty(), false), text,
                                           "=l", /*hasSideEffects=*/false));
}

/// The calls of \p function that stand for accesses.
static SmallVector<CallInst *> callsOf(Function &function) {
  SmallVector<CallInst *> calls;
  for (Use &use : function.uses())
    if (auto *call = dyn_cast<CallInst>(use.getUser()); call && call->isCallee(&use))
      calls.push_back(call);
  return calls;
}

bool tilec::lowerAccesses(Module &module) {
  bool changed = false;
  for (Function &function : make_early_inc_range(module)) {
    if (!MemoryAccess::kindOf(function))
      continue;
    for (CallInst *call : callsOf(function)) {
      std::optional<MemoryAccess> access = MemoryAccess::get(*call);
      if (!access)
        continue;
      Value *policy = policyFor(*access, *call->getFunction());
      call->replaceAllUsesWith(AccessAssembly(*access, policy).insertBefore(*call));
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
    changed = true;
  }
  return changed;
}
