//===- LaunchRecord.cpp - what a launch needs to know ----------*- C++ -*-===//
//
// What a launch of a compiled kernel needs to know, in the form that `tilec` writes beside the
// code: where each parameter lies, threads, CTAs and shared memory. It follows from the signature
// and from attributes that passes left on the kernel; runtimes of other languages read the JSON.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/Compiler.h"

#include "ResourceReport.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;

/// Bytes of a parameter of signature type `type`.
static unsigned paramSize(llvm::StringRef type) {
  if (type.starts_with("*"))
    return 8;
  unsigned bits = 0;
  if (type.ltrim("abcdefghijklmnopqrstuvwxyz").consumeInteger(10, bits) || bits == 0)
    return 8;
  return llvm::divideCeil(bits, 8u);
}

std::vector<ParamSlot> tilec::layOutParams(const KernelInfo &kernel) {
  std::vector<ParamSlot> slots;
  unsigned offset = 0;
  for (const KernelInfo::Param &param : kernel.params) {
    unsigned size = paramSize(param.type);
    offset = llvm::alignTo(offset, size);
    slots.push_back({offset, size});
    offset += size;
  }
  return slots;
}

static llvm::json::Value toJSON(const LaunchRecord &record, const GpuArch &arch) {
  llvm::json::Array params;
  std::vector<ParamSlot> slots = layOutParams(record.kernel);
  for (auto [param, slot] : llvm::zip(record.kernel.params, slots)) {
    llvm::json::Object object{{"name", param.name},
                              {"type", param.type},
                              {"offset", slot.offset},
                              {"size", slot.size},
                              {"divisibility", param.divisibility}};
    if (param.atMost)
      object["at_most"] = *param.atMost;
    params.push_back(std::move(object));
  }
  llvm::json::Object constexprs;
  for (const KernelInfo::Constexpr &constant : record.kernel.constexprs)
    constexprs[constant.name] = constant.value;
  llvm::json::Object object{{"symbol", record.kernel.symbol},
                            {"params", std::move(params)},
                            {"constexprs", std::move(constexprs)},
                            {"threads", record.threads},
                            {"static_shared_bytes", record.staticSharedBytes},
                            {"dynamic_shared_bytes", record.dynamicSharedBytes},
                            {"num_ctas", record.numCTAs},
                            {"maxnreg", nullptr}};
  if (record.maxRegisters != 0)
    object["maxnreg"] = record.maxRegisters;
  if (record.resources)
    object["resources"] = resourcesToJSON(record, arch);
  return object;
}

llvm::json::Value tilec::toJSON(llvm::ArrayRef<LaunchRecord> records, const GpuArch &arch,
                                llvm::StringRef source) {
  llvm::json::Array kernels;
  for (const LaunchRecord &record : records)
    kernels.push_back(::toJSON(record, arch));
  return llvm::json::Object{
      {"source", source}, {"arch", arch.name()}, {"kernels", std::move(kernels)}};
}
