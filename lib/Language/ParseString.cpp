//===- ParseString.cpp - String literals and f-strings ----------*- C++ -*-===//
//
// Joins adjacent string literals and takes f-strings apart. The value of a replacement field is
// lexed and parsed as an expression of its own, in place, so its nodes point into the literal.
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "ParserImpl.h"

#include "llvm/ADT/SmallString.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

Expr *Parser::parseStrings() {
  const char *begin = tok().begin;
  SmallVector<FStringPart, 2> parts;
  bool anyBytes = false, anyText = false, anyFormat = false, anyTemplate = false;
  while (at(Kind::String)) {
    StringShape shape = stringShape(tok().text());
    (shape.bytes ? anyBytes : anyText) = true;
    anyFormat |= shape.format;
    anyTemplate |= shape.templ;
    if (anyBytes && anyText)
      return fail(tok().range(), "cannot join bytes and text literals");
    // The values of bytes and templates are of no use, so they are not looked at.
    if (!shape.bytes && !shape.templ && !parseStringToken(tok(), parts))
      return nullptr;
    advance();
  }
  SMRange range = rangeFrom(begin);
  if (anyBytes || anyTemplate)
    return make<UnsupportedExpr>(range, anyBytes ? "a bytes literal" : "a template string");
  if (anyFormat)
    return make<JoinedStr>(range, copy<FStringPart>(parts));
  return make<Constant>(range, parts.empty() ? StringRef() : parts.front().text);
}

bool Parser::parseStringToken(const Token &token, Vec<FStringPart> &parts) {
  StringShape shape = stringShape(token.text());
  if (shape.format)
    return parseFString(shape.bodyBegin, shape.bodyEnd, shape, /*inSpec=*/false, parts);
  return addText(shape.bodyBegin, shape.bodyEnd, shape, /*format=*/false, parts);
}

/// Appends literal text, to the part before if that is text too.
bool Parser::addText(const char *begin, const char *end, const StringShape &shape, bool format,
                     Vec<FStringPart> &parts) {
  if (begin == end)
    return true;
  SmallVector<LiteralProblem, 1> problems;
  SmallString<64> text;
  bool merge = !parts.empty() && !parts.back().value;
  if (merge)
    text = parts.back().text;
  bool good = decodeString(StringRef(begin, end - begin), shape.raw, format, text, problems);
  for (const LiteralProblem &problem : problems) {
    SMRange range(SMLoc::getFromPointer(problem.begin), SMLoc::getFromPointer(problem.end));
    if (!problem.isWarning)
      fail(range, problem.message);
    else if (diagnostics)
      diagnostics->warning(range, problem.message);
  }
  if (!good)
    return false;
  if (!merge)
    parts.emplace_back();
  parts.back().text = context.copy(text.str());
  return true;
}

bool Parser::parseFString(const char *p, const char *end, const StringShape &shape, bool inSpec,
                          Vec<FStringPart> &parts) {
  while (p != end) {
    const char *brace = findFStringBrace(p, end, shape);
    if (!addText(p, brace, shape, /*format=*/true, parts))
      return false;
    if (brace == end)
      return true;
    if (*brace == '}') {
      SMRange range(SMLoc::getFromPointer(brace), SMLoc::getFromPointer(brace + 1));
      fail(range, "single '}' in an f-string; write '}}'");
      return false;
    }
    FStringField field;
    FStringError error;
    if (!scanFStringField(brace, end, shape, field, error, inSpec ? 1 : 0)) {
      fail(SMRange(SMLoc::getFromPointer(error.begin), SMLoc::getFromPointer(error.end)),
           error.message);
      return false;
    }
    if (!parseField(field, shape, parts))
      return false;
    p = field.end;
  }
  return true;
}

bool Parser::parseField(const FStringField &field, const StringShape &shape,
                        Vec<FStringPart> &parts) {
  Nested nested(*this);
  if (!nested)
    return false;
  if (field.equals &&
      !addText(field.valueBegin, field.equalsEnd, StringShape{true}, /*format=*/false, parts))
    return false;
  TokenList tokens;
  lexer.lexExpression(field.valueBegin, field.valueEnd, tokens);
  FStringPart part;
  if (tokens.tokens.size() == 1) {
    SMRange range(SMLoc::getFromPointer(field.open), SMLoc::getFromPointer(field.valueEnd + 1));
    fail(range, "expected an expression in the replacement field");
    return false;
  }
  Parser inner(lexer, tokens, context, diagnostics);
  inner.nesting = nesting;
  part.value = inner.at(Kind::KwYield) ? inner.parseYield() : inner.parseTestList();
  if (part.value && !inner.at(Kind::EndOfFile)) {
    inner.expected("'}'");
    part.value = nullptr;
  }
  numErrors += inner.numErrors;
  if (!part.value)
    return false;
  part.conversion = field.conversion;
  if (field.equals && !field.conversion && !field.specBegin)
    part.conversion = 'r';
  if (field.specBegin) {
    SmallVector<FStringPart, 2> spec;
    if (!parseFString(field.specBegin, field.specEnd, shape, /*inSpec=*/true, spec))
      return false;
    SMRange range(SMLoc::getFromPointer(field.specBegin), SMLoc::getFromPointer(field.specEnd));
    part.spec = context.create<JoinedStr>(range, copy<FStringPart>(spec));
  }
  parts.push_back(part);
  return true;
}

} // namespace tilec
