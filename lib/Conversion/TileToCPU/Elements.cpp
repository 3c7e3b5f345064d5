//===- Elements.cpp - scalar operations and single elements ----*- C++ -*-===//
//
// What one element of a tile costs and what a scalar costs is the same code: an operation on tiles
// is copied with element types, and operations of the tile dialect become LLVM's on pointers.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

Type cpu::elementType(Type type) {
  Type element = elementOf(type);
  if (isa<PtrType>(element))
    return LLVM::LLVMPointerType::get(type.getContext());
  return element;
}

static Value emitAddPtr(OpBuilder &builder, AddPtrOp op, Value pointer, Value offset) {
  Type i64 = builder.getI64Type();
  if (offset.getType() != i64)
    offset = arith::ExtSIOp::create(builder, op.getLoc(), i64, offset);
  Type pointee = elementType(cast<PtrType>(elementOf(op.getType())).getPointee());
  return LLVM::GEPOp::create(builder, op.getLoc(), pointer.getType(), pointee, pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// A constant's element; tiles of constants are splats here (others are read from memory).
static Value emitConstant(OpBuilder &builder, arith::ConstantOp op) {
  TypedAttr value = op.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return arith::ConstantOp::create(builder, op.getLoc(), value);
}

Value cpu::emitElement(OpBuilder &builder, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  Type type = elementType(op->getResult(0).getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddPtrOp add) { return emitAddPtr(builder, add, operands[0], operands[1]); })
      .Case([&](PtrToIntOp) { return LLVM::PtrToIntOp::create(builder, loc, type, operands[0]); })
      .Case([&](IntToPtrOp) { return LLVM::IntToPtrOp::create(builder, loc, type, operands[0]); })
      .Case<PtrCastOp, PromiseOp, SplatOp, ConvertLayoutOp>([&](auto) { return operands[0]; })
      .Case([&](arith::ConstantOp constant) { return emitConstant(builder, constant); })
      .Default([&](Operation *other) {
        IRMapping mapping;
        mapping.map(other->getOperands(), operands);
        Operation *copy = builder.clone(*other, mapping);
        copy->getResult(0).setType(type);
        return copy->getResult(0);
      });
}

Value cpu::zeroOf(OpBuilder &builder, Location loc, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value cpu::emitLoad(OpBuilder &builder, LoadOp op, Value pointer, Value mask, Value other) {
  Location loc = op.getLoc();
  Type type = elementType(op.getType());
  Type storage = storageType(type);
  auto load = [&](OpBuilder &b) -> Value {
    return LLVM::LoadOp::create(b, loc, storage, pointer, /*alignment=*/0, op.getIsVolatile());
  };
  if (!mask)
    return fromStorage(builder, loc, load(builder), type);
  other = other ? toStorage(builder, loc, other) : zeroOf(builder, loc, storage);
  auto branch = scf::IfOp::create(
      builder, loc, mask, [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, load(b)); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, other); });
  return fromStorage(builder, loc, branch.getResult(0), type);
}

void cpu::emitStore(OpBuilder &builder, StoreOp op, Value pointer, Value value, Value mask) {
  Location loc = op.getLoc();
  value = toStorage(builder, loc, value);
  if (!mask) {
    LLVM::StoreOp::create(builder, loc, value, pointer);
    return;
  }
  scf::IfOp::create(builder, loc, mask, [&](OpBuilder &b, Location) {
    LLVM::StoreOp::create(b, loc, value, pointer);
    scf::YieldOp::create(b, loc);
  });
}

/// True when LLVM has the operation on vectors and the expansion pass leaves it alone.
static bool isVectorizable(Operation *op) {
  Type type = op->getResult(0).getType();
  if (type.isF16() || type.isBF16())
    return false;
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::CmpFOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp, arith::CmpIOp, arith::SelectOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp>(op);
}

bool cpu::canCombineVectors(ReduceOp op) {
  Region &region = op.getCombine();
  for (Operation &inner : region.front().without_terminator()) {
    if (inner.getNumResults() != 1 || !isVectorizable(&inner))
      return false;
  }
  auto isKeptAsIs = [](Type type) {
    return isa<IntegerType, FloatType>(type) && !type.isInteger(1) && !type.isF16() &&
           !type.isBF16();
  };
  if (!llvm::all_of(region.front().getArgumentTypes(), isKeptAsIs))
    return false;
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(region, outside);
  return outside.empty();
}

/// One operation of a combine region on vectors of `lanes` elements.
static Value emitVector(OpBuilder &builder, Operation *op, ValueRange operands, int64_t lanes) {
  auto type = VectorType::get({lanes}, op->getResult(0).getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(builder, op->getLoc(),
                                     DenseElementsAttr::get(type, Attribute(constant.getValue())));
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

SmallVector<Value> cpu::emitScalarCode(OpBuilder &builder, Region &region, const IRMapping &scalars,
                                       ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping(scalars);
  mapping.map(block.getArguments(), arguments);
  auto vector = dyn_cast<VectorType>(arguments.front().getType());
  for (Operation &inner : block.without_terminator()) {
    if (inner.getNumRegions() != 0 || inner.getNumResults() != 1) {
      builder.clone(inner, mapping);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    mapping.map(inner.getResult(0),
                vector ? emitVector(builder, &inner, operands, vector.getNumElements())
                       : emitElement(builder, &inner, operands));
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> cpu::emitCombine(OpBuilder &builder, Region &combine, const IRMapping &scalars,
                                    ValueRange left, ValueRange right) {
  SmallVector<Value> arguments(left);
  arguments.append(right.begin(), right.end());
  return emitScalarCode(builder, combine, scalars, arguments);
}
