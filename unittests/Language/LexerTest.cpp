//===- LexerTest.cpp - Tokens, lines and indentation ------------*- C++ -*-===//
//
// Checks token kinds and texts for each form, how lines join, how indentation nests, and where
// lexical errors are put.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Lexer.h"

#include <gtest/gtest.h>

#include <string>

using namespace llvm;
using namespace tilec;

namespace {

/// Tokens as words: texts of tokens that have one, names in angle brackets for the rest.
std::string render(const TokenList &list) {
  std::string text;
  for (const Token &token : list.tokens) {
    if (!text.empty())
      text += ' ';
    switch (token.kind) {
    case TokenKind::EndOfFile:
      text += "<eof>";
      break;
    case TokenKind::Newline:
      text += "<nl>";
      break;
    case TokenKind::Indent:
      text += "<in>";
      break;
    case TokenKind::Dedent:
      text += "<out>";
      break;
    case TokenKind::Error:
      text += "<error:" + list.errors.at(token.error).message + ">";
      break;
    default:
      text += token.text().str();
    }
  }
  return text;
}

std::string statement(StringRef source) {
  Lexer lexer(source);
  TokenList tokens;
  lexer.lexStatement(lexer.begin(), tokens);
  return render(tokens);
}

std::string expression(StringRef source) {
  Lexer lexer(source);
  TokenList tokens;
  lexer.lexExpression(lexer.begin(), lexer.end(), tokens);
  return render(tokens);
}

TokenKind firstKind(StringRef source) {
  Lexer lexer(source);
  TokenList tokens;
  lexer.lexExpression(lexer.begin(), lexer.end(), tokens);
  return tokens.tokens.front().kind;
}

TEST(LexerTest, EveryOperatorIsOneToken) {
  for (unsigned k = static_cast<unsigned>(TokenKind::LParen);
       k <= static_cast<unsigned>(TokenKind::CaretEqual); ++k) {
    TokenKind kind = static_cast<TokenKind>(k);
    bool closes =
        kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
    if (closes) // A lone closing bracket is an error of its own.
      continue;
    EXPECT_EQ(firstKind(spelling(kind)), kind) << spelling(kind).str();
  }
}

TEST(LexerTest, EveryKeywordIsRecognised) {
  for (unsigned k = static_cast<unsigned>(TokenKind::KwFalse);
       k <= static_cast<unsigned>(TokenKind::KwYield); ++k) {
    TokenKind kind = static_cast<TokenKind>(k);
    EXPECT_EQ(firstKind(spelling(kind)), kind);
    EXPECT_EQ(firstKind(spelling(kind).str() + "_"), TokenKind::Name);
  }
}

TEST(LexerTest, OperatorsMatchLongest) {
  EXPECT_EQ(expression("a**=b//=c>>=d...e->f:=g<<h"),
            "a **= b //= c >>= d ... e -> f := g << h <eof>");
  EXPECT_EQ(expression("a<b<=c==d!=e"), "a < b <= c == d != e <eof>");
}

TEST(LexerTest, NumbersAreDelimited) {
  EXPECT_EQ(expression("0xFF_0 0o17 0b1 1_000 1. .5 1.5e-3 1e+9 2j 1e5j x.1"),
            "0xFF_0 0o17 0b1 1_000 1. .5 1.5e-3 1e+9 2j 1e5j x .1 <eof>");
  EXPECT_EQ(expression("1if x else 2"), "1 if x else 2 <eof>");
  EXPECT_EQ(expression("1abc 1.real"), "1abc 1.real <eof>");
}

TEST(LexerTest, NamesMayHoldUnicodeLetters) {
  EXPECT_EQ(expression("größe 変数 _x1 π2"), "größe 変数 _x1 π2 <eof>");
  EXPECT_EQ(expression("a，b"), "a <error:unexpected character '，'; use ','> b <eof>");
  EXPECT_EQ(expression("a\xC2\xA0"
                       "b"),
            "a <error:unexpected character U+00A0; use ' '> b <eof>");
  EXPECT_EQ(expression("a 😀"), "a <error:unexpected character '😀'> <eof>");
}

TEST(LexerTest, StringsWithEveryPrefix) {
  for (const char *prefix : {"", "r", "R", "u", "b", "f", "F", "br", "rb", "Rb", "fr", "rF", "t"}) {
    for (const char *quote : {"'", "\"", "'''", "\"\"\""}) {
      std::string literal = std::string(prefix) + quote + "x" + quote;
      EXPECT_EQ(expression(literal + "y"), literal + " y <eof>");
      EXPECT_EQ(firstKind(literal), TokenKind::String) << literal;
      std::string empty = std::string(prefix) + quote + quote;
      EXPECT_EQ(expression(empty + " y"), empty + " y <eof>");
    }
  }
  EXPECT_EQ(expression("ub'x'"), "ub 'x' <eof>"); // Not a prefix of Python 3.
}

TEST(LexerTest, QuotesInsideStrings) {
  EXPECT_EQ(expression(R"('a\'b' "c'd")"), R"('a\'b' "c'd" <eof>)");
  EXPECT_EQ(expression(R"(r'\' x')"), R"(r'\' x' <eof>)");
  EXPECT_EQ(expression("'''a'b''c\n'''"), "'''a'b''c\n''' <eof>");
  EXPECT_EQ(expression("'a\\\nb'"), "'a\\\nb' <eof>");
  EXPECT_EQ(expression("'a\\\r\nb' c"), "'a\\\r\nb' c <eof>");
}

TEST(LexerTest, FStringsEndWhereTheirFieldsAllow) {
  EXPECT_EQ(expression(R"(f"{a["b"]}" c)"), R"(f"{a["b"]}" c <eof>)");
  EXPECT_EQ(expression(R"(f"{x!r:>{w}}" c)"), R"(f"{x!r:>{w}}" c <eof>)");
  EXPECT_EQ(expression(R"(f"{{" c)"), R"(f"{{" c <eof>)");
  EXPECT_EQ(expression(R"(f"\N{BULLET}{f'{1}'}" c)"), R"(f"\N{BULLET}{f'{1}'}" c <eof>)");
  EXPECT_EQ(expression(R"(f"{x" c)"), "<error:expected '}' to close this replacement field> <eof>");
}

TEST(LexerTest, UnterminatedStrings) {
  EXPECT_EQ(statement("x = 'abc\ny = 1\n"), "x = <error:unterminated string> <nl> <eof>");
  EXPECT_EQ(statement("x = f('abc\ny = 1\n"), "x = f ( <error:unterminated string> <nl> <eof>");
  EXPECT_EQ(statement("x = '''abc\ny = 1\n"),
            "x = <error:unterminated triple-quoted string> <nl> <eof>");
}

TEST(LexerTest, OperatorsOfOtherLanguagesAreReplaced) {
  Lexer lexer("a && !b || c");
  TokenList tokens;
  lexer.lexExpression(lexer.begin(), lexer.end(), tokens);
  ASSERT_EQ(tokens.tokens.size(), 7u);
  EXPECT_EQ(tokens.tokens[1].kind, TokenKind::KwAnd);
  EXPECT_EQ(tokens.tokens[2].kind, TokenKind::KwNot);
  EXPECT_EQ(tokens.tokens[4].kind, TokenKind::KwOr);
  // One error for the line, which all three carry.
  ASSERT_EQ(tokens.errors.size(), 1u);
  EXPECT_EQ(tokens.errors[0].message, "expected 'and', found '&&'");
  EXPECT_EQ(tokens.errors[0].replacement, "and");
}

TEST(LexerTest, LineJoining) {
  EXPECT_EQ(statement("x = (1 + # c\n  2)\ny"), "x = ( 1 + 2 ) <nl> <eof>");
  EXPECT_EQ(statement("x = 1 + \\\n2\ny"), "x = 1 + 2 <nl> <eof>");
  EXPECT_EQ(statement("x = \\ 2\n"),
            "x = <error:unexpected character after the line continuation '\\'> 2 <nl> <eof>");
  EXPECT_EQ(statement("x = \\"), "x = <error:unexpected end of file after '\\'> <nl> <eof>");
}

TEST(LexerTest, AllLineEnds) {
  for (const char *eol : {"\n", "\r\n", "\r"}) {
    std::string source = std::string("if a:") + eol + eol + "  # c" + eol + "  b" + eol + "c" + eol;
    EXPECT_EQ(statement(source), "if a : <nl> <in> b <nl> <out> <eof>");
  }
}

TEST(LexerTest, StatementEndsAtItsIndentation) {
  EXPECT_EQ(statement("if a:\n  b\n    # deep\n\n  c\nd\n"),
            "if a : <nl> <in> b <nl> c <nl> <out> <eof>");
  EXPECT_EQ(statement("@d\n@e(1)\ndef f():\n  pass\nx\n"),
            "@ d <nl> @ e ( 1 ) <nl> def f ( ) : <nl> <in> pass <nl> <out> <eof>");
  EXPECT_EQ(statement("  a\n b\n"), "a <nl> <eof>");
}

TEST(LexerTest, IndentationErrors) {
  EXPECT_EQ(statement("if a:\n    b\n  c\n"),
            "if a : <nl> <in> b <nl> <error:unindent does not match any outer indentation level> c "
            "<nl> <out> <eof>");
  EXPECT_EQ(statement("if a:\n\tb\n        c\n"),
            "if a : <nl> <in> b <nl> <error:inconsistent use of tabs and spaces in indentation> c "
            "<nl> <out> <eof>");
  EXPECT_EQ(statement("if a:\n        b\n\tc\n"),
            "if a : <nl> <in> b <nl> <error:inconsistent use of tabs and spaces in indentation> c "
            "<nl> <out> <eof>");
  // Tabs alone, and tabs after equal tabs, are consistent; a form feed restarts the count.
  EXPECT_EQ(statement("if a:\n\tif b:\n\t  c\n"),
            "if a : <nl> <in> if b : <nl> <in> c <nl> <out> <out> <eof>");
  EXPECT_EQ(statement("if a:\n  b\n   \f  c\n"), "if a : <nl> <in> b <nl> c <nl> <out> <eof>");
}

TEST(LexerTest, DeepIndentation) {
  std::string source;
  for (unsigned i = 0; i < maxIndentDepth; ++i)
    source += std::string(i, ' ') + "if a:\n";
  std::string legal = source + std::string(maxIndentDepth, ' ') + "b\n";
  EXPECT_EQ(statement(legal).find("<error"), std::string::npos);
  std::string tooDeep = source + std::string(maxIndentDepth, ' ') + "if a:\n" +
                        std::string(maxIndentDepth + 1, ' ') + "b\n";
  EXPECT_NE(statement(tooDeep).find("<error:too many levels of indentation (limit 100)>"),
            std::string::npos);
}

TEST(LexerTest, UnclosedBracketEndsAtTheNextStatement) {
  const char *closed = "x = f ( a <error:expected ')' before the end of the statement> <nl> <eof>";
  // A name after an operand, not indented deeper.
  EXPECT_EQ(statement("x = f(a\ny = 1\n"), closed);
  // A keyword that only starts statements.
  EXPECT_EQ(statement("x = f(a\nreturn 1\n"), closed);
  // A decorator.
  EXPECT_EQ(statement("x = f(a\n@jit\ndef g(): pass\n"), closed);
  // A block header that looks like a comprehension.
  EXPECT_EQ(statement("x = f(a\nfor i in b:\n  c\n"), closed);
  // Nothing recognisable: resume at the next line of the same indentation after the end of file.
  EXPECT_EQ(statement("x = f(a,\n   b,\n+c\n"),
            "x = f ( a , b , <error:expected ')' before the end of the statement> <nl> <eof>");
}

TEST(LexerTest, BracketsThatDoContinue) {
  EXPECT_EQ(statement("x = f(a\n  for a in b\nif c)\n"), "x = f ( a for a in b if c ) <nl> <eof>");
  EXPECT_EQ(statement("x = f(\na=1,\nb=2)\n"), "x = f ( a = 1 , b = 2 ) <nl> <eof>");
  EXPECT_EQ(statement("x = ('a'\n'b'\nf'c')\n"), "x = ( 'a' 'b' f'c' ) <nl> <eof>");
}

TEST(LexerTest, MismatchedBrackets) {
  EXPECT_EQ(statement("x = (a]\n"),
            "x = ( a <error:closing ']' does not match opening '('> <error:closing ']' does not "
            "match opening '('> <nl> <eof>");
  EXPECT_EQ(statement("x = (a[1)\n"),
            "x = ( a [ 1 <error:closing ')' does not match opening '['> <nl> <eof>");
  EXPECT_EQ(statement("x = a)\n"), "x = a <error:unmatched ')'> <nl> <eof>");
}

TEST(LexerTest, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(statement("\xEF\xBB\xBFx = 1\n"), "x = 1 <nl> <eof>");
}

TEST(LexerTest, BinaryBytes) {
  EXPECT_EQ(findBinaryByte("x = 'ü'\n"), nullptr);
  EXPECT_EQ(findBinaryByte(""), nullptr);
  StringRef nul("ab\0c", 4);
  EXPECT_EQ(findBinaryByte(nul), nul.begin() + 2);
  StringRef invalid("ab\xFF\0c", 5);
  EXPECT_EQ(findBinaryByte(invalid), invalid.begin() + 2);
  StringRef cut("ab\xE6\xBC", 4);
  EXPECT_EQ(findBinaryByte(cut), cut.begin() + 2);
  StringRef surrogate("\xED\xA0\x80");
  EXPECT_EQ(findBinaryByte(surrogate), surrogate.begin());
}

TEST(LexerTest, NextLineSkipsBlanksAndComments) {
  Lexer lexer("\n  # c\n\t\n   x\n");
  std::optional<Lexer::Line> line = lexer.nextLine(lexer.begin());
  ASSERT_TRUE(line);
  EXPECT_EQ(*line->start, 'x');
  EXPECT_EQ(line->column, 3u);
  Lexer blank("  \n# c");
  EXPECT_FALSE(blank.nextLine(blank.begin()));
  Lexer empty("");
  EXPECT_FALSE(empty.nextLine(empty.begin()));
}

} // namespace
