//===- Configs.cpp - Which constexpr values are compiled -------*- C++ -*-===//
//
// Plans the configurations of a kernel in an object: all combinations of the autotuner's
// configurations, the values that the user lists, and what heuristics may compute. An object is
// compiled before anybody launches, so a heuristic that depends on the arguments of a launch counts
// with each value that it may have; if these cannot be listed, the user has to.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tilec;
using namespace tilec::artifact;

static ConfigPlan planOf(const TuneConfig &config, unsigned index) {
  ConfigPlan plan;
  static_cast<TuneConfig &>(plan) = config;
  plan.tune = index + 1;
  return plan;
}

static const ConstValue *findValue(const ConfigPlan &plan, llvm::StringRef name) {
  for (const NamedConst &value : plan.values)
    if (value.name == name)
      return &value.value;
  return nullptr;
}

static void setValue(ConfigPlan &plan, llvm::StringRef name, const ConstValue &value) {
  for (NamedConst &known : plan.values)
    if (known.name == name) {
      known.value = value;
      return;
    }
  plan.values.push_back({name.str(), value, llvm::SMRange()});
}

/// Replaces each plan by one for each of the values.
static void multiply(std::vector<ConfigPlan> &plans, llvm::StringRef name,
                     llvm::ArrayRef<ConstValue> values) {
  std::vector<ConfigPlan> result;
  for (const ConfigPlan &plan : plans)
    for (const ConstValue &value : values) {
      result.push_back(plan);
      setValue(result.back(), name, value);
    }
  plans = std::move(result);
}

/// The values that an expression over run-time arguments may have, if they are few: the constants
/// that its conditions choose among, or True and False. Empty when they cannot be listed.
static std::vector<ConstValue> possibleValues(const HostExpr &expr) {
  using Kind = HostExpr::Kind;
  auto unite = [](llvm::ArrayRef<HostExpr::Ref> parts) {
    std::vector<ConstValue> all;
    for (const HostExpr::Ref &part : parts) {
      std::vector<ConstValue> values = possibleValues(*part);
      if (values.empty())
        return values;
      for (ConstValue &value : values)
        if (!llvm::is_contained(all, value))
          all.push_back(std::move(value));
    }
    return all;
  };
  std::vector<ConstValue> booleans = {ConstValue::boolean(true), ConstValue::boolean(false)};
  switch (expr.kind()) {
  case Kind::Constant:
    return {expr.value()};
  case Kind::Compare:
    return booleans;
  case Kind::Boolean:
    return unite(expr.operands());
  case Kind::Conditional:
    return unite(expr.operands().drop_front());
  case Kind::Unary:
    return expr.unaryOp() == ast::UnaryOpKind::Not ? booleans : std::vector<ConstValue>();
  case Kind::Call:
    return expr.function() == HostExpr::Function::Bool ? booleans : std::vector<ConstValue>();
  default:
    return {};
  }
}

/// Sets a number of each plan that a heuristic is about, where it is known before a launch.
static bool applyNumber(const Heuristic &heuristic, std::vector<ConfigPlan> &plans,
                        DiagnosticEngine &diagnostics) {
  for (ConfigPlan &plan : plans) {
    llvm::Expected<ConstValue> known =
        heuristic.value->evaluate([&](llvm::StringRef name) { return findValue(plan, name); });
    std::string message;
    if (known && heuristic.setNumber(plan, *known, message))
      continue;
    if (known) {
      DiagnosticBuilder error = diagnostics.error(
          heuristic.value->range(), "the heuristic for '" + heuristic.name + "': " + message);
      if (std::string note = noteFor(plan, ""); !note.empty())
        error.note(llvm::SMRange(), note);
      return false;
    }
    llvm::consumeError(known.takeError());
    if (heuristic.isUnread)
      return true;
    diagnostics.warning(heuristic.value->range(),
                        "'" + heuristic.name +
                            "' depends on the arguments of a launch, and objects are compiled "
                            "before; it is left to the compiler");
    return true;
  }
  return true;
}

/// Adds what a heuristic may set to each plan.
static bool applyHeuristic(const Heuristic &heuristic, bool isDefined,
                           std::vector<ConfigPlan> &plans, DiagnosticEngine &diagnostics) {
  std::vector<ConfigPlan> result;
  for (const ConfigPlan &plan : plans) {
    llvm::Expected<ConstValue> known =
        heuristic.value->evaluate([&](llvm::StringRef name) { return findValue(plan, name); });
    std::vector<ConstValue> values;
    if (known) {
      values.push_back(std::move(*known));
    } else {
      llvm::consumeError(known.takeError());
      if (isDefined) { // The launcher tests the values that the user listed.
        result.push_back(plan);
        continue;
      }
      values = possibleValues(*heuristic.value);
    }
    if (values.empty()) {
      diagnostics.error(heuristic.value->range(),
                        "the value of '" + heuristic.name +
                            "' depends on the arguments of a launch; list the values to compile "
                            "with -D " +
                            heuristic.name + "=VALUE,..");
      return false;
    }
    std::vector<ConfigPlan> some = {plan};
    multiply(some, heuristic.name, values);
    llvm::append_range(result, some);
  }
  plans = std::move(result);
  return true;
}

static bool areEqual(const ConfigPlan &left, const ConfigPlan &right) {
  if (left.numWarps != right.numWarps || left.numStages != right.numStages ||
      left.numCTAs != right.numCTAs || left.maxRegisters != right.maxRegisters ||
      left.values.size() != right.values.size())
    return false;
  return llvm::all_of(left.values, [&](const NamedConst &value) {
    const ConstValue *other = findValue(right, value.name);
    return other && *other == value.value;
  });
}

static void markVarying(std::vector<ConfigPlan> &plans) {
  std::vector<std::string> varying;
  for (const NamedConst &value : plans.front().values)
    if (llvm::any_of(plans, [&](const ConfigPlan &plan) {
          const ConstValue *other = findValue(plan, value.name);
          return !other || *other != value.value;
        }))
      varying.push_back(value.name);
  for (ConfigPlan &plan : plans)
    plan.varying = varying;
}

std::optional<std::vector<ConfigPlan>> artifact::planConfigs(const KernelSpec &spec,
                                                             const KernelDecorators &decorators,
                                                             DiagnosticEngine &diagnostics) {
  std::vector<ConfigPlan> plans;
  if (decorators.autotune)
    for (auto [index, config] : llvm::enumerate(decorators.autotune->configs))
      plans.push_back(planOf(config, index));
  if (plans.empty())
    plans.push_back({});
  llvm::StringSet<> defined;
  for (const Definitions &definition : spec.definitions) {
    multiply(plans, definition.name, definition.values);
    defined.insert(definition.name);
  }
  for (const Heuristic &heuristic : decorators.heuristics) {
    if (heuristic.isNumber
            ? !applyNumber(heuristic, plans, diagnostics)
            : !applyHeuristic(heuristic, defined.contains(heuristic.name), plans, diagnostics))
      return std::nullopt;
  }
  std::vector<ConfigPlan> distinct;
  for (ConfigPlan &plan : plans)
    if (llvm::none_of(distinct, [&](const ConfigPlan &other) { return areEqual(plan, other); }))
      distinct.push_back(std::move(plan));
  constexpr size_t most = 1024;
  if (distinct.size() > most) {
    diagnostics.error(llvm::SMRange(),
                      "kernel '" + spec.name + "' would have " + llvm::Twine(distinct.size()) +
                          " configurations; expected at most " + llvm::Twine(most));
    return std::nullopt;
  }
  markVarying(distinct);
  return distinct;
}

std::string artifact::nameOf(const ConfigPlan &plan) {
  std::string name;
  auto add = [&](const llvm::Twine &part) { name += (name.empty() ? "" : "_") + part.str(); };
  for (const std::string &parameter : plan.varying)
    if (const ConstValue *value = findValue(plan, parameter)) {
      std::string text = value->str();
      llvm::StringRef spelling = text;
      spelling.consume_front("tl.");
      std::string part = parameter;
      for (char c : spelling)
        part += llvm::isAlnum(c) ? c : '_';
      add(llvm::StringRef(part).rtrim('_'));
    }
  if (plan.numWarps)
    add("w" + llvm::Twine(plan.numWarps));
  if (plan.numStages)
    add("s" + llvm::Twine(plan.numStages));
  if (plan.numCTAs)
    add("c" + llvm::Twine(plan.numCTAs));
  if (plan.maxRegisters)
    add("r" + llvm::Twine(plan.maxRegisters));
  return name.empty() ? "only" : name;
}

std::string artifact::noteFor(const ConfigPlan &plan, llvm::StringRef target) {
  std::string values = plan.str();
  if (values.empty())
    return "";
  return "in configuration " + values + (target.empty() ? "" : ", for " + target.str());
}
