//===- ExpressionTest.cpp - Grammar of expressions --------------*- C++ -*-===//
//
// Precedence and associativity, every node kind, ranges, and numbers.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace llvm;
using namespace tilec;
using namespace tilec::ast;
using namespace tilec::test;

namespace {

TEST(ExpressionTest, BinaryPrecedence) {
  EXPECT_EQ(prefixForm("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(prefixForm("a * b + c"), "(+ (* a b) c)");
  EXPECT_EQ(prefixForm("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(prefixForm("a / b // c % d @ e"), "(@ (% (// (/ a b) c) d) e)");
  EXPECT_EQ(prefixForm("a | b ^ c & d << e + f"), "(| a (^ b (& c (<< d (+ e f)))))");
  EXPECT_EQ(prefixForm("a >> b << c"), "(<< (>> a b) c)");
  EXPECT_EQ(prefixForm("(a + b) * c"), "(* (+ a b) c)");
}

TEST(ExpressionTest, UnaryAndPower) {
  EXPECT_EQ(prefixForm("-a ** b"), "(- (** a b))");
  EXPECT_EQ(prefixForm("a ** -b"), "(** a (- b))");
  EXPECT_EQ(prefixForm("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(prefixForm("-a.b(c)[d]"), "(- (sub (call a.b c) d))");
  EXPECT_EQ(prefixForm("-+~a"), "(- (+ (~ a)))");
  EXPECT_EQ(prefixForm("-a * b"), "(* (- a) b)");
  EXPECT_EQ(prefixForm("-1"), "(- 1)");
}

TEST(ExpressionTest, Comparisons) {
  EXPECT_EQ(prefixForm("a < b"), "(cmp a < b)");
  EXPECT_EQ(prefixForm("a < b <= c != d"), "(cmp a < b <= c != d)");
  EXPECT_EQ(prefixForm("a is not b"), "(cmp a is not b)");
  EXPECT_EQ(prefixForm("a is (not b)"), "(cmp a is (not b))");
  EXPECT_EQ(prefixForm("a not in b"), "(cmp a not in b)");
  EXPECT_EQ(prefixForm("a in b is c == d >= e > f"), "(cmp a in b is c == d >= e > f)");
  EXPECT_EQ(prefixForm("a | b == c"), "(cmp (| a b) == c)");
}

TEST(ExpressionTest, BooleanOperators) {
  EXPECT_EQ(prefixForm("a or b and not c"), "(or a (and b (not c)))");
  EXPECT_EQ(prefixForm("a and b and c or d"), "(or (and a b c) d)");
  EXPECT_EQ(prefixForm("not a == b"), "(not (cmp a == b))");
  EXPECT_EQ(prefixForm("not not a"), "(not (not a))");
  EXPECT_EQ(prefixForm("a and (b and c)"), "(and a (and b c))");
}

TEST(ExpressionTest, ConditionalAndLambda) {
  EXPECT_EQ(prefixForm("a if b else c if d else e"), "(if b a (if d c e))");
  EXPECT_EQ(prefixForm("a or b if c else d"), "(if c (or a b) d)");
  EXPECT_EQ(prefixForm("lambda: 1"), "(lambda () 1)");
  EXPECT_EQ(prefixForm("lambda a, b=2, *c, d=3, **e: a if b else c"),
            "(lambda (a b=2 *c kw:d=3 **e) (if b a c))");
  EXPECT_EQ(prefixForm("lambda a, /, b, *, c: a"), "(lambda (/a b kw:c) a)");
}

TEST(ExpressionTest, Constants) {
  EXPECT_EQ(prefixForm("(True, False, None, ...)"), "(tuple True False None ...)");
  EXPECT_EQ(prefixForm("1.5"), "1.500000f");
  EXPECT_EQ(prefixForm("'a' \"b\" 'c'"), "'abc'");
}

TEST(ExpressionTest, TuplesAndLists) {
  EXPECT_EQ(prefixForm("()"), "(tuple)");
  EXPECT_EQ(prefixForm("(a)"), "a");
  EXPECT_EQ(prefixForm("(a,)"), "(tuple a)");
  EXPECT_EQ(prefixForm("a, b"), "(tuple a b)");
  EXPECT_EQ(prefixForm("a, b,"), "(tuple a b)");
  EXPECT_EQ(prefixForm("a, *b"), "(tuple a (* b))");
  EXPECT_EQ(prefixForm("[]"), "(list)");
  EXPECT_EQ(prefixForm("[a, *b,]"), "(list a (* b))");
}

TEST(ExpressionTest, ListComprehensions) {
  EXPECT_EQ(prefixForm("[f(x) for x in t]"), "(listcomp (call f x) for x in t)");
  EXPECT_EQ(prefixForm("[x for a, (b, *c) in t if a if b for x in a]"),
            "(listcomp x for (tuple a (tuple b (* c))) in t if a if b for x in a)");
  EXPECT_EQ(prefixForm("[x for x, in t]"), "(listcomp x for (tuple x) in t)");
  EXPECT_EQ(prefixForm("[x async for x in t]"), "(listcomp x async-for x in t)");
}

TEST(ExpressionTest, Calls) {
  EXPECT_EQ(prefixForm("f()"), "(call f)");
  EXPECT_EQ(prefixForm("f(a, *b, c=1, *d, **e,)"), "(call f a (* b) (* d) c=1 **e)");
  EXPECT_EQ(prefixForm("f(a)(b).c"), "(call (call f a) b).c");
  EXPECT_EQ(prefixForm("f(x for x in y)"), "(call f (genexp x for x in y))");
  EXPECT_EQ(prefixForm("f(a := 1)"), "(call f (:= a 1))");
  EXPECT_EQ(prefixForm("f(*a or b)"), "(call f (* (or a b)))");
}

TEST(ExpressionTest, Subscripts) {
  EXPECT_EQ(prefixForm("a[b]"), "(sub a b)");
  EXPECT_EQ(prefixForm("a[:, None]"), "(sub a (tuple (slice _ _ _) None))");
  EXPECT_EQ(prefixForm("a[1:2:3]"), "(sub a (slice 1 2 3))");
  EXPECT_EQ(prefixForm("a[::2, b:, :c]"),
            "(sub a (tuple (slice _ _ 2) (slice b _ _) (slice _ c _)))");
  EXPECT_EQ(prefixForm("a[b,]"), "(sub a (tuple b))");
  EXPECT_EQ(prefixForm("a[*b]"), "(sub a (tuple (* b)))");
  EXPECT_EQ(prefixForm("a[...]"), "(sub a ...)");
}

TEST(ExpressionTest, Dictionaries) {
  EXPECT_EQ(prefixForm("{}"), "(dict)");
  EXPECT_EQ(prefixForm("{'a': 1, **b, c: d + 1,}"), "(dict 'a':1 **b c:(+ d 1))");
}

TEST(ExpressionTest, Generators) {
  EXPECT_EQ(prefixForm("(a for a in c)"), "(genexp a for a in c)");
}

TEST(ExpressionTest, UnsupportedForms) {
  EXPECT_EQ(prefixForm("{a, *b}"), "(set a (* b))");
  EXPECT_EQ(prefixForm("{a: b for a in c}"), "(dictcomp a:b for a in c)");
  EXPECT_EQ(prefixForm("{a for a in c}"), "<a set comprehension>");
  EXPECT_EQ(prefixForm("(a := b)"), "(:= a b)");
  EXPECT_EQ(prefixForm("await a"), "<'await'>");
  EXPECT_EQ(prefixForm("(yield a)"), "<'yield'>");
  EXPECT_EQ(prefixForm("(yield from a)"), "<'yield'>");
  EXPECT_EQ(prefixForm("b'x' b'y'"), "<a bytes literal>");
  EXPECT_EQ(prefixForm("t'{x}'"), "<a template string>");
}

//===----------------------------------------------------------------------===//
// Ranges and depth
//===----------------------------------------------------------------------===//

std::string textOf(const Expr *expr) {
  const char *begin = expr->range().Start.getPointer();
  return std::string(begin, expr->range().End.getPointer());
}

TEST(ExpressionTest, RangesCoverTheText) {
  Source source("  (a + b) * f(c, d=[e])[1:2]  # x");
  auto *product = cast<BinOp>(source.parseExpr());
  EXPECT_EQ(textOf(product), "(a + b) * f(c, d=[e])[1:2]");
  EXPECT_EQ(textOf(product->left), "a + b");
  auto *subscript = cast<Subscript>(product->right);
  EXPECT_EQ(textOf(subscript), "f(c, d=[e])[1:2]");
  EXPECT_EQ(textOf(subscript->index), "1:2");
  auto *call = cast<Call>(subscript->value);
  EXPECT_EQ(textOf(call), "f(c, d=[e])");
  EXPECT_EQ(textOf(call->keywords[0].value), "[e]");
  EXPECT_EQ(call->keywords[0].name, "d");
  EXPECT_EQ(*product->opRange.Start.getPointer(), '*');
  EXPECT_TRUE(isa<Tuple>(Source("(a, b)").parseExpr()));
}

TEST(ExpressionTest, DepthIsTheHeightOfTheTree) {
  EXPECT_EQ(Source("a").parseExpr()->depth(), 1u);
  EXPECT_EQ(Source("a + b").parseExpr()->depth(), 2u);
  EXPECT_EQ(Source("f(a, x=[b + c])").parseExpr()->depth(), 4u);
  EXPECT_EQ(Source("f'{a + b}'").parseExpr()->depth(), 3u);
  EXPECT_EQ(Source("a < b + c").parseExpr()->depth(), 3u);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(NumberTest, Integers) {
  EXPECT_EQ(prefixForm("0"), "0");
  EXPECT_EQ(prefixForm("00_0"), "0");
  EXPECT_EQ(prefixForm("1_000_000"), "1000000");
  EXPECT_EQ(prefixForm("0xdead_BEEF"), "3735928559");
  EXPECT_EQ(prefixForm("0X_f"), "15");
  EXPECT_EQ(prefixForm("0o17"), "15");
  EXPECT_EQ(prefixForm("0B101"), "5");
  EXPECT_EQ(prefixForm("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(prefixForm("0x" + std::string(40, 'f')),
            "1461501637330902918203684832716283019655932542975");
}

TEST(NumberTest, IntegerWidths) {
  auto width = [](StringRef text) {
    Source source(text);
    return cast<Constant>(source.parseExpr())->intValue().getBitWidth();
  };
  EXPECT_EQ(width("0"), 2u);
  EXPECT_EQ(width("1"), 2u);
  EXPECT_EQ(width("2"), 3u);
  EXPECT_EQ(width("2147483647"), 32u);
  EXPECT_EQ(width("2147483648"), 33u);
  EXPECT_EQ(width("0xffffffffffffffff"), 65u);
}

TEST(NumberTest, Floats) {
  auto value = [](StringRef text) {
    Source source(text);
    return cast<Constant>(source.parseExpr())->floatValue();
  };
  EXPECT_EQ(value("1."), 1.0);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1e3"), 1000.0);
  EXPECT_EQ(value("1_0.2_5E-1_0"), 10.25e-10);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("09.5"), 9.5);
  EXPECT_EQ(value("5e-324"), 5e-324);
  EXPECT_EQ(value("1e-400"), 0.0);
  EXPECT_TRUE(std::isinf(value("1e400")));
  EXPECT_TRUE(std::isinf(value("1e99999999999999999999")));
  EXPECT_EQ(value("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(value("0." + std::string(4000, '3')), 1.0 / 3);
}

TEST(NumberTest, Errors) {
  EXPECT_EQ(prefixForm("012"), "1:1: error: leading zeros in an integer literal are not permitted; "
                               "octal numbers start with '0o'\n");
  EXPECT_EQ(prefixForm("1__0"), "1:1: error: invalid decimal literal '1__0'\n");
  EXPECT_EQ(prefixForm("1_"), "1:1: error: invalid decimal literal '1_'\n");
  EXPECT_EQ(prefixForm("1_.5"), "1:1: error: invalid decimal literal '1_.5'\n");
  EXPECT_EQ(prefixForm("1_e5"), "1:1: error: invalid decimal literal '1_e5'\n");
  EXPECT_EQ(prefixForm("1e_5"), "1:1: error: invalid decimal literal '1e_5'\n");
  EXPECT_EQ(prefixForm("1abc"), "1:1: error: invalid decimal literal '1abc'\n");
  EXPECT_EQ(prefixForm("1.real"), "1:1: error: invalid decimal literal '1.real'\n");
  EXPECT_EQ(prefixForm("1e"), "1:1: error: invalid decimal literal '1e'\n");
  EXPECT_EQ(prefixForm("0x"), "1:1: error: invalid hexadecimal literal '0x'\n");
  EXPECT_EQ(prefixForm("0xg"), "1:1: error: invalid hexadecimal literal '0xg'\n");
  EXPECT_EQ(prefixForm("0o8"), "1:1: error: invalid octal literal '0o8'\n");
  EXPECT_EQ(prefixForm("0b12"), "1:1: error: invalid binary literal '0b12'\n");
  EXPECT_EQ(prefixForm("x + 2j"), "(+ x <an imaginary literal>)");
}

TEST(NumberTest, DigitLimit) {
  std::string most(4300, '9');
  EXPECT_EQ(prefixForm(most), most);
  EXPECT_EQ(prefixForm(most + "9"), "1:1: error: integer literal has more than 4300 digits\n");
  EXPECT_EQ(prefixForm("0x" + most + "9"),
            "1:1: error: integer literal has more than 4300 digits\n");
  EXPECT_EQ(prefixForm(most + ".0"), "1:1: error: float literal has more than 4300 characters\n");
}

} // namespace
