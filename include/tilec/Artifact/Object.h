//===- Object.h - Kernels as an object file --------------------*- C++ -*-===//
//
// Writes an Artifact as an x86-64 ELF object without a host compiler: tables and images are
// constants of an LLVM module, launchers are small functions in it, CPU kernels are linked in, and
// LLVM's own object writer does the rest.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARTIFACT_OBJECT_H
#define TILEC_ARTIFACT_OBJECT_H

#include "tilec/Artifact/Artifact.h"
#include "llvm/Support/JSON.h"

namespace tilec {

/// What emitObject() writes.
enum class ObjectForm {
  Object,  ///< ELF, relocatable
  Archive, ///< `ar` with that object as its one member
  LLVM,    ///< the module as text
};

/// The section that describes the object to `tilec --inspect`; no linker copies it into a program.
inline constexpr llvm::StringLiteral kDescriptionSection = ".tilec.kernels";

/// The file's bytes. `memberName` names the member of an archive. Nothing after reporting errors,
/// to `diagnostics`. The same artifact gives the same bytes. May run on several threads at once.
std::optional<std::string> emitObject(const Artifact &artifact, ObjectForm form,
                                      llvm::StringRef memberName, DiagnosticEngine &diagnostics);

/// What the object holds, as JSON: version, namespace; of each kernel source, parameters and
/// constexprs; of each configuration its values, and of each variant what it assumes and its
/// images.
llvm::json::Value describe(const Artifact &artifact);

/// Reads the description out of an object or an archive, and puts it into lines for people. The
/// error says why there is none.
llvm::Expected<std::string> inspectObject(llvm::StringRef path);

} // namespace tilec

#endif // TILEC_ARTIFACT_OBJECT_H
