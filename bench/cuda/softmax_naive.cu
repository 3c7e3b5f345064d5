// Softmax as one writes it first: a thread takes a row and walks it three times. Neighbouring
// threads read addresses a row apart, so that each load of a warp touches 32 cache lines.

#include "common.cuh"

template <typename T> __device__ void softmax_naive(T *out, const T *x, int rows, int cols, int) {
  long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  x += row * cols;
  out += row * cols;
  float top = -INFINITY, sum = 0;
  for (int col = 0; col < cols; ++col)
    top = fmaxf(top, toFloat(x[col]));
  for (int col = 0; col < cols; ++col)
    sum += __expf(toFloat(x[col]) - top);
  for (int col = 0; col < cols; ++col)
    out[col] = fromFloat<T>(__expf(toFloat(x[col]) - top) / sum);
}

INSTANTIATE(softmax_naive)
