//===- DeviceKernel.h - From a compiled kernel to one on a device -*- C++ -*-===//
//
// Include this or the compiler's headers, not both: some names mean different things there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_DEVICEKERNEL_H
#define TILEC_JIT_DEVICEKERNEL_H

#include "tilec/JIT/KernelImage.h"
#include "tilec/runtime.h"

namespace tilec {

/// The tilec_type of a parameter type. Pointers to what the runtime has no type for are pointers to
/// anything.
uint8_t runtimeType(DType type);

/// Loads `image` on `device`.
llvm::Expected<Kernel> loadKernel(const Device &device, const KernelImage &image);

} // namespace tilec

#endif // TILEC_JIT_DEVICEKERNEL_H
