//===- Pipelines.cpp - the passes of each stage, in order ------*- C++ -*-===//

#include "tilec/Compiler/Pipelines.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Conversion/TileToGPU/TileToGPU.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

void tilec::addTilePasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void tilec::addLayoutPasses(OpPassManager &passes, const GPUPipelineOptions &options) {
  passes.addNestedPass<func::FuncOp>(tile::createTileScalarSteps());
  tile::TileChooseLaunchOptions launch;
  launch.computeCapability = options.computeCapability;
  launch.sharedLimit = options.ringLimit;
  launch.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tile::createTileChooseLaunch(launch));
  passes.addNestedPass<func::FuncOp>(tile::createTileStreamTiles());
  passes.addNestedPass<func::FuncOp>(tile::createTileAssignLayouts());
  // Values that were made again for several users are often the same after all.
  passes.addPass(createCSEPass());
  // Ranges and masks inside a loop rarely depend on it.
  passes.addPass(createLoopInvariantCodeMotionPass());
  tile::TilePipelineLoadsOptions stages;
  stages.sharedLimit = options.ringLimit;
  passes.addNestedPass<func::FuncOp>(tile::createTilePipelineLoads(stages));
  passes.addNestedPass<func::FuncOp>(tile::createTilePrefetchLoads());
  passes.addNestedPass<func::FuncOp>(tile::createTileHoistLoads());
  // From here on exchanges are stores, barriers and loads, whose order is final.
  passes.addNestedPass<func::FuncOp>(tile::createTileExpandExchanges());
  passes.addNestedPass<func::FuncOp>(tile::createTileAllocateShared());
  passes.addNestedPass<func::FuncOp>(tile::createTileInsertBarriers());
}

void tilec::addDistributionPasses(OpPassManager &passes, const GPUPipelineOptions &options) {
  tile::ConvertTileToGPUOptions conversion;
  conversion.computeCapability = options.computeCapability;
  passes.addPass(tile::createConvertTileToGPU(conversion));
  // Each pattern reads the thread's number and makes its constants anew.
  passes.addPass(createCSEPass());
  passes.addPass(tile::createTileExpandMath());
}

void tilec::addNVVMPasses(OpPassManager &passes, const GPUPipelineOptions &options) {
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass());
  // Without it accesses of 64-bit integers are translated as aligned to 4 bytes, and split.
  SetLLVMModuleDataLayoutPassOptions layout;
  layout.dataLayout = llvm::Triple("nvptx64-nvidia-cuda").computeDataLayout();
  passes.addPass(createSetLLVMModuleDataLayoutPass(layout));
  passes.addNestedPass<LLVM::LLVMFuncOp>(tile::createTileMarkKernels());
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    scopes.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<unsigned> computeCapability{*this, "compute-capability",
                                     llvm::cl::desc("target's compute capability times ten"),
                                     llvm::cl::init(75)};
  Option<bool> lineInfo{*this, "line-info", llvm::cl::desc("keep locations as line tables"),
                        llvm::cl::init(false)};
  Option<unsigned> ringLimit{*this, "ring-limit",
                             llvm::cl::desc("bytes of shared memory for loads of later iterations"),
                             llvm::cl::init(0)};
};
} // namespace

void tilec::registerGPUPipeline() {
  PassPipelineRegistration<TextOptions>(
      "tile-gpu-pipeline", "from tile IR to the LLVM and NVVM dialects, as tilec does it",
      [](OpPassManager &passes, const TextOptions &text) {
        GPUPipelineOptions options;
        options.computeCapability = text.computeCapability;
        options.lineInfo = text.lineInfo;
        options.ringLimit = text.ringLimit;
        addTilePasses(passes);
        addLayoutPasses(passes, options);
        addDistributionPasses(passes, options);
        addNVVMPasses(passes, options);
      });
}
