//===- Float8Test.cpp - 8-bit floats on the host -----------------*- C++ -*-===//
//
// Every one of the 256 bit patterns, against their definition; and, around the middle between any
// two neighbours, to which of them a float rounds.
//
//===----------------------------------------------------------------------===//

#include "tilec/float8.h"

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
  unsigned largest;  // The bits of the largest number that conversions give.
  unsigned infinity; // The bits of infinity, and of the first NaN; 0x80 where there is none.
  unsigned firstNaN;
  bool tiesToEven;
};
template <typename T> constexpr Format formatOf = {2, 15, 0x7b, 0x7c, 0x7d, true};
template <> constexpr Format formatOf<Float8E4NV> = {3, 7, 0x7e, 0x80, 0x7f, true};
template <> constexpr Format formatOf<Float8E4B15> = {3, 15, 0x7e, 0x80, 0x80, false};

/// The number with these bits, which is finite, by the definition of the format.
template <typename T> double definition(unsigned bits) {
  constexpr Format format = formatOf<T>;
  int exponent = int(bits & 0x7f) >> format.mantissaBits;
  int mantissa = int(bits) & ((1 << format.mantissaBits) - 1);
  if (exponent != 0)
    mantissa += 1 << format.mantissaBits;
  double value = std::ldexp(mantissa, std::max(exponent, 1) - format.bias - format.mantissaBits);
  return bits & 0x80 ? -value : value;
}

template <typename T> class Float8Test : public testing::Test {};
using Types = testing::Types<Float8E5, Float8E4NV, Float8E4B15>;
TYPED_TEST_SUITE(Float8Test, Types);

TYPED_TEST(Float8Test, EveryValueToFloatAndBack) {
  constexpr Format format = formatOf<TypeParam>;
  for (unsigned bits = 0; bits < 256; ++bits) {
    TypeParam number = TypeParam::fromBits(uint8_t(bits));
    ASSERT_EQ(number.bits, bits);
    float value(number);
    unsigned magnitude = bits & 0x7f, sign = bits & 0x80;
    ASSERT_EQ(std::signbit(value), sign != 0) << bits;
    ASSERT_EQ(std::isnan(value), magnitude >= format.firstNaN) << bits;
    ASSERT_EQ(std::isinf(value), magnitude == format.infinity) << bits;
    if (magnitude < std::min(format.infinity, format.firstNaN)) {
      ASSERT_EQ(double(value), definition<TypeParam>(bits)) << bits;
    }
    unsigned expected = std::isnan(value) ? 0x7f : std::min(magnitude, format.largest);
    ASSERT_EQ(TypeParam(value).bits, expected | sign) << bits;
  }
}

TYPED_TEST(Float8Test, EveryMiddleRounds) {
  constexpr Format format = formatOf<TypeParam>;
  for (unsigned low = 0; low < format.largest; ++low) {
    double first = definition<TypeParam>(low), next = definition<TypeParam>(low + 1);
    auto middle = float(first + (next - first) / 2);
    unsigned nearest = low + (!format.tiesToEven || low % 2 != 0 ? 1 : 0);
    ASSERT_EQ(TypeParam(middle).bits, nearest) << low;
    ASSERT_EQ(TypeParam(-middle).bits, nearest | 0x80) << low;
    ASSERT_EQ(TypeParam(std::nextafter(middle, 0.0f)).bits, low) << low;
    ASSERT_EQ(TypeParam(std::nextafter(middle, infinity)).bits, low + 1) << low;
  }
}

TYPED_TEST(Float8Test, WhatIsFarFromEveryValue) {
  constexpr Format format = formatOf<TypeParam>;
  EXPECT_EQ(TypeParam(infinity).bits, format.largest);
  EXPECT_EQ(TypeParam(-infinity).bits, format.largest | 0x80);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::max()).bits, format.largest);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(TypeParam(-std::numeric_limits<float>::denorm_min()).bits, 0x80);
  unsigned ofNaN = format.firstNaN < 0x80 ? 0x7f : format.largest;
  EXPECT_EQ(TypeParam(detail::floatOfBits(0x7f800001)).bits, ofNaN);
  EXPECT_EQ(TypeParam(detail::floatOfBits(0xffffffff)).bits, ofNaN | 0x80);
  EXPECT_EQ(TypeParam{}.bits, 0);
}

TEST(Float8Test, KnownBits) {
  EXPECT_EQ(Float8E5(1.0f).bits, 0x3c);
  EXPECT_EQ(Float8E4NV(1.0f).bits, 0x38);
  EXPECT_EQ(Float8E4NV(-448.0f).bits, 0xfe);
  EXPECT_EQ(Float8E4B15(1.0f).bits, 0x78);
  EXPECT_EQ(float(Float8E5::fromBits(0x7b)), 57344.0f);
  EXPECT_EQ(float(Float8E4B15::fromBits(0x7f)), 1.875f);
  static_assert(!std::is_constructible_v<Float8E5, int> &&
                !std::is_constructible_v<Float8E4NV, double> &&
                !std::is_convertible_v<float, Float8E4NV>);
}

} // namespace
