//===- ScanCode.cpp - what the steps of a scan share ------------*- C++ -*-===//
//
// Directions and lanes, and the last step of a scan, what comes before a group. Groups have been
// scanned inside each warp, so the lane before has what the warp's groups before a lane's own have
// together. The totals of earlier parts are combined one after the other, in each thread; each
// takes what has come before its own warp.
//
// Nothing needs a neutral element; where nothing comes before, a select keeps the value.
//
//===----------------------------------------------------------------------===//

#include "ScanCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

uint32_t tilec::tile::spreadBits(uint32_t value, ArrayRef<uint32_t> masks) {
  uint32_t result = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    result |= (value >> bit & 1) ? mask : 0;
  return result;
}

ScanCode::ScanCode(Region &region, bool reverse, const LinearLayout &layout, unsigned axis,
                   const ScanPlan &plan, OpBuilder &builder, Location loc)
    : region(region), reverse(reverse), axis(axis), layout(layout), plan(plan),
      steps(scanSteps(layout, axis, plan)), groupOf(groupsOfRegisters(layout, axis, steps)),
      code(builder, loc), b(builder), loc(loc) {}

uint32_t ScanCode::laneMask() const { return spreadBits(~0u, plan.lanes); }

SmallVector<int64_t> ScanCode::registersAt(uint32_t low) const {
  uint32_t mask = spreadBits(~0u, plan.lowRegisters), wanted = spreadBits(low, plan.lowRegisters);
  SmallVector<int64_t> registers;
  for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
    if ((reg & mask) == wanted)
      registers.push_back(reg);
  return registers;
}

Values ScanCode::select(Value condition, const Values &a, const Values &b2) {
  Values selected;
  for (auto [yes, no] : llvm::zip_equal(a, b2))
    selected.push_back(arith::SelectOp::create(b, loc, condition, yes, no));
  return selected;
}

Values ScanCode::permute(const Values &values, ArrayRef<int64_t> order) {
  Values permuted;
  for (Value vector : values)
    permuted.push_back(code.permute(vector, order));
  return permuted;
}

Value ScanCode::laneBits(uint32_t mask) {
  return arith::AndIOp::create(b, loc, code.threadId(), code.i32(mask));
}

Value ScanCode::isZero(Value bits) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, code.i32(0));
}

//===----------------------------------------------------------------------===//
// What comes before
//===----------------------------------------------------------------------===//

/// What the earlier lanes of the warp have together.
ScanCode::Before ScanCode::beforeLane(const Values &groups) {
  if (plan.lanes.empty())
    return {};
  uint32_t mask = laneMask();
  constexpr uint32_t allLanes = (1u << kWarpBits) - 1;
  // Counting by one inside the masked bits: the others are made such that a carry or borrow passes.
  Value own = laneBits(mask);
  Value start =
      reverse ? arith::OrIOp::create(b, loc, own, code.i32(allLanes & ~mask)).getResult() : own;
  Value next = arith::AddIOp::create(b, loc, start, code.i32(reverse ? 1 : -1));
  Value inside = arith::AndIOp::create(b, loc, next, code.i32(mask));
  Value lane = arith::OrIOp::create(b, loc, inside, laneBits(allLanes & ~mask));
  Before before;
  for (Value vector : groups)
    before.values.push_back(code.shuffleFrom(vector, lane));
  Value end = code.i32(reverse ? mask : 0);
  before.exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, end);
  return before;
}

SmallVector<SmallVector<int64_t>> ScanCode::groupPieces() const {
  SmallVector<SmallVector<int64_t>> pieces(numHigh());
  unsigned shift = steps.parts.axisShift(axis);
  for (uint32_t reg = 0; reg < steps.groups.numRegisters(); ++reg) {
    uint64_t part = steps.parts.applyFlat(InDim::Register, partOfGroup(steps, axis, reg, 0));
    pieces[(part & steps.parts.axisMask(axis)) >> shift >> plan.warps.size()].push_back(reg);
  }
  return pieces;
}

/// For each piece, what the earlier warps have of it, and all of what earlier pieces have.
SmallVector<ScanCode::Before> ScanCode::beforeParts(const Values &parts,
                                                    ArrayRef<SmallVector<int64_t>> pieces) {
  SmallVector<Before> result(numHigh());
  uint32_t warpBits = spreadBits(~0u, plan.warps) << kWarpBits;
  auto isWarp = [&](arith::CmpIPredicate predicate, uint32_t warp) {
    return arith::CmpIOp::create(b, loc, predicate, laneBits(warpBits),
                                 code.i32(spreadBits(warp, plan.warps) << kWarpBits));
  };
  Values carried;
  for (uint32_t i = 0; i < numHigh(); ++i) {
    uint32_t high = inOrder(i, numHigh());
    Before &before = result[high];
    for (uint32_t j = 0; j < numWarps(); ++j) {
      uint32_t warp = inOrder(j, numWarps());
      before.values = before.values.empty()
                          ? carried
                          : select(isWarp(arith::CmpIPredicate::eq, warp), carried, before.values);
      SmallVector<int64_t> registers;
      for (int64_t reg : pieces[high])
        registers.push_back(partOfGroup(steps, axis, reg, warp));
      Values total = permute(parts, registers);
      carried = carried.empty() ? total : combine(carried, total);
    }
    if (i == 0 && numWarps() > 1)
      before.exists = isWarp(arith::CmpIPredicate::ne, inOrder(0, numWarps()));
  }
  return result;
}

ScanCode::Before ScanCode::join(const Before &earlier, const Before &later) {
  if (earlier.values.empty() || later.values.empty())
    return earlier.values.empty() ? later : earlier;
  Values both = combine(earlier.values, later.values);
  if (later.exists)
    both = select(later.exists, both, earlier.values);
  if (!earlier.exists)
    return {both, {}};
  both = select(earlier.exists, both, later.values);
  Value exists = later.exists
                     ? arith::OrIOp::create(b, loc, earlier.exists, later.exists).getResult()
                     : Value();
  return {both, exists};
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

Values ScanCode::finish(const Values &elements, const Values &groups, const Values &parts) {
  SmallVector<SmallVector<int64_t>> pieces = groupPieces();
  SmallVector<Before> before(numHigh());
  if (!parts.empty())
    before = beforeParts(parts, pieces);
  // A group of one element has been scanned up to its own lane.
  bool hasGroups = numLow() > 1;
  Before lanes = hasGroups ? beforeLane(groups) : Before();
  SmallVector<SmallVector<Value>> results(elements.size());
  SmallVector<int64_t> order(registersOf(elements));
  int64_t position = 0;
  for (auto [piece, earlier] : llvm::zip_equal(pieces, before)) {
    Before all = join(earlier, {permute(lanes.values, piece), lanes.exists});
    for (uint32_t low = 0; low < numLow(); ++low) {
      SmallVector<int64_t> registers, ofPiece;
      for (int64_t reg : registersAt(low))
        if (auto *found = llvm::find(piece, int64_t(groupOf[reg])); found != piece.end()) {
          order[reg] = position++;
          registers.push_back(reg);
          ofPiece.push_back(found - piece.begin());
        }
      Values values =
          hasGroups ? permute(elements, registers) : permute(permute(groups, piece), ofPiece);
      if (!all.values.empty()) {
        Values combined = combine(permute(all.values, ofPiece), values);
        values = all.exists ? select(all.exists, combined, values) : combined;
      }
      for (auto [result, value] : llvm::zip_equal(results, values))
        result.push_back(value);
    }
  }
  Values finished;
  for (auto &vectors : results)
    finished.push_back(code.permute(code.concat(vectors), order));
  return finished;
}
