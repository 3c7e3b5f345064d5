//===- Passes.td - tile IR to the work of one thread -------*- tablegen -*-===//
#ifndef TILEC_CONVERSION_TILETOGPU_PASSES_TD
#define TILEC_CONVERSION_TILETOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "distribute tiles over threads: what one thread does";
  let description = [{
    A tile with a layout becomes the vector of the registers that one thread holds; pointers become
    `!llvm.ptr<1>`. Elementwise operations stay what they are, on vectors. Loads and stores become
    accesses as wide as the axis analysis proves, predicated by their masks. A reduction combines
    registers inside the thread, then lanes by shuffles, then warps through shared memory. A layout
    conversion becomes a permutation of registers, shuffles, or a trip through shared memory.

    The module's target decides what instructions exist.

    Expects every tile to have a layout (`tile-assign-layouts`) and every exchange between warps to have
    a place in shared memory (`tile-allocate-shared`). Leaves `scf`, `arith`, `math` and `vector`
    operations to the upstream conversions.

    Before:

    ```mlir
    %range = tile.make_range 0 to 128 : tensor<128xi32, #tile.layout<register = [[1], [2]],
      lane = [[4], [8], [16], [32], [64]], warp = [], block = []>>
    ```

    After:

    ```mlir
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
    %two = arith.constant 2 : i32
    %base = arith.shli %tid, %two : i32
    %bases = vector.broadcast %base : i32 to vector<4xi32>
    %registers = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    %range = arith.addi %bases, %registers : vector<4xi32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileExpandMath : Pass<"tile-expand-math"> {
  let summary = "say how the GPU computes each math function";
  let description = [{
    Rewrites math operations on f32 and f64 scalars and vectors into what the hardware has, so that no
    function library is needed. `math.exp` with `afn` on f32 becomes a multiplication and
    `math.exp2 fastmath<afn>`, which selects `ex2.approx`; division with `arcp` on f32 becomes
    `div.full`, or, of a tile by a scalar that is neither tiny nor huge, one multiplication by its
    reciprocal, or, by the sum of a positive constant and what is not negative, `rcp.approx` and two
    factors; with `afn` and `arcp`, divisions and roots take the instruction as it is; bf16 is extended word by word; a float becomes an integer by the
    instruction, which saturates, also where LLVM knows the number; `math.rsqrt` becomes `rsqrt.approx`. Logarithms, and exponentials on f64, are evaluated
    by range reduction and a polynomial, correct for zeros, denormals, infinities and NaN. The remainder
    of a division is exact, by a loop that ends after one step unless the quotient has more digits than
    a float. Other f32
    functions take the upstream polynomials.

    Runs after `convert-tile-to-gpu` and before the conversion to LLVM. A function that has no expansion is
    an error that names it.

    Before:

    ```mlir
    %y = math.exp %x fastmath<afn> : vector<4xf32>
    ```

    After:

    ```mlir
    %log2e = arith.constant dense<1.44269502> : vector<4xf32>
    %z = arith.mulf %x, %log2e : vector<4xf32>
    %y = math.exp2 %z fastmath<afn> : vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def TileMarkKernels : Pass<"tile-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "say in NVVM's terms what a kernel is";
  let description = [{
    A function with `tile.kernel` becomes an NVVM kernel whose CTAs have exactly the threads that
    `tile.num_warps` says, so that the back end may rely on it and a launch with another number fails.
    The attributes of the tile dialect end here, those of the module too.

    Runs last, after the conversion to LLVM: before it, a function is not yet an `llvm.func`, the only
    operation that the NVVM attributes may stand on.

    Before:

    ```mlir
    llvm.func @kernel() attributes {tile.kernel, tile.num_warps = 4 : i32} { llvm.return }
    ```

    After:

    ```mlir
    llvm.func @kernel() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} { llvm.return }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TILEC_CONVERSION_TILETOGPU_PASSES_TD
