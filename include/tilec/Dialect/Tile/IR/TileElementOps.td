//===- TileElementOps.td - code for each element -----------*- tablegen -*-===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEELEMENTOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEELEMENTOPS_TD

def Tile_MapOp : Tile_ElementwiseOp<"map", [SingleBlock, Tile_HasScalarCode]> {
  let summary = "scalar code for each element";
  let description = [{
    The region takes one element of each source and yields the result's element at that position. Unlike
    elementwise operations, it may branch and loop for each element alone; it touches no memory.

    ```mlir
    %mapped = tile.map(%zeros, %range) : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %n: i32):
      %scale = arith.sitofp %n : i32 to f32
      %y = arith.mulf %x, %scale : f32
      tile.yield %y : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs);
  let results = (outs Tile_AnyTile:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $srcs `)` attr-dict `:` functional-type($srcs, results) $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<Tile_RepeatableOpInterface, ["isElementwise"]>,
    DeclareOpInterfaceMethods<Tile_LayoutOpInterface>]> {
  let summary = "machine instructions for each group of elements";
  let description = [{
    One copy of `asm` works on `pack` elements of every operand at once and gives as many of every result.
    Operands and results that are narrower than 32 bits share registers, low bits first. `$0` and so on are the
    registers of the results, then those of the operands, as the LLVM constraint string `constraints` says. All
    operands and results have one shape. Without `pure`, no copy is removed, merged or made twice. Translated for CPUs.

    ```mlir
    %twice = tile.inline_asm "shl.b32 $0, $1, 1;" constraints "=r,r" pack 1 pure (%range) : (tensor<128xi32>) -> tensor<128xi32>
    ```
  }];
  let arguments = (ins StrAttr:$asmText, StrAttr:$constraints,
                       ConfinedAttr<I32Attr, [IntPositive]>:$pack, UnitAttr:$pure,
                       Variadic<Tile_Any>:$args);
  let results = (outs Variadic<Tile_Any>:$results);
  let assemblyFormat = [{
    $asmText `constraints` $constraints `pack` $pack (`pure` $pure^)? `(` $args `)` attr-dict
    `:` functional-type($args, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it may depend on how threads are numbered, or wait for all of a CTA.
    bool dependsOnThreads();
  }];
}

def Tile_PrintOp : Tile_Op<"print", [
    MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>]> {
  let summary = "prints the elements of a value while the kernel runs";
  let description = [{
    One line for each element: the position of the program in the grid, the element's index, `prefix` and the
    element. Without a value, one line for the program. `isUnsigned` tells how integers are printed, `hex`
    that they (and the bits of floats) are printed as hexadecimal numbers.

    ```mlir
    tile.print " x: " %zeros : tensor<128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, UnitAttr:$isUnsigned,
                       Optional<Tile_Any>:$value);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? (`unsigned` $isUnsigned^)? ($value^ `:` type($value))? attr-dict
  }];
}

#endif // TILEC_DIALECT_TILE_IR_TILEELEMENTOPS_TD
