//===- HostKernel.cpp - a kernel in this process ---------------*- C++ -*-===//
//
// Compiles one kernel to an object in memory and links it with ORC. Each kernel has its own JIT and
// LLVM context, so that kernels share nothing and can be compiled and dropped on any thread.
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::host;

struct HostKernel::State {
  std::string name;
  std::vector<HostParameter> parameters;
  uint64_t scratchBytes = 0;
  std::unique_ptr<orc::LLJIT> jit;
  Entry entry = nullptr;
};

HostKernel::HostKernel(std::unique_ptr<State> state) : state(std::move(state)) {}
HostKernel::~HostKernel() = default;

ArrayRef<HostParameter> HostKernel::parameters() const { return state->parameters; }
uint64_t HostKernel::scratchBytes() const { return state->scratchBytes; }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Expected<HostParameter> describeParameter(mlir::func::FuncOp kernel, unsigned index) {
  mlir::Type type = kernel.getArgument(index).getType();
  HostParameter parameter{HostParameter::Kind::Pointer, 0, ""};
  if (auto name = kernel.getArgAttrOfType<mlir::StringAttr>(index, tilec::tile::kNameAttr))
    parameter.name = name.str();
  if (auto integer = dyn_cast<mlir::IntegerType>(type)) {
    parameter.kind = HostParameter::Kind::Integer;
    parameter.bits = integer.getWidth();
  } else if (type.isF16()) {
    parameter.kind = HostParameter::Kind::Float16;
  } else if (type.isBF16()) {
    parameter.kind = HostParameter::Kind::BFloat16;
  } else if (type.isF32()) {
    parameter.kind = HostParameter::Kind::Float32;
  } else if (type.isF64()) {
    parameter.kind = HostParameter::Kind::Float64;
  } else if (!isa<tilec::tile::PtrType>(type)) {
    return makeError("parameter " + Twine(index) + " of kernel '" + kernel.getName() +
                     "' is neither a number nor a pointer");
  }
  return parameter;
}

/// A kernel's optimised LLVM IR and the machine it is for.
namespace {
struct Optimized {
  LoweredKernel lowered;
  std::unique_ptr<TargetMachine> machine;
};
} // namespace

static Expected<Optimized> lowerAndOptimize(mlir::ModuleOp module, StringRef name,
                                            const HostOptions &options) {
  Expected<orc::JITTargetMachineBuilder> builder = describeHost(options);
  if (!builder)
    return builder.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  Expected<LoweredKernel> lowered = lower(module, name, **machine, options);
  if (!lowered)
    return lowered.takeError();
  optimize(*lowered->module, **machine);
  return Optimized{std::move(*lowered), std::move(*machine)};
}

static Expected<std::unique_ptr<orc::LLJIT>> link(const HostObject &object) {
  Expected<orc::JITTargetMachineBuilder> builder = describeHost(HostOptions());
  if (!builder)
    return builder.takeError();
  // Kernels have no static constructors, and see no symbols but those defined here.
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder()
                                                  .setJITTargetMachineBuilder(std::move(*builder))
                                                  .setPlatformSetUp(orc::setUpInactivePlatform)
                                                  .setLinkProcessSymbolsByDefault(false)
                                                  .create();
  if (!jit)
    return jit.takeError();
  // By default ORC prints what lookup() returns as well.
  (*jit)->getExecutionSession().setErrorReporter(
      [](Error error) { consumeError(std::move(error)); });
  if (Error error = defineLibraryFunctions(**jit, (*jit)->getMainJITDylib()))
    return std::move(error);
  // ORC takes the buffer over; the object may be loaded again.
  if (Error error = (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(object.code, object.name)))
    return std::move(error);
  return jit;
}

Expected<HostObject> HostKernel::compileObject(mlir::ModuleOp module, StringRef name,
                                               const HostOptions &options) {
  HostObject object;
  object.name = name.str();
  if (auto kernel = module.lookupSymbol<mlir::func::FuncOp>(name))
    for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
      Expected<HostParameter> parameter = describeParameter(kernel, index);
      if (!parameter)
        return parameter.takeError();
      object.parameters.push_back(std::move(*parameter));
    }
  Expected<Optimized> code = lowerAndOptimize(module, name, options);
  if (!code)
    return code.takeError();
  object.scratchBytes = code->lowered.scratchBytes;
  Expected<std::unique_ptr<MemoryBuffer>> buffer =
      orc::SimpleCompiler(*code->machine)(*code->lowered.module);
  if (!buffer)
    return buffer.takeError();
  object.code = (*buffer)->getBuffer().str();
  return std::move(object);
}

Expected<std::unique_ptr<HostKernel>> HostKernel::load(const HostObject &object) {
  auto state = std::make_unique<State>();
  state->name = object.name;
  state->parameters = object.parameters;
  state->scratchBytes = object.scratchBytes;
  Expected<std::unique_ptr<orc::LLJIT>> jit = link(object);
  if (!jit)
    return jit.takeError();
  state->jit = std::move(*jit);
  Expected<orc::ExecutorAddr> entry = state->jit->lookup(kEntryName);
  if (!entry)
    return entry.takeError();
  state->entry = entry->toPtr<Entry>();
  return std::unique_ptr<HostKernel>(new HostKernel(std::move(state)));
}

Expected<HostBitcode> tilec::emitHostBitcode(mlir::ModuleOp module, StringRef name, StringRef entry,
                                             const HostOptions &options) {
  Expected<Optimized> code = lowerAndOptimize(module, name, options);
  if (!code)
    return code.takeError();
  Module &lowered = *code->lowered.module;
  // Whatever else the lowering defines belongs to this kernel alone.
  for (GlobalValue &value : lowered.global_values())
    if (!value.isDeclaration())
      value.setLinkage(GlobalValue::InternalLinkage);
  Function *function = lowered.getFunction(kEntryName);
  function->setLinkage(GlobalValue::ExternalLinkage);
  function->setName(entry);
  HostBitcode result;
  result.scratchBytes = code->lowered.scratchBytes;
  raw_string_ostream stream(result.bitcode);
  WriteBitcodeToFile(lowered, stream);
  return result;
}

Expected<std::unique_ptr<TargetMachine>> tilec::createHostMachine(const HostOptions &options) {
  Expected<orc::JITTargetMachineBuilder> builder = describeHost(options);
  if (!builder)
    return builder.takeError();
  return builder->createTargetMachine();
}

Expected<std::unique_ptr<HostKernel>> HostKernel::compile(mlir::ModuleOp module, StringRef name,
                                                          const HostOptions &options) {
  Expected<HostObject> object = compileObject(module, name, options);
  return object ? load(*object) : object.takeError();
}

Expected<std::string> tilec::hostMachine() {
  Expected<orc::JITTargetMachineBuilder> builder = describeHost(HostOptions());
  if (!builder)
    return builder.takeError();
  return builder->getTargetTriple().str() + " " + builder->getCPU() + " " +
         builder->getFeatures().getString();
}

Expected<std::string> HostKernel::emitLLVM(mlir::ModuleOp module, StringRef name,
                                           const HostOptions &options) {
  Expected<Optimized> code = lowerAndOptimize(module, name, options);
  if (!code)
    return code.takeError();
  std::string text;
  raw_string_ostream stream(text);
  code->lowered.module->print(stream, nullptr);
  return text;
}

Expected<std::string> HostKernel::emitAssembly(mlir::ModuleOp module, StringRef name,
                                               const HostOptions &options) {
  Expected<Optimized> code = lowerAndOptimize(module, name, options);
  if (!code)
    return code.takeError();
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if (code->machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
    return makeError("this target cannot print assembly");
  passes.run(*code->lowered.module);
  return text.str().str();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

HostArgument HostArgument::pointer(const void *address) {
  HostArgument argument;
  argument.which = Kind::Pointer;
  argument.address = address;
  return argument;
}

HostArgument HostArgument::integer(int64_t value) {
  HostArgument argument;
  argument.which = Kind::Integer;
  argument.number = value;
  return argument;
}

HostArgument HostArgument::floating(double value) {
  HostArgument argument;
  argument.which = Kind::Floating;
  argument.real = value;
  return argument;
}

static uint64_t floatBits(double value, const fltSemantics &semantics) {
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static HostArgument::Kind expectedKind(HostParameter::Kind kind) {
  if (kind == HostParameter::Kind::Pointer)
    return HostArgument::Kind::Pointer;
  return kind == HostParameter::Kind::Integer ? HostArgument::Kind::Integer
                                              : HostArgument::Kind::Floating;
}

static StringRef nameOf(HostArgument::Kind kind) {
  switch (kind) {
  case HostArgument::Kind::Pointer:
    return "a pointer";
  case HostArgument::Kind::Integer:
    return "an integer";
  case HostArgument::Kind::Floating:
    return "a float";
  }
  llvm_unreachable("unknown kind of argument");
}

static uint64_t floatSlot(HostParameter::Kind kind, double value) {
  switch (kind) {
  case HostParameter::Kind::Float16:
    return floatBits(value, APFloat::IEEEhalf());
  case HostParameter::Kind::BFloat16:
    return floatBits(value, APFloat::BFloat());
  case HostParameter::Kind::Float32:
    return floatBits(value, APFloat::IEEEsingle());
  default:
    return floatBits(value, APFloat::IEEEdouble());
  }
}

static std::string describe(const HostFailure &failure) {
  std::string text;
  raw_string_ostream stream(text);
  if (failure.line > 0)
    stream << failure.file << ':' << failure.line << ':' << failure.column << ": ";
  stream << "assertion failed in program (" << failure.program[0] << ", " << failure.program[1]
         << ", " << failure.program[2] << ')';
  if (failure.message && *failure.message)
    stream << ": " << failure.message;
  return text;
}

static bool hasFailed(const HostFailure &failure) {
  return __atomic_load_n(&failure.claimed, __ATOMIC_RELAXED) != 0;
}

Error HostKernel::run(HostThreads &threads, HostGrid grid, ArrayRef<HostArgument> arguments,
                      HostMonitor *monitor) const {
  if (arguments.size() != state->parameters.size())
    return makeError("kernel '" + state->name + "' takes " + Twine(state->parameters.size()) +
                     " arguments, found " + Twine(arguments.size()));
  SmallVector<uint64_t> slots;
  for (auto [argument, parameter] : llvm::zip_equal(arguments, state->parameters)) {
    HostArgument::Kind expected = expectedKind(parameter.kind);
    if (argument.which != expected)
      return makeError("parameter " + Twine(slots.size()) + " of kernel '" + state->name +
                       "' expects " + nameOf(expected) + ", found " + nameOf(argument.which));
    if (expected == HostArgument::Kind::Pointer)
      slots.push_back(uint64_t(reinterpret_cast<uintptr_t>(argument.address)));
    else if (expected == HostArgument::Kind::Integer)
      slots.push_back(parameter.bits == 1 ? argument.number & 1 : argument.number);
    else
      slots.push_back(floatSlot(parameter.kind, argument.real));
  }
  return runSlots(threads, grid, slots.data(), monitor);
}

Error HostKernel::runSlots(HostThreads &threads, HostGrid grid, const uint64_t *slots,
                           HostMonitor *monitor) const {
  assert((!monitor || threads.size() == 1) && "a monitor sees one program after the other");
  HostFailure failure;
  failure.monitor = monitor;
  auto runRange = [&](uint64_t begin, uint64_t end, void *scratch) {
    int32_t position[6] = {0, 0, 0, int32_t(grid.x), int32_t(grid.y), int32_t(grid.z)};
    position[0] = int32_t(begin % grid.x);
    position[1] = int32_t(begin / grid.x % grid.y);
    position[2] = int32_t(begin / grid.x / grid.y);
    for (uint64_t program = begin; program < end && !hasFailed(failure); ++program) {
      state->entry(slots, position, scratch, &failure);
      if (uint32_t(++position[0]) < grid.x)
        continue;
      position[0] = 0;
      if (uint32_t(++position[1]) < grid.y)
        continue;
      position[1] = 0;
      ++position[2];
    }
  };
  uint64_t plane = uint64_t(grid.x) * grid.y;
  if (plane == 0 || grid.z == 0)
    return Error::success();
  if (grid.z > UINT64_MAX / plane)
    return makeError("the grid of kernel '" + state->name + "' has too many programs");
  if (!threads.forEachRange(plane * grid.z, state->scratchBytes, runRange))
    return makeError("out of memory for the scratch of kernel '" + state->name + "' (" +
                     Twine(state->scratchBytes) + " bytes a thread)");
  if (hasFailed(failure))
    return makeError(describe(failure));
  return Error::success();
}
