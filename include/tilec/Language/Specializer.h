//===- Specializer.h - From the syntax tree to tile IR ----------*- C++ -*-===//
//
// The Specializer turns one kernel of a parsed file, the types of its run-time parameters and the
// values of its constexpr parameters into tile IR. It interprets the kernel abstractly: a name is
// bound to a compile-time value or to an IR value with a type that knows signedness. Calls of other
// jit functions are specialised and inlined.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_SPECIALIZER_H
#define TILEC_LANGUAGE_SPECIALIZER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Arch/GpuArch.h"
#include "tilec/Arch/TensorMaps.h"
#include "tilec/Arch/WarpRoles.h"
#include "tilec/Language/AST.h"
#include "tilec/Language/Imports.h"
#include "tilec/Language/Signature.h"

namespace tilec {

/// A compile-time value for the parameter of that name.
struct NamedConst {
  std::string name;
  ConstValue value;
  llvm::SMRange range; // Where it was given, for messages; may be invalid.
};

/// Which kernel to build, and how.
struct KernelRequest {
  std::string kernel;
  Signature signature;
  /// Win over the signature and over defaults.
  std::vector<NamedConst> constexprs;
  /// 0: the GPU pipeline chooses (tile-choose-launch).
  unsigned numWarps = 0;
  unsigned numCTAs = 0;
  /// Stages of loops that load the operands of a tl.dot and have no number of their own; 0: the
  /// compiler chooses. A kernel that does not read it (Stages.h) gets the same code for any.
  unsigned numStages = 0;
  WarpRoles warpRoles = WarpRoles::Asked;
  TensorMaps tensorMaps = TensorMaps::Kernel;
  /// Code for launches by tilec's own runtime, which makes tensor maps and knows the threads.
  void setForRuntime() {
    warpRoles = WarpRoles::Auto;
    tensorMaps = TensorMaps::Launcher;
  }
  /// The GPU to compile for; nothing for a target that is no CUDA device.
  std::optional<GpuArch> arch;
  /// Keep `assert` and `tl.device_assert`, and check integer arithmetic for overflow.
  bool debug = false;
  /// With `debug`: check overflow.
  bool sanitizeOverflow = true;
  /// Allow a multiplication and an addition to become one operation.
  bool enableFpFusion = true;
};

/// What became of a kernel's parameters.
struct KernelInfo {
  struct Constexpr {
    std::string name;
    std::string value; // As the language writes it.

    /// The value; nothing for functions and other things that are no constants.
    std::optional<ConstValue> read() const;
  };
  std::string symbol;
  std::vector<KernelParam> params; // In the order of the function's arguments.
  /// What launches pass, one for each parameter that is no constant: the signature of this kernel.
  /// Its innermost items with a type are `params`, in order.
  std::vector<SignatureItem> arguments;
  std::vector<Constexpr> constexprs;
};

/// Loads the dialects that the Specializer creates operations of.
void loadSpecializerDialects(mlir::MLIRContext &context);

/// Builds the kernel `request.kernel` of `module`. On success the result holds one `func.func` with
/// the kernel's symbol, and `info` describes it; otherwise it is null and errors were reported.
/// Buffers of the library's own kernel code are added to `sourceMgr`, which must be the one that
/// `diagnostics` renders from. `imports`, of the same SourceMgr, finds what the file imports;
/// without it every imported name is missing. Not thread-safe for one MLIRContext or SourceMgr.
mlir::OwningOpRef<mlir::ModuleOp> specialize(mlir::MLIRContext &context, const ast::Module &module,
                                             llvm::SourceMgr &sourceMgr,
                                             const KernelRequest &request,
                                             DiagnosticEngine &diagnostics, KernelInfo &info,
                                             Imports *imports = nullptr);

/// The `@triton.jit` functions of a module, in file order. Which of them are kernels is decided by
/// who launches them. Reports nothing. `imports` as for specialize().
std::vector<const ast::FunctionDef *> listJitFunctions(const ast::Module &module,
                                                       Imports *imports = nullptr);

} // namespace tilec

#endif // TILEC_LANGUAGE_SPECIALIZER_H
