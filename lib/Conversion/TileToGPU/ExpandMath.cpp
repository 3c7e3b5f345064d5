//===- ExpandMath.cpp - how the GPU computes each function -----*- C++ -*-===//
//
// The pass `tile-expand-math`. What is left after it are operations that LLVM selects to one or a
// few instructions: arithmetic, exp2 and sqrt with or without `afn`, fma, rounding.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "FloatCode.h"
#include "MathExpansions.h"
#include "TrigExpansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Support/Workarounds.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEEXPANDMATH
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }
static bool isF64(Value value) { return getElementTypeOrSelf(value.getType()).isF64(); }

static bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

namespace {

/// e^x = 2^(x log2(e)). `ex2.approx` takes three more instructions where the result may be
/// denormal; the square of half the power takes one, since the halving is part of the factor, and
/// no power that matters is denormal before it is squared.
struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (isF64(op.getOperand())) {
      rewriter.replaceOp(op, expandExpF64(rewriter, op.getLoc(), op.getOperand()));
      return success();
    }
    if (!isF32(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "neither f64 nor f32");
    if (!isApproximate(op.getFastmath())) {
      rewriter.replaceOp(op, expandExpF32(rewriter, op.getLoc(), op.getOperand()));
      return success();
    }
    Location loc = op.getLoc();
    Value factor = splatConstant(rewriter, loc, op.getType(), 1.4426950408889634 / 2);
    Value scaled = arith::MulFOp::create(rewriter, loc, op.getOperand(), factor, kMayFuse);
    Value root = callOnElements(rewriter, loc, "llvm.nvvm.ex2.approx.ftz", {scaled});
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, root, root, kMayFuse);
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

using Expansion = Value (*)(OpBuilder &, Location, Value);

/// A function with an expansion for f32, and maybe one for f64.
template <typename OpT, Expansion forF32, Expansion forF64>
struct ExpandFunction : OpRewritePattern<OpT> {
  // Before the polynomials of upstream, which also match.
  ExpandFunction(MLIRContext *context) : OpRewritePattern<OpT>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Expansion expand = isF32(op.getOperand()) ? forF32 : isF64(op.getOperand()) ? forF64 : nullptr;
    if (!expand)
      return rewriter.notifyMatchFailure(op, "no expansion for this type");
    rewriter.replaceOp(op, expand(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

/// A sine or a cosine, with those of the other kind that have the same argument. Upstream's
/// math-sincos-fusion would be one more walk over every kernel.
template <typename OpT, typename OtherT> struct SineOrCosine : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isF32(x) && !isF64(x))
      return rewriter.notifyMatchFailure(op, "only f32 and f64 have an expansion");
    SmallVector<Operation *> ops = {op};
    for (Operation *user : x.getUsers())
      if (isa<OtherT>(user) && user->getBlock() == op->getBlock())
        ops.push_back(user);
    rewriter.setInsertionPoint(
        *llvm::min_element(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); }));
    SinCos both = expandSinCos(rewriter, op.getLoc(), x);
    for (Operation *each : ops)
      rewriter.replaceOp(each, isa<math::SinOp>(each) ? both.sin : both.cos);
    return success();
  }
};

struct Tangent : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()) && !isF64(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "only f32 and f64 have an expansion");
    rewriter.replaceOp(op, expandTan(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

struct Remainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()) && !isF64(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "only f32 and f64 have an expansion");
    rewriter.replaceOp(op, expandRemainder(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

struct FullRangeDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()) || !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
      return rewriter.notifyMatchFailure(op, "division must round to nearest");
    rewriter.replaceOp(op, callOnElements(rewriter, op.getLoc(), "llvm.nvvm.div.full",
                                          {op.getLhs(), op.getRhs()}));
    return success();
  }
};

/// Whether an ulp or two and denormal operands taken for zeros do no harm.
static bool isHardwareForm(arith::FastMathFlags flags) {
  return isApproximate(flags) && bitEnumContainsAll(flags, arith::FastMathFlags::arcp);
}

struct HardwareDivision : OpRewritePattern<arith::DivFOp> {
  HardwareDivision(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()) || !isHardwareForm(op.getFastmath()))
      return rewriter.notifyMatchFailure(op, "the quotient must be accurate");
    Value reciprocal =
        callOnElements(rewriter, op.getLoc(), "llvm.nvvm.rcp.approx.ftz.f", {op.getRhs()});
    // Its rounding may matter to what follows: no part of a multiply-add.
    if (matchPattern(op.getLhs(), m_OneFloat()))
      rewriter.replaceOp(op, reciprocal);
    else
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal);
    return success();
  }
};

struct HardwareRoot : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SqrtOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()) || !isHardwareForm(op.getFastmath()))
      return rewriter.notifyMatchFailure(op, "the root must be accurate");
    rewriter.replaceOp(op, callOnElements(rewriter, op.getLoc(), "llvm.nvvm.sqrt.approx.ftz.f",
                                          {op.getOperand()}));
    return success();
  }
};

/// A function that is one instruction, or its result times a constant.
template <typename OpT> struct HardwareFunction : OpRewritePattern<OpT> {
  HardwareFunction(MLIRContext *context, StringRef intrinsic, double factor = 1)
      : OpRewritePattern<OpT>(context, /*benefit=*/3), intrinsic(intrinsic), factor(factor) {}

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()) || !isHardwareForm(op.getFastmath()))
      return rewriter.notifyMatchFailure(op, "the function must be accurate");
    Value result = callOnElements(rewriter, op.getLoc(), intrinsic, {op.getOperand()});
    if (factor != 1) {
      FloatCode code(rewriter, op.getLoc(), op.getType());
      result = code.mul(result, code.real(factor));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  StringRef intrinsic;
  double factor;
};

/// A tile divided by a scalar: by its reciprocal. Divisors that are so small or large that they or
/// their reciprocals are denormal are scaled first, and only then each element is, as `div.full`
/// does.
struct DivisionByScalar : OpRewritePattern<arith::DivFOp> {
  DivisionByScalar(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto splat = op.getRhs().getDefiningOp<vector::BroadcastOp>();
    if (!isF32(op.getLhs()) || !type ||
        type.getNumElements() < getTarget(op).tuning().code.leastDivided || !splat ||
        !splat.getSource().getType().isF32() ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
      return rewriter.notifyMatchFailure(op, "no approximate division of several by one");
    Location loc = op.getLoc();
    Value divisor = splat.getSource();
    Scale scale = chooseScale(rewriter, loc, divisor);
    auto broadcast = [&](Value scalar) -> Value {
      return vector::BroadcastOp::create(rewriter, loc, type, scalar);
    };
    auto scaled = scf::IfOp::create(rewriter, loc, type, scale.needed, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(scaled.thenBlock());
    Value product = arith::MulFOp::create(rewriter, loc, op.getLhs(), broadcast(scale.factor));
    scf::YieldOp::create(rewriter, loc, product);
    rewriter.setInsertionPointToStart(scaled.elseBlock());
    scf::YieldOp::create(rewriter, loc, op.getLhs());
    rewriter.setInsertionPointAfter(scaled);
    Value moderate = arith::MulFOp::create(rewriter, loc, divisor, scale.factor);
    Value reciprocal = callOnElements(rewriter, loc, "llvm.nvvm.rcp.approx.ftz.f", {moderate});
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, scaled.getResult(0), broadcast(reciprocal));
    return success();
  }

private:
  struct Scale {
    Value needed, factor;
  };

  static Scale chooseScale(PatternRewriter &rewriter, Location loc, Value x) {
    Value size = math::AbsFOp::create(rewriter, loc, x);
    auto constant = [&](double value) { return splatConstant(rewriter, loc, x.getType(), value); };
    auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, size, constant(bound));
    };
    Value small = compare(arith::CmpFPredicate::OLT, 0x1p-126);
    Value large = compare(arith::CmpFPredicate::OGT, 0x1p126);
    Value down = arith::SelectOp::create(rewriter, loc, large, constant(0x1p-2), constant(1));
    Value factor = arith::SelectOp::create(rewriter, loc, small, constant(0x1p24), down);
    return {arith::OrIOp::create(rewriter, loc, small, large), factor};
  }
};

/// x / (c + y) with y not below 0, as in a sigmoid: the divisor is no denormal number, so scaling
/// always, by what keeps the largest ones' reciprocals normal, makes `div.full` of the reciprocal
/// without its choices.
struct DivisionByPositive : OpRewritePattern<arith::DivFOp> {
  DivisionByPositive(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()) || !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp) ||
        !isPositiveSum(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "no approximate division by a positive sum");
    Location loc = op.getLoc();
    Value quarter = splatConstant(rewriter, loc, op.getType(), 0.25);
    Value divisor = arith::MulFOp::create(rewriter, loc, op.getRhs(), quarter);
    Value inverse = callOnElements(rewriter, loc, "llvm.nvvm.rcp.approx.ftz.f", {divisor});
    // The dividend first: its product with the inverse could overflow.
    Value dividend = arith::MulFOp::create(rewriter, loc, op.getLhs(), quarter);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, dividend, inverse, kMayFuse);
    return success();
  }

private:
  static bool isPositiveSum(Value value) {
    auto sum = value.getDefiningOp<arith::AddFOp>();
    return sum && ((isConstantAbove0(sum.getLhs()) && isNotNegative(sum.getRhs())) ||
                   (isConstantAbove0(sum.getRhs()) && isNotNegative(sum.getLhs())));
  }

  static bool isConstantAbove0(Value value) {
    APFloat constant(0.0f);
    return matchPattern(value, m_ConstantFloat(&constant)) && constant.isFinite() &&
           constant.convertToFloat() >= 0x1p-120f;
  }

  static bool isNotNegative(Value value) {
    if (auto product = value.getDefiningOp<arith::MulFOp>())
      return product.getLhs() == product.getRhs();
    return isa_and_nonnull<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(
        value.getDefiningOp());
  }
};

/// fma of bf16 where no instruction has it. LLVM would compute in f32, which loses what decides
/// about a product halfway between two bf16. f64 has all of the product; where it loses some of the
/// sum, the last bit is made odd, so that rounding it to bf16 is as good as rounding the exact sum.
struct FmaBF16 : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        getTarget(op).has(tilec::GpuFeature::Bf16Fma))
      return rewriter.notifyMatchFailure(op, "not of bf16, or there is an instruction");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto typeOf = [&](Type element) {
      auto vector = dyn_cast<VectorType>(op.getType());
      return vector ? Type(vector.clone(element)) : element;
    };
    Type wide = typeOf(b.getF64Type()), word = typeOf(b.getI64Type());
    auto integer = [&](int64_t value) {
      return arith::ConstantOp::create(
          b, isa<VectorType>(word)
                 ? TypedAttr(DenseElementsAttr::get(cast<VectorType>(word), value))
                 : TypedAttr(b.getI64IntegerAttr(value)));
    };
    auto widened = [&](Value x) { return arith::ExtFOp::create(b, wide, x); };
    auto isAbove = [&](Value x, Value y) {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
    };
    Value product = arith::MulFOp::create(b, widened(op.getA()), widened(op.getB()));
    Value c = widened(op.getC()), sum = arith::AddFOp::create(b, product, c);
    Value ofSum = arith::SubFOp::create(b, sum, product);
    Value lost = arith::SubFOp::create(b, product, arith::SubFOp::create(b, sum, ofSum));
    Value error = arith::AddFOp::create(b, lost, arith::SubFOp::create(b, c, ofSum));
    Value bits = arith::BitcastOp::create(b, word, sum), zero = integer(0), one = integer(1);
    Value none = arith::BitcastOp::create(b, wide, zero);
    // NaN, for infinite sums, is not unequal.
    Value isInexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, error, none);
    Value isEven = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         arith::AndIOp::create(b, bits, one), zero);
    Value isShort = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, isAbove(error, none),
                                          isAbove(sum, none));
    Value odd = arith::SelectOp::create(b, isShort, arith::AddIOp::create(b, bits, one),
                                        arith::SubIOp::create(b, bits, one));
    Value moves = arith::AndIOp::create(b, isInexact, isEven);
    Value result = arith::BitcastOp::create(b, wide, arith::SelectOp::create(b, moves, odd, bits));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// bf16 is the upper half of f32. LLVM sees no extension from bf16, which it could draw wrong
/// conclusions from (the workaround bfloat-as-half), and two elements are extended from one word.
struct ExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not from bf16");
    Location loc = op.getLoc();
    auto vector = dyn_cast<VectorType>(op.getType());
    Type single = rewriter.getF32Type();
    if (vector)
      single = vector.clone(single);
    Value bits = vector && vector.getNumElements() % 2 == 0
                     ? extendPairs(rewriter, loc, op.getIn(), vector.getNumElements())
                     : extendEach(rewriter, loc, op.getIn());
    Value extended = arith::BitcastOp::create(rewriter, loc, single, bits);
    if (op.getType() == single)
      rewriter.replaceOp(op, extended);
    else
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), extended);
    return success();
  }

private:
  /// Working on whole words costs one instruction an element; taking the halves apart first costs
  /// another one.
  static Value extendPairs(OpBuilder &b, Location loc, Value elements, int64_t size) {
    auto words = VectorType::get({size / 2}, b.getI32Type());
    auto constant = [&](int32_t value) {
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(words, value));
    };
    Value pairs = LLVM::BitcastOp::create(b, loc, words, elements);
    Value even = arith::ShLIOp::create(b, loc, pairs, constant(16));
    Value odd = arith::AndIOp::create(b, loc, pairs, constant(int32_t(0xffff0000)));
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < size; ++i)
      order.push_back(i / 2 + (i % 2) * size / 2);
    return vector::ShuffleOp::create(b, loc, even, odd, order);
  }

  static Value extendEach(OpBuilder &b, Location loc, Value elements) {
    Type half = b.getI16Type(), word = b.getI32Type();
    Value amount = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 16);
    if (auto vector = dyn_cast<VectorType>(elements.getType())) {
      half = vector.clone(half);
      word = vector.clone(word);
      amount = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(cast<VectorType>(word), int32_t(16)));
    }
    Value bits = arith::BitcastOp::create(b, loc, half, elements);
    return arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, word, bits), amount);
  }
};

struct ReciprocalSqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op, PatternRewriter &rewriter) const override {
    if (isF32(op.getOperand()) && isApproximate(op.getFastmath())) {
      rewriter.replaceOp(
          op, callOnElements(rewriter, op.getLoc(), "llvm.nvvm.rsqrt.approx.f", {op.getOperand()}));
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

/// As under Triton, exp2 of f32 is 0 where it would be denormal, which saves three instructions.
/// Last of all, since other patterns know that exp2 is not negative.
void flushExp2(Operation *kernels) {
  kernels->walk([](math::Exp2Op op) {
    if (!isF32(op.getOperand()))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        callOnElements(builder, op.getLoc(), "llvm.nvvm.ex2.approx.ftz", {op.getOperand()}));
    op.erase();
  });
}

struct ExpandMath : tilec::tile::impl::TileExpandMathBase<ExpandMath> {
  using TileExpandMathBase::TileExpandMathBase;

  void runOnOperation() override {
    // First, while the conversions are the kernel's own: those that expansions make know their
    // arguments.
    expandConversions(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<SineOrCosine<math::SinOp, math::CosOp>, SineOrCosine<math::CosOp, math::SinOp>,
                 Tangent>(&getContext());
    patterns.add<ExpToExp2, Exp2F64, FmaBF16, Remainder, FullRangeDivision, HardwareDivision,
                 HardwareRoot, DivisionByScalar, DivisionByPositive, ReciprocalSqrt,
                 ExpandFunction<math::LogOp, expandLogF32, expandLogF64>,
                 ExpandFunction<math::Log2Op, expandLog2F32, expandLog2F64>,
                 ExpandFunction<math::TanhOp, expandTanhF32, nullptr>,
                 ExpandFunction<math::ErfOp, expandErfF32, nullptr>>(&getContext());
    constexpr double ln2 = 0.69314718055994531;
    patterns.add<HardwareFunction<math::LogOp>>(&getContext(), "llvm.nvvm.lg2.approx.ftz.f", ln2);
    patterns.add<HardwareFunction<math::Log2Op>>(&getContext(), "llvm.nvvm.lg2.approx.ftz.f");
    patterns.add<HardwareFunction<math::SinOp>>(&getContext(), "llvm.nvvm.sin.approx.ftz.f");
    patterns.add<HardwareFunction<math::CosOp>>(&getContext(), "llvm.nvvm.cos.approx.ftz.f");
    if (tilec::isEnabled(tilec::Workaround::BFloatAsHalf))
      patterns.add<ExtendBF16>(&getContext());
    auto hasUpstream = [](StringRef name) {
      return name != math::ExpOp::getOperationName() && name != math::LogOp::getOperationName() &&
             name != math::Log2Op::getOperationName() && name != math::SinOp::getOperationName() &&
             name != math::CosOp::getOperationName();
    };
    populateMathPolynomialApproximationPatterns(patterns, hasUpstream);
    // What the patterns are for, and what they make of it: most kernels have little of it.
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::DivFOp, arith::RemFOp, arith::ExtFOp>(op) ||
          isa_and_nonnull<math::MathDialect>(op->getDialect()))
        functions.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isNative(op))
        return;
      op->emitError() << op->getName().stripDialect() << " of "
                      << getElementTypeOrSelf(op->getResult(0).getType())
                      << " is not supported on GPUs yet";
      signalPassFailure();
    });
    flushExp2(getOperation());
  }
};

} // namespace
