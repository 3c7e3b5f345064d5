//===- DeviceKernel.cpp - From a compiled kernel to one on a device -*- C++ -*-===//
//
// Loads PTX into a device with what the compiler knows of the kernel: its parameters, threads,
// shared memory and CTAs.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DeviceKernel.h"

#include "tilec/Compiler/RuntimeType.h"
#include "tilec/JIT/DeviceTimer.h"

using namespace tilec;

llvm::Expected<Kernel> tilec::loadKernel(const Device &device, const CompiledKernel &compiled) {
  auto module = Module::load(device, compiled.ptx.data(), compiled.ptx.size());
  if (!module)
    return toError(module.error());
  std::vector<Param> params;
  const KernelRecord &known = compiled.record;
  for (const KernelParam &param : known.kernel.params)
    params.push_back({param.name.c_str(), runtimeType(param.type), param.offset});
  params.push_back({}); // So that there is an address without parameters, too.
  LaunchRecord record(known.kernel.symbol.c_str(), known.threads, known.dynamicSharedBytes,
                      params.data(), uint32_t(known.kernel.params.size()));
  RuntimeMaps maps(known.maps);
  auto kernel = module->kernel(record.withCTAs(known.numCTAs)
                                   .withMaps(maps.get().data(), uint32_t(maps.get().size()))
                                   .ofImage());
  if (!kernel)
    return toError(kernel.error());
  return std::move(*kernel);
}
