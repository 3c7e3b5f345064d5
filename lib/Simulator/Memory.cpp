//===- Memory.cpp - Loads, stores and copies --------------------*- C++ -*-===//
//
// ld, st and cp.async: PTX ISA, "Data Movement and Conversion Instructions". Global memory is this
// process's own; a copy lands as late as its thread may wait for it.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

//===----------------------------------------------------------------------===//
// Any access
//===----------------------------------------------------------------------===//

SharedMemory *tilec::simulator::findShared(Warp &warp, const Instruction &i, unsigned lane,
                                           uint64_t address, uint64_t &offset) {
  SharedMemory *shared = warp.cta.cluster.findShared(address, offset);
  if (!shared || offset < kSharedBase) {
    warp.fault(i, lane, "uses " + Twine(address) + ", which is no address in shared memory");
    return nullptr;
  }
  return shared;
}

bool tilec::simulator::check(Warp &warp, const Instruction &i, unsigned lane, StringRef problem,
                             uint64_t offset) {
  if (problem.empty())
    return true;
  return warp.fault(i, lane, problem + " (byte " + Twine(offset - kSharedBase) + ")");
}

static bool checkGlobal(Warp &warp, const Instruction &i, unsigned lane, uint64_t address,
                        unsigned bytes, bool isLocal) {
  uint64_t begin = reinterpret_cast<uintptr_t>(warp.local.data());
  bool inLocal = address - begin < warp.local.size();
  if (inLocal || (!isLocal && warp.cta.launch.isValid(address, bytes)))
    return true;
  return warp.fault(i, lane, "accesses memory that it was not given, at 0x" + utohexstr(address));
}

bool tilec::simulator::readMemory(Warp &warp, const Instruction &i, unsigned lane, Space space,
                                  uint64_t address, unsigned bytes, uint8_t *result) {
  if (address % bytes != 0)
    return warp.fault(i, lane, "uses an address that is not aligned: 0x" + utohexstr(address));
  if (space != Space::Shared) {
    if (!checkGlobal(warp, i, lane, address, bytes, space == Space::Local))
      return false;
    std::memcpy(result, reinterpret_cast<const void *>(address), bytes);
    return true;
  }
  uint64_t offset;
  SharedMemory *shared = findShared(warp, i, lane, address, offset);
  return shared && check(warp, i, lane,
                         shared->read(warp.accessor(lane, i.line), offset, bytes, result), offset);
}

bool tilec::simulator::writeMemory(Warp &warp, const Instruction &i, unsigned lane, Space space,
                                   uint64_t address, unsigned bytes, const uint8_t *values,
                                   bool atomic) {
  if (address % bytes != 0)
    return warp.fault(i, lane, "uses an address that is not aligned: 0x" + utohexstr(address));
  if (space != Space::Shared) {
    if (!checkGlobal(warp, i, lane, address, bytes, space == Space::Local))
      return false;
    std::memcpy(reinterpret_cast<void *>(address), values, bytes);
    return true;
  }
  uint64_t offset;
  SharedMemory *shared = findShared(warp, i, lane, address, offset);
  if (!shared)
    return false;
  Accessor who = warp.accessor(lane, i.line);
  return check(warp, i, lane,
               atomic ? shared->update(who, offset, bytes, values)
                      : shared->write(who, offset, bytes, values),
               offset);
}

bool tilec::simulator::peekMemory(Warp &warp, const Instruction &i, unsigned lane, Space space,
                                  uint64_t address, unsigned bytes, uint8_t *result) {
  if (space != Space::Shared)
    return readMemory(warp, i, lane, space, address, bytes, result);
  uint64_t offset;
  SharedMemory *shared = findShared(warp, i, lane, address, offset);
  if (!shared)
    return false;
  if (offset + bytes > shared->size())
    return warp.fault(i, lane, "is outside of shared memory");
  std::memcpy(result, shared->data(offset), bytes);
  return true;
}

Space tilec::simulator::findSpace(ArrayRef<StringRef> words) {
  for (StringRef word : words) {
    if (word == "shared" || word.starts_with("shared::"))
      return Space::Shared;
    if (word == "local")
      return Space::Local;
    if (word == "param")
      return Space::Param;
  }
  return Space::Global;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

namespace {

/// What Instruction::detail says of a load or store.
struct AccessForm {
  Space space;
  unsigned bytes; // Of an element.
  bool isSigned;

  uint32_t pack() const { return uint32_t(space) | bytes << 4 | uint32_t(isSigned) << 12; }
  static AccessForm unpack(uint32_t bits) {
    return {Space(bits & 15), bits >> 4 & 0xff, bool(bits >> 12 & 1)};
  }
};

} // namespace

static uint64_t addressOf(Warp &warp, const Instruction &i, unsigned operand, unsigned lane) {
  return warp.lanes(i.slot(operand))[lane] + uint64_t(i.operands[operand].offset);
}

static bool load(Warp &warp, const Instruction &i, uint32_t mask) {
  AccessForm form = AccessForm::unpack(i.detail);
  ArrayRef<Slot> to = i.operands[0].slots;
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    uint8_t bytes[64];
    good = good && readMemory(warp, i, l, form.space, addressOf(warp, i, 1, l),
                              unsigned(form.bytes * to.size()), bytes);
    for (unsigned part = 0; good && part < to.size(); ++part) {
      uint64_t value = 0;
      std::memcpy(&value, bytes + part * form.bytes, form.bytes);
      warp.lanes(to[part])[l] =
          form.isSigned ? uint64_t(SignExtend64(value, 8 * form.bytes)) : value;
    }
  });
  return good;
}

static bool store(Warp &warp, const Instruction &i, uint32_t mask) {
  AccessForm form = AccessForm::unpack(i.detail);
  ArrayRef<Slot> from = i.operands[1].slots;
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    uint8_t bytes[64];
    for (unsigned part = 0; part < from.size(); ++part)
      std::memcpy(bytes + part * form.bytes, &warp.lanes(from[part])[l], form.bytes);
    good = good && writeMemory(warp, i, l, form.space, addressOf(warp, i, 0, l),
                               unsigned(form.bytes * from.size()), bytes, /*atomic=*/false);
  });
  return good;
}

/// A parameter, of this kernel or of a function it calls, is a slot.
static bool loadParameter(Warp &warp, const Instruction &i, uint32_t mask) {
  AccessForm form = AccessForm::unpack(i.detail);
  if (is_contained(warp.cta.launch.program.parameters, Parameter{i.slot(1), /*isMap=*/true}))
    return warp.fault(i, unsigned(countr_zero(mask)), "reads a tensor map, which is opaque");
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *value = warp.lanes(i.slot(1));
  forLanes(mask, [&](unsigned l) {
    result[l] = form.isSigned ? uint64_t(SignExtend64(value[l], 8 * form.bytes))
                              : value[l] & maskTrailingOnes<uint64_t>(8 * form.bytes);
  });
  return true;
}
static bool storeParameter(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *value = warp.lanes(i.slot(1));
  forLanes(mask, [&](unsigned l) { result[l] = value[l]; });
  return true;
}

/// "b32", "s8": its bytes; 0 for anything else.
static unsigned bytesOf(StringRef type) {
  unsigned bits = 0;
  if (type.size() < 2 || !StringRef("busf").contains(type.front()) ||
      type.drop_front().getAsInteger(10, bits))
    return 0;
  return bits / 8;
}

Handler tilec::simulator::findMemory(StringRef opcode, Instruction &instruction) {
  SmallVector<StringRef> words;
  opcode.split(words, '.');
  bool isLoad = words.front() == "ld";
  if ((!isLoad && words.front() != "st") || instruction.operands.size() < 2)
    return nullptr;
  AccessForm form = {findSpace(words), bytesOf(words.back()), words.back().front() == 's'};
  if (!form.bytes)
    return nullptr;
  instruction.detail = form.pack();
  if (form.space == Space::Param)
    return isLoad ? loadParameter : storeParameter;
  return isLoad ? load : store;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

static bool startCopy(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    if (!good)
      return;
    PendingCopy copy = {};
    copy.target = addressOf(warp, i, 0, l);
    copy.source = addressOf(warp, i, 1, l);
    copy.bytes = unsigned(warp.lanes(i.slot(2))[l]);
    copy.readBytes = i.operands.size() > 3 ? unsigned(warp.lanes(i.slot(3))[l]) : copy.bytes;
    copy.line = i.line;
    uint64_t offset;
    SharedMemory *shared = findShared(warp, i, l, copy.target, offset);
    if (!shared) {
      good = false;
    } else if (copy.target % copy.bytes || copy.source % copy.bytes) {
      good = warp.fault(i, l, "copies from or to an address that is not aligned");
    } else {
      good =
          check(warp, i, l, shared->expect(warp.accessor(l, i.line), offset, copy.bytes), offset) &&
          (copy.readBytes == 0 ||
           checkGlobal(warp, i, l, copy.source, copy.readBytes, /*isLocal=*/false));
      warp.addCopy(l, copy);
    }
  });
  return good;
}

static bool commitCopies(Warp &warp, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    CopyQueue &queue = warp.copies[l];
    queue.groups.push_back(std::move(queue.open));
    queue.open.clear();
  });
  return true;
}

void Warp::addCopy(unsigned lane, PendingCopy copy) {
  copy.number = copiesStarted++;
  copies[lane].open.push_back(copy);
}

void Warp::land(const Accessor &who, const PendingCopy &copy) {
  uint8_t bytes[16] = {};
  std::memcpy(bytes, reinterpret_cast<const void *>(copy.source), copy.readBytes);
  uint64_t offset;
  SharedMemory *shared = cta.cluster.findShared(copy.target, offset);
  shared->land(who, offset, copy.bytes, bytes);
}

Promise Warp::promiseCopies() {
  auto known = std::make_shared<const Clock>(clock);
  auto promise = [&](std::vector<PendingCopy> &pending) {
    for (PendingCopy &copy : pending)
      if (!copy.promised) {
        copy.promised = known;
        copy.promisedSyncs = syncs;
      }
  };
  for (CopyQueue &queue : copies) {
    for (std::vector<PendingCopy> &group : queue.groups)
      promise(group);
    promise(queue.open);
  }
  return {this, clock, syncs, copiesStarted};
}

/// Lands a copy that `lane` of `warp` waits for.
static void landForThread(Warp &warp, unsigned lane, const PendingCopy &copy) {
  Accessor who = warp.accessor(lane, copy.line);
  if (copy.promised) {
    who.clock = copy.promised.get();
    who.syncs = copy.promisedSyncs;
  }
  warp.land(who, copy);
}

void Warp::landCopies(const Promise &promise) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto landIn = [&](std::vector<PendingCopy> &pending) {
      erase_if(pending, [&](const PendingCopy &copy) {
        if (copy.number >= promise.copies)
          return false;
        land({indexInCluster, lane, &promise.clock, promise.syncs, copy.line}, copy);
        return true;
      });
    };
    for (std::vector<PendingCopy> &group : copies[lane].groups)
      landIn(group);
    landIn(copies[lane].open);
  }
}

static bool waitForCopies(Warp &warp, const Instruction &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    CopyQueue &queue = warp.copies[l];
    uint64_t pending = i.operands.empty() ? 0 : warp.lanes(i.slot(0))[l];
    for (; queue.groups.size() > pending; queue.groups.pop_front())
      for (const PendingCopy &copy : queue.groups.front())
        landForThread(warp, l, copy);
    if (!i.operands.empty())
      return;
    for (const PendingCopy &copy : queue.open)
      landForThread(warp, l, copy);
    queue.open.clear();
  });
  return true;
}

Handler tilec::simulator::findAsyncCopy(StringRef opcode, Instruction &) {
  if (opcode == "cp.async.commit_group")
    return commitCopies;
  if (opcode == "cp.async.wait_group" || opcode == "cp.async.wait_all")
    return waitForCopies;
  if (opcode.starts_with("cp.async.ca.shared") || opcode.starts_with("cp.async.cg.shared"))
    return startCopy;
  return nullptr;
}
