//===- TileOps.cpp - verifiers of the operations ---------------*- C++ -*-===//
//
// What the constraints in TileOps.td cannot say: relations between shapes, and regions. Folds and
// canonicalisations are in TileFolds.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

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

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
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
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
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
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError() << "expects as many elements in the result as in the source, found "
                         << result.getNumElements() << " and " << source.getNumElements();
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
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
  return success();
}

bool LoadOp::isPlain() {
  return !getIsVolatile() && getCache() == CacheModifier::None &&
         getEvict() == EvictionPolicy::Normal;
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
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

static LogicalResult verifyCombineRegion(ReduceOp op) {
  Block &body = op.getCombine().front();
  unsigned count = op.getSrcs().size();
  if (body.getNumArguments() != 2 * count)
    return op.emitOpError() << "expects a combine region with " << 2 * count << " arguments, found "
                            << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != count)
    return op.emitOpError() << "expects the combine region to yield " << count << " values";
  for (unsigned i = 0; i < count; ++i) {
    Type element = elementOf(op.getSrcs()[i].getType());
    if (body.getArgument(i).getType() != element ||
        body.getArgument(count + i).getType() != element ||
        yield.getValues()[i].getType() != element)
      return op.emitOpError() << "expects the combine region to take and yield " << element
                              << " for source " << i;
  }
  return success();
}

LogicalResult AsyncLoadOp::verify() {
  RankedTensorType tile = getRing().getType().getTile();
  Type expected = PtrType::get(tile.getElementType());
  if (elementOf(getPtr().getType()) != expected || !haveSameShape(getPtr().getType(), tile))
    return emitOpError() << "expects pointers to the elements of " << tile << ", found "
                         << getPtr().getType();
  return success();
}

LogicalResult RingReadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "cannot have 'other' without 'mask'";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getSrcs().empty())
    return emitOpError() << "expects at least one source";
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  int64_t axis = int32_t(getAxis()); // The accessor is unsigned.
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "expects an axis from 0 to " << first.getRank() - 1 << ", found " << axis;
  if (getResults().size() != getSrcs().size())
    return emitOpError() << "expects as many results as sources, found " << getResults().size()
                         << " and " << getSrcs().size();
  for (auto [source, result] : llvm::zip(getSrcs(), getResults())) {
    auto type = cast<RankedTensorType>(source.getType());
    if (!haveSameShape(type, first))
      return emitOpError() << "expects all sources of one shape and layout, found " << first << " and "
                           << type;
    Type expected = reducedType(type, axis), found = result.getType();
    if (auto tileType = dyn_cast<RankedTensorType>(found))
      found = RankedTensorType::get(tileType.getShape(), tileType.getElementType());
    if (expected != found)
      return emitOpError() << "expects a result of type " << expected << ", found " << found;
  }
  return verifyCombineRegion(*this);
}

LogicalResult ReduceOp::verifyRegions() {
  // The region is work on one element: whoever distributes the tiles copies it as it is.
  WalkResult walked = getCombine().walk([&](Operation *inner) {
    for (Type type : llvm::concat<Type>(inner->getOperandTypes(), inner->getResultTypes()))
      if (isa<ShapedType>(type)) {
        InFlightDiagnostic diagnostic =
            emitOpError() << "expects a combine region that works on scalars, found " << type;
        diagnostic.attachNote(inner->getLoc()) << "used here";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

Operation *ReduceOp::getSingleCombiner() {
  Block &body = getCombine().front();
  if (getSrcs().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &op = body.front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || yield.getValues()[0] != op.getResult(0))
    return nullptr;
  bool straight = op.getOperand(0) == body.getArgument(0) && op.getOperand(1) == body.getArgument(1);
  bool swapped = op.getOperand(0) == body.getArgument(1) && op.getOperand(1) == body.getArgument(0);
  return straight || swapped ? &op : nullptr;
}
