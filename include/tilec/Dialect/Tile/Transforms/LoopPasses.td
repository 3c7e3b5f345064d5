//===- LoopPasses.td - loops that load and multiply --------*- tablegen -*-===//
//
// Included by Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_LOOPPASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_LOOPPASSES_TD

def TileSwapFactors : Pass<"tile-swap-factors", "::mlir::func::FuncOp"> {
  let summary = "add up transposed products whose left factor is better in registers";
  let description = [{
    Instructions of warp groups take the right factor from shared memory, and the left one from there or from registers. Where
    a loop adds up products of a left factor that is loaded and a right one that threads compute from narrower elements, or
    that has neighbours along its columns and is not of 16 bits, it carries the transposed sum instead, (A B)^T = B^T A^T: the
    factor that threads hold anyway is the left one, and needs neither shared memory nor a barrier.

    Before:

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zeros) -> (tensor<128x64xf32>) {
      %a = tile.load ... : tensor<128x32xbf16>
      %b = arith.sitofp %bytes : tensor<32x64xi8> to tensor<32x64xbf16>
      %next = tile.dot %a, %b, %acc : ...
      scf.yield %next
    }
    ```

    After:

    ```mlir
    %transposed = scf.for ... iter_args(%acc = %zerosT) -> (tensor<64x128xf32>) {
      %a = tile.load ... : tensor<128x32xbf16>
      %b = arith.sitofp %bytes : tensor<32x64xi8> to tensor<32x64xbf16>
      %bT = tile.permute %b [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
      %aT = tile.permute %a [1, 0] : tensor<128x32xbf16> -> tensor<32x128xbf16>
      %next = tile.dot %bT, %aT, %acc : ...
      scf.yield %next
    }
    %sum = tile.permute %transposed [1, 0] : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numSwapped", "swapped", "Products that are added up transposed">];
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

def TileDeferReductions : Pass<"tile-defer-reductions", "::mlir::func::FuncOp"> {
  let summary = "combine across threads behind a loop, not in each iteration";
  let description = [{
    A loop may carry nothing but the sum, maximum, minimum or product of what it reduces in each iteration. Then each thread
    combines its own elements, the loop carries these parts, and the threads exchange them once, behind it. The axis is split into
    bits of its index that registers count and others; in this example four threads hold two elements each.

    Also what one block reduces several times, and combines with each other by the same operation, is combined by each thread first:
    loops that are unrolled in the source exchange once.

    Runs after layouts are final, before tile-pipeline-loads.

    Before:

    ```mlir
    %sum = scf.for ... iter_args(%acc = %start) {
      %one = tile.reduce(%tile) axis 0 : (tensor<8xf32, #layout>) -> f32 { add }
      %next = arith.addf %acc, %one : f32
      scf.yield %next
    }
    ```

    After:

    ```mlir
    %parts = scf.for ... iter_args(%acc = %zeros) {
      %split = tile.reshape %tile : tensor<8xf32, #layout> -> tensor<4x2xf32, #layout1>
      %ordered = tile.permute %split order [0, 1] : ...
      %mine = tile.reshape %ordered : ...
      %part = tile.reduce(%mine) axis 1 : (tensor<4x2xf32, #layout1>) -> tensor<4xf32, #layout2> { add }
      %next = arith.addf %acc, %part : tensor<4xf32, #layout2>
      scf.yield %next
    }
    %all = tile.reduce(%parts) axis 0 : (tensor<4xf32, #layout2>) -> f32 { add }
    %sum = arith.addf %start, %all : f32
    ```
  }];
  let statistics = [Statistic<"numDeferred", "num-deferred", "Number of reductions that are left to a later one">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TilePersistPrograms : Pass<"tile-persist-programs", "::mlir::func::FuncOp"> {
  let summary = "CTAs that go on to the next program";
  let description = [{
    A program of a matrix product begins with the wait for its first blocks and ends with stores, while tensor cores are
    idle. Where launches know about it (`tile.tensor_maps = "launcher"`), a kernel becomes a loop over its programs, from
    the CTA's number on by the number of CTAs: `tile.persistent`. The place of a program in the grid follows from its number
    and the sizes of the grid, which are new parameters. The loop counts as flattened, and asks for warps that only copy:
    these then bring the first blocks of the next program while the others store this one.

    Which kernels: two groups of warps, one loop, with products whose factors hardware copies (`tile-find-blocks`), a block of
    64 rows for each group, and as many iterations in all programs; nothing that programs could wait for or be told apart by
    (atomic operations with results, volatile loads, prints, assertions); and room in shared memory for three slots beside what is exchanged
    for the stores. In a loop that waits for products, as an attention does, hardware must copy all tiles that programs load, and two slots are enough.

    Runs after layouts are final, before `tile-pipeline-loads`.

    Before:

    ```mlir
    func.func @k(%x: ...) attributes {tile.kernel, tile.tensor_maps = "launcher", ...} {
      %row = tile.program_id x
      %sum = scf.for ... { tile.dot ... }
      tile.store ...
    }
    ```

    After:

    ```mlir
    func.func @k(%x: ..., %nx: i32 {tile.grid_axis = 0 : i32}, %ny: i32 {...}, %nz: i32 {...}) attributes {tile.persistent = 1 : i32, ...} {
      %all = ...                        // %nx * %ny * %nz
      %first = tile.program_id x        // of the CTA
      %ctas = tile.num_programs x
      scf.for %program = %first to %all step %ctas : i32 {
        %row = arith.remsi %program, %nx
        %sum = scf.for ... { tile.dot ... }
        tile.store ...
      } {tile.flatten, tile.warp_specialize}
    }
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say what was chosen, and why">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
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
    follows the wait. Vectors from which factors are computed go ahead with them, if that costs no
    resident CTA: each element is copied by one thread, whoever wants it. Loads of the numbers that
    say where factors are (pages, lists) are made an iteration further ahead than the copies, and
    the loop carries what they bring, up to 64 bytes of a thread.

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
    iteration, in a nested loop any number up to 64, and beside copies that go ahead
    (`tile-pipeline-loads`) up to 16; for the upper limit, an element narrower than a
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
    moves, since other programs run while one waits; except in kernels with products, of which few
    run at a time: there up to 256 bytes do.

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
    arrival there is for the slot before. A block that is copied once, before a loop, has a barrier for itself, and for each tile a second one. In a flattened loop over tiles both go from tile to tile with slot and phase, and the
    slot of a tile's last iteration is freed behind its loop. A loop whose slots are filled and read as those of the loop before it goes on with its
    slot and phase, as if both were one: its copies start while the other still multiplies. Other loops have barriers of
    their own, in their first phases, and those who copy for them wait for the end of the loop before.

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

def TileSplitProducts : Pass<"tile-split-products", "::mlir::func::FuncOp"> {
  let summary = "multiply by half of a factor while the other half is computed";
  let description = [{
    A product of warp groups whose left factor is converted from elements of 8 bits or fewer, in registers, becomes two: the
    first half of the depth, and the second one added to it. ptxas lets nobody write registers of a factor while a product that
    reads them is in flight; those of the second half are others.

    Both halves must be large enough to be worth a beginning of their own, and the next wait must be for all products, which it counts.

    Before:

    ```mlir
    %weights = arith.sitofp %bytes : tensor<128x64xi8, #factor> to tensor<128x64xbf16, #factor>
    %sum = tile.group_dot %weights, transposed %rows[%slot], %acc : ...
    %done = tile.group_wait 0 for %sum : ...
    ```

    After:

    ```mlir
    %weights = arith.sitofp %bytes : tensor<128x64xi8, #factor> to tensor<128x64xbf16, #factor>
    %half = tile.group_dot %weights, transposed %rows[%slot], %acc depth [0, 32] : ...
    %sum = tile.group_dot %weights, transposed %rows[%slot], %half depth [32, 32] : ...
    %done = tile.group_wait 0 for %sum : ...
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "products in two halves">];
}

def TilePartProducts : Pass<"tile-part-products", "::mlir::func::FuncOp"> {
  let summary = "make products in parts where their sums do not fit beside others";
  let description = [{
    A product of warp groups that starts from zero, and whose sums only elementwise work adds to a tile of as many registers, as
    with scales for each block of the depth: both tiles and the rest of what is live take more registers than a thread has. It is
    made in parts, two or more, each of which is complete, and taken up by the elementwise work, before the next one starts
    (`tilec-order-registers` places that work). So only one part has registers beside the tile. What the work reads from buffers
    is read before the product. The wait, which says until when the factors are read, is behind the work, and takes its result,
    so that nobody moves that.

    Before:

    ```mlir
    %product = tile.group_dot %lhs[%slot], %rhs[%slot], %zero : ...
    %done = tile.group_wait 0 for %product : tensor<128x128xf32, #group> -> tensor<128x128xf32, #group>
    %scaled = arith.mulf %done, %scale : tensor<128x128xf32, #group>
    %next = arith.addf %sum, %scaled : tensor<128x128xf32, #group>
    ```

    After:

    ```mlir
    %product = tile.group_dot %lhs[%slot], %rhs[%slot], %zero parts 2 : ...
    %scaled = arith.mulf %product, %scale : tensor<128x128xf32, #group>
    %added = arith.addf %sum, %scaled : tensor<128x128xf32, #group>
    %next = tile.group_wait 0 for %added : tensor<128x128xf32, #group> -> tensor<128x128xf32, #group>
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "products in parts">];
}

def TileStoreBlocks : Pass<"tile-store-blocks", "::mlir::func::FuncOp"> {
  let summary = "have hardware store tiles that are blocks of tensors";
  let description = [{
    In a kernel with products whose `tile.tensor_maps` is "launcher", for a target that copies blocks: a tile that is exchanged
    between threads only to be stored goes from the layout that it has into a buffer, which hardware stores as a block. The
    pointers and the mask are exactly those of a block, as `tile-find-blocks` finds it or the store says by itself, of which
    launches can make the map, and the buffer has room where other exchanges do.

    Nobody knows when such a store has come to memory before the kernel is over. So a store is left alone if the program reads
    memory behind it, or does anything that tells others of it (atomic operations, barriers); if it stores elsewhere by the same
    argument, but for blocks of the same tensor that lie beside each other and are stored so as well, or by pointers that come from
    several; and if it uses something behind the store that it loaded from there before. Different arguments are taken to be
    different arrays. Stores in loops are left alone unless the loops are flattened (`tile.flatten`): then their author says that no
    iteration reads what an earlier one stores. This pass removes the attribute. Kernels with clusters are left alone, too.

    The wait until hardware has read the buffer comes before what may need its memory, at the latest at the end. In loops it
    comes before the first buffer of an iteration is written again, and then it is one until the elements are in memory, since
    iterations may store to the same place.

    Before:

    ```mlir
    %there = tile.convert_layout %sum : tensor<128x64xf16, #product> -> tensor<128x64xf16, #rows>
    tile.store %pointers, %there mask %inside : tensor<128x64x!tile.ptr<f16>, #rows>
    ```

    After:

    ```mlir
    %place, %map = tile.make_tensor_maps %base sizes [%m, %n] strides [%stride, %c1] through %scratch : ...
    %buffer = tile.alloc_buffer : ...
    tile.buffer_store %sum, %buffer : tensor<128x64xf16, #product>, ...
    tile.async_fence
    tile.barrier
    tile.bulk_store %buffer into %map[%row, %column] : ...
    tile.bulk_store_wait %buffer : ...
    tile.release_tensor_maps %place
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false", "say which stores hardware makes, and which not">];
  let statistics = [Statistic<"numStored", "stored", "Stores that hardware makes">];
}

def TilePassTensorMaps : Pass<"tile-pass-tensor-maps", "::mlir::func::FuncOp"> {
  let summary = "have launches make the tensor maps that arguments determine";
  let description = [{
    In a kernel whose `tile.tensor_maps` is "launcher", a `tile.make_tensor_maps` whose addresses, sizes and strides follow
    from arguments and constants by simple arithmetic becomes a parameter for each map. Equal maps share one, and the kernel
    begins by asking for them. What a map is of is written on the parameter (`tile.map_of`), in postfix form, where `@2` is
    the argument with that number: the address in bytes, then sizes and strides in elements. In a branch that arguments
    decide, the parameter has the condition, too (`tile.map_when`): for other launches there may be no such map. Operations
    in other branches and in loops stay as they are, and so do those whose maps would take the parameters beyond 4 KB.

    Runs when it is clear which warps copy.

    Before:

    ```mlir
    func.func @kernel(%a: !tile.ptr<f16>, %rows: i64, %stride: i64) attributes {tile.tensor_maps = "launcher"} {
      %size = arith.maxsi %rows, %c1 : i64
      %scratch = tile.alloc_buffer : ...
      %place, %map = tile.make_tensor_maps %a sizes [%size, %c64] strides [%stride, %c1] through %scratch : ...
      tile.bulk_copy %map[%row, %column] into %factors[%slot] arrive %full[%slot] : ...
      tile.release_tensor_maps %place
    ```

    After:

    ```mlir
    func.func @kernel(%a: !tile.ptr<f16>, %rows: i64, %stride: i64,
                      %map: !tile.tensor_map<...> {tile.map_of = ["@0", "@1 1 max", "64", "@2"]}) {
      tile.prefetch_tensor_map %map : ...
      tile.bulk_copy %map[%row, %column] into %factors[%slot] arrive %full[%slot] : ...
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numMaps", "maps", "Maps that launches make">];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_LOOPPASSES_TD
