//===- GPUPipeline.cpp - the passes of the GPU path, in order --*- C++ -*-===//
//
// The order of the passes on the GPU path, with the reasons for it. There are four stages: tile IR
// is simplified, tiles get layouts and shared memory, the program becomes the work of one thread,
// and that becomes the LLVM and NVVM dialects. The Compiler and the textual pipeline of tile-opt
// both come here.
//
//===----------------------------------------------------------------------===//

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
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileFoldComparisons());
  // Before the simplification that adds to the new dots' accumulators.
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileFormDots());
  passes.addPass(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSimplifyLoops());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileFoldMaskedSums());
}

void tilec::addLayoutPasses(OpPassManager &passes, const GPUPipelineOptions &options) {
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileExpandBlocks());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileForwardStores());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSelectBranches());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileScalarSteps());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileJoinReductions());
  // Boxes that become factors are matrices before anybody asks how they are read.
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileFlattenLoads());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileUniformLoads());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileExpandDots());
  tilec::tile::TileChooseLaunchOptions launch;
  launch.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileChooseLaunch(launch));
  passes.addPass(tilec::tile::createTilePackPrograms());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSwapFactors());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileScaleMaxima());
  // Before loads become copies, which take the hint over.
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileMarkStreams());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileStreamTiles());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileRelaxAtomics());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileMaskRows());
  tilec::tile::TileVersionKernelsOptions versions;
  versions.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileVersionKernels(versions));
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileFindBlocks());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileAssignLayouts());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileRollTiles());
  // Values that were rematerialized for several users are often the same after all.
  passes.addPass(createCSEPass());
  // Ranges and masks inside a loop rarely depend on it.
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileCarrySums());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileDeferReductions());
  tilec::tile::TilePersistProgramsOptions persist;
  persist.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTilePersistPrograms(persist));
  tilec::tile::TilePipelineLoadsOptions pipeline;
  pipeline.mostSlots = options.mostSlots;
  pipeline.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTilePipelineLoads(pipeline));
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTilePrefetchLoads());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileHoistLoads());
  // Slots are there to be read by wgmma, and conversions that it makes needless are not exchanges
  // yet.
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileUseWarpGroups());
  // Copies go to warps of their own once it is known what reads the slots.
  tilec::tile::TileSpecializeWarpsOptions roles;
  roles.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSpecializeWarps(roles));
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileDelayProducts());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSplitProducts());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTilePartProducts());
  // Conversions for stores that hardware makes are not exchanges, either.
  tilec::tile::TileStoreBlocksOptions stores;
  stores.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileStoreBlocks(stores));
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTilePassTensorMaps());
  // From here on exchanges are stores, barriers and loads, whose order is final.
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileExpandExchanges());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSinkLoads());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileCopyLoads());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileAllocateShared());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileInsertBarriers());
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileSplitBarriers());
  tilec::tile::TileSettlePackingOptions packing;
  packing.remarks = options.remarks;
  passes.addPass(tilec::tile::createTileSettlePacking(packing));
}

void tilec::addDistributionPasses(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(tilec::tile::createTileRetireWarps());
  passes.addPass(tilec::tile::createConvertTileToGPU());
  passes.addPass(tilec::tile::createTileMergePacked());
  // Each pattern reads the thread's number and creates its own constants.
  passes.addPass(createCSEPass());
  passes.addPass(tilec::tile::createTileExpandMath());
}

void tilec::addNVVMPasses(OpPassManager &passes, const GPUPipelineOptions &options) {
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass());
  // Without it accesses of 64-bit integers are translated as aligned to 4 bytes, and split.
  SetLLVMModuleDataLayoutPassOptions layout;
  layout.dataLayout = llvm::Triple("nvptx64-nvidia-cuda").computeDataLayout();
  passes.addPass(createSetLLVMModuleDataLayoutPass(layout));
  passes.addPass(tilec::tile::createTileMarkKernels());
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    scopes.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("what to compile for, in place of the module's target"),
                           llvm::cl::init("")};
  ListOption<std::string> disableHeuristics{*this, "disable-heuristics",
                                            llvm::cl::desc("heuristics to switch off")};
  Option<bool> lineInfo{*this, "line-info", llvm::cl::desc("keep locations as line tables"),
                        llvm::cl::init(false)};
};
} // namespace

void tilec::registerGPUPipeline() {
  PassPipelineRegistration<TextOptions>(
      "tile-gpu-pipeline", "from tile IR to the LLVM and NVVM dialects, as tilec does it",
      [](OpPassManager &passes, const TextOptions &text) {
        GPUPipelineOptions options;
        options.lineInfo = text.lineInfo;
        if (!text.arch.empty() || !text.disableHeuristics.empty()) {
          tilec::tile::TileAttachTargetOptions target;
          if (!text.arch.empty())
            target.arch = text.arch;
          target.disableHeuristics.assign(text.disableHeuristics.begin(),
                                          text.disableHeuristics.end());
          passes.addPass(tilec::tile::createTileAttachTarget(target));
        }
        addTilePasses(passes);
        addLayoutPasses(passes, options);
        addDistributionPasses(passes);
        addNVVMPasses(passes, options);
      });
}
