//===- ExprArith.cpp - Arithmetic of host expressions ----------*- C++ -*-===//
//
// The operators and functions of ExprCode, each with the checks that make its result Python's:
// division rounds down, and what 64 bits do not hold, or Python would raise an error for, ends the
// function with a code instead of a wrong number.
//
//===----------------------------------------------------------------------===//

#include "ExprCode.h"

#include "llvm/IR/Intrinsics.h"

using namespace tilec;
using llvm::Value;

/// An addition, subtraction or multiplication that fails when 64 bits do not hold the result.
Value *ExprCode::checked(llvm::Intrinsic::ID operation, Value *left, Value *right) {
  Value *both = b.CreateBinaryIntrinsic(operation, left, right);
  failIf(b.CreateExtractValue(both, 1), kOverflow);
  return b.CreateExtractValue(both, 0);
}

/// Rounds towards minus infinity; a remainder has the sign of the divisor.
Value *ExprCode::floorDivide(Value *left, Value *right, bool wantRemainder) {
  Value *zero = b.getInt64(0);
  failIf(b.CreateICmpEQ(right, zero), kDivisionByZero);
  Value *isLeast = b.CreateICmpEQ(left, b.getInt64(uint64_t(INT64_MIN)));
  failIf(b.CreateAnd(isLeast, b.CreateICmpEQ(right, b.getInt64(uint64_t(-1)))), kOverflow);
  Value *quotient = b.CreateSDiv(left, right), *remainder = b.CreateSRem(left, right);
  Value *signsDiffer = b.CreateICmpSLT(b.CreateXor(remainder, right), zero);
  Value *adjust = b.CreateAnd(b.CreateICmpNE(remainder, zero), signsDiffer);
  if (wantRemainder)
    return b.CreateAdd(remainder, b.CreateSelect(adjust, right, zero));
  return b.CreateSub(quotient, b.CreateZExt(adjust, b.getInt64Ty()));
}

Value *ExprCode::shift(const HostExpr &, bool isLeft, Value *left, Value *right) {
  failIf(b.CreateICmpSLT(right, b.getInt64(0)), kOverflow); // a ValueError in Python
  Value *most = b.getInt64(63);
  if (!isLeft)
    return b.CreateAShr(left, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, right, most));
  failIf(b.CreateICmpSGT(right, most), kOverflow);
  Value *result = b.CreateShl(left, right);
  failIf(b.CreateICmpNE(b.CreateAShr(result, right), left), kOverflow);
  return result;
}

Value *ExprCode::nextPowerOf2(Value *value) {
  failIf(b.CreateICmpSGT(value, b.getInt64(int64_t(1) << 61)), kOverflow);
  Value *one = b.getInt64(1);
  // 2 ** (bits of value - 1); the bits of 0, for value 1, are counted as 0.
  Value *below = b.CreateSub(value, one);
  Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, below, b.getFalse());
  Value *bits = b.CreateAnd(b.CreateSub(b.getInt64(64), zeros), b.getInt64(63));
  Value *isPositive = b.CreateICmpSGT(value, b.getInt64(0));
  return b.CreateSelect(isPositive, b.CreateShl(one, bits), b.getInt64(0));
}

Value *ExprCode::minMax(const HostExpr &expr, Value *left, Value *right) {
  bool isMax = expr.function() == HostExpr::Function::Max;
  return b.CreateBinaryIntrinsic(isMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, left,
                                 right);
}

ExprCode::MaybeOperand ExprCode::emitUnary(const HostExpr &expr) {
  MaybeOperand operand = emit(*expr.operands()[0]);
  if (!operand)
    return std::nullopt;
  if (expr.unaryOp() == ast::UnaryOpKind::Not) {
    Value *truth = toBool(expr, *operand);
    return truth ? MaybeOperand(makeBool(b.CreateNot(truth))) : std::nullopt;
  }
  if (isFloat(*operand) && expr.unaryOp() != ast::UnaryOpKind::Invert) {
    Value *value = toFloat(expr, *operand);
    return makeFloat(expr.unaryOp() == ast::UnaryOpKind::Minus ? b.CreateFNeg(value) : value);
  }
  Value *value = toInt(expr, *operand);
  if (!value)
    return std::nullopt;
  if (expr.unaryOp() == ast::UnaryOpKind::Invert)
    return makeInt(b.CreateNot(value));
  if (expr.unaryOp() == ast::UnaryOpKind::Minus)
    value = checked(llvm::Intrinsic::ssub_with_overflow, b.getInt64(0), value);
  return makeInt(value);
}

ExprCode::MaybeOperand ExprCode::emitFloatBinary(const HostExpr &expr, const Operand &left,
                                                 const Operand &right) {
  using ast::BinaryOp;
  Value *x = toFloat(expr, left), *y = x ? toFloat(expr, right) : nullptr;
  if (!y)
    return std::nullopt;
  switch (expr.binaryOp()) {
  case BinaryOp::Add:
    return makeFloat(b.CreateFAdd(x, y));
  case BinaryOp::Sub:
    return makeFloat(b.CreateFSub(x, y));
  case BinaryOp::Mul:
    return makeFloat(b.CreateFMul(x, y));
  case BinaryOp::Div:
    failIf(b.CreateFCmpOEQ(y, llvm::ConstantFP::get(b.getDoubleTy(), 0.0)), kDivisionByZero);
    return makeFloat(b.CreateFDiv(x, y));
  default:
    return error(expr, "'" + ast::spelling(expr.binaryOp()) +
                           "' of floats cannot be evaluated in a launch");
  }
}

ExprCode::MaybeOperand ExprCode::emitBinary(const HostExpr &expr) {
  using ast::BinaryOp;
  MaybeOperand left = emit(*expr.operands()[0]);
  MaybeOperand right = left ? emit(*expr.operands()[1]) : std::nullopt;
  if (!right)
    return std::nullopt;
  if (isFloat(*left) || isFloat(*right) || expr.binaryOp() == BinaryOp::Div)
    return emitFloatBinary(expr, *left, *right);
  Value *x = toInt(expr, *left), *y = x ? toInt(expr, *right) : nullptr;
  if (!y)
    return std::nullopt;
  switch (expr.binaryOp()) {
  case BinaryOp::Add:
    return makeInt(checked(llvm::Intrinsic::sadd_with_overflow, x, y));
  case BinaryOp::Sub:
    return makeInt(checked(llvm::Intrinsic::ssub_with_overflow, x, y));
  case BinaryOp::Mul:
    return makeInt(checked(llvm::Intrinsic::smul_with_overflow, x, y));
  case BinaryOp::FloorDiv:
    return makeInt(floorDivide(x, y, /*wantRemainder=*/false));
  case BinaryOp::Mod:
    return makeInt(floorDivide(x, y, /*wantRemainder=*/true));
  case BinaryOp::LShift:
  case BinaryOp::RShift:
    return makeInt(shift(expr, expr.binaryOp() == BinaryOp::LShift, x, y));
  case BinaryOp::And:
    return makeInt(b.CreateAnd(x, y));
  case BinaryOp::Or:
    return makeInt(b.CreateOr(x, y));
  case BinaryOp::Xor:
    return makeInt(b.CreateXor(x, y));
  default:
    return error(expr, "'" + ast::spelling(expr.binaryOp()) + "' cannot be evaluated in a launch");
  }
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Whether a value can be equal to a constant of this kind at all.
static bool isNumber(const ConstValue &value) {
  return value.kind() == ConstValue::Kind::Bool || value.kind() == ConstValue::Kind::Int ||
         value.kind() == ConstValue::Kind::Float;
}

ExprCode::MaybeOperand ExprCode::compare(const HostExpr &expr, ast::CompareOp op,
                                         const Operand &left, const Operand &right) {
  using ast::CompareOp;
  bool isEqual = op == CompareOp::Eq || op == CompareOp::Is;
  bool isEquality = isEqual || op == CompareOp::NotEq || op == CompareOp::IsNot;
  if (left.type == Type::Constant && right.type == Type::Constant && isEquality) {
    const ConstValue &x = left.constant, &y = right.constant;
    HostExpr::Ref same = HostExpr::compare(CompareOp::Eq, HostExpr::constant(x, expr.range()),
                                           HostExpr::constant(y, expr.range()), expr.range());
    llvm::Expected<ConstValue> equal = same->evaluate([](llvm::StringRef) { return nullptr; });
    if (equal)
      return makeBool(b.getInt1(equal->asBool() == isEqual));
    llvm::consumeError(equal.takeError());
    return makeBool(b.getInt1(!isEqual));
  }
  if (isNone(left) || isNone(right)) {
    const Operand &other = isNone(left) ? right : left;
    if (!isEquality)
      return error(expr, "None has no order");
    Value *isNull =
        other.type == Type::Pointer ? b.CreateICmpEQ(other.value, b.getInt64(0)) : b.getInt1(false);
    return makeBool(isEqual ? isNull : b.CreateNot(isNull));
  }
  for (const Operand *operand : {&left, &right})
    if (operand->type == Type::Constant && !isNumber(operand->constant)) {
      if (isEquality)
        return makeBool(b.getInt1(!isEqual));
      return error(expr, operand->constant.str() + " cannot be compared in a launch");
    }
  if (isFloat(left) || isFloat(right)) {
    Value *x = toFloat(expr, left), *y = x ? toFloat(expr, right) : nullptr;
    if (!y)
      return std::nullopt;
    static constexpr llvm::CmpInst::Predicate predicates[] = {
        llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::FCMP_UNE, llvm::CmpInst::FCMP_OLT,
        llvm::CmpInst::FCMP_OLE, llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE};
    return makeBool(b.CreateFCmp(
        predicates[isEquality ? !isEqual : unsigned(op) - unsigned(CompareOp::Eq)], x, y));
  }
  Value *x = toInt(expr, left), *y = x ? toInt(expr, right) : nullptr;
  if (!y)
    return std::nullopt;
  static constexpr llvm::CmpInst::Predicate predicates[] = {
      llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT,
      llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE};
  return makeBool(b.CreateICmp(
      predicates[isEquality ? !isEqual : unsigned(op) - unsigned(CompareOp::Eq)], x, y));
}

ExprCode::MaybeOperand ExprCode::emitMembership(const HostExpr &expr, const Operand &left,
                                                const Operand &right) {
  if (right.type != Type::Constant || right.constant.kind() != ConstValue::Kind::Tuple)
    return error(expr, "expected a tuple or a list of constants after 'in'");
  Value *found = b.getInt1(false);
  for (const ConstValue &element : right.constant.elements()) {
    MaybeOperand equal =
        compare(expr, ast::CompareOp::Eq, left, {Type::Constant, nullptr, element});
    if (!equal)
      return std::nullopt;
    found = b.CreateOr(found, equal->value);
  }
  return makeBool(expr.compareOp() == ast::CompareOp::In ? found : b.CreateNot(found));
}

ExprCode::MaybeOperand ExprCode::emitCompare(const HostExpr &expr) {
  using ast::CompareOp;
  MaybeOperand left = emit(*expr.operands()[0]);
  MaybeOperand right = left ? emit(*expr.operands()[1]) : std::nullopt;
  if (!right)
    return std::nullopt;
  CompareOp op = expr.compareOp();
  if (op == CompareOp::In || op == CompareOp::NotIn)
    return emitMembership(expr, *left, *right);
  if ((op == CompareOp::Is || op == CompareOp::IsNot) && !isNone(*left) && !isNone(*right))
    return error(expr, "'is' can be evaluated in a launch with None only");
  return compare(expr, op, *left, *right);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ExprCode::MaybeOperand ExprCode::emitCall(const HostExpr &expr) {
  using Function = HostExpr::Function;
  llvm::SmallVector<Operand> args;
  for (const HostExpr::Ref &operand : expr.operands()) {
    MaybeOperand value = emit(*operand);
    if (!value)
      return std::nullopt;
    args.push_back(*value);
  }
  if (expr.function() == Function::Bool) {
    Value *truth = toBool(expr, args[0]);
    return truth ? MaybeOperand(makeBool(truth)) : std::nullopt;
  }
  if (expr.function() == Function::Float) {
    Value *value = toFloat(expr, args[0]);
    return value ? MaybeOperand(makeFloat(value)) : std::nullopt;
  }
  if (expr.function() == Function::Int && isFloat(args[0])) {
    Value *value = toFloat(expr, args[0]);
    Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    // True for NaN too.
    failIf(b.CreateFCmpUGE(size, llvm::ConstantFP::get(b.getDoubleTy(), 0x1p63)), kOverflow);
    return makeInt(b.CreateFPToSI(value, b.getInt64Ty()));
  }
  llvm::SmallVector<Value *> values;
  for (const Operand &arg : args) {
    values.push_back(toInt(expr, arg));
    if (!values.back())
      return std::nullopt;
  }
  switch (expr.function()) {
  case Function::CDiv: {
    Value *sum = checked(llvm::Intrinsic::sadd_with_overflow, values[0], values[1]);
    sum = checked(llvm::Intrinsic::ssub_with_overflow, sum, b.getInt64(1));
    return makeInt(floorDivide(sum, values[1], /*wantRemainder=*/false));
  }
  case Function::NextPowerOf2:
    return makeInt(nextPowerOf2(values[0]));
  case Function::Abs: {
    Value *negated = checked(llvm::Intrinsic::ssub_with_overflow, b.getInt64(0), values[0]);
    return makeInt(b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, values[0], negated));
  }
  case Function::Min:
  case Function::Max: {
    Value *best = values[0];
    for (Value *value : llvm::drop_begin(values))
      best = minMax(expr, best, value);
    return makeInt(best);
  }
  default:
    return makeInt(values[0]);
  }
}
