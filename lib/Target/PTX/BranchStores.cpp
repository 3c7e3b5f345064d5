//===- BranchStores.cpp - Stores to shared memory in branches ---*- C++ -*-===//
//
// Until here a store to shared memory that some threads leave out is a call with a predicate
// (tilec/Target/PTXAccess.h): a branch would end the block, in which OrderRegisters orders
// instructions, and LLVM would move arithmetic whose result is needed later beyond it, away from
// the values that it combines. Now that the order is final, stores that follow each other under one
// predicate get a branch around them. LLVM adds constants to their addresses in the instructions,
// and ptxas chooses between branches and predicates; given predicates, it makes a branch of each.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using tilec::MemoryAccess;

/// Calls that store under one predicate, in the order of their block.
using Run = SmallVector<CallInst *>;

static bool isSharedStore(const Instruction &instruction) {
  std::optional<MemoryAccess> access = MemoryAccess::get(instruction);
  return access && access->kind() == MemoryAccess::Kind::Store &&
         access->opcode().starts_with("st.shared") && !match(access->predicate(), m_One());
}

/// The runs of \p block. Between the stores of one are only instructions without effects, so that
/// all of them may be where the last one is.
static void findRuns(BasicBlock &block, SmallVectorImpl<Run> &runs) {
  Run run;
  auto end = [&] {
    if (!run.empty())
      runs.push_back(std::exchange(run, {}));
  };
  for (Instruction &instruction : block) {
    if (isSharedStore(instruction)) {
      auto *store = cast<CallInst>(&instruction);
      if (!run.empty() &&
          MemoryAccess::get(*store)->predicate() != MemoryAccess::get(*run.back())->predicate())
        end();
      run.push_back(store);
    } else if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) {
      end();
    }
  }
  end();
}

/// Has LLVM store what the call stores, whatever the predicate is.
static void storePlainly(IRBuilderBase &builder, const MemoryAccess &store) {
  ArrayRef<Use> registers = store.registers();
  unsigned bits = 0;
  if (store.opcode().rsplit(".b").second.getAsInteger(10, bits))
    llvm_unreachable("stores have a width");
  IntegerType *type = builder.getIntNTy(bits);
  SmallVector<Value *> words;
  for (Value *word : registers)
    words.push_back(builder.CreateTrunc(word, type));
  Value *stored = words.front();
  if (words.size() > 1) {
    stored = PoisonValue::get(FixedVectorType::get(type, words.size()));
    for (auto [i, word] : enumerate(words))
      stored = builder.CreateInsertElement(stored, word, i);
  }
  builder.CreateAlignedStore(stored, store.pointer(), Align(bits / 8 * words.size()));
}

bool tilec::branchAroundStores(Function &function) {
  SmallVector<Run> runs;
  for (BasicBlock &block : function)
    findRuns(block, runs);
  for (const Run &run : runs) {
    Value *predicate = MemoryAccess::get(*run.back())->predicate();
    IRBuilder<> builder(SplitBlockAndInsertIfThen(predicate, run.back(), /*Unreachable=*/false));
    for (CallInst *store : run) {
      storePlainly(builder, *MemoryAccess::get(*store));
      store->eraseFromParent();
    }
  }
  return !runs.empty();
}
