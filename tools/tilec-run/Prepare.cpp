//===- Prepare.cpp - a kernel made ready for its arguments -----*- C++ -*-===//
//
// From a kernel in a file and the arguments of the command line to a kernel that is loaded and a
// grid to launch it with: constants and the decisions of decorators go into the request, types
// follow from the arguments as in a launch from Python. The tuner prepares each configuration in
// the same way.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

#include "tilec/Language/Grid.h"
#include "tilec/Language/ParamRules.h"
#include "tilec/Language/Requirement.h"

using namespace tilec;

static bool refuse(Compilation &compilation, const llvm::Twine &message) {
  compilation.diagnostics().error(llvm::SMRange(), message);
  return false;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool Preparer::addConstants(Compilation &compilation, KernelRequest &request) const {
  bool fine = true;
  for (const NamedText &given : line.constants) {
    std::optional<ConstValue> value = parseConstValue(
        given.text, "-D " + given.name, compilation.sources(), compilation.diagnostics());
    if (value)
      request.constexprs.push_back({given.name, std::move(*value), llvm::SMRange()});
    fine &= value.has_value();
  }
  return fine;
}

bool Preparer::dropGiven(KernelDecorators &decorators, Compilation &compilation) const {
  KernelRequest request;
  if (!addConstants(compilation, request))
    return false;
  auto isGiven = [&](llvm::StringRef name) {
    return llvm::any_of(request.constexprs,
                        [&](const NamedConst &constant) { return constant.name == name; });
  };
  llvm::erase_if(decorators.heuristics,
                 [&](const Heuristic &heuristic) { return isGiven(heuristic.name); });
  bool chosen = decorators.autotune &&
                llvm::any_of(decorators.autotune->configs, [&](const TuneConfig &config) {
                  return llvm::any_of(config.values,
                                      [&](const NamedConst &value) { return isGiven(value.name); });
                });
  if (chosen)
    decorators.autotune.reset();
  return true;
}

/// An argument as heuristics see it: a pointer is its address.
static ConstValue valueForHeuristic(const NamedArgument &argument) {
  if (argument.isTuple) {
    std::vector<ConstValue> elements;
    for (const NamedArgument &element : argument.elements)
      elements.push_back(valueForHeuristic(element));
    return ConstValue::tuple(std::move(elements),
                             argument.descriptor ? descriptorClass.str() : argument.className);
  }
  if (!argument.array)
    return argument.value;
  return ConstValue::integer(llvm::APInt(65, reinterpret_cast<uintptr_t>(argument.array->data())));
}

bool Preparer::addDecorated(Compilation &compilation, llvm::ArrayRef<Heuristic> heuristics,
                            TuneConfig &decided, KernelRequest &request) const {
  llvm::StringMap<ConstValue> known;
  for (const NamedArgument &argument : arguments)
    known[argument.name] = valueForHeuristic(argument);
  for (const NamedConst &constant : request.constexprs)
    known[constant.name] = constant.value;
  auto lookup = [&](llvm::StringRef name) -> const ConstValue * {
    auto found = known.find(name);
    return found == known.end() ? nullptr : &found->second;
  };
  if (!applyHeuristics(heuristics, lookup, compilation.diagnostics(), decided))
    return false;
  for (NamedConst &value : decided.values) {
    value.range = llvm::SMRange(); // In the text of another compilation.
    request.constexprs.push_back(std::move(value));
  }
  decided.addTo(request);
  return true;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

bool Preparer::readSignature(Compilation &compilation, const ast::FunctionDef &function,
                             Signature &result) const {
  if (line.signature.empty())
    return true;
  std::optional<Signature> read =
      parseSignature(line.signature, "--sig", compilation.sources(), compilation.diagnostics());
  if (!read)
    return false;
  result = std::move(*read);
  if (result.kernel.empty() || result.kernel == function.name)
    return true;
  return refuse(compilation, "the signature is for '" + result.kernel + "', but the kernel is '" +
                                 function.name + "'");
}

/// Takes the kernel through the front end. `decided` gets what the configuration and the heuristics
/// set, `request` all of it.
bool Preparer::specialize(Compilation &compilation, const ast::FunctionDef &function,
                          llvm::ArrayRef<Heuristic> heuristics, const CodeOptions &code,
                          TuneConfig &decided, KernelRequest &request) const {
  request.kernel = function.name.str();
  request.numWarps = line.numWarps;
  request.numCTAs = line.numCTAs;
  request.numStages = line.numStages;
  request.warpRoles = line.warpRoles;
  request.tensorMaps = line.tensorMaps;
  request.debug = line.debug;
  request.enableFpFusion = line.fpFusion;
  request.arch = machine.arch(code);
  Signature given;
  return readSignature(compilation, function, given) && addConstants(compilation, request) &&
         addDecorated(compilation, heuristics, decided, request) &&
         shareNumbers(function, request, compilation.diagnostics()) &&
         describeArguments(function, arguments, given, compilation.diagnostics(), request) &&
         compilation.addKernel(request);
}

CodeOptions Preparer::codeOptions() const {
  CodeOptions code;
  code.arch = line.arch;
  code.fpFusion = line.fpFusion;
  code.disabledHeuristics = line.disabledHeuristics;
  code.lineInfo = !line.watchingTool.empty();
  // A tool's findings name the program by the block.
  if (!line.watchingTool.empty())
    code.disabledHeuristics.add(GpuHeuristic::PersistPrograms);
  return code;
}

bool Preparer::findRefusal(Compilation &compilation, const ast::FunctionDef &function,
                           const TuneConfig &config, llvm::ArrayRef<Heuristic> heuristics,
                           std::string &refusal) const {
  TuneConfig decided = config;
  KernelRequest request;
  return specialize(compilation, function, heuristics, codeOptions(), decided, request) &&
         checkConditions(compilation, function, refusal);
}

bool Preparer::prepare(Compilation &compilation, const ast::FunctionDef &function,
                       const TuneConfig *config, llvm::ArrayRef<Heuristic> heuristics,
                       PreparedKernel &result) const {
  CodeOptions code = codeOptions();
  TuneConfig decided = config ? *config : TuneConfig();
  KernelRequest request;
  if (!specialize(compilation, function, heuristics, code, decided, request))
    return false;
  // Before it is known how to launch, or a wrong argument would cost a whole compilation.
  const KernelInfo &info = compilation.records().front().kernel;
  std::string refusal;
  if (!bindArguments(info, arguments, compilation.diagnostics(), result.values) ||
      !findGrid(compilation, function, result.grid) ||
      !checkConditions(compilation, function, refusal))
    return false;
  if (!refusal.empty())
    return refuse(compilation, refusal);
  code.maxRegisters = line.maxRegisters ? line.maxRegisters : decided.maxRegisters;
  ProfileNames names(info, request);
  uint64_t operations = 0;
  if (!findOperations(compilation, function, operations))
    return false;
  result.kernel = machine.load(compilation, code);
  if (!result.kernel)
    return false;
  result.kernel->setProfile(std::move(names), operations);
  return true;
}

/// What expressions of a launch may name.
llvm::StringMap<ConstValue> Preparer::valuesOf(const Compilation &compilation) const {
  llvm::StringMap<ConstValue> values;
  for (const KernelInfo::Constexpr &constant : compilation.records().front().kernel.constexprs)
    if (std::optional<ConstValue> value = constant.read())
      values[constant.name] = *value;
  for (const NamedArgument &argument : arguments)
    if (!argument.array)
      values[argument.name] = valueForHeuristic(argument);
  return values;
}

static const ConstValue *valueIn(const llvm::StringMap<ConstValue> &values, llvm::StringRef name) {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

bool Preparer::checkConditions(Compilation &compilation, const ast::FunctionDef &function,
                               std::string &refusal) const {
  std::vector<Requirement> requirements;
  for (const std::string &text : line.requirements) {
    std::optional<Requirement> requirement = parseRequirement(
        text, "--require", function, compilation.sources(), compilation.diagnostics());
    if (!requirement)
      return false;
    requirements.push_back(std::move(*requirement));
  }
  const KernelInfo &info = compilation.records().front().kernel;
  llvm::append_range(requirements, deriveRequirements(info, requirements));
  llvm::StringMap<ConstValue> values = valuesOf(compilation);
  refusal = llvm::toString(checkRequirements(
      function.name, requirements, [&](llvm::StringRef name) { return valueIn(values, name); }));
  return true;
}

bool Preparer::findGrid(Compilation &compilation, const ast::FunctionDef &function,
                        LaunchGrid &grid) const {
  auto exprs =
      parseGrid(line.grid, "--grid", function, compilation.sources(), compilation.diagnostics());
  if (!exprs)
    return false;
  llvm::StringMap<ConstValue> values = valuesOf(compilation);
  auto lookUp = [&](llvm::StringRef name) { return valueIn(values, name); };
  llvm::Expected<std::array<int64_t, 3>> sizes = evaluateGrid(*exprs, lookUp);
  if (!sizes)
    return refuse(compilation, llvm::toString(sizes.takeError()));
  for (auto [axis, size] : llvm::enumerate(*sizes))
    if (size < 0)
      return refuse(compilation, "the grid has " + llvm::Twine(size) + " programs along " +
                                     llvm::Twine("xyz"[axis]));
  grid = {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  return true;
}

bool Preparer::findOperations(Compilation &compilation, const ast::FunctionDef &function,
                              uint64_t &operations) const {
  if (line.operations.empty())
    return true;
  auto exprs = parseGrid(line.operations, "--operations", function, compilation.sources(),
                         compilation.diagnostics());
  if (!exprs)
    return false;
  if (exprs->size() != 1)
    return refuse(compilation, "--operations wants one number");
  llvm::StringMap<ConstValue> values = valuesOf(compilation);
  llvm::Expected<ConstValue> value =
      exprs->front()->evaluate([&](llvm::StringRef name) { return valueIn(values, name); });
  if (!value)
    return refuse(compilation, "--operations: " + llvm::toString(value.takeError()));
  if (value->kind() != ConstValue::Kind::Int || !value->asInt().isSignedIntN(64) ||
      value->asInt().isNegative())
    return refuse(compilation, "--operations is no integer from 0 on of 64 bits: " + value->str());
  operations = uint64_t(value->asInt().getSExtValue());
  return true;
}

//===----------------------------------------------------------------------===//
// For the tuner
//===----------------------------------------------------------------------===//

std::string Preparer::valueOf(llvm::StringRef name) const {
  for (const NamedText &constant : line.constants)
    if (constant.name == name)
      return constant.text;
  for (const NamedArgument &argument : arguments)
    if (argument.name == name && !argument.array && !argument.descriptor)
      return argument.str();
  return "";
}

/// The type that a launch gives this argument before it specialises.
static std::string typeOf(const NamedArgument &argument, const ParamRules &rules) {
  if (rules.type)
    return rules.type->signatureStr();
  if (argument.array)
    return DType::pointerTo(argument.array->type(), rules.isConst).signatureStr();
  switch (argument.value.kind()) {
  case ConstValue::Kind::Bool:
    return "u1";
  case ConstValue::Kind::Float:
    return "fp32";
  case ConstValue::Kind::Int:
    return argument.value.asInt().isSignedIntN(32)   ? "i32"
           : argument.value.asInt().isSignedIntN(64) ? "i64"
                                                     : "u64";
  default:
    return "";
  }
}

/// Elements of tuples count as arguments of their own.
static void addTypes(const NamedArgument &argument, const ParamRules &rules, std::string &text) {
  if (!argument.descriptor)
    for (const NamedArgument &element : argument.elements)
      addTypes(element, ParamRules(), text);
  std::string type = argument.descriptor ? argument.descriptor->str()
                     : argument.isTuple  ? ""
                                         : typeOf(argument, rules);
  if (!type.empty())
    text += (text.empty() ? "" : ", ") + argument.name + "=" + type;
}

std::string Preparer::typesOf(const ast::FunctionDef &function) const {
  std::string text;
  for (auto [index, param] : llvm::enumerate(function.params)) {
    ParamRules rules = readParamRules(function, index);
    for (const NamedArgument &argument : arguments)
      if (argument.name == param.name && !rules.isConstexpr)
        addTypes(argument.expanded(), rules, text);
  }
  return text;
}
