// GELU of one element, tanh form, as in examples/gelu/gelu.py: (1 + tanh(u)) / 2 is 1 / (1 +
// exp(-2u)).

#ifndef TILEC_BENCH_CUDA_GELU_CUH
#define TILEC_BENCH_CUDA_GELU_CUH

#include "common.cuh"

__device__ inline float geluOf(float value) {
  float bounded = fminf(fmaxf(value, -16.0f), 16.0f);
  float u = 0.7978845608028654f * bounded * (1 + 0.044715f * bounded * bounded);
  float result = value / (1 + __expf(-2 * u));
  return value < -16.0f ? -0.0f : result;
}

#endif // TILEC_BENCH_CUDA_GELU_CUH
