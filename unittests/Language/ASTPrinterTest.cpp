//===- ASTPrinterTest.cpp - The printed tree --------------------*- C++ -*-===//
//
// The form that --emit=ast prints, for what the statement tests do not show.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::test;

namespace {

std::string exprTree(StringRef text) {
  Source source(text);
  ast::Expr *expr = source.parseExpr();
  EXPECT_EQ(source.output(), "");
  std::string tree;
  raw_string_ostream os(tree);
  if (expr)
    printAST(os, source.sourceMgr, *expr);
  return tree;
}

TEST(ASTPrinterTest, Module) {
  EXPECT_EQ(treeOf("import triton\n"
                   "def host(): pass\n"
                   "class C: pass\n"
                   "try:\n"
                   "    A = 1\n"
                   "except:\n"
                   "    A = 2\n"
                   "if x:\n"
                   "    A = 3\n"
                   "@triton.jit\n"
                   "def k(x, /, *, n=1, **kw) -> y:\n"
                   "    pass\n"),
            "Module\n"
            "  Import 1:1\n"
            "    name triton 1:8\n"
            "  FunctionDef host 2:1\n"
            "    body\n"
            "      Pass 2:13\n"
            "  HostDef class C 3:1\n"
            "  in try\n"
            "    Assign 5:5\n"
            "      Name A 5:5\n"
            "      Constant int 1 5:9\n"
            "  in except\n"
            "    Assign 7:5\n"
            "      Name A 7:5\n"
            "      Constant int 2 7:9\n"
            "  in if\n"
            "    Assign 9:5\n"
            "      Name A 9:5\n"
            "      Constant int 3 9:9\n"
            "  FunctionDef k 11:1\n"
            "    decorator\n"
            "      Attribute .jit 10:2\n"
            "        Name triton 10:2\n"
            "    param positional-only x 11:7\n"
            "    param keyword-only n 11:16\n"
            "      default\n"
            "        Constant int 1 11:18\n"
            "    param **kw 11:23\n"
            "    returns\n"
            "      Name y 11:30\n"
            "    body\n"
            "      Pass 12:5\n");
}

TEST(ASTPrinterTest, FunctionWithErrors) {
  Source source("@triton.jit\ndef k(x):\n    a = = 1\n    pass\n");
  ast::Module *module = source.parse();
  std::string tree;
  raw_string_ostream os(tree);
  printAST(os, source.sourceMgr, *module);
  EXPECT_NE(tree.find("FunctionDef k (has errors) 2:1"), std::string::npos) << tree;
}

TEST(ASTPrinterTest, Expressions) {
  EXPECT_EQ(exprTree("f(a, *b, c=1, **d)"), "Call 1:1\n"
                                            "  Name f 1:1\n"
                                            "  Name a 1:3\n"
                                            "  Starred 1:6\n"
                                            "    Name b 1:7\n"
                                            "  keyword c 1:10\n"
                                            "    Constant int 1 1:12\n"
                                            "  keywords ** 1:15\n"
                                            "    Name d 1:17\n");
  EXPECT_EQ(exprTree("a[1:, ::2]"), "Subscript 1:1\n"
                                    "  Name a 1:1\n"
                                    "  Tuple 1:3\n"
                                    "    Slice 1:3\n"
                                    "      lower\n"
                                    "        Constant int 1 1:3\n"
                                    "    Slice 1:7\n"
                                    "      step\n"
                                    "        Constant int 2 1:9\n");
  EXPECT_EQ(exprTree("a < b is not c"), "Compare < is not 1:1\n"
                                        "  Name a 1:1\n"
                                        "  Name b 1:5\n"
                                        "  Name c 1:14\n");
  EXPECT_EQ(exprTree("[x for x in y if z]"), "ListComp 1:1\n"
                                             "  Name x 1:2\n"
                                             "  for 1:4\n"
                                             "    Name x 1:8\n"
                                             "    Name y 1:13\n"
                                             "    if\n"
                                             "      Name z 1:18\n");
  EXPECT_EQ(exprTree("f'a{x!r:>{w}}'"), "JoinedStr 1:1\n"
                                        "  text \"a\"\n"
                                        "  field !r\n"
                                        "    Name x 1:5\n"
                                        "    spec\n"
                                        "      JoinedStr 1:9\n"
                                        "        text \">\"\n"
                                        "        field\n"
                                        "          Name w 1:11\n");
  EXPECT_EQ(exprTree("lambda a: {}"), "Lambda 1:1\n"
                                      "  param a 1:8\n"
                                      "  Dict 1:11\n");
  EXPECT_EQ(exprTree("{'a': b, **c}"), "Dict 1:1\n"
                                       "  key\n"
                                       "    Constant str \"a\" 1:2\n"
                                       "  value\n"
                                       "    Name b 1:7\n"
                                       "  **\n"
                                       "    Name c 1:12\n");
}

TEST(ASTPrinterTest, Constants) {
  EXPECT_EQ(exprTree("True"), "Constant True 1:1\n");
  EXPECT_EQ(exprTree("None"), "Constant None 1:1\n");
  EXPECT_EQ(exprTree("..."), "Constant ... 1:1\n");
  EXPECT_EQ(exprTree("0.1"), "Constant float 0.1 1:1\n");
  EXPECT_EQ(exprTree("'a\"\\n\\0ü'"), "Constant str \"a\\\"\\n\\x00\\xC3\\xBC\" 1:1\n");
  EXPECT_EQ(exprTree("123456789012345678901234567890"),
            "Constant int 123456789012345678901234567890 1:1\n");
}

TEST(ASTPrinterTest, PlacesWithAllLineEnds) {
  EXPECT_EQ(exprTree("[a,\r\nb,\rc,\nd]"), "List 1:1\n"
                                           "  Name a 1:2\n"
                                           "  Name b 2:1\n"
                                           "  Name c 3:1\n"
                                           "  Name d 4:1\n");
  EXPECT_EQ(exprTree("\xEF\xBB\xBF"
                     "ab"),
            "Name ab 1:1\n");
}

} // namespace
