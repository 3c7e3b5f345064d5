//===- ExpandDots.cpp - precise products out of fast ones -------*- C++ -*-===//
//
// The pass `tile-expand-dots`. Matrix instructions multiply f32 only in narrow types. A product
// that is to be more precise becomes a sum of products of parts: each factor is a large part in the
// narrow type and what is left of it. Products of small parts come first, and infinities and NaN,
// of which the small parts are NaN, come from the product of the large parts alone.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include <limits>

namespace tilec::tile {
#define GEN_PASS_DEF_TILEEXPANDDOTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

class DotExpander {
public:
  explicit DotExpander(DotOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run();

private:
  /// `tile` as a sum of parts, the largest first, each in the type that is multiplied.
  SmallVector<Value> split(Value tile, unsigned parts);
  Value narrowed(Value tile);
  Value extended(Value part);
  Value multiply(Value lhs, Value rhs, Value acc);
  Value withoutNaN(Value tile);
  Value constant(Type type, double value) {
    auto tile = cast<RankedTensorType>(type);
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(tile, b.getFloatAttr(tile.getElementType(), value)));
  }
  bool isTF32() { return op.getPrecision() == DotPrecision::TF32x3; }

  DotOp op;
  OpBuilder b;
  Location loc;
};

} // namespace

/// Rounded to the 10 bits of a mantissa that tf32 has, still as f32; infinities and NaN stay what
/// they are.
Value DotExpander::narrowed(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!isTF32())
    return arith::TruncFOp::create(b, loc, type.clone(b.getBF16Type()), tile);
  RankedTensorType bitsType = type.clone(b.getI32Type());
  auto number = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(bitsType, b.getI32IntegerAttr(value)));
  };
  Value bits = arith::BitcastOp::create(b, loc, bitsType, tile);
  Value rounded = arith::AddIOp::create(b, loc, bits, number(0x1000));
  rounded = arith::AndIOp::create(b, loc, rounded, number(~0x1fff));
  Value magnitude = math::AbsFOp::create(b, loc, tile);
  Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                                         constant(type, std::numeric_limits<double>::infinity()));
  Value kept = arith::SelectOp::create(b, loc, isFinite, rounded, bits);
  return arith::BitcastOp::create(b, loc, type, kept);
}

Value DotExpander::extended(Value part) {
  auto type = cast<RankedTensorType>(part.getType());
  if (type.getElementType().isF32())
    return part;
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), part);
}

SmallVector<Value> DotExpander::split(Value tile, unsigned parts) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < parts; ++i) {
    bool isLast = i + 1 == parts;
    // Matrix instructions take the upper bits of what is in f32.
    result.push_back(isLast && isTF32() ? tile : narrowed(tile));
    if (!isLast)
      tile = arith::SubFOp::create(b, loc, tile, extended(result.back()));
  }
  return result;
}

Value DotExpander::multiply(Value lhs, Value rhs, Value acc) {
  auto precision = isTF32() ? DotPrecision::TF32 : DotPrecision::IEEE;
  return DotOp::create(b, loc, lhs, rhs, acc, precision);
}

Value DotExpander::withoutNaN(Value tile) {
  Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, tile, tile);
  return arith::SelectOp::create(b, loc, isNumber, tile, constant(tile.getType(), 0.0));
}

void DotExpander::run() {
  unsigned parts = op.getPrecision() == DotPrecision::BF16x6 ? 3 : 2;
  SmallVector<Value> lhs = split(op.getLhs(), parts), rhs = split(op.getRhs(), parts);
  Value sum = constant(op.getType(), 0.0);
  if (parts == 3) {
    sum = multiply(lhs[2], rhs[0], sum);
    sum = multiply(lhs[0], rhs[2], sum);
    sum = multiply(lhs[1], rhs[1], sum);
  }
  sum = multiply(lhs[1], rhs[0], sum);
  sum = multiply(lhs[0], rhs[1], sum);
  sum = multiply(lhs[0], rhs[0], withoutNaN(sum));
  Value result = arith::AddFOp::create(b, loc, sum, op.getAcc());
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {

struct ExpandDots : tilec::tile::impl::TileExpandDotsBase<ExpandDots> {
  using TileExpandDotsBase::TileExpandDotsBase;

  void runOnOperation() override {
    // Threads that multiply by themselves do it in f32 as it is.
    if (!getTarget(getOperation()).has(tilec::GpuFeature::MatrixMultiply))
      return;
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp op) {
      if (op.getPrecision() != DotPrecision::IEEE && op.getPrecision() != DotPrecision::TF32)
        dots.push_back(op);
    });
    for (DotOp op : dots)
      DotExpander(op).run();
    numExpanded += dots.size();
  }
};

} // namespace
