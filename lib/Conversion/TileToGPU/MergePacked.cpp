//===- MergePacked.cpp - code for packed launches as a branch ---*- C++ -*-===//
//
// The pass `tile-merge-packed`. The work of one thread no longer depends on how many threads there
// are, so a kernel and its form for packed launches can be one function, which has one symbol, one
// set of resources and one record: launches choose by the shape of the block alone.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Packing.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEMERGEPACKED
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Moves what `from` does, but for its return, into `to`, which ends with a terminator.
static void moveBody(func::FuncOp from, Block *to) {
  Block &body = from.front();
  to->getOperations().splice(std::prev(to->end()), body.getOperations(), body.begin(),
                             std::prev(body.end()));
}

/// Has the code of `function` run only where there is a program.
static void guardPrograms(func::FuncOp function) {
  Block &body = function.front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  ThreadCode code(b, function.getLoc());
  Value isProgram = arith::CmpIOp::create(b, function.getLoc(), arith::CmpIPredicate::ult,
                                          code.programId(Axis::X), code.numPrograms(Axis::X));
  auto guard = scf::IfOp::create(b, function.getLoc(), isProgram);
  guard.thenBlock()->getOperations().splice(guard.thenBlock()->begin(), body.getOperations(),
                                            std::next(guard->getIterator()), std::prev(body.end()));
}

/// Makes `packed` the branch of `kernel` for CTAs with as many threads along x as it is for.
static void mergeInto(func::FuncOp kernel, func::FuncOp packed) {
  for (auto [argument, same] : llvm::zip_equal(packed.getArguments(), kernel.getArguments()))
    argument.replaceAllUsesWith(same);
  Block &body = kernel.front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  Value threads = NVVM::BlockDimXOp::create(b, loc, b.getI32Type());
  Value isPacked = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threads,
                                         ThreadCode(b, loc).i32(getPacking(kernel)->threads));
  auto branch = scf::IfOp::create(b, loc, isPacked, /*withElseRegion=*/true);
  branch.elseBlock()->getOperations().splice(branch.elseBlock()->begin(), body.getOperations(),
                                             std::next(branch->getIterator()),
                                             std::prev(body.end()));
  moveBody(packed, branch.thenBlock());
  packed.erase();
}

namespace {
struct MergePacked : tilec::tile::impl::TileMergePackedBase<MergePacked> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!isPackedCode(function))
        continue;
      // Passes leave kernels one block until control flow is lowered.
      assert(llvm::hasSingleElement(function.getBody()) && "a kernel of several blocks");
      guardPrograms(function);
      if (auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(kPackedFormAttr))
        mergeInto(symbols.lookup<func::FuncOp>(symbol.getValue()), function);
    }
  }
};
} // namespace
