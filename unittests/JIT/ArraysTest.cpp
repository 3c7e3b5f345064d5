//===- ArraysTest.cpp - arrays on the host ----------------------*- C++ -*-===//
//
// What the execution tests and tilec-run rely on: that differences are seen, that unwritten
// elements and writes outside are noticed, and that inputs are what they are said to be.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Compare.h"
#include "tilec/JIT/Fill.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tilec;

namespace {

const double inf = HUGE_VAL, nan = NAN;

HostArray make(ScalarKind type, std::vector<double> values) {
  HostArray array = llvm::cantFail(HostArray::create(type, {values.size()}));
  fillValues(array, values);
  return array;
}

Comparison compareFloats(std::vector<double> actual, std::vector<double> expected,
                         Tolerance tolerance = {}) {
  return compare(make(ScalarKind::FP64, actual), make(ScalarKind::FP64, expected), tolerance);
}

std::vector<double> contents(const HostArray &array) {
  std::vector<double> values;
  for (uint64_t index = 0; index < array.size(); ++index)
    values.push_back(array.real(index));
  return values;
}

TEST(Compare, FindsTheFirstDifference) {
  Comparison result = compareFloats({1, 2, 3.5, 4.25}, {1, 2, 3, 4});
  EXPECT_EQ(result.numMismatches, 2u);
  EXPECT_EQ(result.firstMismatch, 2u);
  EXPECT_EQ(result.largestAbsolute, 0.5);
  EXPECT_EQ(result.largestRelative, 0.5 / 3);
}

TEST(Compare, AddsBothTolerances) {
  EXPECT_EQ(compareFloats({101.5}, {100}, {0.01, 0.5}).numMismatches, 0u);
  EXPECT_EQ(compareFloats({101.6}, {100}, {0.01, 0.5}).numMismatches, 1u);
  EXPECT_EQ(compareFloats({1e-9}, {0}, {1, 0}).numMismatches, 1u);
  EXPECT_EQ(compareFloats({1e-9}, {0}, {0, 1e-8}).numMismatches, 0u);
}

TEST(Compare, SpecialValuesEqualThemselvesOnly) {
  EXPECT_EQ(compareFloats({nan, inf, -inf, 0.0}, {nan, inf, -inf, -0.0}).numMismatches, 0u);
  for (auto [actual, expected] :
       {std::pair(nan, 1.0), {1.0, nan}, {inf, -inf}, {inf, 1e308}, {1e308, inf}, {nan, inf}}) {
    Comparison result = compareFloats({actual}, {expected}, {1, 1e300});
    EXPECT_EQ(result.numMismatches, 1u) << actual << " " << expected;
    EXPECT_EQ(result.largestAbsolute, inf);
    EXPECT_EQ(result.largestRelative, inf);
  }
}

TEST(Compare, IntegersAreExact) {
  HostArray a = make(ScalarKind::Int64, {0}), b = make(ScalarKind::Int64, {0});
  a.setInteger(0, INT64_MAX);
  b.setInteger(0, INT64_MAX - 1);
  EXPECT_EQ(compare(a, b, {}).numMismatches, 1u);
  EXPECT_EQ(compare(a, b, {}).largestAbsolute, 1);
  HostArray u = make(ScalarKind::UInt64, {0});
  u.setInteger(0, -1);
  b.setInteger(0, -1);
  EXPECT_EQ(compare(u, b, {}).numMismatches, 1u);
  b.setInteger(0, INT64_MAX);
  u.setInteger(0, INT64_MAX);
  EXPECT_EQ(compare(u, b, {}).numMismatches, 0u);
}

TEST(HostArrays, KnowWhatWasNotWritten) {
  for (unsigned kind = 0; kind < numScalarKinds; ++kind) {
    llvm::Expected<HostArray> array = HostArray::create(ScalarKind(kind), {3});
    if (!array) {
      llvm::consumeError(array.takeError());
      continue;
    }
    SCOPED_TRACE(scalarInfo(ScalarKind(kind)).name.str());
    array->poison();
    array->setReal(1, 1);
    EXPECT_TRUE(array->isPoison(0));
    EXPECT_FALSE(array->isPoison(1));
    EXPECT_TRUE(array->isPoison(2));
    EXPECT_EQ(array->real(1), 1);
    if (DType(ScalarKind(kind)).isFloat()) {
      EXPECT_TRUE(std::isnan(array->real(0)));
    }
  }
}

TEST(HostArrays, NoticeWritesOutside) {
  for (uint64_t offset : {0, 1, 17}) {
    HostArray array = llvm::cantFail(HostArray::create(ScalarKind::Int32, {5}, offset));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, offset * 4 % 64);
    std::memset(array.data(), 0, array.bytes());
    EXPECT_TRUE(array.guardsIntact());
    array.data()[-1] ^= 1;
    EXPECT_FALSE(array.guardsIntact());
    array.data()[-1] ^= 1;
    EXPECT_TRUE(array.guardsIntact());
    array.data()[array.bytes()] ^= 1;
    EXPECT_FALSE(array.guardsIntact());
    EXPECT_TRUE(array.isNear(array.data()));
    EXPECT_TRUE(array.isNear(array.data() - (1 << 20)));
    EXPECT_TRUE(array.isNear(array.data() + (1 << 20)));
    EXPECT_FALSE(array.isNear(nullptr));
  }
}

TEST(HostArrays, RefuseWhatCannotBe) {
  auto errorOf = [](ScalarKind type, std::vector<uint64_t> shape, uint64_t offset = 0) {
    llvm::Expected<HostArray> array = HostArray::create(type, std::move(shape), offset);
    return array ? "none" : llvm::toString(array.takeError());
  };
  EXPECT_EQ(errorOf(ScalarKind::Void, {1}), "arrays of void are not supported");
  EXPECT_EQ(errorOf(ScalarKind::Int8, {uint64_t(1) << 46}), "the array is too large");
  EXPECT_EQ(errorOf(ScalarKind::Int8, {1}, UINT64_MAX), "the array is too large");
  EXPECT_EQ(errorOf(ScalarKind::FP64, {UINT64_MAX, UINT64_MAX}), "the array is too large");
  EXPECT_EQ(errorOf(ScalarKind::FP64, {UINT64_MAX, 0}), "none");
}

TEST(Fill, ClampsAndConverts) {
  EXPECT_EQ(contents(make(ScalarKind::Int8, {-200, 200, 1.9, -1.9, nan})),
            (std::vector<double>{-128, 127, 1, -1, 0}));
  EXPECT_EQ(contents(make(ScalarKind::UInt64, {-1, 0x1p63, inf})),
            (std::vector<double>{0, 0x1p63, 0x1p64}));
  EXPECT_EQ(contents(make(ScalarKind::Int1, {0, 1, 2, -0.5})), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(contents(make(ScalarKind::FP16, {1 + 0x1p-12, 1e6})), (std::vector<double>{1, inf}));
}

TEST(Fill, CountsExactly) {
  HostArray array = make(ScalarKind::Int64, {0, 0, 0});
  fillRange(array, -0x1p52, 3);
  EXPECT_EQ(array.integer(2), -(int64_t(1) << 52) + 6);
  HostArray small = make(ScalarKind::UInt8, std::vector<double>(300));
  fillRange(small);
  EXPECT_EQ(small.integer(299), 43);
  HostArray real = make(ScalarKind::FP32, {0, 0, 0});
  fillRange(real, 1, -0.25);
  EXPECT_EQ(contents(real), (std::vector<double>{1, 0.75, 0.5}));
}

TEST(Fill, RandomNumbersAreWhatTheyAreCalled) {
  HostArray normal = make(ScalarKind::FP64, std::vector<double>(100000)),
            again = make(ScalarKind::FP64, std::vector<double>(100000));
  fillNormal(normal, 1, 5, 2);
  fillNormal(again, 1, 5, 2);
  EXPECT_EQ(contents(normal), contents(again));
  double sum = 0, squares = 0;
  for (double value : contents(normal)) {
    sum += value;
    squares += (value - 5) * (value - 5);
  }
  EXPECT_NEAR(sum / 1e5, 5, 0.03);
  EXPECT_NEAR(squares / 1e5, 4, 0.1);
  HostArray even = make(ScalarKind::FP64, std::vector<double>(100000));
  fillUniform(even, 2, -1, 3);
  sum = 0;
  for (double value : contents(even)) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 1e5, 1, 0.02);
  fillNormal(again, 2, 5, 2);
  EXPECT_NE(contents(normal), contents(again));
}

TEST(Files, ConvertElements) {
  auto file = [](NpyKind kind, std::vector<uint8_t> bytes, unsigned itemBytes) {
    return NpyArray{{kind, itemBytes, {bytes.size() / itemBytes}}, bytes};
  };
  NpyArray shorts = file(NpyKind::UInt, {0x80, 0x3f, 0, 0x3c}, 2);
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(shorts, std::nullopt)))[0], 0x3f80);
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(shorts, ScalarKind::BF16)))[0], 1);
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(shorts, ScalarKind::FP16)))[1], 1);
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(shorts, ScalarKind::FP32)))[0], 0x3f80);
  NpyArray bytes = file(NpyKind::Int, {0xff, 0x02}, 1);
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(bytes, ScalarKind::BF16))),
            (std::vector<double>{-1, 2}));
  EXPECT_EQ(contents(llvm::cantFail(arrayFromNpy(bytes, ScalarKind::Int64))),
            (std::vector<double>{-1, 2}));
}

TEST(Compare, DefaultToleranceIsThatOfTheCoarserType) {
  auto check = [](ScalarKind actual, ScalarKind expected, double relative, double absolute) {
    Tolerance tolerance = defaultTolerance(actual, expected);
    EXPECT_EQ(tolerance.relative, relative);
    EXPECT_EQ(tolerance.absolute, absolute);
  };
  check(ScalarKind::FP64, ScalarKind::FP64, 1e-9, 1e-12);
  check(ScalarKind::FP64, ScalarKind::FP32, 1e-5, 1e-8);
  check(ScalarKind::FP32, ScalarKind::FP64, 1e-5, 1e-8);
  check(ScalarKind::FP16, ScalarKind::FP32, 2e-3, 1e-5);
  check(ScalarKind::BF16, ScalarKind::FP16, 1.6e-2, 1e-5);
  check(ScalarKind::FP8E4NV, ScalarKind::FP32, 0.125, 2e-3);
  check(ScalarKind::FP8E5, ScalarKind::FP8E5, 0.25, 1e-4);
  check(ScalarKind::FP32, ScalarKind::Int32, 1e-5, 1e-8);
  // Integers stay exact, whatever they are compared with.
  check(ScalarKind::Int64, ScalarKind::FP32, 0, 0);
  check(ScalarKind::Int1, ScalarKind::Int1, 0, 0);
}

/// Every float type must have one: an error of one unit in the last place is within it.
TEST(Compare, DefaultToleranceAllowsTheLastPlace) {
  for (unsigned kind = 0; kind < numScalarKinds; ++kind) {
    if (!DType(ScalarKind(kind)).isFloat())
      continue;
    Tolerance tolerance = defaultTolerance(ScalarKind(kind), ScalarKind(kind));
    EXPECT_GE(tolerance.relative, std::ldexp(1.0, -int(scalarInfo(ScalarKind(kind)).mantissaBits)));
    EXPECT_GT(tolerance.absolute, 0);
  }
}

TEST(Format, TellsApartWhatDiffers) {
  auto texts = [](ScalarKind left, double a, ScalarKind right, double b) {
    auto [first, second] = formatPair(make(left, {a}), make(right, {b}), 0);
    return first + " " + second;
  };
  EXPECT_EQ(texts(ScalarKind::FP32, 0x1.000002p0, ScalarKind::FP32, 1), "1.0000001 1");
  EXPECT_EQ(texts(ScalarKind::FP32, 0x1.99999ap-4, ScalarKind::FP32, 0x1.99999cp-4),
            "0.1 0.10000001");
  EXPECT_EQ(texts(ScalarKind::FP16, 0.1, ScalarKind::FP32, 0.1),
            "0.0999755859375 0.10000000149011612");
  EXPECT_EQ(texts(ScalarKind::FP64, 0.1, ScalarKind::FP32, 0.1), "0.1 0.10000000149011612");
  EXPECT_EQ(texts(ScalarKind::Int32, 3, ScalarKind::FP32, 3), "3 3");
}

TEST(Format, IsShortAndExact) {
  auto text = [](ScalarKind type, double value) { return formatElement(make(type, {value}), 0); };
  EXPECT_EQ(text(ScalarKind::FP32, 0.1), "0.1");
  EXPECT_EQ(text(ScalarKind::FP64, 0.1), "0.1");
  EXPECT_EQ(text(ScalarKind::FP64, 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text(ScalarKind::BF16, 1.0 / 3), "0.334");
  EXPECT_EQ(text(ScalarKind::FP32, 10), "10");
  EXPECT_EQ(text(ScalarKind::FP32, 1e30), "1e+30");
  EXPECT_EQ(text(ScalarKind::FP32, nan), "nan");
  EXPECT_EQ(text(ScalarKind::Int8, -3), "-3");
  EXPECT_EQ(text(ScalarKind::Int1, 1), "True");
  EXPECT_EQ(formatIndex(7, {2, 4}), "[1, 3]");
  EXPECT_EQ(formatIndex(0, {}), "[]");
  EXPECT_EQ(formatShape({1823, 781}), "[1823,781]");
}

} // namespace
