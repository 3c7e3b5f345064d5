//===- gelu.cpp - the GELU kernel from C++ -----------------------*- C++ -*-===//
//
// The kernel is compiled into the program. Runs it on a length that no block size divides, and
// compares with float64. Links the host runtime and nothing else.
//
//===----------------------------------------------------------------------===//

#include "embedded_gelu.h"
#include "example.h"

namespace {

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

tilec::Status run(const tilec::Device &device, const char *what, const std::vector<float> &x,
                  bool &fine) {
  size_t bytes = x.size() * sizeof(float);
  int n = int(x.size());
  std::vector<float> out(x.size());
  auto dx = tilec::Buffer::allocate(device, bytes);
  if (!dx)
    return dx.error();
  auto dout = tilec::Buffer::allocate(device, bytes);
  if (!dout)
    return dout.error();
  if (tilec::Status status = dx->copyIn(x.data(), bytes); !status)
    return status;
  auto time = timeLaunch(device, [&] {
    return kernels::gelu({device.defaultStream()}, dout->as<float>(), dx->as<float>(), n);
  });
  if (!time)
    return time.error();
  if (tilec::Status status = dout->copyOut(out.data(), bytes); !status)
    return status;
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double expected = gelu(x[i]);
    // Absolute near zero, relative for numbers beyond 8.
    double error = std::fabs(double(out[i]) - expected) / std::max(1.0, std::fabs(expected) / 8);
    largest = largerOf(largest, error);
  }
  fine &= report(what, device, largest, 2e-6, *time, 2 * bytes);
  return {};
}

} // namespace

int main() {
  return runOnDevice([](const tilec::Device &device, bool &fine) {
    std::vector<float> x = makeInput((1 << 20) + 3);
    tilec::Status status = run(device, "gelu, -8 to 8", x, fine);
    // Every power of two that float32 holds, and its negative.
    std::vector<float> extremes;
    for (int exponent = -149; exponent < 128; ++exponent)
      for (float sign : {-1.0f, 1.0f})
        extremes.push_back(std::ldexp(sign, exponent));
    return status ? run(device, "gelu, all magnitudes", extremes, fine) : status;
  });
}
