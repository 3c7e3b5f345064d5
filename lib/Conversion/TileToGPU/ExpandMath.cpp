//===- ExpandMath.cpp - how the GPU computes each function -----*- C++ -*-===//
//
// The pass `tile-expand-math`. What is left after it are operations that LLVM selects to one or a few
// instructions: arithmetic, exp2 and sqrt with or without `afn`, fma, rounding.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "MathExpansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_TILEEXPANDMATH
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }
static bool isF64(Value value) { return getElementTypeOrSelf(value.getType()).isF64(); }

static bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

static Value splatConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr scalar = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(shaped, Attribute(scalar)));
  return arith::ConstantOp::create(builder, loc, scalar);
}

/// Calls a scalar f32 intrinsic on each element.
static Value callOnElements(OpBuilder &builder, Location loc, StringRef intrinsic,
                            ArrayRef<Value> operands) {
  Type type = operands[0].getType();
  auto call = [&](ValueRange scalars) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                         builder.getStringAttr(intrinsic), scalars)
        ->getResult(0);
  };
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return call(operands);
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getDimSize(0); ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(builder, loc, operand, i));
    results.push_back(call(scalars));
  }
  return vector::FromElementsOp::create(builder, loc, vector, results);
}

namespace {

struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (isF64(op.getOperand())) {
      rewriter.replaceOp(op, expandExpF64(rewriter, op.getLoc(), op.getOperand()));
      return success();
    }
    if (!isF32(op.getOperand()) || !isApproximate(op.getFastmath()))
      return rewriter.notifyMatchFailure(op, "not f64 and not approximate f32");
    Value log2e = splatConstant(rewriter, op.getLoc(), op.getType(), 1.4426950408889634);
    Value scaled = arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(), log2e);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled, op.getFastmathAttr());
    return success();
  }
};

struct Exp2F64 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!isF64(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "the hardware has exp2 of f32");
    rewriter.replaceOp(op, expandExp2F64(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

template <typename OpT, Value (*expand)(OpBuilder &, Location, Value)>
struct Logarithm : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()) && !isF64(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "only f32 and f64 have an expansion");
    rewriter.replaceOp(op, expand(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

struct FullRangeDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()) ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
      return rewriter.notifyMatchFailure(op, "division must round to nearest");
    rewriter.replaceOp(op, callOnElements(rewriter, op.getLoc(), "llvm.nvvm.div.full",
                                          {op.getLhs(), op.getRhs()}));
    return success();
  }
};

struct ReciprocalSqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op, PatternRewriter &rewriter) const override {
    if (isF32(op.getOperand()) && isApproximate(op.getFastmath())) {
      rewriter.replaceOp(op, callOnElements(rewriter, op.getLoc(), "llvm.nvvm.rsqrt.approx.f",
                                            {op.getOperand()}));
      return success();
    }
    Value one = splatConstant(rewriter, op.getLoc(), op.getType(), 1);
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, one, root);
    return success();
  }
};

/// The operations that LLVM's NVPTX back end selects without a library.
bool isNative(Operation *op) {
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp,
          math::RoundEvenOp, math::SqrtOp, math::TruncOp, math::CtPopOp, math::CountLeadingZerosOp,
          math::CountTrailingZerosOp>(op))
    return true;
  return isa<math::Exp2Op>(op) && isF32(op->getOperand(0));
}

struct ExpandMath : mlir::tile::impl::TileExpandMathBase<ExpandMath> {
  using TileExpandMathBase::TileExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpToExp2, Exp2F64, FullRangeDivision, ReciprocalSqrt,
                 Logarithm<math::LogOp, expandLog>, Logarithm<math::Log2Op, expandLog2>>(
        &getContext());
    auto hasUpstream = [](StringRef name) {
      return name != math::ExpOp::getOperationName() && name != math::LogOp::getOperationName() &&
             name != math::Log2Op::getOperationName();
    };
    populateMathPolynomialApproximationPatterns(patterns, hasUpstream);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isNative(op))
        return;
      op->emitError() << op->getName().stripDialect() << " of "
                      << getElementTypeOrSelf(op->getResult(0).getType())
                      << " is not supported on GPUs yet";
      signalPassFailure();
    });
  }
};

} // namespace
