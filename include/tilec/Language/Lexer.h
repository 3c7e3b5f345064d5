//===- Lexer.h - Tokens of Python source ------------------------*- C++ -*-===//
//
// Splits Python source into tokens, one module-level statement at a time. That granularity is what
// lets the reader skip host code: nothing in a statement that is passed over can disturb the next.
//
// The lexer prints nothing. Lexical errors travel with the tokens, and whoever consumes the tokens
// reports them, so that they come out in source order and not at all for skipped text.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_LEXER_H
#define TILEC_LANGUAGE_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

enum class TokenKind : uint8_t {
#define TILEC_TOKEN(name, spelling) name,
#include "tilec/Language/Tokens.def"
};

/// The fixed text of a keyword or operator, or a description such as "a name" or "end of line".
llvm::StringRef spelling(TokenKind kind);

/// A token; its text lies in the source buffer.
struct Token {
  TokenKind kind;
  /// Index into TokenList::errors, or -1. Always set for TokenKind::Error; also set for a token
  /// that stands in for a misspelt one (`and` for `&&`).
  int32_t error = -1;
  const char *begin;
  const char *end;

  llvm::StringRef text() const { return llvm::StringRef(begin, end - begin); }
  llvm::SMRange range() const {
    return {llvm::SMLoc::getFromPointer(begin), llvm::SMLoc::getFromPointer(end)};
  }
};

/// A lexical error, ready to be reported.
struct LexError {
  llvm::SMRange range;
  std::string message;
  llvm::SMRange noteRange; // Invalid when there is no note.
  std::string note;
  std::string replacement; // A fix-it for `range`; empty when there is none.
};

/// What the lexer makes of a piece of source. `tokens` always ends with EndOfFile.
struct TokenList {
  std::vector<Token> tokens;
  std::vector<LexError> errors;
};

/// Deepest nesting of brackets and of indentation, as in CPython.
constexpr unsigned maxBracketDepth = 200;
constexpr unsigned maxIndentDepth = 100;

/// Lexes pieces of one buffer. Holds no state between calls; the buffer must outlive it.
class Lexer {
public:
  /// `buffer` must be valid UTF-8 without NUL (see findBinaryByte). A byte order mark is skipped.
  explicit Lexer(llvm::StringRef buffer);

  /// Where a line with something on it begins.
  struct Line {
    const char *start; // The first character that is no indentation.
    unsigned column;   // Width of the indentation, tabs to the next multiple of 8.
  };

  /// The start of the text, byte order mark excluded, and its end.
  const char *begin() const { return text.begin(); }
  const char *end() const { return text.end(); }

  /// The next line at or after `at`, the start of a line, that is neither blank nor only a comment;
  /// nothing at the end of the text.
  std::optional<Line> nextLine(const char *at) const;

  /// Lexes one logical line from the line start `at`: tokens, Newline, EndOfFile. Returns the start
  /// of the line after it.
  const char *lexLogicalLine(const char *at, TokenList &out) const;

  /// Lexes one statement from the line start `at`: a logical line and all that is indented deeper
  /// below it; decorator lines continue into what they decorate. Returns the start of the line
  /// after it.
  const char *lexStatement(const char *at, TokenList &out) const;

  /// Lexes `[begin, end)` as the inside of brackets, where line ends mean nothing.
  void lexExpression(const char *begin, const char *end, TokenList &out) const;

private:
  llvm::StringRef text;
};

/// The first byte that shows that `buffer` is no text: a NUL or invalid UTF-8. Null if there is
/// none.
const char *findBinaryByte(llvm::StringRef buffer);

/// A replacement field `{value!r:spec}` inside an f-string.
struct FStringField {
  const char *open = nullptr; // The `{`.
  const char *valueBegin = nullptr;
  const char *valueEnd = nullptr;
  const char *equals = nullptr;    // The `=` of a self-documenting field, or null.
  const char *equalsEnd = nullptr; // Past the `=` and the blanks after it.
  char conversion = 0;
  const char *specBegin = nullptr; // Null when there is no `:`.
  const char *specEnd = nullptr;
  const char *end = nullptr; // Past the `}`.
};

/// How a string literal is written. `bodyBegin` and `bodyEnd` enclose what is between the quotes.
struct StringShape {
  bool raw = false;
  bool bytes = false;
  bool format = false;
  bool templ = false;
  bool triple = false;
  char quote = '"';
  const char *bodyBegin = nullptr;
  const char *bodyEnd = nullptr;
};

/// Takes a String token apart.
StringShape stringShape(llvm::StringRef token);

/// Where and why the text of an f-string cannot be taken apart.
struct FStringError {
  const char *begin = nullptr;
  const char *end = nullptr;
  llvm::StringRef message; // Static text.
};

/// Finds the extent of the replacement field that starts at `open`, a `{`, in a literal with the
/// given quotes; looks at nothing from `limit` on. False after filling `error`.
bool scanFStringField(const char *open, const char *limit, const StringShape &shape,
                      FStringField &field, FStringError &error, unsigned depth = 0);

/// The next brace of an f-string's literal text that is neither doubled nor part of an escape, or
/// `limit`.
const char *findFStringBrace(const char *p, const char *limit, const StringShape &shape);

} // namespace tilec

#endif // TILEC_LANGUAGE_LEXER_H
