//===- FollowIterations.cpp - what the iteration before computed -*- C++ -*-===//
//
// A part of tile-scalar-steps. An iteration may compute the pointers of the next one from its own
// number, instead of moving the ones that it has:
//
//   for k in range(n):
//       a = load(a_ptrs)
//       a_ptrs = a_ptr + (k + 1) * STEP
//
// Then the pointers are a tile from before the loop plus a number, and the loop carries that.
// Pointers of several iterations may be handed on (`a_ptrs = a_ptrs_next`).
//
//===----------------------------------------------------------------------===//

#include "ScalarSteps.h"

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

  scf::ForOp loop;
  /// What comes in and what is handed on, by the number of the carried tile; those that are handed
  /// on to others come before these.
  llvm::MapVector<unsigned, std::pair<Moved, Moved>> members;
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
  return members.size();
}

unsigned tilec::tile::followIterations(scf::ForOp loop) { return Followed(loop).run(); }
