//===- Measurements.h - what a profile says of kernels ----------*- C++ -*-===//

#ifndef TILEC_LIB_REPORT_MEASUREMENTS_H
#define TILEC_LIB_REPORT_MEASUREMENTS_H

#include "tilec/Compiler/KernelRecord.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tilec::report {

/// Reads the trace at \p path, which the runtime or tilec-run --profile wrote, and takes out what
/// it says of kernels of \p records: {file, devices: [{name, peak, peakFrom}], variants: [{kernel,
/// constants, signature, isSame, device, times, rates, resources}]}. Numbers of devices begin at 0
/// there. A variant is the same as the compiled one if constants and signature are, and a GPU or a
/// processor ran it as \p isGPU says. The error says why it is no such trace, or which kernels it
/// has instead; where it \p mayLack these, the result is empty.
llvm::Expected<llvm::json::Object> readMeasurements(llvm::StringRef path,
                                                    llvm::ArrayRef<KernelRecord> records,
                                                    bool isGPU, bool mayLack);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_MEASUREMENTS_H
