//===- BuiltinsLibdevice.cpp - libdevice functions --------------*- C++ -*-===//
//
// The libdevice functions that the upstream math dialect has an operation for. Their operands must
// have exactly the right types: nothing is promoted. Unlike the functions of `tl`, they are
// accurate and carry no flag for an approximation. The others are known by name only.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;
namespace math = mlir::math;
using llvm::StringRef;

/// The operands as tensors of one type, fp32 or fp64, broadcast together; empty after an error.
static Object::List floatOperands(Interpreter &in, Args &args, unsigned count) {
  Object::List operands;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(args.tensor(i));
    if (operands.back().isPoison())
      return {};
    DType type = operands.back().dtype();
    if ((!type.isFP32() && !type.isFP64()) || type != operands.front().dtype()) {
      in.error(args.range(i), args.callee().fullName() + " takes " +
                                  (count == 1 ? "float32 or float64"
                                              : "operands of one type, float32 or float64") +
                                  ", found " + operands.back().typeStr());
      return {};
    }
  }
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return {};
  return operands;
}

/// F -> F
template <typename OpT> static Object unary(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  return Object::tensor(OpT::create(in.ir(), in.loc(), x[0].value()), x[0].dtype());
}

/// (F, F) -> F
template <typename OpT> static Object binary(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 2);
  if (x.empty())
    return Object::poison();
  return Object::tensor(OpT::create(in.ir(), in.loc(), x[0].value(), x[1].value()), x[0].dtype());
}

/// F -> int1
template <typename OpT> static Object test(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  return Object::tensor(OpT::create(in.ir(), in.loc(), x[0].value()), ScalarKind::Int1);
}

/// pow(F, F) and pow(F, int32)
static Object power(Interpreter &in, Args &args) {
  Object exponent = args.tensor(1);
  if (exponent.isPoison())
    return exponent;
  if (!exponent.dtype().isScalar(ScalarKind::Int32))
    return binary<math::PowFOp>(in, args);
  Object::List base = floatOperands(in, args, 1);
  if (base.empty())
    return Object::poison();
  std::array<Object, 2> operands = {base[0], exponent};
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return Object::poison();
  return Object::tensor(
      math::FPowIOp::create(in.ir(), in.loc(), operands[0].value(), operands[1].value()),
      operands[0].dtype());
}

/// fma(F, F, F)
static Object fusedMultiplyAdd(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 3);
  if (x.empty())
    return Object::poison();
  return Object::tensor(
      math::FmaOp::create(in.ir(), in.loc(), x[0].value(), x[1].value(), x[2].value()),
      x[0].dtype());
}

/// abs of floats and of signed integers.
static Object absolute(Interpreter &in, Args &args) {
  Object x = args.tensor(0);
  if (x.isPoison())
    return x;
  if (x.dtype().isSignedInt() && x.dtype().bits() >= 32)
    return Object::tensor(math::AbsIOp::create(in.ir(), in.loc(), x.value()), x.dtype());
  return unary<math::AbsFOp>(in, args);
}

/// A single-precision approximation: `fast_expf` and the like.
template <typename OpT> static Object fast(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  if (!x[0].dtype().isFP32())
    return args.wrong(0, "float32");
  return Object::tensor(OpT::create(in.ir(), in.loc(), x[0].value(), arith::FastMathFlags::afn),
                        x[0].dtype());
}

#define UNARY(name, op)                                                                            \
  { name, "arg0", unary<math::op>, 0, Space::Device }
#define TEST(name, op)                                                                             \
  { name, "arg0", test<math::op>, 0, Space::Device }
#define FAST(name, op)                                                                             \
  { name, "arg0", fast<math::op>, 0, Space::Device }

llvm::ArrayRef<Builtin> front::deviceBuiltins() {
  static constexpr Builtin rows[] = {
      UNARY("acos", AcosOp),
      UNARY("acosh", AcoshOp),
      UNARY("asin", AsinOp),
      UNARY("asinh", AsinhOp),
      UNARY("atan", AtanOp),
      UNARY("atanh", AtanhOp),
      UNARY("cbrt", CbrtOp),
      UNARY("ceil", CeilOp),
      UNARY("cos", CosOp),
      UNARY("cosh", CoshOp),
      UNARY("erf", ErfOp),
      UNARY("erfc", ErfcOp),
      UNARY("exp", ExpOp),
      UNARY("exp2", Exp2Op),
      UNARY("expm1", ExpM1Op),
      UNARY("floor", FloorOp),
      UNARY("log", LogOp),
      UNARY("log10", Log10Op),
      UNARY("log1p", Log1pOp),
      UNARY("log2", Log2Op),
      UNARY("nearbyint", RoundEvenOp),
      UNARY("rint", RoundEvenOp),
      UNARY("round", RoundOp),
      UNARY("rsqrt", RsqrtOp),
      UNARY("sin", SinOp),
      UNARY("sinh", SinhOp),
      UNARY("sqrt", SqrtOp),
      UNARY("sqrt_rn", SqrtOp),
      UNARY("tan", TanOp),
      UNARY("tanh", TanhOp),
      UNARY("trunc", TruncOp),
      TEST("isinf", IsInfOp),
      TEST("isnan", IsNaNOp),
      TEST("finitef", IsFiniteOp),
      TEST("isfinited", IsFiniteOp),
      FAST("fast_cosf", CosOp),
      FAST("fast_expf", ExpOp),
      FAST("fast_log10f", Log10Op),
      FAST("fast_log2f", Log2Op),
      FAST("fast_logf", LogOp),
      FAST("fast_sinf", SinOp),
      {"abs", "arg0", absolute, 0, Space::Device},
      {"atan2", "arg0, arg1", binary<math::Atan2Op>, 0, Space::Device},
      {"copysign", "arg0, arg1", binary<math::CopySignOp>, 0, Space::Device},
      {"div_rn", "arg0, arg1", binary<arith::DivFOp>, 0, Space::Device},
      {"add_rn", "arg0, arg1", binary<arith::AddFOp>, 0, Space::Device},
      {"sub_rn", "arg0, arg1", binary<arith::SubFOp>, 0, Space::Device},
      {"mul_rn", "arg0, arg1", binary<arith::MulFOp>, 0, Space::Device},
      {"fmod", "arg0, arg1", binary<arith::RemFOp>, 0, Space::Device},
      {"pow", "arg0, arg1", power, 0, Space::Device},
      {"fma", "arg0, arg1, arg2", fusedMultiplyAdd, 0, Space::Device},
      {"fma_rn", "arg0, arg1, arg2", fusedMultiplyAdd, 0, Space::Device},
  };
  return rows;
}
