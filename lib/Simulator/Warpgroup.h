//===- Warpgroup.h - Products of a warpgroup in flight ----------*- C++ -*-===//
//
// Between wgmma.mma_async and the wgmma.wait_group that retires its group, the product's registers
// and the shared memory that it reads are the hardware's. Here the product is made at once, and
// whoever touches these registers in between is reported.
//
// Each of the four warps makes the product of its own 16 rows, so none waits for the others.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_WARPGROUP_H
#define TILEC_LIB_SIMULATOR_WARPGROUP_H

#include "Program.h"

#include <deque>

namespace tilec::simulator {

inline constexpr unsigned kWarpsOfGroup = 4;

/// Most bytes that a product reads at a place: swizzles move units of as many.
inline constexpr unsigned kChunk = 16;

/// A product that has been issued, and the offsets in shared memory of the chunks it reads.
struct PendingProduct {
  uint32_t line;
  std::vector<uint32_t> chunks;
};

/// The products of a warpgroup, of which each warp must execute the same.
class ProductLog {
public:
  struct Entry {
    const Instruction *instruction;
    uint64_t left, right; // Descriptors, or 0.
    bool accumulates;
    unsigned warps; // That have executed it.
  };

  /// The number of products that some warp has executed.
  uint64_t size() const { return dropped + entries.size(); }
  /// A product that some warp has executed and another has not.
  const Entry &operator[](uint64_t number) const { return entries[number - dropped]; }
  /// A warp executes product `number`. False if others executed another one.
  bool add(uint64_t number, const Entry &entry);

private:
  std::deque<Entry> entries;
  uint64_t dropped = 0; // Entries that all warps have executed.
};

/// What the products of one warp have to do with its registers and with shared memory.
class WarpgroupState {
public:
  explicit WarpgroupState(Slot slots) : uses(slots) {}

  /// Notes that the warp executes an instruction. False after a fault: a register of it is in
  /// flight. Those of products are left to checkProduct().
  bool access(Warp &warp, const Instruction &instruction);
  /// Whether a product may use its registers: those of the left factor, if it has some, and the
  /// result's. False after a fault.
  bool checkProduct(Warp &warp, const Instruction &instruction);
  /// A product begins, whose registers are from now on in flight.
  void issue(const Instruction &instruction, PendingProduct product);
  /// wgmma.fence: products may use registers that were written before.
  void fence() { ++fences; }
  void commit();
  /// Waits until `pending` groups are in flight.
  void wait(Warp &warp, const Instruction &instruction, uint64_t pending);
  /// False after a fault, if something is in flight when the warp ends, or others of its group
  /// executed more.
  bool checkEnd(Warp &warp, const Instruction &instruction, unsigned lane);
  /// Products that have been issued.
  uint64_t issued() const { return products; }

private:
  /// What was last done with a register.
  struct Use {
    uint32_t fence = 0; // The number of fences when it was written.
    uint32_t shape = 0; // Of the product that it is the result of, or 0.
    uint32_t writeLine = 0;
    uint32_t group = 0; // Of the last product that uses it; numbers begin at 1.
    uint32_t productLine = 0;
  };

  bool isInFlight(const Use &use) const { return use.group > retired; }
  bool anyInFlight() const { return !groups.empty() || !open.empty(); }
  uint32_t openGroup() const { return retired + uint32_t(groups.size()) + 1; }
  bool copy(Warp &warp, const Instruction &instruction);
  bool checkFence(Warp &warp, const Instruction &instruction, Slot slot, uint32_t shape);
  bool fault(Warp &warp, const Instruction &instruction, Slot slot, const char *verb);

  std::vector<Use> uses;
  std::deque<std::vector<PendingProduct>> groups; // Committed, oldest first.
  std::vector<PendingProduct> open;
  uint32_t retired = 0; // Groups.
  uint32_t fences = 0;
  uint64_t products = 0;
};

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_WARPGROUP_H
