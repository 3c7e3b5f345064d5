//===- TileOps.td - the operations -------------------------*- tablegen -*-===//
//
// Each operation carries one example in its own field; the build writes the examples into a file
// that a test parses, so that the documentation cannot drift from the grammar.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEOPS_TD

include "tilec/Dialect/Tile/IR/TileAttrs.td"
include "tilec/Dialect/Tile/IR/TileInterfaces.td"
include "tilec/Dialect/Tile/IR/TileTargetAttr.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// The same elements in another order of positions.
class Tile_ShapeChangeOp<string mnemonic> : Tile_Op<mnemonic, [
    Pure, DeclareOpInterfaceMethods<Tile_RepeatableOpInterface, ["getOperandLayout"]>,
    DeclareOpInterfaceMethods<Tile_ShapeChangeOpInterface>, DeclareOpInterfaceMethods<Tile_PositionOpInterface>,
    DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]>;

/// Works on each element alone.
class Tile_ElementwiseOp<string mnemonic, list<Trait> traits = []> :
    Tile_Op<mnemonic, !listconcat(
        [Pure, DeclareOpInterfaceMethods<Tile_RepeatableOpInterface, ["isElementwise"]>], traits)> {
  let extraClassDefinition = "bool $cppClass::isElementwise() { return true; }";
}

/// Both types have one shape and encoding; only the element type differs.
class Tile_SameShape<string lhs, string rhs> :
    PredOpTrait<lhs # " and " # rhs # " have the same shape and layout",
                CPred<"::tilec::tile::haveSameShape($" # lhs # ".getType(), $" # rhs # ".getType())">>;

//===----------------------------------------------------------------------===//
// The program and its grid
//===----------------------------------------------------------------------===//

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [
    Pure, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "position of this program in the launch grid";
  let description = [{
    The index of the executing program along one axis of the grid, from 0.

    ```mlir
    %pid = tile.program_id x
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "size of the launch grid";
  let description = [{
    The number of programs along one axis of the grid, at least 1.

    ```mlir
    %count = tile.num_programs y
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Making and reshaping tiles
//===----------------------------------------------------------------------===//

def Tile_MakeRangeOp : Tile_Op<"make_range", [
    Pure, Tile_RepeatableOpInterface, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "consecutive integers";
  let description = [{
    The integers `start`, `start + 1`, ... up to, but not including, `end`, as a one-dimensional tile.
    `end - start` is the number of elements; values wrap at 32 bits.

    ```mlir
    %range = tile.make_range 0 to 128 : tensor<128xi32>
    ```
  }];
  let arguments = (ins I64Attr:$start, I64Attr:$end);
  let results = (outs Tile_I32Tile:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [
    Pure, Tile_RepeatableOpInterface, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "a tile whose elements all equal one scalar";
  let description = [{
    ```mlir
    %tile = tile.splat %scalar : f32 -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Tile_Scalar:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [
    Pure, DeclareOpInterfaceMethods<Tile_RepeatableOpInterface, ["getOperandLayout"]>,
    DeclareOpInterfaceMethods<Tile_PositionOpInterface>,
    DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "repeats a tile along its dimensions of size 1";
  let description = [{
    The rank stays. Every dimension of the source equals the result's or is 1.

    ```mlir
    %wide = tile.broadcast %row : tensor<1x16xf32> -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_ShapeChangeOp<"expand_dims"> {
  let summary = "inserts a dimension of size 1";
  let description = [{
    `axis` is the position of the new dimension in the result.

    ```mlir
    %column = tile.expand_dims %range axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `axis` $axis attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_ShapeChangeOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %flat = tile.reshape %matrix : tensor<8x16xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [
    Pure, DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>,
    DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "moves elements between threads so that another layout holds";
  let description = [{
    The value does not change; only the encoding of its type does. Lowered to nothing, a permutation
    of registers, shuffles inside a warp, or a trip through shared memory, by what the maps allow.

    ```mlir
    %moved = tile.convert_layout %tile : tensor<32xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>> -> tensor<32xf32, #tile.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = []>>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

def Tile_AddPtrOp : Tile_ElementwiseOp<"addptr", [
    AllTypesMatch<["ptr", "result"]>, Tile_SameShape<"ptr", "offset">,
    DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "moves pointers by a number of elements";
  let description = [{
    The offset is sign-extended to 64 bits (a front end extends an unsigned one itself) and counts
    elements of the pointee, not bytes.

    ```mlir
    %next = tile.addptr %ptr, %offset : !tile.ptr<f32>, i32
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_ElementwiseOp<"ptr_to_int", [
    Tile_SameShape<"src", "result">, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "the address as an integer";
  let description = [{
    ```mlir
    %address = tile.ptr_to_int %ptr : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def Tile_IntToPtrOp : Tile_ElementwiseOp<"int_to_ptr", [
    Tile_SameShape<"src", "result">, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "an integer as an address";
  let description = [{
    ```mlir
    %pointer = tile.int_to_ptr %address64 : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_I64Like:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def Tile_PtrCastOp : Tile_ElementwiseOp<"ptr_cast", [
    Tile_SameShape<"src", "result">, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "the same address seen as a pointer to another type";
  let description = [{
    ```mlir
    %bytes = tile.ptr_cast %ptr : !tile.ptr<f32> -> !tile.ptr<i8>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PromiseOp : Tile_ElementwiseOp<"promise", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>]> {
  let summary = "the same value, of which something is known";
  let description = [{
    Whoever wrote the kernel promises that along each axis groups of `contiguity` neighbours count up by one,
    that `divisibility` divides the first of each such group (for pointers: its address in bytes), and that groups
    of `constancy` neighbours are equal. All numbers are powers of two; 1 promises nothing. Of a tile,
    `divisibility` says nothing about elements inside a group, nor about groups that nobody knows of. A promise
    that does not hold makes memory accesses undefined. One of a number holds for its other uses, too, where they
    are behind the promise.

    ```mlir
    %known = tile.promise %range divisibility [64] contiguity [128] constancy [1] : tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_Any:$src, DenseI64ArrayAttr:$divisibility, DenseI64ArrayAttr:$contiguity,
                       DenseI64ArrayAttr:$constancy);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $src `divisibility` $divisibility `contiguity` $contiguity `constancy` $constancy attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, Tile_AccessOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result is the pointee in the pointer's shape", "ptr", "result",
                   "::tilec::tile::pointeeLike($_self)">,
    OptionalTypesMatchWith<"mask is i1 in the pointer's shape", "ptr", "mask",
                           "::tilec::tile::boolLike($_self)">,
    OptionalTypesMatchWith<"other has the result's type", "ptr", "other",
                           "::tilec::tile::pointeeLike($_self)">]> {
  let summary = "reads the elements that pointers name";
  let description = [{
    Where the mask is false, memory is not touched and the element is `other`, or unspecified when
    there is no `other`. `cache` and `evict` are hints that never change the result. With `block`, the elements may
    be those of this block instead, in row-major order, as hardware copies whole blocks; where they differ, it does not matter which
    they are.

    ```mlir
    %plain = tile.load %ptrs : tensor<128x!tile.ptr<f32>>
    %masked = tile.load %ptrs mask %mask other %zeros cache = cg evict = first : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_Any>:$other,
    Optional<Tile_BlockType>:$block,
    DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict,
    UnitAttr:$isVolatile);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? (`block` $block^ `:` type($block))? (`cache` `=` $cache^)?
    (`evict` `=` $evict^)? (`volatile` $isVolatile^)? attr-dict `:` type($ptr)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other,
                                 CArg<"CacheModifier", "CacheModifier::None">:$cache,
                                 CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict,
                                 CArg<"bool", "false">:$isVolatile), [{
    build($_builder, $_state, ptr, mask, other, /*block=*/::mlir::Value(), cache, evict, isVolatile);
  }]>,
  OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other,
                 CArg<"CacheModifier", "CacheModifier::None">:$cache,
                 CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict, CArg<"bool", "false">:$isVolatile), [{
    build($_builder, $_state, result, ptr, mask, other, /*block=*/::mlir::Value(), cache, evict, isVolatile);
  }]>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// True unless it is volatile or must not find old values in caches: any way to bring the bytes
    /// is as good.
    bool isPlain();
    /// Whether it says what caches shall keep.
    bool hasHints();
    /// Whether elements whose mask is false may be 0, as asynchronous copies fill them up.
    bool mayFillWithZeros();
  }];
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments, Tile_AccessOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"value is the pointee in the pointer's shape", "ptr", "value",
                   "::tilec::tile::pointeeLike($_self)">,
    OptionalTypesMatchWith<"mask is i1 in the pointer's shape", "ptr", "mask",
                           "::tilec::tile::boolLike($_self)">]> {
  let summary = "writes the elements that pointers name";
  let description = [{
    Where the mask is false, memory is not touched. When two elements name one address, which of them
    is written is unspecified. With `block`, the elements are also those of this block, in row-major order, and the mask is
    true for those that are inside of the tensor.

    ```mlir
    tile.store %ptrs, %zeros mask %mask cache = cs : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Any:$value, Optional<Tile_BoolLike>:$mask,
    Optional<Tile_BlockType>:$block,
    DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? (`block` $block^ `:` type($block))? (`cache` `=` $cache^)? (`evict` `=` $evict^)?
    attr-dict `:` type($ptr)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
                                 CArg<"::mlir::Value", "::mlir::Value()">:$mask,
                                 CArg<"CacheModifier", "CacheModifier::None">:$cache,
                                 CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict), [{
    build($_builder, $_state, ptr, value, mask, /*block=*/::mlir::Value(), cache, evict);
  }]>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", [
    Pure, SingleBlock, RecursiveMemoryEffects, Tile_HasScalarCode,
    DeclareOpInterfaceMethods<Tile_LayoutOpInterface>, DeclareOpInterfaceMethods<Tile_ExchangeOpInterface>]> {
  let summary = "combines the elements along one dimension";
  let description = [{
    Reduces one or more tiles of one shape together. The region combines two groups of scalars, one
    scalar a tile, into one; it must be associative and commutative, because the order of combination
    is unspecified. The result loses the dimension; from a one-dimensional tile it is a scalar.

    ```mlir
    %sum = tile.reduce(%zeros) axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $srcs `)` `axis` $axis attr-dict `:` functional-type($srcs, results) $combine
  }];
  let extraClassDeclaration = [{
    /// The one operation that combines two elements, when the region is a single binary operation on
    /// its two arguments and nothing else; null otherwise.
    ::mlir::Operation *getSingleCombiner();
  }];
  let hasVerifier = 1;
}

def Tile_PartialReduceOp : Tile_Op<"partial_reduce", [
    Pure, SingleBlock, RecursiveMemoryEffects, Tile_HasScalarCode]> {
  let summary = "combines the elements along one dimension that one warp holds";
  let description = [{
    As `tile.reduce`, but leaves apart what different warps and different CTAs of the cluster hold. Behind the
    dimensions that remain, the result has one for the CTAs and one for the warps, in this order, with as many elements
    as there are partial results; a dimension of one element is left out. Its layout follows from the sources'.

    ```mlir
    %parts = tile.partial_reduce(%spreadZeros) axis 0 : (tensor<128xf32, #spread>) -> tensor<4xf32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []>> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $srcs `)` `axis` $axis attr-dict `:` functional-type($srcs, results) $combine
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ReturnLike,
    PredOpTrait<"it ends a region of scalar code",
                CPred<"$_op.getParentOp() && $_op.getParentOp()->hasTrait<::tilec::tile::HasScalarCode>()">>]> {
  let summary = "ends a region of scalar code with its results";
  let description = [{
    ```mlir
    %product = tile.reduce(%zeros) axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

def Tile_AssertOp : Tile_Op<"assert", [
    MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<Tile_LayoutOpInterface>]> {
  let summary = "stops the kernel when a condition is false";
  let description = [{
    Every element of the condition must be true; otherwise the message, with the location of the
    operation, is reported and the launch fails.

    ```mlir
    tile.assert %mask, "column out of range" : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasCanonicalizer = 1;
}

include "tilec/Dialect/Tile/IR/TileAtomicOps.td"
include "tilec/Dialect/Tile/IR/TileBlockOps.td"
include "tilec/Dialect/Tile/IR/TileBufferOps.td"
include "tilec/Dialect/Tile/IR/TileBulkOps.td"
include "tilec/Dialect/Tile/IR/TileDotOps.td"
include "tilec/Dialect/Tile/IR/TilePrivateOps.td"
include "tilec/Dialect/Tile/IR/TileRoleOps.td"
include "tilec/Dialect/Tile/IR/TileExchangeOps.td"
include "tilec/Dialect/Tile/IR/TileElementOps.td"

#endif // TILEC_DIALECT_TILE_IR_TILEOPS_TD
