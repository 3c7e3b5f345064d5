//===- Syntax.cpp - Names of a file and what binds them ---------*- C++ -*-===//
//
// Questions about names, answered by the scopes that SyntaxBuilder has found.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include "SyntaxBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

Syntax::Syntax(StringRef text) : text(text) {
  SyntaxBuilder(*this).build();
  inner.resize(allScopes.size());
  for (unsigned i = 1; i < allScopes.size(); ++i) {
    unsigned parent = allScopes[i].parent;
    inner[parent].push_back(i);
    if (allScopes[i].nameToken)
      definitions[{parent, textOf(all[*allScopes[i].nameToken])}] = i;
  }
}

std::optional<size_t> Syntax::nameAt(size_t offset) const {
  auto after = llvm::upper_bound(
      all, offset, [](size_t at, const NameToken &token) { return at < token.begin; });
  // At its end, a name is before the token that the offset is in.
  for (int back = 0; back < 2 && after != all.begin(); ++back) {
    --after;
    if (after->kind == TokenKind::Name && offset <= after->end)
      return after - all.begin();
  }
  return std::nullopt;
}

/// The indentation of the line that `offset` is in, up to the offset.
static unsigned columnAt(StringRef text, size_t offset) {
  size_t start = text.rfind('\n', offset ? offset - 1 : 0);
  start = offset && start != StringRef::npos && start < offset ? start + 1 : 0;
  unsigned column = 0;
  for (char c : text.slice(start, offset)) {
    if (c == '\t')
      column = (column / 8 + 1) * 8;
    else if (c == ' ')
      ++column;
    else
      break;
  }
  return column;
}

unsigned Syntax::scopeAt(size_t offset) const {
  unsigned found = 0, column = columnAt(text, offset);
  for (unsigned i = 1; i < allScopes.size(); ++i) {
    const NameScope &scope = allScopes[i];
    if (scope.begin > offset)
      break;
    bool isInside = offset < scope.end || (offset == scope.end && offset == text.size());
    // Blank lines behind the last statement.
    bool isBehind =
        !isInside && column > columns[i] && text.slice(scope.end, offset).trim().empty();
    if (isInside || isBehind)
      found = i; // Those within others come behind them.
  }
  return found;
}

llvm::SmallVector<StringRef, 4> Syntax::chainOf(size_t token) const {
  llvm::SmallVector<StringRef, 4> names = {textOf(all[token])};
  while (token > 0 && all[token - 1].kind == TokenKind::Dot) {
    if (token < 2 || all[token - 2].kind != TokenKind::Name)
      return {};
    token -= 2;
    names.push_back(textOf(all[token]));
  }
  std::reverse(names.begin(), names.end());
  return names;
}

std::optional<unsigned> Syntax::lookUp(unsigned scope, StringRef name) const {
  for (unsigned at = scope;; at = allScopes[at].parent) {
    const NameScope &candidate = allScopes[at];
    if (candidate.globals.contains(name))
      return lookUp(0, name);
    // Names of a class are not seen by the functions in it.
    bool isVisible = at == scope || candidate.kind != NameScope::Kind::Class;
    if (isVisible && candidate.bindings.count(name))
      return at;
    if (at == 0)
      return std::nullopt;
  }
}

std::optional<unsigned> Syntax::scopeOf(size_t index) const {
  const NameToken &token = all[index];
  if (token.kind != TokenKind::Name)
    return std::nullopt;
  if (token.role == NameRole::Plain)
    return lookUp(token.scope, textOf(token));
  if (token.role != NameRole::Keyword || !token.callee)
    return std::nullopt;
  // A parameter of a function of this file.
  std::optional<unsigned> function = definitionOf(*token.callee);
  if (!function)
    return std::nullopt;
  auto found = allScopes[*function].bindings.find(textOf(token));
  bool isParam = found != allScopes[*function].bindings.end() && found->second.front().isParam();
  return isParam ? function : std::nullopt;
}

std::vector<size_t> Syntax::occurrences(unsigned scope, StringRef name) const {
  std::vector<size_t> tokens;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == TokenKind::Name && textOf(all[i]) == name && scopeOf(i) == scope)
      tokens.push_back(i);
  return tokens;
}

std::optional<unsigned> Syntax::definitionOf(size_t index) const {
  if (all[index].kind != TokenKind::Name || all[index].role != NameRole::Plain)
    return std::nullopt;
  StringRef name = textOf(all[index]);
  std::optional<unsigned> scope = lookUp(all[index].scope, name);
  if (!scope)
    return std::nullopt;
  auto found = definitions.find({*scope, name});
  return found == definitions.end() ? std::nullopt : std::optional<unsigned>(found->second);
}

std::vector<StringRef> Syntax::paramsOf(unsigned scope) const {
  std::vector<StringRef> names;
  for (const auto &[name, bindings] : allScopes[scope].bindings)
    if (bindings.front().isParam())
      names.push_back(name);
  return names;
}
