//===- Resources.h - what a kernel takes, with how many fit -----*- C++ -*-===//

#ifndef TILEC_LIB_REPORT_RESOURCES_H
#define TILEC_LIB_REPORT_RESOURCES_H

#include "tilec/Compiler/KernelRecord.h"

namespace tilec::report {

/// Threads, memory, ptxas's figures where \p usage has them (may be null), and how many CTAs fit on
/// a multiprocessor of \p arch, with the calculation for each limit as text.
llvm::json::Object describeKernel(const KernelRecord &record, const ResourceUsage *usage,
                                  const GpuArch &arch);

/// The part of it that holds for any target: name, constants, types of parameters.
llvm::json::Object describeKernel(const KernelRecord &record);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_RESOURCES_H
