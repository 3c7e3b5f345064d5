//===- DiagnosticRender.cpp - Diagnostics as text and JSON ------*- C++ -*-===//
//
// Prints diagnostics in clang's layout or as JSON. The source line is first turned into cells, one
// per code point, that know their display width: tabs expand to stops of 8, wide characters take
// two columns, control characters are spelled out. Caret and underline are then laid out by display
// column, which keeps them under the right character whatever the line holds. Of a long line only a
// window around the caret is looked at, so that a line of a megabyte costs and prints no more than
// a short one.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Diagnostics.h"

#include "LineInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace tilec {
namespace {

constexpr unsigned tabStop = 8;
/// Most display columns of source printed, and most bytes looked at on each side of the caret.
constexpr unsigned maxColumns = 120;
constexpr size_t maxBytes = 480;

/// One code point of the line as it is displayed.
struct Cell {
  const char *begin; // In the source.
  unsigned column;   // Display column, from 0.
  std::string text;  // What is printed.
  unsigned width;    // Display columns taken.
};

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Decodes the code point at `p` and advances; 0xFFFFFFFF for a byte that is no UTF-8.
uint32_t decode(const char *&p, const char *end) {
  const UTF8 *source = reinterpret_cast<const UTF8 *>(p);
  UTF32 codePoint = 0;
  if (llvm::convertUTF8Sequence(&source, reinterpret_cast<const UTF8 *>(end), &codePoint,
                                strictConversion) != conversionOK) {
    ++p;
    return ~0u;
  }
  p = reinterpret_cast<const char *>(source);
  return codePoint;
}

Cell makeCell(const char *&p, const char *end, unsigned column) {
  const char *begin = p;
  if (*p == '\t') {
    ++p;
    unsigned width = tabStop - column % tabStop;
    return {begin, column, std::string(width, ' '), width};
  }
  uint32_t codePoint = decode(p, end);
  StringRef bytes(begin, p - begin);
  std::string text;
  if (codePoint == ~0u)
    text = "<" + utohexstr(static_cast<unsigned char>(*begin), false, 2) + ">";
  else if (!sys::unicode::isPrintable(static_cast<int>(codePoint)))
    text = "<U+" + utohexstr(codePoint, false, 4) + ">";
  else {
    int width = std::max(0, sys::unicode::columnWidthUTF8(bytes));
    return {begin, column, bytes.str(), static_cast<unsigned>(width)};
  }
  return {begin, column, text, static_cast<unsigned>(text.size())};
}

/// The part of a source line that is shown, with the marks under it.
class Snippet {
public:
  Snippet(StringRef line, const char *markBegin, const char *markEnd) : line(line) {
    const char *from = line.begin();
    const char *to = line.end();
    if (markBegin - from > static_cast<ptrdiff_t>(maxBytes))
      from = markBegin - maxBytes;
    if (to - markBegin > static_cast<ptrdiff_t>(maxBytes))
      to = markBegin + maxBytes;
    while (from != line.begin() && isContinuation(*from))
      --from;
    while (to != line.end() && isContinuation(*to))
      ++to;
    unsigned column = 0;
    for (const char *p = from; p != to;) {
      cells.push_back(makeCell(p, to, column));
      column += cells.back().width;
    }
    width = column;
    cutFront = from != line.begin();
    cutBack = to != line.end();
    crop(columnOf(markBegin));
    first = columnOf(markBegin);
    last = std::max(first + 1, columnOf(std::min(markEnd, line.end())));
  }

  std::string sourceLine() const {
    std::string text = cutFront ? "..." : "";
    for (const Cell &cell : cells)
      text += cell.text;
    // Blanks at the end carry no information but would show up in test expectations.
    if (!cutBack)
      text.erase(text.find_last_not_of(' ') + 1);
    return cutBack ? text + "..." : text;
  }

  std::string markLine() const {
    std::string text(prefix() + first, ' ');
    text += '^';
    if (std::min(last, width) > first + 1)
      text.append(std::min(last, width) - first - 1, '~');
    return text;
  }

  /// The replacements under the places they go to; empty if there is none on this line.
  std::string fixItLine(ArrayRef<FixIt> fixIts) const {
    std::string text;
    for (const FixIt &fix : fixIts) {
      const char *at = fix.range.Start.getPointer();
      bool onLine = at >= line.begin() && at <= line.end();
      if (!onLine || fix.replacement.empty() || StringRef(fix.replacement).contains('\n'))
        continue;
      size_t column = prefix() + columnOf(at);
      if (column > text.size())
        text.append(column - text.size(), ' ');
      else if (!text.empty())
        text += ' ';
      text += fix.replacement;
    }
    return text;
  }

private:
  unsigned prefix() const { return cutFront ? 3 : 0; }

  /// Display column of a source position, relative to the cells kept.
  unsigned columnOf(const char *at) const {
    auto it = std::partition_point(cells.begin(), cells.end(),
                                   [&](const Cell &cell) { return cell.begin < at; });
    unsigned base = cells.empty() ? 0 : cells.front().column;
    if (it == cells.end())
      return width;
    // A position inside a code point belongs to that code point.
    if (it->begin > at && it != cells.begin())
      --it;
    return it->column - base;
  }

  /// Keeps at most maxColumns columns, those around `caret`.
  void crop(unsigned caret) {
    if (width <= maxColumns)
      return;
    unsigned from = caret > maxColumns / 3 ? caret - maxColumns / 3 : 0;
    from = std::min(from, width - maxColumns);
    unsigned to = from + maxColumns;
    auto begin = std::find_if(cells.begin(), cells.end(),
                              [&](const Cell &cell) { return cell.column >= from; });
    auto end = std::find_if(begin, cells.end(),
                            [&](const Cell &cell) { return cell.column + cell.width > to; });
    cutFront |= begin != cells.begin();
    cutBack |= end != cells.end();
    cells.erase(end, cells.end());
    cells.erase(cells.begin(), begin);
    width = cells.empty() ? 0 : cells.back().column + cells.back().width - cells.front().column;
  }

  StringRef line;
  std::vector<Cell> cells;
  unsigned width = 0;
  unsigned first = 0;
  unsigned last = 0;
  bool cutFront = false;
  bool cutBack = false;
};

StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  llvm_unreachable("all severities are named");
}

StringRef severityColor(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "\x1b[1;31m";
  case Severity::Warning:
    return "\x1b[1;35m";
  case Severity::Remark:
    return "\x1b[1;34m";
  case Severity::Note:
    return "\x1b[1;36m";
  }
  llvm_unreachable("all severities have a colour");
}

/// Writes `text` between escape sequences if `color` asks for them.
void paint(raw_ostream &os, bool color, StringRef escape, StringRef text) {
  if (color)
    os << escape << text << "\x1b[0m";
  else
    os << text;
}

void renderPlaceJSON(json::OStream &json, const DiagnosticPlace &place) {
  if (place.file.empty())
    return;
  json.attribute("file", json::fixUTF8(place.file));
  if (!place.line)
    return;
  json.attribute("line", place.line);
  json.attribute("column", place.column);
  json.attribute("endLine", place.endLine);
  json.attribute("endColumn", place.endColumn);
}

void renderFixItsJSON(json::OStream &json, const SourceMgr &sourceMgr,
                      const DiagnosticMessage &message) {
  if (message.fixIts.empty() || !message.place.bufferId)
    return;
  StringRef text = sourceMgr.getMemoryBuffer(message.place.bufferId)->getBuffer();
  json.attributeArray("fixits", [&] {
    for (const FixIt &fix : message.fixIts) {
      LineColumn begin = lineAndColumn(text, fix.range.Start.getPointer());
      LineColumn end = lineAndColumn(text, fix.range.End.getPointer());
      json.object([&] {
        json.attribute("line", begin.line);
        json.attribute("column", begin.column);
        json.attribute("endLine", end.line);
        json.attribute("endColumn", end.column);
        json.attribute("text", json::fixUTF8(fix.replacement));
      });
    }
  });
}

} // namespace

void renderText(raw_ostream &os, const SourceMgr &sourceMgr, const DiagnosticMessage &message,
                bool color) {
  const DiagnosticPlace &place = message.place;
  std::string where;
  if (!place.file.empty()) {
    where = place.file + ":";
    if (place.line)
      where += utostr(place.line) + ":";
    if (place.line && place.column)
      where += utostr(place.column) + ":";
    where += " ";
  }
  paint(os, color, "\x1b[1m", where);
  paint(os, color, severityColor(message.severity), (severityName(message.severity) + ": ").str());
  paint(os, color, "\x1b[1m", message.text);
  os << '\n';
  if (!place.bufferId)
    return;
  StringRef text = sourceMgr.getMemoryBuffer(place.bufferId)->getBuffer();
  const char *begin = std::max(place.range.Start.getPointer(), withoutBOM(text).begin());
  StringRef line = lineAround(text, begin);
  Snippet snippet(line, begin, place.range.End.getPointer());
  os << snippet.sourceLine() << '\n';
  paint(os, color, "\x1b[1;32m", snippet.markLine());
  os << '\n';
  std::string fixes = snippet.fixItLine(message.fixIts);
  if (!fixes.empty()) {
    paint(os, color, "\x1b[32m", fixes);
    os << '\n';
  }
}

void renderJSON(raw_ostream &os, const SourceMgr &sourceMgr, const DiagnosticMessage &message,
                ArrayRef<DiagnosticMessage> notes) {
  json::OStream json(os);
  json.object([&] {
    renderPlaceJSON(json, message.place);
    json.attribute("severity", severityName(message.severity));
    json.attribute("message", json::fixUTF8(message.text));
    json.attributeArray("notes", [&] {
      for (const DiagnosticMessage &note : notes)
        json.object([&] {
          renderPlaceJSON(json, note.place);
          json.attribute("severity", severityName(note.severity));
          json.attribute("message", json::fixUTF8(note.text));
        });
    });
    renderFixItsJSON(json, sourceMgr, message);
  });
  os << '\n';
}

} // namespace tilec
