//===- Conversions.cpp - cvt ------------------------------------*- C++ -*-===//
//
// Conversions between numbers: PTX ISA, "cvt". A number is on its way an integer of 128 bits or a
// double that a second rounding cannot harm.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <optional>

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

namespace {

enum class Type : uint8_t {
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  None,
};

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, Away };

/// What an opcode asks for, packed into Instruction::detail.
struct Form {
  Type to = Type::None, from = Type::None;
  Rounding rounding = Rounding::Nearest;
  bool toInteger = false; // An integral value, maybe of a float type.
  bool saturate = false, finite = false, relu = false, flush = false;
  bool pairTo = false, pairFrom = false;

  uint32_t pack() const {
    return uint32_t(to) | uint32_t(from) << 4 | uint32_t(rounding) << 8 |
           uint32_t(toInteger) << 12 | uint32_t(saturate) << 13 | uint32_t(finite) << 14 |
           uint32_t(relu) << 15 | uint32_t(flush) << 16 | uint32_t(pairTo) << 17 |
           uint32_t(pairFrom) << 18;
  }
  static Form unpack(uint32_t bits) {
    Form form;
    form.to = Type(bits & 15);
    form.from = Type(bits >> 4 & 15);
    form.rounding = Rounding(bits >> 8 & 15);
    form.toInteger = bits >> 12 & 1;
    form.saturate = bits >> 13 & 1;
    form.finite = bits >> 14 & 1;
    form.relu = bits >> 15 & 1;
    form.flush = bits >> 16 & 1;
    form.pairTo = bits >> 17 & 1;
    form.pairFrom = bits >> 18 & 1;
    return form;
  }
};

} // namespace

static bool isInteger(Type type) { return type <= Type::S64; }
static bool isSigned(Type type) { return uint8_t(type) & 1; }
static unsigned bitsOf(Type type) { return 8U << (unsigned(type) / 2); } // Of an integer type.

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static const fltSemantics &smallSemantics(Type type) {
  return type == Type::E4M3 ? APFloat::Float8E4M3FN() : APFloat::Float8E5M2();
}

static double readFloat(Type type, uint64_t bits) {
  switch (type) {
  case Type::F16:
    return float(fromBits<Half>(bits));
  case Type::BF16:
    return float(fromBits<BFloat16>(bits));
  case Type::E4M3:
  case Type::E5M2: {
    APFloat value(smallSemantics(type), APInt(8, bits & 0xff));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  case Type::F64:
    return fromBits<double>(bits);
  default:
    return fromBits<float>(bits);
  }
}

static APFloat::roundingMode modeOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return APFloat::rmNearestTiesToEven;
  case Rounding::Zero:
    return APFloat::rmTowardZero;
  case Rounding::Down:
    return APFloat::rmTowardNegative;
  case Rounding::Up:
    return APFloat::rmTowardPositive;
  case Rounding::Away:
    return APFloat::rmNearestTiesToAway;
  }
  return APFloat::rmNearestTiesToEven;
}

static const fltSemantics &semanticsOf(Type type) {
  switch (type) {
  case Type::F16:
    return APFloat::IEEEhalf();
  case Type::BF16:
    return APFloat::BFloat();
  case Type::TF32:
    return APFloat::FloatTF32();
  case Type::F32:
    return APFloat::IEEEsingle();
  case Type::F64:
    return APFloat::IEEEdouble();
  default:
    return smallSemantics(type);
  }
}

/// A narrow NaN has all bits but the sign set.
static bool isNarrow(Type type) { return type == Type::E4M3 || type == Type::E5M2; }

static uint64_t writeFloat(const Form &form, double value) {
  if (std::isnan(value) && isNarrow(form.to))
    return 0x7f;
  // The usual conversions, without the detour.
  if (form.rounding == Rounding::Nearest && !form.finite) {
    if (form.to == Type::F64)
      return toBits(value);
    if (form.to == Type::F32)
      return toBits(float(value));
    if (form.to == Type::F16)
      return toBits(Half(roundToOdd(value)));
    if (form.to == Type::BF16)
      return toBits(BFloat16(roundToOdd(value)));
  }
  const fltSemantics &semantics = semanticsOf(form.to);
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, modeOf(form.rounding), &losesInfo);
  bool overflows = number.isInfinity() || (number.isNaN() && !std::isnan(value));
  if (form.finite && overflows)
    number = APFloat::getLargest(semantics, std::signbit(value));
  if (form.to == Type::TF32) // Its bits are the upper ones of a float.
    number.convert(APFloat::IEEEsingle(), APFloat::rmTowardZero, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static double roundToIntegral(Rounding rounding, double value) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

static __int128 readInteger(Type type, uint64_t bits) {
  unsigned width = bitsOf(type);
  return isSigned(type) ? __int128(SignExtend64(bits, width))
                        : __int128(bits & maskTrailingOnes<uint64_t>(width));
}

static uint64_t clampInteger(Type type, __int128 value) {
  unsigned width = bitsOf(type);
  __int128 most = (__int128(1) << (isSigned(type) ? width - 1 : width)) - 1;
  __int128 least = isSigned(type) ? -most - 1 : 0;
  return uint64_t(std::min(std::max(value, least), most)) & maskTrailingOnes<uint64_t>(width);
}

/// A float as an integer: what is out of range is clamped.
static uint64_t toInteger(const Form &form, double value) {
  unsigned width = bitsOf(form.to);
  if (std::isnan(value))
    return form.from == Type::F64 || width == 64 ? uint64_t(1) << (width - 1) : 0;
  value = roundToIntegral(form.rounding, value);
  if (std::fabs(value) >= 0x1p100)
    return clampInteger(form.to, value < 0 ? -(__int128(1) << 100) : __int128(1) << 100);
  return clampInteger(form.to, __int128(value));
}

static uint64_t integerToFloat(const Form &form, __int128 value) {
  if (form.rounding == Rounding::Nearest && form.to == Type::F32)
    return toBits(float(value));
  APFloat number(semanticsOf(form.to));
  uint64_t words[] = {uint64_t(value), uint64_t(value >> 64)};
  number.convertFromAPInt(APInt(128, words), /*IsSigned=*/true, modeOf(form.rounding));
  return number.bitcastToAPInt().getZExtValue();
}

static uint64_t convertNumber(const Form &form, uint64_t bits) {
  if (isInteger(form.from)) {
    __int128 value = readInteger(form.from, bits);
    if (!isInteger(form.to))
      return integerToFloat(form, value);
    return form.saturate ? clampInteger(form.to, value)
                         : uint64_t(value) & maskTrailingOnes<uint64_t>(bitsOf(form.to));
  }
  double value = readFloat(form.from, bits);
  if (form.flush && std::fabs(value) < 0x1p-126)
    value = std::copysign(0.0, value);
  if (isInteger(form.to))
    return toInteger(form, value);
  if (form.toInteger)
    value = roundToIntegral(form.rounding, value);
  if (form.relu && !(value > 0) && !std::isnan(value))
    value = 0;
  if (form.saturate)
    value = std::isnan(value) ? 0 : std::min(std::max(value, 0.0), 1.0);
  return writeFloat(form, value);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// A register of a narrow integer is wider than it, so its sign is extended.
static uint64_t extend(const Form &form, uint64_t bits) {
  if (form.to == Type::S8)
    return uint32_t(SignExtend64(bits, 8));
  return bits;
}

static bool convert(Warp &warp, const Instruction &i, uint32_t mask) {
  Form form = Form::unpack(i.detail);
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1));
  forLanes(mask, [&](unsigned l) { result[l] = extend(form, convertNumber(form, a[l])); });
  return true;
}

static unsigned floatBits(Type type) { return isNarrow(type) ? 8 : type == Type::F32 ? 32 : 16; }

/// Two numbers to a register: of two registers, the first of which is the high one, or of one.
static bool convertPair(Warp &warp, const Instruction &i, uint32_t mask) {
  Form form = Form::unpack(i.detail);
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *high = warp.lanes(i.slot(1)), *low = form.pairFrom ? high : warp.lanes(i.slot(2));
  unsigned from = form.pairFrom ? floatBits(form.from) : 0;
  forLanes(mask, [&](unsigned l) {
    uint64_t lower = low[l] & (from ? maskTrailingOnes<uint64_t>(from) : ~uint64_t(0));
    result[l] = convertNumber(form, lower) | convertNumber(form, high[l] >> from)
                                                 << floatBits(form.to);
  });
  return true;
}

static Type typeOf(StringRef name) {
  return StringSwitch<Type>(name)
      .Case("u8", Type::U8)
      .Case("s8", Type::S8)
      .Case("u16", Type::U16)
      .Case("s16", Type::S16)
      .Case("u32", Type::U32)
      .Case("s32", Type::S32)
      .Case("u64", Type::U64)
      .Case("s64", Type::S64)
      .Case("f16", Type::F16)
      .Case("bf16", Type::BF16)
      .Case("tf32", Type::TF32)
      .Case("f32", Type::F32)
      .Case("f64", Type::F64)
      .Case("e4m3", Type::E4M3)
      .Case("e5m2", Type::E5M2)
      .Default(Type::None);
}

/// Reads one word of an opcode that is no type; false for an unknown one.
static bool readModifier(StringRef word, Form &form) {
  if (word == "sat")
    form.saturate = true;
  else if (word == "satfinite")
    form.finite = true;
  else if (word == "relu")
    form.relu = true;
  else if (word == "ftz")
    form.flush = true;
  else if (word.size() >= 2 && word.front() == 'r') {
    form.toInteger = word.consume_back("i");
    auto rounding = StringSwitch<std::optional<Rounding>>(word)
                        .Case("rn", Rounding::Nearest)
                        .Case("rz", Rounding::Zero)
                        .Case("rm", Rounding::Down)
                        .Case("rp", Rounding::Up)
                        .Case("rna", Rounding::Away)
                        .Default(std::nullopt);
    if (!rounding)
      return false;
    form.rounding = *rounding;
  } else {
    return false;
  }
  return true;
}

Handler tilec::simulator::findConversion(StringRef opcode, Instruction &instruction) {
  SmallVector<StringRef> words;
  opcode.split(words, '.');
  if (words.front() != "cvt" || words.size() < 3)
    return nullptr;
  Form form;
  StringRef to = words[words.size() - 2], from = words.back();
  form.pairTo = to.consume_back("x2");
  form.pairFrom = from.consume_back("x2");
  form.to = typeOf(to);
  form.from = typeOf(from);
  if (form.to == Type::None || form.from == Type::None)
    return nullptr;
  for (StringRef word : ArrayRef(words).drop_front().drop_back(2))
    if (!readModifier(word, form))
      return nullptr;
  // A conversion that names no rounding is exact, or truncates.
  instruction.detail = form.pack();
  return form.pairTo ? convertPair : convert;
}
