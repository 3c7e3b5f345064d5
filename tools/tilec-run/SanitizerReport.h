//===- SanitizerReport.h - findings in the kernel's terms ------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_SANITIZERREPORT_H
#define TILEC_TOOLS_TILEC_RUN_SANITIZERREPORT_H

#include "SanitizerLog.h"
#include "Watched.h"
#include "tilec/Compiler/Compiler.h"

/// Reports findings as errors at the kernel's lines, those of one line that differ in nothing but
/// the thread as one.
void reportFindings(llvm::ArrayRef<SanitizerFinding> findings, const WatchedFacts &facts,
                    tilec::Compilation &compilation);

#endif // TILEC_TOOLS_TILEC_RUN_SANITIZERREPORT_H
