//===- Arguments.cpp - From arguments to a kernel's parameters --*- C++ -*-===//
//
// The rules of a launch from Python (argument typing and specialisation), then the check that the
// arguments suit the kernel that came out.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Arguments.h"

#include "tilec/JIT/ParamRules.h"
#include "llvm/ADT/SmallVector.h"

using namespace tilec;
using llvm::SMRange;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Types from arguments
//===----------------------------------------------------------------------===//

static const NamedArgument *findArgument(llvm::ArrayRef<NamedArgument> arguments, StringRef name) {
  for (const NamedArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

static bool isMultipleOf16(const HostArray &array) {
  return reinterpret_cast<uintptr_t>(array.data()) % 16 == 0;
}

static bool isMultipleOf16(const llvm::APInt &value) {
  return value.getBitWidth() < 4 ? value.isZero() : value.countr_zero() >= 4;
}

namespace {

class Describer {
public:
  Describer(const ast::FunctionDef &kernel, llvm::ArrayRef<NamedArgument> arguments,
            const Signature &given, DiagnosticEngine &diagnostics, KernelRequest &request)
      : kernel(kernel), arguments(arguments), given(given), diagnostics(diagnostics),
        request(request) {}

  bool run();

private:
  bool checkNames();
  bool describe(unsigned index);
  bool fromArgument(const ast::Param &param, const ParamRules &rules,
                    const NamedArgument &argument);
  bool fromInteger(const ast::Param &param, const ParamRules &rules, const llvm::APInt &value);
  const SignatureItem *givenItem(unsigned index);
  void addType(StringRef name, DType type, bool isMultiple) {
    SignatureItem item;
    item.name = name.str();
    item.type = ParamType{type, isMultiple ? 16u : 1u};
    request.signature.items.push_back(std::move(item));
  }
  void addValue(StringRef name, ConstValue value) {
    SignatureItem item;
    item.name = name.str();
    item.value = std::move(value);
    request.signature.items.push_back(std::move(item));
  }
  bool error(const ast::Param &param, const llvm::Twine &message) {
    diagnostics.error(param.nameRange, message);
    return false;
  }

  const ast::FunctionDef &kernel;
  llvm::ArrayRef<NamedArgument> arguments;
  const Signature &given;
  DiagnosticEngine &diagnostics;
  KernelRequest &request;
};

} // namespace

bool Describer::checkNames() {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : kernel.params)
    names.push_back(param.name);
  bool sound = true;
  for (const NamedArgument &argument : arguments) {
    if (llvm::is_contained(names, argument.name))
      continue;
    std::string message =
        "kernel '" + kernel.name.str() + "' has no parameter '" + argument.name + "'";
    if (std::optional<StringRef> near = closestName(argument.name, names))
      message += "; did you mean '" + near->str() + "'?";
    diagnostics.error(SMRange(), message).note(kernel.nameRange, "the kernel is defined here");
    sound = false;
  }
  return sound;
}

const SignatureItem *Describer::givenItem(unsigned index) {
  if (given.positional)
    return index < given.items.size() ? &given.items[index] : nullptr;
  for (const SignatureItem &item : given.items)
    if (item.name == kernel.params[index].name)
      return &item;
  return nullptr;
}

bool Describer::fromInteger(const ast::Param &param, const ParamRules &rules,
                            const llvm::APInt &value) {
  if (value == 1 && rules.foldOne) {
    addValue(param.name, ConstValue::integer(1));
    return true;
  }
  bool isMultiple = rules.promiseAlignment && isMultipleOf16(value);
  if (rules.type) {
    addType(param.name, *rules.type, isMultiple && rules.type->isInt() && !rules.type->isBool());
    return true;
  }
  if (!value.isSignedIntN(64) && (value.isNegative() || !value.isIntN(64)))
    return error(param, "the argument '" + param.name + "' needs more than 64 bits");
  ScalarKind kind = value.isSignedIntN(32)   ? ScalarKind::Int32
                    : value.isSignedIntN(64) ? ScalarKind::Int64
                                             : ScalarKind::UInt64;
  addType(param.name, kind, isMultiple);
  return true;
}

bool Describer::fromArgument(const ast::Param &param, const ParamRules &rules,
                             const NamedArgument &argument) {
  if (argument.array) {
    DType type = DType::pointerTo(argument.array->type(), rules.isConst);
    addType(param.name, rules.type.value_or(type),
            rules.promiseAlignment && isMultipleOf16(*argument.array));
    return true;
  }
  switch (argument.value.kind()) {
  case ConstValue::Kind::None:
    if (rules.type)
      return error(param, "parameter '" + param.name + "' is declared as " +
                              rules.type->signatureStr() + ", but the argument is None");
    addValue(param.name, ConstValue::none());
    return true;
  case ConstValue::Kind::Function:
    addValue(param.name, argument.value);
    return true;
  case ConstValue::Kind::Bool:
    addType(param.name, rules.type.value_or(DType(ScalarKind::Int1)), false);
    return true;
  case ConstValue::Kind::Int:
    return fromInteger(param, rules, argument.value.asInt());
  case ConstValue::Kind::Float:
    addType(param.name, rules.type.value_or(DType(ScalarKind::FP32)), false);
    return true;
  default:
    return error(param, "parameter '" + param.name +
                            "' is not tl.constexpr: expected an array or a number, found " +
                            argument.value.str());
  }
}

bool Describer::describe(unsigned index) {
  const ast::Param &param = kernel.params[index];
  if (llvm::any_of(request.constexprs,
                   [&](const NamedConst &value) { return value.name == param.name; }))
    return true;
  if (const SignatureItem *item = givenItem(index)) {
    request.signature.items.push_back(*item);
    request.signature.items.back().name = param.name.str();
    return true;
  }
  const NamedArgument *argument = findArgument(arguments, param.name);
  ParamRules rules = readParamRules(kernel, index);
  if (!argument) {
    if (param.defaultValue)
      return true;
    return error(param, "no argument is given for the " +
                            llvm::Twine(rules.isConstexpr ? "tl.constexpr " : "") + "parameter '" +
                            param.name + "'");
  }
  if (!rules.isConstexpr)
    return fromArgument(param, rules, *argument);
  if (argument->array)
    return error(param, "parameter '" + param.name +
                            "' is tl.constexpr: expected a value, found an array");
  request.constexprs.push_back({param.name.str(), argument->value, SMRange()});
  return true;
}

bool Describer::run() {
  bool sound = checkNames();
  request.signature = Signature();
  if (given.positional && !given.items.empty() && given.items.size() != kernel.params.size()) {
    // The Specializer words this error.
    request.signature = given;
    return sound;
  }
  for (unsigned index = 0; index < kernel.params.size(); ++index)
    sound &= describe(index);
  if (!given.positional)
    for (const SignatureItem &item : given.items)
      if (llvm::none_of(kernel.params,
                        [&](const ast::Param &param) { return param.name == item.name; }))
        request.signature.items.push_back(item); // Unknown: likewise.
  return sound;
}

bool tilec::describeArguments(const ast::FunctionDef &kernel,
                              llvm::ArrayRef<NamedArgument> arguments, const Signature &given,
                              DiagnosticEngine &diagnostics, KernelRequest &request) {
  return Describer(kernel, arguments, given, diagnostics, request).run();
}

//===----------------------------------------------------------------------===//
// Values for parameters
//===----------------------------------------------------------------------===//

/// Why `value` cannot be passed as `type`; empty when it can.
static std::string bindNumber(const ConstValue &value, LaunchValue &result) {
  DType type = result.type;
  std::string expected = "expected a value of type " + type.signatureStr();
  if (type.isFloat()) {
    if (value.kind() == ConstValue::Kind::Float)
      result.real = value.asFloat();
    else if (value.kind() == ConstValue::Kind::Int)
      result.real = value.asInt().roundToDouble(/*isSigned=*/true);
    else
      return expected + ", found " + value.str();
    return "";
  }
  llvm::APInt number(64, 0);
  if (value.kind() == ConstValue::Kind::Bool)
    number = llvm::APInt(64, value.asBool());
  else if (value.kind() == ConstValue::Kind::Int)
    number = value.asInt();
  else
    return expected + ", found " + value.str();
  bool fits = type.isSignedInt() ? number.isSignedIntN(type.bits())
                                 : !number.isNegative() && number.isIntN(type.bits());
  if (!fits)
    return expected + ", found " + value.str() + ", which does not fit";
  result.integer = int64_t(number.sextOrTrunc(64).getZExtValue());
  return "";
}

static std::string bindValue(const NamedArgument &argument, LaunchValue &result) {
  DType type = result.type;
  if (!type.isPointer())
    return argument.array ? "expected a value of type " + type.signatureStr() + ", found an array"
                          : bindNumber(argument.value, result);
  if (!argument.array)
    return "expected an array for a pointer, found " + argument.value.str();
  DType element = type.pointee();
  if (!element.isScalar(ScalarKind::Void) && !element.isScalar(argument.array->type()))
    return "expected an array of " + element.signatureStr() + ", found one of " +
           scalarInfo(argument.array->type()).shortName.str();
  result.array = argument.array;
  return "";
}

static bool keepsPromise(const LaunchValue &value) {
  return value.array ? isMultipleOf16(*value.array) : value.integer % 16 == 0;
}

/// An argument for a parameter that became a constant must agree with it, or it would go unused.
static bool checkConstants(const KernelInfo &kernel, llvm::ArrayRef<NamedArgument> arguments,
                           DiagnosticEngine &diagnostics) {
  bool sound = true;
  for (const KernelInfo::Constexpr &constant : kernel.constexprs) {
    const NamedArgument *argument = findArgument(arguments, constant.name);
    if (!argument || (!argument->array && argument->value.str() == constant.value))
      continue;
    std::string found = argument->array ? std::string("an array") : argument->value.str();
    diagnostics.error(SMRange(), "parameter '" + constant.name + "' is the constant " +
                                     constant.value + ", but the argument is " + found);
    sound = false;
  }
  return sound;
}

bool tilec::bindArguments(const KernelInfo &kernel, llvm::ArrayRef<NamedArgument> arguments,
                          DiagnosticEngine &diagnostics, std::vector<LaunchValue> &values) {
  bool sound = true;
  for (const KernelInfo::Param &param : kernel.params) {
    LaunchValue value;
    std::optional<DType> type = parseTypeName(param.type);
    assert(type && "a signature's type can be read back");
    value.type = *type;
    const NamedArgument *argument = findArgument(arguments, param.name);
    std::string problem = argument ? bindValue(*argument, value) : "no argument is given";
    if (problem.empty() && param.divisibility == 16 && !keepsPromise(value))
      problem = "the signature promises a multiple of 16, found " +
                (value.array ? "an address that is none" : std::to_string(value.integer));
    if (!problem.empty()) {
      diagnostics.error(SMRange(), "parameter '" + param.name + "': " + problem);
      sound = false;
    }
    values.push_back(value);
  }
  return checkConstants(kernel, arguments, diagnostics) && sound;
}
