//===- StreamTiles.cpp - work on large tiles piece by piece -----*- C++ -*-===//
//
// The pass `tile-stream-tiles`. A tile that would fill the registers is loaded into shared memory
// instead, and each reduction and each store becomes a loop over its pieces, which rematerializes
// the elementwise values that it needs:
//
//   start the loads of all pieces; wait
//   for each piece: partial = max(partial, piece)           m = reduce(partial)
//   for each piece: partial = partial + exp(piece - m)       s = reduce(partial)
//   for each piece: store exp(piece - m) / s
//
// Threads then hold one piece at a time, so that more of them are resident, and more bytes are in
// flight. A thread reads only what it copied itself, so the loops need no barriers. A tile that
// only one reduction reads is not kept in shared memory: the loop over its pieces loads them.
//
// Where one comparison with a scalar, `range < n`, masks every access, pieces beyond n have nothing
// to load or store and the loops end there. A reduction still has to combine the values of masked
// elements, but one piece of them is as good as many if combining a value twice changes nothing (a
// maximum), or if it is a sum and the values are zero (or NaN).
//
//===----------------------------------------------------------------------===//

#include "StreamTiles.h"

#include "CombineTiles.h"
#include "LayoutRelations.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESTREAMTILES
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::kRegisterBytes;
using tilec::kWarpSize;

/// How many copies of pieces are written one after the other: each costs a few instructions.
static constexpr int64_t kMostCopies = 32;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

static bool hasTile(Operation *op) {
  return llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile);
}

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

static bool canStream(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getIsVolatile();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return combinesTiles(reduce.getCombine());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<StoreOp, MakeRangeOp, SplatOp>(op) || (isElementwise(op) && op->getNumRegions() == 0);
}

/// The only reduction that uses `load`, directly or through elementwise work or other loads; null
/// if there are several, or a store uses it.
static ReduceOp findOnlyReader(LoadOp load) {
  ReduceOp only;
  llvm::SmallSetVector<Operation *, 16> users;
  users.insert(load->user_begin(), load->user_end());
  for (size_t i = 0; i < users.size(); ++i) {
    if (auto reduce = dyn_cast<ReduceOp>(users[i])) {
      if (only)
        return {};
      only = reduce;
      continue;
    }
    if (isa<StoreOp>(users[i]))
      return {};
    users.insert(users[i]->user_begin(), users[i]->user_end());
  }
  return only;
}

bool tilec::tile::isReadByOneWalk(LoadOp load) {
  ReduceOp reader = findOnlyReader(load);
  if (!reader || reader->getBlock() != load->getBlock())
    return false;
  // The load will move down to the reduction that reads it.
  for (Operation *op = load; op != reader; op = op->getNextNode()) {
    auto other = dyn_cast<LoadOp>(op);
    if (other ? other.getIsVolatile() : !isMemoryEffectFree(op))
      return false;
  }
  return true;
}

/// Adds what `load` takes to `plan`. Returns whether its tile can be streamed.
static bool planLoad(LoadOp load, const AxisInfoAnalysis &axes, StreamPlan &plan) {
  int64_t bytes = byteSize(elementOf(load.getType()));
  int64_t width = kMaxCopyBytes / bytes;
  if (!isReadByOneWalk(load)) {
    width = axes.getAccessWidth(load.getPtr(), load.getMask(), 0, kMaxCopyBytes);
    if (!load.isPlain() || load.getCache() != CacheModifier::None ||
        width * bytes < kLeastCopyBytes)
      return false;
    plan.bytes += bytes * plan.elements;
  }
  plan.width = plan.width ? std::min(plan.width, width) : width;
  plan.registers += llvm::divideCeil(bytes, kRegisterBytes);
  ++plan.numLoads;
  return true;
}

std::optional<StreamPlan> tilec::tile::planStream(func::FuncOp kernel,
                                                  const AxisInfoAnalysis &axes) {
  StreamPlan plan;
  Block *block = nullptr;
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (isInScalarCode(op) || !hasTile(op))
      return WalkResult::advance();
    if (!canStream(op))
      return WalkResult::interrupt();
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      if (!value.getDefiningOp() || type.getRank() != 1 ||
          (plan.elements && type.getNumElements() != plan.elements))
        return WalkResult::interrupt();
      plan.elements = type.getNumElements();
    }
    // Ranges and masks may be defined outside a loop; what moves data must be in one block.
    if (!isa<LoadOp, StoreOp, ReduceOp>(op))
      return WalkResult::advance();
    if (block && op->getBlock() != block)
      return WalkResult::interrupt();
    block = op->getBlock();
    if (auto load = dyn_cast<LoadOp>(op); load && !planLoad(load, axes, plan))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted() || plan.numLoads == 0)
    return std::nullopt;
  // Several accesses for each piece: tile-prefetch-loads has those of the next piece in flight
  // while threads work on one.
  uint64_t copiesAhead = getTarget(kernel).tuning().launch.copiesAhead;
  if (plan.bytes == 0)
    plan.width *= std::max<int64_t>(1, llvm::bit_floor(copiesAhead / plan.numLoads));
  return plan;
}

//===----------------------------------------------------------------------===//
// Masked pieces
//===----------------------------------------------------------------------===//

/// The scalar n of a mask `range < n` whose range starts at 0, or null.
static Value boundOf(Value mask) {
  auto compare = mask ? mask.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return {};
  auto range = compare.getLhs().getDefiningOp<MakeRangeOp>();
  auto splat = compare.getRhs().getDefiningOp<SplatOp>();
  return range && splat && range.getStart() == 0 && splat.getSrc().getType().isInteger(32)
             ? splat.getSrc()
             : Value();
}

/// The bound of the mask that all loads and stores have in common, or null.
static Value findBound(func::FuncOp kernel) {
  Value bound;
  WalkResult walked = kernel.walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if ((!load && !store) || !hasTile(op))
      return WalkResult::advance();
    Value own = boundOf(load ? load.getMask() : store.getMask());
    if (!own || (bound && own != bound))
      return WalkResult::interrupt();
    bound = own;
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? Value() : bound;
}

namespace {
/// What is known of the masked elements of a tile: those for which the mask is false.
enum class Padding { Unknown, MinusInfinity, Zero };
} // namespace

static Padding paddingOf(double value) {
  if (value == 0)
    return Padding::Zero;
  return value == -std::numeric_limits<double>::infinity() ? Padding::MinusInfinity
                                                           : Padding::Unknown;
}

/// What the masked elements of `value` are. Each of them may also be NaN.
static Padding paddingOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  if (auto splat =
          constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr()) {
    if (isa<FloatType>(splat.getElementType()))
      return paddingOf(splat.getSplatValue<APFloat>().convertToDouble());
    return splat.getSplatValue<APInt>().isZero() ? Padding::Zero : Padding::Unknown;
  }
  if (auto load = dyn_cast_or_null<LoadOp>(op))
    return load.getOther() ? paddingOf(load.getOther()) : Padding::Unknown;
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return paddingOf(op->getOperand(0));
  // Minus infinity stays so, or becomes NaN, whatever is subtracted.
  if (isa_and_nonnull<arith::SubFOp>(op))
    return paddingOf(op->getOperand(0)) == Padding::MinusInfinity ? Padding::MinusInfinity
                                                                  : Padding::Unknown;
  if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(op))
    return paddingOf(op->getOperand(0)) == Padding::MinusInfinity ? Padding::Zero
                                                                  : Padding::Unknown;
  if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
    for (Value operand : op->getOperands())
      if (paddingOf(operand) == Padding::Zero)
        return Padding::Zero;
  return Padding::Unknown;
}

/// Whether all elements are equal where the mask `range < bound` is false.
static bool hasUniformPadding(Value value, Value bound) {
  if (!isTile(value) || boundOf(value) == bound)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa<arith::ConstantOp, SplatOp>(op))
    return true;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getOther() && hasUniformPadding(load.getOther(), bound);
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return hasUniformPadding(operand, bound);
         });
}

/// Whether combining the masked elements of one piece is as good as combining those of several.
static bool canRepeatPadding(ReduceOp op, Value bound) {
  Operation *combiner = op.getSingleCombiner();
  if (!combiner || !hasUniformPadding(op.getSrcs()[0], bound))
    return false;
  if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combiner))
    return true;
  return isa<arith::AddFOp, arith::AddIOp, arith::XOrIOp>(combiner) &&
         paddingOf(op.getSrcs()[0]) == Padding::Zero;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

class Streamer {
public:
  Streamer(func::FuncOp kernel, int64_t pieceElements, int64_t numPieces)
      : builder(kernel.getContext()), pieceElements(pieceElements), numPieces(numPieces),
        bound(findBound(kernel)) {}

  void run(func::FuncOp kernel);

private:
  Type pieceOf(Type type) const;
  Value constant(int64_t value);
  /// Rematerializes piece number `piece` of a tile at the builder's insertion point; what is kept
  /// in a buffer is read from there. `made` has what exists of this piece already.
  Value make(Value tile, Value piece, IRMapping &made);
  Value makeRange(MakeRangeOp op, Value piece);
  Value makeLoad(LoadOp op, Value piece, IRMapping &made);
  bool readsBuffer(Value tile);
  void startLoad(LoadOp op);
  void streamReduce(ReduceOp op);
  void streamStore(StoreOp op);
  void waitForLoads();
  void waitBefore(Operation *op);
  Value activePieces();

  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  int64_t pieceElements, numPieces;
  /// The scalar below which elements exist, or null.
  Value bound;
  /// The buffers of loads whose pieces wait in shared memory.
  llvm::DenseMap<Operation *, Value> buffers;
  bool isWaiting = false;
  Block *loadBlock = nullptr; // Of all loads.
};

} // namespace

Type Streamer::pieceOf(Type type) const {
  auto tileType = dyn_cast<RankedTensorType>(type);
  return tileType ? RankedTensorType::get({pieceElements}, tileType.getElementType()) : type;
}

Value Streamer::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
}

Value Streamer::makeRange(MakeRangeOp op, Value piece) {
  Value start = arith::MulIOp::create(builder, loc, piece, constant(pieceElements));
  Value first = MakeRangeOp::create(builder, loc, pieceOf(op.getType()), op.getStart(),
                                    op.getStart() + pieceElements);
  Value offset = SplatOp::create(builder, loc, pieceOf(op.getType()), start);
  return arith::AddIOp::create(builder, loc, first, offset);
}

Value Streamer::makeLoad(LoadOp op, Value piece, IRMapping &made) {
  Value mask = op.getMask() ? make(op.getMask(), piece, made) : Value();
  Value other = op.getOther() ? make(op.getOther(), piece, made) : Value();
  if (Value buffer = buffers.lookup(op))
    return readCopied(builder, op.getLoc(), pieceOf(op.getType()), buffer, piece, mask, other);
  return LoadOp::create(builder, op.getLoc(), pieceOf(op.getType()), make(op.getPtr(), piece, made),
                        mask, other, op.getCache(), op.getEvict(),
                        /*isVolatile=*/false);
}

Value Streamer::make(Value tile, Value piece, IRMapping &made) {
  if (!isTile(tile))
    return tile;
  if (Value known = made.lookupOrNull(tile))
    return known;
  Operation *op = tile.getDefiningOp();
  Value result;
  if (auto load = dyn_cast<LoadOp>(op)) {
    result = makeLoad(load, piece, made);
  } else if (auto range = dyn_cast<MakeRangeOp>(op)) {
    result = makeRange(range, piece);
  } else if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constantOp.getValue());
    result = arith::ConstantOp::create(
        builder, op->getLoc(), splat.resizeSplat(cast<ShapedType>(pieceOf(constantOp.getType()))));
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(make(operand, piece, made));
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(pieceOf(type));
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrDictionary().getValue());
    Operation *copy = builder.create(state);
    for (auto [whole, part] : llvm::zip(op->getResults(), copy->getResults()))
      made.map(whole, part);
    return made.lookup(tile);
  }
  made.map(tile, result);
  return result;
}

/// Whether a piece of `tile` depends on a buffer that copies fill.
bool Streamer::readsBuffer(Value tile) {
  if (!isTile(tile))
    return false;
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [](Operation *op) { return hasTile(op); };
  (void)getBackwardSlice(tile, &needed, options);
  return llvm::any_of(needed, [&](Operation *op) { return buffers.contains(op); });
}

void Streamer::startLoad(LoadOp op) {
  builder.setInsertionPoint(op);
  loc = op.getLoc();
  if (llvm::any_of(op->getOperands(), [&](Value operand) { return readsBuffer(operand); }))
    waitForLoads();
  auto type = BufferType::get(op.getContext(), {pieceElements}, elementOf(op.getType()),
                              SharedAttr(), /*rounds=*/1, numPieces);
  buffers[op] = AllocBufferOp::create(builder, loc, type);
  auto copy = [&](Value piece) {
    IRMapping made;
    Value ptr = make(op.getPtr(), piece, made);
    Value mask = op.getMask() ? make(op.getMask(), piece, made) : Value();
    BufferCopyOp::create(builder, loc, ptr, buffers[op], piece, mask, op.getEvict());
  };
  if (numPieces <= kMostCopies) {
    for (int64_t number = 0; number < numPieces; ++number)
      copy(constant(number));
  } else {
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(numPieces), constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    copy(loop.getInductionVar());
  }
  AsyncCommitOp::create(builder, loc);
  isWaiting = true;
  loadBlock = op->getBlock();
}

/// How many pieces have elements below the bound; at least one, with which a reduction starts.
Value Streamer::activePieces() {
  Value least = arith::MaxSIOp::create(builder, loc, bound, constant(1));
  Value count = arith::MinSIOp::create(builder, loc, least, constant(pieceElements * numPieces));
  Value up = arith::AddIOp::create(builder, loc, count, constant(pieceElements - 1));
  return arith::DivUIOp::create(builder, loc, up, constant(pieceElements));
}

void Streamer::waitForLoads() {
  if (isWaiting)
    AsyncWaitOp::create(builder, loc, 0);
  isWaiting = false;
}

void Streamer::streamReduce(ReduceOp op) {
  builder.setInsertionPoint(op);
  loc = op.getLoc();
  waitForLoads();
  auto sources = [&](Value piece) {
    IRMapping made;
    SmallVector<Value> values;
    for (Value source : op.getSrcs())
      values.push_back(make(source, piece, made));
    return values;
  };
  SmallVector<Value> first = sources(constant(0));
  Value end = constant(numPieces);
  if (bound && canRepeatPadding(op, bound))
    end = arith::MinSIOp::create(builder, loc, end,
                                 arith::AddIOp::create(builder, loc, activePieces(), constant(1)));
  auto loop =
      scf::ForOp::create(builder, loc, constant(1), end, constant(1), first,
                         [&](OpBuilder &b, Location at, Value piece, ValueRange partial) {
                           OpBuilder::InsertionGuard guard(builder);
                           builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
                           SmallVector<Value> values =
                               combineTiles(builder, loc, op.getCombine(), partial, sources(piece));
                           scf::YieldOp::create(builder, at, values);
                         });
  op.getSrcsMutable().assign(loop.getResults());
}

void Streamer::streamStore(StoreOp op) {
  builder.setInsertionPoint(op);
  loc = op.getLoc();
  waitForLoads();
  Value end = bound ? activePieces() : constant(numPieces);
  auto loop = scf::ForOp::create(builder, loc, constant(0), end, constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping made;
  Value piece = loop.getInductionVar();
  Value ptr = make(op.getPtr(), piece, made), value = make(op.getValue(), piece, made);
  Value mask = op.getMask() ? make(op.getMask(), piece, made) : Value();
  StoreOp::create(builder, loc, ptr, value, mask, op.getCache(), op.getEvict());
}

/// Whether a thread may change what others load behind it: a barrier, or a store of a scalar. Loads
/// that come first must have read by then.
static bool mayLetChange(Operation *op) {
  return op->getNumRegions() == 0 && !isa<LoadOp>(op) && !isMemoryEffectFree(op);
}

void Streamer::waitBefore(Operation *op) {
  // Where all loads are: a wait inside of a branch would not serve what comes behind it.
  Operation *outer = isWaiting ? loadBlock->findAncestorOpInBlock(*op) : nullptr;
  if (!outer)
    return;
  builder.setInsertionPoint(outer);
  loc = op->getLoc();
  waitForLoads();
}

void Streamer::run(func::FuncOp kernel) {
  SmallVector<Operation *> tileOps, ops;
  kernel.walk([&](Operation *op) {
    if (isInScalarCode(op))
      return;
    if (hasTile(op))
      tileOps.push_back(op);
    if (hasTile(op) || mayLetChange(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!hasTile(op))
      waitBefore(op);
    else if (auto load = dyn_cast<LoadOp>(op); load && !isReadByOneWalk(load))
      startLoad(load);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      streamReduce(reduce);
    else if (auto store = dyn_cast<StoreOp>(op))
      streamStore(store);
  }
  for (Operation *op : llvm::reverse(tileOps))
    if (!isa<ReduceOp>(op))
      op->erase();
}

namespace {

struct StreamTiles : tilec::tile::impl::TileStreamTilesBase<StreamTiles> {
  using TileStreamTilesBase::TileStreamTilesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kStreamAttr))
      return;
    function->removeAttr(kStreamAttr);
    AxisInfoAnalysis axes(function);
    std::optional<StreamPlan> plan = planStream(function, axes);
    LaunchShape launch = getLaunchShape(function);
    int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
    int64_t pieceElements = plan ? threads * plan->width : 0;
    if (!plan || plan->elements < 2 * pieceElements)
      return;
    Streamer(function, pieceElements, plan->elements / pieceElements).run(function);
  }
};

} // namespace
