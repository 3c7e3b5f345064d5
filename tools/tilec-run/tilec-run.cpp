//===- tilec-run.cpp - runs one kernel on given inputs ---------*- C++ -*-===//
//
// Makes the arrays, compiles the kernel for the machine at hand, runs it, and saves or compares the
// results. Exit status: 0 fine, 1 errors in the input or results that differ, 2 wrong usage.
// Standard output carries only what was asked for.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "FaultReport.h"
#include "Prepare.h"
#include "Sanitizer.h"
#include "Tune.h"
#include "Watched.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/JIT/Compare.h"
#include "tilec/JIT/DeviceTimer.h"
#include "tilec/JIT/Fill.h"
#include "tilec/JIT/Machine.h"
#include "tilec/JIT/MemoryChecker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <unistd.h>

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
      : line(line), compilation(llvm::errs(), diagnosticOptions(), line.importFolders) {}

  /// The exit status.
  int run();

private:
  bool readArguments();
  bool findKernel();
  bool openMachine();
  bool compile();
  bool choose(const Preparer &preparer, const TuneConfig *&config);
  bool launch();
  bool checkGuards();
  bool useResults();
  bool expect(const NamedValue &expectation);
  void print(const std::string &name);
  bool measure();
  void reportRun();
  bool reportProfile();
  bool readArgument(const NamedValue &given, NamedArgument &argument);
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
  std::deque<HostArray> arrays;            // A deque: arguments refer to its elements.
  llvm::DenseSet<const HostArray *> empty; // Arrays that only the kernel fills.
  std::vector<NamedArgument> arguments;
  std::optional<MemoryChecker> checker;
  std::optional<FactWriter> watched;
  std::unique_ptr<Machine> machine;
  std::optional<KernelDecorators> decorators;
  PreparedKernel prepared;
};

} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

bool Runner::findKernel() {
  auto functions = compilation.listJitFunctions();
  llvm::SmallVector<llvm::StringRef> names;
  for (const ast::FunctionDef *candidate : functions)
    names.push_back(candidate->name);
  if (names.empty() && compilation.diagnostics().errorCount())
    return false; // It may be among what could not be read.
  if (names.empty() && adviceForMissing(*compilation.tree(), line.kernel).empty())
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
  return error(describeMissing(*compilation.tree(), wanted, names));
}

bool Runner::readArguments() {
  bool fine = true;
  for (const NamedValue &given : line.arguments)
    fine &= readArgument(given, arguments.emplace_back());
  return fine;
}

bool Runner::readArgument(const NamedValue &given, NamedArgument &argument) {
  argument.name = given.name;
  if (given.array) {
    // Different arrays must not hold the same random numbers.
    uint64_t seed = line.seed * 1000003 + arrays.size();
    llvm::Expected<HostArray> array = makeArray(*given.array, seed);
    if (!array)
      return error("argument '" + given.name + "': " + llvm::toString(array.takeError()));
    argument.array = &arrays.emplace_back(std::move(*array));
    if (given.array->contents == ArraySpec::Contents::Empty)
      empty.insert(argument.array);
    return true;
  }
  if (given.descriptor) {
    NamedArgument tensor;
    bool fine = readArgument(given.elements.front(), tensor);
    if (fine)
      argument.makeDescriptor(*tensor.array, given.descriptor->block,
                              given.descriptor->padsWithNaN);
    return fine;
  }
  if (!given.elements.empty()) {
    bool fine = true;
    argument.isTuple = true;
    argument.className = given.className;
    for (const NamedValue &element : given.elements)
      fine &= readArgument(element, argument.elements.emplace_back());
    return fine;
  }
  if (llvm::StringRef(given.text).ends_with(".npy"))
    return error("'--arg " + given.name + "=" + given.text +
                 "' gives no array; an '@' before the file's name does: '--arg " + given.name +
                 "=@" + given.text + "'");
  std::optional<ConstValue> value = parseConstValue(
      given.text, "--arg " + given.name, compilation.sources(), compilation.diagnostics());
  if (value)
    argument.value = std::move(*value);
  return value.has_value();
}

bool Runner::openMachine() {
  if (line.check) {
    checker.emplace();
    forEachArray(arguments, [&](const NamedArgument &argument) {
      checker->add(argument.name, *argument.array, empty.contains(argument.array));
    });
    machine = Machine::watchedCpu(*checker);
    return true;
  }
  if (line.target == TargetChoice::Simulator) {
    machine = Machine::simulator(line.seed);
    return true;
  }
  if (!line.watchingTool.empty()) {
    watched.emplace(line.factsFile, function->name, arguments,
                    line.watchingTool == "initcheck" ? &empty : nullptr);
    llvm::Expected<std::unique_ptr<Machine>> gpu = Machine::watchedCuda(*watched);
    if (!gpu)
      return error(llvm::toString(gpu.takeError()));
    machine = std::move(*gpu);
    return true;
  }
  if (line.target != TargetChoice::CPU) {
    llvm::Expected<std::unique_ptr<Machine>> gpu = Machine::cuda();
    if (gpu) {
      machine = std::move(*gpu);
      return true;
    }
    std::string reason = llvm::toString(gpu.takeError());
    if (line.target == TargetChoice::CUDA)
      return error(reason);
    if (line.arch)
      return error("--arch=" + line.arch->name() + " needs a GPU to run on: " + reason);
    if (line.verbose)
      llvm::errs() << "no GPU is used: " << reason << "\n";
  }
  machine = Machine::cpu(line.threads);
  return true;
}

bool Runner::compile() {
  Preparer preparer(line, *machine, arguments);
  decorators = readDecorators(
      *compilation.tree(), *function, compilation.sources(), compilation.diagnostics(),
      [&](llvm::StringRef name) {
        return llvm::any_of(line.constants,
                            [&](const NamedText &given) { return given.name == name; });
      },
      &compilation.imports());
  if (!decorators || !preparer.dropGiven(*decorators, compilation))
    return false;
  const TuneConfig *config = nullptr;
  if (decorators->autotune) {
    if (!choose(preparer, config))
      return false;
  } else if (line.tune || !line.tuned.empty()) {
    return error("there is nothing to tune: '" + function->name +
                 "' has no @triton.autotune, or -D gives what it would choose");
  }
  return preparer.prepare(compilation, *function, config, decorators->heuristics, prepared);
}

/// The configuration to run: the fastest that is known, else the first, of those that suit.
bool Runner::choose(const Preparer &preparer, const TuneConfig *&config) {
  llvm::ArrayRef<TuneConfig> configs = decorators->autotune->configs;
  Tuner tuner(line, preparer, compilation, *function, *decorators);
  if (!line.tuned.empty() && !check(tuner.readFile()))
    return false;
  if (line.tune && !check(tuner.measure()))
    return false;
  std::string refusal;
  config = tuner.choose(refusal);
  if (!config)
    return error(refusal);
  if (!line.verbose)
    return true;
  llvm::errs() << "configuration: " << config->str();
  if (!tuner.isMeasured(*config))
    llvm::errs() << (config == configs.begin() ? " (the first of " : " (the first that suits of ")
                 << configs.size() << ")";
  llvm::errs() << "\n";
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

HostArray *Runner::arrayCalled(llvm::StringRef name) {
  HostArray *found = nullptr;
  forEachArray(arguments, [&](const NamedArgument &argument) {
    if (argument.name == name)
      found = argument.array;
  });
  return found;
}

bool Runner::checkGuards() {
  bool fine = true;
  forEachArray(arguments, [&](const NamedArgument &argument) {
    if (!argument.array->guardsIntact())
      fine = error("the kernel wrote outside of the array '" + argument.name + "'");
  });
  if (!fine && !line.check)
    llvm::errs() << FaultReport::advice;
  return fine;
}

bool Runner::launch() {
  if (line.verbose)
    llvm::errs() << "running '" << function->name << "' on " << machine->name() << ", grid "
                 << prepared.grid.x << " x " << prepared.grid.y << " x " << prepared.grid.z << "; "
                 << prepared.kernel->describe() << "\n";
  std::optional<FaultReport> report;
  if (!machine->isGPU())
    report.emplace(arguments, line.check);
  bool fine = check(prepared.kernel->run(prepared.grid, prepared.values)) && checkGuards();
  // Named as the checked mode of the JIT does.
  if (checker && !checker->findings().empty())
    llvm::errs() << "kernel '" << function->name << "' accesses memory wrongly:\n";
  return (!checker || reportFindings(*checker, compilation.diagnostics())) && fine;
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
  Tolerance usual = defaultTolerance(actual.type(), expected->type());
  Tolerance tolerance{line.rtol.value_or(usual.relative), line.atol.value_or(usual.absolute)};
  Comparison result = compare(actual, *expected, tolerance);
  llvm::outs() << expectation.name << ": " << scalarInfo(actual.type()).shortName
               << formatShape(actual.shape()) << ", largest error "
               << llvm::format("%.3g absolute, %.3g relative\n", result.largestAbsolute,
                               result.largestRelative);
  if (result.numMismatches == 0)
    return true;
  uint64_t first = result.firstMismatch;
  auto [wanted, found] = formatPair(*expected, actual, first);
  std::string message = expectation.name + ": " + std::to_string(result.numMismatches) + " of " +
                        std::to_string(actual.size()) + " elements differ by more than rtol " +
                        reprOfFloat(tolerance.relative) + " and atol " +
                        reprOfFloat(tolerance.absolute) + "; the first is " +
                        formatIndex(first, actual.shape()) + ": expected " + wanted + ", found " +
                        found;
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
  llvm::Expected<Timing> timing = prepared.kernel->measure(prepared.grid, prepared.values);
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

/// Who has asked for nothing is told that the kernel ran. How long it took, copies to a GPU and
/// first touches of memory included, would be no measure of it.
void Runner::reportRun() {
  bool isAsked = !line.prints.empty() || !line.saves.empty() || !line.expectations.empty() ||
                 line.bench || line.tune || line.profile || line.check || line.verbose;
  if (isAsked || !line.watchingTool.empty())
    return;
  const LaunchGrid &grid = prepared.grid;
  if (grid.isEmpty())
    llvm::errs() << "the grid is empty: no program of '" << function->name << "' ran\n";
  else
    llvm::errs() << "ran '" << function->name << "' on " << machine->name() << ", grid " << grid.x
                 << " x " << grid.y << " x " << grid.z << "; --print=NAME shows an array\n";
}

/// Results that are not as expected took time as well.
bool Runner::reportProfile() {
  if (!line.profile || !prepared.kernel)
    return true;
  llvm::outs().flush();
  bool fine = check(toError(Status(tilec_profile_print(STDOUT_FILENO))));
  if (!line.profileFile.empty())
    fine &= check(toError(Status(tilec_profile_write(line.profileFile.c_str()))));
  return fine;
}

int Runner::run() {
  if (line.check && line.target == TargetChoice::CUDA)
    return compilation.load(line.input) ? runUnderSanitizer(line, compilation) : 1;
  if (line.profile)
    tilec_profile_record(1);
  bool fine = compilation.load(line.input) && findKernel() && readArguments() && openMachine() &&
              compile() && launch();
  // Results first: measuring runs the kernel on its own output.
  fine = fine && (line.noResults || useResults());
  if (fine)
    reportRun();
  if (fine && line.bench)
    fine = prepared.grid.isEmpty() ? error("there is nothing to measure: the grid is empty")
                                   : measure();
  fine &= reportProfile();
  return fine && !compilation.diagnostics().hasErrors() ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::errs().tie(&llvm::outs()); // So that results and errors come out in order.
  int exitCode = 0;
  std::optional<CommandLine> line = parseCommandLine(argc, argv, exitCode);
  return line ? Runner(*line).run() : exitCode;
}
