//===- matmul.cpp - A tuned matrix product from C++ ----------------*- C++ -*-===//
//
// gelu(A B + bias) in bfloat16 by one kernel. The program carries several configurations of it, and
// measures which one is the fastest here for these sizes; the result is compared with float64.
//
//   example-matmul [--m=N] [--n=N] [--k=N] [--activation=none|gelu] [--device=auto|cuda|cpu]
//
// On a GPU the sizes are 4096, on the processor 512, unless they are given.
//
//===----------------------------------------------------------------------===//

#include "array.h"
#include "embedded_matmul.h"
#include "options.h"

namespace {

using tilec::BFloat16;

/// What the command line says; sizes of 0 are open.
struct Problem {
  int m = 0, n = 0, k = 0;
  std::string activation = "gelu", device = "auto";
  double flops() const { return 2.0 * m * n * k; }
};

struct Arrays {
  Array<BFloat16> out, a, b, bias;
};

/// The tile of a configuration, which names it here.
struct Tile {
  int m, n;
};
constexpr Tile tiles[] = {{128, 256}, {128, 128}, {64, 128}, {64, 64}};

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

/// act(row A B + bias) of one row of A, in float64.
std::vector<double> referenceRow(const Problem &problem, const double *row,
                                 const std::vector<double> &b, const std::vector<double> &bias) {
  std::vector<double> sums = bias;
  for (size_t k = 0; k < size_t(problem.k); ++k)
    for (size_t n = 0; n < size_t(problem.n); ++n)
      sums[n] += row[k] * b[k * size_t(problem.n) + n];
  if (problem.activation == "gelu")
    for (double &sum : sums)
      sum = gelu(sum);
  return sums;
}

/// The largest error of some rows from first to last, as a part of the largest result: all rows if
/// that does not take long.
double largestError(const Problem &problem, const std::vector<BFloat16> &out,
                    const std::vector<BFloat16> &a, const std::vector<BFloat16> &b,
                    const std::vector<BFloat16> &bias) {
  constexpr double affordable = 1 << 28;
  int rows = int(std::min(double(problem.m), 2 + affordable / problem.n / problem.k));
  const std::vector<double> left = toDouble(a), right = toDouble(b), offset = toDouble(bias);
  double largest = 0, top = 0;
  for (int i = 0; i < rows; ++i) {
    size_t row = rows == 1 ? 0 : size_t(int64_t(problem.m - 1) * i / (rows - 1));
    std::vector<double> expected =
        referenceRow(problem, &left[row * size_t(problem.k)], right, offset);
    for (size_t col = 0; col < expected.size(); ++col) {
      double found = double(float(out[row * expected.size() + col]));
      largest = largerOf(largest, std::fabs(found - expected[col]));
      top = std::max(top, std::fabs(expected[col]));
    }
  }
  return top > 0 ? largest / top : largest;
}

tilec::Status launch(const Place &place, const Problem &problem, const Arrays &arrays, Tile tile) {
  kernels::matmul_options options{place.stream()};
  options.BLOCK_M = tile.m;
  options.BLOCK_N = tile.n;
  options.ACTIVATION = problem.activation == "gelu" ? kernels::matmul_ACTIVATION::gelu
                                                    : kernels::matmul_ACTIVATION::None;
  return kernels::matmul(options, arrays.out.data(), arrays.a.data(), arrays.b.data(),
                         arrays.bias.data(), problem.m, problem.n, problem.k);
}

/// Why a configuration is passed over; null if the error is another.
const char *whyNot(const tilec::Status &error) {
  return error.code() == tilec::Code::OutOfResources ? "too large for this GPU"
         : error.code() == tilec::Code::NoConfig     ? "not for these sizes"
                                                     : nullptr;
}

/// Finds the fastest configuration and its time.
tilec::Status tune(const Place &place, const Problem &problem, const Arrays &arrays, Tile &best,
                   float &bestTime) {
  bestTime = HUGE_VALF;
  for (Tile tile : tiles) {
    auto time = timeAt(place, [&] { return launch(place, problem, arrays, tile); });
    if (!time && !whyNot(time.error()))
      return time.error();
    if (!time) {
      std::printf("  tile %3d x %3d  %s\n", tile.m, tile.n, whyNot(time.error()));
      continue;
    }
    std::printf("  tile %3d x %3d  %9.2f us\n", tile.m, tile.n, double(*time) * 1e3);
    if (*time < bestTime)
      bestTime = *time, best = tile;
  }
  return {};
}

tilec::Status run(const Place &place, Problem problem, bool &fine) {
  for (int *size : {&problem.m, &problem.n, &problem.k})
    *size = *size ? *size : place.isGpu() ? 4096 : 512;
  size_t m = size_t(problem.m), n = size_t(problem.n), k = size_t(problem.k);
  const std::vector<BFloat16> a = randomBFloat16(m * k, 1), b = randomBFloat16(k * n, 2),
                              bias = randomBFloat16(n, 3);
  Arrays arrays;
  tilec::Status status = makeArray(place, m * n, arrays.out);
  if (status)
    status = makeArray(place, a, arrays.a);
  if (status)
    status = makeArray(place, b, arrays.b);
  if (status)
    status = makeArray(place, bias, arrays.bias);
  Tile best = tiles[0];
  float milliseconds = 0;
  if (status)
    status = tune(place, problem, arrays, best, milliseconds);
  if (status) // so that the result is the best configuration's
    status = launch(place, problem, arrays, best);
  std::vector<BFloat16> out;
  if (status)
    status = arrays.out.copyOut(out);
  if (!status)
    return status;

  // bfloat16 has 8 bits: the largest result is rounded by 2^-9 of itself.
  constexpr double bound = 0x1p-8;
  double error = largestError(problem, out, a, b, bias);
  fine = error <= bound;
  std::printf("%d x %d x %d, %s, %s: largest error %.1e of the largest result, %.2f us, "
              "%.2f TFLOP/s with tiles of %d x %d%s\n",
              problem.m, problem.n, problem.k, problem.activation.c_str(), place.name(), error,
              double(milliseconds) * 1e3, problem.flops() / (double(milliseconds) * 1e9), best.m,
              best.n, fine ? "" : "  TOO LARGE");
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Problem problem;
  Options options("example-matmul");
  options.number("m", problem.m, 1, 1 << 16);
  options.number("n", problem.n, 1, 1 << 16);
  options.number("k", problem.k, 1, 1 << 16);
  options.choice("activation", problem.activation, {"none", "gelu"});
  options.choice("device", problem.device, {"auto", "cuda", "cpu"});
  if (!options.parse(argc, argv))
    return 2;
  return runOn(problem.device,
               [&](const Place &place, bool &fine) { return run(place, problem, fine); });
}
