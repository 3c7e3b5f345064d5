//===- SimplifyRegisters.cpp - Cheaper code for a tile's registers -*- C++ -*-===//
//
// Splitting vectors leaves the same code for each register that a thread holds of a tile, which
// often differs in a constant only. These rewrites make such code cheaper.
//
// Comparisons: a mask like `range < n` compares `t | c` with n, where t belongs to the thread and
// the constant c to the register. That is a sum and a comparison for each c. Comparing n - t, which
// is computed once, with the constants leaves the comparison alone. It also makes a predicate so
// cheap that ptxas rematerializes it where it is used. A thread has seven predicate registers, and
// keeping one in another register costs two instructions.
//
// Pairs: bf16 is extended to f32 two elements at a time, from one 32-bit word. Where the two
// elements were loaded one by one, the word has to be put together first, which costs more than it
// saves, so each is extended from its own 16 bits.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// Comparisons with a common bound
//===----------------------------------------------------------------------===//

namespace {

/// `base + offset` compared with `bound`, where base, offset and their sum are not negative.
struct Comparison {
  ICmpInst *instruction;
  CmpPredicate predicate;
  Value *base;
  ConstantInt *offset;
  Value *bound;
};

} // namespace

static bool isNonNegative(Value *value, const DataLayout &layout) {
  return computeKnownBits(value, layout).isNonNegative();
}

/// Splits `value` into a base and a constant offset, 0 if it is no such sum. False if one of them
/// may be negative.
static bool splitOffset(Value *value, const DataLayout &layout, Comparison &result) {
  Value *base;
  ConstantInt *offset;
  if (match(value, m_DisjointOr(m_Value(base), m_ConstantInt(offset))) ||
      match(value, m_NSWAdd(m_Value(base), m_ConstantInt(offset)))) {
    result.base = base;
    result.offset = offset;
  } else {
    result.base = value;
    result.offset = ConstantInt::get(cast<IntegerType>(value->getType()), 0);
  }
  return !result.offset->isNegative() && isNonNegative(result.base, layout);
}

static bool matchComparison(Instruction &instruction, const DataLayout &layout,
                            Comparison &result) {
  auto *compare = dyn_cast<ICmpInst>(&instruction);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy(32) || !compare->isRelational() ||
      compare->isUnsigned())
    return false;
  result.instruction = compare;
  for (bool swap : {false, true}) {
    result.predicate = swap ? compare->getSwappedPredicate() : compare->getPredicate();
    Value *sum = compare->getOperand(swap);
    result.bound = compare->getOperand(!swap);
    if (!isa<Constant>(sum) && !isa<Constant>(result.bound) && splitOffset(sum, layout, result))
      return true;
  }
  return false;
}

/// The first instruction after the definitions of both values; null where neither dominates the
/// other.
static Instruction *placeAfter(Value *a, Value *b, const DominatorTree &dominators) {
  auto *first = dyn_cast<Instruction>(a), *second = dyn_cast<Instruction>(b);
  if (first && second && dominators.dominates(first, second))
    first = nullptr;
  else if (first && second && dominators.dominates(second, first))
    second = nullptr;
  if (first && second)
    return nullptr;
  Instruction *last = first ? first : second;
  if (!last)
    return &*dominators.getRoot()->getFirstInsertionPt();
  std::optional<BasicBlock::iterator> next = last->getInsertionPointAfterDef();
  return next ? &**next : nullptr;
}

/// Rewrites comparisons of one base and one bound to comparisons of their difference with
/// constants.
static bool shareBounds(Function &function, size_t leastComparisons) {
  const DataLayout &layout = function.getDataLayout();
  MapVector<std::pair<Value *, Value *>, SmallVector<Comparison>> groups;
  for (Instruction &instruction : instructions(function)) {
    Comparison comparison;
    if (matchComparison(instruction, layout, comparison))
      groups[{comparison.base, comparison.bound}].push_back(comparison);
  }
  bool changed = false;
  DominatorTree dominators(function);
  for (auto &[key, group] : groups) {
    auto [base, bound] = key;
    Instruction *place =
        group.size() < leastComparisons ? nullptr : placeAfter(base, bound, dominators);
    if (!place)
      continue;
    // A bound below -1 gives the same results as -1, with which the difference cannot overflow.
    IRBuilder<> builder(place);
    Value *least = ConstantInt::getSigned(base->getType(), -1);
    Value *rest =
        builder.CreateNSWSub(builder.CreateBinaryIntrinsic(Intrinsic::smax, bound, least), base);
    for (Comparison &comparison : group) {
      builder.SetInsertPoint(comparison.instruction);
      CmpPredicate predicate = CmpInst::getSwappedPredicate(comparison.predicate);
      comparison.instruction->replaceAllUsesWith(
          builder.CreateICmp(predicate, rest, comparison.offset));
      comparison.instruction->eraseFromParent();
    }
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Pairs of bf16 that were loaded one by one
//===----------------------------------------------------------------------===//

/// The 16-bit integer that `element` is a bitcast of, by way of a vector of one element; or null.
static Value *bitsOfElement(Value *element) {
  Value *vector, *bits;
  if (match(element, m_ExtractElt(m_Value(vector), m_ZeroInt())) &&
      match(vector, m_BitCast(m_Value(bits))) && bits->getType()->isIntegerTy(16))
    return bits;
  return nullptr;
}

/// `cast` is a word of two bf16. Where its halves are extended to f32, which is to move 16 bits to
/// the upper half of a word, extends the elements that the word was made of instead.
static bool extendEach(BitCastInst &cast) {
  Value *low, *high;
  if (!cast.getType()->isIntegerTy(32) ||
      !match(cast.getOperand(0), m_InsertElt(m_InsertElt(m_Poison(), m_Value(low), m_ZeroInt()),
                                             m_Value(high), m_One())))
    return false;
  Value *bits[] = {bitsOfElement(low), bitsOfElement(high)};
  if (!bits[0] || !bits[1])
    return false;
  bool changed = false;
  for (User *user : make_early_inc_range(cast.users())) {
    bool isHigh = match(user, m_And(m_Specific(&cast), m_SpecificInt(0xffff0000)));
    if (!isHigh && !match(user, m_Shl(m_Specific(&cast), m_SpecificInt(16))))
      continue;
    auto *half = llvm::cast<Instruction>(user);
    IRBuilder<> builder(half);
    Value *wide = builder.CreateZExt(bits[isHigh], cast.getType());
    half->replaceAllUsesWith(builder.CreateShl(wide, 16));
    half->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool tilec::simplifyRegisters(Function &function, const CodeTuning &tuning) {
  bool changed = shareBounds(function, tuning.leastComparisons);
  SmallVector<BitCastInst *> casts;
  for (Instruction &instruction : instructions(function))
    if (auto *cast = dyn_cast<BitCastInst>(&instruction))
      casts.push_back(cast);
  for (BitCastInst *cast : casts)
    changed |= extendEach(*cast);
  return changed;
}
