//===- AST.cpp - Syntax tree of a kernel file -------------------*- C++ -*-===//
//
// Operator spellings and look-up in modules.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/AST.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilec::ast {

StringRef spelling(BinaryOp op) {
  static const char *const names[] = {"+",  "-",  "*",  "/", "//", "%", "**",
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
  for (const ModuleItem &item : reverse(items))
    if (auto *function = dyn_cast<FunctionDef>(item.stmt))
      if (function->name == name)
        return function;
  return nullptr;
}

} // namespace tilec::ast
