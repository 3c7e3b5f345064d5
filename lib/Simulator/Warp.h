//===- Warp.h - What a running kernel consists of ---------------*- C++ -*-===//
//
// Warps with their registers and places in the code, CTAs with their shared memory and barriers,
// and the launch that they belong to.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_WARP_H
#define TILEC_LIB_SIMULATOR_WARP_H

#include "Program.h"
#include "SharedMemory.h"
#include "Warpgroup.h"

#include "tilec/Simulator/Simulator.h"
#include "llvm/ADT/Twine.h"

#include <deque>
#include <map>
#include <memory>
#include <random>

namespace tilec::simulator {

inline constexpr unsigned kBarriers = 16;

class Cluster;
class Cta;
class Launch;

/// A copy from global to shared memory that a thread has started.
struct PendingCopy {
  uint64_t target, source;
  unsigned bytes, readBytes; // The rest is filled with zeros.
  uint32_t line;
  uint64_t number; // Of those of its warp.
  /// What the warp knew at the first arrival that waits for it, if there is one: who waits for that
  /// arrival knows of the copy, even if its own thread waits for it, too, before it lands.
  std::shared_ptr<const Clock> promised;
  uint32_t promisedSyncs = 0;
};

/// The copies of a thread: those of each group that it has committed, and the ones since.
struct CopyQueue {
  std::deque<std::vector<PendingCopy>> groups;
  std::vector<PendingCopy> open;
};

/// Up to 16 bytes that hardware copies for a thread into shared memory; those outside of the tensor
/// are zeros.
struct BulkPiece {
  uint64_t target, source; // `source` where the first of the 16 bytes would be.
  unsigned first, last;    // Those inside of the tensor.
};

/// A copy of a block, until it lands.
struct BulkCopy {
  Warp *warp;
  unsigned lane;
  Clock clock; // What the warp knew, and its lanes' synchronisations, when it started the copy.
  uint32_t syncs;
  uint32_t line;
  std::vector<BulkPiece> pieces;
};

/// Up to 16 bytes that hardware stores for a thread, from shared to global memory.
struct StoredPiece {
  uint64_t source, target;
  unsigned count;
  uint8_t bytes[16];
};

/// A store of a block that has begun to read shared memory.
struct BulkStore {
  uint32_t line;
  std::vector<StoredPiece> pieces;
};

/// The stores of a thread: those of each group that it has committed, the ones since, and those
/// that have been read, but whose bytes have not come to memory yet.
struct StoreQueue {
  std::deque<std::vector<BulkStore>> groups;
  std::vector<BulkStore> open, leaving;
};

/// A warp's arrival at an mbarrier, which counts when the copies that it has started have landed.
struct Promise {
  Warp *warp;
  Clock clock; // What the warp knew, and its lanes' synchronisations, when it arrived.
  uint32_t syncs;
  uint64_t copies; // The number of the first copy that it does not wait for.
};

class Warp {
public:
  enum class State { Ready, AtBarrier, AtCluster, Done };

  Warp(Cta &cta, unsigned index);

  /// The value of a slot in each lane.
  uint64_t *lanes(Slot slot) { return registers.data() + size_t(slot) * kLanes; }

  /// Executes until `count` instructions are done or nothing can be. False after a fault.
  bool run(uint64_t count);

  /// Notes that `lane` may not do what `instruction` does. Always false.
  bool fault(const Instruction &instruction, unsigned lane, const llvm::Twine &what);

  State state() const { return current; }
  /// Lanes that have not ended.
  uint32_t living() const { return alive; }
  /// Lets a warp that waits go on.
  void release() { current = State::Ready; }
  /// Where the warp waits, if it does.
  unsigned barrier() const { return barrierNumber; }

  /// How the memory of CTAs sees `lane`, or all of them, at `line`.
  Accessor accessor(unsigned lane, uint32_t line) const;
  /// The lanes of this warp, or its CTA, have waited for each other.
  void synchronizeLanes() {
    ++syncs;
    accessed = 0;
  }
  /// The lanes that have accessed shared memory since.
  uint32_t lanesThatAccessed() const { return accessed; }
  /// Comes to a barrier: others will know what this warp has done.
  void publish(Clock &barrier);
  /// The same through some lanes alone, which do not wait for the others.
  void publishOfSome(Clock &barrier);
  /// Lets other warps go on before this one does.
  void yield() { yields = true; }

  /// Notes that `lane` has started a copy.
  void addCopy(unsigned lane, PendingCopy copy);
  /// The bytes of a copy arrive, as if written when the warp was at `who`.
  void land(const Accessor &who, const PendingCopy &copy);
  void land(const BulkCopy &copy);
  /// The bytes of a thread's stores that have been read come to memory.
  void landStores(unsigned lane);
  /// A thread ends: what it stores must have been read. False after a fault.
  bool endStores(const Instruction &instruction, unsigned lane);
  /// An arrival that waits for all copies started so far; and these copies.
  Promise promiseCopies();
  void landCopies(const Promise &promise);

  Cta &cta;
  const unsigned index;          // In its CTA.
  const unsigned indexInCluster; // Of all warps there.
  CopyQueue copies[kLanes];
  StoreQueue stores[kLanes];
  /// Null if the kernel has no products of warpgroups.
  std::unique_ptr<WarpgroupState> warpgroup;
  /// What this warp knows of the others' accesses.
  Clock clock;
  /// The phase of the cluster's barrier in which this warp arrived.
  uint32_t clusterPhase = 0;
  /// Memory of each lane alone.
  std::vector<uint8_t> local;

private:
  bool step();
  bool execute(const Instruction &instruction, uint32_t mask);
  uint32_t chooseLanes();
  bool gather(const Instruction &instruction, uint32_t &mask);
  void jump(uint32_t mask, uint32_t target);
  bool branch(const Instruction &instruction, uint32_t mask);
  void end(uint32_t mask);
  bool reportStuckLanes();

  const Program &program;
  std::vector<uint64_t> registers;
  uint64_t executed = 0, mostExecuted;
  State current = State::Ready;
  uint32_t alive;
  uint32_t blocked = 0; // Lanes that wait for others of this warp.
  uint32_t places[kLanes] = {};
  bool together = true; // All living lanes are at `place`.
  uint32_t place = 0;
  uint32_t syncs = 1;
  mutable uint32_t accessed = 0;
  unsigned barrierNumber = 0;
  uint64_t copiesStarted = 0;
  bool yields = false;
};

/// A barrier that threads of a CTA wait at.
struct Barrier {
  unsigned arrived = 0;  // Warps.
  unsigned expected = 0; // Warps, or 0: all that have not ended.
  Clock clock;           // What those who have arrived know.
};

/// A barrier in shared memory, at which threads arrive before they wait.
struct MBarrier {
  /// For so many arrivals in each phase; `clock` is that of some warp.
  MBarrier(uint32_t expected, const Clock &clock)
      : expected(expected), arriving(clock), opened(clock) {}

  /// Whether all arrivals of this phase have been made or promised, and all blocks are on their way
  /// that were announced.
  bool isFull() const { return arrived == expected && announced == 0; }
  /// Whether nothing has to land before it is complete.
  bool hasLanded() const { return promises.empty() && blocks.empty(); }
  /// Begins the next phase, once the copies have landed that were promised to.
  void complete();

  uint32_t expected, arrived = 0; // Threads.
  uint64_t polls = 0;             // In vain, since the last arrival.
  uint64_t phase = 0;
  std::vector<Promise> promises;
  int64_t announced = 0; // Bytes of blocks, less those on their way.
  std::vector<BulkCopy> blocks;
  Clock arriving, opened; // What those know who have arrived, and who had in the last phase.
};

class Cta {
public:
  Cta(Cluster &cluster, Launch &launch, std::array<uint32_t, 3> position, uint32_t rank);

  /// Lets warps go on whose barrier is complete. True if there are any.
  bool openBarriers();

  Cluster &cluster;
  Launch &launch;
  const std::array<uint32_t, 3> position;
  const uint32_t rank; // In its cluster.
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<Barrier> barriers;
  std::map<uint64_t, MBarrier> mbarriers; // By their addresses.
  std::vector<ProductLog> products;       // Of each warpgroup.
};

/// CTAs that run together; one, where the kernel asks for no cluster.
class Cluster {
public:
  Cluster(Launch &launch, uint64_t number);

  /// Runs some warp for a while. False after a fault.
  bool run();
  bool isDone() const;
  /// A warp comes to the cluster's barrier; a relaxed arrival tells others nothing.
  void arrive(Warp &warp, bool relaxed);
  /// True when all have arrived since `warp` did.
  bool hasOpened(const Warp &warp) const { return phase != warp.clusterPhase; }
  /// The shared memory that `address` lies in, and the offset there.
  SharedMemory *findShared(uint64_t address, uint64_t &offset);

  Clock opened; // What all knew who came to the last barrier.

private:
  bool openBarriers();
  std::string describeStuck() const;

  Launch &launch;
  std::vector<std::unique_ptr<Cta>> ctas;
  unsigned arrived = 0;
  uint32_t phase = 1;
  Clock arriving;
};

/// The tensor maps of a launch, in memory that only copies of blocks may read.
class MapMemory {
public:
  explicit MapMemory(llvm::ArrayRef<SimulatedTensorMap> maps);
  uint64_t addressOf(unsigned map) const {
    return reinterpret_cast<uintptr_t>(memory.data() + map);
  }
  /// The bytes of the map at `address`; null if there is none.
  const uint8_t *find(uint64_t address) const {
    for (const Map &map : memory)
      if (reinterpret_cast<uintptr_t>(&map) == address)
        return map.bytes;
    return nullptr;
  }

private:
  struct alignas(64) Map {
    uint8_t bytes[kMapBytes];
  };
  std::vector<Map> memory;
};

/// The clusters that run at a time, and what they share.
class Launch {
public:
  Launch(const Program &program, const SimulatedLaunch &shape)
      : program(program), shape(shape), random(shape.seed), maps(shape.maps) {}

  llvm::Error run();

  unsigned warpsOfCluster() const;
  /// Whether the kernel may access `bytes` at `address`.
  bool isValid(uint64_t address, uint64_t bytes) const;
  /// Ends the launch. Always false.
  bool fail(const llvm::Twine &message);

  const Program &program;
  const SimulatedLaunch &shape;
  std::mt19937_64 random;
  const MapMemory maps;

private:
  std::string failure;
};

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_WARP_H
