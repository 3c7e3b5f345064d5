//===- Report.cpp - a page that shows what became of a kernel ---*- C++ -*-===//
//
// Takes kernels from stage to stage, and notes each form and what can be said of it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Report.h"

#include "Facts.h"
#include "Measurements.h"
#include "ReportedCode.h"
#include "Resources.h"
#include "tilec/Target/Disassembly.h"
#include "tilec/Target/Host.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

namespace {

class ReportBuilder {
public:
  ReportBuilder(Compilation &compilation, const ReportOptions &options, bool isOneOfMany)
      : compilation(compilation), options(options), isOneOfMany(isOneOfMany),
        target(options.target), places(compilation.sources()) {
    target.lineInfo = true;
    target.remarks = true;
  }

  bool build();
  /// What build() has found.
  ReportedCode take();

private:
  bool addMeasurements();
  bool buildForGPU();
  bool buildForCPU();
  bool buildSASS();
  mlir::LogicalResult collect(mlir::Diagnostic &diagnostic);
  OperationRows addMLIR(StringRef id, StringRef title) {
    OperationRows rows;
    panes.push_back(makeMLIRPane(id, title, compilation.getModule(), places, rows));
    return rows;
  }
  bool addLLVM(StringRef text);
  void addNote(StringRef id, StringRef title, std::string note) {
    Pane pane(id, title);
    pane.note = std::move(note);
    panes.push_back(std::move(pane));
  }
  void collectFacts(const OperationRows &rows);
  bool error(const llvm::Twine &text) {
    compilation.diagnostics().error(llvm::SMRange(), text);
    return false;
  }

  Compilation &compilation;
  const ReportOptions &options;
  bool isOneOfMany;
  TargetOptions target;
  PlaceTable places;
  std::vector<Pane> panes;
  std::vector<ResourceUsage> usages;
  json::Array remarks;
  json::Object facts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static StringRef severityName(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  case mlir::DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("all severities are covered");
}

/// Notes what passes say. Remarks are for the page, unless somebody wants to see them as well.
mlir::LogicalResult ReportBuilder::collect(mlir::Diagnostic &diagnostic) {
  json::Array notes;
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    notes.push_back(json::Object{{"chain", places.chainOf(note.getLocation())},
                                 {"text", json::fixUTF8(note.str())}});
  remarks.push_back(json::Object{{"severity", severityName(diagnostic.getSeverity())},
                                 {"chain", places.chainOf(diagnostic.getLocation())},
                                 {"text", json::fixUTF8(diagnostic.str())},
                                 {"notes", std::move(notes)}});
  bool isForPage =
      diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark && !options.target.remarks;
  return mlir::success(isForPage);
}

bool ReportBuilder::addLLVM(StringRef text) {
  llvm::Expected<Pane> pane = makeLLVMPane(text, places);
  if (!pane)
    return error(llvm::toString(pane.takeError()));
  // Of several kernels for a processor each has a module.
  if (!panes.empty() && panes.back().id == "llvm")
    panes.back().append(*pane);
  else
    panes.push_back(std::move(*pane));
  return true;
}

void ReportBuilder::collectFacts(const OperationRows &rows) {
  FactContext context(compilation.getModule(), places, rows);
  facts["accesses"] = collectAccesses(context);
  facts["exchanges"] = collectExchanges(context);
  facts["timeline"] = collectTimeline(context);
  collectLayouts(context);
  facts["layouts"] = context.layouts.toJSON();
}

/// Machine code, or why there is none. Only a tool that was asked for must be there.
bool ReportBuilder::buildSASS() {
  if (!target.ptxasPath.empty())
    if (llvm::Expected<Tool> tool = findTool("ptxas", target.ptxasPath); !tool)
      return error(llvm::toString(tool.takeError()));
  AssembleOptions assembler(target.arch);
  assembler.ptxasPath = target.ptxasPath;
  assembler.optLevel = target.optLevel;
  assembler.lineInfo = true;
  llvm::Expected<Cubin> cubin = tilec::assemble(compilation.ptx(), assembler);
  if (!cubin) {
    addNote("sass", "SASS", "SASS is missing: " + llvm::toString(cubin.takeError()));
    return true;
  }
  if (options.verbose)
    llvm::errs() << "ptxas: " << cubin->ptxas.path << " (from " << cubin->ptxas.origin << ")\n";
  usages = cubin->kernels;
  llvm::Expected<std::string> text = disassembleWithLines(cubin->image);
  if (!text) {
    addNote("sass", "SASS", "SASS is missing: " + llvm::toString(text.takeError()));
    return true;
  }
  Pane pane = makeSASSPane(*text, places);
  if (!cubin->warnings.empty())
    pane.note += (pane.note.empty() ? "" : "\n") + StringRef(cubin->warnings).trim().str();
  panes.push_back(std::move(pane));
  return true;
}

bool ReportBuilder::buildForGPU() {
  if (!compilation.simplify())
    return false;
  addMLIR("tile", "Tile IR");
  if (!compilation.lower(Stage::Layout, target))
    return false;
  collectFacts(addMLIR("layout", "Tile IR with layouts"));
  if (!compilation.lower(Stage::GPU, target))
    return false;
  addMLIR("gpu", "Work of one thread");
  if (!compilation.lower(Stage::NVVM, target))
    return false;
  addMLIR("nvvm", "NVVM");
  if (!compilation.lower(Stage::LLVM, target) || !addLLVM(compilation.llvmIR()))
    return false;
  panes.push_back(makeAssemblyPane("ptx", "PTX", compilation.ptx(), places));
  if (!buildSASS())
    return false;
  json::Array kernels;
  for (const KernelRecord &record : compilation.records()) {
    auto usage = llvm::find_if(
        usages, [&](const ResourceUsage &known) { return known.kernel == record.kernel.symbol; });
    kernels.push_back(
        describeKernel(record, usage == usages.end() ? nullptr : &*usage, target.arch));
  }
  facts["kernels"] = std::move(kernels);
  return !compilation.diagnostics().hasErrors();
}

bool ReportBuilder::buildForCPU() {
  mlir::DialectRegistry registry;
  registerHostTarget(registry);
  compilation.context().appendDialectRegistry(registry);
  if (!compilation.simplify())
    return false;
  addMLIR("tile", "Tile IR");
  HostOptions host;
  host.cpu = *options.cpu;
  host.triple = options.triple;
  host.lineInfo = true;
  Pane assembly("assembly", "Assembly");
  json::Array kernels;
  for (const KernelRecord &record : compilation.records()) {
    kernels.push_back(describeKernel(record));
    StringRef name = record.kernel.symbol;
    llvm::Expected<std::string> text = HostKernel::emitLLVM(compilation.getModule(), name, host);
    if (!text)
      return error(llvm::toString(text.takeError()));
    if (!addLLVM(*text))
      return false;
    llvm::Expected<std::string> code =
        HostKernel::emitAssembly(compilation.getModule(), name, host);
    if (!code)
      return error(llvm::toString(code.takeError()));
    assembly.append(makeAssemblyPane("", "", *code, places));
  }
  panes.push_back(std::move(assembly));
  facts["kernels"] = std::move(kernels);
  return !compilation.diagnostics().hasErrors();
}

bool ReportBuilder::addMeasurements() {
  if (options.profile.empty())
    return true;
  llvm::Expected<json::Object> measured =
      readMeasurements(options.profile, compilation.records(), !options.cpu, isOneOfMany);
  if (!measured)
    return error(llvm::toString(measured.takeError()));
  if (!measured->empty())
    facts["measured"] = std::move(*measured);
  return true;
}

bool ReportBuilder::build() {
  // Before the work of compiling.
  if (!addMeasurements())
    return false;
  // The main file is the first one, also where no operation has kept its place.
  llvm::SourceMgr &sources = compilation.sources();
  places.addFile(sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier());
  mlir::DiagnosticEngine &engine = compilation.context().getDiagEngine();
  auto handler =
      engine.registerHandler([this](mlir::Diagnostic &diagnostic) { return collect(diagnostic); });
  llvm::scope_exit unregister([&] { engine.eraseHandler(handler); });
  return options.cpu ? buildForCPU() : buildForGPU();
}

//===----------------------------------------------------------------------===//
// What is made of it
//===----------------------------------------------------------------------===//

/// How many instructions of machine code a pane has; 0 for another pane.
static size_t countInstructions(const Pane &pane) {
  if (pane.id != "sass" && pane.id != "assembly")
    return 0;
  size_t count = 0;
  for (StringRef line : llvm::split(pane.text, '\n'))
    count += pane.id == "sass"
                 ? !line.empty() && llvm::isHexDigit(line.front()) && !line.ends_with(":")
                 : line.starts_with("\t") && !line.starts_with("\t.");
  return count;
}

ReportedCode ReportBuilder::take() {
  ReportedCode code;
  code.facts = std::move(facts);
  code.facts["target"] = options.cpu ? *options.cpu : target.arch.name();
  code.facts["isGPU"] = !options.cpu;
  code.facts["remarks"] = std::move(remarks);
  code.facts["chains"] = places.chainsToJSON();
  code.files = places.filesToJSON();
  for (const Pane &pane : panes)
    if (size_t count = countInstructions(pane))
      code.facts["instructions"] = count;
  code.panes = std::move(panes);
  for (const KernelRecord &record : compilation.records())
    code.kernels += (code.kernels.empty() ? "" : ", ") + record.kernel.symbol;
  return code;
}

std::optional<std::string> tilec::makeReport(Compilation &compilation,
                                             const ReportOptions &options) {
  ReportBuilder builder(compilation, options, /*isOneOfMany=*/false);
  if (!builder.build())
    return std::nullopt;
  ReportedCode code = builder.take();
  return fillReport(code, options.producer);
}

ReportPage::ReportPage() = default;
ReportPage::~ReportPage() = default;

bool ReportPage::hasMeasurements() const {
  return llvm::any_of(codes, [](const ReportedCode &code) { return code.facts.get("measured"); });
}

/// Strings in facts may be those of the compilation, which ends before the page is made.
static json::Object withOwnStrings(json::Object facts) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(facts));
  return std::move(*llvm::cantFail(json::parse(text)).getAsObject());
}

bool ReportPage::add(Compilation &compilation, const ReportOptions &options, ReportLabel label) {
  ReportBuilder builder(compilation, options, /*isOneOfMany=*/true);
  if (!builder.build())
    return false;
  codes.push_back(builder.take());
  ReportedCode &code = codes.back();
  code.facts = withOwnStrings(std::move(code.facts));
  code.facts["target"] = json::fixUTF8(label.target);
  code.label = std::move(label);
  return true;
}

std::string ReportPage::finish(StringRef producer) { return fillReport(codes, producer); }
