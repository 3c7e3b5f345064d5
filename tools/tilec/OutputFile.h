//===- OutputFile.h - Writes what tilec made -------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_OUTPUTFILE_H
#define TILEC_TOOLS_TILEC_OUTPUTFILE_H

#include "tilec/Language/Diagnostics.h"

/// Writes `text` to `path`, or to standard output for "-". On failure reports it, leaves no file
/// behind, and returns false.
bool writeFile(llvm::StringRef path, llvm::StringRef text, tilec::DiagnosticEngine &diagnostics);

#endif // TILEC_TOOLS_TILEC_OUTPUTFILE_H
