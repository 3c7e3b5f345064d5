//===- FaultReport.cpp - kernels that access memory they must not -*- C++ -*-===//
//
// A kernel on the CPU target runs in this process, so its wild accesses arrive as signals. Arrays
// lie between pages without access, which tells which array was left.
//
//===----------------------------------------------------------------------===//

#include "FaultReport.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace tilec;

struct FaultReport::State {
  llvm::ArrayRef<NamedArgument> arguments;
  struct sigaction oldSegv, oldBus;
};

/// The arguments of the kernel that runs, for the handler.
static llvm::ArrayRef<NamedArgument> *current = nullptr;
/// Whether --check looks at its accesses.
static bool currentChecked = false;

/// Only what may be called in a signal handler.
static void writeText(llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(size_t(written));
  }
}

static void handle(int, siginfo_t *info, void *) {
  writeText("error: the kernel accessed memory outside of its arrays");
  bool found = false;
  forEachArray(*current, [&](const NamedArgument &argument) {
    if (found || !argument.array->isNear(info->si_addr))
      return;
    found = true;
    writeText(info->si_addr < argument.array->data() ? ", before the start of '"
                                                     : ", behind the end of '");
    writeText(argument.name);
    writeText("'");
  });
  writeText("\n");
  if (!currentChecked)
    writeText(FaultReport::advice);
  _exit(1);
}

FaultReport::FaultReport(llvm::ArrayRef<NamedArgument> arguments, bool checked)
    : state(std::make_unique<State>()) {
  state->arguments = arguments;
  current = &state->arguments;
  currentChecked = checked;
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &state->oldSegv);
  sigaction(SIGBUS, &action, &state->oldBus);
}

FaultReport::~FaultReport() {
  sigaction(SIGSEGV, &state->oldSegv, nullptr);
  sigaction(SIGBUS, &state->oldBus, nullptr);
  current = nullptr;
}
