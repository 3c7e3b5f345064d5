//===- SharedMemory.h - Shared memory that sees races -----------*- C++ -*-===//
//
// The bytes of a CTA's shared memory with who touched them last. Two accesses to one byte, one of
// them a store of another value, race unless the second thread knows of the first: both are of one
// thread; or of one warp, which synchronised its lanes in between; or their warps met at barriers.
// Clocks say who knows what (Lamport 1978; vector clocks: Fidge 1988, Mattern 1989).
//
// Matrix instructions of warpgroups and stores of blocks read through the async proxy: such a read
// must know of the proxy fence that the writing thread executed after its store, and until it is
// complete nobody may write there. Copies (cp.async) need no such fence: every library that
// multiplies what they bring relies on the wait and the barrier alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_SHAREDMEMORY_H
#define TILEC_LIB_SIMULATOR_SHAREDMEMORY_H

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::simulator {

inline constexpr unsigned kLanes = 32;

/// How far in the time of each warp of a CTA, or cluster, something is known; and of each thread,
/// up to when a proxy fence of its own follows what it did.
class Clock {
public:
  explicit Clock(unsigned warps = 0) : times(warps, 0) {}

  uint32_t operator[](unsigned warp) const { return times[warp]; }
  void tick(unsigned warp) { ++times[warp]; }
  void join(const Clock &other) {
    for (unsigned warp = 0; warp < times.size(); ++warp)
      times[warp] = std::max(times[warp], other.times[warp]);
    if (fences.size() < other.fences.size())
      fences.resize(other.fences.size());
    for (size_t thread = 0; thread < other.fences.size(); ++thread)
      fences[thread] = std::max(fences[thread], other.fences[thread]);
  }

  /// A thread of `warp` executes a proxy fence.
  void fence(unsigned warp, unsigned lane) {
    fences.resize(times.size() * kLanes);
    fences[warp * kLanes + lane] = times[warp];
  }
  /// The time of a thread's last proxy fence.
  uint32_t fenced(unsigned warp, unsigned lane) const {
    return fences.empty() ? 0 : fences[warp * kLanes + lane];
  }

private:
  llvm::SmallVector<uint32_t, 16> times;
  std::vector<uint32_t> fences; // Empty until there is one.
};

/// The lane of an accessor that is a whole warp.
inline constexpr unsigned kNoLane = 0xff;

/// Who accesses: a thread of warp `warp` (of its cluster), which knows `clock`, and whose lanes
/// have synchronised `syncs` times; and at which line of PTX.
struct Accessor {
  unsigned warp, lane;
  const Clock *clock;
  uint32_t syncs;
  uint32_t line;
};

class SharedMemory {
public:
  /// `warps` of the cluster can access it.
  SharedMemory(uint64_t bytes, unsigned warps);

  uint64_t size() const { return bytes.size(); }
  const uint8_t *data(uint64_t offset) const { return bytes.data() + offset; }

  /// Each of these returns "" or what is wrong.
  std::string read(const Accessor &who, uint64_t offset, unsigned count, uint8_t *result);
  std::string write(const Accessor &who, uint64_t offset, unsigned count, const uint8_t *values);
  /// An atomic operation may meet others of its kind.
  std::string update(const Accessor &who, uint64_t offset, unsigned count, const uint8_t *values);
  /// A copy into these bytes is on its way: nobody may access them until it has landed.
  std::string expect(const Accessor &who, uint64_t offset, unsigned count);
  /// The same of a copy by hardware, through the async proxy.
  std::string expectBlock(const Accessor &who, uint64_t offset, unsigned count);
  void land(const Accessor &who, uint64_t offset, unsigned count, const uint8_t *values);
  /// A warp, or one of its threads for `what`, begins to read through the async proxy: until
  /// endAsyncRead() nobody may write here.
  std::string beginAsyncRead(const Accessor &who, uint64_t offset, unsigned count, uint8_t *result,
                             const char *what);
  void endAsyncRead(const Accessor &who, uint64_t offset, unsigned count);

private:
  struct Touch {
    uint32_t time = 0; // Of the warp, when it did; 0 is never.
    uint32_t syncs = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool atomic = false;
    bool copied = false; // By cp.async.
  };
  struct Byte {
    Touch write;
    uint32_t writeLine = 0, asyncLine = 0; // Of `write`, and of the last async read.
    uint16_t pending = 0;                  // Copies on their way here.
    uint16_t asyncReads = 0;               // Those that are not complete.
    const char *asyncReader = nullptr;     // What the last one is of.
  };

  bool knows(const Accessor &who, const Touch &touch) const;
  bool sawReaders(const Accessor &who, uint64_t at) const;
  std::string findAsyncReader(uint64_t at) const;
  std::string findUnfenced(const Accessor &who, uint64_t at) const;
  void note(const Accessor &who, uint64_t at, bool atomic);

  std::vector<uint8_t> bytes;
  std::vector<Byte> shadow;
  unsigned warps;
  std::vector<Touch> readers; // The last read of each byte by each warp.
};

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_SHAREDMEMORY_H
