//===- TileTypes.td - types and type constraints -----------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_IR_TILETYPES_TD
#define TILEC_DIALECT_TILE_IR_TILETYPES_TD

include "tilec/Dialect/Tile/IR/TileAttrs.td"
include "mlir/IR/AttrTypeBase.td"

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "an address in global memory of an element of one type";
  let description = [{
    64 bits wide. The pointee is an integer or float of 8 to 64 bits, or another pointer. A buffer of
    booleans holds one byte an element, so its pointer is `!tile.ptr<i8>`.

    Example: `!tile.ptr<f32>`
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let genVerifyDecl = 1;
}

def Tile_BufferType : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a place for a tile in the shared memory of a CTA";
  let description = [{
    Holds the elements of a tile of the given shape, each at the offset that `map` gives it; of a tile that is spread
    over the CTAs of a cluster, those of its own CTA. Booleans take a byte, pointers 8.

    Before layouts are assigned, a buffer need not have a map.

    With `rounds` above 1 the memory holds one of so many equal parts of the offsets at a time, and the tile
    goes through it in as many rounds: element offset / (offsets / rounds) is the round of an element. With `slots`
    above 1 it holds so many tiles, one after the other, for instance those of several iterations of a loop.

    Examples: `!tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>`, with 4 bytes for each of
    128 elements, `!tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, rounds = 2>`, half of it, and
    `!tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 3>`, three times as much.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "SharedAttr":$map,
                        "int64_t":$rounds, "int64_t":$slots);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements of one round.
    int64_t getRoundElements() const { return getMap().getNumElements() / getRounds(); }
    /// Bytes of shared memory of one slot, and of all. The buffer must have a map.
    int64_t getSlotBytes() const;
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
  }];
}

def Tile_MBarrierType : TypeDef<Tile_Dialect, "MBarrier"> {
  let mnemonic = "mbarrier";
  let summary = "barrier objects in the shared memory of a CTA";
  let description = [{
    Threads arrive at one and wait for it at two places. Its phases follow each other: one ends when as many arrivals have been made as
    it expects.

    Example: `!tile.mbarrier`
  }];
}

def Tile_BlockType : TypeDef<Tile_Dialect, "Block"> {
  let mnemonic = "block";
  let summary = "a block of a tensor in global memory";
  let description = [{
    Where it is, and what the tensor is: no more than a description, in scalars.

    Example: `!tile.block<128x64xf16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_MapPlaceType : TypeDef<Tile_Dialect, "MapPlace"> {
  let mnemonic = "map_place";
  let summary = "a place in global memory for the tensor maps of a CTA";
  let description = [{
    Example: `!tile.map_place`
  }];
}

def Tile_TensorMapType : TypeDef<Tile_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a tensor in global memory as the hardware that copies blocks knows it";
  let description = [{
    For copies of blocks of this shape into buffers with this map, which takes the blocks' elements in row-major order.

    Example: `!tile.tensor_map<8x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72]>>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "SharedAttr":$map);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_PrivateType : TypeDef<Tile_Dialect, "Private"> {
  let mnemonic = "private";
  let summary = "memory of a single thread";
  let description = [{
    Room for so many elements of each thread, in local memory.

    Example: `!tile.private<512 x f32>`
  }];
  let parameters = (ins "int64_t":$count, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $count `x` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer of 1, 8, 16, 32 or 64 bits">;
def Tile_WideInt : AnyTypeOf<[I32, I64], "i32 or i64">;
def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Tile_Scalar : AnyTypeOf<[Tile_Int, Tile_Float, Tile_PtrType], "integer, float or pointer">;

class Tile_TileOf<Type element, string what> :
    Type<And<[
      CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
      CPred<"::tilec::tile::isTileShape(::llvm::cast<::mlir::RankedTensorType>($_self).getShape())">,
      SubstLeaves<"$_self", "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()",
                  element.predicate>]>,
      "tile (1 or more dimensions, each a power of two, at most 2^20 elements) of " # what,
      "::mlir::RankedTensorType">;

def Tile_AnyTile : Tile_TileOf<Tile_Scalar, "integer, float or pointer">;
def Tile_I32Tile : Tile_TileOf<I32, "i32">;

def Tile_Any : AnyTypeOf<[Tile_Scalar, Tile_AnyTile], "scalar or tile">;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_TileOf<Tile_PtrType, "pointer">],
                             "pointer or tile of pointers">;
def Tile_IntLike : AnyTypeOf<[Tile_Int, Tile_TileOf<Tile_Int, "integer">],
                             "integer or tile of integers">;
def Tile_BoolLike : AnyTypeOf<[I1, Tile_TileOf<I1, "i1">], "i1 or tile of i1">;
def Tile_I64Like : AnyTypeOf<[I64, Tile_TileOf<I64, "i64">], "i64 or tile of i64">;

#endif // TILEC_DIALECT_TILE_IR_TILETYPES_TD
