//===- StoreOrder.cpp - stores that must stay in program order -*- C++ -*-===//
//
// Offsets are sums of constants, of ranges and of terms of which only a divisor is known. So they
// lie in an interval that repeats at the common divisor, and two stores into one array have nothing
// in common if their intervals have not: the fields of a structure, the halves of a row.
// Terms that both have, and that no loop changes, repeat nothing.
//
//===----------------------------------------------------------------------===//

#include "StoreOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;

/// Stores into one array that are compared with each other; of more, all are taken to overlap.
static constexpr size_t kMostCompared = 256;

/// Gives elements other positions or repeats them: the result has no others.
static bool keepsElements(Operation *op) {
  return isa_and_nonnull<SplatOp, PositionOpInterface>(op);
}

//===----------------------------------------------------------------------===//
// Where a store writes
//===----------------------------------------------------------------------===//

namespace {

/// The elements of an array, counted in those that the pointers name, that a store may write:
/// start, .., start + length - 1, plus a multiple of `period`, which 0 has one of, plus the terms.
struct Place {
  Place(StoreOp store, const AxisInfoAnalysis &axes);

  Operation *store;
  Type pointers;
  /// The argument of the kernel that the pointers follow from; null where that is unknown.
  Value array;
  uint64_t start = 0, length = 1, period = 0;
  /// Scalars that no loop changes, and a divisor of each.
  SmallVector<std::pair<Value, uint64_t>> terms;
  /// Each element of the tile is at its own index behind a place that all elements share.
  bool isRun = true;

  bool isByOneThread() const { return getNumElements() == 1; }
  uint64_t getNumElements() const {
    auto type = dyn_cast<RankedTensorType>(pointers);
    return type ? type.getNumElements() : 1;
  }

private:
  void addOffset(Value offset, const AxisInfoAnalysis &axes);
  void addUnknown(Value offset, const AxisInfo &info, const AxisInfoAnalysis &axes);
  void repeatAt(uint64_t divisor) { period = std::gcd(period, divisor); }
};

} // namespace

Place::Place(StoreOp store, const AxisInfoAnalysis &axes)
    : store(store), pointers(store.getPtr().getType()) {
  Value ptr = store.getPtr();
  while (isa_and_nonnull<AddPtrOp, PtrCastOp, PromiseOp>(ptr.getDefiningOp()) ||
         keepsElements(ptr.getDefiningOp())) {
    Operation *op = ptr.getDefiningOp();
    if (auto move = dyn_cast<AddPtrOp>(op))
      addOffset(move.getOffset(), axes);
    else if (isa<PtrCastOp>(op))
      period = 1; // Its operand counts other elements.
    isRun &= isa<AddPtrOp, SplatOp, PromiseOp>(op);
    ptr = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(ptr);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    array = ptr;
}

void Place::addOffset(Value offset, const AxisInfoAnalysis &axes) {
  Operation *op = offset.getDefiningOp();
  AxisInfo info = axes.get(offset);
  if (info.constant) {
    start += *info.constant;
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    addOffset(op->getOperand(0), axes);
    addOffset(op->getOperand(1), axes);
  } else if (keepsElements(op)) {
    isRun &= isa<SplatOp>(op);
    addOffset(op->getOperand(0), axes);
  } else if (auto range = dyn_cast_or_null<MakeRangeOp>(op)) {
    isRun &= length == 1;
    start += range.getStart();
    length += range.getType().getNumElements() - 1;
  } else {
    addUnknown(offset, info, axes);
  }
}

/// Whether elements count up in groups, so that the divisor is of a group's first one.
static bool countsUp(const AxisInfo &info) {
  return llvm::any_of(info.dims, [](const AxisInfo::Dim &each) { return each.contiguity > 1; });
}

/// What divides each element of `tile`, whose positions are not known: a record's size of a
/// position of records. Offsets that wrap around are taken to be in no array.
static uint64_t divisorOf(Value tile, const AxisInfoAnalysis &axes) {
  if (auto product = tile.getDefiningOp<arith::MulIOp>())
    for (auto [factor, other] : {std::pair(product.getLhs(), product.getRhs()),
                                 std::pair(product.getRhs(), product.getLhs())})
      if (std::optional<int64_t> constant = axes.get(factor).constant; constant && *constant > 0)
        return uint64_t(*constant) * divisorOf(other, axes);
  AxisInfo info = axes.get(tile);
  return countsUp(info) ? 1 : info.dims.front().divisibility;
}

void Place::addUnknown(Value offset, const AxisInfo &info, const AxisInfoAnalysis &axes) {
  const AxisInfo::Dim &dim = info.dims.front();
  if (isa<RankedTensorType>(offset.getType())) {
    bool isGroup = countsUp(info) && info.dims.size() == 1;
    repeatAt(isGroup ? dim.divisibility : divisorOf(offset, axes));
    length += dim.contiguity - 1;
    isRun = false;
    return;
  }
  Operation *owner = offset.getParentRegion()->getParentOp();
  if (isa<LoopLikeOpInterface>(owner) || owner->getParentOfType<LoopLikeOpInterface>())
    repeatAt(dim.divisibility);
  else
    terms.push_back({offset, static_cast<uint64_t>(dim.divisibility)});
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The common divisor of the terms of `a` that `b` does not have; 0 if there are none.
static uint64_t periodOfOwnTerms(const Place &a, const Place &b) {
  SmallVector<std::pair<Value, uint64_t>> others = b.terms;
  uint64_t period = 0;
  for (const auto &term : a.terms) {
    auto *found = llvm::find(others, term);
    if (found == others.end())
      period = std::gcd(period, term.second);
    else
      others.erase(found);
  }
  return period;
}

static bool mayOverlap(const Place &a, const Place &b) {
  if (!a.array || !b.array)
    return true;
  if (a.array != b.array)
    return false;
  if (elementOf(a.pointers) != elementOf(b.pointers))
    return true;
  uint64_t period = std::gcd(std::gcd(a.period, b.period),
                             std::gcd(periodOfOwnTerms(a, b), periodOfOwnTerms(b, a)));
  auto distance = static_cast<int64_t>(b.start - a.start);
  auto from = [&](int64_t start) {
    return period == 0 ? start : llvm::mod(start, static_cast<int64_t>(period));
  };
  auto isWithin = [](int64_t place, uint64_t length) {
    return place >= 0 && static_cast<uint64_t>(place) < length;
  };
  return isWithin(from(distance), a.length) || isWithin(from(-distance), b.length);
}

/// Whether a later iteration of a loop may write by one thread what another one wrote earlier.
static bool mayOverlapItself(const Place &place) {
  if (!place.store->getParentOfType<LoopLikeOpInterface>())
    return false;
  bool isSameThread = place.isRun && place.length == place.getNumElements() &&
                      (place.period == 0 || place.length <= place.period);
  return !place.array || !isSameThread;
}

/// The small stores by arrays.
static llvm::DenseMap<Value, SmallVector<Place>>
collectSmall(func::FuncOp function, const AxisInfoAnalysis &axes, LaunchShape launch) {
  llvm::DenseMap<Value, SmallVector<Place>> arrays;
  function.walk([&](StoreOp store) {
    Place place(store, axes);
    if (place.getNumElements() < static_cast<uint64_t>(tilec::kWarpSize * launch.numWarps))
      arrays[place.array].push_back(std::move(place));
  });
  return arrays;
}

/// Adds those of `places` that must stay in order to `ordered`.
static void compare(ArrayRef<Place> places, llvm::DenseSet<Operation *> &ordered) {
  auto isByOneThread = [](const Place &place) { return place.isByOneThread(); };
  if (llvm::all_of(places, isByOneThread))
    return;
  for (const Place &place : places)
    if (places.size() > kMostCompared || (!isByOneThread(place) && mayOverlapItself(place)))
      ordered.insert(place.store);
  for (size_t i = 0; i < places.size() && places.size() <= kMostCompared; ++i)
    for (const Place &other : places.drop_front(i + 1)) {
      bool isOneThread = isByOneThread(places[i]) && isByOneThread(other);
      if (isOneThread || !mayOverlap(places[i], other))
        continue;
      ordered.insert(places[i].store);
      ordered.insert(other.store);
    }
}

StoreOrder::StoreOrder(func::FuncOp function, const AxisInfoAnalysis &axes, LaunchShape launch) {
  if (launch.numCTAs > 1)
    return;
  llvm::DenseMap<Value, SmallVector<Place>> arrays = collectSmall(function, axes, launch);
  SmallVector<Place> unknown = arrays.lookup(Value());
  for (auto &[array, places] : arrays) {
    if (array)
      places.append(unknown);
    compare(places, ordered);
  }
}

bool StoreOrder::isShapeOfOrdered(LoadOp op) const {
  auto shapeOf = [](Value pointers) {
    auto type = dyn_cast<RankedTensorType>(pointers.getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  return llvm::any_of(ordered, [&](Operation *store) {
    return shapeOf(cast<StoreOp>(store).getPtr()) == shapeOf(op.getPtr());
  });
}
