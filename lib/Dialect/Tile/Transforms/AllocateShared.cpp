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
#include "SharedLifetimes.h"
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

class Allocator {
public:
  explicit Allocator(func::FuncOp kernel)
      : kernel(kernel), lifetimes(kernel), tuning(getTarget(kernel).tuning().loads),
        savesBarriers(isEnabled(kernel, tilec::GpuHeuristic::SaveBarriers)) {}

  /// Gives every buffer its place. Returns the bytes that the kernel takes.
  int64_t run();

private:
  SharedArea placeOf(AllocBufferOp buffer, const SharedState &state);
  bool isCheap(AllocBufferOp buffer, int64_t bytes, int64_t privateEnd);
  SharedArea choosePlace(AllocBufferOp buffer, const SharedAreas &taken,
                         const SharedAreas &unfinished);

  func::FuncOp kernel;
  SharedLifetimes lifetimes;
  const tilec::LoadTuning &tuning;
  bool savesBarriers;
  llvm::MapVector<Operation *, SharedArea> places;
  int64_t total = 0;
  /// What buffers that are needed at the same time take, at least.
  int64_t leastBytes = 0;
  /// What costs no resident CTA, by the registers of a thread.
  int64_t besideRegisters = 0;
};

} // namespace

static bool isWrittenByPeers(AllocBufferOp buffer) {
  return llvm::any_of(buffer->getUsers(), [](Operation *user) {
    auto store = dyn_cast<BufferStoreOp>(user);
    return store && !store.getPeers().empty();
  });
}

/// Whether the kernel may take so many bytes to save the barrier before `buffer` is written. A copy
/// that waits for one starts late; half of the memory is left to caches. A barrier of the cluster
/// is worth any memory that costs no resident CTA. Up to `privateEnd` there is what threads have
/// for themselves meanwhile.
bool Allocator::isCheap(AllocBufferOp buffer, int64_t bytes, int64_t privateEnd) {
  bool isCopied = buffer.getType().getSlots() == 1 &&
                  llvm::any_of(buffer->getUsers(), llvm::IsaPred<BufferCopyOp>);
  if (isCopied && bytes <= besideRegisters / 2)
    return true;
  int64_t most =
      std::max(total + total / tuning.barrierBudgetShare, privateEnd + tuning.barrierBudgetBytes);
  return (bytes <= most || isWrittenByPeers(buffer)) &&
         residentCTAs(kernel, bytes) >= residentCTAs(kernel, std::max(total, leastBytes));
}

SharedArea Allocator::choosePlace(AllocBufferOp buffer, const SharedAreas &taken,
                                  const SharedAreas &unfinished) {
  int64_t bytes = buffer.getType().getBytes(), alignment = alignmentOf(buffer);
  // Either the start, or just after some area in use.
  SmallVector<int64_t> starts = {0};
  for (const SharedAreas *areas : {&taken, &unfinished})
    for (const SharedArea &area : *areas)
      starts.push_back(llvm::alignTo(area.end, alignment));
  llvm::sort(starts);
  int64_t privateEnd = 0;
  for (const SharedArea &area : taken)
    if (area.owner)
      privateEnd = std::max(privateEnd, area.end);
  for (int64_t start : starts) {
    if (!savesBarriers)
      break;
    SharedArea area = {start, start + bytes};
    if (isCheap(buffer, area.end, privateEnd) && !overlapsAny(area, taken) &&
        !overlapsAny(area, unfinished))
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
    if (other != buffer && lifetimes.overlap(cast<AllocBufferOp>(other), buffer)) {
      taken.push_back(area);
      if (isThreadPrivate(cast<AllocBufferOp>(other)))
        taken.back().owner = other;
    }
  SharedAreas unfinished = state.read;
  unfinished.append(state.written);
  unfinished.append(isWrittenByPeers(buffer) ? state.used : state.remote);
  it->second = choosePlace(buffer, taken, unfinished);
  buffer.setOffset(it->second.begin);
  total = std::max(total, it->second.end);
  return it->second;
}

int64_t Allocator::run() {
  leastBytes = lifetimes.mostBytes();
  besideRegisters = sharedBesideRegisters(kernel, leastBytes);
  auto place = [&](AllocBufferOp buffer, const SharedState &state) {
    return placeOf(buffer, state);
  };
  SharedHazards(place).run(kernel);
  kernel.walk([](AllocBufferOp buffer) {
    if (buffer->use_empty())
      buffer.setOffset(0);
  });
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
