//===- LoadPipelinerBlocks.cpp - blocks that hardware copies ---*- C++ -*-===//
//
// The part of LoadPipeliner that has hardware copy blocks of tensors: which loads, the tensor maps,
// the barrier where blocks land, and the copies.
//
//===----------------------------------------------------------------------===//

#include "ArrayWrites.h"
#include "LoadPipeliner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Layout/BulkAccess.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// Whether the tensor that a block is of is known before `loop`.
static bool isKnownBefore(BlockOp block, scf::ForOp loop) {
  auto isOutside = [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); };
  return isOutside(block.getBase()) && llvm::all_of(block.getSizes(), isOutside) &&
         llvm::all_of(block.getStrides(), isOutside);
}

/// The block of a load that hardware can copy into the slots, by a map of a tensor that the loop
/// does not change; null otherwise.
BlockOp LoadPipeliner::mappedBlock(AheadLoad &ahead) {
  Value value = ahead.load.getBlock();
  auto block = ahead.isMatrix && value ? value.getDefiningOp<BlockOp>() : BlockOp();
  if (!block || !isKnownBefore(block, loop))
    return {};
  ArrayRef<int64_t> shape = block.getType().getShape();
  llvm::scope_exit restore([&, before = ahead.block] { ahead.block = before; });
  ahead.block = block;
  BufferType buffer = bufferType(ahead, /*numSlots=*/1);
  // Lines of boxes begin at multiples of 16 bytes, or the instruction is an illegal one.
  int64_t divisibility = axes.get(block.getOffsets().back()).dims[0].divisibility;
  if (divisibility * byteSize(buffer.getElementType()) % kMaxCopyBytes != 0)
    return {};
  unsigned elementBits = unsigned(8 * byteSize(buffer.getElementType()));
  std::optional<BulkPlan> plan = planBulkCopy(buffer.getMap().toSharedLayout(),
                                              Shape(shape.begin(), shape.end()), elementBits);
  return plan ? block : BlockOp();
}

/// Before the outermost loop that does not change the mapped tensors.
Operation *LoadPipeliner::placeOfMaps() {
  Operation *place = loop;
  for (Operation *around = loop->getParentOp(); !isa<FunctionOpInterface>(around);
       around = around->getParentOp()) {
    auto isOutside = [&](Value value) {
      return value.getParentRegion()->isProperAncestor(&around->getRegion(0));
    };
    for (AheadLoad &ahead : llvm::concat<AheadLoad>(loads, before))
      if (ahead.block &&
          !(isOutside(ahead.block.getBase()) && llvm::all_of(ahead.block.getSizes(), isOutside) &&
            llvm::all_of(ahead.block.getStrides(), isOutside)))
        return place;
    if (isa<LoopLikeOpInterface>(around))
      place = around;
  }
  return place;
}

TensorMapType LoadPipeliner::mapType(AheadLoad &ahead) {
  BufferType buffer = bufferType(ahead, /*numSlots=*/1);
  return TensorMapType::get(builder.getContext(), ahead.block.getType().getShape(),
                            buffer.getElementType(), buffer.getMap());
}

/// Whether two loads are of blocks of one tensor, for placements of one kind.
bool LoadPipeliner::haveOneMap(AheadLoad &a, AheadLoad &b) {
  return a.block.getBase() == b.block.getBase() && a.block.getSizes() == b.block.getSizes() &&
         a.block.getStrides() == b.block.getStrides() && mapType(a) == mapType(b);
}

/// Makes the tensor maps as far out as possible, and gives them up behind. Sizes of maps are
/// positive: blocks of an empty tensor are read where they lie outside of it anyway.
void LoadPipeliner::makeMaps() {
  if (numBulk() == 0)
    return;
  MLIRContext *context = builder.getContext();
  OpBuilder::InsertionGuard guard(builder);
  Operation *place = placeOfMaps();
  builder.setInsertionPoint(place);
  SmallVector<AheadLoad *> mapped; // The first load of each map.
  SmallVector<Value> bases, sizes, strides;
  SmallVector<Type> types;
  Value one = constant(builder.getI64Type(), 1);
  for (AheadLoad &ahead : llvm::concat<AheadLoad>(loads, before)) {
    if (!ahead.block ||
        llvm::any_of(mapped, [&](AheadLoad *other) { return haveOneMap(*other, ahead); }))
      continue;
    mapped.push_back(&ahead);
    bases.push_back(ahead.block.getBase());
    for (Value size : ahead.block.getSizes())
      sizes.push_back(builder.createOrFold<arith::MaxSIOp>(loc, size, one));
    llvm::append_range(strides, ahead.block.getStrides());
    types.push_back(mapType(ahead));
  }
  Value scratch = AllocBufferOp::create(
      builder, loc, MakeTensorMapsOp::scratchOf(context, int64_t(mapped.size())));
  auto made = MakeTensorMapsOp::create(builder, loc, MapPlaceType::get(context), types, bases,
                                       sizes, strides, scratch);
  for (AheadLoad &ahead : llvm::concat<AheadLoad>(loads, before))
    for (auto [first, map] : llvm::zip_equal(mapped, made.getMaps()))
      if (ahead.block && haveOneMap(*first, ahead))
        ahead.map = map;
  builder.setInsertionPointAfter(place);
  ReleaseTensorMapsOp::create(builder, loc, made.getPlace());
}

/// Whether all that is done with what `load` brings is done in `loop` or behind it, by products.
static bool isReadFrom(LoadOp load, scf::ForOp loop) {
  return llvm::all_of(load->getUsers(), [&](Operation *conversion) {
    return isa<ConvertLayoutOp>(conversion) &&
           llvm::all_of(conversion->getUsers(), [&](Operation *user) {
             Operation *op = loop->getBlock()->findAncestorOpInBlock(*user);
             return isa<DotOp>(user) && op && !op->isBeforeInBlock(loop);
           });
  });
}

void LoadPipeliner::collectBefore(llvm::function_ref<bool(Value)> canRepeat) {
  if (numBulk() == 0 || anyByThreads())
    return;
  for (auto load : loop->getBlock()->getOps<LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!load.getBlock() || !load.isPlain() || !type || !load->isBeforeInBlock(loop) ||
        !isReadFrom(load, loop))
      continue;
    AheadLoad ahead = describe(load, /*isOfProduct=*/true);
    if (ahead.block && isKnownBefore(ahead.block, around ? around->getLoop() : loop) &&
        llvm::all_of(ahead.block->getOperands(), canRepeat) &&
        numBulk() + int64_t(before.size()) < MakeTensorMapsOp::kMostMaps)
      before.push_back(ahead);
  }
}

/// Copies what comes before the loop there, each tile into a buffer of its own.
void LoadPipeliner::copyBefore(OpBuilder &allocs) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  IRMapping asIs;
  for (AheadLoad &ahead : before) {
    ahead.buffer =
        AllocBufferOp::create(allocs, ahead.load.getLoc(), bufferType(ahead, /*numSlots=*/1));
    startBulk(ahead, asIs, /*intoSlot=*/Value());
    readSlot(ahead);
  }
}

/// Makes the barrier where blocks land ready before `place`, in its first phase.
void LoadPipeliner::makeBarrier(Operation *place) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(place);
  if (place->getParentOfType<LoopLikeOpInterface>()) {
    BarrierOp::create(builder, loc);
    ResetMBarrierOp::create(builder, loc, landed);
  }
  AsyncFenceOp::create(builder, loc, /*arrays=*/mayFollowWrites(place));
  BarrierOp::create(builder, loc);
}

/// Starts the copy of a load's block. In an empty tensor it is moved to where nothing is.
void LoadPipeliner::startBulk(AheadLoad &ahead, IRMapping &mapping, Value intoSlot) {
  Value zero = constant(builder.getI64Type(), 0), isEmpty;
  for (Value size : ahead.block.getSizes()) {
    Value none = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, size, zero);
    isEmpty = isEmpty ? builder.createOrFold<arith::OrIOp>(loc, isEmpty, none) : none;
  }
  SmallVector<Value> offsets = llvm::map_to_vector(
      ahead.block.getOffsets(), [&](Value offset) { return mapping.lookupOrDefault(offset); });
  constexpr int64_t outside = -(int64_t(1) << 30);
  offsets.front() = builder.createOrFold<arith::SelectOp>(
      loc, isEmpty, constant(builder.getI32Type(), outside), offsets.front());
  BulkCopyOp::create(builder, ahead.load.getLoc(), ahead.map, offsets, ahead.buffer, intoSlot,
                     landed, landed ? intoSlot : Value(), ahead.load.getEvict());
}
