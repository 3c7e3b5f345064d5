//===- runtime_status.h - Errors of the host runtime and the JIT ---------*- C++ -*-===//
//
// Status and Expected, the values by which every function of runtime.h, of generated headers and of
// jit.h reports errors. All inline over the C interfaces; nothing throws.
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

/// What kind of failure a Status reports; see tilec_code for each, and jit_c.h for the last three.
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
  Compile = 100, ///< TILEC_JIT_ERROR_COMPILE
  File = 101,    ///< TILEC_JIT_ERROR_FILE
  Run = 102,     ///< TILEC_JIT_ERROR_RUN
};

namespace detail {

// How to use the errors of one library: its C functions. A program that uses only one of the
// libraries links no function of another.
struct ErrorFunctions {
  void *(*retain)(void *error);
  void (*release)(void *error);
  int32_t (*code)(void *error);
  const char *(*message)(void *error);
  const char *(*kernel)(void *error);
  const char *(*driverText)(void *error);
  int32_t (*driverCode)(void *error);
};

struct RuntimeErrors {
  static tilec_status from(void *error) { return static_cast<tilec_status>(error); }
  static void *retain(void *error) { return tilec_status_retain(from(error)); }
  static void release(void *error) { tilec_status_release(from(error)); }
  static int32_t code(void *error) { return tilec_status_code(from(error)); }
  static const char *message(void *error) { return tilec_status_message(from(error)); }
  static const char *kernel(void *error) { return tilec_status_kernel(from(error)); }
  static const char *driverText(void *error) { return tilec_status_driver_text(from(error)); }
  static int32_t driverCode(void *error) { return tilec_status_driver_code(from(error)); }
  static constexpr ErrorFunctions functions{retain, release,    code,      message,
                                            kernel, driverText, driverCode};
};

} // namespace detail

/// Success, or an error with its texts. Cheap to copy; success holds nothing. The texts live as
/// long as any copy of the Status.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  /// Takes over the reference that a function of runtime_c.h or aot.h returned. (What a function of
  /// jit_c.h returned becomes a Status by jit::toStatus().)
  explicit Status(tilec_status status) : Status(status, detail::RuntimeErrors::functions) {}
  /// For the libraries' headers: takes over a reference to an error with these functions, or null.
  Status(void *error, const detail::ErrorFunctions &use) : handle(error), functions(&use) {}
  Status(const Status &other)
      : handle(other.handle ? other.functions->retain(other.handle) : nullptr),
        functions(other.functions) {}
  Status(Status &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), functions(other.functions) {}
  Status &operator=(Status other) noexcept {
    std::swap(handle, other.handle);
    std::swap(functions, other.functions);
    return *this;
  }
  ~Status() {
    if (handle)
      functions->release(handle);
  }

  /// True on success.
  explicit operator bool() const { return !handle; }
  /// The kind of failure, or Code::Ok.
  Code code() const { return handle ? Code(functions->code(handle)) : Code::Ok; }
  /// The whole message, or "success". For errors of a kernel's source: every diagnostic with file,
  /// line, column, caret and notes.
  const char *message() const { return handle ? functions->message(handle) : "success"; }
  /// The kernel concerned, or ""; always "" for an error of libtilec, whose message names it.
  const char *kernel() const { return handle ? functions->kernel(handle) : ""; }
  /// The driver's own text and log, or ""; always "" for an error of libtilec.
  const char *driverText() const { return handle ? functions->driverText(handle) : ""; }
  /// The driver's CUresult, or 0; always 0 for an error of libtilec.
  int driverCode() const { return handle ? functions->driverCode(handle) : 0; }

private:
  void *handle = nullptr;
  const detail::ErrorFunctions *functions = nullptr;
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
