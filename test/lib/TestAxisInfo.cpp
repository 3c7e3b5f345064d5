//===- TestAxisInfo.cpp - what the axis analysis knows ---------*- C++ -*-===//
//
// The pass `test-tile-axis-info`: a remark with the facts about each result of every operation that
// carries the attribute `facts`, so that tests see the analysis itself and not only what follows
// from it.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Pass/Pass.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

struct TestAxisInfo : PassWrapper<TestAxisInfo, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)

  StringRef getArgument() const override { return "test-tile-axis-info"; }
  StringRef getDescription() const override { return "report what the axis analysis knows"; }

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    getOperation()->walk([&](Operation *op) {
      if (!op->hasAttr("facts"))
        return;
      for (Value result : op->getResults()) {
        std::string text;
        llvm::raw_string_ostream os(text);
        axes.get(result).print(os);
        op->emitRemark(text);
      }
      reportAccess(op, axes);
    });
  }

private:
  /// How many elements one access moves at most, along each axis of the pointers.
  static void reportAccess(Operation *op, const AxisInfoAnalysis &axes) {
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      return;
    Value ptr = load ? load.getPtr() : store.getPtr(),
          mask = load ? load.getMask() : store.getMask();
    std::string text = "width";
    for (unsigned axis = 0; axis < axes.get(ptr).dims.size(); ++axis)
      text += " " + std::to_string(axes.getAccessWidth(ptr, mask, axis, /*maxBytes=*/16));
    op->emitRemark(text);
  }
};

} // namespace

void tilec::test::registerTestPasses() { PassRegistration<TestAxisInfo>(); }
