//===- Ceilings.h - what bounds a product on this machine ------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_CEILINGS_H
#define TILEC_TOOLS_TILEC_BENCH_CEILINGS_H

#include "Results.h"

#include <map>

namespace tilec::bench {

/// The highest rate that was measured, and by what.
struct Ceiling {
  double rate = 0;
  std::string where;

  void raise(const Measurement &entry);
};

/// Measured, not from data sheets: what a GPU reaches depends on its clocks and power.
class Ceilings {
public:
  /// Takes a copy, or a product by anybody, into account.
  void add(const Measurement &entry);

  /// GB/s of copies.
  const Ceiling &memory() const { return copies; }
  /// TFLOP/s of products in a type.
  const Ceiling &products(ScalarKind type) const;
  /// The TFLOP/s that the smaller of both ceilings allows a case; 0 while one is not known.
  double roofOf(const Case &what) const;
  /// The operations a byte at which both ceilings are equal; 0 while one is not known.
  double ridge(ScalarKind type) const;

private:
  Ceiling copies;
  std::map<ScalarKind, Ceiling> perType;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_CEILINGS_H
