//===- Requirement.cpp - What must hold for a launch -----------*- C++ -*-===//
//
// Makes conditions of a kernel's limits, as the analysis of its masks found them, and checks
// conditions when the arguments of a launch are known. A limit that is the value of one constexpr
// becomes a condition on that parameter, so that one text holds for all configurations. Conditions
// are host expressions, evaluated like a grid.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Requirement.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using llvm::StringRef;

bool Requirement::isTrivial() const {
  llvm::Expected<ConstValue> value =
      condition->evaluate([](StringRef) -> const ConstValue * { return nullptr; });
  if (value)
    return value->asBool();
  llvm::consumeError(value.takeError());
  return false;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// The argument at a path: "n", or "shape.0", which is written shape[0], or x.shape[0] if it is
/// called "x.shape.0".
static HostExpr::Ref argumentAt(StringRef path, StringRef name, std::string &text) {
  llvm::SmallVector<StringRef> parts, names;
  path.split(parts, '.');
  name.split(names, '.');
  text = parts.front().str();
  HostExpr::Ref result = HostExpr::argument(text, llvm::SMRange());
  for (size_t i = 1; i < parts.size(); ++i) {
    size_t index = 0;
    parts[i].getAsInteger(10, index);
    bool isPart = i < names.size() && index < descriptorParts().size() &&
                  descriptorParts()[index] == names[i];
    text += isPart ? "." + names[i].str() : "[" + parts[i].str() + "]";
    result = HostExpr::element(std::move(result), int64_t(index), llvm::SMRange());
  }
  return result;
}

/// The name of the only constexpr with this value; empty if there is none, or several.
static StringRef constexprWith(const KernelInfo &info, const ConstValue &value) {
  StringRef name;
  for (const KernelInfo::Constexpr &constant : info.constexprs) {
    std::optional<ConstValue> known = constant.read();
    if (!known || *known != value)
      continue;
    if (!name.empty())
      return "";
    name = constant.name;
  }
  return name;
}

Requirement SizeLimit::toRequirement() const {
  Requirement result;
  HostExpr::Ref argument = argumentAt(path, name, result.text);
  result.text += " <= " + (constant.empty() ? std::to_string(most) : constant);
  HostExpr::Ref limit = constant.empty()
                            ? HostExpr::constant(ConstValue::integer(most), llvm::SMRange())
                            : HostExpr::argument(constant, llvm::SMRange());
  result.condition = HostExpr::compare(ast::CompareOp::LtE, std::move(argument), std::move(limit),
                                       llvm::SMRange());
  return result;
}

std::vector<SizeLimit> tilec::findLimits(const KernelInfo &info) {
  std::vector<SizeLimit> limits;
  for (const KernelParam &param : info.params)
    if (param.atMost)
      limits.push_back({param.path, *param.atMost,
                        constexprWith(info, ConstValue::integer(*param.atMost)).str(), param.name});
  return limits;
}

std::vector<Requirement> tilec::deriveRequirements(const KernelInfo &info,
                                                   llvm::ArrayRef<Requirement> stated) {
  std::vector<Requirement> result;
  if (llvm::any_of(stated, [](const Requirement &requirement) { return requirement.isTrivial(); }))
    return result;
  for (const SizeLimit &limit : findLimits(info))
    result.push_back(limit.toRequirement());
  return result;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// "n=5000, BLOCK=4096": what the condition depends on.
static std::string valuesIn(const HostExpr &condition, HostExpr::Lookup lookup) {
  llvm::SmallVector<StringRef> names;
  condition.collectArguments(names);
  std::string text;
  for (StringRef name : names)
    if (const ConstValue *value = lookup(name))
      text += ((text.empty() ? "" : ", ") + name + "=" + value->str()).str();
  return text;
}

llvm::Error tilec::checkRequirements(StringRef kernel, llvm::ArrayRef<Requirement> requirements,
                                     HostExpr::Lookup lookup) {
  for (const Requirement &requirement : requirements) {
    llvm::Expected<ConstValue> value = requirement.condition->evaluate(lookup);
    if (!value)
      return llvm::createStringError(
          "kernel '" + kernel + "' requires " + requirement.text +
          ", which cannot be computed: " + llvm::toString(value.takeError()));
    if (value->asBool())
      continue;
    std::string values = valuesIn(*requirement.condition, lookup);
    return llvm::createStringError("kernel '" + kernel + "' requires " + requirement.text +
                                   (values.empty() ? "" : ", but is launched with " + values));
  }
  return llvm::Error::success();
}
