//===- DropDisabled.cpp - Accesses that never happen -------------*- C++ -*-===//
//
// A masked access is a line of assembly with a predicate: `mov.b32 $0, 0; @$2 ld.global.b32 $0,
// [$1];`. Where optimisation finds that the predicate is false, as it is behind the end of a row of
// known length, what the register held before is its value. ptxas finds that too, but late: what
// follows from it is not folded any more.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

static bool isFalse(const Value *value) {
  return value->getType()->isIntegerTy(1) && isa<ConstantInt>(value) &&
         cast<ConstantInt>(value)->isZero();
}

namespace {

/// A call of assembly: one predicated instruction behind moves to its results, or something else.
class PredicatedCode {
public:
  explicit PredicatedCode(CallInst &call) : call(call) {
    auto *code = cast<InlineAsm>(call.getCalledOperand());
    results.resize(count_if(code->ParseConstraints(), [](const InlineAsm::ConstraintInfo &info) {
      return info.Type == InlineAsm::isOutput;
    }));
    isKnown = code->hasSideEffects() && parse(code->getAsmString());
  }

  bool isDisabled() const { return isKnown && isFalse(predicate); }
  /// What the results hold when the instruction does nothing.
  ArrayRef<Value *> values() const { return results; }

private:
  Value *operand(unsigned number) const {
    unsigned index = number - results.size();
    return number >= results.size() && index < call.arg_size() ? call.getArgOperand(index)
                                                               : nullptr;
  }

  Type *typeOfResult(unsigned number) const {
    Type *type = call.getType();
    return results.size() == 1 ? type : cast<StructType>(type)->getElementType(number);
  }

  bool parseMove(StringRef &text) {
    unsigned bits, result, source;
    if (text.consumeInteger(10, bits) || !text.consume_front(" $") ||
        text.consumeInteger(10, result) || !text.consume_front(", "))
      return false;
    bool isOperand = text.consume_front("$");
    if (text.consumeInteger(10, source) || !text.consume_front("; ") || result >= results.size() ||
        (!isOperand && source != 0))
      return false;
    Type *type = typeOfResult(result);
    results[result] = isOperand ? operand(source) : Constant::getNullValue(type);
    return results[result] && results[result]->getType() == type;
  }

  bool parse(StringRef text) {
    while (text.consume_front("mov.b"))
      if (!parseMove(text))
        return false;
    unsigned number;
    if (!text.consume_front("@$") || text.consumeInteger(10, number))
      return false;
    predicate = operand(number);
    return predicate && text.count(';') == 1 && text.ends_with(";") &&
           !is_contained(results, nullptr);
  }

  CallInst &call;
  SmallVector<Value *, 4> results;
  Value *predicate = nullptr;
  bool isKnown = false;
};

} // namespace

/// Gives the users of `call` the values that it has without its instruction. False if one of them
/// takes all of several results.
static bool replaceResults(CallInst &call, ArrayRef<Value *> values) {
  if (values.size() == 1) {
    replaceAndRecursivelySimplify(&call, values[0]);
    return true;
  }
  SmallVector<ExtractValueInst *> extracts;
  for (User *user : call.users()) {
    extracts.push_back(dyn_cast<ExtractValueInst>(user));
    if (!extracts.back())
      return false;
  }
  for (ExtractValueInst *extract : extracts)
    replaceAndRecursivelySimplify(extract, values[extract->getIndices()[0]]);
  return true;
}

bool tilec::dropDisabledAccesses(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && call->isInlineAsm() && any_of(call->args(), isFalse))
      calls.push_back(call);
  bool changed = false;
  for (CallInst *call : calls) {
    PredicatedCode code(*call);
    if (!code.isDisabled() || !replaceResults(*call, code.values()))
      continue;
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}
