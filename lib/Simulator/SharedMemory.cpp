//===- SharedMemory.cpp - Shared memory that sees races ---------*- C++ -*-===//

#include "SharedMemory.h"

#include <cstring>

using namespace tilec::simulator;

static const char *const kOutside = "is outside of shared memory";

SharedMemory::SharedMemory(uint64_t size, unsigned warps)
    : bytes(size, 0xa5), shadow(size), warps(warps), readers(size * warps) {}

bool SharedMemory::knows(const Accessor &who, const Touch &touch) const {
  if (touch.time == 0)
    return true;
  if (touch.warp == who.warp)
    return touch.lane == who.lane || touch.syncs < who.syncs;
  return touch.time <= (*who.clock)[touch.warp];
}

bool SharedMemory::sawReaders(const Accessor &who, uint64_t at) const {
  for (unsigned warp = 0; warp < warps; ++warp)
    if (!knows(who, readers[at * warps + warp]))
      return false;
  return true;
}

void SharedMemory::note(const Accessor &who, uint64_t at, bool atomic) {
  Touch touch;
  touch.time = (*who.clock)[who.warp];
  touch.syncs = who.syncs;
  touch.warp = uint16_t(who.warp);
  touch.lane = uint8_t(who.lane);
  touch.atomic = atomic;
  shadow[at].write = touch;
  shadow[at].writeLine = who.line;
}

/// What is wrong with a write to where hardware reads.
std::string SharedMemory::findAsyncReader(uint64_t at) const {
  return std::string("writes what the ") + shadow[at].asyncReader + " of line " +
         std::to_string(shadow[at].asyncLine) + " reads, which is in flight";
}

/// True for bytes of an area of `size` bytes.
static bool isInside(uint64_t size, uint64_t offset, unsigned count) {
  return offset <= size && count <= size - offset;
}

std::string SharedMemory::read(const Accessor &who, uint64_t offset, unsigned count,
                               uint8_t *result) {
  if (!isInside(bytes.size(), offset, count))
    return kOutside;
  for (uint64_t at = offset; at < offset + count; ++at) {
    if (shadow[at].pending)
      return "reads what a copy on its way will write";
    if (!knows(who, shadow[at].write))
      return "reads what another thread wrote without a barrier in between";
    Touch &reader = readers[at * warps + who.warp];
    // Several lanes of a warp are one reader that no lane is.
    bool several =
        reader.time != 0 && reader.syncs == who.syncs && reader.lane != uint8_t(who.lane);
    reader.time = (*who.clock)[who.warp];
    reader.syncs = who.syncs;
    reader.warp = uint16_t(who.warp);
    reader.lane = several ? uint8_t(kNoLane) : uint8_t(who.lane);
  }
  std::memcpy(result, bytes.data() + offset, count);
  return "";
}

std::string SharedMemory::write(const Accessor &who, uint64_t offset, unsigned count,
                                const uint8_t *values) {
  if (!isInside(bytes.size(), offset, count))
    return kOutside;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t at = offset + i;
    if (shadow[at].pending)
      return "writes where a copy on its way will write";
    if (shadow[at].asyncReads)
      return findAsyncReader(at);
    if (!knows(who, shadow[at].write) && bytes[at] != values[i])
      return "overwrites what another thread wrote without a barrier in between";
    if (!sawReaders(who, at))
      return "overwrites what another thread reads without a barrier in between";
    note(who, at, /*atomic=*/false);
    bytes[at] = values[i];
  }
  return "";
}

std::string SharedMemory::update(const Accessor &who, uint64_t offset, unsigned count,
                                 const uint8_t *values) {
  if (!isInside(bytes.size(), offset, count))
    return kOutside;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t at = offset + i;
    if (shadow[at].pending)
      return "updates where a copy on its way will write";
    if (shadow[at].asyncReads)
      return findAsyncReader(at);
    if (!shadow[at].write.atomic && !knows(who, shadow[at].write))
      return "updates what another thread wrote without a barrier in between";
    if (!sawReaders(who, at))
      return "updates what another thread reads without a barrier in between";
    note(who, at, /*atomic=*/true);
    bytes[at] = values[i];
  }
  return "";
}

std::string SharedMemory::expect(const Accessor &who, uint64_t offset, unsigned count) {
  if (!isInside(bytes.size(), offset, count))
    return kOutside;
  for (uint64_t at = offset; at < offset + count; ++at) {
    if (shadow[at].pending)
      return "starts a copy to where another is on its way";
    if (shadow[at].asyncReads)
      return findAsyncReader(at);
    if (!knows(who, shadow[at].write))
      return "starts a copy over what another thread wrote without a barrier in between";
    if (!sawReaders(who, at))
      return "starts a copy over what another thread reads without a barrier in between";
  }
  for (uint64_t at = offset; at < offset + count; ++at)
    ++shadow[at].pending;
  return "";
}

void SharedMemory::land(const Accessor &who, uint64_t offset, unsigned count,
                        const uint8_t *values) {
  for (unsigned i = 0; i < count; ++i) {
    note(who, offset + i, /*atomic=*/false);
    shadow[offset + i].write.copied = true;
    --shadow[offset + i].pending;
    bytes[offset + i] = values[i];
  }
}

/// Says who wrote a byte without passing it on to the async proxy.
std::string SharedMemory::findUnfenced(const Accessor &who, uint64_t at) const {
  const Touch &write = shadow[at].write;
  if (write.copied || who.clock->fenced(write.warp, write.lane) >= write.time)
    return "";
  return "what line " + std::to_string(shadow[at].writeLine) +
         " wrote without fence.proxy.async by the thread that wrote it, and then a barrier, in "
         "between";
}

std::string SharedMemory::expectBlock(const Accessor &who, uint64_t offset, unsigned count) {
  if (isInside(bytes.size(), offset, count))
    for (uint64_t at = offset; at < offset + count; ++at)
      if (std::string problem = findUnfenced(who, at); !problem.empty())
        return "has hardware overwrite " + problem;
  return expect(who, offset, count);
}

std::string SharedMemory::beginAsyncRead(const Accessor &who, uint64_t offset, unsigned count,
                                         uint8_t *result, const char *what) {
  if (!isInside(bytes.size(), offset, count))
    return kOutside;
  for (uint64_t at = offset; at < offset + count; ++at) {
    const Touch &write = shadow[at].write;
    if (shadow[at].pending)
      return "reads what a copy on its way will write";
    if (!knows(who, write))
      return "reads what line " + std::to_string(shadow[at].writeLine) +
             " wrote without a barrier in between";
    if (std::string problem = findUnfenced(who, at); !problem.empty())
      return "reads " + problem;
  }
  for (uint64_t at = offset; at < offset + count; ++at) {
    ++shadow[at].asyncReads;
    shadow[at].asyncLine = who.line;
    shadow[at].asyncReader = what;
  }
  std::memcpy(result, bytes.data() + offset, count);
  return "";
}

void SharedMemory::endAsyncRead(const Accessor &who, uint64_t offset, unsigned count) {
  for (uint64_t at = offset; at < offset + count; ++at) {
    --shadow[at].asyncReads;
    Touch &reader = readers[at * warps + who.warp];
    bool isWarp = who.lane == kNoLane;
    bool hasRead = reader.time != 0 && reader.syncs == who.syncs;
    // Lanes that read by themselves since the last synchronisation say more.
    if (isWarp && hasRead)
      continue;
    bool several = isWarp || (hasRead && reader.lane != uint8_t(who.lane));
    reader.time = (*who.clock)[who.warp];
    reader.syncs = isWarp ? who.syncs - 1 : who.syncs; // All lanes waited for this: they know.
    reader.warp = uint16_t(who.warp);
    reader.lane = several ? uint8_t(kNoLane) : uint8_t(who.lane);
  }
}
