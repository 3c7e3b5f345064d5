//===- CompileKernel.cpp - the example kernels through tilec ---*- C++ -*-===//
//
// Compiles the kernel of a case for its sizes, with the promises that a launch with such arguments
// could make.
//
//===----------------------------------------------------------------------===//

#include "CompileKernel.h"

#include "tilec/Compiler/Compiler.h"

using namespace tilec;
using namespace tilec::bench;

static std::string intType(uint64_t value) { return value % 16 == 0 ? "i32:16" : "i32"; }

std::string bench::signatureOf(const Case &what) {
  std::string pointer = "*" + typeName(what.type).str() + ":16", cols = intType(what.size.cols);
  std::string text = "out=" + pointer + ",x=" + pointer;
  if (what.suite->kind == KernelKind::Gelu)
    return text + ",n=" + cols;
  text += ",out_stride=" + cols + ",x_stride=" + cols;
  if (what.suite->kind == KernelKind::SoftmaxPersistent)
    text += ",n_rows=" + intType(what.size.rows);
  return text + ",n_cols=" + cols;
}

static std::optional<CompiledKernel> compile(Compilation &compilation, const Case &what,
                                             llvm::StringRef path, const GpuArch &arch,
                                             unsigned warps) {
  KernelRequest request;
  request.kernel = kernelName(what.suite->kind).str();
  request.numWarps = warps;
  request.arch = arch;
  if (!compilation.load(path))
    return std::nullopt;
  std::optional<Signature> signature =
      parseSignature(signatureOf(what), "the benchmark's signature", compilation.sources(),
                     compilation.diagnostics());
  std::optional<ConstValue> block = parseConstValue(
      std::to_string(what.block()), "BLOCK", compilation.sources(), compilation.diagnostics());
  if (!signature || !block)
    return std::nullopt;
  request.signature = std::move(*signature);
  request.constexprs.push_back({"BLOCK", std::move(*block), llvm::SMRange()});
  if (!compilation.addKernel(request))
    return std::nullopt;
  CompiledKernel compiled;
  if (!Backend::ptx(arch)->compile(compilation, BackendOptions(), compiled))
    return std::nullopt;
  return compiled;
}

llvm::Expected<CompiledKernel> bench::compileKernel(const Case &what, llvm::StringRef path,
                                                    const GpuArch &arch, unsigned warps) {
  std::string messages;
  llvm::raw_string_ostream os(messages);
  Compilation compilation(os);
  std::optional<CompiledKernel> compiled = compile(compilation, what, path, arch, warps);
  if (compiled)
    return std::move(*compiled);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), llvm::StringRef(messages).rtrim());
}
