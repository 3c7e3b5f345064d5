//===- Status.h - Making error values ------------------------------------*- C++ -*-===//
//
// Builders of the tilec_status values that every function of the runtime returns on failure.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_STATUS_H
#define TILEC_LIB_RUNTIME_STATUS_H

#include "Driver.h"

namespace tilec {

/// Makes an error with a printf-style message. Falls back to a constant "out of host memory"
/// status when there is no memory for it, so it never returns null.
__attribute__((format(printf, 2, 3))) tilec_status makeError(tilec_code code, const char *format,
                                                             ...);

/// The parts of an error that comes from a call of the driver.
struct DriverError {
  const Driver *driver;
  cu::Result result;
  tilec_code code;              ///< TILEC_OK derives it from `result`
  const char *kernel = nullptr; ///< name of the kernel concerned
  const char *log = nullptr;    ///< further lines of the driver
};

/// Makes an error "message: NAME: description" from the driver's result.
__attribute__((format(printf, 2, 3))) tilec_status makeDriverError(const DriverError &error,
                                                                   const char *format, ...);

/// Makes an error about one kernel: "kernel 'name': message".
__attribute__((format(printf, 3, 4))) tilec_status makeKernelError(tilec_code code,
                                                                   const char *kernel,
                                                                   const char *format, ...);

/// The error of a null pointer where the interface wants an object.
tilec_status makeNullError(const char *function, const char *parameter);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_STATUS_H
