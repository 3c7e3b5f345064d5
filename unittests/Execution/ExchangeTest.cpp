//===- ExchangeTest.cpp - scans, orders, gathers, histograms -----*- C++ -*-===//
//
// Functions whose results depend on elements elsewhere in the block, over blocks that fit one
// thread, one warp, several warps, and more than all threads at once, along either axis.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <numeric>

using namespace tilec;
using namespace tilec::test;

namespace {

struct BlockRow {
  std::string name;
  uint64_t rows, columns;
  unsigned warps;
};

void PrintTo(const BlockRow &row, std::ostream *os) { *os << row.name; }

std::vector<BlockRow> blockRows() {
  std::vector<BlockRow> rows;
  auto add = [&](uint64_t m, uint64_t n, unsigned warps) {
    rows.push_back({std::to_string(m) + "x" + std::to_string(n) + "_warps" + std::to_string(warps),
                    m, n, warps});
  };
  for (unsigned warps : {1, 4, 8})
    for (auto [m, n] : std::initializer_list<std::pair<uint64_t, uint64_t>>{
             {1, 2}, {2, 16}, {16, 2}, {8, 32}, {64, 64}, {1, 4096}, {512, 8}})
      add(m, n, warps);
  return rows;
}

class Exchange2D : public OnEachTargetWith<BlockRow> {
protected:
  /// Runs `lines`, which see the block `v` loaded from x, the pointers `p` to the same places of
  /// out, and M, N.
  void runOn(HostArray &x, HostArray &out, const std::string &lines,
             const std::string &helpers = "") {
    Launch launch(helpers + R"(
@triton.jit
def kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    p = out + at
)" + lines);
    launch.array("x", x).array("out", out).warps(row().warps);
    runFine(launch.integer("M", int64_t(row().rows)).integer("N", int64_t(row().columns)));
  }
  HostArray numbers() {
    return makeRandom(ScalarKind::Int32, {row().rows, row().columns}, -9, 9, 3);
  }
  HostArray output(uint64_t blocks) {
    return makeOutput(ScalarKind::Int32, {blocks, row().rows, row().columns});
  }
  int64_t at(const HostArray &x, uint64_t i, uint64_t j) {
    return x.integer(i * row().columns + j);
  }
  /// For each block of `out`, what `expected(block, row, column)` says.
  void expectBlocks(const HostArray &out,
                    const std::function<int64_t(uint64_t, uint64_t, uint64_t)> &expected) {
    uint64_t n = row().columns, m = row().rows;
    expectIntegers(out, [&](uint64_t i) { return expected(i / (m * n), i / n % m, i % n); });
  }
};

TEST_P(Exchange2D, Cumsum) {
  HostArray x = numbers(), out = output(4);
  runOn(x, out, R"(
    tl.store(p, tl.cumsum(v, 0))
    tl.store(p + M * N, tl.cumsum(v, 1))
    tl.store(p + 2 * M * N, tl.cumsum(v, 0, reverse=True))
    tl.store(p + 3 * M * N, tl.cumsum(v, 1, reverse=True))
)");
  expectBlocks(out, [&](uint64_t block, uint64_t i, uint64_t j) {
    int64_t sum = 0;
    uint64_t position = block % 2 ? j : i, count = block % 2 ? row().columns : row().rows;
    for (uint64_t k = block < 2 ? 0 : position; k < (block < 2 ? position + 1 : count); ++k)
      sum += block % 2 ? at(x, i, k) : at(x, k, j);
    return sum;
  });
}

/// A recurrence b[k] = 3 b[k-1] + v[k] as a scan of pairs: not commutative, and wraps.
TEST_P(Exchange2D, ScanOfPairs) {
  HostArray x = numbers(), out = output(2);
  runOn(x, out, R"(
    _, b = tl.associative_scan((tl.full([M, N], 3, tl.int32), v), 1, step)
    tl.store(p, b)
    _, b = tl.associative_scan((tl.full([M, N], 3, tl.int32), v), 0, step, reverse=True)
    tl.store(p + M * N, b)
)",
        R"(
@triton.jit
def step(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2

)");
  expectBlocks(out, [&](uint64_t block, uint64_t i, uint64_t j) {
    uint32_t b = 0;
    if (block == 0)
      for (uint64_t k = 0; k <= j; ++k)
        b = 3 * b + uint32_t(at(x, i, k));
    else
      for (uint64_t k = row().rows; k-- > i;)
        b = 3 * b + uint32_t(at(x, k, j));
    return int64_t(int32_t(b));
  });
}

TEST_P(Exchange2D, Orders) {
  HostArray x = numbers(), out = output(4);
  runOn(x, out, R"(
    tl.store(p, tl.flip(v, 0))
    tl.store(p + M * N, tl.flip(v, -1))
    turned = out + 2 * M * N + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    tl.store(turned, v.T)
    even, odd = tl.split(tl.reshape(v, (M, N // 2, 2)))
    tl.store(p + 3 * M * N, tl.interleave(odd, even))
)");
  uint64_t m = row().rows, n = row().columns;
  expectBlocks(out, [&](uint64_t block, uint64_t i, uint64_t j) {
    uint64_t flat = i * n + j;
    return block == 0   ? at(x, m - 1 - i, j)
           : block == 1 ? at(x, i, n - 1 - j)
           : block == 2 ? at(x, flat % m, flat / m)
                        : at(x, i, j ^ 1);
  });
}

TEST_P(Exchange2D, Gather) {
  HostArray x = numbers(), out = output(2);
  runOn(x, out, R"(
    i = tl.arange(0, M)[:, None] + tl.zeros([M, N], tl.int32)
    j = tl.arange(0, N)[None, :] + tl.zeros([M, N], tl.int32)
    tl.store(p, tl.gather(v, (i * 5 + j * 3) % M, 0))
    tl.store(p + M * N, tl.gather(v, (i * 5 + j * 3) % N, 1))
)");
  expectBlocks(out, [&](uint64_t block, uint64_t i, uint64_t j) {
    uint64_t k = i * 5 + j * 3;
    return block == 0 ? at(x, k % row().rows, j) : at(x, i, k % row().columns);
  });
}

INSTANTIATE_TEST_SUITE_P(Execution, Exchange2D,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(blockRows())),
                         RowName<BlockRow>());

class Exchange : public OnEachTarget {};

TEST_P(Exchange, TypesOfScans) {
  HostArray x = makeRandom(ScalarKind::Int8, {64}, 0, 1, 5);
  HostArray narrow = makeOutput(ScalarKind::Int32, {64}),
            product = makeOutput(ScalarKind::FP32, {64});
  Launch launch(R"(
@triton.jit
def kernel(x, narrow, product):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    s = tl.cumsum(v, 0)
    tl.static_assert(s.dtype == tl.int32)
    tl.static_assert(tl.cumsum(v != 0, 0).dtype == tl.uint32)
    tl.static_assert(tl.cumsum(v.to(tl.bfloat16), 0).dtype == tl.float32)
    tl.static_assert(tl.cumsum(v.to(tl.float16), 0).dtype == tl.float16)
    tl.static_assert(tl.cumsum(v, 0, dtype=tl.int64).dtype == tl.int64)
    tl.static_assert(tl.cumprod(v, 0).dtype == tl.int8)
    q = tl.cumprod(v.to(tl.bfloat16) + 1.0, 0)
    tl.static_assert(q.dtype == tl.float32)
    tl.store(narrow + i, s)
    tl.store(product + i, q)
)");
  runFine(launch.array("x", x).array("narrow", narrow).array("product", product));
  int64_t sum = 0;
  double power = 1;
  std::vector<int64_t> sums;
  std::vector<double> powers;
  for (uint64_t i = 0; i < 64; ++i) {
    sums.push_back(sum += x.integer(i));
    powers.push_back(power *= double(x.integer(i) + 1));
  }
  expectIntegers(narrow, [&](uint64_t i) { return sums[i]; });
  expectReals(product, [&](uint64_t i) { return powers[i]; });
}

/// Values outside of the bins and masked ones are not counted.
TEST_P(Exchange, Histogram) {
  HostArray x = makeRandom(ScalarKind::Int32, {1024}, -3, 70, 9),
            out = makeOutput(ScalarKind::Int32, {2, 64});
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 1024)
    v = tl.load(x + i)
    bins = tl.arange(0, 64)
    tl.store(out + bins, tl.histogram(v, 64))
    tl.store(out + 64 + bins, tl.histogram(v, 64, mask=i % 3 == 0))
)");
  runFine(launch.array("x", x).array("out", out));
  expectIntegers(out, [&](uint64_t i) {
    int64_t count = 0;
    for (uint64_t k = 0; k < 1024; ++k)
      count += x.integer(k) == int64_t(i % 64) && (i < 64 || k % 3 == 0);
    return count;
  });
}

TEST_P(Exchange, JoinSplitCat) {
  HostArray out = makeOutput(ScalarKind::Int32, {4, 64});
  Launch launch(R"(
@triton.jit
def kernel(out):
    i = tl.arange(0, 32)
    pair = tl.join(i, i + 100)
    tl.static_assert(pair.shape[1] == 2)
    tl.store(out + tl.arange(0, 32)[:, None] * 2 + tl.arange(0, 2)[None, :], pair)
    j = tl.arange(0, 64)
    tl.store(out + 64 + j, tl.cat(i, i + 100, can_reorder=True))
    a, b = tl.split(tl.permute(tl.reshape(j, (2, 32)), (1, 0)))
    tl.store(out + 128 + i, b)
    tl.store(out + 160 + i, a)
    low, high = tl.split(tl.join(tl.program_id(0) + 7, 9))
    tl.store(out + 192 + j, low * 10 + high)
)");
  runFine(launch.array("out", out));
  expectIntegers(out, [](uint64_t i) {
    int64_t j = int64_t(i % 64);
    switch (i / 64) {
    case 0:
      return j / 2 + j % 2 * 100;
    case 1:
      return j % 32 + j / 32 * 100;
    case 2:
      return j < 32 ? j + 32 : j - 32;
    default:
      return int64_t(79);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Execution, Exchange, allTargets(), TargetName());

} // namespace
