//===- Threads.h - work in parts, one for each processor -------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_THREADS_H
#define TILEC_TOOLS_TILEC_BENCH_THREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace tilec::bench {

/// As many parts as there are processors, or fewer units.
inline uint64_t countParts(uint64_t units) {
  return std::min<uint64_t>(std::max(1u, std::thread::hardware_concurrency()), units);
}

/// Calls `work` for parts of `units`, from `begin` to `end`, each in a thread of its own.
inline void
forEachPart(uint64_t units,
            llvm::function_ref<void(uint64_t part, uint64_t begin, uint64_t end)> work) {
  std::vector<std::thread> threads;
  for (uint64_t part = 0, parts = countParts(units); part < parts; ++part)
    threads.emplace_back([=] { work(part, units * part / parts, units * (part + 1) / parts); });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_THREADS_H
