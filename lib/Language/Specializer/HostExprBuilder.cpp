//===- HostExprBuilder.cpp - From syntax to host expressions ----*- C++ -*-===//
//
// Reads operators, comparisons and calls of a syntax tree into a HostExpr. Derived classes read the
// leaves: names in a lambda of a decorator (HostExprReader) mean something else than those in the
// text of a grid (Grid.cpp). Only expressions without effects are taken; anything else is an error.
//
//===----------------------------------------------------------------------===//

#include "HostExprBuilder.h"

using namespace tilec;
using namespace tilec::front;

HostExprBuilder::~HostExprBuilder() = default;

bool HostExprBuilder::readAll(llvm::ArrayRef<ast::Expr *> exprs, std::vector<Ref> &result) {
  for (const ast::Expr *expr : exprs) {
    result.push_back(readExpr(*expr));
    if (!result.back())
      return false;
  }
  return true;
}

HostExpr::Ref HostExprBuilder::readBoolean(const ast::BoolOp &boolean) {
  std::vector<Ref> operands;
  if (!readAll(boolean.operands, operands))
    return nullptr;
  return HostExpr::boolean(boolean.op, std::move(operands), boolean.range());
}

/// A chain `a < b < c` is `a < b and b < c`: expressions here have no effects.
HostExpr::Ref HostExprBuilder::readCompare(const ast::Compare &compare) {
  std::vector<Ref> operands = {readExpr(*compare.left)};
  if (!operands.front() || !readAll(compare.comparators, operands))
    return nullptr;
  std::vector<Ref> links;
  for (auto [index, op] : llvm::enumerate(compare.ops))
    links.push_back(HostExpr::compare(op, operands[index], operands[index + 1], compare.range()));
  if (links.size() == 1)
    return links.front();
  return HostExpr::boolean(ast::BoolOpKind::And, std::move(links), compare.range());
}

HostExpr::Ref HostExprBuilder::readCall(const ast::Call &call) {
  std::optional<HostExpr::Function> function = functionOf(*call.callee);
  if (!function)
    return error(call.range(),
                 "this call cannot be evaluated without Python; expected triton.cdiv, "
                 "triton.next_power_of_2, min, max, abs, int, float or bool");
  if (!call.keywords.empty())
    return error(call.keywords.front().range,
                 spelling(*function) + " takes no keyword arguments here");
  using Function = HostExpr::Function;
  bool several = *function == Function::Min || *function == Function::Max;
  size_t least = several || *function == Function::CDiv ? 2 : 1;
  if (call.args.size() < least || (!several && call.args.size() > least))
    return error(call.range(), spelling(*function) + " takes " + llvm::Twine(least) +
                                   (several ? " or more" : "") +
                                   (least == 1 ? " argument" : " arguments") + ", found " +
                                   llvm::Twine(call.args.size()));
  std::vector<Ref> args;
  if (!readAll(call.args, args))
    return nullptr;
  return HostExpr::call(*function, std::move(args), call.range());
}

std::optional<HostExpr::Ref> HostExprBuilder::readElement(const ast::Subscript &subscript) {
  const ast::Expr *number = subscript.index;
  auto *minus = llvm::dyn_cast<ast::UnaryOp>(number);
  if (minus && minus->op == ast::UnaryOpKind::Minus)
    number = minus->operand;
  auto *index = llvm::dyn_cast<ast::Constant>(number);
  if (!index || index->type() != ast::Constant::Type::Int || !index->intValue().isIntN(31))
    return std::nullopt;
  int64_t value = index->intValue().getZExtValue();
  Ref tuple = readExpr(*subscript.value);
  return tuple ? HostExpr::element(tuple, minus ? -value : value, subscript.range()) : nullptr;
}

/// `x.shape` or `x.strides` of a tensor descriptor.
HostExpr::Ref HostExprBuilder::readPart(const ast::Attribute &attribute) {
  bool isPart = attribute.attr != "base" && llvm::is_contained(descriptorParts(), attribute.attr);
  Ref argument = isPart ? readExpr(*attribute.value) : nullptr;
  if (isPart && !argument)
    return nullptr;
  if (!argument || argument->kind() != HostExpr::Kind::Argument)
    return error(attribute.range(), "this cannot be evaluated without Python; '.shape' and "
                                    "'.strides' of an argument that is a tensor descriptor can");
  return HostExpr::part(argument, attribute.attr, attribute.range());
}

HostExpr::Ref HostExprBuilder::readExpr(const ast::Expr &expr) {
  if (std::optional<Ref> leaf = readLeaf(expr))
    return *leaf;
  using Kind = ast::Expr::Kind;
  switch (expr.kind()) {
  case Kind::BoolOp:
    return readBoolean(llvm::cast<ast::BoolOp>(expr));
  case Kind::Compare:
    return readCompare(llvm::cast<ast::Compare>(expr));
  case Kind::Call:
    return readCall(llvm::cast<ast::Call>(expr));
  case Kind::Attribute:
    return readPart(llvm::cast<ast::Attribute>(expr));
  case Kind::UnaryOp: {
    auto &unary = llvm::cast<ast::UnaryOp>(expr);
    Ref operand = readExpr(*unary.operand);
    return operand ? HostExpr::unary(unary.op, operand, unary.range()) : nullptr;
  }
  case Kind::BinOp: {
    auto &binary = llvm::cast<ast::BinOp>(expr);
    Ref left = readExpr(*binary.left), right = left ? readExpr(*binary.right) : nullptr;
    return right ? HostExpr::binary(binary.op, left, right, binary.range()) : nullptr;
  }
  case Kind::IfExp: {
    auto &choice = llvm::cast<ast::IfExp>(expr);
    std::vector<Ref> parts;
    if (!readAll({choice.test, choice.body, choice.orelse}, parts))
      return nullptr;
    return HostExpr::conditional(parts[0], parts[1], parts[2], choice.range());
  }
  default:
    return error(expr.range(), "this cannot be evaluated without Python");
  }
}
