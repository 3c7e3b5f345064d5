//===- LineInfo.cpp - Lines and columns of a text buffer --------*- C++ -*-===//
//
// Finds line starts and ends in a text that may use any of the three line ends, and may start with
// a byte order mark. Positions count lines and columns from 1. Diagnostics and the lexer share
// these rules, so that an error's line and column are those of an editor.
//
//===----------------------------------------------------------------------===//

#include "LineInfo.h"

using namespace llvm;

namespace tilec {

StringRef withoutBOM(StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  return text;
}

const char *endOfLine(const char *at, const char *end) {
  while (at != end && *at != '\n' && *at != '\r')
    ++at;
  return at;
}

const char *skipLineEnd(const char *at, const char *end) {
  if (at == end)
    return end;
  if (*at == '\r' && at + 1 != end && at[1] == '\n')
    return at + 2;
  return at + 1;
}

LineColumn lineAndColumn(StringRef text, const char *at, LineColumn known, const char *knownAt) {
  text = withoutBOM(text);
  if (at < text.begin())
    at = text.begin();
  LineColumn result = known;
  const char *lineStart = text.begin();
  if (knownAt && knownAt >= lineStart)
    lineStart = knownAt - (known.column - 1);
  for (;;) {
    const char *lineEnd = endOfLine(lineStart, text.end());
    const char *next = skipLineEnd(lineEnd, text.end());
    // `at` may point between CR and LF; it then still belongs to the line they end.
    if (at < next || next == lineEnd)
      break;
    lineStart = next;
    ++result.line;
  }
  result.column = static_cast<unsigned>(at - lineStart) + 1;
  return result;
}

std::optional<StringRef> lineText(StringRef text, unsigned line) {
  text = withoutBOM(text);
  const char *start = text.begin();
  for (unsigned number = 1;; ++number) {
    const char *lineEnd = endOfLine(start, text.end());
    if (number == line)
      return StringRef(start, lineEnd - start);
    if (lineEnd == text.end())
      return std::nullopt;
    start = skipLineEnd(lineEnd, text.end());
  }
}

StringRef lineAround(StringRef text, const char *at) {
  text = withoutBOM(text);
  if (at < text.begin())
    at = text.begin();
  const char *start = at;
  while (start != text.begin() && start[-1] != '\n' && start[-1] != '\r')
    --start;
  const char *lineEnd = endOfLine(at, text.end());
  return StringRef(start, lineEnd - start);
}

} // namespace tilec
