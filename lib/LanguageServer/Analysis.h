//===- Analysis.h - What is known of one state of a file --------*- C++ -*-===//
//
// The result of parsing a text and specializing its kernels, as far as their types are known. It is
// made once for each state of a file, never changes, and answers all questions about that state.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_ANALYSIS_H
#define TILEC_LIB_LANGUAGESERVER_ANALYSIS_H

#include "Options.h"
#include "Syntax.h"
#include "Text.h"
#include "mlir/IR/Location.h"
#include "tilec/Language/AST.h"
#include "tilec/Language/Imports.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <map>
#include <memory>

namespace tilec::ls {

class LayoutFacts;

/// A place of the file by line and column, both from 1, as operations have it.
using ValuePlace = std::pair<unsigned, unsigned>;

/// The innermost place of a location, if that is in `file`.
std::optional<ValuePlace> placeIn(mlir::Location location, llvm::StringRef file);

/// Types that a name at one place of the file has had, each once, in the order of evaluation.
struct ValueFact {
  size_t begin = 0, end = 0;
  std::string name;
  struct Type {
    std::string type;
    std::string constant; // Empty where there is none or where there were several.
    bool isBlock = false;
    std::vector<ValuePlace> places; // Of the operations that have made such blocks.
  };
  std::vector<Type> types;
};

/// An edit that a diagnostic proposes.
struct Proposal {
  lsp::Diagnostic diagnostic;
  lsp::TextEdit edit;
};

struct AnalysisInput {
  lsp::URIForFile uri;
  Text text;
  std::vector<Word> settings; // Options of the editor's settings.
  /// After this time kernels are left half checked.
  std::chrono::milliseconds limit{2000};
};

class Analysis {
public:
  /// Never null and never fails: what goes wrong is among the diagnostics.
  static std::shared_ptr<const Analysis> make(const AnalysisInput &input);

  const Text &text() const { return fileText; }
  const lsp::URIForFile &uri() const { return fileUri; }
  const Syntax &syntax() const { return *fileSyntax; }
  llvm::ArrayRef<lsp::Diagnostic> diagnostics() const { return messages; }
  llvm::ArrayRef<Proposal> proposals() const { return edits; }
  /// Null if the file is no text, or could not be parsed.
  const ast::Module *module() const { return tree; }
  /// Finds modules that the file imports.
  Imports &imports() const { return *fileImports; }
  /// The offset of a place in the file; nothing for places in other files.
  std::optional<size_t> offsetOf(llvm::SMLoc place) const;

  /// Whether there was no error of syntax, so that values are missing only where kernels are wrong.
  bool isWhole() const { return whole; }

  /// What is known of the name that is written at `offset`, or null.
  const ValueFact *valueAt(size_t offset) const;
  /// What is known of all names, by their offsets.
  const std::map<size_t, ValueFact> &values() const { return facts; }

private:
  friend class Checker;
  friend void findLayouts(const AnalysisInput &input, LayoutFacts &facts);
  explicit Analysis(const AnalysisInput &input);

  Text fileText;
  lsp::URIForFile fileUri;
  std::unique_ptr<Syntax> fileSyntax;
  llvm::SourceMgr sources;
  ast::Context trees;
  const ast::Module *tree = nullptr;
  std::unique_ptr<Imports> fileImports;
  std::vector<lsp::Diagnostic> messages;
  std::vector<Proposal> edits;
  std::map<size_t, ValueFact> facts;
  bool whole = false;
};

/// Finds the layouts of the tiles of a file's kernels. Takes longer than Analysis::make.
void findLayouts(const AnalysisInput &input, LayoutFacts &facts);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_ANALYSIS_H
