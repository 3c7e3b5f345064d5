//===- ObjectDriver.h - tilec's way to objects -----------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_OBJECTDRIVER_H
#define TILEC_TOOLS_TILEC_OBJECTDRIVER_H

#include "CommandLine.h"

/// Compiles the kernels of all inputs into an object, with header and dependency file as asked for.
/// Returns the exit status.
int buildObject(const CommandLine &line);

/// Prints what an object holds. Returns the exit status.
int inspect(const CommandLine &line);

#endif // TILEC_TOOLS_TILEC_OBJECTDRIVER_H
