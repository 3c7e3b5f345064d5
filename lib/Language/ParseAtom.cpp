//===- ParseAtom.cpp - Atoms, calls, subscripts, displays -------*- C++ -*-===//
//
// The innermost expressions and everything in brackets. Sets and generators are parsed in
// full, so that errors in them are found, but leave only an UnsupportedExpr behind.
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "ParserImpl.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

Expr *Parser::parseAtom() {
  SMRange range = tok().range();
  switch (tok().kind) {
  case Kind::Name: {
    StringRef id = tok().text();
    advance();
    return make<Name>(range, id);
  }
  case Kind::Number:
    return parseNumber();
  case Kind::String:
    return parseStrings();
  case Kind::LParen:
    return parseParen();
  case Kind::LBracket:
    return parseList();
  case Kind::LBrace:
    return parseBrace();
  case Kind::KwTrue:
  case Kind::KwFalse: {
    bool value = at(Kind::KwTrue);
    advance();
    return make<Constant>(range, value);
  }
  case Kind::KwNone:
    advance();
    return make<Constant>(range, Constant::Type::None);
  case Kind::Ellipsis:
    advance();
    return make<Constant>(range, Constant::Type::Ellipsis);
  case Kind::Star:
    return fail(range, "a starred expression cannot stand here");
  default:
    return expected("an expression");
  }
}

Expr *Parser::parseNumber() {
  SMRange range = tok().range();
  LiteralProblem problem;
  std::optional<NumberValue> number = decodeNumber(tok().text(), problem);
  if (!number)
    return fail(range, problem.message);
  advance();
  if (number->imaginary)
    return make<UnsupportedExpr>(range, "an imaginary literal");
  if (number->floating)
    return make<Constant>(range, number->floatValue);
  const APInt &value = number->intValue;
  ArrayRef<uint64_t> words(value.getRawData(), value.getNumWords());
  return make<Constant>(range, value.getBitWidth(), context.copy(words));
}

//===----------------------------------------------------------------------===//
// Comprehensions
//===----------------------------------------------------------------------===//

bool Parser::atComprehension() const {
  return at(Kind::KwFor) || (at(Kind::KwAsync) && atNext(Kind::KwFor));
}

/// One or more `for target in iter if condition`.
bool Parser::parseComprehensions(Vec<Comprehension> &generators) {
  while (atComprehension()) {
    Comprehension generator;
    const char *begin = tok().begin;
    generator.isAsync = consume(Kind::KwAsync);
    advance();
    generator.target = parseTargetList();
    if (!generator.target || !expect(Kind::KwIn, " after the target of 'for'"))
      return false;
    generator.iter = parseOr();
    if (!generator.iter)
      return false;
    SmallVector<Expr *, 1> conditions;
    while (consume(Kind::KwIf)) {
      Expr *condition = parseOr();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    generator.conditions = copy<Expr *>(conditions);
    generator.range = rangeFrom(begin);
    generators.push_back(generator);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Displays
//===----------------------------------------------------------------------===//

/// `()`, `(x)`, `(x, y)`, `(yield x)`, `(x for x in y)`.
Expr *Parser::parseParen() {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Token open = tok();
  advance();
  if (consume(Kind::RParen))
    return make<Tuple>(rangeFrom(open.begin), ArrayRef<Expr *>(), /*parenthesized=*/true);
  if (at(Kind::KwYield)) {
    Expr *yield = parseYield();
    return yield && expectClose(Kind::RParen, open, "") ? yield : nullptr;
  }
  SmallVector<Expr *, 4> elements;
  do {
    if (!elements.empty() && !atExpression())
      break;
    Expr *element = parseStarOrNamed();
    if (!element)
      return nullptr;
    elements.push_back(element);
    if (elements.size() == 1 && atComprehension()) {
      SmallVector<Comprehension, 1> generators;
      if (!parseComprehensions(generators) || !expectClose(Kind::RParen, open, ""))
        return nullptr;
      return make<ListComp>(rangeFrom(open.begin), element, copy<Comprehension>(generators),
                            /*isGenerator=*/true);
    }
  } while (consume(Kind::Comma));
  bool isTuple = elements.size() > 1 || list.tokens[position - 1].kind == Kind::Comma;
  if (!expectClose(Kind::RParen, open, "',' or "))
    return nullptr;
  if (isTuple)
    return make<Tuple>(rangeFrom(open.begin), copy<Expr *>(elements), /*parenthesized=*/true);
  if (isa<Starred>(elements.front()))
    return fail(elements.front()->range(),
                "a starred expression must be part of a tuple or a call");
  return elements.front();
}

/// `[a, b]`, `[f(x) for x in y]`.
Expr *Parser::parseList() {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Token open = tok();
  advance();
  SmallVector<Expr *, 4> elements;
  while (!at(Kind::RBracket)) {
    Expr *element = parseStarOrNamed();
    if (!element)
      return nullptr;
    elements.push_back(element);
    if (elements.size() == 1 && atComprehension()) {
      SmallVector<Comprehension, 1> generators;
      if (!parseComprehensions(generators) || !expectClose(Kind::RBracket, open, ""))
        return nullptr;
      return make<ListComp>(rangeFrom(open.begin), element, copy<Comprehension>(generators));
    }
    if (!consume(Kind::Comma))
      break;
  }
  if (!expectClose(Kind::RBracket, open, "',' or "))
    return nullptr;
  return make<List>(rangeFrom(open.begin), copy<Expr *>(elements));
}

/// `{k: v, **d}`, `{a, *b}` and their comprehensions.
Expr *Parser::parseBrace() {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Token open = tok();
  advance();
  bool isDict = at(Kind::RBrace);
  bool isFirst = true;
  SmallVector<Comprehension, 1> generators;
  SmallVector<DictEntry, 4> entries;
  while (!at(Kind::RBrace)) {
    DictEntry entry;
    if (consume(Kind::StarStar)) {
      isDict = true;
      if (!(entry.value = parseBinary()))
        return nullptr;
    } else {
      if (!(entry.key = parseStarOrNamed()))
        return nullptr;
      if (isFirst)
        isDict = at(Kind::Colon);
      if (isDict &&
          (!expect(Kind::Colon, " after the key of a dictionary") || !(entry.value = parseTest())))
        return nullptr;
    }
    entries.push_back(entry);
    if (isFirst && atComprehension()) {
      if (!parseComprehensions(generators))
        return nullptr;
      break;
    }
    isFirst = false;
    if (!consume(Kind::Comma))
      break;
  }
  if (!expectClose(Kind::RBrace, open, generators.empty() ? "',' or " : ""))
    return nullptr;
  SMRange range = rangeFrom(open.begin);
  if (!generators.empty() && isDict && entries.front().key)
    return make<ListComp>(range, entries.front().value, copy<Comprehension>(generators),
                          /*isGenerator=*/false, entries.front().key);
  if (!generators.empty())
    return make<UnsupportedExpr>(range, "a set comprehension");
  if (isDict)
    return make<Dict>(range, context.copy(ArrayRef<DictEntry>(entries)));
  SmallVector<Expr *, 4> elements;
  for (const DictEntry &entry : entries)
    elements.push_back(entry.key);
  return make<Set>(range, copy<Expr *>(elements));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Expr *Parser::parseCall(Expr *callee, const char *begin) {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Token open = tok();
  advance();
  SmallVector<Expr *, 8> args;
  SmallVector<Keyword, 4> keywords;
  while (!at(Kind::RParen)) {
    if (!parseArgument(args, keywords))
      return nullptr;
    if (!consume(Kind::Comma))
      break;
  }
  if (!expectClose(Kind::RParen, open, "',' or "))
    return nullptr;
  StringMap<SMRange> seen;
  for (const Keyword &keyword : keywords) {
    auto [earlier, isNew] = seen.try_emplace(keyword.name, keyword.nameRange);
    if (!isNew && !keyword.name.empty())
      return fail(LexError{keyword.nameRange,
                           ("keyword argument '" + keyword.name + "' is given twice").str(),
                           earlier->second, "first given here", ""});
  }
  return make<Call>(rangeFrom(begin), callee, copy<Expr *>(args), copy<Keyword>(keywords));
}

bool Parser::parseArgument(Vec<Expr *> &args, Vec<Keyword> &keywords) {
  if (at(Kind::StarStar) || (at(Kind::Name) && atNext(Kind::Equal)))
    return parseKeywordArgument(keywords);
  const char *begin = tok().begin;
  Expr *arg;
  if (consume(Kind::Star)) {
    Expr *value = parseTest();
    arg = value ? make<Starred>(rangeFrom(begin), value) : nullptr;
  } else {
    arg = parseNamed();
    if (arg && atComprehension()) {
      SmallVector<Comprehension, 1> generators;
      if (!parseComprehensions(generators))
        return false;
      arg = make<ListComp>(rangeFrom(begin), arg, copy<Comprehension>(generators),
                           /*isGenerator=*/true);
    }
  }
  if (!arg)
    return false;
  if (at(Kind::Equal)) {
    fail(arg->range(), "expected a name before '=' in a call; use '==' to compare");
    return false;
  }
  bool afterUnpacking = any_of(keywords, [](const Keyword &k) { return k.name.empty(); });
  if (!keywords.empty() && (!isa<Starred>(arg) || afterUnpacking)) {
    fail(arg->range(), afterUnpacking ? "positional argument follows '**' unpacking"
                                      : "positional argument follows keyword argument");
    return false;
  }
  args.push_back(arg);
  return true;
}

bool Parser::parseKeywordArgument(Vec<Keyword> &keywords) {
  Keyword keyword;
  const char *begin = tok().begin;
  if (!consume(Kind::StarStar)) {
    keyword.name = tok().text();
    keyword.nameRange = tok().range();
    advance();
    advance();
  }
  keyword.value = parseTest();
  keyword.range = rangeFrom(begin);
  keywords.push_back(keyword);
  return keyword.value != nullptr;
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

Expr *Parser::parseSubscript(Expr *value, const char *begin) {
  Nested nested(*this);
  if (!nested)
    return nullptr;
  Token open = tok();
  advance();
  const char *indexBegin = tok().begin;
  SmallVector<Expr *, 4> items;
  bool comma = false;
  do {
    if (comma && at(Kind::RBracket))
      break;
    Expr *item = parseSubscriptItem();
    if (!item)
      return nullptr;
    items.push_back(item);
    comma |= at(Kind::Comma);
  } while (consume(Kind::Comma));
  Expr *index = items.front();
  if (comma || isa<Starred>(index))
    index = make<Tuple>(rangeFrom(indexBegin), copy<Expr *>(items), /*parenthesized=*/false);
  if (!index || !expectClose(Kind::RBracket, open, "',' or "))
    return nullptr;
  return make<Subscript>(rangeFrom(begin), value, index);
}

/// `x`, `*x` or a slice.
Expr *Parser::parseSubscriptItem() {
  const char *begin = tok().begin;
  Expr *lower = nullptr;
  if (!at(Kind::Colon)) {
    lower = parseStarOrNamed();
    if (!lower || !at(Kind::Colon) || isa<Starred>(lower))
      return lower;
  }
  advance();
  auto atEnd = [&] { return at(Kind::Colon) || at(Kind::Comma) || at(Kind::RBracket); };
  Expr *upper = nullptr;
  Expr *step = nullptr;
  if (!atEnd() && !(upper = parseTest()))
    return nullptr;
  if (consume(Kind::Colon) && !atEnd() && !(step = parseTest()))
    return nullptr;
  return make<Slice>(rangeFrom(begin), lower, upper, step);
}

} // namespace tilec
