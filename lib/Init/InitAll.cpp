//===- InitAll.cpp - registers dialects, interfaces and passes -*- C++ -*-===//
//
// Both paths together, for tools that take any pipeline as text.
//
//===----------------------------------------------------------------------===//

#include "tilec/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Compiler/Pipelines.h"
#include "tilec/Conversion/TileToCPU/Passes.h"
#include "tilec/Conversion/TileToGPU/TileToGPU.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

void tilec::registerAllDialects(mlir::DialectRegistry &registry) {
  registerGPUDialects(registry);
  registerCPUDialects(registry);
}

void tilec::registerAllPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerLoopInvariantCodeMotionPass();
  tilec::tile::registerTilePasses();
  tilec::tile::registerTileToGPUPasses();
  tilec::tile::registerTileToCPUPasses();
  registerGPUPipeline();
  registerCPUPipeline();
}
