//===- ConversionExpansions.cpp - between floats and integers ---*- C++ -*-===//
//
// What a number outside of the integer's range becomes is the hardware's affair to LLVM: `fptosi`
// is poison there, which shows where LLVM knows the number. The instruction saturates (PTX ISA,
// cvt): NaN becomes 0, but from and to 64 bits the highest bit alone. An intrinsic or a line of
// assembly is the same one instruction and defined.
//
// The second half of a conversion of an integer to f16 is a line of assembly as well: the
// workaround integer-as-half.
//
//===----------------------------------------------------------------------===//

#include "FloatCode.h"
#include "MathExpansions.h"
#include "tilec/Support/Workarounds.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// The value of a line of assembly.
Value assemble(OpBuilder &b, Location loc, Type type, ValueRange operands, StringRef text,
               StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, loc, type, operands, text, constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      ->getResult(0);
}

/// One conversion of a float to an integer, scalar or vector.
class FromFloat {
public:
  explicit FromFloat(Operation *op)
      : b(op), loc(op->getLoc()), number(op->getOperand(0)), type(op->getResult(0).getType()),
        isSigned(isa<arith::FPToSIOp>(op)) {}

  /// Gives an empty value if the type is not one that the hardware can reach.
  Value expand() {
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (bits != 16 && bits != 32 && bits != 64)
      return {};
    widen();
    return bits == 16 ? toShort() : round(bits);
  }

private:
  Type like(Type element) const {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  bool isDouble() const { return getElementTypeOrSelf(number).isF64(); }

  /// The intrinsics take f32 and f64.
  void widen() {
    if (getElementTypeOrSelf(number).getIntOrFloatBitWidth() < 32)
      number = arith::ExtFOp::create(b, loc, like(b.getF32Type()), number);
  }

  Value round(unsigned bits) {
    StringRef to = bits == 64 ? (isSigned ? "ll" : "ull") : (isSigned ? "i" : "ui");
    std::string name = ("llvm.nvvm." + Twine(isDouble() ? "d" : "f") + "2" + to + ".rz").str();
    return callOnElements(b, loc, name, {number}, b.getIntegerType(bits));
  }

  /// There is no intrinsic for 16 bits.
  Value toShort() {
    std::string sign = isSigned ? "s" : "u", from = isDouble() ? "f64" : "f32";
    std::string text = "cvt.rzi." + sign + "16." + from + " $0, $1;";
    Type result = b.getI16Type();
    return mapElements(b, loc, {number}, result, [&](ValueRange scalars) -> Value {
      return assemble(b, loc, result, scalars, text, isDouble() ? "=h,d" : "=h,f");
    });
  }

  OpBuilder b;
  Location loc;
  Value number;
  Type type;
  bool isSigned;
};

/// A conversion of an integer, scalar or vector, to f16. Empty if every value of the integer's type
/// is in the range of f16, or f16 is not the type. It goes through f32, which is as exact: what f32
/// has to round is infinite in f16. That is another unit of the hardware, with four times as many
/// lanes.
Value toHalf(Operation *op) {
  if (!tilec::isEnabled(tilec::Workaround::IntegerAsHalf))
    return {};
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type half = b.getF16Type(), type = op->getResult(0).getType();
  Value number = op->getOperand(0);
  unsigned bits = getElementTypeOrSelf(number).getIntOrFloatBitWidth();
  if (getElementTypeOrSelf(type) != half || (bits != 32 && bits != 64))
    return {};
  auto shaped = dyn_cast<ShapedType>(type);
  Type wide = shaped ? Type(shaped.clone(b.getF32Type())) : b.getF32Type();
  Value floats = isa<arith::SIToFPOp>(op)
                     ? arith::SIToFPOp::create(b, loc, wide, number).getResult()
                     : arith::UIToFPOp::create(b, loc, wide, number).getResult();
  return mapElements(b, loc, {floats}, half, [&](ValueRange scalars) -> Value {
    return assemble(b, loc, half, scalars, "cvt.rn.f16.f32 $0, $1;", "=h,f");
  });
}

Value expandConversion(Operation *op) {
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return FromFloat(op).expand();
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) ? toHalf(op) : Value();
}

} // namespace

void tilec::tile::expandConversions(Operation *root) {
  root->walk([](Operation *op) {
    if (Value result = expandConversion(op)) {
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  });
}
