//===- TileInterfaces.td - what passes ask of operations ---*- tablegen -*-===//
//
// Analyses and solvers know operations by these interfaces, and by upstream's, not by name. An operation implements
// them beside its verifier and folds.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_DIALECT_TILE_IR_TILEINTERFACES_TD
#define TILEC_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_OpInterface<string name, list<Interface> bases = []> : OpInterface<name, bases> {
  let cppNamespace = "::tilec::tile";
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Tile_RepeatableOpInterface : Tile_OpInterface<"RepeatableOpInterface"> {
  let description = [{
    Where it has no side effects, every thread can repeat the operation for whatever elements it needs. So its
    results are free: they are made in each layout that a user wants. Operations without tile operands, and those
    that are elementwise, need no more than the defaults.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether all tile operands and results have one shape, and each element of a result depends on the operands'
      elements at its own position only.
    }], "bool", "isElementwise", (ins), /*methodBody=*/"", /*defaultImplementation=*/[{ return false; }]>,
    InterfaceMethod<[{
      The layout of tile operand `operand` from which each thread can make what it holds of the results in the layout
      `result`.
    }], "::tilec::layout::LinearLayout", "getOperandLayout",
      (ins "unsigned":$operand, "const ::tilec::layout::LinearLayout &":$result), /*methodBody=*/"",
      /*defaultImplementation=*/[{ return result; }]>
  ];
}

def Tile_ShapeChangeOpInterface : Tile_OpInterface<"ShapeChangeOpInterface", [Tile_RepeatableOpInterface]> {
  let description = [{
    The result has the elements of the only operand, each once, under another shape or with the axes in another order.
  }];
  let methods = [
    InterfaceMethod<[{
      The layout in which every thread has, without any exchange, the elements that it has of the operand in the layout
      `source`.
    }], "::tilec::layout::LinearLayout", "getResultLayout", (ins "const ::tilec::layout::LinearLayout &":$source)>
  ];
}

def Tile_LayoutOpInterface : Tile_OpInterface<"LayoutOpInterface"> {
  let description = [{
    The operation is wrong or expensive to repeat, so it works in chosen layouts, and its results are pinned to theirs.
    (Accesses to memory are pinned, too, but their layouts follow from facts about pointers.)
  }];
  let methods = [
    InterfaceMethod<[{
      Chooses a layout for each tile operand and result. `work` has one entry for each; those of scalars stay null.
    }], "void", "chooseLayouts", (ins "::tilec::tile::LayoutChoice &":$choice, "::tilec::tile::WorkLayouts &":$work)>
  ];
}

def Tile_PositionOpInterface : Tile_OpInterface<"PositionOpInterface"> {
  let description = [{
    Each element of the result is one element of the only operand, at a position that follows from its own: where tiles
    are loops over elements, the operation is an index.
  }];
  let methods = [
    InterfaceMethod<[{
      The position in the operand of what the result has at `position`.
    }], "::llvm::SmallVector<::mlir::AffineExpr>", "getOperandPosition",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$position)>
  ];
}

//===----------------------------------------------------------------------===//
// Exchanges and accesses
//===----------------------------------------------------------------------===//

def Tile_ExchangeOpInterface : Tile_OpInterface<"ExchangeOpInterface"> {
  let description = [{
    The operation may need data that other threads have. tile-expand-exchanges replaces it where these are in other
    warps.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether data moves between warps or CTAs, through shared memory, so that threads wait for each other. All tiles
      have layouts.
    }], "bool", "crossesWarps", (ins)>
  ];
}

def Tile_AccessOpInterface : Tile_OpInterface<"AccessOpInterface"> {
  let description = [{ The operation accesses global memory through a pointer or a tile of pointers. }];
  let methods = [
    InterfaceMethod<"The pointers.", "::mlir::Value", "getPtr", (ins)>,
    InterfaceMethod<"Which of them are followed; null for all.", "::mlir::Value", "getMask", (ins)>
  ];
}

def Tile_SlotCopyOpInterface : Tile_OpInterface<"SlotCopyOpInterface"> {
  let description = [{
    The operation starts a copy from global memory into a slot of a buffer, and does not wait for it.
  }];
  let methods = [
    InterfaceMethod<"The buffer.", "::mlir::TypedValue<::tilec::tile::BufferType>", "getBuffer", (ins)>,
    InterfaceMethod<"The slot; null if the buffer has only one.", "::mlir::Value", "getSlot", (ins)>
  ];
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

def Tile_AxisInfoOpInterface : Tile_OpInterface<"AxisInfoOpInterface"> {
  let description = [{
    Something is known of how the integers or pointers in the only result vary along a tile.
  }];
  let methods = [
    InterfaceMethod<"What holds of the result when `operands` holds of the operands.", "::tilec::tile::AxisInfo",
      "inferAxisInfo", (ins "::llvm::ArrayRef<::tilec::tile::AxisInfo>":$operands)>
  ];
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// The operation's region works on single elements: whoever distributes tiles copies it as it is.
def Tile_HasScalarCode : NativeOpTrait<"HasScalarCode"> {
  let cppNamespace = "::tilec::tile";
}

/// The operation orders accesses, or works on shared memory and tensor maps: whatever its effects, arrays in global memory
/// stay as they are.
def Tile_WritesNoArrays : NativeOpTrait<"WritesNoArrays"> {
  let cppNamespace = "::tilec::tile";
}

/// Threads see by the operation what others did, or tell them of what they did: no access moves over it.
def Tile_OrdersAccesses : NativeOpTrait<"OrdersAccesses"> {
  let cppNamespace = "::tilec::tile";
}

#endif // TILEC_DIALECT_TILE_IR_TILEINTERFACES_TD
