//===- LayoutsTest.cpp - Layouts in words -----------------------*- C++ -*-===//

#include "Layouts.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace tilec;
using namespace tilec::ls;
using namespace tilec::layout;

static std::string describe(const Shape &shape, const LinearLayout::BasisLists &bases) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(shape, bases, error);
  return layout ? describeLayout(*layout) : error;
}

TEST(LayoutsTest, WhoHoldsWhat) {
  EXPECT_EQ(describe({4, 8}, {{{{0, 1}, {1, 0}}, {{0, 2}, {0, 4}}, {{2, 0}}, {}}}),
            "4 elements a thread, 2 neighbours side by side\n\n"
            "| | axis 0 | axis 1 |\n|---|---|---|\n| registers | 2 | 2 |\n| lanes | 1 | 4 |\n"
            "| warps | 2 | 1 |");
  // Neighbours along another axis are none in memory.
  EXPECT_EQ(describe({2, 2}, {{{{1, 0}}, {{0, 1}}, {}, {}}}),
            "2 elements a thread\n\n| | axis 0 | axis 1 |\n|---|---|---|\n| registers | 2 | 1 |\n"
            "| lanes | 1 | 2 |");
}

TEST(LayoutsTest, CopiesAndClusters) {
  EXPECT_EQ(describe({4}, {{{{0}}, {{1}, {0}}, {}, {{2}}}}),
            "1 element a thread\n\n| | axis 0 | copies |\n|---|---|---|\n| registers | 1 | 2 |\n"
            "| lanes | 2 | 2 |\n| CTAs | 2 | 1 |");
}

TEST(LayoutsTest, SeveralAxesAtOnce) {
  EXPECT_EQ(describe({2, 2}, {{{{0, 1}}, {{1, 1}}, {}, {}}}),
            "2 elements a thread, 2 neighbours side by side\n\n"
            "| | axis 0 | axis 1 |\n|---|---|---|\n| registers | 1 | 2 |\n| lanes | 2 | 1 |\n\n"
            "Some move along several axes at once.");
}

TEST(LayoutsTest, ATileOfOneElement) {
  EXPECT_EQ(describeLayout(LinearLayout()), "1 element a thread\n\n| |\n|---|\n| registers |");
}

/// A kernel with a tile of so many elements.
static AnalysisInput inputOf(const std::string &size) {
  AnalysisInput input;
  input.uri = llvm::cantFail(lsp::URIForFile::fromFile("/kernels/k.py"));
  input.text = Text("# tilec: --sig=k:x=*fp32 -DSIZE=" + size +
                    " --num-warps=1\nimport triton\nimport triton.language as tl\n"
                    "@triton.jit\ndef k(x, SIZE: tl.constexpr):\n"
                    "    tile = tl.load(x + tl.arange(0, SIZE))\n"
                    "    tl.store(x + tl.arange(0, SIZE), tile)\n");
  return input;
}

TEST(LayoutsTest, WhatWasMissingIsAnnounced) {
  std::atomic<int> calls{0};
  LayoutWorker worker([&] { ++calls; });
  auto wait = [&] {
    while (worker.isBusy())
      std::this_thread::yield();
  };
  AnalysisInput first = inputOf("64"), second = inputOf("128");
  std::shared_ptr<const Analysis> known = Analysis::make(first), next = Analysis::make(second);
  EXPECT_FALSE(worker.find(known, first, std::chrono::milliseconds(0)));
  wait();
  EXPECT_EQ(calls, 1);
  // What is known is not, and what comes meanwhile has the state before.
  std::shared_ptr<const LayoutFacts> facts =
      worker.find(known, first, std::chrono::milliseconds(0));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->lineNotes().count(6), 1u);
  EXPECT_EQ(calls, 1);
  // Unless somebody wants to be told in any case.
  worker.announce(known, first);
  EXPECT_EQ(calls, 2);
  worker.find(next, second, std::chrono::milliseconds(0));
  EXPECT_EQ(worker.last(first.uri).analysis, known);
  EXPECT_EQ(worker.last(first.uri).facts, facts);
  worker.beQuiet();
  wait();
  int before = calls;
  worker.find(Analysis::make(first), first, std::chrono::milliseconds(0));
  wait();
  EXPECT_EQ(calls, before);
}

TEST(LayoutsTest, EachFileHasItsOwn) {
  LayoutWorker worker(nullptr);
  AnalysisInput first = inputOf("64"), second = inputOf("128");
  second.uri = llvm::cantFail(lsp::URIForFile::fromFile("/kernels/other.py"));
  EXPECT_FALSE(worker.last(first.uri).facts);
  for (const AnalysisInput &input : {first, second}) {
    worker.announce(Analysis::make(input), input);
    while (worker.isBusy())
      std::this_thread::yield();
  }
  EXPECT_TRUE(worker.last(first.uri).facts);
  EXPECT_TRUE(worker.last(second.uri).facts);
  worker.forget(first.uri);
  EXPECT_FALSE(worker.last(first.uri).facts);
  EXPECT_TRUE(worker.last(second.uri).facts);
}

TEST(LayoutsTest, TheLastStateCounts) {
  LayoutWorker worker(nullptr);
  constexpr std::chrono::milliseconds patience(60000);
  for (std::string size : {"64", "128", "256"}) {
    AnalysisInput input = inputOf(size);
    std::shared_ptr<const Analysis> analysis = Analysis::make(input);
    worker.find(analysis, input, std::chrono::milliseconds(0));
    // Behind an earlier state it does not wait.
    std::shared_ptr<const LayoutFacts> facts;
    while (!(facts = worker.find(analysis, input, patience)))
      std::this_thread::yield();
    std::vector<LinearLayout> found = facts->find({6, 12}, "float32[" + size + "]");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(std::to_string(found.front().numElements()), size);
    EXPECT_TRUE(facts->find({6, 12}, "float32[32]").empty());
    EXPECT_TRUE(facts->find({1, 1}, "float32[" + size + "]").empty());
  }
  while (worker.isBusy())
    std::this_thread::yield();
}
