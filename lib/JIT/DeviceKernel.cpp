//===- DeviceKernel.cpp - From a compiled kernel to one on a device -*- C++ -*-===//

#include "tilec/JIT/DeviceKernel.h"

#include "tilec/JIT/DeviceTimer.h"

using namespace tilec;

uint8_t tilec::runtimeType(DType type) {
  if (type.isPointer())
    return TILEC_TYPE_POINTER + runtimeType(type.pointee());
  switch (type.kind) {
  case ScalarKind::Int1:
    return TILEC_TYPE_I1;
  case ScalarKind::Int8:
    return TILEC_TYPE_I8;
  case ScalarKind::UInt8:
    return TILEC_TYPE_U8;
  case ScalarKind::Int16:
    return TILEC_TYPE_I16;
  case ScalarKind::UInt16:
    return TILEC_TYPE_U16;
  case ScalarKind::Int32:
    return TILEC_TYPE_I32;
  case ScalarKind::UInt32:
    return TILEC_TYPE_U32;
  case ScalarKind::Int64:
    return TILEC_TYPE_I64;
  case ScalarKind::UInt64:
    return TILEC_TYPE_U64;
  case ScalarKind::FP16:
    return TILEC_TYPE_FP16;
  case ScalarKind::BF16:
    return TILEC_TYPE_BF16;
  case ScalarKind::FP32:
    return TILEC_TYPE_FP32;
  case ScalarKind::FP64:
    return TILEC_TYPE_FP64;
  default:
    return TILEC_TYPE_INVALID; // As a pointee: a pointer to anything.
  }
}

llvm::Expected<Kernel> tilec::loadKernel(const Device &device, const KernelImage &image) {
  auto module = Module::load(device, image.ptx.data(), image.ptx.size());
  if (!module)
    return toError(module.error());
  std::vector<Param> params;
  for (const KernelImage::Param &param : image.params)
    params.push_back({param.name.c_str(), runtimeType(param.type), param.offset});
  params.push_back({}); // So that there is an address without parameters, too.
  LaunchRecord record(image.symbol.c_str(), image.threads, image.dynamicSharedBytes, params.data(),
                      uint32_t(image.params.size()));
  auto kernel = module->kernel(record.withCTAs(image.numCTAs));
  if (!kernel)
    return toError(kernel.error());
  return std::move(*kernel);
}
