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
};

#endif // TILEC_LIB_RUNTIME_MODULE_H
