//===- BlockOfLoad.cpp - what block a tile of pointers is -------*- C++ -*-===//
//
// What all elements have in common becomes offsets. What a mask compares with says where an axis
// ends; where there is no mask, it does not end. What moves by a stride of none of the tile's axes,
// batches and heads, becomes a further axis of the tensor, along which the block has one element.
// Rows behind the end that are taken from elsewhere (`offsets % M`) may be zeros if nobody sees
// what becomes of them. A store writes exactly what its mask says, so nothing is left open there.
//
//===----------------------------------------------------------------------===//

#include "BlockOfLoad.h"

#include "AffineForms.h"
#include "ArgumentExpression.h"
#include "UnseenElements.h"
#include "tilec/Arch/TensorMaps.h"

using namespace mlir;
using namespace tilec::tile;

/// The size of an axis that no mask ends: more than any index.
static constexpr int64_t kEndless = int64_t(1) << 31;

namespace {

/// An axis of a tensor.
struct TensorAxis {
  int64_t extent = 1; // Of the block.
  Term stride = {};
  int64_t strideFactor = 1;
  AffineSum offset = {};
  std::optional<AffineSum> size = std::nullopt;
  bool startsInside = false; // As the mask says.

  bool isDense() const { return stride.scalars.empty() && strideFactor == 1; }
};

/// The block that an access is of.
class BlockOfAccess {
public:
  BlockOfAccess(LoadOp load, scf::ForOp outermost, AffineForms &forms)
      : access(load), load(load), pointers(load.getPtr()), mask(load.getMask()),
        outermost(outermost), forms(forms), type(cast<RankedTensorType>(load.getType())) {}
  BlockOfAccess(StoreOp store, scf::ForOp outermost, AffineForms &forms)
      : access(store), pointers(store.getPtr()), mask(store.getMask()), outermost(outermost),
        forms(forms), type(cast<RankedTensorType>(store.getValue().getType())) {}

  bool find();
  /// Whether neighbours are along the last axis.
  bool isInOrder() const { return inner + 1 == axes.size(); }
  Value createBlock();
  void describeLoad();

private:
  bool isOfArguments(Value value);
  bool isOfArguments(const Term &term);
  bool findAxes();
  bool boundAxis(TensorAxis &axis, const AffineSum *first, const AffineSum *rest);
  bool takeMask();
  bool takeRemainders();
  void takeOffsets(TensorAxis &axis);
  bool takeOthers();
  bool isAligned();
  bool startInside();
  bool isMultiple(const AffineSum &sum);
  void reorder();

  Operation *access;
  LoadOp load = {};          // Null for a store.
  Value pointers, mask;      // The mask may be null.
  scf::ForOp outermost = {}; // Of the loops around it, if any.
  AffineForms &forms;
  RankedTensorType type;
  SmallVector<TensorAxis, 3> axes;    // Those of the tile.
  SmallVector<TensorAxis, 2> further; // Along which the block has one element.
  unsigned inner = 0;                 // Which axis of the tile has neighbours.
  Value base;
  AffineSum pool; // What all elements have in common and is nobody's yet.
};

} // namespace

/// Whether a launch can compute the number, and it is there before the loops.
bool BlockOfAccess::isOfArguments(Value value) {
  return (!outermost || outermost.isDefinedOutsideOfLoop(value)) &&
         tilec::tile::isOfArguments(value, access->getParentOfType<func::FuncOp>());
}

bool BlockOfAccess::isOfArguments(const Term &term) {
  return llvm::all_of(term.scalars,
                      [&](unsigned number) { return isOfArguments(forms.scalar(number)); });
}

/// Finds the strides, one of which is 1.
bool BlockOfAccess::findAxes() {
  std::optional<AffineForm> form = forms.read(pointers);
  if (!form || !form->base)
    return false;
  base = form->base;
  SmallVector<unsigned> numStrides(type.getRank());
  for (int64_t extent : type.getShape())
    axes.push_back({extent});
  for (const auto &[term, factor] : form->sum.get()) {
    if (term.axis < 0) {
      pool.add(term, factor);
      continue;
    }
    if (factor < 0 || !isOfArguments(term))
      return false;
    TensorAxis &axis = axes[term.axis];
    axis.stride.scalars = term.scalars;
    axis.strideFactor = factor;
    ++numStrides[term.axis];
  }
  auto dense = llvm::find_if(axes, [](const TensorAxis &axis) { return axis.isDense(); });
  inner = unsigned(dense - axes.begin());
  return dense != axes.end() && llvm::all_of(numStrides, [](unsigned n) { return n == 1; }) &&
         llvm::count_if(axes, [](const TensorAxis &axis) { return axis.isDense(); }) == 1;
}

/// Has the axis begin where index + first is 0, if that is given, and end where index + rest is 0.
/// Without a beginning, what of `rest` arguments do not determine is the offset.
bool BlockOfAccess::boundAxis(TensorAxis &axis, const AffineSum *first, const AffineSum *rest) {
  if (axis.size || axis.startsInside)
    return false;
  AffineSum offset;
  if (first)
    offset = *first;
  else
    for (const auto &[term, factor] : rest->get())
      if (!isOfArguments(term))
        offset.add(term, factor);
  AffineSum distance = *offset.times(AffineSum(axis.stride, axis.strideFactor));
  for (const auto &[term, factor] : distance.get()) {
    // What arguments determine may stand in the pool together with something else.
    if (pool.factorOf(term) != factor && !isOfArguments(term))
      return false;
    pool.add(term, -factor);
  }
  axis.offset = offset;
  axis.startsInside = first != nullptr;
  if (!rest)
    return true;
  axis.size = offset;
  axis.size->add(*rest, -1);
  return llvm::all_of(axis.size->get(),
                      [&](const auto &item) { return isOfArguments(item.first); });
}

bool BlockOfAccess::takeMask() {
  if (!mask)
    return true;
  IndexBounds inside = forms.readMask(mask);
  if (!inside.isWhole || (load && load.getOther() && !isZero(load.getOther())))
    return false;
  SmallVector<std::optional<AffineSum>, 3> firsts(axes.size()), rests(axes.size());
  for (const IndexBound &bound : inside.bounds) {
    std::optional<AffineSum> &place = (bound.isBelow ? firsts : rests)[bound.axis];
    if (place)
      return false;
    place = bound.rest;
    if (!bound.isBelow)
      continue;
    place = AffineSum::constant(-1); // rest < index is 0 <= index - rest - 1.
    place->add(bound.rest, -1);
  }
  for (auto [axis, first, rest] : llvm::zip_equal(axes, firsts, rests))
    if ((first || rest) && !boundAxis(axis, first ? &*first : nullptr, rest ? &*rest : nullptr))
      return false;
  return true;
}

bool BlockOfAccess::takeRemainders() {
  AffineForm form = *forms.read(pointers);
  if (!load)
    return form.remainders.empty();
  for (const Remainder &remainder : form.remainders) {
    AffineSum rest = remainder.start;
    rest.add(remainder.end, -1);
    if (!forms.isNeverNegative(remainder.start) ||
        !boundAxis(axes[remainder.axis], /*first=*/nullptr, &rest) ||
        !areUnseen(load, unsigned(remainder.axis), rest, forms))
      return false;
  }
  return true;
}

/// Takes multiples of the axis' stride out of the pool, as its offset.
void BlockOfAccess::takeOffsets(TensorAxis &axis) {
  AffineSum taken;
  for (const auto &[term, factor] : pool.get()) {
    Term offset;
    std::set_difference(term.scalars.begin(), term.scalars.end(), axis.stride.scalars.begin(),
                        axis.stride.scalars.end(), std::back_inserter(offset.scalars));
    bool isMultiple = std::includes(term.scalars.begin(), term.scalars.end(),
                                    axis.stride.scalars.begin(), axis.stride.scalars.end()) &&
                      factor % axis.strideFactor == 0;
    bool isFree = !offset.scalars.empty() && llvm::none_of(offset.scalars, [&](unsigned number) {
      return isOfArguments(forms.scalar(number));
    });
    if (!isMultiple || !isFree)
      continue;
    axis.offset.add(offset, factor / axis.strideFactor);
    taken.add(term, factor);
  }
  pool.add(taken, -1);
}

/// What is left in the pool moves along further axes, unless arguments determine it.
bool BlockOfAccess::takeOthers() {
  AffineSum taken;
  for (const auto &[term, factor] : pool.get()) {
    if (isOfArguments(term))
      continue;
    if (factor < 0)
      return false;
    TensorAxis axis;
    Term offset;
    for (unsigned number : term.scalars)
      (isOfArguments(forms.scalar(number)) ? axis.stride : offset).scalars.push_back(number);
    axis.strideFactor = factor;
    auto same = llvm::find_if(further, [&](const TensorAxis &other) {
      return other.stride.scalars == axis.stride.scalars && other.strideFactor == axis.strideFactor;
    });
    if (same == further.end())
      same = further.insert(further.end(), axis);
    same->offset.add(offset, 1);
    taken.add(term, factor);
  }
  pool.add(taken, -1);
  return further.size() + axes.size() <= tilec::kMostTensorAxes;
}

/// Whether as many elements are a multiple of what hardware copies at a time.
bool BlockOfAccess::isMultiple(const AffineSum &sum) {
  return llvm::all_of(sum.get(), [&](const auto &item) {
    return forms.divisibilityOf(item.first, item.second) * byteSize(type.getElementType()) %
               kMaxCopyBytes ==
           0;
  });
}

bool BlockOfAccess::isAligned() {
  auto isStrideAligned = [&](const TensorAxis &axis) {
    return isMultiple(AffineSum(axis.stride, axis.strideFactor));
  };
  return isOfArguments(base) && forms.divisibilityOf(base) % kMaxCopyBytes == 0 &&
         isMultiple(pool) && isMultiple(axes[inner].offset) &&
         llvm::all_of(further, isStrideAligned) && llvm::all_of(axes, [&](const TensorAxis &axis) {
           return axis.isDense() || isStrideAligned(axis);
         });
}

/// Hardware has zeros for what lies before the tensor, so there has to be nothing, or the mask.
bool BlockOfAccess::startInside() {
  return llvm::all_of(llvm::concat<TensorAxis>(axes, further), [&](const TensorAxis &axis) {
    return !forms.hasWideScalars(axis.offset) &&
           (axis.startsInside || forms.isNeverNegative(axis.offset));
  });
}

bool BlockOfAccess::find() {
  if (!findAxes() || !takeMask() || !takeRemainders())
    return false;
  auto isBounded = [](const TensorAxis &axis) { return axis.size || axis.startsInside; };
  for (TensorAxis &axis : axes)
    if (!axis.isDense() && !isBounded(axis))
      takeOffsets(axis);
  if (!isBounded(axes[inner]))
    takeOffsets(axes[inner]);
  return takeOthers() && isAligned() && startInside();
}

Value BlockOfAccess::createBlock() {
  Location loc = access->getLoc();
  OpBuilder before(outermost ? outermost.getOperation() : access), b(access);
  Type i64 = b.getI64Type();
  Value first = base;
  if (!pool.empty())
    first =
        AddPtrOp::create(before, loc, base.getType(), base, forms.create(before, loc, pool, i64));
  SmallVector<Value> sizes, strides, offsets;
  SmallVector<int64_t> shape;
  auto add = [&](const TensorAxis &axis) {
    shape.push_back(axis.extent);
    sizes.push_back(
        forms.create(before, loc, axis.size ? *axis.size : AffineSum::constant(kEndless), i64));
    strides.push_back(forms.create(before, loc, AffineSum(axis.stride, axis.strideFactor), i64));
    offsets.push_back(forms.create(b, loc, axis.offset, b.getI32Type()));
  };
  llvm::for_each(further, add);
  for (const TensorAxis &axis : axes)
    if (!axis.isDense())
      add(axis);
  add(axes[inner]);
  return BlockOp::create(b, loc, BlockType::get(b.getContext(), shape, type.getElementType()),
                         first, sizes, strides, offsets, /*ofPointers=*/true);
}

/// Loads the tile with the axis that has neighbours last, as blocks have it.
void BlockOfAccess::reorder() {
  OpBuilder b(load);
  Location loc = load.getLoc();
  SmallVector<int32_t> order, back(axes.size());
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    if (axis != inner)
      order.push_back(int32_t(axis));
  order.push_back(int32_t(inner));
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = int32_t(to);
  auto reordered = [&](Value value) -> Value {
    if (!value)
      return {};
    auto of = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape =
        llvm::map_to_vector(order, [&](int32_t axis) { return of.getDimSize(axis); });
    auto to = RankedTensorType::get(shape, of.getElementType());
    return b.createOrFold<PermuteOp>(loc, to, value, order);
  };
  auto copy = LoadOp::create(b, loc, reordered(load.getPtr()), reordered(load.getMask()),
                             reordered(load.getOther()), load.getCache(), load.getEvict());
  copy.getBlockMutable().assign(load.getBlock());
  copy->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.replaceAllUsesWith(PermuteOp::create(b, loc, type, copy, back).getResult());
  load.erase();
}

void BlockOfAccess::describeLoad() {
  load.getBlockMutable().assign(createBlock());
  if (!isInOrder())
    reorder();
}

bool tilec::tile::describeBlock(LoadOp load, scf::ForOp outermost, const AxisInfoAnalysis &axes) {
  AffineForms forms(axes);
  BlockOfAccess block(load, outermost, forms);
  if (load.getBlock() || !load.isPlain() || !block.find())
    return false;
  block.describeLoad();
  return true;
}

bool tilec::tile::describeBlock(StoreOp store, scf::ForOp outermost, const AxisInfoAnalysis &axes) {
  AffineForms forms(axes);
  BlockOfAccess block(store, outermost, forms);
  if (store.getBlock() || !block.find() || !block.isInOrder())
    return false;
  store.getBlockMutable().assign(block.createBlock());
  return true;
}
