//===- Atomics.cpp - atomic operations on one element ----------*- C++ -*-===//
//
// Programs run on several threads, so the operations are the processor's. 16-bit floats have none:
// they are added and compared in a loop that exchanges the result if nobody else was faster.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

static LLVM::AtomicOrdering orderingOf(MemSemantic sem) {
  switch (sem) {
  case MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case MemSemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orders are covered");
}

/// A failed exchange writes nothing, so it cannot release.
static LLVM::AtomicOrdering failureOrderingOf(MemSemantic sem) {
  return sem == MemSemantic::Relaxed || sem == MemSemantic::Release
             ? LLVM::AtomicOrdering::monotonic
             : LLVM::AtomicOrdering::acquire;
}

static LLVM::AtomicBinOp binaryOf(AtomicKind kind, bool isFloat) {
  switch (kind) {
  case AtomicKind::Add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::MaxS:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::MinS:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::MaxU:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::MinU:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case AtomicKind::MaxNum:
  case AtomicKind::MinNum:
    break; // Of 16 bits only.
  }
  llvm_unreachable("all kinds are covered");
}

static Value combined(OpBuilder &b, Location loc, AtomicKind kind, Value old, Value value) {
  if (kind == AtomicKind::MaxNum)
    return arith::MaxNumFOp::create(b, loc, old, value);
  if (kind == AtomicKind::MinNum)
    return arith::MinNumFOp::create(b, loc, old, value);
  return arith::AddFOp::create(b, loc, old, value);
}

/// Changes a float of 16 bits, whose bits integers carry; returns the old one.
static Value changeHalf(OpBuilder &builder, Location loc, AtomicKind kind, Value pointer,
                        Value value, MemSemantic sem) {
  Type element = value.getType(), bits = storageType(element);
  Value first = LLVM::LoadOp::create(builder, loc, bits, pointer);
  auto loop = scf::WhileOp::create(
      builder, loc, bits, first,
      [&](OpBuilder &b, Location, ValueRange seen) {
        Value result = combined(b, loc, kind, fromStorage(b, loc, seen[0], element), value);
        Value pair =
            LLVM::AtomicCmpXchgOp::create(b, loc, pointer, seen[0], toStorage(b, loc, result),
                                          orderingOf(sem), failureOrderingOf(sem));
        Value found = LLVM::ExtractValueOp::create(b, loc, pair, 0);
        Value stored = LLVM::ExtractValueOp::create(b, loc, pair, 1);
        Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        Value again = arith::XOrIOp::create(b, loc, stored, yes);
        scf::ConditionOp::create(b, loc, again, found);
      },
      [&](OpBuilder &b, Location, ValueRange found) { scf::YieldOp::create(b, loc, found); });
  return fromStorage(builder, loc, loop.getResult(0), element);
}

static Value change(OpBuilder &builder, AtomicRMWOp op, Value pointer, Value value) {
  Location loc = op.getLoc();
  if (value.getType().isF16() || value.getType().isBF16())
    return changeHalf(builder, loc, op.getKind(), pointer, value, op.getSem());
  return LLVM::AtomicRMWOp::create(builder, loc,
                                   binaryOf(op.getKind(), isa<FloatType>(value.getType())), pointer,
                                   value, orderingOf(op.getSem()));
}

/// What `change` writes, where the mask (may be null) is true; zero elsewhere.
static Value underMask(OpBuilder &builder, Location loc, Value mask, Type type,
                       llvm::function_ref<Value(OpBuilder &)> change) {
  if (!mask)
    return change(builder);
  auto branch = scf::IfOp::create(
      builder, loc, mask, [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, change(b)); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, zeroOf(b, loc, type)); });
  return branch.getResult(0);
}

Value cpu::emitAtomic(OpBuilder &builder, AtomicRMWOp op, Value pointer, Value value, Value mask) {
  return underMask(builder, op.getLoc(), mask, value.getType(),
                   [&](OpBuilder &b) { return change(b, op, pointer, value); });
}

Value cpu::emitAtomic(OpBuilder &builder, AtomicCASOp op, Value pointer, Value expected,
                      Value value, Value mask) {
  Location loc = op.getLoc();
  return underMask(builder, loc, mask, value.getType(), [&](OpBuilder &b) -> Value {
    Value pair = LLVM::AtomicCmpXchgOp::create(
        b, loc, pointer, expected, value, orderingOf(op.getSem()), failureOrderingOf(op.getSem()));
    return LLVM::ExtractValueOp::create(b, loc, pair, 0);
  });
}
