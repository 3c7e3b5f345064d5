//===- jit.cpp - softmax compiled for a size that is known late ---*- C++ -*-===//
//
// The number of columns comes from the command line, so the block size that covers a row does too:
// the kernel is compiled here, when it is launched, and kept on disk for the next run.
//
//   example-jit [ROWS COLUMNS] [--cpu]
//
//===----------------------------------------------------------------------===//

#include "tilec/jit.h"
#include "example.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

const char *const source =
#include "softmax.py.inc"
    ;

using Softmax = tilec::jit::Kernel<void(float *, const float *, int, int, int)>;

int fail(const char *message) {
  std::fprintf(stderr, "error: %s\n", message);
  return 1;
}

int nextPowerOf2(int n) {
  int power = 1;
  while (power < n)
    power *= 2;
  return power;
}

double milliseconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The largest relative error of a softmax over rows, against float64.
double largestError(const std::vector<float> &x, const std::vector<float> &out, int rows,
                    int cols) {
  double largest = 0;
  for (int row = 0; row < rows; ++row) {
    const float *in = &x[size_t(row) * size_t(cols)], *result = &out[size_t(row) * size_t(cols)];
    double top = *std::max_element(in, in + cols), sum = 0;
    for (int col = 0; col < cols; ++col)
      sum += std::exp(double(in[col]) - top);
    for (int col = 0; col < cols; ++col) {
      double expected = std::exp(double(in[col]) - top) / sum;
      largest = largerOf(largest, std::fabs(double(result[col]) - expected) / expected);
    }
  }
  return largest;
}

/// Launches over memory of the host: a kernel on the processor takes its addresses.
tilec::Status runOnHost(const Softmax &softmax, const std::vector<float> &x,
                        std::vector<float> &out, int rows, int cols) {
  return softmax.launch(tilec::Grid(rows), out.data(), x.data(), cols, cols, cols);
}

/// Launches over memory of the device.
tilec::Status runOnGpu(const Softmax &softmax, const std::vector<float> &x, std::vector<float> &out,
                       int rows, int cols) {
  auto device = tilec::Device::open(0);
  if (!device)
    return device.error();
  size_t bytes = x.size() * sizeof(float);
  auto dx = tilec::Buffer::allocate(*device, bytes);
  if (!dx)
    return dx.error();
  auto dout = tilec::Buffer::allocate(*device, bytes);
  if (!dout)
    return dout.error();
  if (tilec::Status status = dx->copyIn(x.data(), bytes); !status)
    return status;
  tilec::Status launched =
      softmax.launch(tilec::Grid(rows), dout->as<float>(), dx->as<float>(), cols, cols, cols);
  return launched ? dout->copyOut(out.data(), bytes) : launched;
}

int run(int rows, int cols, bool onCpu) {
  tilec::jit::Options options;
  options.target = onCpu ? TILEC_JIT_CPU : TILEC_JIT_AUTO;
  options.cache = tilec::jit::userCache();
  auto compiler = tilec::jit::Compiler::create(options);
  if (!compiler)
    return fail(compiler.error().message());
  auto module = compiler->compileText(source, "softmax.py");
  if (!module)
    return fail(module.error().message());
  auto softmax = module->kernel<void(float *, const float *, int, int, int)>(
      "softmax_rows", {{"BLOCK", nextPowerOf2(cols)}});
  if (!softmax)
    return fail(softmax.error().message());

  bool isHost = std::strncmp(compiler->target(), "CPU", 3) == 0;
  std::vector<float> x = makeInput(size_t(rows) * size_t(cols)), out(x.size());
  double times[2];
  for (double &time : times) {
    auto start = std::chrono::steady_clock::now();
    tilec::Status status =
        isHost ? runOnHost(*softmax, x, out, rows, cols) : runOnGpu(*softmax, x, out, rows, cols);
    if (!status)
      return fail(status.message());
    time = milliseconds(start);
  }
  double error = largestError(x, out, rows, cols);
  tilec_jit_counts counts = compiler->counts();
  std::printf(
      "softmax %d x %d on %s: largest error %.2e; first launch %.2f ms (%s), second %.2f ms\n",
      rows, cols, compiler->target(), error, times[0],
      counts.disk_hits ? "from the cache" : "compiled", times[1]);
  return error < 1e-5 ? 0 : fail("the error is too large");
}

} // namespace

int main(int argc, char **argv) {
  bool onCpu = argc > 1 && std::strcmp(argv[argc - 1], "--cpu") == 0;
  argc -= onCpu;
  int rows = argc == 3 ? std::atoi(argv[1]) : 1823, cols = argc == 3 ? std::atoi(argv[2]) : 781;
  if ((argc != 1 && argc != 3) || rows < 1 || cols < 1 || cols > 65536)
    return std::fprintf(stderr, "usage: %s [ROWS COLUMNS] [--cpu]\n", argv[0]), 2;
  return run(rows, cols, onCpu);
}
