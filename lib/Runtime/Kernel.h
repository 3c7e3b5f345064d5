//===- Kernel.h - Kernels ready to launch --------------------------------*- C++ -*-===//
//
// The kernel object: all that a launch needs, computed beforehand.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_KERNEL_H
#define TILEC_LIB_RUNTIME_KERNEL_H

#include "Module.h"

namespace tilec {

/// One parameter, as launches check it.
struct KernelParam {
  uint64_t accepted; ///< bit t is set if an argument of tilec_type t may be passed
  uint32_t type;     ///< tilec_type, or TILEC_TYPE_INVALID when only the size is known
  uint32_t bytes;
  const char *name; ///< "" when not known
};

/// Size in bytes of a value of a tilec_type; 0 for what is not one.
uint32_t typeBytes(uint32_t type);

/// The type's name in the kernel language ("i32"), without "pointer to"; "?" for what is not one.
const char *typeName(uint32_t type);

} // namespace tilec

struct tilec_kernel {
  // Read by every launch.
  tilec::cu::Function function;
  tilec::cu::Context context;
  const tilec::Driver *driver;
  const tilec::KernelParam *params;
  uint32_t numParams; ///< UINT32_MAX when not known
  uint32_t threads;
  uint32_t dynamicSharedBytes;
  uint32_t maxGrid[3];
  // Read when something fails or ends.
  std::atomic<uint32_t> references;
  tilec_module *module;
  tilec_kernel_info info;
  void *storage; ///< the block that `params` and every name lie in
};

#endif // TILEC_LIB_RUNTIME_KERNEL_H
