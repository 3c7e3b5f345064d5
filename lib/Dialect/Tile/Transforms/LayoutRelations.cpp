//===- LayoutRelations.cpp - layouts that follow from others ---*- C++ -*-===//
//
// Every relation follows from the layout's linear map by the algebra of lib/Layout, so there are no
// cases for kinds of layouts. The cost of an access is counted from the map, too: the sectors that
// the lanes of a warp touch with each instruction.
//
//===----------------------------------------------------------------------===//

#include "LayoutRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Scan.h"
#include "tilec/Layout/Transforms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::kMaxAccessBytes;
using tilec::kSectorBytes;
using tilec::kWarpSize;
using tilec::LayoutTuning;

bool tilec::tile::isElementwise(Operation *op) {
  if (auto code = dyn_cast<InlineAsmOp>(op))
    return code.getPure();
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddPtrOp, PtrToIntOp, IntToPtrOp, PtrCastOp, PromiseOp, MapOp>(op);
}

bool tilec::tile::isRepeatable(Operation *op) {
  return isa<arith::ConstantOp, MakeRangeOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp,
             PermuteOp, TakeOp>(op) ||
         isElementwise(op);
}

LayoutAttr tilec::tile::operandLayout(Operation *op, unsigned operand, LayoutAttr result) {
  if (isElementwise(op))
    return result;
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  auto sourceType = cast<RankedTensorType>(op->getOperand(operand).getType());
  LinearLayout layout = result.toLinearLayout(resultType.getShape());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return LayoutAttr::get(op->getContext(), squeezeDim(layout, expand.getAxis()));
  if (isa<ReshapeOp>(op))
    return LayoutAttr::get(op->getContext(), reshape(layout, {sourceType.getShape().begin(),
                                                              sourceType.getShape().end()}));
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    std::vector<unsigned> inverse(permute.getOrder().size());
    for (auto [position, axis] : llvm::enumerate(permute.getOrder()))
      inverse[axis] = position;
    return LayoutAttr::get(op->getContext(), tilec::layout::permute(layout, inverse));
  }
  if (auto take = dyn_cast<TakeOp>(op))
    return LayoutAttr::get(
        op->getContext(),
        insertInRegisters(layout, take.getAxis(), sourceType.getDimSize(take.getAxis())));
  for (auto [axis, size] : llvm::enumerate(sourceType.getShape()))
    if (size != resultType.getDimSize(axis))
      layout = projectDim(layout, axis);
  return LayoutAttr::get(op->getContext(), layout);
}

LayoutAttr tilec::tile::reducedLayout(ReduceOp op, LayoutAttr source) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  if (type.getRank() == 1)
    return {};
  return LayoutAttr::get(op.getContext(),
                         reduceDim(source.toLinearLayout(type.getShape()), op.getAxis()));
}

/// Spreads the tile over the threads, the last dimension first. Neighbours along `axis` are in a
/// thread.
static LayoutAttr blockedLayout(RankedTensorType type, LaunchShape launch, ArrayRef<unsigned> order,
                                unsigned axis, int64_t elementsPerThread) {
  BlockedParams params;
  params.shape = {type.getShape().begin(), type.getShape().end()};
  params.sizePerThread.assign(type.getRank(), 1);
  params.sizePerThread[axis] = elementsPerThread;
  params.order = {order.begin(), order.end()};
  params.numWarps = launch.numWarps;
  params.numCTAs = launch.numCTAs;
  std::string error;
  std::optional<LinearLayout> layout = blocked(params, error);
  assert(layout && "the verifier admits only shapes and warp counts that are powers of two");
  return LayoutAttr::get(type.getContext(), *layout);
}

/// The axes from the last to the first, which is from the fastest to the slowest.
static SmallVector<unsigned> rowMajorOrder(RankedTensorType type) {
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

/// The same order with `axis` moved to the front.
static SmallVector<unsigned> orderFrom(RankedTensorType type, unsigned axis) {
  SmallVector<unsigned> order = rowMajorOrder(type);
  auto *found = llvm::find(order, axis);
  std::rotate(order.begin(), found, found + 1);
  return order;
}

LinearLayout tilec::tile::shapedLayout(Operation *op, const LinearLayout &source) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return expandDim(source, expand.getAxis());
  if (auto permute = dyn_cast<PermuteOp>(op))
    return tilec::layout::permute(source, {permute.getOrder().begin(), permute.getOrder().end()});
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return reshape(source, {shape.begin(), shape.end()});
}

LayoutAttr tilec::tile::shapedLayout(Operation *op, LayoutAttr source) {
  auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
  return LayoutAttr::get(op->getContext(),
                         shapedLayout(op, source.toLinearLayout(sourceType.getShape())));
}

static int64_t elementsOfThread(RankedTensorType type, LaunchShape launch) {
  int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
  return std::max<int64_t>(1, type.getNumElements() / threads);
}

LayoutAttr tilec::tile::scanLayout(ScanOp op, LayoutAttr own, LaunchShape launch,
                                   const LayoutTuning &tuning) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  unsigned axis = op.getAxis();
  if (own && planScan(own.toLinearLayout(type.getShape()), axis))
    return own;
  // Elements that one thread combines need no exchange.
  int64_t share = elementsOfThread(type, launch);
  return blockedLayout(type, launch, orderFrom(type, axis), axis,
                       std::min({share, type.getDimSize(axis), tuning.mostScannedAlone}));
}

LayoutAttr tilec::tile::defaultLayout(RankedTensorType type, LaunchShape launch) {
  return blockedLayout(type, launch, rowMajorOrder(type), /*axis=*/0, 1);
}

LayoutAttr tilec::tile::defaultReductionLayout(RankedTensorType type, unsigned axis,
                                               LaunchShape launch, const LayoutTuning &tuning) {
  // Neighbours combine in one thread; along the last axis as many as one access loads, so that
  // tiles that are broadcast along the other axes are loaded by few accesses.
  int64_t most = axis + 1 == type.getRank() ? tuning.mostReducedAlone : type.getDimSize(axis);
  return blockedLayout(type, launch, rowMajorOrder(type), axis,
                       std::min({most, type.getDimSize(axis), elementsOfThread(type, launch)}));
}

bool tilec::tile::isInOneWarp(LayoutAttr layout, RankedTensorType type) {
  LinearLayout linear = layout.toLinearLayout(type.getShape());
  return llvm::all_of(ArrayRef({InDim::Warp, InDim::Block}),
                      [&](InDim dim) { return linear.freeBits(dim) == linear.size(dim) - 1; });
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

int64_t AccessLayouts::elements(Value ptr, Value mask) const {
  int64_t width = axes.getAccessWidth(ptr, mask, fastestAxis(ptr), kMaxAccessBytes);
  // Wider accesses than a thread has elements would leave other threads without any.
  return std::min(width, elementsOfThread(cast<RankedTensorType>(ptr.getType()), launch));
}

bool AccessLayouts::isWide(Value ptr, Value mask) const {
  Type pointee = cast<PtrType>(elementOf(ptr.getType())).getPointee();
  return elements(ptr, mask) * byteSize(pointee) == kMaxAccessBytes;
}

bool AccessLayouts::isAdjacent(Value ptr) const {
  return axes.get(ptr).dims[fastestAxis(ptr)].contiguity > 1;
}

bool AccessLayouts::isNearlyAsCheap(Value ptr, Value mask, LayoutAttr layout,
                                    LayoutAttr other) const {
  return 4 * cost(ptr, mask, layout) <= tuning.nearlyAsCheapQuarters * cost(ptr, mask, other);
}

bool AccessLayouts::isCheaperThanExchange(Value ptr, Value mask, LayoutAttr layout,
                                          LayoutAttr other) const {
  if (isNearlyAsCheap(ptr, mask, layout, other))
    return true;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(ptr.getType()).getShape();
  std::string error;
  std::optional<ConversionPlan> plan =
      planConversion(other.toLinearLayout(shape), layout.toLinearLayout(shape), error);
  if (!plan)
    return false;
  int64_t exchange = plan->kind == ConversionKind::Shared ? tuning.exchangeCost
                     : plan->kind == ConversionKind::Shuffle
                         ? layout.toLinearLayout(shape).numRegisters()
                         : 0;
  return cost(ptr, mask, layout) <= cost(ptr, mask, other) + exchange;
}

LayoutAttr AccessLayouts::choose(Value ptr, Value mask) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  unsigned fastest = fastestAxis(ptr);
  return blockedLayout(type, launch, orderFrom(type, fastest), fastest, elements(ptr, mask));
}

LayoutAttr AccessLayouts::chooseForWarp(Value ptr, Value mask) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LayoutAttr ofWarp = AccessLayouts(axes, LaunchShape(), tuning).choose(ptr, mask);
  LinearLayout one = ofWarp.toLinearLayout(type.getShape());
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : {InDim::Register, InDim::Lane})
    bases[static_cast<unsigned>(dim)] = one.flatBases(dim);
  bases[static_cast<unsigned>(InDim::Warp)].assign(llvm::Log2_64(launch.numWarps), 0);
  bases[static_cast<unsigned>(InDim::Block)].assign(llvm::Log2_64(launch.numCTAs), 0);
  std::string error;
  std::optional<LinearLayout> layout =
      LinearLayout::createFlat(one.shape(), std::move(bases), error);
  assert(layout && "one warp has all elements");
  return LayoutAttr::get(type.getContext(), *layout);
}

int64_t AccessLayouts::width(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  return std::min<int64_t>(layout.contiguousRegisters(fastest),
                           axes.getAccessWidth(ptr, mask, fastest, kMaxAccessBytes));
}

/// Whether a range is multiplied by an argument or a large constant, which is then likely to be the
/// stride of an outer dimension.
static bool isFarApart(arith::MulIOp op, const AxisInfoAnalysis &axes, int64_t mostSmallStride) {
  auto counts = [&](Value value) {
    return llvm::any_of(axes.get(value).dims,
                        [](const AxisInfo::Dim &dim) { return dim.contiguity > 1; });
  };
  auto isSmall = [&](Value value) {
    std::optional<int64_t> constant = axes.get(value).constant;
    return constant && *constant <= mostSmallStride;
  };
  Value left = op.getLhs(), right = op.getRhs();
  return (counts(left) && !isSmall(right)) || (counts(right) && !isSmall(left));
}

bool AccessLayouts::isNear(Value ptr) const {
  if (!isa<RankedTensorType>(ptr.getType()))
    return true;
  auto [entry, isNew] = near.try_emplace(ptr, false);
  if (!isNew)
    return entry->second;
  Operation *op = ptr.getDefiningOp(); // None: carried by a loop, which may do anything.
  auto product = dyn_cast_or_null<arith::MulIOp>(op);
  bool result = op && isRepeatable(op) &&
                !(product && isFarApart(product, axes, tuning.mostSmallStride)) &&
                llvm::all_of(op->getOperands(), [&](Value operand) { return isNear(operand); });
  near[ptr] = result;
  return result;
}

int64_t AccessLayouts::cost(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  int64_t bytes = byteSize(cast<PtrType>(type.getElementType()).getPointee());
  // Neighbours that are one element in memory are loaded by one access.
  int64_t width = std::max<int64_t>(this->width(ptr, mask, attr),
                                    std::min<int64_t>(layout.contiguousRegisters(fastest),
                                                      axes.get(ptr).dims[fastest].constancy));
  int64_t sector = std::max<int64_t>(1, kSectorBytes / bytes);
  AxisInfo::Dim known = axes.get(ptr).dims[fastest];
  int64_t run = std::max(std::min(known.contiguity, sector), known.constancy);
  if (run == 1 && isNear(ptr))
    run = std::max<int64_t>(1, sector / tuning.likelyStride);
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
