//===- ASTStmt.h - Statements and modules of the syntax tree ----*- C++ -*-===//
//
// One class for each kind of statement, and the module that holds them; see AST.h for what all
// nodes have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_ASTSTMT_H
#define TILEC_LANGUAGE_ASTSTMT_H

#include "tilec/Language/ASTExpr.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec::ast {

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Base of all statements.
class Stmt {
public:
  enum class Kind {
    Assign,
    AnnAssign,
    AugAssign,
    ExprStmt,
    Pass,
    If,
    For,
    While,
    With,
    Assert,
    Return,
    Break,
    Continue,
    Import,
    ImportFrom,
    FunctionDef,
    HostDef,
    Unsupported,
  };

  Kind kind() const { return nodeKind; }
  /// The whole statement, its body included.
  llvm::SMRange range() const { return nodeRange; }
  llvm::SMLoc loc() const { return nodeRange.Start; }

protected:
  Stmt(Kind kind, llvm::SMRange range) : nodeKind(kind), nodeRange(range) {}

private:
  Kind nodeKind;
  llvm::SMRange nodeRange;
};

/// A list of statements. Never empty after an error-free parse.
using Block = llvm::ArrayRef<Stmt *>;

/// `t1 = t2 = value`: at least one target, left to right. Targets are Name, Attribute, Subscript,
/// Tuple, List or Starred.
class Assign : public Stmt {
public:
  Assign(llvm::SMRange range, llvm::ArrayRef<Expr *> targets, Expr *value)
      : Stmt(Kind::Assign, range), targets(targets), value(value) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Assign; }

  llvm::ArrayRef<Expr *> targets;
  Expr *value;
};

/// `target: annotation = value`; `value` is null in a bare declaration. The target is a Name,
/// Attribute or Subscript.
class AnnAssign : public Stmt {
public:
  AnnAssign(llvm::SMRange range, Expr *target, Expr *annotation, Expr *value)
      : Stmt(Kind::AnnAssign, range), target(target), annotation(annotation), value(value) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::AnnAssign; }

  Expr *target;
  Expr *annotation;
  Expr *value;
};

/// `target op= value`. The target is a Name, Attribute or Subscript.
class AugAssign : public Stmt {
public:
  AugAssign(llvm::SMRange range, BinaryOp op, llvm::SMRange opRange, Expr *target, Expr *value)
      : Stmt(Kind::AugAssign, range), op(op), opRange(opRange), target(target), value(value) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::AugAssign; }

  BinaryOp op;
  llvm::SMRange opRange; // The `op=` token.
  Expr *target;
  Expr *value;
};

/// An expression evaluated for its effect; docstrings too.
class ExprStmt : public Stmt {
public:
  ExprStmt(llvm::SMRange range, Expr *value) : Stmt(Kind::ExprStmt, range), value(value) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::ExprStmt; }

  Expr *value;
};

class Pass : public Stmt {
public:
  explicit Pass(llvm::SMRange range) : Stmt(Kind::Pass, range) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Pass; }
};

/// `if test: body else: orelse`. An `elif` is an If that is the only statement of `orelse`.
class If : public Stmt {
public:
  If(llvm::SMRange range, Expr *test, Block body, Block orelse)
      : Stmt(Kind::If, range), test(test), body(body), orelse(orelse) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::If; }

  Expr *test;
  Block body;
  Block orelse;
};

/// `for target in iter: body else: orelse`.
class For : public Stmt {
public:
  For(llvm::SMRange range, Expr *target, Expr *iter, Block body, Block orelse)
      : Stmt(Kind::For, range), target(target), iter(iter), body(body), orelse(orelse) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::For; }

  Expr *target;
  Expr *iter;
  Block body;
  Block orelse;
};

/// `while test: body else: orelse`.
class While : public Stmt {
public:
  While(llvm::SMRange range, Expr *test, Block body, Block orelse)
      : Stmt(Kind::While, range), test(test), body(body), orelse(orelse) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::While; }

  Expr *test;
  Block body;
  Block orelse;
};

/// `context as target`; `target` may be null.
struct WithItem {
  Expr *context = nullptr;
  Expr *target = nullptr;
};

/// `with items: body`.
class With : public Stmt {
public:
  With(llvm::SMRange range, llvm::ArrayRef<WithItem> items, Block body)
      : Stmt(Kind::With, range), items(items), body(body) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::With; }

  llvm::ArrayRef<WithItem> items;
  Block body;
};

/// `assert test, message`; `message` may be null.
class Assert : public Stmt {
public:
  Assert(llvm::SMRange range, Expr *test, Expr *message)
      : Stmt(Kind::Assert, range), test(test), message(message) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Assert; }

  Expr *test;
  Expr *message;
};

/// `return value`; `value` is null in a bare return.
class Return : public Stmt {
public:
  Return(llvm::SMRange range, Expr *value) : Stmt(Kind::Return, range), value(value) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Return; }

  Expr *value;
};

class Break : public Stmt {
public:
  explicit Break(llvm::SMRange range) : Stmt(Kind::Break, range) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Break; }
};

class Continue : public Stmt {
public:
  explicit Continue(llvm::SMRange range) : Stmt(Kind::Continue, range) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Continue; }
};

/// `name as asName`. In an Import the name may be dotted; in an ImportFrom it may be "*".
struct ImportAlias {
  llvm::SMRange range;
  llvm::StringRef name;
  llvm::StringRef asName; // Empty when absent.
};

/// `import a.b as c, d`.
class Import : public Stmt {
public:
  Import(llvm::SMRange range, llvm::ArrayRef<ImportAlias> names)
      : Stmt(Kind::Import, range), names(names) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Import; }

  llvm::ArrayRef<ImportAlias> names;
};

/// `from ..module import name as asName`; `level` counts the leading dots.
class ImportFrom : public Stmt {
public:
  ImportFrom(llvm::SMRange range, llvm::StringRef module, unsigned level,
             llvm::ArrayRef<ImportAlias> names)
      : Stmt(Kind::ImportFrom, range), module(module), level(level), names(names) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::ImportFrom; }

  llvm::StringRef module; // Dotted; may be empty when level > 0.
  unsigned level;
  llvm::ArrayRef<ImportAlias> names;
};

/// A decorated function of the module, or a function nested in a body (which kernels do not
/// support). Its range starts at the `def`, decorators excluded.
class FunctionDef : public Stmt {
public:
  FunctionDef(llvm::SMRange range, llvm::StringRef name, llvm::SMRange nameRange,
              llvm::ArrayRef<Param> params, llvm::ArrayRef<Expr *> decorators, Expr *returns,
              Block body, bool hasErrors)
      : Stmt(Kind::FunctionDef, range), name(name), nameRange(nameRange), params(params),
        decorators(decorators), returns(returns), body(body), hasErrors(hasErrors) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::FunctionDef; }

  llvm::StringRef name;
  llvm::SMRange nameRange;
  llvm::ArrayRef<Param> params;
  llvm::ArrayRef<Expr *> decorators; // Outermost first, without the `@`.
  Expr *returns;                     // Null when absent.
  Block body;
  /// Syntax errors were reported inside: the body is incomplete and must not be compiled.
  bool hasErrors;
};

/// A function or class of the module that is host code: an undecorated function, a class, or a
/// decorated one that is not a kernel and did not parse. Kept so that a use of its name in a kernel
/// can be explained. What kernels can use of a class derived from NamedTuple or Enum, or of one
/// that may be an aggregate, is known. A Local is a name that a function binds to what is not known
/// before it runs: a parameter, the target of a loop.
class HostDef : public Stmt {
public:
  enum class What { Function, Class, Local };

  HostDef(llvm::SMRange range, What what, llvm::StringRef name, llvm::SMRange nameRange)
      : Stmt(Kind::HostDef, range), what(what), name(name), nameRange(nameRange) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::HostDef; }

  What what;
  llvm::StringRef name;
  llvm::SMRange nameRange;
  bool isNamedTuple = false;
  bool hasBase = false;
  llvm::ArrayRef<Param> fields; // With annotations and defaults.
  llvm::StringRef enumBase;     // "Enum", "IntEnum" or another; its members are `fields`.
  /// Of a class under a decorator called `_aggregate` or `aggregate`:
  llvm::ArrayRef<Expr *> decorators;
  llvm::ArrayRef<FunctionDef *> methods;
};

/// `except type as name: body`; `type` is null in a bare one.
struct ExceptClause {
  Expr *type = nullptr;
  Block body;
};

/// The parts of a `try`, which code of compile time may have.
struct TryParts {
  Block body;
  llvm::ArrayRef<ExceptClause> handlers;
  Block orelse;
  Block finalbody;
};

/// A Python statement that the kernel language does not have; what it contains was skipped, except
/// in a `try`. `what` names it in a form that fits "<what> is not supported in a kernel", e.g.
/// "'try'".
class UnsupportedStmt : public Stmt {
public:
  UnsupportedStmt(llvm::SMRange range, llvm::StringRef what, const TryParts *tryParts = nullptr)
      : Stmt(Kind::Unsupported, range), what(what), tryParts(tryParts) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Unsupported; }

  llvm::StringRef what;     // The range covers the header line only.
  const TryParts *tryParts; // Of a `try`; null for others.
};

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// Under which module-level block a statement stands; the reader does not evaluate conditions.
enum class Guard {
  Always,      // Runs whenever the module is imported.
  TryBody,     // In the body (or else, finally) of a `try`: runs unless something was raised.
  Handler,     // In an `except` clause.
  Conditional, // In a branch of an `if` only.
};

/// One condition of the module-level branches around a statement: `test` must be true, or false for
/// an `else` and what follows an `elif`. `test` is null when it could not be parsed.
struct GuardTest {
  const Expr *test = nullptr;
  bool holds = true;
};

/// A statement at module level that matters to kernels: Import, ImportFrom, Assign, AnnAssign,
/// AugAssign, FunctionDef or HostDef. Later bindings of a name replace earlier ones, as in Python;
/// which of several under guards other than Always counts is for the reader's user to decide.
struct ModuleItem {
  Stmt *stmt = nullptr;
  Guard guard = Guard::Always;
  llvm::ArrayRef<GuardTest> tests; // Outermost first.
};

/// A function or class of the host that has kernels inside, and what it binds. Its own name is that
/// of an item around it.
struct NestedScope {
  llvm::StringRef name;
  bool isClass = false;
  /// As those of a Module. Functions with decorators are such under one of triton's.
  llvm::ArrayRef<ModuleItem> items;
  llvm::ArrayRef<NestedScope *> nested;
};

/// A file that was read. Everything that is no ModuleItem was skipped without being checked.
/// Statements under `if __name__ == "__main__"` are skipped too.
class Module {
public:
  Module(llvm::SMRange range, llvm::ArrayRef<ModuleItem> items,
         llvm::ArrayRef<llvm::SMRange> skipped, llvm::ArrayRef<NestedScope *> nested = {})
      : range(range), items(items), skipped(skipped), nested(nested) {}

  /// The last function of that name at module level, else the last kernel of that name within
  /// functions and classes, else null.
  FunctionDef *findFunction(llvm::StringRef name) const;
  /// The functions under a decorator of triton within functions and classes, in file order: those
  /// of that name, or all with an empty name.
  llvm::SmallVector<FunctionDef *, 2> findNested(llvm::StringRef name) const;

  llvm::SMRange range;
  llvm::ArrayRef<ModuleItem> items;
  /// Host code passed over, in file order: one range per logical line with what is indented below.
  llvm::ArrayRef<llvm::SMRange> skipped;
  llvm::ArrayRef<NestedScope *> nested;
};

} // namespace tilec::ast

#endif // TILEC_LANGUAGE_ASTSTMT_H
