//===- SharedLifetimes.cpp - when buffers are needed -----------*- C++ -*-===//

#include "SharedLifetimes.h"

#include "LiveRegisters.h"
#include "LoopIterations.h"
#include "tilec/Arch/Tuning.h"

using namespace mlir;
using namespace tilec::tile;

/// The roles of which another one than the first allocates `buffer`, or null. Nothing orders it and
/// what the first does: it is needed as long as any of them runs.
static WarpRolesOp rolesBeside(AllocBufferOp buffer) {
  auto roles = buffer->getParentOfType<WarpRolesOp>();
  bool isInFirst = roles && roles.getRoles()[0].isAncestor(buffer->getParentRegion());
  return isInFirst ? WarpRolesOp() : roles;
}

/// The operation up to which `user` needs its buffers: of a product of warp groups in flight, the
/// wait for it in the same block.
static Operation *endOfUse(Operation *user) {
  int64_t started = 0;
  GroupWaitOp wait;
  if (isa<GroupDotOp>(user))
    wait = findWait(user->getNextNode(), started);
  return wait ? wait.getOperation() : user;
}

SharedLifetimes::SharedLifetimes(func::FuncOp kernel) {
  int64_t count = 0;
  kernel.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      numbers[op].begin = ++count;
    if (stage.isAfterAllRegions())
      numbers[op].end = ++count;
  });
  kernel.walk([&](AllocBufferOp buffer) {
    Lifetime &life = lifetimes[buffer];
    if (WarpRolesOp roles = rolesBeside(buffer)) {
      life = numbers[roles];
    } else {
      life = {count, 0};
      for (Operation *user : buffer->getUsers()) {
        life.begin = std::min(life.begin, lifeOf(user, buffer).begin);
        life.end = std::max(life.end, lifeOf(endOfUse(user), buffer).end);
      }
    }
    life.bytes = buffer.getType().getBytes();
  });
}

/// When `user` needs `buffer`.
SharedLifetimes::Lifetime SharedLifetimes::lifeOf(Operation *user, AllocBufferOp buffer) const {
  Operation *op = buffer->getBlock()->findAncestorOpInBlock(*user);
  auto roles = dyn_cast<WarpRolesOp>(op);
  if (!roles)
    return numbers.lookup(op);
  // Others write it from the start, and no longer than the first role reads it. What that does not
  // use at all is in use at any time.
  Block &first = roles.getRoles()[0].front();
  if (llvm::none_of(buffer->getUsers(),
                    [&](Operation *each) { return first.findAncestorOpInBlock(*each); }))
    return numbers.lookup(roles);
  int64_t begin = numbers.lookup(roles).begin;
  Operation *inFirst = first.findAncestorOpInBlock(*user);
  return {begin, inFirst ? numbers.lookup(inFirst).end : begin};
}

bool SharedLifetimes::overlap(AllocBufferOp a, AllocBufferOp b) const {
  Lifetime first = lifetimes.lookup(a), second = lifetimes.lookup(b);
  return first.contains(second.begin) || second.contains(first.begin);
}

int64_t SharedLifetimes::bytesAt(int64_t place) const {
  int64_t bytes = 0;
  for (auto &[buffer, life] : lifetimes)
    bytes += life.contains(place) ? life.bytes : 0;
  return bytes;
}

int64_t SharedLifetimes::mostBytes() const {
  int64_t most = 0;
  for (auto &[buffer, life] : lifetimes)
    most = std::max(most, bytesAt(life.begin));
  return most;
}

int64_t SharedLifetimes::mostBytesFrom(AllocBufferOp buffer, Operation *first) const {
  Lifetime own = lifetimes.lookup(buffer);
  int64_t begin = numbers.lookup(first).begin;
  int64_t meanwhile = bytesAt(begin);
  for (auto &[other, life] : lifetimes)
    if (begin < life.begin && life.begin < own.begin)
      meanwhile = std::max(meanwhile, bytesAt(life.begin));
  return meanwhile + (own.contains(begin) ? 0 : own.bytes);
}

void SharedLifetimes::needFrom(AllocBufferOp buffer, Operation *first) {
  lifetimes[buffer].begin = numbers.lookup(first).begin;
}

int64_t SharedLifetimes::mostBytesUntil(AllocBufferOp buffer, Operation *last) const {
  Lifetime own = lifetimes.lookup(buffer);
  int64_t end = numbers.lookup(last).end, meanwhile = 0;
  for (auto &[other, life] : lifetimes)
    if (own.end < life.begin && life.begin <= end)
      meanwhile = std::max(meanwhile, bytesAt(life.begin));
  return meanwhile + own.bytes;
}

void SharedLifetimes::needUntil(AllocBufferOp buffer, Operation *last) {
  lifetimes[buffer].end = numbers.lookup(last).end;
}

int64_t tilec::tile::residentCTAs(func::FuncOp kernel, int64_t sharedBytes) {
  tilec::GpuArch arch = getTarget(kernel);
  int64_t threads = tilec::kWarpSize * getLaunchShape(kernel).numWarps;
  return std::min(arch.maxThreadsPerSM() / threads,
                  arch.sharedPerSM() /
                      std::max<int64_t>(1, sharedBytes + arch.reservedSharedPerBlock()));
}

int64_t tilec::tile::sharedBesideRegisters(func::FuncOp kernel, int64_t taken) {
  tilec::GpuArch arch = getTarget(kernel);
  int64_t registers =
      LiveRegisters().mostIn(kernel.front()) + arch.tuning().loads.registersBesideSlots;
  int64_t ofCTA = tilec::kWarpSize * getLaunchShape(kernel).numWarps *
                  std::min<int64_t>(registers, arch.maxRegistersPerThread());
  int64_t wanted =
      std::max<int64_t>(1, std::min(arch.registersPerSM() / ofCTA, residentCTAs(kernel, taken)));
  int64_t bytes = std::min<int64_t>(arch.sharedForCopies(),
                                    arch.sharedPerSM() / wanted - arch.reservedSharedPerBlock());
  return std::max(taken, bytes);
}
