//===- LayoutPasses.td - until tiles have layouts ----------*- tablegen -*-===//
//
// Included by Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_LAYOUTPASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_LAYOUTPASSES_TD

def TileAttachTarget : Pass<"tile-attach-target", "::mlir::ModuleOp"> {
  let summary = "write the target on a module";
  let description = [{
    Writes on the module the GPU that it is compiled for and the names of the heuristics that are
    switched off. Every later pass of the GPU path asks the module for both; without a target it is
    compiled for the oldest architecture. `tilec` does the same for its options `--arch` and
    `--disable-heuristic`; the pass is for tests, which start from IR.

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

def TileSimplifyLoops : Pass<"tile-simplify-loops", "::mlir::func::FuncOp"> {
  let summary = "equal expressions are one, and loops do not carry what they never change";
  let description = [{
    A name that a kernel's loop sets again to what it was, as `cols = tl.arange(0, 64)`, is a value that the loop carries.
    An address with it depends on the iteration before, so that no load by it can begin early. Equal expressions become
    one (upstream's elimination), then a carried value whose next is its first is that first (upstream's patterns of
    `scf.for`); which makes further expressions equal, until nothing changes. A branch whose arms are equal is what they do.

    A carried number that starts where the counter does, or one step before, and moves by the same step, is the counter:
    persistent kernels count their tiles a second time for what comes behind the inner loop.

    Before:

    ```mlir
    %first = tile.make_range 0 to 64 : tensor<64xi32>
    %sum, %last = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %cols = %first) -> (..) {
      %again = tile.make_range 0 to 64 : tensor<64xi32>
      %ptrs = tile.addptr %base, %cols : ..
      ..
      scf.yield %next, %again : ..
    }
    ```

    After:

    ```mlir
    %first = tile.make_range 0 to 64 : tensor<64xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (..) {
      %ptrs = tile.addptr %base, %first : ..
      ..
      scf.yield %next : ..
    }
    ```
  }];
}

def TileFoldComparisons : Pass<"tile-fold-comparisons", "::mlir::func::FuncOp"> {
  let summary = "make constants of comparisons that have one result";
  let description = [{
    A mask guards the end of an array even where the array's size is a constant that the tile divides: then it is true for all
    elements in all iterations. Comparisons of which the bounds of both sides show that become constants, and with them the
    masks (canonicalization). Without masks, ptxas unrolls loops with a constant number of iterations, and has several loads in
    flight.

    Before:

    ```mlir
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    scf.for %i = %c0 to %c4096 step %c32 : i32 {
      %first = tile.splat %i : i32 -> tensor<32xi32>
      %index = arith.addi %first, %range : tensor<32xi32>
      %mask = arith.cmpi slt, %index, %c4096s : tensor<32xi32>
      ..
    ```

    After:

    ```mlir
      %mask = arith.constant dense<true> : tensor<32xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numFolded", "comparisons", "comparisons that became constants">];
}

def TileFormDots : Pass<"tile-form-dots", "::mlir::func::FuncOp"> {
  let summary = "make products of matrices out of sums of products";
  let description = [{
    Two matrices that are repeated along a third axis each, multiplied and summed along the axis that they have in common, become a
    `tile.dot`, if rows, columns and depth are at least 16. Factors that were extended from f16 or bf16 are multiplied as
    what they were, which is exact; those of f32 as three products of parts that tf32 has bits for (`tf32x3`). So the
    products need no registers, and matrix instructions compute them.

    Before:

    ```mlir
    %rows = tile.broadcast %a : tensor<32x64x1xf32> -> tensor<32x64x16xf32>
    %columns = tile.broadcast %b : tensor<1x64x16xf32> -> tensor<32x64x16xf32>
    %products = arith.mulf %rows, %columns : tensor<32x64x16xf32>
    %sum = tile.reduce(%products) axis 1 : (tensor<32x64x16xf32>) -> tensor<32x16xf32> { .. arith.addf .. }
    ```

    After:

    ```mlir
    %lhs = tile.reshape %a : tensor<32x64x1xf32> -> tensor<32x64xf32>
    %rhs = tile.reshape %b : tensor<1x64x16xf32> -> tensor<64x16xf32>
    %sum = tile.dot %lhs, %rhs, %zero precision tf32x3 : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numFormed", "sums", "sums that became products of matrices">];
}

def TileFoldMaskedSums : Pass<"tile-fold-masked-sums", "::mlir::func::FuncOp"> {
  let summary = "add zeros where a mask keeps a sum as it is";
  let description = [{
    A sum that is taken only where a mask holds, of numbers that are zero elsewhere since their load had the same mask, is that sum
    everywhere. Floats must be what a loop carries from a number other than -0. Runs after equal masks have become one value.

    Before:

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zeros) {
      %x = tile.load %ptrs mask %mask other %zero : tensor<64x!tile.ptr<f32>>
      %more = arith.addf %acc, %x : tensor<64xf32>
      %next = arith.select %mask, %more, %acc : tensor<64xi1>, tensor<64xf32>
      scf.yield %next
    ```

    After:

    ```mlir
      %x = tile.load %ptrs mask %mask other %zero : tensor<64x!tile.ptr<f32>>
      %more = arith.addf %acc, %x : tensor<64xf32>
      scf.yield %more
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numFolded", "selections", "selections that were replaced by a sum">];
}

def TileExpandBlocks : Pass<"tile-expand-blocks", "::mlir::func::FuncOp"> {
  let summary = "make blocks of tensors pointer arithmetic";
  let description = [{
    Replaces `tile.block_pointers`, which accesses by block pointers and by tensor descriptors have, by the arithmetic
    on pointers and the comparisons that it stands for. What all elements share is computed on scalars, in 64 bits; of
    the comparison with a bound only that of the index inside the block is left to the elements, in 32 bits. Where kernels can make
    tensor maps, loads of whole blocks that are `mappable` keep a `tile.block`, in scalars, beside pointers and mask. Runs
    first on each target.

    Before:

    ```mlir
    %pointers, %inside = tile.block_pointers %base sizes [%n] strides [%c1] offsets [%first] guard [0] : tensor<64x!tile.ptr<f32>>
    ```

    After:

    ```mlir
    %start = arith.extsi %first : i32 to i64
    %block = tile.addptr %base, %start : !tile.ptr<f32>, i64
    %index = tile.make_range 0 to 64 : tensor<64xi32>
    %splat = tile.splat %block : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %distance = arith.extsi %index : tensor<64xi32> to tensor<64xi64>
    %pointers = tile.addptr %splat, %distance : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
    %left = arith.subi %n, %start : i64
    ...
    %below = arith.cmpi slt, %index, %limit : tensor<64xi32>
    %inside = arith.andi %above, %below : tensor<64xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numExpanded", "blocks", "blocks that became arithmetic">];
}

def TileForwardStores : Pass<"tile-forward-stores", "::mlir::func::FuncOp"> {
  let summary = "replace loads of what the same pointers have just stored";
  let description = [{
    Which thread holds an element of a tile is not said, so a thread may load what another one has stored, before that
    one did. Kernels that store a tile and load it by the same pointers and mask mean the value, which this pass puts in the place of the
    load where nothing between the two, in one block, may write to an array. Runs for GPUs; a CPU executes a program in
    its order.

    Before:

    ```mlir
    tile.store %ptrs, %x : tensor<64x!tile.ptr<f32>>
    %y = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    %z = arith.addf %y, %y : tensor<64xf32>
    ```

    After:

    ```mlir
    tile.store %ptrs, %x : tensor<64x!tile.ptr<f32>>
    %z = arith.addf %x, %x : tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numForwarded", "loads", "loads that were replaced">];
}

def TileSelectBranches : Pass<"tile-select-branches", "::mlir::func::FuncOp"> {
  let summary = "compute both arms of a branch and select, where that is cheap";
  let description = [{
    A branch outside of loops that yields a tile, and whose arms are a few instructions an element, becomes what both arms compute and
    a selection. A branch would have all elements of its results in registers at once; selections are computed where they are needed.
    Runs for GPUs, whose registers are few.

    Before:

    ```mlir
    %y = scf.if %found -> (tensor<64xf32>) {
      %z = arith.select %at, %zero, %x : tensor<64xi1>, tensor<64xf32>
      scf.yield %z : tensor<64xf32>
    } else {
      scf.yield %x : tensor<64xf32>
    }
    ```

    After:

    ```mlir
    %z = arith.select %at, %zero, %x : tensor<64xi1>, tensor<64xf32>
    %all = tile.splat %found : i1 -> tensor<64xi1>
    %y = arith.select %all, %z, %x : tensor<64xi1>, tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numSelected", "branches", "branches that became selections">];
}

def TileScalarSteps : Pass<"tile-scalar-steps", "::mlir::func::FuncOp"> {
  let summary = "carry a number instead of a tile that a loop moves uniformly";
  let description = [{
    Kernels often move a tile of pointers, or of indices, by the same amount in each iteration of a
    loop. Such a tile is its value before the loop plus one number, the same for all elements; the
    loop then carries the number. On a GPU it takes one register instead of one or two for each
    element, and the tile, being computed from values outside the loop, has no layout that the loop
    fixes. On a CPU an address becomes a base plus an affine offset, so that accesses through it
    vectorise; the tile would be kept in memory and each access would gather.

    Applies to each tile that an `scf.for` carries and only changes by adding or subtracting splats.
    A pointer moves by a 64-bit number of elements; an index keeps its type, and wraps around as
    before.

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

def TileJoinReductions : Pass<"tile-join-reductions", "::mlir::func::FuncOp"> {
  let summary = "reduce along two axes at once";
  let description = [{
    A reduction of what another one alone gives it, by the same operation and along a neighbouring axis, reduces the other's source
    along both. So each thread combines all that it has before lanes and warps do.

    Before:

    ```mlir
    %rows = tile.reduce(%x) axis 1 : (tensor<32x64xf32>) -> tensor<32xf32> { .. arith.addf .. }
    %sum = tile.reduce(%rows) axis 0 : (tensor<32xf32>) -> f32 { .. arith.addf .. }
    ```

    After:

    ```mlir
    %flat = tile.reshape %x : tensor<32x64xf32> -> tensor<2048xf32>
    %sum = tile.reduce(%flat) axis 0 : (tensor<2048xf32>) -> f32 { .. arith.addf .. }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numJoined", "joined", "reductions that became part of another one">];
}

def TileFlattenLoads : Pass<"tile-flatten-loads", "::mlir::func::FuncOp"> {
  let summary = "load a box as the matrix that a product takes";
  let description = [{
    A tile that is loaded and becomes a factor of a product by changes of its shape, at least one of which is a reshape,
    is loaded in the shape behind the last reshape. Pointers, mask and replacement are changed instead, which costs
    nothing, since they are values that are computed where they are needed. The load then is one of a factor as later
    passes know it, and copies into shared memory serve it. Constants are made again in the other shape. A block that
    the load has stays with it if it is only reshaped.

    Before:

    ```mlir
    %box = tile.load %pointers : tensor<1x64x32x!tile.ptr<f16>>
    %matrix = tile.reshape %box : tensor<1x64x32xf16> -> tensor<64x32xf16>
    %r = tile.dot %matrix, %b, %c precision ieee : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    ```

    After:

    ```mlir
    %flat = tile.reshape %pointers : tensor<1x64x32x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    %matrix = tile.load %flat : tensor<64x32x!tile.ptr<f16>>
    %r = tile.dot %matrix, %b, %c precision ieee : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numFlattened", "loads", "loads that bring a matrix now">];
}

def TileExpandDots : Pass<"tile-expand-dots", "::mlir::func::FuncOp"> {
  let summary = "make precise products of f32 out of fast ones";
  let description = [{
    A product of f32 with the precision `tf32x3`, `bf16x3` or `bf16x6` becomes a sum of three or six
    products that matrix instructions compute: each factor is split into a large part in the
    narrower type and what is left, once more for `bf16x6`, and only products of two small parts are
    left out. Small products are added first. Where a factor is infinite or NaN, its small parts are
    NaN; what they give is replaced by 0 before the product of the large parts is added. Does nothing
    on a target without matrix instructions.

    Before:

    ```mlir
    %r = tile.dot %a, %b, %c precision bf16x3 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    ```

    After:

    ```mlir
    %big = arith.truncf %a : tensor<16x16xf32> to tensor<16x16xbf16>
    %wide = arith.extf %big : tensor<16x16xbf16> to tensor<16x16xf32>
    %left = arith.subf %a, %wide : tensor<16x16xf32>
    %small = arith.truncf %left : tensor<16x16xf32> to tensor<16x16xbf16>
    // The same of %b.
    %0 = tile.dot %small, %bigOfB, %zero : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    %1 = tile.dot %big, %smallOfB, %0 : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    %number = arith.cmpf ord, %1, %1 : tensor<16x16xf32>
    %2 = arith.select %number, %1, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %3 = tile.dot %big, %bigOfB, %2 : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    %r = arith.addf %3, %c : tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numExpanded", "products", "products that became several">];
}

def TileChooseLaunch : Pass<"tile-choose-launch", "::mlir::func::FuncOp"> {
  let summary = "choose the warps and CTAs of a program";
  let description = [{
    Chooses how many warps and CTAs run one program of a kernel, `tile.num_warps` and
    `tile.num_ctas`, from the size of the kernel's largest tile and from what is done with it.
    Numbers that the kernel has already stay.

    A kernel gets 1 to 16 warps, as many as give each thread

    - 64 bytes of the tile, if the kernel reduces: lanes and warps then rarely combine;
    - 32 bytes, two accesses, if it does not;
    - 16 to 32 elements, if it scans, 16, if a loop accumulates and reduces, or at least 16, if
      tiles are split many times;
    - at most 32 bytes and 8 elements (16 of one byte) in a loop that waits for its loads in each
      iteration, half as many elements in a nested one; a tile of 128 elements has two warps;
    - 4 elements, if each is an access of its own, far from its neighbours.

    Kernels with products by matrix instructions get 4 warps, or 8 where the sums of one block would
    fill more than 224 registers of a thread, and fewer where the largest tile has less than 8
    elements for each of their threads.

    Elementwise kernels stay at 4 warps as long as a thread has at most 32 elements, and kernels
    that write scattered elements have at most 4.

    If the registers of 16 warps do not hold the tile well, or if several tiles that are read once
    fill them together, the kernel gets `tile.stream` where `tile-stream-tiles` can work on its
    tiles piece by piece. Large tiles also become a cluster of up to 8 CTAs, if the target has
    clusters and all tiles have one shape. Barriers of a program that is a cluster become barriers of
    the cluster.

    A kernel that is not streamed gets a warning if its elements of a thread, times an estimate of
    its instructions, mean that ptxas or the driver will take minutes.

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

def TilePackPrograms : Pass<"tile-pack-programs", "::mlir::ModuleOp"> {
  let summary = "several small programs in a CTA";
  let description = [{
    A GPU starts one to two CTAs a nanosecond, whatever these do. Programs that load and store less than memory moves in that
    time are faster if several share a CTA. Where launches know about it (`tile.tensor_maps = "launcher"`), a kernel without
    loops, products and prints gets `tile.packing`, if its programs are small enough.

    Warps that share a CTA with other programs must not wait for it, and have nothing in shared memory. So a program that reduces or
    scans becomes one warp, others as many as give a lane 8 elements. If that is fewer than the kernel's, its function is copied:
    the copy, `tile.packed_form_of`, is for packed launches, and the kernel stays as it is for others, which may have few programs.
    `tile-settle-packing` takes it back where layouts have brought exchanges through shared memory after all.

    Before:

    ```mlir
    func.func @k(%x: ...) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} { ... }
    ```

    After:

    ```mlir
    func.func @k(%x: ...) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>, ...} { ... }
    func.func @k.packed(%x: ...) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @k, ...} { ... }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

def TileSettlePacking : Pass<"tile-settle-packing", "::mlir::ModuleOp"> {
  let summary = "no packing where warps use shared memory";
  let description = [{
    Warps of several programs in a CTA would write to the same shared memory, and wait for each other. Takes `tile.packing` from
    kernels whose code for packed launches has shared memory, or barriers of several warps, and erases copies that `tile-pack-programs` has made for it.

    Before:

    ```mlir
    func.func @k(...) attributes {tile.kernel, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 0 : i32, ...} { ... }
    func.func @k.packed(...) attributes {tile.packed_form_of = @k, tile.shared_bytes = 512 : i32, ...} { ... }
    ```

    After:

    ```mlir
    func.func @k(...) attributes {tile.kernel, tile.shared_bytes = 0 : i32, ...} { ... }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say which launches are packed, and how">];
}

def TileScaleMaxima : Pass<"tile-scale-maxima", "::mlir::func::FuncOp"> {
  let summary = "look for maxima before scaling";
  let description = [{
    A maximum of products of a tile with one number, or several, is the product of the tile's maximum with them, to the bit, where they are
    positive and finite; a branch keeps the old form for other numbers, unless all are constants. Only where the tile is a product of matrices, and so arithmetic is what
    threads spend their time on. Products that are masked with minus infinity are treated in the same way where the mask is true everywhere; whether
    it is follows from the bounds of the ranges and numbers that it compares.

    Before:

    ```mlir
    %scores = tile.dot %queries, %keys, %zeros : ...
    %scaled = arith.mulf %scores, %factors : ...
    %peak = tile.reduce(%scaled) axis 1 : ... { ... arith.maxnumf ... }
    ```

    After:

    ```mlir
    %scores = tile.dot %queries, %keys, %zeros : ...
    %isPositive = arith.cmpf ogt, %factor, %zero : f32
    %isFinite = arith.cmpf olt, %factor, %infinity : f32
    %isUsual = arith.andi %isPositive, %isFinite : i1
    %peak, %tile, %number = scf.if %isUsual -> ... {
      %largest = tile.reduce(%scores) axis 1 : ... { ... arith.maxnumf ... }
      %product = arith.mulf %largest, ... : ...
      scf.yield %product, %scores, %factor : ...
    } else {
      %scaled = arith.mulf %scores, %factors : ...
      %largest = tile.reduce(%scaled) axis 1 : ... { ... arith.maxnumf ... }
      scf.yield %largest, %scaled, %one : ...
    }
    // In the place of %scaled: one instruction with a subtraction.
    %later = arith.mulf %tile, ... : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numMaxima", "maxima", "Maxima that are scaled instead of what they are of">];
}

def TileStreamTiles : Pass<"tile-stream-tiles", "::mlir::func::FuncOp"> {
  let summary = "work on large tiles piece by piece";
  let description = [{
    Holding a large tile in registers leaves room for few threads. In a kernel with `tile.stream`,
    each loaded tile is instead copied into a buffer in shared memory with one slot for each piece,
    and each reduction and each store becomes a loop over the pieces, which rematerializes the
    elementwise values that it needs. Threads hold one piece at a time, so more of them are resident
    and more loads are in flight. A tile that only one reduction reads needs no buffer, if nothing
    between the two writes memory: the loop loads its pieces.

    Applies if all tiles of the kernel have one shape with one dimension, and loads, reductions and
    stores are in one block. The order in which a reduction combines elements changes, which
    `tile.reduce` allows.

    Runs when the number of warps and CTAs is known and before layouts are assigned;
    `tile-choose-launch` sets the attribute.

    Before:

    ```mlir
    %x = tile.load %ptrs : tensor<32768x!tile.ptr<bf16>>
    %max = tile.reduce(%x) axis 0 : ...
    ```

    After:

    ```mlir
    %pieces = tile.alloc_buffer : !tile.buffer<2048xbf16, slots = 16>
    tile.buffer_copy %ptrs0 into %pieces[%c0] : ...   // sixteen times
    tile.async_commit
    tile.async_wait 0
    %x0 = tile.buffer_load %pieces[%c0] : ...
    %partial = scf.for %i = %c1 to %c16 step %c1 iter_args(%p = %x0) -> ... {
      %xi = tile.buffer_load %pieces[%i] : ...
      %next = arith.maxnumf %p, %xi : tensor<2048xbf16>
      scf.yield %next : tensor<2048xbf16>
    }
    %max = tile.reduce(%partial) axis 0 : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileRollTiles : Pass<"tile-roll-tiles", "::mlir::func::FuncOp"> {
  let summary = "loops over what a thread has of a large tile";
  let description = [{
    A thread that has more elements of a tile than registers, 256 of 8 warps, works on them in a loop, instead of by so many
    instructions: code, and what it costs to make, do not grow with the tile, and an eighth of the registers hold a chunk. A chunk is the tile without
    some of the bits of its elements' indices, of which each is a register's alone in all layouts that are involved.

    Each reduction and each store becomes a loop over the chunks, which rematerializes what is elementwise, shapes, ranges, and
    loads that nothing else reads if no memory is written between. What a loop cannot load, threads keep in their own memory
    (`tile.private_store`): in the first reduction that reads it, or where the load stands. All layouts stay as they are. A scan of a
    tile with one axis becomes a loop, too, which keeps its results.

    A kernel in which something else works on such tiles is left as it is.

    Runs when layouts are assigned.

    Before:

    ```mlir
    %x = tile.load %ptrs : tensor<65536x!tile.ptr<f32>, #registers512>
    %max = tile.reduce(%x) axis 0 : ...
    tile.store %to, %x : ...
    ```

    After:

    ```mlir
    %kept = tile.alloc_private : !tile.private<512 x f32>
    %x0 = tile.load %ptrs0 : tensor<4096x!tile.ptr<f32>, #registers32>
    tile.private_store %x0 into %kept[%c0] : ...
    %partial = scf.for %i = %c1 to %c16 step %c1 iter_args(%p = %x0) -> ... {
      %xi = tile.load %ptrsi : tensor<4096x!tile.ptr<f32>, #registers32>
      tile.private_store %xi into %kept[%i] : ...
      %next = arith.maxnumf %p, %xi : tensor<4096xf32, #registers32>
      scf.yield %next : ...
    }
    %max = tile.reduce(%partial) axis 0 : ...
    scf.for %i = %c0 to %c16 step %c1 {
      %xi = tile.private_load %kept[%i] : ...
      tile.store %toi, %xi : ...
    }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numRolled", "loops", "loops over chunks">];
}

def TileMarkStreams : Pass<"tile-mark-streams", "::mlir::func::FuncOp"> {
  let summary = "what is read once leaves the caches first";
  let description = [{
    A load whose elements nobody reads again gets `evict = first`: its lines take each other's place in the caches, and leave the
    others there. Among these are lines that were written and must go to memory before anything takes their place, so that a
    kernel which reads much and writes little becomes faster by that itself.

    So it is in a kernel without products if the load is the only access of its array; the address is a sum of products in
    which each axis of the grid that the kernel asks for, and each loop around, counts, and none by less than the neighbours that
    are loaded together; whole lines are loaded; and stores have a quarter of the bytes at most. In a kernel with products it is
    the large factor of products of up to 16 rows, or columns, in a loop, which is not read again where the product has no more: if no
    other product takes it, and all axes and loops count in its address, in which nothing was loaded.

    Of arrays of some 100 MB, kernels of one load became 1.05 to 1.25 times as fast on an H200 behind writes of 256 MB, products of
    16 rows 1.12 times; of 500 MB, 0.96 to 0.98 times.

    Before:

    ```mlir
    %pid = tile.program_id x
    %first = arith.muli %pid, %c1024 : i32
    %start = tile.addptr %x, %first : !tile.ptr<f32>, i32
    %starts = tile.splat %start : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
    %ptrs = tile.addptr %starts, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %values = tile.load %ptrs : tensor<1024x!tile.ptr<f32>>
    ```

    After:

    ```mlir
    %values = tile.load %ptrs evict = first : tensor<1024x!tile.ptr<f32>>
    ```
  }];
  let statistics = [Statistic<"numMarked", "loads", "loads that leave the caches first">];
}

def TileRelaxAtomics : Pass<"tile-relax-atomics", "::mlir::func::FuncOp"> {
  let summary = "atomic operations behind which nothing is accessed need not acquire";
  let description = [{
    An atomic operation that acquires has later accesses of its program see what others wrote before they released; the GPU
    empties a cache for that, and waits. The last access of a program, as the sum at the end of a product that is split
    in depth, has nothing to see: it keeps what it releases.

    An operation in a loop may be followed by itself, and is left as it is.

    Before:

    ```mlir
    %old = tile.atomic_rmw add %ptrs, %sums sem = acq_rel scope = gpu : tensor<128x!tile.ptr<f32>>
    return
    ```

    After:

    ```mlir
    %old = tile.atomic_rmw add %ptrs, %sums sem = release scope = gpu : tensor<128x!tile.ptr<f32>>
    return
    ```
  }];
  let statistics = [Statistic<"numRelaxed", "atomics", "atomic operations that do not acquire any more">];
}

def TileMaskRows : Pass<"tile-mask-rows", "::mlir::func::FuncOp"> {
  let summary = "leave out rows of factors that are loaded again";
  let description = [{
    A load of a factor whose rows are `offsets % M`, or `where(offsets < M, offsets, 0)`, loads some rows of the matrix
    again where the tile goes beyond its end; where M is 1, it loads one row only. If no store can depend on rows from
    some number on, since what is made of a row stays in that row and stores mask it, the load gets a mask that leaves
    them out, and zeros there. So it is with tiles of few rows, which may be more than the matrix has.

    Before:

    ```mlir
    %row = arith.remsi %offsets, %sizes : tensor<16xi32>
    ...
    %x = tile.load %pointers : tensor<16x64x!tile.ptr<f16>>
    ```

    After, if stores of what is made of `%x` are masked by `%offsets < %sizes`:

    ```mlir
    %inside = arith.cmpi slt, %fromEnd, %c0 : tensor<16xi32>
    ...
    %x = tile.load %pointers mask %mask other %zeros : tensor<16x64x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numMasked", "masked", "Loads that got a mask">];
}

def TileVersionKernels : Pass<"tile-version-kernels", "::mlir::func::FuncOp"> {
  let summary = "a version of a kernel for arguments that make accesses wide";
  let description = [{
    Where nothing is promised of a row stride, each element of a tile is an access of its own. For elementwise work
    that is slow, for products it is several times slower than copies of 16 bytes. A kernel whose loads of factors
    would be wider if some arguments were multiples (integers: so that elements fill 16 bytes; pointers: of 16)
    gets two versions of its body, and looks at these arguments first. Arguments whose being multiples widens
    neither a load of a factor nor a store of a tile are not looked at.

    Applies to kernels with products that matrix instructions compute.

    Before:

    ```mlir
    func.func @k(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32) {
      %row = arith.muli %i, %stride : i32
      ...
    }
    ```

    After:

    ```mlir
    func.func @k(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32) {
      %rest = arith.andi %stride, 7 : i32
      %fits = arith.cmpi eq, %rest, 0 : i32
      scf.if %fits {
        %known = tile.promise %stride divisibility [8] contiguity [1] constancy [1] : i32
        %row = arith.muli %i, %known : i32
        ...
      } else {
        %row = arith.muli %i, %stride : i32
        ...
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilec::tile::TileDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say which arguments decide">];
  let statistics = [Statistic<"numVersioned", "kernels", "kernels with two versions">];
}

def TileFindBlocks : Pass<"tile-find-blocks", "::mlir::func::FuncOp"> {
  let summary = "describe tiles of pointers that are blocks of tensors";
  let description = [{
    In a kernel whose `tile.tensor_maps` is "launcher", for a target that copies blocks: a load of a factor that warp groups
    multiply, in a loop that writes no memory, gets a `tile.block` if its pointers and mask are those of one, and arguments
    determine address, sizes and strides of the tensor. The pointers are a pointer plus, for each axis, the index times a stride, of which one is 1, plus scalars;
    these become offsets. A mask's bound is the size of an axis; without one it has no end. Scalars that move by the stride of no
    axis of the tile become further axes, along which the block has one element. Where another axis than the last one has the stride 1, the
    load becomes one of the transposed tile.

    Elements behind the end that are taken from elsewhere, `offsets % M` or `where(offsets < M, offsets, 0)`, may be zeros if no store can depend on them: what is
    made of a row stays in that row, and stores mask it.

    Signs and overflow are taken as everywhere for addresses; strides are multiples of 16 bytes by promises. Launches check
    that they are not negative.

    Before:

    ```mlir
    %rows = tile.splat %row : i32 -> tensor<64xi32>
    ...
    %x = tile.load %pointers mask %below other %zeros : tensor<64x32x!tile.ptr<f16>>
    ```

    After:

    ```mlir
    %block = tile.block %base sizes [%n, %endless] strides [%stride, %c1] offsets [%row, %column] : !tile.block<64x32xf16>
    %x = tile.load %pointers mask %below other %zeros block %block : !tile.block<64x32xf16> : tensor<64x32x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numFound", "found", "Loads that got a block">];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "assign a layout to every tile";
  let description = [{
    Gives every tile of a kernel a layout. Memory accesses decide: the axis analysis (contiguity,
    divisibility and constancy of pointers and masks) says how many neighbouring elements a thread
    can move in one access of at most 16 bytes, and the threads of a warp are laid along the
    contiguous dimension so that accesses coalesce. Everything else follows the operands it
    consumes. A value that is cheap to compute again (ranges, splats, arithmetic on them) is
    rematerialized in the layout that each use needs; any other mismatch becomes a
    `tile.convert_layout`.

    Two stores of a program may write to one address from different threads. Stores of tiles with
    fewer elements than the program has threads are made by one warp, in program order
    (`tile.in_order`), if they may overlap with another such store, with a stored scalar or, in a
    loop, with themselves. Tiles of that shape are loaded by each warp.
    Kernels with clusters do not get this order.

    Runs once, on canonicalized tile IR; the kernel needs `tile.num_warps`. Every later pass of the
    GPU path expects tiles with layouts.

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

#endif // TILEC_DIALECT_TILE_TRANSFORMS_LAYOUTPASSES_TD
