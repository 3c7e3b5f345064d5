//===- TileRoleOps.td - warps with different tasks ---------*- tablegen -*-===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEROLEOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEROLEOPS_TD

def Tile_WarpRolesOp : Tile_Op<"warp_roles", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock, NoTerminator]> {
  let summary = "warps of one CTA that do different things";
  let description = [{
    Each region is executed by warps of its own, as if they were the whole CTA: the launch shape that layouts inside are for has the
    role's number of warps, its threads are numbered from 0, and a `tile.barrier` is one of the role's threads. Roles meet at barrier
    objects (`tile.alloc_mbarrier`) alone. The warps of the first role are the first ones of the CTA; all together are the
    function's `tile.num_warps`, which need not be a power of two then. The operation stands in the function's body, and nothing but
    the return comes behind it.

    A thread of a role has as many `registers`; what some give up others get. Groups of four warps do that together, so a role has
    whole groups.

    ```mlir
    tile.warp_roles role 8 registers 232 {
      tile.mbarrier_wait %full[%slot], %parity
    } role 4 registers 40 {
      tile.mbarrier_arrive %full[%slot] after_copies
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$numWarps, DenseI32ArrayAttr:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$roles);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_TILEROLEOPS_TD
