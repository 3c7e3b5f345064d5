//===- ConvertIntegers.cpp - Small integers to floats -----------*- C++ -*-===//
//
// Weights of few bits become floats in the loops of products, and the unit that converts integers
// of 8 and 16 bits, and all to 16-bit floats, does so for 16 lanes in a cycle. An integer of few
// bits is the low end of the mantissa of a float that is a power of two: what is left is to take
// that power away, exactly. Halves have room for 10 bits beside it, bfloats for 7, floats for 23;
// two are made at a time.
//
// The integers are often bytes of words, or bits of such bytes, of which one instruction takes two.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <array>
#include <functional>

using namespace llvm;
using namespace llvm::PatternMatch;

static constexpr unsigned kByteBits = 8, kHalfBits = 16, kWordBits = 32;
/// f32 has all integers of so many bits.
static constexpr unsigned kBitsOfFloat = 24;

namespace {

/// Bits of an integer from which on all others are copies of its sign, or zero.
struct Significant {
  unsigned bits;
  bool isSigned;
};

/// Some bits of a byte of a vector, from bit number `shift` on.
struct ByteBits {
  Value *vector;
  unsigned index, shift;
};

/// Where the exponent of a float of this type is that of a power of two whose mantissa counts by
/// one, and the number of bits of that mantissa.
struct Magic {
  uint32_t pattern;
  unsigned bits;
  double power() const { return double(uint64_t(1) << bits); }
};

class IntegerConverter {
public:
  explicit IntegerConverter(CastInst &conversion)
      : conversion(conversion), layout(conversion.getDataLayout()), builder(&conversion),
        isSigned(conversion.getOpcode() == Instruction::SIToFP) {}

  /// What takes the place of the cast; null if it stays.
  Value *convert();

private:
  Value *elementOf(Value *vector, unsigned index);
  Value *pair(FixedVectorType *type);
  Value *single();
  Value *throughFloats(Value *first, Value *second, unsigned bits);
  Value *asFloat(Value *integer);
  Significant significant(Value *integer) const;
  std::optional<ByteBits> findByte(Value *integer, unsigned bits) const;
  Value *wordOf(const ByteBits &byte);
  std::pair<Value *, std::array<unsigned, 2>> together(const ByteBits &first,
                                                       const ByteBits &second);
  Value *inHalves(Value *bytes, std::array<unsigned, 2> numbers, uint32_t kept, uint32_t changed,
                  uint32_t upper);
  Value *inHalves(Value *first, Value *second, uint32_t kept, uint32_t changed);
  Value *permute(Value *low, Value *high, uint32_t selector);
  /// `word` with those bits of `kept` alone, and `changed` inverted.
  Value *masked(Value *word, uint32_t kept, uint32_t changed) {
    return builder.CreateXor(builder.CreateAnd(word, kept), changed);
  }
  Value *minus(Value *value, Value *other);

  CastInst &conversion;
  const DataLayout &layout;
  IRBuilder<> builder;
  bool isSigned;
};

} // namespace

static uint32_t inBothHalves(uint32_t half) { return half << kHalfBits | half; }

static Magic magicOf(Type *element) {
  return element->isHalfTy()     ? Magic{0x6400, 10}
         : element->isBFloatTy() ? Magic{0x4300, 7}
                                 : Magic{0x4b000000, 23};
}

Significant IntegerConverter::significant(Value *integer) const {
  unsigned width = integer->getType()->getIntegerBitWidth();
  KnownBits known = computeKnownBits(integer, layout);
  if (!isSigned || known.isNonNegative())
    return {std::max(known.countMaxActiveBits(), 1u), /*isSigned=*/false};
  return {width - ComputeNumSignBits(integer, layout) + 1, /*isSigned=*/true};
}

/// The byte of a vector that the lowest `bits` of `integer` are part of. Instructions that only
/// move these bits are passed by.
std::optional<ByteBits> IntegerConverter::findByte(Value *integer, unsigned bits) const {
  unsigned shift = 0;
  while (true) {
    Value *inner;
    const APInt *number;
    unsigned end = shift + bits;
    if (match(integer, m_CombineOr(m_Trunc(m_Value(inner)), m_ZExtOrSExt(m_Value(inner)))) &&
        end <= inner->getType()->getScalarSizeInBits()) {
      integer = inner;
    } else if (match(integer, m_Shr(m_Value(inner), m_APInt(number))) &&
               number->ule(integer->getType()->getScalarSizeInBits() - end)) {
      shift += unsigned(number->getZExtValue());
      integer = inner;
    } else if (match(integer, m_Shl(m_Value(inner), m_APInt(number))) && number->ule(shift)) {
      shift -= unsigned(number->getZExtValue());
      integer = inner;
    } else if (match(integer, m_And(m_Value(inner), m_APInt(number))) &&
               number->extractBits(bits, shift).isAllOnes()) {
      integer = inner;
    } else {
      break;
    }
  }
  Value *vector;
  uint64_t index;
  if (shift + bits > kByteBits ||
      !match(integer, m_ExtractElt(m_Value(vector), m_ConstantInt(index))))
    return std::nullopt;
  auto *type = cast<FixedVectorType>(vector->getType());
  unsigned count = type->getNumElements();
  if (!type->getElementType()->isIntegerTy(kByteBits) || index >= count || count % 4 != 0)
    return std::nullopt;
  return ByteBits{vector, unsigned(index), shift};
}

/// The word with that byte, moved so that the bits are the byte's lowest.
Value *IntegerConverter::wordOf(const ByteBits &byte) {
  unsigned count = cast<FixedVectorType>(byte.vector->getType())->getNumElements() / 4;
  Type *word = builder.getInt32Ty();
  Value *value = count == 1
                     ? builder.CreateBitCast(byte.vector, word)
                     : builder.CreateExtractElement(
                           builder.CreateBitCast(byte.vector, FixedVectorType::get(word, count)),
                           uint64_t(byte.index / 4));
  return byte.shift ? builder.CreateLShr(value, byte.shift) : value;
}

Value *IntegerConverter::permute(Value *low, Value *high, uint32_t selector) {
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::nvvm_prmt,
                                 {low, high, builder.getInt32(selector)});
}

/// Both bytes in a word, and their numbers there. Where they are the same ones of two words, their
/// neighbours are in it, too, for the next pair.
std::pair<Value *, std::array<unsigned, 2>> IntegerConverter::together(const ByteBits &first,
                                                                       const ByteBits &second) {
  unsigned low = first.index % 4, high = second.index % 4;
  if (first.vector == second.vector && first.index / 4 == second.index / 4 &&
      first.shift == second.shift)
    return {wordOf(first), {low, high}};
  Value *one = wordOf(first), *other = wordOf(second);
  if (low != high)
    return {permute(one, other, low | (4 + high) << 4), {0, 1}};
  unsigned at = 2 * (low % 2);
  return {permute(one, other, low < 2 ? 0x5140 : 0x7362), {at, at + 1}};
}

/// The number in each half whose lower byte is that of `bytes`, with the bits of `kept` alone and
/// those of `changed` inverted, and whose upper byte is `upper`.
Value *IntegerConverter::inHalves(Value *bytes, std::array<unsigned, 2> numbers, uint32_t kept,
                                  uint32_t changed, uint32_t upper) {
  auto inAllBytes = [](uint32_t bits) { return bits * 0x01010101u; };
  Value *word = masked(bytes, inAllBytes(kept), inAllBytes(changed));
  return builder.CreateBitCast(permute(word, builder.getInt32(inAllBytes(upper)),
                                       numbers[0] | 0x40 | numbers[1] << 8 | 0x4000),
                               conversion.getType());
}

/// The same of integers that are no bytes of words.
Value *IntegerConverter::inHalves(Value *first, Value *second, uint32_t kept, uint32_t changed) {
  Type *half = builder.getInt16Ty();
  Value *halves = PoisonValue::get(FixedVectorType::get(half, 2));
  Value *both[] = {first, second};
  for (uint64_t index : {0, 1})
    halves =
        builder.CreateInsertElement(halves, builder.CreateZExtOrTrunc(both[index], half), index);
  Value *word = builder.CreateBitCast(halves, builder.getInt32Ty());
  return builder.CreateBitCast(masked(word, inBothHalves(kept), inBothHalves(changed)),
                               conversion.getType());
}

/// As one instruction that all GPUs have which compute in bfloats.
Value *IntegerConverter::minus(Value *value, Value *other) {
  if (!value->getType()->getScalarType()->isBFloatTy())
    return builder.CreateFSub(value, other);
  Value *minusOne = ConstantFP::get(value->getType(), -1.0);
  return builder.CreateIntrinsic(Intrinsic::fma, {value->getType()}, {other, minusOne, value});
}

Value *IntegerConverter::elementOf(Value *vector, unsigned index) {
  if (Value *element = findScalarElement(vector, index))
    return element;
  auto *shuffle = dyn_cast<ShuffleVectorInst>(vector);
  if (shuffle && isa<PoisonValue>(shuffle->getOperand(1)) && shuffle->getMaskValue(index) >= 0)
    return builder.CreateExtractElement(shuffle->getOperand(0),
                                        uint64_t(shuffle->getMaskValue(index)));
  return builder.CreateExtractElement(vector, uint64_t(index));
}

Value *IntegerConverter::pair(FixedVectorType *type) {
  Value *first = elementOf(conversion.getOperand(0), 0);
  Value *second = elementOf(conversion.getOperand(0), 1);
  Significant one = significant(first), other = significant(second);
  bool areSigned = one.isSigned || other.isSigned;
  auto bitsOf = [&](Significant each) { return each.bits + (areSigned && !each.isSigned); };
  unsigned bits = std::max(bitsOf(one), bitsOf(other));
  std::optional<ByteBits> low = findByte(first, bits), high = findByte(second, bits);
  if ((!low || !high) && first->getType()->isIntegerTy(kWordBits))
    return throughFloats(first, second, bits);
  Magic magic = magicOf(type->getElementType());
  // Of all bits of a number that is a power of two plus an integer.
  std::function<Value *(uint32_t, uint32_t)> number;
  if (low && high) {
    auto [word, numbers] = together(*low, *high);
    number = [&, word = word, numbers = numbers](uint32_t kept, uint32_t changed) {
      return inHalves(word, numbers, kept, changed, magic.pattern >> kByteBits);
    };
  } else {
    number = [&](uint32_t kept, uint32_t changed) {
      return inHalves(first, second, kept, magic.pattern | changed);
    };
  }
  uint32_t sign = 1u << (bits - 1), ofSign = areSigned ? sign : 0;
  if (bits <= magic.bits)
    return minus(number((1u << bits) - 1, ofSign), ConstantFP::get(type, magic.power() + ofSign));
  if (!type->getElementType()->isBFloatTy() || bits != kByteBits)
    return nullptr;
  // The low seven bits above 128, minus 128, or 256 by the highest one.
  Value *result = minus(number(sign - 1, 0), number(sign, areSigned ? 0 : sign));
  return areSigned ? result : minus(result, ConstantFP::get(type, -double(sign)));
}

/// An integer whose value f32 has, for which there is an instruction of another unit.
Value *IntegerConverter::asFloat(Value *integer) {
  Type *word = builder.getInt32Ty();
  Value *wide = isSigned ? builder.CreateSExtOrTrunc(integer, word)
                         : builder.CreateZExtOrTrunc(integer, word);
  return builder.CreateSIToFP(wide, builder.getFloatTy());
}

/// Integers of up to 24 bits, whose values f32 has; null for others.
Value *IntegerConverter::throughFloats(Value *first, Value *second, unsigned bits) {
  if (bits > kBitsOfFloat)
    return nullptr;
  Value *floats = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 2));
  Value *both[] = {first, second};
  for (uint64_t index : {0, 1})
    floats = builder.CreateInsertElement(floats, asFloat(both[index]), index);
  return builder.CreateFPTrunc(floats, conversion.getType());
}

/// A byte of a word, or some of its bits, to f32; others to f16 or bf16 through f32.
Value *IntegerConverter::single() {
  Value *integer = conversion.getOperand(0);
  Significant found = significant(integer);
  Type *type = conversion.getType();
  if (!type->isFloatTy())
    return found.bits <= kBitsOfFloat ? builder.CreateFPTrunc(asFloat(integer), type) : nullptr;
  std::optional<ByteBits> byte =
      found.bits <= kByteBits ? findByte(integer, found.bits) : std::nullopt;
  if (!byte)
    return nullptr;
  Magic magic = magicOf(type);
  uint32_t sign = found.isSigned ? 1u << (found.bits - 1) : 0, mask = (1u << found.bits) - 1;
  auto inAllBytes = [](uint32_t bits) { return bits * 0x01010101u; };
  Value *bytes = masked(wordOf(*byte), inAllBytes(mask), inAllBytes(sign));
  // The byte, two zeros, and the exponent.
  uint32_t selector = 0x7440 | byte->index % 4;
  Value *number = permute(bytes, builder.getInt32(magic.pattern), selector);
  return minus(builder.CreateBitCast(number, type), ConstantFP::get(type, magic.power() + sign));
}

Value *IntegerConverter::convert() {
  Type *type = conversion.getType(), *element = type->getScalarType();
  if (!element->isHalfTy() && !element->isBFloatTy() && !element->isFloatTy())
    return nullptr;
  if (conversion.getOperand(0)->getType()->getScalarSizeInBits() < kByteBits ||
      conversion.getOperand(0)->getType()->getScalarSizeInBits() > kWordBits)
    return nullptr;
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return single();
  return vector->getNumElements() == 2 && !element->isFloatTy() ? pair(vector) : nullptr;
}

/// A permutation of two words by a selector takes one constant. Where the second word is one, too,
/// ptxas keeps the selector in a uniform register and copies it each time. So words that many
/// permutations have come from a register whose value ptxas does not know: no multiprocessor has a
/// number of 32 bits. LLVM does know that, but not what assembly gives.
static void keepWordsInRegisters(Function &function) {
  constexpr size_t fewest = 8;
  MapVector<Constant *, SmallVector<CallInst *>> permutations;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == Intrinsic::nvvm_prmt)
      if (auto *word = dyn_cast<Constant>(call->getArgOperand(1)); word && !word->isNullValue())
        permutations[word].push_back(call);
  }
  for (auto &[word, calls] : permutations) {
    if (calls.size() < fewest)
      continue;
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    Value *number = builder.CreateCall(
        InlineAsm::get(FunctionType::get(builder.getInt32Ty(), /*isVarArg=*/false),
                       "mov.u32 $0, %smid;", "=r", /*hasSideEffects=*/false));
    Value *opaque = builder.CreateAdd(builder.CreateLShr(number, kWordBits - 1), word);
    for (CallInst *call : calls)
      call->setArgOperand(1, opaque);
  }
}

bool tilec::convertIntegers(Function &function) {
  SmallVector<CastInst *> casts;
  for (Instruction &instruction : instructions(function))
    if (isa<SIToFPInst, UIToFPInst>(instruction))
      casts.push_back(cast<CastInst>(&instruction));
  SmallVector<WeakTrackingVH> dead;
  for (CastInst *cast : casts)
    if (Value *value = IntegerConverter(*cast).convert()) {
      cast->replaceAllUsesWith(value);
      dead.push_back(cast);
    }
  bool changed = !dead.empty();
  RecursivelyDeleteTriviallyDeadInstructions(dead);
  if (changed)
    keepWordsInRegisters(function);
  return changed;
}
