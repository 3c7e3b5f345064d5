//===- TileDotOps.td - products of matrices ----------------*- tablegen -*-===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEDOTOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEDOTOPS_TD

def Tile_DotOp : Tile_Op<"dot", [
    Pure, AllTypesMatch<["acc", "result"]>, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>]> {
  let summary = "a product of matrices, added to a matrix";
  let description = [{
    The result is `acc` plus the product of `lhs` (M x K) and `rhs` (K x N). With a third dimension in front, each
    matrix is multiplied with the one of the same index. The order of the additions is not specified.

    | lhs and rhs | acc and result |
    |---|---|
    | f16 | f16 or f32 |
    | bf16, f32 | f32 |
    | f64 | f64 |
    | i8, signed | i32; sums wrap around |

    `precision` says how f32 operands are multiplied: `ieee` exactly as f32, `tf32` with the leading 10 bits of their
    mantissas where that is faster, and as sums of three or six products of narrower parts: `tf32x3`, `bf16x3`,
    `bf16x6`. A more precise way is always right.

    ```mlir
    %product = tile.dot %matrix, %matrixT, %square precision tf32 : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$lhs, Tile_AnyTile:$rhs, Tile_AnyTile:$acc,
                       DefaultValuedAttr<Tile_DotPrecisionAttr, "DotPrecision::IEEE">:$precision);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $precision^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEDOTOPS_TD
