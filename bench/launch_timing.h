//===- launch_timing.h - Comparing what launches cost --------------------*- C++ -*-===//
//
// What the benchmarks of launches share: the driver without the runtime in front of it, batches of
// launches with the host's time of each, and the table. Launches come in batches that fit in the
// driver's queue, or the host would wait for the device; the ways take turns, so that a change of
// the clock meets them all. The table has the median over all batches.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_BENCH_LAUNCH_TIMING_H
#define TILEC_BENCH_LAUNCH_TIMING_H

#include "tilec/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <vector>

/// False after printing what failed.
inline bool check(const tilec::Status &status) {
  if (!status)
    fprintf(stderr, "error: %s\n", status.message());
  return bool(status);
}

/// The functions of the driver that a bare launch needs. Any of them is null before open().
class BareDriver {
public:
  int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **) = nullptr;
  /// Takes a CUlaunchConfig; stays null with an old driver.
  int (*cuLaunchKernelEx)(const void *, void *, void **, void **) = nullptr;

  /// Stays null with an old driver, too.
  int (*cuTensorMapEncodeTiled)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
                                const uint32_t *, const uint32_t *, int, int, int, int) = nullptr;

  /// Opens the library and makes `context` current for good, as in a program that uses the CUDA
  /// runtime. False after printing what failed.
  bool open(void *context) {
    const char *chosen = getenv("TILEC_CUDA_DRIVER");
    library = dlopen(chosen && *chosen ? chosen : "libcuda.so.1", RTLD_NOW);
    int (*push)(void *) = nullptr;
    lookUp("cuLaunchKernelEx", cuLaunchKernelEx);
    lookUp("cuTensorMapEncodeTiled", cuTensorMapEncodeTiled);
    if (library && lookUp("cuCtxPushCurrent_v2", push) &&
        lookUp("cuModuleLoadDataEx", loadModule) && lookUp("cuModuleGetFunction", getFunction) &&
        lookUp("cuLaunchKernel", cuLaunchKernel) && push(context) == 0)
      return true;
    fprintf(stderr, "error: the driver lacks a function, or the context cannot be used\n");
    return false;
  }

  /// A kernel of the PTX; null after printing that it cannot be loaded.
  void *load(const char *ptx, const char *kernel) const {
    void *module = nullptr, *function = nullptr;
    if (loadModule(&module, ptx, 0, nullptr, nullptr) || getFunction(&function, module, kernel)) {
      fprintf(stderr, "error: the driver cannot load the bare kernel\n");
      return nullptr;
    }
    return function;
  }

private:
  template <typename F> bool lookUp(const char *name, F &function) const {
    function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    return function;
  }

  void *library = nullptr;
  int (*loadModule)(void **, const void *, unsigned, void *, void *) = nullptr;
  int (*getFunction)(void **, void *, const char *) = nullptr;
};

/// One way to launch, with the times of its batches in nanoseconds a launch.
template <typename Bench> struct Way {
  Way(std::string name, bool (*launch)(const Bench &), size_t baseline)
      : name(std::move(name)), launch(launch), baseline(baseline) {}
  std::string name;
  bool (*launch)(const Bench &);
  size_t baseline; ///< index of the way that it is compared with
  std::vector<double> times;
};

/// The command line of these benchmarks.
struct TimingOptions {
  long launches = 100000; ///< of each way
  double limit = 0;       ///< nanoseconds above the baseline that are an error; 0 is none
};

constexpr int launchesOfBatch = 500;

/// Nothing after printing the usage.
inline std::optional<TimingOptions> readTimingOptions(int argc, char **argv) {
  TimingOptions options;
  char *end = nullptr;
  if (argc > 1)
    options.launches = strtol(argv[1], &end, 10);
  bool fine = argc <= 3 && (argc < 2 || !*end) && options.launches >= launchesOfBatch &&
              options.launches <= 100000000;
  if (fine && argc > 2) {
    options.limit = strtod(argv[2], &end);
    fine = !*end && options.limit > 0;
  }
  if (fine)
    return options;
  fprintf(stderr,
          "usage: %s [launches [limit in ns]]\n"
          "  launches  of each way; default 100000\n"
          "  limit     exit with status 1 if a launch costs this much more than a bare one\n",
          argv[0]);
  return std::nullopt;
}

/// Adds the time of one batch to `way`; false after printing what failed.
template <typename Bench>
bool measureBatch(const Bench &bench, const tilec::Device &device, Way<Bench> &way) {
  using Clock = std::chrono::steady_clock;
  bool fine = true;
  Clock::time_point start = Clock::now();
  for (int i = 0; i < launchesOfBatch; ++i)
    fine &= way.launch(bench);
  std::chrono::duration<double, std::nano> time = Clock::now() - start;
  if (!fine) {
    fprintf(stderr, "error: a launch by %s failed\n", way.name.c_str());
    return false;
  }
  way.times.push_back(time.count() / launchesOfBatch);
  return check(device.synchronize());
}

inline double quantile(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  return times[size_t(double(times.size() - 1) * part)];
}

/// Prints the table; the largest amount in nanoseconds by which a way exceeds its baseline.
template <typename Bench> double printTable(const std::vector<Way<Bench>> &ways) {
  double largest = 0;
  printf("%-32s %10s %10s %10s %12s\n", "ns a launch", "median", "10 %", "90 %", "above bare");
  for (const Way<Bench> &way : ways) {
    double median = quantile(way.times, 0.5);
    double excess = median - quantile(ways[way.baseline].times, 0.5);
    largest = std::max(largest, excess);
    printf("%-32s %10.1f %10.1f %10.1f %12.1f\n", way.name.c_str(), median,
           quantile(way.times, 0.1), quantile(way.times, 0.9), excess);
  }
  return largest;
}

/// Measures all ways and prints the table, with `what` in its heading. The exit status.
template <typename Bench>
int compareWays(const Bench &bench, const tilec::Device &device, std::vector<Way<Bench>> &ways,
                const TimingOptions &options, const char *what) {
  for (Way<Bench> &way : ways) { // the first launches load and allocate
    if (!measureBatch(bench, device, way))
      return 1;
    way.times.clear();
  }
  for (long done = 0; done < options.launches; done += launchesOfBatch)
    for (Way<Bench> &way : ways)
      if (!measureBatch(bench, device, way))
        return 1;
  printf("%s%s, %ld launches each\n", device.name(), what, options.launches);
  double excess = printTable(ways);
  if (options.limit > 0 && excess > options.limit) {
    fprintf(stderr, "error: %.1f ns above a bare launch; the limit is %.1f\n", excess,
            options.limit);
    return 1;
  }
  return 0;
}

#endif // TILEC_BENCH_LAUNCH_TIMING_H
