//===- AttachTarget.cpp - say what a module is compiled for ----*- C++ -*-===//
//
// The pass `tile-attach-target`.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEATTACHTARGET
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

struct AttachTarget : tilec::tile::impl::TileAttachTargetBase<AttachTarget> {
  using TileAttachTargetBase::TileAttachTargetBase;

  void runOnOperation() override {
    llvm::Expected<tilec::GpuArch> target = tilec::GpuArch::parse(arch);
    if (!target)
      return fail(target.takeError());
    tilec::HeuristicSet disabled;
    for (const std::string &name : disableHeuristics)
      if (llvm::Error error = disabled.add(name))
        return fail(std::move(error));
    setTarget(getOperation(), *target, disabled);
  }

private:
  void fail(llvm::Error error) {
    getOperation().emitError() << llvm::toString(std::move(error));
    signalPassFailure();
  }
};

} // namespace
