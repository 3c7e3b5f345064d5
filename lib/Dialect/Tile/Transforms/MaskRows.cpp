//===- MaskRows.cpp - rows that are loaded again, not loaded ---*- C++ -*-===//
//
// The pass `tile-mask-rows`. A kernel that multiplies takes rows behind the end of a matrix from
// its beginning (`offsets % M`). Where a tile is higher than the whole matrix, as in decoding, it
// loads the same few rows many times, and so do all programs at the same time: the lines that they
// ask for become the bottleneck. If no store depends on such rows, a mask leaves them out.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "SpreadLine.h"
#include "UnseenElements.h"
#include "mlir/IR/Dominance.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEMASKROWS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Whether elements along `axis` may be in memory once, but are loaded several times: they wrap
/// around, as `offsets % M` does, or all are one, as `offsets % 1`. Neighbours in memory do not
/// count, since a mask between them might make accesses narrow.
static bool mayRepeat(const AffineForm &form, int axis) {
  Term index;
  index.axis = axis;
  bool varies =
      llvm::any_of(form.sum.get(), [&](const auto &item) { return item.first.axis == axis; });
  bool wraps = llvm::any_of(form.remainders,
                            [&](const Remainder &remainder) { return remainder.axis == axis; });
  return !varies || (wraps && form.sum.factorOf(index) != 1);
}

/// Where the index along `axis`, plus `rest`, is negative.
static Value createMask(OpBuilder &b, Location loc, unsigned axis, const AffineSum &rest,
                        RankedTensorType type, AffineForms &forms) {
  Type i32 = b.getI32Type();
  auto line = RankedTensorType::get({type.getDimSize(axis)}, i32);
  Value index = MakeRangeOp::create(b, loc, line, 0, line.getDimSize(0));
  Value rests = SplatOp::create(b, loc, line, forms.create(b, loc, rest, i32));
  Value sum = arith::AddIOp::create(b, loc, index, rests);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(line));
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, sum, zeros);
  return spreadLine(b, loc, inside, axis, type);
}

namespace {

struct MaskRows : tilec::tile::impl::TileMaskRowsBase<MaskRows> {
  using TileMaskRowsBase::TileMaskRowsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<LoadOp> loads;
    if (kernel->hasAttr(kKernelAttr) && isEnabled(kernel, tilec::GpuHeuristic::MaskRows))
      kernel.walk([&](LoadOp load) {
        auto type = dyn_cast<RankedTensorType>(load.getType());
        if (type && type.getRank() > 1 && !load.getBlock() && load.isPlain() && isFactor(load) &&
            llvm::any_of(type.getShape(), [&](int64_t size) { return isFew(size); }))
          loads.push_back(load);
      });
    if (loads.empty())
      return markAllAnalysesPreserved();
    AxisInfoAnalysis axes(kernel);
    AffineForms forms(axes);
    DominanceInfo dominance(kernel);
    for (LoadOp load : loads)
      if (std::optional<AffineForm> form = forms.read(load.getPtr()))
        for (int axis = 0; axis < cast<RankedTensorType>(load.getType()).getRank(); ++axis)
          if (mayRepeat(*form, axis))
            mask(load, unsigned(axis), forms, dominance);
  }

private:
  /// Whether so many rows may be masked.
  bool isFew(int64_t rows) {
    return rows > 1 && rows <= getTarget(getOperation()).tuning().products.mostRowsMasked;
  }

  void mask(LoadOp load, unsigned axis, AffineForms &forms, const DominanceInfo &dominance) {
    auto type = cast<RankedTensorType>(load.getType());
    if (!isFew(type.getDimSize(axis)))
      return;
    std::optional<AffineSum> rest = restUnseen(load, axis, forms);
    if (!rest || forms.hasWideScalars(*rest) || !isKnownAt(load, *rest, forms, dominance))
      return;
    OpBuilder b(load);
    Location loc = load.getLoc();
    Value inside = createMask(b, loc, axis, *rest, type, forms);
    if (Value mask = load.getMask())
      inside = arith::AndIOp::create(b, loc, mask, inside);
    else
      load.getOtherMutable().assign(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    load.getMaskMutable().assign(inside);
    ++numMasked;
  }

  /// Whether the sum, which a store has used, can be computed before `load`.
  static bool isKnownAt(LoadOp load, const AffineSum &sum, AffineForms &forms,
                        const DominanceInfo &dominance) {
    return llvm::all_of(sum.get(), [&](const auto &item) {
      return llvm::all_of(item.first.scalars, [&](unsigned number) {
        return dominance.properlyDominates(forms.scalar(number), load);
      });
    });
  }
};

} // namespace
