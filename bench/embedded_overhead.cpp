//===- embedded_overhead.cpp - What a launch of an embedded kernel costs -*- C++ -*-===//
//
// Launches kernels of a compiled object with 4, 16 and 58 arguments, and beside each a kernel of as
// many arguments by a bare cuLaunchKernel, and takes the host's time of a launch. Launches come in
// batches that fit in the driver's queue, or the host would wait for the device; the ways take
// turns, so that a change of the clock meets them all. The table has the median over all batches.
//
//===-------------------------------------------------------------------------------===//

#include "arguments.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

constexpr unsigned threads = 128, programs = 4;
constexpr int mostArguments = 58;

struct Bench {
  tilec::Device device;
  int *out = nullptr;
  kernels::take4_options options4{{}, {programs}};
  kernels::take16_options options16{{}, {programs}};
  kernels::take58_options options58{{}, {programs}};
  // The bare launches.
  int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **) = nullptr;
  void *functions[3] = {};
  int64_t numbers[mostArguments] = {};
  void *values[mostArguments];
};

/// One way to launch, with the times of its batches in nanoseconds a launch.
struct Way {
  std::string name;
  bool (*launch)(const Bench &);
  size_t baseline; ///< index of the way that it is compared with
  std::vector<double> times{};
};

} // namespace

/// False after printing what failed.
static bool check(const tilec::Status &status) {
  if (!status)
    fprintf(stderr, "error: %s\n", status.message());
  return bool(status);
}

static bool launch4(const Bench &bench) {
  return check(kernels::take4(bench.options4, bench.out, 1, 2, 3));
}
static bool launch16(const Bench &bench) {
  return check(kernels::take16(bench.options16, bench.out, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                               13, 14, 15));
}
static bool launch58(const Bench &bench) {
  return check(kernels::take58(bench.options58, bench.out, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                               30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
                               47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57));
}

template <int index> static bool launchBare(const Bench &bench) {
  return bench.cuLaunchKernel(bench.functions[index], programs, 1, 1, threads, 1, 1, 0, nullptr,
                              const_cast<void **>(bench.values), nullptr) == 0;
}

/// PTX of a kernel that takes a pointer and `count` - 1 integers.
static std::string makeKernel(int count) {
  std::string text =
      ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry bare(.param .u64 p0";
  for (int i = 1; i < count; ++i)
    text += ", .param .u32 p" + std::to_string(i);
  return text + ")\n{\n  ret;\n}\n";
}

template <typename F> static bool lookUp(void *library, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function;
}

/// Opens the driver without the runtime in front of it. False after printing what failed.
static bool openBare(Bench &bench) {
  const char *chosen = getenv("TILEC_CUDA_DRIVER");
  void *library = dlopen(chosen && *chosen ? chosen : "libcuda.so.1", RTLD_NOW);
  int (*push)(void *) = nullptr;
  int (*load)(void **, const void *, unsigned, void *, void *) = nullptr;
  int (*get)(void **, void *, const char *) = nullptr;
  // The context stays current, as it does in a program that uses the CUDA runtime.
  bool fine =
      library && lookUp(library, "cuCtxPushCurrent_v2", push) &&
      lookUp(library, "cuModuleLoadDataEx", load) && lookUp(library, "cuModuleGetFunction", get) &&
      lookUp(library, "cuLaunchKernel", bench.cuLaunchKernel) && push(bench.device.context()) == 0;
  const int counts[] = {4, 16, 58};
  for (int i = 0; i < 3 && fine; ++i) {
    void *module = nullptr;
    fine = load(&module, makeKernel(counts[i]).c_str(), 0, nullptr, nullptr) == 0 &&
           get(&bench.functions[i], module, "bare") == 0;
  }
  for (int i = 0; i < mostArguments; ++i)
    bench.values[i] = &bench.numbers[i];
  if (!fine)
    fprintf(stderr, "error: the driver cannot load the bare kernels\n");
  return fine;
}

/// Adds the time of one batch to `way`; false after printing what failed.
static bool measureBatch(const Bench &bench, Way &way, int launches) {
  using Clock = std::chrono::steady_clock;
  bool fine = true;
  Clock::time_point start = Clock::now();
  for (int i = 0; i < launches; ++i)
    fine &= way.launch(bench);
  std::chrono::duration<double, std::nano> time = Clock::now() - start;
  if (!fine) {
    fprintf(stderr, "error: a launch by %s failed\n", way.name.c_str());
    return false;
  }
  way.times.push_back(time.count() / launches);
  return check(bench.device.synchronize());
}

static double quantile(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  return times[size_t(double(times.size() - 1) * part)];
}

/// Prints the table; the largest amount in nanoseconds by which a way exceeds its baseline.
static double printTable(const std::vector<Way> &ways) {
  double largest = 0;
  printf("%-32s %10s %10s %10s %12s\n", "ns a launch", "median", "10 %", "90 %", "above bare");
  for (const Way &way : ways) {
    double median = quantile(way.times, 0.5);
    double excess = median - quantile(ways[way.baseline].times, 0.5);
    largest = std::max(largest, excess);
    printf("%-32s %10.1f %10.1f %10.1f %12.1f\n", way.name.c_str(), median,
           quantile(way.times, 0.1), quantile(way.times, 0.9), excess);
  }
  return largest;
}

static int usage() {
  fprintf(stderr,
          "usage: embedded-overhead [launches [limit in ns]]\n"
          "  launches  of each way; default 100000\n"
          "  limit     exit with status 1 if a launch costs this much more than a bare one\n");
  return 2;
}

int main(int argc, char **argv) {
  constexpr int batch = 500;
  char *end = nullptr;
  long launches = argc > 1 ? strtol(argv[1], &end, 10) : 100000;
  if (argc > 3 || (argc > 1 && *end) || launches < batch || launches > 100000000)
    return usage();
  double limit = argc > 2 ? strtod(argv[2], &end) : 0;
  if (argc > 2 && (*end || !(limit > 0)))
    return usage();
  Bench bench;
  auto device = tilec::Device::open(0);
  if (!device)
    return !check(device.error());
  bench.device = *device;
  auto out = tilec::Buffer::allocate(*device, sizeof(int));
  if (!out)
    return !check(out.error());
  bench.out = out->as<int>();
  if (!openBare(bench) || !check(kernels::prepare_all(*device)))
    return 1;
  std::vector<Way> ways = {
      {"cuLaunchKernel, 4 arguments", launchBare<0>, 0},  {"embedded, 4 arguments", launch4, 0},
      {"cuLaunchKernel, 16 arguments", launchBare<1>, 2}, {"embedded, 16 arguments", launch16, 2},
      {"cuLaunchKernel, 58 arguments", launchBare<2>, 4}, {"embedded, 58 arguments", launch58, 4}};
  for (Way &way : ways) { // the first launches allocate
    if (!measureBatch(bench, way, batch))
      return 1;
    way.times.clear();
  }
  for (long done = 0; done < launches; done += batch)
    for (Way &way : ways)
      if (!measureBatch(bench, way, batch))
        return 1;
  printf("%s, %ld launches each\n", bench.device.name(), launches);
  double excess = printTable(ways);
  if (limit > 0 && excess > limit) {
    fprintf(stderr, "error: %.1f ns above a bare launch; the limit is %.1f\n", excess, limit);
    return 1;
  }
  return 0;
}
