//===- TileBulkOps.td - copies of whole blocks -------------*- tablegen -*-===//
//
// Copies that one thread starts and hardware makes: of a block of a tensor, with what lies outside of it as zeros, into a
// slot of a buffer, and back, where nothing outside is written. The hardware knows the tensor by a map, which the kernel makes
// for itself in global memory, or which is a parameter; it says at a barrier object that a block has landed. It accesses shared memory by another path than threads do
// (PTX, "Async proxy"). Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEBULKOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEBULKOPS_TD

def Tile_MakeTensorMapsOp : Tile_Op<"make_tensor_maps", [
    MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments, Tile_WritesNoArrays]> {
  let summary = "makes tensor maps for a CTA";
  let description = [{
    The maps of some tensors, each described as in `tile.block`, one after the other. They are in a place in global memory
    that no other CTA that runs has, until `tile.release_tensor_maps`. The first warp makes them, and composes them in
    `scratch`, which no other thread uses meanwhile; only copies that it starts know them.

    ```mlir
    %place, %maps = tile.make_tensor_maps %ptr : !tile.ptr<f32> sizes [%address64, %address64] strides [%address64, %address64] through %buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> !tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    ```
  }];
  let arguments = (ins Variadic<Tile_PtrType>:$bases, Variadic<I64>:$sizes, Variadic<I64>:$strides,
                       Tile_WrittenBuffer:$scratch);
  let results = (outs Tile_MapPlaceType:$place, Variadic<Tile_TensorMapType>:$maps);
  let assemblyFormat = [{
    $bases `:` type($bases) `sizes` `[` $sizes `]` `strides` `[` $strides `]` `through` $scratch attr-dict
    `:` type($scratch) `->` type($maps)
  }];
  let extraClassDeclaration = [{
    /// Bytes of a map.
    static constexpr int64_t kMapBytes = 128;
    /// Each thread of a warp composes one.
    static constexpr int64_t kMostMaps = 32;
    /// A buffer in which so many maps are composed.
    static BufferType scratchOf(::mlir::MLIRContext *context, int64_t numMaps);
    /// Where the axes of the map with this number begin in sizes and strides.
    unsigned firstAxisOf(unsigned map);
  }];
  let hasVerifier = 1;
}

def Tile_ReleaseTensorMapsOp : Tile_Op<"release_tensor_maps", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "gives the place of tensor maps back";
  let description = [{
    All copies by the maps are done, of all threads.

    ```mlir
    tile.release_tensor_maps %place
    ```
  }];
  let arguments = (ins Tile_MapPlaceType:$place);
  let assemblyFormat = "$place attr-dict";
}

def Tile_PrefetchTensorMapOp : Tile_Op<"prefetch_tensor_map", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "brings a tensor map closer to the hardware that copies blocks";
  let description = [{
    For a copy that follows later. One thread asks for it, and nobody waits.

    ```mlir
    tile.prefetch_tensor_map %tensorMap : !tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    ```
  }];
  let arguments = (ins Tile_TensorMapType:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

def Tile_BulkCopyOp : Tile_Op<"bulk_copy", [
    AttrSizedOperandSegments, Tile_SlotCopyOpInterface, MemoryEffects<[MemRead]>]> {
  let summary = "has hardware copy a block into a buffer";
  let description = [{
    The block at these offsets, one for each axis of the tensor, into a slot of the buffer. One thread starts it, and
    arrives at `barrier`, of a slot where there are several; the arrival counts when the block has landed. Without a barrier the copy
    is one whose warp tile-specialize-warps chooses, and the barrier with it. `evict` is a hint, as of `tile.load`.

    ```mlir
    tile.bulk_copy %tensorMap[%offset, %offset] into %factors[%slot] arrive %full[%slot] : !tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>, !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>, slots = 2>
    ```
  }];
  let arguments = (ins Tile_TensorMapType:$map, Variadic<I32>:$offsets, Tile_AsyncWrittenBuffer:$buffer,
                       Optional<I32>:$slot, Optional<Tile_MBarrierType>:$barrier, Optional<I32>:$barrierSlot,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $map `[` $offsets `]` `into` $buffer (`[` $slot^ `]`)? (`arrive` $barrier^ (`[` $barrierSlot^ `]`)?)?
    (`evict` `=` $evict^)? attr-dict `:` type($map) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_BulkStoreOp : Tile_Op<"bulk_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "has hardware store a buffer as a block";
  let description = [{
    The tile in the buffer becomes the block at these offsets, one for each axis of the tensor; elements outside of the tensor are not
    stored. One warp starts it, all of whose lanes say the same. What threads wrote into the buffer is behind a `tile.async_fence` of theirs, and that is before
    a `tile.barrier`: tile-insert-barriers sees to both. The buffer stays as it is until `tile.bulk_store_wait`. Other accesses may come before it in memory, until
    somebody waits for that or the kernel is over.

    ```mlir
    %factor = tile.alloc_buffer : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    tile.bulk_store %factor into %tensorMap[%offset, %offset] : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>, !tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    ```
  }];
  let arguments = (ins Tile_AsyncReadBuffer:$buffer, Tile_TensorMapType:$map, Variadic<I32>:$offsets);
  let assemblyFormat = [{
    $buffer `into` $map `[` $offsets `]` attr-dict `:` type($buffer) `,` type($map)
  }];
  let hasVerifier = 1;
}

def Tile_BulkStoreWaitOp : Tile_Op<"bulk_store_wait", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "waits until hardware has read what it stores";
  let description = [{
    Each thread that started stores of blocks waits until all of its buffers have been read, this one among them; others do not wait, so
    these write the buffer again behind a `tile.barrier`. A program that stores blocks waits before it is over. With `written` it waits
    until the elements are in memory, too.

    ```mlir
    %stored = tile.alloc_buffer : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    tile.bulk_store %stored into %tensorMap[%offset, %offset] : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>, !tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    tile.bulk_store_wait %stored : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    tile.bulk_store_wait %stored written : !tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>
    ```
  }];
  let arguments = (ins Tile_AsyncReadBuffer:$buffer, UnitAttr:$written);
  let assemblyFormat = "$buffer (`written` $written^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Tile_ResetMBarrierOp : Tile_Op<"reset_mbarrier", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "puts barrier objects back into their first phase";
  let description = [{
    Nobody is to arrive or to wait: a `tile.barrier` comes before and behind it.

    ```mlir
    %again = tile.alloc_mbarrier slots 3 arrivals 1
    tile.reset_mbarrier %again
    ```
  }];
  let arguments = (ins Tile_MBarrierType:$barrier);
  let assemblyFormat = "$barrier attr-dict";
  let hasVerifier = 1;
}

def Tile_AsyncFenceOp : Tile_Op<"async_fence", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "what this thread did to shared memory comes before copies of blocks";
  let description = [{
    Those that are started behind a following `tile.barrier`. With `arrays` also what it, and who it has waited for, wrote to
    global memory, which takes as long as an access of that.

    ```mlir
    tile.async_fence
    tile.async_fence arrays
    ```
  }];
  let arguments = (ins UnitAttr:$arrays);
  let assemblyFormat = "(`arrays` $arrays^)? attr-dict";
}

#endif // TILEC_DIALECT_TILE_IR_TILEBULKOPS_TD
