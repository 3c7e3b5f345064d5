//===- LoadPipeliner.cpp - loads of a loop into slots ----------*- C++ -*-===//
//
// Which loads of a loop can go ahead, and what slots take. LoadPipelinerRewrite.cpp has the loop
// that uses them.
//
//===----------------------------------------------------------------------===//

#include "LoadPipeliner.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Layout/MatrixAccess.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// What barriers where blocks land take, with the most slots.
static constexpr int64_t kBytesOfLanded = AllocMBarrierOp::kBytes * (tilec::kMaxStages + 1);

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// The casts, one after the other, that are all that is done with `value`: they can be made in any
/// layout.
static SmallVector<Operation *, 2> castsOf(Value value) {
  SmallVector<Operation *, 2> casts;
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!user->hasTrait<OpTrait::Elementwise>() || user->getNumOperands() != 1 ||
        user->getNumResults() != 1)
      break;
    casts.push_back(user);
    value = user->getResult(0);
  }
  return casts;
}

/// Whether casts that end in `last` are cheap behind a slot: made for one layout, in which at most
/// two warps need each element.
static bool areCheapIn(Value last) {
  if (!last.hasOneUse())
    return false;
  auto conversion = dyn_cast<ConvertLayoutOp>(*last.user_begin());
  if (!conversion)
    return false;
  RankedTensorType type = conversion.getType();
  LinearLayout layout = getLayout(type).toLinearLayout(type.getShape());
  return llvm::popcount(layout.freeBits(InDim::Warp)) < 2;
}

/// Whether a thread would start more copies than pay off: narrow ones of what other threads copy
/// for themselves, too.
static bool makesManyCopies(LoadOp load, int64_t bytesOfCopy) {
  auto type = cast<RankedTensorType>(load.getType());
  tilec::GpuArch target = getTarget(load);
  return bytesOfCopy < tilec::kMaxAccessBytes &&
         bytesOfThread(load.getType()) > target.tuning().loads.mostNarrowCopies * bytesOfCopy &&
         getLayout(type).toLinearLayout(type.getShape()).hasReplication();
}

/// Adds to the load's slice what its copies need to know. Fails if that is not known ahead.
bool LoadPipeliner::addSlice(AheadLoad &ahead) {
  auto loads = LoopSlices::Loads::None;
  auto add = [&](Value value) { return slices.add(value, ahead.slice, loads); };
  auto addAll = [&] {
    return add(ahead.load.getPtr()) && (!ahead.load.getMask() || add(ahead.load.getMask()));
  };
  if (ahead.block && numBulk() < MakeTensorMapsOp::kMostMaps &&
      llvm::all_of(ahead.block.getOffsets(), add))
    return true;
  ahead.block = {};
  if (ahead.width * byteSize(elementOf(ahead.load.getType())) < kLeastCopyBytes)
    return false;
  if (addAll())
    return true;
  loads = LoopSlices::Loads::Any;
  return addAll() && addIndices(ahead);
}

/// What is copied of the load, and how.
AheadLoad LoadPipeliner::describe(LoadOp load, bool isOfProduct) {
  AheadLoad ahead;
  ahead.load = load;
  ahead.width = axes.getRegisterWidth(load.getPtr(), load.getMask());
  // Anything but zeros is put in by the threads that know the mask. A slot that other threads read
  // has what its CTA copies.
  if (isOfProduct && load.mayFillWithZeros() &&
      isWholeInCTA(cast<RankedTensorType>(load.getType()))) {
    ahead.casts = castsOf(load.getResult());
    ahead.isMatrix = llvm::any_of(ahead.last().getUsers(),
                                  [](Operation *user) { return isa<ConvertLayoutOp>(user); });
    if (!ahead.casts.empty() && !areCheapIn(ahead.last()))
      ahead.isMatrix = false;
  }
  ahead.block = mappedBlock(ahead);
  return ahead;
}

/// Has hardware copy all blocks that are of pointers, or none: to wait for copies by threads as
/// well costs more than it saves. Small tiles do not count.
void LoadPipeliner::copyAllOrNone(MutableArrayRef<AheadLoad> found) {
  int64_t shareOfSmall = getTarget(loop).tuning().products.shareOfSmall;
  int64_t bytes = 0, numBlocks = 0;
  for (AheadLoad &ahead : found) {
    bytes += bytesOfTile(ahead.load.getType());
    numBlocks += ahead.block != nullptr;
  }
  bool isAll =
      numBlocks <= MakeTensorMapsOp::kMostMaps && llvm::all_of(found, [&](AheadLoad &ahead) {
        return ahead.block || bytesOfTile(ahead.load.getType()) * shareOfSmall <= bytes;
      });
  for (AheadLoad &ahead : found)
    if (!isAll && ahead.block && ahead.block.getOfPointers())
      ahead.block = {};
}

bool LoadPipeliner::collect(bool onlyFactors) {
  bool waitsAnyway = false;
  int64_t bytesCopied = 0; // In their iteration.
  SmallVector<AheadLoad, 4> found;
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !load.isPlain())
      continue;
    bool isOfProduct = type.getRank() > 1 && isFactor(load.getResult());
    if (!onlyFactors || isOfProduct)
      found.push_back(describe(load, isOfProduct));
    else if (isLine(load))
      lines.push_back(load);
  }
  copyAllOrNone(found);
  for (AheadLoad &ahead : found) {
    int64_t bytesOfCopy = ahead.width * byteSize(elementOf(ahead.load.getType()));
    if (!ahead.block && onlyFactors && bytesOfCopy >= kLeastCopyBytes &&
        makesManyCopies(ahead.load, bytesOfCopy))
      waitsAnyway = true;
    else if (addSlice(ahead))
      loads.push_back(std::move(ahead));
    else if (onlyFactors && ahead.isMatrix && bytesOfCopy >= kMaxAccessBytes)
      bytesCopied += bytesOfTile(ahead.load.getType());
  }
  // What only says where others are needs no slot.
  auto isIndex = [&](LoadOp load) {
    return llvm::any_of(indices, [&](IndexLoad &index) { return index.load == load; });
  };
  llvm::erase_if(loads, [&](const AheadLoad &ahead) { return isIndex(ahead.load); });
  llvm::erase_if(lines, isIndex);
  // What is combined with a load that stays gains nothing by going ahead of it. Nor does a small
  // factor beside larger ones that could be copies: where none goes ahead, all are
  // (tile-copy-loads).
  int64_t bytesAhead = 0;
  for (AheadLoad &ahead : loads)
    bytesAhead += bytesOfTile(ahead.load.getType());
  if (bytesCopied > bytesAhead)
    loads.clear();
  else if (waitsAnyway)
    llvm::erase_if(loads, [](const AheadLoad &ahead) { return !ahead.isMatrix; });
  if (sharesElements() && slices.stepped().empty() && indices.empty())
    around = FlattenedLoop::around(loop);
  return !loads.empty();
}

BufferType LoadPipeliner::bufferType(AheadLoad &ahead, int64_t numSlots) {
  auto tile = cast<RankedTensorType>(ahead.load.getType());
  LinearLayout layout = getLayout(tile).toLinearLayout(tile.getShape());
  Type element = tile.getElementType();
  SharedLayout map = placeByThread(layout, unsigned(ahead.width));
  if (tile.getRank() == 1 && ahead.isMatrix) {
    map = SharedLayout::rowMajor(layout.shape());
  } else if (ahead.isMatrix) {
    unsigned inner = ahead.block ? layout.rank() - 1 : innerAxis(layout);
    map = placeForMatrices(layout.shape(), inner, unsigned(8 * byteSize(element)));
  }
  return BufferType::get(loop.getContext(), tile.getShape(), element,
                         SharedAttr::get(loop.getContext(), map), /*rounds=*/1, numSlots);
}

SmallVector<Type> LoadPipeliner::slotTypes() {
  SmallVector<Type> types;
  for (AheadLoad &ahead : loads)
    types.push_back(bufferType(ahead, /*numSlots=*/1));
  return types;
}

int64_t LoadPipeliner::slotBytes() {
  int64_t bytes = 0;
  for (AheadLoad &ahead : loads)
    bytes += bufferType(ahead, /*numSlots=*/1).getSlotBytes();
  return bytes;
}

int64_t LoadPipeliner::distinctBytes() {
  int64_t bytes = 0;
  for (AheadLoad &ahead : loads) {
    auto tile = cast<RankedTensorType>(ahead.load.getType());
    int64_t elements = tile.getNumElements();
    for (auto [dim, size] : llvm::zip_equal(axes.get(ahead.load.getPtr()).dims, tile.getShape()))
      elements /= std::clamp<int64_t>(dim.constancy, 1, size);
    bytes += elements * byteSize(tile.getElementType());
  }
  return bytes;
}

/// What is exchanged before and after the loop may use the slots of factors, unless these are in
/// use there, too. Exchanges in the loop are not known in detail yet: where there are any, they get
/// the default size.
int64_t LoadPipeliner::otherBytes() {
  int64_t outside = around ? around->exchangedBytes(loop) : 0;
  bool isExact = exchangedBytes() == 0 &&
                 llvm::all_of(loads, [](const AheadLoad &ahead) { return ahead.isMatrix; });
  return outside + (isExact ? fixedBytes() : getTarget(loop).defaultSharedPerBlock());
}

int64_t LoadPipeliner::leastOtherBytes() {
  return fixedBytes() + std::max(exchangedBytes(), around ? around->exchangedBytes(loop) : 0);
}

/// Whether reading a slot takes the place of `op`.
bool LoadPipeliner::readsSlot(Operation *op) {
  return isa<ConvertLayoutOp>(op) && llvm::any_of(loads, [&](AheadLoad &ahead) {
           return ahead.isMatrix && ahead.last() == op->getOperand(0);
         });
}

/// Of the largest exchange in the loop.
int64_t LoadPipeliner::exchangedBytes() {
  int64_t bytes = 0;
  loop.walk([&](Operation *op) {
    if (!readsSlot(op))
      bytes = std::max(bytes, bytesOfExchange(op));
  });
  return bytes;
}

/// In the loop, products read the slots, and factors from outside may lie in buffers of their own.
int64_t LoadPipeliner::fixedBytes() {
  // Slots and factors are aligned; where their sizes are, too, nothing lies between them.
  int64_t bytes = slotBytes() % kGroupBufferAlignment == 0 ? 0 : kGroupBufferAlignment;
  if (numBulk() != 0)
    bytes +=
        kBytesOfLanded + MakeTensorMapsOp::scratchOf(builder.getContext(), numBulk()).getBytes();
  loop.walk([&](DotOp dot) {
    for (Value factor : {dot.getLhs(), dot.getRhs()})
      if (loop.isDefinedOutsideOfLoop(factor)) {
        auto type = cast<RankedTensorType>(factor.getType());
        bytes += int64_t(llvm::alignTo(byteSize(type.getElementType()) * type.getNumElements(),
                                       kGroupBufferAlignment));
      }
  });
  return bytes;
}

/// The load that brings the factor of a product to slots, from where it is read; null if it is
/// another value.
AheadLoad *LoadPipeliner::sourceOf(Value factor) {
  while (auto permute = factor.getDefiningOp<PermuteOp>())
    factor = permute.getSrc();
  if (auto conversion = factor.getDefiningOp<ConvertLayoutOp>())
    factor = conversion.getSrc();
  auto *found = llvm::find_if(
      loads, [&](AheadLoad &ahead) { return ahead.isMatrix && ahead.last() == factor; });
  return found == loads.end() ? nullptr : found;
}

/// Whether the right factor stays as it is until the next iteration: one that is computed in the
/// loop goes through one buffer, where it is written again.
bool LoadPipeliner::keepsRight(DotOp dot) {
  return loop.isDefinedOutsideOfLoop(dot.getRhs()) || sourceOf(dot.getRhs());
}

bool LoadPipeliner::computesLeft(DotOp dot) {
  if (dot.getRowsTogether() != 1)
    return true;
  const AheadLoad *source = sourceOf(dot.getLhs());
  return !loop.isDefinedOutsideOfLoop(dot.getLhs()) && (!source || !source->casts.empty());
}

bool LoadPipeliner::isReadInSlot(Value factor, bool isLeft) {
  AheadLoad *source = sourceOf(factor);
  if (!source || !source->casts.empty())
    return false;
  unsigned depthAxis = isLeft ? 1 : 0;
  for (auto permute = factor.getDefiningOp<PermuteOp>(); permute;
       permute = permute.getSrc().getDefiningOp<PermuteOp>())
    if (permute.getOrder() == ArrayRef<int32_t>{1, 0})
      depthAxis = 1 - depthAxis;
  constexpr int64_t leastColumns = 8;
  BufferType type = bufferType(*source, /*numSlots=*/2);
  return planGroupFactor(type.getMap().toSharedLayout(), Shape(type.getShape()), depthAxis,
                         isLeft ? kGroupRows : leastColumns,
                         unsigned(8 * byteSize(type.getElementType())))
      .has_value();
}

bool LoadPipeliner::onlyMultiplies() {
  auto dots = loop.getBody()->getOps<DotOp>();
  auto isMultiplied = [](AheadLoad &ahead) {
    return llvm::all_of(ahead.load->getUsers(), llvm::IsaPred<DotOp, PermuteOp, ConvertLayoutOp>);
  };
  return !dots.empty() && loop.getBody()->getOps<ReduceOp>().empty() &&
         llvm::all_of(loads, isMultiplied) && llvm::all_of(dots, [&](DotOp dot) {
           return isReadInSlot(dot.getLhs(), true) && isReadInSlot(dot.getRhs(), false);
         });
}

DotOp LoadPipeliner::lastInFlight() {
  // Slots that are private to threads are read by these, never by a product.
  if (!sharesElements())
    return {};
  func::FuncOp function = loop->getParentOfType<func::FuncOp>();
  DotOp last;
  bool isAnyCarried = false, isAnyKept = false, isAnyWaited = false;
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    if (!fitsWarpGroups(dot, getLaunchShape(function), getTarget(function)))
      continue;
    bool isCarried = loopThatCarries(dot.getResult()) != nullptr;
    isAnyCarried |= isCarried;
    isAnyKept |= isCarried && keepsRight(dot);
    isAnyWaited |= !isCarried;
    // A product that is waited for at once waits for those of the iteration before, too.
    if (!last || loopThatCarries(last.getResult()))
      last = dot;
  }
  // Where products wait for each other in each iteration, a slot more than stages only takes
  // memory. One product alone gains some percent by it, even if it is waited for.
  return isAnyCarried && (isAnyKept || !isAnyWaited) ? last : DotOp();
}

bool LoadPipeliner::sharesElements() {
  return llvm::any_of(loads, [](AheadLoad &ahead) {
    auto tile = cast<RankedTensorType>(ahead.load.getType());
    LinearLayout layout = getLayout(tile).toLinearLayout(tile.getShape());
    return ahead.isMatrix || layout.freeBits(InDim::Lane) != 0 || layout.freeBits(InDim::Warp) != 0;
  });
}
