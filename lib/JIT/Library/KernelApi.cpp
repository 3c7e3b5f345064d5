//===- KernelApi.cpp - tilec_jit_kernel_* -----------------------*- C++ -*-===//
//
// Finds a kernel and matches the types of a launch's arguments with its parameters: those that have
// no value from elsewhere, in order. A tuple is one argument for one parameter; its elements are
// numbered as if they were arguments of their own.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "tilec/Language/Grid.h"
#include "tilec/Language/Stages.h"
#include "llvm/ADT/StringExtras.h"

#include <cstddef>
#include <cstring>

using namespace tilec;
using namespace tilec::library;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static ScalarKind scalarOf(uint8_t type) {
  static constexpr ScalarKind kinds[] = {
      ScalarKind::Void,    ScalarKind::Int1,   ScalarKind::Int8,  ScalarKind::UInt8,
      ScalarKind::Int16,   ScalarKind::UInt16, ScalarKind::Int32, ScalarKind::UInt32,
      ScalarKind::Int64,   ScalarKind::UInt64, ScalarKind::FP16,  ScalarKind::BF16,
      ScalarKind::FP32,    ScalarKind::FP64,   ScalarKind::FP8E5, ScalarKind::FP8E4NV,
      ScalarKind::FP8E4B15};
  return type < std::size(kinds) ? kinds[type] : ScalarKind::Void;
}

/// The parameter type of an argument; a void pointer points to anything. Nothing for an invalid
/// one.
static std::optional<DType> typeOf(uint8_t type) {
  if (type == TILEC_TYPE_INVALID || type > TILEC_TYPE_POINTER + TILEC_TYPE_FP8E4B15 ||
      (type > TILEC_TYPE_FP8E4B15 && type < TILEC_TYPE_POINTER))
    return std::nullopt;
  if (type < TILEC_TYPE_POINTER)
    return DType(scalarOf(type));
  return DType::pointerTo(DType(scalarOf(type - TILEC_TYPE_POINTER)));
}

namespace {
/// How many arguments a list of types stands for, and elements and arguments together.
struct TypeCount {
  unsigned arguments = 0;
  unsigned leaves = 0;
  bool isSound = false; // Each tuple ends, and none is too deep.
};
} // namespace

static TypeCount countTypes(llvm::ArrayRef<uint8_t> types) {
  constexpr unsigned mostDepth = 32;
  TypeCount count;
  unsigned depth = 0;
  for (uint8_t type : types) {
    bool isEnd = type == TILEC_JIT_TUPLE_END;
    bool isStart = type == TILEC_JIT_TUPLE || type == TILEC_JIT_DESCRIPTOR;
    if (isEnd ? depth == 0 : depth == mostDepth)
      return count;
    count.arguments += depth == 0;
    count.leaves += !isEnd && !isStart;
    depth += isStart ? 1 : isEnd ? -1 : 0;
  }
  count.isSound = depth == 0;
  return count;
}

static bool isIntLike(DType type) { return type.isInt() || type.isBool(); }

/// The type that a parameter declared as `declared` has for an argument of type `given`; nothing if
/// they do not suit. The argument is passed bit for bit, so only signedness may differ.
static std::optional<DType> combine(DType given, DType declared) {
  if (declared.isPointer() && given.isPointer()) {
    DType element = given.pointee();
    bool suits = element.isScalar(ScalarKind::Void) || element == declared.pointee();
    return suits ? std::optional<DType>(declared) : std::nullopt;
  }
  bool sameWidth = isIntLike(given) && isIntLike(declared) && given.bits() == declared.bits();
  return given == declared || sameWidth ? std::optional<DType>(declared) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {

class Matcher {
public:
  Matcher(tilec_jit_kernel &kernel, const tilec_jit_request &request, DiagnosticEngine &diagnostics)
      : kernel(kernel), module(*kernel.module), request(request), diagnostics(diagnostics),
        count(countTypes(llvm::ArrayRef(request.types, request.num_types))) {}

  bool run();

private:
  bool findFunction();
  bool readConstants();
  bool readGrid();
  bool readRequirement();
  bool readDescriptors();
  bool checkDescriptors();
  void dropDecorators();
  bool isDecorated(StringRef name) const;
  bool isNumberGiven(StringRef name) const;
  void findDeciding();
  bool match(unsigned index);
  bool readArgument(const ast::Param &param, const ParamRules &rules, Parameter &parameter);
  bool readTuple(const ast::Param &param, const ParamRules &rules, Parameter &parameter);
  bool readDescriptor(const ast::Param &param, const ParamRules &rules, Parameter &parameter);
  std::optional<DType> readTensorTypes(unsigned &rank);
  void addParts(DescriptorType type, Parameter &parameter);
  bool error(llvm::SMRange range, const llvm::Twine &message) {
    diagnostics.error(range, message);
    return false;
  }
  const NamedConst *constantFor(StringRef name) const;

  tilec_jit_kernel &kernel;
  tilec_jit_module &module;
  const tilec_jit_request &request;
  DiagnosticEngine &diagnostics;
  TypeCount count;
  const ast::FunctionDef *function = nullptr;
  std::vector<NamedConst> constants;
  Signature descriptors;   // What the request says of parameters that are tensor descriptors.
  unsigned nextType = 0;   // Of the request.
  unsigned nextNumber = 0; // Of arguments and elements.
};

} // namespace

bool Matcher::findFunction() {
  llvm::SmallVector<StringRef> names;
  for (const ast::FunctionDef *candidate : listJitFunctions(*module.tree, &module.imports)) {
    names.push_back(candidate->name);
    if (candidate->name == request.name)
      function = candidate; // The last one counts, as in Python.
  }
  if (function)
    return true;
  return error(llvm::SMRange(),
               describeMissing(*module.tree, request.name, names, "'" + module.path + "' has"));
}

const NamedConst *Matcher::constantFor(StringRef name) const {
  for (const NamedConst &constant : constants)
    if (constant.name == name)
      return &constant;
  return nullptr;
}

bool Matcher::readConstants() {
  for (const tilec_jit_constant &given : llvm::ArrayRef(request.constants, request.num_constants)) {
    if (!given.name || !given.value)
      return error(llvm::SMRange(), "a constant's name or value is null");
    StringRef name = given.name;
    if (llvm::none_of(function->params,
                      [&](const ast::Param &param) { return param.name == name; })) {
      llvm::SmallVector<StringRef> names;
      for (const ast::Param &param : function->params)
        names.push_back(param.name);
      std::optional<StringRef> near = closestName(name, names);
      diagnostics
          .error(llvm::SMRange(), "kernel '" + function->name + "' has no parameter '" + name +
                                      "'" + (near ? "; did you mean '" + near->str() + "'?" : ""))
          .note(function->nameRange, "the kernel is defined here");
      return false;
    }
    if (constantFor(name))
      return error(llvm::SMRange(), "the constant '" + name + "' is given twice");
    std::optional<ConstValue> value =
        parseConstValue(given.value, "constant " + name.str(), module.sources, diagnostics);
    if (!value)
      return false;
    constants.push_back({name.str(), std::move(*value), llvm::SMRange()});
  }
  return true;
}

bool Matcher::readGrid() {
  if (!request.grid)
    return true;
  auto grid = parseGrid(request.grid, "grid", *function, module.sources, diagnostics);
  if (!grid)
    return false;
  kernel.grid = std::move(*grid);
  return true;
}

bool Matcher::readRequirement() {
  if (!request.require)
    return true;
  std::optional<Requirement> requirement =
      parseRequirement(request.require, "require", *function, module.sources, diagnostics);
  if (!requirement)
    return false;
  if (requirement->isTrivial())
    kernel.hasLimits = false;
  else
    kernel.requirements.push_back(std::move(*requirement));
  return true;
}

bool Matcher::readDescriptors() {
  if (!request.descriptors)
    return true;
  std::optional<Signature> read =
      parseSignature(request.descriptors, "descriptors", module.sources, diagnostics);
  if (!read)
    return false;
  for (const SignatureItem &item : read->items) {
    bool isParam = llvm::any_of(function->params,
                                [&](const ast::Param &param) { return param.name == item.name; });
    if (!item.descriptor || item.name.empty())
      return error(item.range, "expected NAME=tensordesc<TYPE[SIZES]>, found " + item.str());
    if (!isParam)
      return error(item.range,
                   "kernel '" + function->name + "' has no parameter '" + item.name + "'");
  }
  descriptors = std::move(*read);
  return true;
}

/// Constants win: they replace heuristics, and a constant that the configurations set means that
/// the caller has chosen one.
void Matcher::dropDecorators() {
  llvm::erase_if(kernel.heuristics, [&](const Heuristic &heuristic) {
    return constantFor(heuristic.name) != nullptr;
  });
  if (!kernel.autotune)
    return;
  for (const TuneConfig &config : kernel.autotune->configs)
    for (const NamedConst &value : config.values)
      if (constantFor(value.name)) {
        kernel.autotune.reset();
        return;
      }
}

bool Matcher::isDecorated(StringRef name) const {
  auto sets = [&](const TuneConfig &config) {
    return llvm::any_of(config.values, [&](const NamedConst &value) { return value.name == name; });
  };
  return (kernel.autotune && llvm::any_of(kernel.autotune->configs, sets)) ||
         llvm::any_of(kernel.heuristics,
                      [&](const Heuristic &heuristic) { return heuristic.name == name; });
}

/// Whether something gives the kernel the number that a parameter is called after.
bool Matcher::isNumberGiven(StringRef name) const {
  KernelRequest given = kernel.base;
  if (kernel.autotune)
    for (const TuneConfig &config : kernel.autotune->configs)
      config.addTo(given);
  return numberOf(given, name) != 0;
}

/// The parameter's rules are not those of the elements.
bool Matcher::readTuple(const ast::Param &param, const ParamRules &rules, Parameter &parameter) {
  if (rules.type)
    return error(param.nameRange, "parameter '" + param.name + "' is declared as " +
                                      rules.type->signatureStr() + ", but the argument is a tuple");
  parameter.from = Parameter::From::Tuple;
  while (request.types[nextType] != TILEC_JIT_TUPLE_END) {
    Parameter &element = parameter.elements.emplace_back();
    element.name = parameter.name + "." + std::to_string(parameter.elements.size() - 1);
    if (!readArgument(param, ParamRules(), element))
      return false;
  }
  ++nextType;
  return true;
}

bool Matcher::readArgument(const ast::Param &param, const ParamRules &rules, Parameter &parameter) {
  uint8_t code = request.types[nextType++];
  if (code == TILEC_JIT_TUPLE)
    return readTuple(param, rules, parameter);
  if (code == TILEC_JIT_DESCRIPTOR)
    return readDescriptor(param, rules, parameter);
  unsigned number = nextNumber++;
  if (code == TILEC_JIT_NONE) {
    parameter.value = ConstValue::none();
    kernel.rules[number].type = code;
    return true;
  }
  std::optional<DType> given = typeOf(code);
  if (!given)
    return error(param.nameRange, "the argument for '" + param.name + "' has no valid type");
  std::optional<DType> type = given;
  if (rules.type && !(type = combine(*given, *rules.type)))
    return error(param.nameRange, "parameter '" + param.name + "' is declared as " +
                                      rules.type->signatureStr() + ", but the argument is " +
                                      given->signatureStr());
  if (type->isPointer() && type->pointee().isScalar(ScalarKind::Void))
    return error(param.nameRange, "parameter '" + param.name +
                                      "' needs a pointer to a type of the language, found a "
                                      "pointer to anything");
  if (type->isPointer())
    type->isConst |= rules.isConst;
  parameter.from = Parameter::From::Argument;
  parameter.argument = number;
  parameter.type = *type;
  kernel.rules[number] = {code, rules.classes(*type)};
  return true;
}

/// The types up to the end of a descriptor: the type of its elements, or nothing if they are not
/// those of one.
std::optional<DType> Matcher::readTensorTypes(unsigned &rank) {
  llvm::ArrayRef<uint8_t> rest(request.types + nextType, request.num_types - nextType);
  size_t size = llvm::find(rest, uint8_t(TILEC_JIT_TUPLE_END)) - rest.begin();
  llvm::ArrayRef<uint8_t> codes = rest.take_front(size);
  nextType += unsigned(size + 1);
  rank = unsigned(size / 2);
  std::optional<DType> pointer = codes.empty() ? std::nullopt : typeOf(codes.front());
  if (!pointer || !pointer->isPointer() || size % 2 != 0 || rank > kMostTensorAxes)
    return std::nullopt;
  bool isSound = llvm::all_of(codes.slice(1, rank), [](uint8_t c) { return c == TILEC_TYPE_I32; });
  isSound &=
      llvm::all_of(codes.drop_front(1 + rank), [](uint8_t c) { return c == TILEC_TYPE_I64; });
  return isSound ? std::optional<DType>(pointer->pointee()) : std::nullopt;
}

/// The arguments of a descriptor, which are numbered from `nextNumber` on, and its last stride.
void Matcher::addParts(DescriptorType type, Parameter &parameter) {
  unsigned rank = type.rank(), part = 0;
  kernel.descriptors.push_back({parameter.name, nextNumber, type});
  auto add = [&](Parameter &element, DType elementType, uint8_t code) {
    element.from = Parameter::From::Argument;
    element.argument = nextNumber++;
    element.type = elementType;
    kernel.rules[element.argument] = {code, type.classesOf(part++)};
  };
  parameter.from = Parameter::From::Tuple;
  parameter.elements.resize(3);
  for (auto [index, element] : llvm::enumerate(parameter.elements))
    element.name = parameter.name + "." + std::to_string(index);
  add(parameter.elements[0], DType::pointerTo(type.element, type.isConst), TILEC_TYPE_POINTER);
  for (unsigned list : {1, 2}) {
    Parameter &numbers = parameter.elements[list];
    numbers.from = Parameter::From::Tuple;
    numbers.elements.resize(rank);
    for (unsigned axis = 0; axis < rank; ++axis) {
      Parameter &number = numbers.elements[axis];
      number.name = numbers.name + "." + std::to_string(axis);
      number.value = ConstValue::integer(1); // The last stride, which is no argument.
      if (list == 1)
        add(number, ScalarKind::Int32, TILEC_TYPE_I32);
      else if (axis + 1 < rank)
        add(number, ScalarKind::Int64, TILEC_TYPE_I64);
    }
  }
  parameter.descriptor = std::move(type);
}

bool Matcher::readDescriptor(const ast::Param &param, const ParamRules &rules,
                             Parameter &parameter) {
  auto fail = [&](const llvm::Twine &message) {
    return error(param.nameRange, "parameter '" + param.name + "' " + message);
  };
  if (rules.type)
    return fail("is declared as " + rules.type->signatureStr() +
                ", but the argument is a tensor descriptor");
  unsigned rank = 0;
  std::optional<DType> element = readTensorTypes(rank);
  if (!element)
    return fail("gets a tensor descriptor that is not a pointer to its elements, a size of 32 bits "
                "for each of 1 to " +
                llvm::Twine(kMostTensorAxes) +
                " axes and a stride of 64 bits for each but the last");
  auto item = llvm::find_if(descriptors.items, [&](const SignatureItem &candidate) {
    return candidate.name == parameter.name;
  });
  if (item == descriptors.items.end())
    return fail("gets a tensor descriptor, but the request for the kernel does not say what its "
                "blocks are, as in descriptors = \"" +
                param.name + "=tensordesc<fp32[64, 32]>\"");
  DescriptorType type = *item->descriptor;
  if (type.element != *element && !element->isScalar(ScalarKind::Void))
    return fail("gets a tensor descriptor of " + element->signatureStr() + ", but is said to be " +
                type.str());
  if (type.rank() != rank)
    return fail("gets a tensor descriptor with " + llvm::Twine(rank) + " axes, but is said to be " +
                type.str());
  for (DescriptorType::Size &size : type.block)
    size.range = llvm::SMRange(); // In a text that later compilations do not have.
  type.isConst = rules.isConst;
  addParts(std::move(type), parameter);
  return true;
}

bool Matcher::match(unsigned index) {
  const ast::Param &param = function->params[index];
  ParamRules rules = readParamRules(*function, index);
  Parameter parameter;
  parameter.name = param.name.str();
  if (const NamedConst *constant = constantFor(param.name)) {
    parameter.value = constant->value;
  } else if (isDecorated(param.name) ||
             (hasNumber(*function, param.name) && isNumberGiven(param.name))) {
    parameter.from = Parameter::From::Decorator;
  } else if (!rules.isConstexpr && nextType < request.num_types) {
    if (!readArgument(param, rules, parameter))
      return false;
  } else if (param.defaultValue) {
    parameter.from = Parameter::From::Default;
  } else if (rules.isConstexpr) {
    return error(param.nameRange, "the tl.constexpr parameter '" + param.name +
                                      "' has no value; it is not among the constants of the "
                                      "kernel that is asked for");
  } else {
    return error(param.nameRange, "there is no argument for the parameter '" + param.name +
                                      "': kernel '" + function->name + "' is asked for with " +
                                      llvm::Twine(count.arguments) + " arguments");
  }
  kernel.parameters.push_back(std::move(parameter));
  return true;
}

/// The arguments that keys of configurations, heuristics and their inputs name.
void Matcher::findDeciding() {
  llvm::SmallVector<StringRef> names;
  if (kernel.autotune)
    names.append(kernel.autotune->key.begin(), kernel.autotune->key.end());
  for (const Heuristic &heuristic : kernel.heuristics)
    heuristic.value->collectArguments(names);
  auto addDeciding = [&](const Parameter &argument) {
    kernel.deciding.push_back(argument.argument);
  };
  for (const Parameter &parameter : kernel.parameters) {
    if (!llvm::is_contained(names, parameter.name))
      continue;
    // Of a descriptor, expressions see shape and strides.
    if (parameter.descriptor)
      for (const Parameter &part : llvm::drop_begin(parameter.elements))
        part.forEachArgument(addDeciding);
    else
      parameter.forEachArgument(addDeciding);
  }
}

/// What the request says of a parameter that gets something else would go unused.
bool Matcher::checkDescriptors() {
  for (const SignatureItem &item : descriptors.items)
    if (llvm::none_of(kernel.descriptors,
                      [&](const DescriptorArguments &tensor) { return tensor.name == item.name; }))
      return error(item.range,
                   "parameter '" + item.name + "' gets no tensor descriptor: " + item.str());
  return true;
}

bool Matcher::run() {
  if (!findFunction())
    return false;
  if (!readConstants() || !readGrid() || !readRequirement() || !readDescriptors())
    return false;
  std::optional<KernelDecorators> decorators = readDecorators(
      *module.tree, *function, module.sources, diagnostics,
      [&](StringRef name) { return constantFor(name) != nullptr; }, &module.imports);
  if (!decorators)
    return false;
  kernel.base.kernel = request.name;
  kernel.autotune = std::move(decorators->autotune);
  kernel.heuristics = std::move(decorators->heuristics);
  if (request.num_stages && readsNumStages(*module.tree, *function, &module.imports))
    kernel.base.numStages = request.num_stages;
  if (kernel.autotune)
    kernel.sourceHash = hashKernel(*module.tree, *function, module.imports.search());
  dropDecorators();
  kernel.rules.resize(count.leaves);
  for (unsigned index = 0; index < function->params.size(); ++index)
    if (!match(index))
      return false;
  findDeciding();
  if (nextType == request.num_types)
    return checkDescriptors();
  unsigned taken = countTypes(llvm::ArrayRef(request.types, nextType)).arguments;
  diagnostics
      .error(llvm::SMRange(), "kernel '" + function->name + "' takes " + llvm::Twine(taken) +
                                  " arguments, but is asked for with " +
                                  llvm::Twine(count.arguments))
      .note(function->nameRange, "the kernel is defined here");
  return false;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

/// Requests of programs that were compiled before these fields came end there.
static constexpr size_t olderRequestSizes[] = {offsetof(tilec_jit_request, require),
                                               offsetof(tilec_jit_request, descriptors)};

static Failure checkRequest(const tilec_jit_request &request) {
  if (request.struct_size != sizeof(request) &&
      !llvm::is_contained(olderRequestSizes, request.struct_size))
    return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_kernel_get: request.struct_size is " +
                                              llvm::Twine(request.struct_size) + ", expected " +
                                              llvm::Twine(sizeof(request))};
  if (!request.name || (request.num_types != 0 && !request.types) ||
      (request.num_constants != 0 && !request.constants))
    return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_kernel_get: a field of the request is null"};
  TypeCount count = countTypes(llvm::ArrayRef(request.types, request.num_types));
  if (!count.isSound)
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "tilec_jit_kernel_get: a tuple among the types has no end, or is too deep"};
  if (count.leaves > maxArguments)
    return {TILEC_ERROR_INVALID_ARGUMENT, "a kernel takes at most " + llvm::Twine(maxArguments) +
                                              " arguments, found " + llvm::Twine(count.leaves)};
  if (request.maxnreg > 256)
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "expected maxnreg to be from 1 to 256, found " + llvm::Twine(request.maxnreg)};
  if (request.num_stages > 64)
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "expected num_stages to be from 1 to 64, found " + llvm::Twine(request.num_stages)};
  return {};
}

static Failure getKernel(tilec_jit_module &module, const tilec_jit_request &request,
                         tilec_jit_kernel *&result) {
  if (Failure failure = checkRequest(request))
    return failure;
  auto *kernel = new tilec_jit_kernel(module);
  const tilec_jit_compiler &compiler = *module.compiler;
  kernel->base.numWarps = request.num_warps;
  kernel->base.numCTAs = request.num_ctas;
  kernel->base.setForRuntime();
  kernel->base.debug = compiler.debug;
  kernel->base.enableFpFusion = compiler.fpFusion;
  kernel->base.arch = compiler.place->backend().arch();
  kernel->maxRegisters = request.maxnreg;
  std::string messages;
  bool fine;
  {
    std::lock_guard<std::mutex> guard(module.lock);
    llvm::raw_string_ostream os(messages);
    DiagnosticEngine diagnostics(module.sources, os);
    fine = Matcher(*kernel, request, diagnostics).run();
  }
  if (fine) {
    kernel->warn(StringRef(messages).rtrim().str());
    result = kernel;
    return {};
  }
  kernel->release();
  return {TILEC_JIT_ERROR_COMPILE, StringRef(messages).rtrim()};
}

tilec_jit_error tilec_jit_kernel_get(tilec_jit_module *module, const tilec_jit_request *request,
                                     tilec_jit_kernel **kernel) {
  if (!module || !request || !kernel)
    return toC({TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_kernel_get: an argument is null"});
  tilec_jit_request whole = {};
  std::memcpy(&whole, request, std::min<size_t>(request->struct_size, sizeof(whole)));
  return toC(getKernel(*module, whole, *kernel));
}

void tilec_jit_kernel::warn(const std::string &text) {
  std::lock_guard<std::mutex> guard(warningsLock);
  if (!text.empty() && !llvm::is_contained(warnings, text))
    warnings.push_back(text);
}

tilec_jit_text tilec_jit_kernel_warnings(tilec_jit_kernel *kernel) {
  if (!kernel)
    return copyText("");
  std::lock_guard<std::mutex> guard(kernel->warningsLock);
  return copyText(llvm::join(kernel->warnings, "\n"));
}

tilec_jit_kernel *tilec_jit_kernel_retain(tilec_jit_kernel *kernel) {
  return kernel ? kernel->retain() : nullptr;
}

void tilec_jit_kernel_release(tilec_jit_kernel *kernel) {
  if (kernel)
    kernel->release();
}
