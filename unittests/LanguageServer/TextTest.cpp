//===- TextTest.cpp - Positions of UTF-16 in UTF-8 --------------*- C++ -*-===//

#include "Text.h"

#include "gtest/gtest.h"

using namespace tilec::ls;

static lsp::TextDocumentContentChangeEvent change(int line, int begin, int endLine, int end,
                                                  std::string text) {
  lsp::TextDocumentContentChangeEvent event;
  event.range = lsp::Range(lsp::Position(line, begin), lsp::Position(endLine, end));
  event.text = std::move(text);
  return event;
}

TEST(TextTest, CountsUnitsOfUTF16) {
  Text text("a\u00e9\u4e2d\U0001F600z\nb\n"); // 1, 2, 3 and 4 bytes; the last is two units.
  EXPECT_EQ(text.offsetOf(lsp::Position(0, 1)), 1u);
  EXPECT_EQ(text.offsetOf(lsp::Position(0, 2)), 3u);
  EXPECT_EQ(text.offsetOf(lsp::Position(0, 3)), 6u);
  EXPECT_EQ(text.offsetOf(lsp::Position(0, 5)), 10u);
  EXPECT_EQ(text.positionOf(10), lsp::Position(0, 5));
  EXPECT_EQ(text.positionOf(12), lsp::Position(1, 0));
  EXPECT_EQ(text.positionOf(/*line=*/1u, /*column=*/11u), lsp::Position(0, 5));
}

TEST(TextTest, PutsPlacesOutsideInside) {
  Text text("ab\r\nc");
  EXPECT_EQ(text.offsetOf(lsp::Position(0, 100)), 2u);
  EXPECT_EQ(text.offsetOf(lsp::Position(7, 0)), 5u);
  EXPECT_EQ(text.offsetOf(lsp::Position(-1, -1)), 0u);
  EXPECT_EQ(text.positionOf(size_t(100)), lsp::Position(1, 1));
  EXPECT_EQ(text.positionOf(9u, 9u), lsp::Position(1, 1));
  // In the middle of a character.
  EXPECT_EQ(Text("\U0001F600x").offsetOf(lsp::Position(0, 1)), 0u);
}

TEST(TextTest, AppliesChanges) {
  Text text("one\ntwo\n");
  text.apply(change(0, 1, 1, 1, "\u00e9\n"));
  EXPECT_EQ(text.str(), "o\u00e9\nwo\n");
  text.apply(change(1, 2, 0, 2, "-")); // Backwards.
  EXPECT_EQ(text.str(), "o\u00e9-\n");
  EXPECT_EQ(text.numLines(), 2u);
  lsp::TextDocumentContentChangeEvent all;
  all.text = "new";
  text.apply(all);
  EXPECT_EQ(text.str(), "new");
}
