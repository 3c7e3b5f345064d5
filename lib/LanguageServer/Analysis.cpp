//===- Analysis.cpp - What is known of one state of a file ------*- C++ -*-===//
//
// Does what `tilec -fsyntax-only` does with the options of the file and of the settings, and keeps
// the types of names.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "DiagnosticReader.h"
#include "Guard.h"
#include "Layouts.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Compiler/Pipelines.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Language/Observer.h"
#include "tilec/Language/OpenConfigs.h"
#include "tilec/Language/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::SMRange;
using llvm::StringRef;
using Clock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// Enough to see of a helper that many callers have.
constexpr size_t maxTypes = 6;
/// Places where a value of one name comes from: branches, calls of a helper.
constexpr size_t maxPlaces = 8;
/// Longer constants are cut off by editors anyhow.
constexpr size_t maxConstant = 200;

class Watcher : public ValueObserver {
public:
  Watcher(StringRef text, StringRef file, std::map<size_t, ValueFact> &facts, Clock::time_point end)
      : text(text), file(file), facts(facts), end(end) {}

  void observe(SMRange range, StringRef name, const ObservedValue &value) override;
  bool shouldStop() override {
    stopped = stopped || Clock::now() > end;
    return stopped;
  }
  bool wasStopped() const { return stopped; }

private:
  void addPlace(ValueFact::Type &type, const ObservedValue &value);

  StringRef text;
  std::string file;
  std::map<size_t, ValueFact> &facts;
  Clock::time_point end;
  bool stopped = false;
};

} // namespace

std::optional<ValuePlace> ls::placeIn(mlir::Location location, StringRef file) {
  std::optional<ValuePlace> place;
  location->walk([&](mlir::Location inner) {
    auto found = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!found)
      return mlir::WalkResult::advance();
    if (found.getFilename().getValue() == file)
      place = ValuePlace(found.getLine(), found.getColumn());
    return mlir::WalkResult::interrupt();
  });
  return place;
}

void Watcher::addPlace(ValueFact::Type &type, const ObservedValue &value) {
  std::optional<ValuePlace> place;
  if (value.place && type.places.size() < maxPlaces)
    place = placeIn(*value.place, file);
  if (place && !llvm::is_contained(type.places, *place))
    type.places.push_back(*place);
}

void Watcher::observe(SMRange range, StringRef name, const ObservedValue &value) {
  const char *begin = range.Start.getPointer();
  if (begin < text.begin() || begin >= text.end())
    return; // In an imported file.
  ValueFact &fact = facts[begin - text.begin()];
  if (fact.types.empty()) {
    fact.begin = begin - text.begin();
    fact.end = fact.begin + name.size();
    fact.name = name.str();
  }
  for (ValueFact::Type &known : fact.types)
    if (known.type == value.type) {
      if (known.constant != value.constant)
        known.constant.clear();
      addPlace(known, value);
      return;
    }
  if (fact.types.size() == maxTypes)
    return;
  std::string constant = value.constant.size() > maxConstant ? "" : value.constant;
  fact.types.push_back({value.type, std::move(constant), value.isBlock, {}});
  addPlace(fact.types.back(), value);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

namespace tilec::ls {

/// Fills an Analysis.
class Checker {
public:
  Checker(const AnalysisInput &input, Analysis &result);

  /// Parses the text.
  void parse();
  /// Checks the kernels whose types are known.
  void check();
  /// Has layouts of the kernels noted, when they are checked.
  void findLayouts(LayoutFacts &facts) { layouts = &facts; }

private:
  void checkKernels();
  void reportOptions();
  bool readSignatures();
  std::vector<std::string> kernelNames();
  bool readRequest(const std::string &name, KernelRequest &request);
  void addConfig(KernelRequest &request);
  bool checkKernel(mlir::MLIRContext &context, const std::string &name);
  const ast::FunctionDef *findJit(StringRef name) const;
  llvm::SmallVector<StringRef> functionNames() const;
  std::string bufferOf(const Word &word);
  void finish();

  const AnalysisInput &input;
  Analysis &result;
  CheckOptions options;
  std::string json;
  llvm::raw_string_ostream os{json};
  DiagnosticEngine engine;
  std::vector<const ast::FunctionDef *> functions;
  std::vector<Signature> signatures;
  std::vector<Word> optionBuffers; // By the number in a buffer's name.
  Watcher watcher;
  LayoutFacts *layouts = nullptr; // Null: nobody asks for them.
};

} // namespace tilec::ls

static DiagnosticOptions engineOptions() {
  DiagnosticOptions options;
  options.format = DiagnosticFormat::JSON;
  options.errorLimit = 100;
  return options;
}

static std::string folderOf(const lsp::URIForFile &uri) {
  return llvm::sys::path::parent_path(uri.file()).str();
}

Checker::Checker(const AnalysisInput &input, Analysis &result)
    : input(input), result(result), engine(result.sources, os, engineOptions()),
      watcher(result.fileText.str(), input.uri.file(), result.facts, Clock::now() + input.limit) {
  std::vector<Word> words = input.settings;
  llvm::append_range(words, optionsOf(result.fileText));
  options = readOptions(words, folderOf(input.uri));
}

void Checker::parse() {
  // The tree's places are in the text itself, which lives as long.
  unsigned id = result.sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(result.fileText.str(), input.uri.file()), llvm::SMLoc());
  ImportSearch search;
  search.mainFile = input.uri.file().str();
  search.folders = options.folders;
  result.fileImports = std::make_unique<Imports>(result.sources, std::move(search));
  result.tree = parseModule(result.sources, id, engine, result.trees);
  result.whole = result.tree && !engine.hasErrors();
  finish();
}

/// Errors of options, at the comments that they are written in.
void Checker::reportOptions() {
  for (const OptionError &error : options.errors) {
    lsp::Diagnostic message;
    message.severity = lsp::DiagnosticSeverity::Error;
    message.source = "tilec";
    message.message = error.message;
    if (auto extent = error.word.extent())
      message.range = result.fileText.rangeOf(extent->first, extent->second);
    else
      message.message = "in the settings: " + message.message;
    result.messages.push_back(std::move(message));
  }
}

/// Names a buffer for the text of an option, by which its diagnostics are told from others.
std::string Checker::bufferOf(const Word &word) {
  optionBuffers.push_back(word);
  return optionBufferName(optionBuffers.size() - 1);
}

bool Checker::readSignatures() {
  for (const Word &given : options.signatures) {
    std::optional<Signature> signature =
        parseSignature(given.text, bufferOf(given), result.sources, engine);
    if (!signature)
      return false;
    const std::string &kernel = signature->kernel;
    if (kernel.empty() || findJit(kernel))
      signatures.push_back(std::move(*signature));
    else
      options.errors.push_back({given, describeMissing(*result.tree, kernel, functionNames())});
  }
  return true;
}

llvm::SmallVector<StringRef> Checker::functionNames() const {
  llvm::SmallVector<StringRef> names;
  for (const ast::FunctionDef *function : functions)
    names.push_back(function->name);
  return names;
}

const ast::FunctionDef *Checker::findJit(StringRef name) const {
  for (const ast::FunctionDef *function : functions)
    if (function->name == name)
      return function;
  return nullptr;
}

/// As the command line chooses them: those that are named, or the only one.
std::vector<std::string> Checker::kernelNames() {
  std::vector<std::string> names = options.kernels;
  if (names.empty())
    for (const Signature &signature : signatures)
      if (!signature.kernel.empty() && !llvm::is_contained(names, signature.kernel))
        names.push_back(signature.kernel);
  if (names.empty() && functions.size() == 1)
    names.push_back(functions.front()->name.str());
  if (names.empty() && !signatures.empty() && !functions.empty() && !engine.hasErrors())
    engine.error(functions.front()->nameRange,
                 "the file has several @triton.jit functions; say which one a signature is of "
                 "with '--sig=KERNEL:...'");
  return names;
}

bool Checker::readRequest(const std::string &name, KernelRequest &request) {
  request.kernel = name;
  request.numWarps = options.numWarps;
  request.numCTAs = options.numCTAs;
  request.numStages = options.numStages;
  request.arch = options.arch;
  request.debug = options.debug;
  for (const Signature &signature : signatures)
    if (signature.kernel.empty() || signature.kernel == name)
      request.signature = signature;
  // The last value given wins, and one for this kernel wins over one for all.
  llvm::MapVector<StringRef, const DefinitionOption *> definitions;
  for (bool own : {false, true})
    for (const DefinitionOption &definition : options.definitions)
      if (own ? definition.kernel == name : definition.kernel.empty())
        definitions[definition.name] = &definition;
  for (auto &[parameter, definition] : definitions) {
    std::optional<ConstValue> value = parseConstValue(
        definition->value.text, bufferOf(definition->value), result.sources, engine);
    if (!value)
      return false;
    request.constexprs.push_back({definition->name, *value, SMRange()});
  }
  return true;
}

/// Of an autotuned kernel the first configuration.
void Checker::addConfig(KernelRequest &request) {
  const ast::FunctionDef *kernel = result.tree->findFunction(request.kernel);
  if (!kernel || kernel->decorators.size() < 2)
    return;
  std::vector<TuneConfig> configs =
      findOpenConfigs(*result.tree, result.sources, result.fileImports.get(), *kernel, request);
  if (!configs.empty())
    tilec::addConfig(configs.front(), request);
}

/// Runs the passes of tilec --emit=layout.
static bool assignLayouts(mlir::ModuleOp ir, const GpuArch &arch) {
  tile::setTarget(ir, arch, HeuristicSet());
  mlir::PassManager passes(ir.getContext());
  passes.enableVerifier(false);
  addTilePasses(passes);
  addLayoutPasses(passes, GPUPipelineOptions());
  return succeeded(passes.run(ir));
}

bool Checker::checkKernel(mlir::MLIRContext &context, const std::string &name) {
  KernelRequest request;
  if (!readRequest(name, request))
    return true;
  addConfig(request);
  const ast::FunctionDef *kernel = result.tree->findFunction(name);
  if (kernel && request.signature.items.empty() && !describesItself(*kernel, request))
    return true;
  KernelInfo info;
  mlir::OwningOpRef<mlir::ModuleOp> ir =
      specializeObserved(context, *result.tree, result.sources, request, engine, info,
                         result.fileImports.get(), watcher);
  if (ir && layouts && assignLayouts(*ir, options.arch))
    layouts->collect(*ir, input.uri.file());
  return !watcher.wasStopped();
}

/// The innermost place of a location that is a file's.
static FileLoc placeOf(mlir::Location location) {
  FileLoc place;
  location->walk([&](mlir::Location inner) {
    auto file = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    place = {file.getFilename().getValue(), file.getLine(), file.getColumn(), 0};
    return mlir::WalkResult::interrupt();
  });
  return place;
}

void Checker::check() {
  if (result.tree)
    checkKernels();
  finish();
  reportOptions();
}

void Checker::checkKernels() {
  functions = listJitFunctions(*result.tree, result.fileImports.get());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &message) {
    if (message.getSeverity() == mlir::DiagnosticSeverity::Error)
      engine.report(Severity::Error, placeOf(message.getLocation()), message.str());
    return mlir::success();
  });
  if (!readSignatures())
    return;
  for (const DefinitionOption &definition : options.definitions)
    if (!definition.kernel.empty() && !findJit(definition.kernel))
      options.errors.push_back(
          {definition.value, describeMissing(*result.tree, definition.kernel, functionNames())});
  for (const std::string &name : kernelNames()) {
    size_t before = (os.flush(), json.size());
    if (checkKernel(context, name))
      continue;
    // What was reported since is about statements that were left out.
    os.flush();
    json.resize(before);
    const ast::FunctionDef *kernel = findJit(name);
    engine.report(Severity::Warning, kernel ? kernel->nameRange : SMRange(),
                  "kernel '" + name + "' was not checked to its end: it takes more than " +
                      llvm::Twine(input.limit.count()) + " ms");
    break;
  }
}

/// Makes what the engine has written diagnostics of the protocol.
void Checker::finish() {
  os.flush();
  DiagnosticReader reader(result.fileText, input.uri, optionBuffers);
  reader.read(json, result.messages, result.edits);
  json.clear();
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

Analysis::Analysis(const AnalysisInput &input)
    : fileText(input.text), fileUri(input.uri),
      fileSyntax(std::make_unique<Syntax>(fileText.str())) {}

std::optional<size_t> Analysis::offsetOf(llvm::SMLoc place) const {
  StringRef contents = fileText.str();
  const char *at = place.getPointer();
  if (!at || at < contents.begin() || at > contents.end())
    return std::nullopt;
  return at - contents.begin();
}

const ValueFact *Analysis::valueAt(size_t offset) const {
  auto after = facts.upper_bound(offset);
  if (after == facts.begin())
    return nullptr;
  const ValueFact &fact = std::prev(after)->second;
  return offset <= fact.end ? &fact : nullptr;
}

std::shared_ptr<const Analysis> Analysis::make(const AnalysisInput &input) {
  // What a crash leaves behind is neither used nor freed.
  Analysis *whole = nullptr;
  if (runGuarded([&] {
        whole = new Analysis(input);
        Checker checker(input, *whole);
        checker.parse();
        checker.check();
      }))
    return std::shared_ptr<const Analysis>(whole);
  lsp::Diagnostic crash;
  crash.severity = lsp::DiagnosticSeverity::Error;
  crash.source = "tilec";
  crash.message = "internal error while this file was checked; please report it with the file";
  Analysis *part = nullptr;
  if (!runGuarded([&] {
        part = new Analysis(input);
        Checker(input, *part).parse();
      })) {
    AnalysisInput empty = input;
    empty.text = Text();
    part = new Analysis(empty);
    Checker(empty, *part).parse();
  }
  part->messages.push_back(std::move(crash));
  return std::shared_ptr<const Analysis>(part);
}

void ls::findLayouts(const AnalysisInput &input, LayoutFacts &facts) {
  Analysis whole(input);
  Checker checker(input, whole);
  checker.findLayouts(facts);
  checker.parse();
  checker.check();
}
