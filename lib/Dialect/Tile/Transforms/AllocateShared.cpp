//===- AllocateShared.cpp - place buffers in shared memory -----*- C++ -*-===//
//
// The pass `tile-allocate-shared`. Buffers that are needed at the same time get places of their
// own; others may share one, at the price of a barrier where slow threads may still use what was
// there before. While shared memory is cheap and no resident CTA is lost, a buffer is placed beside
// such areas, so that max and sum of a softmax, also in a loop, need one barrier each.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "SharedHazards.h"
#include "mlir/IR/Builders.h"
#include "tilec/Arch/Tuning.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// When a buffer is needed: from one operation to another in the order of the text.
struct Lifetime {
  int64_t begin, end;
  bool overlaps(const Lifetime &other) const { return begin <= other.end && other.begin <= end; }
};

class Allocator {
public:
  explicit Allocator(func::FuncOp kernel)
      : kernel(kernel), tuning(getTarget(kernel).tuning().loads),
        savesBarriers(isEnabled(kernel, tilec::GpuHeuristic::SaveBarriers)) {}

  /// Gives every buffer its place. Returns the bytes that the kernel takes.
  int64_t run();

private:
  void placePrivate();
  void findLifetimes();
  void findLeastBytes();
  int64_t residentCTAs(int64_t bytes);
  SharedArea placeOf(AllocBufferOp buffer, const SharedState &state);
  SharedArea choosePlace(AllocBufferOp buffer, const SharedAreas &taken,
                         const SharedAreas &unfinished);

  func::FuncOp kernel;
  const tilec::LoadTuning &tuning;
  bool savesBarriers;
  llvm::DenseMap<Operation *, Lifetime> lifetimes;
  llvm::MapVector<Operation *, SharedArea> places;
  /// What is private to threads comes first, for the whole kernel.
  int64_t privateBytes = 0;
  int64_t total = 0;
  /// What buffers that are needed at the same time take, at least.
  int64_t leastBytes = 0;
};

} // namespace

void Allocator::placePrivate() {
  kernel.walk([&](AllocBufferOp buffer) {
    if (!isThreadPrivate(buffer))
      return;
    buffer.setOffset(privateBytes);
    privateBytes += llvm::alignTo(buffer.getType().getBytes(), kBufferAlignment);
  });
  total = privateBytes;
}

/// When `user` needs `buffer`.
static Lifetime lifeOf(Operation *user, AllocBufferOp buffer,
                       llvm::DenseMap<Operation *, Lifetime> &numbers) {
  Operation *op = buffer->getBlock()->findAncestorOpInBlock(*user);
  auto roles = dyn_cast<WarpRolesOp>(op);
  if (!roles)
    return numbers[op];
  // Others write it from the start, and no longer than the first role reads it. What that does not
  // use at all is in use at any time.
  Block &first = roles.getRoles()[0].front();
  if (llvm::none_of(buffer->getUsers(),
                    [&](Operation *each) { return first.findAncestorOpInBlock(*each); }))
    return numbers[roles];
  int64_t begin = numbers[roles].begin;
  Operation *inFirst = first.findAncestorOpInBlock(*user);
  return {begin, inFirst ? numbers[inFirst].end : begin};
}

/// The roles of which another one than the first allocates `buffer`, or null. Nothing orders it and
/// what the first does: it is needed as long as any of them runs.
static WarpRolesOp rolesBeside(AllocBufferOp buffer) {
  auto roles = buffer->getParentOfType<WarpRolesOp>();
  bool isInFirst = roles && roles.getRoles()[0].isAncestor(buffer->getParentRegion());
  return isInFirst ? WarpRolesOp() : roles;
}

/// A buffer that a loop uses, but does not allocate, is needed in all of the loop.
void Allocator::findLifetimes() {
  llvm::DenseMap<Operation *, Lifetime> numbers;
  int64_t count = 0;
  kernel.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      numbers[op].begin = ++count;
    if (stage.isAfterAllRegions())
      numbers[op].end = ++count;
  });
  kernel.walk([&](AllocBufferOp op) {
    if (WarpRolesOp roles = rolesBeside(op)) {
      lifetimes[op] = numbers[roles];
      return;
    }
    Lifetime life = {count, 0};
    for (Operation *user : op->getUsers()) {
      Lifetime use = lifeOf(user, op, numbers);
      life = {std::min(life.begin, use.begin), std::max(life.end, use.end)};
    }
    lifetimes[op] = life;
  });
}

void Allocator::findLeastBytes() {
  for (auto &[buffer, life] : lifetimes) {
    int64_t bytes = privateBytes;
    for (auto &[other, lifeOfOther] : lifetimes)
      if (auto alloc = cast<AllocBufferOp>(other); lifeOfOther.begin <= life.begin &&
                                                   life.begin <= lifeOfOther.end &&
                                                   !isThreadPrivate(alloc))
        bytes += alloc.getType().getBytes();
    leastBytes = std::max(leastBytes, bytes);
  }
}

/// CTAs of a multiprocessor that have so much shared memory each, as far as that decides.
int64_t Allocator::residentCTAs(int64_t bytes) {
  tilec::GpuArch arch = getTarget(kernel);
  int64_t threads = tilec::kWarpSize * getLaunchShape(kernel).numWarps;
  return std::min(arch.maxThreadsPerSM() / threads,
                  arch.sharedPerSM() / (bytes + arch.reservedSharedPerBlock()));
}

SharedArea Allocator::choosePlace(AllocBufferOp buffer, const SharedAreas &taken,
                                  const SharedAreas &unfinished) {
  int64_t bytes = buffer.getType().getBytes(), alignment = alignmentOf(buffer);
  // Either the start, or just after some area in use.
  SmallVector<int64_t> starts = {int64_t(llvm::alignTo(privateBytes, alignment))};
  for (const SharedAreas *areas : {&taken, &unfinished})
    for (const SharedArea &area : *areas)
      starts.push_back(llvm::alignTo(area.end, alignment));
  llvm::sort(starts);
  for (int64_t start : starts) {
    if (!savesBarriers)
      break;
    SharedArea area = {start, start + bytes};
    bool isCheap = area.end <= std::max(total + total / tuning.barrierBudgetShare,
                                        privateBytes + tuning.barrierBudgetBytes) &&
                   residentCTAs(area.end) >= residentCTAs(std::max(total, leastBytes));
    if (isCheap && !overlapsAny(area, taken) && !overlapsAny(area, unfinished))
      return area;
  }
  for (int64_t start : starts)
    if (SharedArea area = {start, start + bytes}; !overlapsAny(area, taken))
      return area;
  llvm_unreachable("nothing lies behind the last area");
}

SharedArea Allocator::placeOf(AllocBufferOp buffer, const SharedState &state) {
  auto [it, isNew] = places.insert({buffer, SharedArea()});
  if (!isNew)
    return it->second;
  SharedAreas taken;
  for (auto [other, area] : places)
    if (other != buffer && lifetimes[other].overlaps(lifetimes[buffer]))
      taken.push_back(area);
  SharedAreas unfinished = state.read;
  unfinished.append(state.written);
  bool isRemote = llvm::any_of(buffer->getUsers(), [](Operation *user) {
    auto store = dyn_cast<BufferStoreOp>(user);
    return store && !store.getPeers().empty();
  });
  unfinished.append(isRemote ? state.used : state.remote);
  it->second = choosePlace(buffer, taken, unfinished);
  buffer.setOffset(it->second.begin);
  total = std::max(total, it->second.end);
  return it->second;
}

int64_t Allocator::run() {
  placePrivate();
  findLifetimes();
  findLeastBytes();
  auto place = [&](AllocBufferOp buffer, const SharedState &state) {
    return placeOf(buffer, state);
  };
  SharedHazards(place).run(kernel);
  return total;
}

namespace {

struct AllocateShared : tilec::tile::impl::TileAllocateSharedBase<AllocateShared> {
  using TileAllocateSharedBase::TileAllocateSharedBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kKernelAttr))
      return;
    int64_t bytes = placeObjects(Allocator(kernel).run());
    kernel->setAttr(kSharedBytesAttr, Builder(&getContext()).getI32IntegerAttr(bytes));
  }

private:
  /// Barrier objects lie behind the buffers, which take `bytes`. Returns what all take.
  int64_t placeObjects(int64_t bytes) {
    getOperation().walk([&](AllocMBarrierOp object) {
      if (object.getOffset())
        return;
      bytes = llvm::alignTo(bytes, AllocMBarrierOp::kBytes);
      object.setOffset(bytes);
      bytes += object.getSlots() * AllocMBarrierOp::kBytes;
    });
    return bytes;
  }
};

} // namespace
