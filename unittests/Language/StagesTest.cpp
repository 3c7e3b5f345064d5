//===- StagesTest.cpp - Whether a kernel reads num_stages -------*- C++ -*-===//

#include "tilec/Language/Stages.h"

#include "tilec/Language/Imports.h"
#include "tilec/Language/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace tilec;
using llvm::StringRef;

namespace {

/// A folder of its own for each test, whose file main.py has the kernel `k`.
class StagesTest : public testing::Test {
protected:
  StagesTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-stages", path));
    root = path.str().str();
  }
  ~StagesTest() override { llvm::sys::fs::remove_directories(root); }

  void write(const std::string &path, const std::string &text) {
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(root + "/" + path));
    std::ofstream(root + "/" + path) << "import triton\nimport triton.language as tl\n" << text;
  }
  /// Of the kernel `k` that `text` defines.
  bool reads(const std::string &text, bool withImports = true) {
    write("main.py", text);
    llvm::SourceMgr sources;
    std::string messages;
    llvm::raw_string_ostream os(messages);
    DiagnosticEngine diagnostics(sources, os);
    ast::Context tree;
    auto buffer = llvm::MemoryBuffer::getFile(root + "/main.py");
    unsigned id = sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    const ast::Module *module = parseModule(sources, id, diagnostics, tree);
    ImportSearch search;
    search.mainFile = root + "/main.py";
    Imports imports(sources, search);
    const ast::FunctionDef *kernel = module->findFunction("k");
    EXPECT_TRUE(kernel) << messages;
    return kernel && readsNumStages(*module, *kernel, withImports ? &imports : nullptr);
  }

  std::string root;
};

const char *const helpers = "@triton.jit\ndef product(a, b):\n    return tl.dot(a, b)\n"
                            "@triton.jit\ndef sum(a, b):\n    return a + b\n";

std::string kernel(const std::string &body, const std::string &params = "p") {
  return "@triton.jit\ndef k(" + params + "):\n    " + body + "\n";
}

} // namespace

TEST_F(StagesTest, OnlyDotReadsThem) {
  EXPECT_TRUE(reads(kernel("tl.store(p, tl.dot(p, p))")));
  EXPECT_TRUE(reads(kernel("tl.dot_scaled(p, p)")));
  EXPECT_FALSE(reads(kernel("tl.store(p, tl.sum(p))")));
  EXPECT_FALSE(reads(kernel("for i in tl.range(0, 4, num_stages=3): tl.store(p, i)")));
  EXPECT_FALSE(reads(kernel("'dot product'; tl.store(p, 1) # tl.dot(p, p)")));
  EXPECT_TRUE(reads(kernel("getattr(tl, 'dot')(p, p)")));
  EXPECT_TRUE(reads(kernel("tl.store(p, num_stages)", "p, num_stages: tl.constexpr")));
}

TEST_F(StagesTest, ThroughFunctionsOfTheFile) {
  EXPECT_TRUE(reads(helpers + kernel("tl.store(p, product(p, p))")));
  EXPECT_FALSE(reads(helpers + kernel("tl.store(p, sum(p, p))")));
  EXPECT_TRUE(reads(std::string(helpers) + "alias = product\n" + kernel("alias(p, p)")));
  EXPECT_TRUE(reads("from triton.language import dot as d\n" + kernel("d(p, p)")));
  EXPECT_FALSE(reads("from triton.language import dot as d\n" + kernel("tl.store(p, 1)")));
  EXPECT_TRUE(
      reads("def host():\n    @triton.jit\n    def inner(a):\n        return tl.dot(a, a)\n" +
            kernel("inner(p)")));
}

/// A chain in the order that makes a search slow that starts again at each step.
TEST_F(StagesTest, LongChainsAndCircles) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "@triton.jit\ndef f" + std::to_string(i) + "(a):\n    return " +
            (i ? "f" + std::to_string(i - 1) + "(a)" : std::string("f4999(a)")) + "\n";
  EXPECT_FALSE(reads(text + kernel("f4999(p)")));
  EXPECT_TRUE(reads(text + "f0 = tl.dot\n" + kernel("f4999(p)")));
}

/// What a parameter stands for is decided elsewhere: any function of the file.
TEST_F(StagesTest, ThroughParametersThatAreCalled) {
  std::string call = kernel("tl.store(p, F(p, p))", "p, F: tl.constexpr");
  EXPECT_TRUE(reads(helpers + call));
  EXPECT_FALSE(reads("@triton.jit\ndef sum(a, b):\n    return a + b\n" + call));
  std::string apply = "@triton.jit\ndef apply(g, a):\n    return g(a, a)\n";
  EXPECT_TRUE(reads(helpers + apply + kernel("apply(F, p)", "p, F: tl.constexpr")));
}

TEST_F(StagesTest, ThroughImports) {
  write("helpers.py", helpers);
  write("between.py", "from helpers import product as times, sum\n");
  EXPECT_TRUE(reads("from helpers import product\n" + kernel("product(p, p)")));
  EXPECT_TRUE(reads("from between import times\n" + kernel("times(p, p)")));
  EXPECT_TRUE(reads("from between import *\n" + kernel("times(p, p)")));
  EXPECT_TRUE(reads("import helpers\n" + kernel("helpers.product(p, p)")));
  EXPECT_FALSE(reads("from helpers import sum\n" + kernel("sum(p, p)")));
  EXPECT_FALSE(reads("import helpers as h\n" + kernel("h.sum(p, p)")));
  EXPECT_FALSE(reads("import torch\nfrom helpers import product\n" + kernel("tl.store(p, 1)")));
  EXPECT_FALSE(reads("from nowhere import product\n" + kernel("product(p, p)")));
  EXPECT_FALSE(reads("from helpers import product\n" + kernel("product(p, p)"), false));
}

TEST_F(StagesTest, ThroughPackages) {
  write("pkg/__init__.py", "from .inner import product\n");
  write("pkg/inner.py", helpers);
  EXPECT_TRUE(reads("from pkg import product\n" + kernel("product(p, p)")));
  EXPECT_TRUE(reads("from pkg import inner\n" + kernel("inner.product(p, p)")));
  EXPECT_FALSE(reads("from pkg import inner\n" + kernel("inner.sum(p, p)")));
  EXPECT_FALSE(reads("from pkg.inner import sum\n" + kernel("sum(p, p)")));
  // Its members need no import statement, so it is not known what is reached.
  EXPECT_TRUE(reads("import pkg\n" + kernel("pkg.inner.sum(p, p)")));
}
