//===- Callee.h - Functions as readers see them -----------------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGESERVER_CALLEE_H
#define TILEC_LIB_LANGUAGESERVER_CALLEE_H

#include "Resolver.h"

namespace tilec::ls {

/// A function with its parameters.
struct Callee {
  std::string label;               // "add(x, y, BLOCK: tl.constexpr = 128)".
  std::vector<std::string> params; // Each as it is in the label.
  std::string documentation;       // Markdown.

  /// The name of a parameter: "BLOCK".
  llvm::StringRef nameOf(size_t param) const;
};

/// The function that a builtin is; nothing for types, constants and modules.
std::optional<Callee> calleeOf(const builtins::Info &info, bool asMethod = false);
/// A function that the user has written.
Callee calleeOf(const ast::FunctionDef &function);
/// The function that the name with this index of the syntax stands for, if it is known.
std::optional<Callee> calleeOf(const Analysis &analysis, size_t token);

/// A call that is being written.
struct CallSite {
  size_t callee = 0;       // The token of the function's name.
  unsigned argument = 0;   // Arguments before the position.
  llvm::StringRef keyword; // Of the argument at the position; may be empty.
};

/// The innermost call whose parentheses an offset is in.
std::optional<CallSite> callAt(const Syntax &syntax, size_t offset);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_CALLEE_H
