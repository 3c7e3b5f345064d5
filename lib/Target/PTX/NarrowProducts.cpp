//===- NarrowProducts.cpp - 64-bit products of two words --------*- C++ -*-===//
//
// Products in 64 bits of what has 32 bits, for which hardware has an instruction.
//
// High halves: the upper word of a 32-bit product is a multiplication, a shift and two conversions
// in 64 bits. In a chain of such products, as random numbers have them, the code generator looks
// from each back through all before it, as far as its limit allows, for bits that it knows, and
// finds none. One instruction that gives the upper word spares it that.
//
// Wide products: `index * stride` of two words is one instruction where both are extended alike.
// LLVM makes a zero extension of what is never negative, such as an index; if the stride keeps its
// sign, the code generator would multiply in 64 bits, which takes five instructions.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The i32 that `value` is the zero extension of, perhaps a constant; or null.
static Value *beforeExtension(Value *value) {
  Value *narrow;
  if (match(value, m_ZExt(m_Value(narrow))) && narrow->getType()->isIntegerTy(32))
    return narrow;
  auto *constant = dyn_cast<ConstantInt>(value);
  if (!constant || !constant->getValue().isIntN(32))
    return nullptr;
  return ConstantInt::get(constant->getContext(), constant->getValue().trunc(32));
}

/// Replaces the upper word of a 64-bit product of two words by the instruction for it.
static bool takeHighHalf(TruncInst &trunc) {
  Value *left, *right;
  if (!trunc.getType()->isIntegerTy(32) ||
      !match(trunc.getOperand(0),
             m_OneUse(m_LShr(m_OneUse(m_Mul(m_Value(left), m_Value(right))), m_SpecificInt(32)))))
    return false;
  Value *words[] = {beforeExtension(left), beforeExtension(right)};
  if (!words[0] || !words[1])
    return false;
  IRBuilder<> builder(&trunc);
  trunc.replaceAllUsesWith(builder.CreateIntrinsic(Intrinsic::nvvm_mulhi_ui, words));
  RecursivelyDeleteTriviallyDeadInstructions(&trunc);
  return true;
}

/// The i32 that `value` is the extension of and has the same value with a sign; or null.
static Value *beforeSignedExtension(Value *value, const DataLayout &layout) {
  Value *narrow;
  if (!match(value, m_ZExtOrSExt(m_Value(narrow))) || !narrow->getType()->isIntegerTy(32))
    return nullptr;
  auto *extension = dyn_cast<ZExtInst>(value);
  bool keepsSign =
      !extension || extension->hasNonNeg() || computeKnownBits(narrow, layout).isNonNegative();
  return keepsSign ? narrow : nullptr;
}

namespace {

/// A product of two words, of which one is extended with its sign and one without.
struct MixedProduct {
  BinaryOperator *instruction;
  Value *left, *right;
  /// The one with a sign.
  Value *stride;
};

} // namespace

static std::optional<MixedProduct> matchMixed(Instruction &instruction, const DataLayout &layout) {
  if (instruction.getOpcode() != Instruction::Mul || !instruction.getType()->isIntegerTy(64))
    return std::nullopt;
  Value *operands[] = {instruction.getOperand(0), instruction.getOperand(1)};
  Value *left = beforeSignedExtension(operands[0], layout);
  Value *right = beforeSignedExtension(operands[1], layout);
  bool isLeftSigned = isa<SExtInst>(operands[0]);
  if (!left || !right || isLeftSigned == isa<SExtInst>(operands[1]))
    return std::nullopt;
  return MixedProduct{cast<BinaryOperator>(&instruction), left, right, isLeftSigned ? left : right};
}

/// Replaces `product` by the instruction for it, as text: extended alike in IR, the code generator
/// would make the factors different again.
static void multiplyWords(const MixedProduct &product) {
  Type *word = product.left->getType(), *wide = product.instruction->getType();
  auto *text = InlineAsm::get(FunctionType::get(wide, {word, word}, false),
                              "mul.wide.s32 $0, $1, $2;", "=l,r,r", /*hasSideEffects=*/false);
  IRBuilder<> builder(product.instruction);
  product.instruction->replaceAllUsesWith(builder.CreateCall(text, {product.left, product.right}));
  RecursivelyDeleteTriviallyDeadInstructions(product.instruction);
}

/// Several multiples of one stride are left to the code generator, which makes sums of them.
static bool multiplyWords(Function &function) {
  SmallVector<MixedProduct> products;
  SmallDenseMap<Value *, unsigned> multiples;
  for (Instruction &instruction : instructions(function))
    if (auto product = matchMixed(instruction, function.getDataLayout())) {
      products.push_back(*product);
      ++multiples[product->stride];
    }
  llvm::erase_if(products, [&](const MixedProduct &each) { return multiples[each.stride] > 1; });
  llvm::for_each(products, [](const MixedProduct &each) { multiplyWords(each); });
  return !products.empty();
}

bool tilec::narrowProducts(Function &function) {
  bool changed = multiplyWords(function);
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *trunc = dyn_cast<TruncInst>(&instruction))
        changed |= takeHighHalf(*trunc);
  return changed;
}
