//===- CheckInput.cpp - what convert-tile-to-gpu relies on -----*- C++ -*-===//
//
// The patterns compute with layouts; a layout for another number of warps than the kernel has, or
// one that does not follow where it must, would make them address elements that no thread holds.
// Passes never make such IR, but people who write IR by hand do.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Layout/Transforms.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::LinearLayout;

/// Checks the layout of `type`, if it is that of a tile, against the function's launch shape.
static LogicalResult checkLayout(Operation *op, Type type, LaunchShape launch) {
  auto tileType = dyn_cast<RankedTensorType>(type);
  if (!tileType)
    return success();
  if (!getLayout(tileType))
    return op->emitOpError() << "expects a tile with a layout, found " << tileType
                             << "; run tile-assign-layouts first";
  // The attribute is asked, not the map that it stands for: this runs on every operand.
  LayoutAttr layout = getLayout(tileType);
  int64_t warps = int64_t(1) << layout.getWarps().size() / layout.getRank();
  if (warps != launch.numWarps)
    return op->emitOpError() << "expects a layout for the function's " << launch.numWarps
                             << " warps, found one for " << warps;
  int64_t blocks = int64_t(1) << layout.getBlocks().size() / layout.getRank();
  if (blocks != launch.numCTAs)
    return op->emitOpError() << "expects a layout for the function's " << launch.numCTAs
                             << " CTAs, found one for " << blocks;
  return success();
}

static LogicalResult checkReduction(ReduceOp op) {
  auto source = cast<RankedTensorType>(op.getSrcs()[0].getType());
  LinearLayout expected = reduceDim(layoutOf(source), op.getAxis());
  for (Type type : op.getResultTypes())
    if (isa<RankedTensorType>(type) && layoutOf(type) != expected)
      return op.emitOpError() << "expects the result's layout to follow from the source's: "
                              << LayoutAttr::get(op.getContext(), expected);
  return success();
}

/// The first operand of `op` that is in another layout than `layouts` says; null if all agree.
static const LinearLayout *firstDifference(DotOp op, const tilec::layout::DotLayouts &layouts,
                                           Type &found) {
  const LinearLayout *ofOperands[] = {&layouts.lhs, &layouts.rhs, &layouts.acc};
  for (auto [operand, layout] : llvm::zip_equal(op->getOperands(), ofOperands)) {
    found = operand.getType();
    if (layoutOf(found) != *layout)
      return layout;
  }
  return nullptr;
}

/// Warps may share the work in any of the orders.
static LogicalResult checkDot(DotOp op) {
  using tilec::layout::WarpOrder;
  LaunchShape launch = getLaunchShapeAt(op);
  tilec::GpuArch arch = getTarget(op);
  if (op.getLhsFloat() && !matrixInstruction(op, arch))
    return op.emitOpError() << "multiplies as " << *op.getLhsFloat()
                            << ", for which there is no instruction here";
  SmallVector<WarpOrder> orders = {WarpOrder::Rows, WarpOrder::Columns, WarpOrder::Balanced};
  if (fitsWarpGroups(op, launch, arch))
    orders.push_back(WarpOrder::Groups);
  for (WarpOrder order : orders) {
    Type found;
    tilec::layout::DotLayouts expected = dotLayouts(op, launch, arch, order);
    const LinearLayout *different = firstDifference(op, expected, found);
    if (!different)
      return success();
    if (order == orders.back())
      return op.emitOpError() << "expects operands in the layouts of its target's instructions, "
                                 "found "
                              << found << " in place of "
                              << LayoutAttr::get(op.getContext(), *different);
  }
  llvm_unreachable("the last order ends the loop");
}

/// Scalar code is copied as it is, so that it may only hold what needs no conversion.
static LogicalResult checkScalarCode(Operation *op) {
  if (!op->hasTrait<HasScalarCode>())
    return success();
  WalkResult walked = op->getRegion(0).walk([&](Operation *inner) {
    if (isa<YieldOp>(inner))
      return WalkResult::advance();
    for (Type type : llvm::concat<Type>(inner->getOperandTypes(), inner->getResultTypes()))
      if (isa<PtrType>(type)) {
        InFlightDiagnostic diagnostic = op->emitOpError()
                                        << "cannot combine by operations on pointers yet";
        diagnostic.attachNote(inner->getLoc()) << "used here";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult checkOperation(Operation *op, func::FuncOp function) {
  auto hasTile = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<RankedTensorType>);
  };
  bool isOurs = isa_and_nonnull<TileDialect>(op->getDialect());
  if (!isOurs && !hasTile(op->getOperandTypes()) && !hasTile(op->getResultTypes()))
    return success();
  if (!function->hasAttr(kNumWarpsAttr))
    return op->emitOpError() << "expects a function with '" << kNumWarpsAttr << "' around it";
  for (Type type : llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()))
    if (failed(checkLayout(op, type, getLaunchShapeAt(op))))
      return failure();
  if (isa<AllocBufferOp, AllocMBarrierOp>(op) && !function->hasAttr(kSharedBytesAttr))
    return op->emitOpError() << "expects a function with '" << kSharedBytesAttr
                             << "' around it; run tile-allocate-shared first";
  if (failed(checkScalarCode(op)))
    return failure();
  if (auto dot = dyn_cast<DotOp>(op))
    return checkDot(dot);
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce ? checkReduction(reduce) : success();
}

LogicalResult tilec::tile::checkInput(ModuleOp module) {
  LogicalResult result = success();
  module.walk([&](func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (op != function && failed(checkOperation(op, function)))
        result = failure();
    });
  });
  return result;
}
