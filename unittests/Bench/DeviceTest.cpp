//===- DeviceTest.cpp - how runs are checked and timed ----------*- C++ -*-===//
//
// The mock driver's memory is that of the host, so a "run" can be a function of this file.
//
//===----------------------------------------------------------------------===//

#include "DeviceData.h"
#include "GpuFacts.h"
#include "MockTest.h"
#include "tilec/JIT/DeviceTimer.h"

#include <cmath>

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
