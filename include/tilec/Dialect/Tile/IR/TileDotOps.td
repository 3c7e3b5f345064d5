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
    | i8 `as` 8-bit floats | f32 |

    The bytes of both factors are f8E4M3FN or f8E5M2 where `as` names these types. Targets with instructions for them
    may add up with fewer bits than f32 has. With `piece`, they do so only for products of so many neighbours along the
    depth, rounded up to what one instruction takes; the sums of pieces are added as f32.

    `precision` says how f32 operands are multiplied: `ieee` exactly as f32, `tf32` with the leading 10 bits of their
    mantissas where that is faster, and as sums of three or six products of narrower parts: `tf32x3`, `bf16x3`,
    `bf16x6`. A more precise way is always right.

    `rowsTogether`, 1, 2 or 4, is how many neighbouring rows of the left factor a thread should have where instructions
    leave that open: those of warp groups do, if the factor comes from registers.

    ```mlir
    %product = tile.dot %matrix, %matrixT, %square precision tf32 : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$lhs, Tile_AnyTile:$rhs, Tile_AnyTile:$acc,
                       DefaultValuedAttr<Tile_DotPrecisionAttr, "DotPrecision::IEEE">:$precision,
                       OptionalAttr<TypeAttr>:$lhsFloat, OptionalAttr<TypeAttr>:$rhsFloat,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$piece,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$rowsTogether);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $precision^)? (`as` $lhsFloat^ `,` $rhsFloat)? attr-dict `:` type($lhs) `,`
    type($rhs) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "mlir::Value":$lhs, "mlir::Value":$rhs, "mlir::Value":$acc, "DotPrecision":$precision), [{
      build($_builder, $_state, acc.getType(), lhs, rhs, acc, precision, /*lhsFloat=*/mlir::TypeAttr(),
            /*rhsFloat=*/mlir::TypeAttr(), /*piece=*/mlir::IntegerAttr(), /*rowsTogether=*/1);
    }]>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

def Tile_GroupDotOp : Tile_Op<"group_dot", [
    AttrSizedOperandSegments,
    TypesMatchWith<"the sum has the type of the result", "result", "acc", "$_self">]> {
  let summary = "starts a product of matrices in groups of four warps";
  let description = [{
    As `tile.dot` of f16, bf16, f32 (as tf32) or i8, on targets with wgmma. `rhs` is read from a buffer, `lhs` from a buffer or from
    registers; from a slot, counted from 0, where the buffer has several; `transposed` says that the buffer holds the
    transposed matrix. The operation does not wait: until a `tile.group_wait` that leaves fewer products in flight
    than were started since, only another `tile.group_dot` may add to the result, which the loop may carry, and nothing
    may write into the slots. The products of a thread are made in order. Of 8 and 32 bits, neighbours along the depth
    are neighbours in the buffer. With `keep`, the sum starts from zero where that is false. Of the depth, only `count`
    elements from `first` on are multiplied if `depth` is [first, count]. With `parts`, a thread's registers of the result are
    made in that many parts, from the lowest on, and each is complete before the next one starts: what takes it up may
    stand in between, and the result is complete.

    ```mlir
    %sum = tile.group_dot %groupRows, %groupStages[%slot], %groupSum : tensor<64x16xf16, #groupRows>, !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>, slots = 2> -> tensor<64x16xf32, #group>
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[Tile_AnyTile, Tile_BufferType]>, "", [MemRead<Tile_AsyncSharedMemory>]>:$lhs,
                       Optional<I32>:$lhsSlot, UnitAttr:$lhsTransposed, Tile_AsyncReadBuffer:$rhs,
                       Optional<I32>:$rhsSlot, UnitAttr:$rhsTransposed, Tile_AnyTile:$acc, Optional<I1>:$keep,
                       OptionalAttr<TypeAttr>:$lhsFloat, OptionalAttr<TypeAttr>:$rhsFloat,
                       OptionalAttr<DenseI64ArrayAttr>:$depth, OptionalAttr<I64Attr>:$parts);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    (`transposed` $lhsTransposed^)? $lhs (`[` $lhsSlot^ `]`)? `,` (`transposed` $rhsTransposed^)? $rhs
    (`[` $rhsSlot^ `]`)? `,` $acc (`if` $keep^)? (`as` $lhsFloat^ `,` $rhsFloat)? (`depth` $depth^)?
    (`parts` $parts^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Elements along the depth of both factors.
    int64_t getFullDepth();
    /// The first of them that is multiplied, and how many are.
    std::pair<int64_t, int64_t> getDepthRange();
  }];
  let hasVerifier = 1;
}

def Tile_GroupWaitOp : Tile_Op<"group_wait", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "waits until at most some of the latest products of warp groups are in flight";
  let description = [{
    The results are the values, which are complete then: all products that added to them are done. Each thread waits
    for those of its group.

    ```mlir
    %done = tile.group_wait 0 for %groupSum : tensor<64x16xf32, #group> -> tensor<64x16xf32, #group>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Variadic<Tile_AnyTile>:$values);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let assemblyFormat = "$pending (`for` $values^ `:` type($values) `->` type($results))? attr-dict";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEDOTOPS_TD
