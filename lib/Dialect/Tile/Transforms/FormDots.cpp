//===- FormDots.cpp - sums of products as products of matrices --*- C++ -*-===//
//
// The pass `tile-form-dots`. A product of matrices can be written without tl.dot: two matrices are
// repeated along a third axis, multiplied and summed. As it is written every thread computes its
// share of M x N x K products, which live in registers; a dot keeps none of them, and where there
// are matrix instructions it is these that compute it.
//
// Factors that were narrower and have been extended are multiplied as what they were, which is
// exact. Products of f32 are sums of three products of narrower parts (tf32x3), nearly as precise
// as f32 is: Triton rounds such factors to tf32.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFORMDOTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Rows, columns and depth that a dot has at least: below, its instructions would compute zeros.
static constexpr int64_t kLeastSize = 16;

namespace {

/// A matrix that is repeated along `axis` of a tile of rank 3.
struct Factor {
  unsigned axis = 0;
  Value box;    ///< The matrix, of rank 3 and size 1 along `axis`.
  Value narrow; ///< What `box` is extended from, if it is.
};

} // namespace

/// The factor that `value` is, if it is repeated along exactly one axis.
static std::optional<Factor> factorOf(Value value) {
  auto repeated = value.getDefiningOp<BroadcastOp>();
  if (!repeated)
    return std::nullopt;
  Factor factor;
  factor.box = repeated.getSrc();
  auto from = cast<RankedTensorType>(factor.box.getType()).getShape();
  auto to = cast<RankedTensorType>(value.getType()).getShape();
  unsigned count = 0;
  for (auto [axis, sizes] : llvm::enumerate(llvm::zip_equal(from, to)))
    if (std::get<0>(sizes) != std::get<1>(sizes)) {
      factor.axis = axis;
      ++count;
    }
  if (count != 1)
    return std::nullopt;
  Value wide = factor.box;
  auto expand = wide.getDefiningOp<ExpandDimsOp>();
  if (expand)
    wide = expand.getSrc();
  auto extend = wide.getDefiningOp<arith::ExtFOp>();
  if (extend && isa<Float16Type, BFloat16Type>(elementOf(extend.getIn().getType())))
    factor.narrow = extend.getIn();
  return factor;
}

/// The matrix of `factor` with its depth, axis `depth` of the box, in the last dimension or in the
/// first one.
static Value matrixOf(const Factor &factor, bool isNarrow, unsigned depth, bool isDepthLast,
                      OpBuilder &b) {
  Value source = isNarrow ? factor.narrow : factor.box;
  Location loc = source.getLoc();
  auto shape = llvm::to_vector(cast<RankedTensorType>(factor.box.getType()).getShape());
  shape.erase(shape.begin() + factor.axis);
  Value matrix = b.createOrFold<ReshapeOp>(
      loc, RankedTensorType::get(shape, elementOf(source.getType())), source);
  unsigned other = 3 - depth - factor.axis;
  if ((depth > other) == isDepthLast)
    return matrix;
  auto turned = RankedTensorType::get({shape[1], shape[0]}, elementOf(source.getType()));
  return PermuteOp::create(b, loc, turned, matrix, ArrayRef<int32_t>{1, 0});
}

/// The dot that gives what `sum` gives, or null if `sum` is no sum of products of two matrices.
static Value formDot(ReduceOp sum) {
  auto product =
      sum.getSrcs().size() == 1 ? sum.getSrcs()[0].getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product || !isa_and_nonnull<arith::AddFOp>(sum.getSingleCombiner()))
    return {};
  auto type = dyn_cast<RankedTensorType>(product.getType());
  if (!type || type.getRank() != 3 || !type.getElementType().isF32() ||
      llvm::any_of(type.getShape(), [](int64_t size) { return size < kLeastSize; }))
    return {};
  std::optional<Factor> lhs = factorOf(product.getLhs()), rhs = factorOf(product.getRhs());
  unsigned depth = sum.getAxis();
  if (!lhs || !rhs || lhs->axis == depth || rhs->axis == depth || lhs->axis == rhs->axis)
    return {};
  // The left factor has the rows, which are the first of the two axes that stay.
  if (lhs->axis < rhs->axis)
    std::swap(lhs, rhs);
  OpBuilder b(sum);
  bool isNarrow = lhs->narrow && rhs->narrow &&
                  elementOf(lhs->narrow.getType()) == elementOf(rhs->narrow.getType());
  Value zero =
      arith::ConstantOp::create(b, sum.getLoc(), b.getZeroAttr(sum.getResult(0).getType()));
  return DotOp::create(b, sum.getLoc(), matrixOf(*lhs, isNarrow, depth, true, b),
                       matrixOf(*rhs, isNarrow, depth, false, b), zero,
                       isNarrow ? DotPrecision::IEEE : DotPrecision::TF32x3);
}

namespace {

struct FormDots : tilec::tile::impl::TileFormDotsBase<FormDots> {
  void runOnOperation() override {
    if (!isEnabled(getOperation(), tilec::GpuHeuristic::FormDots))
      return;
    getOperation().walk([&](ReduceOp sum) {
      if (Value dot = formDot(sum)) {
        sum.getResult(0).replaceAllUsesWith(dot);
        sum.erase();
        ++numFormed;
      }
    });
  }
};

} // namespace
