//===- Arguments.cpp - From arguments to a kernel's parameters --*- C++ -*-===//
//
// The rules of a launch from Python (argument typing and specialisation), then the check that the
// arguments suit the kernel that came out.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Arguments.h"

#include "tilec/Language/ParamRules.h"
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

NamedArgument NamedArgument::expanded() const {
  NamedArgument result = *this;
  if (value.kind() == ConstValue::Kind::Tuple) {
    result.isTuple = true;
    result.className = value.className().str();
    result.value = ConstValue::none();
    for (auto [index, element] : llvm::enumerate(value.elements())) {
      NamedArgument &part = result.elements.emplace_back();
      part.name = name + "." + std::to_string(index);
      part.value = element;
    }
  }
  for (NamedArgument &element : result.elements)
    element = element.expanded();
  return result;
}

void NamedArgument::makeDescriptor(HostArray &tensor, std::vector<std::string> block,
                                   bool padsWithNaN) {
  isTuple = true;
  descriptor = DescriptorType::of(tensor.type(), std::move(block), padsWithNaN);
  std::vector<ConstValue> sizes, strides;
  llvm::APInt stride(64, 1);
  for (uint64_t size : llvm::reverse(tensor.shape())) {
    sizes.insert(sizes.begin(), ConstValue::integer(llvm::APInt(65, size)));
    strides.insert(strides.begin(), ConstValue::integer(stride.zext(65)));
    stride *= size;
  }
  elements.resize(3);
  elements[0] = NamedArgument(name, &tensor);
  elements[1] = NamedArgument(name + ".shape", nullptr, ConstValue::tuple(std::move(sizes)));
  elements[2] = NamedArgument(name + ".strides", nullptr, ConstValue::tuple(std::move(strides)));
  for (NamedArgument &element : elements)
    element = element.expanded();
}

std::string NamedArgument::str() const {
  if (descriptor)
    return "a tensor descriptor";
  if (!isTuple)
    return array ? "an array" : value.str();
  std::string text = className + "(";
  for (auto [index, element] : llvm::enumerate(elements))
    text += (index ? ", " : "") + element.str();
  return text + (elements.size() == 1 && className.empty() ? ",)" : ")");
}

void tilec::forEachArray(llvm::ArrayRef<NamedArgument> arguments,
                         llvm::function_ref<void(const NamedArgument &)> visit) {
  for (const NamedArgument &argument : arguments) {
    if (argument.array)
      visit(argument);
    forEachArray(argument.elements, visit);
  }
}

static int64_t addressOf(const HostArray &array) {
  return int64_t(reinterpret_cast<uintptr_t>(array.data()));
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
  bool checkTensors(const NamedArgument &argument);
  bool describe(unsigned index);
  bool fromArgument(const ast::Param &param, const ParamRules &rules, const NamedArgument &argument,
                    SignatureItem &item);
  bool fromTuple(const ast::Param &param, const ParamRules &rules, const NamedArgument &argument,
                 SignatureItem &item);
  bool fromDescriptor(const ast::Param &param, const ParamRules &rules,
                      const NamedArgument &argument, SignatureItem &item);
  bool fromInteger(const ast::Param &param, const ParamRules &rules, const llvm::APInt &value,
                   SignatureItem &item);
  const SignatureItem *givenItem(unsigned index);
  /// `value` is an integer or an address.
  static bool setType(SignatureItem &item, const ParamRules &rules, DType type, int64_t value) {
    ArgumentClass kind = rules.classes(type).classify(value);
    if (kind == ArgumentClass::One)
      return setValue(item, ConstValue::integer(1));
    item.type = ParamType::of(type, kind);
    return true;
  }
  static bool setValue(SignatureItem &item, ConstValue value) {
    item.value = std::move(value);
    return true;
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
                            const llvm::APInt &value, SignatureItem &item) {
  int64_t bits = int64_t(value.zextOrTrunc(64).getZExtValue());
  if (rules.type)
    return setType(item, rules, *rules.type, bits);
  if (!value.isSignedIntN(64) && (value.isNegative() || !value.isIntN(64)))
    return error(param, "the argument '" + param.name + "' needs more than 64 bits");
  ScalarKind kind = value.isSignedIntN(32)   ? ScalarKind::Int32
                    : value.isSignedIntN(64) ? ScalarKind::Int64
                                             : ScalarKind::UInt64;
  return setType(item, rules, kind, bits);
}

/// The parameter's rules are not those of the elements.
bool Describer::fromTuple(const ast::Param &param, const ParamRules &rules,
                          const NamedArgument &argument, SignatureItem &item) {
  if (rules.type)
    return error(param, "parameter '" + param.name + "' is declared as " +
                            rules.type->signatureStr() + ", but the argument is " +
                            (argument.descriptor ? "" : "the tuple ") + argument.str());
  if (argument.descriptor)
    return fromDescriptor(param, rules, argument, item);
  item.isTuple = true;
  item.className = argument.className;
  bool sound = true;
  for (const NamedArgument &element : argument.elements)
    sound &= fromArgument(param, ParamRules(), element, item.elements.emplace_back());
  return sound;
}

/// Why there can be no descriptor of this tensor; empty if there can.
static std::string whyNoTensor(const NamedArgument &argument) {
  const DescriptorType &type = *argument.descriptor;
  llvm::ArrayRef<NamedArgument> sizes = argument.elements[1].elements;
  llvm::ArrayRef<NamedArgument> strides = argument.elements[2].elements;
  if (std::string why = whyNoRank(sizes.size()); !why.empty())
    return why;
  if (std::string why = whyNoDescriptor(type.element, type.padsWithNaN); !why.empty())
    return why;
  for (const NamedArgument &size : sizes)
    if (size.value.asInt().isZero() || !size.value.asInt().isSignedIntN(32))
      return "sizes of a tensor descriptor are from 1 to 2**31 - 1, found " + size.str();
  unsigned axes = unsigned(sizes.size());
  DescriptorType ofRank = type;
  ofRank.block.resize(axes);
  int64_t units = ofRank.divisorOf(axes + 1);
  for (const NamedArgument &stride : strides.drop_back())
    if (stride.value.asInt().urem(units) != 0)
      return "strides of a tensor descriptor must be multiples of 16 bytes, which are " +
             std::to_string(units) + " elements of " + type.element.str() + ", found " +
             stride.str();
  if (addressOf(*argument.elements[0].array) % ofRank.divisorOf(0) != 0)
    return "the address of a tensor descriptor must be a multiple of 16 bytes";
  if (type.rank() != 0 && type.rank() != axes)
    return "the block has " + std::to_string(type.rank()) + " axes, but the array " +
           std::to_string(axes);
  return "";
}

/// Reports arrays of which there can be no descriptor, whoever gives the type.
bool Describer::checkTensors(const NamedArgument &argument) {
  bool sound = true;
  if (argument.descriptor)
    if (std::string why = whyNoTensor(argument); !why.empty()) {
      diagnostics.error(SMRange(), "argument '" + argument.name + "': " + why);
      sound = false;
    }
  for (const NamedArgument &element : argument.elements)
    sound &= checkTensors(element);
  return sound;
}

bool Describer::fromDescriptor(const ast::Param &param, const ParamRules &rules,
                               const NamedArgument &argument, SignatureItem &item) {
  DescriptorType type = *argument.descriptor;
  if (type.block.empty())
    return error(param, "the descriptor for '" + param.name + "' has no block: '" + argument.name +
                            "=desc(ARRAY, [64, 32])' or a type in --sig gives it one");
  type.isConst = rules.isConst;
  llvm::SmallVector<int64_t> values; // Of the run-time arguments, but for the base.
  for (const NamedArgument &list : llvm::drop_begin(argument.elements))
    for (const NamedArgument &element : list.elements)
      values.push_back(element.value.asInt().getSExtValue());
  item.makeDescriptor(type, [&](unsigned part) {
    return type.classesOf(part).classify(part == 0 ? 0 : values[part - 1]);
  });
  return true;
}

bool Describer::fromArgument(const ast::Param &param, const ParamRules &rules,
                             const NamedArgument &argument, SignatureItem &item) {
  if (argument.isTuple)
    return fromTuple(param, rules, argument, item);
  if (argument.array)
    return setType(item, rules,
                   rules.type.value_or(DType::pointerTo(argument.array->type(), rules.isConst)),
                   addressOf(*argument.array));
  switch (argument.value.kind()) {
  case ConstValue::Kind::None:
    if (rules.type)
      return error(param, "parameter '" + param.name + "' is declared as " +
                              rules.type->signatureStr() + ", but the argument is None");
    return setValue(item, ConstValue::none());
  case ConstValue::Kind::Function:
    return setValue(item, argument.value);
  case ConstValue::Kind::Bool:
    return setType(item, rules, rules.type.value_or(DType(ScalarKind::Int1)),
                   argument.value.asBool());
  case ConstValue::Kind::Int:
    return fromInteger(param, rules, argument.value.asInt(), item);
  case ConstValue::Kind::Float:
    item.type = ParamType{rules.type.value_or(DType(ScalarKind::FP32))};
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
                            param.name + "'; " + (rules.isConstexpr ? "-D" : "--arg ") +
                            param.name + "=VALUE gives it one");
  }
  if (!rules.isConstexpr) {
    SignatureItem &item = request.signature.items.emplace_back();
    item.name = param.name.str();
    return fromArgument(param, rules, argument->expanded(), item);
  }
  if (argument->array || argument->isTuple)
    return error(param, "parameter '" + param.name + "' is tl.constexpr: expected a value, found " +
                            argument->str());
  request.constexprs.push_back({param.name.str(), argument->value, SMRange()});
  return true;
}

bool Describer::run() {
  bool sound = checkNames();
  for (const NamedArgument &argument : arguments)
    if (!checkTensors(argument))
      return false; // The types follow from the sizes.
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
    return argument.array || argument.isTuple
               ? "expected a value of type " + type.signatureStr() + ", found " + argument.str()
               : bindNumber(argument.value, result);
  if (!argument.array)
    return "expected an array for a pointer, found " + argument.str();
  DType element = type.pointee();
  if (!element.isScalar(ScalarKind::Void) && !element.isScalar(argument.array->type()))
    return "expected an array of " + element.signatureStr() + ", found one of " +
           scalarInfo(argument.array->type()).shortName.str();
  result.array = argument.array;
  return "";
}

static bool keepsPromise(const ParamType &type, const LaunchValue &value) {
  ClassRule rule = {type.equalsOne, type.divisibility > 1};
  return rule.classify(value.array ? addressOf(*value.array) : value.integer) == type.promised();
}

/// An argument for a parameter that became a constant must agree with it, or it would go unused.
static bool checkConstants(const KernelInfo &kernel, llvm::ArrayRef<NamedArgument> arguments,
                           DiagnosticEngine &diagnostics) {
  bool sound = true;
  for (const KernelInfo::Constexpr &constant : kernel.constexprs) {
    const NamedArgument *argument = findArgument(arguments, constant.name);
    if (!argument || argument->str() == constant.value)
      continue;
    diagnostics.error(SMRange(), "parameter '" + constant.name + "' is the constant " +
                                     constant.value + ", but the argument is " + argument->str());
    sound = false;
  }
  return sound;
}

namespace {
/// Walks through the arguments of a launch beside the signature of the kernel.
class Binder {
public:
  Binder(const KernelInfo &kernel, DiagnosticEngine &diagnostics, std::vector<LaunchValue> &values)
      : kernel(kernel), diagnostics(diagnostics), values(values) {}

  bool bind(const SignatureItem &item, const NamedArgument *argument);

private:
  bool bindParam(const NamedArgument *argument);
  bool bindTuple(const SignatureItem &item, const NamedArgument &argument);
  bool error(StringRef name, const llvm::Twine &problem) {
    diagnostics.error(SMRange(), "parameter '" + name + "': " + problem);
    return false;
  }

  const KernelInfo &kernel;
  DiagnosticEngine &diagnostics;
  std::vector<LaunchValue> &values; // As many as parameters were bound.
};
} // namespace

bool Binder::bindParam(const NamedArgument *argument) {
  const KernelParam &param = kernel.params[values.size()];
  LaunchValue &value = values.emplace_back();
  value.type = param.type;
  std::string problem = argument ? bindValue(*argument, value) : "no argument is given";
  if (problem.empty() && param.divisibility == 16 && !keepsPromise(param, value))
    problem = std::string("the signature promises a multiple of 16") +
              (!value.array && value.integer < 0 ? " that is not negative" : "") + ", found " +
              (value.array ? "an address that is none" : std::to_string(value.integer));
  return problem.empty() || error(param.name, problem);
}

bool Binder::bindTuple(const SignatureItem &item, const NamedArgument &argument) {
  size_t count = item.elements.size();
  if (item.descriptor.has_value() != argument.descriptor.has_value())
    return error(argument.name, (item.descriptor ? "expected a tensor descriptor, found "
                                                 : "expected a tuple, found ") +
                                    argument.str());
  if (item.descriptor && argument.elements[1].elements.size() != item.descriptor->rank())
    return error(argument.name,
                 "expected a tensor descriptor with " + llvm::Twine(item.descriptor->rank()) +
                     " axes, found one with " + llvm::Twine(argument.elements[1].elements.size()));
  if (!argument.isTuple || argument.elements.size() != count)
    return error(argument.name, "expected a tuple of " + llvm::Twine(count) +
                                    (count == 1 ? " element" : " elements") + ", found " +
                                    argument.str());
  bool sound = true;
  for (auto [part, element] : llvm::zip_equal(item.elements, argument.elements))
    sound &= bind(part, &element);
  return sound;
}

bool Binder::bind(const SignatureItem &item, const NamedArgument *argument) {
  if (item.type)
    return bindParam(argument);
  if (!argument)
    return error(item.name, "no argument is given");
  if (item.isTuple)
    return bindTuple(item, *argument);
  // An element that became a constant must agree with it, or it would go unused.
  return argument->str() == item.value->str() ||
         error(argument->name, "it is the constant " + item.value->str() +
                                   ", but the argument is " + argument->str());
}

bool tilec::bindArguments(const KernelInfo &kernel, llvm::ArrayRef<NamedArgument> arguments,
                          DiagnosticEngine &diagnostics, std::vector<LaunchValue> &values) {
  values.clear();
  Binder binder(kernel, diagnostics, values);
  bool sound = true;
  for (const SignatureItem &item : kernel.arguments) {
    const NamedArgument *found = findArgument(arguments, item.name);
    std::optional<NamedArgument> argument;
    if (found)
      argument = found->expanded();
    if (binder.bind(item, argument ? &*argument : nullptr))
      continue;
    sound = false;
    if (item.isTuple)
      return false; // Which parameter comes next is not known.
  }
  return checkConstants(kernel, arguments, diagnostics) && sound;
}
