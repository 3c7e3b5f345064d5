//===- SharedMemoryPasses.td - buffers and barriers --------*- tablegen -*-===//
//
// Included by Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_SHAREDMEMORYPASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_SHAREDMEMORYPASSES_TD

def TileExpandExchanges : Pass<"tile-expand-exchanges", "::mlir::func::FuncOp"> {
  let summary = "exchange data between warps through buffers";
  let description = [{
    Replaces every operation that exchanges data between warps by stores to and loads from buffers
    in shared memory. What stays inside a warp becomes shuffles later, in `convert-tile-to-gpu`.

    - A layout conversion stores the tile in one layout and loads it in the other; the buffer's map
      avoids bank conflicts for both.
    - A flip loads in reverse order, a gather where its indices say.
    - A histogram counts in the buffer.
    - A reduction becomes one inside each warp. Its results, a tile with one more dimension, are
      loaded by the threads that need them and reduced there. Where the CTAs of a cluster share the
      dimension, each CTA stores its results into the buffers of all.
    - A scan becomes one inside each thread, one inside each warp, an exchange of the warps' totals, and
      `tile.finish_scan`, which adds what comes before.
    - If several threads hold the result of one atomic operation, the first of them executes it and
      the others load its result.
    - What else has to leave a CTA of a cluster is stored into the buffers of all CTAs, each of which
      has the whole tile then. Of a histogram each CTA's counts are added up; a scan along a
      dimension that CTAs share becomes one of the whole tile in each.

    A tile that takes more than 48 KB goes through its buffer in rounds. Barriers are not inserted
    here but by `tile-insert-barriers`.

    Runs when layouts are final and no pass moves exchanges any more.

    Before:

    ```mlir
    %sum = tile.reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> f32 { ... }
    ```

    After:

    ```mlir
    %parts = tile.partial_reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> tensor<4xf32, #warps> { ... }
    %buffer = tile.alloc_buffer : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
    tile.buffer_store %parts, %buffer : ...
    %all = tile.buffer_load %buffer : ... -> tensor<4xf32, #registers>
    %sum = tile.reduce(%all) axis 0 : (tensor<4xf32, #registers>) -> f32 { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numExpanded", "exchanges", "operations that exchange data between warps">];
}

def TileSinkLoads : Pass<"tile-sink-loads", "::mlir::func::FuncOp"> {
  let summary = "read factors of products where the product is";
  let description = [{
    Moves loads from buffers, of exchanges and of slots, down to the product by matrix instructions whose factor they
    are, with what only rearranges or converts the tile on the way: there it is read piece by piece, and all of it
    fills registers no longer. A factor of several products, or of one in a loop that does not change it, is read for
    each of them where it alone or all live tiles take too many registers. Buffers that are in use for longer must not
    cost a resident CTA.

    The factor of a warp group's product moves down where another exchange lies on the way, with which it then shares a
    barrier, unless a product is in flight at its new place.

    What is computed, or loaded from the buffer of an exchange, before a loop and needed behind it moves behind it,
    unless what it is computed from takes as many registers.

    Before:

    ```mlir
    %a = tile.buffer_load %first : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #left>
    tile.buffer_store %y, %second : tensor<64x64xf16, #spread>, !tile.buffer<64x64xf16, #map>
    %b = tile.buffer_load %second : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #right>
    %product = tile.dot %a, %b, %zero : ...
    ```

    After:

    ```mlir
    tile.buffer_store %y, %second : tensor<64x64xf16, #spread>, !tile.buffer<64x64xf16, #map>
    %a = tile.buffer_load %first : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #left>
    %b = tile.buffer_load %second : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #right>
    %product = tile.dot %a, %b, %zero : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [
    Statistic<"numSunk", "loads-sunk", "Number of loads that moved">,
  ];
}

def TileCopyLoads : Pass<"tile-copy-loads", "::mlir::func::FuncOp"> {
  let summary = "copy what is only loaded to be stored in a buffer";
  let description = [{
    In kernels with products: a load whose result is only stored into a buffer, which other threads read then, becomes
    an asynchronous copy into that buffer, a group of its own. It takes no registers, so it starts before the first
    operation at which threads wait, if nothing in between writes memory and shared memory has room: buffers that are
    needed for longer must not cost a CTA that registers have room for. Threads wait for the group before the first
    operation that reads the buffer.

    Only copies of 16 bytes are made. Where the buffer's map takes these apart, it is replaced by one for matrices, unless that makes
    reading slower. Loops that copy ahead, and warps with roles, keep their loads.

    Runs when it is known where buffers are read, before they get places.

    Before:

    ```mlir
    %a = tile.load %ptrs mask %inside other %zeros : tensor<64x64x!tile.ptr<f16>, #spread>
    tile.buffer_store %a, %buffer : tensor<64x64xf16, #spread>, !tile.buffer<64x64xf16, #map>
    %factor = tile.buffer_load %buffer : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #left>
    ```

    After:

    ```mlir
    tile.buffer_copy %ptrs into %buffer mask %inside : tensor<64x64x!tile.ptr<f16>, #spread>, !tile.buffer<64x64xf16, #map>
    tile.async_commit ordered
    tile.async_wait 0 ordered
    %factor = tile.buffer_load %buffer : !tile.buffer<64x64xf16, #map> -> tensor<64x64xf16, #left>
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [
    Statistic<"numCopied", "loads-copied", "Number of loads that became copies">,
  ];
}

def TileAllocateShared : Pass<"tile-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "assign offsets in shared memory";
  let description = [{
    Gives every buffer its offset in shared memory (`at`), and the function `tile.shared_bytes`, the
    total. Buffers from which each thread reads only what it copied itself come first and overlap
    with nothing. Other buffers whose lifetimes do not overlap may share memory. That costs a
    barrier where slow threads may still read what a fast one overwrites; so a buffer is not placed
    over such an area as long as the kernel's buffers take at most 8 KB, or its shared memory grows
    by at most an eighth.

    Runs after `tile-expand-exchanges` and before `tile-insert-barriers`.

    Two reductions in a loop body alternate between two areas and need one barrier each:

    ```mlir
    %max = tile.alloc_buffer at 0 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
    ...
    %sum = tile.alloc_buffer at 16 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
    ```
  }];
}

def TileInsertBarriers : Pass<"tile-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "insert the barriers that shared memory needs";
  let description = [{
    The threads of a CTA wait for each other before one reads from shared memory what others have
    written since the last barrier, and before one writes where others may still read or write. The
    CTAs of a cluster wait before they read what their peers have written, and before they write
    what peers may still use; the first such write also waits until all CTAs run. An atomic
    operation on one element that releases or acquires does so for the whole CTA. Barriers that the
    kernel itself asks for stay.

    Where threads would keep many registers while they wait before a store into a buffer, they wait
    earlier: what is loaded for the store is loaded behind the barrier then.

    What threads store into a buffer that hardware reads beside them, for products of warp groups
    and stores of blocks, they fence.

    Runs when all buffers have offsets.

    Before:

    ```mlir
    tile.buffer_store %x, %buffer : ...
    %y = tile.buffer_load %buffer : ...
    ```

    After:

    ```mlir
    tile.buffer_store %x, %buffer : ...
    tile.barrier
    %y = tile.buffer_load %buffer : ...
    ```
  }];
  let statistics = [Statistic<"numBarriers", "barriers", "program points where threads wait">];
}

def TileSplitBarriers : Pass<"tile-split-barriers", "::mlir::func::FuncOp"> {
  let summary = "let threads arrive at the barriers of loops before they wait there";
  let description = [{
    For kernels of more than one group of four warps. The body of a loop begins with its only barrier, waits for a
    product of warp groups, and has no effects from there on but to start another product: it computes with what it
    has waited for (attention). The barrier becomes an object in shared memory, at which threads arrive behind the
    wait; they wait for each other at the head of the next iteration. Copies that were to have landed before the barrier
    land before an arrival counts. So groups of warps fall out of step, and the tensor cores have work from one while
    others compute.

    Runs last of the passes on tiles. Loops in loops keep their barriers: the phases of an object begin with the kernel.

    Before:

    ```mlir
    scf.for ... {
      tile.async_wait 0
      tile.barrier
      ...
      %scores = tile.group_wait 0 for %product : ...
      ...
      %next = tile.group_dot %weights, %values[%slot], %sum : ...
      scf.yield %next : ...
    }
    ```

    After:

    ```mlir
    %ready = tile.alloc_mbarrier at 98304
    tile.barrier
    ...
    tile.mbarrier_arrive %ready after_copies
    %end:2 = scf.for ... iter_args(..., %parity = %c0) -> ... {
      tile.mbarrier_wait %ready, %parity
      ...
      %scores = tile.group_wait 0 for %product : ...
      tile.mbarrier_arrive %ready after_copies
      ...
      %next = tile.group_dot %weights, %values[%slot], %sum : ...
      %other = arith.xori %parity, %c1 : i32
      scf.yield %next, %other : ...
    }
    tile.mbarrier_wait %ready, %end#1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numSplit", "split", "barriers of which threads wait later than they arrive">];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_SHAREDMEMORYPASSES_TD
