//===- TileTargetAttr.td - what code is made for -----------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_IR_TILETARGETATTR_TD
#define TILEC_DIALECT_TILE_IR_TILETARGETATTR_TD

include "tilec/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Tile_TargetAttr : AttrDef<Tile_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the GPU that code is made for";
  let description = [{
    The name of an architecture, with the letter of its form, as `tilec --arch` takes it and in full:
    `sm_90a`, `compute_80`. A module carries it as `tile.target`. Passes ask it what the target has
    (`getArch().has(GpuFeature::Cluster)`), how much of it, and for the numbers that heuristics use.

    Example:

    ```mlir
    #tile.target<"sm_90a">
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the architecture">:$chip);
  let assemblyFormat = "`<` $chip `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tilec::GpuArch &":$arch)>];
  let extraClassDeclaration = [{
    /// The architecture of that name.
    ::tilec::GpuArch getArch() const;
  }];
}

#endif // TILEC_DIALECT_TILE_IR_TILETARGETATTR_TD
