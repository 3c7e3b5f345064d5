//===- Check.h - what --check of tilec-run reports -------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_CHECK_H
#define TILEC_TOOLS_TILEC_RUN_CHECK_H

#include "tilec/JIT/MemoryChecker.h"
#include "tilec/Language/Diagnostics.h"

/// Reports each finding as an error at its place in the source. True if there is none.
bool reportFindings(const tilec::MemoryChecker &checker, tilec::DiagnosticEngine &diagnostics);

#endif // TILEC_TOOLS_TILEC_RUN_CHECK_H
