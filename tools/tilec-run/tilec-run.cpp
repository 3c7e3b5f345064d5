//===- tilec-run.cpp - runs one kernel on given inputs ---------*- C++ -*-===//
//
// Makes the arrays, compiles the kernel for the machine at hand, runs it, and saves or compares the
// results. Exit status: 0 fine, 1 errors in the input or results that differ, 2 wrong usage.
// Standard output carries only what was asked for.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "FaultReport.h"
#include "GridExpr.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/JIT/Compare.h"
#include "tilec/JIT/Fill.h"
#include "tilec/JIT/Machine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace tilec;

static DiagnosticOptions diagnosticOptions() {
  DiagnosticOptions options;
  options.color = llvm::sys::Process::StandardErrHasColors();
  return options;
}

namespace {

class Runner {
public:
  explicit Runner(const CommandLine &line)
      : line(line), compilation(llvm::errs(), diagnosticOptions()) {}

  /// The exit status.
  int run();

private:
  bool readArguments();
  bool findKernel();
  bool openMachine();
  bool compile();
  bool addConstants(KernelRequest &request);
  bool findGrid();
  bool launch();
  bool checkGuards();
  bool useResults();
  bool expect(const NamedValue &expectation);
  void print(const std::string &name);
  bool measure();
  HostArray *arrayCalled(llvm::StringRef name);
  bool error(const llvm::Twine &message) {
    compilation.diagnostics().error(llvm::SMRange(), message);
    return false;
  }
  bool check(llvm::Error failure) {
    return failure ? error(llvm::toString(std::move(failure))) : true;
  }

  const CommandLine &line;
  Compilation compilation;
  const ast::FunctionDef *function = nullptr;
  std::deque<HostArray> arrays; // A deque: arguments refer to its elements.
  std::vector<NamedArgument> arguments;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<LoadedKernel> kernel;
  std::vector<LaunchValue> values;
  LaunchGrid grid;
};

} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

bool Runner::findKernel() {
  auto functions = listJitFunctions(*compilation.tree());
  llvm::SmallVector<llvm::StringRef> names;
  for (const ast::FunctionDef *candidate : functions)
    names.push_back(candidate->name);
  if (names.empty())
    return error("'" + line.input + "' has no @triton.jit function");
  if (line.kernel.empty() && names.size() > 1)
    return error("'" + line.input + "' has several @triton.jit functions (" +
                 llvm::join(names, ", ") + "); say which to run with --kernel=");
  llvm::StringRef wanted = line.kernel.empty() ? names.front() : llvm::StringRef(line.kernel);
  for (const ast::FunctionDef *candidate : functions)
    if (candidate->name == wanted)
      function = candidate; // The last one counts, as in Python.
  if (function)
    return !function->hasErrors;
  std::string message = "no @triton.jit function is called '" + wanted.str() + "'";
  if (std::optional<llvm::StringRef> near = closestName(wanted, names))
    message += "; did you mean '" + near->str() + "'?";
  return error(message);
}

bool Runner::readArguments() {
  bool fine = true;
  for (const NamedValue &given : line.arguments) {
    NamedArgument argument;
    argument.name = given.name;
    if (given.array) {
      // Different arrays must not hold the same random numbers.
      uint64_t seed = line.seed * 1000003 + arrays.size();
      llvm::Expected<HostArray> array = makeArray(*given.array, seed);
      if (!array) {
        fine = error("argument '" + given.name + "': " + llvm::toString(array.takeError()));
        continue;
      }
      argument.array = &arrays.emplace_back(std::move(*array));
    } else {
      std::optional<ConstValue> value = parseConstValue(
          given.text, "--arg " + given.name, compilation.sources(), compilation.diagnostics());
      if (!value) {
        fine = false;
        continue;
      }
      argument.value = std::move(*value);
    }
    arguments.push_back(std::move(argument));
  }
  return fine;
}

bool Runner::openMachine() {
  if (line.target != TargetChoice::CPU) {
    llvm::Expected<std::unique_ptr<Machine>> gpu = Machine::cuda();
    if (gpu) {
      machine = std::move(*gpu);
      return true;
    }
    std::string reason = llvm::toString(gpu.takeError());
    if (line.target == TargetChoice::CUDA)
      return error(reason);
    if (line.verbose)
      llvm::errs() << "no GPU is used: " << reason << "\n";
  }
  machine = Machine::cpu(line.threads);
  return true;
}

bool Runner::addConstants(KernelRequest &request) {
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

bool Runner::compile() {
  KernelRequest request;
  request.kernel = function->name.str();
  request.numWarps = line.numWarps;
  request.numCTAs = line.numCTAs;
  request.debug = line.debug;
  request.enableFpFusion = line.fpFusion;
  CodeOptions code;
  code.arch = line.arch;
  code.fpFusion = line.fpFusion;
  code.maxRegisters = line.maxRegisters;
  request.capability = machine->capability(code);
  Signature given;
  if (!line.signature.empty()) {
    std::optional<Signature> read =
        parseSignature(line.signature, "--sig", compilation.sources(), compilation.diagnostics());
    if (!read)
      return false;
    given = std::move(*read);
    if (!given.kernel.empty() && given.kernel != function->name)
      return error("the signature is for '" + given.kernel + "', but the kernel is '" +
                   function->name + "'");
  }
  if (!addConstants(request) ||
      !describeArguments(*function, arguments, given, compilation.diagnostics(), request) ||
      !compilation.addKernel(request))
    return false;
  // Before it is known how to launch, or a wrong argument would cost a whole compilation.
  const KernelInfo &info = compilation.records().front().kernel;
  if (!bindArguments(info, arguments, compilation.diagnostics(), values) || !findGrid())
    return false;
  kernel = machine->load(compilation, code);
  return kernel != nullptr;
}

bool Runner::findGrid() {
  llvm::StringMap<int64_t> names;
  for (const KernelInfo::Constexpr &constant : compilation.records().front().kernel.constexprs) {
    int64_t number;
    if (!llvm::StringRef(constant.value).getAsInteger(10, number))
      names[constant.name] = number;
  }
  for (const NamedArgument &argument : arguments)
    if (!argument.array && argument.value.kind() == ConstValue::Kind::Int &&
        argument.value.asInt().isSignedIntN(64))
      names[argument.name] = argument.value.asInt().getSExtValue();
  llvm::Expected<LaunchGrid> result = evaluateGrid(line.grid, names);
  if (!result)
    return error(llvm::toString(result.takeError()));
  grid = *result;
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

HostArray *Runner::arrayCalled(llvm::StringRef name) {
  for (const NamedArgument &argument : arguments)
    if (argument.name == name)
      return argument.array;
  return nullptr;
}

bool Runner::checkGuards() {
  bool fine = true;
  for (const NamedArgument &argument : arguments)
    if (argument.array && !argument.array->guardsIntact())
      fine = error("the kernel wrote outside of the array '" + argument.name + "'");
  return fine;
}

bool Runner::launch() {
  if (line.verbose)
    llvm::errs() << "running '" << function->name << "' on " << machine->name() << ", grid "
                 << grid.x << " x " << grid.y << " x " << grid.z << "; " << kernel->describe()
                 << "\n";
  std::optional<FaultReport> report;
  if (!machine->isGPU())
    report.emplace(arguments);
  return check(kernel->run(grid, values)) && checkGuards();
}

void Runner::print(const std::string &name) {
  constexpr uint64_t most = 16;
  const HostArray &array = *arrayCalled(name);
  llvm::outs() << name << ": " << scalarInfo(array.type()).shortName << formatShape(array.shape())
               << " =";
  for (uint64_t index = 0; index < std::min(array.size(), most); ++index)
    llvm::outs() << ' ' << formatElement(array, index);
  llvm::outs() << (array.size() > most ? " ...\n" : "\n");
}

bool Runner::expect(const NamedValue &expectation) {
  const HostArray &actual = *arrayCalled(expectation.name);
  llvm::Expected<HostArray> expected = makeArray(*expectation.array, line.seed);
  if (!expected)
    return error("--expect " + expectation.name + ": " + llvm::toString(expected.takeError()));
  if (actual.shape() != expected->shape())
    return error("--expect " + expectation.name + ": the array has the shape " +
                 formatShape(actual.shape()) + ", but " + formatShape(expected->shape()) +
                 " is expected");
  bool isFloat = DType(actual.type()).isFloat();
  Tolerance tolerance{line.rtol.value_or(isFloat ? 1e-5 : 0),
                      line.atol.value_or(isFloat ? 1e-8 : 0)};
  Comparison result = compare(actual, *expected, tolerance);
  llvm::outs() << expectation.name << ": " << scalarInfo(actual.type()).shortName
               << formatShape(actual.shape()) << ", largest error "
               << llvm::format("%.3g absolute, %.3g relative\n", result.largestAbsolute,
                               result.largestRelative);
  if (result.numMismatches == 0)
    return true;
  uint64_t first = result.firstMismatch;
  std::string message = expectation.name + ": " + std::to_string(result.numMismatches) + " of " +
                        std::to_string(actual.size()) + " elements differ by more than rtol " +
                        reprOfFloat(tolerance.relative) + " and atol " +
                        reprOfFloat(tolerance.absolute) + "; the first is " +
                        formatIndex(first, actual.shape()) + ": expected " +
                        formatElement(*expected, first) + ", found " + formatElement(actual, first);
  if (result.numUnwritten != 0)
    message += "; " + std::to_string(result.numUnwritten) + " were never written";
  return error(message);
}

bool Runner::useResults() {
  bool fine = true;
  for (const std::string &name : line.prints)
    print(name);
  for (const NamedText &save : line.saves)
    fine &= check(saveNpy(*arrayCalled(save.name), save.text));
  for (const NamedValue &expectation : line.expectations)
    fine &= expect(expectation);
  return fine;
}

bool Runner::measure() {
  llvm::Expected<Timing> timing = kernel->measure(grid, values);
  if (!timing)
    return error(llvm::toString(timing.takeError()));
  uint64_t bytes = 0;
  for (const HostArray &array : arrays)
    bytes += array.bytes();
  llvm::outs() << function->name << " on " << machine->name()
               << llvm::format(": %.2f us, %.1f GB/s (median of %u runs, fastest %.2f us)\n",
                               timing->medianMs * 1e3, double(bytes) / (timing->medianMs * 1e6),
                               timing->runs, timing->fastestMs * 1e3);
  return true;
}

int Runner::run() {
  bool fine = compilation.load(line.input) && findKernel() && readArguments() && openMachine() &&
              compile() && launch();
  // Results first: measuring runs the kernel on its own output.
  fine = fine && useResults();
  if (fine && line.bench)
    fine = grid.isEmpty() ? error("there is nothing to measure: the grid is empty") : measure();
  return fine && !compilation.diagnostics().hasErrors() ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::errs().tie(&llvm::outs()); // So that results and errors come out in order.
  int exitCode = 0;
  std::optional<CommandLine> line = parseCommandLine(argc, argv, exitCode);
  return line ? Runner(*line).run() : exitCode;
}
