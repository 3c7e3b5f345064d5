//===- SelectedElement.cpp - Sums of one element ----------------*- C++ -*-===//

#include "SelectedElement.h"

#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// The integer that all elements of \p tile are; null if they may differ.
static OpFoldResult commonElement(Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return splat.getSrc();
  DenseElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<Attribute>();
  return {};
}

std::optional<SelectedElement> SelectedElement::find(Value source, unsigned axis) {
  auto select = source.getDefiningOp<arith::SelectOp>();
  if (!select || !(matchPattern(select.getFalseValue(), m_PosZeroFloat()) ||
                   matchPattern(select.getFalseValue(), m_Zero())))
    return std::nullopt;
  Value condition = rootAlong(select.getCondition(), axis);
  auto equal = condition ? condition.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  for (auto [places, place] :
       {std::pair(equal.getLhs(), equal.getRhs()), std::pair(equal.getRhs(), equal.getLhs())}) {
    unsigned along = axis;
    Value root = rootAlong(places, along);
    auto range = root ? root.getDefiningOp<MakeRangeOp>() : MakeRangeOp();
    OpFoldResult common = commonElement(place);
    if (range && common)
      return SelectedElement{common, int64_t(range.getStart())};
  }
  return std::nullopt;
}

SmallVector<uint64_t> tilec::tile::lanesOfPlaces(const LinearLayout &layout, unsigned axis) {
  uint64_t mask = layout.axisMask(axis);
  SmallVector<uint64_t> lanes(layout.axisBits(axis), 0);
  for (auto [bit, basis] : llvm::enumerate(layout.flatBases(InDim::Lane))) {
    if ((basis & mask) == 0)
      continue;
    if (!llvm::isPowerOf2_64(basis))
      return {};
    lanes[llvm::Log2_64(basis) - layout.axisShift(axis)] = uint64_t(1) << bit;
  }
  return lanes;
}
