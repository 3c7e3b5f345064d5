// What the CUDA baselines share: conversions, 16-byte vectors, reductions over a block.
//
// Every kernel is extern "C" and takes (out, x, rows, cols, cached): contiguous matrices, and
// whether the launch came with shared memory for a whole row.

#ifndef TILEC_BENCH_CUDA_COMMON_CUH
#define TILEC_BENCH_CUDA_COMMON_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

__device__ inline float toFloat(float value) { return value; }
__device__ inline float toFloat(__half value) { return __half2float(value); }
__device__ inline float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T> __device__ inline T fromFloat(float value) { return value; }
template <> __device__ inline __half fromFloat<__half>(float value) {
  return __float2half_rn(value);
}
template <> __device__ inline __nv_bfloat16 fromFloat<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

/// 16 bytes that are loaded and stored at once.
template <typename T> struct alignas(16) Vector {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

template <typename T> __device__ inline bool isAligned(const T *pointer) {
  return reinterpret_cast<unsigned long long>(pointer) % 16 == 0;
}

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Combine> __device__ inline float reduceWarp(float value, Combine combine) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, mask));
  return value;
}

/// Every thread gets the result. Blocks have whole warps.
template <typename Combine>
__device__ inline float reduceBlock(float value, float neutral, Combine combine) {
  __shared__ float parts[32];
  value = reduceWarp(value, combine);
  __syncthreads(); // The parts of an earlier reduction may still be read.
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : neutral;
  return reduceWarp(value, combine);
}

/// Defines the kernels NAME_fp32, NAME_bf16 and NAME_fp16 from the template NAME.
#define INSTANTIATE(NAME)                                                                          \
  extern "C" __global__ void NAME##_fp32(float *out, const float *x, int rows, int cols,           \
                                         int cached) {                                             \
    NAME(out, x, rows, cols, cached);                                                              \
  }                                                                                                \
  extern "C" __global__ void NAME##_bf16(__nv_bfloat16 *out, const __nv_bfloat16 *x, int rows,     \
                                         int cols, int cached) {                                   \
    NAME(out, x, rows, cols, cached);                                                              \
  }                                                                                                \
  extern "C" __global__ void NAME##_fp16(__half *out, const __half *x, int rows, int cols,         \
                                         int cached) {                                             \
    NAME(out, x, rows, cols, cached);                                                              \
  }

#endif // TILEC_BENCH_CUDA_COMMON_CUH
