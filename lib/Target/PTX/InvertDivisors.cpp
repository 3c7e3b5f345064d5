//===- InvertDivisors.cpp - Divisions by what a loop keeps ------*- C++ -*-===//
//
// A loop that divides by a number from before it (`k // group_size`) multiplies by the inverse of
// that number instead, which is computed once, before the loop. Otherwise ptxas computes the
// inverse in each iteration, by floats and two corrections: more than a hundred cycles before an
// address.
//
// For numbers of 32 bits without sign the inverse is z = floor((2^32 - 1) / d). Let s be the rest
// of that division, below d: z = (2^32 - 1 - s) / d. Then n z / 2^32 is less than n / d, by
// n (1 + s) / (2^32 d), which is below 1, as n < 2^32 and 1 + s <= d. So the upper half of n z is
// the quotient or one less, and the remainder tells which. Numbers with sign are divided by their
// absolute values.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace tilec;

namespace {

/// What divisions need of a divisor.
struct Divisor {
  Value *size, *inverse;
  /// All ones where it is negative, else zero; nothing if it is never negative.
  Value *sign;
};

struct Divided {
  Value *quotient, *remainder;
};

class DivisorInverter {
public:
  DivisorInverter(LoopInfo &loops, DominatorTree &dominators)
      : loops(loops), dominators(dominators) {}

  bool run(Function &function);

private:
  BasicBlock *blockBefore(const BinaryOperator &division);
  Divisor invert(ArrayRef<BinaryOperator *> divisions);
  Divided divide(BinaryOperator &division, const Divisor &divisor);
  void replace(ArrayRef<BinaryOperator *> divisions);

  LoopInfo &loops;
  DominatorTree &dominators;
};

} // namespace

static bool dividesIntegers(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return instruction.getType()->isIntegerTy(32) && !isa<Constant>(instruction.getOperand(1));
  default:
    return false;
  }
}

static bool hasSign(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

static bool isRemainder(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
}

/// `value` where `sign` is zero, else its negation.
static Value *withSign(IRBuilder<> &builder, Value *value, Value *sign) {
  return sign ? builder.CreateSub(builder.CreateXor(value, sign), sign) : value;
}

/// All ones where `value`, of that division, is negative, else zero; nothing if it never is.
static Value *signOf(IRBuilder<> &builder, Value *value, const BinaryOperator &division) {
  bool mayBeNegative =
      hasSign(division) && !isKnownNonNegative(value, SimplifyQuery(division.getDataLayout()));
  return mayBeNegative ? builder.CreateAShr(value, 31) : nullptr;
}

/// The block before the loop around the division, if that has no loops inside and keeps the
/// divisor, else the division's own block. Work inside of other loops had better have the
/// registers.
BasicBlock *DivisorInverter::blockBefore(const BinaryOperator &division) {
  auto *block = const_cast<BasicBlock *>(division.getParent());
  Loop *loop = loops.getLoopFor(block);
  if (!loop || !loop->isInnermost() || !loop->isLoopInvariant(division.getOperand(1)))
    return block;
  BasicBlock *before = loop->getLoopPreheader();
  return before ? before : block;
}

/// Computes what all of the divisions need, which are by one number, before them and their loops.
Divisor DivisorInverter::invert(ArrayRef<BinaryOperator *> divisions) {
  BasicBlock *before = blockBefore(*divisions.front());
  for (BinaryOperator *division : divisions.drop_front())
    before = dominators.findNearestCommonDominator(before, blockBefore(*division));
  auto isFirst = [&](const BinaryOperator *division) { return division->getParent() == before; };
  auto *first = find_if(divisions, isFirst);
  IRBuilder<> builder(first == divisions.end() ? before->getTerminator() : *first);
  Value *value = divisions.front()->getOperand(1);
  Value *sign = signOf(builder, value, *divisions.front());
  Value *size = withSign(builder, value, sign);
  // Perhaps nothing is divided, because the divisor is zero.
  Value *atLeastOne = builder.CreateBinaryIntrinsic(Intrinsic::umax, builder.CreateFreeze(size),
                                                    builder.getInt32(1));
  return {size, builder.CreateUDiv(builder.getInt32(~0u), atLeastOne), sign};
}

Divided DivisorInverter::divide(BinaryOperator &division, const Divisor &divisor) {
  IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0);
  Value *sign = signOf(builder, dividend, division);
  Value *size = withSign(builder, dividend, sign);
  auto widen = [&](Value *value) { return builder.CreateZExt(value, builder.getInt64Ty()); };
  Value *product = builder.CreateNUWMul(widen(size), widen(divisor.inverse));
  Value *quotient = builder.CreateTrunc(builder.CreateLShr(product, 32), builder.getInt32Ty());
  Value *rest = builder.CreateSub(size, builder.CreateMul(quotient, divisor.size));
  Value *isOneLess = builder.CreateICmpUGE(rest, divisor.size);
  quotient =
      builder.CreateSelect(isOneLess, builder.CreateAdd(quotient, builder.getInt32(1)), quotient);
  rest = builder.CreateSelect(isOneLess, builder.CreateSub(rest, divisor.size), rest);
  Value *signOfQuotient = sign && divisor.sign ? builder.CreateXor(sign, divisor.sign)
                          : sign               ? sign
                                               : divisor.sign;
  return {withSign(builder, quotient, signOfQuotient), withSign(builder, rest, sign)};
}

void DivisorInverter::replace(ArrayRef<BinaryOperator *> divisions) {
  Divisor divisor = invert(divisions);
  // One block's quotients and remainders of the same numbers are computed together.
  DenseMap<std::pair<BasicBlock *, Value *>, Divided> known;
  for (BinaryOperator *division : divisions) {
    auto [found, isNew] = known.try_emplace({division->getParent(), division->getOperand(0)});
    if (isNew)
      found->second = divide(*division, divisor);
    division->replaceAllUsesWith(isRemainder(*division) ? found->second.remainder
                                                        : found->second.quotient);
  }
  for (BinaryOperator *division : divisions)
    division->eraseFromParent();
}

bool DivisorInverter::run(Function &function) {
  MapVector<PointerIntPair<Value *, 1, bool>, SmallVector<BinaryOperator *>> byDivisor;
  for (Instruction &instruction : instructions(function))
    if (dividesIntegers(instruction) && dominators.isReachableFromEntry(instruction.getParent())) {
      auto *division = cast<BinaryOperator>(&instruction);
      byDivisor[{division->getOperand(1), hasSign(*division)}].push_back(division);
    }
  bool hasChanged = false;
  for (auto &[divisor, divisions] : byDivisor)
    if (any_of(divisions, [&](const BinaryOperator *division) {
          return blockBefore(*division) != division->getParent();
        })) {
      replace(divisions);
      hasChanged = true;
    }
  return hasChanged;
}

PreservedAnalyses InvertDivisorsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  DivisorInverter inverter(analyses.getResult<LoopAnalysis>(function),
                           analyses.getResult<DominatorTreeAnalysis>(function));
  bool hasChanged = inverter.run(function);
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
