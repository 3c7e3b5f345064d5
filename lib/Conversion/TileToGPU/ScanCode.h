//===- ScanCode.h - what the steps of a scan share -------------*- C++ -*-===//
//
// The steps count in one direction, combine by one region, and find lanes and registers by one
// plan. A scan inside a warp takes all of them; tile.finish_scan is the last one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_SCANCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_SCANCODE_H

#include "ScalarCode.h"
#include "tilec/Layout/Scan.h"

namespace tilec::tile {

class ScanCode {
public:
  /// For a scan, with direction `reverse`, of tiles with `layout` along `axis`, for which there is
  /// `plan`.
  ScanCode(mlir::Region &region, bool reverse, const tilec::layout::LinearLayout &layout,
           unsigned axis, const tilec::layout::ScanPlan &plan, mlir::OpBuilder &builder,
           mlir::Location loc);

  /// Combines what comes before each of `groups` into each of `elements`; see tile.finish_scan.
  Values finish(const Values &elements, const Values &groups, const Values &parts);

protected:
  /// What comes before, and whether something does; `exists` is null where it always does, and
  /// `values` is empty where nothing ever does.
  struct Before {
    Values values;
    mlir::Value exists;
  };

  Values combine(const Values &a, const Values &b) { return combineVectors(code, region, a, b); }
  Values select(mlir::Value condition, const Values &a, const Values &b);
  Values permute(const Values &values, llvm::ArrayRef<int64_t> order);
  /// Registers of elements: those where the low bits of the coordinate are `low`.
  llvm::SmallVector<int64_t> registersAt(uint32_t low) const;
  uint32_t numLow() const { return 1u << plan.lowRegisters.size(); }
  uint32_t numHigh() const { return 1u << plan.highRegisters.size(); }
  uint32_t numWarps() const { return 1u << plan.warps.size(); }
  uint32_t laneMask() const;
  mlir::Value laneBits(uint32_t mask);
  mlir::Value isZero(mlir::Value bits);
  /// Position `i` of `count` in the direction of the scan.
  uint32_t inOrder(uint32_t i, uint32_t count) const { return reverse ? count - 1 - i : i; }

  mlir::Region &region;
  bool reverse;
  unsigned axis;
  const tilec::layout::LinearLayout &layout;
  const tilec::layout::ScanPlan &plan;
  tilec::layout::ScanSteps steps;
  /// For each register of elements, that of its group.
  std::vector<uint32_t> groupOf;
  ThreadCode code;
  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  Before beforeLane(const Values &groups);
  llvm::SmallVector<Before> beforeParts(const Values &parts,
                                        llvm::ArrayRef<llvm::SmallVector<int64_t>> pieces);
  Before join(const Before &earlier, const Before &later);
  /// The registers of groups of each choice of high bits.
  llvm::SmallVector<llvm::SmallVector<int64_t>> groupPieces() const;
};

/// The number whose bits are chosen by `masks`: bit i of `value` stands for the i-th of them.
uint32_t spreadBits(uint32_t value, llvm::ArrayRef<uint32_t> masks);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_SCANCODE_H
