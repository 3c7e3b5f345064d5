//===- BuiltinsOperators.cpp - Operators as methods -------------*- C++ -*-===//
//
// The methods that Python calls for operators: `x.__lshift__(4)` is `x << 4`, `x.__rsub__(1)` is
// `1 - x`.
//
//===----------------------------------------------------------------------===//

#include "Args.h"
#include "Builtins.h"
#include "Interpreter.h"
#include "TensorOps.h"

using namespace tilec;
using namespace tilec::front;
using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOpKind;

template <BinaryOp op> static Object binary(Interpreter &in, Args &args) {
  Object x = args.tensor(0), y = args.operand(1);
  if (x.isPoison() || y.isPoison())
    return Object::poison();
  return in.tensors().binary(op, x, y, args.range(0), args.range(1), args.callRange());
}

template <BinaryOp op> static Object reflected(Interpreter &in, Args &args) {
  Object x = args.tensor(0), y = args.operand(1);
  if (x.isPoison() || y.isPoison())
    return Object::poison();
  return in.tensors().binary(op, y, x, args.range(1), args.range(0), args.callRange());
}

template <CompareOp op> static Object compare(Interpreter &in, Args &args) {
  Object x = args.tensor(0), y = args.operand(1);
  if (x.isPoison() || y.isPoison())
    return Object::poison();
  return in.tensors().compare(op, x, y, args.callRange());
}

template <UnaryOpKind op> static Object unary(Interpreter &in, Args &args) {
  Object x = args.tensor(0);
  return x.isPoison() ? x : in.tensors().unary(op, x, args.callRange());
}

llvm::ArrayRef<Builtin> front::operatorBuiltins() {
  static constexpr uint8_t flags = IsMethod | Hidden;
  static constexpr Builtin rows[] = {
      {"__add__", "self, other", binary<BinaryOp::Add>, flags},
      {"__radd__", "self, other", reflected<BinaryOp::Add>, flags},
      {"__sub__", "self, other", binary<BinaryOp::Sub>, flags},
      {"__rsub__", "self, other", reflected<BinaryOp::Sub>, flags},
      {"__mul__", "self, other", binary<BinaryOp::Mul>, flags},
      {"__rmul__", "self, other", reflected<BinaryOp::Mul>, flags},
      {"__truediv__", "self, other", binary<BinaryOp::Div>, flags},
      {"__rtruediv__", "self, other", reflected<BinaryOp::Div>, flags},
      {"__floordiv__", "self, other", binary<BinaryOp::FloorDiv>, flags},
      {"__rfloordiv__", "self, other", reflected<BinaryOp::FloorDiv>, flags},
      {"__mod__", "self, other", binary<BinaryOp::Mod>, flags},
      {"__rmod__", "self, other", reflected<BinaryOp::Mod>, flags},
      {"__and__", "self, other", binary<BinaryOp::And>, flags},
      {"__rand__", "self, other", reflected<BinaryOp::And>, flags},
      {"__or__", "self, other", binary<BinaryOp::Or>, flags},
      {"__ror__", "self, other", reflected<BinaryOp::Or>, flags},
      {"__xor__", "self, other", binary<BinaryOp::Xor>, flags},
      {"__rxor__", "self, other", reflected<BinaryOp::Xor>, flags},
      {"__lshift__", "self, other", binary<BinaryOp::LShift>, flags},
      {"__rlshift__", "self, other", reflected<BinaryOp::LShift>, flags},
      {"__rshift__", "self, other", binary<BinaryOp::RShift>, flags},
      {"__rrshift__", "self, other", reflected<BinaryOp::RShift>, flags},
      {"__eq__", "self, other", compare<CompareOp::Eq>, flags},
      {"__ne__", "self, other", compare<CompareOp::NotEq>, flags},
      {"__lt__", "self, other", compare<CompareOp::Lt>, flags},
      {"__le__", "self, other", compare<CompareOp::LtE>, flags},
      {"__gt__", "self, other", compare<CompareOp::Gt>, flags},
      {"__ge__", "self, other", compare<CompareOp::GtE>, flags},
      {"__neg__", "self", unary<UnaryOpKind::Minus>, flags},
      {"__invert__", "self", unary<UnaryOpKind::Invert>, flags},
  };
  return rows;
}
