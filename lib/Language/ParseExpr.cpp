//===- ParseExpr.cpp - Operators, conditionals, lambdas ---------*- C++ -*-===//
//
// Expressions from the loosest binding form down to attribute access, calls and subscripts, with
// Python's precedence. Chains of prefix or infix operators are parsed in loops; recursion happens
// only where Nested counts it.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

bool Parser::atExpression() const {
  switch (tok().kind) {
  case Kind::Name:
  case Kind::Number:
  case Kind::String:
  case Kind::LParen:
  case Kind::LBracket:
  case Kind::LBrace:
  case Kind::Ellipsis:
  case Kind::Plus:
  case Kind::Minus:
  case Kind::Tilde:
  case Kind::Star:
  case Kind::KwFalse:
  case Kind::KwNone:
  case Kind::KwTrue:
  case Kind::KwAwait:
  case Kind::KwLambda:
  case Kind::KwNot:
  case Kind::Error:
    return true;
  default:
    return false;
  }
}

/// `a`, `a,` or `a, *b`: what may stand on the right of an assignment without parentheses.
Expr *Parser::parseTestList() {
  const char *begin = tok().begin;
  Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  if (!at(Kind::Comma)) {
    if (isa<Starred>(first))
      return fail(first->range(), "a starred expression must be part of a tuple or a call");
    return first;
  }
  SmallVector<Expr *, 4> elements{first};
  while (consume(Kind::Comma)) {
    if (!atExpression())
      break;
    Expr *element = parseStarOrNamed();
    if (!element)
      return nullptr;
    elements.push_back(element);
  }
  return make<Tuple>(rangeFrom(begin), copy<Expr *>(elements), /*parenthesized=*/false);
}

Expr *Parser::parseStarOrNamed() { return at(Kind::Star) ? parseStarred() : parseNamed(); }

Expr *Parser::parseStarred() {
  const char *begin = tok().begin;
  advance();
  Expr *value = parseBinary();
  return value ? make<Starred>(rangeFrom(begin), value) : nullptr;
}

Expr *Parser::parseNamed() {
  const char *begin = tok().begin;
  Expr *expr = parseTest();
  if (!expr || !at(Kind::ColonEqual))
    return expr;
  if (!isa<Name>(expr))
    return fail(expr->range(), Twine("cannot assign to ") + describe(*expr) + " with ':='");
  advance();
  Expr *value = parseTest();
  return value ? make<NamedExpr>(rangeFrom(begin), expr, value) : nullptr;
}

/// A conditional expression, a lambda, or anything that binds tighter.
Expr *Parser::parseTest() {
  if (at(Kind::KwLambda))
    return parseLambda();
  const char *begin = tok().begin;
  Expr *body = parseOr();
  if (!body || !at(Kind::KwIf))
    return body;
  advance();
  Expr *test = parseOr();
  if (!test || !expect(Kind::KwElse, " in the conditional expression"))
    return nullptr;
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Expr *orelse = parseTest();
  return orelse ? make<IfExp>(rangeFrom(begin), test, body, orelse) : nullptr;
}

Expr *Parser::parseLambda() {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  const char *begin = tok().begin;
  advance();
  SmallVector<Param, 4> params;
  if (!parseParams(Kind::Colon, /*annotations=*/false, params) ||
      !expect(Kind::Colon, " after the parameters of 'lambda'"))
    return nullptr;
  Expr *body = parseTest();
  return body ? make<Lambda>(rangeFrom(begin), copy<Param>(params), body) : nullptr;
}

/// `yield`, `yield x`, `yield from x`.
Expr *Parser::parseYield() {
  const char *begin = tok().begin;
  advance();
  if (consume(Kind::KwFrom)) {
    if (!parseTest())
      return nullptr;
  } else if (atExpression() && !parseTestList()) {
    return nullptr;
  }
  return make<UnsupportedExpr>(rangeFrom(begin), "'yield'");
}

Expr *Parser::parseOr() {
  const char *begin = tok().begin;
  Expr *first = parseAnd();
  if (!first || !at(Kind::KwOr))
    return first;
  SmallVector<Expr *, 4> operands{first};
  while (consume(Kind::KwOr)) {
    Expr *operand = parseAnd();
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  }
  return make<BoolOp>(rangeFrom(begin), BoolOpKind::Or, copy<Expr *>(operands));
}

Expr *Parser::parseAnd() {
  const char *begin = tok().begin;
  Expr *first = parseNot();
  if (!first || !at(Kind::KwAnd))
    return first;
  SmallVector<Expr *, 4> operands{first};
  while (consume(Kind::KwAnd)) {
    Expr *operand = parseNot();
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  }
  return make<BoolOp>(rangeFrom(begin), BoolOpKind::And, copy<Expr *>(operands));
}

Expr *Parser::parseNot() {
  SmallVector<const char *, 2> begins;
  while (at(Kind::KwNot)) {
    begins.push_back(tok().begin);
    advance();
  }
  Expr *operand = parseComparison();
  for (; operand && !begins.empty(); begins.pop_back())
    operand = make<UnaryOp>(rangeFrom(begins.back()), UnaryOpKind::Not, operand);
  return operand;
}

/// Consumes a comparison operator; false if there is none.
bool Parser::parseCompareOp(CompareOp &op) {
  switch (tok().kind) {
  case Kind::EqualEqual:
    op = CompareOp::Eq;
    break;
  case Kind::NotEqual:
    op = CompareOp::NotEq;
    break;
  case Kind::Less:
    op = CompareOp::Lt;
    break;
  case Kind::LessEqual:
    op = CompareOp::LtE;
    break;
  case Kind::Greater:
    op = CompareOp::Gt;
    break;
  case Kind::GreaterEqual:
    op = CompareOp::GtE;
    break;
  case Kind::KwIn:
    op = CompareOp::In;
    break;
  case Kind::KwIs:
    op = atNext(Kind::KwNot) ? CompareOp::IsNot : CompareOp::Is;
    if (op == CompareOp::IsNot)
      advance();
    break;
  case Kind::KwNot:
    if (!atNext(Kind::KwIn))
      return false;
    op = CompareOp::NotIn;
    advance();
    break;
  default:
    return false;
  }
  advance();
  return true;
}

Expr *Parser::parseComparison() {
  const char *begin = tok().begin;
  Expr *left = parseBinary();
  if (!left)
    return nullptr;
  SmallVector<CompareOp, 2> ops;
  SmallVector<Expr *, 2> comparators;
  CompareOp op;
  while (parseCompareOp(op)) {
    Expr *right = parseBinary();
    if (!right)
      return nullptr;
    ops.push_back(op);
    comparators.push_back(right);
  }
  if (ops.empty())
    return left;
  return make<Compare>(rangeFrom(begin), left, copy<CompareOp>(ops), copy<Expr *>(comparators));
}

/// Precedence of an infix operator from 1 (`|`) to 6 (`*`), or 0 for any other token.
static unsigned precedence(TokenKind kind, BinaryOp &op) {
  switch (kind) {
  case TokenKind::Pipe:
    op = BinaryOp::Or;
    return 1;
  case TokenKind::Caret:
    op = BinaryOp::Xor;
    return 2;
  case TokenKind::Amp:
    op = BinaryOp::And;
    return 3;
  case TokenKind::LessLess:
    op = BinaryOp::LShift;
    return 4;
  case TokenKind::GreaterGreater:
    op = BinaryOp::RShift;
    return 4;
  case TokenKind::Plus:
    op = BinaryOp::Add;
    return 5;
  case TokenKind::Minus:
    op = BinaryOp::Sub;
    return 5;
  case TokenKind::Star:
    op = BinaryOp::Mul;
    return 6;
  case TokenKind::Slash:
    op = BinaryOp::Div;
    return 6;
  case TokenKind::SlashSlash:
    op = BinaryOp::FloorDiv;
    return 6;
  case TokenKind::Percent:
    op = BinaryOp::Mod;
    return 6;
  case TokenKind::At:
    op = BinaryOp::MatMul;
    return 6;
  default:
    return 0;
  }
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  const char *begin = tok().begin;
  Expr *left = parseUnary();
  BinaryOp op;
  while (left) {
    unsigned level = precedence(tok().kind, op);
    if (!level || level < minPrecedence)
      break;
    SMRange opRange = tok().range();
    advance();
    Expr *right = parseBinary(level + 1);
    left = right ? make<BinOp>(rangeFrom(begin), op, opRange, left, right) : nullptr;
  }
  return left;
}

Expr *Parser::parseUnary() {
  SmallVector<std::pair<const char *, UnaryOpKind>, 2> prefixes;
  for (;;) {
    UnaryOpKind op;
    if (at(Kind::Minus))
      op = UnaryOpKind::Minus;
    else if (at(Kind::Plus))
      op = UnaryOpKind::Plus;
    else if (at(Kind::Tilde))
      op = UnaryOpKind::Invert;
    else
      break;
    prefixes.push_back({tok().begin, op});
    advance();
  }
  Expr *operand = parsePower();
  for (; operand && !prefixes.empty(); prefixes.pop_back())
    operand = make<UnaryOp>(rangeFrom(prefixes.back().first), prefixes.back().second, operand);
  return operand;
}

/// `base ** exponent`: binds tighter than a sign on its left, looser than one on its right.
Expr *Parser::parsePower() {
  const char *begin = tok().begin;
  bool awaited = false;
  while (consume(Kind::KwAwait))
    awaited = true;
  Expr *base = parsePrimary();
  if (base && awaited)
    base = make<UnsupportedExpr>(rangeFrom(begin), "'await'");
  if (!base || !at(Kind::StarStar))
    return base;
  SMRange opRange = tok().range();
  advance();
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  return make<BinOp>(rangeFrom(begin), BinaryOp::Pow, opRange, base, exponent);
}

Expr *Parser::parsePrimary() {
  const char *begin = tok().begin;
  Expr *expr = parseAtom();
  while (expr) {
    if (at(Kind::LParen)) {
      expr = parseCall(expr, begin);
    } else if (at(Kind::LBracket)) {
      expr = parseSubscript(expr, begin);
    } else if (consume(Kind::Dot)) {
      if (!at(Kind::Name))
        return expected("an attribute name after '.'");
      StringRef attr = tok().text();
      SMRange attrRange = tok().range();
      advance();
      expr = make<Attribute>(rangeFrom(begin), expr, attr, attrRange);
    } else {
      break;
    }
  }
  return expr;
}

StringRef describe(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Name:
    return "a name";
  case Expr::Kind::Constant:
    return "a literal";
  case Expr::Kind::JoinedStr:
    return "an f-string";
  case Expr::Kind::Tuple:
    return "a tuple";
  case Expr::Kind::List:
    return "a list";
  case Expr::Kind::ListComp:
    return "a list comprehension";
  case Expr::Kind::Dict:
    return "a dictionary";
  case Expr::Kind::Set:
    return "a set";
  case Expr::Kind::BinOp:
  case Expr::Kind::UnaryOp:
  case Expr::Kind::BoolOp:
    return "an expression";
  case Expr::Kind::Compare:
    return "a comparison";
  case Expr::Kind::IfExp:
    return "a conditional expression";
  case Expr::Kind::Call:
    return "a call";
  case Expr::Kind::Attribute:
    return "an attribute";
  case Expr::Kind::Subscript:
    return "a subscript";
  case Expr::Kind::Slice:
    return "a slice";
  case Expr::Kind::Starred:
    return "a starred expression";
  case Expr::Kind::Lambda:
    return "a lambda";
  case Expr::Kind::NamedExpr:
    return "an assignment expression";
  case Expr::Kind::Unsupported:
    return cast<UnsupportedExpr>(expr).what;
  }
  llvm_unreachable("all kinds of expressions are described");
}

} // namespace tilec
