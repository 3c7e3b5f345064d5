//===- TileGathers.cpp - gathers at known distances -------------*- C++ -*-===//
//
// An index that is its position with some bits changed asks for a permutation that is known: flips
// of parts of the axis, which are shuffles and other names of registers where warps have them all.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilec::tile;

Value tilec::tile::rootAlong(Value value, unsigned &axis) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
      if (expand.getAxis() == axis)
        return {};
      axis -= axis > expand.getAxis();
    } else if (isa<BroadcastOp>(op)) {
      auto sizeOf = [&](Value tile) {
        return cast<RankedTensorType>(tile.getType()).getDimSize(axis);
      };
      if (sizeOf(op->getOperand(0)) != sizeOf(op->getResult(0)))
        return {};
    } else if (!isa<ConvertLayoutOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// The bits in which each of \p indices differs from its position along \p axis, of which there are
/// \p size; nothing if they are not the same everywhere, or not known.
static std::optional<uint64_t> bitsChanged(Value indices, unsigned axis, uint64_t size) {
  Value root = rootAlong(indices, axis);
  Operation *op = root ? root.getDefiningOp() : nullptr;
  // Narrow integers have not all positions.
  if (!op || elementOf(root.getType()).getIntOrFloatBitWidth() <= llvm::Log2_64(size))
    return std::nullopt;
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return range.getStart() == 0 ? std::optional<uint64_t>(0) : std::nullopt;
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return bitsChanged(op->getOperand(0), axis, size);
  // Without borrows a difference to the last position changes all bits.
  bool isXor = isa<arith::XOrIOp>(op);
  if (!isXor && !isa<arith::SubIOp>(op))
    return std::nullopt;
  APInt number;
  if (!matchPattern(op->getOperand(isXor ? 1 : 0), m_ConstantInt(&number)) || number.uge(size) ||
      (!isXor && number != size - 1))
    return std::nullopt;
  std::optional<uint64_t> changed = bitsChanged(op->getOperand(isXor ? 0 : 1), axis, size);
  return changed ? std::optional(*changed ^ number.getZExtValue()) : std::nullopt;
}

namespace {

struct GatherOfFlips : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    unsigned axis = op.getAxis();
    uint64_t size = type.getDimSize(axis);
    if (type != op.getSrc().getType() || type.getEncoding())
      return rewriter.notifyMatchFailure(op, "shapes differ, or layouts are chosen");
    std::optional<uint64_t> changed = bitsChanged(op.getIndices(), axis, size);
    if (!changed)
      return rewriter.notifyMatchFailure(op, "indices are no positions with other bits");

    // The axis in parts: runs of bits that change, and of those that do not, the highest first.
    SmallVector<int64_t> shape(type.getShape().take_front(axis));
    SmallVector<uint32_t> flipped;
    unsigned bits = llvm::Log2_64(size);
    for (unsigned end = bits; end > 0;) {
      bool isChanged = *changed >> (end - 1) & 1;
      unsigned begin = end;
      while (begin > 0 && bool(*changed >> (begin - 1) & 1) == isChanged)
        --begin;
      if (isChanged)
        flipped.push_back(shape.size());
      shape.push_back(int64_t(1) << (end - begin));
      end = begin;
    }
    if (bits == 0)
      shape.push_back(1);
    llvm::append_range(shape, type.getShape().drop_front(axis + 1));

    auto inParts = RankedTensorType::get(shape, type.getElementType());
    Value parts = rewriter.createOrFold<ReshapeOp>(op.getLoc(), inParts, op.getSrc());
    for (uint32_t part : flipped)
      parts = FlipOp::create(rewriter, op.getLoc(), parts, part);
    rewriter.replaceOp(op, rewriter.createOrFold<ReshapeOp>(op.getLoc(), type, parts));
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherOfFlips>(context);
}
