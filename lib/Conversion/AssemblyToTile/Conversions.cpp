//===- Conversions.cpp - mov and cvt ----------------------------*- C++ -*-===//
//
// mov also takes registers apart and puts them together. cvt: PTX ISA, "Data Movement and
// Conversion Instructions".
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

using Order = arith::CmpIPredicate;
using FloatOrder = arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

/// The type of one of `count` parts, or nothing where they do not fill registers.
static std::optional<NumberType> partOf(NumberType type, size_t count) {
  if ((count != 2 && count != 4 && count != 8) || type.bits / count < 8)
    return std::nullopt;
  return NumberType{Kind::Bits, "", unsigned(type.bits / count)};
}

/// "mov.b32 d, {low, high};"
static LogicalResult pack(Machine &machine, NumberType type, const Operand &to,
                          const Operand &list) {
  Code &code = machine.code;
  std::optional<NumberType> part = partOf(type, list.parts.size());
  if (!part || type.kind != Kind::Bits)
    return machine.failUnsupported();
  Value value;
  for (auto [index, operand] : llvm::enumerate(list.parts)) {
    Value bits = machine.read(operand, *part);
    if (!bits)
      return failure();
    bits = code.shiftLeft(code.resize(bits, type.bits), unsigned(index) * part->bits);
    value = value ? code.bitOr(value, bits) : bits;
  }
  return machine.write(to, value, type);
}

/// "mov.b32 {low, high}, a;"
static LogicalResult unpack(Machine &machine, NumberType type, const Operand &list,
                            const Operand &from) {
  Code &code = machine.code;
  std::optional<NumberType> part = partOf(type, list.parts.size());
  if (!part || type.kind != Kind::Bits)
    return machine.failUnsupported();
  Value value = machine.read(from, type);
  if (!value)
    return failure();
  for (auto [index, operand] : llvm::enumerate(list.parts)) {
    Value bits = code.resize(code.shiftRight(value, unsigned(index) * part->bits), part->bits);
    if (failed(machine.write(operand, bits, *part)))
      return failure();
  }
  return success();
}

static LogicalResult mov(Machine &machine, Opcode &opcode) {
  static constexpr char types[] = "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
  if (opcode.types.size() != 1 || !isIn(types, opcode.typeNames[0]))
    return machine.failUnsupported();
  if (failed(machine.finish(opcode)) || failed(machine.expectOperands(2)))
    return failure();
  const Operand &to = machine.operands()[0], &from = machine.operands()[1];
  NumberType type = opcode.types[0];
  if (from.form == Operand::List)
    return pack(machine, type, to, from);
  if (to.form == Operand::List)
    return unpack(machine, type, to, from);
  // A predicate may be given as a number.
  if (type.kind == Kind::Predicate && from.form == Operand::Number)
    return machine.write(to, machine.code.truth(from.bits != 0), type);
  Value value = machine.read(from, type);
  return value ? machine.write(to, value, type) : failure();
}

//===----------------------------------------------------------------------===//
// Floats of 8 and 4 bits
//===----------------------------------------------------------------------===//

namespace {

/// A float of few bits: a sign, an exponent and some digits.
struct SmallFloat {
  unsigned bits, digits;
  int bias;
  uint64_t largest; // finite
  uint64_t notANumber;
};

} // namespace

static SmallFloat smallFloat(StringRef format) {
  if (format == "e4m3")
    return {8, 3, 7, 0x7e, 0x7f};
  if (format == "e5m2")
    return {8, 2, 15, 0x7b, 0x7f};
  return {4, 1, 1, 0x7, 0x7}; // e2m1, which has no NaN
}

/// A float32 rounded to nearest; what is too large becomes the largest number.
static Value toSmall(Code &code, Value x, const SmallFloat &small) {
  Value bits = code.toBits(x);
  Value size = code.bitAnd(bits, 0x7fffffff);
  unsigned lost = 23 - small.digits;
  Value odd = code.bitAnd(code.shiftRight(size, lost), 1);
  Value half = code.numberLike(size, (uint64_t(1) << (lost - 1)) - 1);
  Value rounded = code.shiftRight(code.add(code.add(size, half), odd), lost);
  rounded = code.sub(rounded, code.numberLike(size, uint64_t(127 - small.bias) << small.digits));
  // A subnormal number is a multiple of the smallest one, which is the last digit of this number.
  uint64_t adder = uint64_t(127 + 24 - small.bias - int(small.digits)) << 23;
  Type f32 = tile::elementOf(x.getType());
  Value magic = code.fromBits(code.numberLike(size, adder), f32);
  Value sum = code.addF(code.fromBits(size, f32), magic);
  Value subnormal = code.sub(code.toBits(sum), code.numberLike(size, adder));
  Value isSmall = code.compare(Order::ult, size, uint64_t(128 - small.bias) << 23);
  Value result = code.select(isSmall, subnormal, rounded);
  result = code.least(result, code.numberLike(size, small.largest), /*isSigned=*/false);
  Value sign = code.bitAnd(code.shiftRight(bits, 32 - small.bits), uint64_t(1) << (small.bits - 1));
  result = code.bitOr(result, sign);
  Value notANumber = code.numberLike(size, small.notANumber);
  return code.select(code.compare(Order::ugt, size, uint64_t(0x7f800000)), notANumber, result);
}

/// As a float32, exactly: read with a bias that is too large, and scaled by that.
static Value fromSmall(Code &code, Value bits, const SmallFloat &small, Type f32) {
  Value wide = code.resize(bits, 32);
  uint64_t signBit = uint64_t(1) << (small.bits - 1);
  Value size = code.bitAnd(wide, signBit - 1);
  Value sign = code.shiftLeft(code.bitAnd(wide, signBit), 32 - small.bits);
  Value read = code.fromBits(code.shiftLeft(size, 23 - small.digits), f32);
  Value scale = code.fromBits(code.numberLike(wide, uint64_t(254 - small.bias) << 23), f32);
  Value result = code.toBits(code.mulF(read, scale));
  if (small.bits == 8) {
    // e5m2 has infinity between its largest number and NaN.
    uint64_t first = small.digits == 2 ? 0x7c : 0x7f;
    Value special = code.select(code.compare(Order::eq, size, uint64_t(0x7c)),
                                code.number(32, 0x7f800000), code.number(32, 0x7fc00000));
    if (small.digits == 3)
      special = code.number(32, 0x7fc00000);
    result = code.select(code.compare(Order::uge, size, first), special, result);
  }
  return code.fromBits(code.bitOr(result, sign), f32);
}

//===----------------------------------------------------------------------===//
// Single numbers
//===----------------------------------------------------------------------===//

namespace {

/// What a cvt asks for.
struct Conversion {
  NumberType to, from;
  StringRef rounding;         // of the result: "", or rn, rz, rm, rp, rna
  StringRef integralRounding; // to an integer: "", or rni, rzi, rmi, rpi
  bool saturates = false, isFinite = false, cutsOff = false, flushes = false;
};

} // namespace

static bool isSmall(NumberType type) { return type.bits < 16 && type.isFloat(); }

/// Between integers.
static Value convertInteger(Code &code, const Conversion &how, Value x) {
  bool isSigned = how.from.isSigned();
  if (!how.saturates)
    return code.resize(x, how.to.bits, isSigned);
  // Limited in the source's type where it is the wider one; a narrower one only has a sign too
  // many.
  unsigned bits = how.from.bits, size = how.to.bits;
  uint64_t most = (~uint64_t(0) >> (64 - size)) >> (how.to.isSigned() ? 1 : 0);
  if (isSigned && !how.to.isSigned())
    x = code.most(x, code.numberLike(x, 0), /*isSigned=*/true);
  bool mayExceed = bits > size || (bits == size && !isSigned && how.to.isSigned());
  if (mayExceed)
    x = code.least(x, code.numberLike(x, most), isSigned);
  if (mayExceed && isSigned && how.to.isSigned())
    x = code.most(x, code.numberLike(x, ~most), /*isSigned=*/true);
  return code.resize(x, size, isSigned);
}

static Value roundIntegral(Code &code, StringRef rounding, Value x) {
  if (rounding == "rni")
    return code.make<math::RoundEvenOp>(x);
  if (rounding == "rzi")
    return code.make<math::TruncOp>(x);
  return rounding == "rmi" ? code.make<math::FloorOp>(x) : code.make<math::CeilOp>(x);
}

/// Conversions clamp on every target.
static Value floatToInteger(Code &code, const Conversion &how, Value x) {
  // Halves have no functions of their own.
  Type f32 = Float32Type::get(x.getContext());
  if (how.from.bits == 16)
    x = code.resizeF(x, f32);
  if (how.flushes)
    x = code.flush(x);
  x = roundIntegral(code, how.integralRounding, x);
  Type type = code.like(code.integerType(how.to.bits));
  return how.to.isSigned() ? code.make<arith::FPToSIOp>(type, x)
                           : code.make<arith::FPToUIOp>(type, x);
}

/// Null where the rounding cannot be had.
static Value integerToFloat(Code &code, const Conversion &how, Value x) {
  Type to = code.floatType(how.to);
  auto convert = [&](Type element) {
    return how.from.isSigned() ? code.make<arith::SIToFPOp>(code.like(element), x)
                               : code.make<arith::UIToFPOp>(code.like(element), x);
  };
  bool isDirected = how.rounding != "rn";
  if (isDirected && how.from.bits > 32)
    return {};
  // Exact before it is rounded in another direction.
  Value result = isDirected
                     ? code.narrow(convert(Float64Type::get(x.getContext())), to, how.rounding)
                     : convert(to);
  return how.saturates ? saturate(code, result) : result;
}

/// A float32 whose lower digits are 0.
static Value toTF32(Code &code, const Conversion &how, Value x) {
  Value bits = code.toBits(x);
  constexpr uint64_t lost = 0x1fff;
  Value moved = bits;
  if (how.rounding == "rna") {
    moved = code.add(bits, code.numberLike(bits, 0x1000));
  } else if (how.rounding == "rn") {
    Value odd = code.bitAnd(code.shiftRight(bits, 13), 1);
    moved = code.add(code.add(bits, code.numberLike(bits, 0xfff)), odd);
  }
  moved = code.bitAnd(moved, ~lost);
  if (how.isFinite) {
    Value size = code.least(code.bitAnd(moved, 0x7fffffff), code.numberLike(bits, 0x7f7fe000),
                            /*isSigned=*/false);
    moved = code.bitOr(size, code.bitAnd(moved, 0x80000000));
  }
  return code.select(code.isNaN(x), code.numberLike(bits, 0x7fffffff), moved);
}

/// The largest number where the result would be infinite.
static Value makeFinite(Code &code, NumberType type, Value x) {
  Value bits = code.toBits(x);
  uint64_t infinity = type.format == "f16" ? 0x7c00 : 0x7f80;
  Value size = code.bitAnd(bits, 0x7fff);
  Value finite = code.bitOr(code.numberLike(bits, infinity - 1), code.bitAnd(bits, 0x8000));
  Value result = code.select(code.compare(Order::eq, size, infinity), finite, bits);
  return code.fromBits(result, code.floatType(type));
}

static Value floatToFloat(Code &code, const Conversion &how, Value x) {
  Type to = code.floatType(how.to);
  if (how.flushes && how.from.bits == 32)
    x = code.flush(x);
  if (!how.integralRounding.empty())
    x = roundIntegral(code, how.integralRounding, x);
  if (how.cutsOff)
    x = cutOffNegative(code, x);
  if (isSmall(how.to)) {
    Type f32 = Float32Type::get(x.getContext());
    Value small = toSmall(code, code.resizeF(x, f32), smallFloat(how.to.format));
    return code.resize(small, 8);
  }
  if (how.to.format == "tf32")
    return toTF32(code, how, x);
  // Of two types of 16 bits, neither has the numbers of the other.
  if (how.from.bits == 16)
    x = code.resizeF(x, Float32Type::get(x.getContext()));
  bool isNarrower = tile::elementOf(x.getType()).getIntOrFloatBitWidth() > how.to.bits;
  x = isNarrower ? code.narrow(x, to, how.rounding) : code.resizeF(x, to);
  if (how.isFinite)
    x = makeFinite(code, how.to, x);
  if (how.saturates)
    x = saturate(code, x);
  return how.flushes && how.to.bits == 32 ? code.flush(x) : x;
}

/// The bits of the result, with the size of its type but for those of 4 bits, which have 8; null
/// for what is not supported.
static Value convert(Code &code, const Conversion &how, Value bits) {
  if (!how.from.isFloat()) {
    Value result =
        how.to.isFloat() ? integerToFloat(code, how, bits) : convertInteger(code, how, bits);
    return result ? code.toBits(result) : Value();
  }
  Value x = isSmall(how.from) ? fromSmall(code, bits, smallFloat(how.from.format),
                                          Float32Type::get(bits.getContext()))
                              : code.fromBits(bits, code.floatType(how.from));
  return code.toBits(how.to.isFloat() ? floatToFloat(code, how, x) : floatToInteger(code, how, x));
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

/// Whether a float of the first type may need rounding to be one of the second.
static bool losesDigits(NumberType from, NumberType to) {
  if (to.format == "tf32" || isSmall(to))
    return true;
  return to.bits < from.bits || (to.bits == from.bits && to.format != from.format);
}

/// Whether integers of the first type may be outside of the second one's range.
static bool mayExceed(NumberType from, NumberType to) {
  if (from.isSigned())
    return !to.isSigned() || from.bits > to.bits;
  return from.bits > to.bits - (to.isSigned() ? 1 : 0);
}

/// Whether PTX has the modifiers for these types.
static bool hasSoundModifiers(const Conversion &how) {
  bool isTF32 = how.to.format == "tf32", isPair = how.to.lanes == 2;
  bool hasBrain = how.to.format == "bf16" || how.from.format == "bf16";
  if (how.saturates && (isTF32 || isPair || hasBrain))
    return false;
  if (how.saturates && how.to.isInteger() && how.from.isInteger() && !mayExceed(how.from, how.to))
    return false;
  if (how.flushes && (isTF32 || isPair || (how.from.format != "f32" && how.to.format != "f32")))
    return false;
  if (isSmall(how.to) || isSmall(how.from))
    return how.rounding == "rn" && how.isFinite == isSmall(how.to);
  if (!how.cutsOff && !how.isFinite)
    return how.rounding != "rna" || isTF32;
  bool isRounding = how.rounding == "rn" || how.rounding == "rz" ||
                    (how.rounding == "rna" && isTF32 && !how.cutsOff);
  return how.from.format == "f32" && isRounding && how.to.isFloat() &&
         (how.to.bits == 16 || isTF32);
}

/// Whether PTX has this combination of types, rounding and modifiers.
static bool isSound(const Conversion &how) {
  auto isNumber = [](NumberType t) { return t.isInteger() || t.isFloat(); };
  if (!isNumber(how.to) || !isNumber(how.from) || !hasSoundModifiers(how))
    return false;
  bool isToFloat = how.to.isFloat(), isFromFloat = how.from.isFloat();
  bool rounds = !how.rounding.empty(), roundsToIntegral = !how.integralRounding.empty();
  bool isTF32 = how.to.format == "tf32";
  if (how.from.format == "tf32" || (isTF32 && how.from.format != "f32"))
    return false;
  if (isTF32 && (how.rounding == "rm" || how.rounding == "rp"))
    return false;
  if (!isFromFloat)
    return !roundsToIntegral && rounds == isToFloat && !isSmall(how.to);
  if (!isToFloat)
    return !rounds && roundsToIntegral && !isSmall(how.from);
  if (isSmall(how.to))
    return how.from.format == "f32" || how.from.format == "f16";
  if (isSmall(how.from))
    return how.to.format == "f16";
  if (roundsToIntegral)
    return !rounds && how.to.format == how.from.format;
  // Of bf16, wider ones may have a rounding that does nothing.
  bool loses = losesDigits(how.from, how.to);
  return rounds == loses || (how.from.format == "bf16" && !loses && how.to.bits > 16);
}

static Conversion readConversion(Opcode &opcode) {
  Conversion how{opcode.types[0], opcode.types[1], "", ""};
  for (const char *word : {"rn", "rz", "rm", "rp", "rna"})
    if (opcode.take(word))
      how.rounding = word;
  for (const char *word : {"rni", "rzi", "rmi", "rpi"})
    if (opcode.take(word))
      how.integralRounding = word;
  how.saturates = opcode.take("sat");
  how.isFinite = opcode.take("satfinite");
  how.cutsOff = opcode.take("relu");
  how.flushes = opcode.take("ftz");
  return how;
}

/// Two numbers of two registers, the first of which is the high one, or of a pair.
static LogicalResult convertPair(Machine &machine, Conversion how) {
  Code &code = machine.code;
  NumberType to = how.to, from = how.from;
  bool isPair = from.lanes == 2;
  if (failed(machine.expectOperands(isPair ? 2 : 3)))
    return failure();
  how.to = to.lane();
  how.from = from.lane();
  ArrayRef<Operand> operands = machine.operands();
  Value value = code.number(to.width(), 0);
  for (unsigned lane = 0; lane < 2; ++lane) {
    Value bits = machine.read(operands[isPair ? 1 : 2 - lane], isPair ? from : from.lane());
    if (!bits)
      return failure();
    if (isPair) {
      bits = code.shiftRight(bits, lane * from.bits);
      bits = from.bits < 8 ? code.bitAnd(bits, 0xf) : code.resize(bits, from.bits);
    }
    Value part = convert(code, how, bits);
    if (!part)
      return machine.failUnsupported();
    part = code.shiftLeft(code.resize(part, to.width()), lane * to.bits);
    value = code.bitOr(value, part);
  }
  return machine.write(operands[0], value, to);
}

static LogicalResult cvt(Machine &machine, Opcode &opcode) {
  if (opcode.types.size() != 2)
    return machine.failUnsupported();
  Conversion how = readConversion(opcode);
  if (failed(machine.finish(opcode)))
    return failure();
  if (!isSound(how))
    return machine.failUnsupported();
  bool isToPair = how.to.lanes == 2, isFromPair = how.from.lanes == 2;
  bool isPairForm = isToPair && (isFromPair ? how.from.bits <= 16 : how.from.format == "f32");
  // Pairs of floats only; what is small comes in pairs.
  if (isToPair || isFromPair) {
    bool isKnown = isPairForm && how.to.isFloat() && how.from.isFloat() && how.to.bits <= 16 &&
                   (!isFromPair || isSmall(how.to) || isSmall(how.from)) && how.rounding != "rm" &&
                   how.rounding != "rp" && how.integralRounding.empty();
    return isKnown ? convertPair(machine, how) : machine.failUnsupported();
  }
  if (isSmall(how.to) || isSmall(how.from))
    return machine.failUnsupported();
  if (failed(machine.expectOperands(2)))
    return failure();
  // Registers may be wider, but for bf16.
  Value bits = machine.read(machine.operands()[1], how.from, how.from.format != "bf16");
  if (!bits)
    return failure();
  Value result = convert(machine.code, how, bits);
  if (!result)
    return machine.failUnsupported();
  return machine.write(machine.operands()[0], result, how.to, how.to.format != "bf16");
}

ArrayRef<Special> tilec::assembly::conversionSpecials() {
  static constexpr Special rows[] = {{"mov", mov}, {"cvt", cvt}};
  return rows;
}
