//===- DecoratorReader.h - Reads the decorators of a kernel -----*- C++ -*-===//
//
// Shared by Decorators.cpp (decorators and their arguments) and Configurations.cpp (lists of
// configurations).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_DECORATORREADER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_DECORATORREADER_H

#include "Builtins.h"
#include "HostExprReader.h"
#include "tilec/Language/Decorators.h"

namespace tilec::front {

/// Reads what the decorators of one kernel say into plain data. Host code that they need and that
/// cannot be evaluated is an error at its place.
class DecoratorReader {
public:
  DecoratorReader(Interpreter &in, const ModuleEnv &env, const ast::FunctionDef &kernel,
                  bool &needsHost, unsigned depth = 0)
      : in(in), env(env), kernel(kernel), needsHost(needsHost), depth(depth) {}

  bool read(KernelDecorators &result);

private:
  using Args = llvm::SmallVector<const ast::Expr *, 12>;
  /// What a decorator or a class of triton is called, or "".
  llvm::StringRef tritonName(const ast::Expr &expr, const Scope *locals = nullptr);
  bool bindArgs(const ast::Call &call, llvm::ArrayRef<llvm::StringRef> names, Args &args);
  bool readAutotune(const ast::Call &call, Autotune &result);
  bool checkIgnored(llvm::ArrayRef<llvm::StringRef> names, const Args &args);
  bool readConfigs(const ast::Expr &expr, const Scope &locals, std::vector<TuneConfig> &configs);
  const ast::Expr *findValue(const ast::Expr &name, const ModuleEnv *&owner);
  bool readName(const ast::Expr &name, const Scope &locals, std::vector<TuneConfig> &configs);
  bool readComprehension(const ast::ListComp &comp, size_t index, const Scope &locals,
                         std::vector<TuneConfig> &configs);
  bool bindTarget(const ast::Expr &target, const Object &value, Scope &locals);
  /// The undecorated function of the file that `callee` names, or null.
  const JitFunction *hostFunction(const ast::Expr &callee, const ModuleEnv &module,
                                  const Scope *locals = nullptr);
  bool readFunction(const JitFunction &function, const ast::Call &call, const Scope &locals,
                    std::vector<TuneConfig> &configs);
  bool readBody(const ast::FunctionDef &function, Scope &locals, std::vector<TuneConfig> &configs);
  bool readEvaluated(const ast::Expr &expr, const Scope &locals, std::vector<TuneConfig> &configs);
  bool addConfig(const Object &object, llvm::SMRange range, std::vector<TuneConfig> &configs);
  bool setNumber(const Object &value, llvm::StringRef name, llvm::SMRange range,
                 TuneConfig &config);
  bool setValue(llvm::StringRef name, llvm::SMRange range, const Object &value,
                llvm::SMRange valueRange, TuneConfig &config);
  bool readConfig(const ast::Call &call, const Scope &locals, TuneConfig &config);
  bool setValues(const Object &dictionary, llvm::SMRange range, TuneConfig &config);
  bool readDictionary(const ast::Expr &expr, const Scope &locals, TuneConfig &config);
  bool readValues(const ast::Expr &expr, const Scope &locals, TuneConfig &config);
  bool setValue(llvm::StringRef name, llvm::SMRange range, const ast::Expr &value,
                const Scope &locals, TuneConfig &config);
  bool readNumber(const ast::Expr *expr, llvm::StringRef name, const Scope &locals,
                  TuneConfig &config);
  bool readNames(const ast::Expr *expr, bool mayBeUnknown, std::vector<std::string> &names);
  bool readHeuristics(const ast::Call &call, std::vector<Heuristic> &result);
  /// An argument that is absent, or None.
  static bool isNone(const ast::Expr *expr);
  std::optional<Object> evaluate(const ast::Expr &expr, const Scope &locals);
  bool error(llvm::SMRange range, const llvm::Twine &message) {
    in.error(range, message);
    return false;
  }
  /// An error at what only Python could say.
  bool hostCode(llvm::SMRange range, const llvm::Twine &message) {
    needsHost = true;
    return error(range, message);
  }

  Interpreter &in;
  const ModuleEnv &env;
  const ast::FunctionDef &kernel;
  bool &needsHost; // Set by errors that are no mistakes of the decorators.
  unsigned depth;
  /// The names whose values are being read, and which of their parts.
  llvm::SmallVector<std::pair<llvm::StringRef, const ast::Expr *>> reading;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_DECORATORREADER_H
