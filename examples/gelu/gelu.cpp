//===- gelu.cpp - the GELU kernel from C++ -----------------------*- C++ -*-===//
//
// The kernel is compiled into the program, for GPUs and for the processor. Runs it on a length that
// no block size divides, and compares with float64. Links the host runtime and nothing else.
//
//   example-gelu [--device=auto|cuda|cpu]
//
//===----------------------------------------------------------------------===//

#include "embedded_gelu.h"
#include "example.h"

namespace {

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

tilec::Status run(const Place &place, const char *what, const std::vector<float> &x, bool &fine) {
  int n = int(x.size());
  std::vector<float> out(x.size());
  auto time = runAt(place, out, x, [&](float *result, const float *in) {
    return kernels::gelu({place.stream()}, result, in, n);
  });
  if (!time)
    return time.error();
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double expected = gelu(x[i]);
    // Absolute near zero, relative for numbers beyond 8.
    double error = std::fabs(double(out[i]) - expected) / std::max(1.0, std::fabs(expected) / 8);
    largest = largerOf(largest, error);
  }
  fine &= report(what, place, largest, 2e-6, *time, 2 * x.size() * sizeof(float));
  return {};
}

} // namespace

int main(int argc, char **argv) {
  return runExample(argc, argv, [](const Place &place, bool &fine) {
    std::vector<float> x = makeInput((1 << 20) + 3);
    tilec::Status status = run(place, "gelu, -8 to 8", x, fine);
    // Every power of two that float32 holds, and its negative.
    std::vector<float> extremes;
    for (int exponent = -149; exponent < 128; ++exponent)
      for (float sign : {-1.0f, 1.0f})
        extremes.push_back(std::ldexp(sign, exponent));
    return status ? run(place, "gelu, all magnitudes", extremes, fine) : status;
  });
}
