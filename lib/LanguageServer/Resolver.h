//===- Resolver.h - What a name of a file stands for ------------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGESERVER_RESOLVER_H
#define TILEC_LIB_LANGUAGESERVER_RESOLVER_H

#include "Analysis.h"
#include "tilec/Language/BuiltinInfo.h"

namespace tilec::ls {

/// What a name or a chain of names, `tl.math.exp`, stands for.
struct Entity {
  enum class Kind {
    Unknown,
    Builtin,        // A function, type or constant of the language: `builtin`.
    LanguageModule, // `module`, a dotted name.
    FileModule,     // A module of the user: `place`.
    Definition,     // Of the open file or, with `file`, of another: `range`.
    Value,          // What a function of the open file binds.
  };

  Kind kind = Kind::Unknown;
  std::optional<builtins::Info> builtin;
  std::string module;
  ModulePlace place;
  const SourceFile *file = nullptr;
  llvm::SMRange range;                        // Of the name that is defined.
  const ast::FunctionDef *function = nullptr; // Of a Definition that is one.
  const ast::HostDef *host = nullptr;         // Likewise: a class or function of the host.

  bool isKnown() const { return kind != Kind::Unknown; }
};

/// Finds out by imports and definitions what names stand for; evaluates nothing.
class Resolver {
public:
  explicit Resolver(const Analysis &analysis) : analysis(analysis) {}

  /// The chain `names` as it is written in a scope of the syntax.
  Entity resolve(llvm::ArrayRef<llvm::StringRef> names, unsigned scope);
  /// The name with this index of the syntax.
  Entity resolveToken(size_t token);
  /// The module that an import names at such a token, as far as its path goes up to it.
  Entity resolveModulePath(size_t token);
  Entity memberOf(const Entity &module, llvm::StringRef name, unsigned depth = 0);
  /// The names that a module of the user defines or imports.
  std::vector<std::string> membersOf(const Entity &module);

private:
  /// A tree with the path that its imports start from.
  struct Unit {
    const ast::Module *tree;
    std::string path;
    const SourceFile *file; // Null for the open file.
  };

  Entity find(const Unit &unit, llvm::StringRef name, unsigned depth);
  Entity imported(const Unit &unit, const ast::ImportAlias &alias);
  Entity importedFrom(const Unit &unit, const ast::ImportFrom &import, llvm::StringRef name,
                      unsigned depth);
  Entity moduleAt(const Unit &unit, unsigned level, llvm::StringRef dotted);
  Unit main() const;

  const Analysis &analysis;
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_RESOLVER_H
