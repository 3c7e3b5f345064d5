//===- CpuTest.cpp - Compiled kernels on the CPU -------------------------*- C++ -*-===//
//
// Calls the functions of generated headers on the CPU: overloads, the choice of configurations and
// variants, grids, and what goes wrong.
//
//===-------------------------------------------------------------------------------===//

#include "Support.h"
#include "float8_kernels.h"
#include "generic_kernels.h"
#include "kernels.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>

namespace {

/// `count` numbers at an address that is `offset` elements behind a multiple of 64 bytes.
template <typename T> class Array {
public:
  Array(size_t count, size_t offset = 0) : storage(count + offset + 64) {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    start = storage.data() + (64 - address % 64) % 64 / sizeof(T) + offset;
  }
  T *data() { return start; }
  T &operator[](size_t i) { return start[i]; }

private:
  std::vector<T> storage;
  T *start;
};

constexpr float sentinel = -77;

} // namespace

TEST(CpuTest, launchesWithTheCompiledGrid) {
  for (int n : {1, 63, 64, 65, 1000}) {
    std::vector<float> x(n), out(n + 1, sentinel);
    for (int i = 0; i < n; ++i)
      x[i] = float(i);
    EXPECT_FINE(kernels::scale({tilec::cpuStream()}, out.data(), x.data(), 2.5f, n));
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(out[i], 2.5f * float(i));
    EXPECT_EQ(out[n], sentinel);
  }
}

TEST(CpuTest, aGridThatIsGivenWins) {
  std::vector<float> x(256, 1), out(256, sentinel);
  kernels::scale_options options{tilec::cpuStream(), {1}};
  options.BLOCK = 64;
  EXPECT_FINE(kernels::scale(options, out.data(), x.data(), 3.0f, 256));
  EXPECT_EQ(out[63], 3);
  EXPECT_EQ(out[64], sentinel);
}

TEST(CpuTest, anEmptyGridIsSuccess) {
  EXPECT_FINE(kernels::scale({tilec::cpuStream()}, nullptr, static_cast<float *>(nullptr), 1, 0));
  EXPECT_FINE(kernels::scale({tilec::cpuStream(), {0, 5, 5}}, nullptr,
                             static_cast<float *>(nullptr), 1, 1));
}

TEST(CpuTest, gridsThatAreNotPossible) {
  float *none = nullptr;
  tilec::Status status = kernels::scale({tilec::cpuStream(), {1, -1}}, none, none, 1, 1);
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_STREQ(status.message(),
               "kernel 'scale': the grid 1 x -1 x 1 is not possible: no dimension "
               "may be negative");
  EXPECT_STREQ(kernels::scale({tilec::cpuStream(), {1, 65536}}, none, none, 1, 1).message(),
               "kernel 'scale': the grid 1 x 65536 x 1 is not possible: y must be from 0 to 65535");
  // The compiled expression gives a negative size too.
  EXPECT_EQ(kernels::scale({tilec::cpuStream()}, none, none, 1, -1000).code(),
            tilec::Code::InvalidGrid);
  EXPECT_STREQ(
      kernels::checked({tilec::cpuStream()}, nullptr, 1).message(),
      "kernel 'checked': the launch gives no grid, and none was compiled in; set 'grid' in the "
      "launch's options, or compile one in (GRIDS of tilec_add_library, tilec --grid)");
}

TEST(CpuTest, aGridThatCannotBeComputed) {
  float *none = nullptr;
  tilec::Status status = kernels::transpose({tilec::cpuStream()}, none, none, 0, 1, 1, 1, 1, 1);
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_STREQ(status.message(), "kernel 'transpose': the grid cannot be computed from these "
                                 "arguments (with BLOCK=64): division by 0");
}

TEST(CpuTest, overloadsByType) {
  constexpr int n = 100;
  std::vector<tilec::half> x(n, tilec::half(1.0f)), out(n);
  EXPECT_FINE(kernels::scale({tilec::cpuStream()}, out.data(), x.data(), 2.0f, n));
  EXPECT_EQ(out[n - 1].bits, 0x4000);
  std::vector<double> wide(n, 0.1), result(n);
  EXPECT_FINE(kernels::scale({tilec::cpuStream()}, result.data(), wide.data(), 2.0, n));
  EXPECT_EQ(result[0], 0.2);
}

TEST(CpuTest, everyScalarType) {
  const double expected[] = {1,  -1,     255, -2, 65535, -3, 4294967295.0,
                             -4, 0x1p63, 0.5, 3,  0.25,  0.1};
  double out[13];
  EXPECT_FINE(kernels::types({tilec::cpuStream(), {1}}, out, true, -1, 255, -2, 65535, -3,
                             4294967295u, -4, uint64_t(1) << 63, tilec::half(0.5f),
                             tilec::bfloat16(3.0f), 0.25f, 0.1));
  for (int i = 0; i < 13; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;

  // From C, where the arguments go through the object's own function.
  double fromC[13];
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.flags = TILEC_LAUNCH_CPU | TILEC_LAUNCH_GRID;
  EXPECT_FINE(
      tilec::Status(kernels_types(&options, fromC, true, -1, 255, -2, 65535, -3, 4294967295u, -4,
                                  uint64_t(1) << 63, 0x3800, 0x4040, 0.25f, 0.1)));
  for (int i = 0; i < 13; ++i)
    EXPECT_EQ(fromC[i], expected[i]) << i;
}

TEST(CpuTest, float8) {
  // What casts in kernels give is what the types of the host do.
  std::vector<float> x;
  for (uint32_t bits = 0; bits < 0x80000000u; bits += 0x3fffu)
    for (uint32_t sign : {0u, 0x80000000u})
      x.push_back(tilec::detail::floatOfBits(bits | sign));
  for (int bits = 0; bits < 256; ++bits)
    for (float step : {0.9999f, 1.0f, 1.0001f, 1.0625f, 1.125f, 1.25f, 1.5f})
      for (float value : {float(tilec::float8e5::fromBits(uint8_t(bits))),
                          float(tilec::float8e4nv::fromBits(uint8_t(bits))),
                          float(tilec::float8e4b15::fromBits(uint8_t(bits)))})
        x.push_back(value * step);
  size_t n = x.size();
  std::vector<tilec::float8e5> e5(n);
  std::vector<tilec::float8e4nv> e4(n);
  std::vector<tilec::float8e4b15> b15(n);
  int programs = int((n + 255) / 256);
  ASSERT_TRUE(float8::narrow({tilec::cpuStream(), programs}, e5.data(), e4.data(), b15.data(),
                             x.data(), int(n)));
  for (size_t i = 0; i < n; ++i) {
    ASSERT_EQ(e5[i].bits, tilec::float8e5(x[i]).bits) << x[i];
    ASSERT_EQ(e4[i].bits, tilec::float8e4nv(x[i]).bits) << x[i];
    ASSERT_EQ(b15[i].bits, tilec::float8e4b15(x[i]).bits) << x[i];
  }

  for (int bits = 0; bits < 256; ++bits) {
    e5[bits] = tilec::float8e5::fromBits(uint8_t(bits));
    e4[bits] = tilec::float8e4nv::fromBits(uint8_t(bits));
    b15[bits] = tilec::float8e4b15::fromBits(uint8_t(bits));
  }
  std::vector<float> out(771);
  ASSERT_TRUE(float8::widen({tilec::cpuStream(), 1}, out.data(), e5.data(), e4.data(), b15.data(),
                            tilec::float8e5(-3.0f), tilec::float8e4nv(448.0f),
                            tilec::float8e4b15(0.5f)));
  EXPECT_EQ(out[768], -3);
  EXPECT_EQ(out[769], 448);
  EXPECT_EQ(out[770], 0.5f);
  for (int bits = 0; bits < 256; ++bits)
    for (auto [found, expected] :
         {std::pair(out[bits], float(e5[bits])), std::pair(out[256 + bits], float(e4[bits])),
          std::pair(out[512 + bits], float(b15[bits]))})
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(found) : found == expected) << bits;
}

TEST(CpuTest, constexprsByName) {
  std::vector<float> x(64, 1), out(64);
  kernels::scale_options options{tilec::cpuStream()};
  for (int64_t block : {64, 128}) {
    options.BLOCK = block;
    EXPECT_FINE(kernels::scale(options, out.data(), x.data(), 1.0f, 64));
  }
  options.BLOCK = 256;
  tilec::Status status = kernels::scale(options, out.data(), x.data(), 1.0f, 64);
  EXPECT_EQ(status.code(), tilec::Code::NoConfig);
  EXPECT_STREQ(status.message(),
               "kernel 'scale': no compiled configuration has BLOCK=256 and suits "
               "the arguments; these were compiled:\n  BLOCK=64\n  BLOCK=128");
  options.BLOCK = TILEC_ANY;
  options.config = kernels::scale_config::BLOCK128;
  EXPECT_FINE(kernels::scale(options, out.data(), x.data(), 1.0f, 64));
  options.config = kernels::scale_config(7);
  EXPECT_STREQ(kernels::scale(options, out.data(), x.data(), 1.0f, 64).message(),
               "kernel 'scale': configuration 7 was asked for; 2 were compiled, numbered from 1");
}

TEST(CpuTest, namesThatMeanSomethingInCpp) {
  kernels::names_options options{tilec::cpuStream(), {1}};
  int32_t result = 0;
  options.stream_ = 5;
  options.template_ = kernels::names_template::b;
  EXPECT_FINE(kernels::names(options, &result, 10));
  EXPECT_EQ(result, 17);
  options.template_ = kernels::names_template::a;
  EXPECT_FINE(kernels::names(options, &result, 10));
  EXPECT_EQ(result, 16);
}

//===-------------------------------------------------------------------------------===//
// Decorators
//===-------------------------------------------------------------------------------===//

/// What `tuned` stores for n elements.
static int32_t runTuned(int32_t n, kernels::tuned_config config = kernels::tuned_config::any) {
  std::vector<int32_t> out(n + 256, -1);
  kernels::tuned_options options{tilec::cpuStream()};
  options.config = config;
  EXPECT_FINE(kernels::tuned(options, out.data(), n));
  for (int32_t i = 1; i < n; ++i)
    EXPECT_EQ(out[i], out[0]);
  EXPECT_EQ(out[n], -1);
  return out[0];
}

TEST(CpuTest, elementsOfTuplesAreParameters) {
  const int x[] = {1, 2, 3, 4, 5, 6};
  for (int one : {1, 2}) { // Promised to be 1, so another variant runs otherwise.
    int out[6] = {};
    // out, shape[0], shape[1][0], shape[2], shape_0, m.data, m.size, new[0]
    EXPECT_FINE(kernels::tuples({tilec::cpuStream()}, out, 3, 2, one, 100, x, int64_t(3), 1000));
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(out[i], x[i] * one + 1100);
  }
}

TEST(CpuTest, heuristicsAreEvaluatedInTheLauncher) {
  EXPECT_EQ(runTuned(128), 1280 + 1 + 4);
  EXPECT_EQ(runTuned(129), 1280 + 4);
  EXPECT_EQ(runTuned(20), 1280 + 2);
}

TEST(CpuTest, aConfigurationMustSuitTheArguments) {
  using Config = kernels::tuned_config;
  EXPECT_EQ(runTuned(96, Config::BLOCK32_EVENTrue_MODE_large_w1), 320 + 1 + 4);
  std::vector<int32_t> out(256);
  kernels::tuned_options options{tilec::cpuStream()};
  options.config = Config::BLOCK32_EVENTrue_MODE_large_w1;
  tilec::Status status = kernels::tuned(options, out.data(), 97);
  EXPECT_EQ(status.code(), tilec::Code::NoConfig);
  options.config = Config::any;
  options.BLOCK = 32;
  options.MODE = kernels::tuned_MODE::large;
  EXPECT_FINE(kernels::tuned(options, out.data(), 96));
  EXPECT_EQ(out[0], 320 + 1 + 4);
  options.MODE = kernels::tuned_MODE::small;
  EXPECT_EQ(kernels::tuned(options, out.data(), 96).code(), tilec::Code::NoConfig);
}

//===-------------------------------------------------------------------------------===//
// Variants
//===-------------------------------------------------------------------------------===//

namespace {
struct Strides {
  int outRow, outCol, xRow, xCol;
};
} // namespace

/// Runs `transpose` by the object with variants and by the one without, which must agree.
static void compareWithGeneric(size_t offset, int cols, Strides strides) {
  constexpr int rows = 3;
  constexpr size_t size = 4096;
  Array<float> x(size), out(size, offset), expected(size, offset);
  for (size_t i = 0; i < size; ++i) {
    x[i] = float(i % 251);
    out[i] = expected[i] = sentinel;
  }
  auto [outRow, outCol, xRow, xCol] = strides;
  EXPECT_FINE(kernels::transpose({tilec::cpuStream()}, out.data(), x.data(), rows, cols, outRow,
                                 outCol, xRow, xCol));
  EXPECT_FINE(generic::transpose({tilec::cpuStream()}, expected.data(), x.data(), rows, cols,
                                 outRow, outCol, xRow, xCol));
  EXPECT_EQ(memcmp(out.data(), expected.data(), size * sizeof(float)), 0)
      << "offset " << offset << ", columns " << cols << ", strides " << outRow << " " << outCol
      << " " << xRow << " " << xCol;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      EXPECT_EQ(out[row * outRow + col * outCol], float((row * xRow + col * xCol) % 251 + row));
}

TEST(CpuTest, everyClassOfSizeAndAlignmentEqualsTheGenericVariant) {
  for (size_t offset : {0, 1, 4})
    for (int cols : {1, 15, 16, 17, 64})
      for (int row : {1023, 1024, 1040}) // rows do not overlap
        for (int outCol : {1, 2, 15, 16})
          for (int xCol : {1, 3, 16})
            compareWithGeneric(offset, cols, {row, outCol, row, xCol});
  EXPECT_FINE(kernels::transpose({tilec::cpuStream()}, nullptr, static_cast<float *>(nullptr), 1, 0,
                                 1, 1, 1, 1)); // no columns
}

//===-------------------------------------------------------------------------------===//
// Programs, threads, executors
//===-------------------------------------------------------------------------------===//

TEST(CpuTest, aFailedAssertionSaysWhere) {
  std::vector<int32_t> x(100);
  tilec::Status status = kernels::checked({tilec::cpuStream(), {5}}, x.data(), 4);
  EXPECT_EQ(status.code(), tilec::Code::Assertion);
  EXPECT_STREQ(status.kernel(), "checked");
  std::string message = status.message();
  EXPECT_NE(message.find("kernels.py:"), std::string::npos) << message;
  EXPECT_NE(message.find("assertion failed in program (4, 0, 0): too many programs"),
            std::string::npos)
      << message;
  EXPECT_FINE(kernels::checked({tilec::cpuStream(), {100}}, x.data(), 100));
  EXPECT_EQ(x[99], 1);
}

TEST(CpuTest, programsRunOnTheCallersThreads) {
  struct Counter {
    std::atomic<uint64_t> programs{0};
  } counter;
  tilec_executor executor{};
  executor.struct_size = sizeof(executor);
  executor.self = &counter;
  executor.for_each = [](void *self, uint64_t count, void (*body)(void *, uint64_t, uint64_t),
                         void *task) {
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < count; ++i)
      threads.emplace_back([=] {
        body(task, i, i + 1);
        ++static_cast<Counter *>(self)->programs;
      });
    for (std::thread &thread : threads)
      thread.join();
  };
  std::vector<float> x(64 * 20, 2), out(64 * 20);
  EXPECT_FINE(kernels::scale({tilec::cpuStream(&executor)}, out.data(), x.data(), 2.0f, 64 * 20));
  EXPECT_EQ(counter.programs, 20u);
  EXPECT_EQ(out.back(), 4);
  executor.for_each = nullptr;
  tilec::Status status =
      kernels::scale({tilec::cpuStream(&executor)}, out.data(), x.data(), 2.0f, 1);
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_NE(std::string(status.message()).find("kernel 'scale': the executor has "),
            std::string::npos);
}

TEST(CpuTest, manyThreadsFromCold) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([t] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        int n = 100 * t + repeat;
        std::vector<float> x(n, float(t)), out(n);
        EXPECT_FINE(kernels::scale({tilec::cpuStream()}, out.data(), x.data(), 2.0f, n));
        for (float value : out)
          EXPECT_EQ(value, 2 * t);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CpuTest, preparesNoSingleConfiguration) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.flags = TILEC_LAUNCH_CPU;
  options.config = 1;
  tilec::Status status(::kernels_prepare_all(&options));
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_STREQ(status.message(),
               "'config' of the options is for a launch of one kernel; all configurations of all "
               "kernels are prepared");
}

TEST(CpuTest, preparesAndStaysFrozen) {
  EXPECT_FINE(kernels::prepare_all(tilec::cpuStream()));
  tilec::Freeze freeze;
  float x = 1, out = 0;
  EXPECT_FINE(kernels::scale({tilec::cpuStream()}, &out, &x, 2.0f, 1));
  EXPECT_EQ(out, 2);
}
