//===- TileExchangeOps.td - elements that change places ----*- tablegen -*-===//
//
// Operations whose result elements depend on operand elements at other positions, but for reductions.
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEEXCHANGEOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEEXCHANGEOPS_TD

def Tile_PermuteOp : Tile_ShapeChangeOp<"permute"> {
  let summary = "the dimensions of a tile in another order";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the source.

    ```mlir
    %turned = tile.permute %matrix order [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src, DenseI32ArrayAttr:$order);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `order` $order attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_TakeOp : Tile_Op<"take", [
    Pure, DeclareOpInterfaceMethods<Tile_RepeatableOpInterface, ["getOperandLayout"]>,
    DeclareOpInterfaceMethods<Tile_PositionOpInterface>]> {
  let summary = "the elements at one index of a dimension";
  let description = [{
    The result loses the dimension.

    ```mlir
    %third = tile.take %matrix axis 0 index 2 : tensor<8x16xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src, I32Attr:$axis, I32Attr:$index);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `axis` $axis `index` $index attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_FlipOp : Tile_Op<"flip", [
    Pure, AllTypesMatch<["src", "result"]>, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>,
    DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>,
    DeclareOpInterfaceMethods<Tile_PositionOpInterface>]> {
  let summary = "the elements along one dimension in reverse order";
  let description = [{
    Of a dimension of size 2, the neighbours change places: with a reshape before and after, so can all elements
    whose index differs in one bit.

    ```mlir
    %reversed = tile.flip %zeros axis 0 : tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `axis` $axis attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, SingleBlock, RecursiveMemoryEffects, Tile_HasScalarCode,
    DeclareOpInterfaceMethods<Tile_LayoutOpInterface>, DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>]> {
  let summary = "combines each element with those before it along one dimension";
  let description = [{
    Element i of a result combines elements 0 to i of its source, or i to the last one with `reverse`. Several
    tiles of one shape are scanned together. The region combines two groups of scalars, what is earlier (in the
    direction of the scan) first; it must be associative, but need not be commutative.

    ```mlir
    %sums = tile.scan(%zeros) axis 0 : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $srcs `)` `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type($srcs, results) $combine
  }];
  let hasVerifier = 1;
}

def Tile_FinishScanOp : Tile_Op<"finish_scan", [
    Pure, SingleBlock, RecursiveMemoryEffects, SameVariadicOperandSize, Tile_HasScalarCode]> {
  let summary = "a scan whose parts have been scanned";
  let description = [{
    The last step of a scan that several warps share. Along `axis`, a *group* is what a thread holds next to each
    other, a *part* the groups that the lanes of a warp hold next to each other. `elements` have been scanned inside
    each group; `groups`, one element for each group, inside each part; `parts` are the totals of the parts. To each of
    `elements` the operation adds what comes before its group: the group before it, if that is of the same part, and all
    parts before. The layouts of groups and parts follow from that of the elements, which are distributed as `tile.scan`
    needs it; each thread holds all parts. Direction and region as in `tile.scan`.

    ```mlir
    %scanned = tile.finish_scan elements(%spreadZeros) groups(%spreadZeros) parts(%warpZeros) axis 0 : (tensor<128xf32, #spread>, tensor<128xf32, #spread>, tensor<4xf32, #warpParts>) -> tensor<128xf32, #spread> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$elements, Variadic<Tile_AnyTile>:$groups,
                       Variadic<Tile_AnyTile>:$parts, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `elements` `(` $elements `)` `groups` `(` $groups `)` `parts` `(` $parts `)` `axis` $axis (`reverse` $reverse^)?
    attr-dict `:` functional-type(operands, results) $combine
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [
    Pure, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>, DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>]> {
  let summary = "elements at computed indices along one dimension";
  let description = [{
    Each element of the result is the source's element at the same position but along `axis`, where its position is
    the index. The result has the shape of the indices, which may differ from the source's along `axis` only. An
    index outside of the source gives an unspecified element. Indices that differ from positions in the same bits
    everywhere (`arange ^ 4`) are flips of parts of the axis, which the canonicalizer makes of them.

    ```mlir
    %picked = tile.gather %zeros[%range] axis 0 : tensor<128xf32>, tensor<128xi32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src, Tile_TileOf<Tile_WideInt, "i32 or i64">:$indices, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` `axis` $axis attr-dict `:` type($src) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [
    Pure, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>, DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>,
    OptionalTypesMatchWith<"mask is i1 in the source's shape", "src", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "counts how often each value occurs";
  let description = [{
    Element i of the result is the number of elements of the source that are i and whose mask is true. Other values
    are not counted.

    ```mlir
    %counts = tile.histogram %range mask %mask : tensor<128xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins Tile_TileOf<Tile_WideInt, "i32 or i64">:$src,
                       Optional<Tile_TileOf<I1, "i1">>:$mask);
  let results = (outs Tile_I32Tile:$result);
  let assemblyFormat = "$src (`mask` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEEXCHANGEOPS_TD
