//===- Grid.cpp - The programs of a launch as expressions ------*- C++ -*-===//
//
// A grid is what Triton's host code writes: an expression, a tuple, or a lambda whose parameter is
// subscripted with names. Names of the kernel's parameters may be used directly, and functions need
// no module in front.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Grid.h"

#include "HostExprBuilder.h"
#include "tilec/Language/Parser.h"
#include "tilec/Language/Requirement.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {

class GridReader : private HostExprBuilder {
public:
  /// `what` is read, for messages: "grid".
  GridReader(StringRef what, const ast::FunctionDef &kernel, DiagnosticEngine &diagnostics)
      : what(what), kernel(kernel), diagnostics(diagnostics) {}

  /// One to three sizes.
  std::optional<std::vector<Ref>> readSizes(const ast::Expr &expr);
  /// One value. Null after reporting an error.
  Ref readValue(const ast::Expr &expr);

private:
  const ast::Expr *readLambda(const ast::Expr &expr);
  std::optional<Ref> readLeaf(const ast::Expr &expr) override;
  std::optional<HostExpr::Function> functionOf(const ast::Expr &callee) override;
  void report(llvm::SMRange range, const llvm::Twine &message) override {
    diagnostics.error(range, message);
  }
  Ref readName(StringRef name, llvm::SMRange range);
  Ref readConstant(const ast::Constant &constant);
  Ref readTuple(llvm::ArrayRef<ast::Expr *> elements, llvm::SMRange range);
  Ref readSubscript(const ast::Subscript &subscript);

  StringRef what;
  const ast::FunctionDef &kernel;
  DiagnosticEngine &diagnostics;
  StringRef lambdaParameter;
};

} // namespace

HostExpr::Ref GridReader::readName(StringRef name, llvm::SMRange range) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : kernel.params)
    names.push_back(param.name);
  if (llvm::is_contained(names, name))
    return HostExpr::argument(name.str(), range);
  std::optional<StringRef> near = closestName(name, names);
  return error(range, "kernel '" + kernel.name + "' has no parameter '" + name + "'" +
                          (near ? "; did you mean '" + near->str() + "'?" : std::string()));
}

HostExpr::Ref GridReader::readConstant(const ast::Constant &constant) {
  auto make = [&](ConstValue value) {
    return HostExpr::constant(std::move(value), constant.range());
  };
  using Type = ast::Constant::Type;
  switch (constant.type()) {
  case Type::Int:
    return make(ConstValue::integer(constant.intValue()));
  case Type::Float:
    return make(ConstValue::real(constant.floatValue()));
  case Type::Bool:
    return make(ConstValue::boolean(constant.boolValue()));
  case Type::String:
    return make(ConstValue::string(constant.stringValue().str()));
  case Type::None:
    return make(ConstValue::none());
  case Type::Ellipsis:
    break;
  }
  return error(constant.range(), "expected a number, found '...'");
}

/// A tuple or list of constants, as what follows `in`.
HostExpr::Ref GridReader::readTuple(llvm::ArrayRef<ast::Expr *> elements, llvm::SMRange range) {
  std::vector<ConstValue> values;
  for (const ast::Expr *element : elements) {
    Ref ref = readExpr(*element);
    if (!ref)
      return nullptr;
    if (ref->kind() != HostExpr::Kind::Constant)
      return error(ref->range(), "expected a constant in a tuple or a list");
    values.push_back(ref->value());
  }
  return HostExpr::constant(ConstValue::tuple(std::move(values)), range);
}

HostExpr::Ref GridReader::readSubscript(const ast::Subscript &subscript) {
  auto *base = llvm::dyn_cast<ast::Name>(subscript.value);
  bool isArguments = base && !lambdaParameter.empty() && base->id == lambdaParameter;
  if (!isArguments)
    if (std::optional<Ref> element = readElement(subscript))
      return *element;
  auto *key = llvm::dyn_cast<ast::Constant>(subscript.index);
  if (!isArguments || !key || !key->isString())
    return error(subscript.range(), "a " + what +
                                        " may use a parameter of the kernel by its name, as "
                                        "META[\"name\"] in a lambda, and elements of tuples by "
                                        "their number");
  return readName(key->stringValue(), key->range());
}

std::optional<HostExpr::Ref> GridReader::readLeaf(const ast::Expr &expr) {
  using Kind = ast::Expr::Kind;
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
  default:
    return std::nullopt;
  }
}

/// The name of a function, with or without `triton.` before it.
static StringRef calleeName(const ast::Expr &callee) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&callee))
    return name->id;
  auto *attribute = llvm::dyn_cast<ast::Attribute>(&callee);
  auto *module = attribute ? llvm::dyn_cast<ast::Name>(attribute->value) : nullptr;
  return module && module->id == "triton" ? attribute->attr : StringRef();
}

std::optional<HostExpr::Function> GridReader::functionOf(const ast::Expr &callee) {
  using Function = HostExpr::Function;
  return llvm::StringSwitch<std::optional<Function>>(calleeName(callee))
      .Case("cdiv", Function::CDiv)
      .Case("next_power_of_2", Function::NextPowerOf2)
      .Case("min", Function::Min)
      .Case("max", Function::Max)
      .Case("abs", Function::Abs)
      .Case("int", Function::Int)
      .Case("float", Function::Float)
      .Case("bool", Function::Bool)
      .Default(std::nullopt);
}

/// What a lambda returns, and another expression itself; null after reporting an error.
const ast::Expr *GridReader::readLambda(const ast::Expr &expr) {
  auto *lambda = llvm::dyn_cast<ast::Lambda>(&expr);
  if (!lambda)
    return &expr;
  if (lambda->params.size() != 1) {
    error(expr.range(), "expected one parameter of a " + what + "'s lambda");
    return nullptr;
  }
  lambdaParameter = lambda->params.front().name;
  return lambda->body;
}

HostExpr::Ref GridReader::readValue(const ast::Expr &expr) {
  const ast::Expr *body = readLambda(expr);
  return body ? readExpr(*body) : nullptr;
}

std::optional<std::vector<HostExpr::Ref>> GridReader::readSizes(const ast::Expr &expr) {
  const ast::Expr *body = readLambda(expr);
  if (!body)
    return std::nullopt;
  llvm::SmallVector<const ast::Expr *> sizes = {body};
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(body))
    sizes.assign(tuple->elements.begin(), tuple->elements.end());
  else if (auto *list = llvm::dyn_cast<ast::List>(body))
    sizes.assign(list->elements.begin(), list->elements.end());
  if (sizes.empty() || sizes.size() > 3) {
    error(expr.range(), "expected one to three sizes, found " + llvm::Twine(sizes.size()));
    return std::nullopt;
  }
  std::vector<Ref> results;
  for (const ast::Expr *size : sizes) {
    results.push_back(readExpr(*size));
    if (!results.back())
      return std::nullopt;
  }
  return results;
}

/// The syntax of `text`, which is copied into a buffer; null after reporting an error.
static const ast::Expr *parseText(StringRef text, StringRef bufferName, llvm::SourceMgr &sourceMgr,
                                  DiagnosticEngine &diagnostics, ast::Context &trees) {
  unsigned buffer = sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), llvm::SMLoc());
  return parseExpression(sourceMgr, buffer, diagnostics, trees);
}

std::optional<std::vector<HostExpr::Ref>> tilec::parseGrid(StringRef text, StringRef bufferName,
                                                           const ast::FunctionDef &kernel,
                                                           llvm::SourceMgr &sourceMgr,
                                                           DiagnosticEngine &diagnostics) {
  ast::Context trees;
  const ast::Expr *expr = parseText(text, bufferName, sourceMgr, diagnostics, trees);
  return expr ? GridReader("grid", kernel, diagnostics).readSizes(*expr) : std::nullopt;
}

std::optional<Requirement> tilec::parseRequirement(StringRef text, StringRef bufferName,
                                                   const ast::FunctionDef &kernel,
                                                   llvm::SourceMgr &sourceMgr,
                                                   DiagnosticEngine &diagnostics) {
  ast::Context trees;
  const ast::Expr *expr = parseText(text, bufferName, sourceMgr, diagnostics, trees);
  HostExpr::Ref value =
      expr ? GridReader("condition", kernel, diagnostics).readValue(*expr) : nullptr;
  if (!value)
    return std::nullopt;
  llvm::SMRange range = value->range();
  std::string line = llvm::join(llvm::split(text.trim(), '\n'), " ");
  return Requirement{line, HostExpr::call(HostExpr::Function::Bool, {std::move(value)}, range)};
}

llvm::Expected<std::array<int64_t, 3>> tilec::evaluateGrid(llvm::ArrayRef<HostExpr::Ref> grid,
                                                           HostExpr::Lookup lookup) {
  std::array<int64_t, 3> sizes = {1, 1, 1};
  for (auto [axis, expr] : llvm::enumerate(grid)) {
    llvm::Expected<ConstValue> value = expr->evaluate(lookup);
    if (!value)
      return llvm::createStringError("the grid: " + llvm::toString(value.takeError()));
    if (value->kind() != ConstValue::Kind::Int || !value->asInt().isSignedIntN(64))
      return llvm::createStringError("the grid along " + llvm::Twine("xyz"[axis]) +
                                     " is no integer of 64 bits: " + value->str());
    sizes[axis] = value->asInt().getSExtValue();
  }
  return sizes;
}
