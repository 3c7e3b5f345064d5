//===- KernelHashTest.cpp - The text that a kernel depends on ----*- C++ -*-===//

#include "tilec/Compiler/TunedFile.h"
#include "tilec/Language/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

constexpr const char *twoKernels = R"(
import triton
import triton.language as tl

try:
    import fast
    HAS_FAST = True
except ImportError:
    HAS_FAST = False

SCALE = tl.constexpr(2)
SHIFT, UNUSED = tl.constexpr(3), 4
BLOCK = 64


class Pair(NamedTuple):
    first: tl.tensor


if HAS_FAST:
    @triton.jit
    def helper(x):
        return inner(x) * SCALE
else:
    @triton.jit
    def helper(x):
        return inner(x)


@triton.jit
def inner(x):
    return x + SHIFT  # not other


@triton.autotune(configs=[], key=[])
@triton.jit
def first(x, BLOCK: tl.constexpr):
    """Unlike other."""
    tl.store(x, helper(BLOCK))
    Pair(x)


@triton.jit
def other(x, SIZE: tl.constexpr = BLOCK):
    tl.store(x, SIZE)


def make():
    @triton.jit
    def nested(x):
        tl.store(x, local(x))

    @triton.jit
    def local(x):
        return 5
)";

class KernelHashTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kernel-hash", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string pathOf(const char *name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  void write(const char *name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(pathOf(name), error) << text;
    ASSERT_FALSE(error);
  }

  std::string hash(llvm::StringRef text, llvm::StringRef kernel) {
    llvm::SourceMgr sources;
    DiagnosticEngine diagnostics(sources, llvm::nulls());
    ast::Context context;
    unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "k.py"),
                                                 llvm::SMLoc());
    const ast::Module *module = parseModule(sources, buffer, diagnostics, context);
    const ast::FunctionDef *function = module->findFunction(kernel);
    if (!function)
      return "no function";
    ImportSearch search;
    search.mainFile = pathOf("k.py");
    return hashKernel(*module, *function, search);
  }
  /// Whether replacing `from` by `to` in `text` changes the hash of the kernel.
  bool changes(llvm::StringRef text, llvm::StringRef kernel, llvm::StringRef from,
               llvm::StringRef to) {
    auto [before, after] = text.split(from);
    EXPECT_LT(before.size(), text.size()) << from.str();
    return hash(text, kernel) != hash((before + to + after).str(), kernel);
  }

  llvm::SmallString<128> folder;
};

} // namespace

TEST_F(KernelHashTest, aKernelAndWhatItReaches) {
  EXPECT_EQ(hash(twoKernels, "first").size(), 16u);
  EXPECT_TRUE(changes(twoKernels, "first", "store(x, helper(BLOCK))", "store(x, helper(1))"));
  EXPECT_TRUE(changes(twoKernels, "first", "inner(x) * SCALE", "inner(x) + SCALE"));
  EXPECT_TRUE(changes(twoKernels, "first", "constexpr(2)", "constexpr(3)"));
  EXPECT_TRUE(changes(twoKernels, "first", "constexpr(3), 4", "constexpr(4), 4"));
  EXPECT_TRUE(changes(twoKernels, "first", "x + SHIFT", "x - SHIFT"));
  EXPECT_TRUE(changes(twoKernels, "first", "HAS_FAST = True", "HAS_FAST = 1"));
  EXPECT_TRUE(changes(twoKernels, "first", "first: tl.tensor", "second: tl.tensor"));
}

TEST_F(KernelHashTest, nothingElse) {
  // What only a comment or a docstring names; a constant that a parameter hides; other kernels.
  EXPECT_FALSE(changes(twoKernels, "first", "tl.store(x, SIZE)", "tl.store(x, 2 * SIZE)"));
  EXPECT_FALSE(changes(twoKernels, "first", "BLOCK = 64", "BLOCK = 128"));
  EXPECT_FALSE(changes(twoKernels, "first", "return 5", "return 6"));
  // A configuration more keeps what was measured of others.
  EXPECT_FALSE(changes(twoKernels, "first", "configs=[]", "configs=[1]"));
  EXPECT_FALSE(changes(twoKernels, "other", "x + SHIFT", "x - SHIFT"));
}

TEST_F(KernelHashTest, defaultsAndNestedKernels) {
  EXPECT_TRUE(changes(twoKernels, "other", "BLOCK = 64", "BLOCK = 128"));
  EXPECT_TRUE(changes(twoKernels, "nested", "return 5", "return 6"));
  EXPECT_FALSE(changes(twoKernels, "nested", "x + SHIFT", "x - SHIFT"));
}

TEST_F(KernelHashTest, importedFiles) {
  constexpr const char *text = "import triton\nimport lib.tools as tools\nimport lib.more\n"
                               "from lib import double as twice\nfrom stars import *\n"
                               "from . import sub\n"
                               "@triton.jit\ndef k(x):\n"
                               "    tools.add(lib.more.less(twice(starred(sub.one(x)))))\n";
  ASSERT_FALSE(llvm::sys::fs::create_directory(pathOf("lib")));
  auto writeAll = [&](const char *changed) {
    auto value = [&](llvm::StringRef name) { return name == changed ? "2" : "1"; };
    auto define = [&](const char *name) {
      return std::string("@triton.jit\ndef ") + name + "(x):\n    return " + value(name) + "\n";
    };
    write("lib/tools.py", "import triton\nimport k\n" + define("add") + define("unused"));
    write("lib/more.py", "import triton\n" + define("less"));
    write("lib/__init__.py", "import triton\nfrom .deep import double\n");
    write("lib/deep.py", "import triton\nfrom lib import double as again\n" + define("double"));
    write("stars.py", "import triton\nfrom stars import *\n" + define("starred"));
    write("sub.py", "import triton\n" + define("one"));
    return hash(text, "k");
  };
  std::string original = writeAll("");
  EXPECT_EQ(writeAll("unused"), original);
  for (const char *name : {"add", "less", "double", "starred", "one"})
    EXPECT_NE(writeAll(name), original) << name;
  EXPECT_EQ(writeAll(""), original);
}

/// Files that import each other, or themselves, end.
TEST_F(KernelHashTest, circles) {
  write("a.py", "import b\nfrom b import f\nfrom a import g\nf = f\n");
  write("b.py", "import a\nfrom a import f\nfrom a import *\n");
  EXPECT_EQ(hash("import triton\nimport a\nfrom a import f, g\nx = y\ny = x\n"
                 "@triton.jit\ndef k():\n    a.f(f(g(k(x))))\n",
                 "k")
                .size(),
            16u);
}
