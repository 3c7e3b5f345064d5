//===- LexRun.h - One run of the lexer --------------------------*- C++ -*-===//
//
// The state of lexing one piece of source: open brackets, indentation, and whether the logical line
// already has an error (each gets one at most, so that a slip does not set off a cascade).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_LEXRUN_H
#define TILEC_LIB_LANGUAGE_LEXRUN_H

#include "tilec/Language/Lexer.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec {

class LexRun {
public:
  LexRun(const Lexer &lexer, TokenList &out) : lexer(lexer), out(out), end(lexer.end()) {}

  /// See Lexer::lexStatement; `single` stops after the first logical line.
  const char *lexStatement(const char *at, bool single);
  /// See Lexer::lexExpression.
  void lexExpression(const char *begin, const char *stop);

private:
  /// Width of an indentation with tabs to multiples of 8, and with tabs as 1: if the two orders of
  /// two lines disagree, their nesting depends on the tab width.
  struct Indentation {
    unsigned column;
    unsigned alternative;
  };

  // Lines and indentation (Lexer.cpp).
  void setIndentation(const char *lineStart, const char *first);
  void openIndentation(Indentation indentation, const char *lineStart, const char *first);
  void closeIndentation(Indentation indentation, const char *lineStart, const char *first);
  const char *lexLine(const char *p);
  const char *startPhysicalLine(const char *p);
  bool beginsStatement(const char *p, unsigned column) const;
  const char *resumeAfterUnclosed();
  void unclosedBracket();

  // Tokens (LexTokens.cpp).
  const char *lexToken(const char *p);
  const char *lexName(const char *p);
  const char *lexNumber(const char *p);
  const char *lexOperator(const char *p);
  const char *lexBackslash(const char *p);
  const char *lexUnknown(const char *p);
  const char *openBracket(const char *p, TokenKind kind);
  const char *closeBracket(const char *p, TokenKind kind);
  const char *standIn(const char *p, unsigned length, TokenKind kind);

  // Strings (LexStrings.cpp).
  const char *lexString(const char *quote, const char *tokenBegin);

  Token &add(TokenKind kind, const char *begin, const char *stop) {
    out.tokens.push_back({kind, -1, begin, stop});
    return out.tokens.back();
  }
  /// Records an error for [begin, stop) and adds an Error token there. The first error of a logical
  /// line counts, others are dropped. The result may be given a note or a fix-it.
  LexError &error(const char *begin, const char *stop, llvm::StringRef message);

  const Lexer &lexer;
  TokenList &out;
  const char *end;
  llvm::SmallVector<const char *, 16> brackets; // Openers, outermost first.
  llvm::SmallVector<Indentation, 8> indents;
  unsigned lineColumn = 0;     // Indentation of the current logical line.
  bool insideBrackets = false; // Lexing a bare expression: line ends are blanks.
  bool lineHasError = false;
  bool giveUp = false; // Nested too deeply: add no more tokens.
  LexError dropped;    // Where errors after the first of a line go.
};

/// True for characters that may start, or continue, an identifier. `p` points at the character;
/// `length` receives its size in bytes. Non-ASCII letters are recognised by exclusion of the
/// punctuation, symbol, space and private-use blocks; names are not normalised.
bool isIdentifierStart(const char *p, const char *end, unsigned &length);
bool isIdentifierContinue(const char *p, const char *end, unsigned &length);

/// Decodes the code point at `p` and gives its size in bytes; the text must be valid UTF-8.
uint32_t codePointAt(const char *p, const char *end, unsigned &length);

} // namespace tilec

#endif // TILEC_LIB_LANGUAGE_LEXRUN_H
