//===- DiagnosticsTest.cpp - Rendering and counting -------------*- C++ -*-===//
//
// The text form down to the caret's column under tabs, wide characters and cut lines; JSON; colour;
// counting, the error limit, and locations given by plain values.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;
using namespace tilec::test;

namespace {

/// The output for an error at `length` bytes from `offset` of `text`.
std::string render(StringRef text, size_t offset, size_t length) {
  Source source(text);
  source.engine.error(source.range(offset, length), "bad");
  return source.output();
}

TEST(DiagnosticsTest, CaretAndRange) {
  EXPECT_EQ(render("x = 1\nabc = foo(1)\n", 12, 6), "k.py:2:7: error: bad\n"
                                                    "abc = foo(1)\n"
                                                    "      ^~~~~~\n");
  EXPECT_EQ(render("abc", 1, 0), "k.py:1:2: error: bad\nabc\n ^\n");
  EXPECT_EQ(render("abc", 3, 0), "k.py:1:4: error: bad\nabc\n   ^\n");
  EXPECT_EQ(render("", 0, 0), "k.py:1:1: error: bad\n\n^\n");
}

TEST(DiagnosticsTest, RangeOverSeveralLinesIsCutAtTheFirst) {
  EXPECT_EQ(render("f(a,\n  b)\n", 1, 7), "k.py:1:2: error: bad\nf(a,\n ^~~\n");
}

TEST(DiagnosticsTest, TabsExpand) {
  EXPECT_EQ(render("\tx\ty = 1", 3, 1), "k.py:1:4: error: bad\n"
                                        "        x       y = 1\n"
                                        "                ^\n");
  EXPECT_EQ(render("\tx", 0, 2), "k.py:1:1: error: bad\n"
                                 "        x\n"
                                 "^~~~~~~~~\n");
}

TEST(DiagnosticsTest, WideAndCombiningCharacters) {
  // Each of the three characters takes three bytes and two columns.
  EXPECT_EQ(render("漢字x = y", 7, 1), "k.py:1:8: error: bad\n漢字x = y\n     ^\n");
  EXPECT_EQ(render("漢字x", 3, 3), "k.py:1:4: error: bad\n漢字x\n  ^~\n");
  // An accent as a code point of its own takes no column.
  EXPECT_EQ(render("e\xCC\x81 = y", 6, 1), "k.py:1:7: error: bad\ne\xCC\x81 = y\n    ^\n");
}

TEST(DiagnosticsTest, ControlAndInvalidBytesAreSpelledOut) {
  EXPECT_EQ(render("a\x01"
                   "b\xFF"
                   "c",
                   4, 1),
            "k.py:1:5: error: bad\na<U+0001>b<FF>c\n              ^\n");
}

TEST(DiagnosticsTest, LongLinesShowAWindow) {
  std::string line(1000000, 'a');
  line[500000] = '$';
  std::string output = render(line, 500000, 1);
  EXPECT_LT(output.size(), 400u);
  SmallVector<StringRef, 4> lines;
  StringRef(output).split(lines, '\n');
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "k.py:1:500001: error: bad");
  EXPECT_TRUE(lines[1].starts_with("...") && lines[1].ends_with("..."));
  EXPECT_EQ(lines[1][lines[2].find('^')], '$');
}

TEST(DiagnosticsTest, LongLineEnds) {
  std::string line(1000, 'a');
  SmallVector<StringRef, 4> lines;
  std::string output = render(line, 2, 900);
  StringRef(output).split(lines, '\n');
  EXPECT_EQ(lines[1], std::string(120, 'a') + "...");
  EXPECT_EQ(lines[2], "  ^" + std::string(117, '~'));
  lines.clear();
  output = render(line, 999, 1);
  StringRef(output).split(lines, '\n');
  EXPECT_EQ(lines[1], "..." + std::string(120, 'a'));
  EXPECT_EQ(lines[2], std::string(122, ' ') + "^");
}

TEST(DiagnosticsTest, WideCharactersAtTheEdgeOfTheWindow) {
  std::string line;
  for (int i = 0; i < 2000; ++i)
    line += "漢";
  for (size_t offset : {0u, 3u, 2997u, 3000u, 5997u}) {
    std::string output = render(line, offset, 3);
    EXPECT_EQ(output.find("<"), std::string::npos) << output; // No character was cut in half.
  }
}

TEST(DiagnosticsTest, NotesFollowAndFixItsShow) {
  Source source("if a = b:\n");
  source.engine.error(source.range(5, 1), "expected ':'")
      .note(source.range(0, 2), "the 'if' is here")
      .fixIt(source.range(5, 1), "==");
  EXPECT_EQ(source.output(), "k.py:1:6: error: expected ':'\n"
                             "if a = b:\n"
                             "     ^\n"
                             "     ==\n"
                             "k.py:1:1: note: the 'if' is here\n"
                             "if a = b:\n"
                             "^~\n");
}

TEST(DiagnosticsTest, BuilderEmitsOnce) {
  Source source("x");
  {
    DiagnosticBuilder first = source.engine.error(source.range(0, 1), "bad");
    EXPECT_EQ(source.output(), "");
    DiagnosticBuilder second = std::move(first);
    second.emit();
    second.emit();
  }
  EXPECT_EQ(source.messages(), "1:1: error: bad\n");
  EXPECT_EQ(source.engine.errorCount(), 1u);
}

TEST(DiagnosticsTest, WithoutAPlace) {
  Source source("x");
  source.engine.error(SMRange(), "no kernel named 'k'");
  EXPECT_EQ(source.output(), "error: no kernel named 'k'\n");
}

TEST(DiagnosticsTest, SeveritiesAreCounted) {
  Source source("x");
  source.engine.warning(source.range(0, 1), "w");
  source.engine.remark(source.range(0, 1), "r");
  EXPECT_FALSE(source.engine.hasErrors());
  EXPECT_EQ(source.engine.warningCount(), 1u);
  EXPECT_EQ(source.messages(), "1:1: warning: w\n1:1: remark: r\n");
}

TEST(DiagnosticsTest, WarningOptions) {
  DiagnosticOptions asErrors;
  asErrors.warningsAsErrors = true;
  Source strict("x", asErrors);
  strict.engine.warning(strict.range(0, 1), "w");
  EXPECT_EQ(strict.messages(), "1:1: error: w\n");
  EXPECT_EQ(strict.engine.errorCount(), 1u);
  EXPECT_EQ(strict.engine.warningCount(), 0u);

  DiagnosticOptions quiet = asErrors;
  quiet.ignoreWarnings = true;
  Source silent("x", quiet);
  silent.engine.warning(silent.range(0, 1), "w");
  EXPECT_EQ(silent.output(), "");
  EXPECT_FALSE(silent.engine.hasErrors());
}

TEST(DiagnosticsTest, ErrorLimit) {
  DiagnosticOptions options;
  options.errorLimit = 2;
  Source source("x", options);
  for (int i = 0; i < 2; ++i)
    source.engine.error(source.range(0, 1), "bad");
  EXPECT_FALSE(source.engine.limitReached());
  source.engine.error(source.range(0, 1), "bad").note(source.range(0, 1), "why");
  EXPECT_TRUE(source.engine.limitReached());
  source.engine.warning(source.range(0, 1), "dropped");
  EXPECT_EQ(source.messages(), "1:1: error: bad\n1:1: error: bad\n");
  StringRef output = source.output();
  EXPECT_TRUE(output.ends_with("error: too many errors emitted, stopping now\n"));
  EXPECT_EQ(source.engine.errorCount(), 2u);

  options.errorLimit = 0;
  Source unlimited("x", options);
  for (int i = 0; i < 100; ++i)
    unlimited.engine.error(unlimited.range(0, 1), "bad");
  EXPECT_EQ(unlimited.engine.errorCount(), 100u);
  EXPECT_FALSE(unlimited.engine.limitReached());
}

TEST(DiagnosticsTest, Colour) {
  DiagnosticOptions options;
  options.color = true;
  Source source("x", options);
  source.engine.error(source.range(0, 1), "bad");
  EXPECT_EQ(source.output(), "\x1b[1mk.py:1:1: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1mbad\x1b[0m\n"
                             "x\n"
                             "\x1b[1;32m^\x1b[0m\n");
}

//===----------------------------------------------------------------------===//
// Locations by plain values
//===----------------------------------------------------------------------===//

TEST(DiagnosticsTest, FileLocOfALoadedFile) {
  Source source("a\r\n\tbcd\n");
  source.engine.report(Severity::Error, FileLoc{"k.py", 2, 2, 4}, "bad");
  EXPECT_EQ(source.output(), "k.py:2:2: error: bad\n        bcd\n        ^~\n");
}

TEST(DiagnosticsTest, FileLocBeyondTheText) {
  Source source("abc\n");
  source.engine.report(Severity::Error, FileLoc{"k.py", 1, 99, 120}, "bad");
  EXPECT_EQ(source.output(), "k.py:1:4: error: bad\nabc\n   ^\n");
  Source other("abc\n");
  other.engine.report(Severity::Error, FileLoc{"k.py", 9, 5}, "bad");
  EXPECT_EQ(other.output(), "k.py:9:5: error: bad\n");
}

TEST(DiagnosticsTest, FileLocOfAnotherFile) {
  Source source("abc\n");
  source.engine.report(Severity::Error, FileLoc{"lib.py", 3, 4}, "bad")
      .note(FileLoc{"k.py", 1, 2}, "called here")
      .note(FileLoc{"lib.py"}, "somewhere here");
  EXPECT_EQ(source.output(), "lib.py:3:4: error: bad\n"
                             "k.py:1:2: note: called here\nabc\n ^\n"
                             "lib.py: note: somewhere here\n");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

TEST(DiagnosticsTest, JSONHoldsEverything) {
  DiagnosticOptions options;
  options.format = DiagnosticFormat::JSON;
  Source source("x = \"ü\"\ny = z\n", options);
  source.engine.error(source.range(13, 1), "unknown name 'z'")
      .note(source.range(0, 8), "a \"note\"")
      .fixIt(source.range(13, 1), "y");
  EXPECT_EQ(source.output(),
            "{\"file\":\"k.py\",\"line\":2,\"column\":5,\"endLine\":2,\"endColumn\":6,"
            "\"severity\":\"error\",\"message\":\"unknown name 'z'\","
            "\"notes\":[{\"file\":\"k.py\",\"line\":1,\"column\":1,\"endLine\":1,\"endColumn\":9,"
            "\"severity\":\"note\",\"message\":\"a \\\"note\\\"\"}],"
            "\"fixits\":[{\"line\":2,\"column\":5,\"endLine\":2,\"endColumn\":6,"
            "\"text\":\"y\"}]}\n");
}

TEST(DiagnosticsTest, EveryJSONLineParses) {
  DiagnosticOptions options;
  options.format = DiagnosticFormat::JSON;
  options.errorLimit = 2;
  Source source("a\nb\n", options);
  source.engine.error(SMRange(), "no place");
  source.engine.report(Severity::Error, FileLoc{"other.py", 3, 4}, "bad \xFF byte\n");
  source.engine.error(source.range(0, 1), "one too many");
  SmallVector<StringRef, 4> lines;
  StringRef(source.output()).split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), 3u);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    ASSERT_TRUE(bool(value)) << toString(value.takeError());
    EXPECT_EQ(value->getAsObject()->getString("severity"), StringRef("error"));
  }
  EXPECT_EQ(json::parse(lines[0])->getAsObject()->get("file"), nullptr);
  EXPECT_EQ(json::parse(lines[1])->getAsObject()->getInteger("line"), 3);
}

} // namespace
