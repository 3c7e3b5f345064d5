//===- DeviceKernel.cpp - From a compiled kernel to one on a device -*- C++ -*-===//
//
// Loads PTX into a device with the record that the compiler made of the kernel.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DeviceKernel.h"

#include "tilec/JIT/DeviceTimer.h"

using namespace tilec;

llvm::Expected<Kernel> tilec::loadKernel(const Device &device, const CompiledKernel &compiled) {
  auto module = Module::load(device, compiled.ptx.data(), compiled.ptx.size());
  if (!module)
    return toError(module.error());
  RuntimeRecord record(compiled.record.kernel, compiled.record);
  auto kernel = module->kernel(LaunchRecord(record.get()));
  if (!kernel)
    return toError(kernel.error());
  return std::move(*kernel);
}
