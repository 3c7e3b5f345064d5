//===- OpenConfigs.cpp - What a request for a kernel leaves open *- C++ -*-===//
//
// Finds out what a request for a kernel leaves open: constants that only a configuration of
// @triton.autotune sets, and parameters that have no type in the source.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/OpenConfigs.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using llvm::StringRef;

static bool isGiven(const KernelRequest &request, StringRef name) {
  return llvm::any_of(request.constexprs,
                      [&](const NamedConst &constant) { return constant.name == name; });
}

/// A configuration leaves it as it is, or it has a value without one.
static bool isOpen(const ast::FunctionDef &kernel, const KernelRequest &request, StringRef name) {
  const Signature &signature = request.signature;
  if (isGiven(request, name) ||
      (signature.positional && signature.items.size() == kernel.params.size()) ||
      llvm::any_of(signature.items, [&](const SignatureItem &item) { return item.name == name; }))
    return false;
  return llvm::any_of(kernel.params, [&](const ast::Param &param) {
    return param.name == name && !param.defaultValue;
  });
}

std::vector<TuneConfig> tilec::findOpenConfigs(const ast::Module &module,
                                               llvm::SourceMgr &sourceMgr, Imports *imports,
                                               const ast::FunctionDef &kernel,
                                               const KernelRequest &request) {
  // Whatever cannot be read of decorators does not matter for a kernel that has all its values.
  DiagnosticEngine silent(sourceMgr, llvm::nulls());
  std::optional<KernelDecorators> decorators = readDecorators(
      module, kernel, sourceMgr, silent, [&](StringRef name) { return isGiven(request, name); },
      imports);
  if (!decorators || !decorators->autotune)
    return {};
  bool leavesOpen =
      llvm::any_of(decorators->autotune->configs.front().values,
                   [&](const NamedConst &value) { return isOpen(kernel, request, value.name); });
  return leavesOpen ? std::move(decorators->autotune->configs) : std::vector<TuneConfig>();
}

void tilec::addConfig(const TuneConfig &config, KernelRequest &request) {
  for (const NamedConst &value : config.values)
    if (!isGiven(request, value.name))
      request.constexprs.push_back(value);
  config.addTo(request);
}

std::string tilec::optionsFor(const TuneConfig &config, const KernelRequest &request) {
  std::string text;
  auto add = [&](const std::string &option) { text += (text.empty() ? "" : " ") + option; };
  for (const NamedConst &value : config.values)
    if (!isGiven(request, value.name))
      add("-D" + value.name + "=" + value.value.str());
  if (config.numWarps && !request.numWarps)
    add("--num-warps=" + std::to_string(config.numWarps));
  if (config.numCTAs && !request.numCTAs)
    add("--num-ctas=" + std::to_string(config.numCTAs));
  if (config.maxRegisters)
    add("--maxnreg=" + std::to_string(config.maxRegisters));
  return text;
}

/// The type that an annotation spells; only those that need no evaluation.
static bool isType(const ast::Expr *annotation) {
  StringRef text;
  if (auto *name = llvm::dyn_cast_or_null<ast::Name>(annotation))
    text = name->id;
  else if (auto *attribute = llvm::dyn_cast_or_null<ast::Attribute>(annotation))
    text = attribute->attr;
  else if (auto *constant = llvm::dyn_cast_or_null<ast::Constant>(annotation);
           constant && constant->type() == ast::Constant::Type::String)
    text = constant->stringValue();
  std::optional<DType> type = parseTypeName(text);
  return type && !type->isScalar(ScalarKind::Void);
}

bool tilec::describesItself(const ast::FunctionDef &kernel, const KernelRequest &request) {
  return llvm::all_of(kernel.params, [&](const ast::Param &param) {
    return isGiven(request, param.name) || param.defaultValue || isType(param.annotation);
  });
}
