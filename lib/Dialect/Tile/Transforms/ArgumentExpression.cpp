//===- ArgumentExpression.cpp - numbers that launches can compute -*- C++ -*-===//

#include "ArgumentExpression.h"

#include "mlir/IR/Matchers.h"
#include "tilec/Arch/TensorMaps.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::launcherMakesMaps(func::FuncOp kernel) {
  auto who = kernel->getAttrOfType<StringAttr>(kTensorMapsAttr);
  return who && who.getValue() == tilec::tensorMapsName(tilec::TensorMaps::Launcher);
}

bool tilec::tile::isOfArguments(Value value, func::FuncOp kernel) {
  return ArgumentExpression(kernel.front(), /*text=*/nullptr).append(value);
}

/// Whether it is a number that the evaluator knows.
static bool isNumber(Type type) {
  return isa<PtrType>(type) || (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

/// The grid is none of the arguments that the expression is of.
bool ArgumentExpression::appendArgument(BlockArgument argument) {
  if (argument.getOwner() != &entry)
    return false;
  auto kernel = cast<FunctionOpInterface>(entry.getParentOp());
  unsigned number = argument.getArgNumber();
  return !kernel.getArgAttr(number, kGridAxisAttr) && step("@" + Twine(number));
}

bool ArgumentExpression::append(Value value) {
  if (!isNumber(value.getType()))
    return false;
  if (IntegerAttr known; matchPattern(value, m_Constant(&known)))
    return step(Twine(value.getType().isInteger(1) ? int64_t(known.getValue().getZExtValue())
                                                   : known.getValue().getSExtValue()));
  if (auto argument = dyn_cast<BlockArgument>(value))
    return appendArgument(argument);
  return appendOperation(value.getDefiningOp());
}

bool ArgumentExpression::appendAddress(AddPtrOp op) {
  int64_t bytes = byteSize(cast<PtrType>(op.getType()).getPointee());
  return append(op.getPtr()) && append(op.getOffset()) && step(Twine(bytes)) && step("mul") &&
         step("add");
}

bool ArgumentExpression::appendComparison(arith::CmpIOp op) {
  auto isNot = [&](bool known) { return known && step("1") && step("xor"); };
  bool isOrder =
      !llvm::is_contained({arith::CmpIPredicate::eq, arith::CmpIPredicate::ne}, op.getPredicate());
  if (isOrder && op.getLhs().getType().isInteger(1))
    return false;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return appendBits(op, "eq");
  case arith::CmpIPredicate::ne:
    return isNot(appendBits(op, "eq"));
  case arith::CmpIPredicate::slt:
    return appendBits(op, "lt");
  case arith::CmpIPredicate::sge:
    return isNot(appendBits(op, "lt"));
  case arith::CmpIPredicate::sgt:
    return appendBoth(op.getRhs(), op.getLhs(), "lt");
  case arith::CmpIPredicate::sle:
    return isNot(appendBoth(op.getRhs(), op.getLhs(), "lt"));
  default:
    return false;
  }
}

bool ArgumentExpression::appendOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AddPtrOp add) { return appendAddress(add); })
      .Case<PromiseOp, PtrCastOp, PtrToIntOp>(
          [&](auto same) { return append(same->getOperand(0)); })
      .Case([&](arith::ExtSIOp widen) {
        return !widen.getIn().getType().isInteger(1) && append(widen.getIn());
      })
      .Case([&](arith::ExtUIOp widen) {
        Type from = widen.getIn().getType();
        return append(widen.getIn()) && (from.isInteger(1) || extend("zext", from));
      })
      .Case([&](arith::TruncIOp narrow) {
        return append(narrow.getIn()) && extend("sext", narrow.getType());
      })
      .Case([&](arith::AddIOp) { return appendArithmetic(op, "add"); })
      .Case([&](arith::SubIOp) { return appendArithmetic(op, "sub"); })
      .Case([&](arith::MulIOp) { return appendArithmetic(op, "mul"); })
      .Case([&](arith::DivSIOp) { return appendArithmetic(op, "div"); })
      .Case([&](arith::MinSIOp) { return appendArithmetic(op, "min"); })
      .Case([&](arith::MaxSIOp) { return appendArithmetic(op, "max"); })
      .Case([&](arith::AndIOp) { return appendBits(op, "and"); })
      .Case([&](arith::OrIOp) { return appendBits(op, "or"); })
      .Case([&](arith::XOrIOp) { return appendBits(op, "xor"); })
      .Case([&](arith::CmpIOp compare) { return appendComparison(compare); })
      .Default([](Operation *) { return false; });
}
