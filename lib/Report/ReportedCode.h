//===- ReportedCode.h - what a page says of one compilation -----*- C++ -*-===//

#ifndef TILEC_LIB_REPORT_REPORTEDCODE_H
#define TILEC_LIB_REPORT_REPORTEDCODE_H

#include "Panes.h"
#include "tilec/Report/Report.h"

namespace tilec::report {

/// The forms of kernels that were compiled together, and what can be said of them.
struct ReportedCode {
  ReportLabel label; // Empty where there is nothing to tell it apart from.
  std::string kernels;
  std::vector<Pane> panes;
  llvm::json::Array files;
  llvm::json::Object facts; // All else, by the names that the page's scripts use.
};

/// The page. Takes things out of \p codes where it would be too large.
std::string fillReport(llvm::MutableArrayRef<ReportedCode> codes, llvm::StringRef producer);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_REPORTEDCODE_H
