//===- ReadOnly.cpp - Pointers that a kernel only reads --------*- C++ -*-===//
//
// Follows each pointer parameter through the kernel as the front end made it. Anything but loads,
// and operations that make other pointers of it, counts as a write.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/SetVector.h"

using namespace tilec;
using namespace mlir;

namespace {
using Values = llvm::SetVector<Value>;
} // namespace

static bool holdsPointers(Value value) {
  return isa<tilec::tile::PtrType>(getElementTypeOrSelf(value.getType()));
}

static void addPointers(ValueRange values, Values &pointers) {
  for (Value value : values)
    if (holdsPointers(value))
      pointers.insert(value);
}

/// Adds what `use` makes of its pointer to `pointers`; false if it may write there, or if that
/// cannot be followed.
static bool follow(OpOperand &use, Values &pointers) {
  Operation *op = use.getOwner();
  if (isa<tilec::tile::LoadOp>(op))
    return true;
  if (auto block = dyn_cast<tilec::tile::BlockPointersOp>(op)) {
    pointers.insert(block.getPointers()); // The mask says nothing of the address.
    return true;
  }
  // Values that go around a loop, into a branch or out of one may arrive in any result.
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    op = op->getParentOp();
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    addPointers(op->getResults(), pointers);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addPointers(block.getArguments(), pointers);
    return true;
  }
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op))
    return false;
  // A number made of an address could come back as a pointer.
  if (!llvm::all_of(op->getResults(), holdsPointers))
    return false;
  addPointers(op->getResults(), pointers);
  return true;
}

static bool isReadOnly(BlockArgument parameter) {
  Values pointers;
  pointers.insert(parameter);
  for (size_t i = 0; i < pointers.size(); ++i)
    for (OpOperand &use : pointers[i].getUses())
      if (!follow(use, pointers))
        return false;
  return true;
}

std::vector<bool> artifact::findReadOnly(ModuleOp module, llvm::StringRef kernel) {
  std::vector<bool> result;
  if (auto function = module.lookupSymbol<func::FuncOp>(kernel))
    for (BlockArgument parameter : function.getArguments())
      result.push_back(holdsPointers(parameter) && isReadOnly(parameter));
  return result;
}
