//===- HostTimer.cpp - Timing work on the processor -------------*- C++ -*-===//
//
// Measures work on the processor by the wall clock, each time after all caches were filled with
// something else.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/HostTimer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <unistd.h>

using namespace tilec;

/// Bytes that push everything else out of the processor's caches.
static size_t flushBytes() {
  long largest = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  largest = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  constexpr size_t least = size_t(32) << 20, most = size_t(256) << 20;
  return std::min(std::max(size_t(std::max(largest, 0L)) * 2, least), most);
}

llvm::Expected<Timing> tilec::measureOnHost(llvm::function_ref<llvm::Error()> work,
                                            const TimingPlan &plan) {
  using Clock = std::chrono::steady_clock;
  auto millisecondsSince = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  // Writing to the flush memory counts too: a run may be much shorter.
  double budgetMs = plan.warmupMs + plan.budgetMs;
  constexpr size_t leastRuns = 3, mostRuns = 100;
  std::vector<uint64_t> flush(flushBytes() / sizeof(uint64_t));
  std::vector<double> times;
  if (llvm::Error error = work()) // Not timed: it touches memory for the first time.
    return std::move(error);
  Clock::time_point begin = Clock::now();
  while (times.size() < leastRuns ||
         (times.size() < mostRuns && millisecondsSince(begin) < budgetMs)) {
    for (uint64_t &word : flush)
      const_cast<volatile uint64_t &>(word) = times.size();
    Clock::time_point start = Clock::now();
    if (llvm::Error error = work())
      return std::move(error);
    times.push_back(millisecondsSince(start));
  }
  return summarize(std::move(times));
}
