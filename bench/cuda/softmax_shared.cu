// Softmax with a block for each row and a tree of partial results in shared memory. Loads are
// coalesced, but one element wide, and the row is read three times.

#include "common.cuh"

constexpr int kThreads = 256;

template <typename Combine>
__device__ float reduceTree(float *parts, float value, Combine combine) {
  __syncthreads(); // The result of an earlier reduction may still be read.
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      parts[threadIdx.x] = combine(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  return parts[0];
}

template <typename T> __device__ void softmax_shared(T *out, const T *x, int, int cols, int) {
  __shared__ float parts[kThreads];
  x += static_cast<long long>(blockIdx.x) * cols;
  out += static_cast<long long>(blockIdx.x) * cols;
  float top = -INFINITY, sum = 0;
  for (int col = threadIdx.x; col < cols; col += kThreads)
    top = fmaxf(top, toFloat(x[col]));
  top = reduceTree(parts, top, Maximum());
  for (int col = threadIdx.x; col < cols; col += kThreads)
    sum += __expf(toFloat(x[col]) - top);
  sum = reduceTree(parts, sum, Sum());
  for (int col = threadIdx.x; col < cols; col += kThreads)
    out[col] = fromFloat<T>(__expf(toFloat(x[col]) - top) / sum);
}

INSTANTIATE(softmax_shared)
