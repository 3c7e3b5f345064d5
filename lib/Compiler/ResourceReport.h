//===- ResourceReport.h - what machine code takes, as JSON -----*- C++ -*-===//

#ifndef TILEC_LIB_COMPILER_RESOURCEREPORT_H
#define TILEC_LIB_COMPILER_RESOURCEREPORT_H

#include "tilec/Compiler/Compiler.h"

namespace tilec {

/// Registers, spills, stack and occupancy of a kernel whose machine code is known.
llvm::json::Value resourcesToJSON(const KernelRecord &record, const GpuArch &arch);

} // namespace tilec

#endif // TILEC_LIB_COMPILER_RESOURCEREPORT_H
