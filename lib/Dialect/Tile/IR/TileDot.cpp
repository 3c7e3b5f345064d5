//===- TileDot.cpp - products of matrices -----------------------*- C++ -*-===//
//
// The verifiers and the canonicalisation of products of matrices.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

using namespace mlir;
using namespace tilec::tile;

static LogicalResult verifyShapes(DotOp op) {
  ArrayRef<int64_t> lhs = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  ArrayRef<int64_t> rhs = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  ArrayRef<int64_t> acc = cast<RankedTensorType>(op.getType()).getShape();
  size_t rank = acc.size();
  if (lhs.size() != rank || rhs.size() != rank || rank < 2 || rank > 3)
    return op.emitOpError() << "expects three matrices, or three stacks of them, found ranks "
                            << lhs.size() << ", " << rhs.size() << " and " << rank;
  if (lhs[rank - 1] != rhs[rank - 2])
    return op.emitOpError() << "expects as many columns on the left as rows on the right, found "
                            << lhs[rank - 1] << " and " << rhs[rank - 2];
  SmallVector<int64_t> product(lhs);
  product.back() = rhs.back();
  if (acc != ArrayRef<int64_t>(product) || (rank == 3 && lhs[0] != rhs[0]))
    return op.emitOpError() << "cannot add the product of " << op.getLhs().getType() << " and "
                            << op.getRhs().getType() << " to " << op.getType();
  return success();
}

/// Whether bytes are what `as` says: both factors, of types that there are.
static LogicalResult verifyFloats(Operation *op, std::optional<Type> lhsFloat,
                                  std::optional<Type> rhsFloat, Type factor, Type sum) {
  if (!lhsFloat && !rhsFloat)
    return success();
  for (std::optional<Type> type : {lhsFloat, rhsFloat})
    if (!type || !isa<Float8E4M3FNType, Float8E5M2Type>(*type))
      return op->emitOpError() << "expects f8E4M3FN or f8E5M2 for both factors behind 'as'";
  if (!factor.isInteger(8) || !sum.isF32())
    return op->emitOpError() << "cannot accumulate products of " << factor << " as " << *lhsFloat
                             << " in " << sum;
  return success();
}

LogicalResult DotOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  Type lhs = elementOf(getLhs().getType()), rhs = elementOf(getRhs().getType());
  Type acc = elementOf(getType());
  if (lhs != rhs)
    return emitOpError() << "expects operands of one element type, found " << lhs << " and " << rhs;
  if (failed(verifyFloats(*this, getLhsFloat(), getRhsFloat(), lhs, acc)))
    return failure();
  bool fits = getLhsFloat() || (lhs.isF16() && (acc.isF16() || acc.isF32())) ||
              (lhs.isBF16() && acc.isF32()) || (lhs.isF32() && acc.isF32()) ||
              (lhs.isF64() && acc.isF64()) || (lhs.isInteger(8) && acc.isInteger(32));
  if (!fits)
    return emitOpError() << "cannot accumulate products of " << lhs << " in " << acc;
  if (getPiece() && !getLhsFloat())
    return emitOpError() << "expects pieces of products of 8-bit floats only, found " << lhs;
  if (getPrecision() != DotPrecision::IEEE && !lhs.isF32())
    return emitOpError() << "expects '" << stringifyDotPrecision(getPrecision())
                         << "' of operands of f32 only, found " << lhs;
  if (uint32_t rows = getRowsTogether(); rows != 1 && rows != 2 && rows != 4)
    return emitOpError() << "expects 1, 2 or 4 rows together, found " << rows;
  return success();
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

/// The shape of a factor, in a tile or a buffer.
static FailureOr<SmallVector<int64_t>> factorShape(GroupDotOp op, Value factor, Value slot,
                                                   bool isTransposed) {
  auto buffer = dyn_cast<BufferType>(factor.getType());
  if (!buffer && (slot || isTransposed))
    return op.emitOpError() << "expects slots and transposed factors in buffers only, found "
                            << factor.getType();
  if (buffer && (slot != nullptr) != (buffer.getSlots() > 1))
    return op.emitOpError() << "expects a slot of a buffer with several, and of no other, found "
                            << buffer;
  SmallVector<int64_t> shape(buffer ? buffer.getShape()
                                    : cast<RankedTensorType>(factor.getType()).getShape());
  if (shape.size() != 2)
    return op.emitOpError() << "expects matrices, found " << factor.getType();
  if (isTransposed)
    std::swap(shape[0], shape[1]);
  return shape;
}

int64_t GroupDotOp::getFullDepth() {
  ArrayRef<int64_t> shape = cast<BufferType>(getRhs().getType()).getShape();
  return getRhsTransposed() ? shape[1] : shape[0];
}

std::pair<int64_t, int64_t> GroupDotOp::getDepthRange() {
  if (std::optional<ArrayRef<int64_t>> depth = getDepth())
    return {(*depth)[0], (*depth)[1]};
  return {0, getFullDepth()};
}

static LogicalResult verifyDepth(GroupDotOp op, int64_t elementBytes) {
  std::optional<ArrayRef<int64_t>> depth = op.getDepth();
  if (!depth)
    return success();
  int64_t step = kGroupDepthBytes / elementBytes, full = op.getFullDepth();
  if (depth->size() == 2 && (*depth)[0] >= 0 && (*depth)[0] % step == 0 && (*depth)[1] > 0 &&
      (*depth)[1] % step == 0 && (*depth)[0] < full && (*depth)[1] <= full - (*depth)[0])
    return success();
  return op.emitOpError() << "expects the first of " << full
                          << " elements of the depth and their count, both in steps of " << step;
}

static LogicalResult verifyParts(GroupDotOp op) {
  std::optional<int64_t> parts = op.getParts();
  auto type = cast<RankedTensorType>(op.getType());
  if (!parts || !getLayout(type))
    return success();
  // An instruction makes at least 8 columns.
  int64_t most = getLayout(type).toLinearLayout(type.getShape()).numRegisters() * kColumnsOfSum / 8;
  if (*parts >= 1 && *parts <= most && llvm::isPowerOf2_64(uint64_t(*parts)))
    return success();
  return op.emitOpError() << "expects a power of two of parts, at most " << most;
}

LogicalResult GroupDotOp::verify() {
  FailureOr<SmallVector<int64_t>> lhs =
      factorShape(*this, getLhs(), getLhsSlot(), getLhsTransposed());
  FailureOr<SmallVector<int64_t>> rhs =
      factorShape(*this, getRhs(), getRhsSlot(), getRhsTransposed());
  if (failed(lhs) || failed(rhs))
    return failure();
  auto type = cast<RankedTensorType>(getType());
  if ((*lhs)[1] != (*rhs)[0] || type.getShape() != ArrayRef<int64_t>{(*lhs)[0], (*rhs)[1]})
    return emitOpError() << "cannot add the product of " << getLhs().getType() << " and "
                         << getRhs().getType() << " to " << type;
  auto buffer = dyn_cast<BufferType>(getLhs().getType());
  Type left = buffer ? buffer.getElementType() : elementOf(getLhs().getType());
  Type right = cast<BufferType>(getRhs().getType()).getElementType();
  Type sum = type.getElementType();
  if (failed(verifyFloats(*this, getLhsFloat(), getRhsFloat(), left, sum)))
    return failure();
  bool isFloat = left.isF16() || left.isBF16() || left.isF32() || getLhsFloat();
  bool fits = (isFloat && sum.isF32()) || (left.isF16() && sum.isF16()) ||
              (left.isInteger(8) && !isFloat && sum.isInteger(32));
  if (left != right || !fits)
    return emitOpError() << "cannot accumulate products of " << left << " and " << right << " in "
                         << sum;
  if (failed(verifyParts(*this)))
    return failure();
  return verifyDepth(*this, byteSize(right));
}

LogicalResult GroupWaitOp::verify() {
  if (getValues().getTypes() != getResultTypes())
    return emitOpError() << "expects results of the values' types";
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

namespace {

/// dot(a, b, 0) + c is dot(a, b, c), so that an accumulator is one wherever it is written. Not for
/// fp8, whose products the hardware adds with fewer bits than an addition of f32 has: who writes
/// the addition gets it, as under Triton. Sums of pieces are added as f32 in any case.
template <typename AddOp> struct AddToAccumulator : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    DotOp left = dotFor(add, add.getLhs()), right = dotFor(add, add.getRhs());
    bool addsLeft = left && (!right || !hasFactorsBefore(left, right));
    DotOp dot = addsLeft ? left : right;
    if (!dot)
      return failure();
    auto sum = cast<DotOp>(rewriter.clone(*dot));
    sum.getAccMutable().assign(addsLeft ? add.getRhs() : add.getLhs());
    rewriter.replaceOp(add, sum);
    return success();
  }

private:
  /// The product that \p value is, if only \p add needs it and it adds to nothing.
  static DotOp dotFor(AddOp add, Value value) {
    auto dot = value.getDefiningOp<DotOp>();
    bool fits = dot && dot->hasOneUse() && dot->getBlock() == add->getBlock() &&
                (!dot.getLhsFloat() || dot.getPiece()) && isZero(dot.getAcc());
    return fits ? dot : DotOp();
  }

  /// Whether \p dot has both factors before \p other has, which are then needed no longer if it
  /// comes first.
  static bool hasFactorsBefore(DotOp dot, DotOp other) {
    Operation *last = lastFactorOf(dot), *lastOfOther = lastFactorOf(other);
    return lastOfOther && (!last || last->isBeforeInBlock(lastOfOther));
  }

  /// What makes the later factor of \p dot in its block; null if both come from outside.
  static Operation *lastFactorOf(DotOp dot) {
    Operation *last = nullptr;
    for (Value factor : {dot.getLhs(), dot.getRhs()}) {
      Operation *made = factor.getDefiningOp();
      if (made && made->getBlock() == dot->getBlock() && (!last || last->isBeforeInBlock(made)))
        last = made;
    }
    return last;
  }

  static bool isZero(Value tile) {
    return matchPattern(tile, m_Zero()) || matchPattern(tile, m_AnyZeroFloat());
  }
};

} // namespace

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddToAccumulator<arith::AddFOp>, AddToAccumulator<arith::AddIOp>>(context);
}
