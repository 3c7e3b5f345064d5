//===- TimingTest.cpp - medians, quantiles, numbers of runs -----*- C++ -*-===//

#include "tilec/JIT/Timing.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

TEST(Timing, OfNoRuns) {
  Timing timing = summarize({});
  EXPECT_EQ(timing.runs, 0u);
  EXPECT_EQ(timing.medianMs, 0);
}

TEST(Timing, OfOneRun) {
  Timing timing = summarize({3});
  EXPECT_EQ(timing.runs, 1u);
  for (double value : {timing.medianMs, timing.lowerMs, timing.upperMs, timing.fastestMs})
    EXPECT_EQ(value, 3);
}

TEST(Timing, SortsFirst) {
  Timing timing = summarize({5, 1, 4, 2, 3, 6});
  EXPECT_EQ(timing.runs, 6u);
  EXPECT_EQ(timing.fastestMs, 1);
  EXPECT_EQ(timing.medianMs, 3.5);
  EXPECT_EQ(timing.lowerMs, 2);
  EXPECT_EQ(timing.upperMs, 5);
}

TEST(Timing, OneSlowRunMovesNoQuantile) {
  std::vector<double> times(100, 1.0);
  times[17] = 1000;
  Timing timing = summarize(times);
  EXPECT_EQ(timing.medianMs, 1);
  EXPECT_EQ(timing.upperMs, 1);
}

TEST(Timing, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.2), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 0.75), 3);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 1), 4);
}

TEST(Timing, PlanFillsTheBudgetWithinItsBounds) {
  TimingPlan plan;
  plan.warmupMs = 20;
  plan.budgetMs = 80;
  plan.mostWarmups = 10;
  plan.leastRuns = 10;
  plan.mostRuns = 300;
  EXPECT_EQ(plan.runs(1), 80u);
  EXPECT_EQ(plan.runs(0.001), 300u);
  EXPECT_EQ(plan.runs(0), 300u);
  EXPECT_EQ(plan.runs(1000), 10u);
  EXPECT_EQ(plan.warmups(4), 5u);
  EXPECT_EQ(plan.warmups(0), 10u);
  EXPECT_EQ(plan.warmups(1000), 1u);
}

} // namespace
