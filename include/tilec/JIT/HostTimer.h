//===- HostTimer.h - Timing work on the processor ---------------*- C++ -*-===//

#ifndef TILEC_JIT_HOSTTIMER_H
#define TILEC_JIT_HOSTTIMER_H

#include "tilec/JIT/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// Runs `work` again and again for about as long as `plan` says and takes the wall clock, each time
/// with caches that hold something else. The first error ends it.
llvm::Expected<Timing> measureOnHost(llvm::function_ref<llvm::Error()> work,
                                     const TimingPlan &plan = TimingPlan());

} // namespace tilec

#endif // TILEC_JIT_HOSTTIMER_H
