//===- Passes.td - passes on tile IR -----------------------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// In the order in which they run.
include "tilec/Dialect/Tile/Transforms/SimplifyPasses.td"
include "tilec/Dialect/Tile/Transforms/LayoutPasses.td"
include "tilec/Dialect/Tile/Transforms/LoopPasses.td"
include "tilec/Dialect/Tile/Transforms/SharedMemoryPasses.td"

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
