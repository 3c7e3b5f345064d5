//===- ObjectModule.h - Tables and launchers as an LLVM module -*- C++ -*-===//
//
// Builds the LLVM module that becomes an object with kernels: constants in the layout of
// tilec/aot.h, the CPU code of kernels, and the functions that the generated header declares.
// Private to lib/Artifact; Object.cpp uses it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ARTIFACT_OBJECTMODULE_H
#define TILEC_LIB_ARTIFACT_OBJECTMODULE_H

#include "tilec/Artifact/Artifact.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tilec {

/// Fills a module with the tables of tilec/aot.h and the functions of the generated header.
class ObjectModule {
public:
  ObjectModule(llvm::LLVMContext &context, const Artifact &artifact, DiagnosticEngine &diagnostics);

  /// Sets the target, which must come first.
  void setTarget(const llvm::Triple &triple, const llvm::DataLayout &layout);
  /// False after reporting errors.
  bool build();
  llvm::Module &get() { return *module; }
  std::unique_ptr<llvm::Module> take() { return std::move(module); }

private:
  llvm::GlobalVariable *addKernel(const ArtifactKernel &kernel);
  llvm::Constant *addParams(const ArtifactKernel &kernel);
  llvm::Constant *addConstexprs(const ArtifactKernel &kernel);
  llvm::Constant *addTuned(const ArtifactKernel &kernel);
  llvm::Constant *addConfig(const ArtifactKernel &kernel, const ArtifactConfig &config);
  llvm::Constant *addVariant(const ArtifactVariant &variant);
  llvm::Constant *addImage(const ArtifactImage &image);
  llvm::Constant *addMapped(llvm::Constant *data, const LaunchNeeds &needs);
  llvm::Constant *addCpuCode(const ArtifactImage &image);
  void addLauncher(const ArtifactKernel &kernel, llvm::Constant *table, const llvm::Twine &suffix,
                   llvm::StringRef callee, bool hasResult);
  llvm::Value *toSlot(llvm::Value *argument, DType type);
  // In ObjectLibrary.cpp.
  void addEntry(const ArtifactKernel &kernel, llvm::GlobalVariable *table);
  llvm::Constant *boundOf(llvm::StringRef which);
  void addForAll(const llvm::Twine &name, unsigned field, llvm::FunctionType *callee);
  void addLibraryFunctions();
  llvm::Function *addFunction(const llvm::Twine &name, llvm::Type *result,
                              llvm::ArrayRef<llvm::Type *> params);
  void addDescription();

  llvm::GlobalVariable *addGlobal(llvm::Constant *value, const llvm::Twine &name);
  llvm::Constant *addString(llvm::StringRef text);
  llvm::Constant *addArray(llvm::ArrayRef<llvm::Constant *> elements, const llvm::Twine &name);
  llvm::Constant *structOf(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(module->getContext(), fields);
  }
  llvm::Constant *null() {
    return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module->getContext()));
  }
  bool error(const llvm::Twine &message) {
    diagnostics.error(llvm::SMRange(), message);
    return false;
  }

  const Artifact &artifact;
  DiagnosticEngine &diagnostics;
  std::unique_ptr<llvm::Module> module;
  llvm::IRBuilder<> b;
  llvm::StringMap<llvm::Constant *> strings, images;
  bool sound = true;
};

} // namespace tilec

#endif // TILEC_LIB_ARTIFACT_OBJECTMODULE_H
