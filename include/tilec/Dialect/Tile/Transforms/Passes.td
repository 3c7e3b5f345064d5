//===- Passes.td - passes on tile IR -----------------------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

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

def TileScaleMaxima : Pass<"tile-scale-maxima", "::mlir::func::FuncOp"> {
  let summary = "look for maxima before scaling";
  let description = [{
    A maximum of products of a tile with one number is the product of the tile's maximum with that number, to the bit, where the number is
    positive and finite; a branch keeps the old form for other numbers. Only where the tile is a product of matrices, and so arithmetic is what
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
    clusters and all tiles have one shape.

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
    loop, with themselves. Kernels with clusters do not get this order.

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

def TileCarrySums : Pass<"tile-carry-sums", "::mlir::func::FuncOp"> {
  let summary = "carry sums of products that a loop starts anew as they are";
  let description = [{
    A loop may go on with the sum of a product or with zero, as a condition says: it is over the steps of several tiles. Then it
    carries the sum itself and, beside it, whether the next iteration goes on with it; the product of that iteration selects. So
    a product of warp groups may be in flight from one iteration to the next, and starts from zero without that
    threads write zeros.

    Runs after layouts are final, before tile-pipeline-loads.

    Before:

    ```mlir
    scf.for ... iter_args(%acc = %zeros) {
      %sum = tile.dot %a, %b, %acc : ...
      %next = arith.select %ends, %zeros, %sum : ...
      scf.yield %next
    }
    ```

    After:

    ```mlir
    scf.for ... iter_args(%acc = %zeros, %goes_on = %true) {
      %start = arith.select %goes_on, %acc, %zeros : ...
      %sum = tile.dot %a, %b, %start : ...
      %more = arith.xori %ends, %true : i1
      scf.yield %sum, %more
    }
    ```
  }];
  let statistics = [Statistic<"numSums", "num-sums", "Number of sums that loops start anew">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TilePipelineLoads : Pass<"tile-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "start the loads of later iterations asynchronously";
  let description = [{
    In a loop with `tile.num_stages` of N, a load whose pointers and mask follow from the loop's
    counter, or from numbers to which each iteration adds the same, is started N-1 iterations ahead,
    as an asynchronous copy into a buffer in shared memory with N slots. Each thread copies exactly
    the bytes that it reads later, 4 to 16 at a time, so the loop needs no barrier for the buffer.
    Where several threads hold the same elements, one copies for all, and one barrier in each
    iteration follows the wait.

    Loads of the factors of a `tile.dot` go ahead in any loop for as many stages as the function's
    `tile.num_stages` says; without it, in loops that write no memory, for as many as the target's
    tuning says. Their elements lie in lines of up to 128
    bytes whose groups of 16 bytes are permuted by the row, and are read in the layout of the dot's
    operand, before any cast, in place of a conversion of layouts; one barrier in each iteration
    follows the wait.

    Products of warp groups may stay in flight until those of the next iteration have started. Then
    there is one slot more than stages, since the one of the iteration before is still read; or, if
    fewer CTAs would run at the same time for that, loads start behind the products.

    Factors that are blocks of tensors, with zeros outside, are copied by hardware where boxes of it fill the placement
    of a slot, by a tensor map that is made before the outermost loop that does not change the tensor
    (`tile.make_tensor_maps`, `tile.bulk_copy`). A barrier object with a phase for each slot says when they have landed. In
    a loop inside another one it is put back into its first phase before. From here on no load has a block.

    Applies to loads whose accesses have at least 4 bytes. If N slots exceed the shared memory that
    the target has beyond its default size, which is left to exchanges, there are fewer stages; below
    two, the loop stays as it is. Where a loop exchanges nothing but the factors of products, its
    slots may take the default size, too. Targets without cp.async keep all loops as they are.

    Runs after layouts are final.

    Before:

    ```mlir
    scf.for %i = %lo to %hi step %step : i32 {
      %x = tile.load %ptrs : ...   // %ptrs follows from %i
    } {tile.num_stages = 2 : i32}
    ```

    After:

    ```mlir
    %stages = tile.alloc_buffer : !tile.buffer<..., slots = 2>
    scf.if %any { tile.buffer_copy %first into %stages[%c0] : ... }
    tile.async_commit
    scf.for %i = %lo to %hi step %step iter_args(%slot = %c0) -> (i32) : i32 {
      scf.if %more { tile.buffer_copy %next into %stages[%other] : ... }
      tile.async_commit
      tile.async_wait 1
      %x = tile.buffer_load %stages[%slot] : ...
    }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"mostSlots", "most-slots", "int64_t", /*default=*/"0",
           "slots that a loop has at most; 0 for as many as shared memory holds by estimate">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "say why a kernel has no warps that only copy, where they are wanted">];
  let statistics = [Statistic<"numPipelined", "loops", "loops whose loads go ahead">];
}

def TilePrefetchLoads : Pass<"tile-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "load for the next iteration before the work of this one";
  let description = [{
    A loop that works on what it loads waits for memory in each iteration. This pass starts the
    loads of the next iteration at the start of this one, and the loop carries the loaded values in
    registers. In the last iteration these loads are masked off.

    Applies to loops in which nothing writes memory, and in them to loads whose pointers, mask and
    `other` follow from the loop's counter, or from what the loop carries, by operations that have
    no effects and exchange no data. Together these loads must bring a thread 32 to 64 bytes an
    iteration, in a nested loop any number up to 64; for the upper limit, an element narrower than a
    register counts as a register. ptxas unrolls simple loops that load less, which is as good;
    registers for more would cost occupancy. Loops with `tile.num_stages` are left to
    `tile-pipeline-loads`.

    Runs after layouts are final.

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
  let summary = "start loads before threads wait for each other";
  let description = [{
    In each iteration of a loop a thread waits several times: for data that it loads, and for other
    threads where data is exchanged through shared memory. A load behind such a point starts only
    when the wait is over, and one latency follows the other. This pass moves loads, and the
    arithmetic of their pointers, before the first such point that they do not depend on.

    Applies to the bodies of loops. No load moves across an operation that may write memory, and at
    most 96 bytes for each thread move, since they occupy registers meanwhile. Outside loops nothing
    moves: there, other programs run while one waits.

    Runs after layouts are final and before `tile-allocate-shared`, which depends on the order of
    exchanges.

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

def TileUseWarpGroups : Pass<"tile-use-warp-groups", "::mlir::func::FuncOp"> {
  let summary = "multiply matrices in groups of four warps";
  let description = [{
    On targets with wgmma a `tile.dot` that fitsWarpGroups() becomes a `tile.group_dot`, whose right factor is in a
    buffer: in the slot that a pipelined load has filled, or in a new one into which it is stored. The left factor
    is read from a slot, or from a new buffer if it is computed outside of the loop; otherwise it stays in registers.

    A product whose sum the loop only carries on stays in flight until the next iteration has started its own, and
    is waited for behind the loop. Any other is waited for at once.

    A product whose right factor has no placement that wgmma reads stays a `tile.dot`, in the same layouts.

    Runs after tile-pipeline-loads.

    Before:

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zero, %slot = %first) {
      %a = tile.buffer_load %left[%slot] : ...
      %b = tile.buffer_load %right[%slot] : ...
      %next = tile.dot %a, %b, %acc : ...
      scf.yield %next, %following : ...
    }
    ```

    After:

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zero, %slot = %first) {
      %next = tile.group_dot %left[%slot], %right[%slot], %acc : ...
      tile.group_wait 1
      scf.yield %next, %following : ...
    }
    %done = tile.group_wait 0 for %sum : ...
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "Products that warp groups make">];
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

def TileSpecializeWarps : Pass<"tile-specialize-warps", "::mlir::func::FuncOp"> {
  let summary = "have copies made by warps that do nothing else";
  let description = [{
    Of a kernel whose loops tile-pipeline-loads has left with their copies in place (`tile.copies_in_place`), all
    that it does becomes the first role of a `tile.warp_roles`. The second role, of four more warps, repeats what copies need:
    loops, conditions around them, pointers and masks, or maps of tensors and the places of blocks. Buffers whose first readers are the same share two barriers for each slot. Who
    copies waits until a slot is empty, and arrives at the other barrier when the copies have landed; who multiplies waits for that before the
    first reader, and each warp arrives behind the wait for the last product that reads. If that is in the next iteration, the
    arrival there is for the slot before. Each loop has its own barriers, in their first phases; between two loops, which
    fill the same slots, those who copy wait for the end of the first.

    Runs after `tile-use-warp-groups`, which decides who reads the slots, and before exchanges are expanded, so that
    barriers are those of a role.

    Before:

    ```mlir
    %sum:2 = scf.for ... iter_args(%acc = %zeros, %slot = %c0) -> ... {
      tile.buffer_copy %ptrs into %stages[%slot] : ...
      tile.async_commit
      tile.async_wait 0
      %next = tile.group_dot %left, %stages[%slot], %acc : ...
      %done = tile.group_wait 0 for %next : ...
      scf.yield %done, %following : ...
    } {tile.copies_in_place}
    ```

    After:

    ```mlir
    %full = tile.alloc_mbarrier slots 3 arrivals 128
    %empty = tile.alloc_mbarrier slots 3 arrivals 8
    tile.barrier
    tile.warp_roles role 8 registers 232 {
      %sum:3 = scf.for ... iter_args(%acc = %zeros, %slot = %c0, %phase = %c0) -> ... {
        tile.mbarrier_wait %full[%slot], %phase
        %next = tile.group_dot %left, %stages[%slot], %acc : ...
        %done = tile.group_wait 0 for %next : ...
        tile.mbarrier_arrive %empty[%slot] each_warp
        scf.yield %done, %following, %then : ...
      }
    } role 4 registers 40 {
      scf.for ... iter_args(%slot = %c0, %phase = %c0) -> ... {
        tile.mbarrier_wait %empty[%slot], %before
        tile.buffer_copy %ptrs into %stages[%slot] : ...
        tile.mbarrier_arrive %full[%slot] after_copies
        scf.yield %following, %then : ...
      }
    }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say which kernels get warps that only copy">];
  let statistics = [Statistic<"numLoops", "loops", "loops whose copies other warps make">];
}

def TileDelayProducts : Pass<"tile-delay-products", "::mlir::func::FuncOp"> {
  let summary = "let the last product of an iteration overlap the next one";
  let description = [{
    In the role that multiplies, a loop with several products works on the results of the first ones and feeds the last one
    with them; it stays in flight until the next iteration waits for its own. Here it moves into that iteration, behind
    the first products there, and has its own wait behind the work on their results. The first iteration is peeled off, and
    the last product comes behind the loop.

    Left alone are loops whose sums and factors leave too few registers for the rest, and those whose work ends in the
    registers of the factor: only a cast to its type can wait until the product has read the last ones.

    Before:

    ```mlir
    %sum = scf.for %i = %lb to %ub step %s iter_args(%acc = %zeros, %slot = %c0) -> ... {
      %scores = tile.group_dot %queries, %keys[%slot], %none : ...
      %done:2 = tile.group_wait 0 for %scores, %acc : ...
      %weights = ... %done#0
      %scaled = ... %done#1
      %next = tile.group_dot %weights, %values[%slot], %scaled : ...
      scf.yield %next, %following : ...
    }
    ```

    After:

    ```mlir
    // The first iteration, without its last product.
    %last:3 = scf.for %i = %second to %ub step %s iter_args(%scaled = %first, %slot = %c1, %weights = %firstWeights,
                                                           %slotBefore = %c0) -> ... {
      %scores = tile.group_dot %queries, %keys[%slot], %none : ...
      %acc = tile.group_dot %weights, %values[%slotBefore], %scaled : ...
      %done = tile.group_wait 1 for %scores : ...
      %nextWeights = ... %done
      %complete = tile.group_wait 0 for %acc : ...
      %nextScaled = ... %complete
      scf.yield %nextScaled, %following, %nextWeights, %slot : ...
    }
    %sum = tile.group_dot %last#2, %values[%last#3], %last#0 : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numProducts", "products", "Products that overlap the next iteration">];
}

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

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
