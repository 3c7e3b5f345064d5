//===- RollPlan.cpp - which tiles are worked on in chunks -------*- C++ -*-===//

#include "RollPlan.h"

#include "CombineTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::kWarpSize;

/// Which part of a thread's registers a chunk has.
static constexpr int64_t kChunksInRegisters = 8;
/// The longest chain of operations that a chunk may follow from: the passes recurse.
static constexpr unsigned kMostDepth = 1000;

static int64_t registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  LayoutAttr layout = type ? getLayout(type) : LayoutAttr();
  return layout ? layout.toLinearLayout(type.getShape()).numRegisters() : 0;
}

/// The registers of a thread if one CTA has all of a multiprocessor: a power of two, for the
/// largest count that instructions can name is one less.
static int64_t registersOfThread(func::FuncOp kernel) {
  constexpr int64_t ofMultiprocessor = 64 << 10, most = 256;
  return std::min(most, ofMultiprocessor / (kWarpSize * getLaunchShape(kernel).numWarps));
}

/// Whether a chunk of the result follows from chunks of the operands, or from nothing.
static bool isChunked(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<SplatOp, MakeRangeOp, BroadcastOp, ReshapeOp, ExpandDimsOp, PermuteOp,
             ConvertLayoutOp>(op) ||
         (isElementwise(op) && isMemoryEffectFree(op));
}

/// Whether what `load` loads depends on other loads of tiles.
static bool followsFromLoads(LoadOp load) {
  SmallVector<Value> open(load->getOperands());
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    if (isa<LoadOp>(op))
      return true;
    if (isChunked(op))
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// Whether a load that stands in front of `op` reads the same behind it.
static bool canMoveOver(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getIsVolatile();
  return isMemoryEffectFree(op) ||
         (op->hasTrait<WritesNoArrays>() && !op->hasTrait<OrdersAccesses>());
}

/// Whether the load may as well stand at `later`.
static bool canMoveTo(Operation *load, Operation *later) {
  if (load->getBlock() != later->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != later; op = op->getNextNode())
    if (!canMoveOver(op))
      return false;
  return true;
}

bool RollPlan::isLarge(Value value) const { return registersOf(value) > registers; }

bool RollPlan::canLoad(LoadOp load, uint64_t chunkBits, unsigned depth) {
  auto [known, isNew] = loads.insert({load, {chunkBits}});
  Load &entry = known->second;
  if (load.getIsVolatile() || entry.bits != chunkBits || isa<PtrType>(elementOf(load.getType())))
    return false;
  if (entry.readers.empty() || entry.readers.back() != sinks.back())
    entry.readers.push_back(sinks.back());
  // It is a sink itself, and kept.
  if (followsFromLoads(load))
    return llvm::is_contained(sinks, load.getOperation());
  return canMakeOperands(load, chunkBits, depth);
}

bool RollPlan::canMakeOperands(Operation *op, uint64_t chunkBits, unsigned depth) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (!isa<RankedTensorType>(operand.getType()))
      return true;
    std::optional<uint64_t> there = isa<LoadOp, StoreOp, ReduceOp, ScanOp>(op)
                                        ? chunkBits
                                        : chunkBitsOfOperand(op, operand, chunkBits);
    // A chunk of the operand has the number of that of the result, or there is only one.
    return there && (*there == 0 || llvm::popcount(*there) == llvm::popcount(chunkBits)) &&
           canMake(operand, *there, depth + 1);
  });
}

bool RollPlan::canMake(Value tile, uint64_t chunkBits, unsigned depth) {
  if (!seen.insert({tile, chunkBits}).second)
    return true;
  if (chunkBits == 0)
    return !isLarge(tile);
  auto type = cast<RankedTensorType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!op || depth > kMostDepth || !chunkOf(type, chunkBits))
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return canLoad(load, chunkBits, depth);
  if (isa<ScanOp>(op))
    return llvm::is_contained(sinks, op) && chunkBits == bits;
  if (isa<MakeRangeOp>(op)) // Neighbours in a chunk are neighbours in the range.
    return llvm::isPowerOf2_64(uint64_t(type.getNumElements() - 1) - chunkBits + 1);
  return isChunked(op) && canMakeOperands(op, chunkBits, depth);
}

bool RollPlan::addSink(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getNumElements() != elements)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    if (!combinesTiles(reduce.getCombine()) ||
        (bits & ~axisBits(type.getShape(), reduce.getAxis())))
      return false;
  // What comes before a chunk is a scalar then.
  if (auto scan = dyn_cast<ScanOp>(op))
    if (!combinesTiles(scan.getCombine()) || type.getRank() != 1 ||
        llvm::any_of(scan.getSrcs(),
                     [](Value source) { return isa<PtrType>(elementOf(source.getType())); }))
      return false;
  sinks.push_back(op);
  seen.clear();
  if (auto load = dyn_cast<LoadOp>(op))
    loads.insert({load, {bits}});
  return chunkOf(type, bits) && canMakeOperands(op, bits, /*depth=*/0);
}

void RollPlan::chooseWays() {
  for (auto &[load, entry] : loads) {
    // What a store writes, a load behind it may read: a loop of stores does not load.
    if (llvm::is_contained(sinks, load) || entry.readers.empty() ||
        isa<StoreOp>(entry.readers.front()) || !canMoveTo(load, entry.readers.front()))
      continue;
    entry.way = entry.readers.size() == 1 ? Way::InPlace : Way::AtFirst;
  }
}

bool RollPlan::read(func::FuncOp kernel) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    auto isPart = [&](Value value) { return isLarge(value); };
    if (isInScalarCode(op) ||
        (llvm::none_of(op->getOperands(), isPart) && llvm::none_of(op->getResults(), isPart)))
      return WalkResult::advance();
    bool isSink = isa<StoreOp, ReduceOp, ScanOp>(op);
    if (auto load = dyn_cast<LoadOp>(op))
      isSink = followsFromLoads(load);
    if (isSink ? addSink(op) : isa<LoadOp>(op) || isChunked(op))
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted() || sinks.empty())
    return false;
  chooseWays();
  return true;
}

std::optional<RollPlan> RollPlan::make(func::FuncOp kernel) {
  // A tile may be loaded in another shape than the one that sinks have.
  llvm::SmallSetVector<RankedTensorType, 4> largest;
  int64_t registers = registersOfThread(kernel), most = registers;
  kernel.walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp, ReduceOp, ScanOp>(op) || isInScalarCode(op))
      return;
    int64_t count = registersOf(op->getOperand(0));
    if (count > most) {
      most = count;
      largest.clear();
    }
    if (count == most && count > registers)
      largest.insert(cast<RankedTensorType>(op->getOperand(0).getType()));
  });
  for (RankedTensorType type : largest)
    for (uint64_t bits :
         chunkBitsFor(type, llvm::Log2_64(uint64_t(most * kChunksInRegisters / registers)))) {
      RollPlan plan(type.getNumElements(), bits, registers);
      if (most >> llvm::popcount(bits) <= registers / 2 && plan.read(kernel))
        return plan;
    }
  return std::nullopt;
}
