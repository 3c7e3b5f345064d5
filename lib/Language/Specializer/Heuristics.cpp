//===- Heuristics.cpp - Parameters from the arguments of a launch -*- C++ -*-===//
//
// Applies @triton.heuristics when the arguments of a launch are known: each expression is evaluated
// with the arguments and what is decided so far, and sets a constexpr or a number of the
// configuration, such as num_warps. Numbers are checked here, wherever they come from.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Decorators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::StringRef;

unsigned *TuneConfig::number(StringRef name) {
  return llvm::StringSwitch<unsigned *>(name)
      .Case("num_warps", &numWarps)
      .Case("num_stages", &numStages)
      .Case("num_ctas", &numCTAs)
      .Case("maxnreg", &maxRegisters)
      .Default(nullptr);
}

bool TuneConfig::setNumber(StringRef name, const ConstValue &value, std::string &message) {
  if (value.kind() == ConstValue::Kind::None)
    return true;
  unsigned most = name == "num_warps" ? 32 : name == "num_ctas" ? 16 : name == "maxnreg" ? 255 : 64;
  bool isPower = name == "num_warps" || name == "num_ctas";
  bool isInt = value.kind() == ConstValue::Kind::Int;
  if (!isInt || !value.asInt().isStrictlyPositive() || value.asInt().sgt(most) ||
      (isPower && !value.asInt().isPowerOf2())) {
    message =
        ("expected '" + name + "' to be " + (isPower ? "a power of two up to " : "from 1 to ") +
         llvm::Twine(most) + ", found " + value.str())
            .str();
    return false;
  }
  *number(name) = unsigned(value.asInt().getZExtValue());
  return true;
}

void TuneConfig::addTo(KernelRequest &request) const {
  if (request.numWarps == 0)
    request.numWarps = numWarps;
  if (request.numCTAs == 0)
    request.numCTAs = numCTAs;
  if (request.numStages == 0)
    request.numStages = numStages;
}

bool Heuristic::setNumber(TuneConfig &config, const ConstValue &number,
                          std::string &message) const {
  bool fine = config.setNumber(name, number, message);
  if (isUnread)
    *config.number(name) = 0;
  return fine;
}

static void setValue(std::vector<NamedConst> &values, const Heuristic &heuristic,
                     ConstValue value) {
  auto known =
      llvm::find_if(values, [&](const NamedConst &entry) { return entry.name == heuristic.name; });
  if (known != values.end())
    known->value = std::move(value);
  else
    values.push_back({heuristic.name, std::move(value), heuristic.value->range()});
}

bool tilec::applyHeuristics(llvm::ArrayRef<Heuristic> heuristics, HostExpr::Lookup arguments,
                            DiagnosticEngine &diagnostics, TuneConfig &config) {
  auto lookup = [&](StringRef name) -> const ConstValue * {
    for (const NamedConst &value : config.values)
      if (value.name == name)
        return &value.value;
    return arguments(name);
  };
  for (const Heuristic &heuristic : heuristics) {
    llvm::Expected<ConstValue> value = heuristic.value->evaluate(lookup);
    std::string message;
    if (!value)
      message = llvm::toString(value.takeError());
    else if (!heuristic.isNumber)
      setValue(config.values, heuristic, std::move(*value));
    else
      heuristic.setNumber(config, *value, message);
    if (!message.empty()) {
      diagnostics.error(heuristic.value->range(),
                        "the heuristic for '" + heuristic.name + "': " + message);
      return false;
    }
  }
  return true;
}
