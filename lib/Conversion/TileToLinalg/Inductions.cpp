//===- Inductions.cpp - carry scalars instead of moved tiles ---*- C++ -*-===//
//
// Looks at each tile that an scf.for carries. When the body's only change to it is adding a splat,
// the loop carries the sum of what was added, and the tile is computed from its initial value where
// it is used. Integer sums wrap alike in both forms, and pointers are moved by 64-bit sums.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToLinalg/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_CONVERTTILETOLINALGINDUCTIONS
#include "tilec/Conversion/TileToLinalg/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A carried tile that each iteration moves by one amount.
struct Induction {
  unsigned index;  // among the iteration arguments
  Operation *next; // makes the moved tile
  Value step;      // its operand that says by how much, a uniform tile
};

} // namespace

static bool isUniform(Value tile) {
  DenseElementsAttr elements;
  return tile.getDefiningOp<SplatOp>() ||
         (matchPattern(tile, m_Constant(&elements)) && elements.isSplat());
}

/// The scalar that fills a uniform tile.
static Value uniformScalar(OpBuilder &builder, Location loc, Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return splat.getSrc();
  DenseElementsAttr elements;
  matchPattern(tile, m_Constant(&elements));
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(elements.getSplatValue<Attribute>()));
}

static std::optional<Induction> matchInduction(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArgs()[index];
  Operation *next = loop.getYieldedValues()[index].getDefiningOp();
  if (!isa<RankedTensorType>(carried.getType()) || !next)
    return std::nullopt;
  if (!isa<AddPtrOp, arith::AddIOp, arith::SubIOp>(next))
    return std::nullopt;
  if (next->getOperand(0) == carried && isUniform(next->getOperand(1)))
    return Induction{index, next, next->getOperand(1)};
  if (isa<arith::AddIOp>(next) && next->getOperand(1) == carried && isUniform(next->getOperand(0)))
    return Induction{index, next, next->getOperand(0)};
  return std::nullopt;
}

/// The type of the scalar that replaces the tile.
static Type sumType(const Induction &induction, Type tile) {
  return isa<AddPtrOp>(induction.next) ? IntegerType::get(tile.getContext(), 64) : elementOf(tile);
}

/// `initial`, each element moved by `sum`.
static Value moved(OpBuilder &builder, Location loc, const Induction &induction, Value initial,
                   Value sum) {
  auto type = cast<RankedTensorType>(initial.getType());
  Value wide = SplatOp::create(builder, loc, type.clone(sum.getType()), sum);
  if (isa<AddPtrOp>(induction.next))
    return AddPtrOp::create(builder, loc, initial, wide);
  return arith::AddIOp::create(builder, loc, initial, wide);
}

static Value nextSum(OpBuilder &builder, Location loc, const Induction &induction, Value sum) {
  Value step = uniformScalar(builder, loc, induction.step);
  if (step.getType() != sum.getType())
    step = arith::ExtSIOp::create(builder, loc, sum.getType(), step);
  if (isa<arith::SubIOp>(induction.next))
    return arith::SubIOp::create(builder, loc, sum, step);
  return arith::AddIOp::create(builder, loc, sum, step);
}

static void rewriteLoop(IRRewriter &rewriter, scf::ForOp loop, ArrayRef<Induction> inductions) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> initial(loop.getInitArgs());
  for (const Induction &induction : inductions) {
    Type type = sumType(induction, initial[induction.index].getType());
    initial[induction.index] = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
  }
  auto result = scf::ForOp::create(rewriter, loc, loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), initial, nullptr, loop.getUnsignedCmp());
  Block *body = result.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());

  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments(body->getArguments());
  for (const Induction &induction : inductions)
    arguments[1 + induction.index] =
        moved(rewriter, loc, induction, loop.getInitArgs()[induction.index],
              body->getArgument(1 + induction.index));
  rewriter.mergeBlocks(loop.getBody(), body, arguments);

  auto yield = cast<scf::YieldOp>(body->getTerminator());
  rewriter.setInsertionPoint(yield);
  for (const Induction &induction : inductions)
    yield.setOperand(induction.index,
                     nextSum(rewriter, loc, induction, body->getArgument(1 + induction.index)));

  rewriter.setInsertionPointAfter(result);
  SmallVector<Value> results(result.getResults());
  for (const Induction &induction : inductions)
    results[induction.index] = moved(rewriter, loc, induction, loop.getInitArgs()[induction.index],
                                     results[induction.index]);
  rewriter.replaceOp(loop, results);
}

namespace {

struct ConvertTileToLinalgInductionsPass
    : tilec::tile::impl::ConvertTileToLinalgInductionsBase<ConvertTileToLinalgInductionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner loops first: what they return may be what an outer loop adds to.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      SmallVector<Induction> inductions;
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        if (std::optional<Induction> induction = matchInduction(loop, index))
          inductions.push_back(*induction);
      if (inductions.empty())
        continue;
      numScalars += inductions.size();
      rewriteLoop(rewriter, loop, inductions);
    }
  }
};

} // namespace
