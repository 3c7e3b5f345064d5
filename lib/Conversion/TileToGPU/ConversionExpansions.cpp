//===- ConversionExpansions.cpp - floats to integers ------------*- C++ -*-===//
//
// What a number outside of the integer's range becomes is the hardware's affair to LLVM: `fptosi`
// is poison there, which shows where LLVM knows the number. The instruction saturates (PTX ISA,
// cvt): NaN becomes 0, but from and to 64 bits the highest bit alone. An intrinsic or a line of
// assembly is the same one instruction and defined.
//
//===----------------------------------------------------------------------===//

#include "FloatCode.h"
#include "MathExpansions.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// One conversion of a float to an integer, scalar or vector.
class Conversion {
public:
  explicit Conversion(Operation *op)
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
      return LLVM::InlineAsmOp::create(b, loc, result, scalars, text, isDouble() ? "=h,d" : "=h,f",
                                       /*has_side_effects=*/false, /*is_align_stack=*/false,
                                       LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                                       ArrayAttr())
          ->getResult(0);
    });
  }

  OpBuilder b;
  Location loc;
  Value number;
  Type type;
  bool isSigned;
};

} // namespace

void mlir::tile::expandConversions(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      return;
    if (Value result = Conversion(op).expand()) {
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  });
}
