//===- PrintFormat.cpp - the text of tile.print ----------------*- C++ -*-===//
//
// The format string of a tile.print and the arguments for it. The GPU's vprintf and the CPU's
// printf get the same, so that both targets print the same lines.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Analysis/PrintFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;

/// The conversion of one element.
static std::string conversionOf(PrintOp op) {
  Type element = elementOf(op.getValue().getType());
  if (isa<PtrType>(element))
    return "0x%016llx";
  unsigned bits = element.getIntOrFloatBitWidth();
  if (op.getHex()) {
    std::string digits = std::to_string(std::max(1u, bits / 4));
    return "0x%0" + digits + (bits == 64 ? "llx" : "x");
  }
  if (isa<FloatType>(element))
    return "%f";
  std::string sign = op.getIsUnsigned() || bits == 1 ? "u" : "d";
  return (bits == 64 ? "%ll" : "%") + sign;
}

std::string tilec::tile::printFormat(PrintOp op) {
  std::string text = "pid (%d, %d, %d)";
  if (op.getValue()) {
    auto tileType = dyn_cast<RankedTensorType>(op.getValue().getType());
    text += " idx (";
    for (int64_t axis = 0; tileType && axis < tileType.getRank(); ++axis)
      text += axis ? ", %d" : "%d";
    text += ")";
  }
  text += " ";
  // The prefix is no format.
  for (char c : op.getPrefix().ltrim(' '))
    text += c == '%' ? "%%" : std::string(1, c);
  return text + (op.getValue() ? conversionOf(op) : "") + "\n";
}

Value tilec::tile::printArgument(OpBuilder &builder, PrintOp op, Value element) {
  Location loc = op.getLoc();
  Type type = element.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (!op.getHex())
      return bits == 64
                 ? element
                 : arith::ExtFOp::create(builder, loc, builder.getF64Type(), element).getResult();
    type = builder.getIntegerType(bits);
    element = arith::BitcastOp::create(builder, loc, type, element);
  }
  if (bits >= 32)
    return element;
  bool isSigned = !op.getIsUnsigned() && !op.getHex() && bits != 1;
  if (isSigned)
    return arith::ExtSIOp::create(builder, loc, builder.getI32Type(), element);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
}
