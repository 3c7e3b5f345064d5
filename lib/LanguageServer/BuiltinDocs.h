//===- BuiltinDocs.h - What builtins do, for readers ------------*- C++ -*-===//
//
// docs/language.md describes the builtins of each module in tables, which tests hold to the tables
// of the compiler. The page is part of the binary, and these are its rows.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_BUILTINDOCS_H
#define TILEC_LIB_LANGUAGESERVER_BUILTINDOCS_H

#include "tilec/Language/BuiltinInfo.h"

namespace tilec::ls {

/// A row of such a table, without links.
struct BuiltinDoc {
  std::string summary;
  std::string cpu, gpu; // "yes" or "no".
  std::string differences;
};

/// The description of a builtin, or null.
const BuiltinDoc *findDoc(const builtins::Info &info);

/// "tl.load(pointer, mask=None)"; of a method without its first parameter.
std::string signatureOf(const builtins::Info &info, bool asMethod = false);

/// What a builtin does, in Markdown, without its signature; empty if nothing is known.
std::string describeBuiltin(const builtins::Info &info);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_BUILTINDOCS_H
