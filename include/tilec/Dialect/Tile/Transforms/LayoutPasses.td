//===- LayoutPasses.td - until tiles have layouts ----------*- tablegen -*-===//
//
// Included by Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_LAYOUTPASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_LAYOUTPASSES_TD

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
    load becomes one of the transposed tile. The load of a left factor before such a loop gets a block, too.

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
