//===- AST.cpp - Syntax tree of a kernel file -------------------*- C++ -*-===//
//
// The few functions of the syntax tree that are not in its headers: the spelling of operators, for
// messages and for printing, and the look-up of functions by name, at the top of a file and nested
// in its other statements.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/AST.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilec::ast {

StringRef spelling(BinaryOp op) {
  static const char *const names[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                      "@", "<<", ">>", "&", "|",  "^"};
  return names[static_cast<unsigned>(op)];
}

StringRef spelling(UnaryOpKind op) {
  static const char *const names[] = {"-", "+", "~", "not"};
  return names[static_cast<unsigned>(op)];
}

StringRef spelling(BoolOpKind op) { return op == BoolOpKind::And ? "and" : "or"; }

StringRef spelling(CompareOp op) {
  static const char *const names[] = {"==", "!=", "<",      "<=", ">",
                                      ">=", "is", "is not", "in", "not in"};
  return names[static_cast<unsigned>(op)];
}

FunctionDef *Module::findFunction(StringRef name) const {
  FunctionDef *plain = nullptr;
  for (const ModuleItem &item : reverse(items))
    if (auto *function = dyn_cast<FunctionDef>(item.stmt); function && function->name == name) {
      if (!function->decorators.empty())
        return function;
      plain = plain ? plain : function;
    }
  // A host function hides no kernel.
  SmallVector<FunctionDef *, 2> inside = findNested(name);
  return inside.empty() ? plain : inside.back();
}

static void collectFunctions(ArrayRef<NestedScope *> scopes, StringRef name,
                             SmallVectorImpl<FunctionDef *> &found) {
  for (const NestedScope *scope : scopes) {
    for (const ModuleItem &item : scope->items)
      if (auto *function = dyn_cast<FunctionDef>(item.stmt))
        if (!function->decorators.empty() && (name.empty() || function->name == name))
          found.push_back(function);
    collectFunctions(scope->nested, name, found);
  }
}

SmallVector<FunctionDef *, 2> Module::findNested(StringRef name) const {
  SmallVector<FunctionDef *, 2> found;
  collectFunctions(nested, name, found);
  return found;
}

} // namespace tilec::ast
