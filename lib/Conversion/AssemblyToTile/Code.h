//===- Code.h - arithmetic on tiles -----------------------------*- C++ -*-===//
//
// Short names for the operations that instructions become. All values are tiles of one shape, or
// scalars; sizes are those of an element.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_CODE_H
#define TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_CODE_H

#include "Text.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::assembly {

class Code {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  /// `shape` is some type of the shape.
  Code(mlir::OpBuilder &builder, mlir::Location loc, Type shape)
      : b(builder), loc(loc), shape(shape) {}

  template <typename OpT, typename... Args> Value make(Args &&...args) {
    return b.createOrFold<OpT>(loc, std::forward<Args>(args)...);
  }

  Type like(Type element) const { return tile::cloneWithElement(shape, element); }
  Type integerType(unsigned bits) { return b.getIntegerType(bits); }
  /// The element type that computes a float; null for one that nothing computes with.
  Type floatType(const NumberType &type);

  Value number(unsigned bits, uint64_t value);
  /// With the size of `model`.
  Value numberLike(Value model, uint64_t value) { return number(bitsOf(model), value); }
  Value real(Type element, double value);
  Value truth(bool value) { return number(1, value); }
  static unsigned bitsOf(Value value) {
    return tile::elementOf(value.getType()).getIntOrFloatBitWidth();
  }
  /// The number that all elements are, if it is known.
  static std::optional<uint64_t> known(Value value);

  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value bitAnd(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value bitOr(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value bitXor(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value bitAnd(Value x, uint64_t y) { return bitAnd(x, numberLike(x, y)); }
  Value bitNot(Value x) { return bitXor(x, numberLike(x, ~uint64_t(0))); }
  /// By a number of 32 bits; all bits are shifted out from the size on.
  Value shiftLeft(Value x, Value by) { return make<mlir::arith::ShLIOp>(x, distance(x, by)); }
  Value shiftRight(Value x, Value by, bool isSigned);
  Value shiftLeft(Value x, unsigned by) { return shiftLeft(x, number(32, by)); }
  Value shiftRight(Value x, unsigned by, bool isSigned = false) {
    return shiftRight(x, number(32, by), isSigned);
  }
  /// Cut off or extended.
  Value resize(Value x, unsigned bits, bool isSigned = false);
  /// The upper half of the product.
  Value mulHigh(Value x, Value y, bool isSigned);
  Value least(Value x, Value y, bool isSigned);
  Value most(Value x, Value y, bool isSigned);

  Value compare(mlir::arith::CmpIPredicate how, Value x, Value y) {
    return make<mlir::arith::CmpIOp>(how, x, y);
  }
  Value compare(mlir::arith::CmpFPredicate how, Value x, Value y) {
    return make<mlir::arith::CmpFOp>(how, x, y);
  }
  Value compare(mlir::arith::CmpIPredicate how, Value x, uint64_t y) {
    return compare(how, x, numberLike(x, y));
  }
  Value isNaN(Value x) { return compare(mlir::arith::CmpFPredicate::UNO, x, x); }
  Value select(Value condition, Value x, Value y) {
    return make<mlir::arith::SelectOp>(condition, x, y);
  }

  Value addF(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value subF(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mulF(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value divF(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value fma(Value x, Value y, Value z);
  Value negate(Value x);
  Value magnitude(Value x);
  /// Another float type, rounded to nearest.
  Value resizeF(Value x, Type element);
  Value toBits(Value x);
  Value fromBits(Value x, Type element);
  Value isNegative(Value x) {
    return compare(mlir::arith::CmpIPredicate::slt, toBits(x), uint64_t(0));
  }
  /// Zero with its sign where `x` is subnormal.
  Value flush(Value x);

  /// Rounds a float to a narrower type in a direction: "rz", "rm", "rp"; else to nearest.
  Value narrow(Value x, Type element, llvm::StringRef rounding);
  /// Results of f64 for operands that were f32, rounded such that narrow() gives what rounding the
  /// exact result would: where digits are lost, the last one is odd.
  Value oddSum(Value x, Value y, llvm::StringRef rounding);
  Value oddQuotient(Value x, Value y);
  Value oddRoot(Value x);

  void storeTo(Value pointer, Value value, Value mask) {
    tile::StoreOp::create(b, loc, pointer, value, mask, /*block=*/Value());
  }

private:
  Value distance(Value x, Value by);
  Value makeOdd(Value result, Value isInexact, Value isAbove);
  Value mulHigh64(Value x, Value y);

  mlir::OpBuilder &b;
  mlir::Location loc;
  Type shape;
};

} // namespace tilec::assembly

#endif // TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_CODE_H
