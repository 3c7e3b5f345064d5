//===- Decorators.h - What a kernel's decorators say ------------*- C++ -*-===//
//
// Around a kernel, @triton.autotune lists configurations and @triton.heuristics computes parameters
// from arguments. Both are host code; what of it can be known without running Python is read here
// into plain data.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_DECORATORS_H
#define TILEC_LANGUAGE_DECORATORS_H

#include "tilec/Language/HostExpr.h"
#include "tilec/Language/Specializer.h"

namespace tilec {

/// One triton.Config: values for parameters, and how to compile.
struct TuneConfig {
  /// In the order of the source; each name once.
  std::vector<NamedConst> values;
  /// 0: not given. Where Triton has a default of its own the compiler chooses, as without a config.
  unsigned numWarps = 0;
  unsigned numStages = 0;
  unsigned numCTAs = 0;
  unsigned maxRegisters = 0;
  llvm::SMRange range;

  /// Where the number called `name` is: num_warps, num_stages, num_ctas or maxnreg. Null for
  /// another name.
  unsigned *number(llvm::StringRef name);
  /// Sets one of these numbers; None leaves it as it is. False for a value that it cannot have,
  /// which `message` then explains.
  bool setNumber(llvm::StringRef name, const ConstValue &value, std::string &message);

  /// Sets the warps, CTAs and stages that `request` leaves to the compiler.
  void addTo(KernelRequest &request) const;

  /// What tells this configuration from others, for people and files:
  /// "BLOCK=1024, num_warps=8".
  std::string str() const;
};

/// What @triton.autotune says.
struct Autotune {
  /// At least one: without any in the source, one that sets nothing.
  std::vector<TuneConfig> configs;
  /// Parameters for whose values (and for the arguments' types) a new choice is made.
  std::vector<std::string> key;
  /// Arrays to fill with zeros before each measured run, and arrays to restore after it.
  std::vector<std::string> resetToZero;
  std::vector<std::string> restoreValue;
  llvm::SMRange range;
};

/// One entry of @triton.heuristics: what it is about and what that is set to.
struct Heuristic {
  std::string name;
  HostExpr::Ref value;
  /// Not a parameter, but a number of a TuneConfig.
  bool isNumber = false;
  /// It is num_stages, of a kernel that does not read it: its value is checked, and changes
  /// nothing.
  bool isUnread = false;

  /// Sets the number that this is about; see TuneConfig::setNumber.
  bool setNumber(TuneConfig &config, const ConstValue &number, std::string &message) const;
};

/// What the decorators of a kernel say about its parameters.
struct KernelDecorators {
  std::optional<Autotune> autotune;
  /// In the order in which they are evaluated; each sees the values of those before it.
  std::vector<Heuristic> heuristics;

  bool empty() const { return !autotune && heuristics.empty(); }
};

/// Reads the decorators of `kernel`, a function of `module`. Nothing after reporting errors, each
/// at what cannot be known: a host function, a hook, a name that is no parameter. Warns of what is
/// not obeyed but changes no result (prune_configs_by, do_bench). `isGiven` says for which
/// parameters the caller has values, which win: if it has all that are tl.constexpr, what cannot be
/// known is not needed, and reported as a warning only; the result is then empty. For a kernel that
/// does not read num_stages (Stages.h) no configuration has it, and of those that differ in nothing
/// else the first is left. `sourceMgr` holds
/// the module's text and must be the one that `diagnostics` renders from. `imports` as for
/// specialize().
std::optional<KernelDecorators>
readDecorators(const ast::Module &module, const ast::FunctionDef &kernel,
               llvm::SourceMgr &sourceMgr, DiagnosticEngine &diagnostics,
               llvm::function_ref<bool(llvm::StringRef)> isGiven, Imports *imports = nullptr);

/// As with Triton, where a keyword of a launch is both, a tl.constexpr parameter that is called
/// num_warps, num_ctas or num_stages has the number that `request` gives the whole kernel, and a
/// value for the parameter is that number. False after reporting that the two differ or that the
/// value cannot be such a number. Defaults of parameters are values only.
bool shareNumbers(const ast::FunctionDef &kernel, KernelRequest &request,
                  DiagnosticEngine &diagnostics);
/// Whether `kernel` has such a parameter.
bool hasNumber(const ast::FunctionDef &kernel, llvm::StringRef name);
/// The number of `request` with one of these three names.
unsigned &numberOf(KernelRequest &request, llvm::StringRef name);

/// Evaluates the heuristics over the values of `config`, which win over `arguments`, and stores in
/// `config` what they set. False after reporting an error at the heuristic.
bool applyHeuristics(llvm::ArrayRef<Heuristic> heuristics, HostExpr::Lookup arguments,
                     DiagnosticEngine &diagnostics, TuneConfig &config);

} // namespace tilec

#endif // TILEC_LANGUAGE_DECORATORS_H
