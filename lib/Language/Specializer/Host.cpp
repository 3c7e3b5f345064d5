//===- Host.cpp - Code evaluated at compile time only -----------*- C++ -*-===//
//
// Defaults of parameters, module-level constants and constexpr_functions are host code: they
// compute with compile-time values only, and assignments keep them. Enough of Python is understood
// for the small functions that kernels use to compute shapes.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;

/// Statements that one call may execute: a loop that never ends must not hang the compiler.
static constexpr unsigned maxHostStatements = 100000;

/// True when a run-time value is anywhere inside.
static bool hasTensor(const Object &object) {
  if (object.isCompound())
    return llvm::any_of(object.elements(), hasTensor);
  return object.isTensor();
}

Object Interpreter::evalHost(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals) {
  Frame host;
  if (locals)
    host.scope = *locals;
  host.env = &env;
  host.caller = frame;
  host.host = true;
  host.callRange = current;
  FrameScope scope(*this, host);
  // Whatever operations the expression makes are not part of the kernel.
  mlir::Region scratch;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&scratch);
  Object result = eval(expr);
  if (hasTensor(result))
    return error(expr.range(), "expected a compile-time value, found " + result.typeStr());
  return result;
}

Object Interpreter::tryEvalHost(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals) {
  ++silent;
  Object result = evalHost(expr, env, locals);
  --silent;
  return result;
}

Object Interpreter::callHost(const JitFunction &function, Frame &callee) {
  callee.host = true;
  FrameScope scope(*this, callee);
  std::optional<Object> result;
  unsigned budget = maxHostStatements;
  if (!execHost(function.def->body, result, budget))
    return Object::poison();
  if (result && hasTensor(*result))
    return error(callee.callRange, "'" + function.def->name +
                                       "' must return a compile-time value, found " +
                                       result->typeStr());
  return result.value_or(Object::none());
}

bool Interpreter::execHost(StmtList list, std::optional<Object> &result, unsigned &budget) {
  for (const ast::Stmt *stmt : list) {
    if (budget-- == 0) {
      budget = 0;
      error(stmt->range(), "the function runs for more than " + llvm::Twine(maxHostStatements) +
                               " statements at compile time");
      return false;
    }
    if (!execHostStmt(*stmt, result, budget))
      return false;
    if (result)
      return true;
  }
  return true;
}

bool Interpreter::execHostFor(const ast::For &stmt, std::optional<Object> &result,
                              unsigned &budget) {
  auto *target = llvm::dyn_cast<ast::Name>(stmt.target);
  if (!target) {
    error(stmt.target->range(), "the target of this loop must be a name");
    return false;
  }
  Object sequence = eval(*stmt.iter);
  if (!sequence.isTuple()) {
    if (!sequence.isPoison())
      error(stmt.iter->range(), "cannot iterate over " + sequence.typeStr());
    return false;
  }
  for (const Object &element : sequence.elements()) {
    setName(target->id, element);
    if (!execHost(stmt.body, result, budget))
      return false;
    if (result)
      return true;
  }
  return execHost(stmt.orelse, result, budget);
}

bool Interpreter::execHostStmt(const ast::Stmt &stmt, std::optional<Object> &result,
                               unsigned &budget) {
  DepthGuard nested(*this, stmt.range());
  if (!nested)
    return false;
  auto condition = [&](const ast::Expr &test) -> std::optional<bool> {
    Object value = eval(test);
    if (value.isPoison())
      return std::nullopt;
    return constTruth(value);
  };
  switch (stmt.kind()) {
  case ast::Stmt::Kind::Pass:
    return true;
  case ast::Stmt::Kind::ExprStmt:
    return !eval(*llvm::cast<ast::ExprStmt>(stmt).value).isPoison();
  case ast::Stmt::Kind::Return: {
    auto &ret = llvm::cast<ast::Return>(stmt);
    result = ret.value ? eval(*ret.value) : Object::none();
    return !result->isPoison();
  }
  case ast::Stmt::Kind::If: {
    auto &branch = llvm::cast<ast::If>(stmt);
    std::optional<bool> taken = condition(*branch.test);
    return taken && execHost(*taken ? branch.body : branch.orelse, result, budget);
  }
  case ast::Stmt::Kind::While: {
    auto &loop = llvm::cast<ast::While>(stmt);
    std::optional<bool> again = condition(*loop.test);
    for (; again && *again; again = condition(*loop.test))
      if (!execHost(loop.body, result, budget) || result)
        return result.has_value();
    return again.has_value();
  }
  case ast::Stmt::Kind::For:
    return execHostFor(llvm::cast<ast::For>(stmt), result, budget);
  case ast::Stmt::Kind::Assert: {
    auto &check = llvm::cast<ast::Assert>(stmt);
    std::optional<bool> holds = condition(*check.test);
    if (holds && !*holds)
      error(stmt.range(), "assertion failed");
    return holds.value_or(false);
  }
  default:
    return execHostAssign(stmt);
  }
}

bool Interpreter::execHostAssign(const ast::Stmt &stmt) {
  auto assign = [&](const ast::Expr &target, const Object &value) {
    auto *name = llvm::dyn_cast<ast::Name>(&target);
    if (auto *field = llvm::dyn_cast<ast::Attribute>(&target); field && frame->constructing)
      return setField(*field, value);
    if (name)
      setName(name->id, value);
    else
      error(target.range(), "only names can be assigned here");
    return name != nullptr;
  };
  if (auto *plain = llvm::dyn_cast<ast::Assign>(&stmt)) {
    Object value = eval(*plain->value);
    if (value.isPoison())
      return false;
    for (const ast::Expr *target : plain->targets) {
      auto *tuple = llvm::dyn_cast<ast::Tuple>(target);
      if (!tuple) {
        if (!assign(*target, value))
          return false;
        continue;
      }
      if (!value.isTuple() || value.elements().size() != tuple->elements.size()) {
        error(target->range(), "expected a tuple of " + llvm::Twine(tuple->elements.size()));
        return false;
      }
      for (auto [element, item] : llvm::zip(tuple->elements, value.elements()))
        if (!assign(*element, item))
          return false;
    }
    return true;
  }
  if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt)) {
    if (!annotated->value)
      return true;
    Object value = eval(*annotated->value);
    return !value.isPoison() && assign(*annotated->target, value);
  }
  if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(&stmt)) {
    Object left = eval(*augmented->target), right = eval(*augmented->value);
    Object value = binaryOp(augmented->op, left, right, augmented->target->range(),
                            augmented->value->range(), augmented->opRange, stmt.range());
    return !value.isPoison() && assign(*augmented->target, value);
  }
  error(stmt.range(), "this statement is not supported in a function of compile time");
  return false;
}
