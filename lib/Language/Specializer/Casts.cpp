//===- Casts.cpp - Conversions between types --------------------*- C++ -*-===//
//
// Every conversion that the language has: numbers, booleans, pointers, bit patterns. Signedness of
// the source decides how integers extend and become floats.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "TensorOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Support/Workarounds.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;

Object TensorOps::cast(const Object &tensor, DType to, llvm::SMRange range, Rounding rounding) {
  DType from = tensor.dtype();
  if (from == to)
    return tensor;
  if (!checkType(to, range))
    return Object::poison();
  if (from.isPointer() || to.isPointer())
    return castPointer(tensor, to, range);
  if (from.isFP8() || to.isFP8())
    return castFP8(tensor, to, range, rounding);
  if (to.isBool())
    return toBool(tensor, range);
  return castScalarKinds(tensor, to, rounding);
}

/// The part of a prelude function's name for this type: "fp8e5".
static std::string nameOf(DType type) { return scalarInfo(type.kind).shortName.str(); }

/// The byte that is `value` in the type `to`, if that is a constant which the type holds exactly.
static std::optional<int8_t> exactByte(mlir::Value value, DType to) {
  mlir::FloatAttr constant;
  mlir::SplatElementsAttr splat;
  if (matchPattern(value, mlir::m_Constant(&splat)))
    constant = splat.getSplatValue<mlir::FloatAttr>();
  else if (!matchPattern(value, mlir::m_Constant(&constant)))
    return std::nullopt;
  if (!to.isScalar(ScalarKind::FP8E4NV) && !to.isScalar(ScalarKind::FP8E5))
    return std::nullopt;
  llvm::APFloat number = constant.getValue();
  bool losesInfo = false;
  number.convert(to.isScalar(ScalarKind::FP8E5) ? llvm::APFloat::Float8E5M2()
                                                : llvm::APFloat::Float8E4M3FN(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  if (losesInfo || !number.isFinite())
    return std::nullopt;
  return int8_t(number.bitcastToAPInt().getSExtValue());
}

/// By functions of the prelude, which work on the bytes: from fp8 to fp16, which holds all of them,
/// and to fp8 from fp32.
Object TensorOps::castFP8(const Object &tensor, DType to, llvm::SMRange range, Rounding rounding) {
  DType from = tensor.dtype();
  if (from.isInt() || to.isInt())
    return error(range,
                 "cannot cast " + tensor.typeStr() + " to " + to.str() + "; go through float32");
  auto run = [&](const std::string &name, const Object &input, DType bits) {
    const JitFunction *function = nullptr;
    // Those that use the instruction of GPUs that have it end in "_machine".
    if (in.options().arch && in.options().arch->has(GpuFeature::Fp8Convert)) {
      if (!isEnabled(Workaround::KnownFP8))
        function = in.preludeFunction(name + "_machine_plain");
      if (!function)
        function = in.preludeFunction(name + "_machine");
    }
    if (!function)
      function = in.preludeFunction(name);
    assert(function && "the prelude converts each type");
    Object argument = wrap(input.value(), bits);
    return in.callWith(Object::function(function), {argument}, range);
  };
  if (from.isFP8())
    return cast(run("_" + nameOf(from) + "_to_fp16", tensor, ScalarKind::UInt8), to, range,
                rounding);
  std::string name = "_fp32_to_" + nameOf(to) + (rounding == Rounding::TowardZero ? "_rtz" : "");
  Object wide = cast(tensor, ScalarKind::FP32, range);
  if (std::optional<int8_t> byte = exactByte(wide.value(), to))
    return wrap(splat(constantInt(*byte, ScalarKind::Int8), tensor.shape()).value(), to);
  Object code = run(name, wide, ScalarKind::FP32);
  return code.isPoison() ? code : wrap(code.value(), to);
}

Object TensorOps::castScalarKinds(const Object &tensor, DType to, Rounding rounding) {
  DType from = tensor.dtype();
  mlir::OpBuilder &b = in.ir();
  mlir::Type type = irType(to, tensor.shape());
  if (from.isInt() && to.isInt())
    return castInt(tensor, to);
  if (from.isInt()) {
    if (from.isSignedInt())
      return wrap(b.createOrFold<arith::SIToFPOp>(in.loc(), type, tensor.value()), to);
    return wrap(b.createOrFold<arith::UIToFPOp>(in.loc(), type, tensor.value()), to);
  }
  if (to.isInt()) {
    // 16-bit floats convert through fp32, as the language says; the widening is exact.
    Object wide = from.bits() < 32 ? castFloat(tensor, ScalarKind::FP32, rounding) : tensor;
    // GPUs convert to no integer narrower than 16 bits; its low byte is taken, whatever it holds.
    if (to.bits() == 8) {
      ScalarKind reached = to.isSignedInt() ? ScalarKind::Int16 : ScalarKind::UInt16;
      return castInt(castScalarKinds(wide, reached, rounding), to);
    }
    if (to.isSignedInt())
      return wrap(b.createOrFold<arith::FPToSIOp>(in.loc(), type, wide.value()), to);
    return wrap(b.createOrFold<arith::FPToUIOp>(in.loc(), type, wide.value()), to);
  }
  return castFloat(tensor, to, rounding);
}

Object TensorOps::castInt(const Object &tensor, DType to) {
  DType from = tensor.dtype();
  mlir::OpBuilder &b = in.ir();
  mlir::Type type = irType(to, tensor.shape());
  if (from.bits() == to.bits())
    return wrap(tensor.value(), to);
  if (from.bits() > to.bits())
    return wrap(b.createOrFold<arith::TruncIOp>(in.loc(), type, tensor.value()), to);
  if (from.isSignedInt())
    return wrap(b.createOrFold<arith::ExtSIOp>(in.loc(), type, tensor.value()), to);
  return wrap(b.createOrFold<arith::ExtUIOp>(in.loc(), type, tensor.value()), to);
}

Object TensorOps::castFloat(const Object &tensor, DType to, Rounding rounding) {
  DType from = tensor.dtype();
  if (from == to)
    return tensor;
  mlir::OpBuilder &b = in.ir();
  if (from.bits() == to.bits()) // float16 and bfloat16 hold neither the other.
    return castFloat(castFloat(tensor, ScalarKind::FP32, rounding), to, Rounding::NearestEven);
  mlir::Type type = irType(to, tensor.shape());
  if (from.bits() < to.bits())
    return wrap(b.createOrFold<arith::ExtFOp>(in.loc(), type, tensor.value()), to);
  Object nearest = wrap(b.createOrFold<arith::TruncFOp>(in.loc(), type, tensor.value()), to);
  return rounding == Rounding::NearestEven ? nearest : stepTowardZero(tensor, nearest);
}

/// `nearest`, or its neighbour next to zero where rounding `exact` went away from zero. Neither
/// target converts by truncation on all its processors; bit patterns of floats are in the order of
/// their magnitudes.
Object TensorOps::stepTowardZero(const Object &exact, const Object &nearest) {
  mlir::OpBuilder &b = in.ir();
  DType from = exact.dtype(), to = nearest.dtype();
  DType bits = to.bits() == 16 ? ScalarKind::Int16 : ScalarKind::Int32;
  auto magnitude = [&](const Object &x) {
    return wrap(b.createOrFold<mlir::math::AbsFOp>(in.loc(), x.value()), x.dtype());
  };
  Object back = castFloat(nearest, from, Rounding::NearestEven);
  Object away = rawCompare(ast::CompareOp::Gt, magnitude(back), magnitude(exact));
  mlir::Type bitsType = irType(bits, nearest.shape());
  Object pattern =
      wrap(b.createOrFold<arith::BitcastOp>(in.loc(), bitsType, nearest.value()), bits);
  Object one = splat(constantInt(1, bits), nearest.shape());
  Object stepped = rawBinaryUnchecked(ast::BinaryOp::Sub, pattern, one);
  Object result = select(away, stepped, pattern);
  return wrap(b.createOrFold<arith::BitcastOp>(in.loc(), nearest.value().getType(), result.value()),
              to);
}

Object TensorOps::castPointer(const Object &tensor, DType to, llvm::SMRange range) {
  DType from = tensor.dtype();
  mlir::OpBuilder &b = in.ir();
  mlir::Type type = irType(to, tensor.shape());
  if (from.isPointer() && to.isPointer()) {
    if (type == tensor.value().getType())
      return wrap(tensor.value(), to);
    return wrap(tilec::tile::PtrCastOp::create(b, in.loc(), type, tensor.value()), to);
  }
  if (from.isPointer()) {
    if (to.isBool())
      return toBool(tensor, range);
    if (!to.isInt() || to.bits() != 64)
      return error(range, "cannot cast " + tensor.typeStr() + " to " + to.str() +
                              "; a pointer casts to int64, uint64 and int1 only");
    return wrap(tilec::tile::PtrToIntOp::create(b, in.loc(), type, tensor.value()), to);
  }
  if (!from.isInt())
    return error(range, "cannot cast " + tensor.typeStr() + " to " + to.str());
  Object address = cast(tensor, ScalarKind::Int64, range);
  return wrap(tilec::tile::IntToPtrOp::create(b, in.loc(), type, address.value()), to);
}

Object TensorOps::bitcast(const Object &tensor, DType to, llvm::SMRange range) {
  DType from = tensor.dtype();
  if (from == to)
    return tensor;
  if (!checkType(to, range))
    return Object::poison();
  if (from.isPointer() || to.isPointer())
    return castPointer(tensor, to, range);
  if (from.bits() != to.bits())
    return error(range, "cannot bitcast " + from.str() + " (" + llvm::Twine(from.bits()) +
                            " bits) to " + to.str() + " (" + llvm::Twine(to.bits()) + " bits)");
  mlir::Type type = irType(to, tensor.shape());
  if (type == tensor.value().getType())
    return wrap(tensor.value(), to);
  return wrap(in.ir().createOrFold<arith::BitcastOp>(in.loc(), type, tensor.value()), to);
}

Object TensorOps::toBool(const Object &tensor, llvm::SMRange range) {
  DType from = tensor.dtype();
  if (from.isBool())
    return tensor;
  if (from.isPointer())
    return toBool(cast(tensor, ScalarKind::Int64, range), range);
  return rawCompare(ast::CompareOp::NotEq, tensor, zero(from, tensor.shape()));
}
