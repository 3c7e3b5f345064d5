//===- PageFiles.h - the templates of the page ------------------*- C++ -*-===//

#ifndef TILEC_LIB_REPORT_PAGEFILES_H
#define TILEC_LIB_REPORT_PAGEFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec::report {

/// Page/page.html with style and scripts in it, and each `@NAME@` replaced by the value of that
/// name. Values are not looked at: they must be right where the template has them.
std::string fillPage(llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> values);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_PAGEFILES_H
