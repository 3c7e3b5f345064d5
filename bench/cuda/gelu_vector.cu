// GELU with 16 bytes for each thread.

#include "gelu.cuh"

template <typename T> __device__ void gelu_vector(T *out, const T *x, int, int n, int) {
  constexpr int width = Vector<T>::size;
  long long first = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
  if (first + width <= n && isAligned(x) && isAligned(out)) {
    Vector<T> vector = *reinterpret_cast<const Vector<T> *>(x + first);
#pragma unroll
    for (int i = 0; i < width; ++i)
      vector.elements[i] = fromFloat<T>(geluOf(toFloat(vector.elements[i])));
    *reinterpret_cast<Vector<T> *>(out + first) = vector;
    return;
  }
  for (long long index = first; index < n && index < first + width; ++index)
    out[index] = fromFloat<T>(geluOf(toFloat(x[index])));
}

INSTANTIATE(gelu_vector)
