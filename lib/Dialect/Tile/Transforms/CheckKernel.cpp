//===- CheckKernel.cpp - what layouts can be given to ----------*- C++ -*-===//
//
// Tiles are builtin tensors, so the verifiers of upstream operations let much through that the
// passes on layouts do not know: tensors that are no tiles, operations that are not elementwise,
// branches between blocks. Everything after this check may rely on what it says.
//
//===----------------------------------------------------------------------===//

#include "CheckKernel.h"

#include "LayoutRelations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;

static bool isElementOfTile(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1, 8, 16, 32, 64}, int(integer.getWidth()));
  return isa<PtrType, Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

static bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isTileShape(tensor.getShape()) && isElementOfTile(tensor.getElementType());
}

static LogicalResult checkType(Operation *op, Type type) {
  if (!isa<TensorType>(type) || isTile(type))
    return success();
  return op->emitOpError() << "works on " << type
                           << ", which is no tile: expected dimensions that are powers of two, at "
                              "most 2^20 elements, and an element type of the dialect";
}

/// Whether the layout passes know what `op` does with its tiles.
static bool isKnown(Operation *op) {
  return isa_and_nonnull<TileDialect>(op->getDialect()) || isElementwise(op) ||
         isa<arith::ConstantOp, scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

static LogicalResult checkOperation(Operation *op) {
  bool hasTensors = false;
  LogicalResult result = success();
  auto checkEach = [&](TypeRange types) {
    for (Type type : types) {
      hasTensors |= isa<TensorType>(type);
      if (succeeded(result))
        result = checkType(op, type);
    }
  };
  checkEach(op->getOperandTypes());
  checkEach(op->getResultTypes());
  if (failed(result) || !hasTensors)
    return result;
  // A yield is part of the operation around it.
  bool isKnownYield = !isa<scf::YieldOp>(op) || isKnown(op->getParentOp());
  if (!isKnown(op) || !isKnownYield)
    return op->emitOpError() << "cannot be distributed over threads: only elementwise operations, "
                                "scf.for, scf.if and scf.while may work on tiles";
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (!isa<SplatElementsAttr>(constant.getValue()))
      return op->emitOpError() << "cannot be distributed over threads: expected a constant whose "
                                  "elements are all equal";
  return success();
}

static LogicalResult checkSignature(func::FuncOp kernel) {
  auto numWarps = kernel->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
  if (!numWarps)
    return kernel.emitOpError() << "needs '" << kNumWarpsAttr << "' before layouts can be assigned";
  if (!llvm::isPowerOf2_64(uint64_t(numWarps.getInt())))
    return kernel.emitOpError() << "needs a power of two of warps, found " << numWarps.getInt();
  FunctionType type = kernel.getFunctionType();
  for (Type each : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (isa<TensorType>(each))
      return kernel.emitOpError() << "cannot take or return tiles, found " << each;
  return success();
}

/// A buffer's layout is that of the copies into it.
static LogicalResult checkBuffers(func::FuncOp kernel) {
  llvm::DenseSet<Value> filled;
  WalkResult walked = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto copy = dyn_cast<BufferCopyOp>(op))
      filled.insert(copy.getBuffer());
    auto load = dyn_cast<BufferLoadOp>(op);
    if (!load || filled.contains(load.getBuffer()))
      return WalkResult::advance();
    load.emitOpError() << "reads a buffer that no earlier operation copies into";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult tilec::tile::checkKernel(func::FuncOp kernel) {
  if (failed(checkSignature(kernel)) || failed(checkBuffers(kernel)))
    return failure();
  LogicalResult result = success();
  kernel.walk([&](Operation *op) {
    if (op != kernel && failed(checkOperation(op)))
      result = failure();
  });
  return result;
}
