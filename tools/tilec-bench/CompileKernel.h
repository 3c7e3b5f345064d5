//===- CompileKernel.h - the example kernels through tilec -----*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_COMPILEKERNEL_H
#define TILEC_TOOLS_TILEC_BENCH_COMPILEKERNEL_H

#include "Configs.h"
#include "tilec/JIT/Backend.h"

namespace tilec::bench {

/// The signature of a case's kernel, with the promises that a launch from Python would make:
/// pointers, and sizes that are multiples of 16.
std::string signatureOf(const Case &what);

/// Compiles the kernel of a case from the file `path`; the error holds the compiler's messages.
llvm::Expected<CompiledKernel> compileKernel(const Case &what, const Config &config,
                                             llvm::StringRef path, const GpuArch &arch);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_COMPILEKERNEL_H
