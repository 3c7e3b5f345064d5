//===- ElementwiseTest.cpp - one operation on floats at a time --*- C++ -*-===//
//
// A table of expressions in `a` and `b`, two float32 tiles, with the reference beside each.
// Arithmetic that IEEE 754 rounds correctly is compared bit for bit, over every pair of special
// values too.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <cfloat>
#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Which inputs an expression gets.
enum class Inputs { Special, Finite, Positive };

struct Row {
  const char *name;
  const char *expression;
  double (*reference)(double a, double b);
  Inputs inputs;
  double low, high; // Of the random inputs.
  Tolerance tolerance;
};

const double inf = HUGE_VAL, nan = NAN;

double chosen(bool condition) { return condition ? 1 : 0; }

const Row rows[] = {
    {"add", "a + b", [](double a, double b) { return a + b; }, Inputs::Special, -100, 100, {}},
    {"sub", "a - b", [](double a, double b) { return a - b; }, Inputs::Special, -100, 100, {}},
    {"mul", "a * b", [](double a, double b) { return a * b; }, Inputs::Special, -100, 100, {}},
    {"neg", "0.0 - a", [](double a, double) { return 0 - a; }, Inputs::Special, -100, 100, {}},
    {"div", "a / b", [](double a, double b) { return a / b; }, Inputs::Finite, 1, 100, {3e-7, 0}},
    {"fdiv",
     "tl.fdiv(a, b)",
     [](double a, double b) { return a / b; },
     Inputs::Finite,
     1,
     100,
     {3e-7, 0}},
    {"div_rn",
     "tl.div_rn(a, b)",
     [](double a, double b) { return a / b; },
     Inputs::Special,
     1,
     100,
     {}},
    {"mod",
     "a % b",
     [](double a, double b) { return std::fmod(a, b); },
     Inputs::Special,
     1,
     100,
     {}},
    {"literal",
     "a * 0.5 + 1.0",
     [](double a, double) { return a * 0.5 + 1; },
     Inputs::Special,
     -4,
     4,
     {1e-7, 0}},
    {"maximum",
     "tl.maximum(a, b)",
     [](double a, double b) { return std::fmax(a, b); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"minimum",
     "tl.minimum(a, b)",
     [](double a, double b) { return std::fmin(a, b); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"maximum_nan",
     "tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)",
     [](double a, double b) { return a != a || b != b ? nan : std::fmax(a, b); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"clamp",
     "tl.clamp(a, -1.0, 2.0)",
     [](double a, double) { return std::fmin(std::fmax(a, -1), 2); },
     Inputs::Finite,
     -4,
     4,
     {}},
    {"abs",
     "tl.abs(a)",
     [](double a, double) { return std::fabs(a); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"floor",
     "tl.floor(a)",
     [](double a, double) { return std::floor(a); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"ceil",
     "tl.ceil(a)",
     [](double a, double) { return std::ceil(a); },
     Inputs::Special,
     -100,
     100,
     {}},
    {"sqrt",
     "tl.sqrt(a)",
     [](double a, double) { return std::sqrt(a); },
     Inputs::Positive,
     0,
     1e6,
     {2e-7, 0}},
    {"sqrt_rn",
     "tl.sqrt_rn(a)",
     [](double a, double) { return std::sqrt(a); },
     Inputs::Special,
     0,
     1e6,
     {}},
    {"rsqrt",
     "tl.rsqrt(a)",
     [](double a, double) { return 1 / std::sqrt(a); },
     Inputs::Positive,
     1e-6,
     1e6,
     {4e-7, 0}},
    {"exp",
     "tl.exp(a)",
     [](double a, double) { return std::exp(a); },
     Inputs::Finite,
     -8,
     8,
     {1e-6, 0}},
    {"exp_wide",
     "tl.exp(a)",
     [](double a, double) { return std::exp(a); },
     Inputs::Finite,
     -85,
     85,
     {1e-5, 0}},
    {"exp2",
     "tl.exp2(a)",
     [](double a, double) { return std::exp2(a); },
     Inputs::Finite,
     -120,
     120,
     {3e-7, 0}},
    {"log",
     "tl.log(a)",
     [](double a, double) { return std::log(a); },
     Inputs::Positive,
     1e-3,
     1e6,
     {1e-6, 3e-7}},
    {"log2",
     "tl.log2(a)",
     [](double a, double) { return std::log2(a); },
     Inputs::Positive,
     1e-3,
     1e6,
     {1e-6, 3e-7}},
    {"sin",
     "tl.sin(a)",
     [](double a, double) { return std::sin(a); },
     Inputs::Finite,
     -3,
     3,
     {0, 2e-6}},
    {"cos",
     "tl.cos(a)",
     [](double a, double) { return std::cos(a); },
     Inputs::Finite,
     -3,
     3,
     {0, 2e-6}},
    {"fma",
     "tl.fma(a, b, 1.0)",
     [](double a, double b) { return std::fma(a, b, 1.0); },
     Inputs::Finite,
     -100,
     100,
     {1e-7, 1e-7}},
    {"where",
     "tl.where(a > b, a, b)",
     [](double a, double b) { return a > b ? a : b; },
     Inputs::Special,
     -100,
     100,
     {}},
    {"where_literal",
     "tl.where(a > 0, a, 0.0)",
     [](double a, double) { return a > 0 ? a : 0; },
     Inputs::Special,
     -100,
     100,
     {}},
    {"less",
     "(a < b).to(tl.float32)",
     [](double a, double b) { return chosen(a < b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"less_equal",
     "(a <= b).to(tl.float32)",
     [](double a, double b) { return chosen(a <= b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"greater",
     "(a > b).to(tl.float32)",
     [](double a, double b) { return chosen(a > b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"greater_equal",
     "(a >= b).to(tl.float32)",
     [](double a, double b) { return chosen(a >= b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"equal",
     "(a == b).to(tl.float32)",
     [](double a, double b) { return chosen(a == b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"not_equal",
     "(a != b).to(tl.float32)",
     [](double a, double b) { return chosen(a != b); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"is_nan",
     "(a != a).to(tl.float32)",
     [](double a, double) { return chosen(a != a); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"and_mask",
     "((a > 0) & (b > 0)).to(tl.float32)",
     [](double a, double b) { return chosen(a > 0 && b > 0); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"not_mask",
     "(~(a > 0)).to(tl.float32)",
     [](double a, double) { return chosen(!(a > 0)); },
     Inputs::Special,
     -2,
     2,
     {}},
    {"exp_limits",
     "tl.exp(tl.where(a > 0, float('inf'), -float('inf')))",
     [](double a, double) { return a > 0 ? inf : 0; },
     Inputs::Finite,
     -2,
     2,
     {}},
    {"sigmoid",
     "tl.sigmoid(a)",
     [](double a, double) { return 1 / (1 + std::exp(-a)); },
     Inputs::Finite,
     -20,
     20,
     {3e-6, 0}},
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.expression; }

class Elementwise : public OnEachTargetWith<Row> {};

TEST_P(Elementwise, AgreesWithFloat64) {
  const double specials[] = {0.0,    -0.0,    1.0,      -1.0,    inf,          -inf,
                             nan,    FLT_MAX, -FLT_MAX, FLT_MIN, -FLT_MIN,     1e-45,
                             -1e-45, 1e-40,   16777216, 0.1f,    -2147483648.0};
  constexpr uint64_t numSpecials = sizeof(specials) / sizeof(*specials);
  // No power of two, so that the last program has masked lanes.
  constexpr uint64_t count = 1003;
  HostArray a = makeRandom(ScalarKind::FP32, {count}, row().low, row().high, 1);
  HostArray b = makeRandom(ScalarKind::FP32, {count}, row().low, row().high, 2);
  HostArray out = makeOutput(ScalarKind::FP32, {count});
  if (row().inputs == Inputs::Special)
    for (uint64_t index = 0; index < numSpecials * numSpecials; ++index) {
      a.setReal(index, specials[index / numSpecials]);
      b.setReal(index, specials[index % numSpecials]);
    }
  Launch launch(std::string(R"(
@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n)
    b = tl.load(b_ptr + i, mask=i < n)
    tl.store(out_ptr + i, )") +
                row().expression + ", mask=i < n)\n");
  launch.array("a_ptr", a).array("b_ptr", b).array("out_ptr", out);
  launch.integer("n", count).integer("BLOCK", 256).over(4);
  runFine(launch);
  expectReals(
      out, [&](uint64_t i) { return row().reference(a.real(i), b.real(i)); }, row().tolerance);
}

INSTANTIATE_TEST_SUITE_P(, Elementwise, ::testing::Combine(allTargets(), ::testing::ValuesIn(rows)),
                         RowName<Row>());

} // namespace
