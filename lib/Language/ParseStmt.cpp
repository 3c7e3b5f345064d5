//===- ParseStmt.cpp - Simple statements and recovery -----------*- C++ -*-===//
//
// Statement lists, statements of one logical line, and what happens after an error: the rest of the
// logical line is dropped, a block below it is still parsed for errors of its own, and so are the
// `else` parts that belonged to it.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

//===----------------------------------------------------------------------===//
// Lists of statements
//===----------------------------------------------------------------------===//

void Parser::parseStatements(Vec<Stmt *> &out) {
  while (!at(Kind::Dedent) && !at(Kind::EndOfFile)) {
    if (stopped()) {
      position = list.tokens.size() - 1;
      return;
    }
    parseStatement(out);
  }
}

void Parser::parseStatement(Vec<Stmt *> &out) {
  if (at(Kind::Indent)) {
    advance();
    fail(tok().range(), "unexpected indent");
    parseStatements(out);
    consume(Kind::Dedent);
    return;
  }
  if (!atCompound()) {
    if (!parseSimpleLine(out))
      recover();
    return;
  }
  if (++stmtDepth > maxStmtDepth)
    fail(tok().range(), "statements are nested too deeply (limit 400)");
  Stmt *stmt = stmtDepth > maxStmtDepth ? nullptr : parseCompound();
  --stmtDepth;
  if (stmt)
    out.push_back(stmt);
  else
    recover();
}

/// Called after an error was reported on the current logical line.
void Parser::recover() {
  skipLine();
  SmallVector<Stmt *, 4> dropped;
  for (;;) {
    if (consume(Kind::Indent)) {
      // Too deep already: do not go deeper to look for more.
      if (stmtDepth >= maxStmtDepth) {
        --position;
        skipBlock();
      } else {
        parseStatements(dropped);
        consume(Kind::Dedent);
      }
    }
    bool continues =
        at(Kind::KwElif) || at(Kind::KwElse) || at(Kind::KwExcept) || at(Kind::KwFinally);
    if (!continues || stopped())
      return;
    skipLine();
  }
}

/// Skips an indented block, if there is one here.
void Parser::skipBlock() {
  if (!at(Kind::Indent))
    return;
  unsigned depth = 0;
  do {
    depth += at(Kind::Indent);
    depth -= at(Kind::Dedent);
    skipToken();
  } while (depth && !at(Kind::EndOfFile));
}

/// Keywords that an expression may follow.
static constexpr StringRef statementKeywords[] = {"assert", "elif",  "for",    "from",  "if",
                                                  "import", "raise", "return", "while", "with"};

bool Parser::parseSimpleLine(Vec<Stmt *> &out) {
  for (;;) {
    Stmt *stmt = parseSimple();
    if (!stmt)
      return false;
    out.push_back(stmt);
    if (consume(Kind::Newline))
      return true;
    if (!consume(Kind::Semicolon)) {
      auto *alone = dyn_cast<ExprStmt>(stmt);
      auto *name = alone ? dyn_cast<Name>(alone->value) : nullptr;
      std::optional<StringRef> keyword =
          name && atExpression() ? closestName(name->id, statementKeywords) : std::nullopt;
      if (keyword)
        fail(name->range(),
             "expected a statement, found '" + name->id + "'; did you mean '" + *keyword + "'?");
      else
        expected("end of line");
      return false;
    }
    if (consume(Kind::Newline))
      return true;
  }
}

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

Stmt *Parser::parseSimple() {
  SMRange range = tok().range();
  switch (tok().kind) {
  case Kind::KwPass:
    advance();
    return context.create<Pass>(range);
  case Kind::KwBreak:
    advance();
    return context.create<Break>(range);
  case Kind::KwContinue:
    advance();
    return context.create<Continue>(range);
  case Kind::KwReturn:
    return parseReturn();
  case Kind::KwAssert:
    return parseAssert();
  case Kind::KwImport:
    return parseImport();
  case Kind::KwFrom:
    return parseImportFrom();
  case Kind::KwRaise:
    return skipSimple("'raise'");
  case Kind::KwDel:
    return skipSimple("'del'");
  case Kind::KwGlobal:
    return skipSimple("'global'");
  case Kind::KwNonlocal:
    return skipSimple("'nonlocal'");
  case Kind::KwElif:
  case Kind::KwElse:
    return fail(range, "'" + tok().text() + "' without a matching 'if'");
  case Kind::KwExcept:
  case Kind::KwFinally:
    return fail(range, "'" + tok().text() + "' without a matching 'try'");
  default:
    break;
  }
  if (at(Kind::Name) && tok().text() == "type" && atNext(Kind::Name) &&
      (tok(2).kind == Kind::Equal || tok(2).kind == Kind::LBracket))
    return skipSimple("a type alias");
  return parseExpressionStatement();
}

Stmt *Parser::skipSimple(StringRef what) {
  const char *begin = tok().begin;
  while (!at(Kind::Newline) && !at(Kind::Semicolon) && !at(Kind::EndOfFile))
    skipToken();
  return context.create<UnsupportedStmt>(rangeFrom(begin), what);
}

Stmt *Parser::parseReturn() {
  const char *begin = tok().begin;
  advance();
  Expr *value = nullptr;
  if (!at(Kind::Newline) && !at(Kind::Semicolon) && !(value = parseTestList()))
    return nullptr;
  return context.create<Return>(rangeFrom(begin), value);
}

Stmt *Parser::parseAssert() {
  const char *begin = tok().begin;
  advance();
  Expr *test = parseNamed();
  if (!test)
    return nullptr;
  Expr *message = nullptr;
  if (consume(Kind::Comma) && !(message = parseTest()))
    return nullptr;
  return context.create<Assert>(rangeFrom(begin), test, message);
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

bool Parser::parseDottedName(std::string &name) {
  do {
    if (!at(Kind::Name)) {
      expected("a module name");
      return false;
    }
    if (!name.empty())
      name += '.';
    name += tok().text();
    advance();
  } while (consume(Kind::Dot));
  return true;
}

bool Parser::parseImportAlias(bool dotted, Vec<ImportAlias> &names) {
  ImportAlias alias;
  const char *begin = tok().begin;
  std::string name;
  if (dotted) {
    if (!parseDottedName(name))
      return false;
  } else if (at(Kind::Name)) {
    name = tok().text().str();
    advance();
  } else {
    expected("a name to import");
    return false;
  }
  alias.name = context.copy(StringRef(name));
  if (consume(Kind::KwAs)) {
    if (!at(Kind::Name)) {
      expected("a name after 'as'");
      return false;
    }
    alias.asName = tok().text();
    advance();
  }
  alias.range = rangeFrom(begin);
  names.push_back(alias);
  return true;
}

Stmt *Parser::parseImport() {
  const char *begin = tok().begin;
  advance();
  SmallVector<ImportAlias, 2> names;
  do {
    if (!parseImportAlias(/*dotted=*/true, names))
      return nullptr;
  } while (consume(Kind::Comma));
  return context.create<Import>(rangeFrom(begin), copy<ImportAlias>(names));
}

Stmt *Parser::parseImportFrom() {
  const char *begin = tok().begin;
  advance();
  unsigned level = 0;
  for (; at(Kind::Dot) || at(Kind::Ellipsis); advance())
    level += at(Kind::Dot) ? 1 : 3;
  std::string module;
  if (!(level && at(Kind::KwImport)) && !parseDottedName(module))
    return nullptr;
  if (!expect(Kind::KwImport, " after the module name"))
    return nullptr;
  SmallVector<ImportAlias, 4> names;
  if (at(Kind::Star)) {
    names.push_back({tok().range(), "*", ""});
    advance();
  } else {
    Token open = tok();
    bool parens = consume(Kind::LParen);
    do {
      if (parens && !names.empty() && at(Kind::RParen))
        break;
      if (!parseImportAlias(/*dotted=*/false, names))
        return nullptr;
    } while (consume(Kind::Comma));
    if (parens && !expectClose(Kind::RParen, open, "',' or "))
      return nullptr;
  }
  return context.create<ImportFrom>(rangeFrom(begin), context.copy(StringRef(module)), level,
                                    copy<ImportAlias>(names));
}

//===----------------------------------------------------------------------===//
// Expressions and assignments
//===----------------------------------------------------------------------===//

/// Reports a target that cannot be assigned to. Inside a tuple (`nested`) a starred one can.
bool Parser::checkTarget(Expr *target, bool nested) {
  switch (target->kind()) {
  case Expr::Kind::Name:
  case Expr::Kind::Attribute:
  case Expr::Kind::Subscript:
    return true;
  case Expr::Kind::Tuple:
  case Expr::Kind::List: {
    ArrayRef<Expr *> elements =
        isa<Tuple>(target) ? cast<Tuple>(target)->elements : cast<List>(target)->elements;
    return all_of(elements, [&](Expr *element) { return checkTarget(element, true); });
  }
  case Expr::Kind::Starred:
    if (nested)
      return checkTarget(cast<Starred>(target)->value);
    break;
  default:
    break;
  }
  fail(target->range(), Twine("cannot assign to ") + describe(*target));
  return false;
}

/// The target of a `for`: like parseTestList, but stops before `in`.
Expr *Parser::parseTargetList() {
  const char *begin = tok().begin;
  SmallVector<Expr *, 2> elements;
  bool comma = false;
  do {
    if (comma && at(Kind::KwIn))
      break;
    Expr *element = at(Kind::Star) ? parseStarred() : parseBinary();
    if (!element || !checkTarget(element, true))
      return nullptr;
    elements.push_back(element);
    comma |= at(Kind::Comma);
  } while (consume(Kind::Comma));
  if (!comma)
    return elements.front();
  return make<Tuple>(rangeFrom(begin), copy<Expr *>(elements), /*parenthesized=*/false);
}

static bool augmentedOp(TokenKind kind, BinaryOp &op) {
  if (kind < TokenKind::PlusEqual || kind > TokenKind::CaretEqual)
    return false;
  static const BinaryOp ops[] = {
      BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul,    BinaryOp::Div,    BinaryOp::FloorDiv,
      BinaryOp::Mod, BinaryOp::Pow, BinaryOp::MatMul, BinaryOp::LShift, BinaryOp::RShift,
      BinaryOp::And, BinaryOp::Or,  BinaryOp::Xor};
  op = ops[static_cast<unsigned>(kind) - static_cast<unsigned>(TokenKind::PlusEqual)];
  return true;
}

Expr *Parser::parseValue() { return at(Kind::KwYield) ? parseYield() : parseTestList(); }

Stmt *Parser::parseExpressionStatement() {
  const char *begin = tok().begin;
  BinaryOp op;
  // `*a, b = c` begins with a star; parseTestList takes it.
  Expr *first = parseValue();
  if (!first)
    return nullptr;
  if (at(Kind::Equal))
    return parseAssign(begin, first);
  if (at(Kind::Colon))
    return parseAnnAssign(begin, first);
  if (augmentedOp(tok().kind, op))
    return parseAugAssign(begin, first, op);
  return context.create<ExprStmt>(rangeFrom(begin), first);
}

Stmt *Parser::parseAssign(const char *begin, Expr *first) {
  SmallVector<Expr *, 2> targets;
  Expr *value = first;
  while (at(Kind::Equal)) {
    if (!checkTarget(value))
      return nullptr;
    targets.push_back(value);
    advance();
    value = parseValue();
    if (!value)
      return nullptr;
  }
  return context.create<Assign>(rangeFrom(begin), copy<Expr *>(targets), value);
}

Stmt *Parser::parseAnnAssign(const char *begin, Expr *target) {
  if (!isa<Name, Attribute, Subscript>(target)) {
    if (isa<Tuple, List>(target))
      return fail(target->range(), "only one target can be annotated");
    return expected("end of line");
  }
  advance();
  Expr *annotation = parseTest();
  if (!annotation)
    return nullptr;
  Expr *value = nullptr;
  if (consume(Kind::Equal) && !(value = parseValue()))
    return nullptr;
  return context.create<AnnAssign>(rangeFrom(begin), target, annotation, value);
}

Stmt *Parser::parseAugAssign(const char *begin, Expr *target, BinaryOp op) {
  if (!isa<Name, Attribute, Subscript>(target))
    return fail(target->range(),
                Twine("cannot assign to ") + describe(*target) + " with '" + tok().text() + "'");
  SMRange opRange = tok().range();
  advance();
  Expr *value = parseValue();
  if (!value)
    return nullptr;
  return context.create<AugAssign>(rangeFrom(begin), op, opRange, target, value);
}

} // namespace tilec
