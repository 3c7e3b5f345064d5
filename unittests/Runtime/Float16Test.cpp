//===- Float16Test.cpp - Half and BFloat16 on the host -----------*- C++ -*-===//
//
// Every one of the 65536 bit patterns, against their definition; and, around the middle between any
// two neighbours, to which of them a float rounds.
//
//===----------------------------------------------------------------------===//

#include "tilec/float16.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilec;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Format {
  int mantissaBits;
  int bias;
  uint16_t infinity; // Bits.
};
template <typename T> constexpr Format formatOf = {10, 15, 0x7c00};
template <> constexpr Format formatOf<BFloat16> = {7, 127, 0x7f80};

/// The number with these bits, which is finite, by the definition of the format.
template <typename T> double definition(uint16_t bits) {
  constexpr Format format = formatOf<T>;
  int exponent = (bits & 0x7fff) >> format.mantissaBits;
  int mantissa = bits & ((1 << format.mantissaBits) - 1);
  if (exponent != 0)
    mantissa += 1 << format.mantissaBits;
  double value = std::ldexp(mantissa, std::max(exponent, 1) - format.bias - format.mantissaBits);
  return bits & 0x8000 ? -value : value;
}

template <typename T> class Float16Test : public testing::Test {};
using Types = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(Float16Test, Types);

TYPED_TEST(Float16Test, EveryValueToFloatAndBack) {
  constexpr Format format = formatOf<TypeParam>;
  constexpr uint16_t quiet = 1 << (format.mantissaBits - 1);
  for (unsigned bits = 0; bits < 65536; ++bits) {
    TypeParam number = TypeParam::fromBits(uint16_t(bits));
    ASSERT_EQ(number.bits, bits);
    float value(number);
    bool isNaN = (bits & 0x7fff) > format.infinity;
    ASSERT_EQ(std::isnan(value), isNaN) << bits;
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if ((bits & 0x7fff) == format.infinity) {
      ASSERT_TRUE(std::isinf(value)) << bits;
    } else if (!isNaN) {
      ASSERT_EQ(double(value), definition<TypeParam>(uint16_t(bits))) << bits;
    }
    ASSERT_EQ(TypeParam(value).bits, isNaN ? bits | quiet : bits);
  }
}

TYPED_TEST(Float16Test, EveryMiddleRoundsToEven) {
  constexpr Format format = formatOf<TypeParam>;
  for (unsigned low = 0; low < format.infinity; ++low) {
    // Beyond the largest number, infinity stands for the number that would follow.
    double first = definition<TypeParam>(uint16_t(low));
    double next = low + 1 == format.infinity
                      ? std::ldexp(1.0, int(format.infinity >> format.mantissaBits) - format.bias)
                      : definition<TypeParam>(uint16_t(low + 1));
    auto middle = float(first + (next - first) / 2);
    ASSERT_EQ(double(middle), first + (next - first) / 2);
    unsigned even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(TypeParam(middle).bits, even) << low;
    ASSERT_EQ(TypeParam(-middle).bits, even | 0x8000) << low;
    ASSERT_EQ(TypeParam(std::nextafter(middle, 0.0f)).bits, low) << low;
    ASSERT_EQ(TypeParam(std::nextafter(middle, infinity)).bits, low + 1) << low;
  }
}

TYPED_TEST(Float16Test, WhatIsFarFromEveryValue) {
  constexpr Format format = formatOf<TypeParam>;
  EXPECT_EQ(TypeParam(infinity).bits, format.infinity);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::max()).bits, format.infinity);
  EXPECT_EQ(TypeParam(-std::numeric_limits<float>::max()).bits, format.infinity | 0x8000);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(TypeParam(-std::numeric_limits<float>::denorm_min()).bits, 0x8000);
  // A payload of which only lower bits are set must not become an infinity.
  EXPECT_TRUE(std::isnan(float(TypeParam(detail::floatOfBits(0x7f800001)))));
  EXPECT_TRUE(std::isnan(float(TypeParam(detail::floatOfBits(0xffffffff)))));
  EXPECT_EQ(TypeParam{}.bits, 0);
}

TEST(Float16Test, KnownBits) {
  EXPECT_EQ(Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half(-0.1f).bits, 0xae66);
  EXPECT_EQ(Half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(-0.1f).bits, 0xbdcd);
  EXPECT_FLOAT_EQ(float(BFloat16(3.14159f)), 3.140625f);
  // Neither bits nor numbers that a float may not hold are taken silently.
  static_assert(!std::is_constructible_v<Half, int> && !std::is_constructible_v<Half, double> &&
                !std::is_constructible_v<BFloat16, uint16_t> &&
                !std::is_convertible_v<float, Half> && !std::is_convertible_v<Half, float>);
}

} // namespace
