//===- Passes.td - passes on tile IR -----------------------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileAttachTarget : Pass<"tile-attach-target", "::mlir::ModuleOp"> {
  let summary = "say what a module is compiled for";
  let description = [{
    Writes the target, and which heuristics are switched off, on the module, where every later pass of the GPU path
    looks for them; a module without a target is compiled for the oldest one. `tilec` does so for its options
    `--arch` and `--disable-heuristic`; this pass does it for IR in tests.

    Before:

    ```mlir
    module {}
    ```

    After, with `arch=sm_90a disable-heuristics=hoist-loads`:

    ```mlir
    module attributes {tile.disabled_heuristics = ["hoist-loads"], tile.target = #tile.target<"sm_90a">} {}
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let options = [
    Option<"arch", "arch", "std::string", /*default=*/"\"sm_75\"", "the target, as --arch of tilec takes it">,
    ListOption<"disableHeuristics", "disable-heuristics", "std::string",
               "names of heuristics to switch off">];
}

def TileScalarSteps : Pass<"tile-scalar-steps", "::mlir::func::FuncOp"> {
  let summary = "carry a number instead of pointers that all move alike";
  let description = [{
    Kernels often move a tile of pointers, or of indices, by the same amount in each iteration of a loop. Such a tile is its value before
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
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numScalars", "tiles", "carried tiles that became numbers">];
}

def TileChooseLaunch : Pass<"tile-choose-launch", "::mlir::func::FuncOp"> {
  let summary = "say how many warps and CTAs work on a program, where nobody did";
  let description = [{
    A kernel without `tile.num_warps` gets as many, from 1 to 16, that a thread has 64 bytes of the largest
    tile of a kernel that reduces, and 32 of one that does not, or 4 elements if each is an access of its own; in a loop over blocks, whose loads it waits for in
    each iteration, 8 elements, or half as many in a loop within a loop, and two warps if there are 2 elements for each of
    their threads. One that writes scattered elements has 1 as long as four warps do, one that splits tiles many
    times over has 16, and so has one that scans. If that is more than a thread's registers hold well, the kernel gets `tile.stream` where it can be worked through in pieces, and becomes a cluster of
    up to 8 CTAs where the target has clusters and all tiles are alike. So does one whose tiles together fill the registers, if each is
    read by one reduction alone. A number that is given stays.

    A kernel that is not worked through in pieces gets a warning where the elements of a thread, times an estimate of its
    instructions, say that ptxas or the driver will take minutes.

    Before:

    ```mlir
    func.func @k(...) attributes {tile.kernel} { ... tile.reduce(%x) ... : (tensor<4096xf32>) -> f32 ... }
    ```

    After:

    ```mlir
    func.func @k(...) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_warps = 8 : i32} { ... }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let options = [
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
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect",
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
    of the GPU path expects tiles with layouts.

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
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [
    Statistic<"numConversions", "conversions", "layout conversions inserted">,
    Statistic<"numRematerialized", "rematerialized", "values computed again in another layout">];
}

def TilePipelineLoads : Pass<"tile-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "have the loads of later iterations under way";
  let description = [{
    In a loop with `tile.num_stages` of N, a load whose pointers and mask follow from the loop's counter is
    started N-1 iterations ahead, into a ring in shared memory with N slots. Fewer stages are used when
    N slots exceed what the target's shared memory has beyond its default size; below two, the loop stays as it is. Each thread copies what it
    reads itself, in pieces of 4 to 16 bytes; narrower loads stay where they are.

    Runs after layouts are final. For targets without cp.async nothing changes.

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
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numPipelined", "loops", "loops whose loads go ahead">];
}

def TilePrefetchLoads : Pass<"tile-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "load for the next iteration before the work of this one";
  let description = [{
    A loop that loads what it works on waits for memory in each iteration. Where nothing in a loop writes
    memory, this pass starts the loads of the next iteration at the start of this one, and carries what
    they bring in registers. A load can go ahead when its pointers, mask and other follow from the
    loop's counter, or from what the loop carries, by operations without effects that exchange no
    data. In the last iteration nothing is loaded.

    Loops change in which these loads bring a thread 32 to 64 bytes an iteration, or up to 64 within another
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
  let statistics = [Statistic<"numPrefetched", "loads", "loads that are one iteration ahead">];
}

def TileHoistLoads : Pass<"tile-hoist-loads", "::mlir::func::FuncOp"> {
  let summary = "have loads under way before threads wait for each other";
  let description = [{
    In a loop, a thread waits in each iteration: for what it loads, and for the other threads where data is
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
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numHoisted", "loads", "loads that moved ahead of an exchange">];
}

def TileExpandExchanges : Pass<"tile-expand-exchanges", "::mlir::func::FuncOp"> {
  let summary = "say how data that leaves a warp goes through shared memory";
  let description = [{
    What threads exchange inside a warp is for the conversion to shuffles. What has to leave a warp goes through a
    buffer: a layout conversion stores one distribution of the tile and loads the other, from places chosen so that
    neither meets bank conflicts; a flip loads in reverse order; a gather loads where its indices say; a histogram
    counts in the buffer. A reduction becomes one inside each warp, whose results, a tile with one more dimension, are
    loaded by the threads that need them and reduced there. Where the CTAs of a cluster share the dimension, their
    results go into the buffers of all of them. A scan gets buffers in which its warps write their totals. The result
    of an atomic operation is told by the first of the threads that hold copies of it to the others.

    A tile that takes more than 48 KB goes through its buffer in rounds. Where threads wait is not said
    yet: tile-insert-barriers does.

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

def TileAllocateShared : Pass<"tile-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "place buffers in shared memory";
  let description = [{
    Every buffer and every ring gets its place (`at`), and the function `tile.shared_bytes`, the total. Rings come
    first and have places of their own. Buffers that are not needed at the same time may share a place, which costs a
    barrier where slow threads may still read what a fast one overwrites; so a buffer is placed beside such areas while
    the kernel takes no more than 8 KB, or than an eighth above what it takes anyway.

    Runs after tile-expand-exchanges and before tile-insert-barriers.

    Two reductions in a loop body thus alternate between two places and need one barrier each:

    ```mlir
    %max = tile.alloc_buffer at 0 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
    ...
    %sum = tile.alloc_buffer at 16 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
    ```
  }];
}

def TileInsertBarriers : Pass<"tile-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "have threads wait where they share data";
  let description = [{
    The threads of a CTA wait for each other before one reads from shared memory what others have written since the
    last barrier, and before one writes where others may still read or write. The CTAs of a cluster wait before they
    read what their peers have written, and before they write what peers may still use; the first such write also waits
    until all CTAs run. An atomic operation on one element that releases or acquires does so for the whole CTA. Nothing
    else makes barriers, except kernels that ask for them.

    Runs when all buffers have places, last of the passes on tiles.

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

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
