//===- Wraps.cpp - ranges that addresses take modulo a size ----*- C++ -*-===//
//
// Kernels keep the addresses of a last, partial block inside an array by `offsets % M`, and no
// vectoriser knows that elements follow each other behind a remainder. All other blocks are inside
// the array as they are: a group whose addresses have such remainders is written twice, without
// them for blocks that are inside, and as it is for the others.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

namespace {

/// The least and the greatest element of a tile as i64, neither of which has wrapped around.
struct Bounds {
  Value least, greatest;
};

/// Writes bounds of tiles that are sums of ranges and scalars of 32 bits.
class BoundsWriter {
public:
  BoundsWriter(KernelState &state, Location loc)
      : scalars(state.scalars), b(state.builder), loc(loc) {}

  Bounds of(Value tile);
  /// True (as a value) where `remainder`, one of wrapsOf(), is its left operand.
  Value isIdentity(Value remainder);

private:
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Bounds constant(int64_t least, int64_t greatest) { return {number(least), number(greatest)}; }

  const IRMapping &scalars;
  OpBuilder &b;
  Location loc;
};

} // namespace

/// Operations that a range's start and end are sought through: offsets have fewer, and sums of sums
/// of one value would be trees.
static constexpr unsigned kMaxDepth = 6;

/// True for what BoundsWriter knows.
static bool hasBounds(Value tile, unsigned depth = 0) {
  if (!elementOf(tile.getType()).isInteger(32))
    return false;
  Operation *op = tile.getDefiningOp();
  DenseIntElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return constant.isSplat();
  if (isa_and_present<MakeRangeOp, SplatOp>(op))
    return true;
  if (depth == kMaxDepth || !isa_and_present<ExpandDimsOp, BroadcastOp, arith::AddIOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [=](Value part) { return hasBounds(part, depth + 1); });
}

Bounds BoundsWriter::of(Value tile) {
  Operation *op = tile.getDefiningOp();
  DenseIntElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat))) {
    int64_t value = splat.getSplatValue<APInt>().getSExtValue();
    return constant(value, value);
  }
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return constant(range.getStart(), int64_t(range.getEnd()) - 1);
  if (auto scalar = dyn_cast<SplatOp>(op)) {
    Value source = scalars.lookupOrDefault(scalar.getSrc());
    Value value = arith::ExtSIOp::create(b, loc, b.getI64Type(), source);
    return {value, value};
  }
  if (isa<ExpandDimsOp, BroadcastOp>(op))
    return of(op->getOperand(0));
  Bounds left = of(op->getOperand(0)), right = of(op->getOperand(1));
  return {arith::AddIOp::create(b, loc, left.least, right.least),
          arith::AddIOp::create(b, loc, left.greatest, right.greatest)};
}

Value BoundsWriter::isIdentity(Value remainder) {
  Operation *op = remainder.getDefiningOp();
  Bounds offsets = of(op->getOperand(0)), size = of(op->getOperand(1));
  using arith::CmpIPredicate;
  Value first = arith::CmpIOp::create(b, loc, CmpIPredicate::sge, offsets.least, number(0));
  Value last = arith::CmpIOp::create(b, loc, CmpIPredicate::slt, offsets.greatest, size.least);
  return arith::AndIOp::create(b, loc, first, last);
}

SmallVector<Value> cpu::wrapsOf(const Group &group) {
  SmallVector<Value> open, wraps;
  for (const Step *step : group.steps)
    if (step->op && isa<LoadOp, StoreOp>(step->op))
      open.push_back(step->op->getOperand(0));
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value tile = open.pop_back_val();
    Operation *op = tile.getDefiningOp();
    if (!op || !isTile(tile) || !isInline(op) || !seen.insert(tile).second)
      continue;
    if (isa<arith::RemSIOp, arith::RemUIOp>(op) &&
        llvm::all_of(op->getOperands(), [](Value part) { return hasBounds(part); }))
      wraps.push_back(tile);
    else
      llvm::append_range(open, op->getOperands());
  }
  return wraps;
}

Value cpu::emitIsInside(KernelState &state, Location loc, ValueRange wraps) {
  Value all;
  for (Value wrap : wraps) {
    Value one = BoundsWriter(state, loc).isIdentity(wrap);
    all = all ? arith::AndIOp::create(state.builder, loc, all, one) : one;
  }
  return all;
}
