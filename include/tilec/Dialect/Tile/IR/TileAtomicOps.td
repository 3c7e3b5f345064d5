//===- TileAtomicOps.td - atomic operations and barriers ---*- tablegen -*-===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEATOMICOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEATOMICOPS_TD

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [
    MemoryEffects<[MemRead, MemWrite]>, Tile_AccessOpInterface, Tile_OrdersAccesses,
    DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>,
    TypesMatchWith<"result is the pointee in the pointer's shape", "ptr", "result",
                   "::tilec::tile::pointeeLike($_self)">,
    TypesMatchWith<"value is the pointee in the pointer's shape", "ptr", "value",
                   "::tilec::tile::pointeeLike($_self)">,
    OptionalTypesMatchWith<"mask is i1 in the pointer's shape", "ptr", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "changes the elements that pointers name, each in one step";
  let description = [{
    Replaces each element x by `x kind value` and gives the old x. Where the mask is false, memory is not
    touched and the result is unspecified. Each element is changed once, however many threads hold it. Integers
    have 32 or 64 bits; floats can be added, and those of 16 bits compared (`fmax`, `fmin`), where a number wins over NaN.

    With `first_only`, only the first of the threads that hold copies of an element has the result; tile-expand-exchanges
    adds it where others get the result through a buffer.

    ```mlir
    %old = tile.atomic_rmw add %ptrs, %zeros mask %mask sem = relaxed scope = gpu : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PtrLike:$ptr, Tile_Any:$value,
                       Optional<Tile_BoolLike>:$mask, Tile_MemSemanticAttr:$sem,
                       Tile_MemScopeAttr:$scope, UnitAttr:$firstOnly);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $kind $ptr `,` $value (`mask` $mask^)? `sem` `=` $sem `scope` `=` $scope
    (`first_only` $firstOnly^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [
    MemoryEffects<[MemRead, MemWrite]>, Tile_AccessOpInterface, Tile_OrdersAccesses,
    DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>,
    TypesMatchWith<"result is the pointee in the pointer's shape", "ptr", "result",
                   "::tilec::tile::pointeeLike($_self)">,
    TypesMatchWith<"expected is the pointee in the pointer's shape", "ptr", "expected",
                   "::tilec::tile::pointeeLike($_self)">,
    TypesMatchWith<"value is the pointee in the pointer's shape", "ptr", "value",
                   "::tilec::tile::pointeeLike($_self)">]> {
  let summary = "replaces the elements that equal what is expected, each in one step";
  let description = [{
    Gives the old elements. Works on integers of 16, 32 or 64 bits. Each element is compared once, however many
    threads hold it. `first_only` as in `tile.atomic_rmw`.

    ```mlir
    %seen = tile.atomic_cas %intPtr, %offset, %slot sem = acq_rel scope = gpu : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Any:$expected, Tile_Any:$value,
                       Tile_MemSemanticAttr:$sem, Tile_MemScopeAttr:$scope, UnitAttr:$firstOnly);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $ptr `,` $expected `,` $value `sem` `=` $sem `scope` `=` $scope
    (`first_only` $firstOnly^)? attr-dict `:` type($ptr)
  }];
  let extraClassDeclaration = [{
    /// All elements are accessed.
    ::mlir::Value getMask() { return {}; }
  }];
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [
    MemoryEffects<[MemRead, MemWrite]>, Tile_WritesNoArrays, Tile_OrdersAccesses]> {
  let summary = "all threads of a CTA wait for each other";
  let description = [{
    What they wrote before is visible to all of them after.

    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TILEC_DIALECT_TILE_IR_TILEATOMICOPS_TD
