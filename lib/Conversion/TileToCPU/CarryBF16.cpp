//===- CarryBF16.cpp - bf16 values as their bits ---------------*- C++ -*-===//
//
// Once no operation computes with bf16, its values only move: through memory, arguments, branches
// and bitcasts. LLVM for x86 keeps such a value in a register as f32 and narrows it again, with an
// instruction that flushes subnormal numbers or with a call of a helper that older compilers'
// run-time libraries lack. So everything that is bf16 becomes i16.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToCPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECPUCARRYBF16
#include "tilec/Conversion/TileToCPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;

namespace {

struct TileCPUCarryBF16Pass : tilec::tile::impl::TileCPUCarryBF16Base<TileCPUCarryBF16Pass> {
  using TileCPUCarryBF16Base::TileCPUCarryBF16Base;

  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return bits; });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!attr.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(bits, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([&](DenseElementsAttr attr) -> std::optional<Attribute> {
      if (!attr.getElementType().isBF16())
        return std::nullopt;
      return attr.bitcast(bits);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
    dropBitcasts();
  }

private:
  /// A bitcast between bf16 and i16 is one of i16 to itself now.
  void dropBitcasts() {
    getOperation().walk([&](Operation *op) {
      if (!isa<arith::BitcastOp, LLVM::BitcastOp>(op) ||
          op->getOperand(0).getType() != op->getResult(0).getType())
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
      ++numBitcasts;
    });
  }
};

} // namespace
