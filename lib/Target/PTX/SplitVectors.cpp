//===- SplitVectors.cpp - Vectors to registers ------------------*- C++ -*-===//
//
// Replaces arithmetic on vectors by arithmetic on what a register holds: one element, or a pair of
// f16 or bf16, which PTX computes on packed. Only then do common subexpressions, constant offsets
// and loop invariants among the elements of a tile show. Loads, stores, inline assembly and
// whatever else takes a vector as a whole keep it, since its width is the width of the access.
//
// LLVM's Scalarizer does the same but rebuilds each vector of a chain of insertions, which takes
// quadratic time and memory (13 s for 2048 elements a thread against some milliseconds here), and
// leaves comparisons, selections and conversions to i1, f16 and bf16 whole.
//
// A vector is known by its pieces: of one element each (width 1) or of two (width 2, the last one
// single if the number of elements is odd). An operation works at width 2 if f16 or bf16 takes part
// in it, else at width 1; pieces of one width are made from those of the other on demand, next to
// the definition of the vector, so that they dominate every use.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

using Pieces = std::vector<Value *>;

class VectorSplitter {
public:
  explicit VectorSplitter(Function &function) : function(function) {}

  bool run();

private:
  // The pieces of a vector.
  const Pieces &pieces(Value *vector, unsigned width);
  Value *element(Value *vector, unsigned index);
  unsigned widthOf(Value *vector) const;
  Pieces extractPieces(Value *vector, unsigned width);
  Pieces regroup(Value *vector, const Pieces &from, unsigned width);
  Value *whole(Instruction *vector);
  void buildAfter(Value *value);
  void define(Instruction &vector, unsigned width, Pieces result);

  // Each handles an instruction, or returns false if it takes its vectors as a whole.
  bool split(Instruction &instruction);
  bool splitElementwise(Instruction &instruction);
  bool splitCall(IntrinsicInst &call);
  bool splitBitCast(BitCastInst &cast);
  Pieces joinElements(Value *vector, FixedVectorType *to);
  Pieces divideElements(Value *vector, FixedVectorType *to);
  bool splitPhi(PHINode &phi);
  bool splitExtract(ExtractElementInst &extract);
  bool splitInsert(InsertElementInst &insert);
  bool splitShuffle(ShuffleVectorInst &shuffle);

  void useWholeOperands(Instruction &instruction);
  void completePhis();
  void eraseSplit();

  Function &function;
  IRBuilder<> builder{function.getContext()};
  /// The pieces by vector and width: those of split instructions, and of others once needed.
  DenseMap<std::pair<Value *, unsigned>, Pieces> known;
  /// The instruction that followed each definition at first. New code goes before it, so that it
  /// stays in the order in which it was built.
  DenseMap<Value *, Instruction *> nextAfter;
  /// The vector rebuilt from its pieces, for users that need it.
  DenseMap<Value *, Value *> rebuilt;
  /// With the width of the phis that stand for each; pieces of the other one are no phis.
  SmallVector<std::pair<PHINode *, unsigned>> phis;
  SmallVector<Instruction *> replaced;
  SmallPtrSet<Value *, 32> isReplaced;
};

} // namespace

/// The fixed vector type of \p value, or null. Scalable ones do not exist on GPUs.
static FixedVectorType *vectorType(const Value *value) {
  return dyn_cast<FixedVectorType>(value->getType());
}

/// 2 for the types that PTX computes on in pairs.
static unsigned packedWidth(Type *type) {
  Type *element = type->getScalarType();
  return element->isHalfTy() || element->isBFloatTy() ? 2 : 1;
}

/// The type of the piece at \p index of a vector of \p type.
static Type *pieceType(FixedVectorType *type, unsigned width, unsigned index) {
  bool isSingle = width == 1 || index * width + 1 == type->getNumElements();
  return isSingle ? type->getElementType() : FixedVectorType::get(type->getElementType(), width);
}

static unsigned pieceCount(FixedVectorType *type, unsigned width) {
  return divideCeil(type->getNumElements(), width);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Moves the builder behind the definition of \p value and behind what was built there before.
void VectorSplitter::buildAfter(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  Instruction *&next = nextAfter[value];
  if (!next)
    // No terminator defines a vector, so each definition has an insertion point after it.
    next = instruction ? &**instruction->getInsertionPointAfterDef()
                       : &*function.getEntryBlock().getFirstInsertionPt();
  builder.SetInsertPoint(next);
  builder.SetCurrentDebugLocation(instruction ? instruction->getDebugLoc() : DebugLoc());
}

/// Takes a vector that is not split apart.
Pieces VectorSplitter::extractPieces(Value *vector, unsigned width) {
  FixedVectorType *type = vectorType(vector);
  Pieces result;
  for (unsigned i = 0, e = pieceCount(type, width); i != e; ++i) {
    if (!pieceType(type, width, i)->isVectorTy())
      result.push_back(builder.CreateExtractElement(vector, uint64_t(i) * width));
    else if (type->getNumElements() == width)
      result.push_back(vector);
    else
      result.push_back(builder.CreateShuffleVector(vector, {int(i * width), int(i * width + 1)}));
  }
  return result;
}

/// Makes pieces of \p width out of pieces of the other width.
Pieces VectorSplitter::regroup(Value *vector, const Pieces &from, unsigned width) {
  FixedVectorType *type = vectorType(vector);
  Pieces result;
  for (unsigned i = 0, e = pieceCount(type, width); i != e; ++i) {
    if (width == 1) {
      Value *pair = from[i / 2];
      result.push_back(pair->getType()->isVectorTy() ? builder.CreateExtractElement(pair, i % 2)
                                                     : pair);
    } else if (Type *pairType = pieceType(type, 2, i); pairType->isVectorTy()) {
      Value *low =
          builder.CreateInsertElement(PoisonValue::get(pairType), from[2 * i], uint64_t(0));
      result.push_back(builder.CreateInsertElement(low, from[2 * i + 1], uint64_t(1)));
    } else {
      result.push_back(from[2 * i]);
    }
  }
  return result;
}

/// The reference holds until the next call.
const Pieces &VectorSplitter::pieces(Value *vector, unsigned width) {
  auto found = known.find({vector, width});
  if (found != known.end())
    return found->second;
  IRBuilderBase::InsertPointGuard guard(builder);
  buildAfter(vector);
  Pieces result = isReplaced.contains(vector)
                      ? regroup(vector, known[{vector, width == 1 ? 2 : 1}], width)
                      : extractPieces(vector, width);
  return known[{vector, width}] = std::move(result);
}

Value *VectorSplitter::element(Value *vector, unsigned index) { return pieces(vector, 1)[index]; }

/// 2 for vectors of halves, and for those of 16-bit integers that are split into pairs, as bits of
/// halves are.
unsigned VectorSplitter::widthOf(Value *vector) const {
  bool isOfPairs = isReplaced.contains(vector) && known.contains({vector, 2}) &&
                   vectorType(vector)->getScalarSizeInBits() == 16;
  return isOfPairs ? 2 : packedWidth(vector->getType());
}

void VectorSplitter::define(Instruction &vector, unsigned width, Pieces result) {
  known[{&vector, width}] = std::move(result);
  replaced.push_back(&vector);
  isReplaced.insert(&vector);
}

/// The vector of a split instruction, put together again behind it.
Value *VectorSplitter::whole(Instruction *vector) {
  if (Value *value = rebuilt.lookup(vector))
    return value;
  FixedVectorType *type = vectorType(vector);
  if (unsigned width = widthOf(vector); pieceType(type, width, 0) == type)
    return pieces(vector, width).front();
  const Pieces elements = pieces(vector, 1);
  IRBuilderBase::InsertPointGuard guard(builder);
  buildAfter(vector);
  Value *result = PoisonValue::get(vector->getType());
  for (auto [index, value] : enumerate(elements))
    if (!isa<PoisonValue>(value))
      result = builder.CreateInsertElement(result, value, uint64_t(index));
  return rebuilt[vector] = result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isElementwise(const Instruction &instruction) {
  return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst, FreezeInst, CastInst,
             GetElementPtrInst>(instruction);
}

/// Clones \p instruction for each piece. Scalar operands (the condition of a select, the base of a
/// getelementptr) serve all of them.
bool VectorSplitter::splitElementwise(Instruction &instruction) {
  auto *type = cast<FixedVectorType>(instruction.getType());
  unsigned width = packedWidth(type);
  for (Value *operand : instruction.operands())
    if (vectorType(operand))
      width = std::max(width, packedWidth(operand->getType()));
  if (pieceType(type, width, 0) == type)
    return false; // One pair: as small as it gets.
  SmallVector<Pieces, 4> operands;
  for (Value *operand : instruction.operands())
    operands.push_back(vectorType(operand) ? pieces(operand, width) : Pieces{operand});
  Pieces result;
  builder.SetInsertPoint(&instruction);
  for (unsigned i = 0, e = pieceCount(type, width); i != e; ++i) {
    Instruction *piece = instruction.clone();
    for (auto [index, values] : enumerate(operands))
      piece->setOperand(index, vectorType(instruction.getOperand(index)) ? values[i] : values[0]);
    piece->mutateType(pieceType(type, width, i));
    result.push_back(builder.Insert(piece));
  }
  define(instruction, width, std::move(result));
  return true;
}

bool VectorSplitter::splitCall(IntrinsicInst &call) {
  auto *type = dyn_cast<FixedVectorType>(call.getType());
  Intrinsic::ID id = call.getIntrinsicID();
  if (!type || !isTriviallyVectorizable(id))
    return false;
  unsigned width = packedWidth(type);
  for (Value *argument : call.args())
    if (vectorType(argument))
      width = std::max(width, packedWidth(argument->getType()));
  if (pieceType(type, width, 0) == type)
    return false;
  SmallVector<Pieces, 4> arguments;
  for (Value *argument : call.args())
    arguments.push_back(vectorType(argument) ? pieces(argument, width) : Pieces{argument});
  Pieces result;
  builder.SetInsertPoint(&call);
  for (unsigned i = 0, e = pieceCount(type, width); i != e; ++i) {
    SmallVector<Type *, 4> overloads;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
      overloads.push_back(pieceType(type, width, i));
    SmallVector<Value *, 4> values;
    for (auto [index, argument] : enumerate(call.args())) {
      values.push_back(vectorType(argument) ? arguments[index][i] : arguments[index][0]);
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, index, nullptr))
        overloads.push_back(values.back()->getType());
    }
    Function *callee = Intrinsic::getOrInsertDeclaration(function.getParent(), id, overloads);
    CallInst *piece = builder.CreateCall(callee, values);
    piece->copyIRFlags(&call);
    result.push_back(piece);
  }
  define(call, width, std::move(result));
  return true;
}

/// Casts element by element, f16 pairs from and to single 32-bit elements, or some elements from or
/// to one.
bool VectorSplitter::splitBitCast(BitCastInst &cast) {
  Value *vector = cast.getOperand(0);
  FixedVectorType *from = vectorType(vector), *to = vectorType(&cast);
  if (!from || !to)
    return false;
  unsigned fromBits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
  if (fromBits == toBits)
    return splitElementwise(cast);
  unsigned fromWidth = widthOf(vector), toWidth = packedWidth(to);
  bool castsPairs = fromBits * fromWidth == toBits * toWidth;
  // An odd count would leave a single half of a register over.
  if (castsPairs && (from->getNumElements() % fromWidth || to->getNumElements() % toWidth))
    return false;
  // The bits of a vector that stays whole are in registers as they are. One of many is live as a
  // whole, and the code generator finds its registers in time that grows with the square of their
  // number.
  constexpr unsigned mostWhole = 4;
  unsigned count = std::max(from->getNumElements(), to->getNumElements());
  if (castsPairs ? pieceCount(to, toWidth) == 1
                 : !isReplaced.contains(vector) || count <= mostWhole)
    return false;
  if (std::max(fromBits, toBits) % std::min(fromBits, toBits))
    return false;
  builder.SetInsertPoint(&cast);
  if (!castsPairs) {
    define(cast, 1, fromBits < toBits ? joinElements(vector, to) : divideElements(vector, to));
    return true;
  }
  Pieces result;
  const Pieces operands = pieces(vector, fromWidth);
  for (auto [index, operand] : enumerate(operands))
    result.push_back(builder.CreateBitCast(operand, pieceType(to, toWidth, index)));
  define(cast, toWidth, std::move(result));
  return true;
}

/// The elements of `to`, each of which is several of `vector`.
Pieces VectorSplitter::joinElements(Value *vector, FixedVectorType *to) {
  const Pieces elements = pieces(vector, 1);
  unsigned count = elements.size() / to->getNumElements();
  Type *group = FixedVectorType::get(elements.front()->getType(), count);
  Pieces result;
  for (unsigned i = 0; i != elements.size(); i += count) {
    Value *joined = PoisonValue::get(group);
    for (unsigned k = 0; k != count; ++k)
      joined = builder.CreateInsertElement(joined, elements[i + k], uint64_t(k));
    result.push_back(builder.CreateBitCast(joined, to->getElementType()));
  }
  return result;
}

/// The elements of `to`, of which each of `vector` is several.
Pieces VectorSplitter::divideElements(Value *vector, FixedVectorType *to) {
  const Pieces elements = pieces(vector, 1);
  unsigned count = to->getNumElements() / elements.size();
  Pieces result;
  for (Value *element : elements) {
    Value *group =
        builder.CreateBitCast(element, FixedVectorType::get(to->getElementType(), count));
    for (unsigned k = 0; k != count; ++k)
      result.push_back(builder.CreateExtractElement(group, uint64_t(k)));
  }
  return result;
}

/// Whether one of the values that `phi` has is the bits of halves.
static bool takesBitsOfHalves(const PHINode &phi) {
  return any_of(phi.incoming_values(), [&](const Value *value) {
    auto *cast = dyn_cast<BitCastInst>(value);
    return cast && vectorType(cast->getOperand(0)) && packedWidth(cast->getSrcTy()) == 2 &&
           phi.getType()->getScalarSizeInBits() == 16;
  });
}

/// Creates the phis of the pieces; completePhis() adds the incoming values.
bool VectorSplitter::splitPhi(PHINode &phi) {
  auto *type = cast<FixedVectorType>(phi.getType());
  unsigned width = takesBitsOfHalves(phi) ? 2 : packedWidth(type);
  if (pieceType(type, width, 0) == type)
    return false;
  Pieces result;
  builder.SetInsertPoint(&phi);
  for (unsigned i = 0, e = pieceCount(type, width); i != e; ++i) {
    PHINode *piece = builder.CreatePHI(pieceType(type, width, i), phi.getNumIncomingValues());
    piece->copyIRFlags(&phi);
    result.push_back(piece);
  }
  define(phi, width, std::move(result));
  phis.push_back({&phi, width});
  return true;
}

void VectorSplitter::completePhis() {
  for (auto [phi, width] : phis) {
    const Pieces results = pieces(phi, width);
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i) {
      const Pieces &values = pieces(phi->getIncomingValue(i), width);
      for (auto [result, value] : zip_equal(results, values))
        cast<PHINode>(result)->addIncoming(value, phi->getIncomingBlock(i));
    }
  }
}

bool VectorSplitter::splitExtract(ExtractElementInst &extract) {
  auto *index = dyn_cast<ConstantInt>(extract.getIndexOperand());
  FixedVectorType *type = vectorType(extract.getVectorOperand());
  // Of a vector that stays whole, this is the form it already has.
  if (!index || !type || index->getValue().uge(type->getNumElements()) ||
      !isReplaced.contains(extract.getVectorOperand()))
    return false;
  extract.replaceAllUsesWith(element(extract.getVectorOperand(), index->getZExtValue()));
  replaced.push_back(&extract);
  return true;
}

bool VectorSplitter::splitInsert(InsertElementInst &insert) {
  auto *index = dyn_cast<ConstantInt>(insert.getOperand(2));
  FixedVectorType *type = vectorType(&insert);
  if (!index || index->getValue().uge(type->getNumElements()))
    return false;
  Value *vector = insert.getOperand(0);
  Pieces elements;
  auto found = known.find({vector, 1});
  // In a chain of insertions each vector is used once: to move its pieces on instead of copying
  // them makes the time linear in the length of the chain.
  if (vector->hasOneUse() && found != known.end() && isReplaced.contains(vector))
    elements = std::move(found->second);
  else
    elements = pieces(vector, 1);
  elements[index->getZExtValue()] = insert.getOperand(1);
  define(insert, 1, std::move(elements));
  return true;
}

bool VectorSplitter::splitShuffle(ShuffleVectorInst &shuffle) {
  auto *type = cast<FixedVectorType>(shuffle.getType());
  FixedVectorType *operandType = vectorType(shuffle.getOperand(0));
  unsigned count = operandType->getNumElements();
  ArrayRef<int> mask = shuffle.getShuffleMask();
  auto at = [&](int index) -> Value * {
    if (index < 0)
      return PoisonValue::get(type->getElementType());
    return element(shuffle.getOperand(unsigned(index) / count), unsigned(index) % count);
  };
  // Pairs that stay pairs are not taken apart.
  bool keepsPairs = widthOf(shuffle.getOperand(0)) == 2 && count % 2 == 0 && mask.size() % 2 == 0;
  for (size_t i = 0; keepsPairs && i != mask.size(); i += 2)
    keepsPairs = mask[i] >= 0 && mask[i] % 2 == 0 && mask[i + 1] == mask[i] + 1;
  Pieces result;
  for (size_t i = 0; i != mask.size(); i += keepsPairs ? 2 : 1)
    result.push_back(keepsPairs ? pieces(shuffle.getOperand(unsigned(mask[i]) / count),
                                         2)[unsigned(mask[i]) % count / 2]
                                : at(mask[i]));
  define(shuffle, keepsPairs ? 2 : 1, std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// The whole function
//===----------------------------------------------------------------------===//

bool VectorSplitter::split(Instruction &instruction) {
  if (auto *extract = dyn_cast<ExtractElementInst>(&instruction))
    return splitExtract(*extract);
  if (!vectorType(&instruction))
    return false;
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return splitPhi(*phi);
  if (auto *insert = dyn_cast<InsertElementInst>(&instruction))
    return splitInsert(*insert);
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    return splitShuffle(*shuffle);
  if (auto *cast = dyn_cast<BitCastInst>(&instruction))
    return splitBitCast(*cast);
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return splitCall(*call);
  return isElementwise(instruction) && splitElementwise(instruction);
}

/// Gives an instruction that stays the vectors it had.
void VectorSplitter::useWholeOperands(Instruction &instruction) {
  for (Use &use : instruction.operands())
    if (isReplaced.contains(use.get()))
      use.set(whole(cast<Instruction>(use.get())));
}

void VectorSplitter::eraseSplit() {
  for (Instruction *instruction : reverse(replaced)) {
    // What is left are uses among the replaced themselves, in cycles through phis.
    if (!instruction->use_empty())
      instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
}

bool VectorSplitter::run() {
  // Operands are split before their users, except around loops.
  SmallVector<PHINode *> wholePhis;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : make_early_inc_range(*block)) {
      if (split(instruction))
        continue;
      if (auto *phi = dyn_cast<PHINode>(&instruction))
        wholePhis.push_back(phi);
      else
        useWholeOperands(instruction);
    }
  completePhis();
  for (PHINode *phi : wholePhis)
    useWholeOperands(*phi);
  eraseSplit();
  return !replaced.empty();
}

bool tilec::splitVectors(Function &function) {
  if (function.isDeclaration())
    return false;
  // This removes branches on constants, too.
  bool changed = removeUnreachableBlocks(function);
  return VectorSplitter(function).run() || changed;
}
