//===- OutputFile.h - Writes what tilec made -------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_OUTPUTFILE_H
#define TILEC_TOOLS_TILEC_OUTPUTFILE_H

#include "tilec/Language/Diagnostics.h"

/// Writes `text` to `path`, or to standard output for "-". On failure reports it, leaves no file
/// behind, and returns false.
bool writeFile(llvm::StringRef path, llvm::StringRef text, tilec::DiagnosticEngine &diagnostics);

/// Writes the rule `output: inputs` for make to `path`; each input is named once,
/// standard input not at all. False after reporting an error.
bool writeDependencies(llvm::StringRef path, llvm::StringRef output,
                       llvm::ArrayRef<std::string> inputs, tilec::DiagnosticEngine &diagnostics);

#endif // TILEC_TOOLS_TILEC_OUTPUTFILE_H
