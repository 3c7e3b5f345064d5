//===- HostFunctions.cpp - Functions within those of compile time -*- C++ -*-===//
//
// Lambdas and functions within a function of compile time, which see its variables, and imports
// there.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// A function that sees the variables of the current one. Defaults of parameters are evaluated now.
Object HostInterpreter::makeClosure(const ast::FunctionDef &def, SMRange range) {
  JitFunction &function = innerFunctions.emplace_back();
  function.def = &def;
  function.env = in.frame().env;
  function.isJit = false;
  Object result =
      Object::hostFunction(in.strings().save("the function '" + def.name + "'"), &function, range);
  if (!in.frame().function && in.frame().scope.empty())
    return result; // At module level.
  Closure &closure = closures.emplace_back();
  closure.frame = in.innermost();
  if (!in.frame().life)
    in.frame().life = std::make_shared<char>();
  closure.life = in.frame().life;
  if (!in.frame().comprehensions.empty())
    closure.comprehension = in.frame().comprehensions.back();
  for (const ast::Param &param : def.params) {
    closure.defaults.push_back(param.defaultValue ? in.eval(*param.defaultValue)
                                                  : Object::poison());
    if (param.defaultValue && closure.defaults.back().hasPoison())
      return Object::poison();
  }
  function.closure = &closure;
  return result;
}

Object HostInterpreter::evalLambda(const ast::Lambda &lambda) {
  const ast::FunctionDef *&def = lambdaFunctions[&lambda];
  if (!def) {
    auto *result = innerSyntax.create<ast::Return>(lambda.body->range(), lambda.body);
    def = innerSyntax.create<ast::FunctionDef>(
        lambda.range(), "lambda", lambda.range(), lambda.params, llvm::ArrayRef<ast::Expr *>(),
        nullptr, innerSyntax.copy(llvm::ArrayRef<ast::Stmt *>(result)), /*hasErrors=*/false);
  }
  return makeClosure(*def, lambda.range());
}

bool HostInterpreter::checkClosure(const JitFunction &function, SMRange range) {
  if (!function.closure)
    return true;
  const Closure &closure = *function.closure;
  bool lives = !closure.life.expired() &&
               (!closure.comprehension ||
                llvm::is_contained(closure.frame->comprehensions, closure.comprehension));
  if (!lives)
    in.errorWithNote(range,
                     "'" + function.def->name +
                         "' is called after what it is written in has ended; this is not supported",
                     function.def->nameRange, "written here");
  return lives;
}

/// What is known of a module or of a name of one.
std::optional<Object> HostInterpreter::importedValue(StringRef dotted, SMRange range) {
  auto [owner, member] = dotted.rsplit('.');
  if (const Namespace *space = findNamespace(dotted))
    return Object::module(space);
  if (const Namespace *around = member.empty() ? nullptr : findNamespace(owner))
    return findMember(*around, member);
  return findHostName(dotted, range);
}

/// Binds `name` to what is known of a module or of a name of one. False after an error.
bool HostInterpreter::bindImport(StringRef dotted, StringRef name, SMRange range) {
  std::optional<Object> value = importedValue(dotted, range);
  if (value)
    in.setName(name, *value);
  else
    in.error(range, "'" + dotted + "' is not known in a function of compile time");
  return value.has_value();
}

/// Whether all names of an import are known.
bool HostInterpreter::canImport(const ast::Stmt &stmt) {
  if (auto *import = llvm::dyn_cast<ast::Import>(&stmt))
    return llvm::all_of(import->names, [&](const ast::ImportAlias &alias) {
      return importedValue(alias.name, alias.range).has_value();
    });
  auto &from = llvm::cast<ast::ImportFrom>(stmt);
  return from.level == 0 && llvm::all_of(from.names, [&](const ast::ImportAlias &alias) {
           StringRef dotted = in.strings().save(from.module + "." + alias.name);
           return importedValue(dotted, alias.range).has_value();
         });
}

/// An import in a function of compile time.
bool HostInterpreter::importNames(const ast::Stmt &stmt) {
  if (auto *import = llvm::dyn_cast<ast::Import>(&stmt))
    return llvm::all_of(import->names, [&](const ast::ImportAlias &alias) {
      StringRef first = alias.name.split('.').first;
      return alias.asName.empty() ? bindImport(first, first, alias.range)
                                  : bindImport(alias.name, alias.asName, alias.range);
    });
  auto &from = llvm::cast<ast::ImportFrom>(stmt);
  return llvm::all_of(from.names, [&](const ast::ImportAlias &alias) {
    if (from.level > 0 || alias.name == "*") {
      in.error(stmt.range(), "this import is not supported in a function of compile time");
      return false;
    }
    StringRef dotted = in.strings().save(from.module + "." + alias.name);
    return bindImport(dotted, alias.asName.empty() ? alias.name : alias.asName, alias.range);
  });
}
