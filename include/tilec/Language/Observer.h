//===- Observer.h - What the values of a kernel are -------------*- C++ -*-===//
//
// Editors show the type and the shape of variables. The specializer knows them when it binds or
// reads a name, and tells an observer, which whoever specializes a kernel can give it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_OBSERVER_H
#define TILEC_LANGUAGE_OBSERVER_H

#include "mlir/IR/Location.h"
#include "tilec/Language/Specializer.h"

namespace tilec {

/// A value as the language writes it.
struct ObservedValue {
  /// "float32[128, 64]", "pointer<float32>", "constexpr int", "(int32, float32[16])".
  std::string type;
  /// What is known of it while compiling, "128"; empty for values of run time, functions and
  /// modules.
  std::string constant;
  /// A block of run time, which has a shape.
  bool isBlock = false;
  /// Of a block: where the operation stands that made it.
  std::optional<mlir::Location> place;
};

/// Told of values while a kernel is specialized.
class ValueObserver {
public:
  virtual ~ValueObserver() = default;

  /// A name that is written at `range` is bound to this value, or read as it. Called once for each
  /// time that the code is interpreted, so in unrolled loops and in functions that are called
  /// several times repeatedly, perhaps with different values. `range` may be in an imported file.
  virtual void observe(llvm::SMRange range, llvm::StringRef name, const ObservedValue &value) = 0;

  /// Asked before each statement: true if no more statements shall be interpreted. Then there is no
  /// result, and nothing is reported about it.
  virtual bool shouldStop() { return false; }
};

/// As specialize(), and tells `observer`, which must not be destroyed meanwhile, of the values.
mlir::OwningOpRef<mlir::ModuleOp>
specializeObserved(mlir::MLIRContext &context, const ast::Module &module,
                   llvm::SourceMgr &sourceMgr, const KernelRequest &request,
                   DiagnosticEngine &diagnostics, KernelInfo &info, Imports *imports,
                   ValueObserver &observer);

} // namespace tilec

#endif // TILEC_LANGUAGE_OBSERVER_H
