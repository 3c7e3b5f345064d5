//===- Passes.td - the passes of the CPU path --------------*- tablegen -*-===//
#ifndef TILEC_CONVERSION_TILETOCPU_PASSES_TD
#define TILEC_CONVERSION_TILETOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileTranslateAssembly : Pass<"tile-translate-assembly", "::mlir::func::FuncOp"> {
  let summary = "turn inline assembly into operations on tiles";
  let description = [{
    Replaces every `tile.inline_asm`, whose text is PTX, by operations that compute the same: a register of the
    text is a tile of integers with an element for each group of elements, and an instruction is a few operations
    on such tiles. With a pack greater than 1, groups are neighbours in row-major order, elements that are narrower
    than 32 bits share words, and a tile with fewer elements than a group is filled with copies of them. A predicate
    selects between the new value of a register and the old one; of memory accesses it is the mask.

    Approximations are at least as exact as the hardware's. What has no meaning on a CPU or is not known is an error
    that names the instruction: special registers, labels and branches, barriers, shared memory.

    Before:

    ```mlir
    %y = tile.inline_asm "{ .reg .b32 t; shl.b32 t, $1, 4; or.b32 $0, t, 1; }" constraints "=r,r" pack 1 pure (%x) : (tensor<128xi32>) -> tensor<128xi32>
    ```

    After:

    ```mlir
    %four = arith.constant dense<4> : tensor<128xi32>
    %one = arith.constant dense<1> : tensor<128xi32>
    %t = arith.shli %x, %four : tensor<128xi32>
    %y = arith.ori %t, %one : tensor<128xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::tilec::tile::TileDialect"];
  let statistics = [
    Statistic<"numTranslated", "translated", "pieces of inline assembly replaced">];
}

def ConvertTileToCPU : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "turn tiles into fused linalg loops over buffers";
  let description = [{
    Rewrites every kernel (a function with `tile.kernel`) so that no tile is left. What touches
    every element of a tile (a load, a store, a reduction, an assertion, a value that must be kept)
    becomes part of a `linalg.generic` over memrefs; elementwise arithmetic, ranges, splats and
    shape changes are computed inside it, element by element, and take no memory. Steps over one
    shape share one `linalg.generic` as far as memory order allows: a store never shares with an
    access before or after it, since the pointers may overlap. A value that several of them need is
    rematerialized when that is cheap and kept in a buffer otherwise.

    Buffers are slices of one scratch memory, which the caller passes: two buffers that are never
    live at the same time may overlap. A reduction along the last dimension runs in up to 64 lanes,
    so that the loop vectorises whatever its combine region does, and folds the lanes at the end.

    The kernel takes its own parameters (pointers as `!llvm.ptr`), then the program's position and
    the size of the grid as six i32, the scratch memory, and a pointer to a record that a failed
    `tile.assert` fills in (`cf.assert` until `tile-cpu-asserts`). Expects calls to be
    inlined. `tile-cpu-expand-math` must follow before LLVM's vectoriser sees the
    result, or each `math.exp` is a call.

    With `check-memory` each element of a load, store or atomic operation calls `tilec_check_access`
    with the record, a constant that describes the access and its place in the source, the address,
    the element's number in C order (-1: a scalar), the bits that a store writes, and the program's
    position; it happens only where the answer is not 0. Barriers call `tilec_check_barrier`.

    A product of matrices is a loop nest of vector operations: blocks of the result stay in registers,
    as many rows and vectors as half of the processor's registers hold. Where `matrix-tiles` says that the
    processor has AMX, products of bf16 and i8 that fill its tiles are its instructions; where `add-pairs` says so, products of i8
    are added up in pairs, in the form that LLVM recognizes. The rows of the right factor are then packed by
    groups of the depth. Loads whose offsets are a sum
    modulo a size (`offsets % M`) are written twice: without the remainder, under the condition that
    the block is inside, so that they vectorise; and as they are.

    Before:

    ```mlir
    func.func @double(%p: !tile.ptr<f32>) attributes {tile.kernel} {
      %range = tile.make_range 0 to 128 : tensor<128xi32>
      %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
      %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>>
      %y = arith.addf %x, %x : tensor<128xf32>
      tile.store %ptrs, %y : tensor<128x!tile.ptr<f32>>
      return
    }
    ```

    After (the load's part):

    ```mlir
    %x = memref.view %scratch[%c0][] : memref<512xi8> to memref<128xf32>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%x : memref<128xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %0 = arith.index_cast %i : index to i32
      %1 = arith.extsi %0 : i32 to i64
      %2 = llvm.getelementptr %p[%1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %3 = llvm.load %2 : !llvm.ptr -> f32
      linalg.yield %3 : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", "16",
                        "vector registers of the processor">,
                 Option<"vectorBytes", "vector-bytes", "int64_t", "16",
                        "bytes of a vector register">,
                 Option<"addPairs", "add-pairs", "bool", "false",
                        "one instruction adds up products of pairs of i16">,
                 Option<"matrixTiles", "matrix-tiles", "bool", "false",
                        "the processor has AMX, with bf16 and i8">,
                 Option<"checkMemory", "check-memory", "bool", "false",
                        "accesses to memory ask before they happen">];
  let statistics = [
    Statistic<"numLoops", "loops", "linalg.generic operations made for steps over tiles">,
    Statistic<"numBuffers", "buffers", "tiles kept in memory">];
}

def TileCPUExpandMath : Pass<"tile-cpu-expand-math",
                                         "::mlir::func::FuncOp"> {
  let summary = "expand arithmetic that the processor or LLVM would not do as tile IR defines it";
  let description = [{
    Rewrites scalars after `convert-tile-to-cpu`, so that LLVM's vectoriser sees plain
    arithmetic. `math.exp`, `exp2`, `log` and `log2` of f32 become polynomials (at most 2 ulp, with
    infinities, NaN and subnormal results exact); of f64 they stay and become calls. Arithmetic on
    f16 and bf16 is done in f32 and rounded to nearest even after every operation; conversions to
    and from bf16 are integer arithmetic, and those of f16 too with `expand-f16`, for processors
    that have no instruction for them. What would stop the process or be undefined is given a value:
    an integer divided by zero is 0 and its remainder the dividend; the smallest integer divided by
    -1 is itself; a shift by the width or more shifts everything out; a float outside an integer's
    range becomes the nearest value in it, and NaN becomes 0. No fast-math flag but `contract` is left,
    since LLVM's estimates are wrong at infinities.

    Before:

    ```mlir
    %q = arith.divsi %a, %b : i32
    ```

    After, in short:

    ```mlir
    %bad = arith.ori %is_zero, %is_minus_one : i1
    %safe = arith.select %bad, %one, %b : i32
    %quotient = arith.divsi %a, %safe : i32
    %q = ... // 0, -a or the quotient
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [Option<"expandF16", "expand-f16", "bool", "false",
                        "convert f16 by integer arithmetic">];
  let statistics = [Statistic<"numExpanded", "expanded", "operations rewritten">];
}

def TileCPUCarryBF16 : Pass<"tile-cpu-carry-bf16",
                                        "::mlir::func::FuncOp"> {
  let summary = "replace bf16 by i16 where values only move";
  let description = [{
    Replaces the type bf16 by i16 wherever it stands: in values, arguments, buffers and constants.
    Runs after `tile-cpu-expand-math`, which leaves no operation that computes with
    bf16. LLVM for x86 would hold a bf16 that crosses a branch as f32 and narrow it at its use, with
    `vcvtneps2bf16`, which flushes subnormal numbers, or with a call of `__truncsfbf2`, which is not
    in every compiler's run-time library.

    Before:

    ```mlir
    func.func @keep(%x: bf16, %buffer: memref<4xbf16>, %i: index) -> i16 {
      memref.store %x, %buffer[%i] : memref<4xbf16>
      %bits = arith.bitcast %x : bf16 to i16
      return %bits : i16
    }
    ```

    After:

    ```mlir
    func.func @keep(%x: i16, %buffer: memref<4xi16>, %i: index) -> i16 {
      memref.store %x, %buffer[%i] : memref<4xi16>
      return %x : i16
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numBitcasts", "bitcasts", "bitcasts that became nothing">];
}

def TileCPUAsserts : Pass<"tile-cpu-asserts", "::mlir::ModuleOp"> {
  let summary = "make a failed assertion fill in a record and end the program";
  let description = [{
    Turns each `cf.assert` of a kernel that `convert-tile-to-cpu` made into a branch: when the
    condition is false, the first program to fail claims the error record (an atomic exchange of its
    first word), writes the program's position, the line, the column, the file and the message, and
    the kernel returns. Needs a kernel without structured control flow, since it returns from the
    middle; runs after `convert-scf-to-cf` and before functions become LLVM's. The record's layout
    is that of `tilec::HostFailure`.

    Before:

    ```mlir
    cf.assert %ok, "column out of range"
    ```

    After:

    ```mlir
      cf.cond_br %ok, ^continue, ^failed
    ^failed:
      %old = llvm.atomicrmw xchg %record, %one monotonic : !llvm.ptr, i32
      %first = arith.cmpi eq, %old, %zero : i32
      cf.cond_br %first, ^report, ^return
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"numAsserts", "asserts", "assertions lowered">];
}

#endif // TILEC_CONVERSION_TILETOCPU_PASSES_TD
