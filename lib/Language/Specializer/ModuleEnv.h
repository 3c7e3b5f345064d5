//===- ModuleEnv.h - Module-level names of a kernel file --------*- C++ -*-===//
//
// Resolves a name of a file without executing the file: imports, jit functions, `tl.constexpr`
// globals, types and aliases get a value; everything else is host code, which kernels cannot read.
// Names that are imported from other files are resolved there (Importer.h).
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
#include <map>

namespace tilec::front {

class Interpreter;

class ModuleEnv {
public:
  /// `path` is that of the file; empty when the text is no file.
  ModuleEnv(Interpreter &in, const ast::Module &module, std::string path, bool isPrelude = false);
  /// What a function of the host binds around kernels inside, in front of the names of `parent`,
  /// which must outlive this object.
  ModuleEnv(Interpreter &in, const ast::NestedScope &scope, const ModuleEnv &parent);

  const std::string &path() const { return filePath; }

  /// The library's own code: errors inside are reported at the call.
  bool isPrelude() const { return prelude; }

  /// The value of a module-level name, whatever Python would see there: also plain host constants.
  /// Nothing when the module does not define the name.
  std::optional<Object> lookup(llvm::StringRef name) const;

  /// The default of a parameter of `def`, a function of the module, as it is where that is defined.
  Object evaluateDefault(const ast::FunctionDef &def, const ast::Param &param) const;

  /// True when no kernel may read the name: it is bound to a plain number, string or list without
  /// `tl.constexpr`; `def` gets the location of its definition, which may be in another file.
  bool isPlainGlobal(llvm::StringRef name, llvm::SMRange &def) const;

  /// The name is being resolved: looking it up now would go in a circle.
  bool isBusy(llvm::StringRef name) const;

  /// Why a `from .. import *` of the module gives nothing, if there is one; `import` gets its
  /// place.
  const MissingValue *missingStar(llvm::SMRange &import) const;

  /// The names that the module defines, for suggestions.
  void listNames(llvm::SmallVectorImpl<llvm::StringRef> &names) const;

  /// The expression that a module-level name is bound to; null when it is bound to something else,
  /// or more than once.
  const ast::Expr *findValue(llvm::StringRef name) const;
  /// The same for a name that may be imported; `owner` gets the module of the expression.
  const ast::Expr *findValue(llvm::StringRef name, const ModuleEnv *&owner) const;

  /// The expressions of which a module-level name is the sum, as a list is that `+=` extends; only
  /// of what is before the one that is bound to `before`, if that is not null. None where it is
  /// bound to something else, or more than once.
  llvm::SmallVector<const ast::Expr *, 2> findParts(llvm::StringRef name,
                                                    const ast::Expr *before = nullptr) const;

  /// The jit functions in file order, those within functions and classes last.
  std::vector<const JitFunction *> functions() const;
  /// The last function of that name, or the last one within functions and classes, or null.
  const JitFunction *findFunction(llvm::StringRef name) const;

  /// The function that a tuner of the module is around, as kernels may call it: `tuned.fn`.
  const JitFunction *withoutTuner(const JitFunction &tuned) const;

private:
  struct Binding {
    enum class What { Import, ImportFrom, Value, Function, HostDef } what;
    const ast::Stmt *stmt = nullptr;
    const ast::Expr *value = nullptr;        // Value.
    const ast::ImportAlias *alias = nullptr; // Imports.
    ast::Guard guard = ast::Guard::Always;
    llvm::SMRange range;
    llvm::ArrayRef<ast::GuardTest> tests = {};
    std::optional<unsigned> element = {}; // Which one of the values that `value` holds.
    unsigned order = 0;                   // Among the items of the file.
  };
  struct Resolved {
    std::optional<Object> value;
    bool plain = false;
    bool busy = false;        // Being resolved: a definition that refers to itself.
    bool isKnown = false;     // Resolved, perhaps to nothing.
    llvm::SMRange definition; // Of a plain value.
  };

  /// A kernel within a function or class, and the scope that it sees.
  struct Inside {
    const ast::FunctionDef *def;
    const ModuleEnv *env;
  };

  void addNested(llvm::ArrayRef<ast::NestedScope *> scopes);
  std::optional<Object> lookUpHere(llvm::StringRef name) const;
  llvm::SmallVector<Binding, 2> bindingsBefore(llvm::StringRef name) const;
  unsigned orderOf(const ast::FunctionDef &def) const;
  Object wrappedFunction(const Binding &binding) const;
  void addItem(const ast::ModuleItem &item);
  void addAssign(const ast::Assign &assign, const ast::ModuleItem &item);
  void bindTarget(const ast::Expr &target, const Binding &binding);
  void bind(llvm::StringRef name, Binding binding);
  std::optional<Object> resolveStar(llvm::StringRef name, unsigned after, Resolved &result) const;
  void resolve(const Binding &binding, Resolved &result) const;
  void resolveBest(llvm::ArrayRef<Binding> all, Resolved &result) const;
  std::optional<bool> isReached(const Binding &binding) const;
  llvm::SmallVector<Binding, 2> reachable(llvm::ArrayRef<Binding> candidates) const;
  Object resolveImport(const Binding &binding) const;
  Object resolveFrom(const Binding &binding, Resolved &result) const;
  Object resolveValue(const Binding &binding, bool &plain) const;
  const SourceModule *importedModule(const Binding &binding, MissingValue &missing) const;
  Object missingImport(const llvm::Twine &what, const Binding &binding, MissingValue missing) const;
  bool givesConstexpr(const ast::Expr &expr) const;
  Object resolveFunction(const ast::FunctionDef &def) const;
  Object resolveHostDef(const ast::HostDef &def) const;
  Object resolveClass(const ast::HostDef &def) const;
  Object resolveEnum(const ast::HostDef &def) const;
  void addMethods(const ast::HostDef &def, RecordClass &type) const;
  std::optional<Object> namedTupleCall(const ast::Expr &expr) const;

  Interpreter &in;
  std::string filePath;
  bool prelude;
  const ModuleEnv *parent = nullptr; // Around a function's names.
  unsigned numItems = 0;
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<Binding, 1>> bindings;
  /// What an unconditional definition replaced: code of the module before that sees it.
  llvm::StringMap<llvm::SmallVector<Binding, 1>> replaced;
  mutable unsigned position = ~0u; // The item of the file that is evaluated; all, if none is.
  llvm::SmallVector<Binding, 1> starImports;
  std::vector<std::unique_ptr<ModuleEnv>> functionScopes;
  std::vector<Inside> inside;
  mutable llvm::StringMap<Resolved> cache;
  /// What a name stands for behind a statement whose binding is replaced.
  mutable std::map<std::pair<const ast::Stmt *, llvm::StringRef>, Resolved> earlierValues;
  mutable std::deque<MissingValue> missingImports;
  mutable std::deque<JitFunction> jitFunctions;
  mutable llvm::DenseMap<const JitFunction *, const JitFunction *> tunedFunctions;
  mutable std::deque<RecordClass> recordClasses;
  mutable llvm::DenseMap<const ast::FunctionDef *, const JitFunction *> functionOf;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_MODULEENV_H
