//===- Elements.cpp - scalar operations and single elements ----*- C++ -*-===//
//
// What one element of a tile costs and what a scalar costs is the same code: an operation on tiles is
// copied with element types, and operations of the tile dialect become LLVM's on pointers.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::linalgroad;

Type linalgroad::elementType(Type type) {
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

Value linalgroad::emitElement(OpBuilder &builder, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  Type type = elementType(op->getResult(0).getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddPtrOp add) { return emitAddPtr(builder, add, operands[0], operands[1]); })
      .Case([&](PtrToIntOp) { return LLVM::PtrToIntOp::create(builder, loc, type, operands[0]); })
      .Case([&](IntToPtrOp) { return LLVM::IntToPtrOp::create(builder, loc, type, operands[0]); })
      .Case<PtrCastOp, SplatOp, ConvertLayoutOp>([&](auto) { return operands[0]; })
      .Case([&](arith::ConstantOp constant) { return emitConstant(builder, constant); })
      .Default([&](Operation *other) {
        IRMapping mapping;
        mapping.map(other->getOperands(), operands);
        Operation *copy = builder.clone(*other, mapping);
        copy->getResult(0).setType(type);
        return copy->getResult(0);
      });
}

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value linalgroad::emitLoad(OpBuilder &builder, LoadOp op, Value pointer, Value mask, Value other) {
  Location loc = op.getLoc();
  Type type = elementType(op.getType());
  auto load = [&](OpBuilder &b) -> Value {
    return LLVM::LoadOp::create(b, loc, type, pointer, /*alignment=*/0, op.getIsVolatile());
  };
  if (!mask)
    return load(builder);
  if (!other)
    other = zeroOf(builder, loc, type);
  return scf::IfOp::create(
             builder, loc, mask,
             [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, load(b)); },
             [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, other); })
      .getResult(0);
}

void linalgroad::emitStore(OpBuilder &builder, StoreOp op, Value pointer, Value value, Value mask) {
  Location loc = op.getLoc();
  if (!mask) {
    LLVM::StoreOp::create(builder, loc, value, pointer);
    return;
  }
  scf::IfOp::create(builder, loc, mask, [&](OpBuilder &b, Location) {
    LLVM::StoreOp::create(b, loc, value, pointer);
    scf::YieldOp::create(b, loc);
  });
}

SmallVector<Value> linalgroad::emitCombine(OpBuilder &builder, ReduceOp op,
                                           const IRMapping &scalars, ValueRange left,
                                           ValueRange right) {
  Block &block = op.getCombine().front();
  IRMapping mapping(scalars);
  mapping.map(block.getArguments().take_front(left.size()), left);
  mapping.map(block.getArguments().drop_front(left.size()), right);
  for (Operation &inner : block.without_terminator()) {
    if (inner.getNumRegions() != 0 || inner.getNumResults() != 1) {
      builder.clone(inner, mapping);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    mapping.map(inner.getResult(0), emitElement(builder, &inner, operands));
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}
