// The row softmax of examples/softmax in CUDA C++: one block a row, each thread holds its columns
// in registers, reductions by shuffles and shared memory. bench/compile_time.py compiles it.

#include <cfloat>
#include <cmath>

constexpr int kThreads = 256;
constexpr int kPerThread = 16;

template <typename Combine> __device__ float reduceBlock(float value, Combine combine) {
  __shared__ float parts[kThreads / 32];
  for (int mask = 16; mask > 0; mask /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, mask));
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < kThreads / 32; ++i)
    value = combine(value, parts[i]);
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    softmax_rows(float *out, const float *x, int out_stride, int x_stride, int n_cols) {
  x += static_cast<long long>(blockIdx.x) * x_stride;
  out += static_cast<long long>(blockIdx.x) * out_stride;
  float values[kPerThread];
  float top = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    int col = i * kThreads + threadIdx.x;
    values[i] = col < n_cols ? x[col] : -INFINITY;
    top = fmaxf(top, values[i]);
  }
  top = reduceBlock(top, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    values[i] = __expf(values[i] - top);
    sum += values[i];
  }
  sum = reduceBlock(sum, [](float a, float b) { return a + b; });
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    int col = i * kThreads + threadIdx.x;
    if (col < n_cols)
      out[col] = values[i] / sum;
  }
}
