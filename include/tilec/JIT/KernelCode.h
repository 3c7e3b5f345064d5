//===- KernelCode.h - One kernel compiled, as a value -----------*- C++ -*-===//
//
// From a source text and a KernelRequest to code for a GPU or for this processor: a plain value
// that can be kept in memory or in a file.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_KERNELCODE_H
#define TILEC_JIT_KERNELCODE_H

#include "tilec/JIT/Backend.h"
#include "tilec/Language/Requirement.h"

namespace tilec {

/// All that determines the code of a kernel.
struct CodeRequest {
  /// The text of the file, and its name in messages.
  std::shared_ptr<const std::string> source;
  std::string path;
  /// How it imports other files.
  ImportSearch imports;
  KernelRequest kernel;
  /// What to compile for; it must outlive the request.
  const Backend *backend = nullptr;
  unsigned maxRegisters = 0;
};

/// A kernel's code with all that is kept beside it.
struct KernelCode : CompiledKernel {
  /// The warnings of the compilation, in full; "" without any.
  std::string warnings;
  /// Sizes beyond which it would leave work undone.
  std::vector<SizeLimit> limits;
  /// What it depends on beside the request.
  std::vector<ImportFact> imports;
};

/// Compiles. Thread-safe. The error's text is every diagnostic in full, as the tools print them.
/// `facts` gets what the outcome depends on, an error too.
llvm::Expected<KernelCode> compileCode(const CodeRequest &request,
                                       std::vector<ImportFact> *facts = nullptr);

/// A hash, in hexadecimal digits, of the request, the version of the compiler, and for this
/// processor of its name and features: equal hashes mean equal code as long as the imported files
/// are the same (KernelCode::imports).
std::string codeKey(const CodeRequest &request);

/// Code as bytes, and back; nothing when the bytes are not such code.
std::string serializeCode(const KernelCode &code);
std::optional<KernelCode> deserializeCode(llvm::StringRef bytes);

} // namespace tilec

#endif // TILEC_JIT_KERNELCODE_H
