//===- Device.h - Devices and the current context ------------------------*- C++ -*-===//
//
// The device object, which all other objects keep alive, and the scope in which its CUDA context is
// current on the calling thread. Every file of the runtime that calls the driver for a device goes
// through them; Device.cpp says which context a device uses.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_DEVICE_H
#define TILEC_LIB_RUNTIME_DEVICE_H

#include "Status.h"

#include <atomic>

struct tilec_device {
  std::atomic<uint32_t> references;
  const tilec::Driver *driver;
  tilec::cu::Device handle;
  tilec::cu::Context context;
  bool retained; ///< whether `context` is the primary one, retained by us
  tilec_device_info info;
  char name[256];
};

namespace tilec {

/// Makes a context current on the calling thread for a scope, and restores what was current
/// before. Costs one query when it is current already.
class ContextScope {
public:
  ContextScope(const Driver &driver, cu::Context context) : driver(driver) {
    cu::Context current = nullptr;
    failure = driver.cuCtxGetCurrent(&current);
    if (failure != cu::Success || current == context)
      return;
    failure = driver.cuCtxPushCurrent_v2(context);
    pushed = failure == cu::Success;
  }
  explicit ContextScope(const tilec_device &device)
      : ContextScope(*device.driver, device.context) {}
  ~ContextScope() {
    cu::Context popped = nullptr;
    if (pushed)
      driver.cuCtxPopCurrent_v2(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  /// Success, or why the context could not be made current.
  cu::Result result() const { return failure; }

private:
  const Driver &driver;
  cu::Result failure;
  bool pushed = false;
};

/// Runs `call` in the device's context and returns its result, or why the context is not usable.
template <typename Call> cu::Result inContext(const tilec_device &device, Call call) {
  ContextScope scope(device);
  return scope.result() == cu::Success ? call(*device.driver) : scope.result();
}

/// The error of a call that failed with `result` on `device`: "what on device 0 (name): ...".
tilec_status makeDeviceError(const tilec_device &device, cu::Result result, const char *what);

/// Adds a reference to a counted object.
template <typename T> T *retainObject(T *object) {
  if (object)
    object->references.fetch_add(1, std::memory_order_relaxed);
  return object;
}

/// Gives a reference up; true when it was the last one.
template <typename T> bool releaseObject(T *object) {
  return object && object->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_DEVICE_H
