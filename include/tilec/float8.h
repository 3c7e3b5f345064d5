//===- float8.h - The 8-bit floats of kernels, on the host ---------------*- C++ -*-===//
//
// Float8E5, Float8E4NV and Float8E4B15 hold the bits of the types that kernels call float8e5,
// float8e4nv and float8e4b15. They are stored, passed to kernels and converted, as casts in kernels
// do, not computed with: convert to float for that. A pointer to __nv_fp8_e5m2 or __nv_fp8_e4m3
// becomes one to the first two by reinterpret_cast.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_FLOAT8_H
#define TILEC_FLOAT8_H

#include "tilec/float16.h"

namespace tilec {
inline namespace runtime_v1 {

namespace detail {

// The 7 bits of an 8-bit float without the sign, of a float's bits without the sign: the nearest
// number, of two the even one, and `largest` for what is larger.
constexpr uint32_t narrowToFloat8(uint32_t bits, unsigned mantissa, unsigned bias,
                                  uint32_t largest) {
  if (bits > 0x7f800000)
    return 0x7f;
  if (bits < (127 - bias - mantissa) << 23) // Below the half of the least number.
    return 0;
  uint32_t code =
      bits >= (128 - bias) << 23
          ? shiftRounding(bits - ((127 - bias) << 23), 23 - mantissa)
          : shiftRounding((bits & 0x7fffff) | 0x800000, 151 - bias - mantissa - (bits >> 23));
  return code < largest ? code : largest;
}

struct FormatE5 {
  static constexpr uint32_t narrow(uint32_t bits) { return narrowToFloat8(bits, 2, 15, 0x7b); }
  static uint32_t widen(uint32_t code) { return widenHalf(code << 8); }
};

struct FormatE4NV {
  static constexpr uint32_t narrow(uint32_t bits) { return narrowToFloat8(bits, 3, 7, 0x7e); }
  static uint32_t widen(uint32_t code) {
    if (code == 0x7f)
      return 0x7fc00000;
    return code >= 8 ? (code + (120u << 3)) << 20 : bitsOfFloat(float(code) * 0x1p-9f);
  }
};

struct FormatE4B15 {
  // By a float16 that is rounded toward zero, whose exponent has one bit more.
  static constexpr uint32_t narrow(uint32_t bits) {
    constexpr uint32_t largest = 0x3fe00000 /* 1.75 */, leastNormal = 0x38800000 /* 2^-14 */;
    uint32_t half = 0;
    if (bits >= largest)
      half = 0x3f00;
    else if (bits >= leastNormal)
      half = (bits - (112u << 23)) >> 13;
    else if (bits >= 0x33800000 /* 2^-24 */)
      half = ((bits & 0x7fffff) | 0x800000) >> (126 - (bits >> 23));
    return (half * 2 + 0x80) >> 8;
  }
  static uint32_t widen(uint32_t code) { return widenHalf(code << 7); }
};

} // namespace detail

/// An 8-bit float of kernels.
template <typename Format> struct Float8 {
  /// Uninitialised, as a float; Float8{} is 0.
  Float8() = default;
  /// What a cast in a kernel gives: the nearest number, and the largest one for what is larger,
  /// infinity included; a NaN stays one where the type has any.
  explicit Float8(float value) {
    uint32_t wide = detail::bitsOfFloat(value);
    bits = uint8_t((wide >> 24 & 0x80) | Format::narrow(wide & 0x7fffffff));
  }
  /// As for Half.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit Float8(T) = delete;
  /// The number with these bits.
  static constexpr Float8 fromBits(uint8_t bits) { return Float8(Raw{bits}); }

  /// The same number, exactly.
  explicit operator float() const {
    return detail::floatOfBits(uint32_t(bits & 0x80) << 24 | Format::widen(bits & 0x7f));
  }

  uint8_t bits;

private:
  struct Raw {
    uint8_t bits;
  };
  explicit constexpr Float8(Raw raw) : bits(raw.bits) {}
};

/// 5 bits of exponent, 2 of mantissa: the upper half of a float16, with infinities.
using Float8E5 = Float8<detail::FormatE5>;
/// 4 bits of exponent, 3 of mantissa, up to 448, without infinities.
using Float8E4NV = Float8<detail::FormatE4NV>;
/// 4 bits of exponent with the bias of float16, 3 of mantissa, up to 1.875: all bits are numbers.
/// Conversions give at most 1.75, and halves away from zero, as those of GPUs do.
using Float8E4B15 = Float8<detail::FormatE4B15>;

static_assert(sizeof(Float8E5) == 1 && std::is_trivially_copyable_v<Float8E5> &&
              std::is_trivially_default_constructible_v<Float8E5>);

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_FLOAT8_H
