//===- LaunchRecord.cpp - what a launch needs to know ----------*- C++ -*-===//
//
// What a launch of a compiled kernel needs to know, in the form that `tilec` writes beside the
// code: where each parameter lies, threads, CTAs and shared memory. It follows from the signature
// and from attributes that passes left on the kernel; runtimes of other languages read the JSON.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/Compiler.h"

#include "ResourceReport.h"

using namespace tilec;

static llvm::json::Value toJSON(const LaunchRecord &record, const GpuArch &arch) {
  llvm::json::Array params;
  for (const KernelParam &param : record.kernel.params) {
    llvm::json::Object object{{"name", param.name},
                              {"type", param.type.signatureStr()},
                              {"offset", param.offset},
                              {"size", param.size()},
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
