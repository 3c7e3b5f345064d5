//===- ReduceToGPU.cpp - reductions in thread, warp, CTA, cluster -*- C++ -*-===//
//
// Four steps, each skipped when the layout does not need it (planReduction says):
//
// 1. Inside the thread, by halves: the registers that combine are brought to opposite halves of a
// vector,
//    and the halves combine, so a known operation works on whole vectors.
// 2. Between lanes: butterfly shuffles, or redux.sync for integers over a full warp, after which
// every
//    lane holds the result.
// 3. Between warps: each warp writes its partial results to shared memory, all wait, and every
// thread
//    reads the partial results of its elements and combines them as in step 1. tile-allocate-shared
//    has placed the scratch so that no slow thread still reads what a fast one writes. Where that
//    would be many values a thread, most of them also read by other threads, each thread combines
//    some elements for all: one more wait, and few registers.
// 4. Between the CTAs of a cluster: each CTA, which by now has its result in all its threads,
// writes it into
//    the shared memory of every peer; the cluster waits, and every thread reads and combines as in
//    step 3.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ScalarCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/Scratch.h"
#include "tilec/Layout/Reduction.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

namespace {

/// A step in which partial results meet in shared memory: those of the warps of a CTA, or those of
/// the CTAs of a cluster. Bit i of the number of a part is the bit of the warp's or CTA's number
/// that masks[i] is.
struct Meeting {
  InDim dim;
  ArrayRef<uint32_t> masks;
  StringLiteral offsetAttr;

  uint32_t numParts() const { return uint32_t(1) << masks.size(); }
};

/// How the parts of all elements lie in the scratch memory: those of one element next to each
/// other, or, where a thread has several elements in a row, each part's elements. Both ways
/// accesses are wide, and lanes meet few bank conflicts.
struct PartOrder {
  PartOrder(const LinearLayout &result, int64_t parts, int64_t elementBytes) {
    constexpr int64_t accessBytes = 16;
    int64_t row = result.rank() ? result.contiguousRegisters(result.rank() - 1) : 1;
    isByPart = row > 1;
    width = std::min(isByPart ? row : parts, accessBytes / elementBytes);
    elementStride = isByPart ? 1 : parts;
    partStride = isByPart ? result.numElements() : 1;
  }

  bool isByPart;
  /// Neighbours of one access; what the numbers of an element and of a part are multiplied by.
  int64_t width, elementStride, partStride;
};

class ReduceEmitter {
public:
  ReduceEmitter(ReduceOp op, const ReductionPlan &plan, const LoweringContext &lowering,
                OpBuilder &builder)
      : op(op), plan(plan), lowering(lowering), code(builder, op.getLoc()), b(builder),
        loc(op.getLoc()), warps{InDim::Warp, plan.warpMasks, kSharedOffsetAttr},
        blocks{InDim::Block, plan.blockMasks, kClusterOffsetAttr} {}

  Values emit(Values values) {
    values = reduceRegisters(values, plan.registerGroups);
    values = reduceLanes(values);
    if (!plan.warpMasks.empty())
      values = reduceWarps(values);
    return plan.blockMasks.empty() ? values : reduceBlocks(values);
  }

private:
  Values combine(const Values &a, const Values &b);
  Values reduceRegisters(Values values, const std::vector<std::vector<uint32_t>> &groups);
  Values reduceLanes(Values values);
  std::optional<NVVM::ReduxKind> reduxKind();
  Value reduceWithRedux(Value vector, NVVM::ReduxKind kind);
  Values reduceWarps(Values values);
  Values reduceBlocks(Values values);
  Value slotAddress(const Meeting &meeting, const PartOrder &order, unsigned source, uint32_t reg,
                    bool withPart, int64_t elementBytes);
  void writeParts(const Meeting &meeting, const Values &values, Value mine, Value peer);
  void writeToPeers(const Values &values);
  Values combineParts(const Meeting &meeting, const Values &values);
  int64_t elementsPerThread() const;
  bool shouldShareWork(const Values &values) const;
  Values combineSharing(const Values &values);
  void combineOwn(const Values &values, int64_t count);
  Values readResults(const Values &values);

  ReduceOp op;
  const ReductionPlan &plan;
  const LoweringContext &lowering;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
  Meeting warps, blocks;
};

} // namespace

Values ReduceEmitter::combine(const Values &first, const Values &second) {
  return combineVectors(code, op.getCombine(), first, second);
}

Values ReduceEmitter::reduceRegisters(Values values,
                                      const std::vector<std::vector<uint32_t>> &groups) {
  // Member j of every group, then member j+1 of every group, ...: halves then hold what combines.
  SmallVector<int64_t> order;
  for (size_t member = 0; member < groups[0].size(); ++member)
    for (const std::vector<uint32_t> &group : groups)
      order.push_back(group[member]);
  for (Value &value : values)
    value = code.permute(value, order);
  while (registersOf(values) > int64_t(groups.size())) {
    int64_t half = registersOf(values) / 2;
    Values low, high;
    for (Value value : values) {
      low.push_back(code.slice(value, 0, half));
      high.push_back(code.slice(value, half, half));
    }
    values = combine(low, high);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

std::optional<NVVM::ReduxKind> ReduceEmitter::reduxKind() {
  Operation *single = op.getSingleCombiner();
  if (!single || lowering.computeCapability < 80 || plan.laneMasks.size() != kWarpBits ||
      !single->getResult(0).getType().isInteger(32))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<NVVM::ReduxKind>>(single)
      .Case<arith::AddIOp>([](auto) { return NVVM::ReduxKind::ADD; })
      .Case<arith::MaxSIOp>([](auto) { return NVVM::ReduxKind::MAX; })
      .Case<arith::MinSIOp>([](auto) { return NVVM::ReduxKind::MIN; })
      .Case<arith::MaxUIOp>([](auto) { return NVVM::ReduxKind::UMAX; })
      .Case<arith::MinUIOp>([](auto) { return NVVM::ReduxKind::UMIN; })
      .Case<arith::AndIOp>([](auto) { return NVVM::ReduxKind::AND; })
      .Case<arith::OrIOp>([](auto) { return NVVM::ReduxKind::OR; })
      .Case<arith::XOrIOp>([](auto) { return NVVM::ReduxKind::XOR; })
      .Default([](Operation *) { return std::nullopt; });
}

Value ReduceEmitter::reduceWithRedux(Value vector, NVVM::ReduxKind kind) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getDimSize(0); ++i)
    elements.push_back(
        NVVM::ReduxOp::create(b, loc, b.getI32Type(), code.extract(vector, i), kind, code.i32(-1)));
  return code.fromElements(elements);
}

Values ReduceEmitter::reduceLanes(Values values) {
  if (std::optional<NVVM::ReduxKind> kind = reduxKind())
    return {reduceWithRedux(values[0], *kind)};
  for (uint32_t mask : llvm::reverse(plan.laneMasks)) {
    Values moved;
    for (Value value : values)
      moved.push_back(code.shuffleXor(value, mask));
    values = combine(values, moved);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Warps and CTAs
//===----------------------------------------------------------------------===//

/// The address of the partial results of the element in result register `reg`; of this thread's own
/// part with `withPart`, else of the first. What the CTA's rank adds to the element's index is left
/// out: a CTA's shared memory holds its own elements only.
Value ReduceEmitter::slotAddress(const Meeting &meeting, const PartOrder &order, unsigned source,
                                 uint32_t reg, bool withPart, int64_t elementBytes) {
  auto scaled = [&](InDim dim) {
    SmallVector<uint64_t> bases;
    for (uint64_t basis : plan.result.flatBases(dim))
      bases.push_back(dim == InDim::Block ? 0 : basis * order.elementStride);
    if (withPart && dim == meeting.dim)
      for (auto [position, mask] : llvm::enumerate(meeting.masks))
        bases[llvm::Log2_32(mask)] |= order.partStride << position;
    return bases;
  };
  Value index =
      code.linearOfPlace(scaled(InDim::Lane), scaled(InDim::Warp), scaled(InDim::Block),
                         plan.result.applyFlat(InDim::Register, reg) * order.elementStride);
  int64_t offset = op->getAttrOfType<IntegerAttr>(meeting.offsetAttr).getInt() +
                   getReductionScratchOffset(op, meeting.numParts(), source);
  return code.sharedAddress(code.sharedBase(op, offset), index, elementBytes);
}

/// Writes this thread's partial results if `mine` holds (or is null), in the CTA with rank `peer`
/// or, if that is null, in this one.
void ReduceEmitter::writeParts(const Meeting &meeting, const Values &values, Value mine,
                               Value peer) {
  OpBuilder::InsertionGuard guard(b);
  if (mine) {
    auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (auto [source, value] : llvm::enumerate(values)) {
    Value stored = code.toShared(value);
    Type element = cast<VectorType>(stored.getType()).getElementType();
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    PartOrder order(plan.result, meeting.numParts(), bytes);
    int64_t width = order.isByPart ? order.width : 1;
    for (int64_t reg = 0; reg < registersOf(values); reg += width) {
      Value slot = slotAddress(meeting, order, source, reg, /*withPart=*/true, bytes);
      LLVM::StoreOp::create(b, loc,
                            width == 1 ? code.extract(stored, reg) : code.slice(stored, reg, width),
                            peer ? code.inPeer(slot, peer) : slot, width * bytes);
    }
  }
}

/// Reads all parts of each result and combines them.
Values ReduceEmitter::combineParts(const Meeting &meeting, const Values &values) {
  int64_t parts = meeting.numParts(), registers = registersOf(values);
  bool isByPart = false;
  Values read;
  for (auto [source, value] : llvm::enumerate(values)) {
    auto type = cast<VectorType>(value.getType());
    auto stored = cast<VectorType>(code.toShared(value).getType());
    int64_t bytes = stored.getElementTypeBitWidth() / 8;
    PartOrder order(plan.result, parts, bytes);
    isByPart = order.isByPart;
    auto access = VectorType::get({order.width}, stored.getElementType());
    auto readAt = [&](Value slot, int64_t ahead) -> Value {
      Value address = ahead == 0 ? slot : code.sharedAddress(slot, code.i32(ahead), bytes);
      return LLVM::LoadOp::create(b, loc, access, address, order.width * bytes);
    };
    SmallVector<Value> pieces(registers * parts / order.width);
    int64_t step = isByPart ? order.width : 1;
    for (int64_t reg = 0; reg < registers; reg += step) {
      Value slot = slotAddress(meeting, order, source, reg, /*withPart=*/false, bytes);
      for (int64_t part = 0; part < parts; part += isByPart ? 1 : order.width)
        pieces[(isByPart ? part * registers + reg : reg * parts + part) / order.width] =
            readAt(slot, part * order.partStride);
    }
    auto whole = VectorType::get({registers * parts}, type.getElementType());
    read.push_back(code.fromShared(code.concat(pieces), whole));
  }
  std::vector<std::vector<uint32_t>> groups(registers);
  for (auto [reg, group] : llvm::enumerate(groups))
    for (uint32_t part = 0; part < parts; ++part)
      group.push_back(isByPart ? part * registers + reg : reg * parts + part);
  return reduceRegisters(read, groups);
}

/// How many elements of the result each thread combines when all share the work.
int64_t ReduceEmitter::elementsPerThread() const {
  int64_t threads = int64_t(1) << (kWarpBits + plan.result.numBases(InDim::Warp));
  return std::max<int64_t>(1, plan.result.numElements() / threads);
}

bool ReduceEmitter::shouldShareWork(const Values &values) const {
  constexpr int64_t manyValues = 64;
  int64_t parts = warps.numParts(), alone = registersOf(values) * parts;
  return plan.result.numBases(InDim::Block) == 0 && alone >= manyValues &&
         elementsPerThread() * parts * 4 <= alone;
}

/// Combines the parts of `count` elements, those `count` threads apart, and writes each over its
/// first part, which only this thread has read.
void ReduceEmitter::combineOwn(const Values &values, int64_t count) {
  int64_t parts = warps.numParts(), stride = plan.result.numElements() / count;
  auto slot = [&](unsigned source, const PartOrder &order, int64_t bytes, int64_t element,
                  int64_t part) {
    int64_t offset = op->getAttrOfType<IntegerAttr>(warps.offsetAttr).getInt() +
                     getReductionScratchOffset(op, parts, source) +
                     (element * stride * order.elementStride + part * order.partStride) * bytes;
    Value index =
        arith::MulIOp::create(b, loc, code.threadId(), code.i32(int32_t(order.elementStride)));
    return code.sharedAddress(code.sharedBase(op, offset), index, bytes);
  };
  Values read;
  for (auto [source, value] : llvm::enumerate(values)) {
    auto type = cast<VectorType>(value.getType());
    Type stored = cast<VectorType>(code.toShared(value).getType()).getElementType();
    int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
    PartOrder order(plan.result, parts, bytes);
    SmallVector<Value> pieces;
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t element = 0; element < count; ++element)
        pieces.push_back(
            LLVM::LoadOp::create(b, loc, stored, slot(source, order, bytes, element, part), bytes));
    read.push_back(code.fromShared(code.fromElements(pieces),
                                   VectorType::get({count * parts}, type.getElementType())));
  }
  std::vector<std::vector<uint32_t>> groups(count);
  for (auto [element, group] : llvm::enumerate(groups))
    for (uint32_t part = 0; part < parts; ++part)
      group.push_back(part * count + element);
  for (auto [source, value] : llvm::enumerate(reduceRegisters(read, groups))) {
    Value stored = code.toShared(value);
    int64_t bytes = cast<VectorType>(stored.getType()).getElementTypeBitWidth() / 8;
    PartOrder order(plan.result, parts, bytes);
    for (int64_t element = 0; element < count; ++element)
      LLVM::StoreOp::create(b, loc, code.extract(stored, element),
                            slot(source, order, bytes, element, /*part=*/0), bytes);
  }
}

/// Reads the finished results, which lie where the first parts were.
Values ReduceEmitter::readResults(const Values &values) {
  Values results;
  for (auto [source, value] : llvm::enumerate(values)) {
    auto type = cast<VectorType>(value.getType());
    auto stored = cast<VectorType>(code.toShared(value).getType());
    int64_t bytes = stored.getElementTypeBitWidth() / 8;
    PartOrder order(plan.result, warps.numParts(), bytes);
    int64_t width = order.isByPart ? order.width : 1;
    SmallVector<Value> pieces;
    for (int64_t reg = 0; reg < registersOf(values); reg += width)
      pieces.push_back(LLVM::LoadOp::create(
          b, loc, VectorType::get({width}, stored.getElementType()),
          slotAddress(warps, order, source, reg, /*withPart=*/false, bytes), width * bytes));
    results.push_back(code.fromShared(code.concat(pieces), type));
  }
  return results;
}

Values ReduceEmitter::combineSharing(const Values &values) {
  int64_t count = elementsPerThread();
  int64_t threads = plan.result.numElements() / count;
  {
    OpBuilder::InsertionGuard guard(b);
    Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, code.threadId(),
                                       code.i32(int32_t(threads)));
    auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    combineOwn(values, count);
  }
  code.barrier();
  return readResults(values);
}

Values ReduceEmitter::reduceWarps(Values values) {
  if (op->hasAttr(kSharedBarrierAttr))
    code.barrier();
  // Threads that hold copies of one partial result leave the write to the first of them.
  uint32_t copies = plan.result.freeBits(InDim::Warp);
  for (uint32_t mask : plan.warpMasks)
    copies &= ~mask;
  Value mine = code.threadBitsAreZero(plan.result.freeBits(InDim::Lane) | copies << kWarpBits);
  writeParts(warps, values, mine, /*peer=*/{});
  code.barrier();
  return shouldShareWork(values) ? combineSharing(values) : combineParts(warps, values);
}

/// Threads that hold copies of the CTA's result share the work: each writes to another peer.
void ReduceEmitter::writeToPeers(const Values &values) {
  uint32_t copies = plan.result.freeBits(InDim::Lane) | plan.result.freeBits(InDim::Warp)
                                                            << kWarpBits;
  SmallVector<uint64_t> toMask(32, 0);
  SmallVector<uint32_t> remaining;
  for (uint32_t mask : plan.blockMasks) {
    if (copies == 0) {
      remaining.push_back(mask);
      continue;
    }
    toMask[llvm::countr_zero(copies)] = mask;
    copies &= copies - 1;
  }
  Value mine = code.threadBitsAreZero(copies);
  Value first = arith::XOrIOp::create(b, loc, code.ctaRank(), code.linear(code.threadId(), toMask));
  for (uint32_t choice = 0; choice < uint32_t(1) << remaining.size(); ++choice) {
    uint32_t flip = 0;
    for (auto [bit, mask] : llvm::enumerate(remaining))
      flip ^= (choice >> bit & 1) * mask;
    writeParts(blocks, values, mine, arith::XOrIOp::create(b, loc, first, code.i32(flip)));
  }
}

Values ReduceEmitter::reduceBlocks(Values values) {
  if (op->hasAttr(kClusterStartAttr))
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  if (op->hasAttr(kClusterBarrierAttr))
    code.clusterBarrier();
  writeToPeers(values);
  code.clusterBarrier();
  return combineParts(blocks, values);
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

struct ReducePattern : OpConversionPattern<ReduceOp> {
  ReducePattern(const TypeConverter &converter, MLIRContext *context,
                const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = planReduction(layoutOf(op.getSrcs()[0].getType()), op.getAxis());
    if (!plan)
      return op.emitOpError() << "cannot reduce in this layout: a thread bit moves along the "
                                 "reduced and another dimension at once";
    if ((!plan->warpMasks.empty() && !op->hasAttr(kSharedOffsetAttr)) ||
        (!plan->blockMasks.empty() && !op->hasAttr(kClusterOffsetAttr)))
      return op.emitOpError() << "needs shared memory; run tile-allocate-shared first";
    ReduceEmitter emitter(op, *plan, lowering, rewriter);
    Values results = emitter.emit(Values(adaptor.getSrcs()));
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      if (!isa<RankedTensorType>(result.getType()))
        value = ThreadCode(rewriter, op.getLoc()).extract(value, 0);
    rewriter.replaceOp(op, results);
    return success();
  }

  const LoweringContext &lowering;
};

} // namespace

void mlir::tile::populateReducePatterns(const TypeConverter &converter,
                                        const LoweringContext &context,
                                        RewritePatternSet &patterns) {
  patterns.add<ReducePattern>(converter, patterns.getContext(), context);
}
