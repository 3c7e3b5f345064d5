//===- Grid.cpp - Reads the grid of a kernel -------------------*- C++ -*-===//
//
// A grid is what Triton's host code writes: an expression, a tuple, or a lambda whose parameter is
// subscripted with names. Names of parameters may be used directly.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::StringRef;

namespace {

class GridReader {
public:
  GridReader(const ast::FunctionDef &function, DiagnosticEngine &diagnostics)
      : function(function), diagnostics(diagnostics) {}

  std::optional<std::vector<HostExpr::Ref>> read(const ast::Expr &expr);

private:
  using Ref = HostExpr::Ref;
  Ref readExpr(const ast::Expr &expr);
  Ref readName(StringRef name, llvm::SMRange range);
  Ref readConstant(const ast::Constant &constant);
  Ref readTuple(llvm::ArrayRef<ast::Expr *> elements, llvm::SMRange range);
  Ref readSubscript(const ast::Subscript &subscript);
  Ref readCompare(const ast::Compare &compare);
  Ref readCall(const ast::Call &call);
  bool readAll(llvm::ArrayRef<ast::Expr *> exprs, std::vector<Ref> &results);
  std::nullptr_t error(llvm::SMRange range, const llvm::Twine &message) {
    diagnostics.error(range, message);
    return nullptr;
  }

  const ast::FunctionDef &function;
  DiagnosticEngine &diagnostics;
  StringRef lambdaParameter;
};

} // namespace

HostExpr::Ref GridReader::readName(StringRef name, llvm::SMRange range) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : function.params)
    names.push_back(param.name);
  if (llvm::is_contained(names, name))
    return HostExpr::argument(name.str(), range);
  std::optional<StringRef> near = closestName(name, names);
  return error(range, "kernel '" + function.name + "' has no parameter '" + name + "'" +
                          (near ? "; did you mean '" + near->str() + "'?" : std::string()));
}

HostExpr::Ref GridReader::readConstant(const ast::Constant &constant) {
  using Type = ast::Constant::Type;
  switch (constant.type()) {
  case Type::Int:
    return HostExpr::constant(ConstValue::integer(constant.intValue()), constant.range());
  case Type::Float:
    return HostExpr::constant(ConstValue::real(constant.floatValue()), constant.range());
  case Type::Bool:
    return HostExpr::constant(ConstValue::boolean(constant.boolValue()), constant.range());
  case Type::String:
    return HostExpr::constant(ConstValue::string(constant.stringValue().str()), constant.range());
  case Type::None:
    return HostExpr::constant(ConstValue::none(), constant.range());
  case Type::Ellipsis:
    break;
  }
  return error(constant.range(), "expected a number, found '...'");
}

/// A tuple or list of constants, as what follows `in`.
HostExpr::Ref GridReader::readTuple(llvm::ArrayRef<ast::Expr *> elements, llvm::SMRange range) {
  std::vector<Ref> refs;
  if (!readAll(elements, refs))
    return nullptr;
  std::vector<ConstValue> values;
  for (const Ref &ref : refs) {
    if (ref->kind() != HostExpr::Kind::Constant)
      return error(ref->range(), "expected a constant in a tuple or a list");
    values.push_back(ref->value());
  }
  return HostExpr::constant(ConstValue::tuple(std::move(values)), range);
}

HostExpr::Ref GridReader::readSubscript(const ast::Subscript &subscript) {
  auto *base = llvm::dyn_cast<ast::Name>(subscript.value);
  auto *key = llvm::dyn_cast<ast::Constant>(subscript.index);
  if (!base || lambdaParameter.empty() || base->id != lambdaParameter || !key || !key->isString())
    return error(subscript.range(), "a grid may use a parameter of the kernel by its name, or as "
                                    "META[\"name\"] in a lambda");
  return readName(key->stringValue(), key->range());
}

bool GridReader::readAll(llvm::ArrayRef<ast::Expr *> exprs, std::vector<Ref> &results) {
  for (const ast::Expr *expr : exprs) {
    results.push_back(readExpr(*expr));
    if (!results.back())
      return false;
  }
  return true;
}

/// A chain `a < b < c` is `a < b and b < c`.
HostExpr::Ref GridReader::readCompare(const ast::Compare &compare) {
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

/// The name of a function, with or without `triton.` before it.
static StringRef calleeName(const ast::Expr &callee) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&callee))
    return name->id;
  auto *attribute = llvm::dyn_cast<ast::Attribute>(&callee);
  auto *module = attribute ? llvm::dyn_cast<ast::Name>(attribute->value) : nullptr;
  return module && module->id == "triton" ? attribute->attr : StringRef();
}

HostExpr::Ref GridReader::readCall(const ast::Call &call) {
  using Function = HostExpr::Function;
  auto function = llvm::StringSwitch<std::optional<Function>>(calleeName(*call.callee))
                      .Case("cdiv", Function::CDiv)
                      .Case("next_power_of_2", Function::NextPowerOf2)
                      .Case("min", Function::Min)
                      .Case("max", Function::Max)
                      .Case("abs", Function::Abs)
                      .Case("int", Function::Int)
                      .Default(std::nullopt);
  if (!function)
    return error(call.callee->range(),
                 "expected cdiv, next_power_of_2, min, max, abs or int; no other function can be "
                 "called in a grid");
  bool isChoice = *function == Function::Min || *function == Function::Max;
  size_t expected = *function == Function::CDiv ? 2 : 1;
  bool fits = isChoice ? call.args.size() >= 2 : call.args.size() == expected;
  if (!fits || !call.keywords.empty())
    return error(call.range(), "wrong number of arguments to " + spelling(*function));
  std::vector<Ref> args;
  if (!readAll(call.args, args))
    return nullptr;
  return HostExpr::call(*function, std::move(args), call.range());
}

HostExpr::Ref GridReader::readExpr(const ast::Expr &expr) {
  using Kind = ast::Expr::Kind;
  std::vector<Ref> operands;
  switch (expr.kind()) {
  case Kind::Name:
    return readName(llvm::cast<ast::Name>(expr).id, expr.range());
  case Kind::Constant:
    return readConstant(llvm::cast<ast::Constant>(expr));
  case Kind::Tuple:
    return readTuple(llvm::cast<ast::Tuple>(expr).elements, expr.range());
  case Kind::List:
    return readTuple(llvm::cast<ast::List>(expr).elements, expr.range());
  case Kind::Subscript:
    return readSubscript(llvm::cast<ast::Subscript>(expr));
  case Kind::Compare:
    return readCompare(llvm::cast<ast::Compare>(expr));
  case Kind::Call:
    return readCall(llvm::cast<ast::Call>(expr));
  case Kind::UnaryOp: {
    auto &unary = llvm::cast<ast::UnaryOp>(expr);
    Ref operand = readExpr(*unary.operand);
    return operand ? HostExpr::unary(unary.op, operand, expr.range()) : nullptr;
  }
  case Kind::BinOp: {
    auto &binary = llvm::cast<ast::BinOp>(expr);
    if (!readAll({binary.left, binary.right}, operands))
      return nullptr;
    return HostExpr::binary(binary.op, operands[0], operands[1], expr.range());
  }
  case Kind::BoolOp: {
    auto &boolean = llvm::cast<ast::BoolOp>(expr);
    if (!readAll(boolean.operands, operands))
      return nullptr;
    return HostExpr::boolean(boolean.op, std::move(operands), expr.range());
  }
  case Kind::IfExp: {
    auto &choice = llvm::cast<ast::IfExp>(expr);
    if (!readAll({choice.test, choice.body, choice.orelse}, operands))
      return nullptr;
    return HostExpr::conditional(operands[0], operands[1], operands[2], expr.range());
  }
  default:
    return error(expr.range(), "this cannot be evaluated in a launch");
  }
}

std::optional<std::vector<HostExpr::Ref>> GridReader::read(const ast::Expr &expr) {
  const ast::Expr *body = &expr;
  if (auto *lambda = llvm::dyn_cast<ast::Lambda>(body)) {
    if (lambda->params.size() != 1) {
      error(expr.range(), "expected one parameter of a grid's lambda");
      return std::nullopt;
    }
    lambdaParameter = lambda->params.front().name;
    body = lambda->body;
  }
  llvm::SmallVector<ast::Expr *> sizes = {const_cast<ast::Expr *>(body)};
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(body))
    sizes.assign(tuple->elements.begin(), tuple->elements.end());
  if (sizes.empty() || sizes.size() > 3) {
    error(expr.range(), "expected one to three sizes, found " + llvm::Twine(sizes.size()));
    return std::nullopt;
  }
  std::vector<Ref> results;
  if (!readAll(sizes, results))
    return std::nullopt;
  return results;
}

std::optional<std::vector<HostExpr::Ref>>
artifact::readGrid(StringRef text, const ast::FunctionDef &function, Compilation &source) {
  unsigned buffer = source.sources().AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "--grid"), llvm::SMLoc());
  ast::Context trees;
  const ast::Expr *expr = parseExpression(source.sources(), buffer, source.diagnostics(), trees);
  return expr ? GridReader(function, source.diagnostics()).read(*expr) : std::nullopt;
}
