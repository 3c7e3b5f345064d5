//===- ParseCompound.cpp - Statements with blocks ---------------*- C++ -*-===//
//
// if, for, while, with, def, and the compound statements that kernels do not have, which are
// skipped by indentation. An error in a header fails the statement; an error in its block does not,
// it is reported and recovered from inside.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

/// `match` is a keyword only if it starts a statement with a block of `case`s.
bool Parser::atMatch() const {
  if (!at(Kind::Name) || tok().text() != "match")
    return false;
  size_t i = position;
  while (list.tokens[i].kind != Kind::Newline && list.tokens[i].kind != Kind::EndOfFile)
    ++i;
  return i + 2 < list.tokens.size() && list.tokens[i - 1].kind == Kind::Colon &&
         list.tokens[i + 1].kind == Kind::Indent && list.tokens[i + 2].text() == "case";
}

bool Parser::atCompound() const {
  switch (tok().kind) {
  case Kind::KwIf:
  case Kind::KwFor:
  case Kind::KwWhile:
  case Kind::KwWith:
  case Kind::KwTry:
  case Kind::KwDef:
  case Kind::KwClass:
  case Kind::KwAsync:
  case Kind::At:
    return true;
  default:
    return atMatch();
  }
}

Stmt *Parser::parseCompound() {
  switch (tok().kind) {
  case Kind::KwIf:
    return parseIf();
  case Kind::KwFor:
    return parseFor();
  case Kind::KwWhile:
    return parseWhile();
  case Kind::KwWith:
    return parseWith();
  case Kind::KwTry:
    return parseTry();
  case Kind::KwClass:
    return skipCompound("a class");
  case Kind::KwAsync:
    return skipCompound("'async'");
  case Kind::KwDef:
  case Kind::At: {
    unsigned errorsBefore = numErrors;
    SmallVector<Expr *, 2> decorators;
    parseDecorators(decorators);
    if (at(Kind::KwDef))
      return parseFunction(decorators, errorsBefore);
    if (at(Kind::KwClass))
      return skipCompound("a class");
    if (at(Kind::KwAsync))
      return skipCompound("'async'");
    return expected("'def' after the decorator");
  }
  default:
    return skipCompound("'match'");
  }
}

/// Skips a statement, its block and the `except`, `else` and `finally` parts after it.
Stmt *Parser::skipCompound(StringRef what) {
  const char *begin = tok().begin;
  UnsupportedStmt *stmt = nullptr;
  do {
    while (!at(Kind::Newline) && !at(Kind::EndOfFile))
      skipToken();
    if (!stmt)
      stmt = context.create<UnsupportedStmt>(rangeFrom(begin), what);
    consume(Kind::Newline);
    skipBlock();
  } while (at(Kind::KwExcept) || at(Kind::KwElse) || at(Kind::KwFinally));
  return stmt;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool Parser::expectColon(const Twine &after) {
  if (consume(Kind::Colon))
    return true;
  LexError error;
  error.message = ("expected ':' after " + after).str();
  if (at(Kind::Newline)) {
    // Only the colon is missing, so the block can be read as usual.
    error.range = afterPrevious();
    error.replacement = ":";
    fail(std::move(error));
    return true;
  }
  error.range = tok().range();
  error.message += ", found " + describeToken();
  if (at(Kind::Equal)) {
    error.message += "; use '==' to compare";
    error.replacement = "==";
  }
  fail(std::move(error));
  return false;
}

bool Parser::parseSuite(StringRef header, SMRange keyword, const Twine &after, Block &body) {
  if (!expectColon(after))
    return false;
  SmallVector<Stmt *, 8> stmts;
  if (!at(Kind::Newline)) {
    if (atCompound()) {
      fail(tok().range(), "'" + tok().text() + "' must start on a line of its own");
      recover();
    } else if (!parseSimpleLine(stmts)) {
      recover();
    }
    body = copy<Stmt *>(stmts);
    return true;
  }
  advance();
  if (!consume(Kind::Indent)) {
    bool atEnd = at(Kind::Dedent) || at(Kind::EndOfFile);
    std::string message = ("expected an indented block after " + header).str();
    fail(LexError{atEnd ? afterPrevious() : tok().range(), message, keyword,
                  (header + " is here").str(), ""});
    return true;
  }
  parseStatements(stmts);
  consume(Kind::Dedent);
  body = copy<Stmt *>(stmts);
  return true;
}

/// An optional `else:` part.
bool Parser::parseElse(StringRef header, Block &orelse) {
  if (!at(Kind::KwElse))
    return true;
  SMRange keyword = tok().range();
  advance();
  return parseSuite(header, keyword, "'else'", orelse);
}

//===----------------------------------------------------------------------===//
// if, for, while, with
//===----------------------------------------------------------------------===//

/// Parses an `if` or `elif` with all that follows it; recursion counts as statement depth.
Stmt *Parser::parseIf() {
  SMRange keyword = tok().range();
  const char *begin = tok().begin;
  std::string word = ("'" + tok().text() + "'").str();
  advance();
  Expr *test = parseNamed();
  Block body, orelse;
  if (!test || !parseSuite(word, keyword, "the condition of " + Twine(word), body))
    return nullptr;
  if (at(Kind::KwElse) && atNext(Kind::KwIf)) {
    SMRange both(tok().range().Start, tok(1).range().End);
    fail(LexError{both, "expected 'elif', found 'else if'", {}, "", "elif"});
    advance();
  }
  if (!at(Kind::KwElif) && !at(Kind::KwIf)) {
    if (!parseElse("'else'", orelse))
      return nullptr;
    return context.create<If>(rangeFrom(begin), test, body, orelse);
  }
  // An `if` counts here only if it was the second half of an `else if` just now.
  if (at(Kind::KwIf) && list.tokens[position - 1].kind != Kind::KwElse)
    return context.create<If>(rangeFrom(begin), test, body, orelse);
  if (++stmtDepth > maxStmtDepth) {
    --stmtDepth;
    return fail(tok().range(), "statements are nested too deeply (limit 400)");
  }
  Stmt *rest = parseIf();
  --stmtDepth;
  if (!rest)
    return nullptr;
  orelse = context.copy(ArrayRef<Stmt *>(rest));
  return context.create<If>(rangeFrom(begin), test, body, orelse);
}

Stmt *Parser::parseFor() {
  SMRange keyword = tok().range();
  const char *begin = tok().begin;
  advance();
  Expr *target = parseTargetList();
  if (!target || !expect(Kind::KwIn, " after the target of 'for'"))
    return nullptr;
  Expr *iter = parseTestList();
  Block body, orelse;
  if (!iter || !parseSuite("'for'", keyword, "the iterable of 'for'", body) ||
      !parseElse("'else'", orelse))
    return nullptr;
  return context.create<For>(rangeFrom(begin), target, iter, body, orelse);
}

Stmt *Parser::parseWhile() {
  SMRange keyword = tok().range();
  const char *begin = tok().begin;
  advance();
  Expr *test = parseNamed();
  Block body, orelse;
  if (!test || !parseSuite("'while'", keyword, "the condition of 'while'", body) ||
      !parseElse("'else'", orelse))
    return nullptr;
  return context.create<While>(rangeFrom(begin), test, body, orelse);
}

/// A `try` with all its parts.
Stmt *Parser::parseTry() {
  SMRange keyword = tok().range();
  TryParts parts;
  SmallVector<ExceptClause, 2> handlers;
  advance();
  if (!parseSuite("'try'", keyword, "'try'", parts.body))
    return nullptr;
  while (at(Kind::KwExcept)) {
    ExceptClause clause;
    SMRange range = tok().range();
    advance();
    consume(Kind::Star);
    if (!at(Kind::Colon) && !(clause.type = parseTestList()))
      return nullptr;
    if (consume(Kind::KwAs) && !expect(Kind::Name, " after 'as'"))
      return nullptr;
    if (!parseSuite("'except'", range, "'except'", clause.body))
      return nullptr;
    handlers.push_back(clause);
  }
  SMRange last = tok().range();
  if (!parseElse("'else'", parts.orelse))
    return nullptr;
  if (consume(Kind::KwFinally) && !parseSuite("'finally'", last, "'finally'", parts.finalbody))
    return nullptr;
  parts.handlers = copy<ExceptClause>(handlers);
  return context.create<UnsupportedStmt>(keyword, "'try'", context.create<TryParts>(parts));
}

Stmt *Parser::parseWith() {
  SMRange keyword = tok().range();
  const char *begin = tok().begin;
  advance();
  SmallVector<WithItem, 2> items;
  Block body;
  if (!parseWithItems(items) || !parseSuite("'with'", keyword, "the items of 'with'", body))
    return nullptr;
  return context.create<With>(rangeFrom(begin), copy<WithItem>(items), body);
}

/// The items, which may stand in parentheses; those are told from a parenthesized expression by an
/// `as` or a comma directly inside and the colon behind.
bool Parser::parseWithItems(Vec<WithItem> &items) {
  bool parens = false;
  if (at(Kind::LParen)) {
    unsigned depth = 0;
    bool several = false;
    size_t i = position;
    for (; list.tokens[i].kind != Kind::Newline && list.tokens[i].kind != Kind::EndOfFile; ++i) {
      Kind kind = list.tokens[i].kind;
      depth += kind == Kind::LParen || kind == Kind::LBracket || kind == Kind::LBrace;
      depth -= kind == Kind::RParen || kind == Kind::RBracket || kind == Kind::RBrace;
      several |= depth == 1 && (kind == Kind::KwAs || kind == Kind::Comma);
      if (!depth)
        break;
    }
    parens = several && !depth && list.tokens[i + 1].kind == Kind::Colon;
  }
  Token open = tok();
  if (parens)
    advance();
  do {
    if (parens && !items.empty() && at(Kind::RParen))
      break;
    WithItem item;
    item.context = parseTest();
    if (!item.context)
      return false;
    if (consume(Kind::KwAs)) {
      item.target = parseBinary();
      if (!item.target || !checkTarget(item.target))
        return false;
    }
    items.push_back(item);
  } while (consume(Kind::Comma));
  return !parens || expectClose(Kind::RParen, open, "',' or ");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionDef *Parser::parseDecorated() {
  SmallVector<Expr *, 2> decorators;
  parseDecorators(decorators);
  Stmt *function = nullptr;
  if (at(Kind::KwDef))
    function = parseFunction(decorators, /*errorsBefore=*/0);
  else
    expected("'def' after the decorator");
  if (!function)
    recover();
  return cast_or_null<FunctionDef>(function);
}

/// Reads `@expression` lines. A faulty one is reported and left out.
void Parser::parseDecorators(Vec<Expr *> &decorators) {
  while (consume(Kind::At)) {
    Expr *decorator = parseNamed();
    if (decorator && !at(Kind::Newline))
      decorator = expected("end of line");
    if (decorator)
      decorators.push_back(decorator);
    skipLine();
  }
}

Stmt *Parser::parseFunction(ArrayRef<Expr *> decorators, unsigned errorsBefore) {
  SMRange keyword = tok().range();
  const char *begin = tok().begin;
  advance();
  if (!at(Kind::Name))
    return expected("a function name");
  StringRef name = tok().text();
  SMRange nameRange = tok().range();
  advance();
  Token open = tok();
  SmallVector<Param, 8> params;
  if (!expect(Kind::LParen, " after the function name") ||
      !parseParams(Kind::RParen, /*annotations=*/true, params) ||
      !expectClose(Kind::RParen, open, "',' or "))
    return nullptr;
  Expr *returns = nullptr;
  if (consume(Kind::Arrow) && !(returns = parseTest()))
    return nullptr;
  Block body;
  if (!parseSuite("the function header", keyword, "the function header", body))
    return nullptr;
  return context.create<FunctionDef>(rangeFrom(begin), name, nameRange, copy<Param>(params),
                                     context.copy(decorators), returns, body,
                                     numErrors != errorsBefore);
}

/// The last name of the last base class; empty without any, nothing when it is no plain name.
std::optional<StringRef> Parser::parseBases() {
  StringRef base;
  if (!consume(Kind::LParen))
    return base;
  while (at(Kind::Name)) {
    base = tok().text();
    advance();
    if (!consume(Kind::Dot) && !consume(Kind::Comma))
      break;
  }
  if (!consume(Kind::RParen))
    return std::nullopt;
  return base;
}

bool Parser::parseClass(HostDef &def) {
  SmallVector<Expr *, 2> decorators;
  parseDecorators(decorators);
  SMRange keyword = tok().range();
  if (!consume(Kind::KwClass) || !consume(Kind::Name))
    return false;
  std::optional<StringRef> base = parseBases();
  static const StringRef enums[] = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"};
  bool isEnum = base && is_contained(enums, *base);
  if (!base || (decorators.empty() && *base != "NamedTuple" && !isEnum))
    return false;
  Block body;
  if (!parseSuite("the class header", keyword, "the class header", body))
    return false;
  SmallVector<Param, 8> fields;
  SmallVector<FunctionDef *, 8> methods;
  for (Stmt *stmt : body) {
    if (auto *method = dyn_cast<FunctionDef>(stmt))
      methods.push_back(method);
    auto *field = dyn_cast<AnnAssign>(stmt);
    auto *member = isEnum ? dyn_cast<Assign>(stmt) : nullptr;
    bool isSingle = member && member->targets.size() == 1;
    auto *name = dyn_cast_if_present<Name>(field      ? field->target
                                           : isSingle ? member->targets.front()
                                                      : nullptr);
    if (!name)
      continue;
    Param param;
    param.name = name->id;
    param.nameRange = name->range();
    param.annotation = field ? field->annotation : nullptr;
    param.defaultValue = field ? field->value : member->value;
    fields.push_back(param);
  }
  if (isEnum)
    def.enumBase = *base;
  def.isNamedTuple = *base == "NamedTuple";
  def.hasBase = !base->empty() && *base != "object";
  def.fields = copy(fields);
  def.decorators = copy<Expr *>(decorators);
  def.methods = context.copy(ArrayRef<FunctionDef *>(methods));
  return true;
}

/// Parameters up to `close`, which is not consumed.
bool Parser::parseParams(Kind close, bool annotations, Vec<Param> &params) {
  bool keywordOnly = false;
  while (!at(close)) {
    Param param;
    param.kind = keywordOnly ? Param::Kind::KeywordOnly : Param::Kind::Regular;
    bool marker = false;
    if (at(Kind::Slash)) {
      if (params.empty() || params.back().kind != Param::Kind::Regular) {
        fail(tok().range(), "'/' must follow positional parameters");
        return false;
      }
      advance();
      marker = true;
      for (Param &earlier : params)
        earlier.kind = Param::Kind::PositionalOnly;
    } else if (consume(Kind::Star)) {
      marker = at(Kind::Comma);
      keywordOnly = true;
      param.kind = Param::Kind::VarArgs;
    } else if (consume(Kind::StarStar)) {
      param.kind = Param::Kind::VarKeywords;
    }
    if (!marker) {
      if (!parseParam(annotations, param))
        return false;
      params.push_back(param);
    }
    if (!consume(Kind::Comma))
      break;
  }
  return checkParams(params);
}

bool Parser::parseParam(bool annotations, Param &param) {
  if (!at(Kind::Name)) {
    expected("a parameter name");
    return false;
  }
  param.name = tok().text();
  param.nameRange = tok().range();
  advance();
  if (annotations && consume(Kind::Colon) && !(param.annotation = parseTest()))
    return false;
  return !consume(Kind::Equal) || (param.defaultValue = parseTest());
}

/// Names must differ, and positional parameters without default come first.
bool Parser::checkParams(ArrayRef<Param> params) {
  StringMap<SMRange> seen;
  const Param *withDefault = nullptr;
  for (const Param &param : params) {
    auto [earlier, isNew] = seen.try_emplace(param.name, param.nameRange);
    if (!isNew) {
      fail(LexError{param.nameRange, ("duplicate parameter '" + param.name + "'").str(),
                    earlier->second, "first declared here", ""});
      return false;
    }
    bool positional =
        param.kind == Param::Kind::Regular || param.kind == Param::Kind::PositionalOnly;
    if (positional && param.defaultValue)
      withDefault = &param;
    if (positional && !param.defaultValue && withDefault) {
      fail(LexError{
          param.nameRange,
          ("parameter '" + param.name + "' without a default follows a parameter with a default")
              .str(),
          withDefault->nameRange, "this parameter has a default", ""});
      return false;
    }
  }
  return true;
}

} // namespace tilec
