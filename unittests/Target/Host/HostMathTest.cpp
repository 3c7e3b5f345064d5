//===- HostMathTest.cpp - accuracy of functions and conversions -*- C++ -*-===//
//
// Every float (or a regular sample of all bit patterns) goes through a function and is compared
// with the same function in double precision.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tilec;

namespace {

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Every `step`th bit pattern, and those where functions tend to go wrong.
std::vector<float> sampleFloats(uint64_t step) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += step)
    values.push_back(floatOf(uint32_t(bits)));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (float value :
       {0.0f,        1.0f,        infinity,         std::numeric_limits<float>::quiet_NaN(),
        0x1p-149f,   0x1p-126f,   0x1.fffffcp-127f, 88.72284f,
        88.722839f,  87.33654f,   103.27893f,       103.97208f,
        103.97210f,  104.5f,      128.0f,           126.0f,
        127.5f,      149.0f,      150.0f,           0.70710677f,
        0.70710683f, 1.41421354f, 3.4028235e38f})
    for (float sign : {1.0f, -1.0f})
      values.push_back(sign * value);
  return values;
}

/// The largest error in ulp of `op` against `reference` over `inputs`.
double worstError(const char *op, double (*reference)(double), const std::vector<float> &inputs,
                  const HostOptions &options) {
  auto kernel =
      compileText(elementwiseText("f32", "f32", std::string("%r = ") + op + " %a : TA"), options);
  if (!kernel)
    return 1e30;
  std::vector<float> results(inputs.size(), 12345.0f);
  unsigned blocks = (inputs.size() + 255) / 256;
  runKernel(*kernel, {blocks}, {arg(inputs.data()), arg(results.data()), arg(int(inputs.size()))});
  double worst = 0;
  float at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    double error = ulpError(results[i], reference(inputs[i]));
    if (error > worst) {
      worst = error;
      at = inputs[i];
    }
  }
  testing::Test::RecordProperty(op, std::to_string(worst) + " at " + std::to_string(at));
  EXPECT_LT(worst, 2.0) << op << " of " << at;
  return worst;
}

double rsqrt(double x) { return 1.0 / std::sqrt(x); }

} // namespace

TEST(HostMath, ExpAndLogAreWithinTwoUlp) {
  std::vector<float> inputs = sampleFloats(1499);
  for (const HostOptions &options : testedProcessors()) {
    worstError("math.exp", std::exp, inputs, options);
    worstError("math.exp2", std::exp2, inputs, options);
    worstError("math.log", std::log, inputs, options);
    worstError("math.log2", std::log2, inputs, options);
  }
}

TEST(HostMath, ExpIsDenseNearZero) {
  // The sample of all bit patterns has few moderate numbers.
  std::vector<float> inputs;
  for (int i = -1100000; i <= 900000; ++i)
    inputs.push_back(float(i) * 1e-4f);
  for (const HostOptions &options : testedProcessors()) {
    worstError("math.exp", std::exp, inputs, options);
    worstError("math.exp2", std::exp2, inputs, options);
  }
}

TEST(HostMath, LogIsDenseNearOne) {
  std::vector<float> inputs;
  for (int i = -400000; i <= 400000; ++i)
    inputs.push_back(floatOf(0x3f800000u + i * 16));
  worstError("math.log", std::log, inputs, {});
  worstError("math.log2", std::log2, inputs, {});
}

TEST(HostMath, RootsAndLibraryFunctions) {
  std::vector<float> inputs = sampleFloats(99991);
  for (const HostOptions &options : testedProcessors()) {
    worstError("math.sqrt", std::sqrt, inputs, options);
    worstError("math.rsqrt", rsqrt, inputs, options);
    worstError("math.floor", std::floor, inputs, options);
    worstError("math.round", std::round, inputs, options);
    worstError("math.roundeven", std::nearbyint, inputs, options);
    worstError("math.trunc", std::trunc, inputs, options);
    worstError("math.ceil", std::ceil, inputs, options);
    worstError("math.absf", std::fabs, inputs, options);
    worstError("math.tanh", std::tanh, inputs, options);
    worstError("math.erf", std::erf, inputs, options);
    worstError("math.sin", std::sin, inputs, options);
    worstError("math.cos", std::cos, inputs, options);
  }
}

TEST(HostMath, DoublesUseTheLibrary) {
  auto kernel = compileText(elementwiseText("f64", "f64", R"(%e = math.exp %a : TA
  %l = math.log %e : TA
  %r = math.erf %l : TA)"));
  ASSERT_TRUE(kernel);
  std::vector<double> x = {0.0, 1.0, -2.5, 0.125, 700.0}, y(5);
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data()), arg(5)});
  for (int i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(y[i], std::erf(std::log(std::exp(x[i]))));
}

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

namespace {
struct Half {
  const char *name;
  const llvm::fltSemantics &format;
};
const Half halves[] = {{"f16", llvm::APFloat::IEEEhalf()}, {"bf16", llvm::APFloat::BFloat()}};

/// Equal bits, or both NaN.
void expectHalf(uint16_t found, uint16_t expected, const Half &half, double input) {
  if (std::isnan(fromHalf(expected, half.format)))
    EXPECT_TRUE(std::isnan(fromHalf(found, half.format))) << half.name << " of " << input;
  else
    EXPECT_EQ(found, expected) << half.name << " of " << input;
}
} // namespace

TEST(HostMath, HalvesWidenExactly) {
  std::vector<uint16_t> inputs(65536);
  for (unsigned i = 0; i < inputs.size(); ++i)
    inputs[i] = uint16_t(i);
  for (const HostOptions &options : testedProcessors())
    for (const Half &half : halves) {
      auto kernel =
          compileText(elementwiseText(half.name, "f64", "%r = arith.extf %a : TA to TR"), options);
      ASSERT_TRUE(kernel);
      std::vector<double> results(inputs.size());
      runKernel(*kernel, {256}, {arg(inputs.data()), arg(results.data()), arg(65536)});
      for (unsigned i = 0; i < inputs.size(); ++i) {
        double expected = fromHalf(inputs[i], half.format);
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(results[i]));
        else
          EXPECT_EQ(results[i], expected) << half.name << ' ' << i;
      }
    }
}

TEST(HostMath, NarrowingToHalvesRoundsToNearestEven) {
  std::vector<float> inputs = sampleFloats(65521);
  // Around every half: the number itself, the midpoint to the next, and both sides of it.
  for (const Half &half : halves)
    for (unsigned bits = 0; bits < 65535; bits += 3) {
      double low = fromHalf(uint16_t(bits), half.format);
      double high = fromHalf(uint16_t(bits + 1), half.format);
      float middle = float(low + (high - low) / 2);
      for (float value :
           {float(low), middle, std::nextafter(middle, -1e30f), std::nextafter(middle, 1e30f)})
        inputs.push_back(value);
    }
  unsigned blocks = (inputs.size() + 255) / 256;
  for (const HostOptions &options : testedProcessors())
    for (const Half &half : halves) {
      auto kernel = compileText(
          elementwiseText("f32", half.name, "%r = arith.truncf %a : TA to TR"), options);
      ASSERT_TRUE(kernel);
      std::vector<uint16_t> results(inputs.size());
      runKernel(*kernel, {blocks},
                {arg(inputs.data()), arg(results.data()), arg(int(inputs.size()))});
      for (size_t i = 0; i < inputs.size(); ++i)
        expectHalf(results[i], toHalf(inputs[i], half.format), half, inputs[i]);
    }
}

TEST(HostMath, NarrowingDoublesRoundsOnce) {
  std::vector<double> inputs = {0,
                                -0.0,
                                1e-320,
                                -1e-320,
                                1e300,
                                -1e300,
                                65519.99999999,
                                65520.0,
                                3.39e38,
                                3.3961775292304957e38,
                                1e-45,
                                5.9604644775390625e-8};
  // Just beside a midpoint of halves, by less than a float can tell.
  for (const Half &half : halves)
    for (unsigned bits = 1; bits < 31000; bits += 7) {
      double low = fromHalf(uint16_t(bits), half.format);
      double middle = low + (fromHalf(uint16_t(bits + 1), half.format) - low) / 2;
      for (double sign : {1.0, -1.0})
        for (double beside : {1 - 1e-14, 1.0, 1 + 1e-14})
          inputs.push_back(sign * middle * beside);
    }
  unsigned blocks = (inputs.size() + 255) / 256;
  for (const HostOptions &options : testedProcessors())
    for (const Half &half : halves) {
      auto kernel = compileText(
          elementwiseText("f64", half.name, "%r = arith.truncf %a : TA to TR"), options);
      ASSERT_TRUE(kernel);
      std::vector<uint16_t> results(inputs.size());
      runKernel(*kernel, {blocks},
                {arg(inputs.data()), arg(results.data()), arg(int(inputs.size()))});
      for (size_t i = 0; i < inputs.size(); ++i)
        expectHalf(results[i], toHalf(inputs[i], half.format), half, inputs[i]);
    }
}

TEST(HostMath, IntegersToHalvesRoundOnce) {
  std::vector<int64_t> inputs = {0,     1,     -1,     255,    256,       257,
                                 65519, 65520, -65519, -65520, INT64_MAX, INT64_MIN};
  for (int shift = 8; shift < 63; ++shift)
    for (int64_t low : {-1, 0, 1})
      for (int64_t sign : {1, -1})
        inputs.push_back(sign * ((int64_t(1) << shift) + (int64_t(1) << (shift - 8)) + low));
  for (const HostOptions &options : testedProcessors())
    for (const Half &half : halves) {
      auto kernel = compileText(
          elementwiseText("i64", half.name, "%r = arith.sitofp %a : TA to TR"), options);
      ASSERT_TRUE(kernel);
      std::vector<uint16_t> results(inputs.size());
      runKernel(*kernel, {2}, {arg(inputs.data()), arg(results.data()), arg(int(inputs.size()))});
      for (size_t i = 0; i < inputs.size(); ++i) {
        llvm::APFloat expected(half.format);
        expected.convertFromAPInt(llvm::APInt(64, inputs[i], /*isSigned=*/true), true,
                                  llvm::APFloat::rmNearestTiesToEven);
        EXPECT_EQ(results[i], expected.bitcastToAPInt().getZExtValue())
            << half.name << " of " << inputs[i];
      }
    }
}

TEST(HostMath, HalfArithmeticRoundsEveryOperation) {
  struct Case {
    const char *op;
    double (*reference)(double, double);
  } cases[] = {{"arith.addf", [](double a, double b) { return a + b; }},
               {"arith.subf", [](double a, double b) { return a - b; }},
               {"arith.mulf", [](double a, double b) { return a * b; }},
               {"arith.divf", [](double a, double b) { return a / b; }},
               {"arith.maxnumf", [](double a, double b) { return std::fmax(a, b); }}};
  std::vector<uint16_t> a(8192), b(8192), results(8192);
  uint32_t seed = 12345;
  for (unsigned i = 0; i < a.size(); ++i) {
    seed = seed * 1664525 + 1013904223;
    a[i] = uint16_t(seed >> 8);
    b[i] = uint16_t(seed >> 16);
    // Half of the pairs have like exponents, so that sums round.
    if (i % 2)
      b[i] = uint16_t(a[i] ^ (seed >> 20));
  }
  for (const HostOptions &options : testedProcessors())
    for (const Half &half : halves)
      for (const Case &test : cases) {
        auto kernel =
            compileText(elementwiseText(half.name, half.name,
                                        std::string("%r = ") + test.op + " %a, %b : TA", half.name),
                        options);
        ASSERT_TRUE(kernel);
        runKernel(*kernel, {32}, {arg(a.data()), arg(b.data()), arg(results.data()), arg(8192)});
        for (unsigned i = 0; i < a.size(); ++i) {
          double x = fromHalf(a[i], half.format), y = fromHalf(b[i], half.format);
          double expected = test.reference(x, y);
          // fmax may return either zero.
          if (expected == 0 && std::strcmp(test.op, "arith.maxnumf") == 0)
            EXPECT_EQ(fromHalf(results[i], half.format), 0.0);
          else
            expectHalf(results[i], toHalf(expected, half.format), half, x);
        }
      }
}
