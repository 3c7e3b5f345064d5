//===- Asserts.cpp - a failed assertion ends its program -------*- C++ -*-===//
//
// Several programs of a launch may fail at once on different threads; the first to exchange the
// record's first word reports, the others just end. The thread that launched reads the record after
// all programs are done, so that the other stores need no order.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToCPU/Passes.h"

#include "Texts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECPUASSERTS
#include "tilec/Conversion/TileToCPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

// Byte offsets in the record; the layout of tilec::HostFailure.
static constexpr int32_t kLineOffset = 4, kColumnOffset = 8, kProgramOffset = 12, kFileOffset = 24,
                         kMessageOffset = 32;

namespace {

struct TileCPUAssertsPass : tilec::tile::impl::TileCPUAssertsBase<TileCPUAssertsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<cf::AssertOp> asserts;
      if (kernel->hasAttr(kScratchBytesAttr))
        kernel.walk([&](cf::AssertOp op) { asserts.push_back(op); });
      for (cf::AssertOp op : asserts)
        lower(kernel, op);
      numAsserts += asserts.size();
    }
  }

private:
  void lower(func::FuncOp kernel, cf::AssertOp op);
  void report(OpBuilder &builder, func::FuncOp kernel, cf::AssertOp op, Value record);
};

} // namespace

void TileCPUAssertsPass::report(OpBuilder &builder, func::FuncOp kernel, cf::AssertOp op,
                                Value record) {
  Location loc = op.getLoc();
  auto put = [&](int32_t offset, Value value) {
    Value address = LLVM::GEPOp::create(builder, loc, record.getType(), builder.getI8Type(), record,
                                        ArrayRef<LLVM::GEPArg>{offset});
    LLVM::StoreOp::create(builder, loc, value, address);
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(value)));
  };
  auto text = [&](StringRef string) -> Value {
    return LLVM::AddressOfOp::create(builder, loc, globalOfText(getOperation(), loc, string));
  };
  FileLineColLoc position = sourcePosition(loc);
  put(kLineOffset, number(position.getLine()));
  put(kColumnOffset, number(position.getColumn()));
  unsigned grid = kernel.getNumArguments() - kHostExtraArguments;
  for (int32_t axis = 0; axis < 3; ++axis)
    put(kProgramOffset + 4 * axis, kernel.getArgument(grid + axis));
  put(kFileOffset, text(position.getFilename()));
  put(kMessageOffset, text(op.getMsg()));
}

void TileCPUAssertsPass::lower(func::FuncOp kernel, cf::AssertOp op) {
  Location loc = op.getLoc();
  Block *block = op->getBlock();
  Block *rest = block->splitBlock(std::next(op->getIterator()));
  Region *region = block->getParent();
  auto addBlock = [&] {
    auto *added = new Block;
    region->push_back(added);
    return added;
  };
  Block *failed = addBlock(), *first = addBlock(), *done = addBlock();
  Value record = kernel.getArgument(kernel.getNumArguments() - 1);

  OpBuilder builder(op);
  cf::CondBranchOp::create(builder, loc, op.getArg(), rest, failed);

  builder.setInsertionPointToEnd(failed);
  Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value old = LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::xchg, record, one,
                                        LLVM::AtomicOrdering::monotonic);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, old, zero);
  cf::CondBranchOp::create(builder, loc, isFirst, first, done);

  builder.setInsertionPointToEnd(first);
  report(builder, kernel, op, record);
  cf::BranchOp::create(builder, loc, done);

  builder.setInsertionPointToEnd(done);
  func::ReturnOp::create(builder, loc);
  op.erase();
}
