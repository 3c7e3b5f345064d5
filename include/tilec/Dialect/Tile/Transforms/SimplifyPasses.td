//===- SimplifyPasses.td - before warps are chosen ---------*- tablegen -*-===//
//
// Passes that make tile IR simpler, or say the same with other operations. Included by Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_TRANSFORMS_SIMPLIFYPASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_SIMPLIFYPASSES_TD

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
    before. Also to tiles that an iteration computes for later ones from its own number and from what
    came before the loop (`ptrs = first + (k + 1) * STEP`): these numbers each iteration computes for
    itself.

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

def TileUniformLoads : Pass<"tile-uniform-loads", "::mlir::func::FuncOp"> {
  let summary = "load what all elements share once";
  let description = [{
    A tile of pointers whose elements are known to be equal, and which is computed from scalars, is loaded as a scalar.
    So it takes one register, and no copies into shared memory, which would write it to one place after another.
    Volatile loads stay.

    Before, where %column is a multiple of 128 and not negative:

    ```mlir
    %columns = tile.splat %column : i32 -> tensor<128xi32>
    %range = tile.make_range 0 to 128 : tensor<128xi32>
    %offsets = arith.addi %columns, %range : tensor<128xi32>
    %blocks = arith.divsi %offsets, %c128 : tensor<128xi32>
    %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %pointers = tile.addptr %base, %blocks : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %scales = tile.load %pointers : tensor<128x!tile.ptr<f32>>
    ```

    After:

    ```mlir
    %block = arith.divsi %column, %c128 : i32
    %pointer = tile.addptr %p, %block : !tile.ptr<f32>, i32
    %scale = tile.load %pointer : !tile.ptr<f32>
    %scales = tile.splat %scale : f32 -> tensor<128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
  let statistics = [Statistic<"numLoads", "loads", "loads of scalars that were ones of tiles">];
}

def TileExpandDots : Pass<"tile-expand-dots", "::mlir::func::FuncOp"> {
  let summary = "make precise products of f32 out of fast ones";
  let description = [{
    A product of f32 with the precision `tf32x3`, `bf16x3` or `bf16x6` becomes a sum of three or six
    products that matrix instructions compute: each factor is split into a large part in the
    narrower type and what is left, once more for `bf16x6`, and only products of two small parts are
    left out. Small products are added first. Where a factor is infinite or NaN, its small parts are
    NaN; what they give is replaced by 0 before the product of the large parts is added. What is left for `tf32x3` stays as it is: the
    instruction takes the upper bits. Does nothing
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
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numExpanded", "products", "products that became several">];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_SIMPLIFYPASSES_TD
