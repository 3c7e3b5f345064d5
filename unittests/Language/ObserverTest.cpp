//===- ObserverTest.cpp - Values that editors show --------------*- C++ -*-===//

#include "tilec/Language/Observer.h"

#include "tilec/Language/Parser.h"
#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Writes down what it is told, as "name@line: type = constant"; of modules and functions nothing.
class Notes : public ValueObserver {
public:
  Notes(const llvm::SourceMgr &sources, unsigned stopAfter)
      : sources(sources), statementsLeft(stopAfter) {}

  void observe(llvm::SMRange range, StringRef name, const ObservedValue &value) override {
    EXPECT_EQ(StringRef(range.Start.getPointer(), name.size()), name);
    EXPECT_EQ(value.isBlock, value.type.find('[') != std::string::npos && value.type[0] != '(');
    std::string note = name.str() + "@" +
                       std::to_string(sources.getLineAndColumn(range.Start).first) + ": " +
                       value.type + (value.constant.empty() ? "" : " = " + value.constant);
    bool isValue = value.type.rfind("module", 0) != 0 && value.type.rfind("function", 0) != 0;
    if (isValue && (notes.empty() || notes.back() != note))
      notes.push_back(note);
  }
  bool shouldStop() override { return statementsLeft == 0 || --statementsLeft == 0; }

  std::vector<std::string> notes;

private:
  const llvm::SourceMgr &sources;
  unsigned statementsLeft;
};

/// What is said of the kernel `k` of a text with the signature `sig`.
std::vector<std::string> observe(StringRef text, StringRef sig, unsigned stopAfter = ~0u,
                                 bool *hasResult = nullptr) {
  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics(sources, llvm::errs());
  unsigned id = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(("import triton, triton.language as tl\n" + text).str(),
                                           "k.py"),
      llvm::SMLoc());
  ast::Context tree;
  const ast::Module *module = parseModule(sources, id, diagnostics, tree);
  KernelRequest request;
  request.kernel = "k";
  request.signature = *parseSignature(sig, "sig", sources, diagnostics);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  KernelInfo info;
  Notes notes(sources, stopAfter);
  auto result = specializeObserved(context, *module, sources, request, diagnostics, info,
                                   /*imports=*/nullptr, notes);
  if (hasResult)
    *hasResult = bool(result);
  return notes.notes;
}

using Lines = std::vector<std::string>;

} // namespace

TEST(ObserverTest, ParametersAndVariables) {
  EXPECT_EQ(observe("@triton.jit\n"
                    "def k(x, n, B: tl.constexpr):\n"
                    "    a = tl.arange(0, B)\n"
                    "    b: tl.constexpr = 'text'\n"
                    "    c, d = (a, n)\n"
                    "    d += 1.5\n",
                    "x=*fp32,n=i32,B=16"),
            (Lines{"x@3: pointer<float32>", "n@3: int32", "B@3: constexpr int = 16",
                   "B@4: constexpr int = 16", "a@4: int32[16]", "b@5: constexpr str = 'text'",
                   "a@6: int32[16]", "n@6: int32", "c@6: int32[16]", "d@6: int32", "d@7: int32",
                   "d@7: float32"}));
}

TEST(ObserverTest, LoopsAndHelpers) {
  EXPECT_EQ(observe("@triton.jit\n"
                    "def f(a):\n"
                    "    return a, 1\n"
                    "@triton.jit\n"
                    "def k(n):\n"
                    "    for i in range(n):\n"
                    "        p = f(i)\n"
                    "    for j in tl.static_range(2):\n"
                    "        q = f(1.0)\n",
                    "n=i32"),
            (Lines{"n@6: int32", "n@7: int32", "i@7: int32", "i@8: int32", "a@3: int32",
                   "a@4: int32", "p@8: (int32, int32)", "j@9: constexpr int = 0",
                   "a@3: constexpr float = 1.0", "a@4: constexpr float = 1.0",
                   "q@10: (float32, int32)", "j@9: constexpr int = 1", "a@3: constexpr float = 1.0",
                   "a@4: constexpr float = 1.0", "q@10: (float32, int32)"}));
}

TEST(ObserverTest, StopsWhenAsked) {
  StringRef text = "@triton.jit\ndef k(n):\n    a = n\n    b = a\n    c = b\n";
  bool hasResult = false;
  observe(text, "n=i32", ~0u, &hasResult);
  EXPECT_TRUE(hasResult);
  EXPECT_EQ(observe(text, "n=i32", 2, &hasResult),
            (Lines{"n@3: int32", "n@4: int32", "a@4: int32"}));
  EXPECT_FALSE(hasResult);
}
