//===- CPUPipeline.cpp - the passes of the CPU path, in order --*- C++ -*-===//
//
// The passes of the CPU path in order, with the reason for each position. Tile IR becomes loops
// over buffers, arithmetic is expanded to what every processor does alike, and upstream conversions
// take the rest to the LLVM dialect. HostLower.cpp runs this pipeline; tile-opt has it by name.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/Pipelines.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Conversion/TileToCPU/Passes.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tilec::tile;

void tilec::addCPUPasses(OpPassManager &passes, const CPUPipelineOptions &options) {
  // A tile cannot cross a call: its buffer belongs to one function.
  passes.addPass(createInlinerPass());
  // After calls, through which numbers reach the text of inline assembly.
  passes.addNestedPass<func::FuncOp>(createTileTranslateAssembly());
  passes.addNestedPass<func::FuncOp>(createTileExpandBlocks());
  passes.addNestedPass<func::FuncOp>(createCSEPass());

  // Before tiles become buffers, as it asks what a carried tile is.
  passes.addNestedPass<func::FuncOp>(createTileScalarSteps());
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  ConvertTileToCPUOptions convert;
  convert.vectorRegisters = options.vectorRegisters;
  convert.vectorBytes = options.vectorBytes;
  convert.addPairs = options.addPairs;
  convert.matrixTiles = options.matrixTiles;
  convert.checkMemory = options.checkMemory;
  passes.addPass(createConvertTileToCPU(convert));

  // Before anything is converted to LLVM, whose integer operations may be undefined, and after
  // tiles have become loops: on scalars inside linalg's bodies.
  TileCPUExpandMathOptions expand;
  expand.expandF16 = options.expandF16;
  passes.addNestedPass<func::FuncOp>(createTileCPUExpandMath(expand));
  passes.addNestedPass<func::FuncOp>(createTileCPUCarryBF16());
  passes.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // The index arithmetic of linalg's maps.
  passes.addNestedPass<func::FuncOp>(createLowerAffinePass());
  passes.addNestedPass<func::FuncOp>(createSCFToControlFlowPass());
  // Returns from the middle of a kernel, which structured control flow cannot.
  passes.addPass(createTileCPUAsserts());

  // To LLVM. Math first: what has no intrinsic becomes calls of functions declared in the module.
  passes.addNestedPass<func::FuncOp>(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  // The final fold of a reduction is a vector operation.
  passes.addPass(createConvertVectorToLLVMPass());
  ConvertFuncToLLVMPassOptions functions;
  // The scratch memory has a fixed size: one pointer says it all.
  functions.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(functions));
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct TextualOptions : PassPipelineOptions<TextualOptions> {
  Option<bool> expandF16{*this, "expand-f16", llvm::cl::desc("convert f16 by integer arithmetic"),
                         llvm::cl::init(false)};
  Option<int64_t> vectorRegisters{*this, "vector-registers", llvm::cl::desc("vector registers"),
                                  llvm::cl::init(16)};
  Option<int64_t> vectorBytes{*this, "vector-bytes", llvm::cl::desc("bytes of a vector register"),
                              llvm::cl::init(16)};
  Option<bool> addPairs{*this, "add-pairs", llvm::cl::desc("an instruction adds pairs of products"),
                        llvm::cl::init(false)};
  Option<bool> matrixTiles{*this, "matrix-tiles", llvm::cl::desc("the processor has AMX"),
                           llvm::cl::init(false)};
  Option<bool> checkMemory{*this, "check-memory", llvm::cl::desc("accesses ask before they happen"),
                           llvm::cl::init(false)};
};
} // namespace

void tilec::registerCPUPipeline() {
  PassPipelineRegistration<TextualOptions>(
      "tile-cpu-pipeline", "from tile IR to the LLVM dialect for the CPU",
      [](OpPassManager &passes, const TextualOptions &textual) {
        CPUPipelineOptions options;
        options.expandF16 = textual.expandF16;
        options.vectorRegisters = textual.vectorRegisters;
        options.vectorBytes = textual.vectorBytes;
        options.addPairs = textual.addPairs;
        options.matrixTiles = textual.matrixTiles;
        options.checkMemory = textual.checkMemory;
        addCPUPasses(passes, options);
      });
}

void tilec::registerCPUDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, TileDialect, ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
}
