//===- AddEarly.cpp - Sums of exponentials as these come --------*- C++ -*-===//
//
// Exponentials leave their unit one after the other, a few cycles apart, and their sum would have
// filled that time: but the code for all registers of a tile has all exponentials before the first
// addition, and ptxas moves little of it. This pass moves additions of two exponentials, or of such
// sums, up to where the later operand is defined.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

static bool isExponential(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == Intrinsic::nvvm_ex2_approx ||
                  call->getIntrinsicID() == Intrinsic::nvvm_ex2_approx_ftz);
}

static bool addEarly(BasicBlock &block) {
  // For exponentials and their sums: the number of the last exponential, and behind what an
  // addition goes that needs nothing later.
  DenseMap<const Value *, unsigned> lastOf;
  SmallVector<Instruction *> ends;
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(block)) {
    if (isExponential(instruction)) {
      lastOf[&instruction] = ends.size();
      ends.push_back(&instruction);
    }
    if (instruction.getOpcode() != Instruction::FAdd)
      continue;
    auto left = lastOf.find(instruction.getOperand(0));
    auto right = lastOf.find(instruction.getOperand(1));
    if (left == lastOf.end() || right == lastOf.end())
      continue;
    unsigned last = std::max(left->second, right->second);
    lastOf[&instruction] = last;
    if (ends[last]->getNextNode() != &instruction) {
      instruction.moveAfter(ends[last]);
      changed = true;
    }
    ends[last] = &instruction;
  }
  return changed;
}

bool tilec::addEarly(Function &function) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= ::addEarly(block);
  return changed;
}
