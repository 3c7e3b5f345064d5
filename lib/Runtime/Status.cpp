//===- Status.cpp - Error values of the runtime --------------------------*- C++ -*-===//
//
// A status is one block of memory: a header and the strings behind it, so that making, sharing
// and freeing it are one call each. Success is a null pointer and costs nothing. When even the
// block cannot be had, a constant status stands in for it, for which counting does nothing.
//
//===-------------------------------------------------------------------------------===//

#include "Status.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

struct tilec_status_object {
  std::atomic<uint32_t> references;
  tilec_code code;
  int32_t driverCode;
  const char *message;
  const char *kernel;
  const char *driverText;
};

namespace tilec {
namespace {

// A count of 0 marks the object that is never freed.
tilec_status_object outOfHostMemory{
    {0}, TILEC_ERROR_OUT_OF_HOST_MEMORY, 0, "out of host memory", "", ""};

struct Parts {
  tilec_code code;
  int32_t driverCode = 0;
  const char *kernel = "";
  const char *driverText = "";
};

} // namespace

/// Copies `text` without its NUL to `cursor` and moves `cursor` behind.
static void append(char *&cursor, const char *text) {
  size_t length = strlen(text);
  memcpy(cursor, text, length);
  cursor += length;
}

/// Builds a status whose message is "kernel 'name': " if there is one, the formatted text, then
/// ": " and the driver's text if there is one.
static tilec_status build(const Parts &parts, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int formatted = vsnprintf(nullptr, 0, format, args);
  size_t bodyLength = formatted < 0 ? 0 : size_t(formatted);
  size_t kernelLength = strlen(parts.kernel), driverLength = strlen(parts.driverText);
  constexpr size_t punctuation = 16; // "kernel '", "': ", ": " and the NUL
  size_t bytes = sizeof(tilec_status_object) + kernelLength + bodyLength + driverLength +
                 punctuation + kernelLength + 1 + driverLength + 1;
  void *memory = malloc(bytes);
  if (!memory) {
    va_end(again);
    return &outOfHostMemory;
  }
  auto *status = new (memory) tilec_status_object{{1}, parts.code, parts.driverCode, "", "", ""};
  char *cursor = static_cast<char *>(memory) + sizeof(tilec_status_object);
  status->message = cursor;
  if (kernelLength) {
    append(cursor, "kernel '");
    append(cursor, parts.kernel);
    append(cursor, "': ");
  }
  vsnprintf(cursor, bodyLength + 1, format, again);
  va_end(again);
  cursor += bodyLength;
  if (driverLength) {
    append(cursor, ": ");
    append(cursor, parts.driverText);
  }
  *cursor++ = '\0';
  status->kernel = cursor;
  append(cursor, parts.kernel);
  *cursor++ = '\0';
  status->driverText = cursor;
  append(cursor, parts.driverText);
  *cursor = '\0';
  return status;
}

/// The kind of failure that a result of the driver stands for.
static tilec_code codeOf(cu::Result result) {
  switch (result) {
  case cu::ErrorOutOfMemory:
    return TILEC_ERROR_OUT_OF_MEMORY;
  case cu::ErrorStubLibrary:
    return TILEC_ERROR_NO_DRIVER;
  case cu::ErrorNoDevice:
    return TILEC_ERROR_NO_DEVICE;
  case cu::ErrorLaunchOutOfResources:
  case cu::ErrorInvalidClusterSize:
    return TILEC_ERROR_OUT_OF_RESOURCES;
  case cu::ErrorIllegalAddress:
  case cu::ErrorLaunchTimeout:
  case cu::ErrorAssert:
  case cu::ErrorHardwareStackError:
  case cu::ErrorIllegalInstruction:
  case cu::ErrorMisalignedAddress:
  case cu::ErrorInvalidAddressSpace:
  case cu::ErrorInvalidPc:
  case cu::ErrorLaunchFailed:
    return TILEC_ERROR_DEVICE_FAULT;
  default:
    return TILEC_ERROR_DRIVER;
  }
}

tilec_status makeError(tilec_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tilec_status status = build({code}, format, args);
  va_end(args);
  return status;
}

tilec_status makeKernelError(tilec_code code, const char *kernel, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tilec_status status = build({code, 0, kernel, ""}, format, args);
  va_end(args);
  return status;
}

tilec_status makeDriverError(const DriverError &error, const char *format, ...) {
  const char *name = nullptr, *description = nullptr;
  char number[40];
  snprintf(number, sizeof(number), "CUDA error %d", error.result);
  if (error.driver->cuGetErrorName(error.result, &name) != cu::Success || !name)
    name = number;
  if (error.driver->cuGetErrorString(error.result, &description) != cu::Success || !description)
    description = "the driver has no description";
  tilec_code code = error.code == TILEC_OK ? codeOf(error.result) : error.code;
  // A fault is reported by whichever call comes next, which is rarely the one to blame.
  const char *hint = code == TILEC_ERROR_DEVICE_FAULT
                         ? "\nan earlier kernel faulted; its context is unusable from now on"
                         : "";
  const char *log = error.log ? error.log : "";
  const char *separator = *log ? "\n" : "";
  constexpr const char *textFormat = "%s: %s%s%s%s";
  int length = snprintf(nullptr, 0, textFormat, name, description, hint, separator, log);
  char *text = length < 0 ? nullptr : static_cast<char *>(malloc(size_t(length) + 1));
  if (!text)
    return &outOfHostMemory;
  snprintf(text, size_t(length) + 1, textFormat, name, description, hint, separator, log);

  va_list args;
  va_start(args, format);
  tilec_status status =
      build({code, error.result, error.kernel ? error.kernel : "", text}, format, args);
  va_end(args);
  free(text);
  return status;
}

tilec_status makeNullError(const char *function, const char *parameter) {
  return makeError(TILEC_ERROR_INVALID_ARGUMENT, "%s: '%s' is null", function, parameter);
}

} // namespace tilec

tilec_code tilec_status_code(tilec_status status) { return status ? status->code : TILEC_OK; }

const char *tilec_status_message(tilec_status status) {
  return status ? status->message : "success";
}

const char *tilec_status_kernel(tilec_status status) { return status ? status->kernel : ""; }

const char *tilec_status_driver_text(tilec_status status) {
  return status ? status->driverText : "";
}

int32_t tilec_status_driver_code(tilec_status status) { return status ? status->driverCode : 0; }

tilec_status tilec_status_retain(tilec_status status) {
  if (status && status->references.load(std::memory_order_relaxed) != 0)
    status->references.fetch_add(1, std::memory_order_relaxed);
  return status;
}

void tilec_status_release(tilec_status status) {
  if (!status || status->references.load(std::memory_order_relaxed) == 0)
    return;
  if (status->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free(status);
}
