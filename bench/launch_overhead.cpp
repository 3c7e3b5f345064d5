//===- launch_overhead.cpp - What a launch costs beside the driver -------*- C++ -*-===//
//
// Launches one small kernel with six arguments many times and takes the host's time of a launch: by
// a bare cuLaunchKernel, by the C interface, by the typed C++ launch, and, where the device has
// clusters, the same for programs of two blocks, and for a kernel with two tensor maps.
//
//===-------------------------------------------------------------------------------===//

#include "launch_timing.h"

#include <cstring>

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
.visible .entry mapped(.param .u64 out, .param .u64 x, .param .u64 y, .param .u32 n,
                       .param .u32 stride, .param .f32 factor, .param .align 64 .b8 map0[128],
                       .param .align 64 .b8 map1[128])
{
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

/// Matrices of n rows and 64 columns of 32 bits at `x` and `y`, in boxes of 64 x 32.
constexpr tilec_map_step stepsOfX[] = {{TILEC_MAP_CONSTANT, 0, 1}, {TILEC_MAP_ARGUMENT, 0, 1},
                                       {TILEC_MAP_ARGUMENT, 0, 3}, {TILEC_MAP_CONSTANT, 0, 1},
                                       {TILEC_MAP_MAX, 0, 0},      {TILEC_MAP_CONSTANT, 0, 64},
                                       {TILEC_MAP_CONSTANT, 0, 64}};
constexpr tilec_map_step stepsOfY[] = {{TILEC_MAP_CONSTANT, 0, 1}, {TILEC_MAP_ARGUMENT, 0, 2},
                                       {TILEC_MAP_ARGUMENT, 0, 3}, {TILEC_MAP_CONSTANT, 0, 1},
                                       {TILEC_MAP_MAX, 0, 0},      {TILEC_MAP_CONSTANT, 0, 64},
                                       {TILEC_MAP_CONSTANT, 0, 64}};
const tilec_tensor_map maps[] = {{2, 4, 3, {64, 32, 0, 0, 0}, 7, stepsOfX},
                                 {2, 4, 3, {64, 32, 0, 0, 0}, 7, stepsOfY}};

/// CUtensorMap.
struct alignas(64) TensorMap {
  char bytes[128];
};

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

struct Bench {
  tilec::Device device;
  tilec::Kernel plain, clusters, mapped;
  tilec::Stream stream;
  BareDriver bare;
  void *bareFunction = nullptr, *bareMapped = nullptr;
  tilec::Buffer memory;
  Arguments arguments;
  void *values[6];
};

} // namespace

static bool launchBare(const Bench &bench) {
  return bench.bare.cuLaunchKernel(bench.bareFunction, programs, 1, 1, threads, 1, 1, 0, nullptr,
                                   const_cast<void **>(bench.values), nullptr) == 0;
}

static bool launchBareClusters(const Bench &bench) {
  ClusterAttribute attribute;
  LaunchConfig config;
  config.attributes = &attribute;
  return bench.bare.cuLaunchKernelEx(&config, bench.bareFunction, const_cast<void **>(bench.values),
                                     nullptr) == 0;
}

/// Makes both maps before.
static bool launchBareMapped(const Bench &bench) {
  constexpr int type32Bits = 2, swizzle128Bytes = 3, promote128Bytes = 2;
  const Arguments &a = bench.arguments;
  TensorMap made[2];
  void *values[8] = {};
  std::copy(std::begin(bench.values), std::end(bench.values), values);
  for (int i = 0; i < 2; ++i) {
    const uint64_t sizes[2] = {64, uint64_t(a.n)}, strides[1] = {256};
    const uint32_t box[2] = {32, 64}, steps[2] = {1, 1};
    values[6 + i] = &made[i];
    if (bench.bare.cuTensorMapEncodeTiled(&made[i], type32Bits, 2, i ? a.y : a.x, sizes, strides,
                                          box, steps, 0, swizzle128Bytes, promote128Bytes, 0) != 0)
      return false;
  }
  return bench.bare.cuLaunchKernel(bench.bareMapped, programs, 1, 1, threads, 1, 1, 0, nullptr,
                                   values, nullptr) == 0;
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
static bool launchMappedC(const Bench &bench) { return launchC(bench.mapped.c(), bench); }
static bool launchMappedTyped(const Bench &bench) { return launchTyped(bench.mapped, bench); }
static bool launchClustersC(const Bench &bench) { return launchC(bench.clusters.c(), bench); }
static bool launchClustersTyped(const Bench &bench) { return launchTyped(bench.clusters, bench); }

/// Gets the kernel with tensor maps, where device and driver have these. False after printing what
/// failed.
static bool prepareMapped(Bench &bench, const tilec::Module &module) {
  if (!bench.device.hasClusters() || !bench.bare.cuTensorMapEncodeTiled)
    return true;
  auto mapped = module.kernel(tilec::LaunchRecord("mapped", threads, 0, params).withMaps(maps, 2));
  auto memory = tilec::Buffer::allocate(bench.device, size_t(bench.arguments.n) * 256);
  if (!mapped || !memory)
    return check(mapped ? memory.error() : mapped.error());
  bench.mapped = *mapped;
  bench.memory = *memory;
  bench.arguments.x = bench.arguments.y = bench.memory.as<float>();
  bench.bareMapped = bench.bare.load(kernelText, "mapped");
  return bench.bareMapped;
}

/// False after printing what failed.
static bool prepare(Bench &bench) {
  auto device = tilec::Device::open(0);
  if (!device)
    return check(device.error());
  bench.device = *device;
  auto module = tilec::Module::load(*device, kernelText);
  if (!module)
    return check(module.error());
  tilec::LaunchRecord record("tiny", threads, 0, params);
  auto plain = module->kernel(record);
  if (!plain)
    return check(plain.error());
  bench.plain = *plain;
  if (device->hasClusters()) {
    auto clusters = module->kernel(record.withCTAs(2));
    if (!clusters)
      return check(clusters.error());
    bench.clusters = *clusters;
  }
  Arguments &a = bench.arguments;
  void *values[] = {&a.out, &a.x, &a.y, &a.n, &a.stride, &a.factor};
  memcpy(bench.values, values, sizeof(values));
  if (!bench.bare.open(device->context()))
    return false;
  bench.bareFunction = bench.bare.load(kernelText, "tiny");
  return bench.bareFunction && prepareMapped(bench, *module);
}

int main(int argc, char **argv) {
  std::optional<TimingOptions> options = readTimingOptions(argc, argv);
  if (!options)
    return 2;
  Bench bench;
  if (!prepare(bench))
    return 1;
  std::vector<Way<Bench>> ways = {{"cuLaunchKernel", launchBare, 0},
                                  {"tilec_launch", launchPlainC, 0},
                                  {"tilec::Kernel::launch", launchPlainTyped, 0}};
  if (bench.clusters) {
    ways.push_back({"cuLaunchKernelEx, cluster of 2", launchBareClusters, 3});
    ways.push_back({"tilec_launch, cluster of 2", launchClustersC, 3});
    ways.push_back({"Kernel::launch, cluster of 2", launchClustersTyped, 3});
  }
  if (bench.mapped) {
    size_t baseline = ways.size();
    ways.push_back({"cuLaunchKernel, 2 tensor maps", launchBareMapped, baseline});
    ways.push_back({"tilec_launch, 2 tensor maps", launchMappedC, baseline});
    ways.push_back({"Kernel::launch, 2 tensor maps", launchMappedTyped, baseline});
  }
  return compareWays(bench, bench.device, ways, *options, ", 6 arguments");
}
