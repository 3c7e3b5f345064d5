//===- PrivateToGPU.cpp - memory of single threads --------------*- C++ -*-===//
//
// An array in local memory; what a thread has of a tile is a vector in it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "ThreadCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A slot of private memory for tiles of `tile`'s type.
struct Slot {
  Slot(ThreadCode &code, Value memory, Value number, VectorType tile)
      : type(cast<VectorType>(storedTypeOf(tile))) {
    OpBuilder &b = code.builder();
    Value first =
        arith::MulIOp::create(b, code.location(), number, code.i32(type.getNumElements()));
    address = LLVM::GEPOp::create(b, code.location(), memory.getType(), type.getElementType(),
                                  memory, ArrayRef<LLVM::GEPArg>{first});
    int64_t bytes = type.getNumElements() * byteSize(type.getElementType());
    alignment = unsigned(std::min<int64_t>(kMaxCopyBytes, bytes & -bytes));
  }

  static Type storedTypeOf(VectorType tile) {
    bool isBit = tile.getElementType().isInteger(1);
    return isBit ? tile.clone(IntegerType::get(tile.getContext(), 8)) : tile;
  }

  VectorType type;
  Value address;
  unsigned alignment;
};

struct AllocPrivatePattern : OpConversionPattern<AllocPrivateOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocPrivateOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    OpBuilder::InsertionGuard atStart(rewriter);
    rewriter.setInsertionPointToStart(&op->getParentOfType<func::FuncOp>().front());
    ThreadCode code(rewriter, op.getLoc());
    Type element = getTypeConverter()->convertType(op.getType().getElementType());
    if (element.isInteger(1))
      element = rewriter.getI8Type();
    rewriter.replaceOpWithNewOp<LLVM::AllocaOp>(op, LLVM::LLVMPointerType::get(getContext()),
                                                element, code.i32(op.getType().getCount()),
                                                /*alignment=*/unsigned(kMaxCopyBytes));
    return success();
  }
};

struct PrivateStorePattern : OpConversionPattern<PrivateStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PrivateStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    Value value = adaptor.getValue();
    Slot slot(code, adaptor.getMemory(), adaptor.getSlot(), cast<VectorType>(value.getType()));
    if (slot.type != value.getType())
      value = arith::ExtUIOp::create(rewriter, op.getLoc(), slot.type, value);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, slot.address, slot.alignment);
    return success();
  }
};

struct PrivateLoadPattern : OpConversionPattern<PrivateLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PrivateLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Slot slot(code, adaptor.getMemory(), adaptor.getSlot(), type);
    Value value =
        LLVM::LoadOp::create(rewriter, op.getLoc(), slot.type, slot.address, slot.alignment);
    if (slot.type != type)
      value = arith::TruncIOp::create(rewriter, op.getLoc(), type, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void tilec::tile::populatePrivatePatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<AllocPrivatePattern, PrivateStorePattern, PrivateLoadPattern>(converter,
                                                                             patterns.getContext());
}
