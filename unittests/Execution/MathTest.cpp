//===- MathTest.cpp - how far each function is from the truth ---*- C++ -*-===//
//
// The bounds that docs/math.md states, in units in the last place: the distance between the
// neighbours of the exact result. Inputs are spread evenly over the bit patterns of the interval,
// so every power of two in it is hit as often as every other. TILEC_PRINT_ERRORS=1 prints what was
// measured.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <math.h> // j0l and its like, which <cmath> need not have.

using namespace tilec;
using namespace tilec::test;

namespace {

using Real = long double;

struct Row {
  const char *name;
  ScalarKind type;
  const char *expression;
  Real (*reference)(Real a);
  double low, high; // Of the argument.
  double cpu, cuda; // Largest error in ulp; infinite where the target has no such function.
};

const double none = HUGE_VAL;
const ScalarKind f32 = ScalarKind::FP32, f64 = ScalarKind::FP64;

Real rsqrt(Real a) { return 1 / std::sqrt(a); }
Real sigmoid(Real a) { return 1 / (1 + std::exp(-a)); }
Real third(Real a) { return 1 / (a * 3); }
Real exp10(Real a) { return std::pow(Real(10), a); }
Real rcbrt(Real a) { return 1 / std::cbrt(a); }
Real power(Real a) { return std::pow(a, a); }
Real half_hypot(Real a) { return std::hypot(a, a / 2); }
Real atan2_of_minus_2(Real a) { return std::atan2(a, Real(-2)); }
Real sinpi(Real a) { return std::sin(a * 3.14159265358979323846264L); }
Real cospi(Real a) { return std::cos(a * 3.14159265358979323846264L); }
Real normcdf(Real a) { return std::erfc(-a * 0.70710678118654752440084L) / 2; }

Real erfcinv(Real a) {
  // Newton's method from the right side of ln erfc, whose slope is close to -2y.
  Real y = a < 0.5L ? std::sqrt(-std::log(a)) : 0.8L - 0.8L * a;
  for (int i = 0; i < 12; ++i)
    y += (std::log(std::erfc(y)) - std::log(a)) * std::erfc(y) * std::exp(y * y) *
         0.88622692545275801365L;
  return y;
}
Real normcdfinv(Real a) { return -1.4142135623730950488L * erfcinv(2 * a); }
Real bessel_i0(Real a) { return std::cyl_bessel_i(Real(0), a); }
Real bessel_i1(Real a) { return std::cyl_bessel_i(Real(1), a); }
Real bessel_j0(Real a) { return j0l(a); }
Real bessel_j1(Real a) { return j1l(a); }
Real bessel_j5(Real a) { return jnl(5, a); }
Real bessel_y0(Real a) { return y0l(a); }
Real bessel_y1(Real a) { return y1l(a); }
Real bessel_y5(Real a) { return ynl(5, a); }

#define FN(function) [](Real a) -> Real { return std::function(a); }

const Row rows[] = {
    {"exp", f32, "tl.exp(a)", FN(exp), -87, 88, 2, 64},
    {"exp_small", f32, "tl.exp(a)", FN(exp), -1, 1, 2, 5},
    {"exp2", f32, "tl.exp2(a)", FN(exp2), -126, 127.9, 2, 2},
    {"log", f32, "tl.log(a)", FN(log), 1e-45, FLT_MAX, 2, 2},
    {"log2", f32, "tl.log2(a)", FN(log2), 1e-45, FLT_MAX, 3, 3},
    {"sqrt", f32, "tl.sqrt(a)", FN(sqrt), 1e-45, FLT_MAX, 0.5, 1},
    {"sqrt_rn", f32, "tl.sqrt_rn(a)", FN(sqrt), 1e-45, FLT_MAX, 0.5, 0.5},
    {"rsqrt", f32, "tl.rsqrt(a)", rsqrt, 1.2e-38, FLT_MAX, 1.5, 2},
    {"division", f32, "1.0 / (a * 3.0)", third, 1e-30, 1e30, 2, 3},
    {"div_rn", f32, "tl.div_rn(1.0, a)", [](Real a) -> Real { return 1 / a; }, 1e-37, 1e37, 0.5,
     0.5},
    {"sigmoid", f32, "tl.sigmoid(a)", sigmoid, -20, 20, 4, 20},
    {"sin", f32, "tl.sin(a)", FN(sin), 1e-3, 3, 2, 2},
    {"sin_large", f32, "tl.sin(a)", FN(sin), 1e3, FLT_MAX, 2, 2},
    {"cos", f32, "tl.cos(a)", FN(cos), 1e-3, 1.5, 2, 2},
    {"cos_large", f32, "tl.cos(a)", FN(cos), 1e3, FLT_MAX, 2, 2},
    {"erf", f32, "tl.erf(a)", FN(erf), -4, 4, 2, 5},
    {"exp_f64", f64, "tl.exp(a)", FN(exp), -707, 709, 2, 2},
    {"exp2_f64", f64, "tl.exp2(a)", FN(exp2), -1021, 1023, 2, 2},
    {"log_f64", f64, "tl.log(a)", FN(log), 5e-324, DBL_MAX, 2, 2},
    {"log2_f64", f64, "tl.log2(a)", FN(log2), 5e-324, DBL_MAX, 3, 3},
    {"sqrt_f64", f64, "tl.sqrt(a)", FN(sqrt), 5e-324, DBL_MAX, 0.501, 0.501},
    {"rsqrt_f64", f64, "tl.rsqrt(a)", rsqrt, 2.3e-308, DBL_MAX, 1.5, 1.5},
    {"sin_f64", f64, "tl.sin(a)", FN(sin), 1e-3, 3, 2, 2},
    {"sin_f64_large", f64, "tl.sin(a)", FN(sin), 1e3, 1e15, 2, 3},
    {"cos_f64", f64, "tl.cos(a)", FN(cos), 1e-3, 1.5, 2, 2},
    {"cos_f64_large", f64, "tl.cos(a)", FN(cos), 1e3, 1e15, 2, 3},
    {"erf_f64", f64, "tl.erf(a)", FN(erf), -4, 4, 2, 2},
    {"device_acos", f32, "libdevice.acos(a)", FN(acos), -1, 1, 2, 2},
    {"device_acos_f64", f64, "libdevice.acos(a)", FN(acos), -1, 1, 2, 2},
    {"device_acosh", f32, "libdevice.acosh(a)", FN(acosh), 1.0001, FLT_MAX, 2, 2},
    {"device_acosh_f64", f64, "libdevice.acosh(a)", FN(acosh), 1.0001, 1e+300, 2, 2},
    {"device_asin", f32, "libdevice.asin(a)", FN(asin), -1, 1, 2, 2},
    {"device_asin_f64", f64, "libdevice.asin(a)", FN(asin), -1, 1, 2, 2},
    {"device_asinh", f32, "libdevice.asinh(a)", FN(asinh), -FLT_MAX, FLT_MAX, 2, 2},
    {"device_asinh_f64", f64, "libdevice.asinh(a)", FN(asinh), -1e+300, 1e+300, 2, 2},
    {"device_atan", f32, "libdevice.atan(a)", FN(atan), -FLT_MAX, FLT_MAX, 2, 2},
    {"device_atan_f64", f64, "libdevice.atan(a)", FN(atan), -1e+300, 1e+300, 2, 2},
    {"device_atanh", f32, "libdevice.atanh(a)", FN(atanh), -0.9999, 0.9999, 2, 2},
    {"device_atanh_f64", f64, "libdevice.atanh(a)", FN(atanh), -0.9999, 0.9999, 2, 2},
    {"device_cbrt", f32, "libdevice.cbrt(a)", FN(cbrt), -FLT_MAX, FLT_MAX, 1, 2},
    {"device_cbrt_f64", f64, "libdevice.cbrt(a)", FN(cbrt), -DBL_MAX, DBL_MAX, 1, 2},
    {"device_cosh", f32, "libdevice.cosh(a)", FN(cosh), -89, 89, 3, 3},
    {"device_cosh_f64", f64, "libdevice.cosh(a)", FN(cosh), -709, 709, 3, 3},
    {"device_erf", f32, "libdevice.erf(a)", FN(erf), -6, 6, 3, 5},
    {"device_erf_f64", f64, "libdevice.erf(a)", FN(erf), -6, 6, 2, 2},
    {"device_erfc", f32, "libdevice.erfc(a)", FN(erfc), -6, 9, 4, 4},
    {"device_erfc_f64", f64, "libdevice.erfc(a)", FN(erfc), -6, 26, 4, 4},
    {"device_exp", f32, "libdevice.exp(a)", FN(exp), -87, 88, 2, 2},
    {"device_exp_f64", f64, "libdevice.exp(a)", FN(exp), -707, 709, 2, 2},
    {"device_exp10", f32, "libdevice.exp10(a)", exp10, -37, 38, 2, 2},
    {"device_exp10_f64", f64, "libdevice.exp10(a)", exp10, -300, 308, 2, 2},
    {"device_expm1", f32, "libdevice.expm1(a)", FN(expm1), -30, 88, 2, 2},
    {"device_expm1_f64", f64, "libdevice.expm1(a)", FN(expm1), -40, 709, 2, 2},
    {"device_log10", f32, "libdevice.log10(a)", FN(log10), 1e-44, FLT_MAX, 2, 2},
    {"device_log10_f64", f64, "libdevice.log10(a)", FN(log10), 1e-320, 1e+300, 2, 2},
    {"device_log1p", f32, "libdevice.log1p(a)", FN(log1p), -0.99, FLT_MAX, 2, 2},
    {"device_log1p_f64", f64, "libdevice.log1p(a)", FN(log1p), -0.99, 1e+300, 2, 2},
    {"device_sinh", f32, "libdevice.sinh(a)", FN(sinh), -89, 89, 3, 3},
    {"device_sinh_f64", f64, "libdevice.sinh(a)", FN(sinh), -709, 709, 3, 3},
    {"device_tan", f32, "libdevice.tan(a)", FN(tan), 0.001, 1.5, 3, 3},
    {"device_tan_f64", f64, "libdevice.tan(a)", FN(tan), 0.001, 1.5, 3, 3},
    {"device_tanh", f32, "libdevice.tanh(a)", FN(tanh), -20, 20, 3, 6},
    {"device_tanh_f64", f64, "libdevice.tanh(a)", FN(tanh), -30, 30, 2, 2},
    {"device_rsqrt", f32, "libdevice.rsqrt(a)", rsqrt, 1.2e-38, FLT_MAX, 2, 2},
    {"device_rsqrt_f64", f64, "libdevice.rsqrt(a)", rsqrt, 2.3e-308, 1e+308, 2, 2},
    {"device_rcbrt", f32, "libdevice.rcbrt(a)", rcbrt, 1e-30, FLT_MAX, 2, 3},
    {"device_rcbrt_f64", f64, "libdevice.rcbrt(a)", rcbrt, 1e-300, 1e+308, 2, 3},
    {"device_power", f32, "libdevice.pow(a, a)", power, 1e-30, 20, 2, 2},
    {"device_power_small", f32, "libdevice.pow(a, -30.7)",
     [](Real a) -> Real { return std::pow(a, Real(-30.7f)); }, 0.06, 17, 2, 2},
    {"device_power_whole", f32, "libdevice.pow(a, 40000001)",
     [](Real a) -> Real { return std::pow(a, Real(40000001)); }, 0.999998, 1.000002, 2, 2},
    {"device_power_f64", f64, "libdevice.pow(a, a)", power, 1e-300, 140, 2, 2},
    {"device_power_near_one_f64", f64, "libdevice.pow(a, a * 0 + 2000.7)",
     [](Real a) -> Real { return std::pow(a, Real(2000.7)); }, 0.71, 1.41, 2, 2},
    {"device_power_tiny_f64", f64, "libdevice.pow(a, a * 0 - 1e12)",
     [](Real a) -> Real { return std::pow(a, Real(-1e12)); }, 0.9999999994, 1.0000000006, 2, 2},
    {"device_hypot", f32, "libdevice.hypot(a, a * 0.5)", half_hypot, 1e-30, 1e+30, 2, 2},
    {"device_hypot_f64", f64, "libdevice.hypot(a, a * 0.5)", half_hypot, 1e-300, 1e+300, 2, 2},
    {"device_atan2", f32, "libdevice.atan2(a, a * 0 - 2.0)", atan2_of_minus_2, -10000000000.0,
     10000000000.0, 2, 2},
    {"device_atan2_f64", f64, "libdevice.atan2(a, a * 0 - 2.0)", atan2_of_minus_2, -10000000000.0,
     10000000000.0, 2, 2},
    {"device_sinpi", f32, "libdevice.sinpi(a)", sinpi, 0.001, 0.9, 3, 3},
    {"device_sinpi_f64", f64, "libdevice.sinpi(a)", sinpi, 0.001, 0.9, 3, 3},
    {"device_cospi", f32, "libdevice.cospi(a)", cospi, 0.001, 0.49, 3, 3},
    {"device_cospi_f64", f64, "libdevice.cospi(a)", cospi, 0.001, 0.49, 3, 3},
    {"device_normcdf", f32, "libdevice.normcdf(a)", normcdf, -12, 6, 4, 4},
    {"device_normcdf_f64", f64, "libdevice.normcdf(a)", normcdf, -37, 8, 4, 4},
    {"device_tgamma", f32, "libdevice.tgamma(a)", FN(tgamma), 1e-37, 35, 1, 1},
    {"device_tgamma_f64", f64, "libdevice.tgamma(a)", FN(tgamma), 1e-300, 171.6, 2, 10},
    {"device_tgamma_mirrored", f32, "libdevice.tgamma(a)", FN(tgamma), -4.99, -4.01, 1, 1},
    {"device_tgamma_mirrored_f64", f64, "libdevice.tgamma(a)", FN(tgamma), -20.99, -20.01, 5, 10},
    {"device_lgamma", f32, "libdevice.lgamma(a)", FN(lgamma), 1e-37, 1e36, 1, 1},
    {"device_lgamma_f64", f64, "libdevice.lgamma(a)", FN(lgamma), 1e-300, 1e300, 2, 2},
    {"device_lgamma_mirrored", f32, "libdevice.lgamma(a)", FN(lgamma), -1.99, -0.01, 1, 1},
    {"device_lgamma_mirrored_f64", f64, "libdevice.lgamma(a)", FN(lgamma), -1.99, -0.01, 5, 5},
    {"device_j0", f32, "libdevice.j0(a)", bessel_j0, 1e-3, 2, 1, 1},
    {"device_j0_f64", f64, "libdevice.j0(a)", bessel_j0, 1e-3, 2, 6, 6},
    {"device_j0_far", f32, "libdevice.j0(a)", bessel_j0, 9, 11, 1, 1},
    {"device_j0_far_f64", f64, "libdevice.j0(a)", bessel_j0, 9, 11, 4, 6},
    {"device_j1", f32, "libdevice.j1(a)", bessel_j1, 1e-3, 3.5, 1, 1},
    {"device_j1_f64", f64, "libdevice.j1(a)", bessel_j1, 1e-3, 3.5, 8, 8},
    {"device_y0", f32, "libdevice.y0(a)", bessel_y0, 1e-30, 0.8, 1, 1},
    {"device_y0_f64", f64, "libdevice.y0(a)", bessel_y0, 1e-30, 0.5, 16, 16},
    {"device_y1", f32, "libdevice.y1(a)", bessel_y1, 1e-30, 2, 1, 1},
    {"device_y1_f64", f64, "libdevice.y1(a)", bessel_y1, 1e-30, 1.8, 24, 24},
    {"device_j5", f32, "libdevice.jn(5, a)", bessel_j5, 0.1, 8, 1, 1},
    {"device_j5_f64", f64, "libdevice.jn(5, a)", bessel_j5, 0.1, 8, 32, 32},
    {"device_y5", f32, "libdevice.yn(5, a)", bessel_y5, 0.1, 5, 1, 1},
    {"device_y5_f64", f64, "libdevice.yn(5, a)", bessel_y5, 0.1, 5, 16, 16},
    {"device_bessel_i0", f32, "libdevice.cyl_bessel_i0(a)", bessel_i0, 1e-3, 90, 1, 1},
    {"device_bessel_i0_f64", f64, "libdevice.cyl_bessel_i0(a)", bessel_i0, 1e-3, 700, 6, 6},
    {"device_bessel_i1", f32, "libdevice.cyl_bessel_i1(a)", bessel_i1, 1e-3, 90, 1, 1},
    {"device_bessel_i1_f64", f64, "libdevice.cyl_bessel_i1(a)", bessel_i1, 1e-3, 700, 5, 5},
    {"device_erfcinv", f32, "libdevice.erfcinv(a)", erfcinv, 1e-37, 0.9, 1, 1},
    {"device_erfcinv_f64", f64, "libdevice.erfcinv(a)", erfcinv, 1e-300, 0.9, 4, 4},
    {"device_normcdfinv", f32, "libdevice.normcdfinv(a)", normcdfinv, 1e-37, 0.45, 1, 1},
    {"device_normcdfinv_f64", f64, "libdevice.normcdfinv(a)", normcdfinv, 1e-300, 0.45, 4, 4},
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.expression; }

/// Number `index` of the type's values in the order of the numbers; the value, from its number.
template <typename Float, typename Int> struct Ordered {
  static int64_t number(double value) {
    Float narrow = Float(value);
    Int bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits < 0 ? int64_t(std::numeric_limits<Int>::min()) - bits : bits;
  }
  static double value(int64_t number) {
    Int bits = number < 0 ? Int(int64_t(std::numeric_limits<Int>::min()) - number) : Int(number);
    Float narrow;
    std::memcpy(&narrow, &bits, sizeof bits);
    return double(narrow);
  }
};

/// The distance between neighbours of `x` in a type of `precision` bits.
Real spacing(Real x, int precision, int smallestExponent) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(Real(1), std::max(exponent, smallestExponent) - precision);
}

/// Inputs evenly over the bit patterns, with both ends.
template <typename Order> void spread(HostArray &array, double low, double high) {
  uint64_t last = array.size() - 1;
  int64_t first = Order::number(low);
  uint64_t span = uint64_t(Order::number(high)) - uint64_t(first);
  for (uint64_t i = 0; i <= last; ++i) {
    auto step = uint64_t((unsigned __int128)span * i / last);
    array.setReal(i, Order::value(int64_t(uint64_t(first) + step)));
  }
}

class Math : public OnEachTargetWith<Row> {};

TEST_P(Math, StaysWithinItsBound) {
  constexpr uint64_t count = (1 << 17) + 3;
  bool isCuda = std::get<0>(GetParam()) == Target::CUDA;
  double bound = isCuda ? row().cuda : row().cpu;
  bool isWide = row().type == ScalarKind::FP64;
  HostArray a = makeArray(row().type, {count});
  HostArray out = makeOutput(row().type, {count});
  if (isWide)
    spread<Ordered<double, int64_t>>(a, row().low, row().high);
  else
    spread<Ordered<float, int32_t>>(a, row().low, row().high);
  Launch launch(std::string(R"(
from triton.language.extra import libdevice


@triton.jit
def kernel(a_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n)
    tl.store(out_ptr + i, )") +
                row().expression + ", mask=i < n)\n");
  launch.array("a_ptr", a).array("out_ptr", out);
  launch.integer("n", count).integer("BLOCK", 1024).over((count + 1023) / 1024);
  std::string errors = run(machine(), launch);
  if (bound == none) {
    EXPECT_NE(errors.find("not supported on GPUs yet"), std::string::npos) << errors;
    return;
  }
  ASSERT_EQ(errors, "");
  if (IsSkipped())
    return;
  Real worst = 0;
  double worstAt = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Real expected = row().reference(a.real(i));
    Real ulp = isWide ? spacing(expected, DBL_MANT_DIG, DBL_MIN_EXP)
                      : spacing(expected, FLT_MANT_DIG, FLT_MIN_EXP);
    Real error = std::fabs(out.real(i) - expected) / ulp;
    // A NaN is as far off as can be.
    if (!(error <= worst)) {
      worst = error;
      worstAt = a.real(i);
    }
  }
  if (std::getenv("TILEC_PRINT_ERRORS"))
    printf("%s %s: %.3Lf ulp at %a\n", nameOf(std::get<0>(GetParam())).c_str(), row().name, worst,
           worstAt);
  EXPECT_LE(worst, bound) << "at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(, Math, ::testing::Combine(allTargets(), ::testing::ValuesIn(rows)),
                         RowName<Row>());

} // namespace
