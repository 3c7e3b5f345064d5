//===- Device.cpp - Devices of the runtime -------------------------------*- C++ -*-===//
//
// A device object is a device plus the context in which everything made from it lives. The context
// is the calling thread's current one if that is on the device, so that pointers and streams of
// the CUDA runtime or of torch work unchanged; otherwise it is the device's primary context, which
// those libraries would use. The primary context is retained as long as the object lives, even
// when it was current: whoever made it current may drop it first.
//
//===-------------------------------------------------------------------------------===//

#include "Device.h"

#include <cstdlib>
#include <new>

namespace tilec {

tilec_status makeDeviceError(const tilec_device &device, cu::Result result, const char *what) {
  return makeDriverError({device.driver, result, TILEC_OK}, "%s on device %d (%s)", what,
                         device.info.ordinal, device.name);
}

/// Number of devices, which is at least 1.
static tilec_status countDevices(const Driver &driver, int &count) {
  int found = 0;
  if (cu::Result result = driver.cuDeviceGetCount(&found))
    return makeDriverError({&driver, result, TILEC_OK}, "cannot count CUDA devices");
  if (found <= 0)
    return makeError(TILEC_ERROR_NO_DEVICE, "the CUDA driver found no device");
  count = found;
  return nullptr;
}

/// Sets `device.handle` and the ordinal: of device `ordinal`, or for -1 of `current`'s device, or
/// without a current context of device 0.
static tilec_status selectDevice(tilec_device &device, int ordinal, cu::Context current) {
  const Driver &driver = *device.driver;
  int count = 0;
  if (tilec_status status = countDevices(driver, count))
    return status;
  if (ordinal < -1 || ordinal >= count)
    return makeError(TILEC_ERROR_NO_DEVICE,
                     "no CUDA device %d; the driver found %d, numbered from 0", ordinal, count);
  cu::Device wanted = 0;
  bool fromCurrent = ordinal < 0 && current;
  if (fromCurrent) {
    if (cu::Result result = driver.cuCtxGetDevice(&wanted))
      return makeDriverError({&driver, result, TILEC_OK},
                             "cannot ask the current context's device");
  }
  for (int i = fromCurrent || ordinal < 0 ? 0 : ordinal; i < count; ++i) {
    if (cu::Result result = driver.cuDeviceGet(&device.handle, i))
      return makeDriverError({&driver, result, TILEC_OK}, "cannot open CUDA device %d", i);
    device.info.ordinal = i;
    if (!fromCurrent || device.handle == wanted)
      return nullptr;
  }
  return makeError(TILEC_ERROR_NO_DEVICE, "the current context's device is not among the driver's");
}

/// Chooses the context; see the top of the file.
static tilec_status selectContext(tilec_device &device, cu::Context current) {
  const Driver &driver = *device.driver;
  cu::Device currentDevice = 0;
  if (current && (driver.cuCtxGetDevice(&currentDevice) || currentDevice != device.handle))
    current = nullptr;
  unsigned flags = 0;
  int active = 0;
  // Retaining an inactive primary context would create one beside the context in use.
  if (current && (driver.cuDevicePrimaryCtxGetState(device.handle, &flags, &active) || !active)) {
    device.context = current;
    return nullptr;
  }
  cu::Context primary = nullptr;
  if (cu::Result result = driver.cuDevicePrimaryCtxRetain(&primary, device.handle))
    return makeDeviceError(device, result, "cannot make a context");
  device.retained = !current || current == primary;
  device.context = device.retained ? primary : current;
  if (!device.retained)
    driver.cuDevicePrimaryCtxRelease_v2(device.handle);
  return nullptr;
}

/// Fills `device.info`, apart from the ordinal, and the name.
static tilec_status describe(tilec_device &device) {
  const Driver &driver = *device.driver;
  tilec_device_info &info = device.info;
  info.struct_size = sizeof(info);
  info.name = device.name;
  cu::Result result = driver.cuDeviceGetName(device.name, sizeof(device.name), device.handle);
  size_t total = 0;
  if (!result)
    result = driver.cuDeviceTotalMem_v2(&total, device.handle);
  info.total_memory = total;
  const struct {
    cu::DeviceAttribute attribute;
    int32_t &value;
  } attributes[] = {
      {cu::ComputeCapabilityMajor, info.capability_major},
      {cu::ComputeCapabilityMinor, info.capability_minor},
      {cu::MultiprocessorCount, info.multiprocessors},
      {cu::WarpSize, info.warp_size},
      {cu::MaxThreadsPerBlock, info.max_threads_per_block},
      {cu::MaxThreadsPerMultiprocessor, info.max_threads_per_multiprocessor},
      {cu::MaxGridDimX, info.max_grid[0]},
      {cu::MaxGridDimY, info.max_grid[1]},
      {cu::MaxGridDimZ, info.max_grid[2]},
      {cu::MaxSharedMemoryPerBlock, info.shared_per_block},
      {cu::MaxSharedMemoryPerBlockOptin, info.shared_per_block_limit},
      {cu::MaxSharedMemoryPerMultiprocessor, info.shared_per_multiprocessor},
  };
  for (const auto &entry : attributes)
    if (!result)
      result = driver.cuDeviceGetAttribute(&entry.value, entry.attribute, device.handle);
  if (result)
    return makeDriverError({&driver, result, TILEC_OK}, "cannot ask about CUDA device %d",
                           info.ordinal);
  // A driver older than clusters does not know the attribute.
  if (driver.cuDeviceGetAttribute(&info.cluster_launch, cu::ClusterLaunch, device.handle))
    info.cluster_launch = 0;
  // Devices without the larger amount report 0.
  if (info.shared_per_block_limit < info.shared_per_block)
    info.shared_per_block_limit = info.shared_per_block;
  return nullptr;
}

static tilec_status openInto(tilec_device &device, int ordinal) {
  cu::Context current = nullptr;
  if (cu::Result result = device.driver->cuCtxGetCurrent(&current))
    return makeDriverError({device.driver, result, TILEC_OK}, "cannot ask for the current context");
  if (tilec_status status = selectDevice(device, ordinal, current))
    return status;
  if (tilec_status status = describe(device))
    return status;
  return selectContext(device, current);
}

} // namespace tilec

tilec_status tilec_device_count(int32_t *count) {
  if (!count)
    return tilec::makeNullError("tilec_device_count", "count");
  const tilec::Driver *driver = nullptr;
  if (tilec_status status = tilec::openDriver(driver))
    return status;
  return tilec::countDevices(*driver, *count);
}

tilec_status tilec_device_open(int32_t ordinal, tilec_device **device) {
  if (!device)
    return tilec::makeNullError("tilec_device_open", "device");
  const tilec::Driver *driver = nullptr;
  if (tilec_status status = tilec::openDriver(driver))
    return status;
  void *memory = calloc(1, sizeof(tilec_device));
  if (!memory)
    return tilec::makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a device object");
  auto *opened = new (memory) tilec_device{};
  opened->references = 1;
  opened->driver = driver;
  if (tilec_status status = tilec::openInto(*opened, ordinal)) {
    free(opened);
    return status;
  }
  *device = opened;
  return nullptr;
}

tilec_device *tilec_device_retain(tilec_device *device) { return tilec::retainObject(device); }

void tilec_device_release(tilec_device *device) {
  if (!tilec::releaseObject(device))
    return;
  if (device->retained)
    device->driver->cuDevicePrimaryCtxRelease_v2(device->handle);
  free(device);
}

const tilec_device_info *tilec_device_get_info(const tilec_device *device) {
  return device ? &device->info : nullptr;
}

void *tilec_device_context(const tilec_device *device) {
  return device ? device->context : nullptr;
}

tilec_status tilec_device_memory(tilec_device *device, uint64_t *free_bytes,
                                 uint64_t *total_bytes) {
  if (!device)
    return tilec::makeNullError("tilec_device_memory", "device");
  size_t freeBytes = 0, totalBytes = 0;
  tilec::cu::Result result = tilec::inContext(*device, [&](const tilec::Driver &driver) {
    return driver.cuMemGetInfo_v2(&freeBytes, &totalBytes);
  });
  if (result)
    return tilec::makeDeviceError(*device, result, "cannot ask for the free memory");
  if (free_bytes)
    *free_bytes = freeBytes;
  if (total_bytes)
    *total_bytes = totalBytes;
  return nullptr;
}

tilec_status tilec_device_synchronize(tilec_device *device) {
  if (!device)
    return tilec::makeNullError("tilec_device_synchronize", "device");
  tilec::cu::Result result = tilec::inContext(
      *device, [](const tilec::Driver &driver) { return driver.cuCtxSynchronize(); });
  return result ? tilec::makeDeviceError(*device, result, "waiting failed") : nullptr;
}
