//===- Bits.cpp - logic, shifts and fields of bits --------------*- C++ -*-===//
//
// PTX ISA, "Logic and Shift Instructions", prmt, and what counts or moves bits. Distances of shifts
// are clamped.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <map>

using namespace mlir;
using namespace tilec::assembly;

using Order = arith::CmpIPredicate;

static Value bitAnd(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.bitAnd(a[0], a[1]);
}
static Value bitOr(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.bitOr(a[0], a[1]);
}
static Value bitXor(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.bitXor(a[0], a[1]);
}
static Value bitNot(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.bitNot(a[0]);
}
static Value isZero(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  return code.resize(code.compare(Order::eq, a[0], uint64_t(0)), type.bits);
}
static Value shl(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.shiftLeft(a[0], a[1]);
}
static Value shr(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  return code.shiftRight(a[0], a[1], type.isSigned());
}

/// shf: both words as one number, shifted; the upper word of it, or the lower one.
static Value funnelShift(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  if (opcode.has("l") == opcode.has("r"))
    return {};
  Value by = opcode.has("clamp") ? code.least(a[2], code.number(32, 32), /*isSigned=*/false)
                                 : code.bitAnd(a[2], 31);
  Value both = code.bitOr(code.resize(a[0], 64), code.shiftLeft(code.resize(a[1], 64), 32));
  if (opcode.has("l"))
    return code.resize(code.shiftRight(code.shiftLeft(both, by), 32), 32);
  return code.resize(code.shiftRight(both, by, /*isSigned=*/false), 32);
}

//===----------------------------------------------------------------------===//
// lop3
//===----------------------------------------------------------------------===//

namespace {

/// Writes a function of up to three bits, given as a table with the first of them as the highest
/// bit of an index, by the value of one bit at a time.
class LogicWriter {
public:
  LogicWriter(Code &code, ArrayRef<Value> bits) : code(code), bits(bits) {}

  Value write(unsigned table) { return write({table, 7}); }

private:
  /// A function of the bits in `mask`.
  struct Function {
    unsigned table, mask;
    bool operator<(const Function &other) const {
      return std::tie(table, mask) < std::tie(other.table, other.mask);
    }
  };
  static unsigned placesWhere(unsigned bit) { return bit == 0 ? 0xf0 : bit == 1 ? 0xcc : 0xaa; }
  /// The function where a bit has a value, in all places of the table.
  static unsigned tableWhere(unsigned table, unsigned bit, bool value) {
    unsigned distance = bit == 0 ? 4 : bit == 1 ? 2 : 1;
    unsigned kept = table & (value ? placesWhere(bit) : ~placesWhere(bit));
    return (kept | (value ? kept >> distance : kept << distance)) & 0xff;
  }
  static unsigned costOf(unsigned table, unsigned mask);
  static unsigned costBy(unsigned bit, unsigned table, unsigned mask);
  Value write(Function function);
  Value writeBy(unsigned bit, Function function);

  Code &code;
  ArrayRef<Value> bits;
  std::map<Function, Value> known;
};

} // namespace

/// Operations that choosing by the value of `bit` takes.
unsigned LogicWriter::costBy(unsigned bit, unsigned table, unsigned mask) {
  unsigned zero = tableWhere(table, bit, false), one = tableWhere(table, bit, true);
  unsigned rest = mask & ~(1U << bit);
  unsigned zeroCost = costOf(zero, rest), oneCost = costOf(one, rest);
  if (zero == one)
    return zeroCost;
  if (zero == 0 || one == 0xff)
    return (zero == 0 && one == 0xff) ? 0 : 1 + (zero == 0 ? oneCost : zeroCost);
  if (one == 0 || zero == 0xff)
    return (one == 0 && zero == 0xff) ? 1 : 2 + (one == 0 ? zeroCost : oneCost);
  if (zero == (~one & 0xff))
    return 1 + zeroCost;
  return 4 + zeroCost + oneCost;
}

unsigned LogicWriter::costOf(unsigned table, unsigned mask) {
  if (table == 0 || table == 0xff)
    return 0;
  unsigned least = ~0U;
  for (unsigned bit = 0; bit < 3; ++bit)
    if (mask >> bit & 1)
      least = std::min(least, costBy(bit, table, mask));
  return least;
}

Value LogicWriter::write(Function function) {
  if (function.table == 0 || function.table == 0xff)
    return code.numberLike(bits[0], function.table ? ~uint64_t(0) : 0);
  Value &value = known[function];
  if (value)
    return value;
  unsigned best = 3;
  for (unsigned bit = 0; bit < 3; ++bit)
    if ((function.mask >> bit & 1) &&
        (best == 3 ||
         costBy(bit, function.table, function.mask) < costBy(best, function.table, function.mask)))
      best = bit;
  return value = writeBy(best, function);
}

Value LogicWriter::writeBy(unsigned bit, Function function) {
  unsigned zero = tableWhere(function.table, bit, false);
  unsigned one = tableWhere(function.table, bit, true);
  unsigned rest = function.mask & ~(1U << bit);
  Value x = bits[bit], whereZero = write(Function{zero, rest}),
        whereOne = write(Function{one, rest});
  if (zero == one)
    return whereZero;
  if (zero == 0)
    return code.bitAnd(x, whereOne);
  if (one == 0xff)
    return code.bitOr(x, whereZero);
  if (one == 0)
    return code.bitAnd(code.bitNot(x), whereZero);
  if (zero == 0xff)
    return code.bitOr(code.bitNot(x), whereOne);
  if (zero == (~one & 0xff))
    return code.bitXor(x, whereZero);
  return code.bitOr(code.bitAnd(x, whereOne), code.bitAnd(code.bitNot(x), whereZero));
}

static Value lop3(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  std::optional<uint64_t> table = code.known(a[3]);
  return table ? LogicWriter(code, a.take_front(3)).write(*table & 0xff) : Value();
}

//===----------------------------------------------------------------------===//
// prmt
//===----------------------------------------------------------------------===//

/// For a known selector: bytes that are moved by the same distance are moved together.
static Value permuteKnown(Code &code, ArrayRef<Value> a, unsigned selector) {
  std::map<std::pair<unsigned, int>, uint64_t> moves; // source and distance: bytes of the result
  Value result = code.number(32, 0);
  for (int at = 0; at < 4; ++at) {
    unsigned nibble = selector >> (4 * at) & 15;
    uint64_t place = uint64_t(0xff) << (8 * at);
    unsigned source = nibble >> 2 & 1, byte = nibble & 3;
    if (nibble & 8) {
      Value sign = code.shiftRight(code.shiftLeft(a[source], 24 - 8 * byte), 31, /*isSigned=*/true);
      result = code.bitOr(result, code.bitAnd(sign, place));
    } else {
      moves[{source, at - int(byte)}] |= place;
    }
  }
  for (auto [move, places] : moves) {
    auto [source, distance] = move;
    Value moved = distance < 0 ? code.shiftRight(a[source], unsigned(-8 * distance))
                               : code.shiftLeft(a[source], unsigned(8 * distance));
    result = code.bitOr(result, code.bitAnd(moved, places));
  }
  return result;
}

static Value permute(Code &code, ArrayRef<Value> a, Value selector) {
  if (std::optional<uint64_t> known = code.known(selector))
    return permuteKnown(code, a, unsigned(*known));
  Value both = code.bitOr(code.resize(a[0], 64), code.shiftLeft(code.resize(a[1], 64), 32));
  Value result = code.number(32, 0);
  for (unsigned at = 0; at < 4; ++at) {
    Value nibble = code.shiftRight(selector, 4 * at);
    Value by = code.shiftLeft(code.bitAnd(nibble, 7), 3);
    Value byte = code.resize(code.shiftRight(both, by, /*isSigned=*/false), 8);
    Value sign = code.shiftRight(byte, 7, /*isSigned=*/true);
    Value repeats = code.compare(Order::ne, code.bitAnd(nibble, 8), uint64_t(0));
    byte = code.resize(code.select(repeats, sign, byte), 32);
    result = code.bitOr(result, code.shiftLeft(byte, 8 * at));
  }
  return result;
}

/// With a mode, two bits of the selector choose between four selectors.
static Value prmt(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  struct Mode {
    const char *name;
    unsigned selectors[4];
  };
  static constexpr Mode modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
  };
  for (const Mode &mode : modes)
    if (opcode.has(mode.name)) {
      Value which = code.bitAnd(a[2], 3);
      Value selector = code.number(32, mode.selectors[0]);
      for (unsigned i = 1; i < 4; ++i)
        selector = code.select(code.compare(Order::eq, which, i),
                               code.number(32, mode.selectors[i]), selector);
      return permute(code, a, selector);
    }
  return permute(code, a, a[2]);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// So many ones from the lowest bit on.
static Value ones(Code &code, Value model, Value length) {
  return code.bitNot(code.shiftLeft(code.numberLike(model, ~uint64_t(0)), length));
}

static Value bfe(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  Value start = code.bitAnd(a[1], 0xff), length = code.bitAnd(a[2], 0xff);
  Value moved = code.shiftRight(a[0], start, type.isSigned());
  if (!type.isSigned())
    return code.bitAnd(moved, ones(code, moved, length));
  Value size = code.number(32, type.bits);
  Value unused = code.sub(size, code.least(length, size, /*isSigned=*/false));
  // Of a field without bits nothing is left.
  return code.shiftRight(code.shiftLeft(moved, unused), unused, /*isSigned=*/true);
}

static Value bfi(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  Value start = code.bitAnd(a[2], 0xff), length = code.bitAnd(a[3], 0xff);
  Value places = code.shiftLeft(ones(code, a[0], length), start);
  Value field = code.bitAnd(code.shiftLeft(a[0], start), places);
  return code.bitOr(field, code.bitAnd(a[1], code.bitNot(places)));
}

/// bmsk: ones from one bit on.
static Value bmsk(Code &code, const Opcode &opcode, NumberType, ArrayRef<Value> a) {
  Value start = a[0], length = a[1];
  if (opcode.has("wrap")) {
    start = code.bitAnd(start, 31);
    length = code.bitAnd(length, 31);
  }
  return code.shiftLeft(ones(code, a[0], length), start);
}

static Value brev(Code &code, const Opcode &, NumberType type, ArrayRef<Value> a) {
  Value x = a[0];
  // Neighbours change places: single bits, then pairs, up to halves.
  uint64_t mask = ~uint64_t(0);
  SmallVector<std::pair<unsigned, uint64_t>> steps;
  for (unsigned size = 32; size > 0; size /= 2) {
    mask ^= mask << size;
    if (size < type.bits)
      steps.push_back({size, mask});
  }
  for (auto [size, places] : llvm::reverse(steps))
    x = code.bitOr(code.bitAnd(code.shiftRight(x, size), places),
                   code.shiftLeft(code.bitAnd(x, places), size));
  return x;
}

static Value popc(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.resize(code.make<math::CtPopOp>(a[0]), 32);
}

static Value clz(Code &code, const Opcode &, NumberType, ArrayRef<Value> a) {
  return code.resize(code.make<math::CountLeadingZerosOp>(a[0]), 32);
}

/// The highest bit that differs from the sign; all ones if there is none.
static Value bfind(Code &code, const Opcode &opcode, NumberType type, ArrayRef<Value> a) {
  Value x = a[0];
  if (type.isSigned())
    x = code.bitXor(x, code.shiftRight(x, type.bits - 1, /*isSigned=*/true));
  Value zeros = code.resize(code.make<math::CountLeadingZerosOp>(x), 32);
  if (!opcode.has("shiftamt"))
    return code.sub(code.number(32, type.bits - 1), zeros);
  Value isNone = code.compare(Order::eq, x, uint64_t(0));
  return code.select(isNone, code.numberLike(zeros, ~uint64_t(0)), zeros);
}

ArrayRef<Row> tilec::assembly::bitRows() {
  static constexpr char bits[] = "b16 b32 b64";
  static constexpr char all[] = "pred b16 b32 b64";
  static constexpr Row rows[] = {
      {"and", all, "", "", "ttt", bitAnd},
      {"or", all, "", "", "ttt", bitOr},
      {"xor", all, "", "", "ttt", bitXor},
      {"not", all, "", "", "tt", bitNot},
      {"cnot", bits, "", "", "tt", isZero},
      {"shl", bits, "", "", "tt4", shl},
      {"shr", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "", "", "tt4", shr},
      {"shf", "b32", "l r", "wrap clamp", "ttt4", funnelShift},
      {"lop3", "b32", "", "", "tttt4", lop3},
      {"prmt", "b32", "f4e b4e rc8 ecl ecr rc16", "", "tttt", prmt},
      {"bfe", "u32 s32 u64 s64", "", "", "tt44", bfe},
      {"bfi", "b32 b64", "", "", "ttt44", bfi},
      {"bmsk", "b32", "", "wrap clamp", "tt4", bmsk},
      {"brev", "b32 b64", "", "", "tt", brev},
      {"popc", "b32 b64", "", "", "4t", popc},
      {"clz", "b32 b64", "", "", "4t", clz},
      {"bfind", "u32 s32 u64 s64", "shiftamt", "", "4t", bfind},
  };
  return rows;
}
