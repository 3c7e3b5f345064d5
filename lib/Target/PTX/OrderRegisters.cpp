//===- OrderRegisters.cpp - Arithmetic next to what needs it ----*- C++ -*-===//
//
// Splitting leaves an operation on all registers of a tile, then the next operation on all of them:
// every register's intermediate values are live at once, and ptxas keeps much of that order. This
// moves arithmetic down to the access, exchange or branch that needs it. What one of those needs is
// computed a group of registers at a time, in the old order within the group, so that there is
// still work to overlap. Loads thereby come together before the work on what they bring, too, which
// has more of them under way.
//
// Accesses, calls with effects and whatever synchronises keep their order. A function for which the
// estimate of registers gets worse than before, and is no longer small, stays as it was.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Instructions that are computed together, in the old order.
static constexpr unsigned kGroupSize = 256;
/// Registers of a thread with which as many threads are resident as there can be, or half of them.
static constexpr unsigned kFewRegisters = 48;

namespace {

/// The new order of one block.
class BlockOrder {
public:
  explicit BlockOrder(BasicBlock &block);

  bool run();

private:
  bool isWaiting(const Value *value) const;
  bool collect(Instruction *root, SmallVectorImpl<Instruction *> &group);
  void emit(Instruction *root);
  void append(Instruction *instruction);

  BasicBlock &block;
  std::vector<Instruction *> before, after;
  /// The place of each movable instruction in the old order; gone once it has one in the new order.
  DenseMap<const Value *, unsigned> waiting;
};

} // namespace

/// Arithmetic, wherever in its block it stands.
static bool isMovable(const Instruction &instruction) {
  if (isa<PHINode, AllocaInst>(instruction) || instruction.isTerminator() ||
      instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || (!call->isConvergent() && !call->getType()->isTokenTy());
}

BlockOrder::BlockOrder(BasicBlock &block) : block(block) {
  for (Instruction &instruction : block) {
    if (isMovable(instruction))
      waiting[&instruction] = before.size();
    before.push_back(&instruction);
  }
  after.reserve(before.size());
}

bool BlockOrder::isWaiting(const Value *value) const { return waiting.contains(value); }

void BlockOrder::append(Instruction *instruction) {
  waiting.erase(instruction);
  after.push_back(instruction);
}

/// Gathers what \p root waits for, with itself; false if that is more than one group.
bool BlockOrder::collect(Instruction *root, SmallVectorImpl<Instruction *> &group) {
  SmallPtrSet<Instruction *, 32> seen = {root};
  group.push_back(root);
  for (unsigned next = 0; next < group.size(); ++next)
    for (Value *operand : group[next]->operands()) {
      auto *instruction = dyn_cast<Instruction>(operand);
      if (!instruction || !isWaiting(instruction) || !seen.insert(instruction).second)
        continue;
      if (group.size() == kGroupSize)
        return false;
      group.push_back(instruction);
    }
  return true;
}

/// Appends \p root after all that it waits for. A stack instead of recursion: a chain of sums may
/// be as long as a tile.
void BlockOrder::emit(Instruction *root) {
  SmallVector<Instruction *> stack = {root};
  SmallVector<Instruction *> group;
  while (!stack.empty()) {
    Instruction *top = stack.back();
    if (!isWaiting(top) && top != root) {
      stack.pop_back();
      continue;
    }
    group.clear();
    if (collect(top, group)) {
      stack.pop_back();
      group.erase(llvm::find(group, top));
      llvm::sort(group, [&](Instruction *a, Instruction *b) { return waiting[a] < waiting[b]; });
      for (Instruction *instruction : group)
        append(instruction);
      append(top);
      continue;
    }
    // The operands first, one after the other: the last one pushed is the first one worked on.
    for (Value *operand : llvm::reverse(top->operand_values()))
      if (auto *instruction = dyn_cast<Instruction>(operand); instruction && isWaiting(instruction))
        stack.push_back(instruction);
  }
}

bool BlockOrder::run() {
  for (Instruction *instruction : before) {
    if (isMovable(*instruction))
      continue;
    // What other blocks need is computed before this one ends.
    if (instruction->isTerminator())
      for (Instruction *other : before)
        if (isWaiting(other))
          emit(other);
    if (isa<PHINode>(instruction))
      after.push_back(instruction);
    else
      emit(instruction);
  }
  if (after == before)
    return false;
  for (Instruction *instruction : after)
    instruction->moveBefore(block, block.end());
  return true;
}

bool tilec::orderRegisters(Function &function) {
  if (function.isDeclaration())
    return false;
  std::vector<std::pair<BasicBlock *, std::vector<Instruction *>>> old;
  for (BasicBlock &block : function) {
    old.emplace_back(&block, std::vector<Instruction *>());
    for (Instruction &instruction : block)
      old.back().second.push_back(&instruction);
  }
  unsigned registers = estimateRegisters(function);
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= BlockOrder(block).run();
  if (!changed || estimateRegisters(function) <= std::max(registers, kFewRegisters))
    return changed;
  for (auto &[block, instructions] : old)
    for (Instruction *instruction : instructions)
      instruction->moveBefore(*block, block->end());
  return true;
}
