//===- ExamplesTest.cpp - the kernels of examples/ ---------------*- C++ -*-===//
//
// Softmax and GELU as they stand in examples/, over the sizes that decide between code paths: one
// element, odd rows, powers of two and their neighbours, the largest tile, rows and pointers
// without alignment.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include "llvm/Support/MathExtras.h"

#include <cfloat>
#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

const char *const softmaxSource =
#include "softmax.py.inc"
    ;
const char *const geluSource =
#include "gelu.py.inc"
    ;

struct Row {
  std::string name;
  uint64_t rows, cols;
  uint64_t gap;    // Between the end of a row and the start of the next.
  uint64_t offset; // Of the pointers, in elements.
  unsigned warps;
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.name; }

std::vector<Row> softmaxRows() {
  std::vector<Row> result;
  auto add = [&](uint64_t rows, uint64_t cols, uint64_t gap = 0, uint64_t offset = 0,
                 unsigned warps = 4) {
    std::string name = std::to_string(rows) + "x" + std::to_string(cols);
    if (gap)
      name += "_gap" + std::to_string(gap);
    if (offset)
      name += "_offset" + std::to_string(offset);
    result.push_back({name + "_warps" + std::to_string(warps), rows, cols, gap, offset, warps});
  };
  for (uint64_t cols : {1, 2, 3, 31, 32, 33, 127, 128, 129, 1000, 1023, 1024, 1025, 4096})
    add(3, cols);
  add(1, 1);
  add(1823, 781);
  add(64, 12672, 0, 0, 16);
  add(7, 65536, 0, 0, 16);
  add(3, 65535, 0, 1, 32);
  add(5, 1024, 16);
  add(5, 1024, 3);
  add(5, 1024, 0, 1);
  add(5, 1000, 24, 3);
  for (unsigned warps : {1, 2, 8, 16, 32})
    add(6, 1000, 0, 0, warps);
  return result;
}

class Softmax : public OnEachTargetWith<Row> {
protected:
  /// Runs one of the kernels and compares every row.
  void check(const char *kernel, LaunchGrid grid, double low, double high, Tolerance tolerance) {
    uint64_t rows = row().rows, cols = row().cols, stride = cols + row().gap;
    HostArray x = makeRandom(ScalarKind::FP32, {rows, stride}, low, high, 1, row().offset);
    HostArray out = makeOutput(ScalarKind::FP32, {rows, stride}, row().offset);
    Launch launch("");
    launch.functions = softmaxSource;
    launch.kernel = kernel;
    launch.array("out", out).array("x", x).integer("out_stride", int64_t(stride));
    launch.integer("x_stride", int64_t(stride)).integer("n_cols", int64_t(cols));
    launch.integer("BLOCK", int64_t(llvm::PowerOf2Ceil(cols))).warps(row().warps);
    launch.grid = grid;
    if (std::string(kernel) == "softmax_persistent")
      launch.integer("n_rows", int64_t(rows));
    runFine(launch);
    if (IsSkipped())
      return;
    for (uint64_t r = 0; r < rows; ++r) {
      double top = -HUGE_VAL, sum = 0;
      for (uint64_t c = 0; c < cols; ++c)
        top = std::max(top, x.real(r * stride + c));
      for (uint64_t c = 0; c < cols; ++c)
        sum += std::exp(x.real(r * stride + c) - top);
      for (uint64_t c = 0; c < stride; ++c) {
        uint64_t at = r * stride + c;
        if (c >= cols) {
          ASSERT_TRUE(out.isPoison(at)) << "between rows, at " << formatIndex(at, out.shape());
          continue;
        }
        double expected = std::exp(x.real(at) - top) / sum;
        ASSERT_NEAR(out.real(at), expected, tolerance.absolute + tolerance.relative * expected)
            << "at " << formatIndex(at, out.shape());
      }
    }
  }
};

TEST_P(Softmax, OneRowAProgram) {
  check("softmax_rows", {int64_t(row().rows), 1, 1}, -8, 8, {2e-6, 0});
}

TEST_P(Softmax, Persistent) {
  check("softmax_persistent", {std::min<int64_t>(4, int64_t(row().rows)), 1, 1}, -8, 8, {2e-6, 0});
}

TEST_P(Softmax, LargeInputsDoNotOverflow) {
  // Results below the smallest normal number lose bits.
  check("softmax_rows", {int64_t(row().rows), 1, 1}, -1000, 1000, {1e-4, 1e-37});
}

INSTANTIATE_TEST_SUITE_P(, Softmax,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(softmaxRows())),
                         RowName<Row>());

class Gelu : public OnEachTarget {
protected:
  HostArray apply(HostArray &x, uint64_t offset = 0, int64_t block = 1024, unsigned warps = 4) {
    HostArray out = makeOutput(ScalarKind::FP32, {x.size()}, offset);
    Launch launch("");
    launch.functions = geluSource;
    launch.array("out", out).array("x", x).integer("n", int64_t(x.size()));
    launch.integer("BLOCK", block).warps(warps);
    runFine(launch.over(int64_t(llvm::divideCeil(x.size(), uint64_t(block)))));
    return out;
  }
};

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

TEST_P(Gelu, IsWithinTwoMillionths) {
  for (uint64_t count : {1, 2, 1023, 1024, 1025, (1 << 20) + 3})
    for (uint64_t offset : {0, 1}) {
      HostArray x = makeRandom(ScalarKind::FP32, {count}, -8, 8, count, offset);
      HostArray out = apply(x, offset);
      expectReals(out, [&](uint64_t i) { return gelu(x.real(i)); }, {0, 2e-6});
    }
}

TEST_P(Gelu, IsFiniteForEveryFiniteInput) {
  HostArray x = makeArray(ScalarKind::FP32, {2 * 278 + 2});
  uint64_t at = 0;
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (double sign : {-1.0, 1.0})
      x.setReal(at++, std::ldexp(sign, exponent));
  for (double value : {-double(FLT_MAX), double(FLT_MAX), 0.0, -0.0})
    x.setReal(at++, value);
  ASSERT_EQ(at, x.size());
  HostArray out = apply(x);
  expectReals(out, [&](uint64_t i) { return gelu(x.real(i)); }, {2e-6, 2e-6});
}

TEST_P(Gelu, EveryNumberOfWarps) {
  for (unsigned warps : {1, 2, 8, 16, 32}) {
    HostArray x = makeRandom(ScalarKind::FP32, {5000}, -8, 8);
    HostArray out = apply(x, 0, 2048, warps);
    expectReals(out, [&](uint64_t i) { return gelu(x.real(i)); }, {0, 2e-6});
  }
}

INSTANTIATE_TEST_SUITE_P(, Gelu, allTargets(), TargetName());

//===----------------------------------------------------------------------===//
// Adding two vectors: the plainest kernel, over sizes, blocks and warps
//===----------------------------------------------------------------------===//

class Add : public OnEachTarget {};

TEST_P(Add, EverySize) {
  const char *kernel = R"(
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
)";
  struct {
    uint64_t count, block;
    unsigned warps;
    uint64_t offset;
  } cases[] = {{1, 1, 4, 0},         {1, 1024, 4, 0},       {2, 1, 1, 0},
               {31, 32, 1, 0},       {33, 32, 1, 0},        {127, 128, 4, 1},
               {1023, 1024, 4, 0},   {1025, 1024, 4, 0},    {1025, 1024, 32, 1},
               {4096, 256, 2, 0},    {65536, 65536, 4, 0},  {65535, 65536, 32, 0},
               {65537, 32768, 8, 1}, {1000003, 4096, 16, 0}};
  for (const auto &shape : cases) {
    SCOPED_TRACE(std::to_string(shape.count) + " by " + std::to_string(shape.block));
    HostArray x = makeRandom(ScalarKind::FP32, {shape.count}, -9, 9, 1, shape.offset);
    HostArray y = makeRandom(ScalarKind::FP32, {shape.count}, -9, 9, 2);
    HostArray out = makeOutput(ScalarKind::FP32, {shape.count}, shape.offset);
    Launch launch(kernel);
    launch.array("x", x).array("y", y).array("out", out).integer("n", int64_t(shape.count));
    launch.integer("BLOCK", int64_t(shape.block)).warps(shape.warps);
    runFine(launch.over(int64_t(llvm::divideCeil(shape.count, shape.block))));
    expectReals(out, [&](uint64_t i) { return x.real(i) + y.real(i); });
  }
}

INSTANTIATE_TEST_SUITE_P(, Add, allTargets(), TargetName());

} // namespace
