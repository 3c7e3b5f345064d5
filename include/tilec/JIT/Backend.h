//===- Backend.h - What kernels are compiled for ----------------*- C++ -*-===//
//
// The one way from a kernel in a Compilation to code with its record, for whoever runs kernels in
// this process: PTX for a GPU, or machine code of the processor. This header knows nothing of
// machines, so code for a GPU can be had without one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_BACKEND_H
#define TILEC_JIT_BACKEND_H

#include "tilec/Arch/Heuristics.h"
#include "tilec/Compiler/KernelRecord.h"
#include "tilec/Target/Host.h"

#include <memory>

namespace tilec {

class Compilation;

/// How a kernel is compiled, beyond its KernelRequest.
struct BackendOptions {
  /// Contract multiplications and additions.
  bool fpFusion = true;
  /// Registers that a thread may have on a GPU: 1 to 256, or 0 for no limit but the hardware's.
  unsigned maxRegisters = 0;
  /// Decisions of the compiler for GPUs to do without, for measuring.
  HeuristicSet disabledHeuristics;
  /// Whether PTX says which lines its instructions are from; changes no code.
  bool lineInfo = false;
};

/// A kernel's code, and what a launch needs to know of it. A plain value.
struct CompiledKernel {
  KernelRecord record;
  /// For a GPU; empty otherwise.
  std::string ptx;
  /// For a processor; without code otherwise.
  HostObject object;

  bool isHost() const { return ptx.empty(); }
  /// PTX, or an object file.
  const std::string &code() const { return isHost() ? object.code : ptx; }
};

/// A kind of code. Thread-safe.
class Backend {
public:
  virtual ~Backend();
  /// PTX for `arch`.
  static std::unique_ptr<Backend> ptx(const GpuArch &arch);
  /// Machine code of the processor that this process runs on. With `checkMemory` a HostMonitor
  /// watches it.
  static std::unique_ptr<Backend> host(bool checkMemory = false);

  /// What KernelRequest::arch must be: nothing for a processor.
  virtual std::optional<GpuArch> arch() const = 0;
  /// Equal where code for one is good for the other: "sm_90a", "cpu" with its name and features.
  virtual std::string identity() const = 0;
  /// Compiles the one kernel that was added to `compilation`, which is not needed afterwards. False
  /// after reporting errors to its diagnostics.
  virtual bool compile(Compilation &compilation, const BackendOptions &options,
                       CompiledKernel &result) const = 0;
};

/// Reports an error without a location to the compilation's diagnostics.
void reportError(Compilation &compilation, const llvm::Twine &message);

} // namespace tilec

#endif // TILEC_JIT_BACKEND_H
