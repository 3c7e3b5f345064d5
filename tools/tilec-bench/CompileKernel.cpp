//===- CompileKernel.cpp - the example kernels through tilec ---*- C++ -*-===//
//
// Compiles the kernel of a case for its sizes, with the promises that a launch with such arguments
// could make.
//
//===----------------------------------------------------------------------===//

#include "CompileKernel.h"

#include "Launches.h"
#include "tilec/Compiler/Compiler.h"

using namespace tilec;
using namespace tilec::bench;

static std::string intType(int64_t value) {
  ClassRule rule = {/*one=*/false, /*multipleOf16=*/true};
  return rule.classify(value) == ArgumentClass::MultipleOf16 ? "i32:16" : "i32";
}

std::string bench::signatureOf(const Case &what) {
  Parameters params = parametersOf(what);
  std::string text;
  for (llvm::StringRef name : params.arrays)
    text += (text.empty() ? "" : ",") + name.str() + "=*" + typeName(what.type).str() + ":16";
  for (const Number &number : params.numbers)
    text += "," + number.name.str() + "=" + (number.real ? "fp32" : intType(number.value));
  return text;
}

/// The parameters that are tl.constexpr, with their values.
static std::vector<std::pair<std::string, ConstValue>> constantsOf(const Case &what,
                                                                   const Config &config) {
  std::vector<std::pair<std::string, ConstValue>> constants;
  for (const auto &[name, number] : config.blocks)
    constants.push_back({name.str(), ConstValue::integer(number)});
  if (what.suite->kind == KernelKind::Matmul)
    constants.push_back({"ACTIVATION", ConstValue::none()});
  if (what.suite->kind == KernelKind::Attention) {
    constants.push_back({"HEAD_DIM", ConstValue::integer(int64_t(what.size.cols))});
    constants.push_back({"CAUSAL", ConstValue::boolean(what.size.isCausal)});
  }
  return constants;
}

static std::optional<CompiledKernel> compile(Compilation &compilation, const Case &what,
                                             const Config &config, llvm::StringRef path,
                                             const GpuArch &arch) {
  KernelRequest request;
  request.kernel = exampleOf(what.suite->kind).name.str();
  request.numWarps = config.warps;
  request.numStages = config.stages;
  request.setForRuntime();
  request.arch = arch;
  if (!compilation.load(path))
    return std::nullopt;
  std::optional<Signature> signature =
      parseSignature(signatureOf(what), "the benchmark's signature", compilation.sources(),
                     compilation.diagnostics());
  if (!signature)
    return std::nullopt;
  request.signature = std::move(*signature);
  for (auto &[name, value] : constantsOf(what, config))
    request.constexprs.push_back({name, value, llvm::SMRange()});
  if (!compilation.addKernel(request))
    return std::nullopt;
  CompiledKernel compiled;
  if (!Backend::ptx(arch)->compile(compilation, BackendOptions(), compiled))
    return std::nullopt;
  return compiled;
}

llvm::Expected<CompiledKernel> bench::compileKernel(const Case &what, const Config &config,
                                                    llvm::StringRef path, const GpuArch &arch) {
  std::string messages;
  llvm::raw_string_ostream os(messages);
  Compilation compilation(os);
  std::optional<CompiledKernel> compiled = compile(compilation, what, config, path, arch);
  if (compiled)
    return std::move(*compiled);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), llvm::StringRef(messages).rtrim());
}
