//===- ModuleApi.cpp - tilec_jit_module_* -----------------------*- C++ -*-===//
//
// The functions tilec_jit_module_* of jit_c.h. A module is one source text, parsed when the module
// is created, so that syntax errors are reported there; its kernels are compiled when they are
// launched.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "tilec/Language/Parser.h"

using namespace tilec;
using namespace tilec::library;

static Failure parseSource(tilec_jit_module &module) {
  std::string messages;
  llvm::raw_string_ostream os(messages);
  DiagnosticEngine diagnostics(module.sources, os);
  unsigned buffer = module.sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*module.source, module.path), llvm::SMLoc());
  module.tree = parseModule(module.sources, buffer, diagnostics, module.trees);
  if (module.tree && !diagnostics.hasErrors())
    return {};
  return {TILEC_JIT_ERROR_COMPILE, llvm::StringRef(messages).rtrim()};
}

static Failure createModule(tilec_jit_compiler &compiler, std::string source, const char *path,
                            bool isFile, tilec_jit_module *&result) {
  ImportSearch search;
  search.folders = compiler.importFolders;
  if (isFile)
    search.mainFile = path;
  auto *module = new tilec_jit_module(compiler, std::move(search));
  module->source = std::make_shared<const std::string>(std::move(source));
  module->path = path;
  Failure failure = parseSource(*module);
  if (failure)
    module->release();
  else
    result = module;
  return failure;
}

tilec_jit_error tilec_jit_module_create(tilec_jit_compiler *compiler, const char *source,
                                        size_t bytes, const char *name, tilec_jit_module **module) {
  if (!compiler || (!source && bytes != 0) || !name || !module)
    return toC({TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_module_create: an argument is null"});
  return toC(createModule(*compiler, std::string(bytes ? source : "", bytes), name,
                          /*isFile=*/false, *module));
}

tilec_jit_error tilec_jit_module_open(tilec_jit_compiler *compiler, const char *path,
                                      tilec_jit_module **module) {
  if (!compiler || !path || !module)
    return toC({TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_module_open: an argument is null"});
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (std::error_code error = buffer.getError())
    return toC(
        {TILEC_JIT_ERROR_FILE, "cannot read '" + llvm::Twine(path) + "': " + error.message()});
  return toC(createModule(*compiler, (*buffer)->getBuffer().str(), path, /*isFile=*/true, *module));
}

tilec_jit_module *tilec_jit_module_retain(tilec_jit_module *module) {
  return module ? module->retain() : nullptr;
}

void tilec_jit_module_release(tilec_jit_module *module) {
  if (module)
    module->release();
}
