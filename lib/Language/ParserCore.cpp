//===- ParserCore.cpp - Tokens and errors of the parser ---------*- C++ -*-===//
//
// What all parts of the parser share: moving through tokens, reporting, and the wording of
// "expected this, found that".
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tilec {

static bool isLayout(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent ||
         kind == TokenKind::EndOfFile;
}

void Parser::advance() {
  const Token &token = tok();
  if (token.kind == Kind::EndOfFile)
    return;
  // A token that stands in for a misspelt one parses like it, but is reported.
  if (token.error >= 0 && token.kind != Kind::Error && token.error != lastLexError) {
    lastLexError = token.error;
    report(list.errors[token.error]);
  }
  skipToken();
}

void Parser::skipToken() {
  if (!isLayout(tok().kind))
    prevEnd = tok().end;
  ++position;
}

bool Parser::consume(Kind kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

SMRange Parser::rangeFrom(const char *begin) const {
  return {SMLoc::getFromPointer(begin), SMLoc::getFromPointer(std::max(begin, prevEnd))};
}

SMRange Parser::afterPrevious() const {
  return {SMLoc::getFromPointer(prevEnd), SMLoc::getFromPointer(prevEnd)};
}

void Parser::report(const LexError &error) {
  ++numErrors;
  if (!diagnostics)
    return;
  DiagnosticBuilder builder = diagnostics->error(error.range, error.message);
  if (error.noteRange.isValid())
    builder.note(error.noteRange, error.note);
  if (!error.replacement.empty())
    builder.fixIt(error.range, error.replacement);
}

std::nullptr_t Parser::fail(SMRange range, const Twine &message) {
  return fail(LexError{range, message.str(), {}, {}, {}});
}

std::nullptr_t Parser::fail(LexError error) {
  // What the lexer could not read explains whatever the parser stumbles over there.
  if (at(Kind::Error)) {
    if (tok().error == lastLexError)
      return nullptr;
    lastLexError = tok().error;
    report(list.errors[tok().error]);
    return nullptr;
  }
  report(error);
  return nullptr;
}

/// The first bytes of a token, cut between characters.
static llvm::StringRef headOf(llvm::StringRef text) {
  size_t size = std::min<size_t>(text.size(), 40);
  while (size < text.size() && size && (text[size] & 0xC0) == 0x80)
    --size;
  return text.take_front(size);
}

std::string Parser::describeToken() const {
  switch (tok().kind) {
  case Kind::String:
    return "a string";
  case Kind::Name:
  case Kind::Number:
    return ("'" + headOf(tok().text()) + "'").str();
  case Kind::EndOfFile:
  case Kind::Newline:
  case Kind::Indent:
  case Kind::Dedent:
  case Kind::Error:
    return spelling(tok().kind).str();
  default:
    return ("'" + spelling(tok().kind) + "'").str();
  }
}

std::nullptr_t Parser::expected(const Twine &what) {
  SMRange range = isLayout(tok().kind) ? afterPrevious() : tok().range();
  return fail(range, "expected " + what + ", found " + describeToken());
}

bool Parser::expect(Kind kind, const Twine &where) {
  if (consume(kind))
    return true;
  bool fixed = kind >= Kind::LParen;
  std::string quoted = fixed ? ("'" + spelling(kind) + "'").str() : spelling(kind).str();
  expected(quoted + where);
  return false;
}

bool Parser::expectClose(Kind close, const Token &open, StringRef alternatives) {
  if (consume(close))
    return true;
  LexError error;
  error.range = isLayout(tok().kind) ? afterPrevious() : tok().range();
  error.message = ("expected " + alternatives + "'" + spelling(close) + "', found ").str();
  error.message += describeToken();
  error.noteRange = open.range();
  error.note = ("to match this '" + spelling(open.kind) + "'").str();
  fail(std::move(error));
  return false;
}

void Parser::skipLine() {
  while (!at(Kind::Newline) && !at(Kind::EndOfFile))
    skipToken();
  consume(Kind::Newline);
}

Parser::Nested::operator bool() const {
  if (parser.nesting <= maxNesting)
    return true;
  parser.fail(parser.tok().range(), "expression is nested too deeply (limit 200)");
  return false;
}

} // namespace tilec
