//===- SyntaxErrorTest.cpp - What wrong programs are told -------*- C++ -*-===//
//
// Exact line, column and message of syntax errors in kernels, and that one slip is one error: the
// parser recovers without a cascade. Line 1 is the first line of the kernel's body.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::test;

namespace {

TEST(SyntaxErrorTest, MissingOperand) {
  EXPECT_EQ(kernelMessages("    a = 1 +\n"),
            "1:12: error: expected an expression, found end of line\n");
  EXPECT_EQ(kernelMessages("    a = * b\n"),
            "1:9: error: a starred expression must be part of a tuple or a call\n");
  EXPECT_EQ(kernelMessages("    a = class\n"),
            "1:9: error: expected an expression, found 'class'\n");
  EXPECT_EQ(kernelMessages("    a =\n"), "1:8: error: expected an expression, found end of line\n");
  EXPECT_EQ(kernelMessages("    a.1 = 2\n"), "1:6: error: expected end of line, found '.1'\n");
  EXPECT_EQ(kernelMessages("    a. = 2\n"),
            "1:8: error: expected an attribute name after '.', found '='\n");
}

TEST(SyntaxErrorTest, ExtraTokens) {
  EXPECT_EQ(kernelMessages("    print a\n"), "1:11: error: expected end of line, found 'a'\n");
  EXPECT_EQ(kernelMessages("    assert a, b, c\n"),
            "1:16: error: expected end of line, found ','\n");
  EXPECT_EQ(kernelMessages("    a = 1 'b'\n"),
            "1:11: error: expected end of line, found a string\n");
}

TEST(SyntaxErrorTest, MisspeltKeywords) {
  EXPECT_EQ(kernelMessages("    retrun a\n"),
            "1:5: error: expected a statement, found 'retrun'; did you mean 'return'?\n");
  EXPECT_EQ(kernelMessages("    fro i in range(3):\n        pass\n"),
            "1:5: error: expected a statement, found 'fro'; did you mean 'for'?\n");
  EXPECT_EQ(kernelMessages("    if a:\n        pass\n    elseif b:\n        pass\n"),
            "3:5: error: expected a statement, found 'elseif'; did you mean 'elif'?\n");
}

TEST(SyntaxErrorTest, ConditionalOfOtherLanguages) {
  EXPECT_EQ(kernelMessages("    a = b ? 1 : 2\n"),
            "1:11: error: unexpected character '?'; a conditional is written 'a if c else b'\n");
}

TEST(SyntaxErrorTest, MissingColon) {
  EXPECT_EQ(kernelMessages("    if a\n        b\n"),
            "1:9: error: expected ':' after the condition of 'if'\n");
  EXPECT_EQ(kernelMessages("    while a\n        b\n"),
            "1:12: error: expected ':' after the condition of 'while'\n");
  EXPECT_EQ(kernelMessages("    for i in a\n        b\n"),
            "1:15: error: expected ':' after the iterable of 'for'\n");
  EXPECT_EQ(kernelMessages("    if a:\n        b\n    else\n        c\n"),
            "3:9: error: expected ':' after 'else'\n");
  EXPECT_EQ(kernelMessages("    if a then:\n        b\n"),
            "1:10: error: expected ':' after the condition of 'if', found 'then'\n");
}

TEST(SyntaxErrorTest, BodyOfABadHeaderIsStillChecked) {
  EXPECT_EQ(kernelMessages("    if a = 1:\n        b = = 2\n    elif c:\n        d = = 3\n"
                           "    else:\n        pass\n    e = = 4\n"),
            "1:10: error: expected ':' after the condition of 'if', found '='; use '==' to "
            "compare\n"
            "2:13: error: expected an expression, found '='\n"
            "4:13: error: expected an expression, found '='\n"
            "7:9: error: expected an expression, found '='\n");
}

TEST(SyntaxErrorTest, MissingBlock) {
  EXPECT_EQ(kernelMessages("    if a:\n    b = 1\n"),
            "2:5: error: expected an indented block after 'if'\n"
            "1:5: note: 'if' is here\n");
  EXPECT_EQ(kernelMessages("    for i in a:\n"),
            "1:16: error: expected an indented block after 'for'\n"
            "1:5: note: 'for' is here\n");
  EXPECT_EQ(kernelMessages("    if a:\n        b\n    else:\n    c\n"),
            "4:5: error: expected an indented block after 'else'\n"
            "3:5: note: 'else' is here\n");
}

TEST(SyntaxErrorTest, Indentation) {
  EXPECT_EQ(kernelMessages("    a = 1\n      b = 2\n      c = 3\n    d = 4\n"),
            "2:7: error: unexpected indent\n");
  EXPECT_EQ(kernelMessages("    if a:\n        b = 1\n      c = 2\n    d = 3\n"),
            "3:7: error: unindent does not match any outer indentation level\n");
  EXPECT_EQ(kernelMessages("    if a:\n\tb = 1\n"),
            "2:1: error: inconsistent use of tabs and spaces in indentation\n");
  EXPECT_EQ(kernelMessages("\tif a:\n\t\tb = 1\n\t  # c\n\tc = 1\n"), "");
  EXPECT_EQ(kernelMessages("        a = 1\n\tb = 2\n"),
            "2:1: error: inconsistent use of tabs and spaces in indentation\n");
}

TEST(SyntaxErrorTest, ElseForms) {
  EXPECT_EQ(kernelMessages("    if a:\n        b\n    else if c:\n        d\n"
                           "    else:\n        e\n"),
            "3:5: error: expected 'elif', found 'else if'\n");
  EXPECT_EQ(kernelMessages("    else:\n        b\n    c = = 1\n"),
            "1:5: error: 'else' without a matching 'if'\n"
            "3:9: error: expected an expression, found '='\n");
  EXPECT_EQ(kernelMessages("    except E:\n        b\n"),
            "1:5: error: 'except' without a matching 'try'\n");
}

TEST(SyntaxErrorTest, UnclosedBrackets) {
  EXPECT_EQ(kernelMessages("    a = f(b\n    c = 1\n    d = = 2\n"),
            "1:12: error: expected ')' before the end of the statement\n"
            "1:10: note: to match this '('\n"
            "3:9: error: expected an expression, found '='\n");
  EXPECT_EQ(kernelMessages("    a = f(b[1)\n    c = = 1\n"),
            "1:14: error: closing ')' does not match opening '['\n"
            "1:12: note: the '[' is here\n"
            "2:9: error: expected an expression, found '='\n");
  EXPECT_EQ(kernelMessages("    a = b)\n"), "1:10: error: unmatched ')'\n");
  EXPECT_EQ(kernelMessages("    a = f(b\n          c)\n"),
            "2:11: error: expected ',' or ')', found 'c'\n"
            "1:10: note: to match this '('\n");
  EXPECT_EQ(kernelMessages("    a = [1, 2\n"),
            "1:14: error: expected ']' before the end of the statement\n"
            "1:9: note: to match this '['\n");
}

TEST(SyntaxErrorTest, UnclosedBracketDoesNotReachTheNextFunction) {
  EXPECT_EQ(messagesOf("@triton.jit\ndef a(x):\n    y = f(x\n\n"
                       "@triton.jit\ndef b(x):\n    y = = 1\n"),
            "3:12: error: expected ')' before the end of the statement\n"
            "3:10: note: to match this '('\n"
            "7:9: error: expected an expression, found '='\n");
}

TEST(SyntaxErrorTest, Strings) {
  EXPECT_EQ(kernelMessages("    a = f('b)\n    c = = 1\n"),
            "1:11: error: unterminated string\n"
            "2:9: error: expected an expression, found '='\n");
  EXPECT_EQ(kernelMessages("    '''doc\n    a = 1\n"),
            "1:5: error: unterminated triple-quoted string\n");
}

TEST(SyntaxErrorTest, Characters) {
  EXPECT_EQ(kernelMessages("    a = $b\n"), "1:9: error: unexpected character '$'\n");
  EXPECT_EQ(kernelMessages("    a = f(b，c)\n"),
            "1:12: error: unexpected character '，'; use ','\n");
  EXPECT_EQ(kernelMessages("    a = b && c\n    d = !e\n    f = a || b\n"),
            "1:11: error: expected 'and', found '&&'\n"
            "2:9: error: expected 'not', found '!'\n"
            "3:11: error: expected 'or', found '||'\n");
}

TEST(SyntaxErrorTest, AssignmentTargets) {
  EXPECT_EQ(kernelMessages("    1 = a\n"), "1:5: error: cannot assign to a literal\n");
  EXPECT_EQ(kernelMessages("    f(a) = b\n"), "1:5: error: cannot assign to a call\n");
  EXPECT_EQ(kernelMessages("    a + b = c\n"), "1:5: error: cannot assign to an expression\n");
  EXPECT_EQ(kernelMessages("    a, b + 1 = c\n"), "1:8: error: cannot assign to an expression\n");
  EXPECT_EQ(kernelMessages("    a = b < c = d\n"), "1:9: error: cannot assign to a comparison\n");
  EXPECT_EQ(kernelMessages("    a, b += 1\n"), "1:5: error: cannot assign to a tuple with '+='\n");
  EXPECT_EQ(kernelMessages("    a, b: int = 1\n"),
            "1:5: error: only one target can be annotated\n");
  EXPECT_EQ(kernelMessages("    f(): int = 1\n"), "1:8: error: expected end of line, found ':'\n");
  EXPECT_EQ(kernelMessages("    for f() in a:\n        b\n"),
            "1:9: error: cannot assign to a call\n");
  EXPECT_EQ(kernelMessages("    (a.b := 1)\n"),
            "1:6: error: cannot assign to an attribute with ':='\n");
  EXPECT_EQ(kernelMessages("    None = 1\n"), "1:5: error: cannot assign to a literal\n");
}

TEST(SyntaxErrorTest, Calls) {
  EXPECT_EQ(kernelMessages("    f(a=1, b)\n"),
            "1:12: error: positional argument follows keyword argument\n");
  EXPECT_EQ(kernelMessages("    f(**a, b)\n"),
            "1:12: error: positional argument follows '**' unpacking\n");
  EXPECT_EQ(kernelMessages("    f(a=1, a=2)\n"),
            "1:12: error: keyword argument 'a' is given twice\n"
            "1:7: note: first given here\n");
  EXPECT_EQ(kernelMessages("    f(a.b=1)\n"),
            "1:7: error: expected a name before '=' in a call; use '==' to compare\n");
  EXPECT_EQ(kernelMessages("    f(a b)\n"), "1:9: error: expected ',' or ')', found 'b'\n"
                                            "1:6: note: to match this '('\n");
  EXPECT_EQ(kernelMessages("    f(,)\n"), "1:7: error: expected an expression, found ','\n");
  EXPECT_EQ(kernelMessages("    (*a)\n"),
            "1:6: error: a starred expression must be part of a tuple or a call\n");
}

TEST(SyntaxErrorTest, OtherExpressions) {
  EXPECT_EQ(kernelMessages("    a = b if c\n"),
            "1:15: error: expected 'else' in the conditional expression, found end of line\n");
  EXPECT_EQ(kernelMessages("    a = lambda x y: x\n"),
            "1:18: error: expected ':' after the parameters of 'lambda', found 'y'\n");
  EXPECT_EQ(kernelMessages("    a = [x for x y]\n"),
            "1:18: error: expected 'in' after the target of 'for', found 'y'\n");
  EXPECT_EQ(kernelMessages("    a = {1: 2, 3}\n"),
            "1:17: error: expected ':' after the key of a dictionary, found '}'\n");
  EXPECT_EQ(kernelMessages("    a = b[]\n"), "1:11: error: expected an expression, found ']'\n");
  EXPECT_EQ(kernelMessages("    a = b not c\n"),
            "1:11: error: expected end of line, found 'not'\n");
}

TEST(SyntaxErrorTest, Imports) {
  EXPECT_EQ(kernelMessages("    import\n"),
            "1:11: error: expected a module name, found end of line\n");
  EXPECT_EQ(kernelMessages("    import a as\n"),
            "1:16: error: expected a name after 'as', found end of line\n");
  EXPECT_EQ(kernelMessages("    from a b\n"),
            "1:12: error: expected 'import' after the module name, found 'b'\n");
  EXPECT_EQ(kernelMessages("    from a import 1\n"),
            "1:19: error: expected a name to import, found '1'\n");
}

TEST(SyntaxErrorTest, BlocksOnOneLine) {
  EXPECT_EQ(kernelMessages("    if a: for i in b: c\n    d = = 1\n"),
            "1:11: error: 'for' must start on a line of its own\n"
            "2:9: error: expected an expression, found '='\n");
}

TEST(SyntaxErrorTest, FunctionHeaders) {
  auto header = [](StringRef text) { return messagesOf(("@triton.jit\n" + text).str()); };
  EXPECT_EQ(header("def k(a, a): pass\n"), "2:10: error: duplicate parameter 'a'\n"
                                           "2:7: note: first declared here\n");
  EXPECT_EQ(header("def k(a=1, b): pass\n"),
            "2:12: error: parameter 'b' without a default follows a parameter with a default\n"
            "2:7: note: this parameter has a default\n");
  EXPECT_EQ(header("def (a): pass\n"), "2:5: error: expected a function name, found '('\n");
  EXPECT_EQ(header("def k: pass\n"),
            "2:6: error: expected '(' after the function name, found ':'\n");
  EXPECT_EQ(header("def k(a, 1): pass\n"), "2:10: error: expected a parameter name, found '1'\n");
  EXPECT_EQ(header("def k(/): pass\n"), "2:7: error: '/' must follow positional parameters\n");
  EXPECT_EQ(header("def k(a)\n    pass\n"), "2:9: error: expected ':' after the function header\n");
  EXPECT_EQ(header("def k(a):\n"),
            "2:10: error: expected an indented block after the function header\n"
            "2:1: note: the function header is here\n");
  EXPECT_EQ(header("x = 1\n"), "2:1: error: expected 'def' after the decorator, found 'x'\n");
  EXPECT_EQ(messagesOf("@triton.jit(a b)\ndef k(): pass\n"),
            "1:15: error: expected ',' or ')', found 'b'\n"
            "1:12: note: to match this '('\n");
}

TEST(SyntaxErrorTest, BadHeaderStillChecksTheBody) {
  EXPECT_EQ(messagesOf("@triton.jit\ndef k(a,, b):\n    c = = 1\n"),
            "2:9: error: expected a parameter name, found ','\n"
            "3:9: error: expected an expression, found '='\n");
}

TEST(SyntaxErrorTest, ErrorLimitStopsTheRun) {
  std::string body;
  for (int i = 0; i < 30; ++i)
    body += "    a = = 1\n";
  DiagnosticOptions options;
  options.errorLimit = 3;
  Source source("@triton.jit\ndef k(x):\n" + body + "@triton.jit\ndef l(x):\n" + body, options);
  source.parse();
  EXPECT_EQ(source.engine.errorCount(), 3u);
  EXPECT_EQ(source.messages(), "3:9: error: expected an expression, found '='\n"
                               "4:9: error: expected an expression, found '='\n"
                               "5:9: error: expected an expression, found '='\n");
  EXPECT_NE(source.output().find("error: too many errors emitted, stopping now\n"),
            std::string::npos);
}

} // namespace
