//===- PartProducts.cpp - products in parts for want of registers -*- C++ -*-===//
//
// The pass `tile-part-products`. A loop that scales what each block of the depth gives before it
// adds that to its sum has two tiles of that size at a time. Where both do not fit into registers,
// products are made in parts.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LiveRegisters.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPARTPRODUCTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The wait for `product` and nothing else, if that follows it and waits for all that is in flight.
static GroupWaitOp waitFor(GroupDotOp product) {
  if (!product.getResult().hasOneUse())
    return {};
  auto wait = dyn_cast<GroupWaitOp>(*product.getResult().user_begin());
  bool waits = wait && wait.getPending() == 0 && wait.getValues().size() == 1;
  return waits && wait->getPrevNode() == product ? wait : GroupWaitOp();
}

/// The elementwise operations that bring `value` to the first tile of as many registers with which
/// it becomes one: what takes the product up. None if it does not come to that.
static SmallVector<Operation *> stepsToSum(Value value) {
  int64_t registers = registersOfTile(value);
  SmallVector<Operation *> steps;
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (user->getBlock() != value.getParentBlock() || !isElementwise(user) ||
        user->getNumResults() != 1)
      return {};
    steps.push_back(user);
    if (llvm::any_of(user->getOperands(), [&](Value operand) {
          return operand != value && registersOfTile(operand) >= registers;
        }))
      return steps;
    value = user->getResult(0);
  }
  return {};
}

/// What `steps` need of what stands behind `product` and is no arithmetic, with all that this is
/// computed from, in order; nothing if some of that cannot be computed before the product.
static std::optional<SmallVector<Operation *>> neededBy(ArrayRef<Operation *> steps,
                                                        GroupDotOp product) {
  SmallVector<Operation *> between, needed;
  for (Operation *op = product->getNextNode(); op != steps.back(); op = op->getNextNode())
    between.push_back(op);
  llvm::SmallPtrSet<Operation *, 16> used(steps.begin(), steps.end());
  llvm::SmallPtrSet<Operation *, 16> moved;
  for (Operation *op : llvm::reverse(between)) {
    auto load = dyn_cast<LoadOp>(op);
    bool isRead = isa<BufferLoadOp, ConvertLayoutOp>(op) || (load && !load.getIsVolatile());
    if (isa<GroupWaitOp>(op))
      continue;
    if (!isRead && !isMemoryEffectFree(op))
      return std::nullopt;
    bool isUsed =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return used.contains(user); });
    bool moves =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return moved.contains(user); });
    if (!isUsed && !moves)
      continue;
    used.insert(op);
    if (!isRead && !moves)
      continue;
    if (llvm::is_contained(steps, op))
      return std::nullopt;
    moved.insert(op);
    needed.push_back(op);
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

/// Into how many parts the sums can be divided. With fewer columns than 64, an instruction reads
/// its left factor for longer than it multiplies. A part takes a cycle for 64 bytes of the depth in
/// each column; where it takes few of them, warps wait for its latency. Where pieces of the depth
/// have sums of their own, they are short in any case.
static int64_t mostParts(GroupDotOp product, int64_t leastCycles) {
  constexpr int64_t leastColumns = 64, bytesInCycle = 64;
  auto sums = cast<RankedTensorType>(product.getType());
  tilec::layout::LinearLayout layout = getLayout(sums).toLinearLayout(sums.getShape());
  int64_t least = std::min(groupColumns(layout), leastColumns);
  if (!product.getDepth()) {
    Type factor = cast<BufferType>(product.getRhs().getType()).getElementType();
    int64_t depthBytes = product.getFullDepth() * byteSize(factor);
    uint64_t columns = llvm::PowerOf2Ceil(llvm::divideCeil(leastCycles * bytesInCycle, depthBytes));
    least = std::max(least, int64_t(columns));
  }
  return std::max<int64_t>(layout.numRegisters() * kColumnsOfSum / least, 1);
}

/// As few parts as give all that is live at `wait` registers, or as many as there can be. Of
/// pieces, which follow each other at once, ptxas starts one part while the one before is taken up.
static int64_t numParts(GroupDotOp product, GroupWaitOp wait) {
  tilec::GpuArch arch = getTarget(product);
  const tilec::ProductTuning &tuning = arch.tuning().products;
  int64_t threads = tilec::kWarpSize * getLaunchShapeAt(product).numWarps;
  int64_t has = std::min<int64_t>(arch.maxRegistersPerThread(), arch.registersPerSM() / threads) -
                tuning.registersBesideTiles;
  int64_t sums = registersOfTile(product.getResult());
  int64_t beside = LiveRegisters().before(wait) - sums;
  if (beside + sums <= has)
    return 1;
  int64_t most = mostParts(product, tuning.leastCyclesOfPart), parts = 1;
  int64_t atOnce = product.getDepth() ? 2 : 1;
  while (parts < most && beside + atOnce * sums / parts > has)
    parts *= 2;
  return parts;
}

/// Makes `product` in parts if there are too few registers and work that takes it up. The wait
/// moves behind that work and takes its result: nobody moves it any further.
static bool makeInParts(GroupDotOp product) {
  GroupWaitOp wait = waitFor(product);
  if (!wait || !isZero(product.getAcc()))
    return false;
  SmallVector<Operation *> steps = stepsToSum(wait.getResult(0));
  if (steps.empty())
    return false;
  std::optional<SmallVector<Operation *>> needed = neededBy(steps, product);
  int64_t parts = needed ? numParts(product, wait) : 1;
  if (parts == 1)
    return false;
  for (Operation *op : *needed)
    op->moveBefore(product);
  product.setParts(parts);
  wait.getResult(0).replaceAllUsesWith(product.getResult());
  OpBuilder builder(wait->getContext());
  builder.setInsertionPointAfter(steps.back());
  Value sum = steps.back()->getResult(0);
  Type element = elementOf(sum.getType());
  ValueRange values = element.isF32() || element.isInteger(32) ? ValueRange(sum) : ValueRange();
  auto last = GroupWaitOp::create(builder, wait.getLoc(), values.getTypes(), /*pending=*/0, values);
  if (!values.empty())
    sum.replaceAllUsesExcept(last.getResult(0), last);
  wait.erase();
  return true;
}

namespace {

struct PartProducts : tilec::tile::impl::TilePartProductsBase<PartProducts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isEnabled(kernel, tilec::GpuHeuristic::PartProducts))
      return;
    SmallVector<GroupDotOp> products;
    kernel.walk([&](GroupDotOp product) { products.push_back(product); });
    for (GroupDotOp product : products)
      numProducts += makeInParts(product);
  }
};

} // namespace
