//===- StreamTest.cpp - tiles too large for registers ----------*- C++ -*-===//
//
// Rows of up to 131072 elements on few warps, so that the GPU works through them in pieces
// (tile-stream-tiles): rows that end in the first, a middle or the last piece, at its border, or
// fill the tile; empty rows; reductions that may skip masked pieces and such that may not; and
// clusters of CTAs.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

struct Row {
  const char *name;
  ScalarKind type;
  int64_t columns, stride, block;
  unsigned warps, ctas;
};

const ScalarKind bf16 = ScalarKind::BF16, f32 = ScalarKind::FP32;

const Row rows[] = {
    {"one", f32, 1, 16, 8192, 1, 1},
    {"first_piece", f32, 100, 112, 8192, 2, 1},
    {"border", f32, 256, 256, 8192, 2, 1},
    {"behind_border", f32, 257, 272, 8192, 2, 1},
    {"middle", f32, 5000, 5008, 8192, 2, 1},
    {"last_piece", f32, 8191, 8192, 8192, 2, 1},
    {"full", f32, 8192, 8192, 8192, 2, 1},
    {"narrow_copies", f32, 5001, 5001, 8192, 2, 1},
    {"chosen_bf16", bf16, 20000, 20000, 32768, 0, 0},
    {"chosen_bf16_odd", bf16, 20001, 20002, 32768, 0, 0},
    {"chosen_cluster", f32, 65536, 65536, 65536, 0, 0},
    {"chosen_cluster_part", bf16, 70000, 70000, 131072, 0, 0},
    {"pair", f32, 9000, 9008, 16384, 1, 2},
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.name; }

class Stream : public OnEachTargetWith<Row> {
protected:
  static constexpr int64_t count = 3;
  /// A matrix with `count` rows of the row's stride, of which the first `columns` elements matter.
  HostArray input(double low, double high) {
    return makeRandom(row().type, {count, uint64_t(row().stride)}, low, high, 11);
  }
  void launchOn(const char *kernel, HostArray &x, HostArray &out, int64_t columns) {
    Launch launch(kernel);
    launch.array("x", x).array("out", out).integer("stride", row().stride);
    launch.integer("n", columns).integer("BLOCK", row().block);
    runFine(launch.over(count).warps(row().warps).ctas(row().ctas));
  }
  double tolerance() const { return row().type == f32 ? 3e-6 : 1e-2; }
};

TEST_P(Stream, Softmax) {
  HostArray x = input(-8, 8);
  HostArray out = makeOutput(row().type, {count, uint64_t(row().stride)});
  launchOn(R"(
@triton.jit
def kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n, other=-float('inf')).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < n)
)",
           x, out, row().columns);
  for (int64_t i = 0; i < count; ++i) {
    double top = -HUGE_VAL, sum = 0, worst = 0;
    for (int64_t j = 0; j < row().columns; ++j)
      top = std::max(top, x.real(i * row().stride + j));
    for (int64_t j = 0; j < row().columns; ++j)
      sum += std::exp(x.real(i * row().stride + j) - top);
    for (int64_t j = 0; j < row().columns; ++j) {
      double expected = std::exp(x.real(i * row().stride + j) - top) / sum;
      worst = std::max(worst, std::fabs(out.real(i * row().stride + j) - expected) / expected);
    }
    EXPECT_LE(worst, IsSkipped() ? HUGE_VAL : tolerance()) << "row " << i;
    for (int64_t j = row().columns; j < row().stride; ++j)
      EXPECT_TRUE(out.isPoison(i * row().stride + j));
  }
}

/// Masked elements count here: as ones, and by their positions.
TEST_P(Stream, MaskedElementsCount) {
  HostArray x = makeRandom(ScalarKind::Int32, {count, uint64_t(row().stride)}, -100, 100, 7);
  HostArray out = makeOutput(ScalarKind::Int32, {count, 4});
  for (int64_t columns : {row().columns, int64_t(0)}) {
    launchOn(R"(
@triton.jit
def kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n, other=1)
    tl.store(out + row * 4, tl.sum(v, axis=0))
    tl.store(out + row * 4 + 1, tl.max(v + cols, axis=0))
    tl.store(out + row * 4 + 2, tl.min(v, axis=0))
    tl.store(out + row * 4 + 3, tl.xor_sum(v, axis=0))
)",
             x, out, columns);
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < count; ++i) {
      int64_t sum = 0, top = INT64_MIN, least = INT64_MAX, parity = 0;
      for (int64_t j = 0; j < row().block; ++j) {
        int64_t value = j < columns ? x.integer(i * row().stride + j) : 1;
        sum += value;
        top = std::max(top, value + j);
        least = std::min(least, value);
        parity ^= value;
      }
      for (int64_t value : {sum, top, least, parity})
        expected.push_back(value);
    }
    if (!IsSkipped())
      expectIntegers(out, [&](uint64_t i) { return expected[i]; });
  }
}

/// One reduction reads everything, so no tile waits: neighbours, and what their values point at. Of
/// equal elements the first counts.
TEST_P(Stream, ReadOnce) {
  HostArray x = makeRandom(ScalarKind::Int32, {count, uint64_t(row().stride)}, -50, 50, 7);
  HostArray y = makeRandom(ScalarKind::Int32, {count, uint64_t(row().stride)}, -50, 50, 8);
  HostArray at = makeRandom(ScalarKind::Int32, {count, uint64_t(row().stride)}, 0,
                            double(row().columns - 1), 9);
  HostArray out = makeOutput(ScalarKind::Int32, {count, 2});
  for (int64_t columns : {row().columns, int64_t(0)}) {
    Launch launch(R"(
@triton.jit
def kernel(x, y, at, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    a = tl.load(x + row * stride + cols, mask=mask, other=3)
    b = tl.load(y + row * stride + cols, mask=mask, other=0)
    i = tl.load(at + row * stride + cols, mask=mask, other=0)
    c = tl.load(x + row * stride + i, mask=mask, other=0)
    best, where = tl.max(a * b + c, axis=0, return_indices=True)
    tl.store(out + row * 2, best)
    tl.store(out + row * 2 + 1, where)
)");
    launch.array("x", x).array("y", y).array("at", at).array("out", out);
    launch.integer("stride", row().stride).integer("n", columns).integer("BLOCK", row().block);
    runFine(launch.over(count).warps(row().warps).ctas(row().ctas));
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < count; ++i) {
      int64_t best = INT64_MIN, where = 0, first = i * row().stride;
      for (int64_t j = 0; j < row().block; ++j) {
        bool isThere = j < columns;
        int64_t value = isThere ? x.integer(first + j) * y.integer(first + j) +
                                      x.integer(first + at.integer(first + j))
                                : 0;
        if (value > best) {
          best = value;
          where = j;
        }
      }
      expected.push_back(best);
      expected.push_back(where);
    }
    if (!IsSkipped())
      expectIntegers(out, [&](uint64_t i) { return expected[i]; });
  }
}

/// The second load needs the values of the first before anything else does.
TEST_P(Stream, MaskedByData) {
  HostArray x = makeRandom(ScalarKind::FP32, {count, uint64_t(row().stride)}, -1, 1, 7);
  HostArray y = makeRandom(ScalarKind::FP32, {count, uint64_t(row().stride)}, 1, 2, 8);
  HostArray out = makeOutput(ScalarKind::FP32, {count, uint64_t(row().stride)});
  Launch launch(R"(
@triton.jit
def kernel(x, y, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    a = tl.load(x + row * stride + cols, mask=mask, other=-1.0)
    b = tl.load(y + row * stride + cols, mask=a > 0, other=0.0)
    tl.store(out + row * stride + cols, b - tl.max(b, axis=0) * a, mask=mask)
)");
  launch.array("x", x).array("y", y).array("out", out);
  launch.integer("stride", row().stride).integer("n", row().columns);
  launch.integer("BLOCK", row().block);
  runFine(launch.over(count).warps(row().warps).ctas(row().ctas));
  for (int64_t i = 0; i < count && !IsSkipped(); ++i) {
    int64_t first = i * row().stride;
    auto b = [&](int64_t j) { return x.real(first + j) > 0 ? y.real(first + j) : 0.0; };
    double top = 0, worst = 0;
    for (int64_t j = 0; j < row().columns; ++j)
      top = std::max(top, b(j));
    for (int64_t j = 0; j < row().columns; ++j)
      worst = std::max(worst, std::fabs(out.real(first + j) - (b(j) - top * x.real(first + j))));
    EXPECT_LE(worst, 1e-6) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, Stream, ::testing::Combine(allTargets(), ::testing::ValuesIn(rows)),
                         RowName<Row>());

} // namespace
