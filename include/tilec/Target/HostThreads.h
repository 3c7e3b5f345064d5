//===- HostThreads.h - the threads that run programs on the CPU -*- C++ -*-===//

#ifndef TILEC_TARGET_HOSTTHREADS_H
#define TILEC_TARGET_HOSTTHREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <memory>

namespace tilec {

/// A fixed set of threads that share out the programs of a launch. One object may serve launches
/// from several threads at once. A child process made by fork() must create its own.
class HostThreads {
public:
  /// Starts `count` - 1 threads: the one that launches works too. 0 means as many as the process
  /// may use processors. Starting fewer than asked for is no error; see size().
  explicit HostThreads(unsigned count = 0);

  /// Waits for running launches, then ends the threads.
  ~HostThreads();

  HostThreads(const HostThreads &) = delete;
  HostThreads &operator=(const HostThreads &) = delete;

  /// Number of threads that work on one launch, the caller included; at least 1.
  unsigned size() const;

  /// Splits 0 .. `count` - 1 into ranges and calls `body(begin, end, scratch)` for each, on several
  /// threads at once and in no particular order; `scratch` is memory of `scratchBytes` bytes,
  /// aligned to 64, that no other call uses meanwhile, with arbitrary content. Returns after the
  /// last call has. False, with ranges left out, when the memory could not be had. `body` must not
  /// call forEachRange.
  bool forEachRange(uint64_t count, uint64_t scratchBytes,
                    llvm::function_ref<void(uint64_t begin, uint64_t end, void *scratch)> body);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilec

#endif // TILEC_TARGET_HOSTTHREADS_H
