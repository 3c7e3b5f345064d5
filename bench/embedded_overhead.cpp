//===- embedded_overhead.cpp - What a launch of an embedded kernel costs -*- C++ -*-===//
//
// Launches kernels of a compiled object with 4, 16 and 58 arguments, and beside each a kernel of as
// many arguments by a bare cuLaunchKernel, and takes the host's time of a launch. The variant of
// the last kernel is chosen by all of its arguments.
//
//===-------------------------------------------------------------------------------===//

#include "launch_timing.h"

#include "arguments.h"

namespace {

constexpr unsigned threads = 128, programs = 4;
constexpr int mostArguments = 58;

struct Bench {
  tilec::Device device;
  tilec::Buffer memory;
  int *out = nullptr;
  kernels::take4_options options4{{}, {programs}};
  kernels::take16_options options16{{}, {programs}};
  kernels::take58_options options58{{}, {programs}};
  kernels::choose58_options optionsChoose{{}, {programs}};
  BareDriver bare;
  void *functions[3] = {};
  int64_t numbers[mostArguments] = {};
  void *values[mostArguments];
};

} // namespace

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

/// All arguments are multiples of 16, so the most specific variant is taken.
static bool launchSpecial(const Bench &bench) {
  return check(kernels::choose58(bench.optionsChoose, bench.out, 16, 32, 48, 64, 80, 96, 112, 128,
                                 144, 160, 176, 192, 208, 224, 240, 256, 272, 288, 304, 320, 336,
                                 352, 368, 384, 400, 416, 432, 448, 464, 480, 496, 512, 528, 544,
                                 560, 576, 592, 608, 624, 640, 656, 672, 688, 704, 720, 736, 752,
                                 768, 784, 800, 816, 832, 848, 864, 880, 896, 912));
}
/// The last argument is not, which leaves the variant that assumes nothing.
static bool launchOther(const Bench &bench) {
  return check(kernels::choose58(bench.optionsChoose, bench.out, 16, 32, 48, 64, 80, 96, 112, 128,
                                 144, 160, 176, 192, 208, 224, 240, 256, 272, 288, 304, 320, 336,
                                 352, 368, 384, 400, 416, 432, 448, 464, 480, 496, 512, 528, 544,
                                 560, 576, 592, 608, 624, 640, 656, 672, 688, 704, 720, 736, 752,
                                 768, 784, 800, 816, 832, 848, 864, 880, 896, 913));
}

template <int index> static bool launchBare(const Bench &bench) {
  return bench.bare.cuLaunchKernel(bench.functions[index], programs, 1, 1, threads, 1, 1, 0,
                                   nullptr, const_cast<void **>(bench.values), nullptr) == 0;
}

/// PTX of a kernel that takes a pointer and `count` - 1 integers.
static std::string makeKernel(int count) {
  std::string text =
      ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry bare(.param .u64 p0";
  for (int i = 1; i < count; ++i)
    text += ", .param .u32 p" + std::to_string(i);
  return text + ")\n{\n  ret;\n}\n";
}

/// False after printing what failed.
static bool prepare(Bench &bench) {
  auto device = tilec::Device::open(0);
  if (!device)
    return check(device.error());
  bench.device = *device;
  auto out = tilec::Buffer::allocate(*device, sizeof(int));
  if (!out)
    return check(out.error());
  bench.memory = *out;
  bench.out = out->as<int>();
  if (!bench.bare.open(device->context()))
    return false;
  const int counts[] = {4, 16, mostArguments};
  for (int i = 0; i < 3; ++i)
    if (!(bench.functions[i] = bench.bare.load(makeKernel(counts[i]).c_str(), "bare")))
      return false;
  for (int i = 0; i < mostArguments; ++i)
    bench.values[i] = &bench.numbers[i];
  return check(kernels::prepare_all(*device));
}

int main(int argc, char **argv) {
  std::optional<TimingOptions> options = readTimingOptions(argc, argv);
  if (!options)
    return 2;
  Bench bench;
  if (!prepare(bench))
    return 1;
  std::vector<Way<Bench>> ways = {{"cuLaunchKernel, 4 arguments", launchBare<0>, 0},
                                  {"embedded, 4 arguments", launch4, 0},
                                  {"cuLaunchKernel, 16 arguments", launchBare<1>, 2},
                                  {"embedded, 16 arguments", launch16, 2},
                                  {"cuLaunchKernel, 58 arguments", launchBare<2>, 4},
                                  {"embedded, 58 arguments", launch58, 4},
                                  {"embedded, 58 decide, special", launchSpecial, 4},
                                  {"embedded, 58 decide, other", launchOther, 4}};
  return compareWays(bench, bench.device, ways, *options, "");
}
