//===- Report.h - tables for people ----------------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_REPORT_H
#define TILEC_TOOLS_TILEC_BENCH_REPORT_H

#include "Ceilings.h"

namespace tilec::bench {

/// Facts about the GPU that the notes refer to.
struct GpuFacts {
  std::string name;
  unsigned multiprocessors = 0;
  /// Bytes of the L2 cache; 0 when the driver does not say.
  uint64_t cacheBytes = 0;
  /// Highest rate of single precision operations in 10^9 a second; 0 when the driver does not say.
  double peakGops = 0;
};

/// The table of one suite in one type: GB/s or TFLOP/s of each provider at each size, with tilec's
/// shares; then notes on the spread, the means, the roofline and what the L2 cache does at small
/// sizes. `results` may hold other suites' measurements too.
std::string reportSuite(const Suite &suite, ScalarKind type, const Results &results,
                        const GpuFacts &gpu, const Ceilings &ceilings);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_REPORT_H
