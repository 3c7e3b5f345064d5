//===- ParamRules.cpp - What the source says of a parameter -----*- C++ -*-===//
//
// Reads from a kernel's source how launches specialise for each parameter: whether it is a
// constexpr, which type an annotation gives it, and whether an integer that is 1, or a multiple of
// 16, becomes part of the code. The syntax tree is enough; nothing is evaluated.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/ParamRules.h"

using namespace tilec;
using llvm::StringRef;

static StringRef lastName(const ast::Expr &expr) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return name->id;
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
    return attribute->attr;
  return "";
}

static void readAnnotation(const ast::Expr &annotation, ParamRules &rules) {
  StringRef text = lastName(annotation);
  auto *constant = llvm::dyn_cast<ast::Constant>(&annotation);
  bool isString = constant && constant->type() == ast::Constant::Type::String;
  if (isString)
    text = constant->stringValue().trim();
  if (isString ? text.contains("constexpr") : text == "constexpr") {
    rules.isConstexpr = true;
    return;
  }
  rules.isConst = isString ? text.contains("const") : text == "const";
  rules.type = parseTypeName(text);
  if (rules.type && rules.type->isScalar(ScalarKind::Void))
    rules.type.reset();
  // Integers with a declared type keep it, 1 included.
  if (rules.type)
    rules.foldOne = false;
}

/// True when `list` names the parameter, by name or by position.
static bool lists(const ast::Expr &list, StringRef name, unsigned index) {
  llvm::ArrayRef<ast::Expr *> elements;
  if (auto *items = llvm::dyn_cast<ast::List>(&list))
    elements = items->elements;
  else if (auto *items = llvm::dyn_cast<ast::Tuple>(&list))
    elements = items->elements;
  return llvm::any_of(elements, [&](const ast::Expr *element) {
    auto *constant = llvm::dyn_cast<ast::Constant>(element);
    if (!constant)
      return false;
    if (constant->type() == ast::Constant::Type::String)
      return constant->stringValue() == name;
    return constant->type() == ast::Constant::Type::Int && constant->intValue() == index;
  });
}

ParamRules tilec::readParamRules(const ast::FunctionDef &kernel, unsigned index) {
  const ast::Param &param = kernel.params[index];
  ParamRules rules;
  if (param.annotation)
    readAnnotation(*param.annotation, rules);
  for (const ast::Expr *decorator : kernel.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call || lastName(*call->callee) != "jit")
      continue;
    for (const ast::Keyword &keyword : call->keywords) {
      if (keyword.name != "do_not_specialize" && keyword.name != "do_not_specialize_on_alignment")
        continue;
      if (!lists(*keyword.value, param.name, index))
        continue;
      rules.promiseAlignment = false;
      if (keyword.name == "do_not_specialize")
        rules.foldOne = false;
    }
  }
  return rules;
}
