// Softmax with a block for each row, 16-byte accesses where rows are aligned, shuffles instead of a
// tree, and the row kept in shared memory where it fits, so that memory is read once.

#include "common.cuh"

/// Calls `use(value)` for the thread's part of a row.
template <typename T, typename Use>
__device__ void forEach(const T *row, int cols, bool aligned, Use use) {
  constexpr int width = Vector<T>::size;
  if (!aligned) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
      use(toFloat(row[col]));
    return;
  }
#pragma unroll 4
  for (int col = threadIdx.x * width; col < cols; col += blockDim.x * width) {
    Vector<T> vector = *reinterpret_cast<const Vector<T> *>(row + col);
#pragma unroll
    for (int i = 0; i < width; ++i)
      use(toFloat(vector.elements[i]));
  }
}

template <typename T>
__device__ void write(T *out, const T *row, int cols, bool aligned, float top, float scale) {
  constexpr int width = Vector<T>::size;
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

template <typename T> __device__ void copyRow(T *to, const T *from, int cols, bool aligned) {
  constexpr int width = Vector<T>::size;
  if (!aligned) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
      to[col] = from[col];
    return;
  }
#pragma unroll 4
  for (int col = threadIdx.x * width; col < cols; col += blockDim.x * width)
    *reinterpret_cast<Vector<T> *>(to + col) = *reinterpret_cast<const Vector<T> *>(from + col);
}

template <typename T>
__device__ void softmax_vector(T *out, const T *x, int, int cols, int cached) {
  extern __shared__ Vector<float> storage[];
  const T *row = x + static_cast<long long>(blockIdx.x) * cols;
  out += static_cast<long long>(blockIdx.x) * cols;
  // Rows are aligned if they hold whole vectors, since the matrix is.
  bool aligned = cols % Vector<T>::size == 0 && isAligned(x);
  if (cached) {
    T *copy = reinterpret_cast<T *>(storage);
    copyRow(copy, row, cols, aligned); // Each thread reads only what it copied: no barrier.
    row = copy;
  }
  float top = -INFINITY, sum = 0;
  forEach(row, cols, aligned, [&](float value) { top = fmaxf(top, value); });
  top = reduceBlock(top, -INFINITY, Maximum());
  forEach(row, cols, aligned, [&](float value) { sum += __expf(value - top); });
  sum = reduceBlock(sum, 0, Sum());
  write(out, row, cols, aligned, top, 1 / sum);
}

INSTANTIATE(softmax_vector)
