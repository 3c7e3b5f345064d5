//===- TileAttrs.td - the layout attribute and enums -------*- tablegen -*-===//
#ifndef TILEC_DIALECT_TILE_IR_TILEATTRS_TD
#define TILEC_DIALECT_TILE_IR_TILEATTRS_TD

include "tilec/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which thread holds which element of a tile";
  let description = [{
    A linear map over F2 from hardware coordinates to tile coordinates, given by the images of the
    basis vectors: entry `i` of `lane` is the tile coordinate that bit `i` of the lane number
    contributes, and the element that a thread's register holds is the xor of the contributions of
    all set bits. There are always five lane bases; a zero basis means that the threads which differ
    in that bit hold copies.

    The four coordinates are the register number inside a thread, the lane inside a warp, the warp
    inside a CTA, and the CTA (`block`) inside a cluster. See "Linear Layouts", arXiv 2505.23819.

    Example: 1024 elements over 4 warps, two neighbouring elements a thread at a time.

    ```mlir
    #tile.layout<register = [[1], [256], [512]], lane = [[2], [4], [8], [16], [32]],
                 warp = [[64], [128]], block = []>
    ```
  }];
  let parameters = (ins
    "unsigned":$rank,
    ArrayRefParameter<"int32_t", "register bases, one after the other">:$registers,
    ArrayRefParameter<"int32_t", "lane bases">:$lanes,
    ArrayRefParameter<"int32_t", "warp bases">:$warps,
    ArrayRefParameter<"int32_t", "CTA bases">:$blocks);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "const ::tilec::layout::LinearLayout &":$layout)>];
  let extraClassDeclaration = [{
    /// The layout as a map, for a tile of `shape`. The attribute must be a valid encoding of it.
    ::tilec::layout::LinearLayout toLinearLayout(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

def Tile_SharedAttr : AttrDef<Tile_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "which element of a tile lies where in a buffer";
  let description = [{
    A linear map over F2 from the bits of an element's row-major index to its offset in the buffer, in elements:
    entry `i` is what bit `i` of the index contributes, and the offset is the xor of the contributions of all set
    bits. Offsets have no gaps. Elements of different CTAs of a cluster may share an offset.

    Example: 8 rows of 4 elements; the columns of odd rows have changed places, so that equal columns of two rows
    lie in different banks.

    ```mlir
    #tile.shared<[1, 2, 6, 8, 16]>
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"int32_t", "offset of each bit of the index">:$offsets);
  let assemblyFormat = "`<` `[` (`]`) : ($offsets^ `]`)? `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tilec::layout::SharedLayout &":$layout)>];
  let extraClassDeclaration = [{
    /// Number of offsets.
    int64_t getNumElements() const;
    /// The map in the layout algebra; it says nothing of who owns an element in a cluster.
    ::tilec::layout::SharedLayout toSharedLayout() const;
  }];
}

class Tile_Enum<string name, list<I32EnumCase> cases> :
    I32Enum<name, "", cases> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Axis : Tile_Enum<"Axis", [
    I32EnumCase<"X", 0, "x">, I32EnumCase<"Y", 1, "y">, I32EnumCase<"Z", 2, "z">]>;

def Tile_CacheModifier : Tile_Enum<"CacheModifier", [
    I32EnumCase<"None", 0, "none">, I32EnumCase<"CA", 1, "ca">, I32EnumCase<"CG", 2, "cg">,
    I32EnumCase<"CV", 3, "cv">, I32EnumCase<"WB", 4, "wb">, I32EnumCase<"CS", 5, "cs">,
    I32EnumCase<"WT", 6, "wt">]>;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", [
    I32EnumCase<"Normal", 0, "normal">, I32EnumCase<"First", 1, "first">,
    I32EnumCase<"Last", 2, "last">]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", [
    I32EnumCase<"Add", 0, "add">, I32EnumCase<"And", 1, "and">, I32EnumCase<"Or", 2, "or">,
    I32EnumCase<"Xor", 3, "xor">, I32EnumCase<"MaxS", 4, "max">, I32EnumCase<"MinS", 5, "min">,
    I32EnumCase<"MaxU", 6, "umax">, I32EnumCase<"MinU", 7, "umin">,
    I32EnumCase<"Exchange", 8, "xchg">, I32EnumCase<"MaxNum", 9, "fmax">,
    I32EnumCase<"MinNum", 10, "fmin">]>;

def Tile_MemSemantic : Tile_Enum<"MemSemantic", [
    I32EnumCase<"Relaxed", 0, "relaxed">, I32EnumCase<"Acquire", 1, "acquire">,
    I32EnumCase<"Release", 2, "release">, I32EnumCase<"AcqRel", 3, "acq_rel">]>;

def Tile_DotPrecision : Tile_Enum<"DotPrecision", [
    I32EnumCase<"IEEE", 0, "ieee">, I32EnumCase<"TF32", 1, "tf32">, I32EnumCase<"TF32x3", 2, "tf32x3">,
    I32EnumCase<"BF16x3", 3, "bf16x3">, I32EnumCase<"BF16x6", 4, "bf16x6">]>;

def Tile_MemScope : Tile_Enum<"MemScope", [
    I32EnumCase<"GPU", 0, "gpu">, I32EnumCase<"CTA", 1, "cta">, I32EnumCase<"System", 2, "sys">]>;

def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic">;
def Tile_MemSemanticAttr : EnumAttr<Tile_Dialect, Tile_MemSemantic, "semantic">;
def Tile_MemScopeAttr : EnumAttr<Tile_Dialect, Tile_MemScope, "scope">;
def Tile_DotPrecisionAttr : EnumAttr<Tile_Dialect, Tile_DotPrecision, "dot_precision">;
def Tile_AxisAttr : EnumAttr<Tile_Dialect, Tile_Axis, "axis">;
def Tile_CacheModifierAttr : EnumAttr<Tile_Dialect, Tile_CacheModifier, "cache">;
def Tile_EvictionPolicyAttr : EnumAttr<Tile_Dialect, Tile_EvictionPolicy, "evict">;

#endif // TILEC_DIALECT_TILE_IR_TILEATTRS_TD
