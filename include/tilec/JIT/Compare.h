//===- Compare.h - How far a result is from what was expected ---*- C++ -*-===//

#ifndef TILEC_JIT_COMPARE_H
#define TILEC_JIT_COMPARE_H

#include "tilec/JIT/HostArray.h"

#include <string>
#include <utility>

namespace tilec {

/// |actual - expected| <= absolute + relative * |expected| is accepted.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What a comparison found. NaN equals NaN, and an infinity equals itself; against anything else
/// either is infinitely far off. Integers are compared exactly before the tolerance is applied.
struct Comparison {
  double largestAbsolute = 0;
  /// Of |actual - expected| / |expected|; elements that are expected to be 0 and are not count as
  /// infinitely far off.
  double largestRelative = 0;
  uint64_t numMismatches = 0;
  /// Of the first element outside of the tolerance; meaningful if numMismatches is not 0.
  uint64_t firstMismatch = 0;
  /// How many mismatching elements hold the pattern of HostArray::poison(): nobody wrote them.
  uint64_t numUnwritten = 0;
};

/// Compares two arrays of the same number of elements, in C order; element types may differ.
Comparison compare(const HostArray &actual, const HostArray &expected, Tolerance tolerance);

/// How close results of a kernel are expected to be where nobody says: exactly for integers and
/// bool; for floats what rounding in the coarser of the two types explains.
Tolerance defaultTolerance(ScalarKind actual, ScalarKind expected);

/// An element as text: shortest digits that give the value back in the array's type.
std::string formatElement(const HostArray &array, uint64_t index);

/// The elements of two arrays as texts that differ if the values do: 0.1 of float16 and 0.1 of
/// float32 need more digits than in an array of their own.
std::pair<std::string, std::string> formatPair(const HostArray &left, const HostArray &right,
                                               uint64_t index);

/// An index in C order as one for each axis: "[3, 0]".
std::string formatIndex(uint64_t index, llvm::ArrayRef<uint64_t> shape);

/// The shape as a suffix of a type: "[1823,781]".
std::string formatShape(llvm::ArrayRef<uint64_t> shape);

} // namespace tilec

#endif // TILEC_JIT_COMPARE_H
