//===- DeviceKernel.h - From a compiled kernel to one on a device -*- C++ -*-===//
//
// Include this or the compiler's headers, not both: some names mean different things there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_DEVICEKERNEL_H
#define TILEC_JIT_DEVICEKERNEL_H

#include "tilec/JIT/Backend.h"
#include "tilec/runtime.h"

namespace tilec {

/// Loads code for GPUs on `device`.
llvm::Expected<Kernel> loadKernel(const Device &device, const CompiledKernel &compiled);

} // namespace tilec

#endif // TILEC_JIT_DEVICEKERNEL_H
