//===- MaskRemainders.cpp - rows that wrap around, not loaded --*- C++ -*-===//
//
// The pass `tile-mask-remainders`. A kernel that multiplies takes rows behind the end of a matrix
// from its beginning (`offsets % M`). Where a tile is higher than the whole matrix, as in decoding,
// it loads the same few rows many times, and so do all programs at the same time: the lines that
// they ask for become the bottleneck. If no store depends on such rows, a mask leaves them out.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "SpreadLine.h"
#include "UnseenElements.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEMASKREMAINDERS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Where the elements of `type` are in front of those that wrap around.
static Value createMask(OpBuilder &b, Location loc, const Remainder &remainder,
                        RankedTensorType type, AffineForms &forms) {
  Type i32 = b.getI32Type();
  auto line = RankedTensorType::get({type.getDimSize(remainder.axis)}, i32);
  auto splat = [&](const AffineSum &sum) {
    return SplatOp::create(b, loc, line, forms.create(b, loc, sum, i32));
  };
  Value index = MakeRangeOp::create(b, loc, line, 0, line.getDimSize(0));
  Value at = arith::AddIOp::create(b, loc, splat(remainder.start), index);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, splat(remainder.end));
  return spreadLine(b, loc, inside, unsigned(remainder.axis), type);
}

/// Whether elements along `axis` are no neighbours in memory: a mask between neighbours might make
/// accesses narrow.
static bool areRows(const AffineForm &form, int axis) {
  Term index;
  index.axis = axis;
  return form.sum.factorOf(index) != 1;
}

namespace {

struct MaskRemainders : tilec::tile::impl::TileMaskRemaindersBase<MaskRemainders> {
  using TileMaskRemaindersBase::TileMaskRemaindersBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<LoadOp> loads;
    if (kernel->hasAttr(kKernelAttr) && isEnabled(kernel, tilec::GpuHeuristic::MaskRemainders))
      kernel.walk([&](LoadOp load) {
        auto type = dyn_cast<RankedTensorType>(load.getType());
        if (type && type.getRank() > 1 && !load.getBlock() && load.isPlain() && isFactor(load))
          loads.push_back(load);
      });
    if (loads.empty())
      return markAllAnalysesPreserved();
    AxisInfoAnalysis axes(kernel);
    AffineForms forms(axes);
    for (LoadOp load : loads)
      if (std::optional<AffineForm> form = forms.read(load.getPtr()))
        for (const Remainder &remainder : form->remainders)
          if (areRows(*form, remainder.axis))
            mask(load, remainder, forms);
  }

private:
  void mask(LoadOp load, const Remainder &remainder, AffineForms &forms) {
    auto type = cast<RankedTensorType>(load.getType());
    AffineSum rest = remainder.start;
    rest.add(remainder.end, -1);
    if (type.getDimSize(remainder.axis) > getTarget(load).tuning().products.mostRowsMasked ||
        forms.hasWideScalars(rest) || !forms.isNeverNegative(remainder.start) ||
        !areUnseen(load, unsigned(remainder.axis), rest, forms))
      return;
    OpBuilder b(load);
    Location loc = load.getLoc();
    Value inside = createMask(b, loc, remainder, type, forms);
    if (Value mask = load.getMask())
      inside = arith::AndIOp::create(b, loc, mask, inside);
    else
      load.getOtherMutable().assign(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    load.getMaskMutable().assign(inside);
    ++numMasked;
  }
};

} // namespace
