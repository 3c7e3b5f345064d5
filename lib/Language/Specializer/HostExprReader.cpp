//===- HostExprReader.cpp - Lambdas of the host as expressions --*- C++ -*-===//
//
// An expression in which the lambda's parameter does not occur is a constant of the module. The
// rest must be made of operators, a few functions, and `args["name"]`. A function is one expression
// too: variables are what was assigned to them, and a branch chooses between what each side returns
// with all that follows it.
//
//===----------------------------------------------------------------------===//

#include "HostExprReader.h"

#include "Builtins.h"
#include "HostInterpreter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

bool front::hasParameter(const ast::FunctionDef &kernel, StringRef name) {
  return llvm::any_of(kernel.params, [&](const ast::Param &param) { return param.name == name; });
}

void front::reportNoParameter(Interpreter &in, const ast::FunctionDef &kernel, StringRef name,
                              SMRange range) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : kernel.params)
    names.push_back(param.name);
  std::optional<StringRef> near = closestName(name, names);
  in.errorWithNote(range,
                   "kernel '" + kernel.name + "' has no parameter '" + name + "'" +
                       (near ? "; did you mean '" + near->str() + "'?" : std::string()),
                   kernel.nameRange, "the kernel is defined here");
}

bool HostExprReader::isArguments(const ast::Expr &expr) const {
  auto *name = llvm::dyn_cast<ast::Name>(&expr);
  return name && name->id == parameter && !locals.count(parameter);
}

/// True when the lambda's parameter is read somewhere in `expr`. Kinds of expressions that cannot
/// be translated anyway count as independent, so that their own error is reported.
bool HostExprReader::dependsOnArguments(const ast::Expr &expr) const {
  auto any = [&](llvm::ArrayRef<ast::Expr *> exprs) {
    return llvm::any_of(
        exprs, [&](const ast::Expr *inner) { return inner && dependsOnArguments(*inner); });
  };
  using Kind = ast::Expr::Kind;
  switch (expr.kind()) {
  case Kind::Name:
    return isArguments(expr) || locals.count(llvm::cast<ast::Name>(expr).id);
  case Kind::Tuple:
    return any(llvm::cast<ast::Tuple>(expr).elements);
  case Kind::List:
    return any(llvm::cast<ast::List>(expr).elements);
  case Kind::BinOp:
    return any({llvm::cast<ast::BinOp>(expr).left, llvm::cast<ast::BinOp>(expr).right});
  case Kind::UnaryOp:
    return any({llvm::cast<ast::UnaryOp>(expr).operand});
  case Kind::BoolOp:
    return any(llvm::cast<ast::BoolOp>(expr).operands);
  case Kind::Compare:
    return any({llvm::cast<ast::Compare>(expr).left}) ||
           any(llvm::cast<ast::Compare>(expr).comparators);
  case Kind::IfExp: {
    auto &choice = llvm::cast<ast::IfExp>(expr);
    return any({choice.test, choice.body, choice.orelse});
  }
  case Kind::Call: {
    auto &call = llvm::cast<ast::Call>(expr);
    return any({call.callee}) || any(call.args) ||
           llvm::any_of(call.keywords, [&](const ast::Keyword &keyword) {
             return dependsOnArguments(*keyword.value);
           });
  }
  case Kind::Attribute:
    return any({llvm::cast<ast::Attribute>(expr).value});
  case Kind::Subscript:
    return any({llvm::cast<ast::Subscript>(expr).value, llvm::cast<ast::Subscript>(expr).index});
  default:
    return false;
  }
}

/// args.get("name") or args.get("name", default), which a kernel without that parameter gets.
std::optional<HostExpr::Ref> HostExprReader::readGet(const ast::Call &call) {
  auto *method = llvm::dyn_cast<ast::Attribute>(call.callee);
  bool isGet = method && method->attr == "get" && isArguments(*method->value) &&
               call.keywords.empty() && (call.args.size() == 1 || call.args.size() == 2);
  auto *key = isGet ? llvm::dyn_cast<ast::Constant>(call.args[0]) : nullptr;
  if (!key || !key->isString())
    return std::nullopt;
  if (hasParameter(kernel, key->stringValue()))
    return HostExpr::argument(key->stringValue().str(), call.range());
  return call.args.size() == 2 ? readExpr(*call.args[1])
                               : HostExpr::constant(ConstValue::none(), call.range());
}

HostExpr::Ref HostExprReader::readSubscript(const ast::Subscript &subscript) {
  if (!isArguments(*subscript.value))
    if (std::optional<Ref> element = readElement(subscript))
      return *element;
  auto *key = llvm::dyn_cast<ast::Constant>(subscript.index);
  if (!isArguments(*subscript.value) || !key || !key->isString())
    return error(subscript.range(), "expected " + parameter +
                                        "[\"name\"]; other subscripts cannot "
                                        "be evaluated without Python");
  if (!hasParameter(kernel, key->stringValue())) {
    reportNoParameter(in, kernel, key->stringValue(), key->range());
    return nullptr;
  }
  return HostExpr::argument(key->stringValue().str(), subscript.range());
}

std::optional<HostExpr::Function> HostExprReader::functionOf(const ast::Expr &callee) {
  using Function = HostExpr::Function;
  Object object = in.host().tryEvaluate(callee, env);
  if (!object.is(Object::Kind::Builtin))
    return std::nullopt;
  const Builtin &builtin = *object.asBuiltin();
  using Result = std::optional<Function>;
  if (builtin.space == Space::Python)
    return llvm::StringSwitch<Result>(builtin.name)
        .Case("min", Function::Min)
        .Case("max", Function::Max)
        .Case("abs", Function::Abs)
        .Case("int", Function::Int)
        .Case("float", Function::Float)
        .Case("bool", Function::Bool)
        .Default(std::nullopt);
  // tl.cdiv on the host is triton.cdiv.
  bool isHost = builtin.space == Space::Triton || builtin.space == Space::Language;
  if (isHost && builtin.name == "cdiv")
    return Function::CDiv;
  if (builtin.space == Space::Triton && builtin.name == "next_power_of_2")
    return Function::NextPowerOf2;
  return std::nullopt;
}

std::optional<HostExpr::Ref> HostExprReader::readLeaf(const ast::Expr &expr) {
  if (!dependsOnArguments(expr))
    return readConstant(expr);
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    if (auto *found = locals.find(name->id); found != locals.end())
      return found->second;
  if (auto *subscript = llvm::dyn_cast<ast::Subscript>(&expr))
    return readSubscript(*subscript);
  // The address of an array: args["x"].data_ptr().
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  if (std::optional<Ref> found = call ? readGet(*call) : std::nullopt)
    return found;
  auto *method = call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
  bool isAddress = method && method->attr == "data_ptr" && call->args.empty() &&
                   call->keywords.empty() && llvm::isa<ast::Subscript>(method->value);
  if (isAddress)
    return readSubscript(*llvm::cast<ast::Subscript>(method->value));
  return std::nullopt;
}

HostExpr::Ref HostExprReader::readConstant(const ast::Expr &expr) {
  Object value = in.host().evaluate(expr, env);
  if (value.isPoison())
    return nullptr;
  if (value.is(Object::Kind::Host)) {
    in.hostError(expr.range(), value.typeStr() + " cannot be evaluated",
                 ": host code is not executed", value);
    return nullptr;
  }
  if (std::optional<ConstValue> constant = toConst(value))
    return HostExpr::constant(std::move(*constant), expr.range());
  return error(expr.range(), "expected a value, found " + value.typeStr());
}

bool HostExprReader::bindParameter(llvm::ArrayRef<ast::Param> params, SMRange range) {
  bool isPlain = params.size() == 1 && (params.front().kind == ast::Param::Kind::Regular ||
                                        params.front().kind == ast::Param::Kind::PositionalOnly);
  if (isPlain)
    parameter = params.front().name;
  else
    error(range, "expected a function of one parameter, the arguments by name");
  return isPlain;
}

HostExpr::Ref HostExprReader::read(const ast::Lambda &lambda) {
  return bindParameter(lambda.params, lambda.range()) ? readExpr(*lambda.body) : nullptr;
}

HostExpr::Ref HostExprReader::read(const ast::FunctionDef &function) {
  return bindParameter(function.params, function.nameRange)
             ? readBody(function.body, function.nameRange)
             : nullptr;
}

HostExpr::Ref HostExprReader::readBranches(const ast::If &branch, llvm::ArrayRef<ast::Stmt *> rest,
                                           SMRange range) {
  Ref test = readExpr(*branch.test), sides[2];
  if (!test)
    return nullptr;
  llvm::MapVector<StringRef, Ref> before = locals;
  for (bool taken : {true, false}) {
    locals = before;
    llvm::SmallVector<ast::Stmt *> path(taken ? branch.body : branch.orelse);
    path.append(rest.begin(), rest.end());
    if (!(sides[taken] = readBody(path, range)))
      return nullptr;
  }
  return HostExpr::conditional(test, sides[true], sides[false], branch.range());
}

/// What a list of statements returns; `range` is for an error at its end.
HostExpr::Ref HostExprReader::readBody(llvm::ArrayRef<ast::Stmt *> body, SMRange range) {
  for (auto [index, stmt] : llvm::enumerate(body)) {
    if (budget == 0)
      return error(stmt->range(), "the function has too many branches to be read as an expression");
    --budget;
    if (auto *branch = llvm::dyn_cast<ast::If>(stmt))
      return readBranches(*branch, body.drop_front(index + 1), range);
    if (auto *result = llvm::dyn_cast<ast::Return>(stmt))
      return result->value ? readExpr(*result->value)
                           : error(stmt->range(), "expected a value to be returned");
    auto *plain = llvm::dyn_cast<ast::ExprStmt>(stmt);
    if (plain && llvm::isa<ast::Constant>(plain->value))
      continue; // A docstring.
    auto *assign = llvm::dyn_cast<ast::Assign>(stmt);
    auto *name = assign && assign->targets.size() == 1
                     ? llvm::dyn_cast<ast::Name>(assign->targets[0])
                     : nullptr;
    if (!name)
      return error(stmt->range(), "this statement cannot be evaluated without Python");
    Ref value = readExpr(*assign->value);
    if (!value)
      return nullptr;
    locals[name->id] = value;
  }
  return error(range, "the function ends without a return");
}
