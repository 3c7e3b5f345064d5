//===- Hover.cpp - What is known of the name under the mouse ----*- C++ -*-===//
//
// Types of variables as the specializer has found them, functions with their parameters, and the
// description of builtins.
//
//===----------------------------------------------------------------------===//

#include "BuiltinDocs.h"
#include "Callee.h"
#include "Features.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

static std::string code(const llvm::Twine &text) { return ("```python\n" + text + "\n```").str(); }

/// The types of a variable, one a line: a helper has those of all its calls. Where there is one,
/// its layouts.
static std::string describeValue(const ValueFact &fact, LayoutWords layouts) {
  std::string lines;
  for (const ValueFact::Type &type : fact.types)
    lines += (lines.empty() ? "" : "\n") + fact.name + ": " + type.type +
             (type.constant.empty() ? "" : " = " + type.constant);
  std::string text = code(lines);
  bool isTile = fact.types.size() == 1 && fact.types.front().isBlock;
  std::string words = isTile ? layouts(fact.types.front()) : "";
  return words.empty() ? text : text + "\n\n" + words;
}

static std::string describeCallee(const Callee &callee, StringRef prefix) {
  std::string text = code(prefix + callee.label);
  if (!callee.documentation.empty())
    text += "\n\n" + callee.documentation;
  return text;
}

/// A parameter of a function whose types are not known: as it is declared.
static std::string describeParam(const Analysis &analysis, size_t token) {
  const Syntax &syntax = analysis.syntax();
  std::optional<unsigned> scope = syntax.scopeOf(token);
  if (!scope || *scope == 0 || !syntax.scopes()[*scope].nameToken)
    return "";
  StringRef name = syntax.textOf(syntax.tokens()[token]);
  const ScopeBinding &binding = syntax.scopes()[*scope].bindings.find(name)->second.front();
  if (!binding.isParam())
    return "";
  size_t begin = syntax.tokens()[binding.token].begin;
  Entity entity = Resolver(analysis).resolveToken(*syntax.scopes()[*scope].nameToken);
  std::string written = name.str();
  if (entity.function)
    for (size_t i = 0; i < entity.function->params.size(); ++i)
      if (analysis.offsetOf(entity.function->params[i].nameRange.Start) == begin)
        written = calleeOf(*entity.function).params[i];
  return code(written) + "\n\nA parameter of `" +
         syntax.textOf(syntax.tokens()[*syntax.scopes()[*scope].nameToken]).str() + "`.";
}

static std::string describeEntity(const Entity &entity) {
  if (entity.builtin) {
    std::string text = code(signatureOf(*entity.builtin));
    std::string words = describeBuiltin(*entity.builtin);
    return words.empty() ? text : text + "\n\n" + words;
  }
  if (entity.kind == Entity::Kind::LanguageModule)
    return code("module " + entity.module);
  if (entity.kind == Entity::Kind::FileModule)
    return code("module") + "\n\n" +
           (entity.place.file ? entity.place.file->path() : entity.place.folder);
  if (entity.function)
    return describeCallee(calleeOf(*entity.function), "def ");
  if (entity.host)
    return code((entity.host->what == ast::HostDef::What::Class ? "class " : "def ") +
                entity.host->name) +
           "\n\nHost code.";
  return "";
}

/// The parameter that a keyword in a call names.
static std::string describeKeyword(const Analysis &analysis, size_t token) {
  const NameToken &keyword = analysis.syntax().tokens()[token];
  std::optional<Callee> callee;
  if (keyword.callee)
    callee = calleeOf(analysis, *keyword.callee);
  for (size_t i = 0; callee && i < callee->params.size(); ++i)
    if (callee->nameOf(i) == analysis.syntax().textOf(keyword))
      return code(callee->params[i]) + "\n\nA parameter of `" + callee->label + "`.";
  return "";
}

static std::string describe(const Analysis &analysis, size_t token, LayoutWords layouts) {
  const Syntax &syntax = analysis.syntax();
  const NameToken &name = syntax.tokens()[token];
  if (name.role == NameRole::Keyword)
    return describeKeyword(analysis, token);
  Entity entity = Resolver(analysis).resolveToken(token);
  const ValueFact *fact = analysis.valueAt(name.begin);
  bool isValue = fact && fact->begin == name.begin && !entity.builtin && !entity.function &&
                 entity.kind != Entity::Kind::LanguageModule &&
                 entity.kind != Entity::Kind::FileModule;
  if (isValue)
    return describeValue(*fact, layouts);
  if (std::string text = describeEntity(entity); !text.empty())
    return text;
  if (std::string text = describeParam(analysis, token); !text.empty())
    return text;
  std::optional<Callee> callee;
  if (name.role == NameRole::Member || syntax.definitionOf(token))
    callee = calleeOf(analysis, token);
  return callee ? describeCallee(*callee, name.role == NameRole::Member ? "" : "def ") : "";
}

std::optional<lsp::Hover> ls::hover(const Analysis &analysis, lsp::Position position,
                                    LayoutWords layouts) {
  std::optional<size_t> token = analysis.syntax().nameAt(analysis.text().offsetOf(position));
  std::string text = token ? describe(analysis, *token, layouts) : "";
  if (text.empty())
    return std::nullopt;
  const NameToken &name = analysis.syntax().tokens()[*token];
  lsp::Hover result(analysis.text().rangeOf(name.begin, name.end));
  result.contents.value = std::move(text);
  return result;
}
