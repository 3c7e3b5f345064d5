//===- StoreBlocks.cpp - tiles that hardware stores -------------*- C++ -*-===//
//
// The pass `tile-store-blocks`. Where a tile is exchanged between threads only to be stored, and
// what is stored is a block of a tensor, the threads write it into a buffer from the layout that it
// has, and hardware stores the buffer (TMA). Such stores take another path to memory than those of
// threads, and nobody waits until they are there. So which of them keep their order with the other
// accesses of the program is decided here; the rest is left alone.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "AffineForms.h"
#include "ArgumentExpression.h"
#include "ArrayWrites.h"
#include "BlockOfLoad.h"
#include "ExpandExchanges.h"
#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Layout/BulkAccess.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESTOREBLOCKS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// Where no block is: offsets of blocks of empty tensors, whose maps have sizes of 1.
static constexpr int64_t kOutside = int64_t(1) << 30;

//===----------------------------------------------------------------------===//
// The order of accesses
//===----------------------------------------------------------------------===//

/// The argument that all pointers of `value` come from; null if they may come from several.
static Value baseOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, PermuteOp, ConvertLayoutOp, PromiseOp>(
            op))
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? value : Value();
}

namespace {

/// In which order the operations of a kernel are executed: that of the text, but for loops, whose
/// iterations a store is ordered with otherwise.
class ProgramOrder {
public:
  ProgramOrder(func::FuncOp kernel, const AxisInfoAnalysis &axes) : kernel(kernel), forms(axes) {
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { numbers[op] = unsigned(numbers.size()); });
  }

  /// Whether memory is the same in the end if `store`, of a block, happens at any time behind its
  /// place, and so do `others`.
  bool allowsDelay(StoreOp store, ArrayRef<StoreOp> others);

private:
  bool isBefore(Operation *op, Operation *other) const {
    return numbers.lookup(op) < numbers.lookup(other);
  }
  bool areDisjoint(StoreOp store, StoreOp other);
  bool isStoreElsewhere(Operation *op, StoreOp store, ArrayRef<StoreOp> others);
  bool mayComeBefore(Operation *op, StoreOp store, ArrayRef<StoreOp> others);
  bool mayComeBehind(Operation *op, StoreOp store, ArrayRef<StoreOp> others);

  func::FuncOp kernel;
  AffineForms forms;
  llvm::DenseMap<Operation *, unsigned> numbers;
};

} // namespace

static BlockOp blockOf(StoreOp store) {
  Value block = store.getBlock();
  return block ? block.getDefiningOp<BlockOp>() : BlockOp();
}

/// Whether two stores are of blocks of one tensor that lie beside each other in an iteration.
bool ProgramOrder::areDisjoint(StoreOp store, StoreOp other) {
  BlockOp a = blockOf(store), b = blockOf(other);
  if (!a || !b || a.getBase() != b.getBase() || a.getSizes() != b.getSizes() ||
      a.getStrides() != b.getStrides())
    return false;
  for (size_t axis = 0; axis < a.getOffsets().size(); ++axis) {
    std::optional<AffineForm> first = forms.read(a.getOffsets()[axis]),
                              second = forms.read(b.getOffsets()[axis]);
    if (!first || !second)
      continue;
    AffineSum distance = second->sum;
    distance.add(first->sum, -1);
    int64_t known = distance.factorOf(Term());
    if (distance == AffineSum::constant(known) &&
        (known >= a.getType().getShape()[axis] || -known >= b.getType().getShape()[axis]))
      return true;
  }
  return false;
}

/// Arguments are taken to be different arrays. Of one array, what later iterations store is in
/// order if hardware stores all of it.
bool ProgramOrder::isStoreElsewhere(Operation *op, StoreOp store, ArrayRef<StoreOp> others) {
  auto other = dyn_cast<StoreOp>(op);
  Value base = other ? baseOf(other.getPtr()) : Value();
  return base && (base != baseOf(blockOf(store).getBase()) ||
                  (llvm::is_contained(others, other) && areDisjoint(store, other)));
}

/// Threads have read what `op` reads once its value has been used, which is before the store.
bool ProgramOrder::mayComeBefore(Operation *op, StoreOp store, ArrayRef<StoreOp> others) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    Value base = baseOf(load.getPtr());
    bool isElsewhere = base && base != baseOf(blockOf(store).getBase());
    return load.isPlain() && (isElsewhere || llvm::all_of(load->getUsers(), [&](Operation *user) {
                                return isBefore(user, store);
                              }));
  }
  return isStoreElsewhere(op, store, others) || !mayWriteArrays(op);
}

/// Nothing may read memory, or tell others that it is written.
bool ProgramOrder::mayComeBehind(Operation *op, StoreOp store, ArrayRef<StoreOp> others) {
  // Copies of loops for which there are warps of their own end with these loops.
  auto roles = store->getParentOfType<WarpRolesOp>();
  if (roles && !roles.getRoles()[0].isAncestor(op->getParentRegion()) && roles->isAncestor(op))
    return !mayWriteArrays(op);
  if (isa<LoopLikeOpInterface>(op))
    return false;
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>() || isStoreElsewhere(op, store, others))
    return true;
  // Whom roles tell that their loops are over copies nothing behind.
  return onlyAffectsShared(op) || isa<GroupWaitOp, ReleaseTensorMapsOp>(op) ||
         (roles && isa<MBarrierArriveOp>(op));
}

bool ProgramOrder::allowsDelay(StoreOp store, ArrayRef<StoreOp> others) {
  if (!baseOf(blockOf(store).getBase()))
    return false;
  // Iterations of a loop may take different branches.
  Operation *outermost = store;
  for (Operation *around = store->getParentOp(); around != kernel; around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      outermost = around;
  return !kernel
              .walk([&](Operation *op) {
                if (op->isAncestor(store) || insideMutuallyExclusiveRegions(op, outermost))
                  return WalkResult::advance();
                bool isFine = isBefore(op, store) ? mayComeBefore(op, store, others)
                                                  : mayComeBehind(op, store, others);
                return isFine ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Which tiles
//===----------------------------------------------------------------------===//

/// Before what the map is made that `store` needs: the outermost of the loops around it, or itself.
/// Null if arguments do not say whether programs come there, or if a loop may read what an earlier
/// iteration stores: the author of one that is flattened says that it does not.
static Operation *placeOfMap(StoreOp store) {
  auto kernel = store->getParentOfType<func::FuncOp>();
  Operation *place = store;
  bool isKnown = true;
  for (Region *region = store->getParentRegion(); region != &kernel.getBody();
       region = region->getParentRegion()) {
    Operation *around = region->getParentOp();
    auto roles = dyn_cast<WarpRolesOp>(around);
    auto branch = dyn_cast<scf::IfOp>(around);
    if (isa<scf::ForOp>(around) && around->hasAttr(kFlattenAttr)) {
      place = around;
      isKnown = true;
    } else if (branch) {
      isKnown &= isOfArguments(branch.getCondition(), kernel);
    } else if (!roles || region != &roles.getRoles()[0]) {
      return nullptr;
    }
  }
  return isKnown ? place : nullptr;
}

/// The extents of a tile, but for those of axes with one element.
static SmallVector<int64_t> withoutOnes(Value tile) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(tile.getType()).getShape());
  llvm::erase(shape, 1);
  return shape;
}

/// The exchange whose only purpose is the store; null if there is none. Axes with one element may
/// come behind it: they change nothing of where elements lie in a buffer.
static ConvertLayoutOp exchangeFor(StoreOp store) {
  Value value = store.getValue();
  for (Operation *op = value.getDefiningOp();
       isa_and_nonnull<ReshapeOp, ExpandDimsOp>(op) && op->hasOneUse() &&
       withoutOnes(op->getOperand(0)) == withoutOnes(value);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  auto exchange = value.getDefiningOp<ConvertLayoutOp>();
  return exchange && exchange->hasOneUse() && exchangesData(exchange) ? exchange
                                                                      : ConvertLayoutOp();
}

/// Of a buffer for the tile that is stored.
static BufferType bufferFor(StoreOp store) {
  RankedTensorType type = exchangeFor(store).getType();
  Shape shape(type.getShape().begin(), type.getShape().end());
  SharedLayout map = placeForMatrices(shape, unsigned(type.getRank()) - 1,
                                      unsigned(8 * byteSize(type.getElementType())));
  return BufferType::get(store.getContext(), type.getShape(), type.getElementType(),
                         SharedAttr::get(store.getContext(), map), /*rounds=*/1, /*slots=*/1);
}

/// Whether the threads write the tile into its buffer without bank conflicts. Hardware says how the
/// buffer's lines are swizzled, whatever layout the tile has.
static bool isWrittenFast(StoreOp store) {
  BufferType buffer = bufferFor(store);
  SharedAccess access =
      planAccess(layoutOf(exchangeFor(store).getSrc()), buffer.getMap().toSharedLayout(),
                 unsigned(8 * byteSize(buffer.getElementType())), /*isStore=*/true);
  return access.wavefronts == access.minWavefronts;
}

/// Whether the tile is one that hardware stores at a profit if it is a block.
static bool isWorthIt(StoreOp store) {
  auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!type || type.getRank() < 2 || !type.getElementType().isIntOrFloat() ||
      store.getCache() != CacheModifier::None || store.getEvict() != EvictionPolicy::Normal ||
      store->hasAttr(kInOrderAttr))
    return false;
  ConvertLayoutOp exchange = exchangeFor(store);
  return bytesOfTile(type) >= getTarget(store).tuning().products.leastBytesStored && exchange &&
         exchange.getType().getRank() > 1 && placeOfMap(store) && isWrittenFast(store);
}

/// Whether there is room for the buffer beside those for `others`. That of a loop is in use in all
/// of it, and so are theirs there; what is in no loop takes turns with other exchanges.
static bool hasRoom(StoreOp store, ArrayRef<StoreOp> others) {
  int64_t bytes = bufferFor(store).getBytes(), exchanged = 0;
  Operation *loop = placeOfMap(store);
  if (loop == store)
    return roundsFor(bytes, store->getParentOp(), /*isAlone=*/true) == 1;
  llvm::SmallPtrSet<Operation *, 4> gone = {exchangeFor(store)};
  for (StoreOp other : others) {
    gone.insert(exchangeFor(other));
    bytes += loop->isAncestor(other) ? bufferFor(other).getBytes() : 0;
  }
  loop->walk([&](Operation *op) {
    if (!gone.contains(op))
      exchanged = std::max(exchanged, bytesOfExchange(op));
  });
  return bytes + exchanged <= sharedBeside(store->getParentOp());
}

/// Whether the block begins inside of the tensor or behind it: an H100 takes a store that begins
/// before it for an illegal instruction.
static bool neverBeginsBefore(BlockOp block, AffineForms &forms) {
  return llvm::all_of(block.getOffsets(), [&](Value offset) {
    std::optional<AffineForm> form = forms.read(offset);
    return form && !form->base && form->remainders.empty() && forms.isNeverNegative(form->sum);
  });
}

/// Whether hardware can store the block that `store` is described to be of, by a map that launches
/// make.
static bool isMappable(StoreOp store, const AxisInfoAnalysis &axes) {
  BlockOp block = blockOf(store);
  auto kernel = store->getParentOfType<func::FuncOp>();
  auto loop = dyn_cast<scf::ForOp>(placeOfMap(store));
  auto isKnown = [&](Value value) {
    return isOfArguments(value, kernel) && (!loop || loop.isDefinedOutsideOfLoop(value));
  };
  if (!block || !isKnown(block.getBase()) || !llvm::all_of(block.getSizes(), isKnown) ||
      !llvm::all_of(block.getStrides(), isKnown))
    return false;
  BufferType buffer = bufferFor(store);
  int64_t elementBytes = byteSize(buffer.getElementType());
  auto isWhole = [&](Value place) {
    return axes.get(place).dims[0].divisibility * elementBytes % kMaxCopyBytes == 0;
  };
  // Of pointers it is known from where they are found to be a block.
  if (!block.getOfPointers() && !isWhole(block.getOffsets().back()))
    return false;
  // Where a line of the tensor ends within 16 bytes, hardware writes all of these (an H100 does).
  AffineForms forms(axes);
  if (!isWhole(block.getSizes().back()) || !neverBeginsBefore(block, forms))
    return false;
  ArrayRef<int64_t> shape = block.getType().getShape();
  return planBulkCopy(buffer.getMap().toSharedLayout(), Shape(shape.begin(), shape.end()),
                      unsigned(8 * elementBytes))
      .has_value();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Erases what nobody uses any more of what made `values`.
static void eraseUnused(SmallVector<Value> values) {
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    // No operation twice.
    llvm::erase_if(values, [&](Value value) { return value.getDefiningOp() == op; });
    op->erase();
    llvm::append_range(values, operands);
  }
}

/// Before the next operation behind `op` that may want its shared memory; else at the end.
static Operation *placeOfWait(Operation *op) {
  Operation *place = op->getNextNode();
  auto needsMemory = [](Operation *inner) {
    return exchangesData(inner) || isa<AllocBufferOp, StoreOp>(inner) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
  };
  while (place && !place->hasTrait<OpTrait::IsTerminator>() &&
         !place->walk(needsMemory).wasInterrupted())
    place = place->getNextNode();
  return place;
}

namespace {

/// Has hardware make one store.
class BlockStorer {
public:
  BlockStorer(StoreOp store, llvm::DenseMap<Block *, Operation *> &waits)
      : store(store), block(blockOf(store)), place(placeOfMap(store)), isInLoop(place != store),
        waits(waits), buffer(bufferFor(store)), b(store), loc(store.getLoc()) {}

  void run();

private:
  /// Programs are in no order, so those of one CTA need not wait for each other's elements.
  Operation *wait(Value memory) {
    bool isOrdered = isInLoop && getPersistentCTAs(store->getParentOfType<func::FuncOp>()) == 0;
    return BulkStoreWaitOp::create(b, loc, memory, /*written=*/isOrdered);
  }
  MakeTensorMapsOp makeMap();
  SmallVector<Value> offsets();
  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }

  StoreOp store;
  BlockOp block;
  Operation *place;
  bool isInLoop;
  llvm::DenseMap<Block *, Operation *> &waits; // In loops: the last one before the first store.
  BufferType buffer;
  OpBuilder b;
  Location loc;
};

} // namespace

/// Sizes of maps are positive.
MakeTensorMapsOp BlockStorer::makeMap() {
  SmallVector<Value> sizes;
  for (Value size : block.getSizes())
    sizes.push_back(b.createOrFold<arith::MaxSIOp>(loc, size, integer(b.getI64Type(), 1)));
  auto type = TensorMapType::get(b.getContext(), block.getType().getShape(),
                                 buffer.getElementType(), buffer.getMap());
  Value scratch =
      AllocBufferOp::create(b, loc, MakeTensorMapsOp::scratchOf(b.getContext(), /*numMaps=*/1));
  return MakeTensorMapsOp::create(b, loc, MapPlaceType::get(b.getContext()), TypeRange(type),
                                  block.getBase(), sizes, block.getStrides(), scratch);
}

/// Where the block begins; of an empty tensor, where nothing is.
SmallVector<Value> BlockStorer::offsets() {
  Value zero = integer(b.getI64Type(), 0), isEmpty;
  for (Value size : block.getSizes()) {
    Value none = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, size, zero);
    isEmpty = isEmpty ? b.createOrFold<arith::OrIOp>(loc, isEmpty, none) : none;
  }
  SmallVector<Value> offsets(block.getOffsets());
  offsets.front() = b.createOrFold<arith::SelectOp>(loc, isEmpty, integer(b.getI32Type(), kOutside),
                                                    offsets.front());
  return offsets;
}

/// In a loop the threads wait where they need the first of its buffers again. By then the elements
/// have come to memory, so that the next iteration's stores come behind this one's.
void BlockStorer::run() {
  b.setInsertionPoint(place);
  MakeTensorMapsOp made = makeMap();
  Value memory = AllocBufferOp::create(b, loc, buffer);
  if (isInLoop) {
    Operation *&last = waits[store->getBlock()];
    if (last)
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPoint(store);
    last = wait(memory);
  }
  b.setInsertionPoint(store);
  BufferStoreOp::create(b, loc, exchangeFor(store).getSrc(), memory);
  BulkStoreOp::create(b, loc, memory, made.getMaps().front(), offsets());
  if (Operation *next = isInLoop ? place->getNextNode() : placeOfWait(store))
    b.setInsertionPoint(next);
  else
    b.setInsertionPointToEnd(place->getBlock());
  wait(memory);
  ReleaseTensorMapsOp::create(b, loc, made.getPlace());
  SmallVector<Value> operands(store->getOperands());
  store.erase();
  eraseUnused(operands);
}

namespace {

struct StoreBlocks : tilec::tile::impl::TileStoreBlocksBase<StoreBlocks> {
  using TileStoreBlocksBase::TileStoreBlocksBase;

  void runOnOperation() override {
    SmallVector<StoreOp> chosen = choose();
    llvm::DenseMap<Block *, Operation *> waits;
    for (StoreOp store : chosen) {
      if (remarks)
        store.emitRemark() << "hardware stores this tile as a block";
      BlockStorer(store, waits).run();
    }
    numStored += chosen.size();
    // From here on stores are those of threads, and iterations follow each other.
    getOperation().walk([](scf::ForOp loop) { loop->removeAttr(kFlattenAttr); });
    getOperation().walk([](StoreOp store) {
      SmallVector<Value> block(store.getBlock() ? 1 : 0, store.getBlock());
      store.getBlockMutable().clear();
      eraseUnused(block);
    });
  }

private:
  SmallVector<StoreOp> choose() {
    func::FuncOp kernel = getOperation();
    SmallVector<StoreOp> stores, chosen;
    // What programs without products do with a tile is mostly to move it.
    if (!kernel->hasAttr(kKernelAttr) || !launcherMakesMaps(kernel) ||
        !getTarget(kernel).has(tilec::GpuFeature::TensorMaps) ||
        getLaunchShape(kernel).numCTAs > 1 ||
        !isEnabled(kernel, tilec::GpuHeuristic::StoreBlocks) || !hasProducts(kernel))
      return chosen;
    kernel.walk([&](StoreOp store) {
      if (isWorthIt(store))
        stores.push_back(store);
    });
    if (stores.empty())
      return chosen;
    describeBlocks(stores);
    AxisInfoAnalysis axes(kernel);
    for (StoreOp store : stores)
      if (store.getBlock() && isMappable(store, axes) && hasRoom(store, chosen))
        chosen.push_back(store);
    dropUnordered(chosen, ProgramOrder(kernel, axes));
    return chosen;
  }

  void describeBlocks(ArrayRef<StoreOp> stores) {
    AxisInfoAnalysis axes(getOperation());
    for (StoreOp store : stores)
      if (!store.getBlock())
        describeBlock(store, dyn_cast<scf::ForOp>(placeOfMap(store)), axes);
  }

  /// Those that are left may need each other.
  void dropUnordered(SmallVectorImpl<StoreOp> &chosen, ProgramOrder order) {
    auto isUnordered = [&](StoreOp store) { return !order.allowsDelay(store, chosen); };
    for (auto *it = llvm::find_if(chosen, isUnordered); it != chosen.end();
         it = llvm::find_if(chosen, isUnordered)) {
      if (remarks)
        it->emitRemark() << "threads store this tile, since other accesses of the program may need "
                            "to come before or behind it";
      chosen.erase(it);
    }
  }
};

} // namespace
