//===- ProductFaults.cpp - Products that ptxas compiles wrongly -*- C++ -*-===//
//
// The part of the pass before LLVM's back end (ToolFaults.cpp) that is about matrix instructions:
//
// - identical-products: of two instructions of warp groups with the same registers and places of
//   factors in memory, ptxas keeps one and leaves the sums of the other undefined, also if these
//   places were written in between. So it is where both halves of a tile have one constant, and in
//   iterations of a loop that ptxas unrolls.
// - known-fp8: the hardware multiplies halves where warps multiply fp8. ptxas makes the halves of a
//   factor that it knows, and takes its lower two bytes for the upper two. Conversions of bytes
//   that it knows go to a register that is written again before it is read.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "tilec/Support/Workarounds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <map>
#include <set>

using namespace llvm;
using tilec::Workaround;
using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// identical-products: the same factors twice
//===----------------------------------------------------------------------===//

/// `value`, as the sum with so many zeros of which ptxas does not know that they are: the highest
/// bit of the mask of the lanes below.
static Value *withZeros(IRBuilderBase &builder, Value *value, unsigned count) {
  Value *mask = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
  Value *zeros = builder.CreateMul(builder.CreateLShr(mask, 31), builder.getInt32(count));
  return builder.CreateAdd(value, builder.CreateZExtOrTrunc(zeros, value->getType()));
}

/// The four operands of the left factor's registers in an instruction of a group's product; none if
/// it is no such instruction, or the factor is in memory.
static SmallVector<unsigned, 4> leftRegisters(StringRef line) {
  SmallVector<unsigned, 4> operands;
  if (!line.starts_with("wgmma.mma_async"))
    return operands;
  StringRef rest = line.split("}, {").second;
  unsigned number;
  while (rest.consume_front("$") && !rest.consumeInteger(10, number)) {
    operands.push_back(number);
    rest.consume_front(", ");
  }
  return operands;
}

/// Has no two instructions of `assembly` take the same registers and the same place in memory.
static bool separateProducts(CallInst &assembly, StringRef text) {
  auto *sums = dyn_cast<StructType>(assembly.getType());
  unsigned numResults = sums ? sums->getNumElements() : 1;
  std::set<std::pair<StringRef, SmallVector<Value *, 4>>> seen;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  StringRef place;
  unsigned numChanged = 0;
  for (StringRef line : lines) {
    if (line.starts_with("add.s64 r,"))
      place = line;
    SmallVector<unsigned, 4> operands = leftRegisters(line);
    if (operands.empty())
      continue;
    SmallVector<Value *, 4> values;
    for (unsigned operand : operands)
      values.push_back(assembly.getArgOperand(operand - numResults));
    if (seen.insert({place, values}).second)
      continue;
    IRBuilder<> builder(&assembly);
    assembly.setArgOperand(operands.front() - numResults,
                           withZeros(builder, values.front(), ++numChanged));
  }
  return numChanged != 0;
}

namespace {

/// The products of a function so far, by their instructions and operands.
class SeenProducts {
public:
  explicit SeenProducts(Function &function) : dominance(function), loops(dominance) {}

  bool separate(CallInst &assembly, StringRef text);

private:
  static bool keepRolled(Loop &loop, const CallInst &assembly);
  Value *firstLoaded(Value *operand);

  DominatorTree dominance;
  LoopInfo loops;
  std::map<std::pair<StringRef, SmallVector<Value *, 8>>, unsigned> seen;
  /// What was loaded first by the same function from the same place, and its elements.
  std::map<std::tuple<Value *, Value *, unsigned>, Value *> loaded;
};

} // namespace

/// The element of a tuple that an intrinsic function loads from one place, if `value` is one.
static CallInst *loadOfElement(Value *value) {
  auto *element = dyn_cast<ExtractValueInst>(value);
  auto *call = element ? dyn_cast<CallInst>(element->getAggregateOperand()) : nullptr;
  return call && call->onlyReadsMemory() && call->arg_size() == 1 ? call : nullptr;
}

/// Whether ptxas takes `value` for the same in each iteration: what a place in shared memory holds
/// counts as that, whatever was copied there in between, and what is computed from it.
static bool looksInvariant(const Loop &loop, Value *value) {
  constexpr size_t mostValues = 64;
  SmallSetVector<Value *, 16> open;
  open.insert(value);
  for (size_t index = 0; index < open.size(); ++index) {
    if (loop.isLoopInvariant(open[index]))
      continue;
    auto *instruction = dyn_cast<Instruction>(open[index]);
    bool isRead = instruction && (isa<LoadInst>(instruction) || isa<CallInst>(instruction)) &&
                  !instruction->mayWriteToMemory();
    bool isPure = instruction && !isa<PHINode>(instruction) && !instruction->mayReadOrWriteMemory();
    if ((!isRead && !isPure) || open.size() > mostValues)
      return false;
    open.insert_range(instruction->operands());
  }
  return true;
}

/// Has ptxas not unroll a loop each of whose iterations would have the same product.
bool SeenProducts::keepRolled(Loop &loop, const CallInst &assembly) {
  if (!all_of(assembly.args(), [&](Value *operand) { return looksInvariant(loop, operand); }))
    return false;
  loop.setLoopAlreadyUnrolled();
  return true;
}

/// `operand`, or what was loaded first from where it is loaded.
Value *SeenProducts::firstLoaded(Value *operand) {
  CallInst *load = loadOfElement(operand);
  if (!load)
    return operand;
  unsigned index = cast<ExtractValueInst>(operand)->getIndices().front();
  std::tuple key(load->getCalledOperand(), load->getArgOperand(0), index);
  return loaded.try_emplace(key, operand).first->second;
}

/// What was stored in between is no operand, so products of one place in memory look the same.
bool SeenProducts::separate(CallInst &assembly, StringRef text) {
  bool changed = false;
  for (Loop *loop = loops.getLoopFor(assembly.getParent()); loop; loop = loop->getParentLoop())
    changed |= keepRolled(*loop, assembly);
  SmallVector<Value *, 8> operands;
  for (Value *operand : assembly.args())
    operands.push_back(firstLoaded(operand));
  unsigned numBefore = seen[{text, operands}]++;
  Use *place = find_if(assembly.args(),
                       [](const Use &operand) { return operand->getType()->isIntegerTy(64); });
  if (numBefore == 0 || place == assembly.arg_end())
    return changed;
  IRBuilder<> builder(&assembly);
  place->set(withZeros(builder, *place, numBefore));
  return true;
}

static bool separateProducts(Function &function) {
  SmallVector<CallInst *> products;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    if (code && code->getAsmString().contains("wgmma.mma_async"))
      products.push_back(call);
  }
  if (products.empty())
    return false;
  SeenProducts seen(function);
  bool changed = false;
  for (CallInst *product : products) {
    StringRef text = cast<InlineAsm>(product->getCalledOperand())->getAsmString();
    changed |= separateProducts(*product, text);
    changed |= seen.separate(*product, text);
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// known-fp8: factors and conversions
//===----------------------------------------------------------------------===//

namespace {

/// Which registers hold a byte that ptxas may know at compile time: it finds masks that are false
/// everywhere, and what loads under them give.
class KnownRegisters {
public:
  bool mayBeKnown(Value *value);

private:
  bool compute(Instruction &instruction);

  DenseMap<Value *, bool> known;
  unsigned depth = 0;
};

} // namespace

bool KnownRegisters::compute(Instruction &instruction) {
  if (std::optional<tilec::MemoryAccess> access = tilec::MemoryAccess::get(instruction))
    return access->kind() == tilec::MemoryAccess::Kind::Load &&
           !match(access->predicate(), m_One());
  if (instruction.mayReadFromMemory())
    return false;
  auto isKnown = [&](Value *operand) { return mayBeKnown(operand); };
  auto *call = dyn_cast<CallInst>(&instruction);
  if (call && call->getIntrinsicID() != Intrinsic::nvvm_prmt)
    return !call->arg_empty() && llvm::all_of(call->args(), isKnown);
  // Bytes of several registers are put together by shuffles, or by shifts and sums.
  return llvm::any_of(instruction.operands(), [&](Value *operand) {
    return isa<Constant>(operand) ? isa<PHINode, SelectInst>(instruction) : isKnown(operand);
  });
}

bool KnownRegisters::mayBeKnown(Value *value) {
  constexpr unsigned mostDeep = 100;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return isa<Constant>(value) && !isa<UndefValue>(value);
  auto [entry, isNew] = known.insert({value, true});
  if (!isNew || depth == mostDeep)
    return entry->second;
  ++depth;
  bool result = compute(*instruction);
  --depth;
  return known[value] = result;
}

/// Whether `name` is that of an intrinsic that multiplies fp8 or converts it to halves.
static bool takesFP8(StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return false;
  return name.starts_with("e4m3x2.to.") || name.starts_with("e5m2x2.to.") ||
         (name.starts_with("mma.") && (name.contains(".e4m3.") || name.contains(".e5m2.")));
}

/// Hides fp8 that ptxas may know from what takes it.
static bool hideKnownFP8(Function &function) {
  KnownRegisters registers;
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *taker = dyn_cast<IntrinsicInst>(&instruction);
    if (!taker || !takesFP8(taker->getCalledFunction()->getName()))
      continue;
    for (Use &operand : taker->args()) {
      if (!operand->getType()->isIntegerTy() || !registers.mayBeKnown(operand))
        continue;
      IRBuilder<> builder(taker);
      operand.set(withZeros(builder, operand, 1));
      changed = true;
    }
  }
  return changed;
}

bool tilec::avoidProductFaults(Function &function) {
  bool changed = false;
  if (isEnabled(Workaround::IdenticalProducts))
    changed |= separateProducts(function);
  if (isEnabled(Workaround::KnownFP8))
    changed |= hideKnownFP8(function);
  return changed;
}
