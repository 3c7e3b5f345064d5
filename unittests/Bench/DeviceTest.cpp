//===- DeviceTest.cpp - how runs are checked and timed ----------*- C++ -*-===//
//
// The mock driver's memory is that of the host, so a "run" can be a function of this file.
//
//===----------------------------------------------------------------------===//

#include "DeviceData.h"
#include "GpuFacts.h"
#include "Launches.h"
#include "MockTest.h"
#include "Reference.h"
#include "tilec/JIT/DeviceTimer.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace tilec;
using namespace tilec::bench;

namespace {

class BenchDevice : public MockTest {
protected:
  Device open() {
    auto device = Device::open(0);
    EXPECT_TRUE(device);
    return *device;
  }
  const Pattern &pattern() {
    static const Pattern one = llvm::cantFail(Pattern::create(ScalarKind::FP32));
    return one;
  }
  Case what{findSuite("gelu"), ScalarKind::FP32, {1, 5000000}}; // Longer than the pattern.
};

/// GELU of `count` elements, with `spoil` added to element number `place`.
Run geluRun(uint64_t count, uint64_t place = 0, float spoil = 0) {
  return [=](Buffer &out, const Buffer &in) {
    const float *x = in.as<float>();
    float *y = out.as<float>();
    for (uint64_t i = 0; i < count; ++i)
      y[i] = float(x[i] / (1 + std::exp(-2 * 0.7978845608028654 *
                                        (x[i] + 0.044715 * double(x[i]) * x[i] * x[i]))));
    y[place] += spoil;
    return Status();
  };
}

TEST_F(BenchDevice, InputsDifferAndResultsAreChecked) {
  Device device = open();
  auto data = llvm::cantFail(DeviceData::create(device, what, pattern()));
  EXPECT_EQ(data.numInputs(), 4u);
  Checker checker(KernelKind::Gelu, pattern());
  Verdict right = llvm::cantFail(data.check(geluRun(what.size.cols), checker));
  EXPECT_EQ(right.mismatches, 0u) << right.text(what);
  Verdict wrong = llvm::cantFail(data.check(geluRun(what.size.cols, 4999999, 0.5f), checker));
  EXPECT_EQ(wrong.mismatches, 1u);
  EXPECT_EQ(wrong.firstMismatch, 4999999u);
  // What is right for the first input only.
  const void *first = nullptr;
  bench::Run repeats = [&](Buffer &out, const Buffer &in) {
    first = first ? first : in.as<void>();
    Status status = geluRun(what.size.cols)(out, in);
    if (in.as<void>() != first)
      out.as<float>()[7] = 9;
    return status;
  };
  EXPECT_EQ(llvm::cantFail(data.check(repeats, checker)).firstMismatch, 7u);
}

TEST_F(BenchDevice, UnwrittenAndForeignElementsAreErrors) {
  Device device = open();
  auto data = llvm::cantFail(DeviceData::create(device, what, pattern()));
  Checker checker(KernelKind::Gelu, pattern());
  Verdict none =
      llvm::cantFail(data.check([](Buffer &, const Buffer &) { return Status(); }, checker));
  EXPECT_EQ(none.mismatches, what.size.cols);
  bench::Run writesBeyond = [&](Buffer &out, const Buffer &in) {
    out.as<float>()[what.size.cols] = 1;
    return geluRun(what.size.cols)(out, in);
  };
  auto beyond = data.check(writesBeyond, checker);
  ASSERT_FALSE(bool(beyond));
  EXPECT_EQ(llvm::toString(beyond.takeError()), "it wrote behind the end of the output");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Element number `index` of array number `array` of an input.
double inputAt(const Case &what, const Buffer &in, unsigned array, uint64_t index) {
  const uint8_t *bytes = in.as<uint8_t>() + inputsOf(what)[array].offset;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes + index * what.elementBytes(), what.elementBytes());
  return decodeFloat(bits, what.type);
}

double productAt(const Case &what, const Buffer &in, uint64_t index) {
  double sum = 0;
  for (uint64_t k = 0; k < what.size.depth; ++k)
    sum += inputAt(what, in, 0, index / what.size.cols * what.size.depth + k) *
           inputAt(what, in, 1, k * what.size.cols + index % what.size.cols);
  return sum + inputAt(what, in, 2, index % what.size.cols);
}

double attentionAt(const Case &what, const Buffer &in, uint64_t index) {
  const Size &size = what.size;
  uint64_t row = index / size.cols, head = row % size.heads, token = row / size.heads;
  uint64_t place = token % size.rows;
  double weights = 0, sum = 0;
  for (uint64_t key = 0; key < (size.isCausal ? place + 1 : size.rows); ++key) {
    uint64_t first = ((token - place + key) * size.heads + head) * size.cols;
    double score = 0;
    for (uint64_t d = 0; d < size.cols; ++d)
      score += inputAt(what, in, 0, row * size.cols + d) * inputAt(what, in, 1, first + d);
    double weight = std::exp(score / std::sqrt(double(size.cols)));
    weights += weight;
    sum += weight * inputAt(what, in, 2, first + index % size.cols);
  }
  return sum / weights;
}

/// What the layers before it gave is computed again for each element.
double layersAt(const Case &what, const Buffer &in, uint64_t index, uint64_t layers) {
  uint64_t width = what.size.cols, row = index / width, col = index % width;
  if (layers == 0)
    return inputAt(what, in, 0, index);
  double sum = inputAt(what, in, 2, (layers - 1) * width + col);
  for (uint64_t k = 0; k < width; ++k)
    sum += layersAt(what, in, row * width + k, layers - 1) *
           inputAt(what, in, 1, ((layers - 1) * width + col) * width + k);
  return sum / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (sum + 0.044715 * sum * sum * sum)));
}

/// Each element by `at`, but one is spoilt.
bench::Run elementwise(const Case &what,
                       std::function<double(const Case &, const Buffer &, uint64_t)> at,
                       uint64_t spoilt = UINT64_MAX) {
  return [=](Buffer &out, const Buffer &in) {
    for (uint64_t index = 0; index < what.size.elements(); ++index) {
      uint64_t bits = encodeFloat(at(what, in, index) + (index == spoilt ? 9 : 0), what.type);
      std::memcpy(out.as<uint8_t>() + index * what.elementBytes(), &bits, what.elementBytes());
    }
    return Status();
  };
}

class BenchProducts : public BenchDevice {
protected:
  void expectChecked(Case product,
                     std::function<double(const Case &, const Buffer &, uint64_t)> at) {
    Device device = open();
    Pattern numbers = llvm::cantFail(Pattern::create(product.type));
    Checker checker(product.suite->kind, numbers);
    auto data = llvm::cantFail(DeviceData::create(device, product, numbers));
    Verdict right = llvm::cantFail(data.check(elementwise(product, at), checker));
    EXPECT_EQ(right.mismatches, 0u) << right.text(product);
    EXPECT_GT(right.largestError, 0);
    uint64_t last = product.size.elements() - 1;
    Verdict wrong = llvm::cantFail(data.check(elementwise(product, at, last), checker));
    EXPECT_EQ(wrong.firstMismatch, last) << wrong.text(product);
    Verdict none =
        llvm::cantFail(data.check([](Buffer &, const Buffer &) { return Status(); }, checker));
    EXPECT_EQ(none.mismatches, product.size.elements());
  }
};

TEST_F(BenchProducts, MatmulIsChecked) {
  for (ScalarKind type : {ScalarKind::FP32, ScalarKind::BF16, ScalarKind::FP16})
    expectChecked({findSuite("matmul"), type, {37, 530, 41}}, productAt);
}

TEST_F(BenchProducts, AttentionIsChecked) {
  for (bool isCausal : {false, true})
    expectChecked({findSuite("attention"), ScalarKind::FP16, {33, 64, 1, 2, 3, isCausal}},
                  attentionAt);
}

TEST_F(BenchProducts, LayersAreChecked) {
  expectChecked({findSuite("mlp"), ScalarKind::BF16, {7, 32, 2}},
                [](const Case &what, const Buffer &in, uint64_t index) {
                  return layersAt(what, in, index, what.size.depth);
                });
}

TEST_F(BenchProducts, SamplesAreInEveryBlock) {
  Pattern numbers = llvm::cantFail(Pattern::create(ScalarKind::FP16));
  Case large{findSuite("matmul"), ScalarKind::FP16, {2048, 1024, 64}};
  std::vector<Sample> samples = sampleProduct(large, numbers, 0);
  std::set<std::pair<uint64_t, uint64_t>> blocks;
  for (const Sample &sample : samples)
    blocks.insert({sample.index / 1024 / 16, sample.index % 1024 / 16});
  EXPECT_EQ(blocks.size(), 128u * 64u);
  EXPECT_TRUE(llvm::is_sorted(
      samples, [](const Sample &left, const Sample &right) { return left.index < right.index; }));
}

TEST_F(BenchDevice, MemoryDecidesHowManyInputsThereAre) {
  Device device = open();
  mock().setMemory(size_t(90) << 20);
  EXPECT_EQ(llvm::cantFail(DeviceData::create(device, what, pattern())).numInputs(), 2u);
  mock().setMemory(size_t(40) << 20);
  auto data = DeviceData::create(device, what, pattern());
  ASSERT_FALSE(bool(data));
  EXPECT_EQ(llvm::toString(data.takeError()),
            "it needs 39 MiB of device memory, and 40 MiB are free");
}

TEST_F(BenchDevice, RunsTakeTurnsBehindAClearedCache) {
  Device device = open();
  DeviceTimer timer = llvm::cantFail(DeviceTimer::create(device));
  TimingPlan plan;
  plan.warmupMs = plan.budgetMs = 1e9;
  plan.mostWarmups = 3;
  plan.mostRuns = plan.leastRuns = 5;
  std::vector<unsigned> numbers;
  std::vector<int> clears;
  Timing timing = llvm::cantFail(timer.measure(
      [&](unsigned number) {
        numbers.push_back(number);
        clears.push_back(mock().calls("cuMemsetD8Async"));
        return Status();
      },
      plan));
  EXPECT_EQ(numbers, (std::vector<unsigned>{0, 1, 0, 1, 2, 0, 1, 2, 3, 4}));
  EXPECT_EQ(clears, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(timing.runs, 5u);
  EXPECT_GE(DeviceTimer::flushBytes, size_t(256) << 20);
}

TEST_F(BenchDevice, TimerPassesErrorsOn) {
  Device device = open();
  DeviceTimer timer = llvm::cantFail(DeviceTimer::create(device));
  mock().fail("cuEventRecord", 2);
  auto timing = timer.measure([](unsigned) { return Status(); });
  ASSERT_FALSE(bool(timing));
  EXPECT_NE(llvm::toString(timing.takeError()).find("out of memory"), std::string::npos);
  mock().setMemory(size_t(300) << 20); // The first timer has most of it.
  auto second = DeviceTimer::create(device);
  ASSERT_FALSE(bool(second));
  EXPECT_NE(llvm::toString(second.takeError()).find("out of memory"), std::string::npos);
}

TEST_F(BenchDevice, FactsTheDriverDoesNotKnowAreZero) {
  GpuFacts facts = readFacts(open());
  EXPECT_EQ(facts.name, "Mock GPU 0");
  EXPECT_EQ(facts.cacheBytes, 0u);
  EXPECT_EQ(facts.peakGops, 0);
}

} // namespace
