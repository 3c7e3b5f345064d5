//===- Passes.td - tile IR to the work of one thread -------*- tablegen -*-===//
#ifndef TILEC_CONVERSION_TILETOGPU_PASSES_TD
#define TILEC_CONVERSION_TILETOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "distribute tiles over threads";
  let description = [{
    A tile with a layout becomes the vector of the registers that one thread holds; pointers become
    `!llvm.ptr<1>`. Elementwise operations stay what they are, on vectors. Loads and stores become
    accesses as wide as the axis analysis proves, predicated by their masks. A reduction combines
    the registers of a thread, then the lanes of a warp by shuffles. A layout conversion inside a
    warp becomes a permutation of registers or shuffles. Buffers become addresses in shared memory.

    The module's target decides which instructions exist.

    Expects every tile to have a layout (`tile-assign-layouts`), every exchange between warps to go
    through buffers (`tile-expand-exchanges`), and these to have offsets (`tile-allocate-shared`).
    Leaves `scf`, `arith`, `math` and `vector` operations to the upstream conversions.

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
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

def TileRetireWarps : Pass<"tile-retire-warps", "::mlir::func::FuncOp"> {
  let summary = "one warp where the others would repeat it";
  let description = [{
    If all warps of a program have the same elements of every tile, and nothing exchanges data or waits for threads, the
    first warp does the work alone. Kernels that print stay as they are.

    Before:

    ```mlir
    func.func @k(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32, ...} {
      ...
      return
    }
    ```

    After:

    ```mlir
    func.func @k(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32, ...} {
      %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
      %warp = arith.andi %tid, %c96 : i32
      %isFirst = arith.cmpi eq, %warp, %c0 : i32
      scf.if %isFirst {
        ...
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def TileMergePacked : Pass<"tile-merge-packed", "::mlir::ModuleOp"> {
  let summary = "code for packed launches as a branch of the kernel";
  let description = [{
    Where launches may give a CTA several programs (`tile.packing`), the last CTA may have fewer: the code for such launches runs
    only where there is a program. If it is a function of its own, it becomes the branch of the kernel for CTAs with as many threads
    along x as a packed program has.

    Before:

    ```mlir
    func.func @k() attributes {tile.kernel, tile.packing = array<i32: 32, 4, 16>, ...} { <one program for a CTA> }
    func.func @k.packed() attributes {tile.packed_form_of = @k, ...} { <one of several programs> }
    ```

    After:

    ```mlir
    func.func @k() attributes {tile.kernel, tile.packing = array<i32: 32, 4, 16>, ...} {
      %threads = nvvm.read.ptx.sreg.ntid.x : i32
      %isPacked = arith.cmpi eq, %threads, %c32 : i32
      scf.if %isPacked {
        ... // %program from the CTA and the thread, %count from the grid and the programs that are missing
        %isProgram = arith.cmpi ult, %program, %count : i32
        scf.if %isProgram { <one of several programs> }
      } else {
        <one program for a CTA>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def TileExpandMath : Pass<"tile-expand-math"> {
  let summary = "expand math functions to what the GPU computes";
  let description = [{
    Rewrites math operations on f32 and f64 scalars and vectors into what the hardware has, so that
    no function library is needed.

    - `math.exp` with `afn` on f32 becomes the square of `ex2.approx` of half the power, which needs
      no instructions for denormal results.
    - Division with `arcp` on f32 becomes `div.full`. Of a tile by a scalar it becomes one
      multiplication by the reciprocal, after scaling where the scalar is tiny or huge; by the sum
      of a positive constant and a number that is not negative, `rcp.approx` and two factors.
    - With `afn` and `arcp`, divisions, roots, logarithms, sines and cosines are the approximate
      instruction alone.
    - `math.rsqrt` with `afn` on f32 becomes `rsqrt.approx`.
    - bf16 is extended two elements at a time, by integer operations on words.
    - A float becomes an integer by the instruction, which saturates, also where LLVM knows the
      number.
    - Other logarithms, sines and cosines, and exponentials of f64, are range reduction and a polynomial,
      correct for zeros, denormals, infinities and NaN.
    - The remainder of a division is exact, by a loop that ends after one step unless the quotient
      has more digits than a float.
    - Other functions of f32 take the upstream polynomials.

    Runs after `convert-tile-to-gpu` and before the conversion to LLVM. A function that has no
    expansion is an error that names it.

    Before:

    ```mlir
    %y = math.exp %x fastmath<afn> : vector<4xf32>
    ```

    After:

    ```mlir
    %half = arith.constant dense<0.72134751> : vector<4xf32> // log2(e) / 2
    %scaled = arith.mulf %x, %half fastmath<contract> : vector<4xf32>
    %root = ... // llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz" of each element
    %y = arith.mulf %root, %root fastmath<contract> : vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def TileMarkKernels : Pass<"tile-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "replace the dialect's kernel attributes by those of NVVM";
  let description = [{
    A function with `tile.kernel` becomes an NVVM kernel whose CTAs have exactly the number of
    threads that follows from `tile.num_warps`: the back end may rely on it, and a launch with
    another number fails. With `tile.packing` it is the most that they have. `tile.num_ctas` above 1 becomes the size of its clusters, and
    `tile.loads_ahead` and `tile.shared_bytes` attributes of the LLVM function, which the back end
    reads. All attributes of the tile dialect are then removed from functions and from the module.

    Runs last, after the conversion to LLVM, because only an `llvm.func` can carry NVVM's
    attributes.

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
