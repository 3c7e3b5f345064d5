//===- ExpandScans.cpp - scans over warps ----------------------*- C++ -*-===//
//
// The part of tile-expand-exchanges that handles scans. One whose dimension several warps share
// becomes steps that each stay inside a thread or a warp:
//
// 1. tile.scan inside each thread, on a tile whose dimension is split so that neighbours in a
// thread
//    have one of their own. The last elements are those of the groups.
// 2. tile.scan of the groups, among the lanes of each warp.
// 3. The last lane of each warp stores the totals, and each thread loads those of all warps.
// 4. tile.finish_scan adds what comes before.
//
//===----------------------------------------------------------------------===//

#include "ExpandExchanges.h"

#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/Scan.h"
#include "tilec/Layout/Transforms.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

class ScanExpander {
public:
  ScanExpander(ScanOp op, const ScanPlan &plan, RewriterBase &rewriter)
      : op(op), axis(op.getAxis()), steps(scanSteps(layoutOf(op.getSrcs()[0]), axis, plan)),
        b(rewriter), loc(op.getLoc()) {}

  void expand();

private:
  using Tiles = SmallVector<Value>;

  Tiles split(ValueRange tiles, int64_t size);
  Tiles reshapeTo(ValueRange tiles, const LinearLayout &layout);
  Tiles scanInner(ValueRange tiles);
  Tiles lastInner(ValueRange tiles);
  Tiles exchangeTotals(ValueRange scanned);
  /// The last index of a dimension of `size`, in the direction of the scan.
  int64_t last(int64_t size) { return op.getReverse() ? 0 : size - 1; }
  void copyCombine(Region &into);

  ScanOp op;
  unsigned axis;
  ScanSteps steps;
  RewriterBase &b;
  Location loc;
};

} // namespace

void ScanExpander::copyCombine(Region &into) {
  IRMapping mapping;
  op.getCombine().cloneInto(&into, mapping);
}

ScanExpander::Tiles ScanExpander::reshapeTo(ValueRange tiles, const LinearLayout &layout) {
  Tiles results;
  for (Value tile : tiles)
    results.push_back(
        ReshapeOp::create(b, loc, tileTypeOf(elementOf(tile.getType()), layout), tile));
  return results;
}

/// Behind the axis comes a dimension of `size` elements, its low bits.
ScanExpander::Tiles ScanExpander::split(ValueRange tiles, int64_t size) {
  LinearLayout layout = layoutOf(tiles[0]);
  Shape shape = layout.shape();
  shape[axis] /= size;
  shape.insert(shape.begin() + axis + 1, size);
  return reshapeTo(tiles, tilec::layout::reshape(layout, shape));
}

/// Scans along the dimension behind the axis.
ScanExpander::Tiles ScanExpander::scanInner(ValueRange tiles) {
  auto scan = ScanOp::create(b, loc, tiles.getTypes(), tiles, axis + 1, op.getReverse());
  copyCombine(scan.getCombine());
  return Tiles(scan.getResults());
}

/// The last elements along the dimension behind the axis.
ScanExpander::Tiles ScanExpander::lastInner(ValueRange tiles) {
  Tiles results;
  int64_t size = cast<RankedTensorType>(tiles[0].getType()).getDimSize(axis + 1);
  LinearLayout layout = reduceDim(layoutOf(tiles[0]), axis + 1);
  for (Value tile : tiles)
    results.push_back(TakeOp::create(b, loc, tileTypeOf(elementOf(tile.getType()), layout), tile,
                                     axis + 1, last(size)));
  return results;
}

/// The totals of all parts, which are the last elements along the dimension behind the axis.
ScanExpander::Tiles ScanExpander::exchangeTotals(ValueRange scanned) {
  LinearLayout writer = reduceDim(layoutOf(scanned[0]), axis + 1);
  SharedLayout map = placeParts(writer, axis, reduceDim(steps.parts, axis));
  Tiles buffers;
  for (Value tile : scanned)
    buffers.push_back(makeBuffer(b, loc, writer.shape(), elementOf(tile.getType()), map));
  ExchangeOptions options;
  options.axis = b.getI32IntegerAttr(axis + 1);
  options.index = b.getI32IntegerAttr(last(steps.partSize));
  return throughBuffers(b, loc, Tiles(scanned), buffers, steps.parts, options);
}

void ScanExpander::expand() {
  Tiles elements = scanInner(split(op.getSrcs(), steps.groupSize));
  Tiles groups = scanInner(split(lastInner(elements), steps.partSize));
  Tiles parts = exchangeTotals(groups);
  auto finish = FinishScanOp::create(b, loc, op.getResultTypes(),
                                     reshapeTo(elements, layoutOf(op.getSrcs()[0])),
                                     reshapeTo(groups, steps.groups), parts, axis, op.getReverse());
  copyCombine(finish.getCombine());
  b.replaceOp(op, finish.getResults());
}

LinearLayout tilec::tile::scannedByEach(RankedTensorType type, LaunchShape launch, unsigned axis,
                                        int64_t mostAlone) {
  LaunchShape one = launch;
  one.numCTAs = 1;
  LayoutAttr ofOne =
      blockedLayout(type, one, orderFrom(type, axis), axis,
                    std::min({elementsOfThread(type, one), type.getDimSize(axis), mostAlone}));
  LinearLayout layout = ofOne.toLinearLayout(type.getShape());
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    bases[unsigned(dim)] = layout.flatBases(dim);
  bases[unsigned(InDim::Block)].assign(llvm::Log2_64(launch.numCTAs), 0);
  std::string error;
  return *LinearLayout::createFlat(layout.shape(), std::move(bases), error);
}

void tilec::tile::expandScan(ScanOp op, RewriterBase &rewriter) {
  ScanPlan plan = *planScan(layoutOf(op.getSrcs()[0]), op.getAxis());
  ScanExpander(op, plan, rewriter).expand();
}
