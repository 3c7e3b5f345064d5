//===- float16.h - The 16-bit floats of kernels, on the host -------------*- C++ -*-===//
//
// Half and BFloat16 hold the bits of an IEEE binary16 and of a bfloat16. They are stored, passed to
// kernels and converted, not computed with: convert to float for that. A pointer to __half or
// __nv_bfloat16 becomes one to these by reinterpret_cast.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_FLOAT16_H
#define TILEC_FLOAT16_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tilec {
inline namespace runtime_v1 {

namespace detail {

inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// `value` / 2^shift, rounded to nearest, ties to even; `shift` is from 1 to 24.
constexpr uint32_t shiftRounding(uint32_t value, unsigned shift) {
  return (value + (1u << (shift - 1)) - 1 + (value >> shift & 1)) >> shift;
}

// float16's bits without the sign, of a float's bits without the sign.
constexpr uint32_t narrowToHalf(uint32_t bits) {
  constexpr uint32_t infinity = 0x7f800000, least = 0x47800000 /* 2^16 */;
  constexpr uint32_t leastNormal = 0x38800000 /* 2^-14 */, halfUnit = 0x33000000 /* 2^-25 */;
  if (bits > infinity) // A NaN: quiet, with as much of its payload as there is room for.
    return 0x7e00 | (bits >> 13 & 0x3ff);
  if (bits >= least)
    return 0x7c00;
  if (bits >= leastNormal) // A carry out of the mantissa gives the next exponent, or infinity.
    return shiftRounding(bits - (112u << 23), 13);
  if (bits < halfUnit)
    return 0;
  return shiftRounding((bits & 0x7fffff) | 0x800000, 126 - (bits >> 23)); // In units of 2^-24.
}

// A float's bits without the sign, of float16's bits without the sign.
inline uint32_t widenHalf(uint32_t bits) {
  if (bits >= 0x7c00) // Infinity, or a NaN with its payload.
    return 0x7f800000 | (bits & 0x3ff) << 13;
  if (bits >= 0x400)
    return (bits + (112u << 10)) << 13;
  return bitsOfFloat(float(bits) * 0x1p-24f); // Zero and subnormal numbers.
}

} // namespace detail

/// A float16 (IEEE binary16): 5 bits of exponent, 10 of mantissa.
struct Half {
  /// Uninitialised, as a float; Half{} is 0.
  Half() = default;
  /// The nearest float16, of two the even one: 65520 and above is infinity, subnormal numbers stay,
  /// a NaN stays one and becomes quiet.
  explicit Half(float value) {
    uint32_t wide = detail::bitsOfFloat(value);
    bits = uint16_t((wide >> 16 & 0x8000) | detail::narrowToHalf(wide & 0x7fffffff));
  }
  /// The caller converts numbers of other types to float, since that may round; fromBits() takes
  /// bits.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit Half(T) = delete;
  /// The float16 with these bits.
  static constexpr Half fromBits(uint16_t bits) { return Half(Raw{bits}); }

  /// The same number, exactly.
  explicit operator float() const {
    return detail::floatOfBits(uint32_t(bits & 0x8000) << 16 | detail::widenHalf(bits & 0x7fff));
  }

  uint16_t bits;

private:
  struct Raw {
    uint16_t bits;
  };
  explicit constexpr Half(Raw raw) : bits(raw.bits) {}
};

/// A bfloat16: the upper half of a float.
struct BFloat16 {
  /// Uninitialised, as a float; BFloat16{} is 0.
  BFloat16() = default;
  /// The nearest bfloat16, of two the even one; subnormal numbers stay, a NaN stays one and becomes
  /// quiet.
  explicit BFloat16(float value) {
    uint32_t wide = detail::bitsOfFloat(value);
    bool isNaN = (wide & 0x7fffffff) > 0x7f800000;
    bits = uint16_t(isNaN ? wide >> 16 | 0x40 : detail::shiftRounding(wide, 16));
  }
  /// As for Half.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit BFloat16(T) = delete;
  /// The bfloat16 with these bits.
  static constexpr BFloat16 fromBits(uint16_t bits) { return BFloat16(Raw{bits}); }

  /// The same number, exactly.
  explicit operator float() const { return detail::floatOfBits(uint32_t(bits) << 16); }

  uint16_t bits;

private:
  struct Raw {
    uint16_t bits;
  };
  explicit constexpr BFloat16(Raw raw) : bits(raw.bits) {}
};

static_assert(sizeof(Half) == 2 && std::is_trivially_copyable_v<Half> &&
              std::is_trivially_default_constructible_v<Half>);
static_assert(sizeof(BFloat16) == 2 && std::is_trivially_copyable_v<BFloat16> &&
              std::is_trivially_default_constructible_v<BFloat16>);

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_FLOAT16_H
