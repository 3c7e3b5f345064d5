//===- MBarriers.cpp - Barriers in shared memory ----------------*- C++ -*-===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier": threads arrive at
// an object in shared memory, and wait, maybe later, until a phase of it is complete. What a warp
// did is known as a whole, so here its lanes arrive together, or one of them when all have met. An
// arrival that waits for copies counts at
// once, but its copies land only when nothing else is missing and somebody waits: as late as they
// may.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

static constexpr unsigned kMBarrierBytes = 8;
/// One in so many of the instructions that a warp may execute: as often a phase is asked for in
/// vain, without an arrival, before nobody is believed to come. Others execute many more meanwhile.
static constexpr uint64_t kShareOfPolls = 256;

void MBarrier::complete() {
  for (const Promise &promise : promises)
    promise.warp->landCopies(promise);
  promises.clear();
  for (const BulkCopy &block : blocks)
    block.warp->land(block);
  blocks.clear();
  opened = arriving;
  arrived = 0;
  ++phase;
}

/// Where the object of `lane` lies.
static uint64_t addressOf(Warp &warp, const Instruction &i, unsigned operand, unsigned lane) {
  return warp.lanes(i.slot(operand))[lane] + uint64_t(i.operands[operand].offset);
}

MBarrier *tilec::simulator::findBarrier(Warp &warp, const Instruction &i, unsigned operand,
                                        uint32_t mask) {
  unsigned first = unsigned(__builtin_ctz(mask));
  uint64_t address = addressOf(warp, i, operand, first);
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    uint8_t bytes[kMBarrierBytes];
    if (good && addressOf(warp, i, operand, l) != address)
      good = warp.fault(i, l, "uses another mbarrier than other lanes of its warp");
    good = good && readMemory(warp, i, l, Space::Shared, address, kMBarrierBytes, bytes);
  });
  if (!good)
    return nullptr;
  auto found = warp.cta.mbarriers.find(address);
  if (found != warp.cta.mbarriers.end())
    return &found->second;
  warp.fault(i, first, "uses an mbarrier that nobody has initialised");
  return nullptr;
}

static bool initialize(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    uint64_t address = addressOf(warp, i, 0, l);
    auto count = uint32_t(warp.lanes(i.slot(1))[l]);
    uint8_t bytes[kMBarrierBytes] = {};
    good = good && writeMemory(warp, i, l, Space::Shared, address, kMBarrierBytes, bytes,
                               /*atomic=*/false);
    if (good && !warp.cta.mbarriers.try_emplace(address, count, warp.clock).second)
      good = warp.fault(i, l, "initialises an mbarrier that is in use");
  });
  return good;
}

static bool invalidate(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!findBarrier(warp, i, 0, mask))
    return false;
  warp.cta.mbarriers.erase(addressOf(warp, i, 0, unsigned(__builtin_ctz(mask))));
  return true;
}

/// Whether the lanes of `mask` may arrive for their whole warp: the others, which do not, have done
/// nothing that those who wait would have to know since they last met.
static bool speaksForWarp(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t others = warp.living() & ~mask;
  if (others == 0)
    return true;
  unsigned lane = unsigned(__builtin_ctz(mask));
  if (i.detail != 0)
    return warp.fault(i, lane, "arrives after copies without other lanes of its warp");
  if ((warp.lanesThatAccessed() & others) != 0)
    return warp.fault(i, lane, "arrives before other lanes of its warp have come so far");
  return true;
}

/// Arrives, and says how many bytes of blocks will land. The thread speaks for itself: what others
/// did is not what those who wait want to know.
static bool announce(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    MBarrier *barrier = good ? findBarrier(warp, i, 1, uint32_t(1) << l) : nullptr;
    if (!barrier) {
      good = false;
      return;
    }
    if (barrier->isFull())
      barrier->complete();
    barrier->polls = 0;
    barrier->announced += int64_t(warp.lanes(i.slot(2))[l]);
    if (++barrier->arrived > barrier->expected)
      good = warp.fault(i, l, "arrives at an mbarrier that expects fewer");
    warp.publishOfSome(barrier->arriving);
  });
  return good;
}

static bool arrive(Warp &warp, const Instruction &i, uint32_t mask) {
  bool afterCopies = i.detail != 0;
  if (!speaksForWarp(warp, i, mask))
    return false;
  MBarrier *barrier = findBarrier(warp, i, afterCopies ? 0 : 1, mask);
  if (!barrier)
    return false;
  if (barrier->isFull())
    barrier->complete();
  barrier->polls = 0;
  barrier->arrived += unsigned(__builtin_popcount(mask));
  if (barrier->arrived > barrier->expected)
    return warp.fault(i, 0, "arrives at an mbarrier that expects fewer");
  if (afterCopies)
    barrier->promises.push_back(warp.promiseCopies());
  if (mask == warp.living())
    warp.publish(barrier->arriving);
  else
    warp.publishOfSome(barrier->arriving);
  if (barrier->isFull() && barrier->hasLanded())
    barrier->complete();
  return true;
}

/// Phases have parity 0 and 1 in turn; one is complete when the other is the current one.
static bool tryWait(Warp &warp, const Instruction &i, uint32_t mask) {
  MBarrier *barrier = findBarrier(warp, i, 1, mask);
  if (!barrier)
    return false;
  if (barrier->isFull())
    barrier->complete();
  bool anyFails = false, anyPasses = false;
  forLanes(mask, [&](unsigned l) {
    bool passes = (barrier->phase & 1) != (warp.lanes(i.slot(2))[l] & 1);
    warp.lanes(i.slot(0))[l] = passes;
    anyPasses |= passes;
    anyFails |= !passes;
  });
  if (anyPasses)
    warp.clock.join(barrier->opened);
  if (!anyFails)
    return true;
  warp.yield();
  if (++barrier->polls < warp.cta.launch.shape.maxInstructions / kShareOfPolls)
    return true;
  return warp.fault(i, unsigned(__builtin_ctz(mask)),
                    "waits at an mbarrier for arrivals that do not come");
}

Handler tilec::simulator::findMBarrier(StringRef opcode, Instruction &instruction) {
  bool afterCopies = opcode.starts_with("cp.async.mbarrier.arrive.noinc.");
  if (afterCopies || (opcode.starts_with("mbarrier.arrive.") && !opcode.contains("expect_tx") &&
                      !opcode.contains("noComplete"))) {
    instruction.detail = afterCopies;
    return instruction.operands.size() == (afterCopies ? 1 : 2) ? arrive : nullptr;
  }
  if (opcode.starts_with("mbarrier.arrive.expect_tx.") && instruction.operands.size() == 3)
    return announce;
  if (opcode.starts_with("mbarrier.init.") && instruction.operands.size() == 2)
    return initialize;
  if (opcode.starts_with("mbarrier.inval.") && instruction.operands.size() == 1)
    return invalidate;
  bool waits = opcode.starts_with("mbarrier.try_wait.parity.") ||
               opcode.starts_with("mbarrier.test_wait.parity.");
  return waits && instruction.operands.size() >= 3 ? tryWait : nullptr;
}
