//===- softmax.cpp - both softmax kernels from C++ ---------------*- C++ -*-===//
//
// The kernels are compiled into the program, for GPUs and for the processor. Runs them on two
// sizes, and compares with float64. The persistent kernel gets as many programs as the GPU holds at
// once, which the header tells. Links the host runtime and nothing else: no compiler, no CUDA
// library.
//
//   example-softmax [--device=auto|cuda|cpu]
//
//===----------------------------------------------------------------------===//

#include "embedded_softmax.h"
#include "example.h"

#include <string>
#include <thread>

namespace {

struct Matrix {
  int rows, cols;
  size_t count() const { return size_t(rows) * size_t(cols); }
  size_t bytes() const { return count() * sizeof(float); }
};

/// The largest relative error of `out` against softmax in float64.
double largestError(const std::vector<float> &x, const std::vector<float> &out, Matrix size) {
  double largest = 0;
  for (int row = 0; row < size.rows; ++row) {
    const float *in = &x[size_t(row) * size_t(size.cols)];
    const float *result = &out[size_t(row) * size_t(size.cols)];
    double top = *std::max_element(in, in + size.cols), sum = 0;
    for (int col = 0; col < size.cols; ++col)
      sum += std::exp(double(in[col]) - top);
    for (int col = 0; col < size.cols; ++col) {
      double expected = std::exp(double(in[col]) - top) / sum;
      double error = std::fabs(double(result[col]) - expected) / expected;
      largest = largerOf(largest, error);
    }
  }
  return largest;
}

/// A compiled BLOCK in which a row fits.
int64_t blockOf(Matrix size) { return size.cols <= 1024 ? 1024 : 4096; }

/// Runs `launch(out, x)` on a matrix and prints the result.
template <typename Launch>
tilec::Status run(const Place &place, Matrix size, const char *kernel, Launch launch, bool &fine) {
  std::vector<float> x = makeInput(size.count()), out(size.count());
  auto time = runAt(place, out, x, launch);
  if (!time)
    return time.error();
  std::string what =
      std::string(kernel) + " " + std::to_string(size.rows) + "x" + std::to_string(size.cols);
  fine &= report(what.c_str(), place, largestError(x, out, size), 2e-6, *time, 2 * size.bytes());
  return {};
}

tilec::Status runRows(const Place &place, Matrix size, bool &fine) {
  kernels::softmax_rows_options options{place.stream(), size.rows};
  options.BLOCK = blockOf(size);
  auto launch = [&](float *out, const float *x) {
    return kernels::softmax_rows(options, out, x, size.cols, size.cols, size.cols);
  };
  return run(place, size, "softmax_rows", launch, fine);
}

tilec::Status runPersistent(const Place &place, Matrix size, bool &fine) {
  kernels::softmax_persistent_options options{place.stream()};
  options.BLOCK = blockOf(size);
  if (!place.isGpu()) // a processor holds one on each of its threads
    options.grid = std::max(1u, std::thread::hardware_concurrency());
  auto launch = [&](float *out, const float *x) {
    if (!options.grid) {
      auto occupancy = kernels::softmax_persistent_occupancy(options, out, x, size.cols, size.cols,
                                                             size.rows, size.cols);
      if (!occupancy)
        return occupancy.error();
      options.grid = std::min(uint32_t(size.rows), occupancy->resident_programs);
    }
    return kernels::softmax_persistent(options, out, x, size.cols, size.cols, size.rows, size.cols);
  };
  return run(place, size, "softmax_persistent", launch, fine);
}

} // namespace

int main(int argc, char **argv) {
  return runExample(argc, argv, [](const Place &place, bool &fine) {
    tilec::Status status;
    for (Matrix size : {Matrix{1823, 781}, Matrix{4096, 4096}}) {
      if (status)
        status = runRows(place, size, fine);
      if (status)
        status = runPersistent(place, size, fine);
    }
    return status;
  });
}
