//===- LoadGroups.cpp - layouts that loads have in common -------*- C++ -*-===//
//
// Loads belong to one group if elementwise work or loop-carried values connect what they load; all
// tiles of a group have one shape. The group's leader is a load that moves 16 bytes at once.
// Another load takes the leader's layout if its accesses do not cost much more in it: a gather
// makes as many accesses in any layout, and neighbours in memory that only alignment or a mask
// keeps apart are in the cache for the next access. If most loads move single elements, their
// layout becomes that of the group instead.
//
//===----------------------------------------------------------------------===//

#include "LoadGroups.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// The groups: classes of values that must have one layout if nothing is to be exchanged.
class Meetings {
public:
  Meetings(func::FuncOp function, const AccessLayouts &accesses) : accesses(accesses) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  }

  /// A store of a value in the group of `value`, or null.
  StoreOp storeOf(Value value) const {
    for (StoreOp store : stores)
      if (classes.isEquivalent(store.getValue(), value))
        return store;
    return {};
  }

  /// The loads of tiles, by group.
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
  SmallVector<StoreOp> stores;
};

} // namespace

void Meetings::visit(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (!isa<RankedTensorType>(load.getType()))
      return;
    classes.insert(load.getResult());
    found.push_back(load);
    // A load of single elements has the layout of its pointers and mask.
    if (accesses.elements(load.getPtr(), load.getMask()) == 1)
      for (Value operand : load->getOperands())
        connect(load.getResult(), operand);
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    if (classes.contains(store.getValue()))
      stores.push_back(store);
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

static int64_t bytesOfAccess(LoadOp load, const AccessLayouts &accesses) {
  return accesses.elements(load.getPtr(), load.getMask()) *
         byteSize(cast<PtrType>(elementOf(load.getPtr().getType())).getPointee());
}

static bool isNarrow(LoadOp load, const AccessLayouts &accesses) {
  return accesses.elements(load.getPtr(), load.getMask()) == 1;
}

/// The load with the fewest elements a thread among those that move 16 bytes. In a small tile no
/// thread has so many elements: then the load with the widest access. Loads that bring elements
/// several times, such as weights for all rows, lead only where there are no others: they bring
/// less.
static LoadOp findLeader(ArrayRef<LoadOp> loads, const AccessLayouts &accesses) {
  auto distinct = llvm::to_vector(llvm::make_filter_range(
      loads, [&](LoadOp load) { return accesses.isDistinct(load.getPtr()); }));
  if (!distinct.empty())
    loads = distinct;
  auto isWide = [&](LoadOp load) { return accesses.isWide(load.getPtr(), load.getMask()); };
  auto elements = [&](LoadOp load) { return accesses.elements(load.getPtr(), load.getMask()); };
  auto wide = llvm::to_vector(llvm::make_filter_range(loads, isWide));
  if (!wide.empty())
    return *llvm::min_element(wide, [&](LoadOp a, LoadOp b) { return elements(a) < elements(b); });
  return *llvm::max_element(loads, [&](LoadOp a, LoadOp b) {
    return bytesOfAccess(a, accesses) < bytesOfAccess(b, accesses);
  });
}

LoadGroups::LoadGroups(func::FuncOp function, const AccessLayouts &accesses) {
  if (!isEnabled(function, tilec::GpuHeuristic::GroupLoads))
    return;
  Meetings meetings(function, accesses);
  for (auto &[leader, loads] : meetings.loads()) {
    if (!llvm::all_of(loads, [&](LoadOp load) { return isNarrow(load, accesses); })) {
      if (loads.size() > 1)
        agree(loads, accesses);
    } else if (StoreOp store = meetings.storeOf(loads.front().getResult())) {
      follow(loads, store, accesses);
    }
  }
}

/// Gives a group of loads of single elements the layout of a store that moves several at once, if
/// that is about as cheap for each load: neighbours are near each other, so that a thread's next
/// access hits the cache, or they are scattered, so that no layout coalesces.
void LoadGroups::follow(ArrayRef<LoadOp> loads, StoreOp store, const AccessLayouts &accesses) {
  if (accesses.elements(store.getPtr(), store.getMask()) == 1)
    return;
  LayoutAttr layout = accesses.choose(store.getPtr(), store.getMask());
  bool follows = llvm::all_of(loads, [&](LoadOp load) {
    Value ptr = load.getPtr(), mask = load.getMask();
    return accesses.isNear(ptr) ||
           accesses.isNearlyAsCheap(ptr, mask, layout, accesses.choose(ptr, mask));
  });
  for (LoadOp load : follows ? loads : ArrayRef<LoadOp>())
    layouts[load] = layout;
}

void LoadGroups::agree(ArrayRef<LoadOp> loads, const AccessLayouts &accesses) {
  const tilec::LayoutTuning &tuning = accesses.getTuning();
  LoadOp leader = findLeader(loads, accesses);
  auto choose = [&](LoadOp load) { return accesses.choose(load.getPtr(), load.getMask()); };
  auto cost = [&](LoadOp load, LayoutAttr layout) {
    return accesses.cost(load.getPtr(), load.getMask(), layout);
  };
  LayoutAttr common = choose(leader), spread;
  int64_t leaderElements = accesses.elements(leader.getPtr(), leader.getMask());
  int64_t total = 0;
  SmallVector<LoadOp> joining;
  for (LoadOp load : loads) {
    LayoutAttr own = choose(load);
    if (isNarrow(load, accesses))
      spread = own;
    int64_t size = bytesOfAccess(load, accesses) / accesses.elements(load.getPtr(), load.getMask());
    bool joins = accesses.isWide(load.getPtr(), load.getMask())
                     ? leaderElements * size >= tuning.leastAccessBytes
                     : true;
    if (own == common ||
        (joins && accesses.isNearlyAsCheap(load.getPtr(), load.getMask(), common, own))) {
      joining.push_back(load);
      total += cost(load, common);
    } else if (!accesses.isWide(load.getPtr(), load.getMask()) &&
               (accesses.isAdjacent(load.getPtr()) || accesses.isNear(load.getPtr())) &&
               accesses.fastestAxis(load.getPtr()) == accesses.fastestAxis(leader.getPtr())) {
      // A thread's next access hits the cache.
      joining.push_back(load);
      total += cost(load, own);
    } else {
      total += cost(load, own) + tuning.exchangeCost;
    }
  }
  int64_t spreadTotal = 0;
  for (LoadOp load : loads)
    spreadTotal += spread ? cost(load, spread) : 0;
  // If most accesses are narrow, a layout with neighbouring elements in neighbouring threads is
  // cheaper for the group.
  bool isSpread = spread && tuning.leastGain * spreadTotal <= (tuning.leastGain - 1) * total;
  for (LoadOp load : isSpread ? loads : ArrayRef<LoadOp>(joining))
    layouts[load] = isSpread ? spread : common;
}
