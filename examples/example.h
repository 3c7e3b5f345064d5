//===- example.h - what the example programs share ---------------*- C++ -*-===//
//
// Input, timing and the line of a result. Nothing here is needed to launch a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EXAMPLES_EXAMPLE_H
#define TILEC_EXAMPLES_EXAMPLE_H

#include "tilec/runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

/// `count` numbers from -8 to 8, the same at each run.
inline std::vector<float> makeInput(size_t count) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(-8, 8);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

/// Keeps the larger one; NaN counts as infinite.
inline double largerOf(double largest, double error) {
  return std::isnan(error) ? HUGE_VAL : std::max(largest, error);
}

/// Milliseconds that `launch` takes on the device: the median of some runs.
template <typename Launch>
tilec::Expected<float> timeLaunch(const tilec::Device &device, Launch launch) {
  auto start = tilec::Event::create(device), stop = tilec::Event::create(device);
  if (!start)
    return start.error();
  if (!stop)
    return stop.error();
  std::vector<float> times;
  for (int run = 0; run < 21; ++run) {
    tilec::Status status = start->record();
    if (status)
      status = launch();
    if (status)
      status = stop->record();
    if (status)
      status = stop->synchronize();
    if (!status)
      return status;
    auto milliseconds = stop->since(*start);
    if (!milliseconds)
      return milliseconds.error();
    times.push_back(*milliseconds);
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

/// Prints one result; true when the error is small enough.
inline bool report(const char *what, const tilec::Device &device, double error, double limit,
                   float milliseconds, size_t bytes) {
  std::printf("%-34s %-24s largest error %.2e  %9.2f us  %8.1f GB/s%s\n", what, device.name(),
              error, double(milliseconds) * 1e3, double(bytes) / (double(milliseconds) * 1e6),
              error <= limit ? "" : "  TOO LARGE");
  return error <= limit;
}

/// Opens a GPU and runs `body` on it; the result is main's. Without a GPU that is said, and is no
/// failure.
template <typename Body> int runOnDevice(Body body) {
  auto device = tilec::Device::open(0);
  if (!device) {
    std::printf("SKIPPED, no GPU: %s\n", device.error().message());
    return 0;
  }
  bool fine = true;
  if (tilec::Status status = body(*device, fine); !status) {
    std::fprintf(stderr, "error: %s\n", status.message());
    return 1;
  }
  return fine ? 0 : 1;
}

#endif // TILEC_EXAMPLES_EXAMPLE_H
