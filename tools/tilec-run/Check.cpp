//===- Check.cpp - what --check of tilec-run reports -----------*- C++ -*-===//
//
// Findings are errors like the compiler's, with the line of the kernel; of races both lines.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

using namespace tilec;

static FileLoc locationOf(const MemoryFinding::Place &place) {
  return {place.file, unsigned(place.line), unsigned(place.column), 0};
}

bool reportFindings(const MemoryChecker &checker, DiagnosticEngine &diagnostics) {
  for (const MemoryFinding &finding : checker.findings()) {
    std::string message = finding.message;
    if (finding.count > 1)
      message += "; " + std::to_string(finding.count) + " times in all";
    DiagnosticBuilder error =
        diagnostics.report(Severity::Error, locationOf(finding.place), message);
    if (finding.other && !(*finding.other == finding.place))
      error.note(locationOf(*finding.other), "the other access is here");
  }
  return checker.findings().empty();
}
