//===- CheckedMemory.h - Memory that launches are checked against -*- C++ -*-===//
//
// What the host has said of its arrays to a compiler that checks memory, and launches whose
// accesses are looked at one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_CHECKEDMEMORY_H
#define TILEC_LIB_JIT_LIBRARY_CHECKEDMEMORY_H

#include "Failure.h"
#include "tilec/JIT/MemoryChecker.h"

#include <map>
#include <mutex>

namespace tilec::library {

struct ReadyVariant;

/// Thread-safe. Launches run one at a time.
class CheckedMemory {
public:
  /// Kernels may access `bytes` from `address` on, in place of what was added there before.
  Failure add(const void *address, uint64_t bytes, bool unwritten);
  /// Forgets what starts at `address`, if there is something.
  void remove(const void *address);
  /// Runs a variant for the processor that was compiled to be watched.
  Failure run(const tilec_jit_kernel &kernel, const ReadyVariant &variant, HostGrid grid,
              const uint64_t *slots, void *const *arguments);

private:
  struct Block {
    uint64_t bytes;
    std::vector<bool> unwritten; // For each byte; empty: the host has written all.
  };
  using Blocks = std::map<uintptr_t, Block>;

  /// The block that an address is in, or which starts there; end() if there is none.
  Blocks::iterator find(uintptr_t address);
  void describe(const tilec_jit_kernel &kernel, void *const *arguments, MemoryChecker &checker);

  std::mutex lock;
  Blocks blocks;
};

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_CHECKEDMEMORY_H
