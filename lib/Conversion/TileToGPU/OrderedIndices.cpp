//===- OrderedIndices.cpp - Reductions that carry positions -----*- C++ -*-===//

#include "OrderedIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// Whether elements of \p value grow along \p axis.
static bool ascendsAlong(Value value, unsigned axis) {
  while ((value = rootAlong(value, axis)) && value.getDefiningOp<arith::ExtSIOp>())
    value = value.getDefiningOp()->getOperand(0);
  return value && value.getDefiningOp<MakeRangeOp>();
}

/// Whether the bits of a position that a register's number gives are given by nothing else, so that
/// registers are in one order whatever the thread.
static bool isOrderCommon(const LinearLayout &layout, unsigned axis) {
  auto bitsFrom = [&](InDim dim) {
    uint64_t bits = 0;
    for (uint64_t basis : layout.flatBases(dim))
      bits |= basis & layout.axisMask(axis);
    return bits;
  };
  uint64_t others = bitsFrom(InDim::Lane) | bitsFrom(InDim::Warp) | bitsFrom(InDim::Block);
  return (bitsFrom(InDim::Register) & others) == 0;
}

SmallVector<unsigned> tilec::tile::findIndices(ValueRange srcs, unsigned axis,
                                               const LinearLayout &layout) {
  SmallVector<unsigned> indices;
  if (isOrderCommon(layout, axis))
    for (auto [number, src] : llvm::enumerate(srcs))
      if (ascendsAlong(src, axis))
        indices.push_back(number);
  return indices;
}

/// What a comparison of a with b says for a < b, or for a > b; nothing for unsigned ones, since
/// positions may be negative.
static std::optional<bool> resultOf(arith::CmpIPredicate predicate, bool isBelow) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return false;
  case arith::CmpIPredicate::ne:
    return true;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return isBelow;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return !isBelow;
  default:
    return std::nullopt;
  }
}

void tilec::tile::cloneForAscending(Region &combine, ArrayRef<unsigned> indices, Region &ordered) {
  IRMapping mapping;
  combine.cloneInto(&ordered, mapping);
  Block &body = ordered.front();
  unsigned count = body.getNumArguments() / 2;
  for (auto compare : llvm::make_early_inc_range(body.getOps<arith::CmpIOp>()))
    for (unsigned index : indices) {
      Value first = body.getArgument(index), second = body.getArgument(index + count);
      bool isBelow = compare.getLhs() == first && compare.getRhs() == second;
      bool isAbove = compare.getLhs() == second && compare.getRhs() == first;
      auto result = resultOf(compare.getPredicate(), isBelow);
      if ((!isBelow && !isAbove) || !result)
        continue;
      OpBuilder builder(compare);
      Value known = arith::ConstantIntOp::create(builder, compare.getLoc(), *result, 1);
      compare.replaceAllUsesWith(known);
      compare.erase();
      break;
    }
}
