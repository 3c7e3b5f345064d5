//===- DeviceTimer.h - Timing work on a GPU ---------------------*- C++ -*-===//
//
// The one method by which this project times kernels: device events around each run, and a write
// larger than any L2 cache before it, so that every run finds its inputs in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_DEVICETIMER_H
#define TILEC_JIT_DEVICETIMER_H

#include "tilec/JIT/Timing.h"
#include "tilec/runtime.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// The runtime's status as LLVM's error; success becomes success.
llvm::Error toError(const Status &status);

/// Times what is put into the default stream. Moves only.
class DeviceTimer {
public:
  /// Bytes that are written before each run.
  static constexpr size_t flushBytes = size_t(256) << 20;

  /// Allocates what clears the cache.
  static llvm::Expected<DeviceTimer> create(const Device &device);

  /// Warms up, then measures. `enqueue` puts one run into the default stream; it is given the
  /// run's number, so that runs can take turns with several inputs.
  llvm::Expected<Timing> measure(llvm::function_ref<Status(unsigned run)> enqueue,
                                 const TimingPlan &plan = TimingPlan());

private:
  DeviceTimer(Device device, Buffer flush) : device(std::move(device)), flush(std::move(flush)) {}
  llvm::Expected<std::vector<double>> timeRuns(llvm::function_ref<Status(unsigned)> enqueue,
                                               unsigned count);

  Device device;
  Buffer flush;
};

} // namespace tilec

#endif // TILEC_JIT_DEVICETIMER_H
