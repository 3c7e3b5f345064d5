//===- SwapFactors.cpp - the transposed product ----------------*- C++ -*-===//
//
// The pass `tile-swap-factors`. Instructions of warp groups take the right factor from shared
// memory alone, with neighbours along the depth unless elements have 16 bits, and the left one from
// registers as well. A right factor that threads compute would go through shared memory, and so
// would one that has to be transposed. As (A B)^T = B^T A^T, a loop may as well add up the
// transposed product, whose left factor that is.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESWAPFACTORS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The load that `factor` is, perhaps transposed.
static LoadOp loadOf(Value factor, bool &isTransposed) {
  isTransposed = false;
  while (auto permute = factor.getDefiningOp<PermuteOp>()) {
    isTransposed ^= permute.getOrder()[0] != 0;
    factor = permute.getSrc();
  }
  return factor.getDefiningOp<LoadOp>();
}

namespace {

/// A product whose sum a loop carries.
class CarriedProduct {
public:
  CarriedProduct(DotOp dot, const AxisInfoAnalysis &axes)
      : dot(dot), axes(axes), loop(dot->getParentOfType<scf::ForOp>()) {}

  /// Whether the transposed product is better. Only where mayGain() is true.
  bool shouldSwap();
  /// Whether the right factor is computed by threads, or would have to be transposed.
  static bool mayGain(DotOp dot);
  void swap();

private:
  bool isCarriedAlone();
  bool isAlong(LoadOp load, unsigned axis);
  LoadOp narrowLoad(bool &isTransposed);

  DotOp dot;
  const AxisInfoAnalysis &axes;
  scf::ForOp loop;
  /// Of the transposed product: what is loaded together.
  int64_t rowsTogether = 1;
};

} // namespace

/// Whether nothing but `dot` reads the sum in the loop, so that it can be carried transposed.
bool CarriedProduct::isCarriedAlone() {
  auto carried = dyn_cast<BlockArgument>(dot.getAcc());
  if (!loop || dot->getBlock() != loop.getBody() || !carried ||
      carried.getOwner() != loop.getBody())
    return false;
  return carried.hasOneUse() && dot.getResult().hasOneUse() && carried != loop.getInductionVar() &&
         loop.getTiedLoopYieldedValue(carried)->get() == dot.getResult();
}

static RankedTensorType transposed(Type type) {
  auto tile = cast<RankedTensorType>(type);
  return RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType());
}

/// Whether `load` has its neighbours along `axis`.
bool CarriedProduct::isAlong(LoadOp load, unsigned axis) {
  auto width = [&](unsigned along) {
    return axes.getAccessWidth(load.getPtr(), load.getMask(), along, tilec::kMaxAccessBytes);
  };
  return width(axis) > width(1 - axis);
}

/// The load in the loop whose elements, narrower ones, become those of the right factor. Sets
/// `isTransposed` if its rows become columns.
LoadOp CarriedProduct::narrowLoad(bool &isTransposed) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
  if (failed(getBackwardSlice(dot.getRhs(), &slice, options)))
    return {};
  auto type = cast<RankedTensorType>(dot.getRhs().getType());
  LoadOp found;
  isTransposed = false;
  for (Operation *op : slice) {
    if (isa<DotOp>(op) || op->getNumRegions() != 0)
      return {};
    if (auto permute = dyn_cast<PermuteOp>(op))
      isTransposed ^= permute.getOrder() == ArrayRef<int32_t>{1, 0};
    auto load = dyn_cast<LoadOp>(op);
    auto tile = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
    if (tile && tile.getRank() == 2 &&
        byteSize(tile.getElementType()) < byteSize(type.getElementType()) &&
        2 * tile.getNumElements() >= type.getNumElements())
      found = load;
  }
  return found;
}

bool CarriedProduct::mayGain(DotOp dot) {
  bool isTransposed;
  return !loadOf(dot.getRhs(), isTransposed) || byteSize(elementOf(dot.getLhs().getType())) == 4;
}

bool CarriedProduct::shouldSwap() {
  bool isLeftTransposed, isTransposed;
  LaunchShape launch = getLaunchShape(dot->getParentOfType<func::FuncOp>());
  LoadOp left = loadOf(dot.getLhs(), isLeftTransposed);
  if (!left || !isCarriedAlone() ||
      !fitsWarpGroups(dot, launch, getTarget(dot), /*isTransposed=*/true))
    return false;
  int64_t bytes = byteSize(elementOf(dot.getLhs().getType()));
  if (bytes != 2 && !isAlong(left, isLeftTransposed ? 0 : 1))
    return false;
  LoadOp right = loadOf(dot.getRhs(), isTransposed);
  bool isComputed = !right;
  if (isComputed)
    right = narrowLoad(isTransposed);
  if (!right)
    return false;
  bool isAlongColumns = isAlong(right, isTransposed ? 0 : 1);
  int64_t bytesOfLoad = byteSize(elementOf(right.getType()));
  rowsTogether = !isAlongColumns ? 1 : bytesOfLoad == 2 ? 2 : 4;
  return isComputed || (bytes == 4 && isAlongColumns);
}

void CarriedProduct::swap() {
  OpBuilder b(loop);
  Location loc = dot.getLoc();
  auto transpose = [&](Value tile) {
    return b.createOrFold<PermuteOp>(loc, transposed(tile.getType()), tile,
                                     ArrayRef<int32_t>{1, 0});
  };
  auto carried = cast<BlockArgument>(dot.getAcc());
  OpOperand *init = loop.getTiedLoopInit(carried);
  OpResult last = loop.getTiedLoopResult(carried);
  init->set(transpose(init->get()));
  carried.setType(init->get().getType());
  last.setType(carried.getType());
  b.setInsertionPointAfter(loop);
  if (!last.use_empty()) {
    Value whole = PermuteOp::create(b, loc, dot.getType(), last, ArrayRef<int32_t>{1, 0});
    last.replaceAllUsesExcept(whole, whole.getDefiningOp());
  }
  b.setInsertionPoint(dot);
  auto swapped =
      DotOp::create(b, loc, carried.getType(), transpose(dot.getRhs()), transpose(dot.getLhs()),
                    carried, dot.getPrecision(), dot.getRhsFloatAttr(), dot.getLhsFloatAttr(),
                    dot.getPieceAttr(), rowsTogether);
  dot.replaceAllUsesWith(swapped.getResult());
  dot.erase();
}

namespace {

struct SwapFactors : tilec::tile::impl::TileSwapFactorsBase<SwapFactors> {
  using TileSwapFactorsBase::TileSwapFactorsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!getTarget(kernel).has(tilec::GpuFeature::WarpGroupMma) ||
        !isEnabled(kernel, tilec::GpuHeuristic::SwapFactors))
      return;
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) {
      if (CarriedProduct::mayGain(dot))
        dots.push_back(dot);
    });
    if (dots.empty())
      return;
    AxisInfoAnalysis axes(kernel);
    SmallVector<CarriedProduct> swapped;
    for (DotOp dot : dots)
      if (CarriedProduct product(dot, axes); product.shouldSwap())
        swapped.push_back(product);
    for (CarriedProduct &product : swapped)
      product.swap();
    numSwapped += swapped.size();
  }
};

} // namespace
