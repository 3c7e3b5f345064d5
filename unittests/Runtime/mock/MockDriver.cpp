//===- MockDriver.cpp - A CUDA driver over host memory -------------------*- C++ -*-===//
//
// Devices, contexts, memory, streams and events of the mock driver; MockModules.cpp has modules and
// launches. Objects remember their context, and using one under another context is an error.
//
//===-------------------------------------------------------------------------------===//

#include "MockState.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mock;

#define MOCK_EXPORT extern "C" __attribute__((visibility("default"))) cu::Result
#define MOCK_ENTER(NAME)                                                                           \
  if (cu::Result failed = enter(index_##NAME))                                                     \
  return failed
#define MOCK_NEEDS_CONTEXT()                                                                       \
  if (!stack.top())                                                                                \
  return cu::ErrorInvalidContext

MOCK_EXPORT cuInit(unsigned flags) {
  MOCK_ENTER(cuInit);
  if (flags != 0)
    return cu::ErrorInvalidValue;
  state.initialised = true;
  return cu::Success;
}

MOCK_EXPORT cuDriverGetVersion(int *version) {
  MOCK_ENTER(cuDriverGetVersion);
  *version = state.version;
  return cu::Success;
}

struct ErrorText {
  cu::Result result;
  const char *name, *text;
};

static const ErrorText *findError(cu::Result result) {
  static const ErrorText errors[] = {
      {cu::ErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {cu::ErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {cu::ErrorStubLibrary, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
      {cu::ErrorNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
      {cu::ErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
      {cu::ErrorInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
      {cu::ErrorNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
       "no kernel image is available for execution on the device"},
      {cu::ErrorInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
      {cu::ErrorUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
       "the provided PTX was compiled with an unsupported toolchain."},
      {errorInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
      {cu::ErrorNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
      {errorNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
      {cu::ErrorIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
       "an illegal memory access was encountered"},
      {cu::ErrorLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
       "too many resources requested for launch"},
      {cu::ErrorInvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster size"},
  };
  for (const ErrorText &error : errors)
    if (error.result == result)
      return &error;
  return nullptr;
}

MOCK_EXPORT cuGetErrorName(cu::Result result, const char **name) {
  const ErrorText *error = findError(result);
  *name = error ? error->name : nullptr;
  return error ? cu::Success : cu::ErrorInvalidValue;
}

MOCK_EXPORT cuGetErrorString(cu::Result result, const char **text) {
  const ErrorText *error = findError(result);
  *text = error ? error->text : nullptr;
  return error ? cu::Success : cu::ErrorInvalidValue;
}

//===-------------------------------------------------------------------------------===//
// Devices
//===-------------------------------------------------------------------------------===//

MOCK_EXPORT cuDeviceGetCount(int *count) {
  MOCK_ENTER(cuDeviceGetCount);
  *count = state.devices;
  return cu::Success;
}

MOCK_EXPORT cuDeviceGet(cu::Device *device, int ordinal) {
  MOCK_ENTER(cuDeviceGet);
  if (ordinal < 0 || ordinal >= state.devices)
    return errorInvalidDevice;
  *device = ordinal;
  return cu::Success;
}

MOCK_EXPORT cuDeviceGetName(char *name, int bytes, cu::Device device) {
  MOCK_ENTER(cuDeviceGetName);
  snprintf(name, size_t(bytes), "Mock GPU %d", device);
  return cu::Success;
}

MOCK_EXPORT cuDeviceGetAttribute(int *value, cu::DeviceAttribute attribute, cu::Device device) {
  MOCK_ENTER(cuDeviceGetAttribute);
  if (device < 0 || device >= state.devices)
    return errorInvalidDevice;
  const std::map<int, int> values = {
      {cu::MaxThreadsPerBlock, 1024},
      {cu::MaxGridDimX, 2147483647},
      {cu::MaxGridDimY, 65535},
      {cu::MaxGridDimZ, 65535},
      {cu::MaxSharedMemoryPerBlock, 49152},
      {cu::WarpSize, 32},
      {cu::MultiprocessorCount, 12},
      {cu::MaxThreadsPerMultiprocessor, 2048},
      {cu::MemoryClockRate, 2000000},
      {cu::GlobalMemoryBusWidth, 1024},
      {cu::ClusterLaunch, state.major >= 9},
      {cu::ComputeCapabilityMajor, state.major},
      {cu::ComputeCapabilityMinor, state.minor},
      {cu::MaxSharedMemoryPerMultiprocessor, 233472},
      {cu::MaxSharedMemoryPerBlockOptin, 232448},
  };
  auto found = values.find(attribute);
  if (found == values.end())
    return cu::ErrorInvalidValue;
  *value = found->second;
  return cu::Success;
}

MOCK_EXPORT cuDeviceTotalMem_v2(size_t *bytes, cu::Device) {
  MOCK_ENTER(cuDeviceTotalMem_v2);
  *bytes = state.memory;
  return cu::Success;
}

//===-------------------------------------------------------------------------------===//
// Contexts
//===-------------------------------------------------------------------------------===//

MOCK_EXPORT cuDevicePrimaryCtxGetState(cu::Device device, unsigned *flags, int *active) {
  MOCK_ENTER(cuDevicePrimaryCtxGetState);
  std::lock_guard<std::mutex> lock(state.mutex);
  *flags = 0;
  *active = state.primary[device].retains > 0;
  return cu::Success;
}

MOCK_EXPORT cuDevicePrimaryCtxRetain(cu::Context *context, cu::Device device) {
  MOCK_ENTER(cuDevicePrimaryCtxRetain);
  std::lock_guard<std::mutex> lock(state.mutex);
  MockContext &primary = state.primary[device];
  primary.device = device;
  ++primary.retains;
  *context = reinterpret_cast<cu::Context>(&primary);
  return cu::Success;
}

MOCK_EXPORT cuDevicePrimaryCtxRelease_v2(cu::Device device) {
  MOCK_ENTER(cuDevicePrimaryCtxRelease_v2);
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.primary[device].retains == 0)
    return cu::ErrorInvalidContext;
  --state.primary[device].retains;
  return cu::Success;
}

MOCK_EXPORT cuCtxGetCurrent(cu::Context *context) {
  MOCK_ENTER(cuCtxGetCurrent);
  *context = reinterpret_cast<cu::Context>(stack.top());
  return cu::Success;
}

MOCK_EXPORT cuCtxPushCurrent_v2(cu::Context context) {
  MOCK_ENTER(cuCtxPushCurrent_v2);
  if (!context || stack.depth == ContextStack::capacity)
    return cu::ErrorInvalidContext;
  stack.entries[stack.depth++] = reinterpret_cast<MockContext *>(context);
  return cu::Success;
}

MOCK_EXPORT cuCtxPopCurrent_v2(cu::Context *context) {
  MOCK_ENTER(cuCtxPopCurrent_v2);
  MOCK_NEEDS_CONTEXT();
  *context = reinterpret_cast<cu::Context>(stack.entries[--stack.depth]);
  return cu::Success;
}

MOCK_EXPORT cuCtxGetDevice(cu::Device *device) {
  MOCK_ENTER(cuCtxGetDevice);
  MOCK_NEEDS_CONTEXT();
  *device = stack.top()->device;
  return cu::Success;
}

#ifndef MOCK_WITHOUT_CLUSTERS
MOCK_EXPORT cuCtxGetId(cu::Context context, unsigned long long *id) {
  MOCK_ENTER(cuCtxGetId);
  auto *asked = reinterpret_cast<MockContext *>(context);
  if (!asked && !(asked = stack.top()))
    return cu::ErrorInvalidContext;
  *id = asked->id ? asked->id : 1 + unsigned(asked->device); // primary contexts come first
  return cu::Success;
}
#endif

MOCK_EXPORT cuCtxSynchronize() {
  MOCK_ENTER(cuCtxSynchronize);
  MOCK_NEEDS_CONTEXT();
  return cu::Success;
}

//===-------------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------------===//

static size_t usedMemory() {
  size_t used = 0;
  for (const auto &entry : state.allocations)
    used += entry.second.bytes;
  return used;
}

MOCK_EXPORT cuMemAlloc_v2(cu::DevicePtr *address, size_t bytes) {
  MOCK_ENTER(cuMemAlloc_v2);
  MOCK_NEEDS_CONTEXT();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (bytes == 0)
    return cu::ErrorInvalidValue;
  if (bytes > state.memory - usedMemory())
    return cu::ErrorOutOfMemory;
  void *memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0)
    return cu::ErrorOutOfMemory;
  *address = reinterpret_cast<uintptr_t>(memory);
  state.allocations[*address] = {bytes, stack.top()};
  return cu::Success;
}

MOCK_EXPORT cuMemFree_v2(cu::DevicePtr address) {
  MOCK_ENTER(cuMemFree_v2);
  MOCK_NEEDS_CONTEXT();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.allocations.find(address);
  if (found == state.allocations.end() || found->second.context != stack.top())
    return cu::ErrorInvalidValue;
  free(reinterpret_cast<void *>(uintptr_t(address)));
  state.allocations.erase(found);
  return cu::Success;
}

MOCK_EXPORT cuMemGetInfo_v2(size_t *freeBytes, size_t *total) {
  MOCK_ENTER(cuMemGetInfo_v2);
  MOCK_NEEDS_CONTEXT();
  std::lock_guard<std::mutex> lock(state.mutex);
  *total = state.memory;
  *freeBytes = state.memory - usedMemory();
  return cu::Success;
}

/// Whether the range lies in one allocation of the current context.
static bool isRange(cu::DevicePtr address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state.mutex);
  auto next = state.allocations.upper_bound(address);
  if (next == state.allocations.begin())
    return false;
  const auto &entry = *std::prev(next);
  return entry.second.context == stack.top() && address + bytes <= entry.first + entry.second.bytes;
}

static void *hostOf(cu::DevicePtr address) { return reinterpret_cast<void *>(uintptr_t(address)); }

MOCK_EXPORT cuMemcpyHtoDAsync_v2(cu::DevicePtr to, const void *from, size_t bytes, cu::Stream s) {
  MOCK_ENTER(cuMemcpyHtoDAsync_v2);
  MOCK_NEEDS_CONTEXT();
  if (!isStreamOfCurrent(s))
    return errorInvalidHandle;
  if (!isRange(to, bytes))
    return cu::ErrorInvalidValue;
  memcpy(hostOf(to), from, bytes);
  return cu::Success;
}

MOCK_EXPORT cuMemcpyDtoHAsync_v2(void *to, cu::DevicePtr from, size_t bytes, cu::Stream s) {
  MOCK_ENTER(cuMemcpyDtoHAsync_v2);
  MOCK_NEEDS_CONTEXT();
  if (!isStreamOfCurrent(s))
    return errorInvalidHandle;
  if (!isRange(from, bytes))
    return cu::ErrorInvalidValue;
  memcpy(to, hostOf(from), bytes);
  return cu::Success;
}

MOCK_EXPORT cuMemcpyDtoDAsync_v2(cu::DevicePtr to, cu::DevicePtr from, size_t bytes, cu::Stream s) {
  MOCK_ENTER(cuMemcpyDtoDAsync_v2);
  MOCK_NEEDS_CONTEXT();
  if (!isStreamOfCurrent(s))
    return errorInvalidHandle;
  if (!isRange(from, bytes) || !isRange(to, bytes))
    return cu::ErrorInvalidValue;
  memmove(hostOf(to), hostOf(from), bytes);
  return cu::Success;
}

MOCK_EXPORT cuMemsetD8Async(cu::DevicePtr to, unsigned char value, size_t bytes, cu::Stream s) {
  MOCK_ENTER(cuMemsetD8Async);
  MOCK_NEEDS_CONTEXT();
  if (!isStreamOfCurrent(s))
    return errorInvalidHandle;
  if (!isRange(to, bytes))
    return cu::ErrorInvalidValue;
  memset(hostOf(to), value, bytes);
  return cu::Success;
}

//===-------------------------------------------------------------------------------===//
// Streams and events
//===-------------------------------------------------------------------------------===//

MOCK_EXPORT cuStreamCreate(cu::Stream *stream, unsigned) {
  MOCK_ENTER(cuStreamCreate);
  MOCK_NEEDS_CONTEXT();
  *stream = reinterpret_cast<cu::Stream>(new MockHandle{stack.top(), false, false, 0});
  ++state.streams;
  return cu::Success;
}

MOCK_EXPORT cuStreamDestroy_v2(cu::Stream stream) {
  MOCK_ENTER(cuStreamDestroy_v2);
  MOCK_NEEDS_CONTEXT();
  if (!isStreamOfCurrent(stream))
    return errorInvalidHandle;
  delete reinterpret_cast<MockHandle *>(stream);
  --state.streams;
  return cu::Success;
}

MOCK_EXPORT cuStreamGetCtx(cu::Stream stream, cu::Context *context) {
  MOCK_ENTER(cuStreamGetCtx);
  *context = reinterpret_cast<cu::Context>(reinterpret_cast<MockHandle *>(stream)->context);
  return cu::Success;
}

MOCK_EXPORT cuStreamIsCapturing(cu::Stream stream, cu::CaptureStatus *status) {
  MOCK_ENTER(cuStreamIsCapturing);
  constexpr uintptr_t lastSpecial = 2; // default streams cannot be captured
  bool isHandle = reinterpret_cast<uintptr_t>(stream) > lastSpecial;
  *status = cu::CaptureStatus(isHandle && reinterpret_cast<MockHandle *>(stream)->capturing);
  return cu::Success;
}

MOCK_EXPORT cuStreamSynchronize(cu::Stream stream) {
  MOCK_ENTER(cuStreamSynchronize);
  MOCK_NEEDS_CONTEXT();
  return isStreamOfCurrent(stream) ? cu::Success : errorInvalidHandle;
}

static MockHandle &eventOf(cu::Event event) { return *reinterpret_cast<MockHandle *>(event); }

MOCK_EXPORT cuEventCreate(cu::Event *event, unsigned) {
  MOCK_ENTER(cuEventCreate);
  MOCK_NEEDS_CONTEXT();
  *event = reinterpret_cast<cu::Event>(new MockHandle{stack.top(), false, false, 0});
  ++state.events;
  return cu::Success;
}

MOCK_EXPORT cuEventRecord(cu::Event event, cu::Stream stream) {
  MOCK_ENTER(cuEventRecord);
  MOCK_NEEDS_CONTEXT();
  MockHandle &handle = eventOf(event);
  if (handle.context != stack.top() || !isStreamOfCurrent(stream))
    return errorInvalidHandle;
  handle.recorded = true;
  handle.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  return cu::Success;
}

MOCK_EXPORT cuEventQuery(cu::Event event) {
  MOCK_ENTER(cuEventQuery);
  MOCK_NEEDS_CONTEXT();
  return eventOf(event).context == stack.top() ? cu::Success : errorInvalidHandle;
}

MOCK_EXPORT cuThreadExchangeStreamCaptureMode(cu::CaptureMode *mode) {
  MOCK_ENTER(cuThreadExchangeStreamCaptureMode);
  static thread_local cu::CaptureMode current{}; // global
  std::swap(current, *mode);
  return cu::Success;
}

MOCK_EXPORT cuEventSynchronize(cu::Event event) {
  MOCK_ENTER(cuEventSynchronize);
  MOCK_NEEDS_CONTEXT();
  return eventOf(event).context == stack.top() ? cu::Success : errorInvalidHandle;
}

MOCK_EXPORT cuEventElapsedTime(float *milliseconds, cu::Event start, cu::Event end) {
  MOCK_ENTER(cuEventElapsedTime);
  MOCK_NEEDS_CONTEXT();
  if (!eventOf(start).recorded || !eventOf(end).recorded)
    return errorInvalidHandle;
  *milliseconds = float(eventOf(end).milliseconds - eventOf(start).milliseconds);
  return cu::Success;
}

MOCK_EXPORT cuEventDestroy_v2(cu::Event event) {
  MOCK_ENTER(cuEventDestroy_v2);
  MOCK_NEEDS_CONTEXT();
  if (eventOf(event).context != stack.top())
    return errorInvalidHandle;
  delete &eventOf(event);
  --state.events;
  return cu::Success;
}
