//===- HostArithTest.cpp - integers, and operations without result -*- C++ -*-===//
//
// What upstream leaves undefined has a value on the CPU, so that no operand can stop the process.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <cmath>
#include <limits>

using namespace tilec;

namespace {

int8_t quotient(int8_t a, int8_t b) { return b == 0 ? 0 : int8_t(int(a) / int(b)); }
int8_t remainderOf(int8_t a, int8_t b) { return b == 0 ? a : int8_t(int(a) % int(b)); }
int8_t unsignedQuotient(int8_t a, int8_t b) { return b == 0 ? 0 : int8_t(uint8_t(a) / uint8_t(b)); }
int8_t unsignedRemainder(int8_t a, int8_t b) {
  return b == 0 ? a : int8_t(uint8_t(a) % uint8_t(b));
}
int8_t floorQuotient(int8_t a, int8_t b) {
  return b == 0 ? 0 : int8_t(int(std::floor(double(a) / double(b))));
}
int8_t ceilQuotient(int8_t a, int8_t b) {
  return b == 0 ? 0 : int8_t(int(std::ceil(double(a) / double(b))));
}
int8_t unsignedCeil(int8_t a, int8_t b) {
  return b == 0 ? 0 : int8_t((uint8_t(a) + uint8_t(b) - 1) / uint8_t(b));
}
int8_t shiftLeft(int8_t a, int8_t b) { return uint8_t(b) > 7 ? 0 : int8_t(uint8_t(a) << b); }
int8_t shiftSigned(int8_t a, int8_t b) { return int8_t(a >> (uint8_t(b) > 7 ? 7 : b)); }
int8_t shiftUnsigned(int8_t a, int8_t b) { return uint8_t(b) > 7 ? 0 : int8_t(uint8_t(a) >> b); }

struct Operation {
  const char *name;
  int8_t (*reference)(int8_t, int8_t);
};

} // namespace

TEST(HostArith, EveryPairOfBytes) {
  const Operation operations[] = {
      {"arith.divsi", quotient},           {"arith.remsi", remainderOf},
      {"arith.divui", unsignedQuotient},   {"arith.remui", unsignedRemainder},
      {"arith.floordivsi", floorQuotient}, {"arith.ceildivsi", ceilQuotient},
      {"arith.ceildivui", unsignedCeil},   {"arith.shli", shiftLeft},
      {"arith.shrsi", shiftSigned},        {"arith.shrui", shiftUnsigned}};
  std::vector<int8_t> a(65536), b(65536), results(65536);
  for (unsigned i = 0; i < a.size(); ++i) {
    a[i] = int8_t(i >> 8);
    b[i] = int8_t(i & 255);
  }
  for (const Operation &operation : operations) {
    auto kernel = compileText(
        elementwiseText("i8", "i8", std::string("%r = ") + operation.name + " %a, %b : TA", "i8"));
    ASSERT_TRUE(kernel);
    runKernel(*kernel, {256}, {arg(a.data()), arg(b.data()), arg(results.data()), arg(65536)});
    for (unsigned i = 0; i < a.size(); ++i)
      ASSERT_EQ(int(results[i]), int(operation.reference(a[i], b[i])))
          << operation.name << ' ' << int(a[i]) << ' ' << int(b[i]);
  }
}

TEST(HostArith, WideDivisionDoesNotTrap) {
  for (const char *type : {"i16", "i32", "i64"})
    for (const char *op : {"arith.divsi", "arith.remsi"}) {
      auto kernel = compileText(
          elementwiseText(type, type, std::string("%r = ") + op + " %a, %b : TA", type));
      ASSERT_TRUE(kernel);
      std::vector<int64_t> a(256, 0), b(256, -1), results(256);
      int64_t least = std::string(type) == "i64" ? INT64_MIN : 0;
      int32_t leastInts[] = {INT32_MIN, INT32_MIN, 7, 7};
      int32_t divisors[] = {-1, 0, 0, -1};
      if (least) {
        a[0] = a[1] = least;
        b[1] = 0;
      } else {
        std::copy(leastInts, leastInts + 4, reinterpret_cast<int32_t *>(a.data()));
        std::copy(divisors, divisors + 4, reinterpret_cast<int32_t *>(b.data()));
      }
      runKernel(*kernel, {1}, {arg(a.data()), arg(b.data()), arg(results.data()), arg(4)});
      bool isQuotient = std::string(op) == "arith.divsi";
      if (least) {
        EXPECT_EQ(results[0], isQuotient ? INT64_MIN : 0);
        EXPECT_EQ(results[1], isQuotient ? 0 : INT64_MIN);
      } else if (std::string(type) == "i32") {
        auto *found = reinterpret_cast<int32_t *>(results.data());
        EXPECT_EQ(found[0], isQuotient ? INT32_MIN : 0);
        EXPECT_EQ(found[1], isQuotient ? 0 : INT32_MIN);
        EXPECT_EQ(found[2], isQuotient ? 0 : 7);
        EXPECT_EQ(found[3], isQuotient ? -7 : 0);
      }
    }
}

TEST(HostArith, FloatsToIntegersSaturate) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> inputs = {0.0f,   -0.9f,    2.9f,      -2.9f,         3e9f,   -3e9f,   1e20f,
                               -1e20f, infinity, -infinity, std::nanf(""), 127.5f, -129.0f, 255.9f};
  unsigned count = inputs.size();
  auto toI32 = compileText(elementwiseText("f32", "i32", "%r = arith.fptosi %a : TA to TR"));
  auto toU32 = compileText(elementwiseText("f32", "i32", "%r = arith.fptoui %a : TA to TR"));
  auto toI8 = compileText(elementwiseText("f32", "i8", "%r = arith.fptosi %a : TA to TR"));
  auto toI64 = compileText(elementwiseText("f32", "i64", "%r = arith.fptosi %a : TA to TR"));
  auto fromF64 = compileText(elementwiseText("f64", "i32", "%r = arith.fptoui %a : TA to TR"));
  ASSERT_TRUE(toI32 && toU32 && toI8 && toI64 && fromF64);
  std::vector<int32_t> ints(count);
  std::vector<uint32_t> uints(count);
  std::vector<int8_t> bytes(count);
  std::vector<int64_t> longs(count);
  auto size = arg(int(count));
  runKernel(*toI32, {1}, {arg(inputs.data()), arg(ints.data()), size});
  runKernel(*toU32, {1}, {arg(inputs.data()), arg(uints.data()), size});
  runKernel(*toI8, {1}, {arg(inputs.data()), arg(bytes.data()), size});
  runKernel(*toI64, {1}, {arg(inputs.data()), arg(longs.data()), size});
  std::vector<double> doubles(inputs.begin(), inputs.end());
  std::vector<uint32_t> fromDoubles(count);
  runKernel(*fromF64, {1}, {arg(doubles.data()), arg(fromDoubles.data()), size});
  for (unsigned i = 0; i < count; ++i) {
    double value = std::isnan(inputs[i]) ? 0.0 : std::trunc(double(inputs[i]));
    EXPECT_EQ(ints[i], int32_t(std::fmin(std::fmax(value, -2147483648.0), 2147483647.0)));
    EXPECT_EQ(uints[i], uint32_t(std::fmin(std::fmax(value, 0.0), 4294967295.0)));
    EXPECT_EQ(int(bytes[i]), int(std::fmin(std::fmax(value, -128.0), 127.0)));
    // NaN is the highest bit alone where 64 bits take part.
    EXPECT_EQ(fromDoubles[i], std::isnan(inputs[i]) ? 0x80000000u : uints[i]);
    if (std::isnan(inputs[i]) || value <= -9.3e18)
      EXPECT_EQ(longs[i], INT64_MIN);
    else if (value >= 9.3e18)
      EXPECT_EQ(longs[i], INT64_MAX);
    else
      EXPECT_EQ(longs[i], int64_t(value));
  }
}

TEST(HostArith, UndefinedScalarsHaveValuesToo) {
  auto kernel = compileText(R"(
func.func @k(%y: !tile.ptr<i32>, %a: i32, %b: i32, %f: f32) attributes {tile.kernel} {
  %q = arith.divsi %a, %b : i32
  %s = arith.shli %a, %b : i32
  %i = arith.fptosi %f : f32 to i32
  %t = arith.addi %q, %s : i32
  %u = arith.addi %t, %i : i32
  tile.store %y, %u : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  int32_t result = 0;
  runKernel(*kernel, {1}, {arg(&result), arg(5), arg(0), arg(1e30)});
  EXPECT_EQ(uint32_t(result), 5u + 2147483647u);
  runKernel(*kernel, {1}, {arg(&result), arg(5), arg(40), arg(-7.5)});
  EXPECT_EQ(result, -7);
}

TEST(HostArith, BooleansAndSelections) {
  auto kernel = compileText(elementwiseText("i32", "i8", R"(%zero = arith.constant dense<0> : TA
  %five = arith.constant dense<5> : TA
  %p = arith.cmpi sgt, %a, %zero : TA
  %q = arith.cmpi slt, %a, %five : TA
  %both = arith.andi %p, %q : tensor<256xi1>
  %sum = arith.addi %both, %p : tensor<256xi1>
  %r = arith.extui %sum : tensor<256xi1> to TR)"));
  ASSERT_TRUE(kernel);
  std::vector<int32_t> x = {-1, 0, 1, 4, 5, 6};
  std::vector<int8_t> y(x.size(), 9);
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data()), arg(6)});
  for (unsigned i = 0; i < x.size(); ++i)
    EXPECT_EQ(int(y[i]), x[i] >= 5 ? 1 : 0) << x[i]; // booleans add modulo 2
}
