//===- LoopLoadTest.cpp - loads ahead of their loop ------------*- C++ -*-===//
//
// Rows summed and scaled by programs that walk over them, with every number of stages and every
// width of access: fewer rows than stages, no row, rows of odd length, rows that start off
// alignment; also over clusters of CTAs.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

using namespace tilec;
using namespace tilec::test;

namespace {

struct Row {
  const char *name;
  ScalarKind type;
  uint64_t rows, columns;
  int64_t block, programs, stages;
  unsigned warps, ctas;
  uint64_t offset;
};

const ScalarKind f16 = ScalarKind::FP16, f32 = ScalarKind::FP32, f64 = ScalarKind::FP64;

const Row rows[] = {
    {"two_stages", f32, 37, 100, 128, 3, 2, 1, 1, 0},
    {"three_stages", f32, 37, 128, 128, 5, 3, 2, 1, 0},
    {"four_stages", f32, 64, 1000, 1024, 2, 4, 4, 1, 0},
    {"fewer_rows_than_stages", f32, 2, 256, 256, 1, 4, 2, 1, 0},
    {"fewer_rows_than_programs", f32, 2, 256, 256, 4, 3, 2, 1, 0},
    {"one_row", f32, 1, 16, 16, 1, 2, 1, 1, 0},
    {"halves", f16, 21, 512, 512, 2, 3, 4, 1, 0},
    {"halves_unaligned", f16, 21, 511, 512, 2, 3, 4, 1, 1},
    {"doubles", f64, 13, 200, 256, 3, 2, 2, 1, 0},
    {"unaligned", f32, 30, 255, 256, 4, 3, 2, 1, 1},
    {"more_than_fits", f32, 5, 32768, 32768, 2, 8, 8, 1, 0},
    {"pair_of_ctas", f32, 19, 1000, 1024, 3, 3, 2, 2, 0},
    {"four_ctas", f16, 19, 4000, 4096, 2, 2, 4, 4, 0},
    {"eight_ctas", f32, 7, 16384, 16384, 3, 2, 4, 8, 0},
    {"replicated_over_ctas", f32, 9, 30, 32, 2, 2, 1, 4, 0},
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.name; }

class LoopLoad : public OnEachTargetWith<Row> {};

const char *const scaleByMean = R"(
@triton.jit
def kernel(x, out, n_rows, n_cols, stride, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * stride + cols, mask=inside, other=0.0)
        total = tl.sum(v.to(tl.float32), axis=0)
        top = tl.max(v.to(tl.float32), axis=0)
        tl.store(out + row * stride + cols, v * 2.0 + (total + top) / 1024.0, mask=inside)
)";

TEST_P(LoopLoad, AgreesWithFloat64) {
  const Row &r = row();
  HostArray x = makeRandom(r.type, {r.rows, r.columns}, -1, 1, 3, r.offset);
  HostArray out = makeOutput(r.type, {r.rows, r.columns}, r.offset);
  Launch launch(scaleByMean);
  launch.array("x", x).array("out", out).integer("n_rows", r.rows);
  launch.integer("n_cols", r.columns).integer("stride", r.columns);
  launch.integer("BLOCK", r.block).integer("STAGES", r.stages);
  launch.over(r.programs).warps(r.warps).ctas(r.ctas);
  runFine(launch);
  std::vector<double> shift(r.rows);
  for (uint64_t row = 0; row < r.rows; ++row) {
    double sum = 0, top = -1;
    for (uint64_t column = 0; column < r.columns; ++column) {
      double value = x.real(row * r.columns + column);
      sum += value;
      top = std::max(top, value);
    }
    // Elements outside of the row count as 0.
    if (r.columns < uint64_t(r.block))
      top = std::max(top, 0.0);
    shift[row] = (sum + top) / 1024;
  }
  double tolerance = r.type == f16 ? 2e-3 : 2e-6;
  expectReals(out, [&](uint64_t i) { return x.real(i) * 2 + shift[i / r.columns]; },
              {tolerance, tolerance});
}

TEST_P(LoopLoad, IsTheSameEveryTime) {
  const Row &r = row();
  HostArray x = makeRandom(r.type, {r.rows, r.columns}, -1, 1, 5, r.offset);
  HostArray first = makeOutput(r.type, {r.rows, r.columns}, r.offset);
  HostArray second = makeOutput(r.type, {r.rows, r.columns}, r.offset);
  for (HostArray *out : {&first, &second}) {
    Launch launch(scaleByMean);
    launch.array("x", x).array("out", *out).integer("n_rows", r.rows);
    launch.integer("n_cols", r.columns).integer("stride", r.columns);
    launch.integer("BLOCK", r.block).integer("STAGES", r.stages);
    runFine(launch.over(r.programs).warps(r.warps).ctas(r.ctas));
  }
  expectReals(second, [&](uint64_t i) { return first.real(i); });
}

INSTANTIATE_TEST_SUITE_P(, LoopLoad, ::testing::Combine(allTargets(), ::testing::ValuesIn(rows)),
                         RowName<Row>());

} // namespace
