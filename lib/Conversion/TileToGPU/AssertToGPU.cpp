//===- AssertToGPU.cpp - checks that stop the kernel -----------*- C++ -*-===//
//
// A failed check calls __assertfail, which the driver provides: it prints message, file, line and
// kernel, and makes the launch fail.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;

static constexpr StringLiteral kAssertFunction = "__assertfail";

/// The place in the source that a location names, innermost call first.
static FileLineColLoc sourceOf(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

namespace {

struct AssertPattern : OpConversionPattern<AssertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadCode code(rewriter, loc);
    Value holds = adaptor.getCondition();
    if (auto type = dyn_cast<VectorType>(holds.getType())) {
      Value all = code.extract(holds, 0);
      for (int64_t i = 1; i < type.getDimSize(0); ++i)
        all = arith::AndIOp::create(rewriter, loc, all, code.extract(holds, i));
      holds = all;
    }
    Value yes = arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 1);
    Value fails = arith::XOrIOp::create(rewriter, loc, holds, yes);
    auto branch = scf::IfOp::create(rewriter, loc, fails, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    emitCall(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static LLVM::LLVMFuncOp getFunction(ModuleOp module) {
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kAssertFunction))
      return function;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()),
        {pointer, pointer, builder.getI32Type(), pointer, builder.getI64Type()});
    return LLVM::LLVMFuncOp::create(builder, module.getLoc(), kAssertFunction, type);
  }

  static void emitCall(AssertOp op, OpBuilder &builder) {
    Location loc = op.getLoc();
    FileLineColLoc source = sourceOf(loc);
    ThreadCode code(builder, loc);
    Value operands[] = {
        code.globalText(op, "message", op.getMessage()),
        code.globalText(op, "file", source ? source.getFilename().getValue() : "unknown"),
        code.i32(source ? source.getLine() : 0),
        code.globalText(op, "kernel", op->getParentOfType<func::FuncOp>().getName()),
        arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 1)};
    LLVM::CallOp::create(builder, loc, getFunction(op->getParentOfType<ModuleOp>()), operands);
  }
};

} // namespace

void tilec::tile::populateAssertPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<AssertPattern>(converter, patterns.getContext());
}
