//===- DiagnosticReader.h - Diagnostics for editors -------------*- C++ -*-===//
//
// The compiler writes diagnostics as lines of JSON. This makes diagnostics of the language server
// protocol of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_DIAGNOSTICREADER_H
#define TILEC_LIB_LANGUAGESERVER_DIAGNOSTICREADER_H

#include "Analysis.h"

namespace tilec::ls {

/// The name of the buffer that holds the text of the option with this number.
std::string optionBufferName(size_t number);

class DiagnosticReader {
public:
  /// `options` are the words of the buffers that optionBufferName() numbers.
  DiagnosticReader(const Text &text, const lsp::URIForFile &uri, llvm::ArrayRef<Word> options)
      : text(text), uri(uri), options(options) {}

  /// Appends the diagnostics that `lines` hold, and what they propose.
  void read(llvm::StringRef lines, std::vector<lsp::Diagnostic> &diagnostics,
            std::vector<Proposal> &proposals) const;

private:
  bool isHere(const llvm::json::Object &message) const;
  std::optional<lsp::Range> rangeOf(const llvm::json::Object &message) const;
  std::optional<lsp::Location> locationOf(const llvm::json::Object &message) const;
  lsp::Diagnostic readOne(const llvm::json::Object &message) const;
  void readFixIts(const llvm::json::Object &message, const lsp::Diagnostic &diagnostic,
                  std::vector<Proposal> &proposals) const;

  const Text &text;
  const lsp::URIForFile &uri;
  llvm::ArrayRef<Word> options;
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_DIAGNOSTICREADER_H
