//===- OrderRegisters.cpp - Arithmetic next to what needs it ----*- C++ -*-===//
//
// Splitting leaves an operation on all registers of a tile, then the next operation on all of them:
// every register's intermediate values are live at once, and ptxas keeps much of that order. This
// moves arithmetic down to the access, exchange or branch that needs it. What one of those needs is
// computed a group of registers at a time, in the old order within the group, so that there is
// still work to overlap. Loads thereby come together before the work on what they bring, too, which
// has more of them under way. What a later access needs is computed at once if that frees more
// registers than it takes: two results of one value, each narrower than what they share.
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
/// Instructions of a later access that are looked at.
static constexpr unsigned kMostShared = 512;
/// Registers of a thread with which as many threads are resident as there can be, or half of them.
static constexpr unsigned kFewRegisters = 48;
/// Those above which less work at a time is worth that more of them are.
static constexpr unsigned kManyRegisters = 64;

namespace {

/// The new order of one block.
class BlockOrder {
public:
  BlockOrder(BasicBlock &block, bool operandByOperand);

  bool run();

private:
  bool isWaiting(const Value *value) const;
  bool collect(Instruction *root, SmallVectorImpl<Instruction *> &group, unsigned limit);
  void emit(Instruction *root);
  void emitAccess(Instruction *access);
  void emitSharers(size_t firstNew);
  Instruction *findResult(Instruction *shared, SmallPtrSetImpl<Instruction *> &seen);
  bool frees(ArrayRef<Instruction *> group, Instruction *result, size_t firstNew) const;
  void append(Instruction *instruction);
  void appendInOrder(MutableArrayRef<Instruction *> group);

  BasicBlock &block;
  bool operandByOperand;
  std::vector<Instruction *> before, after;
  /// The place of each movable instruction in the old order; gone once it has one in the new order.
  DenseMap<const Value *, unsigned> waiting;
  /// The others that have none yet.
  SmallPtrSet<const Instruction *, 32> fixedAhead;
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

BlockOrder::BlockOrder(BasicBlock &block, bool operandByOperand)
    : block(block), operandByOperand(operandByOperand) {
  for (Instruction &instruction : block) {
    if (isMovable(instruction))
      waiting[&instruction] = before.size();
    else
      fixedAhead.insert(&instruction);
    before.push_back(&instruction);
  }
  after.reserve(before.size());
}

bool BlockOrder::isWaiting(const Value *value) const { return waiting.contains(value); }

void BlockOrder::append(Instruction *instruction) {
  waiting.erase(instruction);
  fixedAhead.erase(instruction);
  after.push_back(instruction);
}

void BlockOrder::appendInOrder(MutableArrayRef<Instruction *> group) {
  llvm::sort(group, [&](Instruction *a, Instruction *b) { return waiting[a] < waiting[b]; });
  for (Instruction *instruction : group)
    append(instruction);
}

/// Gathers what \p root waits for, with itself; false if that is more than \p limit.
bool BlockOrder::collect(Instruction *root, SmallVectorImpl<Instruction *> &group, unsigned limit) {
  SmallPtrSet<Instruction *, 32> seen = {root};
  group.push_back(root);
  for (unsigned next = 0; next < group.size(); ++next)
    for (Value *operand : group[next]->operands()) {
      auto *instruction = dyn_cast<Instruction>(operand);
      if (!instruction || !isWaiting(instruction) || !seen.insert(instruction).second)
        continue;
      if (group.size() == limit)
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
    if (collect(top, group, kGroupSize)) {
      stack.pop_back();
      group.erase(llvm::find(group, top));
      appendInOrder(group);
      append(top);
      continue;
    }
    // The operands first, one after the other: the last one pushed is the first one worked on.
    for (Value *operand : llvm::reverse(top->operand_values()))
      if (auto *instruction = dyn_cast<Instruction>(operand); instruction && isWaiting(instruction))
        stack.push_back(instruction);
  }
}

/// Waiting arithmetic on \p shared whose result an access or the like takes; null if there is none
/// nearby.
Instruction *BlockOrder::findResult(Instruction *shared, SmallPtrSetImpl<Instruction *> &seen) {
  SmallVector<Instruction *> stack = {shared};
  while (!stack.empty() && seen.size() < kMostShared) {
    Instruction *top = stack.pop_back_val();
    for (User *user : top->users()) {
      auto *instruction = cast<Instruction>(user);
      if (top != shared && fixedAhead.contains(instruction) && !instruction->isTerminator())
        return top;
      if (isWaiting(instruction) && seen.insert(instruction).second)
        stack.push_back(instruction);
    }
  }
  return nullptr;
}

static unsigned bitsOf(const Instruction &instruction) {
  Type *type = instruction.getType();
  return type->isSized() && !type->getScalarType()->isIntegerTy(1)
             ? instruction.getDataLayout().getTypeSizeInBits(type).getKnownMinValue()
             : 0;
}

/// Whether \p group can be computed now, and is the last to need more bits of what was placed from
/// \p firstNew on than \p result, which it ends in, takes.
bool BlockOrder::frees(ArrayRef<Instruction *> group, Instruction *result, size_t firstNew) const {
  SmallPtrSet<const Instruction *, 32> inGroup(group.begin(), group.end());
  for (const Instruction *instruction : group)
    for (const Value *operand : instruction->operands())
      if (auto *made = dyn_cast<Instruction>(operand); made && fixedAhead.contains(made))
        return false;
  unsigned freed = 0;
  for (const Instruction *instruction : ArrayRef(after).drop_front(firstNew)) {
    bool isShared = false, isLast = true;
    for (const User *user : instruction->users()) {
      auto *by = cast<Instruction>(user);
      bool isPlaced = by->getParent() == &block && !isWaiting(by) && !fixedAhead.contains(by);
      isShared |= inGroup.contains(by);
      isLast &= inGroup.contains(by) || isPlaced;
    }
    if (isShared && isLast)
      freed += bitsOf(*instruction);
  }
  return freed > bitsOf(*result);
}

/// What was placed from \p firstNew on may be shared with what later accesses need.
void BlockOrder::emitSharers(size_t firstNew) {
  SmallPtrSet<Instruction *, 32> seen;
  SmallVector<Instruction *> group;
  for (size_t i = firstNew; i < after.size(); ++i) {
    Instruction *result = findResult(after[i], seen);
    group.clear();
    if (result && collect(result, group, kMostShared) && frees(group, result, firstNew))
      emit(result);
  }
}

/// Places \p access after what it needs, and what shares that: one operand after the other, so that
/// few values are live at once, or all together.
void BlockOrder::emitAccess(Instruction *access) {
  size_t firstNew = after.size();
  if (operandByOperand)
    for (Value *operand : access->operand_values())
      if (auto *instruction = dyn_cast<Instruction>(operand);
          instruction && isWaiting(instruction)) {
        emit(instruction);
        emitSharers(firstNew);
        firstNew = after.size();
      }
  emit(access);
  emitSharers(firstNew);
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
      append(instruction);
    else if (instruction->getType()->isVoidTy() && !instruction->isTerminator())
      emitAccess(instruction);
    else
      emit(instruction); // A load, whose value takes a while; or the block's end.
  }
  if (after == before)
    return false;
  for (Instruction *instruction : after)
    instruction->moveBefore(block, block.end());
  return true;
}

namespace {
/// An order of a function's instructions, to go back to.
class SavedOrder {
public:
  explicit SavedOrder(Function &function) {
    for (BasicBlock &block : function) {
      blocks.emplace_back(&block, std::vector<Instruction *>());
      for (Instruction &instruction : block)
        blocks.back().second.push_back(&instruction);
    }
  }

  void restore() const {
    for (auto &[block, instructions] : blocks)
      for (Instruction *instruction : instructions)
        instruction->moveBefore(*block, block->end());
  }

private:
  std::vector<std::pair<BasicBlock *, std::vector<Instruction *>>> blocks;
};
} // namespace

static bool orderBlocks(Function &function, bool operandByOperand) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= BlockOrder(block, operandByOperand).run();
  return changed;
}

bool tilec::orderRegisters(Function &function) {
  if (function.isDeclaration())
    return false;
  SavedOrder before(function);
  unsigned registers = estimateRegisters(function);
  bool changed = orderBlocks(function, /*operandByOperand=*/false);
  unsigned ordered = changed ? estimateRegisters(function) : registers;
  if (ordered > kManyRegisters) {
    SavedOrder together(function);
    before.restore();
    orderBlocks(function, /*operandByOperand=*/true);
    unsigned apart = estimateRegisters(function);
    if (apart < ordered) {
      ordered = apart;
      changed = true;
    } else {
      together.restore();
    }
  }
  if (ordered > std::max(registers, kFewRegisters))
    before.restore();
  return changed;
}
