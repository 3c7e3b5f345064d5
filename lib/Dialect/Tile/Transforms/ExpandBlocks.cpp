//===- ExpandBlocks.cpp - blocks of tensors as pointers ---------*- C++ -*-===//
//
// The pass `tile-expand-blocks`. A block of a tensor becomes a block of ordinary pointers and a
// mask. What all elements share is computed on scalars; of the comparison with the bounds, only
// that of the index inside the block is left to the elements, in 32 bits. Where hardware can copy
// whole blocks, loads and stores keep a description of theirs beside the pointers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArgumentExpression.h"
#include "SpreadLine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEEXPANDBLOCKS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

class BlockExpander {
public:
  explicit BlockExpander(BlockPointersOp op)
      : op(op), type(cast<RankedTensorType>(op.getPointers().getType())), b(op), loc(op.getLoc()) {}

  void run();

private:
  void describeToAccesses();
  Value pointers();
  Value inside();
  Value insideAlong(unsigned axis);
  Value insideOfRows();
  Value indices(unsigned axis);
  Value limit(Value bound, Value start, int64_t size);
  Value boundOf32Bits(unsigned axis);
  bool isRows(unsigned axis) { return axis == 0 && op.getRows(); }
  /// The offset along `axis` in 64 bits.
  Value start(unsigned axis) { return widened(op.getOffsets()[axis]); }
  Value widened(Value value) {
    return b.createOrFold<arith::ExtSIOp>(loc, cloneWithElement(value.getType(), b.getI64Type()),
                                          value);
  }
  Value number(int64_t value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value splat(Value scalar, Type shaped) {
    return b.createOrFold<SplatOp>(loc, cloneWithElement(shaped, scalar.getType()), scalar);
  }
  Value spread(Value line, unsigned axis) { return spreadLine(b, loc, line, axis, type); }

  BlockPointersOp op;
  RankedTensorType type;
  OpBuilder b;
  Location loc;
};

} // namespace

/// The indices 0 .. size-1 along `axis`; of gathered rows, their numbers.
Value BlockExpander::indices(unsigned axis) {
  if (isRows(axis))
    return op.getRows();
  int64_t size = type.getDimSize(axis);
  auto line = RankedTensorType::get({size}, b.getI32Type());
  return b.createOrFold<MakeRangeOp>(loc, line, 0, size);
}

Value BlockExpander::pointers() {
  Value base = op.getBase();
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    Value distance = b.createOrFold<arith::MulIOp>(loc, start(axis), op.getStrides()[axis]);
    base = b.createOrFold<AddPtrOp>(loc, base.getType(), base, distance);
  }
  Value result = splat(base, type);
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    Value index = widened(indices(axis));
    Value stride = splat(op.getStrides()[axis], index.getType());
    Value distance = b.createOrFold<arith::MulIOp>(loc, index, stride);
    result = b.createOrFold<AddPtrOp>(loc, type, result, spread(distance, axis));
  }
  return result;
}

/// The size of the tensor along `axis` where it has 32 bits, as the offset has; nothing if it has
/// more.
Value BlockExpander::boundOf32Bits(unsigned axis) {
  Value bound = op.getSizes()[axis];
  APInt known;
  if (matchPattern(bound, m_ConstantInt(&known)))
    return known.isSignedIntN(32) ? number(known.getSExtValue(), b.getI32Type()) : Value();
  auto extension = bound.getDefiningOp<arith::ExtSIOp>();
  return extension && extension.getIn().getType().isInteger(32) ? extension.getIn() : Value();
}

/// `bound - start`, limited to what can be compared with an index inside the block. From the larger
/// of the two the difference is a number without sign, whatever the signs of both. A bound that a
/// comparison reads as well is what an assembler of NVIDIA's lost (docs/workarounds.md).
Value BlockExpander::limit(Value bound, Value start, int64_t size) {
  Type type = start.getType();
  Value end = b.createOrFold<arith::MaxSIOp>(loc, bound, start);
  Value left = b.createOrFold<arith::SubIOp>(loc, end, start);
  Value limit = b.createOrFold<arith::MinUIOp>(loc, left, number(size, type));
  return type.isInteger(32) ? limit : b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), limit);
}

/// Where the index along `axis` is inside the tensor.
Value BlockExpander::insideAlong(unsigned axis) {
  Value index = indices(axis), first = op.getOffsets()[axis];
  int64_t size = type.getDimSize(axis);
  auto compare = [&](arith::CmpIPredicate predicate, Value bound, Value start) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, index,
                                         splat(limit(bound, start, size), index.getType()));
  };
  Value bound = boundOf32Bits(axis);
  Value below = bound ? compare(arith::CmpIPredicate::slt, bound, first)
                      : compare(arith::CmpIPredicate::slt, op.getSizes()[axis], start(axis));
  Value above = compare(arith::CmpIPredicate::sge, number(0, first.getType()), first);
  return b.createOrFold<arith::AndIOp>(loc, above, below);
}

/// Rows lie anywhere, so each is compared in 64 bits.
Value BlockExpander::insideOfRows() {
  Value rows = widened(op.getRows());
  rows = b.createOrFold<arith::AddIOp>(loc, rows, splat(start(0), rows.getType()));
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, rows, splat(bound, rows.getType()));
  };
  Value below = compare(arith::CmpIPredicate::slt, op.getSizes()[0]);
  Value above = compare(arith::CmpIPredicate::sge, number(0, b.getI64Type()));
  return b.createOrFold<arith::AndIOp>(loc, above, below);
}

Value BlockExpander::inside() {
  Value mask;
  for (int64_t axis : op.getGuard()) {
    Value along = spread(isRows(axis) ? insideOfRows() : insideAlong(axis), axis);
    mask = mask ? b.createOrFold<arith::AndIOp>(loc, mask, along) : along;
  }
  if (mask)
    return mask;
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(cast<ShapedType>(op.getInside().getType()), true));
}

/// Gives the block to loads and stores of all of it, to these only if launches make maps. With
/// gathered rows it is no block of the tensor, and maps have no negative strides.
void BlockExpander::describeToAccesses() {
  auto isNegative = [](Value stride) {
    IntegerAttr known;
    return matchPattern(stride, m_Constant(&known)) && known.getValue().isNegative();
  };
  if (!op.getMappable() || llvm::any_of(op.getStrides(), isNegative) || op.getRows() ||
      op.getGuard().size() != size_t(type.getRank()) ||
      !getTarget(op).has(tilec::GpuFeature::TensorMaps))
    return;
  auto element = cast<PtrType>(type.getElementType()).getPointee();
  bool describesStores = launcherMakesMaps(op->getParentOfType<func::FuncOp>());
  Value block;
  for (Operation *user : op.getPointers().getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    auto store = dyn_cast<StoreOp>(user);
    if (!(load && load.getMask() == op.getInside()) &&
        !(store && store.getMask() == op.getInside() && describesStores))
      continue;
    if (!block)
      block = BlockOp::create(b, loc, BlockType::get(op.getContext(), type.getShape(), element),
                              op.getBase(), op.getSizes(), op.getStrides(), op.getOffsets(),
                              /*ofPointers=*/false);
    (load ? load.getBlockMutable() : store.getBlockMutable()).assign(block);
  }
}

void BlockExpander::run() {
  describeToAccesses();
  op.getPointers().replaceAllUsesWith(pointers());
  if (!op.getInside().use_empty())
    op.getInside().replaceAllUsesWith(inside());
  op.erase();
}

namespace {

struct ExpandBlocks : tilec::tile::impl::TileExpandBlocksBase<ExpandBlocks> {
  using TileExpandBlocksBase::TileExpandBlocksBase;

  void runOnOperation() override {
    SmallVector<BlockPointersOp> blocks;
    getOperation().walk([&](BlockPointersOp op) { blocks.push_back(op); });
    if (blocks.empty())
      return markAllAnalysesPreserved();
    for (BlockPointersOp op : blocks)
      BlockExpander(op).run();
    numExpanded += blocks.size();
    // Blocks of one tensor share most of their arithmetic.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace
