//===- Timing.cpp - What repeated runs took ---------------------*- C++ -*-===//
//
// How many runs fit into a measurement's time, and what is told of the times that they took.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Timing.h"

#include <algorithm>

using namespace tilec;

/// How many runs of `runMs` fit into `budgetMs`, within bounds.
static unsigned countRuns(double budgetMs, double runMs, unsigned least, unsigned most) {
  // Event times of short kernels can be 0.
  double wanted = budgetMs / std::max(runMs, 1e-6);
  return unsigned(std::clamp(wanted, double(least), double(most)));
}

unsigned TimingPlan::warmups(double runMs) const {
  return countRuns(warmupMs, runMs, 1, mostWarmups);
}

unsigned TimingPlan::runs(double runMs) const {
  return countRuns(budgetMs, runMs, leastRuns, mostRuns);
}

double tilec::quantile(const std::vector<double> &times, double part) {
  double place = part * double(times.size() - 1);
  size_t below = size_t(place), above = std::min(below + 1, times.size() - 1);
  return times[below] + (place - double(below)) * (times[above] - times[below]);
}

Timing tilec::summarize(std::vector<double> times) {
  Timing timing;
  timing.runs = unsigned(times.size());
  if (times.empty())
    return timing;
  std::sort(times.begin(), times.end());
  timing.fastestMs = times.front();
  timing.medianMs = quantile(times, 0.5);
  timing.lowerMs = quantile(times, 0.2);
  timing.upperMs = quantile(times, 0.8);
  return timing;
}
