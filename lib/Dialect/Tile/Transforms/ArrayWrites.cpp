//===- ArrayWrites.cpp - who may write to global memory ---------*- C++ -*-===//

#include "ArrayWrites.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// Whether `op` only reads other memory than that of the CTA.
static bool writesOnlyShared(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::all_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect()) ||
           isa<SharedMemory, AsyncSharedMemory>(effect.getResource());
  });
}

bool tilec::tile::mayWriteArrays(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.isPlain();
  return !op->hasTrait<WritesNoArrays>() && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !isMemoryEffectFree(op) && !writesOnlyShared(op);
}

bool tilec::tile::mayWriteArraysInside(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return mayWriteArrays(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilec::tile::mayFollowWrites(Operation *place) {
  for (Operation *op = place; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    if (op != place && isa<LoopLikeOpInterface>(op) && mayWriteArraysInside(op))
      return true;
    if (!op->getBlock()->isEntryBlock())
      return true;
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (mayWriteArraysInside(before))
        return true;
  }
  return false;
}
