//===- Launch.cpp - From a launch's arguments to a variant ------*- C++ -*-===//
//
// What happens when a launch needs a variant that it does not have yet: from the values of the
// arguments to the decisions of heuristics and configurations, to the CodeRequest, and to code that
// is loaded and runs. LaunchApi.cpp has the short way for arguments that were seen before.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "tilec/Compiler/RuntimeType.h"
#include "tilec/Language/Grid.h"

using namespace tilec;
using namespace tilec::library;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ConstValue ArgumentValues::valueOf(const Parameter &parameter) const {
  if (parameter.from == Parameter::From::Constant)
    return parameter.value;
  if (parameter.from == Parameter::From::Argument)
    return readValue(kernel.rules[parameter.argument].type, arguments[parameter.argument]);
  std::vector<ConstValue> elements;
  for (const Parameter &element : parameter.elements)
    elements.push_back(valueOf(element));
  return ConstValue::tuple(std::move(elements), parameter.descriptor ? descriptorClass.str() : "");
}

const ConstValue *ArgumentValues::find(StringRef name) {
  auto [entry, isNew] = known.try_emplace(name);
  if (!isNew)
    return &entry->second;
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.name != name)
      continue;
    if (parameter.from == Parameter::From::Default || parameter.from == Parameter::From::Decorator)
      break;
    entry->second = valueOf(parameter);
    return &entry->second;
  }
  known.erase(entry);
  return nullptr;
}

Failure library::decide(tilec_jit_kernel &kernel, const TuneConfig *config, void *const *arguments,
                        TuneConfig &decision) {
  if (config)
    decision = *config;
  if (kernel.heuristics.empty())
    return {};
  ArgumentValues values(kernel, arguments);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  std::lock_guard<std::mutex> guard(kernel.module->lock);
  DiagnosticEngine diagnostics(kernel.module->sources, os);
  if (applyHeuristics(
          kernel.heuristics, [&](StringRef name) { return values.find(name); }, diagnostics,
          decision))
    return {};
  return {TILEC_JIT_ERROR_COMPILE, StringRef(messages).rtrim()};
}

/// Why `value` cannot be this part of a tensor descriptor; empty if it can.
static std::string whyNoPart(const DescriptorType &type, unsigned part, int64_t value) {
  std::string divisor = std::to_string(type.divisorOf(part));
  bool isSize = part > 0 && part <= type.rank();
  if (isSize ? value > 0 : value % type.divisorOf(part) == 0)
    return "";
  return (part == 0 ? "the address must be a multiple of " + divisor + " bytes"
          : isSize  ? "the size must be above 0"
                    : "the stride must be a multiple of " + divisor + " elements") +
         ", found " + std::to_string(value);
}

Failure library::checkDescriptors(const tilec_jit_kernel &kernel, void *const *arguments) {
  for (const DescriptorArguments &tensor : kernel.descriptors)
    for (unsigned part = 0; part < tensor.type.numArguments(); ++part) {
      unsigned number = tensor.first + part;
      int64_t value = readInteger(kernel.rules[number].type, arguments[number]);
      if (std::string why = whyNoPart(tensor.type, part, value); !why.empty())
        return {TILEC_ERROR_INVALID_ARGUMENT, "tensor descriptor '" + tensor.name +
                                                  "' of kernel '" + kernel.base.kernel +
                                                  "': " + why};
    }
  return {};
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// What the signature says of an argument, or a tuple of arguments, of these classes.
static SignatureItem describe(const Parameter &parameter, const ClassKey &classes) {
  SignatureItem item;
  if (parameter.descriptor) {
    unsigned base = parameter.elements.front().argument;
    item.makeDescriptor(*parameter.descriptor,
                        [&](unsigned part) { return classOf(classes, base + part); });
    return item;
  }
  if (parameter.from == Parameter::From::Tuple) {
    item.isTuple = true;
    for (const Parameter &element : parameter.elements)
      item.elements.push_back(describe(element, classes));
    return item;
  }
  if (parameter.from == Parameter::From::Constant) {
    item.value = parameter.value;
    return item;
  }
  ArgumentClass kind = classOf(classes, parameter.argument);
  if (kind == ArgumentClass::One)
    item.value = ConstValue::integer(1);
  else
    item.type = ParamType::of(parameter.type, kind);
  return item;
}

CodeRequest library::makeRequest(const tilec_jit_kernel &kernel, const ClassKey &classes,
                                 const TuneConfig &decision) {
  CodeRequest request;
  request.source = kernel.module->source;
  request.path = kernel.module->path;
  request.imports = kernel.module->imports.search();
  request.backend = &kernel.module->compiler->place->backend();
  request.kernel = kernel.base;
  decision.addTo(request.kernel);
  request.maxRegisters = kernel.maxRegisters ? kernel.maxRegisters : decision.maxRegisters;
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.from == Parameter::From::Constant)
      request.kernel.constexprs.push_back({parameter.name, parameter.value, llvm::SMRange()});
    if (parameter.from != Parameter::From::Argument && parameter.from != Parameter::From::Tuple)
      continue;
    request.kernel.signature.items.push_back(describe(parameter, classes));
    request.kernel.signature.items.back().name = parameter.name;
  }
  for (const NamedConst &value : decision.values)
    request.kernel.constexprs.push_back({value.name, value.value, llvm::SMRange()});
  return request;
}

static void addLimits(const tilec_jit_kernel &kernel, ReadyVariant &ready) {
  if (!kernel.hasLimits)
    return;
  auto add = [&](const Parameter &parameter) {
    for (const SizeLimit &limit : ready.stored->code().limits)
      if (limit.path == parameter.name)
        ready.limits.push_back(
            {uint16_t(parameter.argument), kernel.rules[parameter.argument].type, limit.most});
  };
  for (const Parameter &parameter : kernel.parameters)
    parameter.forEachArgument(add);
}

Failure library::makeReady(tilec_jit_kernel &kernel, const TuneConfig &decision,
                           void *const *arguments, std::unique_ptr<ReadyVariant> &result) {
  ClassKey classes = classify(kernel.rules, arguments);
  auto ready = std::make_unique<ReadyVariant>();
  tilec_jit_compiler &compiler = *kernel.module->compiler;
  CodeRequest request = makeRequest(kernel, classes, decision);
  if (Failure failure = compiler.kernels.get(request, ready->stored))
    return failure;
  ready->names = ProfileNames(ready->stored->code().record.kernel, request.kernel);
  kernel.warn(ready->stored->code().warnings);
  if (Failure failure = ready->stored->load(*compiler.place))
    return failure;
  auto addLeft = [&](const Parameter &parameter) {
    if (classOf(classes, parameter.argument) == ArgumentClass::One)
      return;
    ready->arguments.push_back(uint16_t(parameter.argument));
    ready->types.push_back(runtimeType(parameter.type));
  };
  for (const Parameter &parameter : kernel.parameters)
    parameter.forEachArgument(addLeft);
  ready->constants = decision.values;
  addLimits(kernel, *ready);
  result = std::move(ready);
  return {};
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Failure library::checkSuits(const tilec_jit_kernel &kernel, const KernelCode &code,
                            llvm::ArrayRef<NamedConst> constants, void *const *arguments) {
  std::vector<Requirement> requirements = kernel.requirements;
  llvm::StringMap<ConstValue> limits;
  for (const SizeLimit &limit : code.limits) {
    if (!kernel.hasLimits)
      break;
    requirements.push_back(limit.toRequirement());
    limits[limit.constant] = ConstValue::integer(limit.most);
  }
  ArgumentValues values(kernel, arguments);
  auto lookUp = [&](StringRef name) -> const ConstValue * {
    for (const NamedConst &constant : constants)
      if (constant.name == name)
        return &constant.value;
    // Of a constant that has its default, a limit knows the value.
    auto limit = limits.find(name);
    return limit != limits.end() ? &limit->second : values.find(name);
  };
  if (llvm::Error error = checkRequirements(kernel.base.kernel, requirements, lookUp))
    return {TILEC_ERROR_NO_CONFIG, std::move(error)};
  return {};
}

static bool isWithinLimits(const ReadyVariant &variant, void *const *arguments) {
  return llvm::all_of(variant.limits, [&](const ArgumentLimit &limit) {
    int64_t value = readInteger(limit.type, arguments[limit.argument]);
    return value <= limit.most && (value >= 0 || limit.type != TILEC_TYPE_U64);
  });
}

Failure library::checkSuits(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                            void *const *arguments) {
  if (kernel.requirements.empty() && isWithinLimits(variant, arguments))
    return {};
  return checkSuits(kernel, variant.stored->code(), variant.constants, arguments);
}

bool library::suits(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                    void *const *arguments) {
  return isWithinLimits(variant, arguments) && !checkSuits(kernel, variant, arguments);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Failure library::findGrid(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                          const tilec_jit_launch_options *options, void *const *arguments,
                          LaunchGrid &grid) {
  if (kernel.grid.empty()) {
    if (!options)
      return {TILEC_ERROR_INVALID_ARGUMENT, "a kernel without a grid expression needs a grid"};
    grid = {options->grid[0], options->grid[1], options->grid[2]};
    return {};
  }
  ArgumentValues values(kernel, arguments);
  auto lookUp = [&](StringRef name) -> const ConstValue * {
    for (const NamedConst &constant : variant.constants)
      if (constant.name == name)
        return &constant.value;
    return values.find(name);
  };
  llvm::Expected<std::array<int64_t, 3>> sizes = evaluateGrid(kernel.grid, lookUp);
  if (!sizes)
    return {TILEC_ERROR_INVALID_GRID, sizes.takeError()};
  grid = {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  return {};
}

/// Tells the profile what the host has done since `begin`; 0 is that nobody wanted to know.
static Failure recordOnHost(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                            const LaunchGrid &grid, uint64_t begin, const LaunchAmounts &amounts) {
  if (begin == 0)
    return {};
  const int64_t sizes[] = {grid.x, grid.y, grid.z};
  tilec_profile_facts facts = variant.names.facts(amounts.bytes, amounts.operations);
  Status status(tilec_profile_add(variant.names.kernel.c_str(),
                                  kernel.module->compiler->name.c_str(), begin,
                                  tilec_profile_clock(), sizes, &facts));
  if (status)
    return {};
  return {int32_t(status.code()), status.message()};
}

static Failure runOnHost(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                         const LaunchGrid &grid, void *stream, void *const *arguments) {
  if (stream)
    return {TILEC_ERROR_INVALID_ARGUMENT, "a kernel on the processor has no stream"};
  constexpr int64_t limits[] = {INT32_MAX, 65535, 65535}; // Those of CUDA.
  const int64_t sizes[] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis)
    if (sizes[axis] < 0 || sizes[axis] > limits[axis])
      return {TILEC_ERROR_INVALID_GRID, "the grid has " + llvm::Twine(sizes[axis]) +
                                            " programs along " + llvm::Twine("xyz"[axis]) +
                                            "; expected 0 to " + llvm::Twine(limits[axis])};
  uint64_t slots[maxArguments];
  for (auto [slot, argument] : llvm::enumerate(variant.arguments)) {
    slots[slot] = uint64_t(readInteger(kernel.rules[argument].bitsType(), arguments[argument]));
  }
  HostGrid programs = {uint32_t(grid.x), uint32_t(grid.y), uint32_t(grid.z)};
  const tilec_jit_compiler &compiler = *kernel.module->compiler;
  // A launch that is checked takes no time that would say anything.
  if (compiler.memory)
    return compiler.memory->run(kernel, variant, programs, slots, arguments);
  uint64_t begin = tilec_profile_is_recording() ? tilec_profile_clock() : 0;
  LaunchAmounts amounts = takeAmounts();
  llvm::Error error =
      variant.stored->host().runSlots(compiler.place->hostThreads(), programs, slots);
  if (error)
    return {TILEC_JIT_ERROR_RUN, std::move(error)};
  return recordOnHost(kernel, variant, grid, begin, amounts);
}

Status library::runOnDevice(const ReadyVariant &variant, const LaunchGrid &grid, void *stream,
                            void *const *arguments) {
  void *addresses[maxArguments];
  for (auto [slot, argument] : llvm::enumerate(variant.arguments))
    addresses[slot] = arguments[argument];
  LaunchAmounts amounts = takeAmounts();
  tilec_profile_facts facts = variant.names.facts(amounts.bytes, amounts.operations);
  tilec_profile_describe(&facts);
  return Status(tilec_launch(variant.stored->gpu().c(), stream, grid.x, grid.y, grid.z, addresses,
                             variant.types.data(), uint32_t(variant.types.size())));
}

Failure library::runVariant(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                            const LaunchGrid &grid, void *stream, void *const *arguments) {
  if (kernel.module->compiler->place->isHost())
    return runOnHost(kernel, variant, grid, stream, arguments);
  Status status = runOnDevice(variant, grid, stream, arguments);
  if (status)
    return {};
  return {int32_t(status.code()), status.message()};
}
