//===- softmax.cpp - both softmax kernels from C++ ---------------*- C++ -*-===//
//
// Loads PTX that tilec made when this program was built, runs it on two sizes, and compares with
// float64. Links the host runtime and nothing else: no compiler, no CUDA library.
//
//===----------------------------------------------------------------------===//

#include "example.h"

#include <string>

namespace {

constexpr const char *rows1024 =
#include "rows_1024.ptx.inc"
    ;
constexpr const char *rows4096 =
#include "rows_4096.ptx.inc"
    ;
constexpr const char *persistent1024 =
#include "persistent_1024.ptx.inc"
    ;
constexpr const char *persistent4096 =
#include "persistent_4096.ptx.inc"
    ;

/// A kernel for one block size, as `tilec --emit=json` describes it.
struct Variant {
  const char *ptx;
  const char *symbol;
  uint32_t threads;
};

struct Matrix {
  int rows, cols;
  size_t count() const { return size_t(rows) * size_t(cols); }
  size_t bytes() const { return count() * sizeof(float); }
};

const tilec::Param rowParams[] = {{"out", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0},
                                  {"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 8},
                                  {"out_stride", TILEC_TYPE_I32, 16},
                                  {"x_stride", TILEC_TYPE_I32, 20},
                                  {"n_cols", TILEC_TYPE_I32, 24}};
const tilec::Param persistentParams[] = {{"out", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0},
                                         {"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 8},
                                         {"out_stride", TILEC_TYPE_I32, 16},
                                         {"x_stride", TILEC_TYPE_I32, 20},
                                         {"n_rows", TILEC_TYPE_I32, 24},
                                         {"n_cols", TILEC_TYPE_I32, 28}};

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

/// Runs one kernel on a matrix and prints the result.
tilec::Status run(const tilec::Device &device, Matrix size, const Variant &variant, bool persistent,
                  bool &fine) {
  std::vector<float> x = makeInput(size.count()), out(size.count());
  auto module = tilec::Module::load(device, variant.ptx);
  if (!module)
    return module.error();
  auto kernel = persistent ? module->kernel({variant.symbol, variant.threads, 0, persistentParams})
                           : module->kernel({variant.symbol, variant.threads, 0, rowParams});
  if (!kernel)
    return kernel.error();
  auto dx = tilec::Buffer::allocate(device, size.bytes());
  if (!dx)
    return dx.error();
  auto dout = tilec::Buffer::allocate(device, size.bytes());
  if (!dout)
    return dout.error();
  if (tilec::Status status = dx->copyIn(x.data(), size.bytes()); !status)
    return status;
  auto blocks = kernel->maxActiveBlocks();
  if (!blocks)
    return blocks.error();
  int resident = std::min(size.rows, std::max(*blocks, 1) * device.multiprocessors());
  auto launch = [&] {
    // The typed launch checks each argument against the kernel's parameter.
    if (persistent)
      return kernel->launch({}, {resident}, *dout, *dx, size.cols, size.cols, size.rows, size.cols);
    return kernel->launch({}, {size.rows}, *dout, *dx, size.cols, size.cols, size.cols);
  };
  auto time = timeLaunch(device, launch);
  if (!time)
    return time.error();
  if (tilec::Status status = dout->copyOut(out.data(), size.bytes()); !status)
    return status;
  std::string what = std::string(variant.symbol) + " " + std::to_string(size.rows) + "x" +
                     std::to_string(size.cols);
  fine &= report(what.c_str(), device, largestError(x, out, size), 2e-6, *time, 2 * size.bytes());
  return {};
}

} // namespace

int main() {
  return runOnDevice([](const tilec::Device &device, bool &fine) {
    const Matrix odd{1823, 781}, even{4096, 4096};
    tilec::Status status = run(device, odd, {rows1024, "softmax_rows", 128}, false, fine);
    if (status)
      status = run(device, even, {rows4096, "softmax_rows", 256}, false, fine);
    if (status)
      status = run(device, odd, {persistent1024, "softmax_persistent", 128}, true, fine);
    if (status)
      status = run(device, even, {persistent4096, "softmax_persistent", 256}, true, fine);
    return status;
  });
}
