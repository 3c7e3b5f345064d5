//===- Passes.td - passes on tile IR -----------------------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileScalarSteps : Pass<"tile-scalar-steps", "::mlir::func::FuncOp"> {
  let summary = "carry a number instead of pointers that all move alike";
  let description = [{
    Kernels often move a tile of pointers, or of indices, by the same amount in each turn of a loop. Such a tile is its value before
    the loop and one number; this pass carries the number. A pointer moves by a 64-bit number of elements; an index keeps its type,
    and wraps around as before.

    Before:

    ```mlir
    scf.for %i = %lo to %hi step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
      %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
      %step = tile.splat %stride : i32 -> tensor<64xi32>
      %next = tile.addptr %ptrs, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tile.ptr<f32>>
    }
    ```

    After:

    ```mlir
    scf.for %i = %lo to %hi step %c1 iter_args(%moved = %c0) -> (i64) : i32 {
      %all = tile.splat %moved : i64 -> tensor<64xi64>
      %ptrs = tile.addptr %first, %all : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
      %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
      %wide = arith.extsi %stride : i32 to i64
      %next = arith.addi %moved, %wide : i64
      scf.yield %next : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numScalars", "tiles", "carried tiles that became numbers">];
}

def TileChooseLaunch : Pass<"tile-choose-launch", "::mlir::func::FuncOp"> {
  let summary = "say how many warps and CTAs work on a program, where nobody did";
  let description = [{
    A kernel without `tile.num_warps` gets as many, from 1 to 16, that a thread has 64 bytes of the largest
    tile of a kernel that reduces, and 32 of one that does not, or 4 elements if each is an access of its own; in a loop over blocks, whose loads it waits for in
    each turn, 8 elements, or half as many in a loop within a loop, and two warps if there are 2 elements for each of
    their threads. One that writes scattered elements has 1 as long as four warps do, one that splits tiles many
    times over has 16, and so has one that scans. If that is more than a thread's registers hold well, the kernel gets `tile.stream` where it can be worked through in pieces, and becomes a cluster of
    up to 8 CTAs where the target has clusters and all tiles are alike. So does one whose tiles together fill the registers, if each is
    read by one reduction alone. A number that is given stays.

    Before:

    ```mlir
    func.func @k(...) attributes {tile.kernel} { ... tile.reduce(%x) ... : (tensor<4096xf32>) -> f32 ... }
    ```

    After:

    ```mlir
    func.func @k(...) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_warps = 8 : i32} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let options = [
    Option<"computeCapability", "compute-capability", "unsigned", /*default=*/"75",
           "the target's compute capability times ten">,
    Option<"sharedLimit", "shared-limit", "int64_t", /*default=*/"0",
           "bytes of shared memory of one CTA that loaded tiles may take">,
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say what was chosen, and why">];
}

def TileStreamTiles : Pass<"tile-stream-tiles", "::mlir::func::FuncOp"> {
  let summary = "work through large tiles in pieces";
  let description = [{
    In a kernel with `tile.stream` each loaded tile goes into a ring in shared memory with one slot a piece, and each reduction and each store becomes a loop over the pieces that makes
    the elementwise values in between again. Threads hold one piece at a time, so more of them are
    resident and more loads are under way. A tile that one reduction alone reads, with nothing between the two that
    writes memory, needs no ring: the loop loads its pieces.

    Only for kernels whose tiles all have one shape with one dimension, and in which loads, reductions and
    stores are in one block. The order in which a reduction combines changes, as it may.

    Runs when the launch shape is known and before layouts are assigned; `tile-choose-launch` sets the attribute.

    Before:

    ```mlir
    %x = tile.load %ptrs : tensor<32768x!tile.ptr<bf16>>
    %max = tile.reduce(%x) axis 0 : ...
    ```

    After:

    ```mlir
    %ring = tile.alloc_ring : !tile.ring<16, 0, tensor<2048xbf16>>
    tile.async_load %ptrs0 into %ring[%c0] : ...   // sixteen times
    tile.async_commit
    tile.async_wait 0
    %x0 = tile.ring_read %ring[%c0] : ...
    %partial = scf.for %i = %c1 to %c16 step %c1 iter_args(%p = %x0) -> ... {
      %xi = tile.ring_read %ring[%i] : ...
      %next = arith.maxnumf %p, %xi : tensor<2048xbf16>
      scf.yield %next : tensor<2048xbf16>
    }
    %max = tile.reduce(%partial) axis 0 : ...
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "say which thread holds which element of every tile";
  let description = [{
    Gives every tile in a kernel a layout. Memory accesses decide: the axis analysis (contiguity,
    divisibility, constancy of pointers and masks) says how many neighbouring elements a thread can
    move in one access of at most 16 bytes, and the threads of a warp are laid along the contiguous
    dimension so that accesses coalesce. Everything else follows the operands it consumes. A value
    that is cheap to compute again (ranges, splats, arithmetic on them) is computed in the layout that
    each use asks for; any other mismatch becomes a `tile.convert_layout`.

    Stores of tiles with fewer elements than the program has threads are made by one warp, in program
    order (`tile.in_order`), if they may overlap with one another, with a stored scalar or in a loop with
    themselves. In kernels with clusters they are not.

    Runs on tile IR after canonicalisation, once; the kernel needs `tile.num_warps`. Every later pass
    of the GPU road expects tiles with layouts.

    Before:

    ```mlir
    %offsets = tile.make_range 0 to 256 : tensor<256xi32>
    ```

    After, where a load through these offsets moves 16 bytes a thread on two warps:

    ```mlir
    %offsets = tile.make_range 0 to 256 : tensor<256xi32, #tile.layout<
      register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>>
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let statistics = [
    Statistic<"numConversions", "conversions", "layout conversions inserted">,
    Statistic<"numRematerialized", "rematerialized", "values computed again in another layout">];
}

def TilePipelineLoads : Pass<"tile-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "have the loads of later iterations under way";
  let description = [{
    In a loop with `tile.num_stages` of N, a load whose pointers and mask follow from the loop's counter is
    started N-1 iterations ahead, into a ring in shared memory with N slots. Fewer stages are used when
    N slots exceed `shared-limit` bytes; below two, the loop stays as it is. Each thread copies what it
    reads itself, in pieces of 4 to 16 bytes; narrower loads stay where they are.

    Runs after layouts are final. The operations that it makes need cp.async, so compute capability 8.0.

    Before:

    ```mlir
    scf.for %i = %lo to %hi step %step : i32 {
      %x = tile.load %ptrs : ...   // %ptrs follows from %i
    } {tile.num_stages = 2 : i32}
    ```

    After:

    ```mlir
    %ring = tile.alloc_ring : !tile.ring<2, 4, ...>
    scf.if %any { tile.async_load %first into %ring[%c0] : ... }
    tile.async_commit
    scf.for %i = %lo to %hi step %step iter_args(%slot = %c0) -> (i32) : i32 {
      scf.if %more { tile.async_load %next into %ring[%other] : ... }
      tile.async_commit
      tile.async_wait 1
      %x = tile.ring_read %ring[%slot] : ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"sharedLimit", "shared-limit", "int64_t", /*default=*/"0",
           "bytes of shared memory that all rings together may take">];
  let statistics = [Statistic<"numPipelined", "loops", "loops whose loads go ahead">];
}

def TilePrefetchLoads : Pass<"tile-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "load for the next turn before the work of this one";
  let description = [{
    A loop that loads what it works on waits for memory in each turn. Where nothing in a loop writes
    memory, this pass starts the loads of the next turn at the start of this one, and carries what
    they bring in registers. A load can go ahead when its pointers, mask and other follow from the
    loop's counter, or from what the loop carries, by operations without effects that exchange no
    data. In the last turn nothing is loaded.

    Loops change in which these loads bring a thread 32 to 64 bytes a turn, or up to 64 within another
    loop; for the upper limit narrow elements count as words. ptxas unrolls simple loops that bring less,
    which is as good; the registers for more would cost resident programs.

    Runs after layouts are final. Loops with `tile.num_stages` are `tile-pipeline-loads`'.

    Before:

    ```mlir
    scf.for %i = %lo to %hi step %step iter_args(%acc = %zero) {
      %x = tile.load %ptrs : ...   // %ptrs follows from %i
      scf.yield %more : ...
    }
    ```

    After:

    ```mlir
    %first = tile.load %ptrs_of_lo mask %any : ...
    scf.for %i = %lo to %hi step %step iter_args(%acc = %zero, %x = %first) {
      %next = tile.load %ptrs_of_next mask %goes_on : ...
      scf.yield %more, %next : ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPrefetched", "loads", "loads that are a turn ahead">];
}

def TileHoistLoads : Pass<"tile-hoist-loads", "::mlir::func::FuncOp"> {
  let summary = "have loads under way before threads wait for each other";
  let description = [{
    In a loop, a thread waits in each turn: for what it loads, and for the other threads where data is
    exchanged through shared memory. A load behind such a place starts only then, and one latency follows the other. In a
    loop's body, this pass moves loads, and the arithmetic of their pointers, before the first such place that they
    do not depend on, unless memory may be written in between. What goes ahead is limited to 96 bytes a
    thread, which are in registers meanwhile. Outside loops, other programs run while one waits, and nothing moves.

    Runs after layouts are final and before `tile-allocate-shared`, which looks at the order of exchanges.

    Before:

    ```mlir
    %q = tile.load %a : ...
    %r = tile.convert_layout %q : ...
    %k = tile.load %b : ...
    ```

    After:

    ```mlir
    %q = tile.load %a : ...
    %k = tile.load %b : ...
    %r = tile.convert_layout %q : ...
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let statistics = [Statistic<"numHoisted", "loads", "loads that moved ahead of an exchange">];
}

def TileAllocateShared : Pass<"tile-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "place the scratch of reductions and conversions in shared memory";
  let description = [{
    Each operation that exchanges data between warps (a reduction along a dimension spread over warps, a
    conversion that needs shared memory) gets `tile.shared_offset`, the byte offset of its scratch. The
    operation writes its scratch, waits at a barrier, and reads it. A thread that arrives early at the
    next such operation must not overwrite what a late thread still reads; so scratch that is read since
    the last barrier is avoided when there is room, and otherwise the operation gets
    `tile.shared_barrier`: wait before writing. The function gets `tile.shared_bytes`, the total.

    Runs after layouts are final, immediately before `convert-tile-to-gpu`, which reads these attributes.

    A reduction over the CTAs of a cluster exchanges its partial results in a place of its own,
    `tile.cluster_offset`, which its peers write. It avoids everything used since the cluster last waited, or
    else carries `tile.cluster_barrier`. `tile.cluster_start` marks where the kernel first waits for all its
    CTAs to run: at the first such reduction, or on the function if that one is inside a loop or a branch.

    Two reductions in a loop body thus alternate between two places and need one barrier each:

    ```mlir
    %max = tile.reduce(%x) axis 0 {tile.shared_offset = 0 : i32} : ...
    %sum = tile.reduce(%e) axis 0 {tile.shared_offset = 16 : i32} : ...
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let statistics = [Statistic<"numBarriers", "barriers", "barriers needed before a write">];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
