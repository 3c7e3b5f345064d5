//===- ExpandExchanges.cpp - exchanges become stores and loads -*- C++ -*-===//
//
// The pass `tile-expand-exchanges`. What has to leave a warp goes through a buffer: one
// distribution of the tile is stored, another is loaded. Where a tile is larger than a buffer may
// be, it goes in rounds. Barriers follow from what is stored and loaded; tile-insert-barriers
// places them.
//
// An element of the buffer belongs to the CTA that stores it. Where the CTAs of a cluster need what
// others have, each writes what it holds into the buffers of all, so that each has the whole tile
// and the rest is as in one CTA. Of reductions and histograms only the parts of CTAs move.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ExpandExchanges.h"
#include "LayoutRelations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/Swizzle.h"
#include "tilec/Layout/Transforms.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace tilec::tile {
#define GEN_PASS_DEF_TILEEXPANDEXCHANGES
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::GpuFeature;

LinearLayout tilec::tile::layoutOf(Value tileValue) {
  auto type = cast<RankedTensorType>(tileValue.getType());
  return getLayout(type).toLinearLayout(type.getShape());
}

RankedTensorType tilec::tile::tileTypeOf(Type element, const LinearLayout &layout) {
  return RankedTensorType::get(layout.shape(), element,
                               LayoutAttr::get(element.getContext(), layout));
}

/// The outermost loop that `user` of `buffer` is in and the buffer is not; null if there is none.
static Operation *loopAround(Operation *user, AllocBufferOp buffer) {
  Operation *outermost = nullptr;
  for (Operation *op = user->getParentOp(); !op->isAncestor(buffer); op = op->getParentOp())
    if (isa<scf::ForOp>(op))
      outermost = op;
  return outermost;
}

SlotBytes tilec::tile::slotBytes(Operation *op) {
  SlotBytes result;
  llvm::DenseMap<Operation *, int64_t> bytes;
  auto kernel =
      isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  kernel.walk([&](AllocBufferOp buffer) {
    // Hardware may still read what it stores when the loop's next iteration begins.
    bool isStored = llvm::any_of(buffer->getUsers(), llvm::IsaPred<BulkStoreOp>);
    if (buffer.getType().getSlots() < 2 && !isStored) {
      if (llvm::any_of(buffer->getUsers(), llvm::IsaPred<GroupDotOp>))
        result.around += buffer.getType().getBytes();
      return;
    }
    for (Operation *user : buffer->getUsers()) {
      Operation *loop = loopAround(user, buffer);
      // Of warps that only copy it is not the loop whose end frees the slots.
      if (!loop || (isa<SlotCopyOpInterface>(user) && getWarpRole(user->getParentRegion())))
        continue;
      if (loop->isAncestor(op))
        result.around += buffer.getType().getBytes();
      else
        bytes[loop] += buffer.getType().getBytes();
      return;
    }
  });
  for (auto [loop, ofLoop] : bytes)
    result.elsewhere = std::max(result.elsewhere, ofLoop);
  return result;
}

int64_t tilec::tile::sharedBeside(Operation *around) {
  constexpr int64_t ofObjects = 2048; // And what alignment takes.
  return int64_t(getTarget(around).maxSharedPerBlock()) - slotBytes(around).around - ofObjects;
}

int64_t tilec::tile::roundsFor(int64_t bytes, Operation *around, bool isAlone) {
  int64_t limit = tilec::kStaticSharedLimit, rounds = 1;
  if (bytes > limit) {
    SlotBytes slots = slotBytes(around);
    limit = std::max(limit, slots.elsewhere);
    if (isAlone)
      limit = std::max(limit, getTarget(around).sharedForCopies() - slots.around);
  }
  while (bytes / rounds > limit)
    rounds *= 2;
  return rounds;
}

/// The type of a buffer of which `rounds` take turns.
static BufferType bufferType(ArrayRef<int64_t> shape, Type element, const SharedLayout &map,
                             int64_t rounds) {
  MLIRContext *context = element.getContext();
  return BufferType::get(context, shape, element, SharedAttr::get(context, map), rounds,
                         /*slots=*/1);
}

Value tilec::tile::makeBuffer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                              Type element, const SharedLayout &map) {
  int64_t rounds = roundsFor(int64_t(map.numElements()) * byteSize(element),
                             builder.getInsertionBlock()->getParentOp(), /*isAlone=*/false);
  return AllocBufferOp::create(builder, loc, bufferType(shape, element, map, rounds));
}

BufferStoreOp tilec::tile::storeInto(OpBuilder &builder, Location loc, Value value, Value buffer,
                                     uint32_t round, ArrayRef<int32_t> peers) {
  return BufferStoreOp::create(builder, loc, value, buffer, round, peers,
                               /*axis=*/IntegerAttr(), /*index=*/IntegerAttr());
}

SmallVector<Value> tilec::tile::throughBuffers(OpBuilder &builder, Location loc,
                                               ArrayRef<Value> values, ArrayRef<Value> buffers,
                                               const LinearLayout &wanted,
                                               const ExchangeOptions &options) {
  int64_t rounds = 1;
  for (Value buffer : buffers)
    rounds = std::max(rounds, cast<BufferType>(buffer.getType()).getRounds());
  SmallVector<Value> loaded(values.size());
  for (int64_t round = 0; round < rounds; ++round) {
    auto takesPart = [&](Value buffer) {
      return round < cast<BufferType>(buffer.getType()).getRounds();
    };
    for (auto [value, buffer] : llvm::zip_equal(values, buffers))
      if (takesPart(buffer))
        BufferStoreOp::create(builder, loc, value, buffer, round, options.peers, options.axis,
                              options.index);
    for (auto [value, buffer, result] : llvm::zip_equal(values, buffers, loaded))
      if (takesPart(buffer))
        result = BufferLoadOp::create(
            builder, loc, tileTypeOf(elementOf(value.getType()), wanted), buffer,
            /*slot=*/Value(), /*mask=*/Value(), result, round, options.reversed);
  }
  return loaded;
}

SharedLayout tilec::tile::placeParts(const LinearLayout &writer, unsigned axis,
                                     const LinearLayout &result) {
  bool isByPart = result.rank() && result.contiguousRegisters(result.rank() - 1) > 1;
  std::vector<unsigned> order;
  for (bool takesParts : {!isByPart, isByPart})
    for (unsigned bit = 0; bit < writer.tileBits(); ++bit)
      if (((writer.axisMask(axis) >> bit & 1) != 0) == takesParts)
        order.push_back(bit);
  return placeInOrder(writer, order);
}

static bool sharesAxis(Value tile, unsigned axis) {
  LinearLayout layout = layoutOf(tile);
  return llvm::any_of(layout.flatBases(InDim::Block),
                      [&](uint64_t basis) { return (basis & layout.axisMask(axis)) != 0; });
}

static SmallVector<int32_t> bitsOf(uint32_t mask) {
  SmallVector<int32_t> bits;
  for (; mask != 0; mask &= mask - 1)
    bits.push_back(int32_t(mask & -mask));
  return bits;
}

SmallVector<int32_t> tilec::tile::holdersOf(const LinearLayout &layout) {
  uint32_t all = (uint32_t(1) << layout.numBases(InDim::Block)) - 1;
  return bitsOf(all & ~layout.freeBits(InDim::Block));
}

static bool isCluster(Operation *op) {
  return getLaunchShape(op->getParentOfType<func::FuncOp>()).numCTAs > 1;
}

BufferType tilec::tile::wholeBufferType(Operation *around, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  int64_t rounds = roundsFor(type.getNumElements() * byteSize(element), around, /*isAlone=*/true);
  return bufferType(type.getShape(), element, SharedLayout::rowMajor(type.getShape()), rounds);
}

//===----------------------------------------------------------------------===//
// Each element comes from one place
//===----------------------------------------------------------------------===//

/// The buffer through which `value` is loaded as `wanted` best, for an exchange in the region of
/// `around`.
static BufferType typeForConversion(Operation *around, Value value, const LinearLayout &wanted) {
  LinearLayout source = layoutOf(value);
  Type element = elementOf(value.getType());
  std::string error;
  std::optional<SharedPlan> plan = chooseSwizzle(source, wanted, 8 * byteSize(element), error);
  assert(plan && "layouts of one shape and one kernel can be exchanged");
  unsigned elementBits = unsigned(8 * byteSize(element));
  int64_t bytes = int64_t(plan->layout.numElements()) * byteSize(element);
  int64_t rounds = roundsFor(bytes, around, /*isAlone=*/true);
  SharedLayout map = plan->layout;
  // Warps access whole matrices, so all of them in one round.
  if (rounds == 1)
    if (std::optional<SharedLayout> placed = placeForMatrixAccess(
            source, wanted, *plan, elementBits, getTarget(around).has(GpuFeature::MatrixStore)))
      map = std::move(*placed);
  return BufferType::get(value.getContext(), source.shape(), element,
                         SharedAttr::get(value.getContext(), map), rounds, /*slots=*/1);
}

Value tilec::tile::makeConversionBuffer(OpBuilder &builder, Location loc, Value value,
                                        const LinearLayout &wanted) {
  Operation *around = builder.getInsertionBlock()->getParentOp();
  return AllocBufferOp::create(builder, loc, typeForConversion(around, value, wanted));
}

/// `value` in another layout.
static Value exchanged(OpBuilder &builder, Location loc, Value value, const LinearLayout &wanted,
                       bool crossesCTAs, ExchangeOptions options = {}) {
  if (!crossesCTAs)
    return throughBuffers(builder, loc, value, makeConversionBuffer(builder, loc, value, wanted),
                          wanted, options)[0];
  SmallVector<int32_t> peers = holdersOf(layoutOf(value));
  options.peers = peers;
  Value buffer = AllocBufferOp::create(
      builder, loc, wholeBufferType(builder.getInsertionBlock()->getParentOp(), value));
  return throughBuffers(builder, loc, value, buffer, wanted, options)[0];
}

//===----------------------------------------------------------------------===//
// Conversions of one tile
//===----------------------------------------------------------------------===//

namespace {

/// A conversion as one of the tile that it sees, perhaps with its axes in another order.
struct SeenTile {
  explicit SeenTile(ConvertLayoutOp op);

  /// Loads the tile from `buffer`, and orders its axes.
  Value loadFrom(Value buffer, RewriterBase &rewriter) const;

  ConvertLayoutOp op;
  Value tile;
  LinearLayout wanted;           ///< The layout in which the tile is loaded.
  SmallVector<PermuteOp> orders; ///< From the conversion to the tile.
};

} // namespace

SeenTile::SeenTile(ConvertLayoutOp op)
    : op(op), tile(op.getSrc()), wanted(layoutOf(op.getResult())) {
  while (auto order = tile.getDefiningOp<PermuteOp>()) {
    tile = order.getSrc();
    wanted = operandLayout(order, 0, LayoutAttr::get(op.getContext(), wanted))
                 .toLinearLayout(cast<RankedTensorType>(tile.getType()).getShape());
    orders.push_back(order);
  }
}

Value SeenTile::loadFrom(Value buffer, RewriterBase &rewriter) const {
  Value loaded = BufferLoadOp::create(rewriter, buffer.getLoc(),
                                      tileTypeOf(elementOf(tile.getType()), wanted), buffer,
                                      /*slot=*/Value());
  for (PermuteOp order : llvm::reverse(orders)) {
    LinearLayout layout = shapedLayout(order, layoutOf(loaded));
    Operation *again = rewriter.clone(*order);
    again->setOperand(0, loaded);
    loaded = again->getResult(0);
    loaded.setType(tileTypeOf(elementOf(loaded.getType()), layout));
  }
  return loaded;
}

/// What to store `tile` in a buffer of this type, or to load it as `wanted`, costs.
static uint64_t costOf(Value tile, BufferType type, const LinearLayout *wanted = nullptr) {
  unsigned bits = 8 * byteSize(type.getElementType());
  bool canStore = getTarget(tile.getParentRegion()->getParentOp()).has(GpuFeature::MatrixStore);
  return leastCost(wanted ? *wanted : layoutOf(tile), type.getMap().toSharedLayout(), bits,
                   /*isStore=*/!wanted, wanted ? bits < 32 : canStore);
}

/// Whether a tile that goes through one buffer in one round does not cost more to load from
/// `stored` than to store once more in `best`, and to load from there.
static bool isReadAsWell(const SeenTile &seen, BufferType stored, BufferType best) {
  if (best.getRounds() != 1 || stored == best)
    return stored == best;
  return costOf(seen.tile, stored, &seen.wanted) <=
         costOf(seen.tile, best, &seen.wanted) + costOf(seen.tile, best);
}

/// What stores `tile` as a whole before `op` in its block, and is the only one to write there; null
/// if there is nothing.
static BufferStoreOp earlierStore(Value tile, Operation *op) {
  for (Operation *user : tile.getUsers()) {
    auto store = dyn_cast<BufferStoreOp>(user);
    if (!store || store->getBlock() != op->getBlock() || !store->isBeforeInBlock(op))
      continue;
    BufferType type = store.getBuffer().getType();
    bool isWhole = type.getRounds() == 1 && type.getSlots() == 1 && !store.getAxis() &&
                   type.getShape() == cast<RankedTensorType>(tile.getType()).getShape() &&
                   store.getPeers().empty();
    if (isWhole && llvm::all_of(store.getBuffer().getUsers(), [&](Operation *other) {
          return other == store || isa<BufferLoadOp, GroupDotOp, BulkStoreOp>(other);
        }))
      return store;
  }
  return {};
}

/// `first`, and the conversions through buffers that see its tile behind it in its block.
static SmallVector<SeenTile> conversionsFrom(const SeenTile &first) {
  SmallVector<SeenTile> all = {first};
  Operation *begin = first.op;
  SmallVector<Value> open = {first.tile};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (auto order = dyn_cast<PermuteOp>(user))
        open.push_back(order.getResult());
      auto op = dyn_cast<ConvertLayoutOp>(user);
      if (op && op != begin && op->getBlock() == begin->getBlock() && begin->isBeforeInBlock(op) &&
          exchangesData(op) &&
          !conversionCrossesBlocks(layoutOf(op.getSrc()), layoutOf(op.getResult())))
        all.emplace_back(op);
    }
  return all;
}

/// The buffer that serves the first of several conversions of a tile and most of the others; null
/// if each is better stored alone.
static BufferType typeForAll(ArrayRef<SeenTile> all) {
  auto best = llvm::map_to_vector(all, [](const SeenTile &seen) {
    Operation *op = seen.op;
    return typeForConversion(op->getParentOp(), seen.tile, seen.wanted);
  });
  BufferType chosen;
  ptrdiff_t most = 1;
  for (BufferType type : best) {
    auto suits = [&](auto pair) {
      return isReadAsWell(std::get<0>(pair), type, std::get<1>(pair));
    };
    if (type.getRounds() != 1 || !isReadAsWell(all.front(), type, best.front()))
      continue;
    ptrdiff_t count = llvm::count_if(llvm::zip_equal(all, best), suits);
    if (count > most) {
      most = count;
      chosen = type;
    }
  }
  return chosen;
}

/// A tile that is converted several times is stored once, where that suits all loads.
static void expandConversion(ConvertLayoutOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  LinearLayout result = layoutOf(op.getResult());
  if (conversionCrossesBlocks(layoutOf(op.getSrc()), result))
    return rewriter.replaceOp(op,
                              exchanged(rewriter, loc, op.getSrc(), result, /*crossesCTAs=*/true));
  SeenTile seen(op);
  if (BufferStoreOp store = earlierStore(seen.tile, op)) {
    BufferType best = typeForConversion(op->getParentOp(), seen.tile, seen.wanted);
    if (isReadAsWell(seen, store.getBuffer().getType(), best))
      return rewriter.replaceOp(op, seen.loadFrom(store.getBuffer(), rewriter));
  }
  SmallVector<SeenTile> all = conversionsFrom(seen);
  if (BufferType shared = all.size() == 1 ? BufferType() : typeForAll(all)) {
    Value buffer = AllocBufferOp::create(rewriter, loc, shared);
    storeInto(rewriter, loc, seen.tile, buffer);
    return rewriter.replaceOp(op, seen.loadFrom(buffer, rewriter));
  }
  rewriter.replaceOp(op, exchanged(rewriter, loc, op.getSrc(), result, /*crossesCTAs=*/false));
}

/// `value` in another layout, at once or by an operation that needs no buffer.
static Value converted(RewriterBase &rewriter, Location loc, Value value, Type type) {
  auto convert = ConvertLayoutOp::create(rewriter, loc, type, value);
  if (!exchangesData(convert))
    return convert;
  LinearLayout wanted = layoutOf(convert.getResult());
  Value result =
      exchanged(rewriter, loc, value, wanted, conversionCrossesBlocks(layoutOf(value), wanted));
  rewriter.eraseOp(convert);
  return result;
}

static void expandFlip(FlipOp op, RewriterBase &rewriter) {
  ExchangeOptions options;
  options.reversed = rewriter.getI32IntegerAttr(op.getAxis());
  rewriter.replaceOp(op, exchanged(rewriter, op.getLoc(), op.getSrc(), layoutOf(op.getSrc()),
                                   sharesAxis(op.getSrc(), op.getAxis()), options));
}

//===----------------------------------------------------------------------===//
// Elements made of several
//===----------------------------------------------------------------------===//

/// Counts into a buffer that `map` places, and loads the counts as `type`.
static Value countInto(RewriterBase &rewriter, HistogramOp op, Value mask, RankedTensorType type,
                       SharedAttr map) {
  auto buffer =
      AllocBufferOp::create(rewriter, op.getLoc(),
                            BufferType::get(op.getContext(), type.getShape(), type.getElementType(),
                                            map, /*rounds=*/1, /*slots=*/1));
  Value zeros = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
  storeInto(rewriter, op.getLoc(), zeros, buffer);
  BufferCountOp::create(rewriter, op.getLoc(), op.getSrc(), buffer, mask);
  return BufferLoadOp::create(rewriter, op.getLoc(), type, buffer, /*slot=*/Value());
}

/// The counts of all CTAs, one after the other: each CTA holds its own.
static LinearLayout countsOfCTAs(int64_t bins, LaunchShape launch) {
  LinearLayout::FlatBasisLists bases;
  int64_t next = 1;
  auto take = [&](InDim dim, unsigned count) {
    for (unsigned i = 0; i < count; ++i, next *= 2)
      bases[unsigned(dim)].push_back(next < bins ? next : 0);
  };
  take(InDim::Lane, llvm::Log2_64(tilec::kWarpSize));
  take(InDim::Warp, llvm::Log2_64(launch.numWarps));
  for (; next < bins; next *= 2)
    bases[unsigned(InDim::Register)].push_back(next);
  for (int64_t rank = 1; rank < launch.numCTAs; rank *= 2)
    bases[unsigned(InDim::Block)].push_back(rank * bins);
  std::string error;
  return *LinearLayout::createFlat({launch.numCTAs * bins}, std::move(bases), error);
}

/// Each CTA counts what it holds, and the counts are added up.
static void expandSharedHistogram(HistogramOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t bins = type.getDimSize(0);
  LaunchShape launch = getLaunchShapeAt(op);
  LinearLayout layout = countsOfCTAs(bins, launch);
  // The buffer has room for the bins of one CTA; values beyond would be counted there.
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  unsigned width = source.getElementTypeBitWidth();
  Value mask = op.getMask();
  if (width > llvm::Log2_64(bins)) {
    auto most = SplatElementsAttr::get(source, APInt(width, bins - 1));
    Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, op.getSrc(),
                                         arith::ConstantOp::create(rewriter, loc, most));
    mask = mask ? arith::AndIOp::create(rewriter, loc, mask, inside).getResult() : inside;
  }
  SmallVector<int32_t> offsets;
  for (int64_t bit = 1; bit < bins; bit *= 2)
    offsets.push_back(int32_t(bit));
  offsets.append(llvm::Log2_64(launch.numCTAs), 0);
  Value counts = countInto(rewriter, op, mask, tileTypeOf(type.getElementType(), layout),
                           SharedAttr::get(op.getContext(), offsets));
  LinearLayout byCTA = tilec::layout::reshape(layout, {launch.numCTAs, bins});
  Value parts = ReshapeOp::create(rewriter, loc, tileTypeOf(type.getElementType(), byCTA), counts);
  SmallVector<Type> summed = {tileTypeOf(type.getElementType(), reduceDim(byCTA, 0))};
  auto sum = ReduceOp::create(rewriter, loc, summed, parts, /*axis=*/0);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&sum.getCombine(), {},
                                       {type.getElementType(), type.getElementType()}, {loc, loc});
    Value both = arith::AddIOp::create(rewriter, loc, body->getArgument(0), body->getArgument(1));
    YieldOp::create(rewriter, loc, both);
  }
  rewriter.replaceOp(op, converted(rewriter, loc, sum.getResult(0), type));
  rewriter.setInsertionPoint(sum);
  expandReduction(sum, rewriter);
}

static void expandHistogram(HistogramOp op, RewriterBase &rewriter) {
  if (isCluster(op))
    return expandSharedHistogram(op, rewriter);
  auto type = cast<RankedTensorType>(op.getType());
  auto map = SharedAttr::get(op.getContext(), SharedLayout::rowMajor(type.getShape()));
  rewriter.replaceOp(op, countInto(rewriter, op, op.getMask(), type, map));
}

/// Where CTAs share the axis, each of them scans the whole tile.
static void expandSharedScan(ScanOp op, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  LaunchShape launch = getLaunchShapeAt(op);
  LinearLayout layout =
      scannedByEach(type, launch, op.getAxis(), getTarget(op).tuning().layouts.mostScannedAlone);
  SmallVector<Value> sources;
  SmallVector<Type> types;
  for (Value source : op.getSrcs()) {
    types.push_back(tileTypeOf(elementOf(source.getType()), layout));
    sources.push_back(converted(rewriter, op.getLoc(), source, types.back()));
  }
  auto scan = ScanOp::create(rewriter, op.getLoc(), types, sources, op.getAxis(), op.getReverse());
  scan.getCombine().takeBody(op.getCombine());
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip_equal(scan.getResults(), op.getResults()))
    results.push_back(converted(rewriter, op.getLoc(), result, old.getType()));
  rewriter.replaceOp(op, results);
  if (!exchangesData(scan))
    return;
  rewriter.setInsertionPoint(scan);
  expandScan(scan, rewriter);
}

/// The first of the threads that hold copies tells the others the result, also those of other CTAs.
template <typename Atomic> static void expandAtomic(Atomic op, RewriterBase &rewriter) {
  bool isScalar = !isa<RankedTensorType>(op.getType());
  SmallVector<int32_t> peers = bitsOf(isScalar ? uint32_t(getLaunchShapeAt(op).numCTAs - 1)
                                               : layoutOf(op.getResult()).freeBits(InDim::Block));
  rewriter.modifyOpInPlace(op, [&] { op.setFirstOnly(true); });
  rewriter.setInsertionPointAfter(op);
  Value buffer;
  Type element = elementOf(op.getType());
  if (isScalar) {
    buffer = makeBuffer(rewriter, op.getLoc(), {1}, element, SharedLayout::rowMajor({1}));
  } else {
    LinearLayout layout = layoutOf(op.getResult());
    std::vector<unsigned> order(layout.tileBits());
    std::iota(order.begin(), order.end(), 0);
    buffer =
        makeBuffer(rewriter, op.getLoc(), layout.shape(), element, placeInOrder(layout, order));
  }
  Value previous;
  SmallPtrSet<Operation *, 4> own;
  for (uint32_t round = 0; round < cast<BufferType>(buffer.getType()).getRounds(); ++round) {
    own.insert(storeInto(rewriter, op.getLoc(), op.getResult(), buffer, round, peers));
    previous = BufferLoadOp::create(rewriter, op.getLoc(), op.getType(), buffer, /*slot=*/Value(),
                                    /*mask=*/Value(), previous, round, /*reversed=*/IntegerAttr());
  }
  rewriter.replaceAllUsesExcept(op.getResult(), previous, own);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ExpandExchanges : tilec::tile::impl::TileExpandExchangesBase<ExpandExchanges> {
  using TileExpandExchangesBase::TileExpandExchangesBase;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(kKernelAttr))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (ConvertLayoutOp convert : conversions)
      gatherAs(convert, rewriter);
    SmallVector<Operation *> exchanges;
    getOperation().walk([&](Operation *op) {
      if (exchangesData(op))
        exchanges.push_back(op);
    });
    for (Operation *op : exchanges) {
      rewriter.setInsertionPoint(op);
      expand(op, rewriter);
    }
    numExpanded += exchanges.size();
  }

private:
  static void expand(Operation *op, RewriterBase &rewriter) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ConvertLayoutOp convert) { expandConversion(convert, rewriter); })
        .Case([&](ReduceOp reduce) { expandReduction(reduce, rewriter); })
        .Case([&](FlipOp flip) { expandFlip(flip, rewriter); })
        .Case([&](GatherOp gather) { expandGather(gather, rewriter); })
        .Case([&](HistogramOp histogram) { expandHistogram(histogram, rewriter); })
        .Case([&](ScanOp scan) {
          if (sharesAxis(scan.getSrcs()[0], scan.getAxis()))
            expandSharedScan(scan, rewriter);
          else
            expandScan(scan, rewriter);
        })
        .Case<AtomicRMWOp, AtomicCASOp>([&](auto atomic) { expandAtomic(atomic, rewriter); });
  }
};

} // namespace
