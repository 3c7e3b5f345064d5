//===- TileBufferOps.td - buffers in shared memory ---------*- tablegen -*-===//
//
// What operations that exchange data between warps or CTAs become: stores into buffers, barriers, loads from
// buffers; and copies from global memory that are in flight while the threads work. All threads of the CTA execute
// these operations together. None of them waits, but for tile.async_wait and the barriers, which
// tile-insert-barriers places. Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEBUFFEROPS_TD
#define TILEC_DIALECT_TILE_IR_TILEBUFFEROPS_TD

/// The memory that buffers lie in: nothing that is done there changes global memory.
def Tile_SharedMemory : Resource<"::tilec::tile::SharedMemory">;
/// The same by the path of hardware (PTX, "Async proxy"): what threads write is there behind a tile.async_fence.
def Tile_AsyncSharedMemory : Resource<"::tilec::tile::AsyncSharedMemory">;

/// What an operation does to a buffer is an effect on that operand: tile-insert-barriers goes by it.
defvar Tile_ReadBuffer = Arg<Tile_BufferType, "", [MemRead<Tile_SharedMemory>]>;
defvar Tile_WrittenBuffer = Arg<Tile_BufferType, "", [MemWrite<Tile_SharedMemory>]>;
defvar Tile_ChangedBuffer =
    Arg<Tile_BufferType, "", [MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>;
defvar Tile_AsyncReadBuffer = Arg<Tile_BufferType, "", [MemRead<Tile_AsyncSharedMemory>]>;
defvar Tile_AsyncWrittenBuffer = Arg<Tile_BufferType, "", [MemWrite<Tile_AsyncSharedMemory>]>;
def Tile_BufferAlloc : MemoryEffects<[MemAlloc<Tile_SharedMemory>]>;

def Tile_AllocBufferOp : Tile_Op<"alloc_buffer", [Tile_BufferAlloc]> {
  let summary = "a buffer in shared memory";
  let description = [{
    The buffer is needed from its first use to its last one; where one of them is in a loop that the allocation is
    not in, in all of that loop. Inside a loop it is the same memory in each iteration. `at`, its offset in bytes in the CTA's shared memory, is chosen by
    tile-allocate-shared: buffers that are not needed at the same time may overlap.

    ```mlir
    %new = tile.alloc_buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
    %placed = tile.alloc_buffer at 1024 : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset);
  let results = (outs Tile_BufferType:$buffer);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($buffer)";
  let builders = [OpBuilder<(ins "BufferType":$buffer), [{
    build($_builder, $_state, buffer, ::mlir::IntegerAttr());
  }]>];
}

def Tile_BufferStoreOp : Tile_Op<"buffer_store"> {
  let summary = "writes a tile into a buffer";
  let description = [{
    Each thread writes the elements that it holds; of threads that hold copies, the first writes. A scalar goes into
    a buffer of one element. With `round` only those elements are written that belong to that round of the buffer.

    With `axis` and `index` the value has one more dimension than the buffer; the elements at that index of it are
    written, as if by `tile.take`, but each by a thread that holds it.

    With `peers` a CTA writes what it holds into the buffers of other CTAs of its cluster, not into its own alone:
    into those whose rank differs from its own in any of the bits that the masks name, itself included. Where CTAs
    that differ in such a bit hold copies, all bits must be of this kind, and the first of the CTAs writes.

    ```mlir
    tile.buffer_store %spreadZeros, %buffer : tensor<128xf32, #spread>, !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
    ```
  }];
  let arguments = (ins Tile_Any:$value, Tile_WrittenBuffer:$buffer,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$round,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$peers,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$axis,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$index);
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$buffer), [{
    build($_builder, $_state, value, buffer, /*round=*/0, ::llvm::ArrayRef<int32_t>(), /*axis=*/::mlir::IntegerAttr(),
          /*index=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $value `,` $buffer (`axis` $axis^ `index` $index)? (`round` $round^)? (`peers` $peers^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_BufferLoadOp : Tile_Op<"buffer_load", [AttrSizedOperandSegments,
    OptionalTypesMatchWith<"mask is i1 in the result's shape", "result", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "the tile in a buffer";
  let description = [{
    Each thread reads the elements that the layout of the result gives it; from a slot, counted from 0, where the
    buffer has several. With `reversed`, elements are in reverse order along that dimension. With `round` only the
    elements that belong to that round of the buffer are read, with `mask` those for which it is true; others are those
    of `previous`, or unspecified without it.

    ```mlir
    %back = tile.buffer_load %buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> tensor<128xf32, #spread>
    ```
  }];
  let arguments = (ins Tile_ReadBuffer:$buffer, Optional<I32>:$slot, Optional<Tile_TileOf<I1, "i1">>:$mask,
                       Optional<Tile_Any>:$previous,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$round,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$reversed);
  let results = (outs Tile_Any:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$buffer, "::mlir::Value":$slot), [{
    build($_builder, $_state, result, buffer, slot, /*mask=*/::mlir::Value(),
          /*previous=*/::mlir::Value(), /*round=*/0, /*reversed=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $buffer (`[` $slot^ `]`)? (`mask` $mask^)? (`round` $round^)? (`reversed` $reversed^)?
    (`previous` $previous^ `:` type($previous))? attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Nothing that accesses buffers moves over the operation.
def Tile_OrdersCopies : MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>;

def Tile_BufferCopyOp : Tile_Op<"buffer_copy", [
    AttrSizedOperandSegments, Tile_AccessOpInterface, Tile_SlotCopyOpInterface, MemoryEffects<[MemRead]>,
    OptionalTypesMatchWith<"mask is i1 in the pointer's shape", "ptr", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "starts to copy elements from global memory into a buffer";
  let description = [{
    Each thread copies the elements whose pointers it holds; of threads that hold copies, the first does. Elements
    whose mask is false become 0, and their pointers are not followed. The operation does not wait: the slot may be
    read, by the threads that have copied, once `tile.async_wait` has waited for the group to which
    `tile.async_commit` has added this operation; for other threads a barrier follows. Until then nothing else uses
    the slot. `evict` is a hint, as of `tile.load`.

    ```mlir
    tile.buffer_copy %spreadPtrs into %stages[%slot] mask %spreadMask : tensor<128x!tile.ptr<f32>, #spread>, !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 2>
    ```
  }];
  let arguments = (ins Tile_TileOf<Tile_PtrType, "pointer">:$ptr, Tile_WrittenBuffer:$buffer, Optional<I32>:$slot,
                       Optional<Tile_TileOf<I1, "i1">>:$mask,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `into` $buffer (`[` $slot^ `]`)? (`mask` $mask^)? (`evict` `=` $evict^)? attr-dict `:` type($ptr) `,`
    type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_AsyncCommitOp : Tile_Op<"async_commit", [Tile_OrdersCopies]> {
  let summary = "makes a group of the copies started since the last group";
  let description = [{
    The group may be empty. With `ordered` no access to memory moves over the operation when instructions are scheduled:
    copies start before the loads behind them.

    ```mlir
    tile.async_commit
    tile.async_commit ordered
    ```
  }];
  let arguments = (ins UnitAttr:$ordered);
  let assemblyFormat = "(`ordered` $ordered^)? attr-dict";
}

def Tile_AsyncWaitOp : Tile_Op<"async_wait", [Tile_OrdersCopies]> {
  let summary = "waits until at most some of the latest groups are in flight";
  let description = [{
    Each thread waits for its own copies. With `ordered`, as in `tile.async_commit`, loads before the operation start
    before threads wait.

    ```mlir
    tile.async_wait 1
    tile.async_wait 0 ordered
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, UnitAttr:$ordered);
  let assemblyFormat = "$pending (`ordered` $ordered^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Accesses at computed places
//===----------------------------------------------------------------------===//

def Tile_BufferGatherOp : Tile_Op<"buffer_gather"> {
  let summary = "elements of a buffer at computed indices along one dimension";
  let description = [{
    As `tile.gather` from the tile in the buffer; `round` and `previous` as in `tile.buffer_load`.

    ```mlir
    %chosen = tile.buffer_gather %buffer[%spreadRange] axis 0 : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>, tensor<128xi32, #spread> -> tensor<128xf32, #spread>
    ```
  }];
  let arguments = (ins Tile_ReadBuffer:$buffer, Tile_TileOf<Tile_WideInt, "i32 or i64">:$indices, I32Attr:$axis,
                       Optional<Tile_AnyTile>:$previous,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$round);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `axis` $axis (`round` $round^)? (`previous` $previous^ `:` type($previous))? attr-dict
    `:` type($buffer) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_BufferCountOp : Tile_Op<"buffer_count", [
    OptionalTypesMatchWith<"mask is i1 in the values' shape", "values", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "adds to the elements of a buffer how often their numbers occur";
  let description = [{
    Adds 1 to element i for each value that is i and whose mask is true; values without an element are not counted.
    Each value counts once, however many threads hold it. Additions are atomic.

    ```mlir
    tile.buffer_count %spreadRange in %bins mask %spreadMask : tensor<128xi32, #spread>, !tile.buffer<16xi32, #tile.shared<[1, 2, 4, 8]>>
    ```
  }];
  let arguments = (ins Tile_TileOf<Tile_WideInt, "i32 or i64">:$values, Tile_ChangedBuffer:$buffer,
                       Optional<Tile_TileOf<I1, "i1">>:$mask);
  let assemblyFormat = [{
    $values `in` $buffer (`mask` $mask^)? attr-dict `:` type($values) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_ClusterArriveOp : Tile_Op<"cluster_arrive", [
    MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays, Tile_OrdersAccesses]> {
  let summary = "says that this CTA has come so far";
  let description = [{
    The first half of a barrier of all CTAs of a cluster. What a CTA wrote before is visible to those that wait,
    unless `relaxed`.

    ```mlir
    tile.cluster_arrive relaxed
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def Tile_ClusterWaitOp : Tile_Op<"cluster_wait", [
    MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays, Tile_OrdersAccesses]> {
  let summary = "waits until all CTAs of the cluster have arrived";
  let description = [{
    The second half of a barrier of all CTAs of a cluster.

    ```mlir
    tile.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Barriers in two halves
//===----------------------------------------------------------------------===//

def Tile_AllocMBarrierOp : Tile_Op<"alloc_mbarrier", [Tile_BufferAlloc]> {
  let summary = "barrier objects in shared memory, in their first phase";
  let description = [{
    One object, or one for each of `slots`. Each takes 8 bytes from that offset on, for the rest of the kernel; so the operation is
    not in a loop. The offset is chosen by tile-allocate-shared where it is not given. A phase is complete after so many
    `arrivals`; where the number is not given, those of all threads of the CTA. One thread initialises the objects: a
    `tile.barrier` comes before the first arrival.

    ```mlir
    %ready = tile.alloc_mbarrier at 1024
    %full = tile.alloc_mbarrier slots 3 arrivals 128
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$slots,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$arrivals);
  let results = (outs Tile_MBarrierType:$barrier);
  let assemblyFormat = "(`at` $offset^)? (`slots` $slots^)? (`arrivals` $arrivals^)? attr-dict";
  let extraClassDeclaration = [{
    /// Bytes of one object.
    static constexpr int64_t kBytes = 8;
  }];
  let hasVerifier = 1;
}

def Tile_MBarrierArriveOp : Tile_Op<"mbarrier_arrive", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays, Tile_OrdersAccesses]> {
  let summary = "says that this thread has come so far";
  let description = [{
    The first half of a barrier, at the object of a slot where there are several. What a thread did before is done for those that
    have waited for this phase; with `after_copies` the thread's copies, too: it does not wait for them, but its arrival counts when
    all that it has started have landed. A thread arrives once in each phase. With `each_warp` the arrivals of a warp count as one, and with a condition there is
    none where that is false.

    ```mlir
    tile.mbarrier_arrive %ready after_copies
    tile.mbarrier_arrive %ready[%slot] each_warp
    tile.mbarrier_arrive %ready[%slot] each_warp if %condition
    ```
  }];
  let arguments = (ins Tile_MBarrierType:$barrier, Optional<I32>:$slot, UnitAttr:$eachWarp, UnitAttr:$afterCopies,
                       Optional<I1>:$condition);
  let assemblyFormat = [{
    $barrier (`[` $slot^ `]`)? (`each_warp` $eachWarp^)? (`after_copies` $afterCopies^)? (`if` $condition^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_MBarrierWaitOp : Tile_Op<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays]> {
  let summary = "waits until all arrivals of a phase have been made";
  let description = [{
    The second half of a barrier. `parity` is 0 for the first phase, 1 for the next, and so on in turn; a wait for the phase before the
    first one is over at once. A thread that arrives, too, waits for a phase in which it has arrived, before it arrives in the next one.

    ```mlir
    tile.mbarrier_wait %ready, %parity
    tile.mbarrier_wait %ready[%slot], %parity
    ```
  }];
  let arguments = (ins Tile_MBarrierType:$barrier, Optional<I32>:$slot, I32:$parity);
  let assemblyFormat = "$barrier (`[` $slot^ `]`)? `,` $parity attr-dict";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEBUFFEROPS_TD
