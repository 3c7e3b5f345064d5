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
  /// The machine of that processor, as in HostOptions; empty is this one.
  std::string triple = "";
  /// Say on standard error which ptxas has run.
  bool verbose = false;
  /// A trace with times of the kernels (tilec-run --profile); empty: none.
  std::string profile;
  /// Who made the page: "tilec 0.1.0".
  std::string producer;
};

/// Which of an object's variants a code is, in words that tell it apart from the others.
struct ReportLabel {
  std::string kernel;  ///< its C function
  std::string variant; ///< values of constants, and what is assumed of arguments
  std::string target;  ///< "sm_90a", "x86-64-v3"
};

namespace report {
struct ReportedCode;
} // namespace report

/// A page for several variants, which it shows one at a time, and side by side what they take.
class ReportPage {
public:
  ReportPage();
  ~ReportPage();

  /// Adds what becomes of the kernel that was added to \p compilation, as makeReport() does. False
  /// after reporting errors. That a profile has no launch of this kernel is none.
  bool add(Compilation &compilation, const ReportOptions &options, ReportLabel label);
  /// Whether the profile had launches of any kernel that was added.
  bool hasMeasurements() const;
  /// The page for all that was added, one or more, made by \p producer.
  std::string finish(llvm::StringRef producer);

private:
  std::vector<report::ReportedCode> codes; // Complete in the library only.
};

/// Takes the kernels that were added to \p compilation, which has not been lowered yet, through all
/// stages, and returns the page. What needs a tool that is not there, such as ptxas, is left out,
/// and the page says why; only a tool that \p options name must be there. Nothing after reporting
/// errors.
std::optional<std::string> makeReport(Compilation &compilation, const ReportOptions &options);

} // namespace tilec

#endif // TILEC_REPORT_REPORT_H
