//===- launch_overhead.cpp - What a launch costs beside the driver -------*- C++ -*-===//
//
// Launches one small kernel with six arguments many times and takes the host's time of a launch: by
// a bare cuLaunchKernel, by the C interface, by the typed C++ launch, and, where the device has
// clusters, the same for programs of two blocks. Launches come in batches that fit in the driver's
// queue, or the host would wait for the device; the ways take turns, so that a change of the clock
// meets them all. The table has the median over all batches.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace {

const char *const kernelText = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry tiny(.param .u64 out, .param .u64 x, .param .u64 y, .param .u32 n,
                     .param .u32 stride, .param .f32 factor)
{
  .reg .pred %never;
  .reg .b32 %n, %stride;
  .reg .b64 %out;
  ld.param.u32 %n, [n];
  ld.param.u32 %stride, [stride];
  ld.param.u64 %out, [out];
  setp.ne.u32 %never, %n, 1234;
  @%never st.global.u32 [%out], %stride;
  ret;
}
)";

constexpr unsigned threads = 128, programs = 4;

/// The arguments of `tiny`.
struct Arguments {
  float *out = nullptr, *x = nullptr, *y = nullptr;
  int32_t n = 1234, stride = 1;
  float factor = 0.5f;
};

const tilec::Param params[] = {{"out", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0},
                               {"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 8},
                               {"y", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 16},
                               {"n", TILEC_TYPE_I32, 24},
                               {"stride", TILEC_TYPE_I32, 28},
                               {"factor", TILEC_TYPE_FP32, 32}};

/// CUlaunchAttribute and CUlaunchConfig, as far as a cluster needs them.
struct ClusterAttribute {
  unsigned id = 4, pad = 0, dim[3] = {2, 1, 1}, rest[13] = {};
};
struct LaunchConfig {
  unsigned grid[3] = {2 * programs, 1, 1}, block[3] = {threads, 1, 1}, sharedBytes = 0;
  void *stream = nullptr;
  ClusterAttribute *attributes = nullptr;
  unsigned numAttributes = 1;
};

/// The driver without the runtime in front of it.
class BareDriver {
public:
  /// False after printing what failed.
  bool open(void *context);
  bool launch(void *const *values) const {
    return cuLaunchKernel(function, programs, 1, 1, threads, 1, 1, 0, nullptr,
                          const_cast<void **>(values), nullptr) == 0;
  }
  bool launchClusters(void *const *values) const {
    ClusterAttribute attribute;
    LaunchConfig config;
    config.attributes = &attribute;
    return cuLaunchKernelEx(&config, function, const_cast<void **>(values), nullptr) == 0;
  }

private:
  int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **) = nullptr;
  int (*cuLaunchKernelEx)(const LaunchConfig *, void *, void **, void **) = nullptr;
  void *function = nullptr;
};

/// One way to launch, with the times of its batches in nanoseconds a launch.
struct Way {
  const char *name;
  bool (*launch)(const struct Bench &);
  size_t baseline; ///< index of the way that it is compared with
  std::vector<double> times{};
};

struct Bench {
  tilec::Device device;
  tilec::Kernel plain, clusters;
  tilec::Stream stream;
  BareDriver bare;
  Arguments arguments;
  void *values[6];
};

} // namespace

template <typename F> static bool lookUp(void *library, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function;
}

bool BareDriver::open(void *context) {
  const char *chosen = getenv("TILEC_CUDA_DRIVER");
  void *library = dlopen(chosen && *chosen ? chosen : "libcuda.so.1", RTLD_NOW);
  int (*push)(void *) = nullptr;
  int (*load)(void **, const void *, unsigned, void *, void *) = nullptr;
  int (*get)(void **, void *, const char *) = nullptr;
  if (!library || !lookUp(library, "cuCtxPushCurrent_v2", push) ||
      !lookUp(library, "cuModuleLoadDataEx", load) ||
      !lookUp(library, "cuModuleGetFunction", get) ||
      !lookUp(library, "cuLaunchKernel", cuLaunchKernel)) {
    fprintf(stderr, "error: the driver lacks a function\n");
    return false;
  }
  lookUp(library, "cuLaunchKernelEx", cuLaunchKernelEx);
  void *module = nullptr;
  // The context stays current, as it does in a program that uses the CUDA runtime.
  if (push(context) || load(&module, kernelText, 0, nullptr, nullptr) ||
      get(&function, module, "tiny")) {
    fprintf(stderr, "error: the driver cannot load the kernel\n");
    return false;
  }
  return true;
}

static bool launchBare(const Bench &bench) { return bench.bare.launch(bench.values); }

static bool launchBareClusters(const Bench &bench) {
  return bench.bare.launchClusters(bench.values);
}

static bool launchC(tilec_kernel *kernel, const Bench &bench) {
  static const uint8_t types[] = {TILEC_TYPE_POINTER + TILEC_TYPE_FP32,
                                  TILEC_TYPE_POINTER + TILEC_TYPE_FP32,
                                  TILEC_TYPE_POINTER + TILEC_TYPE_FP32,
                                  TILEC_TYPE_I32,
                                  TILEC_TYPE_I32,
                                  TILEC_TYPE_FP32};
  tilec_status status = tilec_launch(kernel, nullptr, programs, 1, 1, bench.values, types, 6);
  tilec_status_release(status);
  return !status;
}

static bool launchTyped(const tilec::Kernel &kernel, const Bench &bench) {
  const Arguments &a = bench.arguments;
  return bool(kernel.launch(bench.stream, {programs}, a.out, a.x, a.y, a.n, a.stride, a.factor));
}

static bool launchPlainC(const Bench &bench) { return launchC(bench.plain.c(), bench); }
static bool launchPlainTyped(const Bench &bench) { return launchTyped(bench.plain, bench); }
static bool launchClustersC(const Bench &bench) { return launchC(bench.clusters.c(), bench); }
static bool launchClustersTyped(const Bench &bench) { return launchTyped(bench.clusters, bench); }

/// False after printing what failed.
static bool report(const tilec::Status &status) {
  if (!status)
    fprintf(stderr, "error: %s\n", status.message());
  return bool(status);
}

static bool prepare(Bench &bench) {
  auto device = tilec::Device::open(0);
  if (!device)
    return report(device.error());
  bench.device = *device;
  auto module = tilec::Module::load(*device, kernelText);
  if (!module)
    return report(module.error());
  tilec::LaunchRecord record("tiny", threads, 0, params);
  auto plain = module->kernel(record);
  if (!plain)
    return report(plain.error());
  bench.plain = *plain;
  if (device->hasClusters()) {
    auto clusters = module->kernel(record.withCTAs(2));
    if (!clusters)
      return report(clusters.error());
    bench.clusters = *clusters;
  }
  Arguments &a = bench.arguments;
  void *values[] = {&a.out, &a.x, &a.y, &a.n, &a.stride, &a.factor};
  memcpy(bench.values, values, sizeof(values));
  return bench.bare.open(device->context());
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
    fprintf(stderr, "error: a launch by %s failed\n", way.name);
    return false;
  }
  way.times.push_back(time.count() / launches);
  return report(bench.device.synchronize());
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
    printf("%-32s %10.1f %10.1f %10.1f %12.1f\n", way.name, median, quantile(way.times, 0.1),
           quantile(way.times, 0.9), excess);
  }
  return largest;
}

static int usage() {
  fprintf(stderr,
          "usage: launch-overhead [launches [limit in ns]]\n"
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
  if (!prepare(bench))
    return 1;
  std::vector<Way> ways = {{"cuLaunchKernel", launchBare, 0},
                           {"tilec_launch", launchPlainC, 0},
                           {"tilec::Kernel::launch", launchPlainTyped, 0}};
  if (bench.clusters) {
    ways.push_back({"cuLaunchKernelEx, cluster of 2", launchBareClusters, 3});
    ways.push_back({"tilec_launch, cluster of 2", launchClustersC, 3});
    ways.push_back({"Kernel::launch, cluster of 2", launchClustersTyped, 3});
  }
  for (Way &way : ways) { // the first launches load and allocate
    if (!measureBatch(bench, way, batch))
      return 1;
    way.times.clear();
  }
  for (long done = 0; done < launches; done += batch)
    for (Way &way : ways)
      if (!measureBatch(bench, way, batch))
        return 1;
  printf("%s, 6 arguments, %ld launches each\n", bench.device.name(), launches);
  double excess = printTable(ways);
  if (limit > 0 && excess > limit) {
    fprintf(stderr, "error: %.1f ns above a bare launch; the limit is %.1f\n", excess, limit);
    return 1;
  }
  return 0;
}
