//===- Lexer.cpp - Lines, indentation and brackets --------------*- C++ -*-===//
//
// Splits source into logical lines and tracks what joins them (brackets) and nests them
// (indentation). An unclosed bracket would swallow the rest of the file, so a line inside brackets
// that can only begin a statement ends the logical line instead; and if the end of the file comes
// first, lexing resumes at the first line below the bracket that is not indented deeper than its
// statement.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Lexer.h"

#include "LexRun.h"
#include "LineInfo.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace tilec {

StringRef spelling(TokenKind kind) {
  static const char *const names[] = {
#define TILEC_TOKEN(name, spelling) spelling,
#include "tilec/Language/Tokens.def"
  };
  return names[static_cast<unsigned>(kind)];
}

const char *findBinaryByte(StringRef buffer) {
  size_t nul = buffer.find('\0');
  StringRef head = buffer.take_front(nul);
  const UTF8 *p = reinterpret_cast<const UTF8 *>(head.begin());
  if (!isLegalUTF8String(&p, reinterpret_cast<const UTF8 *>(head.end())))
    return reinterpret_cast<const char *>(p);
  return nul == StringRef::npos ? nullptr : buffer.begin() + nul;
}

//===----------------------------------------------------------------------===//
// Lexer
//===----------------------------------------------------------------------===//

static const char *startOfLine(const char *at, const char *begin) {
  while (at != begin && at[-1] != '\n' && at[-1] != '\r')
    --at;
  return at;
}

/// The first character of a line that is no indentation, with the widths of the indentation.
static const char *measure(const char *p, const char *end, unsigned &column,
                           unsigned &alternative) {
  column = alternative = 0;
  for (; p != end; ++p) {
    if (*p == ' ') {
      ++column;
      ++alternative;
    } else if (*p == '\t') {
      column = (column / 8 + 1) * 8;
      ++alternative;
    } else if (*p == '\f') {
      column = alternative = 0;
    } else {
      break;
    }
  }
  return p;
}

static bool isBlankAt(const char *p, const char *end) {
  return p == end || *p == '\n' || *p == '\r' || *p == '#';
}

Lexer::Lexer(StringRef buffer) : text(withoutBOM(buffer)) {}

std::optional<Lexer::Line> Lexer::nextLine(const char *at) const {
  while (at != end()) {
    unsigned column, alternative;
    const char *first = measure(at, end(), column, alternative);
    if (!isBlankAt(first, end()))
      return Line{first, column};
    at = skipLineEnd(endOfLine(first, end()), end());
  }
  return std::nullopt;
}

const char *Lexer::lexLogicalLine(const char *at, TokenList &out) const {
  return LexRun(*this, out).lexStatement(at, /*single=*/true);
}

const char *Lexer::lexStatement(const char *at, TokenList &out) const {
  return LexRun(*this, out).lexStatement(at, /*single=*/false);
}

void Lexer::lexExpression(const char *begin, const char *stop, TokenList &out) const {
  LexRun(*this, out).lexExpression(begin, stop);
}

//===----------------------------------------------------------------------===//
// Statements and indentation
//===----------------------------------------------------------------------===//

const char *LexRun::lexStatement(const char *at, bool single) {
  unsigned base = 0;
  bool decorated = false;
  bool isFirst = true;
  size_t kept = 0;
  while (std::optional<Lexer::Line> line = lexer.nextLine(at)) {
    bool continues = line->column > base || (decorated && line->column == base);
    if (!isFirst && (single || !continues))
      break;
    if (isFirst)
      base = line->column;
    lineHasError = false;
    lineColumn = line->column;
    setIndentation(startOfLine(line->start, lexer.begin()), line->start);
    decorated = *line->start == '@' && line->column == base;
    isFirst = false;
    at = lexLine(line->start);
    // Past the nesting limit only the end of the statement is of interest.
    if (giveUp && !kept)
      kept = out.tokens.size();
    if (kept)
      out.tokens.resize(kept, out.tokens.front());
  }
  if (isFirst)
    at = end;
  const char *stop = out.tokens.empty() ? at : out.tokens.back().end;
  for (size_t i = 1; i < indents.size(); ++i)
    add(TokenKind::Dedent, stop, stop);
  add(TokenKind::EndOfFile, stop, stop);
  return at;
}

void LexRun::lexExpression(const char *begin, const char *stop) {
  end = stop;
  insideBrackets = true;
  for (const char *p = begin; p != end;) {
    if (StringRef(" \t\f\n\r").contains(*p))
      ++p;
    else if (*p == '#')
      p = endOfLine(p, end);
    else
      p = lexToken(p);
  }
  if (!brackets.empty())
    unclosedBracket();
  add(TokenKind::EndOfFile, end, end);
}

void LexRun::setIndentation(const char *lineStart, const char *first) {
  Indentation indentation;
  measure(lineStart, end, indentation.column, indentation.alternative);
  if (indents.empty()) {
    indents.push_back(indentation);
    return;
  }
  const Indentation &top = indents.back();
  bool inconsistent = false;
  if (indentation.column == top.column)
    inconsistent = indentation.alternative != top.alternative;
  else if (indentation.column > top.column)
    openIndentation(indentation, lineStart, first);
  else
    closeIndentation(indentation, lineStart, first);
  if (inconsistent)
    error(lineStart, first, "inconsistent use of tabs and spaces in indentation");
}

void LexRun::openIndentation(Indentation indentation, const char *lineStart, const char *first) {
  bool inconsistent = indentation.alternative <= indents.back().alternative;
  if (indents.size() > maxIndentDepth) {
    if (!giveUp)
      error(lineStart, first, "too many levels of indentation (limit 100)");
    giveUp = true;
    return;
  }
  indents.push_back(indentation);
  add(TokenKind::Indent, lineStart, first);
  if (inconsistent)
    error(lineStart, first, "inconsistent use of tabs and spaces in indentation");
}

void LexRun::closeIndentation(Indentation indentation, const char *lineStart, const char *first) {
  while (indents.size() > 1 && indents.back().column > indentation.column) {
    const Indentation &below = indents[indents.size() - 2];
    // Between two levels: take the line as one of the inner block whose indentation is off.
    if (below.column < indentation.column) {
      indents.back() = indentation;
      error(first, first, "unindent does not match any outer indentation level");
      return;
    }
    indents.pop_back();
    add(TokenKind::Dedent, first, first);
  }
  if (indentation.alternative != indents.back().alternative)
    error(lineStart, first, "inconsistent use of tabs and spaces in indentation");
}

//===----------------------------------------------------------------------===//
// Logical lines
//===----------------------------------------------------------------------===//

const char *LexRun::lexLine(const char *p) {
  brackets.clear();
  for (;;) {
    if (p == end) {
      if (!brackets.empty())
        p = resumeAfterUnclosed();
      const char *stop = out.tokens.empty() ? p : out.tokens.back().end;
      add(TokenKind::Newline, stop, stop);
      return p;
    }
    switch (*p) {
    case ' ':
    case '\t':
    case '\f':
      ++p;
      break;
    case '#':
      p = endOfLine(p, end);
      break;
    case '\n':
    case '\r': {
      const char *next = skipLineEnd(p, end);
      unsigned column, alternative;
      const char *first = measure(next, end, column, alternative);
      if (!brackets.empty() && beginsStatement(first, column))
        unclosedBracket();
      if (brackets.empty()) {
        add(TokenKind::Newline, p, next);
        return next;
      }
      p = next;
      break;
    }
    default:
      p = lexToken(p);
    }
  }
}

/// True for a keyword that begins a statement and cannot stand inside an expression.
static bool isStatementKeyword(StringRef word) {
  return StringSwitch<bool>(word)
      .Cases({"def", "class", "return", "import", "while", "with", "assert", "pass"}, true)
      .Cases({"break", "continue", "try", "except", "finally", "raise", "del"}, true)
      .Cases({"global", "nonlocal", "elif"}, true)
      .Default(false);
}

/// True for a line such as `for i in x:` whose keyword could continue an expression, but whose
/// colon at the end could not.
static bool isBlockHeader(StringRef word, const char *p, const char *end) {
  if (word != "for" && word != "if" && word != "else")
    return false;
  return StringRef(p, endOfLine(p, end) - p).split('#').first.rtrim().ends_with(":");
}

/// True for a keyword that may continue an expression after an operand.
static bool isInfixKeyword(StringRef word) {
  return StringSwitch<bool>(word)
      .Cases({"and", "or", "not", "in", "is", "if", "else", "for", "async", "as", "from"}, true)
      .Default(false);
}

static bool endsOperand(TokenKind kind) {
  switch (kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
  case TokenKind::Ellipsis:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
    return true;
  default:
    return false;
  }
}

/// Inside brackets: can the line whose text starts at `p` only be the next statement?
bool LexRun::beginsStatement(const char *p, unsigned column) const {
  if (isBlankAt(p, end))
    return false;
  unsigned length;
  if (*p == '@')
    return column <= lineColumn && p + 1 != end && isIdentifierStart(p + 1, end, length);
  const char *stop = p;
  if (isIdentifierStart(stop, end, length))
    while (stop != end && isIdentifierContinue(stop, end, length))
      stop += length;
  StringRef word(p, stop - p);
  if (isStatementKeyword(word) || (column <= lineColumn && isBlockHeader(word, p, end)))
    return true;
  // Two operands without an operator between them are an error in any case; only if the second is
  // not indented deeper than the statement is the closing bracket, not a comma, what is missing.
  bool operand = (!word.empty() && !isInfixKeyword(word)) || (*p >= '0' && *p <= '9');
  bool quoted = stop != end && (*stop == '"' || *stop == '\'');
  return operand && !quoted && column <= lineColumn && !out.tokens.empty() &&
         endsOperand(out.tokens.back().kind);
}

void LexRun::unclosedBracket() {
  const char *opener = brackets.back();
  const char *at = out.tokens.back().end;
  brackets.clear();
  char closer = *opener == '(' ? ')' : *opener == '[' ? ']' : '}';
  std::string message = "expected ')' before the end of the statement";
  message[message.find(')')] = closer;
  LexError &unclosed = error(at, at, message);
  unclosed.note = (Twine("to match this '") + Twine(*opener) + "'").str();
  unclosed.noteRange = {SMLoc::getFromPointer(opener), SMLoc::getFromPointer(opener + 1)};
}

const char *LexRun::resumeAfterUnclosed() {
  const char *at = brackets.back();
  const char *resume = end;
  while (at != end) {
    at = skipLineEnd(endOfLine(at, end), end);
    unsigned column, alternative;
    const char *first = measure(at, end, column, alternative);
    if (!isBlankAt(first, end) && column <= lineColumn) {
      resume = at;
      break;
    }
  }
  while (out.tokens.back().begin >= resume)
    out.tokens.pop_back();
  unclosedBracket();
  return resume;
}

LexError &LexRun::error(const char *begin, const char *stop, StringRef message) {
  dropped = {};
  Token &token = add(TokenKind::Error, begin, stop);
  LexError lexError;
  lexError.range = {SMLoc::getFromPointer(begin), SMLoc::getFromPointer(stop)};
  lexError.message = message.str();
  if (lineHasError) {
    // Keep the token, which stops the parser, but give it the line's first error.
    token.error = static_cast<int32_t>(out.errors.size()) - 1;
    return dropped;
  }
  lineHasError = true;
  token.error = static_cast<int32_t>(out.errors.size());
  out.errors.push_back(std::move(lexError));
  return out.errors.back();
}

} // namespace tilec
