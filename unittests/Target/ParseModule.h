//===- ParseModule.h - LLVM IR for the tests of the back end ----*- C++ -*-===//

#ifndef TILEC_UNITTESTS_TARGET_PARSEMODULE_H
#define TILEC_UNITTESTS_TARGET_PARSEMODULE_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

/// The module that `text` is; null after a failure of the test, which shows what is wrong with it.
inline std::unique_ptr<llvm::Module> parseModule(llvm::StringRef text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getLineNo() << ": " << diagnostic.getMessage().str();
  return module;
}

/// The text of `function`; what is wrong with it, behind "invalid: ", if it is not valid.
inline std::string textOf(const llvm::Function &function) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (llvm::verifyFunction(function, &stream))
    return "invalid: " + result;
  function.print(stream);
  return result;
}

#endif // TILEC_UNITTESTS_TARGET_PARSEMODULE_H
