//===- FollowIterations.cpp - what the iteration before computed -*- C++ -*-===//
//
// A part of tile-scalar-steps. An iteration may compute the pointers of the next one from its own
// number, instead of moving the ones that it has:
//
//   for k in range(n):
//       a = load(a_ptrs)
//       a_ptrs = a_ptr + (k + 1) * STEP
//
// Then the pointers are a tile from before the loop plus a number, which follows from the number of
// the iteration before. As that is known, the loop carries nothing, and loads may go ahead by any
// number of iterations. Pointers of several iterations may be handed on (`a_ptrs = a_ptrs_next`).
//
//===----------------------------------------------------------------------===//

#include "ScalarSteps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A tile as another one that moves.
struct Moved {
  Value base;
  SmallVector<Step> steps;
};

/// The carried tiles of one loop that are something from before it plus a number.
class Followed {
public:
  explicit Followed(scf::ForOp loop) : loop(loop) { find(); }

  unsigned run();

private:
  void find();
  bool follows(unsigned index);
  std::optional<unsigned> carriedIndex(Value value);
  std::optional<Value> numberIn(unsigned index, Value iteration, OpBuilder &builder,
                                unsigned depth);
  std::optional<Value> computeAt(Value value, Value iteration, OpBuilder &builder, unsigned depth);
  std::optional<Value> computeAgain(Operation *op, Value iteration, OpBuilder &builder,
                                    unsigned depth);

  scf::ForOp loop;
  /// What comes in and what is handed on, by the number of the carried tile; those that are handed
  /// on to others come before these.
  llvm::MapVector<unsigned, std::pair<Moved, Moved>> members;
  /// What has been computed, by the value of the body and the iteration: parts may share much.
  llvm::DenseMap<std::pair<Value, Value>, Value> computed;
};

} // namespace

static Moved rootOf(Value tile) {
  Moved moved{tile, {}};
  Value from;
  while (std::optional<Step> step = stepOf(moved.base.getDefiningOp(), from)) {
    moved.steps.push_back(*step);
    moved.base = from;
  }
  return moved;
}

std::optional<unsigned> Followed::carriedIndex(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
    return std::nullopt;
  return argument.getArgNumber() - loop.getNumInductionVars();
}

/// Adds the carried tile if what the next iteration gets has the base of what came in, by way of
/// members perhaps; whether it does.
bool Followed::follows(unsigned index) {
  Moved in = rootOf(loop.getInitArgs()[index]), next = rootOf(loop.getYieldedValues()[index]);
  if (next.base != in.base) {
    std::optional<unsigned> other = carriedIndex(next.base);
    auto *found = other ? members.find(*other) : members.end();
    if (found == members.end() || found->second.first.base != in.base)
      return false;
  }
  members[index] = {in, next};
  return true;
}

void Followed::find() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [index, init] : llvm::enumerate(loop.getInitArgs()))
      if (isa<RankedTensorType>(init.getType()) && !members.contains(index))
        changed |= follows(index);
  }
}

/// \p value of the loop's body as it is in the iteration \p iteration; nothing if it follows from
/// more than that.
std::optional<Value> Followed::computeAt(Value value, Value iteration, OpBuilder &builder,
                                         unsigned depth) {
  if (value == loop.getInductionVar())
    return iteration;
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  if (std::optional<unsigned> index = carriedIndex(value))
    return numberIn(*index, iteration, builder, depth);
  auto found = computed.find({value, iteration});
  if (found != computed.end())
    return found->second;
  constexpr size_t mostComputed = 128;
  if (computed.size() == mostComputed)
    return std::nullopt;
  std::optional<Value> result = computeAgain(value.getDefiningOp(), iteration, builder, depth);
  if (result)
    computed[{value, iteration}] = *result;
  return result;
}

/// Computes the result of `op` anew from what its operands are in the iteration.
std::optional<Value> Followed::computeAgain(Operation *op, Value iteration, OpBuilder &builder,
                                            unsigned depth) {
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 || !isPure(op))
    return std::nullopt;
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    std::optional<Value> known = computeAt(operand, iteration, builder, depth);
    if (!known)
      return std::nullopt;
    operands.map(operand, *known);
  }
  Operation *again = builder.clone(*op, operands);
  SmallVector<Value> folded;
  if (failed(builder.tryFold(again, folded)) || folded.empty())
    return again->getResult(0);
  again->erase();
  return folded.front();
}

/// Whether both are one value, or made in the same way of the same values a few steps before.
static bool areEqual(Value a, Value b, unsigned steps = 6) {
  Attribute first, second;
  if (matchPattern(a, m_Constant(&first)) && matchPattern(b, m_Constant(&second)))
    return first == second;
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  auto areSame = [&](Value x, Value y) { return success(areEqual(x, y, steps - 1)); };
  return left && right && steps != 0 &&
         OperationEquivalence::isEquivalentTo(left, right, areSame, nullptr,
                                              OperationEquivalence::IgnoreLocations);
}

/// The number that the loop carries into \p iteration.
std::optional<Value> Followed::numberIn(unsigned index, Value iteration, OpBuilder &builder,
                                        unsigned depth) {
  if (!members.contains(index) || depth == 0)
    return std::nullopt;
  Location loc = loop.getLoc();
  Value next = loop.getYieldedValues()[index], init = loop.getInitArgs()[index];
  auto before = [&](Value each) {
    return builder.createOrFold<arith::SubIOp>(loc, each, loop.getStep());
  };
  std::optional<Value> number = computeAt(next, before(iteration), builder, depth - 1);
  if (!number)
    return std::nullopt;
  std::optional<Value> first = computeAt(next, before(loop.getLowerBound()), builder, depth - 1);
  if (first && areEqual(*first, init))
    return number;
  Value isFirst = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, iteration,
                                                      loop.getLowerBound());
  return builder.createOrFold<arith::SelectOp>(loc, isFirst, init, *number);
}

unsigned Followed::run() {
  Operation *yield = loop.getBody()->getTerminator();
  // Numbers take the place of what is handed on: none of it is needed as a tile.
  for (unsigned index : llvm::make_first_range(members))
    yield->setOperand(index, loop.getInitArgs()[index]);
  for (auto &[index, member] : members) {
    auto &[in, next] = member;
    StepBuilder before(loop, cast<RankedTensorType>(loop.getInitArgs()[index].getType()));
    Value start = before.sum(before.zero(), in.steps);
    Value from = next.base;
    carryNumber(loop, index, in.base, start, [&, &steps = next.steps](StepBuilder &builder) {
      return builder.sum(carriedIndex(from) ? from : builder.zero(), steps);
    });
  }
  constexpr unsigned mostHandedOn = 4;
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  SmallVector<std::pair<Value, Value>> known;
  for (unsigned index : llvm::make_first_range(members))
    if (std::optional<Value> number =
            numberIn(index, loop.getInductionVar(), builder, mostHandedOn))
      known.push_back({loop.getRegionIterArgs()[index], *number});
  for (auto [carried, number] : known)
    carried.replaceAllUsesExcept(number, yield);
  return members.size();
}

unsigned tilec::tile::followIterations(scf::ForOp loop) { return Followed(loop).run(); }
