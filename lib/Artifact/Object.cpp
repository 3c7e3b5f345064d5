//===- Object.cpp - Kernels as an object file ------------------*- C++ -*-===//
//
// Writes an Artifact as a file: ObjectModule makes an LLVM module of it, and LLVM's back end for
// the host turns that into an object, as it is or as the member of an archive. The module can also
// be had as text.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Object.h"

#include "BuildInternals.h"
#include "ObjectModule.h"
#include "tilec/Target/Host.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace tilec;

static std::optional<std::string> archiveOf(llvm::StringRef object, llvm::StringRef memberName,
                                            DiagnosticEngine &diagnostics) {
  llvm::NewArchiveMember member(llvm::MemoryBufferRef(object, memberName));
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive = llvm::writeArchiveToBuffer(
      member, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (archive)
    return (*archive)->getBuffer().str();
  diagnostics.error(llvm::SMRange(),
                    "cannot write an archive: " + llvm::toString(archive.takeError()));
  return std::nullopt;
}

std::optional<std::string> tilec::emitObject(const Artifact &artifact, ObjectForm form,
                                             llvm::StringRef memberName,
                                             DiagnosticEngine &diagnostics) {
  auto fail = [&](const llvm::Twine &message) {
    diagnostics.error(llvm::SMRange(), message);
    return std::nullopt;
  };
  // Launchers and tables run on every machine of the kind; CPU kernels carry the processor that
  // they are for.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createHostMachine(artifact::hostOptionsOf(artifact.host, /*level=*/1));
  if (!machine)
    return fail(llvm::toString(machine.takeError()));
  (*machine)->Options.FunctionSections = true;
  (*machine)->Options.DataSections = true;
  llvm::LLVMContext context;
  ObjectModule object(context, artifact, diagnostics);
  object.setTarget((*machine)->getTargetTriple(), (*machine)->createDataLayout());
  if (!object.build())
    return std::nullopt;
  if (form == ObjectForm::LLVM) {
    std::string text;
    llvm::raw_string_ostream(text) << object.get();
    return text;
  }
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile))
    return fail("internal error: this target cannot write objects");
  passes.run(object.get());
  if (form == ObjectForm::Archive)
    return archiveOf(bytes, memberName, diagnostics);
  return bytes.str().str();
}
