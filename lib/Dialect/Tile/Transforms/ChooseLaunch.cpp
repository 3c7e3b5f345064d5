//===- ChooseLaunch.cpp - choose the warps and CTAs of a program -*- C++ -*-===//
//
// The pass `tile-choose-launch`. It finds out what a kernel does with its largest tile (Work),
// which of a few kinds of kernel that makes it, and from that how many elements a thread should
// have; the number of warps and CTAs follows. Tiles too large for registers are streamed or spread
// over a cluster. The rules come from measurements on an H200 (docs/performance.md): softmax over
// every power of two of warps and CTAs, and GELU. Their numbers are LaunchTuning's.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LayoutRelations.h"
#include "LoopIterations.h"
#include "StreamTiles.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECHOOSELAUNCH
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::GpuFeature;
using tilec::GpuHeuristic;
using tilec::kWarpSize;
using tilec::LaunchTuning;

namespace {

/// What a kernel does with its largest tile.
struct Work {
  const LaunchTuning &tuning;
  RankedTensorType largest;
  int64_t elements = 1;
  /// Bytes of an element in memory; the most, if accesses to tiles of that size differ.
  int64_t bytes = 1;
  bool reduces = false;
  /// Loads such tiles in a loop that waits for its loads in each iteration and does not reduce: an
  /// iteration that reduces is like a program of its own.
  bool walks = false;
  /// Does so in a nested loop: then programs are few and long.
  bool walksDeep = false;
  /// Loads such tiles one element at a time, since neighbours are not adjacent in memory
  /// (isNarrow), and are likely to be far apart in each of them (isFarApart).
  bool isNarrow = false, isFarApart = false;
  /// Writes most such tiles one element at a time, or by atomic operations.
  bool scatters = false;
  /// Loads a tile in each iteration of a loop that carries one as large and reduces: as much
  /// arithmetic is done on what is carried as on what is loaded.
  bool accumulates = false;
  /// Halves of tiles that are taken (tile.take): a butterfly takes two at each level.
  unsigned numSplits = 0;
  /// The warps for the kernel's products by matrix instructions; 0 without any.
  int64_t productWarps = 0;
  /// Scans: the work for an element then does not depend on its size.
  bool scans = false;
  /// Has atomic operations, as programs that wait for each other do.
  bool hasAtomics = false;
  /// Has a compare-and-swap, as programs with locks do: others wait until all its threads are done.
  bool locks = false;
  /// All tiles have one shape with one dimension: then no conversion moves elements between CTAs.
  bool oneShape = true;

  Work(func::FuncOp function, const LaunchTuning &tuning);
  void add(Type type);
  void findNarrow(func::FuncOp function);
  void findProducts(func::FuncOp function);
  int64_t elementsOfWalk() const;
  int64_t elementsPerThread() const;
  /// Whether the registers of one CTA, or of a given launch shape, hold the largest tile without
  /// loss of speed.
  bool isHeld() const {
    int64_t narrow = reduces ? tuning.mostHeldNarrow : tuning.mostHeldMapped;
    return elements <= (bytes < 4 ? narrow : tuning.mostHeld);
  }
  bool isHeld(LaunchShape launch) const {
    int64_t most = bytes < 4 ? tuning.heldNarrowElements : tuning.heldElements;
    return elements <= most * kWarpSize * launch.numWarps * launch.numCTAs;
  }
};

} // namespace

void Work::add(Type type) {
  auto tileType = dyn_cast<RankedTensorType>(type);
  if (!tileType)
    return;
  oneShape &= tileType.getRank() == 1 && (!largest || tileType.getShape() == largest.getShape());
  if (!largest || tileType.getNumElements() > elements)
    largest = tileType;
  elements = largest.getNumElements();
}

/// Whether a loop carries a tile of that many elements.
static bool carries(Operation *loop, int64_t elements) {
  return llvm::any_of(loop->getResultTypes(), [&](Type type) {
    auto tileType = dyn_cast<RankedTensorType>(type);
    return tileType && tileType.getNumElements() == elements;
  });
}

static bool reducesIn(Operation *loop) {
  return loop->walk([](ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Work::Work(func::FuncOp function, const LaunchTuning &tuning) : tuning(tuning) {
  function.walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      add(type);
    for (Type type : op->getResultTypes())
      add(type);
    reduces |= isa<ReduceOp>(op);
    locks |= isa<AtomicCASOp>(op);
    numSplits += isa<TakeOp>(op);
    scans |= isa<ScanOp>(op);
    hasAtomics |= isa<AtomicRMWOp, AtomicCASOp>(op);
  });
  function.walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp>(op))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!type || type.getNumElements() != elements)
      return;
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    bool inWalk = isa<LoadOp>(op) && loop && !loop->hasAttr(kNumStagesAttr) && !reducesIn(loop);
    walks |= inWalk;
    walksDeep |= inWalk && loop->getParentOfType<LoopLikeOpInterface>();
    accumulates |= isa<LoadOp>(op) && loop && reducesIn(loop) && carries(loop, elements);
    bytes = std::max<int64_t>(bytes, byteSize(cast<PtrType>(type.getElementType()).getPointee()));
  });
  findProducts(function);
  if (!reduces && !walks && productWarps == 0)
    findNarrow(function);
}

/// As few warps as have registers for the products of a loop's body, from the default number on:
/// more share factors less well, and have fewer rows each. Small tiles have a few elements a
/// thread.
void Work::findProducts(func::FuncOp function) {
  llvm::DenseMap<Block *, int64_t> bytesOfBlocks;
  tilec::GpuArch target = getTarget(function);
  function.walk([&](DotOp dot) {
    if (!matrixInstruction(dot, target))
      return;
    bytesOfBlocks[dot->getBlock()] += bytesOfTile(dot.getType());
  });
  if (bytesOfBlocks.empty())
    return;
  constexpr int64_t registerBytes = 4;
  int64_t most = 0;
  for (auto [block, bytes] : bytesOfBlocks)
    most = std::max(most, bytes);
  productWarps = std::clamp<int64_t>(
      int64_t(llvm::bit_floor(uint64_t(elements / (tuning.leastProductElements * kWarpSize)))), 1,
      tuning.defaultWarps);
  while (productWarps < tuning.mostProductWarps &&
         most > tuning.mostProductRegisters * registerBytes * kWarpSize * productWarps)
    productWarps *= 2;
}

void Work::findNarrow(func::FuncOp function) {
  AxisInfoAnalysis axes(function);
  AccessLayouts accesses(axes, getLaunchShape(function), getTarget(function).tuning().layouts);
  auto isAdjacent = [&](Value ptr) {
    return llvm::any_of(axes.get(ptr).dims,
                        [](const AxisInfo::Dim &dim) { return dim.contiguity > 1; });
  };
  bool any = false, anyAdjacent = false, anyNear = false;
  unsigned numScattered = 0, numAdjacentStores = 0;
  function.walk([&](Operation *op) {
    auto access = dyn_cast<AccessOpInterface>(op);
    if (!access)
      return;
    Value ptr = access.getPtr();
    auto type = dyn_cast<RankedTensorType>(ptr.getType());
    if (!type || type.getNumElements() != elements)
      return;
    if (!isa<LoadOp>(op)) {
      ++(isa<StoreOp>(op) && isAdjacent(ptr) ? numAdjacentStores : numScattered);
      return;
    }
    any = true;
    anyAdjacent |= isAdjacent(ptr);
    anyNear |= accesses.isNear(ptr);
  });
  isNarrow = any && !anyAdjacent;
  isFarApart = !anyNear;
  scatters = numScattered > numAdjacentStores;
}

/// Elements of a thread in a loop that waits for its loads in each iteration. Few, so that there
/// are many threads: the values that a program carries and loads are spread over all their
/// registers. In nested loops half as many. But a tile that has two elements for each thread of two
/// warps, or four for each of four warps, gets that many warps: fewer would issue all instructions
/// of an iteration alone.
int64_t Work::elementsOfWalk() const {
  int64_t most = bytes == 1 ? 2 * tuning.mostWalked : tuning.mostWalked;
  int64_t share = std::clamp(tuning.bytesWalked / bytes, tuning.leastElements, most);
  if (walksDeep)
    share /= 2;
  int64_t warps = elements >= 4 * tuning.defaultWarps * kWarpSize ? tuning.defaultWarps : 2;
  return std::clamp<int64_t>(elements / (warps * kWarpSize), 2, share);
}

/// Elements of the largest tile that a thread should have, by the kind of kernel; the first kind
/// that fits decides. A thread of a reduction has 64 bytes in flight, so that lanes and warps
/// combine rarely, and one of elementwise work has two accesses of 16 bytes. Elementwise work, and
/// reductions of elements that take two registers each, have more elements as long as the default
/// number of warps suffices.
int64_t Work::elementsPerThread() const {
  if (walks)
    return elementsOfWalk();
  if (scans)
    return std::clamp(elements / (tuning.defaultWarps * kWarpSize),
                      hasAtomics ? tuning.mostOfScan : tuning.leastOfScan, tuning.mostOfScan);
  if (isNarrow)
    return isFarApart
               ? tuning.narrowElements
               : std::max(tuning.narrowElements, elements / (tuning.defaultWarps * kWarpSize));
  if (scatters)
    return std::max<int64_t>(1, elements / (tuning.defaultWarps * kWarpSize));
  if (accumulates)
    return tuning.accumulatedElements;
  int64_t few =
      reduces ? std::clamp(tuning.bytesReduced / bytes, tuning.leastElements, tuning.mostReduced)
              : std::clamp(tuning.bytesMapped / bytes, tuning.leastElements, tuning.mostMapped);
  if (numSplits >= tuning.manySplits)
    few = std::max(few, tuning.splitElements);
  if (locks || (reduces && bytes < 8))
    return few;
  return std::clamp<int64_t>(elements / (tuning.defaultWarps * kWarpSize), few,
                             tuning.mostOfDefault);
}

static int64_t chooseWarps(const Work &work) {
  const LaunchTuning &tuning = work.tuning;
  int64_t threads = llvm::divideCeil(work.elements, work.elementsPerThread());
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(threads, kWarpSize)), 1,
                             tuning.mostWarps);
}

/// The shape for a kernel whose largest tile is held in the registers of one CTA; the default one
/// if `chooses` is false.
static LaunchShape chooseHeld(const Work &work, bool chooses) {
  if (chooses && work.productWarps != 0)
    return {work.productWarps, 1};
  return {chooses ? chooseWarps(work) : work.tuning.defaultWarps, 1};
}

/// The shape for a kernel whose tiles are streamed. One CTA alone takes twice as many elements as
/// each CTA of a cluster, since it waits for no others.
static LaunchShape chooseStreamed(const Work &work, bool isReadOnce, bool hasClusters) {
  const LaunchTuning &tuning = work.tuning;
  int64_t warps = work.elements / (kWarpSize * tuning.streamedElements);
  int64_t share = isReadOnce ? tuning.readCTABytes / work.bytes : tuning.streamedCTAElements;
  if (work.elements <= 2 * share || !hasClusters)
    return {std::min(tuning.mostWarps, warps), 1};
  int64_t ctas = std::min(tilec::kPortableClusterSize, work.elements / share);
  bool isCrowded = work.elements * work.bytes > tuning.sharedOfThree * ctas;
  return {isCrowded ? tuning.mostWarps : tuning.streamWarps, ctas};
}

/// The shape for a kernel whose tiles are too large for one CTA and cannot be streamed.
static LaunchShape chooseSpread(const Work &work, bool hasClusters) {
  const LaunchTuning &tuning = work.tuning;
  int64_t perThread = work.elements / (kWarpSize * tuning.mostWarps);
  if (!hasClusters || !work.reduces || !work.oneShape || perThread <= tuning.heldElements)
    return {tuning.mostWarps, 1};
  return {tuning.mostWarps,
          std::min(tilec::kPortableClusterSize, perThread / tuning.clusterElements)};
}

/// Whether tiles that streaming would not keep in shared memory would, all together, fill the
/// registers.
static bool isFull(const StreamPlan &plan, LaunchShape launch, const LaunchTuning &tuning) {
  return plan.bytes == 0 && plan.registers * plan.elements >
                                tuning.heldRegisters * kWarpSize * launch.numWarps * launch.numCTAs;
}

namespace {

struct ChooseLaunch : tilec::tile::impl::TileChooseLaunchBase<ChooseLaunch> {
  using TileChooseLaunchBase::TileChooseLaunchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool hasWarps = function->hasAttr(kNumWarpsAttr);
    bool hasCTAs = function->hasAttr(kNumCTAsAttr);
    if (!function->hasAttr(kKernelAttr))
      return;
    tilec::GpuArch target = getTarget(function);
    const LaunchTuning &tuning = target.tuning().launch;
    bool chooses = isEnabled(function, GpuHeuristic::ChooseLaunch);
    Work work(function, tuning);
    LaunchShape launch = getLaunchShape(function);
    bool hasClusters =
        target.has(GpuFeature::Cluster) && isEnabled(function, GpuHeuristic::UseClusters);
    LaunchShape held = chooseHeld(work, chooses);
    bool streams = false;
    std::optional<StreamPlan> plan;
    if (work.oneShape && work.elements >= tuning.leastStreamed &&
        isEnabled(function, GpuHeuristic::StreamTiles))
      plan = planStream(function, AxisInfoAnalysis(function));
    // If the kernel has one of the numbers, no cluster is chosen for it: CTAs are 1 unless given.
    if (hasWarps || hasCTAs || !chooses) {
      if (!hasWarps)
        launch.numWarps = held.numWarps;
      streams = fitsShared(plan, launch) && (!work.isHeld(launch) || isFull(*plan, launch, tuning));
    } else if (work.productWarps != 0) {
      launch = held;
    } else if (work.isHeld() && !(plan && isFull(*plan, held, tuning))) {
      launch = held;
    } else {
      LaunchShape streamed = chooseStreamed(work, plan && plan->bytes == 0, hasClusters);
      streams = fitsShared(plan, streamed);
      launch = streams ? streamed : chooseSpread(work, hasClusters);
    }
    if (streams)
      function->setAttr(kStreamAttr, UnitAttr::get(&getContext()));
    Builder builder(&getContext());
    function->setAttr(kNumWarpsAttr, builder.getI32IntegerAttr(launch.numWarps));
    function->setAttr(kNumCTAsAttr, builder.getI32IntegerAttr(launch.numCTAs));
    if (launch.numCTAs > 1)
      widenBarriers();
    if (remarks && !(hasWarps && hasCTAs))
      explain(work, launch, streams && plan->bytes == 0);
  }

private:
  /// The threads that a barrier of the source means are those of the program.
  void widenBarriers() {
    SmallVector<BarrierOp> barriers;
    getOperation().walk([&](BarrierOp barrier) { barriers.push_back(barrier); });
    for (BarrierOp barrier : barriers) {
      OpBuilder b(barrier);
      ClusterArriveOp::create(b, barrier.getLoc(), /*relaxed=*/false);
      ClusterWaitOp::create(b, barrier.getLoc());
      barrier.erase();
    }
  }

  /// Whether the kernel's tiles can be streamed, and those that have to be kept fit into shared
  /// memory.
  bool fitsShared(const std::optional<StreamPlan> &plan, LaunchShape launch) {
    return plan && plan->bytes <= getTarget(getOperation()).sharedForCopies() * launch.numCTAs;
  }

  void explain(const Work &work, LaunchShape launch, bool isReadOnce) {
    func::FuncOp function = getOperation();
    InFlightDiagnostic remark = function.emitRemark()
                                << "kernel '" << function.getName() << "' gets " << launch.numWarps
                                << (launch.numWarps == 1 ? " warp" : " warps");
    if (launch.numCTAs > 1)
      remark << " in each of " << launch.numCTAs << " CTAs";
    if (!work.largest) {
      remark << ": it has no tile";
      return;
    }
    if (work.productWarps == launch.numWarps && !getOperation()->hasAttr(kStreamAttr)) {
      remark << ": these have registers for its products";
      return;
    }
    int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
    remark << ": its largest tile has " << work.elements << " elements of " << work.bytes
           << (work.bytes == 1 ? " byte, " : " bytes, ")
           << std::max<int64_t>(1, work.elements / threads) << " a thread";
    if (isReadOnce)
      remark << "; it is read in pieces";
    else if (function->hasAttr(kStreamAttr))
      remark << "; it goes through shared memory in pieces";
    else if (launch.numCTAs > 1)
      remark << "; the registers of one CTA would not hold them";
  }
};

} // namespace
