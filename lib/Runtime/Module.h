//===- Module.h - Loaded images ------------------------------------------*- C++ -*-===//
//
// The module object that kernels keep alive.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_MODULE_H
#define TILEC_LIB_RUNTIME_MODULE_H

#include "Device.h"

struct tilec_module {
  std::atomic<uint32_t> references;
  tilec_device *device;
  tilec::cu::Module handle;
  bool borrowed; ///< of a library of the driver's, which unloads it
};

namespace tilec {

/// Gives `image`, which must stay where it is until cuLibraryUnload, to the driver for use in any
/// context. The driver must have libraries. PTX must be followed by a NUL that `bytes` leaves out.
tilec_status loadLibrary(const tilec_device &device, const void *image, size_t bytes,
                         cu::Library &library);

/// Makes a module object for the part of `library` that belongs to the device's context. `image` is
/// what the library was loaded from.
tilec_status openLibrary(tilec_device *device, const void *image, size_t bytes, cu::Library library,
                         tilec_module *&module);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_MODULE_H
