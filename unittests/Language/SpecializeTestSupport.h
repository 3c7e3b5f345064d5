//===- SpecializeTestSupport.h - Specialize source text in tests -*- C++ -*-===//

#ifndef TILEC_UNITTESTS_LANGUAGE_SPECIALIZETESTSUPPORT_H
#define TILEC_UNITTESTS_LANGUAGE_SPECIALIZETESTSUPPORT_H

#include "tilec/Language/Specializer.h"

#include <string>

namespace tilec::test {

/// What became of a source text.
struct Specialized {
  bool ok = false;
  std::string ir;          // The printed module without locations; empty after errors.
  std::string locations;   // The module with its locations in full.
  std::string diagnostics; // As the user would read them.
  KernelInfo info;

  /// How often `text` stands in the IR.
  unsigned count(llvm::StringRef text) const { return llvm::StringRef(ir).count(text); }
  bool has(llvm::StringRef text) const { return llvm::StringRef(ir).contains(text); }
  /// True when a diagnostic contains the text.
  bool says(llvm::StringRef text) const { return llvm::StringRef(diagnostics).contains(text); }
};

/// Specializes the kernel `k` of `body`, to which the usual imports are prepended (so that line 3
/// is its first line). `constexprs` is "NAME=VALUE;NAME=VALUE".
Specialized specializeText(llvm::StringRef body, llvm::StringRef signature,
                           llvm::StringRef constexprs = "", KernelRequest request = {});

/// A kernel `k(p, q, n, m)` with p and q pointers to fp32 (of type `element`), n and m int32, whose
/// body is `statements`, one string a line, indented by four.
Specialized specializeBody(llvm::ArrayRef<llvm::StringRef> statements,
                           llvm::StringRef element = "fp32", KernelRequest request = {});

} // namespace tilec::test

#endif // TILEC_UNITTESTS_LANGUAGE_SPECIALIZETESTSUPPORT_H
