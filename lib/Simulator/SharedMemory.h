//===- SharedMemory.h - Shared memory that sees races -----------*- C++ -*-===//
//
// The bytes of a CTA's shared memory with who touched them last. Two accesses to one byte, one of
// them a store of another value, race unless the second thread knows of the first: both are of one
// thread; or of one warp, which synchronised its lanes in between; or their warps met at barriers.
// Clocks say who knows what (Lamport 1978; vector clocks: Fidge 1988, Mattern 1989).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_SHAREDMEMORY_H
#define TILEC_LIB_SIMULATOR_SHAREDMEMORY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilec::simulator {

/// How far in the time of each warp of a CTA, or cluster, something is known.
class Clock {
public:
  explicit Clock(unsigned warps = 0) : times(warps, 0) {}

  uint32_t operator[](unsigned warp) const { return times[warp]; }
  void tick(unsigned warp) { ++times[warp]; }
  void join(const Clock &other) {
    for (unsigned warp = 0; warp < times.size(); ++warp)
      times[warp] = std::max(times[warp], other.times[warp]);
  }

private:
  llvm::SmallVector<uint32_t, 16> times;
};

/// Who accesses: a thread of warp `warp` (of its cluster), which knows `clock`, and whose lanes
/// have synchronised `syncs` times.
struct Accessor {
  unsigned warp, lane;
  const Clock *clock;
  uint32_t syncs;
};

class SharedMemory {
public:
  /// `warps` of the cluster can access it.
  SharedMemory(uint64_t bytes, unsigned warps);

  uint64_t size() const { return bytes.size(); }
  const uint8_t *data(uint64_t offset) const { return bytes.data() + offset; }

  /// Each of these returns "" or what is wrong.
  llvm::StringRef read(const Accessor &who, uint64_t offset, unsigned count, uint8_t *result);
  llvm::StringRef write(const Accessor &who, uint64_t offset, unsigned count,
                        const uint8_t *values);
  /// An atomic operation may meet others of its kind.
  llvm::StringRef update(const Accessor &who, uint64_t offset, unsigned count,
                         const uint8_t *values);
  /// A copy into these bytes is on its way: nobody may access them until it has landed.
  llvm::StringRef expect(const Accessor &who, uint64_t offset, unsigned count);
  void land(const Accessor &who, uint64_t offset, unsigned count, const uint8_t *values);

private:
  struct Touch {
    uint32_t time = 0; // Of the warp, when it did; 0 is never.
    uint32_t syncs = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool atomic = false;
  };
  struct Byte {
    Touch write;
    uint16_t pending = 0; // Copies on their way here.
  };

  bool knows(const Accessor &who, const Touch &touch) const;
  bool sawReaders(const Accessor &who, uint64_t at) const;
  void note(const Accessor &who, uint64_t at, bool atomic);

  std::vector<uint8_t> bytes;
  std::vector<Byte> shadow;
  unsigned warps;
  std::vector<Touch> readers; // The last read of each byte by each warp.
};

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_SHAREDMEMORY_H
