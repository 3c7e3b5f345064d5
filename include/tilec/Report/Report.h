//===- Report.h - a page that shows what became of a kernel -----*- C++ -*-===//
//
// One HTML file with everything in it: the forms of a kernel from its source to machine code, which
// are linked by source lines, and what can be said of it without running it. docs/report.md
// describes the page.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_REPORT_H
#define TILEC_REPORT_REPORT_H

#include "tilec/Compiler/Compiler.h"

namespace tilec {

struct ReportOptions {
  explicit ReportOptions(TargetOptions target) : target(std::move(target)) {}

  /// How to compile for a GPU. Lines are always kept. With `remarks` the remarks are printed, too;
  /// the page has them in any case.
  TargetOptions target;
  /// The processor to compile for in place of a GPU, as LLVM names it (x86-64-v3).
  std::optional<std::string> cpu;
  /// Say on standard error which ptxas has run.
  bool verbose = false;
  /// A trace with times of the kernels (tilec-run --profile); empty: none.
  std::string profile;
  /// Who made the page: "tilec 0.1.0".
  std::string producer;
};

/// Takes the kernels that were added to \p compilation, which has not been lowered yet, through all
/// stages, and returns the page. What needs a tool that is not there, such as ptxas, is left out,
/// and the page says why; only a tool that \p options name must be there. Nothing after reporting
/// errors.
std::optional<std::string> makeReport(Compilation &compilation, const ReportOptions &options);

} // namespace tilec

#endif // TILEC_REPORT_REPORT_H
