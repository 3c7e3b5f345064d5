//===- SettlePacking.cpp - no packing with shared memory --------*- C++ -*-===//
//
// The pass `tile-settle-packing`, the last one on tiles. Only now it is known whether the code for
// packed launches exchanges anything through shared memory.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESETTLEPACKING
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Whether the warps of `function` work on their own.
static bool areWarpsAlone(func::FuncOp function) {
  auto bytes = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  if (bytes && bytes.getInt() != 0)
    return false;
  // A single warp waits only for itself.
  return getLaunchShape(function).numWarps == 1 ||
         !function->walk([](BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static void explain(func::FuncOp kernel) {
  Packing packing = *getPacking(kernel);
  kernel.emitRemark() << "kernel '" << kernel.getName() << "' shares CTAs in launches of "
                      << packing.least
                      << " programs or more for each multiprocessor: " << packing.programs
                      << " programs of " << packing.threads << " threads";
}

namespace {
struct SettlePacking : tilec::tile::impl::TileSettlePackingBase<SettlePacking> {
  using TileSettlePackingBase::TileSettlePackingBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!isPackedCode(function))
        continue;
      func::FuncOp kernel = function;
      if (auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(kPackedFormAttr))
        kernel = symbols.lookup<func::FuncOp>(symbol.getValue());
      // Launches of kernels that take tensor maps pass them, and are not packed.
      bool takesMaps = llvm::any_of(kernel.getArgumentTypes(), llvm::IsaPred<TensorMapType>);
      if (areWarpsAlone(function) && !takesMaps) {
        if (remarks)
          explain(kernel);
        continue;
      }
      kernel->removeAttr(kPackingAttr);
      if (kernel != function)
        symbols.erase(function);
    }
  }
};
} // namespace
