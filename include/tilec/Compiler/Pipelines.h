//===- Pipelines.h - the passes of each stage, in order --------*- C++ -*-===//
//
// The GPU path in four stages, and the CPU path, which starts where the first of them ends. `tilec`
// and `tile-opt` call the same functions, so a test of a stage is a test of what users run.
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
  /// Slots that loops whose loads go ahead have at most; 0 for what fits by estimate.
  int64_t mostSlots = 0;
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

struct CPUPipelineOptions {
  /// Convert between f16 and f32 by integer arithmetic, for processors without instructions for it.
  bool expandF16 = false;
  /// The processor's vector registers: their number, and the bytes of each.
  int64_t vectorRegisters = 16, vectorBytes = 16;
  /// Whether one instruction adds up products of pairs of i16.
  bool addPairs = false;
  /// Whether the processor has AMX, with bf16 and i8, and this process may use it.
  bool matrixTiles = false;
  /// Whether each access to memory asks HostKernel's monitor first.
  bool checkMemory = false;
};

/// Simplified tile IR, without layouts -> the LLVM dialect. Each kernel becomes an llvm.func with
/// the parameters that convert-tile-to-cpu documents.
void addCPUPasses(mlir::OpPassManager &passes, const CPUPipelineOptions &options = {});

/// Adds the dialects that the CPU path reads and makes to `registry`.
void registerCPUDialects(mlir::DialectRegistry &registry);

/// Registers the CPU path as `tile-cpu-pipeline`, with the options `expand-f16`,
/// `vector-registers`, `vector-bytes`, `add-pairs` and `matrix-tiles`. Once a process.
void registerCPUPipeline();

} // namespace tilec

#endif // TILEC_COMPILER_PIPELINES_H
