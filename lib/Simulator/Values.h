//===- Values.h - Types of PTX values ---------------------------*- C++ -*-===//
//
// The types that instructions name, as C++ types, and how a slot's 64 bits become one of them.
// Arithmetic of 16-bit floats is done in wider floats and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_VALUES_H
#define TILEC_LIB_SIMULATOR_VALUES_H

#include "Warp.h"

#include "tilec/float16.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace tilec::simulator {

template <class T> T fromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <class T> uint64_t toBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

/// `value` as a float whose last bit is odd if it is not exact, so that a second rounding, to fewer
/// bits, is as good as one.
inline float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || !std::isfinite(nearest) || std::isnan(value))
    return nearest;
  if (std::fabs(double(nearest)) > std::fabs(value))
    nearest = std::nextafterf(nearest, 0.0F);
  return fromBits<float>(toBits(nearest) | 1);
}

/// Two values in one register of 32 bits.
template <class T> struct Pair {
  T low, high;
};

template <class T>
inline constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// `operation` on wider floats, for 16-bit ones; on both halves, for pairs; as it is, otherwise.
template <class Op, class T, class... U> T apply(Op operation, T first, U... rest) {
  if constexpr (isHalf<T>)
    return T(roundToOdd(operation(double(float(first)), double(float(rest))...)));
  else
    return T(operation(first, rest...));
}
template <class Op, class T, class... U> Pair<T> apply(Op operation, Pair<T> first, U... rest) {
  return {apply(operation, first.low, rest.low...), apply(operation, first.high, rest.high...)};
}

/// Calls `body` for each lane of `mask`.
template <class Body> void forLanes(uint32_t mask, Body body) {
  if (mask == ~uint32_t(0)) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      body(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    body(unsigned(__builtin_ctz(mask)));
}

/// The handler of an instruction that computes one `T` of operands of type `T`.
template <class Op, class T> bool unary(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1));
  forLanes(mask, [&](unsigned l) { result[l] = toBits(apply(Op(), fromBits<T>(a[l]))); });
  return true;
}
template <class Op, class T> bool binary(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2));
  forLanes(mask, [&](unsigned l) {
    result[l] = toBits(apply(Op(), fromBits<T>(a[l]), fromBits<T>(b[l])));
  });
  return true;
}
template <class Op, class T> bool ternary(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1)), *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3));
  forLanes(mask, [&](unsigned l) {
    result[l] = toBits(apply(Op(), fromBits<T>(a[l]), fromBits<T>(b[l]), fromBits<T>(c[l])));
  });
  return true;
}

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_VALUES_H
