//===- Operators.cpp - Arithmetic, comparison, pointers ---------*- C++ -*-===//
//
// The operators on run-time values. Operands are promoted by the rules of Promotion.cpp, each in
// its own shape, and broadcast last, so that a scalar operand is converted as a scalar.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Promotion.h"
#include "TensorOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using ast::BinaryOp;
using ast::CompareOp;
namespace arith = mlir::arith;

arith::FastMathFlagsAttr TensorOps::flags(arith::FastMathFlags flags) {
  return arith::FastMathFlagsAttr::get(&in.context(), flags);
}

arith::FastMathFlagsAttr TensorOps::contractFlags() {
  return flags(in.options().enableFpFusion ? arith::FastMathFlags::contract
                                           : arith::FastMathFlags::none);
}

//===----------------------------------------------------------------------===//
// Binary operators on operands of one type
//===----------------------------------------------------------------------===//

static mlir::Value floatBinary(BinaryOp op, mlir::OpBuilder &b, mlir::Location loc, mlir::Value l,
                               mlir::Value r, TensorOps &ops, bool isSingle) {
  switch (op) {
  case BinaryOp::Add:
    return arith::AddFOp::create(b, loc, l, r, ops.contractFlags());
  case BinaryOp::Sub:
    return arith::SubFOp::create(b, loc, l, r, ops.contractFlags());
  case BinaryOp::Mul:
    return arith::MulFOp::create(b, loc, l, r, ops.contractFlags());
  case BinaryOp::Div:
    // In fp32 the language asks for the full-range approximate division only.
    return arith::DivFOp::create(
        b, loc, l, r,
        ops.flags(isSingle ? arith::FastMathFlags::arcp : arith::FastMathFlags::none));
  case BinaryOp::Mod:
    return arith::RemFOp::create(b, loc, l, r);
  default:
    return {};
  }
}

static mlir::Value intBinary(BinaryOp op, mlir::OpBuilder &b, mlir::Location loc, mlir::Value l,
                             mlir::Value r, bool isSigned, bool leftWasSigned) {
  switch (op) {
  case BinaryOp::Add:
    return b.createOrFold<arith::AddIOp>(loc, l, r);
  case BinaryOp::Sub:
    return b.createOrFold<arith::SubIOp>(loc, l, r);
  case BinaryOp::Mul:
    return b.createOrFold<arith::MulIOp>(loc, l, r);
  case BinaryOp::FloorDiv:
    return isSigned ? b.createOrFold<arith::DivSIOp>(loc, l, r)
                    : b.createOrFold<arith::DivUIOp>(loc, l, r);
  case BinaryOp::Mod:
    return isSigned ? b.createOrFold<arith::RemSIOp>(loc, l, r)
                    : b.createOrFold<arith::RemUIOp>(loc, l, r);
  case BinaryOp::And:
    return b.createOrFold<arith::AndIOp>(loc, l, r);
  case BinaryOp::Or:
    return b.createOrFold<arith::OrIOp>(loc, l, r);
  case BinaryOp::Xor:
    return b.createOrFold<arith::XOrIOp>(loc, l, r);
  case BinaryOp::LShift:
    return b.createOrFold<arith::ShLIOp>(loc, l, r);
  case BinaryOp::RShift:
    return leftWasSigned ? b.createOrFold<arith::ShRSIOp>(loc, l, r)
                         : b.createOrFold<arith::ShRUIOp>(loc, l, r);
  default:
    return {};
  }
}

Object TensorOps::rawBinary(BinaryOp op, const Object &left, const Object &right,
                            bool leftWasSigned) {
  if (left.dtype().isInt())
    checkOverflow(op, left, right);
  return rawBinaryUnchecked(op, left, right, leftWasSigned);
}

Object TensorOps::rawBinaryUnchecked(BinaryOp op, const Object &left, const Object &right,
                                     bool leftWasSigned) {
  DType type = left.dtype();
  if (rejectFP8(type))
    return Object::poison();
  mlir::Value l = left.value(), r = right.value();
  if (type.isFloat())
    return wrap(floatBinary(op, in.ir(), in.loc(), l, r, *this, type.isFP32()), type);
  return wrap(intBinary(op, in.ir(), in.loc(), l, r, type.isSignedInt(), leftWasSigned), type);
}

void TensorOps::checkOverflow(BinaryOp op, const Object &left, const Object &right) {
  DType type = left.dtype();
  bool applies = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  if (!in.debug() || !in.options().sanitizeOverflow || !applies || type.bits() >= 64)
    return;
  mlir::OpBuilder &b = in.ir();
  DType wide = type.isSignedInt() ? ScalarKind::Int64 : ScalarKind::UInt64;
  Object l = castInt(left, wide), r = castInt(right, wide);
  // In 64 bits these cannot overflow, and an unsigned difference below zero shows as a negative
  // one.
  Object result =
      wrap(intBinary(op, b, in.loc(), l.value(), r.value(), true, true), ScalarKind::Int64);
  llvm::APInt max = type.isSignedInt() ? llvm::APInt::getSignedMaxValue(type.bits())
                                       : llvm::APInt::getMaxValue(type.bits());
  int64_t least = type.isSignedInt() ? -int64_t(max.getZExtValue()) - 1 : 0;
  Object upper = splat(constantInt(int64_t(max.getZExtValue()), ScalarKind::Int64), left.shape());
  Object lower = splat(constantInt(least, ScalarKind::Int64), left.shape());
  Object fits = rawBinary(BinaryOp::And, rawCompare(CompareOp::LtE, result, upper),
                          rawCompare(CompareOp::GtE, result, lower));
  std::string message = type.str() + " overflow in '" + ast::spelling(op).str() + "'";
  tilec::tile::AssertOp::create(b, in.loc(), fits.value(), message);
}

//===----------------------------------------------------------------------===//
// Promotion and dispatch
//===----------------------------------------------------------------------===//

/// The type in which the operands of a binary operator meet.
static TypeResult meetingType(const Object &left, const Object &right, bool divOrMod) {
  if (left.isTensor() && right.isTensor())
    return promote(left.dtype(), right.dtype(), divOrMod);
  return left.isTensor() ? promoteLiteral(left.dtype(), right, divOrMod)
                         : promoteLiteral(right.dtype(), left, divOrMod);
}

static bool needsInt(BinaryOp op) {
  switch (op) {
  case BinaryOp::FloorDiv:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor:
  case BinaryOp::LShift:
  case BinaryOp::RShift:
    return true;
  default:
    return false;
  }
}

/// `operand` in type `type`: literals are created in it, tensors cast.
static Object adopt(TensorOps &ops, const Object &operand, DType type, llvm::SMRange range) {
  return operand.isTensor() ? ops.cast(operand, type, range) : ops.constant(operand, type, range);
}

Object TensorOps::binary(BinaryOp op, Object left, Object right, llvm::SMRange leftRange,
                         llvm::SMRange rightRange, llvm::SMRange opRange) {
  bool leftPointer = left.isTensor() && left.dtype().isPointer();
  bool rightPointer = right.isTensor() && right.dtype().isPointer();
  auto invalid = [&](const llvm::Twine &why) {
    return error(opRange, "cannot apply '" + ast::spelling(op) + "' to " + left.typeStr() +
                              " and " + right.typeStr() + why);
  };
  if (op == BinaryOp::Pow || op == BinaryOp::MatMul)
    return error(opRange, op == BinaryOp::Pow
                              ? llvm::Twine("the operator '**' does not exist for tensors")
                              : llvm::Twine("the operator '@' does not exist; use tl.dot"));
  if (leftPointer || rightPointer) {
    bool legal = op == BinaryOp::Add ? leftPointer != rightPointer
                                     : op == BinaryOp::Sub && leftPointer && !rightPointer;
    if (!legal)
      return invalid("");
    return leftPointer ? addPointer(left, right, op == BinaryOp::Sub, rightRange)
                       : addPointer(right, left, false, leftRange);
  }
  bool divOrMod = op == BinaryOp::Div || op == BinaryOp::Mod || op == BinaryOp::FloorDiv;
  TypeResult meet = meetingType(left, right, divOrMod);
  if (!meet.error.empty())
    return error(opRange, meet.error);
  if (needsInt(op) && !meet.type.isInt())
    return invalid(op == BinaryOp::FloorDiv ? "; '//' divides integers only" : "");
  DType type = op == BinaryOp::Div && meet.type.isInt() ? DType(ScalarKind::FP32) : meet.type;
  bool leftSigned = left.isTensor() ? left.dtype().isSignedInt() : right.dtype().isSignedInt();
  std::array<Object, 2> operands = {adopt(*this, left, type, leftRange),
                                    adopt(*this, right, type, rightRange)};
  if (operands[0].isPoison() || operands[1].isPoison() || !broadcastAll(operands, opRange))
    return Object::poison();
  return rawBinary(op, operands[0], operands[1], leftSigned);
}

bool TensorOps::unify(llvm::MutableArrayRef<Object> operands, llvm::SMRange range) {
  for (Object &operand : operands) {
    operand = materialize(operand, range);
    if (operand.isPoison())
      return false;
  }
  DType type = operands.front().dtype();
  for (const Object &operand : operands.drop_front()) {
    TypeResult meet = promote(type, operand.dtype(), false);
    if (!meet.error.empty()) {
      error(range, meet.error);
      return false;
    }
    type = meet.type;
  }
  for (Object &operand : operands)
    operand = cast(operand, type, range);
  return broadcastAll(operands, range);
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate floatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::NotEq:
    return arith::CmpFPredicate::UNE; // True beside a nan.
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::LtE:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOp::NotEq:
    return arith::CmpIPredicate::ne;
  case CompareOp::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOp::LtE:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOp::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  default:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  }
}

Object TensorOps::rawCompare(CompareOp op, const Object &left, const Object &right) {
  mlir::OpBuilder &b = in.ir();
  DType type = left.dtype();
  // float16 holds every 8-bit float, so the order is that of the numbers.
  if (type.isFP8())
    return rawCompare(op, cast(left, ScalarKind::FP16, in.here()),
                      cast(right, ScalarKind::FP16, in.here()));
  mlir::Value l = left.value(), r = right.value();
  if (type.isFloat())
    return wrap(b.createOrFold<arith::CmpFOp>(in.loc(), floatPredicate(op), l, r),
                ScalarKind::Int1);
  return wrap(b.createOrFold<arith::CmpIOp>(in.loc(), intPredicate(op, type.isSignedInt()), l, r),
              ScalarKind::Int1);
}

Object TensorOps::compare(CompareOp op, Object left, Object right, llvm::SMRange range) {
  if ((left.isTensor() && left.dtype().isPointer()) ||
      (right.isTensor() && right.dtype().isPointer()))
    return error(range, "pointers cannot be compared; cast them to int64 first");
  std::array<Object, 2> operands = {std::move(left), std::move(right)};
  if (!unify(operands, range))
    return Object::poison();
  return rawCompare(op, operands[0], operands[1]);
}

Object TensorOps::select(const Object &condition, const Object &left, const Object &right) {
  return wrap(in.ir().createOrFold<arith::SelectOp>(in.loc(), condition.value(), left.value(),
                                                    right.value()),
              left.dtype());
}

Object TensorOps::minMax(bool isMax, const Object &left, const Object &right, bool propagateNan) {
  mlir::OpBuilder &b = in.ir();
  mlir::Value l = left.value(), r = right.value(), result;
  DType type = left.dtype();
  if (rejectFP8(type))
    return Object::poison();
  mlir::Location loc = in.loc();
  if (type.isFloat() && propagateNan)
    result = isMax ? b.createOrFold<arith::MaximumFOp>(loc, l, r)
                   : b.createOrFold<arith::MinimumFOp>(loc, l, r);
  else if (type.isFloat())
    result = isMax ? b.createOrFold<arith::MaxNumFOp>(loc, l, r)
                   : b.createOrFold<arith::MinNumFOp>(loc, l, r);
  else if (type.isSignedInt())
    result = isMax ? b.createOrFold<arith::MaxSIOp>(loc, l, r)
                   : b.createOrFold<arith::MinSIOp>(loc, l, r);
  else
    result = isMax ? b.createOrFold<arith::MaxUIOp>(loc, l, r)
                   : b.createOrFold<arith::MinUIOp>(loc, l, r);
  return wrap(result, type);
}

//===----------------------------------------------------------------------===//
// Unary and logical operators, pointers
//===----------------------------------------------------------------------===//

Object TensorOps::unary(ast::UnaryOpKind op, const Object &operand, llvm::SMRange range) {
  DType type = operand.dtype();
  auto invalid = [&] {
    return error(range, "cannot apply unary '" + ast::spelling(op) + "' to " + operand.typeStr());
  };
  switch (op) {
  case ast::UnaryOpKind::Plus:
    return invalid();
  case ast::UnaryOpKind::Minus:
    if (type.isPointer())
      return invalid();
    // 0 - x, which makes -(+0.0) positive: so the language defines it.
    return rawBinary(BinaryOp::Sub, zero(type, operand.shape()), operand);
  case ast::UnaryOpKind::Invert: {
    if (!type.isInt())
      return invalid();
    mlir::TypedAttr ones =
        in.ir().getIntegerAttr(irScalarType(type), llvm::APInt::getAllOnes(type.bits()));
    Object mask = wrap(arith::ConstantOp::create(in.ir(), in.loc(), ones), type);
    return rawBinary(BinaryOp::Xor, operand, splat(mask, operand.shape()));
  }
  case ast::UnaryOpKind::Not:
    if (type.isPointer())
      return unary(ast::UnaryOpKind::Invert, toBool(operand, range), range);
    if (!type.isBool())
      return error(range,
                   "'not' needs an int1, found " + operand.typeStr() + "; compare with 0 instead");
    return unary(ast::UnaryOpKind::Invert, operand, range);
  }
  llvm_unreachable("unknown operator");
}

Object TensorOps::logical(ast::BoolOpKind op, const Object &left, const Object &right,
                          llvm::SMRange range) {
  std::array<Object, 2> operands = {left, right};
  for (Object &operand : operands) {
    operand = materialize(operand, range);
    if (operand.isPoison())
      return operand;
    if (operand.dtype().isPointer())
      operand = toBool(operand, range);
    if (!operand.dtype().isBool())
      return error(range, "'" + ast::spelling(op) + "' needs int1 operands, found " +
                              operand.typeStr() + "; compare with 0 instead");
  }
  if (!broadcastAll(operands, range))
    return Object::poison();
  return rawBinary(op == ast::BoolOpKind::And ? BinaryOp::And : BinaryOp::Or, operands[0],
                   operands[1]);
}

Object TensorOps::addPointer(const Object &pointer, Object offset, bool negate,
                             llvm::SMRange range) {
  offset = materialize(offset, range);
  if (offset.isPoison())
    return offset;
  if (!offset.dtype().isInt())
    return error(range, "a pointer moves by integers, found an offset of type " + offset.typeStr());
  if (negate)
    offset = rawBinaryUnchecked(BinaryOp::Sub, zero(offset.dtype(), offset.shape()), offset);
  // The operation sign-extends; what is unsigned is widened here. uint64 needs no widening.
  if (offset.dtype().isUnsignedInt() && offset.dtype().bits() < 64)
    offset = cast(offset, ScalarKind::Int64, range);
  std::array<Object, 2> operands = {pointer, offset};
  if (!broadcastAll(operands, range))
    return Object::poison();
  return wrap(tilec::tile::AddPtrOp::create(in.ir(), in.loc(), operands[0].value().getType(),
                                            operands[0].value(), operands[1].value()),
              pointer.dtype());
}
