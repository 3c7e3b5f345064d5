//===- Launches.h - the arrays of a case, and who gets them ----*- C++ -*-===//
//
// The inputs of a run lie in one buffer, each array in pages of its own. A run is one launch of the
// case's kernel, or one for each layer.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_LAUNCHES_H
#define TILEC_TOOLS_TILEC_BENCH_LAUNCHES_H

#include "Suites.h"

#include <optional>

namespace tilec::bench {

/// The largest page that the driver gives memory in.
inline constexpr uint64_t kPageBytes = 2 << 20;

/// An array that a run reads, or writes on its way to the result.
struct InputArray {
  llvm::StringRef name;
  uint64_t elements;
  /// Of its normally distributed numbers; 0 for an array of zeros.
  double deviation;
  /// Bytes from the start of the buffer.
  uint64_t offset;
};

/// The arrays in the buffer of inputs, in order.
std::vector<InputArray> inputsOf(const Case &what);
/// Bytes of this buffer: whole pages.
uint64_t inputBytes(const Case &what);

/// A parameter of a kernel that is a number.
struct Number {
  llvm::StringRef name;
  int64_t value = 0;
  /// For one that is a float32.
  std::optional<float> real = std::nullopt;
};

/// The parameters of a case's kernel by name: arrays, the output first, and numbers.
struct Parameters {
  std::vector<llvm::StringRef> arrays;
  std::vector<Number> numbers;
};
Parameters parametersOf(const Case &what);

/// Where an array starts.
struct Place {
  bool isOutput;
  uint64_t offset;
};

/// For each launch of a run, the places of Parameters::arrays.
std::vector<std::vector<Place>> launchesOf(const Case &what);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_LAUNCHES_H
