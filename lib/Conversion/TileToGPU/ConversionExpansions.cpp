//===- ConversionExpansions.cpp - floats to integers ------------*- C++ -*-===//
//
// What a number outside of the integer's range becomes is the hardware's affair to LLVM: `fptosi`
// is poison there, which shows where LLVM knows the number. The instruction saturates (PTX ISA,
// cvt), and its intrinsic is the same one instruction and defined.
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

  /// Gives an empty value if the type is not one that the hardware or two steps can reach.
  Value expand() {
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return {};
    widen();
    if (bits == 64 || isDouble())
      convertNaNToZero();
    Value whole = round(std::max(bits, 32u));
    return bits < 32 ? saturate(whole, bits) : whole;
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

  /// The hardware converts NaN to 0, but from and to 64 bits to the highest bit alone (PTX ISA, cvt).
  void convertNaNToZero() {
    Value zero = splatConstant(b, loc, number.getType(), 0);
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, number, number);
    number = arith::SelectOp::create(b, loc, isNumber, number, zero);
  }

  Value round(unsigned bits) {
    StringRef to = bits == 64 ? (isSigned ? "ll" : "ull") : (isSigned ? "i" : "ui");
    std::string name = ("llvm.nvvm." + Twine(isDouble() ? "d" : "f") + "2" + to + ".rz").str();
    return callOnElements(b, loc, name, {number}, b.getIntegerType(bits));
  }

  /// 8 and 16 bits are reached by way of 32.
  Value saturate(Value whole, unsigned bits) {
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr = b.getI32IntegerAttr(value);
      if (auto shaped = dyn_cast<ShapedType>(whole.getType()))
        attr = DenseElementsAttr::get(shaped, attr);
      return arith::ConstantOp::create(b, loc, attr);
    };
    int64_t most = (int64_t(1) << (bits - isSigned)) - 1;
    if (isSigned) {
      whole = arith::MinSIOp::create(b, loc, whole, constant(most));
      whole = arith::MaxSIOp::create(b, loc, whole, constant(-most - 1));
    } else {
      whole = arith::MinUIOp::create(b, loc, whole, constant(most));
    }
    return arith::TruncIOp::create(b, loc, type, whole);
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
