//===- AST.h - Syntax tree of a kernel file ---------------------*- C++ -*-===//
//
// The tree that the parser builds from a Python source file. It mirrors the node types of Python's
// own `ast` as far as the kernel language knows them; constructs outside the language become
// UnsupportedExpr and UnsupportedStmt, so that they cost an error only when a kernel that is
// compiled contains them.
//
// Nodes, arrays and strings live in an ast::Context and are never freed one by one; no node owns
// memory. The tree is immutable after parsing and may be read from several threads. Every node has
// a source range [start, end). The parser bounds the depth of the tree (see maxExprDepth and
// maxStmtDepth), so recursion over it is safe.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_AST_H
#define TILEC_LANGUAGE_AST_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace tilec::ast {

/// The deepest expression tree and the deepest nesting of statements (each elif counts as a level)
/// that the parser builds; deeper input is an error.
constexpr unsigned maxExprDepth = 1000;
constexpr unsigned maxStmtDepth = 400;

/// Owns the memory of one or more trees. Not thread-safe while parsing.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Builds a node. Nodes are never destroyed, so they must not own anything.
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible<T>::value, "arena nodes are never destroyed");
    return new (allocator.Allocate<T>()) T(std::forward<Args>(args)...);
  }

  /// Copies an array of trivially copyable elements into the arena.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> elements) {
    static_assert(std::is_trivially_destructible<T>::value, "arena arrays are never destroyed");
    if (elements.empty())
      return {};
    T *data = allocator.Allocate<T>(elements.size());
    std::uninitialized_copy(elements.begin(), elements.end(), data);
    return llvm::ArrayRef<T>(data, elements.size());
  }

  /// Copies text into the arena.
  llvm::StringRef copy(llvm::StringRef text) {
    llvm::ArrayRef<char> chars = copy(llvm::ArrayRef<char>(text.data(), text.size()));
    return llvm::StringRef(chars.data(), chars.size());
  }

private:
  llvm::BumpPtrAllocator allocator;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Base of all expressions.
class Expr {
public:
  enum class Kind {
    Name,
    Constant,
    JoinedStr,
    Tuple,
    List,
    ListComp,
    BinOp,
    UnaryOp,
    BoolOp,
    Compare,
    IfExp,
    Call,
    Attribute,
    Subscript,
    Slice,
    Starred,
    Lambda,
    Unsupported,
  };

  Kind kind() const { return nodeKind; }
  llvm::SMRange range() const { return nodeRange; }
  llvm::SMLoc loc() const { return nodeRange.Start; }
  /// Height of the tree below and including this node; at most maxExprDepth.
  unsigned depth() const { return nodeDepth; }

protected:
  Expr(Kind kind, llvm::SMRange range, unsigned depth = 1)
      : nodeKind(kind), nodeDepth(depth), nodeRange(range) {}

  /// Depth of a node above the given children; null children count as absent.
  static unsigned above(llvm::ArrayRef<Expr *> children, unsigned least = 0) {
    unsigned deepest = least;
    for (const Expr *child : children)
      if (child && child->nodeDepth > deepest)
        deepest = child->nodeDepth;
    return deepest + 1;
  }

private:
  Kind nodeKind;
  unsigned nodeDepth;
  llvm::SMRange nodeRange;
};

/// An identifier.
class Name : public Expr {
public:
  Name(llvm::SMRange range, llvm::StringRef id) : Expr(Kind::Name, range), id(id) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Name; }

  llvm::StringRef id;
};

/// A literal. Adjacent string literals are one constant.
class Constant : public Expr {
public:
  enum class Type { Int, Float, Bool, String, None, Ellipsis };

  /// None or Ellipsis.
  Constant(llvm::SMRange range, Type type) : Expr(Kind::Constant, range), constType(type) {}
  Constant(llvm::SMRange range, bool value)
      : Expr(Kind::Constant, range), constType(Type::Bool), boolVal(value) {}
  Constant(llvm::SMRange range, double value)
      : Expr(Kind::Constant, range), constType(Type::Float), floatVal(value) {}
  Constant(llvm::SMRange range, llvm::StringRef value)
      : Expr(Kind::Constant, range), constType(Type::String), text(value) {}
  /// An integer of `bits` bits given by its words, which must live in the Context.
  Constant(llvm::SMRange range, unsigned bits, llvm::ArrayRef<uint64_t> words)
      : Expr(Kind::Constant, range), constType(Type::Int), intBits(bits), intWords(words) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Constant; }

  Type type() const { return constType; }
  bool isNone() const { return constType == Type::None; }
  bool isString() const { return constType == Type::String; }

  /// The integer, to be read as signed. Literals are never negative, so the top bit is 0; the width
  /// is the least that holds the value and the sign, and at least 2.
  llvm::APInt intValue() const {
    assert(constType == Type::Int && "not an integer");
    return llvm::APInt(intBits, intWords);
  }
  double floatValue() const {
    assert(constType == Type::Float && "not a float");
    return floatVal;
  }
  bool boolValue() const {
    assert(constType == Type::Bool && "not a bool");
    return boolVal;
  }
  /// The decoded text in UTF-8; may contain NUL characters.
  llvm::StringRef stringValue() const {
    assert(constType == Type::String && "not a string");
    return text;
  }

private:
  Type constType;
  bool boolVal = false;
  unsigned intBits = 0;
  double floatVal = 0;
  llvm::ArrayRef<uint64_t> intWords;
  llvm::StringRef text;
};

class JoinedStr;

/// A piece of an f-string: literal text, or (when `value` is set) a replacement field. The text of a
/// self-documenting field (`{x=}`) is a literal part before the field, whose conversion is then 'r'
/// unless written otherwise.
struct FStringPart {
  llvm::StringRef text;
  Expr *value = nullptr;
  char conversion = 0;        // 'r', 's', 'a', or 0.
  JoinedStr *spec = nullptr;  // The format spec after ':', or null.
};

/// An f-string, adjacent string literals merged in.
class JoinedStr : public Expr {
public:
  JoinedStr(llvm::SMRange range, llvm::ArrayRef<FStringPart> parts)
      : Expr(Kind::JoinedStr, range, depthOf(parts)), parts(parts) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::JoinedStr; }

  llvm::ArrayRef<FStringPart> parts;

private:
  static unsigned depthOf(llvm::ArrayRef<FStringPart> parts) {
    unsigned deepest = 0;
    for (const FStringPart &part : parts)
      deepest = above({part.value, part.spec}, deepest) - 1;
    return deepest + 1;
  }
};

/// `a, b`, with or without parentheses; `()`.
class Tuple : public Expr {
public:
  Tuple(llvm::SMRange range, llvm::ArrayRef<Expr *> elements, bool parenthesized)
      : Expr(Kind::Tuple, range, above(elements)), elements(elements),
        parenthesized(parenthesized) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Tuple; }

  llvm::ArrayRef<Expr *> elements;
  bool parenthesized;
};

/// `[a, b]`.
class List : public Expr {
public:
  List(llvm::SMRange range, llvm::ArrayRef<Expr *> elements)
      : Expr(Kind::List, range, above(elements)), elements(elements) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::List; }

  llvm::ArrayRef<Expr *> elements;
};

/// One `for target in iter if c1 if c2` of a comprehension.
struct Comprehension {
  llvm::SMRange range;
  Expr *target = nullptr;
  Expr *iter = nullptr;
  llvm::ArrayRef<Expr *> conditions;
  bool isAsync = false;
};

/// `[element for target in iter ...]`; at least one generator.
class ListComp : public Expr {
public:
  ListComp(llvm::SMRange range, Expr *element, llvm::ArrayRef<Comprehension> generators)
      : Expr(Kind::ListComp, range, depthOf(element, generators)), element(element),
        generators(generators) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::ListComp; }

  Expr *element;
  llvm::ArrayRef<Comprehension> generators;

private:
  static unsigned depthOf(Expr *element, llvm::ArrayRef<Comprehension> generators) {
    unsigned deepest = above({element}) - 1;
    for (const Comprehension &g : generators)
      deepest = above(g.conditions, above({g.target, g.iter}, deepest) - 1) - 1;
    return deepest + 1;
  }
};

enum class BinaryOp { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, LShift, RShift, And, Or, Xor };
enum class UnaryOpKind { Minus, Plus, Invert, Not };
enum class BoolOpKind { And, Or };
enum class CompareOp { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// The operator as written in source: "+", "//", "is not", ...
llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(UnaryOpKind op);
llvm::StringRef spelling(BoolOpKind op);
llvm::StringRef spelling(CompareOp op);

/// `left op right`.
class BinOp : public Expr {
public:
  BinOp(llvm::SMRange range, BinaryOp op, llvm::SMRange opRange, Expr *left, Expr *right)
      : Expr(Kind::BinOp, range, above({left, right})), op(op), opRange(opRange), left(left),
        right(right) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::BinOp; }

  BinaryOp op;
  llvm::SMRange opRange;
  Expr *left;
  Expr *right;
};

/// `-x`, `+x`, `~x`, `not x`.
class UnaryOp : public Expr {
public:
  UnaryOp(llvm::SMRange range, UnaryOpKind op, Expr *operand)
      : Expr(Kind::UnaryOp, range, above({operand})), op(op), operand(operand) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::UnaryOp; }

  UnaryOpKind op;
  Expr *operand;
};

/// `a and b and c`: one node for a run of the same operator; at least two operands.
class BoolOp : public Expr {
public:
  BoolOp(llvm::SMRange range, BoolOpKind op, llvm::ArrayRef<Expr *> operands)
      : Expr(Kind::BoolOp, range, above(operands)), op(op), operands(operands) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::BoolOp; }

  BoolOpKind op;
  llvm::ArrayRef<Expr *> operands;
};

/// `left op1 c1 op2 c2 ...`; as many ops as comparators, at least one.
class Compare : public Expr {
public:
  Compare(llvm::SMRange range, Expr *left, llvm::ArrayRef<CompareOp> ops,
          llvm::ArrayRef<Expr *> comparators)
      : Expr(Kind::Compare, range, above(comparators, above({left}) - 1)), left(left), ops(ops),
        comparators(comparators) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Compare; }

  Expr *left;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<Expr *> comparators;
};

/// `body if test else orelse`.
class IfExp : public Expr {
public:
  IfExp(llvm::SMRange range, Expr *test, Expr *body, Expr *orelse)
      : Expr(Kind::IfExp, range, above({test, body, orelse})), test(test), body(body),
        orelse(orelse) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::IfExp; }

  Expr *test;
  Expr *body;
  Expr *orelse;
};

/// `name=value` in a call, or `**value` when `name` is empty.
struct Keyword {
  llvm::SMRange range;
  llvm::SMRange nameRange;
  llvm::StringRef name;
  Expr *value = nullptr;
};

/// `callee(args, keywords)`. A `*x` argument is a Starred in `args`.
class Call : public Expr {
public:
  Call(llvm::SMRange range, Expr *callee, llvm::ArrayRef<Expr *> args,
       llvm::ArrayRef<Keyword> keywords)
      : Expr(Kind::Call, range, depthOf(callee, args, keywords)), callee(callee), args(args),
        keywords(keywords) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Call; }

  Expr *callee;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<Keyword> keywords;

private:
  static unsigned depthOf(Expr *callee, llvm::ArrayRef<Expr *> args,
                          llvm::ArrayRef<Keyword> keywords) {
    unsigned deepest = above(args, above({callee}) - 1) - 1;
    for (const Keyword &keyword : keywords)
      deepest = above({keyword.value}, deepest) - 1;
    return deepest + 1;
  }
};

/// `value.attr`.
class Attribute : public Expr {
public:
  Attribute(llvm::SMRange range, Expr *value, llvm::StringRef attr, llvm::SMRange attrRange)
      : Expr(Kind::Attribute, range, above({value})), value(value), attr(attr),
        attrRange(attrRange) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Attribute; }

  Expr *value;
  llvm::StringRef attr;
  llvm::SMRange attrRange;
};

/// `value[index]`. Several indices are one Tuple; slices are Slice.
class Subscript : public Expr {
public:
  Subscript(llvm::SMRange range, Expr *value, Expr *index)
      : Expr(Kind::Subscript, range, above({value, index})), value(value), index(index) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Subscript; }

  Expr *value;
  Expr *index;
};

/// `lower:upper:step` inside a subscript; absent parts are null.
class Slice : public Expr {
public:
  Slice(llvm::SMRange range, Expr *lower, Expr *upper, Expr *step)
      : Expr(Kind::Slice, range, above({lower, upper, step})), lower(lower), upper(upper),
        step(step) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Slice; }

  Expr *lower;
  Expr *upper;
  Expr *step;
};

/// `*value`, in a call, a display, a subscript or an assignment target.
class Starred : public Expr {
public:
  Starred(llvm::SMRange range, Expr *value)
      : Expr(Kind::Starred, range, above({value})), value(value) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Starred; }

  Expr *value;
};

/// A parameter of a function or lambda.
struct Param {
  /// Python's five kinds; the kernel language takes only Regular and PositionalOnly.
  enum class Kind {
    PositionalOnly, // Before `/`.
    Regular,
    VarArgs, // *args
    KeywordOnly,
    VarKeywords, // **kwargs
  };

  Kind kind = Kind::Regular;
  llvm::StringRef name;
  llvm::SMRange nameRange;
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
};

/// `lambda params: body`.
class Lambda : public Expr {
public:
  Lambda(llvm::SMRange range, llvm::ArrayRef<Param> params, Expr *body)
      : Expr(Kind::Lambda, range, depthOf(params, body)), params(params), body(body) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Lambda; }

  llvm::ArrayRef<Param> params;
  Expr *body;

private:
  static unsigned depthOf(llvm::ArrayRef<Param> params, Expr *body) {
    unsigned deepest = above({body}) - 1;
    for (const Param &param : params)
      deepest = above({param.annotation, param.defaultValue}, deepest) - 1;
    return deepest + 1;
  }
};

/// A well-formed Python expression that the kernel language does not have. `what` names it in a form
/// that fits "<what> is not supported in a kernel", e.g. "a dictionary", "an assignment expression".
class UnsupportedExpr : public Expr {
public:
  UnsupportedExpr(llvm::SMRange range, llvm::StringRef what)
      : Expr(Kind::Unsupported, range), what(what) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Unsupported; }

  llvm::StringRef what;
};

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

/// A function or class of the module whose inside was not read, because it is host code: an
/// undecorated function, a class, or a decorated one that is not a kernel and did not parse. Kept so
/// that a use of its name in a kernel can be explained.
class HostDef : public Stmt {
public:
  enum class What { Function, Class };

  HostDef(llvm::SMRange range, What what, llvm::StringRef name, llvm::SMRange nameRange)
      : Stmt(Kind::HostDef, range), what(what), name(name), nameRange(nameRange) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::HostDef; }

  What what;
  llvm::StringRef name;
  llvm::SMRange nameRange;
};

/// A Python statement that the kernel language does not have; what it contains was skipped. `what`
/// names it in a form that fits "<what> is not supported in a kernel", e.g. "'try'".
class UnsupportedStmt : public Stmt {
public:
  UnsupportedStmt(llvm::SMRange range, llvm::StringRef what)
      : Stmt(Kind::Unsupported, range), what(what) {}
  static bool classof(const Stmt *s) { return s->kind() == Kind::Unsupported; }

  llvm::StringRef what; // The range covers the header line only.
};

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// Under which module-level block a statement stands; the reader does not evaluate conditions.
enum class Guard {
  Always,      // Runs whenever the module is imported.
  TryBody,     // In the body (or else, finally) of a `try`: runs unless something was raised.
  Handler,     // In an `except` clause.
  Conditional, // In a branch of an `if` (also when a `try` stands around or inside it).
};

/// A statement at module level that matters to kernels: Import, ImportFrom, Assign, AnnAssign,
/// AugAssign, FunctionDef or HostDef. Later bindings of a name replace earlier ones, as in Python; a
/// name bound more than once under guards other than Always has no value that is known here.
struct ModuleItem {
  Stmt *stmt = nullptr;
  Guard guard = Guard::Always;
};

/// A file that was read. Everything that is no ModuleItem was skipped without being checked.
/// Statements under `if __name__ == "__main__"` are skipped too.
class Module {
public:
  Module(llvm::SMRange range, llvm::ArrayRef<ModuleItem> items, llvm::ArrayRef<llvm::SMRange> skipped)
      : range(range), items(items), skipped(skipped) {}

  /// The last function of that name, or null.
  FunctionDef *findFunction(llvm::StringRef name) const;

  llvm::SMRange range;
  llvm::ArrayRef<ModuleItem> items;
  /// Host code passed over, in file order: one range per logical line with what is indented below.
  llvm::ArrayRef<llvm::SMRange> skipped;
};

} // namespace tilec::ast

#endif // TILEC_LANGUAGE_AST_H
