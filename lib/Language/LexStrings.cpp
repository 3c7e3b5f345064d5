//===- LexStrings.cpp - String literals and f-string fields -----*- C++ -*-===//
//
// Finds where string literals end. Since Python 3.12 a replacement field of an f-string may contain
// any expression, strings with the same quotes included, so the end of an f-string can only be
// found by scanning its fields. The parser uses the same scanner to take the literal apart.
//
//===----------------------------------------------------------------------===//

#include "LexRun.h"
#include "LineInfo.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilec {
namespace {

/// f-strings within fields of f-strings; deeper is an error.
constexpr unsigned maxFieldDepth = 10;

/// Longest Unicode character name that is looked for in a `\N{...}` escape.
constexpr ptrdiff_t maxNameLength = 128;

StringShape prefixShape(const char *p, const char *quote) {
  StringShape shape;
  for (; p != quote; ++p) {
    char c = toLower(*p);
    shape.raw |= c == 'r';
    shape.bytes |= c == 'b';
    shape.format |= c == 'f' || c == 't';
    shape.templ |= c == 't';
  }
  return shape;
}

bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

bool closes(const char *p, const char *limit, const StringShape &shape) {
  if (*p != shape.quote)
    return false;
  return !shape.triple || (limit - p >= 3 && p[1] == shape.quote && p[2] == shape.quote);
}

/// Sets the quotes of `shape` from the text at `quote`; returns where the body begins.
const char *readQuotes(const char *quote, const char *limit, StringShape &shape) {
  shape.quote = *quote;
  shape.triple = limit - quote >= 3 && quote[1] == *quote && quote[2] == *quote;
  return quote + (shape.triple ? 3 : 1);
}

bool fail(FStringError &error, const char *begin, const char *end, StringRef message) {
  error = {begin, end, message};
  return false;
}

const char *skipBlanks(const char *p, const char *limit) {
  while (p != limit && (*p == ' ' || *p == '\t' || isLineEnd(*p)))
    ++p;
  return p;
}

/// Steps over a backslash and what it escapes, as far as that matters for finding the end.
const char *skipEscape(const char *p, const char *limit, const StringShape &shape) {
  if (p + 1 == limit)
    return limit;
  if (!shape.raw && p[1] == 'N' && limit - p > 2 && p[2] == '{') {
    const char *close = p + 3;
    // Names are short; without a bound a line full of unclosed ones would cost quadratic time.
    const char *stop = limit - close > maxNameLength ? close + maxNameLength : limit;
    while (close != stop && *close != '}' && !isLineEnd(*close) && !closes(close, limit, shape))
      ++close;
    if (close != stop && *close == '}')
      return close + 1;
  }
  // A backslash hides no brace from the field syntax.
  if (shape.format && (p[1] == '{' || p[1] == '}'))
    return p + 1;
  return isLineEnd(p[1]) ? skipLineEnd(p + 1, limit) : p + 2;
}

bool scanBody(const char *p, const char *limit, const StringShape &shape, const char *&bodyEnd,
              FStringError &error, unsigned depth);

/// Scans a string literal nested in a field; `p` points at its opening quote.
bool scanNestedString(const char *prefix, const char *&p, const char *limit, FStringError &error,
                      unsigned depth) {
  StringShape shape = prefixShape(prefix, p);
  const char *body = readQuotes(p, limit, shape);
  const char *bodyEnd;
  if (!scanBody(body, limit, shape, bodyEnd, error, depth + 1))
    return false;
  p = bodyEnd + (shape.triple ? 3 : 1);
  return true;
}

/// The letters directly before `quote`, if they form a string prefix; else `quote`.
const char *prefixBefore(const char *quote, const char *begin) {
  const char *p = quote;
  while (p != begin && isAlnum(p[-1]))
    --p;
  bool isPrefix =
      quote - p <= 2 && StringRef(p, quote - p).find_first_not_of("rRbBuUfFtT") == StringRef::npos;
  return isPrefix ? p : quote;
}

/// The value of a field: up to a `!`, `:`, `=` or `}` outside brackets and strings.
bool scanFieldValue(const char *p, const char *limit, const StringShape &shape, FStringField &field,
                    FStringError &error, unsigned depth) {
  SmallVector<char, 8> open;
  for (; p != limit; ++p) {
    char c = *p;
    if (c == '"' || c == '\'') {
      const char *nested = p;
      FStringError inner;
      if (scanNestedString(prefixBefore(p, field.valueBegin), nested, limit, inner, depth)) {
        p = nested - 1;
        continue;
      }
      // An odd quote of the literal's own kind means that the literal ends before the field does.
      if (c == shape.quote)
        break;
      error = inner;
      return false;
    }
    if (c == '#') {
      p = endOfLine(p, limit) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(c);
      if (open.size() > maxBracketDepth)
        return fail(error, p, p + 1, "expression is nested too deeply (limit 200)");
    } else if (!open.empty()) {
      if (c == ')' || c == ']' || c == '}')
        open.pop_back();
    } else if (c == '}' || c == ':') {
      field.valueEnd = p;
      return true;
    } else if (c == '!' || c == '=' || c == '<' || c == '>') {
      if (limit - p > 1 && p[1] == '=') {
        ++p; // ==, !=, <=, >=
      } else if (c == '!' || c == '=') {
        field.valueEnd = p;
        return true;
      }
    }
  }
  return fail(error, field.open, field.open + 1, "expected '}' to close this replacement field");
}

/// The format spec, which may hold fields itself; `p` points behind the `:`.
bool scanFieldSpec(const char *p, const char *limit, const StringShape &shape, FStringField &field,
                   FStringError &error, unsigned depth) {
  field.specBegin = p;
  while (p != limit) {
    if (*p == '{') {
      FStringField inner;
      if (!scanFStringField(p, limit, shape, inner, error, depth + 1))
        return false;
      p = inner.end;
    } else if (*p == '}') {
      field.specEnd = p;
      field.end = p + 1;
      return true;
    } else if (closes(p, limit, shape) || (isLineEnd(*p) && !shape.triple)) {
      break;
    } else {
      ++p;
    }
  }
  return fail(error, field.open, field.open + 1, "expected '}' to close this replacement field");
}

/// Finds the closing quotes of a literal whose body starts at `p`.
bool scanBody(const char *p, const char *limit, const StringShape &shape, const char *&bodyEnd,
              FStringError &error, unsigned depth) {
  const char *begin = p;
  while (p != limit) {
    if (closes(p, limit, shape)) {
      bodyEnd = p;
      return true;
    }
    if (isLineEnd(*p) && !shape.triple)
      break;
    if (*p == '\\') {
      p = skipEscape(p, limit, shape);
    } else if (shape.format && *p == '{') {
      if (limit - p > 1 && p[1] == '{') {
        p += 2;
        continue;
      }
      FStringField field;
      if (!scanFStringField(p, limit, shape, field, error, depth))
        return false;
      p = field.end;
    } else {
      ++p;
    }
  }
  return fail(error, begin - (shape.triple ? 3 : 1), p,
              shape.triple ? "unterminated triple-quoted string" : "unterminated string");
}

} // namespace

bool scanFStringField(const char *open, const char *limit, const StringShape &shape,
                      FStringField &field, FStringError &error, unsigned depth) {
  field = {};
  field.open = open;
  field.valueBegin = open + 1;
  if (depth > maxFieldDepth)
    return fail(error, open, open + 1, "f-string is nested too deeply (limit 10)");
  if (!scanFieldValue(open + 1, limit, shape, field, error, depth))
    return false;
  const char *p = field.valueEnd;
  if (*p == '=') {
    field.equals = p;
    p = field.equalsEnd = skipBlanks(p + 1, limit);
  }
  if (p != limit && *p == '!') {
    bool known = limit - p > 1 && (p[1] == 'r' || p[1] == 's' || p[1] == 'a');
    if (!known)
      return fail(error, p, p + 1, "expected 'r', 's' or 'a' after '!' in an f-string");
    field.conversion = p[1];
    p = skipBlanks(p + 2, limit);
  }
  if (p != limit && *p == ':')
    return scanFieldSpec(p + 1, limit, shape, field, error, depth);
  if (p == limit || *p != '}')
    return fail(error, open, open + 1, "expected '}' to close this replacement field");
  field.end = p + 1;
  return true;
}

const char *findFStringBrace(const char *p, const char *limit, const StringShape &shape) {
  while (p != limit) {
    if (*p == '\\') {
      p = skipEscape(p, limit, shape);
    } else if (*p == '{' || *p == '}') {
      if (limit - p < 2 || p[1] != *p)
        return p;
      p += 2;
    } else {
      ++p;
    }
  }
  return limit;
}

StringShape stringShape(StringRef token) {
  const char *quote = token.begin();
  while (*quote != '"' && *quote != '\'')
    ++quote;
  StringShape shape = prefixShape(token.begin(), quote);
  shape.bodyBegin = readQuotes(quote, token.end(), shape);
  shape.bodyEnd = token.end() - (shape.triple ? 3 : 1);
  return shape;
}

const char *LexRun::lexString(const char *quote, const char *tokenBegin) {
  StringShape shape = prefixShape(tokenBegin, quote);
  const char *body = readQuotes(quote, end, shape);
  const char *bodyEnd;
  FStringError problem;
  if (scanBody(body, end, shape, bodyEnd, problem, 0)) {
    const char *stop = bodyEnd + (shape.triple ? 3 : 1);
    add(TokenKind::String, tokenBegin, stop);
    return stop;
  }
  // A plain string ends with its line. A triple-quoted one ends at its quotes even if a field of it
  // is broken, or else takes the rest of the text.
  const char *stop = endOfLine(quote, end);
  bool unclosed = problem.message.starts_with("unterminated triple");
  if (shape.triple) {
    std::string quotes(3, shape.quote);
    size_t close = unclosed ? StringRef::npos : StringRef(body, end - body).find(quotes);
    stop = close == StringRef::npos ? end : body + close + 3;
  }
  const char *errorEnd = std::min(problem.end, endOfLine(problem.begin, end));
  LexError &unterminated = error(problem.begin, errorEnd, problem.message);
  if (unclosed && problem.begin != quote) {
    unterminated.note = "in the string that starts here";
    unterminated.noteRange = {SMLoc::getFromPointer(tokenBegin), SMLoc::getFromPointer(quote + 3)};
  }
  brackets.clear();
  return stop;
}

} // namespace tilec
