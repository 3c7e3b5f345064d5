//===- DeviceKernel.cpp - From a compiled kernel to one on a device -*- C++ -*-===//

#include "tilec/JIT/DeviceKernel.h"

#include "tilec/Compiler/RuntimeType.h"
#include "tilec/JIT/DeviceTimer.h"

using namespace tilec;

llvm::Expected<Kernel> tilec::loadKernel(const Device &device, const KernelImage &image) {
  auto module = Module::load(device, image.ptx.data(), image.ptx.size());
  if (!module)
    return toError(module.error());
  std::vector<Param> params;
  for (const KernelParam &param : image.params)
    params.push_back({param.name.c_str(), runtimeType(param.type), param.offset});
  params.push_back({}); // So that there is an address without parameters, too.
  LaunchRecord record(image.symbol.c_str(), image.threads, image.dynamicSharedBytes, params.data(),
                      uint32_t(image.params.size()));
  auto kernel = module->kernel(record.withCTAs(image.numCTAs).ofImage());
  if (!kernel)
    return toError(kernel.error());
  return std::move(*kernel);
}
