//===- TensorOps.cpp - Types, constants and shapes of run-time values -*- C++ -*-===//
//
// The part of TensorOps that makes values and changes their shape. Constants of blocks are emitted
// as one dense splat; a scalar that meets a block is splat only then, so scalar arithmetic stays
// scalar.
//
//===----------------------------------------------------------------------===//

#include "TensorOps.h"

#include "Interpreter.h"
#include "Promotion.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;
using llvm::APFloat;
using llvm::APInt;

Object TensorOps::error(llvm::SMRange range, const llvm::Twine &message) {
  return in.error(range, message);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

mlir::Type TensorOps::irScalarType(DType type) {
  mlir::OpBuilder &b = in.ir();
  if (type.isPointer()) {
    DType pointee = type.pointee();
    // A buffer of booleans holds bytes.
    mlir::Type element = pointee.isBool() ? b.getI8Type() : irScalarType(pointee);
    return element ? tilec::tile::PtrType::get(element) : mlir::Type();
  }
  if (type.isInt())
    return b.getIntegerType(type.bits());
  switch (type.kind) {
  case ScalarKind::FP16:
    return b.getF16Type();
  case ScalarKind::BF16:
    return b.getBF16Type();
  case ScalarKind::FP32:
    return b.getF32Type();
  case ScalarKind::FP64:
    return b.getF64Type();
  case ScalarKind::FP8E5:
  case ScalarKind::FP8E4NV:
  case ScalarKind::FP8E4B15:
    return b.getI8Type();
  default:
    return {};
  }
}

mlir::Type TensorOps::irType(DType type, llvm::ArrayRef<int64_t> shape) {
  mlir::Type scalar = irScalarType(type);
  if (!scalar || shape.empty())
    return scalar;
  return mlir::RankedTensorType::get(shape, scalar);
}

bool TensorOps::rejectFP8(DType type) {
  if (!type.isFP8())
    return false;
  error(in.here(), "nothing computes with " + type.str() + "; cast with .to(tl.float32) first");
  return true;
}

bool TensorOps::checkType(DType type, llvm::SMRange range) {
  // Triton has it where GPUs convert to and from it.
  const std::optional<GpuArch> &arch = in.options().arch;
  bool isTooNew = type.isScalar(ScalarKind::FP8E4NV) && arch && !arch->has(GpuFeature::Fp8Convert);
  if (irScalarType(type) && !isTooNew)
    return true;
  DType base = type.kind;
  Version first = firstCapability(GpuFeature::Fp8Convert);
  std::string oldest = "sm_" + std::to_string(first.major) + std::to_string(first.minor);
  if (base.isFP8())
    error(range,
          "the type " + base.str() + " is not supported on " +
              (arch ? "sm_" + std::to_string(arch->number()) : "the CPU") +
              (isTooNew ? "; " + oldest + " is the first GPU that has it, and the CPU has it too"
                        : "; NVIDIA's GPUs and the CPU have float8e5, and float8e4nv from " +
                              oldest + " on"));
  else
    error(range, "a value cannot have the type " + type.str());
  return false;
}

bool TensorOps::checkShape(llvm::ArrayRef<int64_t> shape, llvm::SMRange range) {
  int64_t count = 1;
  for (auto [index, size] : llvm::enumerate(shape)) {
    if (size < 1 || !llvm::isPowerOf2_64(size)) {
      error(range, "dimension " + llvm::Twine(index) +
                       " of the shape must be a power of two, found " + llvm::Twine(size));
      return false;
    }
    if (size > tilec::tile::kMaxTileElements / count) {
      error(range, "a block holds at most " + llvm::Twine(tilec::tile::kMaxTileElements) +
                       " elements, the shape has more");
      return false;
    }
    count *= size;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The constant as an attribute of `type`. Zero is always +0.0: so the language has it.
static mlir::TypedAttr constantAttr(const Object &number, mlir::Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    APInt value = integer.getWidth() == 1 ? APInt(1, !number.asInt().isZero())
                                          : number.asInt().sextOrTrunc(integer.getWidth());
    return mlir::IntegerAttr::get(type, value);
  }
  auto floating = llvm::cast<mlir::FloatType>(type);
  APFloat value(0.0);
  if (number.is(Object::Kind::Float)) {
    value = APFloat(number.asDouble());
  } else {
    value = APFloat(APFloat::IEEEquad());
    value.convertFromAPInt(number.asInt(), true, APFloat::rmNearestTiesToEven);
  }
  bool lost;
  // 16-bit constants are rounded from the fp32 value.
  if (floating.getWidth() < 32)
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  value.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  if (value.isZero())
    value = APFloat::getZero(floating.getFloatSemantics());
  return mlir::FloatAttr::get(type, value);
}

Object TensorOps::constant(const Object &number, DType type, llvm::SMRange range) {
  if (!checkType(type, range))
    return Object::poison();
  if (type.isPointer())
    return error(range, "a number cannot become " + type.str());
  if (type.isInt() && number.is(Object::Kind::Float)) {
    if (number.asDouble() != 0) // Zero is all-zero bits in each type.
      return error(range, "the float " + number.repr() + " cannot become " + type.str());
    return zero(type, {});
  }
  if (type.isUnsignedInt() && number.asInt().isNegative() && number.isIntLike())
    return error(range, "the negative number " + number.repr() + " cannot become " + type.str());
  if (type.isFP8()) {
    if (number.asDouble() != 0)
      return error(range,
                   "only zero can be a constant of type " + type.str() + "; cast from float32");
    return zero(type, {});
  }
  mlir::TypedAttr attr = constantAttr(number, irScalarType(type));
  return wrap(arith::ConstantOp::create(in.ir(), in.loc(), attr), type);
}

Object TensorOps::constantInt(int64_t value, DType type) {
  mlir::TypedAttr attr = constantAttr(Object::integer(value), irScalarType(type));
  return wrap(arith::ConstantOp::create(in.ir(), in.loc(), attr), type);
}

Object TensorOps::zero(DType type, llvm::ArrayRef<int64_t> shape) {
  mlir::OpBuilder &b = in.ir();
  if (type.isPointer()) {
    Object address = zero(ScalarKind::Int64, shape);
    return wrap(tilec::tile::IntToPtrOp::create(b, in.loc(), irType(type, shape), address.value()),
                type);
  }
  mlir::TypedAttr attr = b.getZeroAttr(irType(type, shape));
  return wrap(arith::ConstantOp::create(b, in.loc(), attr), type);
}

Object TensorOps::materialize(const Object &object, llvm::SMRange range) {
  if (object.isTensor() || object.isPoison())
    return object;
  if (!object.isNumber())
    return error(range, "expected a tensor or a number, found " + object.typeStr());
  TypeResult type = literalType(object);
  if (!type.error.empty())
    return error(range, type.error);
  return constant(object, type.type, range);
}

Object TensorOps::splat(const Object &scalar, llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return scalar;
  mlir::Type type = irType(scalar.dtype(), shape);
  return wrap(in.ir().createOrFold<tilec::tile::SplatOp>(in.loc(), type, scalar.value()),
              scalar.dtype());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<llvm::SmallVector<int64_t>> TensorOps::broadcastShape(llvm::ArrayRef<int64_t> left,
                                                                    llvm::ArrayRef<int64_t> right,
                                                                    llvm::SMRange range) {
  size_t rank = std::max(left.size(), right.size());
  llvm::SmallVector<int64_t> shape(rank, 1);
  auto at = [&](llvm::ArrayRef<int64_t> from, size_t axis) {
    size_t missing = rank - from.size();
    return axis < missing ? 1 : from[axis - missing];
  };
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t a = at(left, axis), b = at(right, axis);
    if (a != b && a != 1 && b != 1) {
      error(range, "cannot broadcast the shapes " + shapeStr(left) + " and " + shapeStr(right) +
                       ": dimension " + llvm::Twine(axis) + " is " + llvm::Twine(a) + " and " +
                       llvm::Twine(b));
      return std::nullopt;
    }
    shape[axis] = a == 1 ? b : a;
  }
  // Two legal shapes can broadcast to one that is too large.
  if (!checkShape(shape, range))
    return std::nullopt;
  return shape;
}

Object TensorOps::expandDims(const Object &tensor, unsigned axis) {
  llvm::SmallVector<int64_t> shape(tensor.shape());
  shape.insert(shape.begin() + axis, 1);
  if (!tensor.isBlock())
    return splat(tensor, shape);
  mlir::Type type = irType(tensor.dtype(), shape);
  return wrap(in.ir().createOrFold<tilec::tile::ExpandDimsOp>(in.loc(), type, tensor.value(),
                                                              int32_t(axis)),
              tensor.dtype());
}

Object TensorOps::broadcastTo(const Object &tensor, llvm::ArrayRef<int64_t> shape) {
  if (tensor.shape() == shape)
    return tensor;
  if (!tensor.isBlock())
    return splat(tensor, shape);
  Object result = tensor;
  while (result.shape().size() < shape.size())
    result = expandDims(result, 0);
  if (result.shape() == shape)
    return result;
  mlir::Type type = irType(tensor.dtype(), shape);
  return wrap(in.ir().createOrFold<tilec::tile::BroadcastOp>(in.loc(), type, result.value()),
              tensor.dtype());
}

bool TensorOps::broadcastAll(llvm::MutableArrayRef<Object> tensors, llvm::SMRange range) {
  llvm::SmallVector<int64_t> shape;
  for (const Object &tensor : tensors) {
    std::optional<llvm::SmallVector<int64_t>> next = broadcastShape(shape, tensor.shape(), range);
    if (!next)
      return false;
    shape = std::move(*next);
  }
  for (Object &tensor : tensors)
    tensor = broadcastTo(tensor, shape);
  return true;
}

Object TensorOps::reshape(const Object &tensor, llvm::ArrayRef<int64_t> shape) {
  if (tensor.shape() == shape)
    return tensor;
  if (!tensor.isBlock())
    return splat(tensor, shape);
  if (!shape.empty())
    return wrap(in.ir().createOrFold<tilec::tile::ReshapeOp>(
                    in.loc(), irType(tensor.dtype(), shape), tensor.value()),
                tensor.dtype());
  return item(tensor);
}

Object TensorOps::item(const Object &tensor) {
  if (!tensor.isBlock())
    return tensor;
  // The one element of a block is what any reduction over its axes gives.
  Object result = reshape(tensor, {1});
  mlir::OpBuilder &b = in.ir();
  mlir::Type element = irScalarType(tensor.dtype());
  auto reduce =
      tilec::tile::ReduceOp::create(b, in.loc(), mlir::TypeRange(element), result.value(), 0u);
  mlir::Block *body =
      b.createBlock(&reduce.getCombine(), {}, {element, element}, {in.loc(), in.loc()});
  tilec::tile::YieldOp::create(b, in.loc(), body->getArgument(0));
  b.setInsertionPointAfter(reduce);
  return wrap(reduce.getResult(0), tensor.dtype());
}
