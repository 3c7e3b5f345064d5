//===- TileLayouts.cpp - layouts of operations -----------------*- C++ -*-===//
//
// Which layout an operand needs so that the result has a given one, and in which layouts operations
// that are not repeated work. Each relation follows from the layout's linear map by the algebra of
// lib/Layout, so there are no cases for kinds of layouts.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/TileLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Layout/Reduction.h"
#include "tilec/Layout/Scan.h"
#include "tilec/Layout/Transforms.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::kWarpSize;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool tilec::tile::isElementwise(Operation *op) {
  if (op->hasTrait<OpTrait::Elementwise>())
    return true;
  auto repeatable = dyn_cast<RepeatableOpInterface>(op);
  return repeatable && repeatable.isElementwise();
}

bool tilec::tile::isRepeatable(Operation *op) {
  return isa<arith::ConstantOp>(op) || op->hasTrait<OpTrait::Elementwise>() ||
         (isa<RepeatableOpInterface>(op) && isMemoryEffectFree(op));
}

//===----------------------------------------------------------------------===//
// Layouts for tiles of which little is known
//===----------------------------------------------------------------------===//

LayoutAttr tilec::tile::blockedLayout(RankedTensorType type, LaunchShape launch,
                                      ArrayRef<unsigned> order, unsigned axis,
                                      int64_t elementsPerThread) {
  BlockedParams params;
  params.shape = {type.getShape().begin(), type.getShape().end()};
  params.sizePerThread.assign(type.getRank(), 1);
  params.sizePerThread[axis] = elementsPerThread;
  params.order = {order.begin(), order.end()};
  params.numWarps = launch.numWarps;
  params.numCTAs = launch.numCTAs;
  std::string error;
  std::optional<LinearLayout> layout = blocked(params, error);
  assert(layout && "the verifier admits only shapes and warp counts that are powers of two");
  return LayoutAttr::get(type.getContext(), *layout);
}

/// The axes from the last to the first, which is from the fastest to the slowest.
static SmallVector<unsigned> rowMajorOrder(RankedTensorType type) {
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

SmallVector<unsigned> tilec::tile::orderFrom(RankedTensorType type, unsigned axis) {
  SmallVector<unsigned> order = rowMajorOrder(type);
  auto *found = llvm::find(order, axis);
  std::rotate(order.begin(), found, found + 1);
  return order;
}

int64_t tilec::tile::elementsOfThread(RankedTensorType type, LaunchShape launch) {
  int64_t threads = kWarpSize * launch.numWarps * launch.numCTAs;
  return std::max<int64_t>(1, type.getNumElements() / threads);
}

LayoutAttr tilec::tile::defaultLayout(RankedTensorType type, LaunchShape launch) {
  return blockedLayout(type, launch, rowMajorOrder(type), /*axis=*/0, 1);
}

LayoutAttr LayoutChoice::getLayoutOrDefault(Value tile) {
  LayoutAttr layout = getLayout(tile);
  return layout ? layout : defaultLayout(tileType(tile), getLaunch());
}

//===----------------------------------------------------------------------===//
// Shape changes
//===----------------------------------------------------------------------===//

LinearLayout BroadcastOp::getOperandLayout(unsigned, const LinearLayout &result) {
  LinearLayout layout = result;
  for (auto [axis, size] : llvm::enumerate(getSrc().getType().getShape()))
    if (size != getType().getDimSize(axis))
      layout = projectDim(layout, axis);
  return layout;
}

LinearLayout ExpandDimsOp::getOperandLayout(unsigned, const LinearLayout &result) {
  return squeezeDim(result, getAxis());
}

LinearLayout ExpandDimsOp::getResultLayout(const LinearLayout &source) {
  return expandDim(source, getAxis());
}

LinearLayout ReshapeOp::getOperandLayout(unsigned, const LinearLayout &result) {
  ArrayRef<int64_t> shape = getSrc().getType().getShape();
  return reshape(result, {shape.begin(), shape.end()});
}

LinearLayout ReshapeOp::getResultLayout(const LinearLayout &source) {
  ArrayRef<int64_t> shape = getType().getShape();
  return reshape(source, {shape.begin(), shape.end()});
}

LinearLayout PermuteOp::getOperandLayout(unsigned, const LinearLayout &result) {
  std::vector<unsigned> inverse(getOrder().size());
  for (auto [position, axis] : llvm::enumerate(getOrder()))
    inverse[axis] = position;
  return permute(result, inverse);
}

LinearLayout PermuteOp::getResultLayout(const LinearLayout &source) {
  return permute(source, {getOrder().begin(), getOrder().end()});
}

/// Each thread has all elements along the axis: those at the index need no exchange.
LinearLayout TakeOp::getOperandLayout(unsigned, const LinearLayout &result) {
  return insertInRegisters(result, getAxis(), getSrc().getType().getDimSize(getAxis()));
}

bool InlineAsmOp::isElementwise() { return getPure(); }

//===----------------------------------------------------------------------===//
// Operations that work where their operands are
//===----------------------------------------------------------------------===//

/// The operands' layout, the first that is known, for all operands and results.
static void chooseInPlace(Operation *op, LayoutChoice &choice, WorkLayouts &work) {
  Value leader = choice.getLeader(op->getOperands());
  if (!leader && op->getNumOperands())
    leader = op->getOperand(0);
  if (!leader || !isTile(leader))
    return;
  LayoutAttr layout = choice.getLayoutOrDefault(leader);
  llvm::fill(work.operands, layout);
  llvm::fill(work.results, layout);
}

void FlipOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  chooseInPlace(*this, choice, work);
}

void InlineAsmOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  chooseInPlace(*this, choice, work);
}

void PrintOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  chooseInPlace(*this, choice, work);
}

void AssertOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  chooseInPlace(*this, choice, work);
}

//===----------------------------------------------------------------------===//
// Operations that combine elements
//===----------------------------------------------------------------------===//

/// A layout for a tile of which nothing is known but that it is reduced along `axis`: a thread has
/// neighbours along it, which need no exchange, unless it is the fastest dimension.
static LayoutAttr defaultReductionLayout(RankedTensorType type, unsigned axis,
                                         LayoutChoice &choice) {
  // Neighbours combine in one thread; along the last axis as many as one access loads, so that
  // tiles that are broadcast along the other axes are loaded by few accesses.
  int64_t most =
      axis + 1 == type.getRank() ? choice.getTuning().mostReducedAlone : type.getDimSize(axis);
  LaunchShape launch = choice.getLaunch();
  return blockedLayout(type, launch, rowMajorOrder(type), axis,
                       std::min({most, type.getDimSize(axis), elementsOfThread(type, launch)}));
}

void ReduceOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  Value leader = choice.getLeader(getSrcs());
  // A reduction over all axes reduces a reshaped tile: it works in the layout that the reshape
  // gives, without an exchange.
  LayoutAttr layout = choice.getLayout(leader ? leader : getSrcs()[0]);
  RankedTensorType type = tileType(getSrcs()[0]);
  // Free values that are computed from a pinned tile are reduced in the layout that follows from
  // it, if no two threads hold the same element.
  LayoutAttr near = layout || leader ? LayoutAttr() : choice.getLayoutOfSource(getSrcs()[0]);
  if (near && !near.toLinearLayout(type.getShape()).hasReplication())
    layout = near;
  // What they are broadcast from stays where it is if no thread then waits for another.
  LayoutAttr broadcast =
      layout || leader ? LayoutAttr() : choice.getLayoutOfBroadcast(getSrcs()[0]);
  if (broadcast &&
      tilec::layout::isInRegisters(broadcast.toLinearLayout(type.getShape()), getAxis()))
    layout = broadcast;
  if (!layout || !planReduction(layout.toLinearLayout(type.getShape()), getAxis()))
    layout = defaultReductionLayout(type, getAxis(), choice);
  llvm::fill(work.operands, layout);
  if (type.getRank() > 1)
    llvm::fill(work.results,
               LayoutAttr::get(getContext(),
                               reduceDim(layout.toLinearLayout(type.getShape()), getAxis())));
}

/// 32-bit words of an element; a pointer has two.
static int64_t wordsOf(Value tile) {
  Type element = tileType(tile).getElementType();
  return element.isIntOrFloat() ? std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 32) : 2;
}

/// What a thread issues for a scan by `plan`, in instructions of which a scheduler issues one a
/// cycle: `combiner` of them combine two elements, `words` registers hold one. See
/// lib/Layout/Scan.h for the steps.
static int64_t issuesOfScan(const ScanPlan &plan, int64_t combiner, int64_t words,
                            int64_t issuesOfShuffle) {
  int64_t group = int64_t(1) << plan.lowRegisters.size();
  int64_t lines = int64_t(1) << plan.otherRegisters.size();
  int64_t groups = lines << plan.highRegisters.size();
  int64_t parts = lines << (plan.highRegisters.size() + plan.warps.size());
  int64_t inThread = groups * (group - 1) * combiner;
  int64_t inWarp = groups * int64_t(plan.lanes.size()) * (combiner + words * (issuesOfShuffle + 1));
  int64_t ofParts = parts > lines ? parts * (combiner + words) : 0;
  bool isShared = !plan.lanes.empty() || parts > lines;
  return inThread + inWarp + ofParts + (isShared ? groups * group * combiner : 0);
}

/// Whether the layout in which each thread has neighbours saves more than half of a scan in
/// `layout`, with the exchange of sources and results through shared memory. An exchanged word is
/// written and read, each of which takes as long as a shuffle; less than half is not worth the
/// barriers.
static bool isScanBetterInThreads(ScanOp op, const ScanPlan &plan, LayoutAttr layout,
                                  LayoutAttr neighbours, LayoutChoice &choice) {
  ArrayRef<int64_t> shape = tileType(op.getSrcs()[0]).getShape();
  std::optional<ScanPlan> better = planScan(neighbours.toLinearLayout(shape), op.getAxis());
  if (!better || layout == neighbours)
    return false;
  int64_t shuffle = choice.getTuning().issuesOfShuffle, words = 0, exchanged = 0;
  for (Value source : op.getSrcs()) {
    words += wordsOf(source);
    // A source that is computed from indices is computed again instead.
    exchanged += wordsOf(source) * (choice.getLayout(source) ? 2 : 1);
  }
  int64_t combiner = llvm::range_size(op.getCombine().front().without_terminator());
  int64_t elements = int64_t(1) << layout.toLinearLayout(shape).numBases(InDim::Register);
  int64_t issues = issuesOfScan(*better, combiner, words, shuffle);
  return (issues + elements * exchanged * 2 * shuffle) * 2 <
         issuesOfScan(plan, combiner, words, shuffle);
}

/// The sources' layout, if it has the form that scans need and no other is much better, otherwise
/// one in which each thread has neighbours: elements that one thread combines need no exchange.
void ScanOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  Value leader = choice.getLeader(getSrcs());
  LayoutAttr layout = choice.getLayout(leader ? leader : getSrcs()[0]);
  RankedTensorType type = tileType(getSrcs()[0]);
  unsigned axis = getAxis();
  int64_t share = elementsOfThread(type, choice.getLaunch());
  LayoutAttr neighbours =
      blockedLayout(type, choice.getLaunch(), orderFrom(type, axis), axis,
                    std::min({share, type.getDimSize(axis), choice.getTuning().mostScannedAlone}));
  std::optional<ScanPlan> plan =
      layout ? planScan(layout.toLinearLayout(type.getShape()), axis) : std::nullopt;
  if (!plan || isScanBetterInThreads(*this, *plan, layout, neighbours, choice))
    layout = neighbours;
  llvm::fill(work.operands, layout);
  llvm::fill(work.results, layout);
}

/// The source goes through shared memory, so any layout of it will do.
void GatherOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  work.operands[0] = choice.getLayoutOrDefault(getSrc());
  work.operands[1] = work.results[0] = choice.getLayoutOrDefault(getIndices());
}

void HistogramOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  llvm::fill(work.operands, choice.getLayoutOrDefault(getSrc()));
  work.results[0] = defaultLayout(getType(), choice.getLaunch());
}
