//===- ReduceTest.cpp - reductions and changes of layout ---------*- C++ -*-===//
//
// Sums, maxima and minima over tiles of 1 to 65536 elements and 1 to 32 warps, along either axis of
// 2-D tiles, with results that are broadcast back; and copies that transpose.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <algorithm>
#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

struct TileRow {
  std::string name;
  uint64_t block;
  unsigned warps;
};

void PrintTo(const TileRow &row, std::ostream *os) { *os << row.name; }

std::vector<TileRow> tileRows() {
  std::vector<TileRow> rows;
  auto add = [&](uint64_t block, unsigned warps) {
    rows.push_back(
        {"block" + std::to_string(block) + "_warps" + std::to_string(warps), block, warps});
  };
  for (uint64_t block : {1, 2, 4, 16, 32, 64, 128, 256, 1024, 4096, 65536})
    add(block, 4);
  for (unsigned warps : {1, 2, 8, 16, 32}) {
    add(8, warps);
    add(1024, warps);
    add(65536, warps);
  }
  return rows;
}

class Reduce1D : public OnEachTargetWith<TileRow> {};

/// A kernel that stores sum, maximum and minimum of a row, with `other` filling what is beyond n.
Launch reduceLaunch(HostArray &x, HostArray &out, const TileRow &row, uint64_t n) {
  Launch launch(R"(
@triton.jit
def kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    p = x + row * stride + i
    tl.store(out + row * 3, tl.sum(tl.load(p, mask=i < n, other=0), axis=0))
    # The neutral elements must not win, so take one that is there.
    a = tl.load(p, mask=i < n, other=tl.load(x + row * stride))
    tl.store(out + row * 3 + 1, tl.max(a, axis=0))
    tl.store(out + row * 3 + 2, tl.min(a, axis=0))
)");
  launch.array("x", x).array("out", out).integer("stride", int64_t(x.shape()[1]));
  launch.integer("n", int64_t(n)).integer("BLOCK", int64_t(row.block)).warps(row.warps);
  return launch.over(int64_t(x.shape()[0]));
}

TEST_P(Reduce1D, Floats) {
  uint64_t n = std::max<uint64_t>(1, row().block - row().block / 5);
  HostArray x = makeRandom(ScalarKind::FP32, {3, n}, -1, 2),
            out = makeOutput(ScalarKind::FP32, {3, 3});
  runFine(reduceLaunch(x, out, row(), n));
  expectReals(out,
              [&](uint64_t i) {
                double sum = 0, most = -HUGE_VAL, least = HUGE_VAL;
                for (uint64_t col = 0; col < n; ++col) {
                  double value = x.real(i / 3 * n + col);
                  sum += value;
                  most = std::max(most, value);
                  least = std::min(least, value);
                }
                return i % 3 == 0 ? sum : i % 3 == 1 ? most : least;
              },
              // The error of a sum grows with its depth, and the terms partly cancel.
              {2e-6, 1e-6 * std::sqrt(double(n))});
}

TEST_P(Reduce1D, Integers) {
  uint64_t n = std::max<uint64_t>(1, row().block - row().block / 7);
  HostArray x = makeRandom(ScalarKind::Int32, {2, n}, -100000, 100000);
  HostArray out = makeOutput(ScalarKind::Int32, {2, 3});
  runFine(reduceLaunch(x, out, row(), n));
  expectIntegers(out, [&](uint64_t i) {
    int64_t sum = 0, most = INT64_MIN, least = INT64_MAX;
    for (uint64_t col = 0; col < n; ++col) {
      int64_t value = x.integer(i / 3 * n + col);
      sum += value;
      most = std::max(most, value);
      least = std::min(least, value);
    }
    return i % 3 == 0 ? sum : i % 3 == 1 ? most : least;
  });
}

INSTANTIATE_TEST_SUITE_P(, Reduce1D,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(tileRows())),
                         RowName<TileRow>());

class ReduceTypes : public OnEachTarget {};

TEST_P(ReduceTypes, WidenAsTheLanguageSays) {
  for (ScalarKind type : elementTypes()) {
    DType dtype(type);
    SCOPED_TRACE(scalarInfo(type).shortName.str());
    HostArray x = makeArray(type, {128});
    double low = dtype.isSignedInt() || dtype.isFloat() ? -3 : 0;
    for (uint64_t index = 0; index < 128; ++index)
      x.setReal(index, dtype.isBool() ? double(index % 2) : low + double(index * 7 % 8));
    // Narrow integers widen to 32 bits; booleans count as unsigned.
    ScalarKind result = dtype.isBool()                          ? ScalarKind::UInt32
                        : dtype.isFloat() || dtype.bits() >= 32 ? type
                        : dtype.isSignedInt()                   ? ScalarKind::Int32
                                                                : ScalarKind::UInt32;
    HostArray out = makeOutput(result, {1});
    Launch launch("\n@triton.jit\ndef kernel(x, out):\n"
                  "    s = tl.sum(tl.load(x + tl.arange(0, 128)), axis=0)\n"
                  "    tl.static_assert(s.dtype == tl." +
                  scalarInfo(result).name.str() + ")\n    tl.store(out, s)\n");
    runFine(launch.array("x", x).array("out", out));
    double sum = 0;
    for (uint64_t index = 0; index < 128; ++index)
      sum += x.real(index);
    expectReals(out, [&](uint64_t) { return sum; });
  }
}

TEST_P(ReduceTypes, MaximumIgnoresNaN) {
  HostArray x = makeRandom(ScalarKind::FP32, {1000}, -5, 5),
            out = makeOutput(ScalarKind::FP32, {3});
  for (uint64_t index = 0; index < 1000; index += 3)
    x.setReal(index, NAN);
  x.setReal(17, 7);
  x.setReal(18, -7);
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 1024)
    a = tl.load(x + i, mask=i < 1000, other=float("nan"))
    tl.store(out, tl.max(a, axis=0))
    tl.store(out + 1, tl.min(tl.where(i == 18, -7.0, a), axis=0))
    tl.store(out + 2, tl.max(tl.full([64], float("-inf"), tl.float32), axis=0))
)");
  runFine(launch.array("x", x).array("out", out));
  const double expected[] = {7, -7, -HUGE_VAL};
  expectReals(out, [&](uint64_t i) { return expected[i]; });
}

INSTANTIATE_TEST_SUITE_P(, ReduceTypes, allTargets(), TargetName());

//===----------------------------------------------------------------------===//
// Two dimensions
//===----------------------------------------------------------------------===//

struct ShapeRow {
  std::string name;
  uint64_t rows, cols;
  unsigned warps;
};

void PrintTo(const ShapeRow &row, std::ostream *os) { *os << row.name; }

std::vector<ShapeRow> shapeRows() {
  std::vector<ShapeRow> result;
  auto add = [&](uint64_t rows, uint64_t cols, unsigned warps) {
    result.push_back(
        {std::to_string(rows) + "x" + std::to_string(cols) + "_warps" + std::to_string(warps), rows,
         cols, warps});
  };
  const std::pair<uint64_t, uint64_t> shapes[] = {{1, 1},    {1, 64},   {64, 1},  {2, 2},
                                                  {4, 8},    {16, 64},  {64, 16}, {32, 32},
                                                  {128, 32}, {8, 1024}, {256, 2}};
  for (auto [rows, cols] : shapes)
    for (unsigned warps : {1, 4})
      add(rows, cols, warps);
  add(64, 64, 8);
  add(64, 64, 32);
  add(256, 256, 16);
  // Many parts of many elements: threads combine them for each other.
  add(32, 128, 16);
  add(128, 64, 32);
  return result;
}

class Tiles2D : public OnEachTargetWith<ShapeRow> {
protected:
  Launch launchFor(const char *body, HostArray &x, HostArray &out) {
    Launch launch(std::string(R"(
@triton.jit
def kernel(x, out, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    a = tl.load(x + r[:, None] * C + c[None, :])
)") + body);
    launch.array("x", x).array("out", out).warps(row().warps);
    return launch.integer("R", int64_t(row().rows)).integer("C", int64_t(row().cols));
  }
  HostArray input() { return makeRandom(ScalarKind::FP32, {row().rows, row().cols}, -4, 4); }
};

TEST_P(Tiles2D, SumAlongRows) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().rows});
  runFine(launchFor("    tl.store(out + r, tl.sum(a, axis=1))\n", x, out));
  expectReals(out,
              [&](uint64_t r) {
                double sum = 0;
                for (uint64_t c = 0; c < row().cols; ++c)
                  sum += x.real(r * row().cols + c);
                return sum;
              },
              {2e-6, 1e-5});
}

TEST_P(Tiles2D, MaximumAlongColumns) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().cols});
  runFine(launchFor("    tl.store(out + c, tl.max(a, axis=0))\n", x, out));
  expectReals(out, [&](uint64_t c) {
    double most = -HUGE_VAL;
    for (uint64_t r = 0; r < row().rows; ++r)
      most = std::max(most, x.real(r * row().cols + c));
    return most;
  });
}

TEST_P(Tiles2D, SumOfEverything) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {2});
  runFine(launchFor("    tl.store(out, tl.sum(tl.sum(a, axis=0), axis=0))\n"
                    "    tl.store(out + 1, tl.sum(a))\n",
                    x, out));
  double sum = 0;
  for (uint64_t i = 0; i < x.size(); ++i)
    sum += x.real(i);
  expectReals(out, [&](uint64_t) { return sum; }, {2e-6, 1e-3});
}

TEST_P(Tiles2D, NormalisesAlongBothAxes) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().rows, row().cols});
  runFine(launchFor("    b = a - tl.max(a, axis=1)[:, None] + tl.min(a, axis=0)[None, :]\n"
                    "    tl.store(out + r[:, None] * C + c[None, :], b)\n",
                    x, out));
  uint64_t rows = row().rows, cols = row().cols;
  std::vector<double> most(rows, -HUGE_VAL), least(cols, HUGE_VAL);
  for (uint64_t i = 0; i < x.size(); ++i) {
    most[i / cols] = std::max(most[i / cols], x.real(i));
    least[i % cols] = std::min(least[i % cols], x.real(i));
  }
  expectReals(out, [&](uint64_t i) { return x.real(i) - most[i / cols] + least[i % cols]; },
              {1e-6, 2e-6});
}

TEST_P(Tiles2D, KeepsDimensions) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().rows, row().cols});
  runFine(launchFor("    b = a + tl.sum(a, axis=1, keep_dims=True) * 0.0\n"
                    "    tl.store(out + r[:, None] * C + c[None, :], b)\n",
                    x, out));
  expectReals(out, [&](uint64_t i) { return x.real(i); });
}

TEST_P(Tiles2D, TransposesThroughPointers) {
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().cols, row().rows});
  runFine(launchFor("    tl.store(out + c[None, :] * R + r[:, None], a)\n", x, out));
  expectReals(out,
              [&](uint64_t i) { return x.real(i % row().rows * row().cols + i / row().rows); });
}

TEST_P(Tiles2D, LoadsBothWaysAndAdds) {
  // One operand is laid out along rows, the other along columns.
  HostArray x = input(), out = makeOutput(ScalarKind::FP32, {row().rows, row().cols});
  runFine(launchFor("    b = tl.load(x + c[None, :] * R + r[:, None])\n"
                    "    tl.store(out + r[:, None] * C + c[None, :], a + b)\n",
                    x, out));
  expectReals(out, [&](uint64_t i) {
    uint64_t r = i / row().cols, c = i % row().cols;
    return x.real(i) + x.real(c * row().rows + r);
  });
}

INSTANTIATE_TEST_SUITE_P(, Tiles2D,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(shapeRows())),
                         RowName<ShapeRow>());

} // namespace
