//===- Warp.cpp - The threads of a warp -------------------------*- C++ -*-===//
//
// Executes instructions for the lanes that are at the same place. Where lanes part, those that are
// furthest behind go first, so that they meet again where their paths do. An instruction for
// several lanes waits until these have come.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include <algorithm>

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

Warp::Warp(Cta &cta, unsigned index)
    : cta(cta), index(index),
      indexInCluster(unsigned(cta.rank * ((cta.launch.shape.threads() + kLanes - 1) / kLanes)) +
                     index),
      clock(cta.launch.warpsOfCluster()), program(cta.launch.program),
      registers(size_t(program.slots) * kLanes), mostExecuted(cta.launch.shape.maxInstructions) {
  const SimulatedLaunch &shape = cta.launch.shape;
  clock.tick(indexInCluster);
  if (program.usesWarpgroups)
    warpgroup = std::make_unique<WarpgroupState>(program.slots);
  unsigned threads = std::min(shape.threads() - index * kLanes, kLanes);
  alive = threads == kLanes ? ~uint32_t(0) : (uint32_t(1) << threads) - 1;
  local.resize(size_t(program.localBytes) * kLanes);
  auto fill = [&](Slot slot, uint64_t value) { std::fill_n(lanes(slot), kLanes, value); };
  for (auto [slot, value] : program.constants)
    fill(slot, value);
  for (auto [slot, address] : program.sharedAddresses)
    fill(slot, address + cta.rank * kSharedWindow);
  const uint64_t *argument = shape.arguments.data();
  unsigned map = 0;
  for (const Parameter &parameter : program.parameters)
    fill(parameter.slot, parameter.isMap ? cta.launch.maps.addressOf(map++) : *argument++);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t thread = index * kLanes + lane;
    lanes(TidX)[lane] = thread % shape.block[0];
    lanes(TidY)[lane] = thread / shape.block[0] % shape.block[1];
    lanes(TidZ)[lane] = thread / shape.block[0] / shape.block[1];
    lanes(LaneId)[lane] = lane;
    lanes(LocalBase)[lane] =
        reinterpret_cast<uintptr_t>(local.data()) + size_t(program.localBytes) * lane;
  }
  fill(WarpId, index);
  for (unsigned axis = 0; axis < 3; ++axis) {
    fill(CtaX + axis, cta.position[axis]);
    fill(GridX + axis, shape.grid[axis]);
    fill(BlockX + axis, shape.block[axis]);
  }
  fill(ClusterRank, cta.rank);
  fill(ClusterSize, shape.clusterSize);
  fill(ClusterX, cta.position[0] / shape.clusterSize);
  fill(ClusterCountX, shape.grid[0] / shape.clusterSize);
  fill(DynamicBytes, shape.dynamicSharedBytes);
  fill(One, 1);
}

Accessor Warp::accessor(unsigned lane, uint32_t line) const {
  if (lane < kLanes)
    accessed |= uint32_t(1) << lane;
  return {indexInCluster, lane, &clock, syncs, line};
}

void Warp::publish(Clock &barrier) {
  publishOfSome(barrier);
  synchronizeLanes();
}

void Warp::publishOfSome(Clock &barrier) {
  barrier.join(clock);
  clock.tick(indexInCluster);
}

bool Warp::fault(const Instruction &instruction, unsigned lane, const Twine &what) {
  const std::string &text = program.lines[instruction.line - 1];
  return cta.launch.fail("PTX line " + Twine(instruction.line) + ": thread " +
                         Twine(index * kLanes + lane) + " of CTA (" + Twine(cta.position[0]) +
                         ", " + Twine(cta.position[1]) + ", " + Twine(cta.position[2]) + ") " +
                         what + ": " + text);
}

/// Of the lanes that wait for nobody, those furthest behind; 0 if there are none.
uint32_t Warp::chooseLanes() {
  uint32_t able = alive & ~blocked;
  if (together)
    return able;
  uint32_t first = ~uint32_t(0), chosen = 0;
  for (uint32_t rest = able; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    if (places[lane] < first) {
      first = places[lane];
      chosen = 0;
    }
    if (places[lane] == first)
      chosen |= uint32_t(1) << lane;
  }
  place = first;
  together = chosen == alive;
  return chosen;
}

/// Adds lanes that already wait at this instruction to those that come to it. False if some are
/// missing.
bool Warp::gather(const Instruction &instruction, uint32_t &mask) {
  uint32_t members = alive;
  if (instruction.members != kAllLanes) {
    unsigned any = unsigned(__builtin_ctz(mask));
    members &= uint32_t(lanes(instruction.slot(instruction.members))[any]);
  }
  if ((mask & members) == members)
    return true;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((blocked >> lane & 1) && places[lane] == place)
      mask |= uint32_t(1) << lane;
  if ((mask & members) == members) {
    blocked &= ~mask;
    return true;
  }
  if (together) // Those that are missing have ended, or never come.
    std::fill_n(places, kLanes, place);
  together = false;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1)
      places[lane] = place;
  blocked |= mask;
  return false;
}

void Warp::jump(uint32_t mask, uint32_t target) {
  if (together && mask == alive) {
    place = target;
    return;
  }
  if (together)
    std::fill_n(places, kLanes, place);
  together = false;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1)
      places[lane] = target;
}

bool Warp::branch(const Instruction &instruction, uint32_t mask) {
  if (instruction.operands.empty()) {
    jump(mask, instruction.targets.front());
    return true;
  }
  const uint64_t *index = lanes(instruction.slot(0));
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    auto chosen = uint32_t(index[lane]);
    if (chosen >= instruction.targets.size())
      return fault(instruction, lane, "jumps past the end of a table");
    jump(uint32_t(1) << lane, instruction.targets[chosen]);
  }
  return true;
}

void Warp::end(uint32_t mask) {
  alive &= ~mask;
  blocked &= ~mask;
  if (!alive)
    current = State::Done;
}

/// Executes for the lanes of `mask`, whose guard holds; the lanes have moved on already.
bool Warp::execute(const Instruction &instruction, uint32_t mask) {
  switch (instruction.kind) {
  case Kind::Branch:
    return branch(instruction, mask);
  case Kind::Exit:
    if (warpgroup && !warpgroup->checkEnd(*this, instruction, unsigned(__builtin_ctz(mask))))
      return false;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((mask >> lane & 1) && !endStores(instruction, lane))
        return false;
    end(mask);
    return true;
  case Kind::Barrier: {
    unsigned lane = unsigned(__builtin_ctz(mask));
    barrierNumber = unsigned(lanes(instruction.slot(0))[lane]);
    if (barrierNumber >= cta.barriers.size())
      return fault(instruction, lane, "waits at a barrier that there is not");
    Barrier &barrier = cta.barriers[barrierNumber];
    if (instruction.operands.size() > 1)
      barrier.expected = unsigned(lanes(instruction.slot(1))[lane]) / kLanes;
    ++barrier.arrived;
    publish(barrier.clock);
    if (instruction.detail == 0) // Otherwise it only arrives.
      current = State::AtBarrier;
    return true;
  }
  case Kind::ClusterWait:
    current = State::AtCluster;
    return true;
  case Kind::Ordinary:
  case Kind::WarpSync:
    if (warpgroup && !warpgroup->access(*this, instruction))
      return false;
    return instruction.run(*this, instruction, mask);
  }
  return false;
}

bool Warp::reportStuckLanes() {
  unsigned lane = unsigned(__builtin_ctz(alive));
  return fault(program.code[places[lane]], lane, "waits for lanes that do not come");
}

bool Warp::step() {
  uint32_t mask = chooseLanes();
  if (!mask)
    return reportStuckLanes();
  const Instruction &instruction = program.code[place];
  if (++executed > mostExecuted)
    return fault(instruction, unsigned(__builtin_ctz(mask)), "does not come to an end");
  bool isCommon = instruction.kind == Kind::WarpSync || instruction.kind == Kind::Barrier ||
                  instruction.kind == Kind::ClusterWait;
  if (isCommon && !gather(instruction, mask))
    return true;
  uint32_t active = mask;
  if (instruction.guard != kNoSlot) {
    const uint64_t *guard = lanes(instruction.guard);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((guard[lane] & 1) == instruction.guardNegated)
        active &= ~(uint32_t(1) << lane);
  }
  jump(mask, place + 1);
  return !active || execute(instruction, active);
}

bool Warp::run(uint64_t count) {
  for (yields = false; count && current == State::Ready && !yields; --count)
    if (!step())
      return false;
  return true;
}
