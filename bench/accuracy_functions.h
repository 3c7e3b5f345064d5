//===- accuracy_functions.h - what the program `accuracy` goes over ----------*- C++ -*-===//
//
// The functions of float32 of the language and of libdevice: in float32, in float64, by the host's
// library in 80 bits where it has them, with our bounds over all arguments and what CUDA documents
// for its own (CUDA C++ Programming Guide 12, mathematical functions, single precision: "maximum
// ulp error", measured from the correctly rounded result).
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_BENCH_ACCURACY_FUNCTIONS_H
#define TILEC_BENCH_ACCURACY_FUNCTIONS_H

#include <cmath>
#include <math.h> // j0l and its like, which <cmath> need not have.

namespace tilec::bench {

using Real = long double;

struct Function {
  const char *name;
  const char *narrow, *wide; ///< of x, in float32 and in float64
  Real (*host)(Real x);      ///< null: the host's library has no such function
  double cpuBound, gpuBound; ///< in ulp
  const char *cuda;
};

inline constexpr double none = HUGE_VAL;

#define LIBDEVICE(name, host, cpu, gpu, cuda)                                                      \
  {"libdevice." #name, "libdevice." #name "(x)", "libdevice." #name "(x)", host, cpu, gpu, cuda}
#define HOST(expression) [](Real x) -> Real { return expression; }

inline const Function functions[] = {
    {"tl.exp", "tl.exp(x)", "libdevice.exp(x)", HOST(std::exp(x)), 2, 64, "2 + 1.173 abs x"},
    {"tl.exp2", "tl.exp2(x)", "libdevice.exp2(x)", HOST(std::exp2(x)), 2, none, "2"},
    {"tl.log", "tl.log(x)", "libdevice.log(x)", HOST(std::log(x)), 2, 2, "1"},
    {"tl.log2", "tl.log2(x)", "libdevice.log2(x)", HOST(std::log2(x)), 3, 3, "1"},
    {"tl.sqrt", "tl.sqrt(x)", "libdevice.sqrt(x)", HOST(std::sqrt(x)), 0.5, 1, "1"},
    {"tl.sqrt_rn", "tl.sqrt_rn(x)", "libdevice.sqrt(x)", HOST(std::sqrt(x)), 0.5, 0.5, "0"},
    {"tl.rsqrt", "tl.rsqrt(x)", "1.0 / libdevice.sqrt(x)", HOST(1 / std::sqrt(x)), 2, 2, "2"},
    {"1 / x", "1.0 / x", "1.0 / x", HOST(1 / x), 2, 2, "2"},
    {"x / 3", "x / 3.0", "x / 3.0", HOST(x / 3), 2, 3, "2"},
    {"tl.div_rn(1, x)", "tl.div_rn(1.0, x)", "1.0 / x", HOST(1 / x), 0.5, 0.5, "0"},
    {"tl.sigmoid", "tl.sigmoid(x)", "1.0 / (1.0 + libdevice.exp(x * -1.0))",
     HOST(1 / (1 + std::exp(-x))), none, none, ""},
    {"tl.sin", "tl.sin(x)", "libdevice.sin(x)", HOST(std::sin(x)), 2, 2, "2"},
    {"tl.cos", "tl.cos(x)", "libdevice.cos(x)", HOST(std::cos(x)), 2, 2, "2"},
    {"tl.erf", "tl.erf(x)", "libdevice.erf(x)", HOST(std::erf(x)), 2, 5, "2"},
    {"x % 3", "x % 3.0", "x % 3.0", HOST(std::fmod(x, Real(3))), 0, 0, "0"},
    LIBDEVICE(acos, HOST(std::acos(x)), 2, 2, "2"),
    LIBDEVICE(acosh, HOST(std::acosh(x)), 3, 3, "4"),
    LIBDEVICE(asin, HOST(std::asin(x)), 2, 2, "2"),
    LIBDEVICE(asinh, HOST(std::asinh(x)), 2, 2, "3"),
    LIBDEVICE(atan, HOST(std::atan(x)), 2, 2, "2"),
    LIBDEVICE(atanh, HOST(std::atanh(x)), 3, 3, "3"),
    LIBDEVICE(cbrt, HOST(std::cbrt(x)), 1, 2, "1"),
    LIBDEVICE(cosh, HOST(std::cosh(x)), 3, 3, "2"),
    LIBDEVICE(cospi, nullptr, 3, 3, "1"),
    LIBDEVICE(cyl_bessel_i0, nullptr, 1, 1, "6"),
    LIBDEVICE(cyl_bessel_i1, nullptr, 1, 1, "6"),
    LIBDEVICE(erf, HOST(std::erf(x)), 3, 5, "2"),
    LIBDEVICE(erfc, HOST(std::erfc(x)), 5, 5, "4"),
    LIBDEVICE(erfcinv, nullptr, 1, 1, "4"),
    LIBDEVICE(erfcx, nullptr, 4, 4, "4"),
    LIBDEVICE(erfinv, nullptr, 3, 3, "2"),
    LIBDEVICE(exp, HOST(std::exp(x)), 2, 3, "2"),
    LIBDEVICE(exp10, HOST(std::pow(Real(10), x)), 2, 2, "2"),
    LIBDEVICE(exp2, HOST(std::exp2(x)), 2, none, "2"),
    LIBDEVICE(expm1, HOST(std::expm1(x)), 2, 2, "1"),
    LIBDEVICE(j0, HOST(j0l(x)), 1, 1, "9 below 8, then 2.2e-6 absolute"),
    LIBDEVICE(j1, HOST(j1l(x)), 1, 1, "9 below 8, then 2.2e-6 absolute"),
    LIBDEVICE(lgamma, HOST(std::lgamma(x)), 1, 1, "6 outside of (-10.001, -2.264)"),
    LIBDEVICE(log, HOST(std::log(x)), 2, 2, "1"),
    LIBDEVICE(log10, HOST(std::log10(x)), 2, 2, "2"),
    LIBDEVICE(log1p, HOST(std::log1p(x)), 2, 2, "1"),
    LIBDEVICE(log2, HOST(std::log2(x)), 3, 3, "1"),
    LIBDEVICE(normcdf, HOST(std::erfc(x * -0.70710678118654752440L) / 2), 5, 5, "5"),
    LIBDEVICE(normcdfinv, nullptr, 1, 1, "5"),
    LIBDEVICE(rcbrt, HOST(1 / std::cbrt(x)), 2, 3, "1"),
    LIBDEVICE(rsqrt, HOST(1 / std::sqrt(x)), 2, 2, "2"),
    LIBDEVICE(sin, HOST(std::sin(x)), 2, 2, "2"),
    LIBDEVICE(sinh, HOST(std::sinh(x)), 3, 3, "3"),
    LIBDEVICE(sinpi, nullptr, 3, 3, "1"),
    LIBDEVICE(tan, HOST(std::tan(x)), 4, 4, "4"),
    LIBDEVICE(tanh, HOST(std::tanh(x)), 3, 6, "2"),
    LIBDEVICE(tgamma, HOST(std::tgamma(x)), 1, 1, "5"),
    LIBDEVICE(y0, HOST(x < 0 ? NAN : y0l(x)), 1, 1, "9 below 8, then 2.2e-6 absolute"),
    LIBDEVICE(y1, HOST(x < 0 ? NAN : y1l(x)), 1, 1, "9 below 8, then 2.2e-6 absolute"),
    {"libdevice.pow(x, 2.5)", "libdevice.pow(x, 2.5)",
     "libdevice.pow(x, tl.full([], 2.5, tl.float64))", HOST(std::pow(x, Real(2.5))), 2, 2, "4"},
    {"libdevice.pow(1.7, x)", "libdevice.pow(1.7, x)",
     "libdevice.pow(tl.full([], 1.7, tl.float32).to(tl.float64), x)", HOST(std::pow(Real(1.7f), x)),
     2, 2, "4"},
    {"libdevice.atan2(x, 0.7)", "libdevice.atan2(x, 0.7)",
     "libdevice.atan2(x, tl.full([], 0.7, tl.float32).to(tl.float64))",
     HOST(std::atan2(x, Real(0.7f))), 2, 2, "3"},
    {"libdevice.hypot(x, 3)", "libdevice.hypot(x, 3.0)",
     "libdevice.hypot(x, tl.full([], 3.0, tl.float64))", HOST(std::hypot(x, Real(3))), 2, 2, "3"},
};

#undef HOST
#undef LIBDEVICE

} // namespace tilec::bench

#endif // TILEC_BENCH_ACCURACY_FUNCTIONS_H
