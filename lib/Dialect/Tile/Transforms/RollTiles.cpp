//===- RollTiles.cpp - loops over what a thread has of a tile ---*- C++ -*-===//
//
// The pass `tile-roll-tiles`. Each sink of the plan (RollPlan.h) becomes a loop over chunks, for
// which it rematerializes what the sink needs:
//
//   reduction: partial = chunk 0; for each other chunk: partial = combine(partial, chunk); reduce
//   store:     for each chunk: store
//   scan:      for each chunk, in its direction: combine(what came before, scan), which is kept
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "CombineTiles.h"
#include "RollPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEROLLTILES
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::kWarpSize;

/// Where registers cannot hold a tile by far, ptxas takes about a second for each million of
/// instructions times elements of a thread (measured from 2 to 43 seconds). From a minute on, the
/// user is told.
static constexpr int64_t kLeastEndless = 64 << 20;

namespace {

/// A chunk in the making: its number, and what there is of it.
struct Chunk {
  explicit Chunk(Value number) : number(number) {}

  Value number;
  llvm::DenseMap<std::pair<Value, uint64_t>, Value> made;
};

class Roller {
public:
  Roller(func::FuncOp kernel, const RollPlan &plan) : builder(kernel.getContext()), plan(plan) {}

  /// Returns the number of loops.
  unsigned run();

private:
  Value constant(int64_t value);
  Value make(Value tile, uint64_t bits, Chunk &chunk);
  Value makeRange(MakeRangeOp op, uint64_t bits, Chunk &chunk);
  Value makeLoad(LoadOp op, uint64_t bits, Chunk &chunk);
  Value makeKept(Value tile, uint64_t bits, Chunk &chunk);
  Value load(LoadOp op, uint64_t bits, Chunk &chunk);
  void makeOp(Operation *op, uint64_t bits, Chunk &chunk);
  Value memoryFor(Value tile);
  int64_t numChunks() const { return int64_t(1) << llvm::popcount(plan.getBits()); }
  void forEachChunk(llvm::function_ref<void(Chunk &)> body);
  void keep(LoadOp op);
  void rollReduce(ReduceOp op);
  void rollStore(StoreOp op);
  void rollScan(ScanOp op);
  SmallVector<Value> scanChunk(ScanOp op, Value number);
  void keepResults(ScanOp op, ValueRange results, Value number);
  Value lastOf(Value tile, bool isFirst);

  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  const RollPlan &plan;
  /// The memory of tiles that are kept.
  llvm::DenseMap<Value, Value> memories;
  /// Loads that are there already.
  llvm::DenseSet<Operation *> kept;
  unsigned numLoops = 0;
};

} // namespace

Value Roller::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value Roller::makeRange(MakeRangeOp op, uint64_t bits, Chunk &chunk) {
  RankedTensorType type = chunkOf(op.getType(), bits);
  int64_t size = type.getNumElements();
  Value range = MakeRangeOp::create(builder, loc, type, op.getStart(), op.getStart() + size);
  Value first = arith::MulIOp::create(builder, loc, chunk.number, constant(size));
  return arith::AddIOp::create(builder, loc, range, SplatOp::create(builder, loc, type, first));
}

Value Roller::load(LoadOp op, uint64_t bits, Chunk &chunk) {
  auto ofChunk = [&](Value value) { return value ? make(value, bits, chunk) : Value(); };
  Value ptr = ofChunk(op.getPtr()), mask = ofChunk(op.getMask()), other = ofChunk(op.getOther());
  Type type = chunkOf(cast<RankedTensorType>(op.getType()), bits);
  return LoadOp::create(builder, op.getLoc(), type, ptr, mask, other, op.getCache(), op.getEvict(),
                        /*isVolatile=*/false);
}

/// Where a tile's chunks are kept: memory of the whole call of the kernel.
Value Roller::memoryFor(Value tile) {
  Value &memory = memories[tile];
  if (!memory) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto kernel = tile.getDefiningOp()->getParentOfType<func::FuncOp>();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.front());
    int64_t count = getLayout(type).toLinearLayout(type.getShape()).numRegisters();
    memory = AllocPrivateOp::create(
        builder, tile.getLoc(),
        PrivateType::get(builder.getContext(), count, type.getElementType()));
  }
  return memory;
}

Value Roller::makeLoad(LoadOp op, uint64_t bits, Chunk &chunk) {
  RollPlan::Way way = plan.getLoads().lookup(op).way;
  if (way == RollPlan::Way::InPlace)
    return load(op, bits, chunk);
  if (kept.contains(op))
    return makeKept(op, bits, chunk);
  Value loaded = load(op, bits, chunk);
  PrivateStoreOp::create(builder, op.getLoc(), loaded, memoryFor(op), chunk.number);
  return loaded;
}

Value Roller::makeKept(Value tile, uint64_t bits, Chunk &chunk) {
  return PrivateLoadOp::create(builder, tile.getLoc(),
                               chunkOf(cast<RankedTensorType>(tile.getType()), bits),
                               memoryFor(tile), chunk.number);
}

/// The operation on a chunk instead of a tile.
void Roller::makeOp(Operation *op, uint64_t bits, Chunk &chunk) {
  IRMapping operands;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.map(operand, make(operand, *chunkBitsOfOperand(op, operand, bits), chunk));
  Operation *copy = builder.clone(*op, operands);
  for (auto [whole, part] : llvm::zip(op->getResults(), copy->getResults())) {
    part.setType(chunkOf(cast<RankedTensorType>(whole.getType()), bits));
    chunk.made[{whole, bits}] = part;
  }
  auto promise = dyn_cast<PromiseOp>(copy);
  if (!promise)
    return;
  // A chunk is no longer than itself.
  ArrayRef<int64_t> shape = cast<RankedTensorType>(promise.getType()).getShape();
  auto atMost = [&](ArrayRef<int64_t> lengths) {
    SmallVector<int64_t> result;
    for (auto [length, size] : llvm::zip(lengths, shape))
      result.push_back(std::min(length, size));
    return result;
  };
  promise.setContiguity(atMost(promise.getContiguity()));
  promise.setConstancy(atMost(promise.getConstancy()));
}

Value Roller::make(Value tile, uint64_t bits, Chunk &chunk) {
  if (bits == 0 || !isa<RankedTensorType>(tile.getType()))
    return tile;
  if (Value known = chunk.made.lookup({tile, bits}))
    return known;
  Operation *op = tile.getDefiningOp();
  Value result;
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    result = makeRange(range, bits, chunk);
  } else if (auto loadOp = dyn_cast<LoadOp>(op)) {
    result = makeLoad(loadOp, bits, chunk);
  } else if (isa<ScanOp>(op)) {
    result = makeKept(tile, bits, chunk);
  } else if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constantOp.getValue());
    result = arith::ConstantOp::create(
        builder, op->getLoc(),
        splat.resizeSplat(chunkOf(cast<RankedTensorType>(constantOp.getType()), bits)));
  } else {
    makeOp(op, bits, chunk);
    return chunk.made.lookup({tile, bits});
  }
  chunk.made[{tile, bits}] = result;
  return result;
}

void Roller::forEachChunk(llvm::function_ref<void(Chunk &)> body) {
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(numChunks()), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Chunk chunk(loop.getInductionVar());
  body(chunk);
  ++numLoops;
}

void Roller::keep(LoadOp op) {
  builder.setInsertionPoint(op);
  loc = op.getLoc();
  forEachChunk([&](Chunk &chunk) { makeLoad(op, plan.getLoads().lookup(op).bits, chunk); });
  kept.insert(op);
}

void Roller::rollReduce(ReduceOp op) {
  auto sources = [&](Value number) {
    Chunk chunk(number);
    SmallVector<Value> values;
    for (Value source : op.getSrcs())
      values.push_back(make(source, plan.getBits(), chunk));
    return values;
  };
  SmallVector<Value> first = sources(constant(0));
  auto loop =
      scf::ForOp::create(builder, loc, constant(1), constant(numChunks()), constant(1), first);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values = combineTiles(
        builder, loc, op.getCombine(), loop.getRegionIterArgs(), sources(loop.getInductionVar()));
    scf::YieldOp::create(builder, loc, values);
  }
  op.getSrcsMutable().assign(loop.getResults());
  ++numLoops;
}

void Roller::rollStore(StoreOp op) {
  forEachChunk([&](Chunk &chunk) {
    Value ptr = make(op.getPtr(), plan.getBits(), chunk);
    Value value = make(op.getValue(), plan.getBits(), chunk);
    Value mask = op.getMask() ? make(op.getMask(), plan.getBits(), chunk) : Value();
    auto store = StoreOp::create(builder, loc, ptr, value, mask, op.getCache(), op.getEvict());
    store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  });
  op.erase();
}

SmallVector<Value> Roller::scanChunk(ScanOp op, Value number) {
  Chunk chunk(number);
  IRMapping sources;
  for (Value source : op.getSrcs())
    sources.map(source, make(source, plan.getBits(), chunk));
  Operation *scan = builder.clone(*op, sources);
  for (Value result : scan->getResults())
    result.setType(chunkOf(cast<RankedTensorType>(result.getType()), plan.getBits()));
  return SmallVector<Value>(scan->getResults());
}

void Roller::keepResults(ScanOp op, ValueRange results, Value number) {
  for (auto [whole, part] : llvm::zip(op.getResults(), results))
    PrivateStoreOp::create(builder, loc, part, memoryFor(whole), number);
}

/// The last element of a tile of one axis, or its first: all others are no bits.
Value Roller::lastOf(Value tile, bool isFirst) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
  if (bits != element)
    tile = arith::BitcastOp::create(builder, loc, type.clone(bits), tile);
  RankedTensorType places = type.clone(builder.getI32Type());
  Value place = MakeRangeOp::create(builder, loc, places, 0, type.getNumElements());
  Value wanted =
      SplatOp::create(builder, loc, places, constant(isFirst ? 0 : type.getNumElements() - 1));
  Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place, wanted);
  Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.clone(bits)));
  Value only = arith::SelectOp::create(builder, loc, isIt, tile, none);
  auto reduce = ReduceOp::create(builder, loc, TypeRange(bits), ValueRange(only), /*axis=*/0);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&reduce.getCombine(), {}, {bits, bits}, {loc, loc});
    Value both = arith::OrIOp::create(builder, loc, body->getArgument(0), body->getArgument(1));
    YieldOp::create(builder, loc, both);
  }
  Value last = reduce.getResult(0);
  return bits == element ? last : arith::BitcastOp::create(builder, loc, element, last);
}

void Roller::rollScan(ScanOp op) {
  auto lasts = [&](ValueRange tiles) {
    SmallVector<Value> values;
    for (Value tile : tiles)
      values.push_back(lastOf(tile, op.getReverse()));
    return values;
  };
  int64_t last = numChunks() - 1;
  Value firstNumber = constant(op.getReverse() ? last : 0);
  SmallVector<Value> first = scanChunk(op, firstNumber);
  keepResults(op, first, firstNumber);
  auto loop = scf::ForOp::create(builder, loc, constant(1), constant(numChunks()), constant(1),
                                 lasts(first));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  if (op.getReverse())
    number = arith::SubIOp::create(builder, loc, constant(last), number);
  SmallVector<Value> scanned = scanChunk(op, number), before;
  for (auto [carried, tile] : llvm::zip(loop.getRegionIterArgs(), scanned))
    before.push_back(SplatOp::create(builder, loc, tile.getType(), carried));
  SmallVector<Value> all = combineTiles(builder, loc, op.getCombine(), before, scanned);
  keepResults(op, all, number);
  scf::YieldOp::create(builder, loc, lasts(all));
  ++numLoops;
}

unsigned Roller::run() {
  for (auto &[load, entry] : plan.getLoads())
    if (entry.way == RollPlan::Way::Separate && !llvm::is_contained(plan.getSinks(), load))
      keep(cast<LoadOp>(load));
  for (Operation *sink : plan.getSinks()) {
    builder.setInsertionPoint(sink);
    loc = sink->getLoc();
    if (auto load = dyn_cast<LoadOp>(sink))
      keep(load);
    else if (auto reduce = dyn_cast<ReduceOp>(sink))
      rollReduce(reduce);
    else if (auto scan = dyn_cast<ScanOp>(sink))
      rollScan(scan);
    else
      rollStore(cast<StoreOp>(sink));
    for (auto &[load, entry] : plan.getLoads())
      if (!entry.readers.empty() && entry.readers.front() == sink)
        kept.insert(load);
  }
  return numLoops;
}

/// An estimate of the instructions of a thread: one for each element of what is loaded, stored,
/// exchanged or computed. Addresses are computed once for many elements.
static int64_t countInstructions(func::FuncOp function, int64_t threads) {
  int64_t count = 0;
  function.walk([&](Operation *op) {
    bool isWork = isElementwise(op) || isa<AccessOpInterface, ExchangeOpInterface>(op);
    if (!isWork || isa<AddPtrOp>(op) || op->getNumOperands() == 0)
      return;
    if (auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType()))
      count += llvm::divideCeil(type.getNumElements(), threads);
  });
  return count;
}

/// Compiling could take so long that one should know why before it starts.
static void warnOfSize(func::FuncOp kernel) {
  int64_t elements = 0;
  kernel.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        elements = std::max(elements, type.getNumElements());
  });
  LaunchShape launch = getLaunchShape(kernel);
  int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
  int64_t share = elements / threads, count = countInstructions(kernel, threads);
  if (share * count < kLeastEndless)
    return;
  kernel.emitWarning() << "each thread of kernel '" << kernel.getName() << "' has " << share
                       << " of the " << elements
                       << " elements of its largest tile, in at most 255 registers: about " << count
                       << " instructions, which may take minutes to compile; use more warps or "
                          "smaller tiles";
}

namespace {

struct RollTiles : tilec::tile::impl::TileRollTilesBase<RollTiles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<RollPlan> plan;
    if (isEnabled(kernel, tilec::GpuHeuristic::RollTiles))
      plan = RollPlan::make(kernel);
    if (!plan)
      return warnOfSize(kernel);
    numRolled += Roller(kernel, *plan).run();
    // What only the tiles that are gone had needed.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, kernel->getRegions());
  }
};

} // namespace
