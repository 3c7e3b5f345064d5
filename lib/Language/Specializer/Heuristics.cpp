//===- Heuristics.cpp - Parameters from the arguments of a launch -*- C++ -*-===//
//
// Applies @triton.heuristics when the arguments of a launch are known: each expression is evaluated
// with the arguments and what is decided so far, and sets a constexpr or a number of the
// configuration, such as num_warps. Numbers are checked here, wherever they come from, and shared
// with the parameters that have their names.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Decorators.h"

#include "tilec/Language/ParamRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::SMRange;
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
  unsigned most = name == "num_warps" ? 32 : name == "num_ctas" ? 16 : name == "maxnreg" ? 256 : 64;
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

//===----------------------------------------------------------------------===//
// Parameters with the names of numbers
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral sharedNumbers[] = {"num_warps", "num_ctas", "num_stages"};

unsigned &tilec::numberOf(KernelRequest &request, StringRef name) {
  return name == "num_warps"  ? request.numWarps
         : name == "num_ctas" ? request.numCTAs
                              : request.numStages;
}

/// Whether the signature is about the parameter; `value` is what it sets it to, if it does.
static bool isInSignature(const Signature &signature, const ast::FunctionDef &kernel,
                          unsigned index, std::optional<ConstValue> &value) {
  for (const auto &[number, item] : llvm::enumerate(signature.items)) {
    bool isMeant = signature.positional
                       ? number == index && signature.items.size() == kernel.params.size()
                       : item.name == kernel.params[index].name;
    if (!isMeant)
      continue;
    value = item.value;
    return true;
  }
  return false;
}

static bool shareNumber(const ast::FunctionDef &kernel, unsigned index, KernelRequest &request,
                        DiagnosticEngine &diagnostics) {
  const ast::Param &param = kernel.params[index];
  unsigned &number = numberOf(request, param.name);
  auto given = llvm::find_if(request.constexprs,
                             [&](const NamedConst &value) { return value.name == param.name; });
  std::optional<ConstValue> value;
  if (given != request.constexprs.end()) {
    value = given->value;
  } else if (!isInSignature(request.signature, kernel, index, value)) {
    if (number != 0)
      request.constexprs.push_back(
          {param.name.str(), ConstValue::integer(int64_t(number)), SMRange()});
    return true;
  }
  // No stages are nothing that could be asked for, but a number that kernels compute with.
  if (!value || (value->kind() == ConstValue::Kind::Int && value->asInt().isZero()))
    return true;
  TuneConfig config;
  std::string message;
  if (!config.setNumber(param.name, *value, message)) {
    diagnostics.error(param.nameRange, message);
    return false;
  }
  // Of two different ones that of the launch holds, as where Triton's gives the parameter by
  // position.
  if (number == 0)
    number = *config.number(param.name);
  return true;
}

bool tilec::hasNumber(const ast::FunctionDef &kernel, StringRef name) {
  if (!llvm::is_contained(sharedNumbers, name))
    return false;
  for (unsigned index = 0; index < kernel.params.size(); ++index)
    if (kernel.params[index].name == name)
      return readParamRules(kernel, index).isConstexpr;
  return false;
}

bool tilec::shareNumbers(const ast::FunctionDef &kernel, KernelRequest &request,
                         DiagnosticEngine &diagnostics) {
  for (unsigned index = 0; index < kernel.params.size(); ++index)
    if (hasNumber(kernel, kernel.params[index].name) &&
        !shareNumber(kernel, index, request, diagnostics))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Heuristics
//===----------------------------------------------------------------------===//

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
