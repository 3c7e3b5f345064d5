//===- HostLower.cpp - tile IR to optimised LLVM IR ------------*- C++ -*-===//
//
// Runs the CPU path's pipeline on a copy of the module, translates it, wraps the kernel in an entry
// function of one fixed type, and optimises for the processor at hand.
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilec/Compiler/Pipelines.h"
#include "tilec/Conversion/TileToCPU/Passes.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace llvm;
using namespace tilec;
using namespace tilec::host;

Error host::makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

void tilec::registerHostTarget(mlir::DialectRegistry &registry) {
  registerCPUDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

static void setUpLLVM() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  PassRegistry &passes = *PassRegistry::getPassRegistry();
  initializeCore(passes);
  initializeAnalysis(passes);
  initializeTransformUtils(passes);
  initializeCodeGen(passes);
  initializeTarget(passes);
}

/// Asks the operating system for AMX's registers, which a process of Linux has not by itself.
static bool askForTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023,
                 tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool granted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return granted;
#else
  return false;
#endif
}

Expected<orc::JITTargetMachineBuilder> host::describeHost(const HostOptions &options) {
  static std::once_flag once;
  std::call_once(once, setUpLLVM);
  Expected<orc::JITTargetMachineBuilder> machine =
      options.triple.empty() ? orc::JITTargetMachineBuilder::detectHost()
                             : orc::JITTargetMachineBuilder(Triple(options.triple));
  if (!machine)
    return machine;
  machine->setCodeGenOptLevel(CodeGenOptLevel::Default);
  // What ORC links; the default of a JIT is code that may be anywhere, which is slower.
  machine->setRelocationModel(Reloc::PIC_);
  machine->setCodeModel(CodeModel::Small);
  if (options.cpu.empty()) {
    if (!askForTiles())
      for (StringRef feature : {"amx-tile", "amx-bf16", "amx-int8"})
        machine->getFeatures().AddFeature(feature, /*Enable=*/false);
    return machine;
  }
  machine->setCPU(options.cpu);
  machine->getFeatures() = SubtargetFeatures();
  Expected<std::unique_ptr<TargetMachine>> probe = machine->createTargetMachine();
  if (!probe)
    return probe.takeError();
  if (!(*probe)->getMCSubtargetInfo()->isCPUStringValid(options.cpu))
    return makeError("unknown processor '" + options.cpu + "'");
  return machine;
}

unsigned tilec::hostCpuLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return 4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
#else
  return 0;
#endif
}

/// What the pipeline must know of `machine`. Its registers are taken at their widest, also where
/// LLVM prefers narrower vectors: products of matrices keep them busy.
static CPUPipelineOptions describePipeline(const TargetMachine &machine) {
  CPUPipelineOptions options;
  if (!machine.getTargetTriple().isX86()) {
    options.expandF16 = !machine.getTargetTriple().isAArch64();
    options.vectorRegisters = machine.getTargetTriple().isAArch64() ? 32 : 16;
    return options;
  }
  auto has = [&](StringRef feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(feature.str());
  };
  options.expandF16 = !has("+f16c");
  options.vectorRegisters = has("+avx512f") ? 32 : 16;
  options.vectorBytes = has("+avx512f") ? 64 : has("+avx") ? 32 : 16;
  options.addPairs = true; // SSE2
  options.matrixTiles = has("+amx-tile") && has("+amx-bf16") && has("+amx-int8");
  return options;
}

//===----------------------------------------------------------------------===//
// To LLVM IR
//===----------------------------------------------------------------------===//

/// Leaves only the kernel `name` in `module`.
static Error dropOtherKernels(mlir::ModuleOp module, StringRef name) {
  bool found = false;
  for (auto function : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>())) {
    if (!function->hasAttr(tilec::tile::kKernelAttr))
      continue;
    if (function.getName() == name)
      found = true;
    else
      function.erase();
  }
  if (!found)
    return makeError("no kernel named '" + name + "' in the module");
  return Error::success();
}

/// Adds the entry function: loads each parameter from its slot and calls `kernel`.
static void addEntry(Module &module, Function &kernel) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *i32 = Type::getInt32Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer, pointer, pointer},
                                 /*isVarArg=*/false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage, kEntryName, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  unsigned own = kernel.arg_size() - tilec::tile::kHostExtraArguments;
  SmallVector<Value *> arguments;
  for (Argument &parameter : kernel.args()) {
    unsigned index = arguments.size();
    if (index >= own + 6) {
      arguments.push_back(entry->getArg(index - own - 4)); // scratch, failure
      continue;
    }
    bool isOwn = index < own;
    Value *address = isOwn
                         ? builder.CreateConstGEP1_32(builder.getInt64Ty(), entry->getArg(0), index)
                         : builder.CreateConstGEP1_32(i32, entry->getArg(1), index - own);
    bool isBool = parameter.getType()->isIntegerTy(1);
    Value *value = builder.CreateLoad(isBool ? builder.getInt8Ty() : parameter.getType(), address);
    arguments.push_back(isBool ? builder.CreateTrunc(value, parameter.getType()) : value);
  }
  builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
  kernel.setLinkage(GlobalValue::InternalLinkage);
  // Inlining would hide that the scratch memory and the stack overlap no pointer that is passed in.
  kernel.addFnAttr(Attribute::NoInline);
}

Expected<LoweredKernel> host::lower(mlir::ModuleOp module, StringRef name,
                                    const TargetMachine &machine, const HostOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Error error = dropOtherKernels(*copy, name))
    return std::move(error);
  mlir::PassManager passes(module.getContext(), mlir::ModuleOp::getOperationName());
#ifdef NDEBUG
  passes.enableVerifier(false); // after each pass; the result is verified
#endif
  CPUPipelineOptions pipeline = describePipeline(machine);
  pipeline.checkMemory = options.checkMemory;
  addCPUPasses(passes, pipeline);
  if (options.lineInfo) {
    mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    scopes.emissionKind = mlir::LLVM::DIEmissionKind::LineTablesOnly;
    passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
  if (mlir::failed(passes.run(*copy)) || mlir::failed(mlir::verify(*copy)))
    return makeError("kernel '" + name + "' cannot be lowered for the CPU");

  LoweredKernel lowered;
  if (auto *function = copy->lookupSymbol(name))
    if (auto bytes = function->getAttrOfType<mlir::IntegerAttr>(tilec::tile::kScratchBytesAttr))
      lowered.scratchBytes = bytes.getInt();
  lowered.context = std::make_unique<LLVMContext>();
  lowered.module = mlir::translateModuleToLLVMIR(*copy, *lowered.context, name);
  if (!lowered.module)
    return makeError("kernel '" + name + "' cannot be translated to LLVM IR");
  Function *kernel = lowered.module->getFunction(name);
  if (!kernel)
    return makeError("kernel '" + name + "' is missing from its LLVM IR");
  addEntry(*lowered.module, *kernel);
  return std::move(lowered);
}

//===----------------------------------------------------------------------===//
// Optimisation
//===----------------------------------------------------------------------===//

void host::optimize(Module &module, TargetMachine &machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr(Attribute::NoUnwind);
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
  // Whatever comes next, machine code or bitcode for an object, is not optimised again.
  avoidBackEndFaults(module, machine);
}
