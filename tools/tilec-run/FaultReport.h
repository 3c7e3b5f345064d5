//===- FaultReport.h - kernels that access memory they must not -*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_FAULTREPORT_H
#define TILEC_TOOLS_TILEC_RUN_FAULTREPORT_H

#include "tilec/JIT/Arguments.h"

/// While it lives, an access to invalid memory ends the process with status 1 and a message that
/// names the array next to which it happened. At most one exists at a time.
class FaultReport {
public:
  /// What to do about such an access, for a run without --check.
  static constexpr const char *advice =
      "note: --check with --target=cpu says the line, the program and the element\n";

  FaultReport(llvm::ArrayRef<tilec::NamedArgument> arguments, bool checked);
  ~FaultReport();
  FaultReport(const FaultReport &) = delete;
  FaultReport &operator=(const FaultReport &) = delete;

private:
  struct State;
  std::unique_ptr<State> state;
};

#endif // TILEC_TOOLS_TILEC_RUN_FAULTREPORT_H
