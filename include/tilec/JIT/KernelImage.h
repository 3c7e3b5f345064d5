//===- KernelImage.h - A kernel on its way to a GPU -------------*- C++ -*-===//
//
// Separates the compiler's headers from the runtime's, which use some names for different things.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_KERNELIMAGE_H
#define TILEC_JIT_KERNELIMAGE_H

#include "tilec/JIT/Machine.h"
#include "tilec/Target/Host.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// PTX of one kernel with what a launch needs to know.
struct KernelImage {
  std::string ptx;
  std::string symbol;
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  unsigned numCTAs = 1;
  std::vector<KernelParam> params;
};

/// Compiles the one kernel of `compilation` to PTX. Nothing after reporting errors.
std::optional<KernelImage> buildImage(Compilation &compilation, const GpuArch &arch,
                                      const CodeOptions &options);

/// Compiles the one kernel of `compilation` for this processor. An error may come with messages in
/// the compilation's diagnostics, or have the only one.
llvm::Expected<HostObject> buildHostObject(Compilation &compilation);

/// Reports an error without a location to the compilation's diagnostics.
void reportError(Compilation &compilation, const llvm::Twine &message);

} // namespace tilec

#endif // TILEC_JIT_KERNELIMAGE_H
