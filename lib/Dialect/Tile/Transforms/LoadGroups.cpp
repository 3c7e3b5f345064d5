//===- LoadGroups.cpp - layouts for loads that meet ------------*- C++ -*-===//
//
// Values meet when elementwise work or a loop's carried values connect them, and have one shape then.
// A load that cannot move 16 bytes at once has no say, and joins if that is not dearer: it is not for a
// gather, which makes as many accesses in any layout.
//
//===----------------------------------------------------------------------===//

#include "LoadGroups.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Bytes of an access below which it is not worth its instruction.
static constexpr int64_t kLeastAccessBytes = 4;

namespace {

/// Connects the values that must have one layout if nothing is to be exchanged.
class Meetings {
public:
  Meetings(func::FuncOp function, const AccessLayouts &accesses) : accesses(accesses) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  }

  /// The loads of tiles, by where their values meet.
  llvm::MapVector<Value, SmallVector<LoadOp>> loads() const {
    llvm::MapVector<Value, SmallVector<LoadOp>> groups;
    for (LoadOp load : found)
      groups[classes.getLeaderValue(load.getResult())].push_back(load);
    return groups;
  }

private:
  void visit(Operation *op);
  void connect(Value a, Value b) {
    if (isa<RankedTensorType>(a.getType()) && classes.contains(b))
      classes.unionSets(a, b);
  }

  const AccessLayouts &accesses;
  llvm::EquivalenceClasses<Value> classes;
  SmallVector<LoadOp> found;
};

} // namespace

void Meetings::visit(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (!isa<RankedTensorType>(load.getType()))
      return;
    classes.insert(load.getResult());
    found.push_back(load);
    // A gather works where its pointers are.
    if (accesses.elements(load.getPtr(), load.getMask()) == 1)
      connect(load.getResult(), load.getPtr());
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    for (Value carried : loop.getRegionIterArgs())
      if (isa<RankedTensorType>(carried.getType()))
        classes.insert(carried);
  } else if (isElementwise(op)) {
    for (Value result : op->getResults())
      for (Value operand : op->getOperands())
        connect(result, operand);
  }
}

LoadGroups::LoadGroups(func::FuncOp function, const AccessLayouts &accesses) {
  for (auto &[leader, loads] : Meetings(function, accesses).loads())
    if (loads.size() > 1)
      agree(loads, accesses);
}

void LoadGroups::agree(ArrayRef<LoadOp> loads, const AccessLayouts &accesses) {
  auto isWide = [&](LoadOp load) { return accesses.isWide(load.getPtr(), load.getMask()); };
  auto elements = [&](LoadOp load) { return accesses.elements(load.getPtr(), load.getMask()); };
  auto bytes = [&](LoadOp load) {
    return elements(load) *
           byteSize(cast<PtrType>(elementOf(load.getPtr().getType())).getPointee());
  };
  auto wide = llvm::to_vector(llvm::make_filter_range(loads, isWide));
  // Small tiles leave no thread 16 bytes: then the widest access counts.
  LoadOp narrowest =
      wide.empty()
          ? *llvm::max_element(loads, [&](LoadOp a, LoadOp b) { return bytes(a) < bytes(b); })
          : *llvm::min_element(wide, [&](LoadOp a, LoadOp b) { return elements(a) < elements(b); });
  if (elements(narrowest) == 1)
    return;
  LayoutAttr common = accesses.choose(narrowest.getPtr(), narrowest.getMask());
  for (LoadOp load : loads) {
    LayoutAttr own = accesses.choose(load.getPtr(), load.getMask());
    if (own == common)
      continue;
    int64_t size = bytes(load) / elements(load);
    bool joins = isWide(load) ? elements(narrowest) * size >= kLeastAccessBytes : true;
    if (joins && accesses.isNearlyAsCheap(load.getPtr(), load.getMask(), common, own))
      layouts[load] = common;
  }
}
