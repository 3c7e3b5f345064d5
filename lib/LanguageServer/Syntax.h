//===- Syntax.h - Names of a file and what binds them -----------*- C++ -*-===//
//
// The tokens of a whole file with the scopes that they are in, by Python's rules. The parser's tree
// has kernels only, but a kernel is launched by host code of the same file, and files are broken
// while somebody writes them. So this is made of tokens alone, of host code and kernels alike.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_SYNTAX_H
#define TILEC_LIB_LANGUAGESERVER_SYNTAX_H

#include "tilec/Language/Lexer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::ls {

/// What a name is in its place.
enum class NameRole {
  Plain,
  Member,   // Behind a dot.
  Keyword,  // `name=` in a call.
  Module,   // In the path of an import.
  Imported, // A name of another file, which an import binds as another one.
};

struct NameToken {
  size_t begin = 0, end = 0;
  TokenKind kind = TokenKind::Name;
  unsigned scope = 0;
  NameRole role = NameRole::Plain;
  std::optional<size_t> callee; // Of a Keyword: the token of the function's name, if it has one.
};

struct ScopeBinding {
  enum class Kind {
    Other,
    Param,
    Import, // The name that it has in another file.
    Alias,  // Likewise, but with a name that this file chooses by `as`.
  };

  size_t token = 0;
  Kind kind = Kind::Other;

  bool isParam() const { return kind == Kind::Param; }
  bool isImport() const { return kind == Kind::Import || kind == Kind::Alias; }
};

/// A module, function or class.
struct NameScope {
  enum class Kind { Module, Function, Class };

  Kind kind = Kind::Module;
  size_t begin = 0, end = 0;       // With decorators excluded, from `def`.
  unsigned parent = 0;             // Of the module: itself.
  std::optional<size_t> nameToken; // Of a function or class.
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<ScopeBinding, 2>> bindings;
  llvm::StringSet<> globals;
};

class Syntax {
public:
  /// `text` must outlive this object. Of a text that is none there are no tokens.
  explicit Syntax(llvm::StringRef text);

  llvm::ArrayRef<NameToken> tokens() const { return all; }
  llvm::ArrayRef<NameScope> scopes() const { return allScopes; }
  llvm::StringRef textOf(const NameToken &token) const {
    return text.slice(token.begin, token.end);
  }

  /// The index of the name that the offset is in or at the end of.
  std::optional<size_t> nameAt(size_t offset) const;
  /// The innermost scope at an offset. A line that is indented as deep as a function's body belongs
  /// to it, also behind its last statement.
  unsigned scopeAt(size_t offset) const;
  /// The names of `a.b.c` up to the token; empty where something else is in front of a dot.
  llvm::SmallVector<llvm::StringRef, 4> chainOf(size_t token) const;

  /// The scope that binds the name of a token; nothing for members, builtins and unknown names.
  std::optional<unsigned> scopeOf(size_t token) const;
  /// The scope that a name written in `scope` is bound in.
  std::optional<unsigned> lookUp(unsigned scope, llvm::StringRef name) const;
  /// The tokens of a name that a scope binds, with keyword arguments of a function's parameter.
  std::vector<size_t> occurrences(unsigned scope, llvm::StringRef name) const;
  /// The scope of the function or class whose name this token is or refers to.
  std::optional<unsigned> definitionOf(size_t token) const;
  /// The scopes that are directly in a scope, in order.
  llvm::ArrayRef<unsigned> scopesIn(unsigned scope) const { return inner[scope]; }
  /// The parameters of a function's scope, in order.
  std::vector<llvm::StringRef> paramsOf(unsigned scope) const;

private:
  friend class SyntaxBuilder;

  llvm::StringRef text;
  std::vector<NameToken> all; // In order of their places.
  std::vector<NameScope> allScopes;
  std::vector<unsigned> columns; // Of a scope: the indentation of its header.
  std::vector<std::vector<unsigned>> inner;
  /// The last function or class of a name in a scope.
  llvm::DenseMap<std::pair<unsigned, llvm::StringRef>, unsigned> definitions;
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_SYNTAX_H
