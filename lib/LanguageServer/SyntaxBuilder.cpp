//===- SyntaxBuilder.cpp - Scopes and names out of tokens -------*- C++ -*-===//
//
// Goes over the logical lines of a file. The indentation of a line says in which function or class
// it is, and its first token which of its names it binds.
//
//===----------------------------------------------------------------------===//

#include "SyntaxBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

void SyntaxBuilder::build() {
  syntax.allScopes.emplace_back();
  syntax.allScopes.back().end = syntax.text.size();
  syntax.columns.push_back(0);
  if (findBinaryByte(syntax.text))
    return;
  Lexer lexer(syntax.text);
  const char *at = lexer.begin();
  while (std::optional<Lexer::Line> line = lexer.nextLine(at)) {
    const char *start = line->start;
    while (start > lexer.begin() && start[-1] != '\n' && start[-1] != '\r')
      --start;
    closeScopes(line->column, line->start);
    TokenList list;
    const char *next = lexer.lexLogicalLine(start, list);
    readLine(list.tokens, line->column);
    lineEnd = next - syntax.text.begin();
    if (next <= at)
      break; // Cannot be: a line is never empty.
    at = next;
  }
  closeScopes(0, syntax.text.end());
}

/// Ends the functions and classes that a line of this indentation is behind.
void SyntaxBuilder::closeScopes(unsigned column, const char *lineStart) {
  bool atEnd = lineStart == syntax.text.end();
  while (current != 0 && (atEnd || column <= syntax.columns[current])) {
    syntax.allScopes[current].end = atEnd ? syntax.text.size() : lineEnd;
    current = syntax.allScopes[current].parent;
  }
}

unsigned SyntaxBuilder::openScope(NameScope::Kind kind, size_t begin, std::optional<size_t> name,
                                  unsigned column) {
  // Python has no deeper ones, and names are looked up from scope to scope.
  if (depths[current] == maxScopes)
    return current;
  depths.push_back(depths[current] + 1);
  NameScope scope;
  scope.kind = kind;
  scope.begin = begin;
  scope.end = syntax.text.size();
  scope.parent = current;
  scope.nameToken = name;
  syntax.allScopes.push_back(std::move(scope));
  syntax.columns.push_back(column);
  return syntax.allScopes.size() - 1;
}

size_t SyntaxBuilder::add(const Token &token, NameRole role) {
  NameToken added;
  added.begin = token.begin - syntax.text.begin();
  added.end = token.end - syntax.text.begin();
  added.kind = token.kind;
  added.scope = current;
  added.role = role;
  syntax.all.push_back(added);
  return syntax.all.size() - 1;
}

void SyntaxBuilder::bind(unsigned scope, size_t token, ScopeBinding::Kind kind) {
  syntax.all[token].scope = scope;
  syntax.allScopes[scope].bindings[syntax.textOf(syntax.all[token])].push_back({token, kind});
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static bool isOpening(TokenKind kind) {
  return kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
}

static bool isClosing(TokenKind kind) {
  return kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
}

/// The index of the first token of these kinds that is in no brackets, or the end. Texts may be
/// long and senseless, so nobody looks further than for what is found or read then.
static size_t findOutside(llvm::ArrayRef<Token> tokens, llvm::ArrayRef<TokenKind> kinds) {
  unsigned depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (depth == 0 && llvm::is_contained(kinds, tokens[i].kind))
      return i;
    if (isOpening(tokens[i].kind))
      ++depth;
    else if (isClosing(tokens[i].kind) && depth)
      --depth;
  }
  return tokens.size();
}

static bool opensBlock(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwIf:
  case TokenKind::KwElif:
  case TokenKind::KwElse:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
  case TokenKind::KwTry:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
    return true;
  default:
    return false;
  }
}

/// One logical line: statements between semicolons, perhaps behind the header of a block.
void SyntaxBuilder::readLine(llvm::ArrayRef<Token> tokens, unsigned column) {
  while (!tokens.empty() &&
         (tokens.back().kind == TokenKind::EndOfFile || tokens.back().kind == TokenKind::Newline))
    tokens = tokens.drop_back();
  while (!tokens.empty()) {
    if (tokens.front().kind == TokenKind::KwAsync) {
      add(tokens.front(), NameRole::Plain);
      tokens = tokens.drop_front();
      continue;
    }
    size_t length;
    TokenKind first = tokens.front().kind;
    if (first == TokenKind::KwDef || first == TokenKind::KwClass) {
      length = readDefinition(tokens, column);
    } else if (opensBlock(first)) {
      length = findOutside(tokens, {TokenKind::Colon, TokenKind::Semicolon});
      readExpression(tokens.take_front(length));
    } else {
      length = findOutside(tokens, TokenKind::Semicolon);
      readStatement(tokens.take_front(length));
    }
    tokens = tokens.drop_front(length);
    if (!tokens.empty()) { // The semicolon or colon.
      add(tokens.front(), NameRole::Plain);
      tokens = tokens.drop_front();
    }
  }
}

/// The header of a function or class, up to its colon, which is not read. What follows on the line
/// is in its scope.
size_t SyntaxBuilder::readDefinition(llvm::ArrayRef<Token> tokens, unsigned column) {
  size_t length = findOutside(tokens, TokenKind::Colon);
  bool isClass = tokens.front().kind == TokenKind::KwClass;
  size_t begin = add(tokens.front(), NameRole::Plain);
  begin = syntax.all[begin].begin;
  if (length < 2 || tokens[1].kind != TokenKind::Name) {
    readExpression(tokens.slice(1, length - 1));
    return length;
  }
  size_t name = add(tokens[1], NameRole::Plain);
  bind(current, name);
  unsigned scope =
      openScope(isClass ? NameScope::Kind::Class : NameScope::Kind::Function, begin, name, column);
  llvm::ArrayRef<Token> rest = tokens.slice(2, length - 2);
  if (isClass)
    readExpression(rest);
  else
    readParams(rest, scope);
  current = scope;
  return length;
}

/// Parameters, whose annotations and defaults are of the scope around the function.
void SyntaxBuilder::readParams(llvm::ArrayRef<Token> tokens, unsigned scope) {
  if (tokens.empty() || tokens.front().kind != TokenKind::LParen)
    return readExpression(tokens);
  add(tokens.front(), NameRole::Plain);
  tokens = tokens.drop_front();
  while (!tokens.empty() && tokens.front().kind != TokenKind::RParen) {
    size_t length = findOutside(tokens, {TokenKind::Comma, TokenKind::RParen});
    llvm::ArrayRef<Token> param = tokens.take_front(length);
    while (!param.empty() && param.front().kind != TokenKind::Name &&
           (param.front().kind == TokenKind::Star || param.front().kind == TokenKind::StarStar)) {
      add(param.front(), NameRole::Plain);
      param = param.drop_front();
    }
    if (!param.empty() && param.front().kind == TokenKind::Name) {
      bind(scope, add(param.front(), NameRole::Plain), ScopeBinding::Kind::Param);
      param = param.drop_front();
    }
    readExpression(param);
    tokens = tokens.drop_front(length);
    if (!tokens.empty() && tokens.front().kind == TokenKind::Comma) {
      add(tokens.front(), NameRole::Plain);
      tokens = tokens.drop_front();
    }
  }
  readExpression(tokens);
}

/// A statement that is no block.
void SyntaxBuilder::readStatement(llvm::ArrayRef<Token> tokens) {
  if (tokens.empty())
    return;
  switch (tokens.front().kind) {
  case TokenKind::KwImport:
    return readImport(tokens);
  case TokenKind::KwFrom:
    return readFrom(tokens);
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
    for (const Token &token : tokens)
      if (token.kind == TokenKind::Name)
        syntax.allScopes[current].globals.insert(token.text());
    return readExpression(tokens);
  default:
    break;
  }
  // Targets are what is in front of an `=`, an annotation or an augmented assignment.
  while (true) {
    size_t equal = findOutside(tokens, assignments);
    if (equal == tokens.size() || tokens[equal].kind == TokenKind::KwLambda)
      return readExpression(tokens);
    size_t colon = findOutside(tokens.take_front(equal), TokenKind::Colon);
    readTargets(tokens.take_front(colon));
    readExpression(tokens.slice(colon, equal - colon));
    add(tokens[equal], NameRole::Plain);
    tokens = tokens.drop_front(equal + 1);
  }
}

void SyntaxBuilder::readImport(llvm::ArrayRef<Token> tokens) {
  bool isFirst = true, isAlias = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind != TokenKind::Name) {
      isAlias = token.kind == TokenKind::KwAs;
      isFirst = isFirst || token.kind == TokenKind::Comma;
      add(token, NameRole::Plain);
      continue;
    }
    size_t added = add(token, NameRole::Module);
    // `import a.b as c` binds c, `import a.b` binds a.
    bool isBound = isAlias;
    if (isFirst && !isAlias) {
      size_t end = findOutside(tokens.drop_front(i), {TokenKind::Comma, TokenKind::KwAs}) + i;
      isBound = end == tokens.size() || tokens[end].kind != TokenKind::KwAs;
    }
    if (isBound) {
      syntax.all[added].role = NameRole::Plain;
      bind(current, added, isAlias ? ScopeBinding::Kind::Alias : ScopeBinding::Kind::Import);
    }
    isFirst = isAlias = false;
  }
}

void SyntaxBuilder::readFrom(llvm::ArrayRef<Token> tokens) {
  bool behindImport = false, isAlias = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind != TokenKind::Name) {
      isAlias = token.kind == TokenKind::KwAs;
      behindImport = behindImport || token.kind == TokenKind::KwImport;
      add(token, NameRole::Plain);
      continue;
    }
    bool hasAlias = i + 1 < tokens.size() && tokens[i + 1].kind == TokenKind::KwAs;
    size_t added = add(token, !behindImport ? NameRole::Module
                              : hasAlias    ? NameRole::Imported
                                            : NameRole::Plain);
    if (behindImport && !hasAlias)
      bind(current, added, isAlias ? ScopeBinding::Kind::Alias : ScopeBinding::Kind::Import);
    isAlias = false;
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Names that an assignment binds: not those in subscripts, calls and attributes.
void SyntaxBuilder::readTargets(llvm::ArrayRef<Token> tokens) {
  size_t first = syntax.all.size();
  readExpression(tokens);
  unsigned inner = 0; // Depth within the brackets of a subscript or call.
  for (size_t i = first, end = syntax.all.size(); i < end; ++i) {
    TokenKind kind = syntax.all[i].kind;
    TokenKind before = i > first ? syntax.all[i - 1].kind : TokenKind::Comma;
    bool follows = before == TokenKind::Name || isClosing(before);
    if (isOpening(kind) && (inner || follows)) {
      ++inner;
    } else if (isClosing(kind) && inner) {
      --inner;
    } else if (kind == TokenKind::Name && !inner && syntax.all[i].role == NameRole::Plain) {
      TokenKind after = i + 1 < end ? syntax.all[i + 1].kind : TokenKind::Comma;
      if (after != TokenKind::Dot && !isOpening(after))
        bind(current, i);
    }
  }
}

/// The tokens in front of the bracket that closes a group, or all.
static size_t lengthOfGroup(llvm::ArrayRef<Token> tokens) {
  unsigned depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (isOpening(tokens[i].kind))
      ++depth;
    else if (isClosing(tokens[i].kind) && depth-- == 0)
      return i;
  }
  return tokens.size();
}

/// The function that a call in the brackets at `open` is of: `f(`, `a.f(` or `f[grid](`.
std::optional<size_t> SyntaxBuilder::calleeOf(size_t open) const {
  if (open == 0)
    return std::nullopt;
  size_t at = open - 1;
  if (syntax.all[at].kind == TokenKind::RBracket) {
    unsigned depth = 0;
    for (;; --at) {
      if (isClosing(syntax.all[at].kind))
        ++depth;
      else if (isOpening(syntax.all[at].kind) && --depth == 0)
        break;
      if (at == 0)
        return std::nullopt;
    }
    if (at == 0)
      return std::nullopt;
    --at;
  }
  return syntax.all[at].kind == TokenKind::Name ? std::optional<size_t>(at) : std::nullopt;
}

static bool isCallable(TokenKind kind) { return kind == TokenKind::Name || isClosing(kind); }

/// Any tokens: names with their roles, and what comprehensions, lambdas, `:=` and `as` bind. `call`
/// is the call that they are the arguments of, or null.
void SyntaxBuilder::readExpression(llvm::ArrayRef<Token> tokens, const Call *call) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    TokenKind before = i ? tokens[i - 1].kind : TokenKind::Comma;
    TokenKind after = i + 1 < tokens.size() ? tokens[i + 1].kind : TokenKind::Comma;
    size_t added = add(token, NameRole::Plain);
    if (isOpening(token.kind) && groups < maxBracketDepth) {
      size_t length = lengthOfGroup(tokens.drop_front(i + 1));
      bool isCall = token.kind == TokenKind::LParen && isCallable(before) && i > 0;
      Call call;
      if (isCall)
        call.callee = calleeOf(added);
      ++groups;
      readGroup(tokens.slice(i + 1, length), isCall ? &call : nullptr);
      --groups;
      i += length;
    } else if (token.kind == TokenKind::String) {
      readString(token);
    } else if (token.kind == TokenKind::KwLambda) {
      i += readLambda(tokens.drop_front(i + 1));
    } else if (token.kind == TokenKind::KwFor) { // Of a statement.
      size_t length = findOutside(tokens.drop_front(i + 1), {TokenKind::KwIn, TokenKind::KwFor});
      bool hasIn = i + 1 + length < tokens.size() && tokens[i + 1 + length].kind == TokenKind::KwIn;
      if (hasIn) {
        readTargets(tokens.slice(i + 1, length));
        i += length;
      }
    } else if (token.kind == TokenKind::Name) {
      NameToken &name = syntax.all[added];
      if (before == TokenKind::Dot) {
        name.role = NameRole::Member;
      } else if (after == TokenKind::Equal && call && before == TokenKind::Comma) {
        name.role = NameRole::Keyword;
        name.callee = call->callee;
      } else if (after == TokenKind::ColonEqual || before == TokenKind::KwAs) {
        bind(namedScope(), added);
      }
    }
  }
}

/// What is in brackets. The targets of a comprehension are seen in it alone, but for its first
/// iterable, which is of the scope around it.
void SyntaxBuilder::readGroup(llvm::ArrayRef<Token> tokens, const Call *call) {
  size_t length = findOutside(tokens, TokenKind::KwFor);
  if (length == tokens.size())
    return readExpression(tokens, call);
  unsigned outer = current;
  current = openInner(tokens);
  readExpression(tokens.take_front(length));
  tokens = tokens.drop_front(length);
  for (bool isFirst = true; !tokens.empty(); isFirst = false) {
    add(tokens.front(), NameRole::Plain); // The `for`.
    tokens = tokens.drop_front();
    size_t in = findOutside(tokens, {TokenKind::KwIn, TokenKind::KwFor});
    readTargets(tokens.take_front(in));
    tokens = tokens.drop_front(in);
    size_t end = findOutside(tokens, {TokenKind::KwFor, TokenKind::KwIf});
    unsigned inner = current;
    current = isFirst ? outer : inner;
    readExpression(tokens.take_front(end));
    current = inner;
    tokens = tokens.drop_front(end);
    size_t next = findOutside(tokens, TokenKind::KwFor); // Conditions.
    readExpression(tokens.take_front(next));
    tokens = tokens.drop_front(next);
  }
  current = outer;
}

/// What follows `lambda`, up to the end of its body. Its parameters are seen in the body; their
/// defaults are of the scope around it. Returns how many tokens these are.
size_t SyntaxBuilder::readLambda(llvm::ArrayRef<Token> tokens) {
  constexpr unsigned maxLambdas = 20; // Within each other.
  size_t colon = findOutside(tokens, {TokenKind::Colon, TokenKind::KwLambda});
  if (colon == tokens.size() || tokens[colon].kind != TokenKind::Colon || lambdas == maxLambdas)
    return 0;
  ++lambdas;
  size_t body = findOutside(tokens.drop_front(colon), TokenKind::Comma);
  unsigned outer = current, inner = openInner(tokens.take_front(colon + body));
  llvm::ArrayRef<Token> params = tokens.take_front(colon);
  while (!params.empty()) {
    size_t end = findOutside(params, TokenKind::Comma);
    llvm::ArrayRef<Token> param = params.take_front(end);
    size_t equal = findOutside(param, TokenKind::Equal);
    current = inner;
    readTargets(param.take_front(equal));
    current = outer;
    readExpression(param.drop_front(equal));
    params = params.drop_front(end);
    if (!params.empty()) {
      add(params.front(), NameRole::Plain);
      params = params.drop_front();
    }
  }
  current = inner;
  readExpression(tokens.slice(colon, body));
  current = outer;
  --lambdas;
  return colon + body;
}

/// The scope that `:=` binds in: that around all comprehensions.
unsigned SyntaxBuilder::namedScope() const {
  unsigned scope = current;
  while (scope != 0 && !syntax.allScopes[scope].nameToken)
    scope = syntax.allScopes[scope].parent;
  return scope;
}

/// The scope of a comprehension or lambda, which no line can be behind.
unsigned SyntaxBuilder::openInner(llvm::ArrayRef<Token> tokens) {
  size_t begin = tokens.empty() ? syntax.text.size() : tokens.front().begin - syntax.text.begin();
  unsigned scope = openScope(NameScope::Kind::Function, begin, std::nullopt, /*column=*/~0u);
  if (scope == current)
    return scope;
  syntax.allScopes[scope].end =
      tokens.empty() ? begin : size_t(tokens.back().end - syntax.text.begin());
  return scope;
}

/// The replacement fields of an f-string.
void SyntaxBuilder::readString(const Token &token) {
  constexpr unsigned maxStrings = 8; // Within each other's fields.
  StringShape shape = stringShape(token.text());
  if (!shape.format || strings == maxStrings)
    return;
  ++strings;
  readFields(shape.bodyBegin, shape.bodyEnd, shape, 0);
  --strings;
}

void SyntaxBuilder::readFields(const char *begin, const char *end, const StringShape &shape,
                               unsigned depth) {
  constexpr unsigned maxDepth = 8; // Python allows two.
  while (depth < maxDepth && begin < end) {
    const char *brace = findFStringBrace(begin, end, shape);
    if (brace >= end)
      return;
    FStringField field;
    FStringError error;
    if (*brace != '{' || !scanFStringField(brace, end, shape, field, error)) {
      begin = brace + 1;
      continue;
    }
    TokenList list;
    Lexer(syntax.text).lexExpression(field.valueBegin, field.valueEnd, list);
    llvm::ArrayRef<Token> tokens = list.tokens;
    readExpression(tokens.drop_back()); // The end of the text.
    if (field.specBegin)
      readFields(field.specBegin, field.specEnd, shape, depth + 1);
    begin = field.end;
  }
}
