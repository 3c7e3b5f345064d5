//===- RetireWarps.cpp - one warp where the others repeat it ----*- C++ -*-===//
//
// The pass `tile-retire-warps`. A kernel of scalars, or of tiles that fit into one warp, is often
// launched with four. If every layout gives all warps the same elements and nothing waits for them,
// they only take the first one's turns at instructions and the first-level cache.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILERETIREWARPS
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// Whether all warps have the same elements of a value of this type.
static bool isRepeated(Type type) {
  if (isa<BufferType, TensorMapType>(type))
    return false;
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || llvm::all_of(layoutOf(tile).flatBases(InDim::Warp),
                               [](uint64_t basis) { return basis == 0; });
}

/// Whether `op` needs all threads, or may. What moves elements between warps has buffers by now.
static bool needsWarps(Operation *op) {
  if (auto assembly = dyn_cast<InlineAsmOp>(op))
    return assembly.dependsOnThreads();
  // The memory on the stack that a print has cannot be in a branch.
  return isa<BarrierOp, PrintOp, MakeTensorMapsOp>(op) ||
         !llvm::all_of(op->getResultTypes(), isRepeated) ||
         llvm::any_of(op->getRegions(), [](Region &region) {
           return !llvm::all_of(region.getArgumentTypes(), isRepeated);
         });
}

static bool repeatsWarps(func::FuncOp kernel) {
  LaunchShape launch = getLaunchShape(kernel);
  auto bytes = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  return kernel->hasAttr(kKernelAttr) && launch.numWarps > 1 && launch.numCTAs == 1 &&
         (!bytes || bytes.getInt() == 0) &&
         !kernel
              .walk([](Operation *op) {
                return needsWarps(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
struct RetireWarps : tilec::tile::impl::TileRetireWarpsBase<RetireWarps> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!repeatsWarps(kernel))
      return;
    Block &body = kernel.front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    Location loc = kernel.getLoc();
    auto otherWarps = uint32_t(getLaunchShape(kernel).numWarps - 1) * uint32_t(tilec::kWarpSize);
    auto guard = scf::IfOp::create(b, loc, ThreadCode(b, loc).threadBitsAre(otherWarps));
    guard.thenBlock()->getOperations().splice(guard.thenBlock()->begin(), body.getOperations(),
                                              std::next(guard->getIterator()),
                                              std::prev(body.end()));
  }
};
} // namespace
