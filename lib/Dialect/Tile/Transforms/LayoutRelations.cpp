//===- LayoutRelations.cpp - layouts that follow from others ---*- C++ -*-===//
//
// Every relation is computed by the algebra from the linear map; no kind of layout is special.
//
//===----------------------------------------------------------------------===//

#include "LayoutRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Transforms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

/// Bytes that one thread moves in one access at most, and bytes of a memory sector.
static constexpr int64_t kMaxAccessBytes = 16;
static constexpr int64_t kSectorBytes = 32;
static constexpr int64_t kWarpSize = 32;

bool mlir::tile::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<AddPtrOp, PtrToIntOp, IntToPtrOp, PtrCastOp>(op);
}

bool mlir::tile::isRepeatable(Operation *op) {
  return isa<arith::ConstantOp, MakeRangeOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp>(op) ||
         isElementwise(op);
}

LayoutAttr mlir::tile::operandLayout(Operation *op, unsigned operand, LayoutAttr result) {
  if (isElementwise(op))
    return result;
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  auto sourceType = cast<RankedTensorType>(op->getOperand(operand).getType());
  LinearLayout layout = result.toLinearLayout(resultType.getShape());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return LayoutAttr::get(op->getContext(), squeezeDim(layout, expand.getAxis()));
  if (isa<ReshapeOp>(op))
    return LayoutAttr::get(op->getContext(),
                           reshape(layout, {sourceType.getShape().begin(), sourceType.getShape().end()}));
  for (auto [axis, size] : llvm::enumerate(sourceType.getShape()))
    if (size != resultType.getDimSize(axis))
      layout = projectDim(layout, axis);
  return LayoutAttr::get(op->getContext(), layout);
}

LayoutAttr mlir::tile::reducedLayout(ReduceOp op, LayoutAttr source) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  if (type.getRank() == 1)
    return {};
  return LayoutAttr::get(op.getContext(),
                         reduceDim(source.toLinearLayout(type.getShape()), op.getAxis()));
}

static LayoutAttr blockedLayout(RankedTensorType type, LaunchShape launch, ArrayRef<unsigned> order,
                                int64_t elementsPerThread) {
  BlockedParams params;
  params.shape = {type.getShape().begin(), type.getShape().end()};
  params.sizePerThread.assign(type.getRank(), 1);
  params.sizePerThread[order[0]] = elementsPerThread;
  params.order = {order.begin(), order.end()};
  params.numWarps = launch.numWarps;
  params.numCTAs = launch.numCTAs;
  std::string error;
  std::optional<LinearLayout> layout = blocked(params, error);
  assert(layout && "the verifier admits only shapes and warp counts that are powers of two");
  return LayoutAttr::get(type.getContext(), *layout);
}

LayoutAttr mlir::tile::defaultLayout(RankedTensorType type, LaunchShape launch) {
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  return blockedLayout(type, launch, order, 1);
}

//===----------------------------------------------------------------------===//
// Memory accesses
//===----------------------------------------------------------------------===//

unsigned AccessLayouts::fastestAxis(Value ptr) const {
  AxisInfo info = axes.get(ptr);
  unsigned best = info.dims.size() - 1;
  for (unsigned axis = info.dims.size(); axis-- > 0;)
    if (info.dims[axis].contiguity > info.dims[best].contiguity)
      best = axis;
  return best;
}

LayoutAttr AccessLayouts::choose(Value ptr, Value mask) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  unsigned fastest = fastestAxis(ptr);
  SmallVector<unsigned> order = {fastest};
  for (unsigned axis = type.getRank(); axis-- > 0;)
    if (axis != fastest)
      order.push_back(axis);
  int64_t width = axes.getAccessWidth(ptr, mask, fastest, kMaxAccessBytes);
  // Threads without work cost more than narrower accesses.
  int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
  int64_t share = std::max<int64_t>(1, type.getNumElements() / threads);
  return blockedLayout(type, launch, order, std::min(width, share));
}

int64_t AccessLayouts::width(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  return std::min<int64_t>(layout.contiguousRegisters(fastest),
                           axes.getAccessWidth(ptr, mask, fastest, kMaxAccessBytes));
}

int64_t AccessLayouts::cost(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  int64_t bytes = byteSize(cast<PtrType>(type.getElementType()).getPointee());
  int64_t width = this->width(ptr, mask, attr);
  int64_t run = std::min<int64_t>(axes.get(ptr).dims[fastest].contiguity,
                                  std::max<int64_t>(1, kSectorBytes / bytes));
  int64_t total = 0;
  for (uint32_t reg = 0; reg < layout.numRegisters(); reg += width) {
    llvm::DenseSet<uint64_t> sectors;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      Coords coords = layout.apply(reg, lane, 0, 0);
      coords[fastest] -= coords[fastest] % run;
      sectors.insert(layout.flatten(coords));
    }
    total += 1 + sectors.size();
  }
  return total;
}
