//===- AotLoad.cpp - Gives a variant's image to the driver ---------------*- C++ -*-===//
//
// The cold half of a launch. One lock covers all of it: who comes second finds the work done. Where
// the driver has libraries (CUDA 12), an image is loaded once and opened in each context that needs
// it; older drivers load it into each context. Everything that launches read is published with one
// atomic store.
//
// Loading is a call that CUDA forbids while a stream is captured into a graph, and that a program
// may want to keep out of its steady state. Both are found out before the driver is called.
//
//===-------------------------------------------------------------------------------===//

#include "Aot.h"
#include "Image.h"

#include <cstdlib>
#include <new>
#include <pthread.h>

static std::atomic<int32_t> freezes{0};

void tilec_freeze() { freezes.fetch_add(1, std::memory_order_relaxed); }
void tilec_thaw() { freezes.fetch_sub(1, std::memory_order_relaxed); }

namespace tilec {
namespace {

pthread_mutex_t coldLock = PTHREAD_MUTEX_INITIALIZER;

class ColdScope {
public:
  ColdScope() { pthread_mutex_lock(&coldLock); }
  ~ColdScope() { pthread_mutex_unlock(&coldLock); }
  ColdScope(const ColdScope &) = delete;
  ColdScope &operator=(const ColdScope &) = delete;
};

// Holds the primary context of device 0 for threads without one. Written once, under the lock.
std::atomic<tilec_device *> fallbackDevice{nullptr};

} // namespace

tilec_status findOtherContext(const Driver &driver, cu::Stream stream, cu::Context &context) {
  constexpr uintptr_t lastSpecial = 2; // 1 and 2 name default streams
  if (reinterpret_cast<uintptr_t>(stream) > lastSpecial && driver.cuStreamGetCtx) {
    cu::Result result = driver.cuStreamGetCtx(stream, &context);
    return result ? makeDriverError({&driver, result, TILEC_OK},
                                    "cannot ask for the context of the stream")
                  : nullptr;
  }
  tilec_device *device = fallbackDevice.load(std::memory_order_acquire);
  if (!device) {
    ColdScope cold;
    device = fallbackDevice.load(std::memory_order_relaxed);
    if (!device) {
      if (tilec_status status = tilec_device_open(0, &device))
        return status;
      fallbackDevice.store(device, std::memory_order_release);
    }
  }
  context = device->context;
  return nullptr;
}

static std::atomic<DeviceClass *> deviceClasses{nullptr};

static const DeviceClass *knownClass(uint64_t key) {
  DeviceClass *node = deviceClasses.load(std::memory_order_acquire);
  while (node && node->key != key)
    node = node->next;
  return node;
}

tilec_status findDeviceClass(const LaunchTarget &target, const DeviceClass *&found) {
  if ((found = knownClass(target.key)))
    return nullptr;
  ColdScope cold;
  if ((found = knownClass(target.key)))
    return nullptr;
  tilec_device *device = nullptr;
  if (tilec_status status = tilec_device_open(-1, &device))
    return status;
  uint64_t hash = 0xcbf29ce484222325;
  for (const char *c = device->name; *c; ++c)
    hash = (hash ^ uint8_t(*c)) * 0x100000001b3;
  auto level = uint32_t(10 * device->info.capability_major + device->info.capability_minor);
  tilec_device_release(device);
  void *memory = malloc(sizeof(DeviceClass));
  if (!memory)
    return makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for facts about a device");
  DeviceClass *next = deviceClasses.load(std::memory_order_relaxed);
  auto *node = new (memory) DeviceClass{next, target.key, hash, level};
  deviceClasses.store(node, std::memory_order_release);
  found = node;
  return nullptr;
}

tilec_status checkDependentLaunch(const tilec_kernel &kernel) {
  const tilec_device &device = *kernel.module->device;
  if (!kernel.driver->cuLaunchKernelEx)
    return makeKernelError(TILEC_ERROR_DRIVER_TOO_OLD, kernel.info.name,
                           "a dependent launch needs a driver for CUDA 11.8 or later");
  if (device.info.capability_major < 9)
    return makeKernelError(TILEC_ERROR_WRONG_ARCHITECTURE, kernel.info.name,
                           "a dependent launch needs compute capability 9.0 or later; device %d "
                           "(%s) is sm_%d%d",
                           device.info.ordinal, device.name, device.info.capability_major,
                           device.info.capability_minor);
  return nullptr;
}

//===-------------------------------------------------------------------------------===//
// Which image
//===-------------------------------------------------------------------------------===//

static bool runsOn(const tilec_aot_image &image, const tilec_device_info &device) {
  if (image.kind == TILEC_AOT_CPU)
    return false;
  ImageInfo info;
  info.isCubin = isCubin(image);
  info.capability = int(image.level);
  // A cubin for sm_90a runs on no other device, although it is of the same generation.
  if (info.isCubin && image.suffix == 'a')
    return info.capability == 10 * device.capability_major + device.capability_minor;
  info.suffix = char(image.suffix);
  return canRunOn(info, device.capability_major, device.capability_minor);
}

/// Machine code before PTX, then the newer architecture, then the more specific one.
static uint32_t rankOf(const tilec_aot_image &image) {
  uint32_t suffix = image.suffix == 'a' ? 2 : image.suffix == 'f' ? 1 : 0;
  return isCubin(image) << 24 | image.level << 4 | suffix;
}

/// The best image for the device that ranks below `limit`; null when there is none left.
static const tilec_aot_image *nextImage(const tilec_aot_variant &variant,
                                        const tilec_device_info &device, uint32_t limit) {
  const tilec_aot_image *best = nullptr;
  for (uint32_t i = 0; i < variant.num_images; ++i) {
    const tilec_aot_image &image = variant.images[i];
    if (runsOn(image, device) && rankOf(image) < limit && (!best || rankOf(image) > rankOf(*best)))
      best = &image;
  }
  return best;
}

//===-------------------------------------------------------------------------------===//
// Loading
//===-------------------------------------------------------------------------------===//

/// The image's code, with the tensor maps that its launches make.
static tilec_aot_mapped_code codeOf(const tilec_aot_image &image) {
  if (image.kind & TILEC_AOT_MAPPED)
    return *static_cast<const tilec_aot_mapped_code *>(image.image.data);
  return {image.image.data, nullptr, 0, {}};
}

/// Opens the image in the device's context. `cell` keeps the driver's library.
static tilec_status openImage(tilec_device *device, const tilec_aot_image &image, void **cell,
                              tilec_module *&module) {
  const void *data = codeOf(image).data;
  if (!device->driver->cuLibraryLoadData || !device->driver->cuLibraryGetModule ||
      !device->driver->cuLibraryUnload)
    return tilec_module_load(device, data, image.bytes, &module);
  auto *library = static_cast<cu::Library>(*cell);
  if (!library) {
    if (tilec_status status = loadLibrary(*device, data, image.bytes, library))
      return status;
    *cell = library;
  }
  return openLibrary(device, data, image.bytes, library, module);
}

static tilec_status getKernel(const tilec_aot_kernel &kernel, const tilec_aot_image &image,
                              tilec_module *module, tilec_kernel *&loaded) {
  tilec_aot_mapped_code code = codeOf(image);
  const tilec_launch_record record = {uint32_t(sizeof(record)),
                                      image.threads,
                                      image.dynamic_shared_bytes,
                                      kernel.num_params,
                                      kernel.name,
                                      kernel.params,
                                      image.num_ctas,
                                      TILEC_RECORD_OF_IMAGE,
                                      code.maps,
                                      code.num_maps,
                                      code.packing};
  if (tilec_status status = tilec_kernel_get(module, &record, &loaded))
    return status;
  // With lazy loading, the driver would otherwise load the function in its first launch.
  if (loaded->driver->cuFuncLoad)
    loaded->driver->cuFuncLoad(loaded->function);
  return nullptr;
}

/// Whether another image may work although this one did not.
static bool isWorthAnother(tilec_status status) {
  tilec_code code = tilec_status_code(status);
  return code == TILEC_ERROR_WRONG_ARCHITECTURE || code == TILEC_ERROR_DRIVER_TOO_OLD ||
         code == TILEC_ERROR_INVALID_IMAGE;
}

static tilec_status loadKernel(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                               tilec_device *device, tilec_kernel *&loaded) {
  const tilec_aot_image *image = nextImage(variant, device->info, UINT32_MAX);
  if (!image)
    return makeNoImageError(kernel, variant, *device);
  while (true) {
    void **cell = variant.state + 1 + (image - variant.images);
    tilec_module *module = nullptr;
    tilec_status status = openImage(device, *image, cell, module);
    if (!status) {
      status = getKernel(kernel, *image, module, loaded);
      tilec_module_release(module);
      return status;
    }
    const tilec_aot_image *next = nextImage(variant, device->info, rankOf(*image));
    if (!next || !isWorthAnother(status))
      return status;
    tilec_status_release(status);
    image = next;
  }
}

/// The error of loading while that is forbidden; null if it is allowed.
static tilec_status checkLoadingAllowed(const tilec_aot_kernel &kernel, const Driver &driver,
                                        cu::Stream stream) {
  if (freezes.load(std::memory_order_relaxed) > 0)
    return makeKernelError(TILEC_ERROR_NOT_PREPARED, kernel.name,
                           "the code for these arguments is not loaded in this context, and "
                           "loading is frozen; prepare before tilec_freeze");
  cu::CaptureStatus capture = cu::CaptureNone;
  cu::Result result =
      driver.cuStreamIsCapturing ? driver.cuStreamIsCapturing(stream, &capture) : cu::Success;
  // The default stream cannot be captured itself, nor used while a stream that it waits for is.
  if (result == cu::ErrorStreamCaptureImplicit || capture != cu::CaptureNone)
    return makeKernelError(TILEC_ERROR_NOT_PREPARED, kernel.name,
                           "the code for these arguments is not loaded in this context, and the "
                           "stream is being captured into a graph; prepare before the capture");
  return nullptr;
}

tilec_status loadVariant(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                         const LaunchTarget &target, cu::Stream stream,
                         const tilec_kernel *&loaded) {
  if (tilec_status status = checkLoadingAllowed(kernel, *target.driver, stream))
    return status;
  ColdScope cold;
  if ((loaded = findLoaded(variant, target.key)))
    return nullptr;
  tilec_device *device = nullptr;
  if (tilec_status status = tilec_device_open(-1, &device))
    return status;
  tilec_kernel *made = nullptr;
  tilec_status status = loadKernel(kernel, variant, device, made);
  tilec_device_release(device);
  if (status)
    return status;
  void *memory = malloc(sizeof(LoadedKernel));
  if (!memory) {
    tilec_kernel_release(made);
    return makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a loaded kernel");
  }
  auto *next = static_cast<LoadedKernel *>(*variant.state);
  auto *node = new (memory) LoadedKernel{next, target.key, made};
  __atomic_store_n(variant.state, static_cast<void *>(node), __ATOMIC_RELEASE);
  loaded = made;
  return nullptr;
}

/// Releases the kernels and libraries of one variant.
static void unloadVariant(const tilec_aot_variant &variant) {
  auto *node = static_cast<LoadedKernel *>(*variant.state);
  *variant.state = nullptr;
  const Driver *driver = nullptr;
  while (node) {
    LoadedKernel *next = node->next;
    driver = node->kernel->driver;
    tilec_kernel_release(node->kernel);
    free(node);
    node = next;
  }
  for (uint32_t i = 0; i < variant.num_images; ++i) {
    void *&cell = variant.state[1 + i];
    if (cell && !driver)
      tilec_status_release(openDriver(driver));
    if (cell && driver)
      driver->cuLibraryUnload(static_cast<cu::Library>(cell));
    cell = nullptr;
  }
}

} // namespace tilec

void tilec_aot_unload_v1(const tilec_aot_library *library) {
  tilec::ColdScope cold;
  for (uint32_t k = 0; library && k < library->num_kernels; ++k) {
    const tilec_aot_kernel &kernel = *library->kernels[k];
    for (uint32_t c = 0; c < kernel.num_configs; ++c)
      for (uint32_t v = 0; v < kernel.configs[c].num_variants; ++v)
        tilec::unloadVariant(kernel.configs[c].variants[v]);
  }
}
