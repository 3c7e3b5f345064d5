//===- Atomics.cpp - Atomic operations --------------------------*- C++ -*-===//
//
// atom and red: PTX ISA, "Parallel Synchronization and Communication Instructions". Lanes act one
// after the other.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

namespace {

enum class Action : uint8_t { Add, Min, Max, And, Or, Xor, Exchange, CompareSwap, Inc, Dec, None };
enum class Type : uint8_t { U32, S32, U64, S64, F32, F64, F16, BF16, F16x2, BF16x2, B16, None };

} // namespace

template <class T> static T combineNumbers(Action action, T old, T value) {
  switch (action) {
  case Action::Add:
    if constexpr (std::is_integral_v<T>)
      return T(uint64_t(old) + uint64_t(value));
    else
      return old + value;
  case Action::Min:
    return std::min(old, value);
  case Action::Max:
    return std::max(old, value);
  case Action::Inc:
    return old >= value ? T(0) : T(old + 1);
  case Action::Dec:
    return old == 0 || old > value ? value : T(old - 1);
  default:
    return value;
  }
}

template <class T> static uint64_t combineAs(Action action, uint64_t old, uint64_t value) {
  auto combine = [&](auto a, auto b) { return combineNumbers(action, a, b); };
  return toBits(apply(combine, fromBits<T>(old), fromBits<T>(value)));
}

static uint64_t combine(Action action, Type type, uint64_t old, uint64_t value) {
  switch (action) {
  case Action::And:
    return old & value;
  case Action::Or:
    return old | value;
  case Action::Xor:
    return old ^ value;
  case Action::Exchange:
    return value;
  default:
    break;
  }
  switch (type) {
  case Type::U32:
    return combineAs<uint32_t>(action, old, value);
  case Type::S32:
    return combineAs<int32_t>(action, old, value);
  case Type::U64:
    return combineAs<uint64_t>(action, old, value);
  case Type::S64:
    return combineAs<int64_t>(action, old, value);
  case Type::F32:
    return combineAs<float>(action, old, value);
  case Type::F64:
    return combineAs<double>(action, old, value);
  case Type::F16:
    return combineAs<Half>(action, old, value);
  case Type::BF16:
    return combineAs<BFloat16>(action, old, value);
  case Type::F16x2:
    return combineAs<Pair<Half>>(action, old, value);
  case Type::BF16x2:
    return combineAs<Pair<BFloat16>>(action, old, value);
  default:
    return value;
  }
}

static unsigned bytesOf(Type type) {
  switch (type) {
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  case Type::F16:
  case Type::BF16:
  case Type::B16:
    return 2;
  default:
    return 4;
  }
}

static bool atomic(Warp &warp, const Instruction &i, uint32_t mask) {
  auto action = Action(i.detail & 0xff);
  auto type = Type(i.detail >> 8 & 0xff);
  auto space = Space(i.detail >> 16 & 0xff);
  bool returns = i.detail >> 24;
  unsigned at = returns, bytes = bytesOf(type);
  ArrayRef<Slot> values = i.operands[at + 1].slots;
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    uint64_t address = warp.lanes(i.slot(at))[l] + uint64_t(i.operands[at].offset);
    for (unsigned part = 0; good && part < values.size(); ++part, address += bytes) {
      uint64_t old = 0, value = warp.lanes(values[part])[l];
      good = peekMemory(warp, i, l, space, address, bytes, reinterpret_cast<uint8_t *>(&old));
      uint64_t result = combine(action, type, old, value);
      if (action == Action::CompareSwap) {
        uint64_t kept = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * bytes)) - 1;
        result = (old & kept) == (value & kept) ? warp.lanes(i.slot(at + 2))[l] : old;
      }
      good = good && writeMemory(warp, i, l, space, address, bytes,
                                 reinterpret_cast<const uint8_t *>(&result), /*atomic=*/true);
      if (returns)
        warp.lanes(i.operands[0].slots[part])[l] = old;
    }
  });
  return good;
}

Handler tilec::simulator::findAtomic(StringRef opcode, Instruction &instruction) {
  SmallVector<StringRef> words;
  opcode.split(words, '.');
  bool returns = words.front() == "atom";
  if (!returns && words.front() != "red")
    return nullptr;
  Action action = Action::None;
  for (StringRef word : words) {
    Action found = StringSwitch<Action>(word)
                       .Case("add", Action::Add)
                       .Case("min", Action::Min)
                       .Case("max", Action::Max)
                       .Case("and", Action::And)
                       .Case("or", Action::Or)
                       .Case("xor", Action::Xor)
                       .Case("exch", Action::Exchange)
                       .Case("cas", Action::CompareSwap)
                       .Case("inc", Action::Inc)
                       .Case("dec", Action::Dec)
                       .Default(Action::None);
    if (found != Action::None)
      action = found;
  }
  Type type = StringSwitch<Type>(words.back())
                  .Cases({"u32", "b32"}, Type::U32)
                  .Case("s32", Type::S32)
                  .Cases({"u64", "b64"}, Type::U64)
                  .Case("s64", Type::S64)
                  .Case("f32", Type::F32)
                  .Case("f64", Type::F64)
                  .Case("f16", Type::F16)
                  .Case("bf16", Type::BF16)
                  .Case("f16x2", Type::F16x2)
                  .Case("bf16x2", Type::BF16x2)
                  .Case("b16", Type::B16)
                  .Default(Type::None);
  if (action == Action::None || type == Type::None)
    return nullptr;
  instruction.detail = uint32_t(action) | uint32_t(type) << 8 | uint32_t(findSpace(words)) << 16 |
                       uint32_t(returns) << 24;
  return atomic;
}
