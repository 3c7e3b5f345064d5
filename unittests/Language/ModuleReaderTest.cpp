//===- ModuleReaderTest.cpp - What is read of a whole file ------*- C++ -*-===//
//
// Which module-level statements are kept, under which guard, and that host code of any shape
// neither disturbs the kernels nor is complained about.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::ast;
using namespace tilec::test;

namespace {

/// The items of a module in short: "import a, b? try-import ...".
std::string itemsOf(StringRef text) {
  Source source(text);
  Module *module = source.parse();
  EXPECT_EQ(source.output(), "");
  static const char *const guards[] = {"", "try:", "except:", "if:"};
  std::string result;
  for (const ModuleItem &item : module->items) {
    if (!result.empty())
      result += ' ';
    result += guards[static_cast<int>(item.guard)];
    if (auto *import = dyn_cast<Import>(item.stmt))
      result += "import(" + import->names[0].name.str() + ")";
    else if (auto *from = dyn_cast<ImportFrom>(item.stmt))
      result += "from(" + from->module.str() + ")";
    else if (auto *assign = dyn_cast<Assign>(item.stmt))
      result += prefixForm(assign->targets[0]) + "=" + prefixForm(assign->value);
    else if (auto *annotated = dyn_cast<AnnAssign>(item.stmt))
      result += prefixForm(annotated->target) + ":=" + prefixForm(annotated->value);
    else if (auto *augmented = dyn_cast<AugAssign>(item.stmt))
      result += prefixForm(augmented->target) + "+=" + prefixForm(augmented->value);
    else if (auto *function = dyn_cast<FunctionDef>(item.stmt))
      result += "def(" + function->name.str() + ")";
    else if (auto *host = dyn_cast<HostDef>(item.stmt))
      result += (host->what == HostDef::What::Class ? "class(" : "host(") + host->name.str() + ")";
    else
      result += "?";
  }
  return result;
}

TEST(ModuleReaderTest, EmptyFiles) {
  EXPECT_EQ(itemsOf(""), "");
  EXPECT_EQ(itemsOf("\n\n# only a comment"), "");
  EXPECT_EQ(itemsOf("\xEF\xBB\xBF"), "");
  EXPECT_EQ(treeOf(""), "Module\n");
}

TEST(ModuleReaderTest, ImportsAndConstants) {
  EXPECT_EQ(itemsOf("\"\"\"doc\"\"\"\n"
                    "import triton, math\n"
                    "from triton import language as tl; import x\n"
                    "N = tl.constexpr(4)\n"
                    "M: tl.constexpr = 5\n"
                    "A, B = 1, 2\n"
                    "N += 1\n"
                    "print(N)\n"),
            "import(triton) from(triton) import(x) N=(call tl.constexpr 4) M:=5 "
            "(tuple A B)=(tuple 1 2) N+=1");
}

TEST(ModuleReaderTest, FunctionsAndClasses) {
  EXPECT_EQ(itemsOf("import triton\n"
                    "@triton.jit\n"
                    "def a(x): pass\n"
                    "def b(x): pass\n"
                    "@other\n"
                    "def c(x): pass\n"
                    "class D:\n"
                    "    @triton.jit\n"
                    "    def e(self): pass\n"
                    "async def f(): pass\n"
                    "@deco\n"
                    "class G: pass\n"
                    "@triton.autotune(configs=[triton.Config({'B': 1})], key=[])\n"
                    "@triton.jit\n"
                    "def h(x): pass\n"),
            "import(triton) def(a) def(b) def(c) class(D) host(f) class(G) def(h)");
}

TEST(ModuleReaderTest, LastFunctionOfANameIsFound) {
  Source source("@triton.jit\ndef k(a): pass\n@triton.jit\ndef k(b): pass\n");
  Module *module = source.parse();
  ASSERT_NE(module->findFunction("k"), nullptr);
  EXPECT_EQ(module->findFunction("k")->params[0].name, "b");
  EXPECT_EQ(module->findFunction("l"), nullptr);
}

TEST(ModuleReaderTest, GuardedStatements) {
  EXPECT_EQ(
      itemsOf("try:\n"
              "    import triton\n"
              "    X = 1\n"
              "except ImportError:\n"
              "    triton = None\n"
              "else:\n"
              "    Y = 1\n"
              "finally:\n"
              "    Z = 1\n"
              "if A:\n"
              "    if B:\n"
              "        @triton.jit\n"
              "        def k(x):\n"
              "            return x\n"
              "elif C: D = 2\n"
              "else:\n"
              "    try: E = 3\n"
              "    except: pass\n"
              "F = 4\n"),
      "try:import(triton) try:X=1 except:triton=None try:Y=1 try:Z=1 if:def(k) if:D=2 try:E=3 "
      "F=4");
}

/// The conditions of the statements of a file: "test" or "!test", with commas between them.
static std::vector<std::string> testsOf(StringRef text) {
  Source source(text);
  std::vector<std::string> result;
  for (const ModuleItem &item : source.parse()->items) {
    std::string &tests = result.emplace_back();
    for (const GuardTest &guard : item.tests)
      tests += (tests.empty() ? "" : ", ") + std::string(guard.holds ? "" : "!") +
               (guard.test ? prefixForm(guard.test) : "?");
  }
  return result;
}

TEST(ModuleReaderTest, ConditionsOfStatements) {
  using Tests = std::vector<std::string>;
  EXPECT_EQ(testsOf("if A:\n"
                    "    x = 1\n"
                    "elif B > 1: x = 2\n"
                    "else:\n"
                    "    try:\n"
                    "        if C: x = 3\n"
                    "    except E:\n"
                    "        x = 4\n"
                    "x = 5\n"),
            (Tests{"A", "!A, (cmp B > 1)", "!A, !(cmp B > 1), C", "!A, !(cmp B > 1)", ""}));
  // What cannot be read is not known, and an `else` of something else does not belong to an `if`.
  EXPECT_EQ(testsOf("if $: x = 1\nelse: x = 2\nfor i in y: pass\nelse: x = 3\n"),
            (Tests{"?", "!?", "?"}));
}

TEST(ModuleReaderTest, MainIsSkipped) {
  EXPECT_EQ(itemsOf("A = 1\n"
                    "if __name__ == '__main__':\n"
                    "    A = 2\n"
                    "    def f(): pass\n"
                    "B = 3\n"),
            "A=1 B=3");
}

TEST(ModuleReaderTest, LoopsAndWithAreEntered) {
  EXPECT_EQ(itemsOf("for i in range(3):\n    A = i\nelse:\n    A = 2\n"
                    "with open(x) as f:\n    B = 1\n"
                    "while True:\n    C = 1\n"
                    "D = 1\n"),
            "if:A=i if:A=2 B=1 if:C=1 D=1");
}

/// The scopes with kernels: "f(items ..; scopes within)".
static std::string scopesOf(ArrayRef<NestedScope *> scopes) {
  std::string result;
  for (const NestedScope *scope : scopes) {
    result += (scope->isClass ? "class " : "") + scope->name.str() + "(";
    for (const ModuleItem &item : scope->items) {
      auto *function = dyn_cast<FunctionDef>(item.stmt);
      auto *host = dyn_cast<HostDef>(item.stmt);
      result += (function ? "def " + function->name
                 : host   ? host->name
                          : StringRef("?"))
                    .str() +
                " ";
    }
    result += scopesOf(scope->nested) + ")";
  }
  return result;
}

TEST(ModuleReaderTest, FunctionsAndClassesWithKernelsAreEntered) {
  Source source("def plain(x):\n    y = x\n"
                "def make(a, *, b: int = f(1), **c):\n"
                "    for d in a: pass\n"
                "    with a as e, b as (g): h = 1\n"
                "    if (i := 1): pass\n"
                "    class Inner:\n"
                "        @staticmethod\n"
                "        @triton.jit\n"
                "        def k(x): pass\n"
                "    def other(x): pass\n"
                "@decorated\n"
                "class Outer(Base):\n"
                "    @triton.jit\n"
                "    def k2(x): pass\n"
                "    def host(self): pass\n");
  Module *module = source.parse();
  EXPECT_EQ(source.output(), "");
  EXPECT_EQ(scopesOf(module->nested),
            "make(a b c d e ? i Inner def other class Inner(def k ))class Outer(def k2 def host )");
  EXPECT_EQ(module->findNested("").size(), 2u);
  ASSERT_NE(module->findFunction("k2"), nullptr);
  EXPECT_EQ(module->findFunction("host"), nullptr);
}

TEST(ModuleReaderTest, CallsMakeKernels) {
  EXPECT_EQ(itemsOf("import triton\n"
                    "def f(x): pass\n"
                    "a = b = triton.jit(f)\n"
                    "c = triton.autotune(x, y)(triton.jit(f, debug=True))\n"
                    "d = other(f)\n"
                    "e = triton.jit(unknown)\n"
                    "f = 1\n"
                    "g = triton.jit(f)\n"),
            "import(triton) def(f) def(a) def(b) def(c) d=(call other f) "
            "e=(call triton.jit unknown) f=1 g=(call triton.jit f)");
}

TEST(ModuleReaderTest, HostCodeMayBeAnything) {
  EXPECT_EQ(itemsOf("x = = 3\n"
                    "print 'python 2'\n"
                    "exec code in ns\n"
                    "def f(a, (b, c)):\n"
                    "    print >>x, `y`\n"
                    "\tinconsistent\n"
                    "y = $$$ ?\n"
                    "class C\n"
                    "    x = {\n"
                    "z = 012\n"
                    "A = 1\n"),
            "host(f) class(C) A=1");
}

TEST(ModuleReaderTest, UnclosedHostBracketsEndAtDefinitions) {
  EXPECT_EQ(itemsOf("x = foo(1, [2,\n"
                    "y = 3\n"
                    "@triton.jit\n"
                    "def k(x):\n"
                    "    return x\n"
                    "z = (\n"
                    "def f(): pass\n"),
            "def(k) def(f)");
}

TEST(ModuleReaderTest, TripleQuotedTextIsNoCode) {
  EXPECT_EQ(itemsOf("x = '''\n"
                    "@triton.jit\n"
                    "def no(x):\n"
                    "    pass\n"
                    "'''\n"
                    "def f():\n"
                    "    '''\n"
                    "at column 0\n"
                    "    '''\n"
                    "    return 1\n"
                    "A = 1\n"),
            "x='\n@triton.jit\ndef no(x):\n    pass\n' def(f) A=1");
}

TEST(ModuleReaderTest, OnlyTritonsJitIsChecked) {
  // Other compilers' jit and unknown decorators: errors inside are the host's business.
  EXPECT_EQ(itemsOf("import numba\nfrom jax import jit\n"
                    "@numba.jit\ndef a(x):\n    y = = 1\n"
                    "@jit\ndef b(x):\n    y = = 1\n"
                    "@deco\ndef c(x):\n    y = = 1\n"),
            "import(numba) from(jax) host(a) host(b) host(c)");
  // Triton's, under whatever name.
  EXPECT_EQ(messagesOf("import triton as T\n@T.jit\ndef a(x):\n    y = = 1\n"),
            "4:9: error: expected an expression, found '='\n");
  EXPECT_EQ(messagesOf("from triton import jit as J\n@J\ndef a(x):\n    y = = 1\n"),
            "4:9: error: expected an expression, found '='\n");
  EXPECT_EQ(messagesOf("from mylib import triton\n@deco\n@triton.jit\ndef a(x):\n    y = = 1\n"),
            "5:9: error: expected an expression, found '='\n");
  EXPECT_EQ(messagesOf("@triton.constexpr_function\ndef a(x):\n    y = = 1\n"),
            "3:9: error: expected an expression, found '='\n");
}

TEST(ModuleReaderTest, ErrorsInSeveralFunctions) {
  Source source("@triton.jit\ndef a(x):\n    y = = 1\n\nz = )\n\n"
                "@triton.jit\ndef b(x):\n    return x\n"
                "@triton.jit\ndef c(x):\n    y = f(\n");
  Module *module = source.parse();
  EXPECT_EQ(source.messages(), "3:9: error: expected an expression, found '='\n"
                               "12:11: error: expected ')' before the end of the statement\n"
                               "12:10: note: to match this '('\n");
  ASSERT_EQ(module->items.size(), 3u);
  EXPECT_TRUE(module->findFunction("a")->hasErrors);
  EXPECT_FALSE(module->findFunction("b")->hasErrors);
  EXPECT_TRUE(module->findFunction("c")->hasErrors);
}

TEST(ModuleReaderTest, SkippedRanges) {
  Source source("import a\nprint(1)\ndef f():\n    pass\n\nB = 1\n");
  Module *module = source.parse();
  ASSERT_EQ(module->skipped.size(), 2u);
  auto text = [](SMRange range) {
    return std::string(range.Start.getPointer(), range.End.getPointer());
  };
  EXPECT_EQ(text(module->skipped[0]), "print(1)");
  EXPECT_EQ(text(module->skipped[1]), "def f():\n    pass");
}

TEST(ModuleReaderTest, LineEndsAndByteOrderMark) {
  std::string text = "\xEF\xBB\xBFimport triton\n@triton.jit\ndef k(x):\n    y = $\n";
  std::string crlf, cr;
  for (char c : text) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    cr += c == '\n' ? '\r' : c;
  }
  for (const std::string &variant : {text, crlf, cr})
    EXPECT_EQ(messagesOf(variant), "4:9: error: unexpected character '$'\n");
  EXPECT_EQ(messagesOf("\xEF\xBB\xBF@triton.jit $\ndef k(): pass\n"),
            "1:13: error: unexpected character '$'\n");
}

TEST(ModuleReaderTest, BinaryFiles) {
  Source nul(StringRef("x = 1\ny\0z\n", 10));
  EXPECT_EQ(nul.parse(), nullptr);
  EXPECT_EQ(nul.messages(), "2:2: error: expected Python source in UTF-8, found a NUL byte\n");
  EXPECT_EQ(nul.engine.errorCount(), 1u);
  Source latin("# caf\xE9\n");
  EXPECT_EQ(latin.parse(), nullptr);
  EXPECT_EQ(latin.messages(), "1:6: error: expected Python source in UTF-8, found the byte 0xE9\n");
}

} // namespace
