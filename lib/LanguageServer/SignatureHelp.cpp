//===- SignatureHelp.cpp - The function that is being called ----*- C++ -*-===//

#include "Callee.h"
#include "Features.h"

using namespace tilec;
using namespace tilec::ls;

/// The parameter that the argument at the position is for.
static unsigned activeParam(const Callee &callee, const CallSite &site) {
  if (!site.keyword.empty())
    for (size_t i = 0; i < callee.params.size(); ++i)
      if (callee.nameOf(i) == site.keyword)
        return i;
  // `*values` takes all that follow.
  for (size_t i = 0; i < callee.params.size() && i < site.argument; ++i)
    if (callee.params[i].front() == '*')
      return i;
  return site.argument;
}

lsp::SignatureHelp ls::signatureHelp(const Analysis &analysis, lsp::Position position) {
  lsp::SignatureHelp help;
  std::optional<CallSite> site = callAt(analysis.syntax(), analysis.text().offsetOf(position));
  std::optional<Callee> callee = site ? calleeOf(analysis, site->callee) : std::nullopt;
  if (!callee)
    return help;
  lsp::SignatureInformation signature;
  signature.label = callee->label;
  signature.documentation = callee->documentation;
  for (const std::string &param : callee->params) {
    lsp::ParameterInformation information;
    information.labelString = param;
    signature.parameters.push_back(std::move(information));
  }
  help.activeParameter = activeParam(*callee, *site);
  help.signatures.push_back(std::move(signature));
  return help;
}
