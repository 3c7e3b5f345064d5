//===- LexTokens.cpp - Names, numbers and operators -------------*- C++ -*-===//
//
// Recognises single tokens. Numbers are only delimited here; Literals.cpp checks and converts them
// when the parser uses them. Operators of other languages are replaced by Python's with an error,
// so that the rest of the line is still understood.
//
//===----------------------------------------------------------------------===//

#include "LexRun.h"
#include "LineInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <array>

using namespace llvm;

namespace tilec {

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

uint32_t codePointAt(const char *p, const char *end, unsigned &length) {
  const UTF8 *source = reinterpret_cast<const UTF8 *>(p);
  UTF32 codePoint = 0;
  if (convertUTF8Sequence(&source, reinterpret_cast<const UTF8 *>(end), &codePoint,
                          strictConversion) != conversionOK) {
    length = 1;
    return static_cast<unsigned char>(*p);
  }
  length = static_cast<unsigned>(reinterpret_cast<const char *>(source) - p);
  return codePoint;
}

/// Non-ASCII characters that are no letters, digits or marks. By exclusion: what is missed here is
/// accepted in a name and can at worst be reported as an unknown one.
static bool isSymbol(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  static const Range ranges[] = {
      {0x0080, 0x00A9},   {0x00AB, 0x00B4},   {0x00B6, 0x00B6}, {0x00B8, 0x00B9},
      {0x00BB, 0x00BF},   {0x00D7, 0x00D7},   {0x00F7, 0x00F7}, {0x037E, 0x037E},
      {0x1680, 0x1680},   {0x2000, 0x200B},   {0x200E, 0x203E}, {0x2041, 0x2053},
      {0x2055, 0x206F},   {0x207A, 0x207E},   {0x208A, 0x208E}, {0x20A0, 0x20CF},
      {0x2190, 0x2BFF},   {0x2E00, 0x2E7F},   {0x2FF0, 0x3004}, {0x3008, 0x3020},
      {0x3030, 0x3030},   {0x303D, 0x3040},   {0x30FB, 0x30FB}, {0xD800, 0xF8FF},
      {0xFD3E, 0xFD3F},   {0xFE10, 0xFE1F},   {0xFE30, 0xFE32}, {0xFE45, 0xFE4C},
      {0xFE50, 0xFE6F},   {0xFEFF, 0xFF0F},   {0xFF1A, 0xFF20}, {0xFF3B, 0xFF3E},
      {0xFF40, 0xFF40},   {0xFF5B, 0xFF65},   {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
      {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF}};
  for (const Range &range : ranges)
    if (c >= range.first && c <= range.last)
      return true;
  return false;
}

bool isIdentifierStart(const char *p, const char *end, unsigned &length) {
  length = 1;
  if (static_cast<unsigned char>(*p) < 0x80)
    return isAlpha(*p) || *p == '_';
  return !isSymbol(codePointAt(p, end, length));
}

bool isIdentifierContinue(const char *p, const char *end, unsigned &length) {
  length = 1;
  return isDigit(*p) || isIdentifierStart(p, end, length);
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// The kind of a keyword, or Name.
static TokenKind classifyWord(StringRef word) {
  static const StringMap<TokenKind> keywords = [] {
    StringMap<TokenKind> map;
    for (unsigned k = static_cast<unsigned>(TokenKind::KwFalse);
         k <= static_cast<unsigned>(TokenKind::KwYield); ++k)
      map[spelling(static_cast<TokenKind>(k))] = static_cast<TokenKind>(k);
    return map;
  }();
  auto found = keywords.find(word);
  return found == keywords.end() ? TokenKind::Name : found->second;
}

const char *LexRun::lexToken(const char *p) {
  unsigned length;
  if (isIdentifierStart(p, end, length))
    return lexName(p);
  bool dotNumber = *p == '.' && p + 1 != end && isDigit(p[1]);
  if (isDigit(*p) || dotNumber)
    return lexNumber(p);
  if (*p == '"' || *p == '\'')
    return lexString(p, p);
  if (*p == '\\')
    return lexBackslash(p);
  return lexOperator(p);
}

const char *LexRun::lexName(const char *p) {
  const char *stop = p;
  unsigned length;
  while (stop != end && isIdentifierContinue(stop, end, length))
    stop += length;
  StringRef word(p, stop - p);
  bool quoted = stop != end && (*stop == '"' || *stop == '\'');
  if (quoted && word.size() <= 2) {
    std::string prefix = word.lower();
    for (const char *known : {"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"})
      if (prefix == known)
        return lexString(stop, p);
  }
  add(classifyWord(word), p, stop);
  return stop;
}

/// Skips a run of digits and underscores.
static const char *skipDigits(const char *p, const char *end) {
  while (p != end && (isDigit(*p) || *p == '_'))
    ++p;
  return p;
}

const char *LexRun::lexNumber(const char *p) {
  const char *stop = p;
  bool based = *p == '0' && p + 1 != end && StringRef("xXoObB").contains(p[1]);
  if (!based) {
    stop = skipDigits(stop, end);
    if (stop != end && *stop == '.')
      stop = skipDigits(stop + 1, end);
    if (stop != end && (*stop == 'e' || *stop == 'E')) {
      const char *digits = stop + 1;
      if (digits != end && (*digits == '+' || *digits == '-'))
        ++digits;
      if (digits != end && isDigit(*digits))
        stop = skipDigits(digits, end);
    }
  }
  // What follows without a blank belongs to the number, as its error, unless it is a keyword:
  // Python reads `1if x else y`.
  const char *word = stop;
  unsigned length;
  while (stop != end && isIdentifierContinue(stop, end, length))
    stop += length;
  TokenKind kind = classifyWord(StringRef(word, stop - word));
  if (!based && kind != TokenKind::Name)
    stop = word;
  add(TokenKind::Number, p, stop);
  return stop;
}

const char *LexRun::lexBackslash(const char *p) {
  const char *next = p + 1;
  if (next != end && (*next == '\n' || *next == '\r')) {
    const char *line = skipLineEnd(next, end);
    if (line != end)
      return line;
    error(p, next, "unexpected end of file after '\\'");
    return end;
  }
  if (next == end)
    error(p, next, "unexpected end of file after '\\'");
  else
    error(p, next, "unexpected character after the line continuation '\\'");
  return next;
}

const char *LexRun::standIn(const char *p, unsigned length, TokenKind kind) {
  std::string message =
      (Twine("expected '") + spelling(kind) + "', found '" + StringRef(p, length) + "'").str();
  LexError &found = error(p, p + length, message);
  found.replacement = spelling(kind).str();
  out.tokens.back().kind = kind;
  return p + length;
}

const char *LexRun::openBracket(const char *p, TokenKind kind) {
  brackets.push_back(p);
  if (brackets.size() == maxBracketDepth + 1)
    error(p, p + 1, "expression is nested too deeply (limit 200)");
  else
    add(kind, p, p + 1);
  return p + 1;
}

const char *LexRun::closeBracket(const char *p, TokenKind kind) {
  char opener = *p == ')' ? '(' : *p == ']' ? '[' : '{';
  if (brackets.empty()) {
    error(p, p + 1, (Twine("unmatched '") + Twine(*p) + "'").str());
    return p + 1;
  }
  if (*brackets.back() == opener) {
    brackets.pop_back();
    add(kind, p, p + 1);
    return p + 1;
  }
  const char *wrong = brackets.back();
  LexError &mismatch = error(
      p, p + 1,
      (Twine("closing '") + Twine(*p) + "' does not match opening '" + Twine(*wrong) + "'").str());
  mismatch.note = (Twine("the '") + Twine(*wrong) + "' is here").str();
  mismatch.noteRange = {SMLoc::getFromPointer(wrong), SMLoc::getFromPointer(wrong + 1)};
  // If an outer bracket does match, the inner ones were left open; otherwise the closer is extra.
  size_t lowest = brackets.size() > maxBracketDepth ? brackets.size() - maxBracketDepth : 0;
  for (size_t i = brackets.size(); i > lowest; --i)
    if (*brackets[i - 1] == opener) {
      brackets.truncate(i - 1);
      break;
    }
  return p + 1;
}

/// The operators that start with `c`, longest first.
static ArrayRef<TokenKind> operatorsByFirstChar(char c) {
  using Table = std::array<SmallVector<TokenKind, 5>, 128>;
  static const Table table = [] {
    Table operators;
    for (unsigned k = static_cast<unsigned>(TokenKind::LParen);
         k <= static_cast<unsigned>(TokenKind::CaretEqual); ++k) {
      TokenKind kind = static_cast<TokenKind>(k);
      operators[static_cast<unsigned char>(spelling(kind)[0])].push_back(kind);
    }
    for (auto &kinds : operators)
      llvm::sort(kinds,
                 [](TokenKind a, TokenKind b) { return spelling(a).size() > spelling(b).size(); });
    return operators;
  }();
  unsigned char index = static_cast<unsigned char>(c);
  return index < table.size() ? ArrayRef<TokenKind>(table[index]) : ArrayRef<TokenKind>();
}

const char *LexRun::lexOperator(const char *p) {
  StringRef rest(p, end - p);
  if (rest.starts_with("&&"))
    return standIn(p, 2, TokenKind::KwAnd);
  if (rest.starts_with("||"))
    return standIn(p, 2, TokenKind::KwOr);
  for (TokenKind kind : operatorsByFirstChar(*p)) {
    StringRef op = spelling(kind);
    if (!rest.starts_with(op))
      continue;
    if (kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace)
      return openBracket(p, kind);
    if (kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace)
      return closeBracket(p, kind);
    add(kind, p, p + op.size());
    return p + op.size();
  }
  if (*p == '!')
    return standIn(p, 1, TokenKind::KwNot);
  return lexUnknown(p);
}

/// The ASCII character that looks like `c`, or 0: input methods produce these by accident.
static char asciiLookalike(uint32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E)
    return static_cast<char>(c - 0xFF01 + '!');
  switch (c) {
  case 0x00A0:
  case 0x3000:
    return ' ';
  case 0x2018:
  case 0x2019:
    return '\'';
  case 0x201C:
  case 0x201D:
    return '"';
  case 0x2013:
  case 0x2014:
  case 0x2212:
    return '-';
  case 0x00D7:
    return '*';
  case 0x00F7:
    return '/';
  case 0x3001:
    return ',';
  case 0x3002:
    return '.';
  default:
    return 0;
  }
}

const char *LexRun::lexUnknown(const char *p) {
  unsigned length;
  uint32_t c = codePointAt(p, end, length);
  std::string message = "unexpected character ";
  if (sys::unicode::isPrintable(static_cast<int>(c)) && c != 0xA0 && c != 0x3000)
    message += (Twine("'") + StringRef(p, length) + "'").str();
  else
    message += "U+" + utohexstr(c, false, 4);
  char lookalike = asciiLookalike(c);
  if (c >= 0x80 && lookalike)
    message += (Twine("; use '") + Twine(lookalike) + "'").str();
  else if (c == '?')
    message += "; a conditional is written 'a if c else b'";
  LexError &unknown = error(p, p + length, message);
  if (lookalike)
    unknown.replacement = std::string(1, lookalike);
  return p + length;
}

} // namespace tilec
