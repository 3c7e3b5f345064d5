//===- Text.h - The text of an open file ------------------------*- C++ -*-===//
//
// Editors count lines from 0 and columns in units of UTF-16; the compiler has offsets in UTF-8. A
// Text knows both. Positions from outside are never trusted: those behind the end of a line or of
// the text are its end, and those inside of a character are its start.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_TEXT_H
#define TILEC_LIB_LANGUAGESERVER_TEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <string>
#include <vector>

namespace tilec::ls {

namespace lsp = llvm::lsp;

class Text {
public:
  explicit Text(std::string contents = "");

  llvm::StringRef str() const { return contents; }
  size_t size() const { return contents.size(); }

  size_t offsetOf(lsp::Position position) const;
  lsp::Position positionOf(size_t offset) const;
  lsp::Range rangeOf(size_t begin, size_t end) const {
    return lsp::Range(positionOf(begin), positionOf(end));
  }
  /// The place of a line and a column of bytes, both counted from 1, as the compiler reports them.
  lsp::Position positionOf(unsigned line, unsigned column) const;
  /// The line without its end; empty behind the last one. Counted from 0.
  llvm::StringRef line(size_t number) const;
  size_t numLines() const { return starts.size(); }
  size_t startOfLine(size_t number) const { return starts[number]; }

  /// Replaces a range, or without one everything.
  void apply(const lsp::TextDocumentContentChangeEvent &change);

private:
  void findLines();

  std::string contents;
  std::vector<size_t> starts; // Of each line; at least one.
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_TEXT_H
