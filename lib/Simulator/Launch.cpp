//===- Launch.cpp - CTAs, clusters and their barriers -----------*- C++ -*-===//
//
// Runs a few clusters at a time, and of each a warp that can go on, chosen at random, for some
// instructions: an order that a GPU may choose, too. A program that waits for one that starts later
// finds it if there are not many in between.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

/// Clusters that run at a time.
static constexpr unsigned kResident = 4;
/// Most instructions of a warp in a row.
static constexpr unsigned kSlice = 192;

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

Cta::Cta(Cluster &cluster, Launch &launch, std::array<uint32_t, 3> position, uint32_t rank)
    : cluster(cluster), launch(launch), position(position), rank(rank),
      shared(kSharedBase + launch.program.sharedBytes + launch.shape.dynamicSharedBytes,
             launch.warpsOfCluster()),
      barriers(kBarriers, Barrier{0, 0, Clock(launch.warpsOfCluster())}),
      products(launch.shape.threads() / (kWarpsOfGroup * kLanes) + 1) {
  for (unsigned index = 0; index * kLanes < launch.shape.threads(); ++index)
    warps.push_back(std::make_unique<Warp>(*this, index));
}

bool Cta::openBarriers() {
  unsigned living = 0;
  for (const auto &warp : warps)
    living += warp->state() != Warp::State::Done;
  bool any = false;
  for (unsigned number = 0; number < barriers.size(); ++number) {
    Barrier &barrier = barriers[number];
    if (barrier.arrived == 0 || barrier.arrived < (barrier.expected ? barrier.expected : living))
      continue;
    for (const auto &warp : warps)
      if (warp->state() == Warp::State::AtBarrier && warp->barrier() == number) {
        warp->clock.join(barrier.clock);
        warp->release();
        any = true;
      }
    barrier.arrived = barrier.expected = 0;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

Cluster::Cluster(Launch &launch, uint64_t number)
    : opened(launch.warpsOfCluster()), launch(launch), arriving(launch.warpsOfCluster()) {
  uint64_t x = launch.shape.grid[0], y = launch.shape.grid[1];
  uint64_t first = number * launch.shape.clusterSize;
  for (uint32_t rank = 0; rank < launch.shape.clusterSize; ++rank) {
    std::array<uint32_t, 3> position = {uint32_t(first % x + rank), uint32_t(first / x % y),
                                        uint32_t(first / x / y)};
    ctas.push_back(std::make_unique<Cta>(*this, launch, position, rank));
  }
}

bool Cluster::isDone() const {
  for (const auto &cta : ctas)
    for (const auto &warp : cta->warps)
      if (warp->state() != Warp::State::Done)
        return false;
  return true;
}

void Cluster::arrive(Warp &warp, bool relaxed) {
  warp.clusterPhase = phase;
  ++arrived;
  if (relaxed)
    warp.synchronizeLanes();
  else
    warp.publish(arriving);
}

bool Cluster::openBarriers() {
  bool any = false;
  unsigned living = 0;
  for (const auto &cta : ctas) {
    any |= cta->openBarriers();
    for (const auto &warp : cta->warps)
      living += warp->state() != Warp::State::Done;
  }
  if (arrived > 0 && arrived >= living) {
    arrived = 0;
    ++phase;
    opened = arriving;
  }
  for (const auto &cta : ctas)
    for (const auto &warp : cta->warps)
      if (warp->state() == Warp::State::AtCluster && hasOpened(*warp)) {
        warp->clock.join(opened);
        warp->release();
        any = true;
      }
  return any;
}

std::string Cluster::describeStuck() const {
  for (const auto &cta : ctas)
    for (const auto &warp : cta->warps)
      if (warp->state() != Warp::State::Done)
        return ("warp " + Twine(warp->index) + " of CTA (" + Twine(cta->position[0]) + ", " +
                Twine(cta->position[1]) + ", " + Twine(cta->position[2]) +
                ") waits at a barrier for warps that do not come")
            .str();
  return "";
}

bool Cluster::run() {
  SmallVector<Warp *> ready;
  auto collect = [&] {
    for (const auto &cta : ctas)
      for (const auto &warp : cta->warps)
        if (warp->state() == Warp::State::Ready)
          ready.push_back(warp.get());
  };
  collect();
  if (ready.empty() || launch.random() % 8 == 0) {
    if (openBarriers()) {
      ready.clear();
      collect();
    }
  }
  if (ready.empty())
    return isDone() || launch.fail(describeStuck());
  Warp &warp = *ready[launch.random() % ready.size()];
  return warp.run(1 + launch.random() % kSlice);
}

SharedMemory *Cluster::findShared(uint64_t address, uint64_t &offset) {
  uint64_t rank = address / kSharedWindow;
  offset = address % kSharedWindow;
  return rank < ctas.size() ? &ctas[rank]->shared : nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

unsigned Launch::warpsOfCluster() const {
  return shape.clusterSize * ((shape.threads() + kLanes - 1) / kLanes);
}

bool Launch::isValid(uint64_t address, uint64_t bytes) const {
  for (const MemoryRange &range : shape.memory) {
    uint64_t begin = reinterpret_cast<uintptr_t>(range.begin);
    if (address >= begin && address - begin <= range.bytes &&
        bytes <= range.bytes - (address - begin))
      return true;
  }
  for (const std::vector<uint8_t> &data : program.data) {
    uint64_t begin = reinterpret_cast<uintptr_t>(data.data());
    if (address >= begin && address - begin <= data.size() &&
        bytes <= data.size() - (address - begin))
      return true;
  }
  return false;
}

bool Launch::fail(const Twine &message) {
  if (failure.empty())
    failure = message.str();
  return false;
}

Error Launch::run() {
  uint64_t count = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2] / shape.clusterSize,
           next = 0;
  std::vector<std::unique_ptr<Cluster>> running;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < kResident)
      running.push_back(std::make_unique<Cluster>(*this, next++));
    for (const auto &cluster : running)
      if (!cluster->run())
        return createStringError(inconvertibleErrorCode(), failure);
    erase_if(running, [](const auto &cluster) { return cluster->isDone(); });
  }
  return Error::success();
}
