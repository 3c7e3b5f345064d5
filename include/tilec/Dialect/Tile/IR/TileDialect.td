//===- TileDialect.td - the tile dialect -------------------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_IR_TILEDIALECT_TD
#define TILEC_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "What a kernel language over tiles needs beyond the upstream dialects";
  let description = [{
    A kernel is a `func.func` that one program of a launch grid executes. Its values are scalars and
    tiles: builtin ranked tensors whose dimensions are powers of two. Elementwise work is `arith` and
    `math` on tensors, control flow is `scf`. This dialect adds pointers, the program's position in
    the grid, memory access under a mask, shape changes, reductions, and the layout attribute that says
    which thread holds which element.

    Attributes on a module:

    - `tile.target`, a `#tile.target`: the GPU that it is compiled for. Without it, code is made for the
      oldest one.
    - `tile.disabled_heuristics`, an array of names: what measurements have switched off.

    Attributes on a kernel:

    - `tile.kernel` (unit) marks the function as an entry point.
    - `tile.num_warps`, `tile.num_ctas` (i32) on the function: the launch shape that layouts are for; where warps
      have roles, the number of all warps, and layouts are for those of a role.
    - `tile.num_stages` (i32) on the function: for how many iterations of a loop the loads of a matrix product's
      operands may be in flight at once, where the loop has no `tile.num_stages` of its own.
    - `tile.roles` ("never" or "always") on the function: whether it gets warps that only copy; without it, where a loop
      asks for them by `tile.warp_specialize` (unit).
    - `tile.packing` (three i32) on the function: launches of many programs give several of them to a CTA. The threads of
      each, how many programs, and from how many for each multiprocessor on.
    - `tile.packed_form_of` (symbol), beside `tile.kernel`: the code of that kernel for packed launches, where these have
      fewer threads for a program.
    - `tile.persistent` (i32) on the function: a CTA goes on to the next program, and launches have so many CTAs for each
      multiprocessor at most. `tile.grid_axis` (i32) on an argument: launches pass the programs along that axis of the grid.
    - `tile.shared_bytes` (i32) on the function: shared memory of one CTA, once it is allocated.
    - `tile.name` (string) on an argument: the parameter's name in the source.
    - `tile.divisibility` (i32, a power of two) on an argument: a promise that the integer's value, or
      the pointer's address in bytes, is a multiple of it.
  }];

  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // TILEC_DIALECT_TILE_IR_TILEDIALECT_TD
