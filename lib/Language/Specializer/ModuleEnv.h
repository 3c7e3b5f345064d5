//===- ModuleEnv.h - Module-level names of a kernel file --------*- C++ -*-===//
//
// Resolves a name of a file without executing the file: imports, jit functions, `tl.constexpr`
// globals, types and aliases get a value; everything else is host code, which kernels cannot read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_MODULEENV_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_MODULEENV_H

#include "Object.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <deque>

namespace tilec::front {

class Interpreter;

class ModuleEnv {
public:
  ModuleEnv(Interpreter &in, const ast::Module &module, bool isPrelude);

  /// The library's own code: errors inside are reported at the call.
  bool isPrelude() const { return prelude; }

  /// The value of a module-level name, whatever Python would see there: also plain host constants.
  /// Nothing when the module does not define the name.
  std::optional<Object> lookup(llvm::StringRef name) const;

  /// True when a kernel may read the name: it is bound to a plain number, string or list without
  /// `tl.constexpr`, `def` gets the place of its definition.
  bool isPlainGlobal(llvm::StringRef name, llvm::SMRange &def) const;

  /// The names that the module defines, for suggestions.
  void listNames(llvm::SmallVectorImpl<llvm::StringRef> &names) const;

  /// The expression that a module-level name is bound to; null when it is bound to something else,
  /// or more than once.
  const ast::Expr *findValue(llvm::StringRef name) const;

  /// The jit functions in file order.
  std::vector<const JitFunction *> functions() const;
  /// The last function of that name, or null.
  const JitFunction *findFunction(llvm::StringRef name) const;

private:
  struct Binding {
    enum class What { Import, ImportFrom, Value, Function, HostDef } what;
    const ast::Stmt *stmt = nullptr;
    const ast::Expr *value = nullptr;        // Value.
    const ast::ImportAlias *alias = nullptr; // Imports.
    ast::Guard guard = ast::Guard::Always;
    llvm::SMRange range;
  };

  void addItem(const ast::ModuleItem &item);
  void addFunction(const ast::FunctionDef &def, ast::Guard guard);
  void addAssign(const ast::Assign &assign, ast::Guard guard);
  void bind(llvm::StringRef name, Binding binding);
  std::optional<Object> resolve(const Binding &binding, bool &plain) const;
  std::optional<Object> resolveBest(llvm::ArrayRef<Binding> candidates, bool &plain) const;
  Object resolveImport(const Binding &binding) const;
  Object resolveFrom(const Binding &binding) const;
  Object resolveValue(const Binding &binding, bool &plain) const;
  Object resolveFunction(const Binding &binding) const;
  Object resolveClass(const ast::HostDef &def) const;
  std::optional<Object> namedTupleCall(const ast::Expr &expr) const;

  Interpreter &in;
  bool prelude;
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<Binding, 1>> bindings;
  llvm::SmallVector<Binding, 1> starImports;
  struct Resolved {
    std::optional<Object> value;
    bool plain = false;
    bool busy = false; // Being resolved: a definition that refers to itself.
  };
  mutable llvm::DenseMap<llvm::StringRef, Resolved> cache;
  mutable std::deque<JitFunction> jitFunctions;
  mutable std::deque<TupleClass> tupleClasses;
  mutable llvm::DenseMap<const ast::FunctionDef *, const JitFunction *> functionOf;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_MODULEENV_H
