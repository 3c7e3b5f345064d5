//===- runtime_status.h - Errors of the host runtime ---------------------*- C++ -*-===//
//
// Status and Expected, the values by which every function of runtime.h reports errors. All inline
// over runtime_c.h; nothing throws.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_STATUS_H
#define TILEC_RUNTIME_STATUS_H

#include "tilec/runtime_c.h"

#include <cassert>
#include <new>
#include <utility>

namespace tilec {
// A namespace of its own in every symbol keeps this header's inline functions apart from those of
// another version in the same process, and from equally named classes of the compiler.
inline namespace runtime_v1 {

/// What kind of failure a Status reports; see tilec_code for each.
enum class Code : int32_t {
  Ok = TILEC_OK,
  NoDriver = TILEC_ERROR_NO_DRIVER,
  DriverTooOld = TILEC_ERROR_DRIVER_TOO_OLD,
  NoDevice = TILEC_ERROR_NO_DEVICE,
  InvalidArgument = TILEC_ERROR_INVALID_ARGUMENT,
  InvalidImage = TILEC_ERROR_INVALID_IMAGE,
  WrongArchitecture = TILEC_ERROR_WRONG_ARCHITECTURE,
  NoKernel = TILEC_ERROR_NO_KERNEL,
  ArgumentMismatch = TILEC_ERROR_ARGUMENT_MISMATCH,
  InvalidGrid = TILEC_ERROR_INVALID_GRID,
  OutOfMemory = TILEC_ERROR_OUT_OF_MEMORY,
  OutOfHostMemory = TILEC_ERROR_OUT_OF_HOST_MEMORY,
  OutOfResources = TILEC_ERROR_OUT_OF_RESOURCES,
  DeviceFault = TILEC_ERROR_DEVICE_FAULT,
  Driver = TILEC_ERROR_DRIVER,
  NotPrepared = TILEC_ERROR_NOT_PREPARED,
  NoConfig = TILEC_ERROR_NO_CONFIG,
  Assertion = TILEC_ERROR_ASSERTION,
};

/// Success, or an error with its texts. Cheap to copy; success holds nothing. The texts live as
/// long as any copy of the Status.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  /// Takes over the reference that a function of the C interface returned.
  explicit Status(tilec_status status) : handle(status) {}
  Status(const Status &other) : handle(tilec_status_retain(other.handle)) {}
  Status(Status &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Status &operator=(Status other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Status() {
    if (handle)
      tilec_status_release(handle);
  }

  /// True on success.
  explicit operator bool() const { return !handle; }
  /// The kind of failure, or Code::Ok.
  Code code() const { return Code(tilec_status_code(handle)); }
  /// The whole message, or "success".
  const char *message() const { return tilec_status_message(handle); }
  /// The kernel concerned, or "".
  const char *kernel() const { return tilec_status_kernel(handle); }
  /// The driver's own text and log, or "".
  const char *driverText() const { return tilec_status_driver_text(handle); }
  /// The driver's CUresult, or 0.
  int driverCode() const { return tilec_status_driver_code(handle); }

private:
  tilec_status handle = nullptr;
};

/// A T, or the error why there is none. Moves only. Test it before use: taking the value of an
/// error is undefined (an assertion in debug builds).
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : hasValue(true) { new (&storage.value) T(std::move(value)); }
  /// `error` must not be success.
  Expected(Status error) : failure(std::move(error)) { assert(!failure && "success has a value"); }
  Expected(Expected &&other) noexcept
      : failure(std::move(other.failure)), hasValue(other.hasValue) {
    if (hasValue)
      new (&storage.value) T(std::move(other.storage.value));
  }
  Expected &operator=(Expected &&other) noexcept {
    if (this != &other) {
      this->~Expected();
      new (this) Expected(std::move(other));
    }
    return *this;
  }
  ~Expected() {
    if (hasValue)
      storage.value.~T();
  }

  /// True when there is a value.
  explicit operator bool() const { return hasValue; }
  T &operator*() & { return get(); }
  T &&operator*() && { return std::move(get()); }
  const T &operator*() const & { return const_cast<Expected *>(this)->get(); }
  T *operator->() { return &get(); }
  const T *operator->() const { return &const_cast<Expected *>(this)->get(); }
  /// The error; success when there is a value.
  const Status &error() const { return failure; }

private:
  T &get() {
    assert(hasValue && "taking the value of an error");
    return storage.value;
  }

  union Storage {
    Storage() {}
    ~Storage() {}
    T value;
  } storage;
  Status failure;
  bool hasValue = false;
};

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_RUNTIME_STATUS_H
