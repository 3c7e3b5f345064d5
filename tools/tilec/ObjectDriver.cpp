//===- ObjectDriver.cpp - tilec's way to objects ---------------*- C++ -*-===//
//
// Goes from the command line to what each kernel is compiled for, and writes the files. Nothing is
// written unless all of it can be made.
//
//===----------------------------------------------------------------------===//

#include "ObjectDriver.h"

#include "OutputFile.h"
#include "tilec/Artifact/Build.h"
#include "tilec/Artifact/Header.h"
#include "tilec/Artifact/Object.h"
#include "tilec/Report/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// A kernel file with the kernels to compile.
struct Source {
  std::unique_ptr<Compilation> compilation;
  std::vector<std::string> kernels;
};

class ObjectDriver {
public:
  explicit ObjectDriver(const CommandLine &line) : line(line) {}
  int run();

private:
  bool loadAll();
  bool readSignatures();
  bool chooseKernels();
  std::string describeMissingKernel(StringRef name) const;
  bool chooseNamed(llvm::ArrayRef<std::string> names);
  bool chooseOnly(Source &source);
  bool checkTargets();
  bool checkCommonSignatures();
  bool addKernel(Source &source, StringRef name, ArtifactBuilder &builder);
  bool addDefinitions(Compilation &source, StringRef name, KernelSpec &spec);
  std::string gridOf(StringRef kernel) const;
  std::vector<std::string> requirementsOf(StringRef kernel) const;
  bool checkOwners(StringRef option, llvm::ArrayRef<std::string> expressions);
  std::vector<std::string> filesRead() const;
  bool compile(ArtifactBuilder &builder);
  bool makePage(const ArtifactBuilder &builder);
  bool addToPage(const CompiledVariant &variant, ReportPage &pages);
  bool addObject(const Artifact &artifact, OutputFiles &files);
  bool write(const Artifact &artifact);
  ArtifactOptions artifactOptions() const;
  void printTimes(llvm::ArrayRef<CompileReport> reports, double passed) const;
  DiagnosticEngine &diagnostics() { return sources.front().compilation->diagnostics(); }
  bool error(const llvm::Twine &message) {
    diagnostics().error(llvm::SMRange(), message);
    return false;
  }

  const CommandLine &line;
  std::vector<Source> sources;
  std::vector<Signature> signatures;
  std::string page;
};

} // namespace

static bool hasKernel(const Source &source, StringRef name) {
  return llvm::any_of(source.compilation->listJitFunctions(),
                      [&](const ast::FunctionDef *function) { return function->name == name; });
}

bool ObjectDriver::loadAll() {
  bool fine = true;
  for (const std::string &input : line.inputs) {
    Source source;
    source.compilation =
        std::make_unique<Compilation>(llvm::errs(), line.diagnostics, line.importFolders);
    fine &= source.compilation->load(input) && !source.compilation->diagnostics().hasErrors();
    sources.push_back(std::move(source));
  }
  return fine;
}

bool ObjectDriver::readSignatures() {
  Compilation &first = *sources.front().compilation;
  for (const SignatureText &given : line.signatures) {
    std::optional<Signature> signature =
        parseSignature(given.text, "--sig", first.sources(), first.diagnostics());
    if (!signature)
      return false;
    signatures.push_back(std::move(*signature));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

std::string ObjectDriver::describeMissingKernel(StringRef name) const {
  llvm::SmallVector<StringRef> names;
  const Source *told = &sources.front(); // The file that says what the name is.
  for (const Source &source : sources) {
    for (const ast::FunctionDef *function : source.compilation->listJitFunctions())
      names.push_back(function->name);
    if (!adviceForMissing(*source.compilation->tree(), name).empty())
      told = &source;
  }
  return describeMissing(*told->compilation->tree(), name, names,
                         sources.size() == 1 ? "the file has" : "the files have");
}

bool ObjectDriver::chooseNamed(llvm::ArrayRef<std::string> names) {
  bool fine = true;
  for (const std::string &name : names) {
    Source *owner = nullptr;
    for (Source &source : sources) {
      if (!hasKernel(source, name))
        continue;
      if (owner)
        fine = error("several files have a kernel '" + name + "'; an object can hold one");
      owner = &source;
    }
    if (!owner)
      fine = error(describeMissingKernel(name));
    else if (!llvm::is_contained(owner->kernels, name))
      owner->kernels.push_back(name);
  }
  return fine;
}

bool ObjectDriver::chooseOnly(Source &source) {
  auto functions = source.compilation->listJitFunctions();
  llvm::SourceMgr &texts = source.compilation->sources();
  StringRef file = texts.getMemoryBuffer(texts.getMainFileID())->getBufferIdentifier();
  if (functions.size() == 1) {
    source.kernels.push_back(functions.front()->name.str());
    return true;
  }
  if (functions.empty() && source.compilation->diagnostics().errorCount())
    return false; // It may be among what could not be read.
  if (functions.empty())
    return error("'" + file + "' has no @triton.jit function");
  std::string list = llvm::join(
      llvm::map_range(functions, [](const ast::FunctionDef *f) { return f->name; }), ", ");
  return error("'" + file + "' has several @triton.jit functions (" + list +
               "); say which are kernels with --kernel= or --sig=KERNEL:...");
}

bool ObjectDriver::chooseKernels() {
  std::vector<std::string> names = line.kernels;
  if (names.empty())
    for (const Signature &signature : signatures)
      if (!signature.kernel.empty())
        names.push_back(signature.kernel);
  bool fine = true;
  if (names.empty())
    for (Source &source : sources)
      fine &= chooseOnly(source);
  else
    fine = chooseNamed(names);
  // Names that the command line gives must exist, or a misspelt one would be ignored in silence.
  auto isKnown = [&](StringRef name) {
    return name.empty() ||
           llvm::any_of(sources, [&](const Source &source) { return hasKernel(source, name); });
  };
  for (const Definition &definition : line.definitions)
    if (!isKnown(definition.kernel))
      fine = error("-D " + definition.kernel + "." + definition.name + " names no kernel");
  for (const Signature &signature : signatures)
    if (!isKnown(signature.kernel))
      fine = error("--sig=" + signature.kernel + ":... names no kernel");
  return fine && checkCommonSignatures();
}

/// Signatures without a kernel are those of kernels that have none of their own; there must be one.
bool ObjectDriver::checkCommonSignatures() {
  auto isOf = [](StringRef kernel) {
    return [=](const Signature &signature) { return signature.kernel == kernel; };
  };
  if (llvm::none_of(signatures, isOf("")))
    return true;
  for (const Source &source : sources)
    for (const std::string &kernel : source.kernels)
      if (llvm::none_of(signatures, isOf(kernel)))
        return true;
  return error(
      "no kernel takes the --sig without a kernel's name, since each has signatures of its "
      "own; write --sig=KERNEL:TYPES to add to these");
}

//===----------------------------------------------------------------------===//
// What of each
//===----------------------------------------------------------------------===//

/// Splits at commas outside of brackets and quotes.
static std::vector<StringRef> splitValues(StringRef text) {
  std::vector<StringRef> parts;
  size_t start = 0, depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      i += c == '\\';
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      depth -= depth > 0;
    } else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push_back(text.drop_front(std::min(start, text.size())));
  return parts;
}

/// The prefix `KERNEL:` of a grid or a condition; empty without one.
static StringRef kernelOfExpr(StringRef text) {
  StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return !name.empty() && text.drop_front(name.size()).starts_with(":") ? name : StringRef();
}

/// The grid given for the kernel, or else the last one given for all.
std::string ObjectDriver::gridOf(StringRef kernel) const {
  std::string result;
  bool isOwn = false;
  for (const std::string &text : line.object.grids) {
    StringRef owner = kernelOfExpr(text);
    if (owner == kernel && !kernel.empty()) {
      result = StringRef(text).drop_front(owner.size() + 1).str();
      isOwn = true;
    } else if (owner.empty() && !isOwn) {
      result = text;
    }
  }
  return result;
}

/// The conditions given for the kernel, and those given for all.
std::vector<std::string> ObjectDriver::requirementsOf(StringRef kernel) const {
  std::vector<std::string> result;
  for (const std::string &text : line.object.requirements) {
    StringRef owner = kernelOfExpr(text);
    if (owner.empty())
      result.push_back(text);
    else if (owner == kernel)
      result.push_back(StringRef(text).drop_front(owner.size() + 1).str());
  }
  return result;
}

/// An expression for a kernel, `KERNEL:EXPRESSION`, that none would obey is an error.
bool ObjectDriver::checkOwners(StringRef option, llvm::ArrayRef<std::string> expressions) {
  for (const std::string &text : expressions) {
    StringRef owner = kernelOfExpr(text);
    bool isKnown = owner.empty() || llvm::any_of(sources, [&](const Source &source) {
                     return llvm::is_contained(source.kernels, owner);
                   });
    if (!isKnown)
      return error(option + text + " is for kernel '" + owner + "', which is not compiled");
  }
  return true;
}

/// The last definition given wins, and one for this kernel wins over one for all.
bool ObjectDriver::addDefinitions(Compilation &source, StringRef name, KernelSpec &spec) {
  auto *function = source.tree()->findFunction(name);
  llvm::SmallVector<const Definition *> chosen;
  for (bool own : {false, true})
    for (const Definition &definition : line.definitions) {
      if (own ? definition.kernel != name : !definition.kernel.empty())
        continue;
      // With several kernels, a definition for all concerns those that have the parameter.
      bool has = llvm::any_of(
          function->params, [&](const ast::Param &param) { return param.name == definition.name; });
      if (!has && !own && sources.size() + sources.front().kernels.size() > 2)
        continue;
      llvm::erase_if(chosen, [&](const Definition *old) { return old->name == definition.name; });
      chosen.push_back(&definition);
    }
  for (const Definition *definition : chosen) {
    Definitions values{definition->name, {}};
    for (StringRef text : splitValues(definition->value)) {
      std::optional<ConstValue> value =
          parseConstValue(text, "-D " + definition->name, source.sources(), source.diagnostics());
      if (!value)
        return false;
      values.values.push_back(std::move(*value));
    }
    spec.definitions.push_back(std::move(values));
  }
  return true;
}

bool ObjectDriver::addKernel(Source &source, StringRef name, ArtifactBuilder &builder) {
  KernelSpec spec;
  spec.name = name.str();
  spec.grid = gridOf(name);
  spec.requirements = requirementsOf(name);
  auto addAll = [&](StringRef owner) {
    for (auto [signature, given] : llvm::zip_equal(signatures, line.signatures))
      if (signature.kernel == owner) {
        spec.signatures.push_back(signature);
        spec.cNames.push_back(given.cName);
      }
  };
  addAll(name);
  if (spec.signatures.empty())
    addAll("");
  return addDefinitions(*source.compilation, name, spec) &&
         builder.addKernel(*source.compilation, spec);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::vector<std::string> ObjectDriver::filesRead() const {
  std::vector<std::string> files = line.inputs, imported;
  for (const Source &source : sources)
    llvm::append_range(imported, source.compilation->imports().search().store->filesRead());
  llvm::sort(imported);
  llvm::append_range(files, imported);
  for (const std::string &file : {line.object.tuned, line.reportProfile})
    if (!file.empty())
      files.push_back(file);
  return files;
}

/// Compiles a variant once more, for the page. What there is to say of it was said the first time.
bool ObjectDriver::addToPage(const CompiledVariant &variant, ReportPage &pages) {
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  TargetOptions target(variant.gpu.value_or(GpuArch::oldest()));
  target.optLevel = line.optLevel;
  target.fpFusion = line.fpFusion;
  target.maxRegisters = variant.maxRegisters;
  target.ptxasPath = line.ptxas;
  target.disabledHeuristics = line.disabledHeuristics;
  ReportOptions options(target);
  options.profile = line.reportProfile;
  if (!variant.gpu) {
    options.cpu = variant.host.cpu;
    options.triple = variant.host.triple;
  }
  Compilation compilation(stream, line.diagnostics);
  bool fine = compilation.loadSame(*variant.source) && compilation.addKernel(variant.request) &&
              pages.add(compilation, options, {variant.function, variant.variant, variant.target});
  if (!fine)
    llvm::errs() << messages;
  return fine;
}

bool ObjectDriver::makePage(const ArtifactBuilder &builder) {
  if (line.object.report.empty())
    return true;
  ReportPage pages;
  for (const CompiledVariant &variant : builder.variants())
    if (!addToPage(variant, pages))
      return false;
  if (!line.reportProfile.empty() && !pages.hasMeasurements())
    return error("'" + line.reportProfile + "' has no launch of the object's kernels");
  page = pages.finish("tilec " TILEC_VERSION);
  return true;
}

bool ObjectDriver::addObject(const Artifact &artifact, OutputFiles &files) {
  StringRef ending = llvm::sys::path::extension(line.output);
  ObjectForm form = ending == ".a"    ? ObjectForm::Archive
                    : ending == ".ll" ? ObjectForm::LLVM
                                      : ObjectForm::Object;
  std::string member = llvm::sys::path::stem(line.output).str() + ".o";
  std::optional<std::string> object = emitObject(artifact, form, member, diagnostics());
  if (!object)
    return false;
  files.add(line.output, std::move(*object));
  return true;
}

bool ObjectDriver::write(const Artifact &artifact) {
  const ObjectOptions &options = line.object;
  OutputFiles files;
  if (!options.header.empty())
    files.add(options.header, writeHeader(artifact, llvm::sys::path::filename(options.header)));
  if (!line.depfile.empty())
    files.addDependencies(line.depfile, line.output.empty() ? options.report : line.output,
                          filesRead());
  if (!options.report.empty())
    files.add(options.report, std::move(page));
  if (!line.output.empty() && !addObject(artifact, files))
    return false;
  return files.write(diagnostics(), filesRead());
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

static void printTime(double milliseconds, StringRef what) {
  llvm::errs() << llvm::format("%9.3f ms  ", milliseconds) << what << "\n";
}

/// A line for each compilation, and one for each step of all of them. `passed` is the time by the
/// clock, of which compilations share the most.
void ObjectDriver::printTimes(llvm::ArrayRef<CompileReport> reports, double passed) const {
  llvm::MapVector<StringRef, double> steps;
  double total = 0;
  for (const CompileReport &report : reports) {
    double sum = 0;
    for (const auto &[step, milliseconds] : report.steps) {
      steps[step] += milliseconds;
      sum += milliseconds;
    }
    printTime(sum, report.name);
    total += sum;
  }
  for (const auto &[step, milliseconds] : steps)
    printTime(milliseconds, step);
  printTime(total, "total of all compilations");
  printTime(passed, "by the clock, the object included");
}

/// Compiles all kernels, and says what was asked for about them.
bool ObjectDriver::compile(ArtifactBuilder &builder) {
  for (Source &source : sources)
    for (const std::string &name : source.kernels)
      if (!addKernel(source, name, builder))
        return false;
  // Warnings may be errors.
  for (const Source &source : sources)
    if (source.compilation->diagnostics().hasErrors())
      return false;
  if (line.verbose && builder.ptxas())
    llvm::errs() << "ptxas: " << builder.ptxas()->path << " (from " << builder.ptxas()->origin
                 << ")\n";
  else if (line.verbose && !line.object.gpus.empty())
    llvm::errs() << "ptxas: none found; the object holds PTX, which the driver compiles\n";
  for (const CompileReport &report : builder.reports())
    if (!report.resources.empty())
      llvm::errs() << report.name << "\n" << report.resources;
  return true;
}

ArtifactOptions ObjectDriver::artifactOptions() const {
  ArtifactOptions options;
  options.gpus = line.object.gpus;
  options.host = line.object.host;
  options.cpuLevels = line.object.cpuLevels;
  options.spec = line.object.spec == "auto"   ? SpecPolicy::Auto
                 : line.object.spec == "none" ? SpecPolicy::None
                                              : SpecPolicy::Full;
  options.numWarps = line.numWarps;
  options.numCTAs = line.numCTAs;
  options.numStages = line.numStages;
  options.warpRoles = line.warpRoles;
  options.tensorMaps = line.tensorMaps;
  options.maxRegisters = line.maxRegisters;
  options.optLevel = line.optLevel;
  options.fpFusion = line.fpFusion;
  options.lineInfo = line.lineInfo;
  options.remarks = line.remarks;
  options.debug = line.debug;
  options.ptxasPath = line.ptxas;
  options.disabledHeuristics = line.disabledHeuristics;
  options.tunedPath = line.object.tuned;
  options.jobs = line.object.jobs;
  options.resourceUsage = line.resourceUsage;
  return options;
}

int ObjectDriver::run() {
  auto start = std::chrono::steady_clock::now();
  if (!loadAll() || !readSignatures() || !chooseKernels() ||
      !checkOwners("--grid=", line.object.grids) ||
      !checkOwners("--require=", line.object.requirements))
    return 1;
  Artifact artifact;
  artifact.nameSpace = line.object.nameSpace;
  artifact.version = TILEC_VERSION;
  artifact.host = line.object.host;
  ArtifactOptions options = artifactOptions();
  ArtifactBuilder builder(artifact, options, llvm::errs());
  bool fine = compile(builder) && makePage(builder) && write(artifact);
  std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  if (line.timeReport)
    printTimes(builder.reports(), passed.count());
  return fine ? 0 : 1;
}

int buildObject(const CommandLine &line) { return ObjectDriver(line).run(); }

int inspect(const CommandLine &line) {
  llvm::Expected<std::string> text = inspectObject(line.inspect);
  if (text) {
    llvm::outs() << *text;
    return 0;
  }
  llvm::errs() << "tilec: error: " << llvm::toString(text.takeError()) << "\n";
  return 1;
}
