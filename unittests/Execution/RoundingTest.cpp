//===- RoundingTest.cpp - operations that round in a direction --*- C++ -*-===//
//
// libdevice's forms that round down, up and toward zero, against the processor's own arithmetic in
// that mode: every combination of special values, and random ones that cancel, overflow and are
// denormal.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

using namespace tilec;
using namespace tilec::test;

namespace {

struct Row {
  const char *name;
  ScalarKind type;
  const char *expression; // Of a, b and c, with MODE for the suffix.
};

const ScalarKind f32 = ScalarKind::FP32, f64 = ScalarKind::FP64;

const Row rows[] = {
    {"add", f32, "add_MODE(a, b)"},
    {"add_f64", f64, "add_MODE(a, b)"},
    {"sub", f32, "sub_MODE(a, b)"},
    {"sub_f64", f64, "sub_MODE(a, b)"},
    {"mul", f32, "mul_MODE(a, b)"},
    {"mul_f64", f64, "mul_MODE(a, b)"},
    {"div", f32, "div_MODE(a, b)"},
    {"div_f64", f64, "div_MODE(a, b)"},
    {"fma", f32, "fma_MODE(a, b, c)"},
    {"fma_f64", f64, "fma_MODE(a, b, c)"},
    {"rcp", f32, "rcp_MODE(a)"},
    {"rcp_f64", f64, "rcp_MODE(a)"},
    {"sqrt", f32, "sqrt_MODE(a)"},
    {"sqrt_f64", f64, "sqrt_MODE(a)"},
    {"narrow", f64, "double2float_MODE(a)"},
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.expression; }

/// The operation of that name in the current rounding mode. Volatile operands keep the compiler
/// from computing anything in another one.
template <typename Float> Float compute(const std::string &name, double x, double y, double z) {
  volatile Float a = Float(x), b = Float(y), c = Float(z);
  volatile Float one = 1;
  if (name.find("add") == 0)
    return a + b;
  if (name.find("sub") == 0)
    return a - b;
  if (name.find("mul") == 0)
    return a * b;
  if (name.find("div") == 0)
    return a / b;
  if (name.find("fma") == 0)
    return std::fma(a, b, c);
  if (name.find("rcp") == 0)
    return one / a;
  return std::sqrt(a);
}

double reference(const Row &row, int mode, double a, double b, double c) {
  std::fesetround(mode);
  volatile double result = 0;
  if (std::string(row.name) == "narrow") {
    volatile double wide = a;
    volatile float narrow = float(wide);
    result = narrow;
  } else if (row.type == f32) {
    result = compute<float>(row.name, a, b, c);
  } else {
    result = compute<double>(row.name, a, b, c);
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Numbers that are neither too large nor too small for the type, or are nearly so.
double randomNumber(std::mt19937_64 &random, bool isWide) {
  int range = isWide ? 1100 : 152;
  int exponent = int(random() % (2 * range)) - range;
  if (random() % 4 == 0)
    exponent /= 40;
  double value = std::ldexp(double(int64_t(random())), exponent - 63);
  return isWide ? value : double(float(value));
}

struct Operands {
  std::vector<double> a, b, c;

  explicit Operands(bool isWide) {
    const double least = isWide ? 5e-324 : 0x1p-149, normal = isWide ? 0x1p-1022 : 0x1p-126;
    const double most = isWide ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    const double next = isWide ? 1 + 0x1p-52 : 1 + 0x1p-23;
    const double specials[] = {0,     -0.0,  1,      -1,     INFINITY, -INFINITY, NAN, most,
                               -most, least, -least, normal, -normal,  3,         next};
    for (double x : specials)
      for (double y : specials)
        for (double z : specials)
          push(x, y, z);
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
      double x = randomNumber(random, isWide), y = randomNumber(random, isWide);
      double near = isWide ? x * y : double(float(x * y));
      push(x, i % 3 ? y : -x * next, i % 4 ? -near * next : randomNumber(random, isWide));
    }
  }

private:
  void push(double x, double y, double z) {
    a.push_back(x);
    b.push_back(y);
    c.push_back(z);
  }
};

class Rounding : public OnEachTargetWith<Row> {
protected:
  HostArray fill(const std::vector<double> &values) {
    HostArray array = makeArray(row().type, {values.size()});
    for (size_t i = 0; i < values.size(); ++i)
      array.setReal(i, values[i]);
    return array;
  }

  /// Compares every result with what the processor computes in `mode`.
  void check(const Operands &operands, const std::string &suffix, int mode) {
    HostArray a = fill(operands.a), b = fill(operands.b), c = fill(operands.c);
    uint64_t count = operands.a.size();
    bool narrows = std::string(row().name) == "narrow";
    HostArray out = makeOutput(narrows ? f32 : row().type, {count});
    std::string expression = row().expression;
    expression.replace(expression.find("MODE"), 4, suffix);
    Launch launch(R"(
from triton.language.extra import libdevice


@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n)
    b = tl.load(b_ptr + i, mask=i < n)
    c = tl.load(c_ptr + i, mask=i < n)
    tl.store(out_ptr + i, libdevice.)" +
                  expression + ", mask=i < n)\n");
    launch.array("a_ptr", a).array("b_ptr", b).array("c_ptr", c).array("out_ptr", out);
    launch.integer("n", int64_t(count)).integer("BLOCK", 512).over(int64_t(count + 511) / 512);
    ASSERT_EQ(run(machine(), launch), "");
    if (IsSkipped())
      return;
    for (uint64_t i = 0; i < count; ++i) {
      double x = a.real(i), y = b.real(i), z = c.real(i), found = out.real(i);
      double expected = reference(row(), mode, x, y, z);
      bool same = std::isnan(expected)
                      ? std::isnan(found)
                      : found == expected && std::signbit(found) == std::signbit(expected);
      ASSERT_TRUE(same) << expression << " of " << x << ", " << y << ", " << z << ": expected "
                        << expected << ", found " << found;
    }
  }
};

TEST_P(Rounding, IsThatOfTheProcessor) {
  Operands operands(row().type == f64);
  check(operands, "rd", FE_DOWNWARD);
  check(operands, "ru", FE_UPWARD);
  check(operands, "rz", FE_TOWARDZERO);
}

INSTANTIATE_TEST_SUITE_P(, Rounding, ::testing::Combine(allTargets(), ::testing::ValuesIn(rows)),
                         RowName<Row>());

} // namespace
