//===- cuda_stream.cu - A kernel of tilec among those of nvcc ------*- C++ -*-===//
//
// A program of the CUDA runtime with kernels of its own. One more comes from tilec: it takes the
// program's stream and pointers as they are, and runs between the other two.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/cuda-stream
//
// Needs nvcc to build and a GPU to run; without one it says so and ends well.
//
//===----------------------------------------------------------------------===//

#include "gelu_kernels.h"

#include <cstdio>
#include <cstdlib>

/// Numbers from -8 to 8.
__global__ void ramp(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 16.0f * i / n - 8;
}

/// Counts the elements of y that are not gelu(x).
__global__ void countErrors(const float *y, const float *x, int n, int *errors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double value = x[i];
  double u = 0.7978845608028654 * (value + 0.044715 * value * value * value);
  double expected = value / 2 * (1 + tanh(u));
  // A comparison with NaN is false.
  if (!(fabs(y[i] - expected) <= 2e-6))
    atomicAdd(errors, 1);
}

/// Ends the program when a call of the CUDA runtime has failed.
static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

int main() {
  int devices = 0;
  if (cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess || devices == 0) {
    std::printf("SKIPPED, no GPU: %s\n", cudaGetErrorString(error));
    return 0;
  }
  constexpr int n = (1 << 20) + 3, threads = 256, blocks = (n + threads - 1) / threads;
  cudaStream_t stream;
  float *x, *y;
  int *errors, count = -1;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocAsync(&x, n * sizeof(float), stream));
  CHECK(cudaMallocAsync(&y, n * sizeof(float), stream));
  CHECK(cudaMallocAsync(&errors, sizeof(int), stream));
  CHECK(cudaMemsetAsync(errors, 0, sizeof(int), stream));

  ramp<<<blocks, threads, 0, stream>>>(x, n);
  CHECK(cudaGetLastError());
  tilec::Status status = kernels::gelu({stream}, y, x, n);
  if (!status) {
    std::fprintf(stderr, "error: %s\n", status.message());
    return 1;
  }
  countErrors<<<blocks, threads, 0, stream>>>(y, x, n, errors);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpyAsync(&count, errors, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("gelu of %d numbers between two kernels of this program: %d errors\n", n, count);
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaFreeAsync(y, stream));
  CHECK(cudaFreeAsync(errors, stream));
  CHECK(cudaStreamDestroy(stream));
  return count == 0 ? 0 : 1;
}
