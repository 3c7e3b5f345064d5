//===- Results.h - what was measured ---------------------------*- C++ -*-===//
//
// What a benchmark measured, as plain values: one Measurement for each provider and case, with the
// reason where there is no time. Session fills them, Report and the CSV file show them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_RESULTS_H
#define TILEC_TOOLS_TILEC_BENCH_RESULTS_H

#include "Suites.h"
#include "tilec/JIT/Timing.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::bench {

/// How an attempt to measure ended.
enum class Outcome {
  Measured,
  /// The result was wrong, so that the time means nothing.
  Wrong,
  /// The provider cannot do this size, or failed.
  Failed,
};

/// One provider on one case.
struct Measurement {
  Measurement(const Case &what, std::string provider) : what(what), provider(std::move(provider)) {}

  Case what;
  std::string provider;
  Outcome outcome = Outcome::Failed;
  Timing timing;
  /// Largest absolute difference from float64.
  double error = 0;
  /// Warps of a program; 0 where the provider does not say.
  unsigned warps = 0;
  /// What gave the time, where there was a choice: Config::text(), or the part of a library.
  std::string config;
  /// Why there is no time.
  std::string message;

  bool isMeasured() const { return outcome == Outcome::Measured; }
  /// At the median: GB/s, counting each element once read and once written, or TFLOP/s of products;
  /// 0 without a time.
  double rate() const { return rateAt(timing.medianMs); }
  /// The same for another time.
  double rateAt(double milliseconds) const;
};

/// All measurements of a run, in order.
using Results = std::vector<Measurement>;

/// The measurement of a provider on one case, or null.
const Measurement *find(const Results &results, const Case &what, llvm::StringRef provider);

class Ceilings;

/// Writes a header and one line for each measurement. bench/plot.py reads it.
void writeCsv(const Results &results, const Ceilings &ceilings, llvm::raw_ostream &os);

/// The measured rates of `provider` divided by those of `base`, for each case that has both.
std::vector<double> ratios(const Results &results, llvm::StringRef provider, llvm::StringRef base);

/// The geometric mean; 0 without numbers.
double geometricMean(const std::vector<double> &values);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_RESULTS_H
