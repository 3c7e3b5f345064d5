//===- TileBlockOps.td - blocks of tensors in memory -------*- tablegen -*-===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEBLOCKOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEBLOCKOPS_TD

def Tile_BlockPointersOp : Tile_Op<"block_pointers", [
    Pure, AttrSizedOperandSegments,
    TypesMatchWith<"base is a pointer as those of the result", "pointers", "base",
                   "::tilec::tile::elementOf($_self)">,
    TypesMatchWith<"inside is i1 in the pointers' shape", "pointers", "inside",
                   "::tilec::tile::boolLike($_self)">]> {
  let summary = "the pointers of a block of a tensor in memory";
  let description = [{
    A tensor in memory has its first element at `base`, and a size and a stride, in elements, for each axis. The
    result has pointers to the block of it that begins at `offsets`, and tells which of them are `inside` the tensor;
    only the axes that `guard` names are compared with their sizes. With `rows`, the block consists of these rows of
    a matrix, and the first offset is added to each. `mappable` says that the tensor is one that the hardware which
    copies blocks takes: the last stride is 1, the others and the address are multiples of 16 bytes and not negative.

    This is the one form of accesses by block pointers and by tensor descriptors: whoever wants a copy of a whole block
    finds it as the source of a load's pointers and mask. `tile-expand-blocks` makes ordinary arithmetic of it.

    ```mlir
    %part, %inside = tile.block_pointers %ptr sizes [%address64, %address64] strides [%address64, %address64] offsets [%offset, %offset] guard [0, 1] : tensor<8x16x!tile.ptr<f32>>
    %some, %valid = tile.block_pointers %ptr sizes [%address64, %address64] strides [%address64, %address64] offsets [%offset, %offset] rows %range : tensor<128xi32> guard [0, 1] : tensor<128x16x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I64>:$sizes, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       Optional<Tile_I32Tile>:$rows, DenseI64ArrayAttr:$guard, UnitAttr:$mappable);
  let results = (outs Tile_AnyTile:$pointers, Tile_AnyTile:$inside);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `]` `strides` `[` $strides `]` `offsets` `[` $offsets `]` (`rows` $rows^ `:` type($rows))?
    `guard` $guard (`mappable` $mappable^)? attr-dict `:` type($pointers)
  }];
  let hasVerifier = 1;
}

def Tile_BlockOp : Tile_Op<"block", [
    Pure, AttrSizedOperandSegments,
    TypesMatchWith<"base points to the block's elements", "block", "base", "::tilec::tile::pointerTo($_self)">]> {
  let summary = "a block of a tensor in memory, for whoever copies whole blocks";
  let description = [{
    Base, sizes, strides and offsets are as in `tile.block_pointers`, of a tensor that is `mappable` there; elements outside
    of the tensor are zeros. `of_pointers` says that the source has pointers, whose copies by threads cost less than those of a
    tensor descriptor.

    ```mlir
    %whole = tile.block %ptr sizes [%address64, %address64] strides [%address64, %address64] offsets [%offset, %offset] : !tile.block<8x16xf32>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I64>:$sizes, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       UnitAttr:$ofPointers);
  let results = (outs Tile_BlockType:$block);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `]` `strides` `[` $strides `]` `offsets` `[` $offsets `]` (`of_pointers` $ofPointers^)? attr-dict
    `:` type($block)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEBLOCKOPS_TD
