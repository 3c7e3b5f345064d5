//===- Messages.h - Parameters of requests ----------------------*- C++ -*-===//
//
// Those that LLVM's protocol library does not have.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_MESSAGES_H
#define TILEC_LIB_LANGUAGESERVER_MESSAGES_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

namespace tilec::ls {

/// A message whose parts are looked up one by one.
struct AnyParams {
  llvm::json::Value value = nullptr;
};
bool fromJSON(const llvm::json::Value &value, AnyParams &result, llvm::json::Path path);

struct RenameParams : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};
bool fromJSON(const llvm::json::Value &value, RenameParams &result, llvm::json::Path path);

/// The words of `tilec.options` in the settings or in initializationOptions, which are a list of
/// strings. Nothing if there is no such setting; `problem` is set if it is no list of strings.
std::optional<std::vector<std::string>> readSettings(const llvm::json::Value &settings,
                                                     std::string &problem);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_MESSAGES_H
