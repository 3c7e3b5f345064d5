//===- Arithmetic.cpp - Integers, bits and predicates -----------*- C++ -*-===//
//
// Instructions that compute in each lane alone, in tables by opcode. Semantics: PTX ISA, "Integer
// Arithmetic", "Logic and Shift" and "Data Movement" instructions.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;
using namespace tilec::simulator;

namespace {

/// Wraps around, as unsigned arithmetic does.
template <class T> using Unsigned = std::make_unsigned_t<T>;

struct Add {
  template <class T> T operator()(T a, T b) const { return T(uint64_t(a) + uint64_t(b)); }
};
struct Subtract {
  template <class T> T operator()(T a, T b) const { return T(uint64_t(a) - uint64_t(b)); }
};
struct Multiply {
  template <class T> T operator()(T a, T b) const { return T(uint64_t(a) * uint64_t(b)); }
};
struct MultiplyHigh {
  template <class T> T operator()(T a, T b) const {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
  }
};
struct MultiplyAdd {
  template <class T> T operator()(T a, T b, T c) const { return Add()(Multiply()(a, b), c); }
};
/// The hardware returns something for a division by zero; here it is all ones.
struct Divide {
  template <class T> T operator()(T a, T b) const {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return Subtract()(T(0), a);
    return T(a / b);
  }
};
struct Remainder {
  template <class T> T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Minimum {
  template <class T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct Maximum {
  template <class T> T operator()(T a, T b) const { return std::max(a, b); }
};
/// `.relu`: a negative result is 0.
template <class Operation> struct CutOff {
  template <class T> T operator()(T a, T b) const { return std::max(T(0), Operation()(a, b)); }
};
struct Negate {
  template <class T> T operator()(T a) const { return Subtract()(T(0), a); }
};
struct Absolute {
  template <class T> T operator()(T a) const { return a < 0 ? Negate()(a) : a; }
};
struct And {
  template <class T> T operator()(T a, T b) const { return T(a & b); }
};
struct Or {
  template <class T> T operator()(T a, T b) const { return T(a | b); }
};
struct Xor {
  template <class T> T operator()(T a, T b) const { return T(a ^ b); }
};
struct Not {
  template <class T> T operator()(T a) const { return T(~a); }
};
struct NotPredicate {
  uint8_t operator()(uint8_t a) const { return !a; }
};

/// Distances are 32 bits wide and clamped.
template <class T> static T shiftLeft(T a, uint32_t by) {
  return by >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << by);
}
template <class T> static T shiftRight(T a, uint32_t by) {
  if (by >= 8 * sizeof(T))
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> by);
}

} // namespace

template <class T, bool left> static bool shift(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *by = warp.lanes(i.slot(2));
  forLanes(mask, [&](unsigned l) {
    T value = fromBits<T>(a[l]);
    result[l] =
        toBits(left ? shiftLeft(value, uint32_t(by[l])) : shiftRight(value, uint32_t(by[l])));
  });
  return true;
}

/// mul.wide: both factors are extended first.
template <class T, class Wide, bool add>
static bool multiplyWide(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2));
  const uint64_t *c = add ? warp.lanes(i.slot(3)) : nullptr;
  forLanes(mask, [&](unsigned l) {
    Wide product = Multiply()(Wide(fromBits<T>(a[l])), Wide(fromBits<T>(b[l])));
    result[l] = toBits(add ? Add()(product, fromBits<Wide>(c[l])) : product);
  });
  return true;
}

/// selp: the first value where the predicate holds.
template <class T> static bool select(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)),
                 *which = warp.lanes(i.slot(3));
  forLanes(mask, [&](unsigned l) { result[l] = toBits(fromBits<T>(which[l] & 1 ? a[l] : b[l])); });
  return true;
}

/// mov, also from and to the parts of a register: the first is the lowest.
template <unsigned bytes> static bool move(Warp &warp, const Instruction &i, uint32_t mask) {
  ArrayRef<Slot> to = i.operands[0].slots, from = i.operands[1].slots;
  unsigned toBits = 8 * bytes / to.size(), fromBits = 8 * bytes / from.size();
  forLanes(mask, [&](unsigned l) {
    uint64_t value = 0;
    for (unsigned part = 0; part < from.size(); ++part)
      value |= (warp.lanes(from[part])[l] & maskTrailingOnes<uint64_t>(fromBits))
               << (part * fromBits);
    for (unsigned part = 0; part < to.size(); ++part)
      warp.lanes(to[part])[l] = value >> (part * toBits) & maskTrailingOnes<uint64_t>(toBits);
  });
  return true;
}

/// bfe: `length` bits from `start` on; the sign bit is the highest of them, or of the value.
template <class T> static bool extractBits(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3));
  constexpr unsigned width = 8 * sizeof(T);
  forLanes(mask, [&](unsigned l) {
    unsigned start = b[l] & 0xff, length = c[l] & 0xff;
    Unsigned<T> value = fromBits<Unsigned<T>>(a[l]), field = 0;
    for (unsigned bit = 0; bit < length && bit < width; ++bit) {
      unsigned from = std::min(start + bit, width - 1);
      bool outside = start + bit >= width;
      bool set = outside ? std::is_signed_v<T> && (value >> (width - 1) & 1) : value >> from & 1;
      field |= Unsigned<T>(set) << bit;
    }
    if (std::is_signed_v<T> && length > 0 && length < width && (field >> (length - 1) & 1))
      field |= Unsigned<T>(~uint64_t(0) << length);
    result[l] = toBits(field);
  });
  return true;
}

/// bfi: `length` bits of the first value into the second from `start` on.
template <class T> static bool insertBits(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3)),
                 *d = warp.lanes(i.slot(4));
  constexpr unsigned width = 8 * sizeof(T);
  forLanes(mask, [&](unsigned l) {
    unsigned start = c[l] & 0xff, length = d[l] & 0xff;
    T value = fromBits<T>(b[l]), field = fromBits<T>(a[l]);
    for (unsigned bit = 0; bit < length && start + bit < width; ++bit) {
      T one = T(T(1) << (start + bit));
      value = T(field >> bit & 1) ? T(value | one) : T(value & ~one);
    }
    result[l] = toBits(value);
  });
  return true;
}

/// prmt without a mode: each nibble of the selector takes one of eight bytes, or repeats its sign.
static bool permuteBytes(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)),
                 *selector = warp.lanes(i.slot(3));
  forLanes(mask, [&](unsigned l) {
    uint64_t bytes = uint32_t(a[l]) | uint64_t(uint32_t(b[l])) << 32, value = 0;
    for (unsigned at = 0; at < 4; ++at) {
      unsigned nibble = selector[l] >> (4 * at) & 15;
      uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
      if (nibble & 8)
        byte = byte & 0x80 ? 0xff : 0;
      value |= byte << (8 * at);
    }
    result[l] = value;
  });
  return true;
}

/// shf: both registers as one number, shifted.
template <bool left, bool clamp>
static bool funnelShift(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3));
  forLanes(mask, [&](unsigned l) {
    unsigned by = clamp ? std::min<uint32_t>(uint32_t(c[l]), 32) : c[l] & 31;
    uint64_t both = uint32_t(a[l]) | uint64_t(uint32_t(b[l])) << 32;
    result[l] = uint32_t(left ? (both << by) >> 32 : both >> by);
  });
  return true;
}

template <class T, int form>
static bool countBits(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1));
  forLanes(mask, [&](unsigned l) {
    T value = fromBits<T>(a[l]);
    result[l] = form == 0   ? uint64_t(llvm::popcount(value))
                : form == 1 ? uint64_t(llvm::countl_zero(value))
                            : toBits(llvm::reverseBits(value));
  });
  return true;
}

/// lop3: any function of three bits, as a table.
static bool logic3(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3)),
                 *table = warp.lanes(i.slot(4));
  forLanes(mask, [&](unsigned l) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      unsigned index =
          unsigned(a[l] >> bit & 1) << 2 | unsigned(b[l] >> bit & 1) << 1 | (c[l] >> bit & 1);
      value |= (table[l] >> index & 1) << bit;
    }
    result[l] = value;
  });
  return true;
}

namespace {
using Table = StringMap<Handler>;
} // namespace

template <class T> static void addInteger(Table &table, const std::string &type) {
  using U = Unsigned<T>;
  table["add." + type] = binary<Add, T>;
  table["sub." + type] = binary<Subtract, T>;
  table["mul.lo." + type] = binary<Multiply, T>;
  table["mul.hi." + type] = binary<MultiplyHigh, T>;
  table["mad.lo." + type] = ternary<MultiplyAdd, T>;
  table["div." + type] = binary<Divide, T>;
  table["rem." + type] = binary<Remainder, T>;
  table["min." + type] = binary<Minimum, T>;
  table["max." + type] = binary<Maximum, T>;
  table["shr." + type] = shift<T, false>;
  table["bfe." + type] = extractBits<T>;
  if constexpr (std::is_signed_v<T>) {
    table["neg." + type] = unary<Negate, T>;
    table["abs." + type] = unary<Absolute, T>;
    if constexpr (sizeof(T) == 4) {
      table["min.relu." + type] = binary<CutOff<Minimum>, T>;
      table["max.relu." + type] = binary<CutOff<Maximum>, T>;
    }
  }
  table["mov." + type] = move<sizeof(T)>;
  table["selp." + type] = select<U>;
}

template <class T> static void addBits(Table &table, const std::string &type) {
  table["and." + type] = binary<And, T>;
  table["or." + type] = binary<Or, T>;
  table["xor." + type] = binary<Xor, T>;
  table["not." + type] = unary<Not, T>;
  table["shl." + type] = shift<T, true>;
  table["shr." + type] = shift<T, false>;
  table["mov." + type] = move<sizeof(T)>;
  table["selp." + type] = select<T>;
  table["bfi." + type] = insertBits<T>;
  table["popc." + type] = countBits<T, 0>;
  table["clz." + type] = countBits<T, 1>;
  table["brev." + type] = countBits<T, 2>;
}

static Table makeTable() {
  Table table;
  addInteger<int16_t>(table, "s16");
  addInteger<uint16_t>(table, "u16");
  addInteger<int32_t>(table, "s32");
  addInteger<uint32_t>(table, "u32");
  addInteger<int64_t>(table, "s64");
  addInteger<uint64_t>(table, "u64");
  addBits<uint16_t>(table, "b16");
  addBits<uint32_t>(table, "b32");
  addBits<uint64_t>(table, "b64");
  table["mul.wide.s16"] = multiplyWide<int16_t, int32_t, false>;
  table["mul.wide.u16"] = multiplyWide<uint16_t, uint32_t, false>;
  table["mul.wide.s32"] = multiplyWide<int32_t, int64_t, false>;
  table["mul.wide.u32"] = multiplyWide<uint32_t, uint64_t, false>;
  table["mad.wide.s32"] = multiplyWide<int32_t, int64_t, true>;
  table["mad.wide.u32"] = multiplyWide<uint32_t, uint64_t, true>;
  table["and.pred"] = binary<And, uint8_t>;
  table["or.pred"] = binary<Or, uint8_t>;
  table["xor.pred"] = binary<Xor, uint8_t>;
  table["not.pred"] = unary<NotPredicate, uint8_t>;
  table["mov.pred"] = move<1>;
  table["selp.f32"] = select<uint32_t>;
  table["selp.f64"] = select<uint64_t>;
  table["mov.f32"] = move<4>;
  table["mov.f64"] = move<8>;
  table["prmt.b32"] = permuteBytes;
  table["lop3.b32"] = logic3;
  table["shf.l.wrap.b32"] = funnelShift<true, false>;
  table["shf.r.wrap.b32"] = funnelShift<false, false>;
  table["shf.l.clamp.b32"] = funnelShift<true, true>;
  table["shf.r.clamp.b32"] = funnelShift<false, true>;
  // Addresses in a space are those of generic memory here, but for shared memory.
  for (const char *space : {"local", "global", "const", "param"})
    for (const char *to : {"", "to."})
      table[std::string("cvta.") + to + space + ".u64"] = move<8>;
  return table;
}

Handler tilec::simulator::findArithmetic(StringRef opcode) {
  static const Table table = makeTable();
  return table.lookup(opcode);
}
