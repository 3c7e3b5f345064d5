//===- GpuFacts.h - what the notes say of the GPU --------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_GPUFACTS_H
#define TILEC_TOOLS_TILEC_BENCH_GPUFACTS_H

#include "Report.h"
#include "tilec/runtime.h"

namespace tilec::bench {

/// Asks the driver.
GpuFacts readFacts(const Device &device);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_GPUFACTS_H
