//===- KernelImage.cpp - A kernel on its way to a GPU -----------*- C++ -*-===//

#include "tilec/JIT/KernelImage.h"

#include "tilec/Compiler/Compiler.h"

using namespace tilec;

LoadedKernel::~LoadedKernel() = default;
Machine::~Machine() = default;

std::optional<KernelImage> tilec::buildImage(Compilation &compilation, const GpuArch &arch,
                                             const CodeOptions &options) {
  TargetOptions target(arch);
  target.fpFusion = options.fpFusion;
  target.maxRegisters = options.maxRegisters;
  if (!compilation.lower(Stage::PTX, target))
    return std::nullopt;
  assert(compilation.records().size() == 1 && "one kernel at a time");
  const LaunchRecord &record = compilation.records().front();
  KernelImage image;
  image.ptx = compilation.ptx();
  image.symbol = record.kernel.symbol;
  image.threads = record.threads;
  image.dynamicSharedBytes = record.dynamicSharedBytes;
  image.numCTAs = record.numCTAs;
  image.params = record.kernel.params;
  return image;
}

llvm::Expected<HostObject> tilec::buildHostObject(Compilation &compilation) {
  if (!compilation.simplify())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "");
  return HostKernel::compileObject(compilation.getModule(),
                                   compilation.records().front().kernel.symbol);
}

void tilec::reportError(Compilation &compilation, const llvm::Twine &message) {
  compilation.diagnostics().error(llvm::SMRange(), message);
}
