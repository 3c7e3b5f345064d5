//===- LoadGroups.h - layouts for loads that meet --------------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H

#include "LayoutRelations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::tile {

/// Layouts for loads whose elements have different sizes and meet in elementwise work. Each alone
/// would take 16 bytes a thread, which is another number of elements for each, and values would be
/// exchanged between threads to meet; with the smallest of these numbers all loads have one layout,
/// at the price of accesses of 8 or 4 bytes. Loads of single elements, which are as good anywhere,
/// are made where what follows from them is stored.
class LoadGroups {
public:
  /// Looks at all loads of `function`, which has no layouts yet.
  LoadGroups(mlir::func::FuncOp function, const AccessLayouts &accesses);

  /// The layout that the load has in common with others; null if it chooses for itself.
  LayoutAttr layoutOf(LoadOp op) const { return layouts.lookup(op); }

private:
  void agree(llvm::ArrayRef<LoadOp> loads, const AccessLayouts &accesses);
  void follow(llvm::ArrayRef<LoadOp> loads, StoreOp store, const AccessLayouts &accesses);

  llvm::DenseMap<mlir::Operation *, LayoutAttr> layouts;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADGROUPS_H
