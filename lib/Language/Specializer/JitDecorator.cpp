//===- JitDecorator.cpp - The arguments of @triton.jit ----------*- C++ -*-===//
//
// What `debug` and `noinline` say is read with the function, and which parameters a launch
// specialises for by ParamRules. This file checks that the arguments are such as Python takes.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"
#include "Interpreter.h"
#include "tilec/Language/ParamRules.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

bool Interpreter::checkJitCall(const JitFunction &function) {
  if (!function.jitCall)
    return true;
  auto [known, isNew] = checkedJitCalls.try_emplace(function.jitCall, true);
  if (!isNew)
    return known->second;
  bool sound = true;
  if (!function.jitCall->args.empty()) {
    error(function.jitCall->args.front()->range(), "triton.jit takes keywords only");
    sound = false;
  }
  for (const ast::Keyword &keyword : function.jitCall->keywords)
    sound &= checkJitKeyword(function, keyword);
  return checkedJitCalls[function.jitCall] = sound;
}

bool Interpreter::checkJitKeyword(const JitFunction &function, const ast::Keyword &keyword) {
  static const StringRef names[] = {
      "do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "version", "repr",
      "launch_metadata"};
  if (keyword.name.empty()) {
    error(keyword.range, "unpacked arguments cannot be read without Python");
    return false;
  }
  if (!llvm::is_contained(names, keyword.name)) {
    errorWithHint(keyword.nameRange, "triton.jit has no argument '" + keyword.name + "'",
                  closestName(keyword.name, names), keyword.nameRange);
    return false;
  }
  return !keyword.name.starts_with("do_not_specialize") || checkUnspecialized(function, keyword);
}

/// The lists of parameters that a launch does not specialise for.
bool Interpreter::checkUnspecialized(const JitFunction &function, const ast::Keyword &keyword) {
  auto warn = [&](const ast::Expr &expr, StringRef what) {
    warning(expr.range(), "'" + keyword.name +
                              "' is not written out here, as a list of names or numbers of "
                              "parameters: launches specialize for all of " +
                              what);
  };
  std::optional<llvm::ArrayRef<ast::Expr *>> elements = readParamList(*keyword.value);
  if (!elements) {
    warn(*keyword.value, "them");
    return true;
  }
  bool sound = true;
  for (const ast::Expr *element : *elements) {
    const ast::Param *found = nullptr;
    for (auto [index, param] : llvm::enumerate(function.def->params))
      if (isNameOfParam(*element, param, index))
        found = &param;
    if (!isParamName(*element) && !llvm::isa<ast::Constant>(element)) {
      warn(*element, "those that this may name");
    } else if (!isParamName(*element)) {
      error(element->range(),
            "expected the name or the number of a parameter in '" + keyword.name + "'");
      sound = false;
    } else if (!found) {
      warning(element->range(), "'" + function.def->name + "' has no parameter " +
                                    host().tryEvaluate(*element, *function.env).repr() +
                                    ", which '" + keyword.name + "' names");
    }
  }
  return sound;
}
