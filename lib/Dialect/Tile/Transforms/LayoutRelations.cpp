//===- LayoutRelations.cpp - layouts that follow from others ---*- C++ -*-===//
//
// Relations of single operations are theirs (TileInterfaces.td). The cost of an access is counted
// from the layout's linear map: the sectors that the lanes of a warp touch with each instruction.
//
//===----------------------------------------------------------------------===//

#include "LayoutRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Transforms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::kLineBytes;
using tilec::kMaxAccessBytes;
using tilec::kSectorBytes;
using tilec::kWarpSize;
using tilec::LayoutTuning;

LayoutAttr tilec::tile::operandLayout(Operation *op, unsigned operand, LayoutAttr result) {
  if (isElementwise(op))
    return result;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return LayoutAttr::get(op->getContext(), cast<RepeatableOpInterface>(op).getOperandLayout(
                                               operand, result.toLinearLayout(type.getShape())));
}

LinearLayout tilec::tile::shapedLayout(Operation *op, const LinearLayout &source) {
  return cast<ShapeChangeOpInterface>(op).getResultLayout(source);
}

LayoutAttr tilec::tile::shapedLayout(Operation *op, LayoutAttr source) {
  auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
  return LayoutAttr::get(op->getContext(),
                         shapedLayout(op, source.toLinearLayout(sourceType.getShape())));
}

Value tilec::tile::joinedValue(Operation *op, unsigned &axis) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return {};
  auto wide = select.getTrueValue().getDefiningOp<BroadcastOp>();
  auto other = select.getFalseValue().getDefiningOp<BroadcastOp>();
  auto thin = wide ? wide.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  auto otherThin = other ? other.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  if (!thin || !otherThin || thin.getAxis() != otherThin.getAxis())
    return {};
  axis = thin.getAxis();
  RankedTensorType from = thin.getType(), to = wide.getType();
  for (int64_t i = 0; i < to.getRank(); ++i)
    if (i != axis && from.getDimSize(i) != to.getDimSize(i))
      return {};
  return thin.getSrc();
}

bool tilec::tile::isInOneWarp(LayoutAttr layout, RankedTensorType type) {
  LinearLayout linear = layout.toLinearLayout(type.getShape());
  return llvm::all_of(ArrayRef({InDim::Warp, InDim::Block}),
                      [&](InDim dim) { return linear.freeBits(dim) == linear.size(dim) - 1; });
}

//===----------------------------------------------------------------------===//
// Loads that a loop can start early
//===----------------------------------------------------------------------===//

/// Whether `op` is computed from tiles that the same block loads, so that it cannot go ahead.
static bool followsLoads(Operation *op) {
  SmallVector<Value> open(op->getOperands());
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *source = open.pop_back_val().getDefiningOp();
    if (!source || source->getBlock() != op->getBlock() || !seen.insert(source).second)
      continue;
    if (isa<LoadOp>(source))
      return true;
    open.append(source->operand_begin(), source->operand_end());
  }
  return false;
}

bool AccessLayouts::canGoAhead(LoadOp load, Value ptr, Value mask) const {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() > 1 && load.isPlain() && isa<scf::ForOp>(load->getParentOp()) &&
         !followsLoads(load) &&
         (load.getBlock() ||
          elements(ptr, mask) * byteSize(type.getElementType()) >= kLeastCopyBytes);
}

//===----------------------------------------------------------------------===//
// Memory accesses
//===----------------------------------------------------------------------===//

/// The axis along which memory is known to count up; else the one with the smallest stride, the
/// last of several.
unsigned AccessLayouts::fastestAxis(Value ptr) const {
  AxisInfo info = axes.get(ptr);
  unsigned best = info.dims.size() - 1;
  for (unsigned axis = info.dims.size(); axis-- > 0;)
    if (info.dims[axis].contiguity > info.dims[best].contiguity)
      best = axis;
  if (info.dims[best].contiguity > 1)
    return best;
  auto strideOf = [&](unsigned axis) {
    return varies(ptr, axis) ? stride(ptr, axis) : Stride::Large;
  };
  for (unsigned axis = info.dims.size(); axis-- > 0;)
    if (strideOf(axis) < strideOf(best))
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

bool AccessLayouts::isDistinct(Value ptr) const {
  const AxisInfo info = axes.get(ptr);
  return llvm::all_of(
      llvm::zip_equal(info.dims, cast<RankedTensorType>(ptr.getType()).getShape()),
      [](auto pair) { return std::get<0>(pair).constancy == 1 || std::get<1>(pair) == 1; });
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
  bool isInWarp = plan->kind == ConversionKind::Shuffle || plan->kind == ConversionKind::Swaps;
  int64_t exchange = plan->kind == ConversionKind::Shared ? tuning.exchangeCost
                     : isInWarp ? layout.toLinearLayout(shape).numRegisters()
                                : 0;
  return cost(ptr, mask, layout) <= cost(ptr, mask, other) + exchange;
}

LayoutAttr AccessLayouts::choose(Value ptr, Value mask) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  unsigned fastest = fastestAxis(ptr);
  return blockedLayout(type, launch, orderFrom(type, fastest), fastest, elements(ptr, mask));
}

LayoutAttr AccessLayouts::chooseForWarp(Value ptr, Value mask) const {
  return chooseForPart(ptr, mask, LaunchShape());
}

LayoutAttr AccessLayouts::chooseForCTA(Value ptr, Value mask) const {
  LaunchShape part = launch;
  part.numCTAs = 1;
  return chooseForPart(ptr, mask, part);
}

LayoutAttr AccessLayouts::chooseForPart(Value ptr, Value mask, LaunchShape part) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LayoutAttr ofPart = AccessLayouts(axes, part, tuning).choose(ptr, mask);
  LinearLayout one = ofPart.toLinearLayout(type.getShape());
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    bases[static_cast<unsigned>(dim)] = one.flatBases(dim);
  bases[static_cast<unsigned>(InDim::Warp)].resize(llvm::Log2_64(launch.numWarps), 0);
  bases[static_cast<unsigned>(InDim::Block)].resize(llvm::Log2_64(launch.numCTAs), 0);
  std::string error;
  std::optional<LinearLayout> layout =
      LinearLayout::createFlat(one.shape(), std::move(bases), error);
  assert(layout && "the part has all elements");
  return LayoutAttr::get(type.getContext(), *layout);
}

int64_t AccessLayouts::width(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  return std::min<int64_t>(layout.contiguousRegisters(fastest),
                           axes.getAccessWidth(ptr, mask, fastest, kMaxAccessBytes));
}

LayoutAttr AccessLayouts::widened(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  unsigned fastest = fastestAxis(ptr);
  int64_t half = width(ptr, mask, attr);
  int64_t bytes = byteSize(cast<PtrType>(type.getElementType()).getPointee());
  if (2 * half * bytes != kMaxAccessBytes ||
      axes.getAccessWidth(ptr, mask, fastest, kMaxAccessBytes) < 2 * half)
    return {};
  std::optional<LinearLayout> wide =
      tilec::layout::widenFromLanes(attr.toLinearLayout(type.getShape()), fastest);
  if (!wide)
    return {};
  // Half as many accesses, which must not touch twice as many lines each.
  LayoutAttr result = LayoutAttr::get(type.getContext(), *wide);
  return pieces(ptr, result, kLineBytes) < 2 * pieces(ptr, attr, kLineBytes) ? result
                                                                             : LayoutAttr();
}

/// How far the product of a range and something else spreads neighbours. Arguments that 16 divides
/// and large constants are likely to be the strides of outer dimensions.
static Stride strideOfProduct(arith::MulIOp op, const AxisInfoAnalysis &axes,
                              const tilec::LayoutTuning &tuning) {
  auto counts = [&](Value value) {
    return llvm::any_of(axes.get(value).dims,
                        [](const AxisInfo::Dim &dim) { return dim.contiguity > 1; });
  };
  auto factor = [&](Value value) {
    AxisInfo info = axes.get(value);
    if (info.constant)
      return *info.constant <= tuning.mostSmallStride ? Stride::Small : Stride::Large;
    bool isDivided = llvm::all_of(info.dims, [&](const AxisInfo::Dim &dim) {
      return dim.divisibility >= tuning.leastLargeDivisor;
    });
    return isDivided ? Stride::Large : Stride::Unknown;
  };
  Value left = op.getLhs(), right = op.getRhs();
  return std::max(counts(left) ? factor(right) : Stride::Small,
                  counts(right) ? factor(left) : Stride::Small);
}

Stride AccessLayouts::stride(Value ptr, std::optional<unsigned> axis) const {
  auto type = dyn_cast<RankedTensorType>(ptr.getType());
  if (!type)
    return Stride::Small;
  if (axis && *axis < unsigned(type.getRank()) && !varies(ptr, *axis))
    return Stride::Small;
  constexpr unsigned all = std::numeric_limits<unsigned>::max() / 2;
  std::pair<Value, unsigned> key(ptr, axis.value_or(all));
  auto [entry, isNew] = strides.try_emplace(key, Stride::Large);
  if (!isNew)
    return entry->second;
  Operation *op = ptr.getDefiningOp(); // None: carried by a loop, which may do anything.
  if (!op || !isRepeatable(op))
    return Stride::Large;
  auto product = dyn_cast<arith::MulIOp>(op);
  Stride result = product ? strideOfProduct(product, axes, tuning) : Stride::Small;
  for (Value operand : op->getOperands())
    result = std::max(result, stride(operand, axis));
  // Of a sum along an axis the part counts that changes most often, then the finest.
  if (axis && isa<arith::AddIOp, AddPtrOp>(op)) {
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (varies(left, *axis) && varies(right, *axis))
      result = variesRarely(left, *axis)    ? stride(right, axis)
               : variesRarely(right, *axis) ? stride(left, axis)
                                            : std::min(stride(left, axis), stride(right, axis));
  }
  strides[key] = result;
  return result;
}

/// Whether `value` varies along `axis` by quotients alone, which rarely change beside remainders.
bool AccessLayouts::variesRarely(Value value, unsigned axis) const {
  Operation *op = value.getDefiningOp();
  if (!varies(value, axis) || !op || !isElementwise(op))
    return false;
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return true;
  std::pair<Value, unsigned> key(value, axis);
  if (auto known = rare.find(key); known != rare.end())
    return known->second;
  bool result = llvm::all_of(op->getOperands(), [&](Value operand) {
    return !varies(operand, axis) || variesRarely(operand, axis);
  });
  return rare[key] = result;
}

bool AccessLayouts::varies(Value value, unsigned axis) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && axis < unsigned(type.getRank()) &&
         axes.get(value).dims[axis].constancy < type.getDimSize(axis);
}

/// A stride that nothing is known of counts as small if others are there and none is smaller: some
/// axis of an array has the small one.
bool AccessLayouts::isLikelyNear(Value ptr, unsigned axis) const {
  Stride along = stride(ptr, axis);
  if (along != Stride::Unknown)
    return along == Stride::Small;
  bool hasOthers = false;
  for (unsigned other = 0; other < axes.get(ptr).dims.size(); ++other) {
    if (other == axis || !varies(ptr, other))
      continue;
    if (stride(ptr, other) == Stride::Small)
      return false;
    hasOthers = true;
  }
  return hasOthers;
}

/// The most elements that accesses through `ptr` find, if they look up one number by another that
/// a mask or its type bounds; 0 if nothing is known.
static int64_t elementsOfTable(Value ptr) {
  auto sum = ptr.getDefiningOp<AddPtrOp>();
  if (!sum || !sum.getPtr().getDefiningOp<SplatOp>())
    return 0;
  Value index = sum.getOffset();
  while (isShapeChange(index.getDefiningOp()) ||
         isa_and_nonnull<BroadcastOp, arith::ExtSIOp>(index.getDefiningOp()))
    index = index.getDefiningOp()->getOperand(0);
  APInt most;
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&most)) &&
      most.isNonNegative())
    return most.getSExtValue() + 1;
  auto widened = dyn_cast_or_null<arith::ExtUIOp>(op);
  unsigned bits = widened ? elementOf(widened.getIn().getType()).getIntOrFloatBitWidth() : 64;
  constexpr unsigned mostBits = 16;
  return bits <= mostBits ? int64_t(1) << bits : 0;
}

int64_t AccessLayouts::pieces(Value ptr, LayoutAttr attr, int64_t pieceBytes) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  unsigned fastest = fastestAxis(ptr);
  int64_t bytes = byteSize(cast<PtrType>(type.getElementType()).getPointee());
  int64_t piece = std::max<int64_t>(1, pieceBytes / bytes);
  AxisInfo::Dim known = axes.get(ptr).dims[fastest];
  int64_t run = std::max(std::min(known.contiguity, piece), known.constancy);
  if (run == 1 && isLikelyNear(ptr, fastest))
    run = std::max<int64_t>(1, piece / tuning.likelyStride);
  assert(llvm::isPowerOf2_64(run) && "known properties of axes are powers of two");
  // Rounding to a power of two is linear, so each access touches as many pieces as the first one.
  llvm::DenseSet<uint64_t> found;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    Coords coords = layout.apply(0, lane, 0, 0);
    coords[fastest] -= coords[fastest] % run;
    found.insert(layout.flatten(coords));
  }
  int64_t table = elementsOfTable(ptr);
  int64_t most = table == 0 ? kWarpSize : llvm::divideCeil(table, piece);
  return std::min<int64_t>(found.size(), most);
}

int64_t AccessLayouts::cost(Value ptr, Value mask, LayoutAttr attr) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  LinearLayout layout = attr.toLinearLayout(type.getShape());
  // Registers that hold one element of memory are loaded by one access.
  int64_t width =
      std::max<int64_t>(this->width(ptr, mask, attr), axes.getRegistersOfLoad(ptr, layout));
  return llvm::divideCeil(layout.numRegisters(), width) * (1 + pieces(ptr, attr, kSectorBytes));
}
