//===- LoadPipelinerLines.cpp - vectors beside factors ---------*- C++ -*-===//
//
// The part of LoadPipeliner that has vectors from which factors are computed (scales, gates) copied
// beside the factors themselves. They were loaded in the layouts of their users, where most threads
// hold copies; each element is copied once instead, in a layout in which neighbours are in
// neighbouring threads, and read from the slot in the layout that is wanted.
//
//===----------------------------------------------------------------------===//

#include "LayoutRelations.h"
#include "LoadPipeliner.h"
#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// Whether `value` can be computed in another layout from scalars alone.
static bool followsFromScalars(Value value) {
  constexpr size_t mostOperations = 32;
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!isa<RankedTensorType>(next.getType()) || (op && !seen.insert(op).second))
      continue;
    if (!op || !isRepeatable(op) || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op) || exchangesData(op) || seen.size() > mostOperations)
      return false;
    open.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// `value`, which follows from scalars, in `layout`; before the loop where that is possible.
static Value computeIn(OpBuilder &builder, Value value, LayoutAttr layout, scf::ForOp loop) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || getLayout(type) == layout)
    return value;
  OpBuilder::InsertionGuard guard(builder);
  if (loop.isDefinedOutsideOfLoop(value))
    builder.setInsertionPoint(loop);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isTile = isa<RankedTensorType>(operand.get().getType());
    operands.push_back(isTile
                           ? computeIn(builder, operand.get(),
                                       operandLayout(op, operand.getOperandNumber(), layout), loop)
                           : operand.get());
  }
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  auto result = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
  copy->getResult(0).setType(result);
  auto constant = dyn_cast<arith::ConstantOp>(copy);
  if (auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr)
    constant.setValueAttr(splat.resizeSplat(result));
  return copy->getResult(0);
}

/// In this layout each element is copied by one thread.
LayoutAttr LoadPipeliner::layoutOfCopies(LoadOp line) {
  func::FuncOp function = loop->getParentOfType<func::FuncOp>();
  tilec::GpuArch target = getTarget(function);
  AccessLayouts accesses(axes, getLaunchShape(function), target.tuning().layouts);
  return accesses.chooseForCTA(line.getPtr(), line.getMask());
}

/// Elements of one copy in that layout.
int64_t LoadPipeliner::widthOfCopies(LoadOp line) {
  auto type = cast<RankedTensorType>(line.getType());
  LinearLayout layout = layoutOfCopies(line).toLinearLayout(type.getShape());
  return std::min<int64_t>(
      layout.contiguousRegisters(0),
      axes.getAccessWidth(line.getPtr(), line.getMask(), /*axis=*/0, tilec::kMaxAccessBytes));
}

/// Whether `load` brings a vector that can be copied beside the factors: one that factors are
/// computed from, as in Triton, or, in loops that write nothing, any. Neighbours that are known to
/// be equal, as the scales of a block's columns are, had better be loaded: copies would write one
/// place after another, where one load serves many threads and registers.
bool LoadPipeliner::isLine(LoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() == 1 && axes.get(load.getPtr()).dims[0].constancy == 1 &&
         load.isPlain() && load.mayFillWithZeros() && isWholeInCTA(type) &&
         (isFactor(load.getResult()) || onlyReads(loop)) && followsFromScalars(load.getPtr()) &&
         (!load.getMask() || followsFromScalars(load.getMask())) &&
         widthOfCopies(load) * byteSize(type.getElementType()) >= kLeastCopyBytes;
}

int64_t LoadPipeliner::lineBytes() {
  int64_t bytes = 0;
  for (LoadOp line : lines)
    bytes += bytesOfTile(line.getType());
  return bytes;
}

void LoadPipeliner::takeLines() {
  OpBuilder::InsertionGuard guard(builder);
  for (LoadOp line : lines) {
    LoopSlices::Slice before;
    if (!slices.add(line.getPtr(), before) ||
        (line.getMask() && !slices.add(line.getMask(), before)))
      continue;
    AheadLoad ahead;
    ahead.width = widthOfCopies(line);
    LayoutAttr layout = layoutOfCopies(line);
    builder.setInsertionPoint(line);
    ahead.load = cast<LoadOp>(builder.clone(*line));
    for (OpOperand &operand : ahead.load->getOpOperands()) {
      builder.setInsertionPoint(ahead.load);
      operand.set(computeIn(builder, operand.get(), layout, loop));
    }
    auto type = cast<RankedTensorType>(line.getType());
    ahead.load.getResult().setType(
        RankedTensorType::get(type.getShape(), type.getElementType(), layout));
    builder.setInsertionPoint(line);
    line.replaceAllUsesWith(
        ConvertLayoutOp::create(builder, line.getLoc(), type, ahead.load).getResult());
    line.erase();
    // The same scalars as before, so this cannot fail.
    ahead.isMatrix = true;
    [[maybe_unused]] bool isKnown =
        slices.add(ahead.load.getPtr(), ahead.slice) &&
        (!ahead.load.getMask() || slices.add(ahead.load.getMask(), ahead.slice));
    assert(isKnown && "only layouts have changed");
    loads.push_back(std::move(ahead));
  }
  lines.clear();
}
