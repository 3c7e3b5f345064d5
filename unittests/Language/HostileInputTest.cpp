//===- HostileInputTest.cpp - Input that is out to hurt ---------*- C++ -*-===//
//
// Deep, long and broken sources: each must end in a bounded number of errors, quickly, and never in
// a crash. A run of randomly damaged kernels (with a fixed seed) looks for what nobody thought of.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include <gtest/gtest.h>

#include <random>

using namespace llvm;
using namespace tilec;
using namespace tilec::ast;
using namespace tilec::test;

namespace {

std::string repeat(StringRef text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(HostileInputTest, DeepBrackets) {
  EXPECT_EQ(kernelMessages("    a = " + repeat("(", 10000) + "1" + repeat(")", 10000) + "\n"),
            "1:209: error: expression is nested too deeply (limit 200)\n");
  EXPECT_EQ(kernelMessages("    a = " + repeat("[", 10000) + "\n    b = = 1\n"),
            "1:209: error: expression is nested too deeply (limit 200)\n"
            "2:9: error: expected an expression, found '='\n");
  EXPECT_EQ(kernelMessages("    a = " + repeat("(", 200) + "1" + repeat(")", 200) + "\n"), "");
  EXPECT_EQ(kernelMessages("    a = " + repeat("f(\n", 50000)),
            "201:2: error: expression is nested too deeply (limit 200)\n");
}

TEST(HostileInputTest, DeepWithoutBrackets) {
  const char *nested = "error: expression is nested too deeply (limit 200)\n";
  EXPECT_EQ(kernelMessages("    a = " + repeat("lambda: ", 100000) + "1\n"),
            std::string("1:1609: ") + nested);
  EXPECT_EQ(kernelMessages("    a = " + repeat("b if c else ", 100000) + "1\n"),
            std::string("1:2421: ") + nested);
  EXPECT_EQ(kernelMessages("    a = " + repeat("2**", 100000) + "1\n"),
            std::string("1:612: ") + nested);
  EXPECT_EQ(kernelMessages("    a = " + repeat("f'{", 100000) + "\n"),
            "1:11: error: expected '}' to close this replacement field\n");
}

TEST(HostileInputTest, TallTrees) {
  const char *tall = "error: expression is nested too deeply (limit 1000)\n";
  EXPECT_EQ(kernelMessages("    a = b" + repeat("+b", 200000) + "\n"), std::string("1:9: ") + tall);
  EXPECT_EQ(kernelMessages("    a = b" + repeat(".c", 200000) + "\n"), std::string("1:9: ") + tall);
  EXPECT_EQ(kernelMessages("    a = b" + repeat("[0]", 200000) + "\n"),
            std::string("1:9: ") + tall);
  EXPECT_EQ(kernelMessages("    a = " + repeat("-", 100000) + "1\n"),
            std::string("1:99009: ") + tall);
  EXPECT_EQ(kernelMessages("    a = b" + repeat("+b", 999) + "\n"), "");
  // Runs of the same boolean operator are one flat node.
  EXPECT_EQ(kernelMessages("    a = b" + repeat(" and b", 100000) + "\n"), "");
}

TEST(HostileInputTest, DeepStatements) {
  std::string body;
  for (unsigned i = 1; i <= 99; ++i)
    body += std::string(i, ' ') + "if x:\n";
  EXPECT_EQ(kernelMessages(body + std::string(100, ' ') + "pass\n"), "");
  body += std::string(100, ' ') + "if x:\n" + std::string(101, ' ') + "pass\n";
  EXPECT_EQ(kernelMessages(body), "101:1: error: too many levels of indentation (limit 100)\n");
  EXPECT_EQ(kernelMessages("    if x:\n        pass\n" +
                           repeat("    elif x:\n        pass\n", 10000) + "    y = = 1\n"),
            "801:5: error: statements are nested too deeply (limit 400)\n"
            "20003:9: error: expected an expression, found '='\n");
}

TEST(HostileInputTest, LongLine) {
  Source source("@triton.jit\ndef k(x):\n    a = '" + repeat("x", 1000000) + "' $\n");
  source.parse();
  EXPECT_EQ(source.messages(), "3:1000012: error: unexpected character '$'\n");
  EXPECT_LT(source.output().size(), 400u);
  EXPECT_EQ(kernelMessages("    a = " + repeat("b, ", 300000) + "\n"), "");
}

TEST(HostileInputTest, QuadraticTraps) {
  EXPECT_EQ(kernelMessages("    a = '" + repeat("\\N{", 300000) + "'\n"),
            "1:10: error: expected '{name}' after '\\N'\n");
  std::string unclosed = kernelMessages(repeat("    a = f(\n", 20000));
  EXPECT_NE(unclosed.find("error: expression is nested too deeply (limit 200)\n"),
            std::string::npos);
  // Brackets that never match, in host code.
  EXPECT_EQ(messagesOf(repeat("x = [\n", 100000)), "");
  EXPECT_EQ(messagesOf("x = " + repeat("(", 200000) + repeat("]", 200000)), "");
}

TEST(HostileInputTest, TruncatedHeaders) {
  EXPECT_EQ(messagesOf("@triton.jit"),
            "1:12: error: expected 'def' after the decorator, found end of file\n");
  EXPECT_EQ(messagesOf("@triton.jit\ndef"),
            "2:4: error: expected a function name, found end of line\n");
  EXPECT_EQ(messagesOf("@triton.jit\ndef k("),
            "2:7: error: expected ')' before the end of the statement\n"
            "2:6: note: to match this '('\n");
  for (const char *text :
       {"@", "@\n@\n", "\\", "\\\n", " \\\n \\\n", "if", "if x", "try:", "else:", "def", "class",
        "async", "(", ")", "'", "'''", "f'{", "import", "from ."})
    EXPECT_EQ(messagesOf(text), "") << text;
}

//===----------------------------------------------------------------------===//
// Random damage
//===----------------------------------------------------------------------===//

const char healthyKernel[] = R"PY(import triton
import triton.language as tl

BLOCK = tl.constexpr(128)
if HAS: X = {'a': [1, 2], **b}

def host(x):
    return f"{x!r:>{10}}" + '''text'''

@triton.autotune(configs=[triton.Config({'B': 1}, num_warps=4)], key=['n'])
@triton.jit
def kernel(x_ptr, y_ptr, n, B: tl.constexpr, alpha=1.0e-3, *args, **kw) -> None:
    """A docstring: 漢字."""
    pid = tl.program_id(0)
    off = pid * B + tl.arange(0, B)[:, None]
    mask = (off < n) & ~(off == 0x1F) and not False
    x = tl.load(x_ptr + off, mask=mask, other=-float("inf"))
    for i in tl.range(0, n, B, num_stages=2):
        if i > 0 and x is not None:
            x += tl.sum(x ** 2, axis=0) if alpha else [y for y in (1, 2)]
        elif n: break
        else:
            with f(a) as b, c: continue
    while x != 3:
        a, (b, *c) = d[1:2:3, ...], lambda q, /, r=1: q
        assert a, f"bad {a=} {b:.{c}f}"
    try:
        raise E
    except: pass
    tl.store(y_ptr + off, x // 3 % 2 << 1, \
             mask=mask)
    return x
)PY";

/// Replaces, removes, repeats or moves a random piece of `text`, or cuts it off.
std::string damage(std::string text, std::mt19937 &random) {
  static const StringRef pieces[] = {
      "(",  ")",   "[",    "]",    "{",    "}",      "'",  "\"", "'''",          "f'",   "\\",
      "\n", "\t",  "    ", ":",    ",",    "=",      "==", ":=", "**",           "->",   "@",
      "#",  "if ", "def ", "else", "for ", " in ",   "1e", "0x", "\xE6\xBC\xA2", "\xFF", "lambda ",
      ";",  "\r",  "\f",   "not ", "is ",  "return "};
  auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit ? limit - 1 : 0)(random);
  };
  unsigned edits = 1 + static_cast<unsigned>(below(4));
  for (unsigned i = 0; i < edits && !text.empty(); ++i) {
    size_t at = below(text.size());
    size_t length = std::min(below(12) + 1, text.size() - at);
    switch (below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[below(std::size(pieces))].str());
      break;
    case 2:
      text.replace(at, length, pieces[below(std::size(pieces))].str());
      break;
    case 3:
      text.insert(below(text.size()), text.substr(at, length * 4));
      break;
    default:
      if (below(8) == 0)
        text.resize(at);
      else
        text[at] = static_cast<char>(below(127) + 1);
    }
  }
  return text;
}

/// Counts the nodes by printing them, which visits every one.
size_t printedSize(Source &source, const Module &module) {
  std::string tree;
  raw_string_ostream os(tree);
  printAST(os, source.sourceMgr, module);
  return tree.size();
}

TEST(HostileInputTest, HealthyKernelIsHealthy) { EXPECT_EQ(messagesOf(healthyKernel), ""); }

TEST(HostileInputTest, DamagedKernels) {
  std::mt19937 random(20240607);
  unsigned broken = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    std::string text = damage(healthyKernel, random);
    Source source(text);
    Module *module = source.parse();
    if (module) {
      EXPECT_GT(printedSize(source, *module), 0u);
    } else {
      EXPECT_EQ(source.engine.errorCount(), 1u);
    }
    // Rendering must never print more than a window for each message.
    EXPECT_LT(source.output().size(), 25u * 600u);
    broken += source.engine.hasErrors();
  }
  // Most damage hits the kernel and is seen; some lands in host code, comments or strings.
  EXPECT_GT(broken, 2000u);
  EXPECT_LT(broken, 4000u);
}

TEST(HostileInputTest, EveryPrefixOfAKernel) {
  StringRef text = healthyKernel;
  for (size_t length = 0; length <= text.size(); ++length) {
    Source source(text.take_front(length));
    Module *module = source.parse();
    if (module) {
      EXPECT_GT(printedSize(source, *module), 0u);
    }
  }
}

} // namespace
