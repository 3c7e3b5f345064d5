//===- Host.cpp - Code evaluated at compile time only -----------*- C++ -*-===//
//
// Defaults of parameters, module-level constants and constexpr_functions are host code: they
// compute with compile-time values only, and assignments keep them. Enough of Python is understood
// for the small functions that kernels use to compute shapes.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"

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

Object HostInterpreter::evaluate(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals) {
  Frame host;
  if (locals)
    host.scope = *locals;
  host.env = &env;
  host.caller = in.innermost();
  host.host = true;
  host.callRange = in.here();
  CallStack::FrameScope scope(in, host);
  // Whatever operations the expression makes are not part of the kernel.
  mlir::Region scratch;
  mlir::OpBuilder::InsertionGuard guard(in.ir());
  in.ir().createBlock(&scratch);
  Object result = in.eval(expr);
  if (hasTensor(result))
    return in.error(expr.range(), "expected a compile-time value, found " + result.typeStr());
  return result;
}

Object HostInterpreter::tryEvaluate(const ast::Expr &expr, const ModuleEnv &env,
                                    const Scope *locals) {
  CallStack::SilentScope silent(in);
  return evaluate(expr, env, locals);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The state of one call.
struct HostInterpreter::Run {
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

Object HostInterpreter::call(const JitFunction &function, Frame &callee) {
  callee.host = true;
  CallStack::FrameScope scope(in, callee);
  Run run;
  if (!exec(function.def->body, run))
    return Object::poison();
  if (run.result && hasTensor(*run.result))
    return in.error(callee.callRange, "'" + function.def->name +
                                          "' must return a compile-time value, found " +
                                          run.result->typeStr());
  return run.result.value_or(Object::none());
}

/// False after an error.
bool HostInterpreter::exec(StmtList list, Run &run) {
  for (const ast::Stmt *stmt : list) {
    if (run.budget-- == 0) {
      run.budget = 0;
      in.error(stmt->range(), "the function runs for more than " + llvm::Twine(maxHostStatements) +
                                  " statements at compile time");
      return false;
    }
    if (!execStmt(*stmt, run))
      return false;
    if (run.leaves())
      return true;
  }
  return true;
}

bool HostInterpreter::execFor(const ast::For &stmt, Run &run) {
  Object sequence = iterate(in.eval(*stmt.iter), stmt.iter->range());
  if (sequence.isPoison())
    return false;
  for (const Object &element : sequence.elements()) {
    if (!assign(*stmt.target, element) || !exec(stmt.body, run))
      return false;
    if (run.endsLoop())
      return true;
  }
  return exec(stmt.orelse, run);
}

std::optional<bool> HostInterpreter::conditionOf(const ast::Expr &test) {
  Object value = in.eval(test);
  if (value.isTensor())
    in.error(test.range(), "expected a compile-time condition, found " + value.typeStr());
  if (value.isPoison() || value.isTensor() || in.rejectHost(value, test.range()))
    return std::nullopt;
  return constTruth(value);
}

bool HostInterpreter::execWhile(const ast::While &stmt, Run &run) {
  for (;;) {
    std::optional<bool> again = conditionOf(*stmt.test);
    if (!again)
      return false;
    if (!*again)
      return exec(stmt.orelse, run);
    if (!exec(stmt.body, run))
      return false;
    if (run.endsLoop())
      return true;
  }
}

bool HostInterpreter::execAssert(const ast::Assert &stmt) {
  std::optional<bool> holds = conditionOf(*stmt.test);
  if (!holds || *holds)
    return holds.has_value();
  Object message = stmt.message ? in.eval(*stmt.message) : Object::string("");
  if (!message.isPoison())
    in.error(stmt.range(), "assertion failed" + (stmt.message ? ": " + message.str() : ""));
  return false;
}

/// True for what catches an import that fails.
bool HostInterpreter::catchesImport(const ast::ExceptClause &clause) const {
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
bool HostInterpreter::execTry(const ast::TryParts &parts, Run &run) {
  bool fails = false;
  for (ast::Stmt *stmt : parts.body) {
    if (llvm::isa<ast::Import, ast::ImportFrom>(stmt) && !canImport(*stmt)) {
      fails = true;
      break;
    }
    if (!exec(stmt, run))
      return false;
    if (run.leaves())
      break;
  }
  if (fails) {
    const auto *handler = llvm::find_if(
        parts.handlers, [&](const ast::ExceptClause &clause) { return catchesImport(clause); });
    if (handler == parts.handlers.end()) {
      in.error(parts.body.front()->range(), "the function imports what is not known here");
      return false;
    }
    if (!exec(handler->body, run))
      return false;
  } else if (!run.leaves() && !exec(parts.orelse, run)) {
    return false;
  }
  // A `finally` that leaves replaces what left before.
  Run last;
  last.budget = run.budget;
  if (!exec(parts.finalbody, last))
    return false;
  run.budget = last.budget;
  if (last.leaves()) {
    run.result = last.result;
    run.jump = last.jump;
  }
  return true;
}

bool HostInterpreter::execStmt(const ast::Stmt &stmt, Run &run) {
  CallStack::DepthGuard nested(in, stmt.range());
  if (!nested)
    return false;
  switch (stmt.kind()) {
  case ast::Stmt::Kind::Pass:
    return true;
  case ast::Stmt::Kind::Break:
    run.jump = Run::Jump::Break;
    return true;
  case ast::Stmt::Kind::Continue:
    run.jump = Run::Jump::Continue;
    return true;
  case ast::Stmt::Kind::ExprStmt: {
    const ast::Expr &value = *llvm::cast<ast::ExprStmt>(stmt).value;
    return llvm::isa<ast::Constant>(value) || !in.eval(value).isPoison();
  }
  case ast::Stmt::Kind::Return: {
    auto &ret = llvm::cast<ast::Return>(stmt);
    run.result = ret.value ? in.eval(*ret.value) : Object::none();
    return !run.result->isPoison();
  }
  case ast::Stmt::Kind::If: {
    auto &branch = llvm::cast<ast::If>(stmt);
    std::optional<bool> taken = conditionOf(*branch.test);
    return taken && exec(*taken ? branch.body : branch.orelse, run);
  }
  case ast::Stmt::Kind::While:
    return execWhile(llvm::cast<ast::While>(stmt), run);
  case ast::Stmt::Kind::For:
    return execFor(llvm::cast<ast::For>(stmt), run);
  case ast::Stmt::Kind::Assert:
    return execAssert(llvm::cast<ast::Assert>(stmt));
  case ast::Stmt::Kind::FunctionDef: {
    auto &def = llvm::cast<ast::FunctionDef>(stmt);
    if (!def.decorators.empty()) {
      in.error(stmt.range(), "a decorator is not supported in a function of compile time");
      return false;
    }
    in.setName(def.name, makeClosure(def, def.nameRange));
    return !in.frame().scope[def.name].value.isPoison();
  }
  case ast::Stmt::Kind::Import:
  case ast::Stmt::Kind::ImportFrom:
    return importNames(stmt);
  case ast::Stmt::Kind::Unsupported:
    if (const ast::TryParts *parts = llvm::cast<ast::UnsupportedStmt>(stmt).tryParts)
      return execTry(*parts, run);
    return execAssign(stmt);
  default:
    return execAssign(stmt);
  }
}

bool HostInterpreter::execAssign(const ast::Stmt &stmt) {
  if (auto *plain = llvm::dyn_cast<ast::Assign>(&stmt)) {
    Object value = in.eval(*plain->value);
    return !value.isPoison() && llvm::all_of(plain->targets, [&](const ast::Expr *target) {
      return assign(*target, value);
    });
  }
  if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt)) {
    if (!annotated->value)
      return true;
    Object value = in.eval(*annotated->value);
    return !value.isPoison() && assign(*annotated->target, value);
  }
  if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(&stmt)) {
    bool done = false;
    if (!extendInPlace(*augmented, done) || done)
      return done;
    Object left = in.eval(*augmented->target), right = in.eval(*augmented->value);
    Object value = in.binaryOp(augmented->op, left, right, augmented->target->range(),
                               augmented->value->range(), augmented->opRange, stmt.range());
    return !value.isPoison() && assign(*augmented->target, value);
  }
  auto *other = llvm::dyn_cast<ast::UnsupportedStmt>(&stmt);
  in.error(stmt.range(), other && other->what == "'raise'"
                             ? "the function raises an exception here"
                             : "this statement is not supported in a function of compile time");
  return false;
}
