//===- KernelRecord.h - What is kept about a compiled kernel ----*- C++ -*-===//
//
// What a launch of a compiled kernel needs to know, and its form as JSON: `tilec --emit=json`
// prints it for runtimes of other languages, and the cache on disk keeps it beside the code.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_KERNELRECORD_H
#define TILEC_COMPILER_KERNELRECORD_H

#include "tilec/Arch/GpuArch.h"
#include "tilec/Compiler/LaunchNeeds.h"
#include "tilec/Language/Specializer.h"
#include "tilec/Target/Ptxas.h"
#include "llvm/Support/JSON.h"

namespace tilec {

/// What a launch of one kernel needs to know. For a processor only the kernel itself counts.
struct KernelRecord : LaunchNeeds {
  KernelInfo kernel;
  /// Bytes of shared memory that the kernel declares.
  unsigned staticSharedBytes = 0;
  /// The limit that the kernel was compiled with; 0 is none.
  unsigned maxRegisters = 0;
  /// What the machine code takes; known after Compilation::assemble().
  std::optional<ResourceUsage> resources;
};

/// The record as JSON: symbol, parameters with types, offsets, promises and limits of sizes, tensor
/// maps that launches make, threads, CTAs of a program, shared bytes, constexprs and the register
/// limit.
llvm::json::Object toJSON(const KernelRecord &record);

/// Adds what launches need to the description of a kernel's code.
void addTo(llvm::json::Object &object, const LaunchNeeds &needs);

/// Reads what toJSON() wrote; nothing for anything else. KernelInfo::arguments and what machine
/// code takes are not part of it.
std::optional<KernelRecord> readKernelRecord(const llvm::json::Value &json);

/// The records of the kernels of one image, with the architecture; and with registers, spills and
/// occupancy where the machine code is known.
llvm::json::Value toJSON(llvm::ArrayRef<KernelRecord> records, const GpuArch &arch,
                         llvm::StringRef source);

} // namespace tilec

#endif // TILEC_COMPILER_KERNELRECORD_H
