//===- Module.cpp - Loads PTX and cubins ---------------------------------*- C++ -*-===//
//
// Hands an image to the driver. The driver's own results are terse ("invalid image"), so a failure
// is put together with what the image says it is for, what the device is, and the log of the
// driver's compiler.
//
//===-------------------------------------------------------------------------------===//

#include "Module.h"

#include "Image.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tilec {
namespace {

/// Memory that is freed at the end of a scope; may be null.
struct HostMemory {
  explicit HostMemory(size_t bytes) : data(static_cast<char *>(malloc(bytes))) {}
  ~HostMemory() { free(data); }
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;
  char *data;
};

} // namespace

static tilec_status makeLoadError(const tilec_device &device, const ImageInfo &info,
                                  cu::Result result, const char *log) {
  const tilec_device_info &target = device.info;
  char what[96];
  if (info.isCubin)
    snprintf(what, sizeof(what), "a cubin for sm_%d", info.capability);
  else
    snprintf(what, sizeof(what), "PTX %d.%d for sm_%d%.1s", info.ptxMajor, info.ptxMinor,
             info.capability, &info.suffix);
  DriverError error{device.driver, result, TILEC_OK, nullptr, log};

  int version = 0;
  device.driver->cuDriverGetVersion(&version);
  if (result == cu::ErrorUnsupportedPtxVersion) {
    error.code = TILEC_ERROR_DRIVER_TOO_OLD;
    return makeDriverError(error,
                           "cannot load %s on device %d (%s): the driver supports CUDA %d.%d; "
                           "update it or compile to an older PTX version",
                           what, target.ordinal, device.name, version / 1000, version % 1000 / 10);
  }
  bool rejected = result == cu::ErrorInvalidImage || result == cu::ErrorInvalidPtx;
  if (result == cu::ErrorNoBinaryForGpu ||
      (rejected && !canRunOn(info, target.capability_major, target.capability_minor)))
    error.code = TILEC_ERROR_WRONG_ARCHITECTURE;
  else if (rejected)
    error.code = TILEC_ERROR_INVALID_IMAGE;
  return makeDriverError(error, "cannot load %s on device %d (%s), which is sm_%d%d", what,
                         target.ordinal, device.name, target.capability_major,
                         target.capability_minor);
}

/// Runs `load(driver, count, options, values)`, a call that loads an image with these options.
template <typename Load>
static tilec_status loadLogged(const tilec_device &device, const ImageInfo &info, Load load) {
  constexpr size_t logBytes = 16384;
  HostMemory log(logBytes);
  if (log.data)
    memset(log.data, 0, logBytes);
  // The driver takes the size of a buffer in the pointer itself.
  cu::JitOption options[3];
  void *values[3];
  unsigned count = 0;
  auto add = [&](cu::JitOption option, void *value) {
    options[count] = option;
    values[count++] = value;
  };
  if (log.data) {
    add(cu::JitErrorLogBuffer, log.data);
    add(cu::JitErrorLogBufferBytes, reinterpret_cast<void *>(logBytes - 1));
  }
  // Without it the driver's compiler drops the lines, which profilers and compute-sanitizer show.
  if (info.hasLines)
    add(cu::JitGenerateLineInfo, reinterpret_cast<void *>(uintptr_t(1)));
  cu::Result result =
      inContext(device, [&](const Driver &driver) { return load(driver, count, options, values); });
  if (!result)
    return nullptr;
  if (log.data)
    for (size_t end = strlen(log.data); end > 0 && strchr(" \r\n", log.data[end - 1]);)
      log.data[--end] = '\0';
  return makeLoadError(device, info, result, log.data);
}

/// Loads `image`, which the driver can read without a size.
static tilec_status loadImage(const tilec_device &device, const ImageInfo &info, const char *image,
                              cu::Module &handle) {
  return loadLogged(
      device, info,
      [&](const Driver &driver, unsigned count, cu::JitOption *options, void **values) {
        return driver.cuModuleLoadDataEx(&handle, image, count, options, values);
      });
}

static tilec_status loadModule(const tilec_device &device, const void *image, size_t bytes,
                               cu::Module &handle) {
  ImageInfo info;
  if (tilec_status status = inspectImage(image, bytes, info))
    return status;
  if (info.isCubin)
    return loadImage(device, info, static_cast<const char *>(image), handle);
  HostMemory text(bytes + 1); // the driver finds the end of PTX by its NUL
  if (!text.data)
    return makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for %zu bytes of PTX", bytes);
  memcpy(text.data, image, bytes);
  text.data[bytes] = '\0';
  return loadImage(device, info, text.data, handle);
}

tilec_status loadLibrary(const tilec_device &device, const void *image, size_t bytes,
                         cu::Library &library) {
  ImageInfo info;
  if (tilec_status status = inspectImage(image, bytes, info))
    return status;
  return loadLogged(
      device, info,
      [&](const Driver &driver, unsigned count, cu::JitOption *options, void **values) {
        cu::LibraryOption preserved = cu::LibraryBinaryIsPreserved;
        int yes = 1; // the driver takes the flag's value in the pointer, or through it
        void *flag = &yes;
        return driver.cuLibraryLoadData(&library, image, options, values, count, &preserved, &flag,
                                        1);
      });
}

static void unload(const tilec_device &device, cu::Module handle) {
  inContext(device, [&](const Driver &driver) { return driver.cuModuleUnload(handle); });
}

static tilec_status makeModule(tilec_device *device, cu::Module handle, bool borrowed,
                               tilec_module *&module) {
  void *memory = malloc(sizeof(tilec_module));
  if (!memory)
    return makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module object");
  module = new (memory) tilec_module{{1}, tilec_device_retain(device), handle, borrowed};
  return nullptr;
}

tilec_status openLibrary(tilec_device *device, const void *image, size_t bytes, cu::Library library,
                         tilec_module *&module) {
  // The driver may compile PTX as late as here.
  cu::Module handle = nullptr;
  cu::Result result = inContext(
      *device, [&](const Driver &driver) { return driver.cuLibraryGetModule(&handle, library); });
  if (!result)
    return makeModule(device, handle, /*borrowed=*/true, module);
  ImageInfo info;
  if (tilec_status status = inspectImage(image, bytes, info))
    return status;
  return makeLoadError(*device, info, result, "");
}

} // namespace tilec

tilec_status tilec_module_load(tilec_device *device, const void *image, size_t bytes,
                               tilec_module **module) {
  if (!device || !image || !module)
    return tilec::makeNullError("tilec_module_load", !device  ? "device"
                                                     : !image ? "image"
                                                              : "module");
  tilec::cu::Module handle = nullptr;
  if (tilec_status status = tilec::loadModule(*device, image, bytes, handle))
    return status;
  tilec_status status = tilec::makeModule(device, handle, /*borrowed=*/false, *module);
  if (status)
    tilec::unload(*device, handle);
  return status;
}

tilec_module *tilec_module_retain(tilec_module *module) { return tilec::retainObject(module); }

void tilec_module_release(tilec_module *module) {
  if (!tilec::releaseObject(module))
    return;
  if (!module->borrowed)
    tilec::unload(*module->device, module->handle);
  tilec_device_release(module->device);
  free(module);
}
