//===- CodeLenses.cpp - What becomes of a line, above it --------*- C++ -*-===//
//
// What a kernel takes, how wide its accesses are, what moves between threads: facts of the report,
// for whoever changes the line. They are of the last state of the file that was compiled so far,
// and move along with lines that have not changed since.
//
//===----------------------------------------------------------------------===//

#include "Features.h"

using namespace tilec;
using namespace tilec::ls;
namespace json = llvm::json;
using llvm::StringRef;

namespace {

/// Where lines of an earlier text are now: it has the same lines at the beginning and at the end.
class LineMap {
public:
  LineMap(const Text &earlier, const Text &now)
      : numEarlier(earlier.numLines()), numNow(now.numLines()) {
    size_t most = std::min(numEarlier, numNow);
    while (same < most && earlier.line(same) == now.line(same))
      ++same;
    while (sameAtEnd < most - same &&
           earlier.line(numEarlier - 1 - sameAtEnd) == now.line(numNow - 1 - sameAtEnd))
      ++sameAtEnd;
  }

  /// From 0; nothing for a line that is not there any more.
  std::optional<size_t> find(size_t line) const {
    if (line < same)
      return line;
    if (line < numEarlier && line >= numEarlier - sameAtEnd)
      return line + numNow - numEarlier;
    return std::nullopt;
  }

private:
  size_t numEarlier, numNow, same = 0, sameAtEnd = 0;
};

} // namespace

/// A lens needs a command; one without a name is shown, and does nothing.
static json::Object lensAt(lsp::Range range, StringRef title) {
  return json::Object{{"range", toJSON(range)},
                      {"command", json::Object{{"title", title}, {"command", ""}}}};
}

json::Array ls::codeLenses(const Text &text, const Text &earlier, const LayoutFacts &facts) {
  constexpr size_t most = 3; // As many as a line has room for.
  json::Array lenses;
  LineMap lines(earlier, text);
  for (const auto &[number, notes] : facts.lineNotes()) {
    std::optional<size_t> line = number ? lines.find(number - 1) : std::nullopt;
    if (!line)
      continue;
    StringRef code = text.line(*line);
    size_t start = text.startOfLine(*line);
    lsp::Range range = text.rangeOf(start + code.size() - code.ltrim().size(), start + code.size());
    for (StringRef note : llvm::ArrayRef(notes).take_front(most))
      lenses.push_back(lensAt(range, note));
    if (notes.size() > most)
      lenses.push_back(lensAt(range, (llvm::Twine(notes.size() - most) + " more").str()));
  }
  return lenses;
}
