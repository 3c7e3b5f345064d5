//===- Pipelines.h - the passes of each stage, in order --------*- C++ -*-===//
//
// The GPU path in four stages. `tilec` and `tile-opt` call the same functions, so a test of a stage
// is a test of what users run.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_PIPELINES_H
#define TILEC_COMPILER_PIPELINES_H

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tilec {

/// What the passes do not find on the module: its `tile.target` says what it is compiled for.
struct GPUPipelineOptions {
  /// Keep source locations as debug information, line tables only.
  bool lineInfo = false;
  /// Say in remarks what was chosen for a kernel, and why.
  bool remarks = false;
};

/// Tile IR as the front end makes it -> simplified tile IR.
void addTilePasses(mlir::OpPassManager &passes);
/// -> tiles with layouts, and scratch placed in shared memory.
void addLayoutPasses(mlir::OpPassManager &passes, const GPUPipelineOptions &options);
/// -> the work of one thread: arith, math, scf and vector operations, NVVM where it must be.
void addDistributionPasses(mlir::OpPassManager &passes);
/// -> the LLVM and NVVM dialects alone, ready for translation.
void addNVVMPasses(mlir::OpPassManager &passes, const GPUPipelineOptions &options);

/// Adds to `registry` the dialects that the GPU path reads and makes, with their conversions to
/// LLVM and translations to LLVM IR.
void registerGPUDialects(mlir::DialectRegistry &registry);

/// Registers `tile-gpu-pipeline`, the four stages in a row, with the options `arch`,
/// `disable-heuristics` (both as in `tile-attach-target`) and `line-info`. Once a process.
void registerGPUPipeline();

} // namespace tilec

#endif // TILEC_COMPILER_PIPELINES_H
