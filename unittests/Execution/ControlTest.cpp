//===- ControlTest.cpp - loops, branches, calls, programs --------*- C++ -*-===//
//
// Control flow at run time with tiles, scalars and pointers carried through it, helper functions,
// and the numbers of the program.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

using namespace tilec;
using namespace tilec::test;

namespace {

class Control : public OnEachTarget {
protected:
  /// Runs a kernel on x = 0, 1, 2, .. and returns its output.
  HostArray runOn(const char *functions, uint64_t inputs, uint64_t outputs,
                  std::vector<std::pair<std::string, int64_t>> values = {}, LaunchGrid grid = {}) {
    HostArray x = makeArray(ScalarKind::Int32, {inputs}),
              out = makeOutput(ScalarKind::Int32, {outputs});
    fillRange(x);
    Launch launch(functions);
    launch.array("x", x).array("out", out);
    launch.grid = grid;
    for (auto &[name, value] : values)
      launch.integer(name, value);
    runFine(launch);
    return out;
  }
};

TEST_P(Control, LoopCarriesTiles) {
  const char *kernel = R"(
@triton.jit
def kernel(x, out, n):
    acc = tl.zeros([64], tl.int32)
    for k in range(n):
        acc += tl.load(x + k * 64 + tl.arange(0, 64))
    tl.store(out + tl.arange(0, 64), acc)
)";
  for (int64_t n : {0, 1, 2, 7}) {
    HostArray out = runOn(kernel, 448, 64, {{"n", n}});
    expectIntegers(out, [&](uint64_t i) { return int64_t(i) * n + 64 * n * (n - 1) / 2; });
  }
}

TEST_P(Control, LoopCarriesPointers) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out, n):
    p = x + tl.arange(0, 32)
    q = out + tl.arange(0, 32)
    for k in range(0, n):
        tl.store(q, tl.load(p) + k)
        p += 32
        q += 32
)",
                        160, 160, {{"n", 5}});
  expectIntegers(out, [](uint64_t i) { return int64_t(i + i / 32); });
}

TEST_P(Control, LoopBoundsAndSteps) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out, lo, hi, step):
    total = 0
    for k in range(lo, hi, step):
        total += k
    tl.store(out, total)
    total = 0
    for k in range(hi - 1, lo - 1, -1):
        total = total * 2 + k
    tl.store(out + 1, total)
    total = 0
    for k in tl.static_range(5):
        total += k * k
    tl.store(out + 2, total)
    total = 0
    for k in range(hi, lo):
        total += 1
    tl.store(out + 3, total)
)",
                        1, 4, {{"lo", 3}, {"hi", 20}, {"step", 4}});
  int64_t down = 0;
  for (int64_t k = 19; k >= 3; --k)
    down = int32_t(uint32_t(down) * 2 + uint32_t(k));
  const int64_t expected[] = {3 + 7 + 11 + 15 + 19, down, 30, 0};
  expectIntegers(out, [&](uint64_t i) { return expected[i]; });
}

TEST_P(Control, NestedLoops) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out, n):
    acc = tl.zeros([16], tl.int32)
    for i in range(n):
        row = tl.zeros([16], tl.int32)
        for j in range(i + 1):
            row += tl.load(x + j * 16 + tl.arange(0, 16))
        acc += row * (i + 1)
    tl.store(out + tl.arange(0, 16), acc)
)",
                        64, 16, {{"n", 4}});
  expectIntegers(out, [](uint64_t c) {
    int64_t acc = 0;
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j <= i; ++j)
        acc += (j * 16 + int64_t(c)) * (i + 1);
    return acc;
  });
}

TEST_P(Control, ReductionInALoop) {
  // Shared memory is reused in each iteration.
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out, n):
    i = tl.arange(0, 1024)
    total = 0
    for k in range(n):
        row = tl.load(x + k * 1024 + i)
        total += tl.max(row, axis=0) - tl.min(row, axis=0) + tl.sum(row, axis=0)
        tl.store(out + k, total)
)",
                        8192, 8, {{"n", 8}});
  expectIntegers(out, [](uint64_t last) {
    int64_t total = 0;
    for (int64_t k = 0; k <= int64_t(last); ++k)
      total += 1023 + 1024 * (1024 * k) + 1023 * 512;
    return total;
  });
}

TEST_P(Control, BranchAtRunTime) {
  const char *kernel = R"(
@triton.jit
def kernel(x, out, n):
    i = tl.arange(0, 32)
    a = tl.load(x + i)
    if n > 10:
        a = a * 2
        b = n
    elif n > 5:
        a = a + 100
        b = 7
    else:
        b = -n
    tl.store(out + i, a + b)
)";
  for (int64_t n : {3, 8, 12}) {
    HostArray out = runOn(kernel, 32, 32, {{"n", n}});
    expectIntegers(out, [&](uint64_t i) {
      return n > 10 ? int64_t(i) * 2 + n : n > 5 ? int64_t(i) + 107 : int64_t(i) - n;
    });
  }
}

TEST_P(Control, BranchAtCompileTime) {
  const char *kernel = R"(
@triton.jit
def kernel(x, out, FLAG: tl.constexpr):
    i = tl.arange(0, 8)
    if FLAG == 2:
        tl.store(out + i, tl.load(x + i))
    else:
        tl.store(out + i, tl.load(x + i) + undefined_name if FLAG == 9 else tl.load(x + i) - 1)
)";
  for (int64_t flag : {2, 3}) {
    HostArray out = runOn(kernel, 8, 8, {{"FLAG", flag}});
    expectIntegers(out, [&](uint64_t i) { return int64_t(i) - (flag == 3); });
  }
}

TEST_P(Control, EarlyReturn) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    if pid == 1:
        tl.store(out + pid, -1)
        return
    tl.store(out + pid, tl.load(x + pid) * 10)
)",
                        8, 8, {{"n", 5}}, {8, 1, 1});
  if (IsSkipped())
    return;
  for (uint64_t i = 0; i < 8; ++i) {
    if (i < 5)
      EXPECT_EQ(out.integer(i), i == 1 ? -1 : int64_t(i) * 10);
    else
      EXPECT_TRUE(out.isPoison(i));
  }
}

TEST_P(Control, WhileLoop) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out):
    n = tl.load(x + tl.program_id(0)) + 1
    steps = 0
    while n != 1:
        n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += 1
    tl.store(out + tl.program_id(0), steps)
)",
                        64, 64, {}, {64, 1, 1});
  expectIntegers(out, [](uint64_t i) {
    int64_t steps = 0;
    for (int64_t n = int64_t(i) + 1; n != 1; ++steps)
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  });
}

TEST_P(Control, WhileLoopWithATile) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    while tl.max(a, axis=0) > 10:
        a = a // 2
    tl.store(out + i, a)
)",
                        128, 128);
  expectIntegers(out, [](uint64_t i) { return int64_t(i) / 16; });
}

TEST_P(Control, HelperFunctions) {
  HostArray out = runOn(R"(
@triton.jit
def scale(v, factor=3):
    return v * factor

@triton.jit
def both(a, b):
    if a > b:
        return a - b, a
    else:
        return b - a, b

@triton.jit
def kernel(x, out, n):
    i = tl.arange(0, 16)
    a = scale(tl.load(x + i)) + scale(i, factor=n)
    d, m = both(n, 5)
    tl.store(out + i, a + d * m)
)",
                        16, 16, {{"n", 7}});
  expectIntegers(out, [](uint64_t i) { return int64_t(i) * 3 + int64_t(i) * 7 + 14; });
}

TEST_P(Control, ProgramNumbers) {
  HostArray out = runOn(R"(
@triton.jit
def kernel(x, out):
    a = tl.program_id(0)
    b = tl.program_id(1)
    c = tl.program_id(2)
    at = (c * tl.num_programs(1) + b) * tl.num_programs(0) + a
    tl.store(out + at, a + 100 * b + 10000 * c)
)",
                        1, 30, {}, {5, 3, 2});
  expectIntegers(out,
                 [](uint64_t i) { return int64_t(i % 5 + 100 * (i / 5 % 3) + 10000 * (i / 15)); });
}

TEST_P(Control, EmptyGrids) {
  for (LaunchGrid grid : {LaunchGrid{0, 1, 1}, LaunchGrid{1, 0, 1}, LaunchGrid{5, 5, 0}}) {
    HostArray out =
        runOn("\n@triton.jit\ndef kernel(x, out):\n    tl.store(out, 1)\n", 1, 1, {}, grid);
    expectUntouched(out);
  }
}

TEST_P(Control, GridOutOfRange) {
  HostArray out = makeOutput(ScalarKind::Int32, {1});
  Launch launch("\n@triton.jit\ndef kernel(out):\n    tl.store(out, 1)\n");
  std::string text = run(machine(), launch.array("out", out).over(1, 65536));
  if (IsSkipped())
    return;
  EXPECT_NE(text.find("65536"), std::string::npos) << text;
  EXPECT_NE(text.find("65535"), std::string::npos) << text;
  expectUntouched(out);
}

TEST_P(Control, ManyPrograms) {
  constexpr uint64_t count = 100000;
  HostArray out = runOn("\n@triton.jit\ndef kernel(x, out):\n"
                        "    i = tl.program_id(0)\n    tl.store(out + i, i * i)\n",
                        1, count, {}, {int64_t(count), 1, 1});
  expectIntegers(out, [](uint64_t i) { return int64_t(i * i); });
}

TEST_P(Control, FoldedOnesAndPromises) {
  // The same kernel with strides that are 1, a multiple of 16, and neither.
  const char *kernel = R"(
@triton.jit
def kernel(x, out, stride, n):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n), mask=i < n)
)";
  for (int64_t stride : {1, 3, 16, 48})
    for (int64_t n : {1, 16, 37, 64}) {
      HostArray out = runOn(kernel, 48 * 64, 64, {{"stride", stride}, {"n", n}});
      if (IsSkipped())
        continue;
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out.integer(uint64_t(i)), i * stride) << "stride " << stride << ", n " << n;
    }
}

TEST_P(Control, FailedAssertionIsAnError) {
  if (GetParam() == Target::CUDA)
    GTEST_SKIP() << "a failed assertion leaves the CUDA context unusable for later tests";
  HostArray out = makeOutput(ScalarKind::Int32, {4});
  Launch launch("@triton.jit\ndef kernel(out, n):\n    assert n < 3, \"too many\"\n"
                "    tl.store(out, n)\n");
  launch.array("out", out).integer("n", 5);
  runFine(launch); // Assertions are for debugging only.
  launch.debug = true;
  std::string text = run(machine(), launch);
  EXPECT_NE(text.find("kernel.py:5:5: assertion failed in program (0, 0, 0): too many"),
            std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(, Control, allTargets(), TargetName());

} // namespace
