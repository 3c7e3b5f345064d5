//===- Requirement.h - What must hold for a launch -------------*- C++ -*-===//
//
// Conditions over the arguments and constexprs of a launch: those that somebody states, and those
// that a kernel's masks show. Where one does not hold, the kernel must not run with these
// constexprs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_REQUIREMENT_H
#define TILEC_LANGUAGE_REQUIREMENT_H

#include "tilec/Language/HostExpr.h"
#include "tilec/Language/Specializer.h"

namespace tilec {

/// A condition of a launch.
struct Requirement {
  /// For people, in one line: "n_cols <= BLOCK".
  std::string text;
  /// A boolean.
  HostExpr::Ref condition;

  /// Whether it holds for any launch, as `True` does.
  bool isTrivial() const;
};

/// Reads a condition, "n <= BLOCK", in the form of a grid's expressions (Grid.h). Nothing after
/// reporting an error.
std::optional<Requirement> parseRequirement(llvm::StringRef text, llvm::StringRef bufferName,
                                            const ast::FunctionDef &kernel,
                                            llvm::SourceMgr &sourceMgr,
                                            DiagnosticEngine &diagnostics);

/// A parameter beyond whose limit a kernel would leave work undone; see KernelParam::atMost.
struct SizeLimit {
  std::string path;
  int64_t most = 0;
  /// The constexpr whose value the limit is; empty if there is none, or several.
  std::string constant;
  /// KernelParam::name, which tells parts of a descriptor from elements of a tuple.
  std::string name = {};

  /// "n_cols <= BLOCK".
  Requirement toRequirement() const;
};

/// The limits of a kernel's parameters, in their order.
std::vector<SizeLimit> findLimits(const KernelInfo &info);

/// What the kernel's masks require beside `stated`: a condition for each limit, or none if a
/// trivial one is among `stated`.
std::vector<Requirement> deriveRequirements(const KernelInfo &info,
                                            llvm::ArrayRef<Requirement> stated);

/// An error that names the kernel, the first of the conditions that does not hold, and the values
/// in it; success if all hold.
llvm::Error checkRequirements(llvm::StringRef kernel, llvm::ArrayRef<Requirement> requirements,
                              HostExpr::Lookup lookup);

} // namespace tilec

#endif // TILEC_LANGUAGE_REQUIREMENT_H
