//===- HostLibrary.cpp - C library functions for kernels -------*- C++ -*-===//
//
// A fixed table instead of a search through the process: it works in a statically linked program,
// and a kernel cannot be made to call anything else.
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace tilec;
using namespace tilec::host;

namespace {
struct LibraryFunction {
  const char *name;
  void *address;
};
} // namespace

template <typename ResultT, typename... Args>
static LibraryFunction entry(const char *name, ResultT (*function)(Args...)) {
  return {name, reinterpret_cast<void *>(function)};
}

/// A function of doubles and its float twin, whose name ends in f.
#define TILEC_UNARY(name)                                                                          \
  entry<double, double>(#name, &::name), entry<float, float>(#name "f", &::name##f)
#define TILEC_BINARY(name)                                                                         \
  entry<double, double, double>(#name, &::name), entry<float, float, float>(#name "f", &::name##f)

/// LLVM makes one call of a sine and a cosine of the same number.
template <typename T> static void sineAndCosine(T x, T *sine, T *cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

HostMonitor::~HostMonitor() = default;

/// What checked kernels call: convert-tile-to-cpu documents it.
static int32_t checkAccess(const HostFailure *launch, const HostSite *site, const void *address,
                           int64_t index, uint64_t value, int32_t x, int32_t y, int32_t z) {
  return launch->monitor->allow({*site, address, index, value, {x, y, z}});
}

static void checkBarrier(const HostFailure *launch) { launch->monitor->passBarrier(); }

Error tilec::host::defineLibraryFunctions(orc::LLJIT &jit, orc::JITDylib &library) {
  const LibraryFunction functions[] = {
      entry<void *, void *, const void *, size_t>("memcpy", &::memcpy),
      entry<void *, void *, const void *, size_t>("memmove", &::memmove),
      entry<void *, void *, int, size_t>("memset", &::memset),
      {"printf", reinterpret_cast<void *>(&::printf)},
      {"tilec_check_access", reinterpret_cast<void *>(&checkAccess)},
      {"tilec_check_barrier", reinterpret_cast<void *>(&checkBarrier)},
      entry<double, double, double, double>("fma", &::fma),
      entry<float, float, float, float>("fmaf", &::fmaf),
      entry<double, double, int>("ldexp", &::ldexp),
      // The same in the rounding mode that kernels run in, and in every C library.
      entry<double, double>("roundeven", &::nearbyint),
      entry<float, float>("roundevenf", &::nearbyintf),
      entry<float, float, int>("ldexpf", &::ldexpf),
      entry<void, double, double *, double *>("sincos", &sineAndCosine<double>),
      entry<void, float, float *, float *>("sincosf", &sineAndCosine<float>),
      TILEC_UNARY(acos),
      TILEC_UNARY(acosh),
      TILEC_UNARY(asin),
      TILEC_UNARY(asinh),
      TILEC_UNARY(atan),
      TILEC_UNARY(atanh),
      TILEC_UNARY(cbrt),
      TILEC_UNARY(ceil),
      TILEC_UNARY(cos),
      TILEC_UNARY(cosh),
      TILEC_UNARY(erf),
      TILEC_UNARY(erfc),
      TILEC_UNARY(exp),
      TILEC_UNARY(exp2),
      TILEC_UNARY(expm1),
      TILEC_UNARY(floor),
      TILEC_UNARY(log),
      TILEC_UNARY(log10),
      TILEC_UNARY(log1p),
      TILEC_UNARY(log2),
      TILEC_UNARY(nearbyint),
      TILEC_UNARY(rint),
      TILEC_UNARY(round),
      TILEC_UNARY(sin),
      TILEC_UNARY(sinh),
      TILEC_UNARY(sqrt),
      TILEC_UNARY(tan),
      TILEC_UNARY(tanh),
      TILEC_UNARY(trunc),
      TILEC_BINARY(atan2),
      TILEC_BINARY(fmax),
      TILEC_BINARY(fmin),
      TILEC_BINARY(fmod),
      TILEC_BINARY(pow),
  };
  orc::SymbolMap symbols;
  for (const LibraryFunction &function : functions)
    symbols[jit.mangleAndIntern(function.name)] = {orc::ExecutorAddr::fromPtr(function.address),
                                                   JITSymbolFlags::Exported |
                                                       JITSymbolFlags::Callable};
  return library.define(orc::absoluteSymbols(std::move(symbols)));
}
