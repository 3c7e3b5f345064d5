//===- ReduceToGPU.cpp - reductions in thread, warp, CTA, cluster -*- C++ -*-===//
//
// Two steps, each skipped when the layout does not need it (planReduction says):
//
// 1. Inside the thread, by halves: the registers that combine are brought to opposite halves of a
//    vector, and the halves combine, so a known operation works on whole vectors. Positions, which
//    argmax carries, are not compared there: all of the first half's are below the second one's.
// 2. Between lanes: butterfly shuffles, or redux.sync for integers over a full warp, after which
//    every lane holds the result. A sum of one element comes from the lane that has it. Of many
//    results each lane combines a part, and they exchange what they have combined.
//
// What warps and CTAs have to combine, tile-expand-exchanges has turned into reductions of this
// kind.
//
//===----------------------------------------------------------------------===//

#include "OrderedIndices.h"
#include "Patterns.h"

#include "ScalarCode.h"
#include "SelectedElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Layout/Reduction.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

class ReduceEmitter {
public:
  ReduceEmitter(Operation *op, unsigned axis, const ReductionPlan &plan,
                const LoweringContext &lowering, OpBuilder &builder)
      : region(op->getRegion(0)), plan(plan), lowering(lowering), code(builder, op->getLoc()),
        b(builder), loc(op->getLoc()), holder(findHolder(op, axis)) {
    auto indices = findIndices(op->getOperands(), axis, layoutOf(op->getOperand(0).getType()));
    if (!indices.empty())
      cloneForAscending(region, indices, ofIndices);
  }

  Values emit(const Values &values) {
    return reduceLanes(reduceRegisters(values, plan.registerGroups));
  }

private:
  Values combine(const Values &a, const Values &b);
  Values addInChains(const Values &values, int64_t numGroups);
  Values reduceRegisters(Values values, const std::vector<std::vector<uint32_t>> &groups);
  Values reduceLanes(Values values);
  Values reduceByButterfly(Values values, ArrayRef<uint32_t> masks);
  Value isUpperLane(uint32_t mask);
  Values reduceShared(Values values, ArrayRef<uint32_t> masks);
  Value findHolder(Operation *op, unsigned axis);
  Value takeSelected(Value partial);
  std::optional<NVVM::ReduxKind> reduxKind();
  Value reduceWithRedux(Value vector, NVVM::ReduxKind kind);

  Region &region;
  /// What combines first operands with second ones of higher indices, if indices are reduced.
  Region ofIndices;
  const ReductionPlan &plan;
  const LoweringContext &lowering;
  ThreadCode code;
  OpBuilder &b;
  Location loc;
  /// The lane that has the only element that differs from zero; null if there may be several.
  Value holder;
};

} // namespace

Values ReduceEmitter::combine(const Values &first, const Values &second) {
  return combineVectors(code, region, first, second);
}

/// Whether neighbours combine first, which are ready at about the same time. It pays where floats
/// are computed; narrower neighbours share a register, and combine last.
static bool combineNeighbours(const Values &values) {
  auto isFloat = [](Value value) { return elementOf(value.getType()).isF32(); };
  auto isNarrow = [](Value value) {
    return elementOf(value.getType()).getIntOrFloatBitWidth() < 32;
  };
  return llvm::any_of(values, isFloat) && llvm::none_of(values, isNarrow);
}

/// In which order members of a group come. With the bits of their numbers reversed halves of it
/// hold neighbours, and after each step what the first half combines has been before the second
/// one's.
static SmallVector<uint32_t> orderOfMembers(uint32_t count, bool byNeighbours) {
  SmallVector<uint32_t> order;
  for (uint32_t member = 0; member < count; ++member)
    order.push_back(byNeighbours && count > 1
                        ? llvm::reverseBits(member) >> (32 - llvm::Log2_32(count))
                        : member);
  return order;
}

/// Whether products are added that are not needed otherwise and may be rounded together with the
/// sum.
static bool isSumOfProducts(Region &region) {
  Value source = region.getParentOp()->getOperand(0);
  auto sum = dyn_cast_or_null<arith::AddFOp>(getSingleCombiner(region));
  auto product = source.getDefiningOp<arith::MulFOp>();
  auto contracts = [](auto op) {
    return arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
  };
  return sum && product && contracts(sum) && contracts(product) && source.hasOneUse() &&
         getElementTypeOrSelf(source).isF32();
}

/// Adds products one after the other, in as many chains as hide the latency of an instruction: each
/// but the first of a chain is one instruction with its addition, of which a tree has every second.
Values ReduceEmitter::addInChains(const Values &values, int64_t numGroups) {
  int64_t all = registersOf(values);
  int64_t width = std::max(numGroups, std::min(lowering.target.tuning().code.leastChains, all));
  Values sum = {code.slice(values[0], 0, width)};
  for (int64_t start = width; start < all; start += width)
    sum = combine(sum, {code.slice(values[0], start, width)});
  return sum;
}

Values ReduceEmitter::reduceRegisters(Values values,
                                      const std::vector<std::vector<uint32_t>> &groups) {
  // One member of every group, then another one of every group, ...: halves then hold what
  // combines.
  SmallVector<int64_t> order;
  bool byNeighbours = !ofIndices.empty() || combineNeighbours(values);
  for (uint32_t member : orderOfMembers(uint32_t(groups[0].size()), byNeighbours))
    for (const std::vector<uint32_t> &group : groups)
      order.push_back(group[member]);
  bool inChains = isSumOfProducts(region) &&
                  isEnabled(region.getParentOp(), tilec::GpuHeuristic::ChainProducts);
  for (Value &value : values)
    value = code.permute(value, order);
  if (inChains)
    values = addInChains(values, int64_t(groups.size()));
  while (registersOf(values) > int64_t(groups.size())) {
    int64_t half = registersOf(values) / 2;
    Values low, high;
    for (Value value : values) {
      low.push_back(code.slice(value, 0, half));
      high.push_back(code.slice(value, half, half));
    }
    values = combineVectors(code, ofIndices.empty() ? region : ofIndices, low, high);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

std::optional<NVVM::ReduxKind> ReduceEmitter::reduxKind() {
  Operation *single = getSingleCombiner(region);
  if (!single || !lowering.target.has(tilec::GpuFeature::ReduxSync) ||
      plan.laneMasks.size() != kWarpBits || !single->getResult(0).getType().isInteger(32))
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

/// Which of the lanes that share the axis holds the one element that is added up. Not for two
/// lanes, which have it after one step in any case.
Value ReduceEmitter::findHolder(Operation *op, unsigned axis) {
  Operation *single = getSingleCombiner(region);
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(single) || plan.laneMasks.size() < 2 ||
      reduxKind())
    return {};
  SmallVector<uint64_t> lanes = lanesOfPlaces(layoutOf(op->getOperand(0).getType()), axis);
  std::optional<SelectedElement> selected = SelectedElement::find(op->getOperand(0), axis);
  if (lanes.empty() || !selected)
    return {};
  Value place;
  if (auto constant = dyn_cast<Attribute>(selected->place))
    place = code.i32(uint32_t(cast<IntegerAttr>(constant).getValue().getSExtValue()));
  else
    place = cast<Value>(selected->place);
  if (place.getType() != b.getI32Type() && !place.getType().isInteger(64))
    return {};
  if (place.getType().isInteger(64))
    place = arith::TruncIOp::create(b, loc, b.getI32Type(), place);
  if (selected->start != 0)
    place = arith::SubIOp::create(b, loc, place, code.i32(uint32_t(selected->start)));
  uint32_t shared = 0;
  for (uint64_t lane : lanes)
    shared |= uint32_t(lane);
  Value others =
      arith::AndIOp::create(b, loc, code.threadId(), code.i32((tilec::kWarpSize - 1) & ~shared));
  return arith::OrIOp::create(b, loc, others, code.linear(place, lanes));
}

/// What the lane that has the element has of \p partial. A sum with zeros is no -0.
Value ReduceEmitter::takeSelected(Value partial) {
  Value taken = code.shuffleFrom(partial, holder);
  auto type = cast<VectorType>(taken.getType());
  if (!isa<FloatType>(type.getElementType()))
    return taken;
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return arith::AddFOp::create(b, loc, taken, zeros);
}

Values ReduceEmitter::reduceByButterfly(Values values, ArrayRef<uint32_t> masks) {
  for (uint32_t mask : masks) {
    Values moved;
    for (Value value : values)
      moved.push_back(code.shuffleXor(value, mask));
    values = combine(values, moved);
  }
  return values;
}

/// Of two lanes whose numbers differ in the bit \p mask, whether this is the upper one.
Value ReduceEmitter::isUpperLane(uint32_t mask) {
  Value bit = arith::AndIOp::create(b, loc, code.threadId(), code.i32(mask));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, code.i32(0));
}

/// Two lanes share the results: the upper one gives the lower half of what it has for the upper
/// half of what the other has, and combines that. So each step has half of the shuffles of the one
/// before, and the way back twice as many.
Values ReduceEmitter::reduceShared(Values values, ArrayRef<uint32_t> masks) {
  if (masks.empty() || registersOf(values) == 1)
    return reduceByButterfly(std::move(values), masks);
  Value isUpper = isUpperLane(masks[0]);
  int64_t half = registersOf(values) / 2;
  auto choose = [&](Value ifUpper, Value otherwise) {
    return arith::SelectOp::create(b, loc, isUpper, ifUpper, otherwise).getResult();
  };
  Values kept, received;
  for (Value value : values) {
    Value low = code.slice(value, 0, half), high = code.slice(value, half, half);
    kept.push_back(choose(high, low));
    received.push_back(code.shuffleXor(choose(low, high), masks[0]));
  }
  values = reduceShared(combine(kept, received), masks.drop_front());
  for (Value &value : values) {
    Value other = code.shuffleXor(value, masks[0]);
    value = code.concat({choose(other, value), choose(value, other)});
  }
  return values;
}

Values ReduceEmitter::reduceLanes(Values values) {
  if (holder)
    return {takeSelected(values[0])};
  if (std::optional<NVVM::ReduxKind> kind = reduxKind())
    return {reduceWithRedux(values[0], *kind)};
  SmallVector<uint32_t> masks(llvm::reverse(plan.laneMasks));
  // What lanes have of others depends on single bits. With fewer results the way back, whose steps
  // wait for each other, takes longer than the shuffles that are saved.
  constexpr int64_t leastResults = 16;
  constexpr size_t leastSteps = 3;
  if (registersOf(values) >= leastResults && masks.size() >= leastSteps &&
      llvm::all_of(masks, llvm::isPowerOf2_32))
    return reduceShared(std::move(values), masks);
  return reduceByButterfly(std::move(values), masks);
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
    if (!plan->warpMasks.empty() || !plan->blockMasks.empty())
      return op.emitOpError()
             << "combines what several warps hold; run tile-expand-exchanges first";
    ReduceEmitter emitter(op, op.getAxis(), *plan, lowering, rewriter);
    Values results = emitter.emit(Values(adaptor.getSrcs()));
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      if (!isa<RankedTensorType>(result.getType()))
        value = ThreadCode(rewriter, op.getLoc()).extract(value, 0);
    rewriter.replaceOp(op, results);
    return success();
  }

  const LoweringContext &lowering;
};

struct PartialReducePattern : OpConversionPattern<PartialReduceOp> {
  PartialReducePattern(const TypeConverter &converter, MLIRContext *context,
                       const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(PartialReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = planReduction(layoutOf(op.getSrcs()[0].getType()), op.getAxis());
    ReduceEmitter emitter(op, op.getAxis(), *plan, lowering, rewriter);
    rewriter.replaceOp(op, emitter.emit(Values(adaptor.getSrcs())));
    return success();
  }

  const LoweringContext &lowering;
};

} // namespace

void tilec::tile::populateReducePatterns(const TypeConverter &converter,
                                         const LoweringContext &context,
                                         RewritePatternSet &patterns) {
  patterns.add<ReducePattern, PartialReducePattern>(converter, patterns.getContext(), context);
}
