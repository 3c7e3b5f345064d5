//===- Pipeline.h - from tile IR to LLVM for the host ----------*- C++ -*-===//

#ifndef TILEC_CONVERSION_TILETOLINALG_PIPELINE_H
#define TILEC_CONVERSION_TILETOLINALG_PIPELINE_H

namespace mlir {
class OpPassManager;
class DialectRegistry;
} // namespace mlir

namespace tilec::tile {

struct HostPipelineOptions {
  /// Convert between f16 and f32 by integer arithmetic, for processors without instructions for it.
  bool expandF16 = false;
};

/// Appends to `passes` (over a module) the passes from tile IR without layouts to the LLVM dialect.
/// Each kernel becomes an llvm.func with the parameters that convert-tile-to-linalg documents.
void buildHostPipeline(mlir::OpPassManager &passes, const HostPipelineOptions &options = {});

/// Registers the pipeline as `tile-host-pipeline`, with the option `expand-f16`. Once a process.
void registerHostPipeline();

/// Adds the dialects that the pipeline reads and makes to `registry`.
void registerHostDialects(mlir::DialectRegistry &registry);

} // namespace tilec::tile

#endif // TILEC_CONVERSION_TILETOLINALG_PIPELINE_H
