//===- DriverAbiTest.cpp - Our driver declarations against cuda.h --------*- C++ -*-===//
//
// Where the toolkit's header is at hand, compares every declaration in Driver.h with it: constants
// by value, functions by the sizes of result and parameters.
//
//===-------------------------------------------------------------------------------===//

#include "Driver.h"

#include "gtest/gtest.h"

#include <cstddef>

#if __has_include(<cuda.h>)

// Shows all versions of a function, instead of renaming each to its latest.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

namespace {

/// Whether two function types pass the same values: as many, each of the same size.
template <typename Ours, typename Theirs> struct SameShape : std::false_type {};
template <typename R, typename... A, typename S, typename... B> struct SameShape<R(A...), S(B...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(A) == sizeof...(B))
      return sizeof(R) == sizeof(S) && ((sizeof(A) == sizeof(B)) && ...) &&
             ((std::is_pointer_v<A> == std::is_pointer_v<B>) && ...);
    return false;
  }
  static constexpr bool value = compare();
};

} // namespace

#define TILEC_COMPARE(NAME, PARAMS)                                                                \
  static_assert(                                                                                   \
      SameShape<std::remove_pointer_t<decltype(tilec::Driver::NAME)>, decltype(::NAME)>::value,    \
      #NAME " differs from cuda.h");
TILEC_DRIVER_REQUIRED(TILEC_COMPARE)
#if CUDA_VERSION >= 12040
TILEC_DRIVER_OPTIONAL(TILEC_COMPARE)
#endif

#define TILEC_CONSTANT(OURS, THEIRS)                                                               \
  static_assert(int(tilec::cu::OURS) == int(THEIRS), #THEIRS " differs from cuda.h");
TILEC_CONSTANT(Success, CUDA_SUCCESS)
TILEC_CONSTANT(ErrorInvalidValue, CUDA_ERROR_INVALID_VALUE)
TILEC_CONSTANT(ErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)
TILEC_CONSTANT(ErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY)
TILEC_CONSTANT(ErrorNoDevice, CUDA_ERROR_NO_DEVICE)
TILEC_CONSTANT(ErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE)
TILEC_CONSTANT(ErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT)
TILEC_CONSTANT(ErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
TILEC_CONSTANT(ErrorInvalidPtx, CUDA_ERROR_INVALID_PTX)
TILEC_CONSTANT(ErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
TILEC_CONSTANT(ErrorNotFound, CUDA_ERROR_NOT_FOUND)
TILEC_CONSTANT(ErrorNotReady, CUDA_ERROR_NOT_READY)
TILEC_CONSTANT(ErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS)
TILEC_CONSTANT(ErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
TILEC_CONSTANT(ErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT)
TILEC_CONSTANT(ErrorAssert, CUDA_ERROR_ASSERT)
TILEC_CONSTANT(ErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR)
TILEC_CONSTANT(ErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)
TILEC_CONSTANT(ErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS)
TILEC_CONSTANT(ErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE)
TILEC_CONSTANT(ErrorInvalidPc, CUDA_ERROR_INVALID_PC)
TILEC_CONSTANT(ErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED)
TILEC_CONSTANT(ErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
TILEC_CONSTANT(ErrorInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE)
TILEC_CONSTANT(MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
TILEC_CONSTANT(MaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
TILEC_CONSTANT(MaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
TILEC_CONSTANT(MaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
TILEC_CONSTANT(MaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
TILEC_CONSTANT(WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
TILEC_CONSTANT(MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
TILEC_CONSTANT(MemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
TILEC_CONSTANT(GlobalMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
TILEC_CONSTANT(MaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
TILEC_CONSTANT(ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
TILEC_CONSTANT(ComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
TILEC_CONSTANT(MaxSharedMemoryPerMultiprocessor,
               CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
TILEC_CONSTANT(MaxSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
TILEC_CONSTANT(ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
TILEC_CONSTANT(FunctionRequiredClusterWidth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)
TILEC_CONSTANT(FunctionNonPortableClusterSizeAllowed,
               CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
TILEC_CONSTANT(LaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
TILEC_CONSTANT(LaunchProgrammaticStreamSerialization,
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
#if CUDA_VERSION >= 12000
TILEC_CONSTANT(TensorMapUInt8, CU_TENSOR_MAP_DATA_TYPE_UINT8)
TILEC_CONSTANT(TensorMapUInt16, CU_TENSOR_MAP_DATA_TYPE_UINT16)
TILEC_CONSTANT(TensorMapUInt32, CU_TENSOR_MAP_DATA_TYPE_UINT32)
TILEC_CONSTANT(TensorMapUInt64, CU_TENSOR_MAP_DATA_TYPE_UINT64)
TILEC_CONSTANT(TensorMapInterleaveNone, CU_TENSOR_MAP_INTERLEAVE_NONE)
TILEC_CONSTANT(TensorMapSwizzleNone, CU_TENSOR_MAP_SWIZZLE_NONE)
TILEC_CONSTANT(TensorMapSwizzle128B, CU_TENSOR_MAP_SWIZZLE_128B)
TILEC_CONSTANT(TensorMapPromotion128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
TILEC_CONSTANT(TensorMapFillZeros, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
static_assert(sizeof(tilec::cu::TensorMap) == sizeof(CUtensorMap));
#endif
TILEC_CONSTANT(CaptureNone, CU_STREAM_CAPTURE_STATUS_NONE)
TILEC_CONSTANT(CaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED)
#if CUDA_VERSION >= 12000
TILEC_CONSTANT(LibraryBinaryIsPreserved, CU_LIBRARY_BINARY_IS_PRESERVED)
#endif
TILEC_CONSTANT(FunctionMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
TILEC_CONSTANT(FunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
TILEC_CONSTANT(FunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
TILEC_CONSTANT(FunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS)
TILEC_CONSTANT(FunctionMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
TILEC_CONSTANT(JitInfoLogBuffer, CU_JIT_INFO_LOG_BUFFER)
TILEC_CONSTANT(JitInfoLogBufferBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
TILEC_CONSTANT(JitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER)
TILEC_CONSTANT(JitErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
TILEC_CONSTANT(JitGenerateLineInfo, CU_JIT_GENERATE_LINE_INFO)
TILEC_CONSTANT(StreamDefault, CU_STREAM_DEFAULT)
TILEC_CONSTANT(StreamNonBlocking, CU_STREAM_NON_BLOCKING)
TILEC_CONSTANT(EventDefault, CU_EVENT_DEFAULT)

// The structures of an extended launch, member by member.
#define TILEC_MEMBER_PLACE(OURS, MEMBER, THEIRS, THEIR_MEMBER)                                     \
  static_assert(offsetof(tilec::cu::OURS, MEMBER) == offsetof(THEIRS, THEIR_MEMBER),               \
                #THEIRS " differs from cuda.h");
static_assert(sizeof(tilec::cu::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(sizeof(tilec::cu::LaunchAttribute) == sizeof(CUlaunchAttribute));
TILEC_MEMBER_PLACE(LaunchConfig, gridDim, CUlaunchConfig, gridDimX)
TILEC_MEMBER_PLACE(LaunchConfig, blockDim, CUlaunchConfig, blockDimX)
TILEC_MEMBER_PLACE(LaunchConfig, sharedBytes, CUlaunchConfig, sharedMemBytes)
TILEC_MEMBER_PLACE(LaunchConfig, stream, CUlaunchConfig, hStream)
TILEC_MEMBER_PLACE(LaunchConfig, attributes, CUlaunchConfig, attrs)
TILEC_MEMBER_PLACE(LaunchConfig, numAttributes, CUlaunchConfig, numAttrs)
TILEC_MEMBER_PLACE(LaunchAttribute, value, CUlaunchAttribute, value)
static_assert(sizeof(CUlaunchAttributeValue::clusterDim) == 3 * sizeof(unsigned));

TEST(DriverAbiTest, declarationsAgreeWithCudaH) {
  // The comparisons above are made by the compiler; this one needs a type of cuda.h.
  static_assert(std::is_same_v<::CUstream, ::CUstream_st *>, "tilec::Stream takes this type");
  SUCCEED() << "compared with cuda.h of version " << CUDA_VERSION;
}

#else

TEST(DriverAbiTest, declarationsAgreeWithCudaH) { GTEST_SKIP() << "built without cuda.h"; }

#endif
