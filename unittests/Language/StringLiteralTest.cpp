//===- StringLiteralTest.cpp - Strings and f-strings ------------*- C++ -*-===//
//
// Escapes, concatenation, and how f-strings are taken apart.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::ast;
using namespace tilec::test;

namespace {

std::string decoded(StringRef literal) {
  Source source(literal);
  Expr *expr = source.parseExpr();
  EXPECT_EQ(source.output(), "") << literal.str();
  return expr ? cast<Constant>(expr)->stringValue().str() : "<error>";
}

TEST(StringLiteralTest, SimpleEscapes) {
  EXPECT_EQ(decoded(R"('a\\b\'c\"d\n\t\r\a\b\f\v')"), "a\\b'c\"d\n\t\r\a\b\f\v");
  EXPECT_EQ(decoded("'a\\\nb'"), "ab");
  EXPECT_EQ(decoded("'a\\\r\nb'"), "ab");
  EXPECT_EQ(decoded("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(decoded("''"), "");
  EXPECT_EQ(decoded("'' \"\""), "");
}

TEST(StringLiteralTest, NumericEscapes) {
  EXPECT_EQ(decoded(R"('\x41\101\u00e9\U0001F600')"), "AA\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(decoded(R"('\1018')"), "A8");
  EXPECT_EQ(decoded(R"('\0a')"), std::string("\0a", 2));
  EXPECT_EQ(decoded(R"('\xff')"), "\xC3\xBF");
  EXPECT_EQ(decoded(R"('\N{GREEK SMALL LETTER PI}\N{BULLET}')"), "\xCF\x80\xE2\x80\xA2");
}

TEST(StringLiteralTest, RawStringsKeepBackslashes) {
  EXPECT_EQ(decoded(R"(r'\n\x\'')"), R"(\n\x\')");
  EXPECT_EQ(decoded(R"(R"\N{x}" '\t')"), "\\N{x}\t");
}

TEST(StringLiteralTest, UnicodeText) { EXPECT_EQ(decoded("'漢字 ü'"), "漢字 ü"); }

TEST(StringLiteralTest, BadEscapes) {
  EXPECT_EQ(prefixForm(R"('\x4')"), "1:2: error: expected 2 hexadecimal digits after '\\x'\n");
  EXPECT_EQ(prefixForm(R"('ab\u12g4')"), "1:4: error: expected 4 hexadecimal digits after '\\u'\n");
  EXPECT_EQ(prefixForm(R"('\U00110000')"),
            "1:2: error: escape is no Unicode character: U+110000\n");
  EXPECT_EQ(prefixForm(R"('\ud800')"), "1:2: error: escape is no Unicode character: U+D800\n");
  EXPECT_EQ(prefixForm(R"('\N{NO SUCH NAME}')"),
            "1:2: error: unknown Unicode character name 'NO SUCH NAME'\n");
  EXPECT_EQ(prefixForm(R"('\N')"), "1:2: error: expected '{name}' after '\\N'\n");
}

TEST(StringLiteralTest, UnknownEscapeIsAWarning) {
  Source source(R"('\d')");
  Expr *expr = source.parseExpr();
  ASSERT_NE(expr, nullptr);
  EXPECT_EQ(cast<Constant>(expr)->stringValue(), "\\d");
  EXPECT_EQ(source.messages(), "1:2: warning: unknown escape sequence '\\d'\n");
  EXPECT_EQ(source.engine.warningCount(), 1u);
  EXPECT_FALSE(source.engine.hasErrors());
}

TEST(StringLiteralTest, BytesAndTextDoNotMix) {
  EXPECT_EQ(prefixForm("b'a' 'b'"), "1:6: error: cannot join bytes and text literals\n");
}

TEST(FStringTest, Parts) {
  EXPECT_EQ(prefixForm("f''"), "(f)");
  EXPECT_EQ(prefixForm("f'a'"), "(f 'a')");
  EXPECT_EQ(prefixForm("f'a{x}b{y + 1}'"), "(f 'a' {x} 'b' {(+ y 1)})");
  EXPECT_EQ(prefixForm("f'{x!r}{y!s:>10}{z:.{p}f}'"),
            "(f {x!r} {y!s:(f '>10')} {z:(f '.' {p} 'f')})");
  EXPECT_EQ(prefixForm("'a' f'{x}' 'b' f'c' rf'\\n{y}'"), "(f 'a' {x} 'bc\\n' {y})");
  EXPECT_EQ(prefixForm("f'{{{x}}}'"), "(f '{' {x} '}')");
  EXPECT_EQ(prefixForm(R"(f'\x41\N{BULLET}{x}\{y}')"), "(f 'A\xE2\x80\xA2' {x} '\\' {y})");
}

TEST(FStringTest, SelfDocumentingFields) {
  EXPECT_EQ(prefixForm("f'{x=}'"), "(f 'x=' {x!r})");
  EXPECT_EQ(prefixForm("f'a { x + 1 = !s}'"), "(f 'a  x + 1 = ' {(+ x 1)!s})");
  EXPECT_EQ(prefixForm("f'{x=:>4}'"), "(f 'x=' {x:(f '>4')})");
}

TEST(FStringTest, ExpressionsWithTrickyCharacters) {
  EXPECT_EQ(prefixForm("f'{a == b}{a != b}{a <= b}'"),
            "(f {(cmp a == b)} {(cmp a != b)} {(cmp a <= b)})");
  EXPECT_EQ(prefixForm("f'{f(a=1)}{d[\"k\"]}{x[1:2]}'"),
            "(f {(call f a=1)} {(sub d 'k')} {(sub x (slice 1 2 _))})");
  EXPECT_EQ(prefixForm("f'{(lambda a: a)(1)}{(a := 1)}'"),
            "(f {(call (lambda (a) a) 1)} {(:= a 1)})");
  EXPECT_EQ(prefixForm("f'{a,}{*b, c}'"), "(f {(tuple a)} {(tuple (* b) c)})");
  EXPECT_EQ(prefixForm("f\"{f\"{'}'}\"}\""), "(f {(f {'}'})})");
  EXPECT_EQ(prefixForm("f'''{\nx # comment\n}'''"), "(f {x})");
  EXPECT_EQ(prefixForm("f'{yield}'"), "(f {<'yield'>})");
}

TEST(FStringTest, PlacesPointIntoTheLiteral) {
  Source source("f'ab{ xy + 1}'");
  auto *joined = cast<JoinedStr>(source.parseExpr());
  Expr *value = joined->parts[1].value;
  const char *begin = source.sourceMgr.getMemoryBuffer(source.bufferId)->getBufferStart();
  EXPECT_EQ(value->loc().getPointer() - begin, 6);
  EXPECT_EQ(std::string(value->range().Start.getPointer(), value->range().End.getPointer()),
            "xy + 1");
}

TEST(FStringTest, Errors) {
  EXPECT_EQ(prefixForm("f'{}'"), "1:3: error: expected an expression in the replacement field\n");
  EXPECT_EQ(prefixForm("f'{ !r}'"),
            "1:3: error: expected an expression in the replacement field\n");
  EXPECT_EQ(prefixForm("f'a}b'"), "1:4: error: single '}' in an f-string; write '}}'\n");
  EXPECT_EQ(prefixForm("f'{x'"), "1:3: error: expected '}' to close this replacement field\n");
  EXPECT_EQ(prefixForm("f'{x!z}'"),
            "1:5: error: expected 'r', 's' or 'a' after '!' in an f-string\n");
  EXPECT_EQ(prefixForm("f'{x +}'"), "1:7: error: expected an expression, found end of file\n");
  EXPECT_EQ(prefixForm("f'{x y}'"), "1:6: error: expected '}', found 'y'\n");
  EXPECT_EQ(prefixForm("f'{x:{}}'"),
            "1:6: error: expected an expression in the replacement field\n");
  EXPECT_EQ(prefixForm("f'{a[1}'"), "1:3: error: expected '}' to close this replacement field\n");
  EXPECT_EQ(prefixForm("f'{x"), "1:3: error: expected '}' to close this replacement field\n");
  EXPECT_EQ(prefixForm("f'{x:a"), "1:3: error: expected '}' to close this replacement field\n");
}

} // namespace
