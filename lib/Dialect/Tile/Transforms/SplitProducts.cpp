//===- SplitProducts.cpp - factors computed half by half -------*- C++ -*-===//
//
// The pass `tile-split-products`. What the second half of a product needs is computed while the
// first one is in flight: tilec-order-registers moves arithmetic down to the first instruction
// that needs it, and a product is one for each of its registers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESPLITPRODUCTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

static bool isNarrow(Value value) {
  return elementOf(value.getType()).getIntOrFloatBitWidth() <= 8;
}

/// Whether each element of `factor` is converted in its block from one of 8 bits or fewer.
static bool isConverted(Value factor, Block *block) {
  SmallVector<Value> open = {factor};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      continue;
    if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp>(op) && isNarrow(op->getOperand(0)))
      return true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && seen.insert(operand).second)
        open.push_back(operand);
  }
  return false;
}

/// Whether the next wait behind `product` is for all that is in flight: it counts products.
static bool isWaitedFor(GroupDotOp product) {
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    if (auto wait = dyn_cast<GroupWaitOp>(op))
      return wait.getPending() == 0;
    if (isa<GroupDotOp>(op))
      return false;
  }
  return false;
}

namespace {

struct SplitProducts : tilec::tile::impl::TileSplitProductsBase<SplitProducts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isEnabled(kernel, tilec::GpuHeuristic::SplitProducts))
      return;
    int64_t least = getTarget(kernel).tuning().products.leastInHalf;
    SmallVector<GroupDotOp> products;
    kernel.walk([&](GroupDotOp product) {
      if (canSplit(product, least))
        products.push_back(product);
    });
    for (GroupDotOp product : products)
      split(product);
  }

private:
  static bool canSplit(GroupDotOp product, int64_t least);
  void split(GroupDotOp product);
};

} // namespace

bool SplitProducts::canSplit(GroupDotOp product, int64_t least) {
  auto type = cast<RankedTensorType>(product.getType());
  int64_t depth = product.getFullDepth(),
          step = kGroupDepthBytes /
                 byteSize(cast<BufferType>(product.getRhs().getType()).getElementType());
  int64_t sums = int64_t(getLayout(type).toLinearLayout(type.getShape()).numRegisters()) *
                 tilec::kWarpsPerGroup * tilec::kWarpSize;
  return !product.getDepth() && depth % (2 * step) == 0 && sums * depth / 2 >= least &&
         isa<RankedTensorType>(product.getLhs().getType()) &&
         isConverted(product.getLhs(), product->getBlock()) && isWaitedFor(product);
}

void SplitProducts::split(GroupDotOp product) {
  OpBuilder builder(product);
  builder.setInsertionPointAfter(product);
  int64_t half = product.getFullDepth() / 2;
  auto second = cast<GroupDotOp>(builder.clone(*product));
  product.setDepth(ArrayRef<int64_t>{0, half});
  second.setDepth(ArrayRef<int64_t>{half, half});
  product.replaceAllUsesWith(second.getResult());
  second.getAccMutable().assign(product.getResult());
  second.getKeepMutable().clear();
  ++numProducts;
}
