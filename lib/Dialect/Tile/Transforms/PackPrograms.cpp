//===- PackPrograms.cpp - several small programs in a CTA -------*- C++ -*-===//
//
// The pass `tile-pack-programs`. It estimates from a kernel's accesses whether starting a CTA takes
// longer than what its program does, and if so lets launches pack several programs into one.
// docs/design.md, "Several programs in a CTA", has the measurements behind it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArgumentExpression.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "llvm/ADT/bit.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPACKPROGRAMS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::kWarpSize;
using tilec::PackTuning;

namespace {

/// What a program does, as far as it matters here.
struct Work {
  /// Loaded and stored, of what is in loops once.
  int64_t bytes = 0;
  /// Instructions of a warp for all arithmetic on tiles, of what is in loops once.
  int64_t instructions = 0;
  /// Elements of the largest tile.
  int64_t elements = 1;
  /// Has reductions or scans.
  bool combines = false;
  bool loops = false;
  /// May wait for other programs.
  bool waits = false;
};

} // namespace

/// Whether a program with `op` needs a CTA of its own. Prints have memory on the stack, which a
/// branch cannot have.
static bool needsCTA(Operation *op) {
  if (auto assembly = dyn_cast<InlineAsmOp>(op))
    return assembly.dependsOnThreads();
  return isa<DotOp, PrintOp, BlockOp, MakeTensorMapsOp>(op);
}

static int64_t bytesOf(AccessOpInterface access) {
  Type type = access.getPtr().getType();
  auto tile = dyn_cast<RankedTensorType>(type);
  return byteSize(elementOf(pointeeLike(type))) * (tile ? tile.getNumElements() : 1);
}

static std::optional<Work> findWork(func::FuncOp kernel) {
  Work work;
  WalkResult walked = kernel->walk([&](Operation *op) {
    if (needsCTA(op))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        work.elements = std::max(work.elements, tile.getNumElements());
        if (isElementwise(op))
          work.instructions += llvm::divideCeil(tile.getNumElements(), kWarpSize);
      }
    work.combines |= isa<ReduceOp, ScanOp>(op);
    work.loops |= isa<LoopLikeOpInterface>(op);
    work.waits |= isa<AtomicRMWOp, AtomicCASOp>(op) && op->getParentOfType<LoopLikeOpInterface>();
    if (auto access = dyn_cast<AccessOpInterface>(op))
      work.bytes += bytesOf(access);
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? std::nullopt : std::optional(work);
}

/// Whether one warp does a program with loops as fast as several.
static bool isOfOneWarp(const Work &work, const PackTuning &tuning) {
  return work.elements <= tuning.loopElements * kWarpSize;
}

/// Warps of a program in a packed launch; 0 where it would need several that combine, or takes much
/// longer than the start of its CTA.
static int64_t findWarps(const Work &work, int64_t numWarps, const PackTuning &tuning) {
  // How long loops take is not known: only the other half of a multiprocessor's warps is gained, or
  // warps that would repeat what one does.
  if (work.loops)
    return !work.waits && (numWarps == 1 || isOfOneWarp(work, tuning)) ? 1 : 0;
  if (work.bytes > tuning.mostBytes || work.instructions > tuning.mostInstructions)
    return 0;
  if (work.combines)
    return work.elements <= tuning.reducedElements * kWarpSize ? 1 : 0;
  int64_t warps = llvm::divideCeil(work.elements, tuning.mappedElements * kWarpSize);
  return std::min<int64_t>(int64_t(llvm::bit_ceil(uint64_t(warps))), numWarps);
}

static std::optional<Packing> findPacking(func::FuncOp kernel, const PackTuning &tuning) {
  LaunchShape launch = getLaunchShape(kernel);
  if (!kernel->hasAttr(kKernelAttr) || !launcherMakesMaps(kernel) || launch.numCTAs != 1 ||
      !isEnabled(kernel, tilec::GpuHeuristic::PackPrograms))
    return std::nullopt;
  std::optional<Work> work = findWork(kernel);
  int64_t warps = work ? findWarps(*work, launch.numWarps, tuning) : 0;
  int64_t threads = warps * kWarpSize;
  bool isFewer = warps < launch.numWarps;
  int64_t ofCTA = work && work->loops && !isFewer ? tuning.threadsOfLoops : tuning.threads;
  if (threads == 0 || threads * 2 > ofCTA)
    return std::nullopt;
  bool takesLonger = isFewer && !work->combines;
  int32_t least = work->loops   ? (isFewer ? tuning.leastOfRepeated : tuning.leastOfLoops)
                  : takesLonger ? tuning.leastOfFewer
                                : tuning.least;
  return Packing{int32_t(threads), int32_t(ofCTA / threads), least};
}

/// Adds the form of `kernel` for programs of `warps` warps.
static void addPackedForm(func::FuncOp kernel, SymbolTable &symbols, int32_t warps) {
  func::FuncOp packed = kernel.clone();
  Builder b(kernel.getContext());
  packed->removeAttr(kPackingAttr);
  packed->setAttr(kNumWarpsAttr, b.getI32IntegerAttr(warps));
  packed->setAttr(kPackedFormAttr, FlatSymbolRefAttr::get(kernel));
  packed.setSymName((kernel.getName() + ".packed").str());
  symbols.insert(packed, std::next(kernel->getIterator())); // Renames it where need be.
}

namespace {
struct PackPrograms : tilec::tile::impl::TilePackProgramsBase<PackPrograms> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    const PackTuning &tuning = getTarget(getOperation()).tuning().packing;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      std::optional<Packing> packing = findPacking(kernel, tuning);
      if (!packing)
        continue;
      setPacking(kernel, *packing);
      if (packing->threads != kWarpSize * getLaunchShape(kernel).numWarps)
        addPackedForm(kernel, symbols, packing->threads / int32_t(kWarpSize));
    }
  }
};
} // namespace
