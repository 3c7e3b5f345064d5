//===- CompileInput.cpp - one fuzzing input through the compiler -*- C++ -*-===//
//
// The body of the fuzzer's target: takes any text for a kernel file, guesses types for parameters
// that have none, and compiles the last kernels for a GPU and for the processor. Each path gets a
// Compilation of its own, since lowering for a GPU consumes the module.
//
//===----------------------------------------------------------------------===//

#include "CompileInput.h"

#include "tilec/Compiler/Compiler.h"
#include "tilec/Target/Host.h"
#include "llvm/Support/Error.h"

using namespace tilec;

/// Kernels of one input that are compiled; more would only make inputs slower.
static constexpr size_t kMaxKernels = 2;

/// A type for a parameter that says none itself; empty if it does.
static std::string typeFor(const ast::Param &param) {
  if (param.defaultValue)
    return "";
  llvm::StringRef name = param.name;
  if (param.annotation) {
    llvm::SMRange range = param.annotation->range();
    llvm::StringRef text(range.Start.getPointer(),
                         range.End.getPointer() - range.Start.getPointer());
    return text.contains("constexpr") ? "16" : "";
  }
  if (llvm::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; }))
    return "16";
  for (llvm::StringRef word : {"stride", "size", "row", "col", "num"})
    if (name.contains(word))
      return "i32";
  if (name.starts_with("n") || name == "m")
    return "i32";
  return "*fp32";
}

static std::string signatureFor(const ast::FunctionDef &function) {
  std::string text;
  for (const ast::Param &param : function.params) {
    std::string type = typeFor(param);
    if (!type.empty())
      text += (text.empty() ? "" : ",") + param.name.str() + "=" + type;
  }
  return text;
}

/// The kernels to compile, the last ones first: helpers stand before what calls them.
static std::vector<std::pair<std::string, std::string>> kernelsOf(const ast::Module &module,
                                                                  llvm::StringRef text) {
  llvm::StringRef given = text.take_until([](char c) { return c == '\n'; });
  bool hasSignature = given.consume_front("#sig:");
  std::vector<std::pair<std::string, std::string>> kernels;
  std::vector<const ast::FunctionDef *> functions = listJitFunctions(module);
  for (const ast::FunctionDef *function : llvm::reverse(functions)) {
    if (kernels.size() == kMaxKernels || (hasSignature && !kernels.empty()))
      break;
    kernels.emplace_back(function->name.str(),
                         hasSignature ? given.trim().str() : signatureFor(*function));
  }
  return kernels;
}

static bool addKernel(Compilation &compilation, const std::string &name,
                      const std::string &signature, std::optional<GpuArch> arch) {
  KernelRequest request;
  request.kernel = name;
  request.arch = arch;
  if (!signature.empty()) {
    std::optional<Signature> types =
        parseSignature(signature, "signature", compilation.sources(), compilation.diagnostics());
    if (!types)
      return false;
    request.signature = *types;
  }
  return compilation.addKernel(request);
}

static void compileForGpu(Compilation &compilation, const GpuArch &arch) {
  compilation.lower(Stage::LLVM, TargetOptions(arch));
}

static void compileForCpu(Compilation &compilation, llvm::raw_ostream &os) {
  mlir::DialectRegistry registry;
  registerHostTarget(registry);
  compilation.context().appendDialectRegistry(registry);
  if (!compilation.simplify())
    return;
  HostOptions options;
  options.cpu = "x86-64-v3";
  llvm::Expected<std::string> code = HostKernel::emitLLVM(
      compilation.getModule(), compilation.records().front().kernel.symbol, options);
  if (!code)
    os << llvm::toString(code.takeError()) << "\n";
}

void tilec::compileInput(llvm::StringRef text, llvm::raw_ostream &os) {
  std::vector<std::pair<std::string, std::string>> kernels;
  {
    Compilation compilation(os);
    if (compilation.loadText(text, "input.py"))
      kernels = kernelsOf(*compilation.tree(), text);
  }
  GpuArch gpu = llvm::cantFail(GpuArch::parse("sm_90a"));
  for (const auto &[name, signature] : kernels)
    for (bool isGpu : {true, false}) {
      Compilation compilation(os);
      if (!compilation.loadText(text, "input.py") ||
          !addKernel(compilation, name, signature, isGpu ? std::optional(gpu) : std::nullopt))
        continue;
      if (isGpu)
        compileForGpu(compilation, gpu);
      else
        compileForCpu(compilation, os);
    }
}
