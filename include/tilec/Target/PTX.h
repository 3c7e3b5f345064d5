//===- PTX.h - From an LLVM module to PTX text ------------------*- C++ -*-===//
//
// The GPU back end: checks a module that MLIR's translation produced, optimises it, and prints it
// as PTX for one architecture. It needs neither a GPU nor a driver nor the CUDA toolkit; Ptxas.h
// goes on from PTX to machine code.
//
// Every function may run in several threads at once, each on a module of its own LLVMContext.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTX_H
#define TILEC_TARGET_PTX_H

#include "tilec/Arch/GpuArch.h"
#include "tilec/Arch/Heuristics.h"

#include <functional>

namespace llvm {
class Module;
} // namespace llvm

namespace tilec {

/// Where the time of emitPTX() went, in milliseconds of wall time.
struct PTXTimes {
  double optimize = 0; ///< LLVM's passes on IR that this library chose.
  double codegen = 0;  ///< Instruction selection, the rest of the back end, and printing.
};

/// How to make PTX.
struct PTXOptions {
  explicit PTXOptions(GpuArch arch) : arch(arch) {}

  GpuArch arch;
  /// 0 (the IR as it is) to 3; other values are an error.
  unsigned optLevel = 3;
  /// Contract every fmul and fadd into an fma. When false, only llvm.fma stays one; `contract`
  /// flags in the module are dropped.
  bool fpFusion = true;
  /// Emit .file and .loc from the module's debug locations; a module without any is an error. When
  /// false, debug information is dropped.
  bool lineInfo = false;
  /// Registers that a thread of a kernel may have, as `.maxnreg`: 1 to 256, or 0 for no such limit.
  unsigned maxRegisters = 0;
  /// The PTX version to write. Nothing means the oldest that suffices; too old a one is an error.
  std::optional<Version> ptxVersion;
  /// Heuristics that are switched off, for measurements.
  HeuristicSet disabledHeuristics;
  /// Called with the module between optimisation and code generation, to print it for instance.
  std::function<void(const llvm::Module &)> onOptimized;
  /// Receives the times, unless null. Not owned.
  PTXTimes *times = nullptr;
};

/// Returns \p module as PTX text. Kernels are the functions of calling convention ptx_kernel; the
/// module's triple and data layout are set here, and the module is changed by the optimisation.
/// Errors: IR that does not verify, a function that is called but not defined, an instruction or
/// intrinsic that the architecture does not have, and what the back end reports.
///
/// A kernel of known block size may also get `.minnctapersm`, unless it says how many registers or
/// blocks it needs: where ptxas would otherwise spill most registers, or move loads that start
/// early back to save some (RegisterPressure.cpp).
llvm::Expected<std::string> emitPTX(llvm::Module &module, const PTXOptions &options);

/// The oldest PTX version that \p arch and all of \p module's instructions, intrinsics and inline
/// assembly need. The error says what the architecture lacks, or which function is called but
/// neither defined here nor by the driver (vprintf, __assertfail, malloc, free).
llvm::Expected<Version> requiredPTXVersion(const llvm::Module &module, const GpuArch &arch);

} // namespace tilec

#endif // TILEC_TARGET_PTX_H
