//===- TensorOps.h - Operations on run-time values --------------*- C++ -*-===//
//
// Emits tile IR for run-time values and keeps their front-end types right: constants, casts,
// broadcasting, operators. Errors are reported at a range that the caller gives; an operation that
// failed returns a poisoned object.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_TENSOROPS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_TENSOROPS_H

#include "Object.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec::front {

class Interpreter;

/// How a cast to a narrower float rounds.
enum class Rounding { NearestEven, TowardZero };

class TensorOps {
public:
  explicit TensorOps(Interpreter &in) : in(in) {}

  // Types.

  /// The IR type of a scalar, or null for types that no value has (void, other makers' fp8 types).
  /// The dialect holds fp8 as bytes.
  mlir::Type irScalarType(DType type);
  /// The IR type of a scalar or block; null as above.
  mlir::Type irType(DType type, llvm::ArrayRef<int64_t> shape);
  /// Reports an error when values of this type cannot be compiled for the target.
  bool checkType(DType type, llvm::SMRange range);
  /// Reports an error when `shape` is not that of a block (or empty).
  bool checkShape(llvm::ArrayRef<int64_t> shape, llvm::SMRange range);

  // Values.

  /// A scalar of type `type` with the value of a compile-time number.
  Object constant(const Object &number, DType type, llvm::SMRange range);
  Object constantInt(int64_t value, DType type);
  /// Zero (null for pointers) of the given type and shape.
  Object zero(DType type, llvm::ArrayRef<int64_t> shape);
  /// A compile-time number as a run-time scalar; tensors are returned unchanged.
  Object materialize(const Object &object, llvm::SMRange range);
  /// A block whose elements all equal `scalar`.
  Object splat(const Object &scalar, llvm::ArrayRef<int64_t> shape);

  // Shapes.

  /// The shape both broadcast to; reports an error when there is none.
  std::optional<llvm::SmallVector<int64_t>>
  broadcastShape(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right, llvm::SMRange range);
  /// Broadcasts to `shape`, adding leading axes; the shapes must be compatible.
  Object broadcastTo(const Object &tensor, llvm::ArrayRef<int64_t> shape);
  /// Broadcasts all to one shape.
  bool broadcastAll(llvm::MutableArrayRef<Object> tensors, llvm::SMRange range);
  Object expandDims(const Object &tensor, unsigned axis);
  /// The element counts must agree; the empty shape gives a scalar.
  Object reshape(const Object &tensor, llvm::ArrayRef<int64_t> shape);
  /// The scalar in a block of one element.
  Object item(const Object &tensor);

  // Casts.

  Object cast(const Object &tensor, DType to, llvm::SMRange range,
              Rounding rounding = Rounding::NearestEven);
  Object bitcast(const Object &tensor, DType to, llvm::SMRange range);
  /// `x != 0` for any scalar type; pointers: not null. int1 is returned unchanged.
  Object toBool(const Object &tensor, llvm::SMRange range);

  // Operators. Operands are tensors or compile-time numbers, at least one of them a tensor unless
  // said otherwise.

  Object binary(ast::BinaryOp op, Object left, Object right, llvm::SMRange leftRange,
                llvm::SMRange rightRange, llvm::SMRange opRange);
  Object compare(ast::CompareOp op, Object left, Object right, llvm::SMRange range);
  Object unary(ast::UnaryOpKind op, const Object &operand, llvm::SMRange range);
  /// Both as int1, combined with bitwise and/or.
  Object logical(ast::BoolOpKind op, const Object &left, const Object &right, llvm::SMRange range);
  /// Materialises, promotes (mode of tensors) and broadcasts operands in place.
  bool unify(llvm::MutableArrayRef<Object> operands, llvm::SMRange range);
  /// min or max of two operands already of one type and shape.
  Object minMax(bool isMax, const Object &left, const Object &right, bool propagateNan);
  Object select(const Object &condition, const Object &left, const Object &right);
  /// Pointer plus offset; `negate` subtracts.
  Object addPointer(const Object &pointer, Object offset, bool negate, llvm::SMRange range);
  /// `!=` or an ordered/signed comparison of two operands of one type and shape.
  Object rawCompare(ast::CompareOp op, const Object &left, const Object &right);
  /// An operator on operands that already have the same type and shape.
  Object rawBinary(ast::BinaryOp op, const Object &left, const Object &right,
                   bool leftWasSigned = true);
  /// The same without the check for overflow that debug builds make.
  Object rawBinaryUnchecked(ast::BinaryOp op, const Object &left, const Object &right,
                            bool leftWasSigned = true);

  /// Wraps an IR value.
  Object wrap(mlir::Value value, DType type) { return Object::tensor(value, type); }
  /// The flags of float addition and multiplication: contraction when it is enabled.
  mlir::arith::FastMathFlagsAttr contractFlags();
  mlir::arith::FastMathFlagsAttr flags(mlir::arith::FastMathFlags flags);

private:
  Object castScalarKinds(const Object &tensor, DType to, Rounding rounding);
  Object castPointer(const Object &tensor, DType to, llvm::SMRange range);
  Object castFloat(const Object &tensor, DType to, Rounding rounding);
  Object castFP8(const Object &tensor, DType to, llvm::SMRange range, Rounding rounding);
  /// Reports an error for fp8 types, which can be moved and cast, but not computed with.
  bool rejectFP8(DType type);
  Object castInt(const Object &tensor, DType to);
  Object stepTowardZero(const Object &exact, const Object &nearest);
  void checkOverflow(ast::BinaryOp op, const Object &left, const Object &right);
  Object error(llvm::SMRange range, const llvm::Twine &message);

  Interpreter &in;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_TENSOROPS_H
