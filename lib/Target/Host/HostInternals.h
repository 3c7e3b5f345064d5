//===- HostInternals.h - pieces of the host target -------------*- C++ -*-===//
//
// Private to lib/Target/Host.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_TARGET_HOST_HOSTINTERNALS_H
#define TILEC_LIB_TARGET_HOST_HOSTINTERNALS_H

#include "tilec/Target/Host.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdint>
#include <memory>

namespace tilec::host {

/// A kernel as a C function: its parameters in slots of eight bytes, the program's position and the
/// size of the grid, scratch memory, and the HostFailure.
using Entry = void (*)(const uint64_t *slots, const int32_t *grid, void *scratch, void *failure);

/// Name of the entry function that lower() adds.
inline constexpr llvm::StringLiteral kEntryName = "tilec_host_entry";

/// Describes the processor that `options` ask for. The first call in a process sets LLVM up.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> describeHost(const HostOptions &options);

/// LLVM IR of one kernel, with an entry function.
struct LoweredKernel {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  uint64_t scratchBytes = 0;
};

/// Lowers the kernel `name` of `module` (tile IR, left as it is) to LLVM IR for `machine`, not
/// optimised; memory is checked and lines are kept as `options` say.
llvm::Expected<LoweredKernel> lower(mlir::ModuleOp module, llvm::StringRef name,
                                    const llvm::TargetMachine &machine, const HostOptions &options);

/// Rewrites code of `module`, which is optimised, that LLVM's back end would compile wrongly for
/// `machine`; returns whether there was any.
bool avoidBackEndFaults(llvm::Module &module, const llvm::TargetMachine &machine);

/// Optimises `module` for `machine`, and leaves in it no code that the back end compiles wrongly.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Defines in `library` the functions of the C library that compiled kernels may call. Kernels
/// see these and nothing else of the process.
llvm::Error defineLibraryFunctions(llvm::orc::LLJIT &jit, llvm::orc::JITDylib &library);

/// An error with a text.
llvm::Error makeError(const llvm::Twine &text);

} // namespace tilec::host

#endif // TILEC_LIB_TARGET_HOST_HOSTINTERNALS_H
