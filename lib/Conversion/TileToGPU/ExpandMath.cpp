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
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// A tile divided by a scalar. `div.full` scales both operands, two multiplications an element, for divisors
/// that are very small or large. Most are neither; then one multiplication by the reciprocal is the same.
struct DivisionByScalar : OpRewritePattern<arith::DivFOp> {
  DivisionByScalar(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto splat = op.getRhs().getDefiningOp<vector::BroadcastOp>();
    if (!isF32(op.getLhs()) || !type || type.getNumElements() < kLeastElements || !splat ||
        !splat.getSource().getType().isF32() ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
      return rewriter.notifyMatchFailure(op, "no approximate division of several by one");
    Location loc = op.getLoc();
    Value divisor = splat.getSource();
    auto branch = scf::IfOp::create(rewriter, loc, type, isModerate(rewriter, loc, divisor),
                                    /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value reciprocal =
        callOnElements(rewriter, loc, "llvm.nvvm.rcp.approx.ftz.f", {divisor});
    Value factors = vector::BroadcastOp::create(rewriter, loc, type, reciprocal);
    Value quotient = arith::MulFOp::create(rewriter, loc, op.getLhs(), factors);
    scf::YieldOp::create(rewriter, loc, quotient);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    Value slow = callOnElements(rewriter, loc, "llvm.nvvm.div.full", {op.getLhs(), op.getRhs()});
    scf::YieldOp::create(rewriter, loc, slow);
    rewriter.replaceOp(op, branch);
    return success();
  }

private:
  static constexpr int64_t kLeastElements = 4;

  /// Whether neither |x| nor its reciprocal is denormal.
  static Value isModerate(PatternRewriter &rewriter, Location loc, Value x) {
    Value size = math::AbsFOp::create(rewriter, loc, x);
    Value least = splatConstant(rewriter, loc, x.getType(), 0x1p-126);
    Value most = splatConstant(rewriter, loc, x.getType(), 0x1p126);
    Value low = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGE, size, least);
    Value high = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLE, size, most);
    return arith::AndIOp::create(rewriter, loc, low, high);
  }
};

/// bf16 is the upper half of f32. Working on whole words costs one instruction an element; taking the halves
/// apart first costs another one.
struct ExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF32() || type.getNumElements() % 2 != 0 ||
        !getElementTypeOrSelf(op.getIn().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "no pairs of bf16");
    Location loc = op.getLoc();
    int64_t size = type.getNumElements();
    auto words = VectorType::get({size / 2}, rewriter.getI32Type());
    auto constant = [&](int32_t value) {
      return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(words, value));
    };
    Value pairs = LLVM::BitcastOp::create(rewriter, loc, words, op.getIn());
    Value even = arith::ShLIOp::create(rewriter, loc, pairs, constant(16));
    Value odd = arith::AndIOp::create(rewriter, loc, pairs, constant(int32_t(0xffff0000)));
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < size; ++i)
      order.push_back(i / 2 + (i % 2) * size / 2);
    Value bits = vector::ShuffleOp::create(rewriter, loc, even, odd, order);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
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
    patterns.add<ExpToExp2, Exp2F64, FullRangeDivision, DivisionByScalar, ExtendBF16, ReciprocalSqrt,
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
