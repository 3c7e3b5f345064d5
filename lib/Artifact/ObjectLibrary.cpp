//===- ObjectLibrary.cpp - What spans the objects of a program --*- C++ -*-===//
//
// prepare_all and unload_all are about all kernels of a namespace, and several objects of a program
// may share one. So each kernel has an entry in a section whose name is the namespace's, which the
// linker puts together, and the two functions, of which the linker keeps one copy, go through it.
//
// An entry is {tables, function that prepares them, function that unloads them}, with the runtime's
// functions of the version that the object was made for: objects of all versions can be in a list.
//
//===----------------------------------------------------------------------===//

#include "ObjectModule.h"

#include "tilec/aot.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace tilec;
using llvm::Constant;

static constexpr unsigned kTables = 0, kPrepare = 1, kUnload = 2, kEntryFields = 3;

/// The name makes linkers define the symbols __start_NAME and __stop_NAME.
static std::string sectionOf(const Artifact &artifact) {
  return "tilec_all_" + artifact.prefix().substr(0, artifact.prefix().size() - 1);
}

void ObjectModule::addEntry(const ArtifactKernel &kernel, llvm::GlobalVariable *table) {
  Constant *tables = addGlobal(structOf({b.getInt32(TILEC_AOT_VERSION), b.getInt32(1),
                                         addArray({table}, kernel.name + ".list")}),
                               kernel.name + ".library");
  llvm::Type *pointer = b.getPtrTy();
  llvm::FunctionCallee prepare = module->getOrInsertFunction(
      "tilec_aot_prepare_v1", llvm::FunctionType::get(pointer, {pointer, pointer}, false));
  llvm::FunctionCallee unload = module->getOrInsertFunction(
      "tilec_aot_unload_v1", llvm::FunctionType::get(b.getVoidTy(), {pointer}, false));
  llvm::GlobalVariable *entry =
      addGlobal(structOf({tables, llvm::cast<Constant>(prepare.getCallee()),
                          llvm::cast<Constant>(unload.getCallee())}),
                kernel.name + ".entry");
  entry->setSection(sectionOf(artifact));
  entry->setAlignment(llvm::Align(8));
  // A linker that drops unused sections keeps the entry with the kernel, and drops it likewise.
  entry->setMetadata(llvm::LLVMContext::MD_associated,
                     llvm::MDNode::get(module->getContext(), llvm::ValueAsMetadata::get(table)));
  llvm::appendToCompilerUsed(*module, {entry});
}

/// A bound of the section: null when every entry was dropped.
llvm::Constant *ObjectModule::boundOf(llvm::StringRef which) {
  std::string name = (which + sectionOf(artifact)).str();
  if (llvm::GlobalVariable *known = module->getNamedGlobal(name))
    return known;
  auto *bound = new llvm::GlobalVariable(*module, b.getPtrTy(), /*isConstant=*/true,
                                         llvm::GlobalValue::ExternalWeakLinkage,
                                         /*Initializer=*/nullptr, name);
  bound->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return bound;
}

/// A function that calls `field` of every entry with the entry's tables and its own arguments. One
/// that returns a status stops at the first error.
void ObjectModule::addForAll(const llvm::Twine &name, unsigned field, llvm::FunctionType *callee) {
  llvm::Function *function =
      addFunction(name, callee->getReturnType(), callee->params().drop_front());
  function->setLinkage(llvm::GlobalValue::WeakODRLinkage);
  function->setComdat(module->getOrInsertComdat(function->getName()));
  llvm::LLVMContext &context = module->getContext();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *test = llvm::BasicBlock::Create(context, "test", function);
  auto *body = llvm::BasicBlock::Create(context, "body", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  bool returnsStatus = !callee->getReturnType()->isVoidTy();
  auto *failed = returnsStatus ? llvm::BasicBlock::Create(context, "failed", function) : nullptr;
  b.CreateBr(test);
  b.SetInsertPoint(test);
  llvm::PHINode *entry = b.CreatePHI(b.getPtrTy(), 2);
  b.CreateCondBr(b.CreateICmpEQ(entry, boundOf("__stop_")), done, body);
  b.SetInsertPoint(body);
  auto load = [&](unsigned index) {
    return b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_32(b.getPtrTy(), entry, index));
  };
  llvm::SmallVector<llvm::Value *> arguments = {load(kTables)};
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  llvm::Value *status = b.CreateCall(callee, load(field), arguments);
  entry->addIncoming(boundOf("__start_"), before);
  entry->addIncoming(b.CreateConstGEP1_32(b.getPtrTy(), entry, kEntryFields), body);
  if (!returnsStatus) {
    b.CreateBr(test);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return;
  }
  b.CreateCondBr(b.CreateIsNull(status), test, failed);
  b.SetInsertPoint(failed);
  b.CreateRet(status);
  b.SetInsertPoint(done);
  b.CreateRet(null());
}

void ObjectModule::addLibraryFunctions() {
  llvm::Type *pointer = b.getPtrTy();
  addForAll(artifact.prefix() + "prepare_all", kPrepare,
            llvm::FunctionType::get(pointer, {pointer, pointer}, false));
  addForAll(artifact.prefix() + "unload_all", kUnload,
            llvm::FunctionType::get(b.getVoidTy(), {pointer}, false));
}
