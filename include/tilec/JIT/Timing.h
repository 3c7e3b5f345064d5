//===- Timing.h - What repeated runs took -----------------------*- C++ -*-===//

#ifndef TILEC_JIT_TIMING_H
#define TILEC_JIT_TIMING_H

#include <vector>

namespace tilec {

/// The times of some runs, in milliseconds.
struct Timing {
  double medianMs = 0;
  double fastestMs = 0;
  /// The 20% and 80% quantiles.
  double lowerMs = 0;
  double upperMs = 0;
  unsigned runs = 0;
};

/// How long to measure.
struct TimingPlan {
  /// About how much time runs shall take, those that warm up and those that count.
  double warmupMs = 100;
  double budgetMs = 400;
  /// Bounds on the numbers of runs, whatever they take.
  unsigned mostWarmups = 20;
  unsigned leastRuns = 10;
  unsigned mostRuns = 500;

  /// Runs to warm up, and runs that count, when one run takes about `runMs`.
  unsigned warmups(double runMs) const;
  unsigned runs(double runMs) const;
};

/// The value below which the part `part` (0 to 1) of the sorted, nonempty `times` lies;
/// interpolated between neighbours, as NumPy and torch do.
double quantile(const std::vector<double> &times, double part);

/// Median, quantiles and the fastest of `times`; zeros without any.
Timing summarize(std::vector<double> times);

} // namespace tilec

#endif // TILEC_JIT_TIMING_H
