//===- TileBuffers.cpp - buffers in shared memory --------------*- C++ -*-===//
//
// Buffers in shared memory: the attribute that maps an element's index to its offset, a matrix over
// F2 like a layout, the type that combines it with shape and element, and the verifiers of the
// operations that store to and load from buffers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::F2Matrix;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;
using tilec::layout::SharedLayout;

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

/// The number of bits of the largest offset.
static unsigned numOffsetBits(ArrayRef<int32_t> offsets) {
  uint32_t all = 0;
  for (int32_t offset : offsets)
    all |= uint32_t(offset);
  return all ? llvm::Log2_32(all) + 1 : 0;
}

static F2Matrix matrixOf(ArrayRef<int32_t> offsets) {
  return F2Matrix(numOffsetBits(offsets), {offsets.begin(), offsets.end()});
}

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int32_t> offsets) {
  constexpr size_t mostBits = 20; // Those of the largest tile.
  if (offsets.size() > mostBits)
    return emitError() << "expects at most " << mostBits << " offsets, found " << offsets.size();
  for (int32_t offset : offsets)
    if (offset < 0 || offset >= kMaxTileElements)
      return emitError() << "expects offsets from 0 to " << kMaxTileElements - 1 << ", found "
                         << offset;
  if (!matrixOf(offsets).isSurjective())
    return emitError() << "expects offsets without gaps";
  return success();
}

SharedAttr SharedAttr::get(MLIRContext *context, const SharedLayout &layout) {
  const std::vector<uint64_t> &columns = layout.toOffset.columns();
  return get(context, SmallVector<int32_t>(columns.begin(), columns.end()));
}

int64_t SharedAttr::getNumElements() const { return int64_t(1) << numOffsetBits(getOffsets()); }

SharedLayout SharedAttr::toSharedLayout() const {
  return {matrixOf(getOffsets()), F2Matrix::zero(0, getOffsets().size())};
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedAttr map;
  int64_t rounds = 1, slots = 1;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (succeeded(parser.parseOptionalKeyword(&keyword, {"rounds", "slots"}))) {
      if (parser.parseEqual() || parser.parseInteger(keyword == "slots" ? slots : rounds))
        return {};
    } else if (parser.parseAttribute(map)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), ArrayRef<int64_t>(shape), element,
                                       map, rounds, slots);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType();
  if (getMap())
    printer << ", " << getMap();
  if (getRounds() != 1)
    printer << ", rounds = " << getRounds();
  if (getSlots() != 1)
    printer << ", slots = " << getSlots();
  printer << ">";
}

LogicalResult tilec::tile::verifyMapOfTile(function_ref<InFlightDiagnostic()> emitError,
                                           ArrayRef<int64_t> shape, SharedAttr map) {
  unsigned bits = 0;
  for (int64_t size : shape)
    bits += llvm::Log2_64(size);
  if (map.getOffsets().size() != bits)
    return emitError() << "expects a map with an offset for each of the " << bits
                       << " bits of an index, found " << map;
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element, SharedAttr map,
                                 int64_t rounds, int64_t slots) {
  if (!isTileShape(shape))
    return emitError() << "expects the shape of a tile";
  if (!isa<PtrType>(element) && !element.isIntOrFloat())
    return emitError() << "expects elements that are integers, floats or pointers, found "
                       << element;
  if (slots < 1)
    return emitError() << "expects at least one slot, found " << slots;
  if (rounds != 1 && (slots != 1 || !map))
    return emitError() << "expects rounds only of a buffer with a map and one slot";
  if (!map)
    return success();
  if (failed(verifyMapOfTile(emitError, shape, map)))
    return failure();
  if (rounds < 1 || !llvm::isPowerOf2_64(rounds) || rounds > map.getNumElements())
    return emitError() << "expects rounds that are a power of two and at most "
                       << map.getNumElements() << ", found " << rounds;
  return success();
}

int64_t BufferType::getSlotBytes() const { return getRoundElements() * byteSize(getElementType()); }

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool tilec::tile::isZero(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().bitcastToAPInt().isZero();
  return splat.getElementType().isInteger() && splat.getSplatValue<APInt>().isZero();
}

Value tilec::tile::readCopied(OpBuilder &builder, Location loc, Type type, Value buffer, Value slot,
                              Value mask, Value other) {
  if (!mask || !other || isZero(other))
    return BufferLoadOp::create(builder, loc, type, buffer, slot);
  return BufferLoadOp::create(builder, loc, type, buffer, slot, mask, other, /*round=*/0,
                              /*reversed=*/IntegerAttr());
}

/// The effects of `op`; nothing if they are not known.
static SmallVector<MemoryEffects::EffectInstance> effectsOf(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  return effects;
}

bool tilec::tile::onlyAffectsShared(Operation *op) {
  return isa<MemoryEffectOpInterface>(op) &&
         llvm::all_of(effectsOf(op), [](const MemoryEffects::EffectInstance &effect) {
           return isa<SharedMemory, AsyncSharedMemory>(effect.getResource());
         });
}

bool tilec::tile::usesAsyncProxy(Operation *op) {
  return llvm::any_of(effectsOf(op), [](const MemoryEffects::EffectInstance &effect) {
    return isa<AsyncSharedMemory>(effect.getResource());
  });
}

bool tilec::tile::readsBuffer(Operation *op, Value buffer) {
  return llvm::any_of(effectsOf(op), [&](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect()) && effect.getValue() == buffer;
  });
}

int64_t tilec::tile::alignmentOf(AllocBufferOp buffer) {
  int64_t alignment = kBufferAlignment;
  for (Operation *user : buffer->getUsers()) {
    if (usesAsyncProxy(user))
      return kGroupBufferAlignment;
    if (isa<MakeTensorMapsOp>(user))
      alignment = MakeTensorMapsOp::kMapBytes;
  }
  return alignment;
}

bool tilec::tile::isThreadPrivate(AllocBufferOp buffer) {
  if (!llvm::all_of(buffer->getUsers(), llvm::IsaPred<BufferCopyOp, BufferLoadOp>))
    return false;
  LayoutAttr common;
  for (Operation *user : buffer->getUsers()) {
    if (user->getParentOfType<WarpRolesOp>() != buffer->getParentOfType<WarpRolesOp>())
      return false;
    auto copy = dyn_cast<BufferCopyOp>(user);
    auto load = dyn_cast<BufferLoadOp>(user);
    if (load && load.getReversed())
      return false;
    auto type = dyn_cast<RankedTensorType>(copy ? copy.getPtr().getType() : load.getType());
    LayoutAttr layout = type ? getLayout(type) : LayoutAttr();
    if (!layout || (common && layout != common))
      return false;
    common = layout;
    LinearLayout map = layout.toLinearLayout(type.getShape());
    if (map.freeBits(InDim::Lane) != 0 || map.freeBits(InDim::Warp) != 0)
      return false;
  }
  return true;
}

/// Checks that a tile or scalar `type` goes into `buffer`.
static LogicalResult verifyFits(Operation *op, Type type, BufferType buffer) {
  if (elementOf(type) != buffer.getElementType())
    return op->emitOpError() << "expects a buffer of " << elementOf(type) << ", found " << buffer;
  auto tileType = dyn_cast<RankedTensorType>(type);
  bool fits = tileType ? tileType.getShape() == buffer.getShape()
                       : buffer.getShape() == ArrayRef<int64_t>(1);
  if (!fits)
    return op->emitOpError() << "expects a buffer in the shape of " << type << ", found " << buffer;
  return success();
}

static LogicalResult verifySlot(Operation *op, Value slot, BufferType buffer) {
  if ((slot != nullptr) != (buffer.getSlots() > 1))
    return op->emitOpError() << "expects a slot of a buffer with several, and of no other, found "
                             << buffer;
  return success();
}

static LogicalResult verifyRound(Operation *op, uint32_t round, BufferType buffer) {
  if (round >= buffer.getRounds())
    return op->emitOpError() << "expects a round below " << buffer.getRounds() << ", found "
                             << round;
  return success();
}

static LogicalResult verifyPrevious(Operation *op, Value previous, Type result) {
  if (previous && previous.getType() != result)
    return op->emitOpError() << "expects 'previous' to have the result's type, found "
                             << previous.getType();
  return success();
}

/// The type of the elements that `op` stores: of its value, or of the value at one index.
static FailureOr<Type> storedType(BufferStoreOp op) {
  Type type = op.getValue().getType();
  if (op.getAxis().has_value() != op.getIndex().has_value())
    return op.emitOpError() << "expects 'axis' and 'index' together";
  if (!op.getAxis())
    return type;
  auto tile = dyn_cast<RankedTensorType>(type);
  uint32_t axis = *op.getAxis();
  if (!tile || tile.getRank() < 2 || axis >= tile.getRank() ||
      *op.getIndex() >= tile.getDimSize(axis))
    return op.emitOpError() << "expects an index of one of several dimensions, found index "
                            << *op.getIndex() << " of dimension " << axis << " of " << type;
  SmallVector<int64_t> shape(tile.getShape());
  shape.erase(shape.begin() + axis);
  return Type(RankedTensorType::get(shape, tile.getElementType()));
}

LogicalResult BufferStoreOp::verify() {
  BufferType buffer = getBuffer().getType();
  FailureOr<Type> stored = storedType(*this);
  if (failed(stored) || failed(verifyFits(*this, *stored, buffer)) ||
      failed(verifySlot(*this, Value(), buffer)) || failed(verifyRound(*this, getRound(), buffer)))
    return failure();
  if (getAxis() && !getPeers().empty())
    return emitOpError() << "cannot store an index of a dimension for peers";
  for (int32_t mask : getPeers())
    if (mask <= 0 || !llvm::isPowerOf2_32(mask))
      return emitOpError() << "expects masks of one bit each, found " << mask;
  return success();
}

LogicalResult BufferLoadOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(verifyFits(*this, getType(), buffer)) ||
      failed(verifySlot(*this, getSlot(), buffer)) ||
      failed(verifyRound(*this, getRound(), buffer)) ||
      failed(verifyPrevious(*this, getPrevious(), getType())))
    return failure();
  if (getMask() && (!getPrevious() || buffer.getRounds() != 1))
    return emitOpError() << "expects 'previous' beside a mask, and a buffer without rounds";
  if (getReversed() && *getReversed() >= buffer.getShape().size())
    return emitOpError() << "expects a dimension below " << buffer.getShape().size()
                         << " to be reversed, found " << *getReversed();
  return success();
}

LogicalResult BufferCopyOp::verify() {
  BufferType buffer = getBuffer().getType();
  Type pointee = cast<PtrType>(elementOf(getPtr().getType())).getPointee();
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  if (pointee != buffer.getElementType() || pointers.getShape() != buffer.getShape())
    return emitOpError() << "expects pointers to the elements of " << buffer << ", found "
                         << pointers;
  if (buffer.getRounds() != 1)
    return emitOpError() << "cannot copy in rounds";
  return verifySlot(*this, getSlot(), buffer);
}

LogicalResult AllocMBarrierOp::verify() {
  if (getOffset().value_or(0) % kBytes != 0)
    return emitOpError() << "needs an offset that is a multiple of " << kBytes << ", found "
                         << *getOffset();
  if ((*this)->getParentOfType<LoopLikeOpInterface>())
    return emitOpError() << "is in a loop, but an object is initialised once";
  return success();
}

/// Checks that a slot is named where `barrier` is seen to have several, and only there.
static LogicalResult verifyObject(Operation *op, Value barrier, Value slot) {
  auto alloc = barrier.getDefiningOp<AllocMBarrierOp>();
  if (!alloc || (alloc.getSlots() > 1) == bool(slot))
    return success();
  return op->emitOpError() << (slot ? "names a slot of a barrier that is one object"
                                    : "expects a slot, since the barrier has several");
}

LogicalResult MBarrierArriveOp::verify() {
  if (getEachWarp() && getAfterCopies())
    return emitOpError() << "cannot count a warp's arrivals as one after copies, for which each "
                            "thread arrives by itself";
  if (getCondition() && !getEachWarp())
    return emitOpError() << "has a condition, which is one for each warp's arrival";
  return verifyObject(*this, getBarrier(), getSlot());
}

LogicalResult MBarrierWaitOp::verify() { return verifyObject(*this, getBarrier(), getSlot()); }

LogicalResult ResetMBarrierOp::verify() {
  if (getBarrier().getDefiningOp<AllocMBarrierOp>())
    return success();
  return emitOpError() << "expects a barrier that tile.alloc_mbarrier has made";
}

/// Checks that `map` is for buffers such as `buffer`, and that there is an offset for each axis.
static LogicalResult verifyBlock(Operation *op, TensorMapType map, BufferType buffer,
                                 size_t numOffsets) {
  if (map.getElementType() != buffer.getElementType() || map.getMap() != buffer.getMap() ||
      buffer.getRounds() != 1)
    return op->emitOpError() << "expects a map for buffers such as " << buffer << ", found " << map;
  if (numOffsets != map.getShape().size())
    return op->emitOpError() << "expects an offset for each of " << map.getShape().size()
                             << " axes, found " << numOffsets;
  return success();
}

LogicalResult BulkCopyOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(verifyBlock(*this, getMap().getType(), buffer, getOffsets().size())))
    return failure();
  if (getBarrier() && failed(verifyObject(*this, getBarrier(), getBarrierSlot())))
    return failure();
  return verifySlot(*this, getSlot(), buffer);
}

LogicalResult BulkStoreOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(verifyBlock(*this, getMap().getType(), buffer, getOffsets().size())))
    return failure();
  return verifySlot(*this, /*slot=*/Value(), buffer);
}

/// Without a store that it waits for, the buffer would be in use for longer than needed.
LogicalResult BulkStoreWaitOp::verify() {
  if (llvm::any_of(getBuffer().getUsers(), llvm::IsaPred<BulkStoreOp>))
    return success();
  return emitOpError() << "expects a buffer that tile.bulk_store stores";
}

LogicalResult BufferGatherOp::verify() {
  BufferType buffer = getBuffer().getType();
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = int32_t(getAxis()), rank = buffer.getShape().size();
  if (axis < 0 || axis >= rank)
    return emitOpError() << "expects an axis from 0 to " << rank - 1 << ", found " << axis;
  if (result.getElementType() != buffer.getElementType() ||
      !haveSameShape(getIndices().getType(), result))
    return emitOpError() << "expects elements of the buffer in the shape of the indices, found "
                         << result;
  bool fits = result.getRank() == rank;
  for (int64_t dim = 0; fits && dim < rank; ++dim)
    fits = dim == axis || result.getDimSize(dim) == buffer.getShape()[dim];
  if (!fits)
    return emitOpError() << "expects buffer and indices that differ along dimension " << axis
                         << " only, found " << buffer << " and " << getIndices().getType();
  if (failed(verifyRound(*this, getRound(), buffer)) || failed(verifySlot(*this, Value(), buffer)))
    return failure();
  return verifyPrevious(*this, getPrevious(), getType());
}

LogicalResult BufferCountOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (buffer.getShape().size() != 1 || !buffer.getElementType().isInteger(32) ||
      buffer.getRounds() != 1)
    return emitOpError() << "expects a buffer of i32 with one dimension, found " << buffer;
  return verifySlot(*this, Value(), buffer);
}
