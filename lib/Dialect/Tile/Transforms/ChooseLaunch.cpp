//===- ChooseLaunch.cpp - how many threads work on a program ---*- C++ -*-===//
//
// The pass `tile-choose-launch`. The rules were read off measurements on an H200 (docs/performance.md): softmax over
// every power of two of warps and CTAs, and GELU.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_TILECHOOSELAUNCH
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr int64_t kWarpSize = 32;
/// More warps wait for each other longer than their loads take.
static constexpr int64_t kMostWarps = 16;
/// Beyond this many elements a thread spills; clusters start there.
static constexpr int64_t kMostElements = 64;
/// Elements of a thread in a cluster, whose CTAs share a multiprocessor with another one's.
static constexpr int64_t kClusterElements = 32;
/// The largest cluster that every device with clusters can launch.
static constexpr int64_t kMostCTAs = 8;
static constexpr unsigned kClusterCapability = 90;

namespace {

/// What a kernel does with its largest tile.
struct Work {
  RankedTensorType largest;
  int64_t elements = 1;
  /// Of an element in memory; the widest, where accesses of that size differ.
  int64_t bytes = 1;
  bool reduces = false;
  /// All tiles have one shape with one dimension: then no conversion moves elements between CTAs.
  bool oneShape = true;

  explicit Work(func::FuncOp function);
  void add(Type type);
  int64_t elementsPerThread() const;
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

Work::Work(func::FuncOp function) {
  function.walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      add(type);
    for (Type type : op->getResultTypes())
      add(type);
    reduces |= isa<ReduceOp>(op);
  });
  function.walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp>(op))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (type && type.getNumElements() == elements)
      bytes = std::max<int64_t>(bytes, byteSize(cast<PtrType>(type.getElementType()).getPointee()));
  });
}

/// A thread of a reduction has 64 bytes under way, so that its lanes and warps combine rarely; one of elementwise
/// work has two accesses of 16 bytes.
int64_t Work::elementsPerThread() const {
  return reduces ? std::clamp<int64_t>(64 / bytes, 4, 32) : std::clamp<int64_t>(32 / bytes, 4, 16);
}

static int64_t chooseWarps(const Work &work) {
  int64_t threads = llvm::divideCeil(work.elements, work.elementsPerThread());
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(threads, kWarpSize)), 1,
                             kMostWarps);
}

static int64_t chooseCTAs(const Work &work, int64_t numWarps, unsigned capability) {
  int64_t perThread = work.elements / (kWarpSize * numWarps);
  if (capability < kClusterCapability || !work.reduces || !work.oneShape ||
      perThread <= kMostElements)
    return 1;
  return std::min(kMostCTAs, perThread / kClusterElements);
}

namespace {

struct ChooseLaunch : mlir::tile::impl::TileChooseLaunchBase<ChooseLaunch> {
  using TileChooseLaunchBase::TileChooseLaunchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool hasWarps = function->hasAttr(kNumWarpsAttr);
    bool hasCTAs = function->hasAttr(kNumCTAsAttr);
    if (!function->hasAttr(kKernelAttr) || (hasWarps && hasCTAs))
      return;
    Work work(function);
    LaunchShape launch = getLaunchShape(function);
    if (!hasWarps)
      launch.numWarps = chooseWarps(work);
    // Whoever says how many warps there are means them all.
    if (!hasCTAs && !hasWarps)
      launch.numCTAs = chooseCTAs(work, launch.numWarps, computeCapability);
    Builder builder(&getContext());
    function->setAttr(kNumWarpsAttr, builder.getI32IntegerAttr(launch.numWarps));
    function->setAttr(kNumCTAsAttr, builder.getI32IntegerAttr(launch.numCTAs));
    if (remarks)
      explain(work, launch);
  }

private:
  void explain(const Work &work, LaunchShape launch) {
    func::FuncOp function = getOperation();
    InFlightDiagnostic remark = function.emitRemark() << "kernel '" << function.getName() << "' gets "
                                                      << launch.numWarps
                                                      << (launch.numWarps == 1 ? " warp" : " warps");
    if (launch.numCTAs > 1)
      remark << " in each of " << launch.numCTAs << " CTAs";
    if (!work.largest) {
      remark << ": it has no tile";
      return;
    }
    int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
    remark << ": its largest tile has " << work.elements << " elements of " << work.bytes
           << (work.bytes == 1 ? " byte, " : " bytes, ")
           << std::max<int64_t>(1, work.elements / threads) << " a thread";
    if (launch.numCTAs > 1)
      remark << "; the registers of one CTA would not hold them";
  }
};

} // namespace
