// Softmax that finds the maximum and the sum in one walk: whenever a thread meets a larger maximum,
// it rescales its sum (Milakov and Gimelshein, 2018). A second walk writes.

#include "common.cuh"

struct Running {
  float top = -INFINITY, sum = 0;

  __device__ void add(float value) {
    if (value > top) {
      sum *= __expf(top - value);
      top = value;
    }
    sum += __expf(value - top);
  }
};

template <typename T> __device__ void walk(Running &running, const T *row, int cols, bool aligned) {
  constexpr int width = Vector<T>::size;
  if (!aligned) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
      running.add(toFloat(row[col]));
    return;
  }
#pragma unroll 4
  for (int col = threadIdx.x * width; col < cols; col += blockDim.x * width) {
    Vector<T> vector = *reinterpret_cast<const Vector<T> *>(row + col);
#pragma unroll
    for (int i = 0; i < width; ++i)
      running.add(toFloat(vector.elements[i]));
  }
}

template <typename T> __device__ void softmax_online(T *out, const T *x, int, int cols, int) {
  constexpr int width = Vector<T>::size;
  const T *row = x + static_cast<long long>(blockIdx.x) * cols;
  out += static_cast<long long>(blockIdx.x) * cols;
  bool aligned = cols % width == 0 && isAligned(x);
  Running running;
  walk(running, row, cols, aligned);
  float top = reduceBlock(running.top, -INFINITY, Maximum());
  // A thread without elements has no maximum, and its sum of 0 must not meet infinities.
  float part = running.sum > 0 ? running.sum * __expf(running.top - top) : 0;
  float scale = 1 / reduceBlock(part, 0, Sum());
  if (!aligned) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
      out[col] = fromFloat<T>(__expf(toFloat(row[col]) - top) * scale);
    return;
  }
  for (int col = threadIdx.x * width; col < cols; col += blockDim.x * width) {
    Vector<T> vector = *reinterpret_cast<const Vector<T> *>(row + col);
#pragma unroll
    for (int i = 0; i < width; ++i)
      vector.elements[i] = fromFloat<T>(__expf(toFloat(vector.elements[i]) - top) * scale);
    *reinterpret_cast<Vector<T> *>(out + col) = vector;
  }
}

INSTANTIATE(softmax_online)
