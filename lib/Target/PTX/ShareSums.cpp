//===- ShareSums.cpp - Addresses as earlier ones plus a constant -*- C++ -*-===//
//
// The code for each register of a tile computes its own address, say p + 2 * sext((t | 16) << 7),
// though it is often that of another register plus a constant, which an access adds for nothing, or
// plus a multiple of a stride, which is one instruction. This pass writes integers and pointers as
// sums. Where an earlier one that dominates has the same terms, the later becomes that one plus the
// difference. Each value is looked at once, where LLVM's straight-line strength reduction asks
// scalar evolution about pairs: a fifth of the time from source to PTX.
//
// Sums are those of the numbers that values stand for, taken as signed. In fewer than 64 bits they
// hold modulo 2^n, unless flags say that nothing overflows. What is extended only to be an offset
// of pointers is taken not to overflow: the address would be 2^32 elements off. LLVM's strength
// reduction does the same, for Triton too.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

/// A value times a factor, or a product of two values times a factor.
struct Term {
  Value *left;
  Value *right; // Null where the term has one value.
  uint64_t factor;

  auto values() const { return std::make_pair(left, right); }
};

/// A value as the sum of `terms` and a constant.
struct Sum {
  SmallVector<Term, 4> terms; // Ordered, no two of the same values.
  uint64_t constant = 0;
  /// Whether that holds modulo 2^64 and not only modulo 2^n for a value of n bits.
  bool isExact = true;

  void add(Term added);
  void add(const Sum &other, uint64_t factor);
  /// Whether a term is a product with `value`, which is a stride then: other elements of a tile
  /// differ in a multiple of it.
  bool hasStride(Value *value) const;
};

/// What makes one sum out of another: `value` times `factor`, and a constant.
struct Difference {
  Value *value; // Null where the constant is all.
  uint64_t factor;
  uint64_t constant;
};

class SumSharing {
public:
  explicit SumSharing(Function &function)
      : layout(function.getDataLayout()), dominators(function), loops(dominators) {}

  bool run();

private:
  Sum sumOf(Value *value) const;
  std::optional<Sum> decompose(Instruction &instruction) const;
  std::optional<Sum> decompose(BinaryOperator &operation) const;
  std::optional<Sum> decompose(CastInst &cast) const;
  std::optional<Sum> decompose(GEPOperator &address) const;
  /// What `instruction`, which is `sum`, is by an earlier one. Null, and a candidate more, if there
  /// is none.
  Value *share(Instruction &instruction, const Sum &sum);
  void visit(Instruction &instruction);

  const DataLayout &layout;
  DominatorTree dominators;
  LoopInfo loops;
  DenseMap<Value *, Sum> sums;
  /// By the hash of their terms without strides: what later values can be written with, the last
  /// one last.
  DenseMap<size_t, SmallVector<Instruction *, 2>> candidates;
  SmallVector<Instruction *> replaced;
};

} // namespace

void Sum::add(Term added) {
  if (added.factor == 0)
    return;
  auto *place = llvm::lower_bound(terms, added, [](const Term &term, const Term &added) {
    return std::less<>()(term.values(), added.values());
  });
  if (place == terms.end() || place->values() != added.values())
    terms.insert(place, added);
  else if ((place->factor += added.factor) == 0)
    terms.erase(place);
}

void Sum::add(const Sum &other, uint64_t factor) {
  isExact &= other.isExact;
  constant += other.constant * factor;
  for (const Term &term : other.terms)
    add({term.left, term.right, term.factor * factor});
}

bool Sum::hasStride(Value *value) const {
  return llvm::any_of(terms, [&](const Term &term) {
    return term.right && (term.left == value || term.right == value);
  });
}

/// The product of two sums, unless that has products of three values.
static std::optional<Sum> multiply(const Sum &left, const Sum &right) {
  Sum product;
  product.add(left, right.constant);
  product.add(right, left.constant);
  product.constant = left.constant * right.constant;
  for (const Term &one : left.terms)
    for (const Term &other : right.terms) {
      if (one.right || other.right)
        return std::nullopt;
      auto [first, second] = std::minmax(one.left, other.left, std::less<>());
      product.add({first, second, one.factor * other.factor});
    }
  return product;
}

Sum SumSharing::sumOf(Value *value) const {
  auto known = sums.find(value);
  if (known != sums.end())
    return known->second;
  Sum sum;
  if (auto *constant = dyn_cast<ConstantInt>(value))
    sum.constant = constant->getSExtValue();
  else
    sum.terms.push_back({value, nullptr, 1});
  return sum;
}

std::optional<Sum> SumSharing::decompose(BinaryOperator &operation) const {
  std::optional<Sum> sum = sumOf(operation.getOperand(0));
  Sum right = sumOf(operation.getOperand(1));
  switch (operation.getOpcode()) {
  case Instruction::Add:
    sum->add(right, 1);
    break;
  case Instruction::Sub:
    sum->add(right, -1);
    break;
  case Instruction::Or: // Disjoint bits carry nothing.
    if (!cast<PossiblyDisjointInst>(operation).isDisjoint())
      return std::nullopt;
    sum->add(right, 1);
    return sum;
  case Instruction::Mul:
    sum = multiply(*sum, right);
    break;
  case Instruction::Shl:
    if (!right.terms.empty() || right.constant >= 64)
      return std::nullopt;
    sum = multiply(*sum, Sum{{}, uint64_t(1) << right.constant});
    break;
  default:
    return std::nullopt;
  }
  if (sum)
    sum->isExact = operation.getType()->getIntegerBitWidth() == 64 ||
                   (sum->isExact && operation.hasNoSignedWrap());
  return sum;
}

/// Whether `value` is used as an offset of pointers alone.
static bool isOffset(Value &value) {
  return llvm::all_of(value.users(), llvm::IsaPred<GetElementPtrInst>);
}

std::optional<Sum> SumSharing::decompose(CastInst &cast) const {
  if (!cast.getSrcTy()->isIntegerTy())
    return std::nullopt;
  Value *operand = cast.getOperand(0);
  bool isSigned =
      isa<SExtInst>(cast) ||
      (isa<ZExtInst>(cast) && (cast.hasNonNeg() || isKnownNonNegative(operand, layout)));
  Sum sum = sumOf(operand);
  if (!isSigned || !(sum.isExact || isOffset(cast)))
    return std::nullopt;
  sum.isExact = true;
  return sum;
}

std::optional<Sum> SumSharing::decompose(GEPOperator &address) const {
  SmallMapVector<Value *, APInt, 4> offsets;
  APInt constant(64, 0);
  if (layout.getIndexTypeSizeInBits(address.getType()) != 64 ||
      !address.collectOffset(layout, 64, offsets, constant))
    return std::nullopt;
  Sum sum = sumOf(address.getPointerOperand());
  sum.constant += constant.getZExtValue();
  for (auto &[index, size] : offsets)
    sum.add(sumOf(index), size.getZExtValue());
  return sum;
}

std::optional<Sum> SumSharing::decompose(Instruction &instruction) const {
  if (auto *address = dyn_cast<GEPOperator>(&instruction))
    return decompose(*address);
  if (auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return decompose(*operation);
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return decompose(*cast);
  return std::nullopt;
}

/// Whether `instruction` is more than one other value plus a constant.
static bool isWorthSharing(Instruction &instruction) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return !address->hasAllConstantIndices();
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
    return !isa<Constant>(instruction.getOperand(0)) && !isa<Constant>(instruction.getOperand(1));
  case Instruction::Mul:
  case Instruction::Shl:
    return true;
  default:
    return false;
  }
}

/// `sum` minus `other`, if that is cheap to add.
static std::optional<Difference> subtract(const Sum &sum, const Sum &other) {
  Sum rest = sum;
  rest.add(other, -1);
  if (rest.terms.empty())
    return Difference{nullptr, 0, rest.constant};
  const Term &term = rest.terms.front();
  if (rest.terms.size() > 1 || term.right || !sum.hasStride(term.left))
    return std::nullopt;
  return Difference{term.left, term.factor, rest.constant};
}

/// A hash of what a sum has in common with those that differ in multiples of its strides.
static size_t hashWithoutStrides(const Sum &sum) {
  hash_code hash = 0;
  for (const Term &term : sum.terms)
    if (term.right || !sum.hasStride(term.left))
      hash = hash_combine(hash, term.left, term.right, term.factor);
  return hash;
}

/// Adds `difference` to `base` where `instruction` is, which has that value.
static Value *addTo(Instruction &base, const Difference &difference, Instruction &instruction) {
  // What was said of the base's own address, being in bounds, is not said of this one.
  if (isa<GetElementPtrInst>(base))
    base.dropPoisonGeneratingFlags();
  Value *result = &base;
  IRBuilder<> builder(&instruction);
  if (difference.value) {
    Value *stride = builder.CreateSExt(difference.value, builder.getInt64Ty());
    result = builder.CreateGEP(builder.getInt8Ty(), result,
                               builder.CreateMul(stride, builder.getInt64(difference.factor)));
  }
  if (difference.constant != 0)
    result = instruction.getType()->isPointerTy()
                 ? builder.CreateConstGEP1_64(builder.getInt8Ty(), result, difference.constant)
                 : builder.CreateAdd(result,
                                     ConstantInt::get(instruction.getType(), difference.constant,
                                                      /*IsSigned=*/true, /*ImplicitTrunc=*/true));
  return result;
}

Value *SumSharing::share(Instruction &instruction, const Sum &sum) {
  SmallVector<Instruction *, 2> &known = candidates[hashWithoutStrides(sum)];
  // Blocks come in the order of the dominator tree: what does not dominate this one dominates none
  // that follows.
  while (!known.empty() &&
         !dominators.dominates(known.back()->getParent(), instruction.getParent()))
    known.pop_back();
  std::optional<Difference> best;
  Instruction *base = nullptr;
  for (Instruction *candidate : llvm::reverse(known)) {
    if (candidate->getType() != instruction.getType())
      continue;
    std::optional<Difference> difference = subtract(sum, sums.find(candidate)->second);
    if (!difference || (best && difference->value))
      continue;
    best = difference;
    base = candidate;
    if (!best->value)
      break;
  }
  // In a loop, rows are what does not change plus what does, or pointers that go on by themselves.
  bool takesStrides =
      instruction.getType()->isPointerTy() && !loops.getLoopFor(instruction.getParent());
  if (!best || (best->value && !takesStrides)) {
    known.push_back(&instruction);
    return nullptr;
  }
  return addTo(*base, *best, instruction);
}

void SumSharing::visit(Instruction &instruction) {
  Type *type = instruction.getType();
  if (!type->isPointerTy() && !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64))
    return;
  constexpr unsigned mostTerms = 8;
  std::optional<Sum> sum = decompose(instruction);
  if (!sum || sum->terms.size() > mostTerms)
    return;
  sums.insert({&instruction, *sum});
  if (!isWorthSharing(instruction))
    return;
  Value *shared = share(instruction, *sum);
  if (!shared)
    return;
  if (!sums.contains(shared))
    sums.insert({shared, *sum});
  instruction.replaceAllUsesWith(shared);
  replaced.push_back(&instruction);
}

bool SumSharing::run() {
  dominators.updateDFSNumbers();
  for (DomTreeNode *node : depth_first(&dominators))
    for (Instruction &instruction : *node->getBlock())
      visit(instruction);
  for (Instruction *instruction : llvm::reverse(replaced))
    instruction->eraseFromParent();
  return !replaced.empty();
}

bool tilec::shareSums(Function &function) { return SumSharing(function).run(); }
