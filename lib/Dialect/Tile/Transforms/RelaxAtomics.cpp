//===- RelaxAtomics.cpp - atomic operations that end a program --*- C++ -*-===//
//
// The pass `tile-relax-atomics`.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILERELAXATOMICS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// What is left of a semantic without its acquiring half.
static MemSemantic withoutAcquire(MemSemantic sem) {
  switch (sem) {
  case MemSemantic::AcqRel:
    return MemSemantic::Release;
  case MemSemantic::Acquire:
    return MemSemantic::Relaxed;
  case MemSemantic::Release:
  case MemSemantic::Relaxed:
    return sem;
  }
  llvm_unreachable("unknown semantic");
}

/// Whether nothing with an effect is executed behind `op` in its program.
static bool isLastAccess(Operation *op) {
  for (; !isa<func::FuncOp>(op); op = op->getParentOp()) {
    bool isFollowed = false;
    for (Operation *next = op->getNextNode(); next && !isFollowed; next = next->getNextNode())
      isFollowed = !isMemoryEffectFree(next) && !next->hasTrait<OpTrait::IsTerminator>();
    if (isFollowed || isa<LoopLikeOpInterface>(op) || !op->getParentRegion()->hasOneBlock())
      return false;
  }
  return true;
}

namespace {

struct RelaxAtomics : tilec::tile::impl::TileRelaxAtomicsBase<RelaxAtomics> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto change = dyn_cast<AtomicRMWOp>(op))
        relax(change);
      else if (auto exchange = dyn_cast<AtomicCASOp>(op))
        relax(exchange);
    });
  }

private:
  template <typename OpTy> void relax(OpTy op) {
    MemSemantic relaxed = withoutAcquire(op.getSem());
    if (relaxed == op.getSem() || !isLastAccess(op))
      return;
    op.setSem(relaxed);
    ++numRelaxed;
  }
};

} // namespace
