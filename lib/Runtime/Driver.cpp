//===- Driver.cpp - Opens the CUDA driver --------------------------------*- C++ -*-===//
//
// Finds the driver library, looks its functions up and initialises it, once in a process, at the
// first call that needs it. The library is never closed: other users of the same driver in the
// process, and objects destroyed at exit, may still need it.
//
//===-------------------------------------------------------------------------------===//

#include "Driver.h"

#include "Status.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace tilec {

static constexpr const char *driverVariable = "TILEC_CUDA_DRIVER";
static constexpr const char *driverLibrary = "libcuda.so.1";

// Written inside `once` only. A pthread_once_t instead of a function-local static keeps the library
// free of the C++ runtime's guards.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Driver functions;
static tilec_status failure;
std::atomic<const Driver *> openedDriver{nullptr};

/// Looks one function up; false with `failure` set if it is required and missing.
static bool lookUp(void *library, const char *path, const char *name, bool required, void *slot) {
  void *symbol = dlsym(library, name);
  if (!symbol && required) {
    failure =
        makeError(TILEC_ERROR_DRIVER_TOO_OLD,
                  "the CUDA driver '%s' has no function %s; a newer driver is needed", path, name);
    return false;
  }
  // POSIX gives data and function pointers the same representation.
  *static_cast<void **>(slot) = symbol;
  return true;
}

static void openOnce() {
  // Ignored in privileged processes, where the environment is not to be trusted.
  const char *chosen = secure_getenv(driverVariable);
  bool fromEnvironment = chosen && *chosen;
  const char *path = fromEnvironment ? chosen : driverLibrary;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    failure = makeError(TILEC_ERROR_NO_DRIVER, "no CUDA driver: tried '%s' (%s %s): %s", path,
                        fromEnvironment ? "from" : "the default; none in", driverVariable,
                        reason ? reason : "dlopen gave no reason");
    return;
  }
#define TILEC_LOOK_UP_REQUIRED(NAME, PARAMS)                                                       \
  if (!lookUp(library, path, #NAME, true, &functions.NAME))                                        \
    return;
#define TILEC_LOOK_UP_OPTIONAL(NAME, PARAMS) lookUp(library, path, #NAME, false, &functions.NAME);
  TILEC_DRIVER_REQUIRED(TILEC_LOOK_UP_REQUIRED)
  TILEC_DRIVER_OPTIONAL(TILEC_LOOK_UP_OPTIONAL)
#undef TILEC_LOOK_UP_REQUIRED
#undef TILEC_LOOK_UP_OPTIONAL
  if (cu::Result result = functions.cuInit(0))
    failure =
        makeDriverError({&functions, result, TILEC_OK}, "the CUDA driver '%s' cannot start", path);
  else
    openedDriver.store(&functions, std::memory_order_release);
}

tilec_status openDriverOnce(const Driver *&table) {
  pthread_once(&once, openOnce);
  if (failure)
    return tilec_status_retain(failure);
  table = &functions;
  return nullptr;
}

} // namespace tilec

tilec_status tilec_driver_version(int32_t *version) {
  if (!version)
    return tilec::makeNullError("tilec_driver_version", "version");
  const tilec::Driver *driver = nullptr;
  if (tilec_status status = tilec::openDriver(driver))
    return status;
  int value = 0;
  if (tilec::cu::Result result = driver->cuDriverGetVersion(&value))
    return tilec::makeDriverError({driver, result, TILEC_OK}, "cannot ask the driver's version");
  *version = value;
  return nullptr;
}
