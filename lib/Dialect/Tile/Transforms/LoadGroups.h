//===- LoadGroups.h - layouts that loads have in common ---------*- C++ -*-===//
//
// A decision that LayoutSolver takes first: which loads of a kernel get one layout, since their
// values are used together.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H

#include "LayoutRelations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::tile {

/// Layouts for loads whose values are combined by elementwise work but whose elements differ in
/// size. Each load alone would move 16 bytes a thread, which is another number of elements for
/// each, and values would be exchanged between threads before they can be combined. With the
/// smallest of these numbers all loads have one layout, at the price of accesses of 8 or 4 bytes.
/// Loads of single elements, which cost the same in any layout, take that of the store of their
/// result.
class LoadGroups {
public:
  /// Looks at all loads of `function`, which has no layouts yet.
  LoadGroups(mlir::func::FuncOp function, const AccessLayouts &accesses);

  /// The layout that the load shares with others; null if it gets its own.
  LayoutAttr layoutOf(LoadOp op) const { return layouts.lookup(op); }

private:
  void agree(llvm::ArrayRef<LoadOp> loads, const AccessLayouts &accesses);
  void follow(llvm::ArrayRef<LoadOp> loads, StoreOp store, const AccessLayouts &accesses);

  llvm::DenseMap<mlir::Operation *, LayoutAttr> layouts;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H
