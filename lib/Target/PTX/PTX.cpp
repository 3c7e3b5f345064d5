//===- PTX.cpp - From an LLVM module to PTX text ----------------*- C++ -*-===//
//
// Drives LLVM's NVPTX back end: prepares the module (target, line tables, launch bounds), runs the
// pipeline of Optimize.cpp, and prints PTX. What the back end reports through the context's
// diagnostic handler comes back as an error value; what it would abort on is found before, in
// Requirements.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/PTX.h"

#include "PTXInternals.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

#include <chrono>
#include <mutex>
#include <utility>

// Declared here because LLVM has no header for a single target's entry points.
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

using namespace llvm;
using namespace tilec;

namespace {

/// Collects errors instead of printing them and ending the process, LLVM's default.
class ErrorCollector : public DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    if (!errors.empty())
      errors += '\n';
    raw_string_ostream stream(errors);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &errors;
};

/// Leaves out passes of the code generator that find nothing to do in tilec's code, or only what
/// another one finds as well. That saves a third of the time from source to PTX.
class CodeGenPasses : public legacy::PassManager {
public:
  CodeGenPasses(const Module &module, unsigned level) {
    // Accesses are as wide as layouts allow already.
    omit(createLoadStoreVectorizerPass());
    // It looks at each pair of sums, and finds something in one of a hundred kernels.
    omit(createNaryReassociatePass());
    // ShareSums.cpp does this with less.
    omit(createStraightLineStrengthReducePass());
    // It numbers a block's instructions again for each address, and gains little in large blocks.
    constexpr unsigned mostToPrepare = 10000;
    if (module.getInstructionCount() > mostToPrepare)
      omit(createCodeGenPrepareLegacyPass());
    if (level > 2) // Below, no other pass looks for common subexpressions.
      omit(createEarlyCSEPass());
  }

  void add(Pass *pass) override {
    AnalysisID id = pass->getPassID();
    if (id != gvn && !is_contained(omitted, id)) {
      legacy::PassManager::add(pass);
      return;
    }
    delete pass;
    // GVN comes twice: before loop strength reduction, and after it. There EarlyCSE finds as much.
    if (id == gvn && std::exchange(seenGVN, true))
      legacy::PassManager::add(createEarlyCSEPass());
  }

private:
  static AnalysisID identify(Pass *pass) { return std::unique_ptr<Pass>(pass)->getPassID(); }
  void omit(Pass *pass) { omitted.push_back(identify(pass)); }

  SmallVector<AnalysisID, 4> omitted;
  AnalysisID gvn = identify(createGVNPass());
  bool seenGVN = false;
};

class Stopwatch {
public:
  explicit Stopwatch(double *milliseconds)
      : milliseconds(milliseconds), start(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    if (milliseconds)
      *milliseconds =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
              .count();
  }

private:
  double *milliseconds;
  std::chrono::steady_clock::time_point start;
};

} // namespace

/// Registers the back end. LLVM 22's code generator also looks passes up by name, hence the
/// registry.
static void initializeBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    PassRegistry &registry = *PassRegistry::getPassRegistry();
    initializeCore(registry);
    initializeAnalysis(registry);
    initializeTransformUtils(registry);
    initializeCodeGen(registry);
    initializeTarget(registry);
  });
}

static Expected<std::unique_ptr<TargetMachine>> createMachine(const PTXOptions &options,
                                                              Version ptx) {
  initializeBackEnd();
  Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError("LLVM has no NVPTX back end: " + message);
  TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = options.fpFusion ? FPOpFusion::Standard : FPOpFusion::Strict;
  constexpr CodeGenOptLevel levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                                        CodeGenOptLevel::Default, CodeGenOptLevel::Aggressive};
  std::string features = "+ptx" + std::to_string(ptx.major) + std::to_string(ptx.minor);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, options.arch.smName(), features, targetOptions,
                                  std::nullopt, std::nullopt, levels[options.optLevel]));
  if (!machine)
    return makeError("LLVM cannot make a target machine for " + options.arch.name());
  return machine;
}

/// Turns every compile unit into one for which LLVM prints .file and .loc alone. Otherwise it would
/// print `.target ..., debug`, with which ptxas does not optimise.
static void keepLineTablesOnly(Module &module) {
  DebugInfoFinder finder;
  finder.processModule(module);
  DenseMap<DICompileUnit *, DICompileUnit *> units;
  for (DICompileUnit *unit : finder.compile_units())
    units[unit] = DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        /*IsOptimized=*/true, /*Flags=*/"", /*RuntimeVersion=*/0, /*SplitDebugFilename=*/"",
        DICompileUnit::DebugDirectivesOnly, /*EnumTypes=*/nullptr, /*RetainedTypes=*/nullptr,
        /*GlobalVariables=*/nullptr, /*ImportedEntities=*/nullptr, /*Macros=*/nullptr,
        /*DWOId=*/0, /*SplitDebugInlining=*/false, /*DebugInfoForProfiling=*/false,
        DICompileUnit::DebugNameTableKind::None, /*RangesBaseAddress=*/false,
        /*SysRoot=*/"", /*SDK=*/"");
  for (DISubprogram *subprogram : finder.subprograms())
    if (DICompileUnit *unit = subprogram->getUnit())
      subprogram->replaceUnit(units.lookup(unit));
  NamedMDNode *list = module.getOrInsertNamedMetadata("llvm.dbg.cu");
  list->clearOperands();
  for (DICompileUnit *unit : finder.compile_units())
    list->addOperand(units.lookup(unit));
}

static Error prepareDebugInfo(Module &module, bool lineInfo) {
  if (!lineInfo) {
    StripDebugInfo(module);
    return Error::success();
  }
  bool any = llvm::any_of(module, [](const Function &function) {
    return function.getSubprogram() && function.getSubprogram()->getUnit();
  });
  if (!any)
    return makeError("line information was asked for, but no function of the module has any");
  keepLineTablesOnly(module);
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  return Error::success();
}

static void dropContractFlags(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPMathOperator>(instruction))
        instruction.setHasAllowContract(false);
}

static void limitRegisters(Module &module, unsigned maxRegisters) {
  if (maxRegisters == 0)
    return;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      function.addFnAttr("nvvm.maxnreg", std::to_string(maxRegisters));
}

static Error verify(const Module &module) {
  std::string message;
  raw_string_ostream stream(message);
  if (!verifyModule(module, &stream))
    return Error::success();
  return makeError("the LLVM IR is not valid: " + StringRef(message).trim());
}

/// The PTX version to print: what is needed, or what was asked for if that is at least as new.
static Expected<Version> choosePTXVersion(const Module &module, const PTXOptions &options) {
  Expected<Version> needed = requiredPTXVersion(module, options.arch);
  if (!needed || !options.ptxVersion)
    return needed;
  if (!cudaReleaseForPTX(*options.ptxVersion))
    return makeError("there is no PTX version " + options.ptxVersion->str());
  if (*options.ptxVersion < *needed)
    return makeError("PTX " + options.ptxVersion->str() + " was asked for, but " +
                     options.arch.name() + " and the module's instructions need PTX " +
                     needed->str());
  return *options.ptxVersion;
}

static Expected<std::string> generateCode(Module &module, TargetMachine &machine,
                                          const PTXOptions &options, StringRef errors) {
  Stopwatch watch(options.times ? &options.times->codegen : nullptr);
  SmallString<0> text;
  raw_svector_ostream stream(text);
  CodeGenPasses passes(module, options.optLevel);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true))
    return makeError("LLVM's NVPTX back end cannot print assembly");
  passes.run(module);
  if (!errors.empty())
    return makeError("LLVM's NVPTX back end failed: " + errors);
  return std::string(text);
}

Expected<std::string> tilec::emitPTX(Module &module, const PTXOptions &options) {
  if (options.optLevel > 3)
    return makeError("optimisation levels are 0 to 3, not " + Twine(options.optLevel));
  // One more than the most means no limit, to ptxas, too.
  if (options.maxRegisters > options.arch.maxRegistersPerThread() + 1)
    return makeError("a thread has at most " + Twine(options.arch.maxRegistersPerThread()) +
                     " registers, not " + Twine(options.maxRegisters));
  std::string errors;
  LLVMContext &context = module.getContext();
  std::unique_ptr<DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  scope_exit restore([&] { context.setDiagnosticHandler(std::move(before)); });

  if (Error error = verify(module))
    return error;
  Expected<Version> ptx = choosePTXVersion(module, options);
  if (!ptx)
    return ptx.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(options, *ptx);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (Error error = prepareDebugInfo(module, options.lineInfo))
    return error;
  if (!options.fpFusion)
    dropContractFlags(module);
  limitRegisters(module, options.maxRegisters);
  {
    Stopwatch watch(options.times ? &options.times->optimize : nullptr);
    optimizeForPTX(module, **machine, options);
  }
  if (options.onOptimized)
    options.onOptimized(module);
  return generateCode(module, **machine, options, errors);
}
