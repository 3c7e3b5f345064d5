//===- Compiler.cpp - from a kernel file to PTX ----------------*- C++ -*-===//
//
// Drives front end, passes and back end, and turns what MLIR reports into our own diagnostics. The
// passes of each stage are in GPUPipeline.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilec/Compiler/Pipelines.h"
#include "tilec/Dialect/Tile/Analysis/CoverLimit.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Target/PTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilec;
using namespace mlir;

/// Measures one step from construction to destruction.
class Compilation::Step {
public:
  Step(Compilation &owner, std::string name)
      : owner(owner), name(std::move(name)), start(std::chrono::steady_clock::now()) {}
  ~Step() {
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    owner.stepTimes.push_back({std::move(name), time.count()});
  }

private:
  Compilation &owner;
  std::string name;
  std::chrono::steady_clock::time_point start;
};

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The source places of a location, innermost first: the operation's, then those of the calls that
/// led to it.
static void collectPlaces(Location loc, SmallVectorImpl<FileLoc> &places) {
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collectPlaces(name.getChildLoc(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (!fused.getLocations().empty())
      collectPlaces(fused.getLocations().front(), places);
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    places.push_back({file.getFilename().getValue(), file.getLine(), file.getColumn(), 0});
  }
}

static FileLoc firstPlace(Location loc) {
  SmallVector<FileLoc> places;
  collectPlaces(loc, places);
  return places.empty() ? FileLoc() : places.front();
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  llvm_unreachable("all severities are covered");
}

LogicalResult Compilation::report(Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  // What a conversion adds to the error of the pattern that says why.
  if (engine.hasErrors() && StringRef(message).starts_with("failed to legalize operation"))
    return success();
  SmallVector<FileLoc> places;
  collectPlaces(diagnostic.getLocation(), places);
  FileLoc place = places.empty() ? FileLoc() : places.front();
  DiagnosticBuilder builder = engine.report(severityOf(diagnostic.getSeverity()), place, message);
  for (const FileLoc &caller : llvm::drop_begin(places, places.empty() ? 0 : 1))
    builder.note(caller, "in a call from here");
  for (Diagnostic &note : diagnostic.getNotes())
    builder.note(firstPlace(note.getLocation()), note.str());
  return success();
}

//===----------------------------------------------------------------------===//
// Front end
//===----------------------------------------------------------------------===//

Compilation::Compilation(llvm::raw_ostream &os, const DiagnosticOptions &options,
                         std::vector<std::string> importFolders)
    : engine(sourceMgr, os, options) {
  ImportSearch search;
  search.folders = std::move(importFolders);
  fileImports = std::make_unique<Imports>(sourceMgr, std::move(search));
  DialectRegistry registry;
  registerGPUDialects(registry);
  // A kernel is too small for threads to pay.
  mlirContext = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Who writes kernels reads the kernel's lines, not the IR.
  mlirContext->printOpOnDiagnostic(false);
  mlirContext->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return report(diagnostic); });
}

Compilation::~Compilation() = default;

bool Compilation::load(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (std::error_code error = buffer.getError()) {
    engine.error(llvm::SMRange(), "cannot read '" + path + "': " + error.message());
    return false;
  }
  if (path != "-") {
    ImportSearch search = fileImports->search();
    search.mainFile = path.str();
    fileImports = std::make_unique<Imports>(sourceMgr, std::move(search));
  }
  return parseBuffer(std::move(*buffer));
}

bool Compilation::loadText(llvm::StringRef text, llvm::StringRef name) {
  return parseBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name));
}

bool Compilation::loadText(llvm::StringRef text, llvm::StringRef name, ImportSearch search) {
  fileImports = std::make_unique<Imports>(sourceMgr, std::move(search));
  return loadText(text, name);
}

bool Compilation::loadSame(const Compilation &other) {
  llvm::MemoryBufferRef text =
      other.sourceMgr.getMemoryBuffer(other.sourceMgr.getMainFileID())->getMemBufferRef();
  return loadText(text.getBuffer(), text.getBufferIdentifier(), other.fileImports->search());
}

bool Compilation::parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  Step step(*this, "parse");
  unsigned id = sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module = parseModule(sourceMgr, id, engine, treeContext);
  return module != nullptr;
}

/// Notes which sizes the kernel covers only up to a limit. `module` is tile IR of the front end.
static void findLimits(ModuleOp module, KernelInfo &info) {
  // It may be the place of the first tile, which nothing of is left in the IR.
  bool mayBegin = llvm::any_of(
      info.constexprs, [](const KernelInfo::Constexpr &constant) { return constant.value == "0"; });
  auto function = module.lookupSymbol<func::FuncOp>(info.symbol);
  for (auto [param, argument] : llvm::zip_equal(info.params, function.getArguments())) {
    if (!mayBegin)
      param.atMost = tilec::tile::findCoverLimit(argument);
    param.comparedRange = tilec::tile::findComparedRange(argument);
  }
}

bool Compilation::addKernel(const KernelRequest &request) {
  Step step(*this, "specialize " + request.kernel);
  KernelRecord record;
  OwningOpRef<ModuleOp> kernel = specialize(*mlirContext, *module, sourceMgr, request, engine,
                                            record.kernel, fileImports.get());
  if (!kernel)
    return false;
  findLimits(*kernel, record.kernel);
  kernelRecords.push_back(std::move(record));
  if (!ir) {
    ir = std::move(kernel);
    return true;
  }
  for (Operation &op : llvm::make_early_inc_range(*kernel->getBody()))
    op.moveBefore(ir->getBody(), ir->getBody()->end());
  return true;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static llvm::StringRef stepName(Stage stage) {
  static constexpr const char *names[] = {"tile passes", "layout passes", "distribution passes",
                                          "NVVM passes"};
  return names[unsigned(stage)];
}

bool Compilation::simplify() {
  if (reached)
    return true;
  PassManager passes(mlirContext.get());
  addTilePasses(passes);
  if (!runPasses(passes, Stage::Tile))
    return false;
  reached = Stage::Tile;
  return true;
}

bool Compilation::lower(Stage stage, const TargetOptions &options) {
  if (!reached || *reached == Stage::Tile)
    tilec::tile::setTarget(*ir, options.arch, options.disabledHeuristics);
  if (!simplify())
    return false;
  for (Stage next : {Stage::Layout, Stage::GPU, Stage::NVVM}) {
    if (next > stage)
      return true;
    if (*reached >= next)
      continue;
    if (!lowerOnce(next, options))
      return false;
    reached = next;
  }
  if (stage <= Stage::NVVM || *reached >= stage)
    return true;
  if (!emitPTX(stage, options))
    return false;
  reached = Stage::PTX;
  return true;
}

bool Compilation::runPasses(PassManager &passes, Stage stage) {
  Step step(*this, stepName(stage).str());
#ifdef NDEBUG
  // A verification after each pass takes a tenth of a compilation. The work of one thread is large,
  // and verified as LLVM IR.
  passes.enableVerifier(false);
#endif
  bool isVerified = stage == Stage::Tile || stage == Stage::Layout;
  if (succeeded(passes.run(*ir)) && (!isVerified || succeeded(verify(*ir))))
    return true;
  // A pass that fails must have said why; if none did, say at least which stage it was.
  if (!engine.hasErrors())
    engine.error(llvm::SMRange(),
                 "internal error in the " + stepName(stage) + "; please report this kernel");
  return false;
}

/// The slots of the loop that has most of them; 0 without such loops.
static int64_t mostSlotsIn(ModuleOp module) {
  int64_t most = 0;
  module.walk([&](tile::AllocBufferOp buffer) {
    most = std::max<int64_t>(most, buffer.getType().getSlots());
  });
  return most;
}

const KernelRecord *Compilation::findTooMuchShared(const TargetOptions &options) const {
  for (const KernelRecord &record : kernelRecords)
    if (record.dynamicSharedBytes > options.arch.maxSharedPerBlock())
      return &record;
  return nullptr;
}

/// Says of all kernels that they have no warps that only copy.
static void forbidRoles(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    function->setAttr(tile::kWarpRolesAttr, Builder(module.getContext()).getStringAttr("never"));
}

static bool hasRoles(ModuleOp module) {
  return module.walk([](tile::WarpRolesOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Only the end of these passes shows what a kernel takes of shared memory. Where loops whose loads
/// go ahead take too much, they have fewer slots, one by one.
bool Compilation::lowerToLayouts(const TargetOptions &options) {
  GPUPipelineOptions pipeline;
  pipeline.remarks = options.remarks;
  // With roles the registers of a thread follow from these.
  if (options.maxRegisters != 0)
    forbidRoles(*ir);
  OwningOpRef<ModuleOp> before = ir->clone();
  while (true) {
    PassManager passes(mlirContext.get());
    addLayoutPasses(passes, pipeline);
    if (!runPasses(passes, Stage::Layout))
      return false;
    recordLaunch(options);
    const KernelRecord *record = findTooMuchShared(options);
    if (!record)
      return true;
    int64_t slots = mostSlotsIn(*ir);
    std::string needs = (llvm::Twine(record->dynamicSharedBytes) + " bytes of shared memory, but " +
                         options.arch.name() + " has " +
                         llvm::Twine(options.arch.maxSharedPerBlock()) + " for a block")
                            .str();
    // Warps that copy need two slots, and they keep them from the start.
    if (slots == 2 && hasRoles(*ir)) {
      forbidRoles(*before);
      pipeline.mostSlots = 0;
      ir = before->clone();
      continue;
    }
    // Slots that other passes have made do not become fewer.
    bool canShrink = slots > 1 && (pipeline.mostSlots == 0 || slots <= pipeline.mostSlots);
    if (!canShrink) {
      engine.error(llvm::SMRange(), "kernel '" + record->kernel.symbol + "' needs " + needs);
      return false;
    }
    // As passes do it, so that whoever collects their remarks has this one.
    if (options.remarks)
      ir->lookupSymbol(record->kernel.symbol)->emitRemark()
          << "kernel '" << record->kernel.symbol << "' loads fewer iterations ahead: with " << slots
          << " slots it would need " << needs;
    pipeline.mostSlots = slots - 1;
    pipeline.remarks = false; // They have been made.
    ir = before->clone();
  }
}

bool Compilation::lowerOnce(Stage stage, const TargetOptions &options) {
  if (stage == Stage::Layout)
    return lowerToLayouts(options);
  PassManager passes(mlirContext.get());
  if (stage == Stage::GPU) {
    addDistributionPasses(passes);
  } else {
    GPUPipelineOptions pipeline;
    pipeline.lineInfo = options.lineInfo;
    addNVVMPasses(passes, pipeline);
  }
  return runPasses(passes, stage);
}

void Compilation::recordLaunch(const TargetOptions &options) {
  for (KernelRecord &record : kernelRecords) {
    auto function = ir->lookupSymbol<func::FuncOp>(record.kernel.symbol);
    tilec::tile::LaunchShape launch = tilec::tile::getLaunchShape(function);
    record.threads = kWarpSize * launch.numWarps;
    record.numCTAs = launch.numCTAs;
    record.packing = {};
    if (std::optional<tile::Packing> packing = tile::getPacking(function))
      record.packing = {uint16_t(packing->threads), uint8_t(packing->programs),
                        uint8_t(packing->least)};
    else
      record.packing.programs = uint8_t(tile::getPersistentCTAs(function));
    record.maps = tensorMapsOf(function);
    record.maxRegisters = options.maxRegisters;
    int64_t bytes = function->getAttrOfType<IntegerAttr>(tilec::tile::kSharedBytesAttr).getInt();
    bool isStatic = bytes <= kStaticSharedLimit;
    record.staticSharedBytes = isStatic ? bytes : 0;
    record.dynamicSharedBytes = isStatic ? 0 : bytes;
  }
}

bool Compilation::emitPTX(Stage stage, const TargetOptions &options) {
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated;
  {
    Step step(*this, "translate to LLVM IR");
    translated = translateModuleToLLVMIR(*ir, llvmContext);
  }
  if (!translated) {
    if (!engine.hasErrors())
      engine.error(llvm::SMRange(), "internal error in the translation to LLVM IR");
    return false;
  }
  PTXOptions ptx(options.arch);
  ptx.disabledHeuristics = options.disabledHeuristics;
  ptx.optLevel = options.optLevel;
  ptx.fpFusion = options.fpFusion;
  ptx.lineInfo = options.lineInfo;
  ptx.maxRegisters = options.maxRegisters;
  PTXTimes times;
  ptx.times = &times;
  if (stage == Stage::LLVM)
    ptx.onOptimized = [this](const llvm::Module &optimized) {
      llvm::raw_string_ostream(llvmText) << optimized;
    };
  llvm::Expected<std::string> text = tilec::emitPTX(*translated, ptx);
  if (!text) {
    engine.error(llvm::SMRange(), llvm::toString(text.takeError()));
    return false;
  }
  stepTimes.push_back({"optimize LLVM IR", times.optimize});
  stepTimes.push_back({"generate PTX", times.codegen});
  ptxText = std::move(*text);
  return true;
}

std::string Compilation::printModule(bool withLocations) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/true);
  getModule().print(os, flags);
  return text;
}

std::optional<Cubin> Compilation::assemble(const TargetOptions &options) {
  Step step(*this, "ptxas");
  AssembleOptions assembler(options.arch);
  assembler.ptxasPath = options.ptxasPath;
  assembler.optLevel = options.optLevel;
  assembler.lineInfo = options.lineInfo;
  llvm::Expected<Cubin> cubin = tilec::assemble(ptxText, assembler);
  if (!cubin) {
    engine.error(llvm::SMRange(), llvm::toString(cubin.takeError()));
    return std::nullopt;
  }
  if (!recordResources(*cubin))
    return std::nullopt;
  return std::move(*cubin);
}

/// Whether the PTX limits the registers of a kernel (`.maxnreg`).
static bool limitsRegisters(StringRef ptx, StringRef kernel) {
  StringRef entry = ptx.substr(ptx.find((".entry " + kernel + "(").str()));
  return entry.take_until([](char c) { return c == '{'; }).contains(".maxnreg");
}

bool Compilation::recordResources(const Cubin &cubin) {
  // What a limit that we have chosen may cost, since another block is worth more.
  constexpr unsigned fewBytes = 256;
  for (KernelRecord &record : kernelRecords) {
    auto usage = llvm::find_if(cubin.kernels, [&](const ResourceUsage &usage) {
      return usage.kernel == record.kernel.symbol;
    });
    if (usage == cubin.kernels.end()) {
      engine.error(llvm::SMRange(), "'" + cubin.ptxas.path + " -v' reports nothing about kernel '" +
                                        record.kernel.symbol + "'");
      return false;
    }
    record.resources = *usage;
    bool isChosen = record.maxRegisters == 0 && limitsRegisters(ptxText, record.kernel.symbol);
    unsigned accepted = isChosen ? fewBytes : 0;
    if (usage->spillStoreBytes > accepted || usage->spillLoadBytes > accepted)
      warnOfSpills(record);
  }
  return true;
}

void Compilation::warnOfSpills(const KernelRecord &record) {
  const ResourceUsage &usage = *record.resources;
  FileLoc place;
  if (Operation *kernel = SymbolTable::lookupSymbolIn(*ir, record.kernel.symbol))
    place = firstPlace(kernel->getLoc());
  std::string text =
      llvm::formatv("kernel '{0}' does not fit in {1} registers a thread{2}: it spills {3} bytes "
                    "to local memory and loads {4}",
                    record.kernel.symbol, usage.registers,
                    record.maxRegisters ? " (--maxnreg=" + std::to_string(record.maxRegisters) + ")"
                                        : std::string(),
                    usage.spillStoreBytes, usage.spillLoadBytes);
  engine.report(Severity::Warning, place, text);
}
