//===- Features.h - Answers to questions about a file -----------*- C++ -*-===//
//
// What the server answers, as functions of an Analysis and a position. None of them changes
// anything, and each takes any position.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_FEATURES_H
#define TILEC_LIB_LANGUAGESERVER_FEATURES_H

#include "Analysis.h"
#include "Layouts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilec::ls {

/// What is known of the layouts of a block, as text behind its type; may be empty.
using LayoutWords = llvm::function_ref<std::string(const ValueFact::Type &type)>;

/// What is known of the name at a position: of builtins and functions their parameters and what
/// they do, of variables their types, and of a block its layouts.
std::optional<lsp::Hover> hover(const Analysis &analysis, lsp::Position position,
                                LayoutWords layouts);

/// The names that may stand at a position. `older`, which may be null, is an earlier state of the
/// file that could be checked: types of variables are taken from it where this one has none.
lsp::CompletionList complete(const Analysis &analysis, const Analysis *older,
                             lsp::Position position);

/// The function that is called around a position, and which of its parameters is next.
lsp::SignatureHelp signatureHelp(const Analysis &analysis, lsp::Position position);

/// Where the name at a position is defined, in whatever file.
std::vector<lsp::Location> definition(const Analysis &analysis, lsp::Position position);

/// Where the name at a position is written in this file, with what binds it.
std::vector<lsp::Range> occurrences(const Analysis &analysis, lsp::Position position);

/// The range of the name at a position if it can be renamed; otherwise an error that says why not.
llvm::Expected<lsp::Range> prepareRename(const Analysis &analysis, lsp::Position position);

/// Edits that give the name at a position another name everywhere in this file, or an error.
llvm::Expected<lsp::WorkspaceEdit> rename(const Analysis &analysis, lsp::Position position,
                                          llvm::StringRef name);

/// Functions, classes and constants of a file.
std::vector<lsp::DocumentSymbol> documentSymbols(const Analysis &analysis);

/// The shapes of variables, behind their assignments in a range.
std::vector<lsp::InlayHint> inlayHints(const Analysis &analysis, lsp::Range range);

/// What becomes of lines: the notes of `facts`, above the lines. These are of `earlier`, which may
/// be an earlier text of the file; lines that have changed since have none.
llvm::json::Array codeLenses(const Text &text, const Text &earlier, const LayoutFacts &facts);

/// What diagnostics in a range propose.
std::vector<lsp::CodeAction> codeActions(const Analysis &analysis, lsp::Range range);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_FEATURES_H
