//===- Server.h - Kernels in editors ----------------------------*- C++ -*-===//
//
// A server of the language server protocol for kernel files: diagnostics while somebody types, the
// types of variables, builtins with their documentation, names and where they are defined. What an
// editor is told of a file is what `tilec -fsyntax-only` says with the options in its comments.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGESERVER_SERVER_H
#define TILEC_LANGUAGESERVER_SERVER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace tilec {

struct ServerOptions {
  /// Options of tilec that hold for all files, in front of those of a file's comments.
  std::vector<std::string> compileOptions;
  /// How long the kernels of one state of a file are checked.
  std::chrono::milliseconds checkLimit{2000};
  std::string version; // Reported to clients.
};

/// Answers messages from `in`, which must be unbuffered, on `out`, until the client ends the
/// session or `in` ends. Returns the exit status that the protocol wants: 0 if the client asked for
/// the end in the right way.
int runLanguageServer(std::FILE *in, llvm::raw_ostream &out, const ServerOptions &options);

} // namespace tilec

#endif // TILEC_LANGUAGESERVER_SERVER_H
