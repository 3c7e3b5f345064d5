//===- UseWarpGroups.cpp - products by groups of four warps ----*- C++ -*-===//
//
// The pass `tile-use-warp-groups`. The layouts of a product that fitsWarpGroups() suit wgmma and
// mma.sync alike, so that it is late enough to choose here, when loads have become copies into
// slots: what a factor was loaded through decides where the instructions find it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "GroupWaits.h"
#include "LoopIterations.h"
#include "SharedLifetimes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Layout/MatrixAccess.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEUSEWARPGROUPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

/// A factor as wgmma takes it: in registers, or in a buffer.
struct Factor {
  Value value, slot;
  bool isTransposed = false;
};

/// Which factor of a product, and how many of its rows or columns an instruction takes.
struct Side {
  bool isLeft;
  int64_t span;
  /// The dimension of the depth in a buffer.
  unsigned depthAxis(bool isTransposed) const { return isLeft != isTransposed ? 1 : 0; }
};

/// Shared memory for factors that are stored into buffers of their own. Outside of loops products
/// are waited for at once, so a buffer is free behind the last one that reads it; one of a loop is
/// free behind the loop.
class FactorRoom {
public:
  FactorRoom(func::FuncOp kernel, int64_t bytes);
  /// Whether a buffer of so many bytes for `source`, which `dot` takes, fits beside the others.
  bool has(DotOp dot, Value source, int64_t bytes) const;
  void take(DotOp dot, Value source, int64_t bytes) {
    lives.push_back({lifeOf(dot, source), bytes});
  }

private:
  /// Positions in a block from the first to the last one; in all of the kernel without a block.
  struct Life {
    Block *block = nullptr;
    unsigned first = 0, last = 0;
    bool meets(const Life &other) const {
      return !block || block != other.block || (first <= other.last && other.first <= last);
    }
  };
  Life lifeOf(DotOp dot, Value source) const;

  int64_t total;
  llvm::DenseMap<Operation *, unsigned> positions;
  SmallVector<std::pair<Life, int64_t>> lives;
};

/// What has been stored for products: tile and type of the buffer, and the buffer.
using StoredFactors = llvm::DenseMap<std::pair<Value, Type>, Value>;

class GroupProduct {
public:
  GroupProduct(DotOp dot, FactorRoom &room, StoredFactors &stored)
      : dot(dot), builder(dot), room(room), stored(stored),
        acc(getLayout(cast<RankedTensorType>(dot.getType()))
                .toLinearLayout(cast<RankedTensorType>(dot.getType()).getShape())) {}

  /// The products by warp groups, in place of `dot`: one, or one for each piece of the depth that
  /// has a sum of its own. None if they cannot read its factors.
  SmallVector<GroupDotOp> rewrite();

private:
  std::optional<Factor> fromSlot(Value value, Side side);
  std::optional<Factor> throughBuffer(Value value, Side side);
  std::optional<Factor> transposed(Value value, Side side);
  Factor leftFactor(Side side);
  Value startOfSum(Value &keep);
  SmallVector<GroupDotOp> createProducts(const Factor &lhs, const Factor &rhs);
  Value storedAt(Value source, BufferType type);
  bool isReadable(BufferType buffer, Side side, bool isTransposed);

  DotOp dot;
  OpBuilder builder;
  FactorRoom &room;
  StoredFactors &stored;
  LinearLayout acc;
};

} // namespace

FactorRoom::FactorRoom(func::FuncOp kernel, int64_t bytes)
    : total(bytes - SharedLifetimes(kernel).mostBytes()) {
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op] = unsigned(positions.size()); });
}

FactorRoom::Life FactorRoom::lifeOf(DotOp dot, Value source) const {
  Operation *start = source.getDefiningOp();
  if (!start)
    return {};
  // In a loop, products may be in flight all the time: the loop counts, and what is around it.
  bool isInLoop = dot->getParentOfType<LoopLikeOpInterface>() != nullptr;
  Block *block =
      isInLoop ? &dot->getParentOfType<func::FuncOp>().getBody().front() : dot->getBlock();
  start = block->findAncestorOpInBlock(*start);
  if (!start || !positions.contains(start))
    return {};
  Life life = {block, positions.lookup(start), positions.lookup(start)};
  auto reach = [&](Operation *product) {
    Operation *place = block->findAncestorOpInBlock(*product);
    if (place)
      life.last = std::max(life.last, positions.lookup(place));
    return place != nullptr;
  };
  SmallVector<Operation *> open(source.getUsers());
  while (!open.empty()) {
    Operation *user = open.pop_back_val();
    if (isa<ConvertLayoutOp, PermuteOp>(user))
      llvm::append_range(open, user->getUsers());
    else if (isa<DotOp>(user) && !reach(user))
      return {};
  }
  return reach(dot) ? life : Life();
}

bool FactorRoom::has(DotOp dot, Value source, int64_t bytes) const {
  Life life = lifeOf(dot, source);
  int64_t all = bytes, atOnce = bytes;
  for (const auto &[other, size] : lives) {
    all += size;
    atOnce += life.meets(other) ? size : 0;
  }
  // Exchanges need room, too, which is known later.
  return all <= total || atOnce <= total / 2;
}

/// What `value` is a transposed view of, or itself.
static Value skipTransposition(Value value, bool &isTransposed) {
  isTransposed = false;
  while (auto permute = value.getDefiningOp<PermuteOp>()) {
    if (permute.getOrder() == ArrayRef<int32_t>{1, 0})
      isTransposed = !isTransposed;
    value = permute.getSrc();
  }
  return value;
}

bool GroupProduct::isReadable(BufferType buffer, Side side, bool isTransposed) {
  Shape shape(buffer.getShape().begin(), buffer.getShape().end());
  std::optional<GroupFactorPlan> plan =
      planGroupFactor(buffer.getMap().toSharedLayout(), shape, side.depthAxis(isTransposed),
                      side.span, unsigned(8 * byteSize(buffer.getElementType())));
  return plan && buffer.getSlotBytes() % int64_t(plan->alignment) == 0;
}

/// The factor in the buffer that it is read from.
std::optional<Factor> GroupProduct::fromSlot(Value value, Side side) {
  Factor factor;
  auto load = skipTransposition(value, factor.isTransposed).getDefiningOp<BufferLoadOp>();
  if (!load || load.getMask() || load.getPrevious() || load.getReversed() ||
      !isReadable(load.getBuffer().getType(), side, factor.isTransposed))
    return std::nullopt;
  factor.value = load.getBuffer();
  factor.slot = load.getSlot();
  return factor;
}

/// The factor in a new buffer, into which it is stored where it is computed, before its layout is
/// converted.
std::optional<Factor> GroupProduct::throughBuffer(Value value, Side side) {
  Factor factor;
  Value source = skipTransposition(value, factor.isTransposed);
  if (auto conversion = source.getDefiningOp<ConvertLayoutOp>())
    source = conversion.getSrc();
  auto tile = cast<RankedTensorType>(source.getType());
  if (!isWholeInCTA(tile))
    return std::nullopt;
  LinearLayout layout = getLayout(tile).toLinearLayout(tile.getShape());
  unsigned elementBits = unsigned(8 * byteSize(tile.getElementType()));
  for (unsigned inner : {innerAxis(layout), 1 - innerAxis(layout)}) {
    auto map =
        SharedAttr::get(dot.getContext(), placeForMatrices(layout.shape(), inner, elementBits));
    auto type = BufferType::get(dot.getContext(), tile.getShape(), tile.getElementType(), map,
                                /*rounds=*/1, /*slots=*/1);
    bool hasRoom = stored.contains({source, type}) || room.has(dot, source, type.getBytes());
    if (!isReadable(type, side, factor.isTransposed) || !hasRoom)
      continue;
    factor.value = storedAt(source, type);
    return factor;
  }
  return std::nullopt;
}

/// A buffer into which `source` is stored where it is computed, once for all products.
Value GroupProduct::storedAt(Value source, BufferType type) {
  Value &known = stored[{source, type}];
  if (known)
    return known;
  room.take(dot, source, type.getBytes());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(source);
  known = AllocBufferOp::create(builder, dot.getLoc(), type);
  BufferStoreOp::create(builder, dot.getLoc(), source, known);
  return known;
}

/// The factor in a new buffer, with lines along the other dimension than those of the slot that it
/// is read from: the instructions transpose elements of 16 bits only.
std::optional<Factor> GroupProduct::transposed(Value value, Side side) {
  Factor factor;
  auto load = skipTransposition(value, factor.isTransposed).getDefiningOp<BufferLoadOp>();
  if (!load || load.getMask() || load.getPrevious() || load.getReversed())
    return std::nullopt;
  BufferType slots = load.getBuffer().getType();
  Shape shape(slots.getShape().begin(), slots.getShape().end());
  unsigned elementBits = unsigned(8 * byteSize(slots.getElementType()));
  unsigned inner = side.depthAxis(factor.isTransposed);
  auto type = BufferType::get(
      dot.getContext(), slots.getShape(), slots.getElementType(),
      SharedAttr::get(dot.getContext(), placeForMatrices(shape, inner, elementBits)),
      /*rounds=*/1, /*slots=*/1);
  if (elementBits == 16 || !isReadable(type, side, factor.isTransposed) ||
      !room.has(dot, load, type.getBytes()))
    return std::nullopt;
  LaunchShape launch = getLaunchShape(dot->getParentOfType<func::FuncOp>());
  auto tile = RankedTensorType::get(
      slots.getShape(), slots.getElementType(),
      LayoutAttr::get(dot.getContext(), layoutForTransposition(shape, 1 - inner, elementBits,
                                                               launch.numWarps, launch.numCTAs)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(load);
  Value moved = BufferLoadOp::create(builder, dot.getLoc(), tile, load.getBuffer(), load.getSlot());
  factor.value = storedAt(moved, type);
  return factor;
}

/// What the product adds to, unless that is zero where `keep` is false.
Value GroupProduct::startOfSum(Value &keep) {
  auto select = dot.getAcc().getDefiningOp<arith::SelectOp>();
  if (!select || !select.getCondition().getType().isInteger(1) || !isZero(select.getFalseValue()))
    return dot.getAcc();
  keep = select.getCondition();
  return select.getTrueValue();
}

Factor GroupProduct::leftFactor(Side side) {
  // A buffer has its rows in order.
  if (dot.getRowsTogether() != 1)
    return {dot.getLhs(), Value()};
  std::optional<Factor> factor = fromSlot(dot.getLhs(), side);
  // Also since ptxas gives registers of such a factor away in the loop (found in a `while` with a
  // branch): the next iteration multiplied what was left in them.
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  if (!factor && loop && loop.isDefinedOutsideOfLoop(dot.getLhs()))
    factor = throughBuffer(dot.getLhs(), side);
  // Threads would gather words byte by byte.
  if (!factor && byteSize(elementOf(dot.getLhs().getType())) == 1)
    factor = transposed(dot.getLhs(), side);
  return factor.value_or(Factor{dot.getLhs(), Value()});
}

/// Creates the products and replaces the result.
SmallVector<GroupDotOp> GroupProduct::createProducts(const Factor &lhs, const Factor &rhs) {
  Location loc = dot.getLoc();
  auto create = [&](Value acc, Value keep, DenseI64ArrayAttr depth) {
    return GroupDotOp::create(builder, loc, dot.getType(), lhs.value, lhs.slot, lhs.isTransposed,
                              rhs.value, rhs.slot, rhs.isTransposed, acc, keep,
                              dot.getLhsFloatAttr(), dot.getRhsFloatAttr(), depth,
                              /*parts=*/IntegerAttr());
  };
  if (!dot.getPiece()) {
    Value keep, acc = startOfSum(keep);
    GroupDotOp product = create(acc, keep, {});
    dot.replaceAllUsesWith(product.getResult());
    return {product};
  }
  auto factor = cast<RankedTensorType>(dot.getLhs().getType());
  int64_t depth = factor.getDimSize(1), step = kGroupDepthBytes / byteSize(factor.getElementType());
  int64_t piece = std::min<int64_t>(llvm::alignTo(*dot.getPiece(), step), depth);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(dot.getType()));
  Value sum = dot.getAcc();
  SmallVector<GroupDotOp> products;
  for (int64_t first = 0; first < depth; first += piece) {
    int64_t count = std::min(piece, depth - first);
    products.push_back(create(zero, Value(),
                              count == depth ? DenseI64ArrayAttr()
                                             : builder.getDenseI64ArrayAttr({first, count})));
    Value ofPiece = products.back().getResult();
    sum = isZero(sum) ? ofPiece : arith::AddFOp::create(builder, loc, sum, ofPiece);
  }
  dot.replaceAllUsesWith(sum);
  return products;
}

SmallVector<GroupDotOp> GroupProduct::rewrite() {
  Side left = {/*isLeft=*/true, /*span=*/kGroupRows}, right = {/*isLeft=*/false, groupColumns(acc)};
  std::optional<Factor> rhs = fromSlot(dot.getRhs(), right);
  if (!rhs)
    rhs = transposed(dot.getRhs(), right);
  if (!rhs)
    rhs = throughBuffer(dot.getRhs(), right);
  if (!rhs)
    return {};
  Factor lhs = leftFactor(left);
  SmallVector<GroupDotOp> products = createProducts(lhs, *rhs);
  SmallVector<Operation *> open = {dot.getLhs().getDefiningOp(), dot.getRhs().getDefiningOp()};
  Operation *start = dot.getAcc().getDefiningOp();
  dot.erase();
  if (start && isOpTriviallyDead(start))
    start->erase();
  // What only brought the factors to registers.
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!op || !op->use_empty() || !isa<BufferLoadOp, ConvertLayoutOp, PermuteOp>(op))
      continue;
    open.push_back(op->getOperand(0).getDefiningOp());
    op->erase();
  }
  return products;
}

namespace {

struct UseWarpGroups : tilec::tile::impl::TileUseWarpGroupsBase<UseWarpGroups> {
  using TileUseWarpGroupsBase::TileUseWarpGroupsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    tilec::GpuArch arch = getTarget(kernel);
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) {
      if (fitsWarpGroups(dot, getLaunchShape(kernel), arch))
        dots.push_back(dot);
    });
    FactorRoom room(kernel, arch.maxSharedPerBlock());
    StoredFactors stored;
    SmallVector<GroupDotOp> products;
    // Loads may start behind a product that was to be waited for; without it, nobody waits there.
    llvm::SmallPtrSet<Operation *, 4> synchronous;
    for (DotOp dot : dots) {
      Operation *parent = dot->getParentOp();
      SmallVector<GroupDotOp> pieces = GroupProduct(dot, room, stored).rewrite();
      if (pieces.empty())
        synchronous.insert(parent);
      products.append(pieces);
    }
    insertGroupWaits(products, synchronous);
    numProducts += products.size();
  }
};

} // namespace
