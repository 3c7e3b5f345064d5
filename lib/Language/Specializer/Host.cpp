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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The state of one call.
struct Interpreter::HostRun {
  enum class Jump { None, Break, Continue };

  unsigned budget = maxHostStatements;
  std::optional<Object> result; // After a `return`.
  Jump jump = Jump::None;       // Until the loop that it leaves or continues.

  bool leaves() const { return result || jump != Jump::None; }
  /// After the body of a loop: true when the loop ends here.
  bool endsLoop() {
    bool ends = result || jump == Jump::Break;
    jump = Jump::None;
    return ends;
  }
};

Object Interpreter::callHost(const JitFunction &function, Frame &callee) {
  callee.host = true;
  FrameScope scope(*this, callee);
  HostRun run;
  if (!execHost(function.def->body, run))
    return Object::poison();
  if (run.result && hasTensor(*run.result))
    return error(callee.callRange, "'" + function.def->name +
                                       "' must return a compile-time value, found " +
                                       run.result->typeStr());
  return run.result.value_or(Object::none());
}

/// False after an error.
bool Interpreter::execHost(StmtList list, HostRun &run) {
  for (const ast::Stmt *stmt : list) {
    if (run.budget-- == 0) {
      run.budget = 0;
      error(stmt->range(), "the function runs for more than " + llvm::Twine(maxHostStatements) +
                               " statements at compile time");
      return false;
    }
    if (!execHostStmt(*stmt, run))
      return false;
    if (run.leaves())
      return true;
  }
  return true;
}

bool Interpreter::execHostFor(const ast::For &stmt, HostRun &run) {
  Object sequence = iterate(eval(*stmt.iter), stmt.iter->range());
  if (sequence.isPoison())
    return false;
  for (const Object &element : sequence.elements()) {
    if (!assignHost(*stmt.target, element) || !execHost(stmt.body, run))
      return false;
    if (run.endsLoop())
      return true;
  }
  return execHost(stmt.orelse, run);
}

std::optional<bool> Interpreter::hostCondition(const ast::Expr &test) {
  Object value = eval(test);
  if (value.isTensor())
    error(test.range(), "expected a compile-time condition, found " + value.typeStr());
  if (value.isPoison() || value.isTensor() || rejectHost(value, test.range()))
    return std::nullopt;
  return constTruth(value);
}

bool Interpreter::execHostWhile(const ast::While &stmt, HostRun &run) {
  for (;;) {
    std::optional<bool> again = hostCondition(*stmt.test);
    if (!again)
      return false;
    if (!*again)
      return execHost(stmt.orelse, run);
    if (!execHost(stmt.body, run))
      return false;
    if (run.endsLoop())
      return true;
  }
}

bool Interpreter::execHostAssert(const ast::Assert &stmt) {
  std::optional<bool> holds = hostCondition(*stmt.test);
  if (!holds || *holds)
    return holds.has_value();
  Object message = stmt.message ? eval(*stmt.message) : Object::string("");
  if (!message.isPoison())
    error(stmt.range(), "assertion failed" + (stmt.message ? ": " + message.str() : ""));
  return false;
}

/// True for what catches an import that fails.
bool Interpreter::catchesImport(const ast::ExceptClause &clause) const {
  auto *tuple = llvm::dyn_cast_if_present<ast::Tuple>(clause.type);
  llvm::ArrayRef<ast::Expr *> types = clause.type;
  return !clause.type || llvm::any_of(tuple ? tuple->elements : types, [](const ast::Expr *type) {
    auto *name = llvm::dyn_cast<ast::Name>(type);
    return name && (name->id == "ImportError" || name->id == "ModuleNotFoundError" ||
                    name->id == "Exception" || name->id == "BaseException");
  });
}

/// The body counts, unless it imports what is not known here: then the handler for that does. Other
/// exceptions are errors.
bool Interpreter::execHostTry(const ast::TryParts &parts, HostRun &run) {
  bool fails = false;
  for (ast::Stmt *stmt : parts.body) {
    if (llvm::isa<ast::Import, ast::ImportFrom>(stmt) && !canImport(*stmt)) {
      fails = true;
      break;
    }
    if (!execHost(stmt, run))
      return false;
    if (run.leaves())
      break;
  }
  if (fails) {
    const auto *handler = llvm::find_if(
        parts.handlers, [&](const ast::ExceptClause &clause) { return catchesImport(clause); });
    if (handler == parts.handlers.end()) {
      error(parts.body.front()->range(), "the function imports what is not known here");
      return false;
    }
    if (!execHost(handler->body, run))
      return false;
  } else if (!run.leaves() && !execHost(parts.orelse, run)) {
    return false;
  }
  // A `finally` that leaves replaces what left before.
  HostRun last;
  last.budget = run.budget;
  if (!execHost(parts.finalbody, last))
    return false;
  run.budget = last.budget;
  if (last.leaves()) {
    run.result = last.result;
    run.jump = last.jump;
  }
  return true;
}

bool Interpreter::execHostStmt(const ast::Stmt &stmt, HostRun &run) {
  DepthGuard nested(*this, stmt.range());
  if (!nested)
    return false;
  switch (stmt.kind()) {
  case ast::Stmt::Kind::Pass:
    return true;
  case ast::Stmt::Kind::Break:
    run.jump = HostRun::Jump::Break;
    return true;
  case ast::Stmt::Kind::Continue:
    run.jump = HostRun::Jump::Continue;
    return true;
  case ast::Stmt::Kind::ExprStmt: {
    const ast::Expr &value = *llvm::cast<ast::ExprStmt>(stmt).value;
    return llvm::isa<ast::Constant>(value) || !eval(value).isPoison();
  }
  case ast::Stmt::Kind::Return: {
    auto &ret = llvm::cast<ast::Return>(stmt);
    run.result = ret.value ? eval(*ret.value) : Object::none();
    return !run.result->isPoison();
  }
  case ast::Stmt::Kind::If: {
    auto &branch = llvm::cast<ast::If>(stmt);
    std::optional<bool> taken = hostCondition(*branch.test);
    return taken && execHost(*taken ? branch.body : branch.orelse, run);
  }
  case ast::Stmt::Kind::While:
    return execHostWhile(llvm::cast<ast::While>(stmt), run);
  case ast::Stmt::Kind::For:
    return execHostFor(llvm::cast<ast::For>(stmt), run);
  case ast::Stmt::Kind::Assert:
    return execHostAssert(llvm::cast<ast::Assert>(stmt));
  case ast::Stmt::Kind::FunctionDef: {
    auto &def = llvm::cast<ast::FunctionDef>(stmt);
    if (!def.decorators.empty()) {
      error(stmt.range(), "a decorator is not supported in a function of compile time");
      return false;
    }
    setName(def.name, makeClosure(def, def.nameRange));
    return !frame->scope[def.name].value.isPoison();
  }
  case ast::Stmt::Kind::Import:
  case ast::Stmt::Kind::ImportFrom:
    return importHost(stmt);
  case ast::Stmt::Kind::Unsupported:
    if (const ast::TryParts *parts = llvm::cast<ast::UnsupportedStmt>(stmt).tryParts)
      return execHostTry(*parts, run);
    return execHostAssign(stmt);
  default:
    return execHostAssign(stmt);
  }
}

bool Interpreter::execHostAssign(const ast::Stmt &stmt) {
  if (auto *plain = llvm::dyn_cast<ast::Assign>(&stmt)) {
    Object value = eval(*plain->value);
    return !value.isPoison() && llvm::all_of(plain->targets, [&](const ast::Expr *target) {
      return assignHost(*target, value);
    });
  }
  if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt)) {
    if (!annotated->value)
      return true;
    Object value = eval(*annotated->value);
    return !value.isPoison() && assignHost(*annotated->target, value);
  }
  if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(&stmt)) {
    bool done = false;
    if (!extendInPlace(*augmented, done) || done)
      return done;
    Object left = eval(*augmented->target), right = eval(*augmented->value);
    Object value = binaryOp(augmented->op, left, right, augmented->target->range(),
                            augmented->value->range(), augmented->opRange, stmt.range());
    return !value.isPoison() && assignHost(*augmented->target, value);
  }
  auto *other = llvm::dyn_cast<ast::UnsupportedStmt>(&stmt);
  error(stmt.range(), other && other->what == "'raise'"
                          ? "the function raises an exception here"
                          : "this statement is not supported in a function of compile time");
  return false;
}
