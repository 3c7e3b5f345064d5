//===- Reference.h - elements of products in float64 -----------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_REFERENCE_H
#define TILEC_TOOLS_TILEC_BENCH_REFERENCE_H

#include "Check.h"

namespace tilec::bench {

/// What one element of a result must be.
struct Sample {
  uint64_t index;
  double expected;
  /// The root mean square of its row.
  double scale;
};

/// Elements of the result of a product, by index: as many as can be computed in about a second,
/// and so spread that every block of a kernel has some. `phase` is that of the case's inputs.
std::vector<Sample> sampleProduct(const Case &what, const Pattern &pattern, uint64_t phase);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_REFERENCE_H
