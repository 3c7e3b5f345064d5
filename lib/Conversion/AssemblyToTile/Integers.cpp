//===- Integers.cpp - integer arithmetic ------------------------*- C++ -*-===//
//
// PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic
// Instructions".
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace tilec::assembly;

using Order = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A sum or difference of s32 that is limited to their range.
static Value limited(Code &code, Value wide) {
  wide = code.least(wide, code.number(64, 0x7fffffff), /*isSigned=*/true);
  wide = code.most(wide, code.number(64, uint64_t(0) - 0x80000000), /*isSigned=*/true);
  return code.resize(wide, 32);
}

static Value add(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (opcode.has("sat"))
    return limited(code, code.add(code.resize(a[0], 64, true), code.resize(a[1], 64, true)));
  return code.add(a[0], a[1]);
}

static Value sub(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (opcode.has("sat"))
    return limited(code, code.sub(code.resize(a[0], 64, true), code.resize(a[1], 64, true)));
  return code.sub(a[0], a[1]);
}

static Value product(Code &code, const Opcode &opcode, NumberType type, Value x, Value y) {
  if (opcode.has("hi"))
    return code.mulHigh(x, y, type.isSigned());
  if (opcode.has("lo"))
    return code.mul(x, y);
  unsigned wide = 2 * type.bits;
  return code.mul(code.resize(x, wide, type.isSigned()), code.resize(y, wide, type.isSigned()));
}

static Value mul(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  return product(code, opcode, type, a[0], a[1]);
}

static Value mad(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  return code.add(product(code, opcode, type, a[0], a[1]), a[2]);
}

/// The lower half of a product of 24 bits.
static Value mul24(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  auto cut = [&](Value x) { return code.shiftRight(code.shiftLeft(x, 8), 8, type.isSigned()); };
  return code.mul(cut(a[0]), cut(a[1]));
}

static Value mad24(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  return code.add(mul24(code, opcode, type, a), a[2]);
}

static Value div(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  return type.isSigned() ? code.make<arith::DivSIOp>(a[0], a[1])
                         : code.make<arith::DivUIOp>(a[0], a[1]);
}

static Value rem(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  return type.isSigned() ? code.make<arith::RemSIOp>(a[0], a[1])
                         : code.make<arith::RemUIOp>(a[0], a[1]);
}

static Value neg(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.sub(code.numberLike(a[0], 0), a[0]);
}

static Value abs(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  return code.most(a[0], neg(code, opcode, type, a), /*isSigned=*/true);
}

static Value min(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  Value result = code.least(a[0], a[1], type.isSigned());
  return opcode.has("relu") ? code.most(result, code.numberLike(result, 0), true) : result;
}

static Value max(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  Value result = code.most(a[0], a[1], type.isSigned());
  return opcode.has("relu") ? code.most(result, code.numberLike(result, 0), true) : result;
}

/// c + |a - b|
static Value sad(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  Value high = code.most(a[0], a[1], type.isSigned());
  Value low = code.least(a[0], a[1], type.isSigned());
  return code.add(a[2], code.sub(high, low));
}

ArrayRef<Row> tilec::assembly::integerRows() {
  static constexpr char all[] = "u16 s16 u32 s32 u64 s64";
  static constexpr char narrow[] = "u16 s16 u32 s32";
  static constexpr char plain[] = "u16 s16 u32 u64 s64";
  static constexpr Row rows[] = {
      {"add", "u16 s16 u32 u64 s64 u16x2 s16x2", "", "", "ttt", add},
      {"add", "s32", "sat", "", "ttt", add},
      {"sub", plain, "", "", "ttt", sub},
      {"sub", "s32", "sat", "", "ttt", sub},
      {"mul", all, "", "lo hi", "ttt", mul},
      {"mul", narrow, "", "wide", "wtt", mul},
      {"mad", all, "", "lo hi", "tttt", mad},
      {"mad", narrow, "", "wide", "wttw", mad},
      {"mul24", "u32 s32", "", "lo", "ttt", mul24},
      {"mad24", "u32 s32", "", "lo", "tttt", mad24},
      {"div", all, "", "", "ttt", div},
      {"rem", all, "", "", "ttt", rem},
      {"neg", "s16 s32 s64", "", "", "tt", neg},
      {"abs", "s16 s32 s64", "", "", "tt", abs},
      {"min", "u16 s16 u32 u64 s64 u16x2", "", "", "ttt", min},
      {"min", "s32 s16x2", "relu", "", "ttt", min},
      {"max", "u16 s16 u32 u64 s64 u16x2", "", "", "ttt", max},
      {"max", "s32 s16x2", "relu", "", "ttt", max},
      {"sad", all, "", "", "tttt", sad},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

/// The type of instructions with carries; null after an error.
static std::optional<NumberType> carryType(Machine &machine, const Opcode &opcode) {
  if (opcode.types.size() == 1 && isIn("u32 s32 u64 s64", opcode.typeNames[0]))
    return opcode.types[0];
  (void)machine.failUnsupported();
  return std::nullopt;
}

/// add.cc, addc, sub.cc, subc: a carry is a bit that comes in and one that may go out.
template <bool subtracts> static LogicalResult addWithCarry(Machine &machine, Opcode &opcode) {
  Code &code = machine.code;
  bool takes = opcode.name.ends_with("c"), leaves = opcode.take("cc");
  std::optional<NumberType> type = carryType(machine, opcode);
  if (!type || failed(machine.expectOperands(3)) || failed(machine.finish(opcode)))
    return failure();
  if (takes && !machine.carry)
    return machine.fail("no instruction before leaves a carry");
  Value a = machine.read(machine.operands()[1], *type);
  Value b = a ? machine.read(machine.operands()[2], *type) : Value();
  if (!b)
    return failure();
  auto step = [&](Value x, Value y, Value &out) {
    Value result = subtracts ? code.sub(x, y) : code.add(x, y);
    out = subtracts ? code.compare(Order::ult, x, y) : code.compare(Order::ult, result, x);
    return result;
  };
  Value out, more;
  Value result = step(a, b, out);
  if (takes) {
    result = step(result, code.resize(machine.carry, type->bits), more);
    out = code.bitOr(out, more);
  }
  if (leaves) {
    Value before = machine.carry ? machine.carry : code.truth(false);
    Value holds = machine.guard();
    machine.carry = holds ? code.select(holds, out, before) : out;
  }
  return machine.write(machine.operands()[0], result, *type);
}

/// dp4a and dp2a: sums of products of bytes with bytes, or with halves.
template <unsigned size> static LogicalResult dotProduct(Machine &machine, Opcode &opcode) {
  Code &code = machine.code;
  bool isHigh = size == 16 && opcode.take("hi");
  bool isForm = size == 8 || isHigh || opcode.take("lo");
  bool isTyped = opcode.types.size() == 2 && isIn("u32 s32", opcode.typeNames[0]) &&
                 isIn("u32 s32", opcode.typeNames[1]);
  if (!isForm || !isTyped)
    return machine.failUnsupported();
  if (failed(machine.expectOperands(4)) || failed(machine.finish(opcode)))
    return failure();
  Value source[3];
  NumberType word{Kind::Bits, "", 32};
  for (unsigned i = 0; i < 3; ++i)
    if (source[i] = machine.read(machine.operands()[i + 1], word); !source[i])
      return failure();
  auto part = [&](unsigned which, unsigned start, unsigned bits) {
    Value field = code.shiftLeft(source[which], 32 - bits - start);
    return code.shiftRight(field, 32 - bits, opcode.types[which].isSigned());
  };
  Value sum = source[2];
  for (unsigned i = 0; i < 32 / size; ++i) {
    Value x = part(0, i * size, size), y = part(1, i * 8 + (isHigh ? 16 : 0), 8);
    sum = code.add(sum, code.mul(x, y));
  }
  return machine.write(machine.operands()[0], sum, word);
}

ArrayRef<Special> tilec::assembly::carrySpecials() {
  static constexpr Special rows[] = {
      {"add.cc", addWithCarry<false>}, {"addc", addWithCarry<false>},
      {"sub.cc", addWithCarry<true>},  {"subc", addWithCarry<true>},
      {"dp4a", dotProduct<8>},         {"dp2a", dotProduct<16>},
  };
  return rows;
}
