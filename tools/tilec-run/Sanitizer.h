//===- Sanitizer.h - Runs under compute-sanitizer --------------*- C++ -*-===//
//
// Checks a kernel's accesses on a GPU: runs this program again under each of the tools of CUDA's
// compute-sanitizer, and reports what they find at the kernel's lines.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_SANITIZER_H
#define TILEC_TOOLS_TILEC_RUN_SANITIZER_H

#include "CommandLine.h"
#include "tilec/Compiler/Compiler.h"

/// Runs the command line under all of its tools. `compilation` has read the kernel's file and
/// reports. The exit status.
int runUnderSanitizer(const CommandLine &line, tilec::Compilation &compilation);

#endif // TILEC_TOOLS_TILEC_RUN_SANITIZER_H
