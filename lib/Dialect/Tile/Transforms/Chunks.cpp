//===- Chunks.cpp - parts of a tile that differ in registers ----*- C++ -*-===//

#include "Chunks.h"

#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::InDim;
using tilec::layout::kNumInDims;
using tilec::layout::LinearLayout;

static unsigned axisShift(ArrayRef<int64_t> shape, unsigned axis) {
  unsigned shift = 0;
  for (int64_t size : shape.drop_front(axis + 1))
    shift += llvm::Log2_64(uint64_t(size));
  return shift;
}

uint64_t tilec::tile::axisBits(ArrayRef<int64_t> shape, unsigned axis) {
  return uint64_t(shape[axis] - 1) << axisShift(shape, axis);
}

/// Whether each of `bits` is the basis of one register bit, and in no other basis.
static bool areRegisters(const LinearLayout &layout, uint64_t bits) {
  uint64_t found = 0;
  for (unsigned dim = 0; dim < kNumInDims; ++dim)
    for (uint64_t basis : layout.flatBases(InDim(dim))) {
      if (!(basis & bits))
        continue;
      if (InDim(dim) != InDim::Register || !llvm::isPowerOf2_64(basis) || (found & basis))
        return false;
      found |= basis;
    }
  return found == bits;
}

/// What is left of `flat` without the bits at `bits`.
static uint64_t compress(uint64_t flat, uint64_t bits) {
  uint64_t result = 0;
  for (unsigned from = 0, to = 0; from < LinearLayout::kMaxTileBits; ++from)
    if (!(bits >> from & 1))
      result |= (flat >> from & 1) << to++;
  return result;
}

RankedTensorType tilec::tile::chunkOf(RankedTensorType type, uint64_t bits) {
  LayoutAttr attribute = getLayout(type);
  if (!attribute)
    return {};
  LinearLayout layout = attribute.toLinearLayout(type.getShape());
  if (!areRegisters(layout, bits))
    return {};
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    shape[axis] >>= llvm::popcount(bits & axisBits(type.getShape(), axis));
  LinearLayout::FlatBasisLists bases;
  for (unsigned dim = 0; dim < kNumInDims; ++dim)
    for (uint64_t basis : layout.flatBases(InDim(dim)))
      if (!(basis & bits))
        bases[dim].push_back(compress(basis, bits));
  std::string error;
  std::optional<LinearLayout> chunk =
      LinearLayout::createFlat({shape.begin(), shape.end()}, std::move(bases), error);
  assert(chunk && "a layout without some registers' bits has all elements of a chunk");
  return RankedTensorType::get(shape, type.getElementType(),
                               LayoutAttr::get(type.getContext(), *chunk));
}

/// `bits` of the axes of `from`, where axis `axes[i]` of it is axis i of `to`, those of axes that
/// are as long there.
static uint64_t moveBits(uint64_t bits, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         function_ref<unsigned(unsigned)> axisInFrom) {
  uint64_t result = 0;
  for (unsigned axis = 0; axis < to.size(); ++axis) {
    unsigned source = axisInFrom(axis);
    if (from[source] == to[axis])
      result |= (bits & axisBits(from, source)) >> axisShift(from, source) << axisShift(to, axis);
  }
  return result;
}

std::optional<uint64_t> tilec::tile::chunkBitsOfOperand(Operation *op, Value operand,
                                                        uint64_t bits) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
  if (isElementwise(op) || isa<ReshapeOp, ExpandDimsOp, ConvertLayoutOp>(op))
    return bits;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return moveBits(bits, broadcast.getType().getShape(), shape,
                    [](unsigned axis) { return axis; });
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    ArrayRef<int64_t> result = permute.getType().getShape();
    // Bits of two axes would have another order in the source, and chunks other numbers.
    if (llvm::none_of(llvm::seq<unsigned>(0, unsigned(result.size())),
                      [&](unsigned axis) { return !(bits & ~axisBits(result, axis)); }))
      return std::nullopt;
    SmallVector<unsigned> places(result.size());
    for (auto [place, axis] : llvm::enumerate(permute.getOrder()))
      places[axis] = unsigned(place);
    return moveBits(bits, result, shape, [&](unsigned axis) { return places[axis]; });
  }
  return std::nullopt;
}

SmallVector<uint64_t> tilec::tile::chunkBitsFor(RankedTensorType type, unsigned count) {
  LinearLayout layout = getLayout(type).toLinearLayout(type.getShape());
  SmallVector<uint64_t> sets;
  for (unsigned axis = unsigned(type.getRank()); axis-- > 0;) {
    uint64_t ofAxis = axisBits(type.getShape(), axis), bits = 0;
    for (unsigned i = 0; i < count && ofAxis; ++i) {
      uint64_t next = llvm::bit_floor(ofAxis);
      if (!areRegisters(layout, bits | next))
        break;
      bits |= next;
      ofAxis &= ~next;
    }
    if (bits)
      sets.push_back(bits);
  }
  return sets;
}
