//===- StatementTest.cpp - Grammar of statements ----------------*- C++ -*-===//
//
// Every statement kind inside a kernel, as the printed tree.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::ast;
using namespace tilec::test;

namespace {

TEST(StatementTest, Assignments) {
  EXPECT_EQ(kernelTree("    a = 1\n"
                       "    a = b = 2\n"
                       "    a, b = c\n"
                       "    x[0] = y.z = 3\n"
                       "    *a, b = c\n"),
            "Assign 3:5\n  Name a 3:5\n  Constant int 1 3:9\n"
            "Assign 4:5\n  Name a 4:5\n  Name b 4:9\n  Constant int 2 4:13\n"
            "Assign 5:5\n  Tuple 5:5\n    Name a 5:5\n    Name b 5:8\n  Name c 5:12\n"
            "Assign 6:5\n  Subscript 6:5\n    Name x 6:5\n    Constant int 0 6:7\n"
            "  Attribute .z 6:12\n    Name y 6:12\n  Constant int 3 6:18\n"
            "Assign 7:5\n  Tuple 7:5\n    Starred 7:5\n      Name a 7:6\n    Name b 7:9\n"
            "  Name c 7:13\n");
}

TEST(StatementTest, AnnotatedAssignments) {
  EXPECT_EQ(kernelTree("    a: tl.constexpr = 1\n"
                       "    b: int\n"),
            "AnnAssign 3:5\n  Name a 3:5\n  Attribute .constexpr 3:8\n    Name tl 3:8\n"
            "  Constant int 1 3:23\n"
            "AnnAssign 4:5\n  Name b 4:5\n  Name int 4:8\n");
}

TEST(StatementTest, EveryAugmentedAssignment) {
  const char *ops[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
  for (const char *op : ops) {
    std::string text = op;
    std::string column = std::to_string(5 + 2 + text.size() + 1 + 1);
    EXPECT_EQ(kernelTree("    a " + text + "= b\n"),
              "AugAssign " + text + "= 3:5\n  Name a 3:5\n  Name b 3:" + column + "\n");
  }
}

TEST(StatementTest, SimpleStatements) {
  EXPECT_EQ(kernelTree("    \"\"\"doc\"\"\"\n"
                       "    pass; f(x)\n"
                       "    assert a\n"
                       "    assert a, 'b';\n"
                       "    return\n"
                       "    return a, b\n"),
            "ExprStmt 3:5\n  Constant str \"doc\" 3:5\n"
            "Pass 4:5\n"
            "ExprStmt 4:11\n  Call 4:11\n    Name f 4:11\n    Name x 4:13\n"
            "Assert 5:5\n  Name a 5:12\n"
            "Assert 6:5\n  Name a 6:12\n  Constant str \"b\" 6:15\n"
            "Return 7:5\n"
            "Return 8:5\n  Tuple 8:12\n    Name a 8:12\n    Name b 8:15\n");
}

TEST(StatementTest, IfElifElse) {
  EXPECT_EQ(kernelTree("    if a:\n"
                       "        pass\n"
                       "    elif b: pass\n"
                       "    else:\n"
                       "        pass\n"),
            "If 3:5\n  Name a 3:8\n  then\n    Pass 4:9\n"
            "  else\n    If 5:5\n      Name b 5:10\n      then\n        Pass 5:13\n"
            "      else\n        Pass 7:9\n");
}

TEST(StatementTest, TwoIfsAreNotAnElseIf) {
  EXPECT_EQ(kernelTree("    if a:\n"
                       "        pass\n"
                       "    if b:\n"
                       "        pass\n"),
            "If 3:5\n  Name a 3:8\n  then\n    Pass 4:9\n"
            "If 5:5\n  Name b 5:8\n  then\n    Pass 6:9\n");
}

TEST(StatementTest, Loops) {
  EXPECT_EQ(kernelTree("    for i in range(n):\n"
                       "        continue\n"
                       "    else:\n"
                       "        pass\n"
                       "    while a: break\n"),
            "For 3:5\n  Name i 3:9\n  Call 3:14\n    Name range 3:14\n    Name n 3:20\n"
            "  body\n    Continue 4:9\n  else\n    Pass 6:9\n"
            "While 7:5\n  Name a 7:11\n  body\n    Break 7:14\n");
}

TEST(StatementTest, With) {
  const char *tree = "With 3:5\n  Name a 3:10\n  as\n    Name b 3:15\n  Name c 3:18\n"
                     "  body\n    Pass 3:21\n";
  EXPECT_EQ(kernelTree("    with a as b, c: pass\n"), tree);
  EXPECT_EQ(kernelTree("    with (a as b, c,): pass\n"),
            "With 3:5\n  Name a 3:11\n  as\n    Name b 3:16\n  Name c 3:19\n"
            "  body\n    Pass 3:24\n");
  // Parentheses around one item are an expression's.
  EXPECT_EQ(kernelTree("    with (a): pass\n"), "With 3:5\n  Name a 3:11\n  body\n    Pass 3:15\n");
  EXPECT_EQ(kernelTree("    with (a, b).c: pass\n"),
            "With 3:5\n  Attribute .c 3:10\n    Tuple 3:10\n      Name a 3:11\n      Name b 3:14\n"
            "  body\n    Pass 3:20\n");
}

TEST(StatementTest, Imports) {
  EXPECT_EQ(kernelTree("    import a.b as c, d\n"
                       "    from ..e import (f as g, h,)\n"
                       "    from . import *\n"),
            "Import 3:5\n  name a.b as c 3:12\n  name d 3:22\n"
            "ImportFrom ..e 4:5\n  name f as g 4:22\n  name h 4:30\n"
            "ImportFrom . 5:5\n  name * 5:19\n");
}

TEST(StatementTest, NestedFunctions) {
  EXPECT_EQ(kernelTree("    @d\n"
                       "    def g(a, b: int = 1) -> c:\n"
                       "        return a\n"),
            "FunctionDef g 4:5\n  decorator\n    Name d 3:6\n  param a 4:11\n"
            "  param b 4:14\n    annotation\n      Name int 4:17\n    default\n"
            "      Constant int 1 4:23\n  returns\n    Name c 4:29\n  body\n"
            "    Return 5:9\n      Name a 5:16\n");
}

TEST(StatementTest, ParameterKinds) {
  Source source("@triton.jit\ndef k(a, /, b, *c, d, **e): pass\n");
  FunctionDef *k = source.parse()->findFunction("k");
  ASSERT_NE(k, nullptr);
  ASSERT_EQ(k->params.size(), 5u);
  EXPECT_EQ(k->params[0].kind, Param::Kind::PositionalOnly);
  EXPECT_EQ(k->params[1].kind, Param::Kind::Regular);
  EXPECT_EQ(k->params[2].kind, Param::Kind::VarArgs);
  EXPECT_EQ(k->params[3].kind, Param::Kind::KeywordOnly);
  EXPECT_EQ(k->params[4].kind, Param::Kind::VarKeywords);
}

TEST(StatementTest, UnsupportedStatementsAreSkipped) {
  EXPECT_EQ(kernelTree("    try:\n"
                       "        x = 1\n"
                       "    except E as e:\n"
                       "        pass\n"
                       "    else:\n"
                       "        pass\n"
                       "    finally:\n"
                       "        pass\n"
                       "    raise E from e; pass\n"
                       "    class C(B):\n"
                       "        def f(self): pass\n"
                       "    global a\n"
                       "    nonlocal b\n"
                       "    del c[0], d\n"
                       "    async def f(): pass\n"
                       "    match a:\n"
                       "        case 1: pass\n"
                       "    type A = int\n"),
            "UnsupportedStmt 'try' 3:5\n"
            "UnsupportedStmt 'raise' 11:5\n"
            "Pass 11:21\n"
            "UnsupportedStmt a class 12:5\n"
            "UnsupportedStmt 'global' 14:5\n"
            "UnsupportedStmt 'nonlocal' 15:5\n"
            "UnsupportedStmt 'del' 16:5\n"
            "UnsupportedStmt 'async' 17:5\n"
            "UnsupportedStmt 'match' 18:5\n"
            "UnsupportedStmt a type alias 20:5\n");
}

TEST(StatementTest, SoftKeywordsAreNames) {
  EXPECT_EQ(kernelTree("    match = type(case)\n"
                       "    match[0].x\n"),
            "Assign 3:5\n  Name match 3:5\n  Call 3:13\n    Name type 3:13\n    Name case 3:18\n"
            "ExprStmt 4:5\n  Attribute .x 4:5\n    Subscript 4:5\n      Name match 4:5\n"
            "      Constant int 0 4:11\n");
}

TEST(StatementTest, RangesIncludeTheBody) {
  Source source("@triton.jit\ndef k(x):\n    if x:\n        a = (1,\n             2)\n\n"
                "# c\nb = 1\n");
  FunctionDef *k = source.parse()->findFunction("k");
  ASSERT_NE(k, nullptr);
  auto text = [](SMRange range) {
    return std::string(range.Start.getPointer(), range.End.getPointer());
  };
  EXPECT_EQ(text(k->range()), "def k(x):\n    if x:\n        a = (1,\n             2)");
  EXPECT_EQ(text(k->body[0]->range()), "if x:\n        a = (1,\n             2)");
  EXPECT_EQ(text(k->nameRange), "k");
}

} // namespace
