//===- Callee.cpp - Functions as readers see them ---------------*- C++ -*-===//
//
// Labels and parameters of builtins and of functions of the user, and which call a place is in.
//
//===----------------------------------------------------------------------===//

#include "Callee.h"

#include "BuiltinDocs.h"
#include "tilec/Language/Signature.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

StringRef Callee::nameOf(size_t param) const {
  return StringRef(params[param]).ltrim('*').take_until([](char c) {
    return c == ':' || c == '=' || c == ' ';
  });
}

std::optional<Callee> ls::calleeOf(const builtins::Info &info, bool asMethod) {
  if (info.kind != builtins::Info::Kind::Function)
    return std::nullopt;
  Callee callee;
  callee.label = signatureOf(info, asMethod);
  for (StringRef param : splitAtCommas(info.params))
    if (!param.trim().empty())
      callee.params.push_back(param.trim().str());
  if (asMethod && !callee.params.empty())
    callee.params.erase(callee.params.begin());
  callee.documentation = describeBuiltin(info);
  return callee;
}

/// A parameter as it is written.
static std::string sourceOf(const ast::Param &param) {
  const char *end = param.nameRange.End.getPointer();
  for (const ast::Expr *part : {param.annotation, param.defaultValue})
    if (part)
      end = std::max(end, part->range().End.getPointer());
  StringRef stars = param.kind == ast::Param::Kind::VarArgs       ? "*"
                    : param.kind == ast::Param::Kind::VarKeywords ? "**"
                                                                  : "";
  const char *begin = param.nameRange.Start.getPointer();
  return (stars + StringRef(begin, end - begin)).str();
}

Callee ls::calleeOf(const ast::FunctionDef &function) {
  Callee callee;
  callee.label = function.name.str() + "(";
  for (const ast::Param &param : function.params) {
    callee.params.push_back(sourceOf(param));
    callee.label += (callee.params.size() > 1 ? ", " : "") + callee.params.back();
  }
  callee.label += ")";
  if (function.body.empty())
    return callee;
  auto *first = llvm::dyn_cast<ast::ExprStmt>(function.body.front());
  auto *text = first ? llvm::dyn_cast<ast::Constant>(first->value) : nullptr;
  if (text && text->isString())
    callee.documentation = text->stringValue().trim().str();
  return callee;
}

std::optional<Callee> ls::calleeOf(const Analysis &analysis, size_t token) {
  const Syntax &syntax = analysis.syntax();
  Entity entity = Resolver(analysis).resolveToken(token);
  if (entity.builtin)
    return calleeOf(*entity.builtin);
  if (entity.function)
    return calleeOf(*entity.function);
  if (entity.isKnown() || syntax.tokens()[token].role != NameRole::Member) {
    // A function of the host, of which the tokens know the parameters.
    std::optional<unsigned> scope = syntax.definitionOf(token);
    if (!scope || syntax.scopes()[*scope].kind != NameScope::Kind::Function)
      return std::nullopt;
    Callee callee;
    for (StringRef name : syntax.paramsOf(*scope))
      callee.params.push_back(name.str());
    callee.label =
        (syntax.textOf(syntax.tokens()[token]) + "(" + llvm::join(callee.params, ", ") + ")").str();
    return callee;
  }
  StringRef name = syntax.textOf(syntax.tokens()[token]);
  std::optional<builtins::Info> method = builtins::findMethod(name);
  if (!method)
    method = builtins::findDescriptorMethod(name);
  return method ? calleeOf(*method, /*asMethod=*/true) : std::nullopt;
}

/// The token of the name in front of an opening parenthesis: `f(`, `a.f(` or `f[grid](`.
static std::optional<size_t> nameBefore(llvm::ArrayRef<NameToken> tokens, size_t open) {
  if (open == 0)
    return std::nullopt;
  size_t at = open - 1;
  for (unsigned depth = 0; tokens[at].kind == TokenKind::RBracket || depth; --at) {
    if (tokens[at].kind == TokenKind::RBracket)
      ++depth;
    else if (tokens[at].kind == TokenKind::LBracket)
      --depth;
    if (at == 0)
      return std::nullopt;
  }
  return tokens[at].kind == TokenKind::Name ? std::optional<size_t>(at) : std::nullopt;
}

std::optional<CallSite> ls::callAt(const Syntax &syntax, size_t offset) {
  llvm::ArrayRef<NameToken> tokens = syntax.tokens();
  size_t at = 0;
  while (at < tokens.size() && tokens[at].end <= offset)
    ++at;
  CallSite site;
  for (unsigned depth = 0; at > 0; --at) {
    const NameToken &token = tokens[at - 1];
    switch (token.kind) {
    case TokenKind::RParen:
    case TokenKind::RBracket:
    case TokenKind::RBrace:
      ++depth;
      break;
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::LBrace:
      if (depth) {
        --depth;
        break;
      }
      if (token.kind == TokenKind::LParen)
        if (std::optional<size_t> name = nameBefore(tokens, at - 1)) {
          site.callee = *name;
          return site;
        }
      site = CallSite(); // Brackets of a tuple or subscript in an argument.
      break;
    case TokenKind::Comma:
      site.argument += depth == 0;
      break;
    case TokenKind::Name:
      if (depth == 0 && site.argument == 0 && token.role == NameRole::Keyword)
        site.keyword = syntax.textOf(token);
      break;
    case TokenKind::KwDef:
    case TokenKind::KwClass:
      if (depth == 0)
        return std::nullopt;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}
