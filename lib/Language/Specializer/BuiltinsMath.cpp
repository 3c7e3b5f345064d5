//===- BuiltinsMath.cpp - Element-wise mathematics --------------*- C++ -*-===//
//
// Functions that work element by element. The transcendental ones take fp32 and fp64 only; in fp32
// they carry the flag `afn`, which asks for the approximate form that the language promises.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Promotion.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;
namespace math = mlir::math;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static Object floatOperand(Interpreter &in, Args &args, unsigned index) {
  Object x = args.tensor(index);
  if (x.isPoison())
    return x;
  if (!x.dtype().isFP32() && !x.dtype().isFP64())
    return in.error(args.range(index), args.callee().fullName() +
                                           " takes float32 or float64, found " + x.typeStr() +
                                           "; cast with .to(tl.float32)");
  return x;
}

/// A function that the hardware approximates in fp32.
template <typename OpT> static Object approximate(Interpreter &in, Args &args) {
  Object x = floatOperand(in, args, 0);
  if (x.isPoison())
    return x;
  auto flags = x.dtype().isFP32() ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  return Object::tensor(OpT::create(in.ir(), in.loc(), x.value(), flags), x.dtype());
}

/// A function whose result is exact or correctly rounded.
template <typename OpT> static Object exact(Interpreter &in, Args &args) {
  Object x = floatOperand(in, args, 0);
  if (x.isPoison())
    return x;
  return Object::tensor(OpT::create(in.ir(), in.loc(), x.value()), x.dtype());
}

/// erf(x): of fp64, the one of libdevice.
static Object erf(Interpreter &in, Args &args) {
  Object x = floatOperand(in, args, 0);
  if (x.isPoison() || x.dtype().isFP32())
    return x.isPoison() ? x : exact<math::ErfOp>(in, args);
  return in.callWith(Object::function(in.deviceFunction("erf")), x, args.callRange());
}

/// sqrt_rn(x): fp32 only.
static Object sqrtRn(Interpreter &in, Args &args) {
  Object x = floatOperand(in, args, 0);
  if (!x.isPoison() && !x.dtype().isFP32())
    return in.error(args.range(0), "tl.sqrt_rn takes float32, found " + x.typeStr());
  return x.isPoison() ? x : exact<math::SqrtOp>(in, args);
}

static Object absolute(Interpreter &in, Args &args) {
  Object x = args.tensor(0);
  if (x.isPoison())
    return x;
  DType type = x.dtype();
  if (type.isPointer() || type.isFP8())
    return args.wrong(0, "a number");
  if (type.isFloat())
    return Object::tensor(math::AbsFOp::create(in.ir(), in.loc(), x.value()), type);
  if (type.isSignedInt())
    return Object::tensor(math::AbsIOp::create(in.ir(), in.loc(), x.value()), type);
  return x;
}

//===----------------------------------------------------------------------===//
// Two and three operands
//===----------------------------------------------------------------------===//

/// add, sub, mul: like the operators, but two literals give a tensor.
template <ast::BinaryOp op> static Object binary(Interpreter &in, Args &args) {
  Object x = args.operand(0), y = args.operand(1);
  if (x.isPoison() || y.isPoison())
    return Object::poison();
  if (!x.isTensor() && !y.isTensor()) {
    x = args.tensor(0);
    y = args.tensor(1);
  }
  return in.tensors().binary(op, x, y, args.range(0), args.range(1), args.callRange());
}

/// The value of propagate_nan: true for ALL.
static std::optional<bool> propagates(Args &args, unsigned index) {
  if (args[index].is(Object::Kind::Enum) && args[index].repr() != "KIND")
    return args[index].repr() == "PropagateNan.ALL";
  args.wrong(index, "tl.PropagateNan.ALL or tl.PropagateNan.NONE");
  return std::nullopt;
}

/// bfloat16 operands of min, max and clamp are computed in fp32.
static Object widenBF16(Interpreter &in, const Object &x, llvm::SMRange range) {
  return x.isTensor() && x.dtype().isBF16() ? in.tensors().cast(x, ScalarKind::FP32, range) : x;
}

static Object minMaxOf(Interpreter &in, Object x, Object y, bool isMax, bool propagateNan,
                       llvm::SMRange range) {
  std::array<Object, 2> operands = {widenBF16(in, x, range), widenBF16(in, y, range)};
  if (!in.tensors().unify(operands, range))
    return Object::poison();
  return in.tensors().minMax(isMax, operands[0], operands[1], propagateNan);
}

/// minimum(x, y, propagate_nan), maximum
template <bool isMax> static Object minMax(Interpreter &in, Args &args) {
  Object x = args.tensor(0), y = args.tensor(1);
  std::optional<bool> nan = propagates(args, 2);
  if (x.isPoison() || y.isPoison() || !nan)
    return Object::poison();
  return minMaxOf(in, x, y, isMax, *nan, args.callRange());
}

Object front::foldMinMax(Interpreter &in, const Object &x, const Object &y, bool isMax,
                         llvm::SMRange range) {
  return minMaxOf(in, in.tensors().materialize(x, range), in.tensors().materialize(y, range), isMax,
                  false, range);
}

/// clamp(x, min, max, propagate_nan)
static Object clamp(Interpreter &in, Args &args) {
  std::array<Object, 3> operands = {args.tensor(0), args.tensor(1), args.tensor(2)};
  std::optional<bool> nan = propagates(args, 3);
  if (!nan)
    return Object::poison();
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand.isPoison())
      return operand;
    operand = widenBF16(in, operand, args.range(index));
  }
  TensorOps &ops = in.tensors();
  if (!ops.unify(llvm::MutableArrayRef<Object>(operands).drop_front(), args.callRange()) ||
      !ops.unify(operands, args.callRange()))
    return Object::poison();
  if (!operands[0].dtype().isFloat())
    return in.error(args.callRange(), "tl.clamp takes floats, found " + operands[0].typeStr());
  return ops.minMax(false, ops.minMax(true, operands[0], operands[1], *nan), operands[2], *nan);
}

/// fma(x, y, z): one rounding. Operands are promoted in pairs, x and y first: a bfloat16 beside a
/// float16 becomes one, even if z is wider than both.
static Object fma(Interpreter &in, Args &args) {
  std::array<Object, 3> operands = {args.tensor(0), args.tensor(1), args.tensor(2)};
  if (llvm::any_of(operands, [](const Object &x) { return x.isPoison(); }))
    return Object::poison();
  for (auto [first, second] : {std::pair(0, 1), std::pair(2, 0), std::pair(2, 1)}) {
    std::array<Object, 2> pair = {operands[first], operands[second]};
    if (!in.tensors().unify(pair, args.callRange()))
      return Object::poison();
    operands[first] = pair[0];
    operands[second] = pair[1];
  }
  if (!operands[0].dtype().isStandardFloat())
    return in.error(args.callRange(), "tl.fma takes floats, found " + operands[0].typeStr());
  return Object::tensor(math::FmaOp::create(in.ir(), in.loc(), operands[0].value(),
                                            operands[1].value(), operands[2].value()),
                        operands[0].dtype());
}

/// fdiv(x, y, ieee_rounding): broadcasts, but does not promote.
static Object fdiv(Interpreter &in, Args &args) {
  std::array<Object, 2> operands = {args.tensor(0), args.tensor(1)};
  if (operands[0].isPoison() || operands[1].isPoison())
    return Object::poison();
  if (!operands[0].dtype().isFloat() || operands[0].dtype() != operands[1].dtype())
    return in.error(args.callRange(), "tl.fdiv takes two floats of one type, found " +
                                          operands[0].typeStr() + " and " + operands[1].typeStr());
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return Object::poison();
  return in.tensors().rawBinary(ast::BinaryOp::Div, operands[0], operands[1]);
}

/// div_rn(x, y): fp32, rounded to nearest.
static Object divRn(Interpreter &in, Args &args) {
  std::array<Object, 2> operands = {args.tensor(0), args.tensor(1)};
  if (operands[0].isPoison() || operands[1].isPoison() ||
      !in.tensors().unify(operands, args.callRange()))
    return Object::poison();
  if (!operands[0].dtype().isFP32())
    return in.error(args.callRange(), "tl.div_rn takes float32, found " + operands[0].typeStr());
  return Object::tensor(
      arith::DivFOp::create(in.ir(), in.loc(), operands[0].value(), operands[1].value()),
      ScalarKind::FP32);
}

/// umulhi(x, y): the high half of the unsigned product.
static Object umulhi(Interpreter &in, Args &args) {
  std::array<Object, 2> operands = {args.tensor(0), args.tensor(1)};
  if (operands[0].isPoison() || operands[1].isPoison() ||
      !in.tensors().unify(operands, args.callRange()))
    return Object::poison();
  DType type = operands[0].dtype();
  if (!type.isInt() || type.bits() < 32)
    return in.error(args.callRange(),
                    "tl.umulhi takes integers of 32 or 64 bits, found " + operands[0].typeStr());
  auto op =
      arith::MulUIExtendedOp::create(in.ir(), in.loc(), operands[0].value(), operands[1].value());
  return Object::tensor(op.getHigh(), type);
}

//===----------------------------------------------------------------------===//
// where and the logical methods
//===----------------------------------------------------------------------===//

/// The sides of `where` in one type: a literal adopts the other's type where operators would.
static bool promoteSides(Interpreter &in, Args &args, Object &x, Object &y) {
  TensorOps &ops = in.tensors();
  if (!x.isTensor() && !y.isTensor()) {
    x = args.tensor(1);
    y = args.tensor(2);
  }
  if (x.isPoison() || y.isPoison())
    return false;
  bool pointers =
      (x.isTensor() && x.dtype().isPointer()) || (y.isTensor() && y.dtype().isPointer());
  if (pointers) {
    if (x.isTensor() && y.isTensor() && x.dtype() == y.dtype())
      return true;
    in.error(args.callRange(), "tl.where takes two pointers of one type, found " + x.typeStr() +
                                   " and " + y.typeStr());
    return false;
  }
  TypeResult type = x.isTensor() && y.isTensor() ? promote(x.dtype(), y.dtype(), false)
                    : x.isTensor()               ? promoteLiteral(x.dtype(), y, false)
                                                 : promoteLiteral(y.dtype(), x, false);
  if (!type.error.empty()) {
    in.error(args.callRange(), type.error);
    return false;
  }
  x = x.isTensor() ? ops.cast(x, type.type, args.range(1))
                   : ops.constant(x, type.type, args.range(1));
  y = y.isTensor() ? ops.cast(y, type.type, args.range(2))
                   : ops.constant(y, type.type, args.range(2));
  return !x.isPoison() && !y.isPoison();
}

/// where(condition, x, y)
static Object where(Interpreter &in, Args &args) {
  Object condition = args.tensor(0), x = args.operand(1), y = args.operand(2);
  if (condition.isPoison() || x.isPoison() || y.isPoison() || !promoteSides(in, args, x, y))
    return Object::poison();
  if (!condition.dtype().isBool()) {
    in.warning(args.range(0),
               "the condition of tl.where should be int1, found " + condition.typeStr());
    condition = in.tensors().toBool(condition, args.range(0));
  }
  std::array<Object, 3> operands = {condition, x, y};
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return Object::poison();
  return in.tensors().select(operands[0], operands[1], operands[2]);
}

template <ast::BoolOpKind op> static Object logical(Interpreter &in, Args &args) {
  Object x = args.tensor(0), y = args.tensor(1);
  if (x.isPoison() || y.isPoison())
    return Object::poison();
  return in.tensors().logical(op, x, y, args.callRange());
}

llvm::ArrayRef<Builtin> front::mathBuiltins() {
  static constexpr Builtin rows[] = {
      {"exp", "x", approximate<math::ExpOp>, IsMethod | InMath},
      {"exp2", "x", approximate<math::Exp2Op>, IsMethod | InMath},
      {"log", "x", approximate<math::LogOp>, IsMethod | InMath},
      {"log2", "x", approximate<math::Log2Op>, IsMethod | InMath},
      {"sin", "x", approximate<math::SinOp>, IsMethod | InMath},
      {"cos", "x", approximate<math::CosOp>, IsMethod | InMath},
      {"sqrt", "x", approximate<math::SqrtOp>, IsMethod | InMath},
      {"rsqrt", "x", approximate<math::RsqrtOp>, IsMethod | InMath},
      {"erf", "x", erf, IsMethod | InMath},
      {"floor", "x", exact<math::FloorOp>, IsMethod | InMath},
      {"ceil", "x", exact<math::CeilOp>, IsMethod | InMath},
      {"sqrt_rn", "x", sqrtRn, IsMethod | InMath},
      {"abs", "x", absolute, IsMethod | InMath},
      {"add", "x, y, sanitize_overflow=True", binary<ast::BinaryOp::Add>},
      {"sub", "x, y, sanitize_overflow=True", binary<ast::BinaryOp::Sub>},
      {"mul", "x, y, sanitize_overflow=True", binary<ast::BinaryOp::Mul>},
      {"minimum", "x, y, propagate_nan=NONE", minMax<false>},
      {"maximum", "x, y, propagate_nan=NONE", minMax<true>},
      {"clamp", "x, min, max, propagate_nan=NONE", clamp},
      {"fma", "x, y, z", fma, InMath},
      {"fdiv", "x, y, ieee_rounding=False", fdiv, InMath},
      {"div_rn", "x, y", divRn, InMath},
      {"umulhi", "x, y", umulhi, InMath},
      {"where", "condition, x, y", where},
      {"logical_and", "self, other", logical<ast::BoolOpKind::And>, IsMethod | Hidden},
      {"logical_or", "self, other", logical<ast::BoolOpKind::Or>, IsMethod | Hidden},
      {"cdiv", "x, div", nullptr, IsMethod},
      {"sigmoid", "x", nullptr, IsMethod},
      {"softmax", "x, dim=None, keep_dims=False, ieee_rounding=False", nullptr, IsMethod},
  };
  return rows;
}
