//===- Comparisons.cpp - Numbers to predicates ------------------*- C++ -*-===//
//
// setp and set: PTX ISA, "Comparison and Selection Instructions".
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

namespace {

/// Comparisons whose result is false where an operand is NaN, and their opposites.
enum class Ordered { Eq, Ne, Lt, Le, Gt, Ge, Num };

} // namespace

template <class T> static bool isUnordered(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a) || std::isnan(b);
  return false;
}

template <Ordered how, bool orUnordered, class T> static bool compare(T a, T b) {
  if constexpr (isHalf<T>)
    return compare<how, orUnordered>(float(a), float(b));
  else {
    if (isUnordered(a, b))
      return orUnordered;
    switch (how) {
    case Ordered::Eq:
      return a == b;
    case Ordered::Ne:
      return a != b;
    case Ordered::Lt:
      return a < b;
    case Ordered::Le:
      return a <= b;
    case Ordered::Gt:
      return a > b;
    case Ordered::Ge:
      return a >= b;
    case Ordered::Num:
      return !orUnordered;
    }
    return false;
  }
}

/// The second predicate of scalars is the opposite; that of pairs belongs to the high halves.
template <Ordered how, bool orUnordered, class T>
static bool setPredicate(Warp &warp, const Instruction &i, uint32_t mask) {
  ArrayRef<Slot> to = i.operands[0].slots;
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2));
  forLanes(mask, [&](unsigned l) {
    bool holds = compare<how, orUnordered>(fromBits<T>(a[l]), fromBits<T>(b[l]));
    warp.lanes(to[0])[l] = holds;
    if (to.size() > 1)
      warp.lanes(to[1])[l] = !holds;
  });
  return true;
}

template <Ordered how, bool orUnordered, class T>
static bool setPredicates(Warp &warp, const Instruction &i, uint32_t mask) {
  ArrayRef<Slot> to = i.operands[0].slots;
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2));
  forLanes(mask, [&](unsigned l) {
    auto first = fromBits<Pair<T>>(a[l]), second = fromBits<Pair<T>>(b[l]);
    warp.lanes(to[0])[l] = compare<how, orUnordered>(first.low, second.low);
    if (to.size() > 1)
      warp.lanes(to[1])[l] = compare<how, orUnordered>(first.high, second.high);
  });
  return true;
}

using Table = StringMap<Handler>;

template <Ordered how, bool orUnordered>
static void addFloats(Table &table, const std::string &name) {
  table["setp." + name + ".f32"] = setPredicate<how, orUnordered, float>;
  table["setp." + name + ".f64"] = setPredicate<how, orUnordered, double>;
  table["setp." + name + ".f16"] = setPredicate<how, orUnordered, Half>;
  table["setp." + name + ".bf16"] = setPredicate<how, orUnordered, BFloat16>;
  table["setp." + name + ".f16x2"] = setPredicates<how, orUnordered, Half>;
  table["setp." + name + ".bf16x2"] = setPredicates<how, orUnordered, BFloat16>;
}

template <Ordered how> static void addAll(Table &table, const std::string &name) {
  addFloats<how, false>(table, name);
  addFloats<how, true>(table, name + "u");
  std::string head = "setp." + name + ".";
  table[head + "s16"] = setPredicate<how, false, int16_t>;
  table[head + "u16"] = setPredicate<how, false, uint16_t>;
  table[head + "s32"] = setPredicate<how, false, int32_t>;
  table[head + "u32"] = setPredicate<how, false, uint32_t>;
  table[head + "s64"] = setPredicate<how, false, int64_t>;
  table[head + "u64"] = setPredicate<how, false, uint64_t>;
  table[head + "b16"] = setPredicate<how, false, uint16_t>;
  table[head + "b32"] = setPredicate<how, false, uint32_t>;
  table[head + "b64"] = setPredicate<how, false, uint64_t>;
}

static Table makeTable() {
  Table table;
  addAll<Ordered::Eq>(table, "eq");
  addAll<Ordered::Ne>(table, "ne");
  addAll<Ordered::Lt>(table, "lt");
  addAll<Ordered::Le>(table, "le");
  addAll<Ordered::Gt>(table, "gt");
  addAll<Ordered::Ge>(table, "ge");
  addFloats<Ordered::Num, false>(table, "num");
  addFloats<Ordered::Num, true>(table, "nan");
  return table;
}

Handler tilec::simulator::findComparison(StringRef opcode) {
  static const Table table = makeTable();
  return table.lookup(opcode);
}
