//===- HostKernelTest.cpp - compiling, launching, failing ------*- C++ -*-===//
//
// The interface: arguments, grids, assertions, and the errors that each kind of misuse ends in.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILEC_TEST_ASAN
#endif
#endif

using namespace tilec;

namespace {

const char *const kGridText = R"(
func.func @grid(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id x
  %py = tile.program_id y
  %z = tile.program_id z
  %nx = tile.num_programs x
  %ny = tile.num_programs y
  %nz = tile.num_programs z
  %0 = arith.muli %z, %ny : i32
  %1 = arith.addi %0, %py : i32
  %2 = arith.muli %1, %nx : i32
  %3 = arith.addi %2, %x : i32
  %p = tile.addptr %y, %3 : !tile.ptr<i32>, i32
  %old = tile.load %p : !tile.ptr<i32>
  %hundred = arith.constant 100 : i32
  %4 = arith.muli %nz, %hundred : i32
  %5 = arith.addi %4, %3 : i32
  %6 = arith.addi %5, %old : i32
  tile.store %p, %6 : !tile.ptr<i32>
  return
})";

std::string runError(const HostKernel &kernel, HostGrid grid,
                     llvm::ArrayRef<HostArgument> arguments) {
  llvm::Error error = kernel.run(testThreads(), grid, arguments);
  EXPECT_TRUE(bool(error));
  return llvm::toString(std::move(error));
}

} // namespace

TEST(HostKernel, EachProgramRunsOnce) {
  auto kernel = compileText(kGridText);
  ASSERT_TRUE(kernel);
  for (HostGrid grid : {HostGrid{1, 1, 1}, HostGrid{7, 1, 1}, HostGrid{1, 5, 3}, HostGrid{33, 9, 4},
                        HostGrid{100003, 1, 1}}) {
    size_t count = size_t(grid.x) * grid.y * grid.z;
    std::vector<int32_t> y(count, 0);
    runKernel(*kernel, grid, {arg(y.data())});
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(y[i], int32_t(100 * grid.z + i));
  }
}

TEST(HostKernel, EmptyGridRunsNothing) {
  auto kernel = compileText(kGridText);
  ASSERT_TRUE(kernel);
  int32_t untouched = 7;
  for (HostGrid grid : {HostGrid{0, 1, 1}, HostGrid{1, 0, 1}, HostGrid{1, 1, 0}, HostGrid{0, 0, 0}})
    runKernel(*kernel, grid, {arg(&untouched)});
  EXPECT_EQ(untouched, 7);
}

TEST(HostKernel, ScalarsOfEveryType) {
  const char *text = R"(
func.func @k(%y: !tile.ptr<f64> {tile.name = "out"}, %a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64) attributes {tile.kernel} {
  %0 = arith.uitofp %a : i1 to f64
  %1 = arith.sitofp %b : i8 to f64
  %2 = arith.sitofp %c : i16 to f64
  %3 = arith.sitofp %d : i32 to f64
  %4 = arith.sitofp %e : i64 to f64
  %5 = arith.extf %f : f16 to f64
  %6 = arith.extf %g : bf16 to f64
  %7 = arith.extf %h : f32 to f64
  %s0 = arith.addf %0, %1 : f64
  %s1 = arith.addf %s0, %2 : f64
  %s2 = arith.addf %s1, %3 : f64
  %s3 = arith.addf %s2, %4 : f64
  %s4 = arith.addf %s3, %5 : f64
  %s5 = arith.addf %s4, %6 : f64
  %s6 = arith.addf %s5, %7 : f64
  %s7 = arith.addf %s6, %i : f64
  tile.store %y, %s7 : !tile.ptr<f64>
  return
})";
  for (const HostOptions &options : testedProcessors()) {
    auto kernel = compileText(text, options);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->parameters().size(), 10u);
    EXPECT_EQ(kernel->parameters()[0].name, "out");
    double result = 0;
    runKernel(*kernel, {1},
              {arg(&result), arg(3), arg(-100), arg(-3000), arg(-70000), arg(int64_t(1) << 40),
               arg(0.5), arg(1.5), arg(2.25), arg(1e-3)});
    EXPECT_EQ(result, 1 - 100 - 3000 - 70000 + double(int64_t(1) << 40) + 0.5 + 1.5 + 2.25 + 1e-3);
  }
}

TEST(HostKernel, WrongArguments) {
  auto kernel = compileText(kGridText);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(runError(*kernel, {1}, {}), "kernel 'grid' takes 1 arguments, found 0");
  EXPECT_EQ(runError(*kernel, {1}, {arg(3)}),
            "parameter 0 of kernel 'grid' expects a pointer, found an integer");
  int32_t y = 0;
  EXPECT_EQ(runError(*kernel, {1}, {arg(&y), arg(1.0)}),
            "kernel 'grid' takes 1 arguments, found 2");
  EXPECT_EQ(runError(*kernel, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {arg(&y)}),
            "the grid of kernel 'grid' has too many programs");
}

TEST(HostKernel, CompileErrors) {
  EXPECT_EQ(compileError("module {}"), "no kernel named '' in the module");
  EXPECT_EQ(compileError("func.func @f() { return }"), "no kernel named 'f' in the module");
  EXPECT_NE(compileError("func.func @f(%t: tensor<4xf32>) attributes {tile.kernel} { return }")
                .find("is neither a number nor a pointer"),
            std::string::npos);
  EXPECT_EQ(compileError(kGridText, HostOptions{"pentium-nine"}),
            "unknown processor 'pentium-nine'");
  HostOptions other{"generic"};
  other.triple = "aarch64-unknown-linux-gnu"; // Nobody has registered its back end.
  EXPECT_NE(compileError(kGridText, other).find("aarch64-unknown-linux-gnu"), std::string::npos);
  EXPECT_NE(compileError(R"(
func.func @f(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<4xf32>
  %s = vector.transfer_read %t[%c0], %f : tensor<4xf32>, vector<4xf32>
  return
})"),
            std::string());
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

TEST(HostKernel, ScalarAssertionNamesProgramAndLine) {
  auto kernel = compileText(R"(
func.func @k(%y: !tile.ptr<i32>, %limit: i32) attributes {tile.kernel} {
  %x = tile.program_id x
  %ok = arith.cmpi slt, %x, %limit : i32
  tile.assert %ok, "too many programs" : i1 loc("kernel.py":12:5)
  %p = tile.addptr %y, %x : !tile.ptr<i32>, i32
  tile.store %p, %x : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<int32_t> y(8, -1);
  runKernel(*kernel, {8}, {arg(y.data()), arg(8)});
  EXPECT_EQ(y[7], 7);
  std::fill(y.begin(), y.end(), -1);
  EXPECT_EQ(runError(*kernel, {8}, {arg(y.data()), arg(7)}),
            "kernel.py:12:5: assertion failed in program (7, 0, 0): too many programs");
  // A program that fails stops there.
  EXPECT_EQ(y[7], -1);
}

TEST(HostKernel, TileAssertionChecksEveryElement) {
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %xb = tile.splat %x : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %xp = tile.addptr %xb, %r : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<512xi32>
  %ok = arith.cmpi sge, %v, %zero : tensor<512xi32>
  tile.assert %ok, "negative" : tensor<512xi1>
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  tile.store %yp, %v : tensor<512x!tile.ptr<i32>>
  return
})");
  ASSERT_TRUE(kernel);
  for (int bad : {-1, 0, 1, 63, 64, 300, 511}) {
    std::vector<int32_t> x(512, 3), y(512, 0);
    if (bad < 0) {
      runKernel(*kernel, {1}, {arg(x.data()), arg(y.data())});
      EXPECT_EQ(y, x);
      continue;
    }
    x[bad] = -3;
    std::string error = runError(*kernel, {1}, {arg(x.data()), arg(y.data())});
    EXPECT_NE(error.find("assertion failed in program (0, 0, 0): negative"), std::string::npos);
    EXPECT_EQ(y[0], 0);
  }
}

TEST(HostKernel, AssertionInsideALoop) {
  auto kernel = compileText(R"(
func.func @k(%n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 5 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %ok = arith.cmpi slt, %i, %limit : i32
    tile.assert %ok, "" : i1
  }
  return
})");
  ASSERT_TRUE(kernel);
  runKernel(*kernel, {100}, {arg(5)});
  EXPECT_NE(runError(*kernel, {100}, {arg(6)}).find("assertion failed in program"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(HostKernel, ManyCompilesAndLaunchesAtOnce) {
  std::atomic<int> wrong{0};
  auto work = [&](int number) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      auto kernel =
          compileText(elementwiseText("i32", "i32",
                                      "%c = arith.constant dense<" + std::to_string(number) +
                                          "> : TA\n %r = arith.addi %a, %c : TA"));
      if (!kernel) {
        ++wrong;
        return;
      }
      std::vector<int32_t> x(10000), y(10000);
      for (int i = 0; i < 10000; ++i)
        x[i] = i;
      for (int launch = 0; launch < 20; ++launch) {
        runKernel(*kernel, {40}, {arg(x.data()), arg(y.data()), arg(10000)});
        for (int i = 0; i < 10000; ++i)
          wrong += y[i] != i + number;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int number = 1; number <= 4; ++number)
    threads.emplace_back(work, number);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(HostThreads, RangesCoverEverythingOnce) {
  for (unsigned count : {1u, 2u, 5u}) {
    HostThreads threads(count);
    EXPECT_LE(threads.size(), count);
    for (uint64_t total : {uint64_t(0), uint64_t(1), uint64_t(31), uint64_t(100000)}) {
      std::vector<std::atomic<int>> seen(total);
      EXPECT_TRUE(
          threads.forEachRange(total, 100, [&](uint64_t begin, uint64_t end, void *scratch) {
            EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
            std::memset(scratch, 1, 100);
            for (uint64_t i = begin; i < end; ++i)
              ++seen[i];
          }));
      for (auto &times : seen)
        ASSERT_EQ(times, 1);
    }
  }
}

TEST(HostThreads, NoMemoryIsReported) {
#if defined(__SANITIZE_ADDRESS__) || defined(TILEC_TEST_ASAN)
  GTEST_SKIP() << "the sanitizer stops the process instead";
#endif
  HostThreads threads(2);
  EXPECT_FALSE(threads.forEachRange(10, uint64_t(1) << 60, [](uint64_t, uint64_t, void *) {}));
  EXPECT_TRUE(threads.forEachRange(10, 64, [](uint64_t, uint64_t, void *) {}));
}
