//===- SyntaxTest.cpp - Names and scopes ------------------------*- C++ -*-===//

#include "Syntax.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

/// The text with each name that is the same as the one at `^` in brackets; empty if there is none.
static std::string mark(StringRef marked) {
  auto [before, after] = marked.split('^');
  std::string text = (before + after).str();
  Syntax syntax(text);
  std::optional<size_t> token = syntax.nameAt(before.size());
  std::optional<unsigned> scope = token ? syntax.scopeOf(*token) : std::nullopt;
  if (!scope)
    return "";
  std::string name = syntax.textOf(syntax.tokens()[*token]).str(), result;
  size_t at = 0;
  for (size_t index : syntax.occurrences(*scope, name)) {
    const NameToken &found = syntax.tokens()[index];
    result += text.substr(at, found.begin - at) + "[" + name + "]";
    at = found.end;
  }
  return result + text.substr(at);
}

TEST(SyntaxTest, ParametersAndKeywords) {
  EXPECT_EQ(mark("def f(^x, y=x): return x + g(x=x)\nf(x=1, y=x)\nf[x](a, x=2)\nx = 3\n"),
            "def f([x], y=x): return [x] + g(x=[x])\nf([x]=1, y=x)\nf[x](a, [x]=2)\nx = 3\n");
}

TEST(SyntaxTest, LocalAndGlobalNames) {
  EXPECT_EQ(mark("^x = 1\ndef f():\n    x = 2\ndef g():\n    return x\ndef h():\n    global x\n"
                 "    x = 3\n"),
            "[x] = 1\ndef f():\n    x = 2\ndef g():\n    return [x]\ndef h():\n    global [x]\n"
            "    [x] = 3\n");
}

TEST(SyntaxTest, WhatBinds) {
  for (StringRef binding :
       {"^x = 1", "^x: int = 1", "^x += 1", "a, (b, ^x) = c", "a = ^x = 1", "for a, ^x in b: pass",
        "with a as ^x: pass", "z(^x := 1)", "from a import b as ^x", "import a.b as ^x",
        "import ^x.b", "[*^x] = a", "def ^x(): pass", "class ^x: pass", "if a: ^x = 1", "a; ^x = 1",
        "x[x] = 1; ^x = 2"})
    EXPECT_NE(mark(("def f():\n    " + binding + "\n    x\n").str()).find("    [x]\n"),
              std::string::npos)
        << binding.str();
  for (StringRef other : {"^x.a = 1", "a[^x] = 1", "f(^x)[0] = 1", "f(^x=1)", "a.^x = 1", "^x == 1",
                          "y: ^x = 1", "from ^x import a", "import a.^x", "from a import ^x as b"})
    EXPECT_EQ(mark(("def f():\n    " + other + "\n").str()), "") << other.str();
}

TEST(SyntaxTest, ComprehensionsAndLambdas) {
  EXPECT_EQ(mark("x = 1\ny = [(x, z) for ^x, z in x if x for y in x]\n"),
            "x = 1\ny = [([x], z) for [x], z in x if [x] for y in [x]]\n");
  EXPECT_EQ(mark("^x = 1\ny = f(x for x in g(x))\n"), "[x] = 1\ny = f(x for x in g([x]))\n");
  EXPECT_EQ(mark("y = {x: [x for z in x] for ^x in a}\n"),
            "y = {[x]: [[x] for z in [x]] for [x] in a}\n");
  EXPECT_EQ(mark("x = 1\ny = g(lambda ^x, *z, w=x: x + z, x)\n"),
            "x = 1\ny = g(lambda [x], *z, w=x: [x] + z, x)\n");
  EXPECT_EQ(mark("^x = 1\ny = lambda z, x=x: (lambda: x)()\n"),
            "[x] = 1\ny = lambda z, x=[x]: (lambda: x)()\n");
  EXPECT_EQ(mark("def f(a):\n    b = [(^x := c) for c in a]\n    return x\n"),
            "def f(a):\n    b = [([x] := c) for c in a]\n    return [x]\n");
}

TEST(SyntaxTest, NamesInFormattedStrings) {
  EXPECT_EQ(mark("def f(^x, w):\n    return f'{x:{w}} {{x}} {x!r}' + 'x' + f\"{g(x=x)}\"\n"),
            "def f([x], w):\n    return f'{[x]:{w}} {{x}} {[x]!r}' + 'x' + f\"{g(x=[x])}\"\n");
  EXPECT_EQ(mark("def f(x, ^w):\n    return f'{x:{w}}'\n"),
            "def f(x, [w]):\n    return f'{x:{[w]}}'\n");
}

TEST(SyntaxTest, Classes) {
  EXPECT_EQ(mark("^x = 1\nclass C:\n    x = 2\n    y = x\n    def f(self):\n        return x\n"),
            "[x] = 1\nclass C:\n    x = 2\n    y = x\n    def f(self):\n        return [x]\n");
}

TEST(SyntaxTest, ScopesOfPlaces) {
  std::string text = "def f(a):\n    b = a\n\n    \n\nc = 1\n";
  Syntax syntax(text);
  ASSERT_EQ(syntax.scopes().size(), 2u);
  EXPECT_EQ(syntax.scopeAt(text.find("b =")), 1u);
  EXPECT_EQ(syntax.scopeAt(text.find("    \n") + 4), 1u); // An indented line behind the body.
  EXPECT_EQ(syntax.scopeAt(text.find("c =")), 0u);
  EXPECT_EQ(syntax.scopeAt(text.size()), 0u);
}

TEST(SyntaxTest, BrokenText) {
  for (StringRef text : {"",
                         "def",
                         "def f",
                         "def f(",
                         "def f(x",
                         "class",
                         "import",
                         "from",
                         "from . import (",
                         "for",
                         "lambda",
                         "x[",
                         "f(a=",
                         "f'{",
                         "f'{x",
                         "f'{x:{",
                         "'''",
                         "\t\tx",
                         ")",
                         "global",
                         "a = = b",
                         "with as",
                         "\\",
                         "x = 1 if",
                         "async",
                         "async def",
                         "def f(*, **): x",
                         "lambda *a, b=c",
                         "{[(",
                         "f'{x!'",
                         "@",
                         "def f(a, a): a"}) {
    Syntax syntax(text);
    for (size_t i = 0; i <= text.size(); ++i) {
      syntax.scopeAt(i);
      if (std::optional<size_t> token = syntax.nameAt(i)) {
        syntax.scopeOf(*token);
        syntax.chainOf(*token);
        syntax.definitionOf(*token);
      }
    }
  }
  // Long ones take no time that grows with the square of their length, and no stack.
  for (StringRef piece :
       {"for ",   "a = ",      "lambda: ",     "lambda a=",  "else; ",       "a, ",
        "(",      "f(a=",      "[a for a in ", "x.",         "f'{",          "def f(a): ",
        "class ", "import a.", "a;",           "if a: ",     "f(a=1)[0]",    "{a: b, ",
        "@",      "a\n",       "def f():\n",   " if for in", "a: b = ",      "x[0](a=1, ",
        "as ",    "*",         "not ",         "\"\"\"",     "f'{x!r:{y}}' "}) {
    std::string text;
    for (unsigned i = 0; i < 20000; ++i)
      text += piece;
    Syntax syntax(text);
    if (std::optional<size_t> token = syntax.nameAt(text.size() - 2))
      syntax.chainOf(*token);
    Syntax("def f(" + text + "):\n    pass\n");
    Syntax("a = [" + text + "]\n");
  }
  EXPECT_TRUE(Syntax(StringRef("a\0b", 3)).tokens().empty());
  EXPECT_TRUE(Syntax("\xff").tokens().empty());
}
