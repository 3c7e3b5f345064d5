//===- Driver.h - Declarations of the CUDA driver's entry points ---------*- C++ -*-===//
//
// The part of the CUDA driver's binary interface that the runtime calls, declared here so that no
// CUDA header is needed, and the table of functions found in the library opened at run time.
// unittests/Runtime/DriverAbiTest.cpp compares it with cuda.h where there is one.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_DRIVER_H
#define TILEC_LIB_RUNTIME_DRIVER_H

#include "tilec/runtime_c.h"

#include <atomic>

namespace tilec {
namespace cu {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Library = struct LibraryTag *;

// Results that the runtime tells apart; all others are reported by name.
enum : Result {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorStubLibrary = 34,
  ErrorNoDevice = 100,
  ErrorInvalidImage = 200,
  ErrorInvalidContext = 201,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidPtx = 218,
  ErrorUnsupportedPtxVersion = 222,
  ErrorNotFound = 500,
  ErrorNotReady = 600,
  ErrorIllegalAddress = 700,
  ErrorLaunchOutOfResources = 701,
  ErrorLaunchTimeout = 702,
  ErrorAssert = 710,
  ErrorHardwareStackError = 714,
  ErrorIllegalInstruction = 715,
  ErrorMisalignedAddress = 716,
  ErrorInvalidAddressSpace = 717,
  ErrorInvalidPc = 718,
  ErrorLaunchFailed = 719,
  ErrorStreamCaptureImplicit = 906,
  ErrorInvalidClusterSize = 912,
};

enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxGridDimX = 5,
  MaxGridDimY = 6,
  MaxGridDimZ = 7,
  MaxSharedMemoryPerBlock = 8,
  WarpSize = 10,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  GlobalMemoryBusWidth = 37,
  MaxThreadsPerMultiprocessor = 39,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerMultiprocessor = 81,
  MaxSharedMemoryPerBlockOptin = 97,
  ClusterLaunch = 120,
};

enum FunctionAttribute : int {
  FunctionMaxThreadsPerBlock = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionMaxDynamicSharedBytes = 8,
  FunctionRequiredClusterWidth = 11,
  FunctionNonPortableClusterSizeAllowed = 14,
};

enum JitOption : int {
  JitInfoLogBuffer = 3,
  JitInfoLogBufferBytes = 4,
  JitErrorLogBuffer = 5,
  JitErrorLogBufferBytes = 6,
  JitGenerateLineInfo = 13,
};

enum LibraryOption : int { LibraryBinaryIsPreserved = 1 };

enum LaunchAttributeId : unsigned {
  LaunchClusterDimension = 4,
  LaunchProgrammaticStreamSerialization = 6,
};

/// CUlaunchAttribute: one setting of a launch; the value's form depends on `id`.
struct LaunchAttribute {
  LaunchAttributeId id;
  unsigned pad;
  union {
    unsigned clusterDim[3];
    int programmaticSerialization;
    unsigned long long bytes[8];
  } value;
};

/// CUlaunchConfig: where and how a kernel is launched.
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUtensorMap.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

enum TensorMapDataType : int {
  TensorMapUInt8 = 0,
  TensorMapUInt16 = 1,
  TensorMapUInt32 = 2,
  TensorMapUInt64 = 4,
};

enum TensorMapInterleave : int { TensorMapInterleaveNone = 0 };
enum TensorMapSwizzle : int { TensorMapSwizzleNone = 0, TensorMapSwizzle128B = 3 };
enum TensorMapPromotion : int { TensorMapPromotion128B = 2 };
enum TensorMapFill : int { TensorMapFillZeros = 0 };

enum CaptureStatus : int { CaptureNone = 0 };
enum CaptureMode : int { CaptureModeRelaxed = 2 };

enum : unsigned { StreamDefault = 0, StreamNonBlocking = 1, EventDefault = 0 };

} // namespace cu

// X(name, (parameters)) for each function; every one returns a cu::Result. The names carry the
// version suffix under which the library exports them.
#define TILEC_DRIVER_REQUIRED(X)                                                                   \
  X(cuInit, (unsigned))                                                                            \
  X(cuDriverGetVersion, (int *))                                                                   \
  X(cuGetErrorName, (cu::Result, const char **))                                                   \
  X(cuGetErrorString, (cu::Result, const char **))                                                 \
  X(cuDeviceGetCount, (int *))                                                                     \
  X(cuDeviceGet, (cu::Device *, int))                                                              \
  X(cuDeviceGetName, (char *, int, cu::Device))                                                    \
  X(cuDeviceGetAttribute, (int *, cu::DeviceAttribute, cu::Device))                                \
  X(cuDeviceTotalMem_v2, (size_t *, cu::Device))                                                   \
  X(cuDevicePrimaryCtxGetState, (cu::Device, unsigned *, int *))                                   \
  X(cuDevicePrimaryCtxRetain, (cu::Context *, cu::Device))                                         \
  X(cuDevicePrimaryCtxRelease_v2, (cu::Device))                                                    \
  X(cuCtxGetCurrent, (cu::Context *))                                                              \
  X(cuCtxPushCurrent_v2, (cu::Context))                                                            \
  X(cuCtxPopCurrent_v2, (cu::Context *))                                                           \
  X(cuCtxGetDevice, (cu::Device *))                                                                \
  X(cuCtxSynchronize, ())                                                                          \
  X(cuMemAlloc_v2, (cu::DevicePtr *, size_t))                                                      \
  X(cuMemFree_v2, (cu::DevicePtr))                                                                 \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                                         \
  X(cuMemcpyHtoDAsync_v2, (cu::DevicePtr, const void *, size_t, cu::Stream))                       \
  X(cuMemcpyDtoHAsync_v2, (void *, cu::DevicePtr, size_t, cu::Stream))                             \
  X(cuMemcpyDtoDAsync_v2, (cu::DevicePtr, cu::DevicePtr, size_t, cu::Stream))                      \
  X(cuMemsetD8Async, (cu::DevicePtr, unsigned char, size_t, cu::Stream))                           \
  X(cuStreamCreate, (cu::Stream *, unsigned))                                                      \
  X(cuStreamDestroy_v2, (cu::Stream))                                                              \
  X(cuStreamSynchronize, (cu::Stream))                                                             \
  X(cuEventCreate, (cu::Event *, unsigned))                                                        \
  X(cuEventRecord, (cu::Event, cu::Stream))                                                        \
  X(cuEventSynchronize, (cu::Event))                                                               \
  X(cuEventElapsedTime, (float *, cu::Event, cu::Event))                                           \
  X(cuEventDestroy_v2, (cu::Event))                                                                \
  X(cuModuleLoadDataEx, (cu::Module *, const void *, unsigned, cu::JitOption *, void **))          \
  X(cuModuleUnload, (cu::Module))                                                                  \
  X(cuModuleGetFunction, (cu::Function *, cu::Module, const char *))                               \
  X(cuFuncGetAttribute, (int *, cu::FunctionAttribute, cu::Function))                              \
  X(cuFuncSetAttribute, (cu::Function, cu::FunctionAttribute, int))                                \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, cu::Function, int, size_t))               \
  X(cuLaunchKernel, (cu::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                     unsigned, cu::Stream, void **, void **))

// Null in the table when the driver is older than the function.
#define TILEC_DRIVER_OPTIONAL(X)                                                                   \
  X(cuFuncGetParamInfo, (cu::Function, size_t, size_t *, size_t *))                                \
  X(cuLaunchKernelEx, (const cu::LaunchConfig *, cu::Function, void **, void **))                  \
  X(cuOccupancyMaxActiveClusters, (int *, cu::Function, const cu::LaunchConfig *))                 \
  X(cuCtxGetId, (cu::Context, unsigned long long *))                                               \
  X(cuStreamGetCtx, (cu::Stream, cu::Context *))                                                   \
  X(cuStreamIsCapturing, (cu::Stream, cu::CaptureStatus *))                                        \
  X(cuThreadExchangeStreamCaptureMode, (cu::CaptureMode *))                                        \
  X(cuEventQuery, (cu::Event))                                                                     \
  X(cuLibraryLoadData, (cu::Library *, const void *, cu::JitOption *, void **, unsigned,           \
                        cu::LibraryOption *, void **, unsigned))                                   \
  X(cuLibraryUnload, (cu::Library))                                                                \
  X(cuLibraryGetModule, (cu::Module *, cu::Library))                                               \
  X(cuFuncLoad, (cu::Function))                                                                    \
  X(cuTensorMapEncodeTiled,                                                                        \
    (cu::TensorMap *, cu::TensorMapDataType, unsigned, void *, const unsigned long long *,         \
     const unsigned long long *, const unsigned *, const unsigned *, cu::TensorMapInterleave,      \
     cu::TensorMapSwizzle, cu::TensorMapPromotion, cu::TensorMapFill))

/// The driver's functions. Filled once and constant from then on.
struct Driver {
#define TILEC_MEMBER(NAME, PARAMS) cu::Result(*NAME) PARAMS;
  TILEC_DRIVER_REQUIRED(TILEC_MEMBER)
  TILEC_DRIVER_OPTIONAL(TILEC_MEMBER)
#undef TILEC_MEMBER
};

/// The driver once it is open, for openDriver() alone.
extern std::atomic<const Driver *> openedDriver;
tilec_status openDriverOnce(const Driver *&table);

/// Opens and initialises the driver at the first call in the process and sets `table` to its
/// functions. Later calls return the first call's outcome. Thread safe.
inline tilec_status openDriver(const Driver *&table) {
  table = openedDriver.load(std::memory_order_acquire);
  return __builtin_expect(table != nullptr, 1) ? nullptr : openDriverOnce(table);
}

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_DRIVER_H
