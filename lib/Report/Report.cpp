//===- Report.cpp - a page that shows what became of a kernel ---*- C++ -*-===//
//
// Takes kernels from stage to stage, and notes each form and what can be said of it. The page is
// made of templates in Page/, which the build embeds, and of the data as JSON.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Report.h"

#include "Facts.h"
#include "Measurements.h"
#include "PageFiles.h"
#include "Panes.h"
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
  ReportBuilder(Compilation &compilation, const ReportOptions &options)
      : compilation(compilation), options(options), target(options.target),
        places(compilation.sources()) {
    target.lineInfo = true;
    target.remarks = true;
  }

  bool build();
  bool addMeasurements();
  std::string page();

private:
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
  void leaveOut(StringRef id);
  json::Object data() const;
  std::string fill() const;

  Compilation &compilation;
  const ReportOptions &options;
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
      readMeasurements(options.profile, compilation.records(), !options.cpu);
  if (!measured)
    return error(llvm::toString(measured.takeError()));
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
// The page
//===----------------------------------------------------------------------===//

json::Object ReportBuilder::data() const {
  json::Object result(facts);
  result["producer"] = options.producer;
  result["target"] = options.cpu ? *options.cpu : target.arch.name();
  result["isGPU"] = !options.cpu;
  result["remarks"] = json::Array(remarks);
  json::Array list;
  for (const Pane &pane : panes)
    list.push_back(toJSON(pane));
  result["panes"] = std::move(list);
  result["files"] = places.filesToJSON();
  result["chains"] = places.chainsToJSON();
  return result;
}

/// JSON for a script element: only strings have a '<', which could end the element.
static std::string escapeForScript(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

void ReportBuilder::leaveOut(StringRef id) {
  for (Pane &pane : panes)
    if (pane.id == id) {
      pane = Pane(pane.id, pane.title);
      pane.note =
          "Left out, since the page would be too large; tilec --emit=" + id.str() + " prints it.";
    }
}

/// What a browser opens at once. Beyond it, forms that others contain almost whole are left out.
static constexpr size_t kMostBytes = 5000000;

std::string ReportBuilder::page() {
  std::string result = fill();
  for (StringRef id : {"nvvm", "gpu", "llvm"}) {
    if (result.size() <= kMostBytes)
      break;
    leaveOut(id);
    result = fill();
  }
  return result;
}

std::string ReportBuilder::fill() const {
  std::string names;
  for (const KernelRecord &record : compilation.records())
    names += (names.empty() ? "" : ", ") + record.kernel.symbol;
  std::string title, json;
  llvm::raw_string_ostream titleStream(title);
  llvm::printHTMLEscaped(json::fixUTF8(names), titleStream);
  llvm::raw_string_ostream(json) << json::Value(data());
  return fillPage({{"TITLE", title}, {"DATA", escapeForScript(json)}});
}

std::optional<std::string> tilec::makeReport(Compilation &compilation,
                                             const ReportOptions &options) {
  ReportBuilder builder(compilation, options);
  if (!builder.build())
    return std::nullopt;
  return builder.page();
}
