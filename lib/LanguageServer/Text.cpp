//===- Text.cpp - The text of an open file ----------------------*- C++ -*-===//
//
// Conversions between offsets of UTF-8 and positions of UTF-16, and edits.
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tilec::ls;
using llvm::StringRef;

Text::Text(std::string text) : contents(std::move(text)) { findLines(); }

void Text::findLines() {
  starts.assign(1, 0);
  for (size_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      starts.push_back(i + 1);
}

StringRef Text::line(size_t number) const {
  if (number >= starts.size())
    return StringRef();
  size_t end = number + 1 < starts.size() ? starts[number + 1] : contents.size();
  return StringRef(contents).slice(starts[number], end).rtrim("\r\n");
}

static bool continuesCharacter(char byte) { return (byte & 0xC0) == 0x80; }

/// Units of UTF-16 of the character that starts with `byte`.
static unsigned unitsOf(char byte) { return (static_cast<unsigned char>(byte) >= 0xF0) ? 2 : 1; }

size_t Text::offsetOf(lsp::Position position) const {
  if (position.line < 0)
    return 0;
  if (size_t(position.line) >= starts.size())
    return contents.size();
  StringRef text = line(position.line);
  size_t at = 0;
  for (int units = 0; at < text.size(); ++at) {
    if (continuesCharacter(text[at]))
      continue;
    units += unitsOf(text[at]);
    if (units > position.character)
      break;
  }
  return starts[position.line] + at;
}

lsp::Position Text::positionOf(size_t offset) const {
  offset = std::min(offset, contents.size());
  size_t number = llvm::upper_bound(starts, offset) - starts.begin() - 1;
  int units = 0;
  for (char byte : StringRef(contents).slice(starts[number], offset))
    if (!continuesCharacter(byte))
      units += unitsOf(byte);
  return lsp::Position(number, units);
}

lsp::Position Text::positionOf(unsigned lineNumber, unsigned column) const {
  if (lineNumber == 0)
    return lsp::Position(0, 0);
  if (lineNumber > starts.size())
    return positionOf(contents.size());
  size_t inLine = std::min<size_t>(column ? column - 1 : 0, line(lineNumber - 1).size());
  return positionOf(starts[lineNumber - 1] + inLine);
}

void Text::apply(const lsp::TextDocumentContentChangeEvent &change) {
  if (!change.range) {
    contents = change.text;
  } else {
    size_t begin = offsetOf(change.range->start), end = offsetOf(change.range->end);
    if (end < begin)
      std::swap(begin, end);
    contents.replace(begin, end - begin, change.text);
  }
  findLines();
}
