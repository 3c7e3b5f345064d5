//===- BuiltinsLibdevice.cpp - libdevice functions --------------*- C++ -*-===//
//
// The libdevice functions that are an operation or two, and conversions. Their operands must have
// exactly the right types: nothing is promoted. Unlike the functions of `tl`, they are accurate and
// carry no flag for an approximation, but for `sqrt` and those named `fast_`.
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

/// The operand, which must be of one of two types; poison after an error.
static Object operandOf(Args &args, ScalarKind first, ScalarKind second) {
  Object x = args.tensor(0);
  if (x.isPoison() || x.dtype().isScalar(first) || x.dtype().isScalar(second))
    return x;
  std::string expected = DType(first).str();
  if (first != second)
    expected += " or " + DType(second).str();
  return args.wrong(0, expected);
}

/// popc, clz: int32 or int64 -> int32
template <typename OpT> static Object countBits(Interpreter &in, Args &args) {
  Object x = operandOf(args, ScalarKind::Int32, ScalarKind::Int64);
  if (x.isPoison())
    return x;
  Object count = Object::tensor(OpT::create(in.ir(), in.loc(), x.value()), x.dtype());
  return in.tensors().cast(count, ScalarKind::Int32, args.callRange());
}

/// The bits of one type as another: `float_as_int` and its relatives.
template <ScalarKind from, ScalarKind to> static Object view(Interpreter &in, Args &args) {
  Object x = operandOf(args, from, from);
  return x.isPoison() ? x : in.tensors().bitcast(x, to, args.callRange());
}

/// A conversion that rounds as the last two letters of its name say. The unsigned results of floats
/// are typed as signed integers.
template <ScalarKind from, ScalarKind to> static Object convert(Interpreter &in, Args &args) {
  Object x = operandOf(args, from, from);
  if (x.isPoison())
    return x;
  StringRef name = args.callee().name;
  Rounding rounding = name.ends_with("rz") ? Rounding::TowardZero : Rounding::NearestEven;
  TensorOps &ops = in.tensors();
  if (!DType(to).isInt())
    return ops.cast(x, to, args.callRange(), rounding);
  mlir::Location loc = in.loc();
  mlir::Value value = x.value();
  if (name.ends_with("rn"))
    value = math::RoundEvenOp::create(in.ir(), loc, value);
  else if (name.ends_with("rd"))
    value = math::FloorOp::create(in.ir(), loc, value);
  else if (name.ends_with("ru"))
    value = math::CeilOp::create(in.ir(), loc, value);
  Object whole = ops.cast(Object::tensor(value, x.dtype()), to, args.callRange());
  ScalarKind result = DType(to).bits() == 64 ? ScalarKind::Int64 : ScalarKind::Int32;
  return ops.bitcast(whole, result, args.callRange());
}

/// What the prelude asks for instead of an exact quotient or root where an ulp more does no harm:
/// on GPUs the instruction that takes denormal operands for zeros. On processors, exact ones cost
/// no more.
static arith::FastMathFlags hardwareFlags(Interpreter &in, const Object &x) {
  return x.dtype().isFP32() && in.options().arch
             ? arith::FastMathFlags::afn | arith::FastMathFlags::arcp
             : arith::FastMathFlags::none;
}

/// A single-precision approximation: `fast_expf` and others.
template <typename OpT> static Object fast(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  if (!x[0].dtype().isFP32())
    return args.wrong(0, "float32");
  return Object::tensor(OpT::create(in.ir(), in.loc(), x[0].value(), hardwareFlags(in, x[0])),
                        x[0].dtype());
}

/// sqrt(x): in fp32 that of the language, as accurate as CUDA's without -prec-sqrt.
static Object approximateRoot(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  auto flags = x[0].dtype().isFP32() ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  return Object::tensor(math::SqrtOp::create(in.ir(), in.loc(), x[0].value(), flags), x[0].dtype());
}

static Object nearQuotient(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 2);
  if (x.empty())
    return Object::poison();
  return Object::tensor(
      arith::DivFOp::create(in.ir(), in.loc(), x[0].value(), x[1].value(), hardwareFlags(in, x[0])),
      x[0].dtype());
}

static Object nearRoot(Interpreter &in, Args &args) {
  Object::List x = floatOperands(in, args, 1);
  if (x.empty())
    return Object::poison();
  return Object::tensor(
      math::SqrtOp::create(in.ir(), in.loc(), x[0].value(), hardwareFlags(in, x[0])), x[0].dtype());
}

/// fast_log10f(x): from the logarithm that the hardware has.
static Object fastLog10(Interpreter &in, Args &args) {
  Object log = fast<math::Log2Op>(in, args);
  if (log.isPoison())
    return log;
  Object scale =
      in.tensors().constant(Object::real(0.30102999566398120), ScalarKind::FP32, args.callRange());
  return in.tensors().rawBinary(ast::BinaryOp::Mul, log, in.tensors().splat(scale, log.shape()));
}

#define UNARY(name, op) {name, "arg0", unary<math::op>, 0, Space::Device}
#define ROW(name, function) {name, "arg0", function, 0, Space::Device}
#define TO_INT(name, from, to)                                                                     \
  ROW(name "_rn", (convert<ScalarKind::from, ScalarKind::to>)),                                    \
      ROW(name "_rz", (convert<ScalarKind::from, ScalarKind::to>)),                                \
      ROW(name "_rd", (convert<ScalarKind::from, ScalarKind::to>)),                                \
      ROW(name "_ru", (convert<ScalarKind::from, ScalarKind::to>))
#define TO_FLOAT(name, from, to) ROW(name "_rn", (convert<ScalarKind::from, ScalarKind::to>))
#define VIEW(name, from, to) ROW(name, (view<ScalarKind::from, ScalarKind::to>))
#define FAST(name, op) {name, "arg0", fast<math::op>, 0, Space::Device}

llvm::ArrayRef<Builtin> front::deviceBuiltins() {
  static constexpr Builtin rows[] = {
      UNARY("ceil", CeilOp),
      UNARY("cos", CosOp),
      UNARY("exp2", Exp2Op),
      UNARY("floor", FloorOp),
      UNARY("log", LogOp),
      UNARY("log2", Log2Op),
      UNARY("nearbyint", RoundEvenOp),
      UNARY("rint", RoundEvenOp),
      UNARY("sin", SinOp),
      ROW("sqrt", approximateRoot),
      UNARY("sqrt_rn", SqrtOp),
      UNARY("tan", TanOp),
      UNARY("trunc", TruncOp),
      FAST("fast_cosf", CosOp),
      FAST("fast_expf", ExpOp),
      ROW("fast_log10f", fastLog10),
      FAST("fast_log2f", Log2Op),
      FAST("fast_logf", LogOp),
      FAST("fast_sinf", SinOp),
      ROW("popc", countBits<math::CtPopOp>),
      ROW("clz", countBits<math::CountLeadingZerosOp>),
      VIEW("float_as_int", FP32, Int32),
      VIEW("float_as_uint", FP32, Int32),
      VIEW("int_as_float", Int32, FP32),
      VIEW("uint_as_float", UInt32, FP32),
      VIEW("double_as_longlong", FP64, Int64),
      VIEW("longlong_as_double", Int64, FP64),
      TO_INT("float2int", FP32, Int32),
      TO_INT("float2uint", FP32, UInt32),
      TO_INT("float2ll", FP32, Int64),
      TO_INT("float2ull", FP32, UInt64),
      TO_INT("double2int", FP64, Int32),
      TO_INT("double2uint", FP64, UInt32),
      TO_INT("double2ll", FP64, Int64),
      TO_INT("double2ull", FP64, UInt64),
      TO_FLOAT("double2float", FP64, FP32),
      ROW("double2float_rz", (convert<ScalarKind::FP64, ScalarKind::FP32>)),
      TO_FLOAT("int2float", Int32, FP32),
      TO_FLOAT("uint2float", UInt32, FP32),
      TO_FLOAT("ll2float", Int64, FP32),
      TO_FLOAT("ull2float", UInt64, FP32),
      TO_FLOAT("int2double", Int32, FP64),
      TO_FLOAT("uint2double", UInt32, FP64),
      TO_FLOAT("ll2double", Int64, FP64),
      TO_FLOAT("ull2double", UInt64, FP64),
      ROW("abs", absolute),
      {"copysign", "arg0, arg1", binary<math::CopySignOp>, 0, Space::Device},
      {"div_rn", "arg0, arg1", binary<arith::DivFOp>, 0, Space::Device},
      {"add_rn", "arg0, arg1", binary<arith::AddFOp>, 0, Space::Device},
      {"sub_rn", "arg0, arg1", binary<arith::SubFOp>, 0, Space::Device},
      {"mul_rn", "arg0, arg1", binary<arith::MulFOp>, 0, Space::Device},
      {"fmod", "arg0, arg1", binary<arith::RemFOp>, 0, Space::Device},
      {"fma", "arg0, arg1, arg2", fusedMultiplyAdd, 0, Space::Device},
      {"fma_rn", "arg0, arg1, arg2", fusedMultiplyAdd, 0, Space::Device},
      {"_near_quotient", "arg0, arg1", nearQuotient, Hidden, Space::Device},
      {"_near_root", "arg0", nearRoot, Hidden, Space::Device},
  };
  return rows;
}
