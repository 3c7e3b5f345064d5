//===- OrderRegisters.cpp - Arithmetic next to what needs it ----*- C++ -*-===//
//
// Splitting vectors leaves an operation on all registers of a tile, then the next operation on all
// of them: the intermediate values of every register are live at once, and ptxas keeps much of that
// order. This pass moves arithmetic down to the first instruction that needs it among those that
// cannot move: accesses, exchanges between threads, branches. These keep their order.
//
// - Arithmetic that such an instruction needs moves in groups of up to 256 instructions. Within a
//   group the old order stays, so that ptxas has independent instructions to overlap.
// - As arithmetic moves down and loads do not, loads come together, and more of them are in flight
//   at a time.
// - A value may also be an operand of arithmetic for a later access. That arithmetic moves up to it
//   if it frees more registers than its result takes. An example is a 32-bit value of which two
//   16-bit results are stored by two accesses: computing both frees the register.
// - What one condition selects stands together, as the value and the position do that argmax takes:
//   there are seven registers for conditions, and more of them wait in others.
// - What a part of a product gives (tile.group_dot with `parts`) is taken up before the next part
//   starts: the arithmetic that frees its registers stands right behind the wait for it.
//
// The new order is kept if estimateRegisters() says that it takes no more registers than before, or
// few. If it takes many, the operands of an access are computed one after the other instead, which
// leaves ptxas less to overlap. If it still takes more than a thread has, loads from shared memory
// move with the arithmetic, too, up to the next write to it: what they read need not wait in
// registers. At last products of warps move as well, and what the block leaves to others is
// computed one result after the other, those that share factors together: of sums in several steps,
// few are between two steps at a time. None of these is tried where no order would take a unit of
// allocation less, as with the sums of a product that its loop carries. Where it is not kept and
// the old order takes few, loads come in groups that fill those few, each followed by what becomes
// of it.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "tilec/Target/PTXAssembly.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace {

/// How arithmetic stands before what needs it.
enum class Order {
  Together, ///< All that an access needs, in groups.
  Bounded,  ///< So, but loads wait for what becomes of earlier ones when these fill registers.
  Apart,    ///< The operands of an access one after the other.
  Late,     ///< So, and loads from shared memory move with the arithmetic.
  /// So, and products move, too: what the block leaves is computed one result after the other.
  InTurn
};

/// Builds the new order of one block: `before` is the old one, `after` grows to the new one.
class BlockOrder {
public:
  BlockOrder(BasicBlock &block, Order order, const tilec::CodeTuning &tuning, unsigned mostLoaded);

  bool run();

private:
  bool isWaiting(const Value *value) const;
  bool collect(Instruction *root, SmallVectorImpl<Instruction *> &group, unsigned limit);
  void emit(Instruction *root);
  void emitAccess(Instruction *access);
  void emitSharers(size_t firstNew);
  void emitTakenUp(Instruction *wait);
  Instruction *findResult(Instruction *shared, SmallPtrSetImpl<Instruction *> &seen);
  bool frees(ArrayRef<Instruction *> group, Instruction *result, size_t firstNew) const;
  void append(Instruction *instruction);
  void appendInOrder(MutableArrayRef<Instruction *> group);
  void appendWithPartners(Instruction *instruction);
  bool canBeAppended(ArrayRef<Instruction *> group) const;
  bool movesLoads() const { return order == Order::Late || order == Order::InTurn; }
  bool moves(const Instruction &instruction) const;
  void emitLoadsBefore(const Instruction *fence);
  void emitAllBefore(const Instruction *load);
  void emitResults();

  BasicBlock &block;
  Order order;
  const tilec::CodeTuning &tuning;
  unsigned mostLoaded;       ///< For Order::Bounded, in registers.
  bool emitsResults = false; ///< All that cannot move has its position: loads may move anywhere.
  std::vector<Instruction *> before, after;
  /// The positions in the old order of the movable instructions that have none in the new order
  /// yet.
  DenseMap<const Value *, unsigned> waiting;
  /// The instructions that cannot move and have no position in the new order yet.
  SmallPtrSet<const Instruction *, 32> fixedAhead;
  size_t nextLoad = 0; ///< The first in the old order that may still be a waiting load.
};

} // namespace

/// Whether warps multiply by \p instruction. LLVM does not say that it returns, as it does of other
/// arithmetic.
static bool isProduct(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma.");
}

/// Whether the instruction may move to any point of the block that its operands dominate.
static bool isMovable(const Instruction &instruction) {
  if (isa<PHINode, AllocaInst>(instruction) || instruction.isTerminator() ||
      instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || (!call->isConvergent() && !call->getType()->isTokenTy());
}

/// Whether the instruction only reads shared memory.
static bool isSharedLoad(const Instruction &instruction) {
  auto isShared = [](const Value *value) {
    auto *type = dyn_cast<PointerType>(value->getType());
    return type && type->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && isShared(load->getPointerOperand());
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->onlyReadsMemory() && call->onlyAccessesArgMemory() &&
         any_of(call->args(), isShared);
}

/// Whether no load from shared memory may move over the instruction.
static bool isFence(const Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  return instruction.mayWriteToMemory() &&
         !(store && store->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL);
}

bool BlockOrder::moves(const Instruction &instruction) const {
  return isMovable(instruction) || (movesLoads() && isSharedLoad(instruction)) ||
         (order == Order::InTurn && isProduct(instruction));
}

BlockOrder::BlockOrder(BasicBlock &block, Order order, const tilec::CodeTuning &tuning,
                       unsigned mostLoaded)
    : block(block), order(order), tuning(tuning), mostLoaded(mostLoaded) {
  for (Instruction &instruction : block) {
    if (moves(instruction))
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
    appendWithPartners(instruction);
}

/// Whether \p group needs nothing that has no position yet. Loads stay where they are, since some
/// may be behind writes that have none.
bool BlockOrder::canBeAppended(ArrayRef<Instruction *> group) const {
  return none_of(group, [&](const Instruction *instruction) {
    return isSharedLoad(*instruction) || any_of(instruction->operands(), [&](const Value *operand) {
             auto *made = dyn_cast<Instruction>(operand);
             return made && fixedAhead.contains(made);
           });
  });
}

/// Appends \p instruction if it has no position yet, and what else its condition selects, where
/// that needs little that is waiting.
void BlockOrder::appendWithPartners(Instruction *instruction) {
  if (!isWaiting(instruction) && !fixedAhead.contains(instruction))
    return;
  append(instruction);
  auto *select = dyn_cast<SelectInst>(instruction);
  if (!select || select->getCondition()->hasNUsesOrMore(tuning.mostPartners + 1))
    return;
  SmallVector<Instruction *> group;
  for (User *user : select->getCondition()->users()) {
    auto *partner = dyn_cast<SelectInst>(user);
    group.clear();
    if (!partner || !isWaiting(partner) || !collect(partner, group, tuning.mostOfPartner) ||
        !canBeAppended(group))
      continue;
    llvm::sort(group, [&](Instruction *a, Instruction *b) { return waiting[a] < waiting[b]; });
    for (Instruction *needed : group)
      append(needed);
  }
}

/// Adds \p root and the waiting instructions that it depends on to \p group; false if it would have
/// more than \p limit.
bool BlockOrder::collect(Instruction *root, SmallVectorImpl<Instruction *> &group, unsigned limit) {
  SmallPtrSet<Instruction *, 32> seen(llvm::from_range, group);
  size_t next = group.size();
  if (!seen.insert(root).second)
    return true;
  for (group.push_back(root); next < group.size(); ++next)
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

/// Appends \p root after the waiting instructions that it depends on. A stack instead of recursion:
/// a chain of sums may be as long as a tile.
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
    if (collect(top, group, tuning.groupSize)) {
      stack.pop_back();
      group.erase(llvm::find(group, top));
      appendInOrder(group);
      appendWithPartners(top);
      continue;
    }
    // The operands first, one after the other: the last one pushed is the first one worked on.
    for (Value *operand : llvm::reverse(top->operand_values()))
      if (auto *instruction = dyn_cast<Instruction>(operand); instruction && isWaiting(instruction))
        stack.push_back(instruction);
  }
}

/// A waiting instruction that depends on \p shared and is an operand of an instruction that cannot
/// move, or at the end of the block a result of it; null if none is found among the first
/// CodeTuning::mostShared.
Instruction *BlockOrder::findResult(Instruction *shared, SmallPtrSetImpl<Instruction *> &seen) {
  SmallVector<Instruction *> stack = {shared};
  while (!stack.empty() && seen.size() < tuning.mostShared) {
    Instruction *top = stack.pop_back_val();
    for (User *user : top->users()) {
      auto *instruction = cast<Instruction>(user);
      if (top != shared && fixedAhead.contains(instruction) && !instruction->isTerminator())
        return top;
      if (isWaiting(instruction) && seen.insert(instruction).second)
        stack.push_back(instruction);
    }
    if (emitsResults && top != shared &&
        none_of(top->users(), [&](const User *user) { return isWaiting(user); }))
      return top;
  }
  return nullptr;
}

static unsigned bitsOf(const Instruction &instruction) {
  Type *type = instruction.getType();
  return type->isSized() && !type->getScalarType()->isIntegerTy(1)
             ? instruction.getDataLayout().getTypeSizeInBits(type).getKnownMinValue()
             : 0;
}

/// Whether \p group, which ends in \p result, can be appended now and frees registers: it is the
/// last user of values appended from \p firstNew on that together have more bits than \p result.
bool BlockOrder::frees(ArrayRef<Instruction *> group, Instruction *result, size_t firstNew) const {
  SmallPtrSet<const Instruction *, 32> inGroup(group.begin(), group.end());
  if (!emitsResults && !canBeAppended(group))
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

/// Appends arithmetic for later accesses, at the end of a block for its results, on the values
/// appended from \p firstNew on, where that frees registers.
void BlockOrder::emitSharers(size_t firstNew) {
  SmallPtrSet<Instruction *, 32> seen;
  SmallVector<Instruction *> group;
  unsigned limit = emitsResults ? tuning.groupSize : tuning.mostShared;
  for (size_t i = firstNew; i < after.size(); ++i) {
    Instruction *result = findResult(after[i], seen);
    group.clear();
    if (result && collect(result, group, limit) && frees(group, result, firstNew))
      emit(result);
  }
}

/// Appends the arithmetic that each result of \p wait leads to, one operation after the other, as
/// far as that needs nothing without a position.
void BlockOrder::emitTakenUp(Instruction *wait) {
  SmallVector<Instruction *> results, group;
  for (User *user : wait->users())
    if (auto *result = cast<Instruction>(user); isWaiting(result))
      results.push_back(result);
  llvm::sort(results, [&](Instruction *a, Instruction *b) { return waiting[a] < waiting[b]; });
  for (Instruction *result : results) {
    Instruction *last = nullptr;
    for (Instruction *next = result; next;) {
      group.clear();
      if (!isWaiting(next) || !collect(next, group, tuning.groupSize) || !canBeAppended(group))
        break;
      last = next;
      next = next->hasOneUse() ? cast<Instruction>(*next->user_begin()) : nullptr;
    }
    if (last)
      emit(last);
  }
}

/// Appends \p access after what it depends on, with arithmetic on the same values that frees
/// registers: one operand after the other, so that few values are live at once, or all operands
/// together.
void BlockOrder::emitAccess(Instruction *access) {
  size_t firstNew = after.size();
  if (order == Order::Apart || movesLoads())
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

/// Appends what only other blocks need, such as the sums of a loop: as many as fit into a group
/// together, or one after the other. Order::Late keeps the old order: sums of products share what
/// they load. Order::InTurn has those that share follow each other.
void BlockOrder::emitResults() {
  emitsResults = order == Order::InTurn;
  SmallVector<Instruction *> group;
  auto joins = [&](Instruction *result) {
    size_t size = group.size();
    if ((order == Order::Together || order == Order::Bounded) &&
        collect(result, group, tuning.groupSize))
      return true;
    group.truncate(size);
    return false;
  };
  auto isUsed = [&](Instruction *result) {
    return order != Order::Late &&
           any_of(result->users(), [&](User *user) { return isWaiting(user); });
  };
  for (Instruction *result : before) {
    if (!isWaiting(result) || isUsed(result) || joins(result))
      continue;
    appendInOrder(group);
    group.clear();
    if (joins(result))
      continue;
    size_t firstNew = after.size();
    emit(result);
    if (order == Order::InTurn)
      emitSharers(firstNew);
  }
  appendInOrder(group);
}

/// Appends the waiting loads that must not move over \p fence, and before it what is computed from
/// them there, each load next to its first user.
void BlockOrder::emitLoadsBefore(const Instruction *fence) {
  SmallPtrSet<const Value *, 32> loaded; // Loads, parts of what they load, and what uses these.
  size_t end = nextLoad;
  for (; before[end] != fence; ++end) {
    Instruction *instruction = before[end];
    if (!isWaiting(instruction))
      continue;
    bool isLoad = isSharedLoad(*instruction);
    if (!isLoad &&
        none_of(instruction->operands(), [&](Value *each) { return loaded.contains(each); }))
      continue;
    loaded.insert(instruction);
    if (!isLoad && !isa<ExtractElementInst, ExtractValueInst, BitCastInst>(instruction))
      emit(instruction);
  }
  for (; nextLoad != end; ++nextLoad)
    if (isWaiting(before[nextLoad]) && isSharedLoad(*before[nextLoad]))
      emit(before[nextLoad]);
}

/// Appends what is waiting of all that was before \p load.
void BlockOrder::emitAllBefore(const Instruction *load) {
  SmallVector<Instruction *> group;
  for (; before[nextLoad] != load; ++nextLoad)
    if (isWaiting(before[nextLoad]))
      group.push_back(before[nextLoad]);
  appendInOrder(group);
}

bool BlockOrder::run() {
  unsigned loaded = 0; // Bits of loads that arithmetic is waiting for.
  for (Instruction *instruction : before) {
    if (moves(*instruction))
      continue;
    if (unsigned bits = order == Order::Bounded ? bitsOf(*instruction) : 0) {
      if (loaded + bits > 32 * mostLoaded) {
        emitAllBefore(instruction);
        loaded = 0;
      }
      loaded += bits;
    }
    if (movesLoads() &&
        (isFence(*instruction) || (instruction->isTerminator() && order != Order::InTurn)))
      emitLoadsBefore(instruction);
    if (instruction->isTerminator())
      emitResults();
    if (isa<PHINode>(instruction))
      append(instruction);
    else if (instruction->getType()->isVoidTy() && !instruction->isTerminator())
      emitAccess(instruction);
    else
      emit(instruction); // A load, or the terminator.
    if (auto *call = dyn_cast<CallInst>(instruction);
        call && call->hasFnAttr(tilec::kAssemblyTakeUpAttr))
      emitTakenUp(instruction);
  }
  if (after == before)
    return false;
  for (Instruction *instruction : after)
    instruction->moveBefore(block, block.end());
  return true;
}

namespace {
/// The order of a function's instructions at some time, to restore it.
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

static bool orderBlocks(Function &function, Order order, const tilec::CodeTuning &tuning,
                        unsigned mostLoaded = 0) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= BlockOrder(block, order, tuning, mostLoaded).run();
  return changed;
}

bool tilec::orderRegisters(Function &function, const CodeTuning &tuning) {
  if (function.isDeclaration())
    return false;
  SavedOrder before(function);
  RegisterEstimate old = estimateRegisters(function);
  bool changed = orderBlocks(function, Order::Together, tuning);
  unsigned ordered = changed ? estimateRegisters(function).registers : old.registers;
  auto tryOrder = [&](Order order) {
    SavedOrder best(function);
    before.restore();
    orderBlocks(function, order, tuning);
    unsigned estimate = estimateRegisters(function).registers;
    if (estimate < ordered) {
      ordered = estimate;
      changed = true;
    } else {
      best.restore();
    }
  };
  bool canBeLess = ordered >= old.leastOfAnyOrder + tuning.registerUnit;
  if (canBeLess && ordered > tuning.manyRegisters)
    tryOrder(Order::Apart);
  if (canBeLess && ordered > tuning.spillingRegisters)
    tryOrder(Order::Late);
  if (canBeLess && ordered > tuning.spillingRegisters)
    tryOrder(Order::InTurn);
  if (ordered <= std::max(old.registers, tuning.fewRegisters))
    return changed;
  before.restore();
  if (old.registers >= tuning.fewRegisters)
    return false;
  changed = orderBlocks(function, Order::Bounded, tuning, tuning.fewRegisters - old.registers);
  if (estimateRegisters(function).registers > tuning.fewRegisters)
    before.restore();
  else if (changed)
    function.addFnAttr(kLoadsAhead, kInStraightCode);
  return changed;
}
