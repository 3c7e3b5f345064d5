//===- ExpandExchanges.cpp - exchanges become stores and loads -*- C++ -*-===//
//
// The pass `tile-expand-exchanges`. What has to leave a warp goes through a buffer: one
// distribution of the tile is stored, another is loaded. Where a tile is larger than a buffer may
// be, it goes in rounds. Barriers follow from what is stored and loaded; tile-insert-barriers
// places them.
//
// An element of the buffer belongs to the CTA that stores it. Only reductions write into the
// buffers of other CTAs; what else would have to is an error.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ExpandExchanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/Swizzle.h"
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

/// The bytes of slots and of factors that may be in use where `op` is; and the most that slots take
/// in a loop that is not around it, which lie where other buffers do before and after the loop.
struct SlotBytes {
  int64_t around = 0, elsewhere = 0;
};

static SlotBytes slotBytes(Operation *op) {
  SlotBytes result;
  llvm::DenseMap<Operation *, int64_t> bytes;
  auto kernel =
      isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  kernel.walk([&](AllocBufferOp buffer) {
    if (buffer.getType().getSlots() < 2) {
      if (llvm::any_of(buffer->getUsers(), llvm::IsaPred<GroupDotOp>))
        result.around += buffer.getType().getBytes();
      return;
    }
    for (Operation *user : buffer->getUsers()) {
      Operation *loop = loopAround(user, buffer);
      // Of warps that only copy it is not the loop whose end frees the slots.
      if (!loop || (isa<BufferCopyOp, BulkCopyOp>(user) && getWarpRole(user->getParentRegion())))
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

/// In how many rounds so many bytes go through a buffer in a region of `around`. Slots of a loop
/// that is over or has not begun make room; and so does what no slots take if no other buffer
/// is in use beside this one (`isAlone`): a tile takes as large a share of all registers.
static int64_t roundsFor(int64_t bytes, Operation *around, bool isAlone) {
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

/// A buffer of which `rounds` take turns.
static Value makeBuffer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type element,
                        const SharedLayout &map, int64_t rounds) {
  auto attr = SharedAttr::get(builder.getContext(), map);
  return AllocBufferOp::create(builder, loc,
                               BufferType::get(builder.getContext(), shape, element, attr, rounds,
                                               /*slots=*/1));
}

Value tilec::tile::makeBuffer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                              Type element, const SharedLayout &map) {
  int64_t rounds = roundsFor(int64_t(map.numElements()) * byteSize(element),
                             builder.getInsertionBlock()->getParentOp(), /*isAlone=*/false);
  return ::makeBuffer(builder, loc, shape, element, map, rounds);
}

/// Stores all that `value` has.
static BufferStoreOp storeInto(OpBuilder &builder, Location loc, Value value, Value buffer,
                               uint32_t round = 0) {
  return BufferStoreOp::create(builder, loc, value, buffer, round, /*peers=*/{},
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

static LogicalResult crossesCTAs(Operation *op, StringRef what) {
  return op->emitOpError() << "would move " << what
                           << " between the CTAs of a cluster, which is not supported yet";
}

static bool sharesAxis(Value tile, unsigned axis) {
  LinearLayout layout = layoutOf(tile);
  return llvm::any_of(layout.flatBases(InDim::Block),
                      [&](uint64_t basis) { return (basis & layout.axisMask(axis)) != 0; });
}

static bool isCluster(Operation *op) {
  return getLaunchShape(op->getParentOfType<func::FuncOp>()).numCTAs > 1;
}

//===----------------------------------------------------------------------===//
// Each element comes from one place
//===----------------------------------------------------------------------===//

Value tilec::tile::makeConversionBuffer(OpBuilder &builder, Location loc, Value value,
                                        const LinearLayout &wanted) {
  LinearLayout source = layoutOf(value);
  Type element = elementOf(value.getType());
  std::string error;
  std::optional<SharedPlan> plan = chooseSwizzle(source, wanted, 8 * byteSize(element), error);
  assert(plan && "layouts of one shape and one kernel can be exchanged");
  Operation *around = builder.getInsertionBlock()->getParentOp();
  unsigned elementBits = unsigned(8 * byteSize(element));
  int64_t bytes = int64_t(plan->layout.numElements()) * byteSize(element);
  int64_t rounds = roundsFor(bytes, around, /*isAlone=*/true);
  SharedLayout map = plan->layout;
  // Warps access whole matrices, so all of them in one round.
  if (rounds == 1)
    if (std::optional<SharedLayout> placed = placeForMatrixAccess(
            source, wanted, *plan, elementBits, getTarget(around).has(GpuFeature::MatrixStore)))
      map = std::move(*placed);
  return ::makeBuffer(builder, loc, source.shape(), element, map, rounds);
}

static LogicalResult expandConversion(ConvertLayoutOp op, RewriterBase &rewriter) {
  LinearLayout result = layoutOf(op.getResult());
  if (conversionCrossesBlocks(layoutOf(op.getSrc()), result))
    return crossesCTAs(op, "elements");
  Value buffer = makeConversionBuffer(rewriter, op.getLoc(), op.getSrc(), result);
  rewriter.replaceOp(op, throughBuffers(rewriter, op.getLoc(), op.getSrc(), buffer, result));
  return success();
}

static LogicalResult expandFlip(FlipOp op, RewriterBase &rewriter) {
  if (sharesAxis(op.getSrc(), op.getAxis()))
    return crossesCTAs(op, "elements along the axis");
  LinearLayout layout = layoutOf(op.getSrc());
  Value buffer = makeConversionBuffer(rewriter, op.getLoc(), op.getSrc(), layout);
  ExchangeOptions options;
  options.reversed = rewriter.getI32IntegerAttr(op.getAxis());
  rewriter.replaceOp(op,
                     throughBuffers(rewriter, op.getLoc(), op.getSrc(), buffer, layout, options));
  return success();
}

static LogicalResult expandGather(GatherOp op, RewriterBase &rewriter) {
  if (isCluster(op))
    return crossesCTAs(op, "elements of the source");
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  Value buffer = makeBuffer(rewriter, op.getLoc(), source.getShape(), source.getElementType(),
                            SharedLayout::rowMajor(source.getShape()));
  Value result;
  for (uint32_t round = 0; round < cast<BufferType>(buffer.getType()).getRounds(); ++round) {
    storeInto(rewriter, op.getLoc(), op.getSrc(), buffer, round);
    result = BufferGatherOp::create(rewriter, op.getLoc(), op.getType(), buffer, op.getIndices(),
                                    op.getAxis(), result, round);
  }
  rewriter.replaceOp(op, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements made of several
//===----------------------------------------------------------------------===//

static LogicalResult expandHistogram(HistogramOp op, RewriterBase &rewriter) {
  if (isCluster(op))
    return crossesCTAs(op, "elements of the source");
  auto type = cast<RankedTensorType>(op.getType());
  SharedLayout map = SharedLayout::rowMajor(type.getShape());
  auto buffer = AllocBufferOp::create(
      rewriter, op.getLoc(),
      BufferType::get(op.getContext(), type.getShape(), type.getElementType(),
                      SharedAttr::get(op.getContext(), map), /*rounds=*/1, /*slots=*/1));
  Value zeros = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
  storeInto(rewriter, op.getLoc(), zeros, buffer);
  BufferCountOp::create(rewriter, op.getLoc(), op.getSrc(), buffer, op.getMask());
  rewriter.replaceOpWithNewOp<BufferLoadOp>(op, type, buffer, /*slot=*/Value());
  return success();
}

/// The first of the threads that hold copies tells the others the result.
template <typename Atomic> static LogicalResult expandAtomic(Atomic op, RewriterBase &rewriter) {
  bool isScalar = !isa<RankedTensorType>(op.getType());
  if (isCluster(op) && (isScalar || layoutOf(op.getResult()).freeBits(InDim::Block)))
    return crossesCTAs(op, "the result");
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
    own.insert(storeInto(rewriter, op.getLoc(), op.getResult(), buffer, round));
    previous = BufferLoadOp::create(rewriter, op.getLoc(), op.getType(), buffer, /*slot=*/Value(),
                                    /*mask=*/Value(), previous, round, /*reversed=*/IntegerAttr());
  }
  rewriter.replaceAllUsesExcept(op.getResult(), previous, own);
  return success();
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
    SmallVector<Operation *> exchanges;
    getOperation().walk([&](Operation *op) {
      if (exchangesData(op))
        exchanges.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : exchanges) {
      rewriter.setInsertionPoint(op);
      if (failed(expand(op, rewriter)))
        return signalPassFailure();
    }
    numExpanded += exchanges.size();
  }

private:
  static LogicalResult expand(Operation *op, RewriterBase &rewriter) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](ConvertLayoutOp convert) { return expandConversion(convert, rewriter); })
        .Case([&](ReduceOp reduce) {
          expandReduction(reduce, rewriter);
          return success();
        })
        .Case([&](FlipOp flip) { return expandFlip(flip, rewriter); })
        .Case([&](GatherOp gather) { return expandGather(gather, rewriter); })
        .Case([&](HistogramOp histogram) { return expandHistogram(histogram, rewriter); })
        .Case([&](ScanOp scan) {
          if (sharesAxis(scan.getSrcs()[0], scan.getAxis()))
            return crossesCTAs(scan, "elements along the axis");
          expandScan(scan, rewriter);
          return success();
        })
        .Case<AtomicRMWOp, AtomicCASOp>(
            [&](auto atomic) { return expandAtomic(atomic, rewriter); });
  }
};

} // namespace
