//===- GpuFacts.cpp - what the notes say of the GPU ------------*- C++ -*-===//
//
// What the driver tells of the GPU, from which follow its cache's size and its highest rate of
// operations.
//
//===----------------------------------------------------------------------===//

#include "GpuFacts.h"

#include <dlfcn.h>

using namespace tilec;
using namespace tilec::bench;

/// A device attribute by the driver's number; 0 when it does not know it. The runtime's interface
/// has only what launches need.
static uint64_t attributeOf(const Device &device, int attribute) {
  const char *chosen = getenv("TILEC_CUDA_DRIVER");
  void *driver = dlopen(chosen && *chosen ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    return 0;
  using Function = int (*)(int *, int, int);
  auto get = reinterpret_cast<Function>(dlsym(driver, "cuDeviceGetAttribute"));
  int value = 0;
  bool fine = get && get(&value, attribute, device.ordinal()) == 0 && value > 0;
  dlclose(driver);
  return fine ? uint64_t(value) : 0;
}

GpuFacts bench::readFacts(const Device &device) {
  constexpr int clockRate = 13, cacheSize = 38; // CU_DEVICE_ATTRIBUTE_..., in kHz and bytes.
  GpuFacts facts;
  facts.name = device.name();
  facts.multiprocessors = unsigned(device.multiprocessors());
  facts.cacheBytes = attributeOf(device, cacheSize);
  // A multiply-add is two operations; these two architectures have 64 lanes for them.
  unsigned lanes = device.capability() == 75 || device.capability() == 80 ? 64 : 128;
  facts.peakGops =
      double(attributeOf(device, clockRate)) * 1e-6 * 2 * lanes * facts.multiprocessors;
  return facts;
}
