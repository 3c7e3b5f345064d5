//===- SpecializeTestSupport.cpp - Specialize source text in tests -*- C++ -*-===//
//
// Runs parser and Specializer over a text and collects the IR and the diagnostics as strings.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"

#include "mlir/IR/MLIRContext.h"
#include "tilec/Language/Parser.h"

using namespace tilec;
using llvm::StringRef;

static bool readConstants(StringRef text, llvm::SourceMgr &sources, DiagnosticEngine &diagnostics,
                          KernelRequest &request) {
  llvm::SmallVector<StringRef> items;
  text.split(items, ';', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [name, value] = item.split('=');
    std::optional<ConstValue> constant = parseConstValue(value, "<-D>", sources, diagnostics);
    if (!constant)
      return false;
    request.constexprs.push_back({name.trim().str(), *constant, {}});
  }
  return true;
}

test::Specialized test::specializeText(StringRef body, StringRef signature, StringRef constexprs,
                                       KernelRequest request) {
  Specialized result;
  llvm::SourceMgr sources;
  llvm::raw_string_ostream messages(result.diagnostics);
  DiagnosticEngine diagnostics(sources, messages);
  std::string text = "import triton\nimport triton.language as tl\n" + body.str();
  unsigned buffer =
      sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "k.py"), llvm::SMLoc());
  ast::Context tree;
  ast::Module *module = parseModule(sources, buffer, diagnostics, tree);
  std::optional<Signature> types = parseSignature(signature, "<signature>", sources, diagnostics);
  if (!module || !types || !readConstants(constexprs, sources, diagnostics, request))
    return result;
  request.signature = *types;
  if (request.kernel.empty())
    request.kernel = "k";
  if (!request.arch)
    request.arch = llvm::cantFail(GpuArch::parse("sm_90"));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> ir =
      specialize(context, *module, sources, request, diagnostics, result.info);
  result.ok = bool(ir);
  if (ir) {
    llvm::raw_string_ostream os(result.ir);
    ir->print(os);
    llvm::raw_string_ostream full(result.locations);
    ir->print(full, mlir::OpPrintingFlags().enableDebugInfo(true, false).useLocalScope());
  }
  return result;
}

test::Specialized test::specializeBody(llvm::ArrayRef<StringRef> statements, StringRef element,
                                       KernelRequest request) {
  std::string text = "@triton.jit\ndef k(p, q, n, m):\n";
  for (StringRef statement : statements)
    text += "    " + statement.str() + "\n";
  std::string signature = "*" + element.str() + ",*" + element.str() + ",i32,i32";
  return specializeText(text, signature, "", std::move(request));
}
