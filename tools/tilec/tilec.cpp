//===- tilec.cpp - the compiler as a program -------------------*- C++ -*-===//
//
// Ties the command line to a Compilation and writes what was asked for. Exit status: 0 fine, 1
// errors in the input, 2 wrong usage. Standard output carries only the output.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "ObjectDriver.h"
#include "OutputFile.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/Language/OpenConfigs.h"
#include "tilec/Report/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

namespace {

class Driver {
public:
  explicit Driver(const CommandLine &line)
      : line(line), compilation(llvm::errs(), line.diagnostics, line.importFolders),
        target(line.arch.value_or(GpuArch::oldest())) {
    target.optLevel = line.optLevel;
    target.fpFusion = line.fpFusion;
    target.lineInfo = line.lineInfo;
    target.remarks = line.remarks;
    target.maxRegisters = line.maxRegisters;
    target.ptxasPath = line.ptxas;
    target.disabledHeuristics = line.disabledHeuristics;
  }

  int run();

private:
  bool addKernels();
  bool checkSyntax();
  bool readSignatures();
  bool chooseNames(std::vector<std::string> &names);
  bool readRequest(const std::string &name, KernelRequest &request);
  bool chooseConfig(KernelRequest &request);
  bool addKernel(const std::string &name);
  bool checkDefinitions();
  std::optional<std::string> output();
  bool needsMachineCode() const {
    return line.form == Form::Cubin || line.form == Form::SASS || line.resourceUsage;
  }
  bool assemble();
  std::optional<std::string> sass();
  std::optional<std::string> report();
  bool printCommands();
  bool write(std::string text);
  void printTimes();
  void error(const llvm::Twine &message) {
    compilation.diagnostics().error(llvm::SMRange(), message);
  }

  const CommandLine &line;
  Compilation compilation;
  TargetOptions target;
  std::optional<Cubin> cubin;
  std::vector<Signature> signatures;
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool Driver::readSignatures() {
  for (const SignatureText &given : line.signatures) {
    std::optional<Signature> signature =
        parseSignature(given.text, "--sig", compilation.sources(), compilation.diagnostics());
    if (!signature)
      return false;
    signatures.push_back(std::move(*signature));
  }
  return true;
}

static bool isJitFunction(Compilation &compilation, llvm::StringRef name) {
  for (const ast::FunctionDef *function : compilation.listJitFunctions())
    if (function->name == name)
      return true;
  return false;
}

/// Names that the command line gives must exist, or a misspelt one would be ignored in silence.
bool Driver::checkDefinitions() {
  bool fine = true;
  for (const Definition &definition : line.definitions)
    if (!definition.kernel.empty() && !isJitFunction(compilation, definition.kernel)) {
      error("-D " + definition.kernel + "." + definition.name + " names no kernel of '" +
            line.input + "'");
      fine = false;
    }
  return fine;
}

bool Driver::readRequest(const std::string &name, KernelRequest &request) {
  request.kernel = name;
  request.numWarps = line.numWarps;
  request.numCTAs = line.numCTAs;
  request.numStages = line.numStages;
  request.warpRoles = line.warpRoles;
  request.tensorMaps = line.tensorMaps;
  if (line.cpuLevel == 0)
    request.arch = target.arch;
  request.debug = line.debug;
  request.enableFpFusion = line.fpFusion;
  for (const Signature &signature : signatures)
    if (signature.kernel.empty() || signature.kernel == name)
      request.signature = signature;
  // The last value given wins, and one for this kernel wins over one for all.
  llvm::MapVector<llvm::StringRef, const Definition *> definitions;
  for (bool own : {false, true})
    for (const Definition &definition : line.definitions)
      if (own ? definition.kernel == name : definition.kernel.empty())
        definitions[definition.name] = &definition;
  for (auto &[parameter, definition] : definitions) {
    std::optional<ConstValue> value =
        parseConstValue(definition->value, "-D " + definition->name, compilation.sources(),
                        compilation.diagnostics());
    if (!value)
      return false;
    request.constexprs.push_back({definition->name, *value, llvm::SMRange()});
  }
  return true;
}

/// What is written here holds one configuration of an autotuned kernel; objects hold all. A limit
/// for registers is not the kernel's alone, so that it is given as an option.
bool Driver::chooseConfig(KernelRequest &request) {
  const ast::FunctionDef *kernel = compilation.tree()->findFunction(request.kernel);
  if (!kernel || kernel->decorators.size() < 2)
    return true;
  std::vector<TuneConfig> configs = findOpenConfigs(*compilation.tree(), compilation.sources(),
                                                    &compilation.imports(), *kernel, request);
  if (configs.empty())
    return true;
  if (line.syntaxOnly || (configs.size() == 1 && configs.front().maxRegisters == 0)) {
    addConfig(configs.front(), request);
    return true;
  }
  compilation.diagnostics().error(kernel->nameRange,
                                  "kernel '" + kernel->name +
                                      "' is autotuned, and only objects (-o FILE.o) "
                                      "hold all " +
                                      llvm::Twine(configs.size()) +
                                      " configurations; the first is chosen with " +
                                      optionsFor(configs.front(), request));
  return false;
}

bool Driver::addKernel(const std::string &name) {
  KernelRequest request;
  return readRequest(name, request) && chooseConfig(request) && compilation.addKernel(request);
}

/// The kernels that the command line asks for, or else the file's only one.
bool Driver::chooseNames(std::vector<std::string> &names) {
  names = line.kernels;
  if (names.empty())
    for (const Signature &signature : signatures)
      if (!signature.kernel.empty())
        names.push_back(signature.kernel);
  if (names.empty()) {
    auto functions = compilation.listJitFunctions();
    if (functions.empty()) {
      if (compilation.diagnostics().errorCount())
        return false; // It may be among what could not be read.
      error("'" + line.input + "' has no @triton.jit function");
      return false;
    }
    if (functions.size() > 1) {
      std::string list;
      for (const ast::FunctionDef *function : functions)
        list += (list.empty() ? "" : ", ") + function->name.str();
      error("'" + line.input + "' has several @triton.jit functions (" + list +
            "); say which are kernels with --kernel= or --sig=KERNEL:...");
      return false;
    }
    names.push_back(functions.front()->name.str());
  }
  return true;
}

bool Driver::addKernels() {
  std::vector<std::string> names;
  if (!readSignatures() || !checkDefinitions() || !chooseNames(names))
    return false;
  bool fine = true;
  for (const std::string &name : names)
    fine &= addKernel(name);
  return fine && !compilation.diagnostics().hasErrors();
}

/// Specialises the kernels whose types are known, as far as that is possible without more options.
bool Driver::checkSyntax() {
  if (!readSignatures() || !checkDefinitions())
    return false;
  std::vector<std::string> names;
  // Of several functions, some may be helpers, which return values as no kernel does.
  bool isNamed = !line.kernels.empty() || !signatures.empty();
  if ((isNamed || compilation.listJitFunctions().size() == 1) && !chooseNames(names))
    return false;
  bool fine = true;
  for (const std::string &name : names) {
    KernelRequest request;
    if (!readRequest(name, request) || !chooseConfig(request))
      return false;
    const ast::FunctionDef *kernel = compilation.tree()->findFunction(name);
    if (!kernel || !request.signature.items.empty() || describesItself(*kernel, request))
      fine &= compilation.addKernel(request);
  }
  return fine && !compilation.diagnostics().hasErrors();
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

bool Driver::assemble() {
  if (!compilation.lower(Stage::PTX, target))
    return false;
  cubin = compilation.assemble(target);
  if (!cubin)
    return false;
  if (line.verbose)
    llvm::errs() << "ptxas: " << cubin->ptxas.path << " (from " << cubin->ptxas.origin << ")\n";
  llvm::errs() << cubin->warnings;
  if (line.resourceUsage)
    for (const KernelRecord &record : compilation.records())
      llvm::errs() << describeResources(record, target.arch);
  return true;
}

std::optional<std::string> Driver::sass() {
  llvm::Expected<std::string> text = disassemble(cubin->image);
  if (text)
    return std::move(*text);
  error(llvm::toString(text.takeError()));
  return std::nullopt;
}

std::optional<std::string> Driver::report() {
  ReportOptions options(target);
  options.verbose = line.verbose;
  options.producer = "tilec " TILEC_VERSION;
  options.profile = line.reportProfile;
  if (line.cpuLevel == 1)
    options.cpu = "x86-64";
  else if (line.cpuLevel > 1)
    options.cpu = "x86-64-v" + std::to_string(line.cpuLevel);
  return makeReport(compilation, options);
}

std::optional<std::string> Driver::output() {
  if (line.form == Form::Report)
    return report();
  static constexpr std::pair<Form, Stage> stages[] = {
      {Form::Tile, Stage::Tile},  {Form::Layout, Stage::Layout}, {Form::GPU, Stage::GPU},
      {Form::NVVM, Stage::NVVM},  {Form::LLVM, Stage::LLVM},     {Form::PTX, Stage::PTX},
      {Form::JSON, Stage::Layout}};
  if (needsMachineCode() && !assemble())
    return std::nullopt;
  for (auto [form, stage] : stages)
    if (form == line.form && !compilation.lower(stage, target))
      return std::nullopt;
  switch (line.form) {
  case Form::Cubin:
    return std::move(cubin->image);
  case Form::SASS:
    return sass();
  case Form::LLVM:
    return compilation.llvmIR();
  case Form::PTX:
    return compilation.ptx();
  case Form::JSON: {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::formatv("{0:2}\n", toJSON(compilation.records(), target.arch, line.input));
    return text;
  }
  default:
    return compilation.printModule(/*withLocations=*/line.lineInfo);
  }
}

bool Driver::printCommands() {
  if (!needsMachineCode())
    return true;
  AssembleOptions options(target.arch);
  options.ptxasPath = target.ptxasPath;
  options.optLevel = target.optLevel;
  options.lineInfo = target.lineInfo;
  llvm::Expected<std::string> command = assembleCommand(options, "kernel.ptx", line.output);
  if (!command) {
    error(llvm::toString(command.takeError()));
    return false;
  }
  llvm::outs() << *command << "\n";
  return true;
}

void Driver::printTimes() {
  double total = 0;
  for (const auto &[name, milliseconds] : compilation.times()) {
    llvm::errs() << llvm::format("%9.3f ms  ", milliseconds) << name << "\n";
    total += milliseconds;
  }
  llvm::errs() << llvm::format("%9.3f ms  total\n", total);
}

/// Writes the output, and the dependency file if one is wanted.
bool Driver::write(std::string text) {
  OutputFiles files;
  std::vector<std::string> inputs = compilation.imports().search().store->filesRead();
  inputs.insert(inputs.begin(), line.input);
  if (!line.reportProfile.empty())
    inputs.push_back(line.reportProfile);
  if (!line.depfile.empty())
    files.addDependencies(line.depfile, line.output, inputs);
  files.add(line.output, std::move(text));
  return files.write(compilation.diagnostics(), inputs);
}

int Driver::run() {
  if (!compilation.load(line.input))
    return 1;
  if (line.syntaxOnly) {
    bool fine = checkSyntax();
    if (line.timeReport)
      printTimes();
    return fine ? 0 : 1;
  }
  if (line.form == Form::AST) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printAST(os, compilation.sources(), *compilation.tree());
    return write(std::move(text)) && !compilation.diagnostics().hasErrors() ? 0 : 1;
  }
  bool fine = addKernels();
  if (fine && line.dryRun)
    return printCommands() ? 0 : 1;
  std::optional<std::string> text = fine ? output() : std::nullopt;
  if (line.timeReport)
    printTimes();
  if (!text || compilation.diagnostics().hasErrors() || !write(std::move(*text)))
    return 1;
  if (line.hasDefaultOutput)
    compilation.diagnostics().remark(llvm::SMRange(),
                                     "wrote '" + line.output +
                                         "'; -o FILE names another, -o - is standard output");
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int exitCode = 0;
  std::optional<CommandLine> line = parseCommandLine(argc, argv, exitCode);
  if (!line)
    return exitCode;
  if (!line->inspect.empty())
    return inspect(*line);
  if (line->form == Form::Object)
    return buildObject(*line);
  // It ends with the process: to free all operations and types one by one takes longer.
  static Driver *driver = new Driver(*line);
  return driver->run();
}
