//===- TileToCPU.cpp - the pass that lowers tiles to loops --*- C++ -*-===//
//
// The pass rewrites one kernel at a time into a new function beside it and then drops the old one:
// every tile either vanishes into a loop's body or becomes a buffer, so there is no type to convert
// in place. Plan.cpp decides what shares a loop, Groups.cpp and Loops.cpp write the loops,
// Blocks.cpp the control flow around them, Buffers.cpp places the memory.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToCPU/Passes.h"

#include "Emit.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilec::tile {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "tilec/Conversion/TileToCPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

static LogicalResult checkSignature(func::FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitOpError() << "is a kernel without a body";
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError() << "expects structured control flow, found "
                                << kernel.getBody().getBlocks().size() << " blocks";
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError() << "expects a kernel without results, found "
                                << kernel.getNumResults();
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isa<IntegerType, FloatType, PtrType>(type))
      return kernel.emitOpError() << "expects scalar and pointer parameters, found " << type
                                  << " for parameter " << index;
  return success();
}

static FunctionType hostType(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> inputs;
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(elementType(type));
  inputs.append(6, IntegerType::get(context, 32));
  inputs.push_back(MemRefType::get({0}, IntegerType::get(context, 8)));
  inputs.push_back(LLVM::LLVMPointerType::get(context));
  return FunctionType::get(context, inputs, {});
}

/// Replaces a product in two halves, which has no form for elements of tiles, by one of twice the
/// width.
static void widenProduct(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  unsigned width = elementOf(type).getIntOrFloatBitWidth();
  Type wide = builder.getIntegerType(2 * width);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    wide = tile.clone(wide);
  auto extend = [&](Value value) -> Value {
    if (isa<arith::MulSIExtendedOp>(op))
      return arith::ExtSIOp::create(builder, loc, wide, value);
    return arith::ExtUIOp::create(builder, loc, wide, value);
  };
  Value lhs = extend(op->getOperand(0)), rhs = extend(op->getOperand(1));
  Value product = arith::MulIOp::create(builder, loc, lhs, rhs);
  auto bits = builder.getIntegerAttr(elementOf(wide), width);
  TypedAttr amount = bits;
  if (auto tile = dyn_cast<RankedTensorType>(wide))
    amount = DenseElementsAttr::get(tile, Attribute(bits));
  Value by = arith::ConstantOp::create(builder, loc, amount);
  Value high = arith::ShRUIOp::create(builder, loc, product, by);
  op->getResult(0).replaceAllUsesWith(arith::TruncIOp::create(builder, loc, type, product));
  op->getResult(1).replaceAllUsesWith(arith::TruncIOp::create(builder, loc, type, high));
  op->erase();
}

namespace {

struct ConvertTileToCPUPass : tilec::tile::impl::ConvertTileToCPUBase<ConvertTileToCPUPass> {
  using ConvertTileToCPUBase::ConvertTileToCPUBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp kernel);
};

} // namespace

LogicalResult ConvertTileToCPUPass::convert(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    if (isa<arith::MulUIExtendedOp, arith::MulSIExtendedOp>(op))
      widenProduct(op);
  });
  if (failed(checkSignature(kernel)) || failed(checkKernel(kernel)))
    return failure();
  OpBuilder builder(kernel);
  auto result = func::FuncOp::create(builder, kernel.getLoc(), kernel.getName(), hostType(kernel));
  result->setAttr(kKernelAttr, builder.getUnitAttr());
  Block *entry = result.addEntryBlock();
  unsigned own = kernel.getNumArguments();
  auto scratch = entry->getArgument(own + 6);
  result.setArgAttr(own + 6, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());

  // Buffers are created before this mark, everything else after it.
  builder.setInsertionPointToEnd(entry);
  auto end = func::ReturnOp::create(builder, kernel.getLoc());
  builder.setInsertionPoint(end);
  KernelState state(builder, {vectorRegisters, vectorBytes, addPairs, matrixTiles}, scratch,
                    entry->getArguments().slice(own, 6), entry->getArguments().back(), checkMemory);
  state.scalars.map(kernel.getArguments(), entry->getArguments().take_front(own));
  emitBlock(state, kernel.getBody().front(), {});

  int64_t bytes = state.pool.finish();
  result.setFunctionType(builder.getFunctionType(entry->getArgumentTypes(), {}));
  result->setAttr(kScratchBytesAttr, builder.getI64IntegerAttr(bytes));
  numLoops += state.numLoops;
  numBuffers += state.pool.size();
  kernel.erase();
  return success();
}
