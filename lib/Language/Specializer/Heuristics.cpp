//===- Heuristics.cpp - Parameters from the arguments of a launch -*- C++ -*-===//

#include "tilec/Language/Decorators.h"

using namespace tilec;
using llvm::StringRef;

bool tilec::applyHeuristics(llvm::ArrayRef<Heuristic> heuristics, HostExpr::Lookup arguments,
                            DiagnosticEngine &diagnostics, std::vector<NamedConst> &values) {
  for (const Heuristic &heuristic : heuristics) {
    auto find = [&](StringRef name) {
      return llvm::find_if(values, [&](const NamedConst &value) { return value.name == name; });
    };
    llvm::Expected<ConstValue> value =
        heuristic.value->evaluate([&](StringRef name) -> const ConstValue * {
          auto known = find(name);
          return known != values.end() ? &known->value : arguments(name);
        });
    if (!value) {
      diagnostics.error(heuristic.value->range(), "the heuristic for '" + heuristic.name +
                                                      "': " + llvm::toString(value.takeError()));
      return false;
    }
    auto known = find(heuristic.name);
    if (known != values.end())
      known->value = std::move(*value);
    else
      values.push_back({heuristic.name, std::move(*value), heuristic.value->range()});
  }
  return true;
}
