//===- Guard.cpp - Work that must not end the server ------------*- C++ -*-===//
//
// The front end is written for input of any kind and fuzzed, but an editor that loses its server
// loses everything. So faults of one check cost that check.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/LSP/Logging.h"

#include <cstdlib>

using namespace tilec;
using namespace tilec::ls;

/// Fatal errors that LLVM takes for those of its user would call exit().
static void onFatalError(void *, const char *reason, bool) {
  llvm::lsp::Logger::error("fatal error: {0}", reason);
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
  std::abort();
}

bool ls::runGuarded(llvm::function_ref<void()> work) {
  [[maybe_unused]] static const bool isPrepared = [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError);
    return true;
  }();
  constexpr unsigned stackSize = 64u << 20;
  llvm::CrashRecoveryContext context;
  return context.RunSafelyOnThread(work, stackSize);
}
