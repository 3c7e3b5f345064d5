//===- WarpInstructions.cpp - What lanes do together ------------*- C++ -*-===//
//
// Shuffles, votes, reductions of a warp, barriers, fences, and calls of the functions that the
// driver defines. PTX ISA, "Parallel Synchronization and Communication" and "Data Movement"
// instructions.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cstdio>

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

namespace {
enum class Shuffle : uint32_t { Up, Down, Butterfly, Index };
} // namespace

static bool shuffleLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  ArrayRef<Slot> to = i.operands[0].slots;
  uint64_t value[kLanes];
  std::copy_n(warp.lanes(i.slot(1)), kLanes, value);
  const uint64_t *b = warp.lanes(i.slot(2)), *c = warp.lanes(i.slot(3));
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    int by = int(b[l] & 31), clamp = int(c[l] & 31), segments = int(c[l] >> 8 & 31);
    int lane = int(l), first = lane & segments, last = first | (clamp & ~segments);
    int from = lane;
    bool inside = true;
    switch (Shuffle(i.detail)) {
    case Shuffle::Up:
      from = lane - by;
      inside = from >= last;
      break;
    case Shuffle::Down:
      from = lane + by;
      inside = from <= last;
      break;
    case Shuffle::Butterfly:
      from = lane ^ by;
      inside = from <= last;
      break;
    case Shuffle::Index:
      from = first | (by & ~segments);
      inside = from <= last;
      break;
    }
    if (!inside)
      from = lane;
    if (!(mask >> from & 1))
      good = good && warp.fault(i, l, "shuffles from a lane that is not there");
    warp.lanes(to[0])[l] = uint32_t(value[from]);
    if (to.size() > 1)
      warp.lanes(to[1])[l] = inside;
  });
  return good;
}

namespace {
enum class Vote : uint32_t { Ballot, Any, All, Uniform };
} // namespace

static bool vote(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1));
  uint32_t holds = 0;
  forLanes(mask, [&](unsigned l) { holds |= uint32_t(a[l] & 1) << l; });
  uint64_t value = 0;
  switch (Vote(i.detail)) {
  case Vote::Ballot:
    value = holds;
    break;
  case Vote::Any:
    value = holds != 0;
    break;
  case Vote::All:
    value = holds == mask;
    break;
  case Vote::Uniform:
    value = holds == mask || holds == 0;
    break;
  }
  forLanes(mask, [&](unsigned l) { result[l] = value; });
  return true;
}

static bool matchAny(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t value[kLanes];
  uint64_t kept = i.detail == 8 ? ~uint64_t(0) : 0xffffffff;
  std::copy_n(warp.lanes(i.slot(1)), kLanes, value);
  uint64_t *result = warp.lanes(i.slot(0));
  forLanes(mask, [&](unsigned l) {
    uint64_t same = 0;
    forLanes(mask, [&](unsigned other) {
      same |= uint64_t((value[l] & kept) == (value[other] & kept)) << other;
    });
    result[l] = same;
  });
  return true;
}

static bool clearResult(Warp &warp, const Instruction &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) { warp.lanes(i.slot(0))[l] = 0; });
  return true;
}

static bool activeMask(Warp &warp, const Instruction &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) { warp.lanes(i.slot(0))[l] = mask; });
  return true;
}

template <class T, class Op>
static bool reduceLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *a = warp.lanes(i.slot(1));
  T value = T();
  bool first = true;
  forLanes(mask, [&](unsigned l) {
    T next = fromBits<T>(a[l]);
    value = first ? next : Op()(value, next);
    first = false;
  });
  forLanes(mask, [&](unsigned l) { result[l] = toBits(value); });
  return true;
}

namespace {
struct Sum {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};
struct Least {
  template <class T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct Most {
  template <class T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct And {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a & b; }
};
struct Or {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};
struct Xor {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a ^ b; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Barriers, addresses, calls
//===----------------------------------------------------------------------===//

static bool nothing(Warp &, const Instruction &, uint32_t) { return true; }

static bool synchronizeWarp(Warp &warp, const Instruction &, uint32_t) {
  warp.synchronizeLanes();
  return true;
}

/// What these threads did before may be read through the async proxy.
static bool fenceProxy(Warp &warp, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned l) { warp.clock.fence(warp.indexInCluster, l); });
  warp.clock.tick(warp.indexInCluster); // Tells what they do from now on apart.
  return true;
}

/// setmaxnreg: registers that a warp gives up, or waits for. Registers here are never too few.
static bool moveRegisters(Warp &warp, const Instruction &i, uint32_t mask) {
  constexpr uint64_t least = 24, most = 256, unit = 8;
  unsigned lane = unsigned(__builtin_ctz(mask));
  uint64_t count = warp.lanes(i.slot(0))[lane];
  if (count >= least && count <= most && count % unit == 0)
    return true;
  return warp.fault(i, lane, "asks for a number of registers that there is not");
}

static bool arriveAtCluster(Warp &warp, const Instruction &i, uint32_t) {
  warp.cta.cluster.arrive(warp, /*relaxed=*/i.detail);
  return true;
}

/// mapa: where an address of this CTA's shared memory lies in that of another.
static bool mapAddress(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t *result = warp.lanes(i.slot(0));
  const uint64_t *address = warp.lanes(i.slot(1)), *rank = warp.lanes(i.slot(2));
  forLanes(mask, [&](unsigned l) {
    result[l] = address[l] % kSharedWindow + uint32_t(rank[l]) * kSharedWindow;
  });
  return true;
}

static bool trap(Warp &warp, const Instruction &i, uint32_t mask) {
  return warp.fault(i, unsigned(__builtin_ctz(mask)), "stops");
}

static std::string textAt(uint64_t address) {
  return address ? std::string(reinterpret_cast<const char *>(address)) : std::string();
}

/// __assertfail(message, file, line, function, size of a character).
static bool failAssertion(Warp &warp, const Instruction &i, uint32_t mask) {
  unsigned lane = unsigned(__builtin_ctz(mask));
  ArrayRef<Slot> arguments = i.operands.back().slots;
  auto argument = [&](unsigned index) { return warp.lanes(arguments[index])[lane]; };
  return warp.fault(i, lane,
                    textAt(argument(1)) + ":" + Twine(uint32_t(argument(2))) +
                        ": assertion failed: " + textAt(argument(0)));
}

/// Prints what a format asks for; `values` has each argument at a multiple of its size.
static void printFormatted(StringRef format, const uint8_t *values) {
  size_t at = 0;
  auto take = [&](size_t bytes) {
    at = alignTo(at, bytes);
    uint64_t value = 0;
    std::memcpy(&value, values + at, bytes);
    at += bytes;
    return value;
  };
  while (!format.empty()) {
    size_t percent = std::min(format.find('%'), format.size());
    std::fwrite(format.data(), 1, percent, stdout);
    format = format.drop_front(percent);
    if (format.empty())
      return;
    size_t end = format.find_first_of("diouxXcspfeEgGaA%", 1);
    if (end == StringRef::npos)
      return;
    std::string one = format.take_front(end + 1).str();
    format = format.drop_front(end + 1);
    bool isLong = one.find('l') != std::string::npos;
    if (one.back() == '%')
      std::fputc('%', stdout);
    else if (one.back() == 's')
      std::printf(one.c_str(), reinterpret_cast<const char *>(take(8)));
    else if (one.back() == 'p')
      std::printf(one.c_str(), reinterpret_cast<const void *>(take(8)));
    else if (StringRef("feEgGaA").contains(one.back()))
      std::printf(one.c_str(), fromBits<double>(take(8)));
    else if (isLong)
      std::printf(one.c_str(), static_cast<long long>(take(8)));
    else
      std::printf(one.c_str(), int(take(4)));
  }
}

static bool printLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  ArrayRef<Slot> arguments = i.operands.back().slots;
  forLanes(mask, [&](unsigned l) {
    printFormatted(textAt(warp.lanes(arguments[0])[l]),
                   reinterpret_cast<const uint8_t *>(warp.lanes(arguments[1])[l]));
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

/// redux.sync: "add.s32".
static Handler findReduction(StringRef operation) {
  static const StringMap<Handler> table = {
      {"add.s32", reduceLanes<uint32_t, Sum>},   {"add.u32", reduceLanes<uint32_t, Sum>},
      {"min.s32", reduceLanes<int32_t, Least>},  {"max.s32", reduceLanes<int32_t, Most>},
      {"min.u32", reduceLanes<uint32_t, Least>}, {"max.u32", reduceLanes<uint32_t, Most>},
      {"and.b32", reduceLanes<uint32_t, And>},   {"or.b32", reduceLanes<uint32_t, Or>},
      {"xor.b32", reduceLanes<uint32_t, Xor>}};
  return table.lookup(operation);
}

/// What lanes exchange values by.
static Handler findExchange(StringRef opcode, Instruction &instruction) {
  instruction.kind = Kind::WarpSync;
  instruction.members = uint8_t(instruction.operands.size() - 1);
  if (opcode.consume_front("redux.sync."))
    return findReduction(opcode);
  if (opcode == "match.any.sync.b32" || opcode == "match.any.sync.b64") {
    instruction.detail = opcode.ends_with("64") ? 8 : 4;
    return matchAny;
  }
  std::optional<uint32_t> detail = StringSwitch<std::optional<uint32_t>>(opcode)
                                       .Case("shfl.sync.up.b32", uint32_t(Shuffle::Up))
                                       .Case("shfl.sync.down.b32", uint32_t(Shuffle::Down))
                                       .Case("shfl.sync.bfly.b32", uint32_t(Shuffle::Butterfly))
                                       .Case("shfl.sync.idx.b32", uint32_t(Shuffle::Index))
                                       .Case("vote.sync.ballot.b32", uint32_t(Vote::Ballot))
                                       .Case("vote.sync.any.pred", uint32_t(Vote::Any))
                                       .Case("vote.sync.all.pred", uint32_t(Vote::All))
                                       .Case("vote.sync.uni.pred", uint32_t(Vote::Uniform))
                                       .Default(std::nullopt);
  if (detail) {
    instruction.detail = *detail;
    return opcode.starts_with("shfl") ? shuffleLanes : vote;
  }
  instruction.kind = Kind::Ordinary;
  instruction.members = kAllLanes;
  return nullptr;
}

static Handler findBarrier(StringRef opcode, Instruction &instruction) {
  if (opcode == "bar.warp.sync") {
    instruction.kind = Kind::WarpSync;
    instruction.members = 0;
    return synchronizeWarp;
  }
  bool waits = opcode.starts_with("bar.sync") || opcode.starts_with("barrier.sync");
  if (waits || opcode.starts_with("bar.arrive") || opcode.starts_with("barrier.arrive")) {
    instruction.kind = Kind::Barrier;
    instruction.detail = !waits;
    return nothing;
  }
  if (opcode.starts_with("barrier.cluster.arrive")) {
    instruction.kind = Kind::WarpSync;
    instruction.detail = opcode.contains(".relaxed");
    return arriveAtCluster;
  }
  if (opcode.starts_with("barrier.cluster.wait")) {
    instruction.kind = Kind::ClusterWait;
    return nothing;
  }
  if (opcode == "fence.proxy.async" || opcode.starts_with("fence.proxy.async.shared::"))
    return fenceProxy;
  // Memory is in order here, but for asynchronous copies, which these do not wait for.
  if (opcode.starts_with("fence.") || opcode.starts_with("membar."))
    return nothing;
  return nullptr;
}

Handler tilec::simulator::findWarp(StringRef opcode, Instruction &instruction) {
  if (Handler handler = findExchange(opcode, instruction))
    return handler;
  if (Handler handler = findBarrier(opcode, instruction))
    return handler;
  if (opcode == "ret" || opcode == "exit") {
    instruction.kind = Kind::Exit;
    return nothing;
  }
  if (opcode == "bra" || opcode == "bra.uni" || opcode == "brx.idx") {
    instruction.kind = Kind::Branch;
    return nothing;
  }
  if (opcode.starts_with("mapa."))
    return mapAddress;
  if (opcode.starts_with("setmaxnreg.")) {
    instruction.kind = Kind::WarpSync;
    return moveRegisters;
  }
  if (opcode.starts_with("griddepcontrol.") || opcode.starts_with("nanosleep.") ||
      opcode.starts_with("prefetch"))
    return nothing;
  if (opcode.starts_with("createpolicy."))
    return clearResult;
  return StringSwitch<Handler>(opcode)
      .Case("activemask.b32", Handler(activeMask))
      .Case("trap", Handler(trap))
      .Case("call.__assertfail", Handler(failAssertion))
      .Case("call.vprintf", Handler(printLanes))
      .Default(nullptr);
}
