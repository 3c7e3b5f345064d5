//===- InlayHints.cpp - Shapes behind assignments ---------------*- C++ -*-===//
//
// Shows the shape of a block where a name gets it, and not again while the name keeps it.
//
//===----------------------------------------------------------------------===//

#include "Features.h"
#include "llvm/ADT/StringMap.h"

using namespace tilec;
using namespace tilec::ls;

/// "float32[128]", or two of them where a helper is called with different ones; empty where there
/// is no block, or more types than a line has room for.
static std::string labelOf(const ValueFact &fact) {
  std::string label;
  if (fact.types.size() > 2)
    return label;
  for (const ValueFact::Type &type : fact.types) {
    if (!type.isBlock)
      return "";
    label += (label.empty() ? "" : " | ") + type.type;
  }
  return label;
}

std::vector<lsp::InlayHint> ls::inlayHints(const Analysis &analysis, lsp::Range range) {
  std::vector<lsp::InlayHint> hints;
  const Syntax &syntax = analysis.syntax();
  for (const NameScope &scope : syntax.scopes()) {
    if (scope.kind != NameScope::Kind::Function)
      continue;
    for (const auto &[name, bindings] : scope.bindings) {
      std::string last;
      for (const ScopeBinding &binding : bindings) {
        const NameToken &token = syntax.tokens()[binding.token];
        auto fact = analysis.values().find(token.begin);
        std::string label = fact == analysis.values().end() ? "" : labelOf(fact->second);
        if (binding.isParam() || label.empty() || label == last)
          continue;
        last = label;
        lsp::Position end = analysis.text().positionOf(token.end);
        if (end < range.start || range.end < end)
          continue;
        lsp::InlayHint hint(lsp::InlayHintKind::Type, end);
        hint.label = ": " + label;
        hints.push_back(std::move(hint));
      }
    }
  }
  llvm::sort(hints);
  return hints;
}
