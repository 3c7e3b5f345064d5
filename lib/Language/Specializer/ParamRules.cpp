//===- ParamRules.cpp - What the source says of a parameter -----*- C++ -*-===//
//
// Reads from a kernel's source how launches specialise for each parameter: whether it is a
// constexpr, which type an annotation gives it, and whether an integer that is 1, or a multiple of
// 16, becomes part of the code. The syntax tree is enough; nothing is evaluated.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/ParamRules.h"

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
}

std::optional<llvm::ArrayRef<ast::Expr *>> tilec::readParamList(const ast::Expr &list) {
  if (auto *items = llvm::dyn_cast<ast::List>(&list))
    return llvm::ArrayRef<ast::Expr *>(items->elements);
  if (auto *items = llvm::dyn_cast<ast::Tuple>(&list))
    return llvm::ArrayRef<ast::Expr *>(items->elements);
  auto *constant = llvm::dyn_cast<ast::Constant>(&list);
  if (constant && constant->isNone())
    return llvm::ArrayRef<ast::Expr *>();
  return std::nullopt;
}

bool tilec::isParamName(const ast::Expr &element) {
  auto *constant = llvm::dyn_cast<ast::Constant>(&element);
  return constant && (constant->type() == ast::Constant::Type::String ||
                      constant->type() == ast::Constant::Type::Int);
}

bool tilec::isNameOfParam(const ast::Expr &element, const ast::Param &param, unsigned index) {
  if (!isParamName(element))
    return false;
  auto &constant = llvm::cast<ast::Constant>(element);
  return constant.type() == ast::Constant::Type::String ? constant.stringValue() == param.name
                                                        : constant.intValue() == index;
}

ParamRules tilec::readParamRules(const ast::FunctionDef &kernel, unsigned index) {
  const ast::Param &param = kernel.params[index];
  ParamRules rules;
  if (param.annotation)
    readAnnotation(*param.annotation, rules);
  auto isListed = [&](const ast::Keyword &keyword) {
    return llvm::any_of(
        readParamList(*keyword.value).value_or(llvm::ArrayRef<ast::Expr *>()),
        [&](const ast::Expr *element) { return isNameOfParam(*element, param, index); });
  };
  for (const ast::Expr *decorator : kernel.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call || lastName(*call->callee) != "jit")
      continue;
    for (const ast::Keyword &keyword : call->keywords) {
      if (keyword.name == "do_not_specialize")
        rules.isSpecialized &= !isListed(keyword);
      else if (keyword.name == "do_not_specialize_on_alignment")
        rules.isAlignmentSpecialized &= !isListed(keyword);
    }
  }
  rules.isAlignmentSpecialized &= rules.isSpecialized;
  return rules;
}

ClassRule ParamRules::promises(DType type) const {
  bool isNumber = type.isInt() && !type.isBool();
  return {isSpecialized && isNumber, isAlignmentSpecialized && (isNumber || type.isPointer())};
}

ClassRule ParamRules::classes(DType given) const {
  ClassRule rule = promises(given);
  // Integers with a declared type keep it, 1 included.
  rule.one &= !type;
  return rule;
}
