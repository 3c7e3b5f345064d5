//===- Header.h - The C and C++ face of compiled kernels -------*- C++ -*-===//

#ifndef TILEC_ARTIFACT_HEADER_H
#define TILEC_ARTIFACT_HEADER_H

#include "tilec/Artifact/Artifact.h"

namespace tilec {

/// The header of the artifact's object: C functions that return a status, and over them, inline,
/// one C++17 overload for each signature. `fileName` goes into the include guard.
std::string writeHeader(const Artifact &artifact, llvm::StringRef fileName);

/// The parameter's type in the C++ functions: "const tilec::half *", "int32_t".
std::string cppTypeOf(DType type);

} // namespace tilec

#endif // TILEC_ARTIFACT_HEADER_H
