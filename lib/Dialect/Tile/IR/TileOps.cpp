//===- TileOps.cpp - verifiers of the operations ---------------*- C++ -*-===//
//
// What the constraints in TileOps.td cannot say: relations between shapes, and regions. Folds and
// canonicalisations are in TileFolds.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Scan.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilec::tile;

#define GET_OP_CLASSES
#include "tilec/Dialect/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static LogicalResult verifySameElement(Operation *op, Type a, Type b) {
  if (elementOf(a) != elementOf(b))
    return op->emitOpError() << "expects source and result of one element type, found "
                             << elementOf(a) << " and " << elementOf(b);
  return success();
}

static bool isLoadModifier(CacheModifier cache) {
  return cache == CacheModifier::None || cache == CacheModifier::CA || cache == CacheModifier::CG ||
         cache == CacheModifier::CV;
}

static bool isStoreModifier(CacheModifier cache) {
  return cache == CacheModifier::None || cache == CacheModifier::CG || cache == CacheModifier::WB ||
         cache == CacheModifier::CS || cache == CacheModifier::WT;
}

//===----------------------------------------------------------------------===//
// Making and reshaping tiles
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = getStart(), end = getEnd(), limit = int64_t(1) << 32;
  if (start < 0 || end <= start || end > limit)
    return emitOpError() << "expects 0 <= start < end <= 2^32, found " << start << " to " << end;
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != end - start)
    return emitOpError() << "expects a one-dimensional result of " << end - start
                         << " elements, found " << type;
  return success();
}

LogicalResult SplatOp::verify() { return verifySameElement(*this, getSrc().getType(), getType()); }

LogicalResult PromiseOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  size_t axes = type ? type.getRank() : 1;
  for (auto [name, values] : {std::pair(StringRef("divisibility"), getDivisibility()),
                              std::pair(StringRef("contiguity"), getContiguity()),
                              std::pair(StringRef("constancy"), getConstancy())}) {
    if (values.size() != axes)
      return emitOpError() << "expects one '" << name << "' an axis, " << axes << ", found "
                           << values.size();
    for (int64_t value : values)
      if (value < 1 || !llvm::isPowerOf2_64(value))
        return emitOpError() << "expects '" << name << "' to be powers of two, found " << value;
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getRank() != result.getRank())
    return emitOpError() << "expects source and result of one rank, found " << source.getRank()
                         << " and " << result.getRank();
  for (auto [axis, from, to] : llvm::enumerate(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError() << "cannot broadcast dimension " << axis << " from " << from << " to "
                           << to;
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  int64_t axis = int32_t(getAxis()); // The accessor is unsigned.
  if (axis < 0 || axis > source.getRank())
    return emitOpError() << "expects an axis from 0 to " << source.getRank() << ", found " << axis;
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expects the source's shape with a 1 inserted at " << axis << ", found "
                         << result;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError() << "expects as many elements in the result as in the source, found "
                         << result.getNumElements() << " and " << source.getNumElements();
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getShape() != result.getShape())
    return emitOpError() << "cannot change the shape, found " << source << " and " << result;
  if (!getLayout(source) != !getLayout(result))
    return emitOpError() << "expects a layout on both sides or on neither";
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "cannot have 'other' without 'mask'";
  if (!isLoadModifier(getCache()))
    return emitOpError() << "expects a cache modifier of loads (ca, cg, cv), found "
                         << stringifyCacheModifier(getCache());
  if (!getBlock())
    return success();
  BlockType block = getBlock().getType();
  auto tile = dyn_cast<RankedTensorType>(getType());
  if (!tile || tile.getElementType() != block.getElementType() ||
      tile.getNumElements() != llvm::product_of(block.getShape()))
    return emitOpError() << "expects a block with the elements of the result, found " << block;
  return success();
}

bool LoadOp::isPlain() { return !getIsVolatile() && getCache() != CacheModifier::CV; }

bool LoadOp::hasHints() {
  return getCache() != CacheModifier::None || getEvict() != EvictionPolicy::Normal;
}

bool LoadOp::mayFillWithZeros() { return !getMask() || !getOther() || isZero(getOther()); }

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  // A volatile read must neither disappear nor move across another one.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
  if (!isStoreModifier(getCache()))
    return emitOpError() << "expects a cache modifier of stores (wb, cg, cs, wt), found "
                         << stringifyCacheModifier(getCache());
  return success();
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The type that reducing `type` along `axis` gives, but for its encoding.
static Type reducedType(RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  if (shape.empty())
    return type.getElementType();
  return RankedTensorType::get(shape, type.getElementType());
}

/// The region combines two groups of scalars, one of each source, into one.
static LogicalResult verifyCombineRegion(Operation *op, ValueRange sources, Region &combine) {
  Block &body = combine.front();
  unsigned count = sources.size();
  if (body.getNumArguments() != 2 * count)
    return op->emitOpError() << "expects a combine region with " << 2 * count
                             << " arguments, found " << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != count)
    return op->emitOpError() << "expects the combine region to yield " << count << " values";
  for (unsigned i = 0; i < count; ++i) {
    Type element = elementOf(sources[i].getType());
    if (body.getArgument(i).getType() != element ||
        body.getArgument(count + i).getType() != element ||
        yield.getValues()[i].getType() != element)
      return op->emitOpError() << "expects the combine region to take and yield " << element
                               << " for source " << i;
  }
  return success();
}

LogicalResult tilec::tile::verifyScalarCode(Operation *op) {
  WalkResult walked = op->getRegion(0).walk([&](Operation *inner) {
    for (Type type : llvm::concat<Type>(inner->getOperandTypes(), inner->getResultTypes()))
      if (isa<ShapedType>(type)) {
        InFlightDiagnostic diagnostic = op->emitOpError()
                                        << "expects a region that works on scalars, found " << type;
        diagnostic.attachNote(inner->getLoc()) << "used here";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank)
    return op->emitOpError() << "expects an axis from 0 to " << rank - 1 << ", found " << axis;
  return success();
}

/// At least one source, all of one shape and layout.
static LogicalResult verifySources(Operation *op, ValueRange sources) {
  if (sources.empty())
    return op->emitOpError() << "expects at least one source";
  Type first = sources.front().getType();
  for (Value source : sources)
    if (!haveSameShape(source.getType(), first))
      return op->emitOpError() << "expects all sources of one shape and layout, found " << first
                               << " and " << source.getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  int64_t axis = int32_t(getAxis()); // The accessor is unsigned.
  if (failed(verifyAxis(*this, axis, first.getRank())))
    return failure();
  if (getResults().size() != getSrcs().size())
    return emitOpError() << "expects as many results as sources, found " << getResults().size()
                         << " and " << getSrcs().size();
  for (auto [source, result] : llvm::zip(getSrcs(), getResults())) {
    Type expected = reducedType(cast<RankedTensorType>(source.getType()), axis);
    Type found = result.getType();
    if (auto tileType = dyn_cast<RankedTensorType>(found))
      found = RankedTensorType::get(tileType.getShape(), tileType.getElementType());
    if (expected != found)
      return emitOpError() << "expects a result of type " << expected << ", found " << found;
  }
  return verifyCombineRegion(*this, getSrcs(), getCombine());
}

LogicalResult PartialReduceOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  int64_t axis = int32_t(getAxis());
  if (failed(verifyAxis(*this, axis, first.getRank())))
    return failure();
  if (getResults().size() != getSrcs().size())
    return emitOpError() << "expects as many results as sources, found " << getResults().size()
                         << " and " << getSrcs().size();
  std::optional<tilec::layout::ReductionPlan> plan;
  if (LayoutAttr layout = getLayout(first))
    plan = tilec::layout::planReduction(layout.toLinearLayout(first.getShape()), axis);
  if (!plan)
    return emitOpError() << "expects sources with a layout that can be reduced along axis " << axis;
  tilec::layout::LinearLayout parts = tilec::layout::partialLayout(*plan);
  if (parts.rank() == 0)
    return emitOpError() << "expects a dimension that several warps or CTAs share";
  for (auto [source, result] : llvm::zip(getSrcs(), getResults())) {
    Type expected = RankedTensorType::get(parts.shape(), elementOf(source.getType()),
                                          LayoutAttr::get(getContext(), parts));
    if (result.getType() != expected)
      return emitOpError() << "expects a result of type " << expected << ", found "
                           << result.getType();
  }
  return verifyCombineRegion(*this, getSrcs(), getCombine());
}

Operation *ReduceOp::getSingleCombiner() { return tilec::tile::getSingleCombiner(getCombine()); }

Operation *tilec::tile::getSingleCombiner(Region &region) {
  Block &body = region.front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &op = body.front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      yield.getValues()[0] != op.getResult(0))
    return nullptr;
  bool straight =
      op.getOperand(0) == body.getArgument(0) && op.getOperand(1) == body.getArgument(1);
  bool swapped = op.getOperand(0) == body.getArgument(1) && op.getOperand(1) == body.getArgument(0);
  return straight || swapped ? &op : nullptr;
}

bool tilec::tile::isInScalarCode(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (parent->hasTrait<HasScalarCode>())
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Scans and other exchanges
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  if (failed(verifyAxis(*this, int32_t(getAxis()), first.getRank())))
    return failure();
  if (getSrcs().getTypes() != getResultTypes())
    return emitOpError() << "expects results of the sources' types";
  return verifyCombineRegion(*this, getSrcs(), getCombine());
}

LogicalResult FinishScanOp::verify() {
  if (failed(verifySources(*this, getElements())))
    return failure();
  auto first = cast<RankedTensorType>(getElements().front().getType());
  unsigned axis = getAxis();
  if (failed(verifyAxis(*this, int32_t(axis), first.getRank())))
    return failure();
  if (getElements().getTypes() != getResultTypes())
    return emitOpError() << "expects results of the elements' types";
  std::optional<tilec::layout::ScanPlan> plan;
  if (LayoutAttr layout = getLayout(first))
    plan = tilec::layout::planScan(layout.toLinearLayout(first.getShape()), axis);
  if (!plan)
    return emitOpError() << "expects elements with a layout that can be scanned along axis "
                         << axis;
  tilec::layout::ScanSteps steps =
      tilec::layout::scanSteps(getLayout(first).toLinearLayout(first.getShape()), axis, *plan);
  auto verifyStep = [&](StringRef what, ValueRange tiles,
                        const tilec::layout::LinearLayout &layout) {
    for (auto [element, tile] : llvm::zip_equal(getElements(), tiles)) {
      Type expected = RankedTensorType::get(layout.shape(), elementOf(element.getType()),
                                            LayoutAttr::get(getContext(), layout));
      if (tile.getType() != expected)
        return LogicalResult(emitOpError() << "expects " << what << " of type " << expected
                                           << ", found " << tile.getType());
    }
    return success();
  };
  if (failed(verifyStep("groups", getGroups(), steps.groups)) ||
      failed(verifyStep("parts", getParts(), steps.parts)))
    return failure();
  return verifyCombineRegion(*this, getElements(), getCombine());
}

LogicalResult PermuteOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  llvm::BitVector seen(source.getRank());
  for (int32_t axis : getOrder()) {
    if (axis < 0 || axis >= source.getRank() || seen.test(axis))
      return emitOpError() << "expects an order that names each dimension of the source once";
    seen.set(axis);
  }
  SmallVector<int64_t> shape;
  for (int32_t axis : getOrder())
    shape.push_back(source.getDimSize(axis));
  if (!seen.all() || result.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expects the source's dimensions in the given order, found " << result;
  return success();
}

LogicalResult TakeOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  int64_t axis = int32_t(getAxis()), index = int32_t(getIndex());
  if (failed(verifySameElement(*this, source, result)) ||
      failed(verifyAxis(*this, axis, source.getRank())))
    return failure();
  if (index < 0 || index >= source.getDimSize(axis))
    return emitOpError() << "expects an index from 0 to " << source.getDimSize(axis) - 1
                         << ", found " << index;
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expects the source's shape without dimension " << axis << ", found "
                         << result;
  return success();
}

LogicalResult FlipOp::verify() {
  return verifyAxis(*this, int32_t(getAxis()), cast<RankedTensorType>(getType()).getRank());
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()),
       result = cast<RankedTensorType>(getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  int64_t axis = int32_t(getAxis());
  if (failed(verifySameElement(*this, source, result)) ||
      failed(verifyAxis(*this, axis, source.getRank())))
    return failure();
  if (!haveSameShape(indices, result))
    return emitOpError() << "expects a result in the shape of the indices, found " << result
                         << " and " << indices;
  bool fits = indices.getRank() == source.getRank();
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim)
    fits = dim == axis || source.getDimSize(dim) == indices.getDimSize(dim);
  if (!fits)
    return emitOpError() << "expects source and indices that differ along dimension " << axis
                         << " only, found " << source << " and " << indices;
  return success();
}

LogicalResult HistogramOp::verify() {
  for (Type type : {getSrc().getType(), getType()})
    if (cast<RankedTensorType>(type).getRank() != 1)
      return emitOpError() << "expects one dimension, found " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

LogicalResult AtomicRMWOp::verify() {
  Type element = elementOf(getType());
  bool isFloat = isa<FloatType>(element);
  bool compares = getKind() == AtomicKind::MaxNum || getKind() == AtomicKind::MinNum;
  if (compares && !element.isF16() && !element.isBF16())
    return emitOpError() << "compares floats of 16 bits, found " << element;
  if (isFloat && !compares && getKind() != AtomicKind::Add)
    return emitOpError() << "can only add or compare floats, found "
                         << stringifyAtomicKind(getKind());
  if (!isFloat && !element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "expects floats or integers of 32 or 64 bits, found " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type element = elementOf(getType());
  if (!element.isInteger(16) && !element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "expects integers of 16, 32 or 64 bits, found " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// Code for each element
//===----------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  if (!haveSameShape(getSrcs().front().getType(), getType()))
    return emitOpError() << "expects a result in the shape of the sources, found " << getType();
  Block &body = getBody().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != elementOf(getType()))
    return emitOpError() << "expects the region to yield one " << elementOf(getType());
  bool fits = body.getNumArguments() == getSrcs().size();
  for (auto [argument, source] : llvm::zip(body.getArguments(), getSrcs()))
    fits &= argument.getType() == elementOf(source.getType());
  if (!fits)
    return emitOpError() << "expects a region that takes one element of each source";
  return success();
}

LogicalResult MapOp::verifyRegions() {
  WalkResult walked = getBody().walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = emitOpError() << "expects a region without side effects";
    diagnostic.attachNote(inner->getLoc()) << "this operation has some";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult InlineAsmOp::verify() {
  if (!llvm::isPowerOf2_32(getPack()))
    return emitOpError() << "expects a pack that is a power of two, found " << getPack();
  Type first = getNumResults() ? getResult(0).getType() : Type();
  for (Type type : llvm::concat<const Type>(getArgs().getTypes(), getResultTypes())) {
    first = first ? first : type;
    if (!haveSameShape(type, first))
      return emitOpError() << "expects operands and results of one shape and layout, found "
                           << first << " and " << type;
  }
  return success();
}

bool InlineAsmOp::dependsOnThreads() {
  StringRef text = getAsmText();
  return !getPure() || text.contains('%') || text.contains("bar");
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
