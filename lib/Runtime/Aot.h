//===- Aot.h - Launching kernels of compiled objects ---------------------*- C++ -*-===//
//
// The parts of tilec_aot_launch_v1: Aot.cpp chooses the code of a launch, AotLoad.cpp gives GPU
// images to the driver the first time, CpuLaunch.cpp runs CPU code, and AotError.cpp says what is
// wrong with a call.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_AOT_H
#define TILEC_LIB_RUNTIME_AOT_H

#include "Kernel.h"

#include "tilec/aot.h"

namespace tilec {

/// Where a launch goes, apart from the stream.
struct LaunchTarget {
  const Driver *driver;
  cu::Context context;
  /// Tells `context` from others, also from a later one at the same address if the driver can.
  uint64_t key;
};

/// A variant's kernel, loaded into one context. Nodes are added at the head of a list and stay
/// until the library is unloaded, so that launches read the list without a lock.
struct LoadedKernel {
  LoadedKernel *next;
  uint64_t key;
  tilec_kernel *kernel;
};

/// The variant's kernel in the context of that key, or null.
inline const tilec_kernel *findLoaded(const tilec_aot_variant &variant, uint64_t key) {
  auto *node = static_cast<LoadedKernel *>(__atomic_load_n(variant.state, __ATOMIC_ACQUIRE));
  while (node && node->key != key)
    node = node->next;
  return node ? node->kernel : nullptr;
}

/// What tuned choices depend on, of the device of a context. Nodes of a list that only grows.
struct DeviceClass {
  DeviceClass *next;
  uint64_t key;  ///< of the context, as in LaunchTarget
  uint64_t name; ///< the 64-bit FNV-1a hash of the device's name
  uint32_t level;
};

/// The class of the device of `target`'s context, which must be current. Cheap but the first time.
tilec_status findDeviceClass(const LaunchTarget &target, const DeviceClass *&found);

/// Loads the variant into the context of `target`, which must be current. `stream` is where it is
/// about to be launched. An error, before any call of the driver, while loading is forbidden.
tilec_status loadVariant(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                         const LaunchTarget &target, cu::Stream stream,
                         const tilec_kernel *&loaded);

/// The context of a launch on a thread without a current one: the stream's, or the primary one of
/// device 0, which is held from then on.
tilec_status findOtherContext(const Driver &driver, cu::Stream stream, cu::Context &context);

/// An error unless the kernel's device and driver have programmatic dependent launch.
tilec_status checkDependentLaunch(const tilec_kernel &kernel);

/// The integer in a slot, as wide and signed as the parameter.
inline int64_t readInteger(uint64_t slot, uint32_t type) {
  switch (type) {
  case TILEC_TYPE_I8:
    return int8_t(slot);
  case TILEC_TYPE_I16:
    return int16_t(slot);
  case TILEC_TYPE_I32:
    return int32_t(slot);
  default:
    return int64_t(slot);
  }
}

/// Whether the image is machine code of a GPU.
inline bool isCubin(const tilec_aot_image &image) {
  return (image.kind & ~uint32_t(TILEC_AOT_MAPPED)) == TILEC_AOT_CUBIN;
}

/// Whether the runtime can read tables of this version.
inline bool isKnownVersion(uint32_t version) {
  return version >= TILEC_AOT_OLDEST_VERSION && version <= TILEC_AOT_VERSION;
}

/// The best CPU code of the variant for this processor, or null.
const tilec_aot_image *findCpuImage(const tilec_aot_variant &variant);

/// Runs one program for each point of `grid`, which has no 0, on the caller's executor or the
/// runtime's threads, and waits.
tilec_status runOnCpu(const tilec_aot_kernel &kernel, const tilec_aot_image &image,
                      const tilec_launch_options &options, const uint64_t *slots,
                      const int64_t (&grid)[3]);

/// Calls body(task, begin, end) for ranges that cover 0 .. count - 1 on the runtime's own threads,
/// which it starts if need be; the calling thread works too. Returns after the last call has.
void runOnPool(uint64_t count, void (*body)(void *task, uint64_t begin, uint64_t end), void *task);

/// Starts the runtime's own threads, if they do not run yet.
void startPool();

// Errors; see AotError.cpp.
tilec_status makeOptionsError(const tilec_aot_kernel *kernel, const tilec_launch_options &options);
tilec_status makeConfigError(const tilec_aot_kernel &kernel, const tilec_launch_options &options,
                             const int64_t *constexprs, const uint64_t *slots);
tilec_status makeExpressionError(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                                 const char *what, int32_t result);
tilec_status makeMissingGridError(const tilec_aot_kernel &kernel, const tilec_aot_config &config);
tilec_status makeNegativeGridError(const tilec_aot_kernel &kernel, const int64_t (&grid)[3]);
tilec_status makeNoImageError(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                              const tilec_device &device);
tilec_status makeNoCpuCodeError(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_AOT_H
