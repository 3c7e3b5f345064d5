//===- TilePrivateOps.td - memory of single threads --------*- tablegen -*-===//
//
// Where threads keep what does not stay in registers, by number: a loop over the pieces of a tile cannot name registers.
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEPRIVATEOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEPRIVATEOPS_TD

def Tile_PrivateMemory : Resource<"::tilec::tile::PrivateMemory">;

def Tile_AllocPrivateOp : Tile_Op<"alloc_private", [MemoryEffects<[MemAlloc<Tile_PrivateMemory>]>]> {
  let summary = "memory of each thread";
  let description = [{
    It exists until the kernel ends, and is the same in each iteration of a loop around.

    ```mlir
    %kept = tile.alloc_private : !tile.private<8 x f32>
    ```
  }];
  let results = (outs Tile_PrivateType:$memory);
  let assemblyFormat = "attr-dict `:` type($memory)";
}

def Tile_PrivateStoreOp : Tile_Op<"private_store", [Tile_WritesNoArrays]> {
  let summary = "keeps a tile in the memory of its threads";
  let description = [{
    The elements that a thread has of the tile, in the order of its registers, become its elements `slot` times that number and
    following. They must be there: `slot` is less than the number of such tiles that there is room for.

    ```mlir
    tile.private_store %spreadZeros into %private[%slot] : tensor<128xf32, #spread>, !tile.private<8 x f32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$value, Arg<Tile_PrivateType, "", [MemWrite<Tile_PrivateMemory>]>:$memory, I32:$slot);
  let assemblyFormat = "$value `into` $memory `[` $slot `]` attr-dict `:` type($value) `,` type($memory)";
  let hasVerifier = 1;
}

def Tile_PrivateLoadOp : Tile_Op<"private_load", [Tile_WritesNoArrays]> {
  let summary = "a tile that was kept in the memory of its threads";
  let description = [{
    What tile.private_store wrote there, tiles of the same layout or other numbers of them that together have the same elements:
    registers are numbered as in the layout of the result.

    ```mlir
    %again = tile.private_load %private[%slot] : !tile.private<8 x f32> -> tensor<128xf32, #spread>
    ```
  }];
  let arguments = (ins Arg<Tile_PrivateType, "", [MemRead<Tile_PrivateMemory>]>:$memory, I32:$slot);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$memory `[` $slot `]` attr-dict `:` type($memory) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEPRIVATEOPS_TD
