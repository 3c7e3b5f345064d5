//===- example.h - what the example programs share ---------------*- C++ -*-===//
//
// The place to run, input, timing and the line of a result. Nothing here is needed to launch a
// kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EXAMPLES_EXAMPLE_H
#define TILEC_EXAMPLES_EXAMPLE_H

#include "tilec/launch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

/// Where an example runs: a GPU, or this processor.
class Place {
public:
  explicit Place(tilec::Device device) : gpu(std::move(device)), queue(gpu.defaultStream()) {}
  /// The processor.
  Place() = default;

  bool isGpu() const { return bool(gpu); }
  const tilec::Device &device() const { return gpu; }
  const char *name() const { return gpu ? gpu.name() : "the processor"; }
  /// For launches while this object lives.
  tilec::LaunchStream stream() const {
    return gpu ? tilec::LaunchStream(queue) : tilec::LaunchStream(tilec::cpuStream());
  }

private:
  tilec::Device gpu;
  tilec::Stream queue;
};

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

/// The middle one of an odd number of times.
inline float median(std::vector<float> times) {
  auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Milliseconds that `launch` takes on a GPU: the median of some runs.
template <typename Launch>
tilec::Expected<float> timeOnGpu(const tilec::Device &device, Launch launch) {
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
  return median(times);
}

/// The same on the processor, where a launch returns when it is done.
template <typename Launch> tilec::Expected<float> timeOnCpu(Launch launch) {
  std::vector<float> times;
  for (int run = 0; run < 5; ++run) {
    auto start = std::chrono::steady_clock::now();
    if (tilec::Status status = launch(); !status)
      return status;
    std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  return median(times);
}

/// Calls `launch(out, x)` with addresses that kernels at `place` can use; the milliseconds of a
/// launch. `out` and `x` have the same size.
template <typename Launch>
tilec::Expected<float> runAt(const Place &place, std::vector<float> &out,
                             const std::vector<float> &x, Launch launch) {
  if (!place.isGpu())
    return timeOnCpu([&] { return launch(out.data(), x.data()); });
  size_t bytes = x.size() * sizeof(float);
  auto dx = tilec::Buffer::allocate(place.device(), bytes);
  if (!dx)
    return dx.error();
  auto dout = tilec::Buffer::allocate(place.device(), bytes);
  if (!dout)
    return dout.error();
  if (tilec::Status status = dx->copyIn(x.data(), bytes); !status)
    return status;
  auto time =
      timeOnGpu(place.device(), [&] { return launch(dout->as<float>(), dx->as<const float>()); });
  if (!time)
    return time;
  if (tilec::Status status = dout->copyOut(out.data(), bytes); !status)
    return status;
  return time;
}

/// Prints one result; true when the error is small enough.
inline bool report(const char *what, const Place &place, double error, double limit,
                   float milliseconds, size_t bytes) {
  std::printf("%-34s %-24s largest error %.2e  %9.2f us  %8.1f GB/s%s\n", what, place.name(), error,
              double(milliseconds) * 1e3, double(bytes) / (double(milliseconds) * 1e6),
              error <= limit ? "" : "  TOO LARGE");
  return error <= limit;
}

/// Opens the place of that name: cuda, cpu, or `auto`, which is a GPU if there is one, otherwise
/// the processor.
inline tilec::Status openPlace(const std::string &wanted, Place &place) {
  if (wanted == "cpu")
    return {};
  auto device = tilec::Device::open(0);
  if (device) {
    place = Place(*device);
    return {};
  }
  tilec::Code code = device.error().code();
  bool isMissing = code == tilec::Code::NoDriver || code == tilec::Code::NoDevice;
  if (wanted != "auto" || !isMissing)
    return device.error();
  std::printf("no GPU, so on the processor: %s\n", device.error().message());
  return {};
}

/// Opens the place and calls `body(place, fine)`. The result is main's: 1 if there is an error, or
/// `body` has found that something is not fine.
template <typename Body> int runOn(const std::string &wanted, Body body) {
  Place place;
  bool fine = true;
  tilec::Status status = openPlace(wanted, place);
  try {
    if (status)
      status = body(place, fine);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "error: the processor has not enough memory\n");
    return 1;
  }
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message());
  return status && fine ? 0 : 1;
}

/// Runs `body` at the place that the command line asks for, [--device=auto|cuda|cpu].
template <typename Body> int runExample(int argc, char **argv, Body body) {
  const std::string wanted = argc < 2 ? "--device=auto" : argv[1];
  bool isKnown = wanted == "--device=auto" || wanted == "--device=cuda" || wanted == "--device=cpu";
  if (argc > 2 || !isKnown) {
    std::fprintf(stderr, "usage: %s [--device=auto|cuda|cpu]\n", argv[0]);
    return 2;
  }
  return runOn(wanted.substr(std::strlen("--device=")), body);
}

#endif // TILEC_EXAMPLES_EXAMPLE_H
