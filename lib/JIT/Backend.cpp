//===- Backend.cpp - What kernels are compiled for --------------*- C++ -*-===//
//
// Drives a Compilation to the end for each kind of code. Whoever holds the diagnostics learns all
// that went wrong from them.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Backend.h"

#include "tilec/Compiler/Compiler.h"

using namespace tilec;

Backend::~Backend() = default;

void tilec::reportError(Compilation &compilation, const llvm::Twine &message) {
  compilation.diagnostics().error(llvm::SMRange(), message);
}

namespace {

class PTXBackend : public Backend {
public:
  explicit PTXBackend(const GpuArch &arch) : target(arch) {}

  std::optional<GpuArch> arch() const override { return target; }
  std::string identity() const override { return target.name(); }
  bool compile(Compilation &compilation, const BackendOptions &options,
               CompiledKernel &result) const override;

private:
  GpuArch target;
};

class HostBackend : public Backend {
public:
  explicit HostBackend(bool checkMemory) { host.checkMemory = checkMemory; }

  std::optional<GpuArch> arch() const override { return std::nullopt; }
  std::string identity() const override;
  bool compile(Compilation &compilation, const BackendOptions &options,
               CompiledKernel &result) const override;

private:
  HostOptions host;
};

} // namespace

bool PTXBackend::compile(Compilation &compilation, const BackendOptions &options,
                         CompiledKernel &result) const {
  TargetOptions how(target);
  how.fpFusion = options.fpFusion;
  how.maxRegisters = options.maxRegisters;
  how.disabledHeuristics = options.disabledHeuristics;
  how.lineInfo = options.lineInfo;
  if (!compilation.lower(Stage::PTX, how))
    return false;
  assert(compilation.records().size() == 1 && "one kernel at a time");
  result.record = compilation.records().front();
  result.ptx = compilation.ptx();
  return true;
}

/// The processor is asked once: it takes a while, and stays.
static const std::string &thisProcessor() {
  static const std::string text = [] {
    llvm::Expected<std::string> machine = hostMachine();
    return machine ? *machine : llvm::toString(machine.takeError());
  }();
  return text;
}

std::string HostBackend::identity() const {
  return (host.checkMemory ? "checked cpu " : "cpu ") + thisProcessor();
}

bool HostBackend::compile(Compilation &compilation, const BackendOptions &,
                          CompiledKernel &result) const {
  if (!compilation.simplify())
    return false;
  result.record = compilation.records().front();
  llvm::Expected<HostObject> object =
      HostKernel::compileObject(compilation.getModule(), result.record.kernel.symbol, host);
  if (object) {
    result.object = std::move(*object);
    return true;
  }
  std::string message = llvm::toString(object.takeError());
  if (!message.empty()) // Otherwise the passes have reported.
    reportError(compilation, message);
  return false;
}

std::unique_ptr<Backend> Backend::ptx(const GpuArch &arch) {
  return std::make_unique<PTXBackend>(arch);
}

std::unique_ptr<Backend> Backend::host(bool checkMemory) {
  return std::make_unique<HostBackend>(checkMemory);
}
