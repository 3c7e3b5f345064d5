//===- Check.h - inputs, and results against float64 -----------*- C++ -*-===//
//
// Inputs repeat one block of random numbers whose length is a prime, so that no row is like another
// and the reference can be had from the block without a copy of the input. Of products a part of
// the elements is compared (Reference.h); that the others were written is checked, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_CHECK_H
#define TILEC_TOOLS_TILEC_BENCH_CHECK_H

#include "Suites.h"

#include <optional>
#include <vector>

namespace tilec::bench {

/// Random numbers of one type.
class Pattern {
public:
  /// 2^22 - 3, a prime.
  static constexpr uint64_t length = (uint64_t(1) << 22) - 3;

  /// Draws normally distributed numbers; the same ones each time.
  static llvm::Expected<Pattern> create(ScalarKind type);

  /// The numbers times `factor`, rounded to the type again.
  Pattern scaled(double factor) const;

  /// The numbers as they lie in memory.
  llvm::ArrayRef<uint8_t> bytes() const { return encoded; }
  llvm::ArrayRef<double> numbers() const { return values; }
  /// Where input number `input` starts in the block.
  static uint64_t phase(unsigned input) { return input * 1000003 % length; }
  /// The same for array number `array` of an input.
  static uint64_t arrayPhase(uint64_t phase, unsigned array) {
    return (phase + array * 1299709) % length;
  }

private:
  friend class Checker;
  ScalarKind type = ScalarKind::FP32;
  std::vector<uint8_t> encoded;
  std::vector<double> values;
};

/// What the check of a result found.
struct Verdict {
  double largestError = 0;
  uint64_t mismatches = 0;
  /// Of the mismatch with the lowest index.
  uint64_t firstMismatch = UINT64_MAX;
  double expected = 0, found = 0;

  void merge(const Verdict &other);
  /// "12 of 100 elements are wrong; the first is [3, 4]: expected 1, found 2".
  std::string text(const Case &what) const;
};

struct Sample;

/// The right results for cases of one kernel and type. `pattern` must outlive it.
class Checker {
public:
  Checker(KernelKind kind, const Pattern &pattern);
  ~Checker();

  KernelKind kind() const { return computes; }
  /// Elements that are checked together: a result must be given in multiples of it, but for its
  /// end.
  static uint64_t unit(const Case &what);
  /// Compares `output`, the elements of the result from `begin` on, with what float64 gives for
  /// the input that starts at `phase` of the pattern.
  Verdict check(const Case &what, uint64_t phase, uint64_t begin, llvm::ArrayRef<uint8_t> output);

private:
  void prepareSamples(const Case &what, uint64_t phase);
  Verdict checkSamples(const Case &what, uint64_t begin, llvm::ArrayRef<uint8_t> output) const;
  Verdict checkUnits(const Case &what, uint64_t phase, uint64_t begin,
                     llvm::ArrayRef<uint8_t> output) const;
  double decode(const uint8_t *element) const;

  KernelKind computes;
  ScalarKind type;
  const Pattern &pattern;
  /// Of the product that was checked last, whose configurations come one after the other.
  std::vector<Sample> samples;
  std::optional<Size> sampledSize;
  uint64_t sampledPhase = 0;
  /// exp or GELU of each number of the pattern.
  std::vector<double> mapped;
  /// Of each 16-bit pattern.
  std::vector<double> decoded;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_CHECK_H
