//===- ASTExpr.h - Expressions of the syntax tree ---------------*- C++ -*-===//
//
// One class for each kind of expression; see AST.h for what all nodes have in common. Expressions
// that only code outside of kernels may have are here, too, since decorators, constants and
// functions of compile time are parsed into the same tree. Python's other expressions become an
// UnsupportedExpr, so that an error can name them when a kernel uses them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_ASTEXPR_H
#define TILEC_LANGUAGE_ASTEXPR_H

#include "tilec/Language/ASTContext.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"

#include <cassert>
#include <cstdint>

namespace tilec::ast {

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
    Dict,
    Set,
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
    NamedExpr,
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

/// A piece of an f-string: literal text, or (when `value` is set) a replacement field. The text of
/// a self-documenting field (`{x=}`) is a literal part before the field, whose conversion is then
/// 'r' unless written otherwise.
struct FStringPart {
  llvm::StringRef text;
  Expr *value = nullptr;
  char conversion = 0;       // 'r', 's', 'a', or 0.
  JoinedStr *spec = nullptr; // The format spec after ':', or null.
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

/// `[element for target in iter ...]`, a generator expression, or `{key: element for ..}` when
/// `key` is set; at least one generator.
class ListComp : public Expr {
public:
  ListComp(llvm::SMRange range, Expr *element, llvm::ArrayRef<Comprehension> generators,
           bool isGenerator = false, Expr *key = nullptr)
      : Expr(Kind::ListComp, range, depthOf(element, generators, key)), element(element),
        generators(generators), isGenerator(isGenerator), key(key) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::ListComp; }

  Expr *element;
  llvm::ArrayRef<Comprehension> generators;
  bool isGenerator;
  Expr *key; // Of a dictionary comprehension; null for others.

private:
  static unsigned depthOf(Expr *element, llvm::ArrayRef<Comprehension> generators, Expr *key) {
    unsigned deepest = above({element, key}) - 1;
    for (const Comprehension &g : generators)
      deepest = above(g.conditions, above({g.target, g.iter}, deepest) - 1) - 1;
    return deepest + 1;
  }
};

/// `key: value` of a dictionary, or `**value` when `key` is null.
struct DictEntry {
  Expr *key = nullptr;
  Expr *value = nullptr;
};

/// `{k: v, **d}`. Kernels have no dictionaries; decorators of the host program do.
class Dict : public Expr {
public:
  Dict(llvm::SMRange range, llvm::ArrayRef<DictEntry> entries)
      : Expr(Kind::Dict, range, depthOf(entries)), entries(entries) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Dict; }

  llvm::ArrayRef<DictEntry> entries;

private:
  static unsigned depthOf(llvm::ArrayRef<DictEntry> entries) {
    unsigned deepest = 0;
    for (const DictEntry &entry : entries)
      deepest = above({entry.key, entry.value}, deepest) - 1;
    return deepest + 1;
  }
};

/// `{a, b}`, which only code of compile time has.
class Set : public Expr {
public:
  Set(llvm::SMRange range, llvm::ArrayRef<Expr *> elements)
      : Expr(Kind::Set, range, above(elements)), elements(elements) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Set; }

  llvm::ArrayRef<Expr *> elements; // At least one.
};

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  LShift,
  RShift,
  And,
  Or,
  Xor
};
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

/// `target := value`, which only code of compile time has.
class NamedExpr : public Expr {
public:
  NamedExpr(llvm::SMRange range, Expr *target, Expr *value)
      : Expr(Kind::NamedExpr, range, above({target, value})), target(target), value(value) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::NamedExpr; }

  Expr *target; // A Name.
  Expr *value;
};

/// A well-formed Python expression that the kernel language does not have. `what` names it in a
/// form that fits "<what> is not supported in a kernel", e.g. "'await'", "a set comprehension".
class UnsupportedExpr : public Expr {
public:
  UnsupportedExpr(llvm::SMRange range, llvm::StringRef what)
      : Expr(Kind::Unsupported, range), what(what) {}
  static bool classof(const Expr *e) { return e->kind() == Kind::Unsupported; }

  llvm::StringRef what;
};

} // namespace tilec::ast

#endif // TILEC_LANGUAGE_ASTEXPR_H
