//===- DeviceTimer.cpp - Timing work on a GPU -------------------*- C++ -*-===//
//
// Measures runs of a kernel on a GPU: before each run a buffer larger than the L2 cache is written,
// and events around the run take its time. All runs are enqueued before the host waits, so that the
// time of a launch on the host does not count. tilec-bench, tilec-run and the JIT's tuning use it.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DeviceTimer.h"

using namespace tilec;

llvm::Error tilec::toError(const Status &status) {
  if (status)
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", status.message());
}

llvm::Expected<DeviceTimer> DeviceTimer::create(const Device &device) {
  auto flush = Buffer::allocate(device, flushBytes);
  if (!flush)
    return toError(flush.error());
  return DeviceTimer(device, std::move(*flush));
}

llvm::Expected<std::vector<double>>
DeviceTimer::timeRuns(llvm::function_ref<Status(unsigned)> enqueue, unsigned count) {
  std::vector<std::pair<Event, Event>> events;
  for (unsigned index = 0; index < count; ++index) {
    auto start = Event::create(device), stop = Event::create(device);
    if (!start || !stop)
      return toError(start ? stop.error() : start.error());
    events.push_back({std::move(*start), std::move(*stop)});
  }
  // Nothing waits in between: while the GPU clears the cache, the host is ahead with the launch.
  for (unsigned index = 0; index < count; ++index) {
    Status status = flush.fill(Stream(), 0);
    if (status)
      status = events[index].first.record();
    if (status)
      status = enqueue(index);
    if (status)
      status = events[index].second.record();
    if (!status)
      return toError(status);
  }
  if (Status status = device.synchronize(); !status)
    return toError(status);
  std::vector<double> times;
  for (auto &[start, stop] : events) {
    auto milliseconds = stop.since(start);
    if (!milliseconds)
      return toError(milliseconds.error());
    times.push_back(*milliseconds);
  }
  return times;
}

llvm::Expected<Timing> DeviceTimer::measure(llvm::function_ref<Status(unsigned)> enqueue,
                                            const TimingPlan &plan) {
  // The first run loads code and is slower than any other; only the second tells how long one is.
  llvm::Expected<std::vector<double>> first = timeRuns(enqueue, 2);
  if (!first)
    return first.takeError();
  double runMs = first->back();
  llvm::Expected<std::vector<double>> warm = timeRuns(enqueue, plan.warmups(runMs));
  if (!warm)
    return warm.takeError();
  runMs = summarize(std::move(*warm)).medianMs;
  llvm::Expected<std::vector<double>> times = timeRuns(enqueue, plan.runs(runMs));
  if (!times)
    return times.takeError();
  return summarize(std::move(*times));
}
