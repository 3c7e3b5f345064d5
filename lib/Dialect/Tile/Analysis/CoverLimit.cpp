//===- CoverLimit.cpp - how large a size a kernel's tile covers -*- C++ -*-===//
//
// A row that is one tile, with the mask `range < size`, is wrong beyond the tile's end: what lies
// there is neither read nor written. So is one that is the first block of a tensor of that size. A
// kernel that handles any size looks otherwise: its range has an offset, or its loop is bounded by
// the size. A kernel that wants the first elements only, such as those of a table, looks the same
// but for what it does with them.
//
// So each use of the size is followed, and all must be known; then each access under the mask must
// be of a row and not move by tiles; then the accesses together must be those of whole rows.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Analysis/CoverLimit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Values and their dimensions
//===----------------------------------------------------------------------===//

/// The dimension of a value in which there is nothing to follow.
static constexpr int noDim = -1;

/// Operations that repeat the numbers of a scalar or a tile, or make them wider.
static bool keepsNumbers(Operation *op) {
  return isa<SplatOp, BroadcastOp, ExpandDimsOp, PromiseOp, PtrCastOp, arith::ExtSIOp,
             arith::ExtUIOp>(op);
}

/// What `value` was before it was repeated or made wider.
static Value stripShape(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!keepsNumbers(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Where the dimension `dim` of the result of an operation that keeps numbers was in its operand.
static int dimBefore(Operation *op, int dim) {
  if (dim == noDim || isa<SplatOp>(op))
    return noDim;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    int axis = expand.getAxis();
    return axis == dim ? noDim : axis < dim ? dim - 1 : dim;
  }
  auto before = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return before && before.getDimSize(dim) != 1 ? dim : noDim;
}

/// The constant that all elements are, if they are.
static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(stripShape(value), m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

static bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

namespace {

/// The range from 0 to `end` along a dimension of a tile.
struct RangeAlong {
  int64_t end;
  int dim;

  bool operator==(const RangeAlong &other) const { return end == other.end && dim == other.dim; }
};

} // namespace

static std::optional<RangeAlong> findRange(Value value) {
  SmallVector<int> axes;
  while (Operation *op = value.getDefiningOp()) {
    if (!keepsNumbers(op))
      break;
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      axes.push_back(expand.getAxis());
    value = op->getOperand(0);
  }
  auto range = value.getDefiningOp<MakeRangeOp>();
  if (!range || range.getStart() != 0)
    return std::nullopt;
  RangeAlong result = {int64_t(range.getEnd()), 0};
  for (int axis : llvm::reverse(axes))
    result.dim += axis <= result.dim;
  return result;
}

/// The range along an axis of a block, if it begins where the tensor does.
static std::optional<RangeAlong> findRange(BlockPointersOp block, int axis) {
  bool isFirst = constantOf(block.getOffsets()[axis]) == 0 && !block.getRows();
  int64_t length = cast<RankedTensorType>(block.getPointers().getType()).getDimSize(axis);
  return isFirst ? std::optional<RangeAlong>({length, axis}) : std::nullopt;
}

/// The axis whose size the operand is, if the block is compared with it.
static std::optional<int> guardedAxis(OpOperand &use) {
  auto block = dyn_cast<BlockPointersOp>(use.getOwner());
  if (!block)
    return std::nullopt;
  int axis = int(use.getOperandNumber()) - int(block.getSizes().getBeginOperandIndex());
  bool isSize = axis >= 0 && axis < int(block.getSizes().size());
  return isSize && llvm::is_contained(block.getGuard(), axis) ? std::optional(axis) : std::nullopt;
}

/// Whether elements may differ along the dimension.
static bool variesAlong(Value tile, int dim) {
  llvm::SetVector<std::pair<Value, int>> parts;
  parts.insert({tile, dim});
  for (size_t i = 0; i < parts.size(); ++i) {
    auto [value, at] = parts[i];
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (at == noDim || !type || type.getDimSize(at) == 1 || constantOf(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
      return true;
    if (keepsNumbers(op))
      parts.insert({op->getOperand(0), dimBefore(op, at)});
    else if (op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : op->getOperands())
        parts.insert({operand, at});
    else
      return true;
  }
  return false;
}

/// Whether programs or iterations may have different values.
static bool isChosenByProgram(Value value) {
  llvm::SetVector<Value> parts;
  parts.insert(value);
  for (size_t i = 0; i < parts.size(); ++i) {
    Operation *op = parts[i].getDefiningOp();
    if (op ? isa<ProgramIdOp>(op) : !isParameter(parts[i]))
      return true;
    if (op)
      parts.insert_range(op->getOperands());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {

/// Goes through the terms of an address, which must be that of a row: the range once, and what does
/// not move along it.
class RowAddress {
public:
  RowAddress(RangeAlong range, BlockArgument size) : range(range), size(size) {}

  /// False if the address may move by part of a row, or if that cannot be told.
  bool visit(Value pointer);
  /// The array.
  BlockArgument base;
  /// Whether programs or iterations have different rows.
  bool isChosen = false;

private:
  struct Term {
    Value value;
    int dim;       // Where the range's dimension is in it.
    int64_t scale; // It counts so often.
  };
  static constexpr size_t maxTerms = 256;

  bool visitTerm(Term term);
  bool visitLeaf(const Term &term);
  bool visitParameter(BlockArgument parameter);
  bool visitProduct(arith::MulIOp product, const Term &term);
  bool visitBlock(BlockPointersOp block, const Term &term);
  bool addRange(Value factor);

  RangeAlong range;
  BlockArgument size;
  SmallVector<Term> terms;
  bool hasRange = false;
  Value rangeFactor; // The stride of the range; null: a constant.
  SmallVector<Value> factors;
};

} // namespace

bool RowAddress::addRange(Value factor) {
  if (hasRange)
    return false;
  hasRange = true;
  rangeFactor = factor;
  return true;
}

/// Of two variables: the range with its stride, or the place of a row.
bool RowAddress::visitProduct(arith::MulIOp product, const Term &term) {
  Value sides[] = {product.getLhs(), product.getRhs()};
  for (int i = 0; i < 2; ++i)
    if (std::optional<int64_t> factor = constantOf(sides[i])) {
      int64_t scale;
      if (llvm::MulOverflow(term.scale, *factor, scale))
        return false;
      terms.push_back({sides[1 - i], term.dim, scale});
      return true;
    }
  for (int i = 0; i < 2; ++i)
    if (variesAlong(sides[i], term.dim))
      return findRange(sides[i]) == RangeAlong{range.end, term.dim} &&
             !variesAlong(sides[1 - i], term.dim) && addRange(stripShape(sides[1 - i]));
  for (Value side : sides)
    factors.push_back(stripShape(side));
  bool isChosenHere = isChosenByProgram(product);
  isChosen |= isChosenHere;
  // What is the same in the whole launch may be the place of a tile.
  return isChosenHere || isa<RankedTensorType>(product.getType());
}

bool RowAddress::visitParameter(BlockArgument parameter) {
  if (!isa<PtrType>(parameter.getType()))
    return parameter == size; // Others may be the place of a tile.
  base = parameter;
  return true;
}

/// A number that the program, a loop or memory gives: with a constant factor it is the place of a
/// row, if rows are longer than the tile and no number of tiles.
bool RowAddress::visitLeaf(const Term &term) {
  if (variesAlong(term.value, term.dim) || isa<PtrType>(getElementTypeOrSelf(term.value)))
    return false;
  isChosen |= isChosenByProgram(term.value);
  return term.scale >= range.end && term.scale % range.end != 0;
}

/// The range along one axis of a block, and the places of rows along the others.
bool RowAddress::visitBlock(BlockPointersOp block, const Term &term) {
  if (term.dim == noDim || !(findRange(block, term.dim) == RangeAlong{range.end, term.dim}))
    return false;
  for (auto [axis, offset, stride] : llvm::enumerate(block.getOffsets(), block.getStrides())) {
    bool isConstant = constantOf(stride).has_value();
    Value factor = isConstant ? Value() : stripShape(stride);
    if (int(axis) == term.dim) {
      if (!addRange(factor))
        return false;
      continue;
    }
    bool isChosenHere = isChosenByProgram(offset);
    isChosen |= isChosenHere;
    if (isConstant && isChosenHere &&
        (*constantOf(stride) < range.end || *constantOf(stride) % range.end == 0))
      return false; // The place of a tile.
    if (factor)
      factors.push_back(factor);
  }
  terms.push_back({block.getBase(), noDim, term.scale});
  return true;
}

bool RowAddress::visitTerm(Term term) {
  while (Operation *op = term.value.getDefiningOp()) {
    if (!keepsNumbers(op))
      break;
    term.dim = dimBefore(op, term.dim);
    term.value = op->getOperand(0);
  }
  if (isParameter(term.value))
    return visitParameter(cast<BlockArgument>(term.value));
  if (std::optional<int64_t> number = constantOf(term.value))
    return *number == 0;
  Operation *op = term.value.getDefiningOp();
  if (!op)
    return visitLeaf(term);
  if (isa<AddPtrOp, arith::AddIOp>(op)) {
    for (Value operand : op->getOperands())
      terms.push_back({operand, term.dim, term.scale});
    return true;
  }
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return visitProduct(product, term);
  if (auto block = dyn_cast<BlockPointersOp>(op))
    return visitBlock(block, term);
  if (isa<MakeRangeOp>(op) && term.dim != noDim)
    return findRange(term.value) == RangeAlong{range.end, term.dim} && term.scale > 0 &&
           addRange(nullptr);
  return visitLeaf(term);
}

bool RowAddress::visit(Value pointer) {
  terms.push_back({pointer, range.dim, 1});
  for (size_t i = 0; i < terms.size(); ++i)
    if (i == maxTerms || !visitTerm(terms[i]))
      return false;
  return hasRange && base && !llvm::is_contained(factors, rangeFactor);
}

//===----------------------------------------------------------------------===//
// Whole rows
//===----------------------------------------------------------------------===//

namespace {

/// What a kernel does under the mask of one size.
class RowAccesses {
public:
  explicit RowAccesses(BlockArgument size) : size(size) {}

  /// Takes an access whose mask is the range's; false if it is none of a row.
  bool add(Operation *access, Value pointer, RangeAlong range);
  /// Whether they show that all elements of a row are needed.
  bool needAll() const;

private:
  bool isOnlyAccess(BlockArgument base) const;

  BlockArgument size;
  llvm::SetVector<Operation *> accesses;
  llvm::SetVector<BlockArgument> bases;
  bool loads = false;
  bool stores = false;
  bool reduces = false;
  bool areChosen = false;
};

} // namespace

/// Whether what is loaded is reduced along the dimension.
static bool isReducedAlong(Value tile, int dim) {
  llvm::SetVector<std::pair<Value, int>> values;
  values.insert({tile, dim});
  for (size_t i = 0; i < values.size(); ++i) {
    auto [value, at] = values[i];
    for (Operation *user : value.getUsers()) {
      if (auto reduce = dyn_cast<ReduceOp>(user)) {
        if (int(reduce.getAxis()) == at)
          return true;
      } else if (auto expand = dyn_cast<ExpandDimsOp>(user)) {
        values.insert({expand, at + (int(expand.getAxis()) <= at)});
      } else if (keepsNumbers(user) || user->hasTrait<OpTrait::Elementwise>()) {
        values.insert({user->getResult(0), at});
      }
    }
  }
  return false;
}

bool RowAccesses::add(Operation *access, Value pointer, RangeAlong range) {
  RowAddress address(range, size);
  if (!address.visit(pointer))
    return false;
  if (auto load = dyn_cast<LoadOp>(access)) {
    loads = true;
    reduces |= isReducedAlong(load.getResult(), range.dim);
  } else {
    stores = true;
  }
  areChosen |= address.isChosen;
  accesses.insert(access);
  bases.insert(address.base);
  return true;
}

/// Whether an array is accessed under the mask only.
bool RowAccesses::isOnlyAccess(BlockArgument base) const {
  llvm::SetVector<Value> pointers;
  pointers.insert(base);
  for (size_t i = 0; i < pointers.size(); ++i)
    for (Operation *user : pointers[i].getUsers()) {
      if (accesses.contains(user))
        continue;
      if (!keepsNumbers(user) && !isa<AddPtrOp, BlockPointersOp>(user))
        return false;
      pointers.insert(user->getResult(0));
    }
  return true;
}

bool RowAccesses::needAll() const {
  return loads && areChosen + stores + reduces >= 2 &&
         llvm::all_of(bases, [&](BlockArgument base) { return isOnlyAccess(base); });
}

//===----------------------------------------------------------------------===//
// The size
//===----------------------------------------------------------------------===//

namespace {

/// Follows a size through the kernel.
class SizeUses {
public:
  explicit SizeUses(BlockArgument size) : size(size), accesses(size) {}

  /// False if one of the uses may be that of a kernel for any size.
  bool follow();
  std::optional<int64_t> limit() const { return accesses.needAll() ? end : std::nullopt; }

private:
  enum class Kind {
    Size,    // The size itself.
    Product, // A number made of it, as a place in memory.
    Rest,    // The size less or more something.
    Mask,    // Where a range is below it.
  };
  struct Place {
    Kind kind;
    int dim = noDim; // Of a mask: along which its range goes.
  };

  bool followUse(OpOperand &use, Place place);
  bool followMask(OpOperand &use, int dim);
  bool followCompare(OpOperand &use);
  bool followBlock(OpOperand &use, Place place);
  bool add(Operation *op, Place place) { return addValue(op->getResult(0), place); }
  bool addValue(Value result, Place place);

  BlockArgument size;
  RowAccesses accesses;
  llvm::MapVector<Value, Place> values;
  std::optional<int64_t> end;
};

} // namespace

/// False if the result is known as something else already.
bool SizeUses::addValue(Value result, Place place) {
  auto [entry, isNew] = values.insert({result, place});
  return isNew || (entry->second.kind == place.kind && entry->second.dim == place.dim);
}

/// `range < size`, or the same the other way round.
bool SizeUses::followCompare(OpOperand &use) {
  auto compare = cast<arith::CmpIOp>(use.getOwner());
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isRight = use.getOperandNumber() == 1;
  bool isBelow = isRight ? predicate == Predicate::slt || predicate == Predicate::ult
                         : predicate == Predicate::sgt || predicate == Predicate::ugt;
  std::optional<RangeAlong> other = findRange(isRight ? compare.getLhs() : compare.getRhs());
  if (!isBelow || !other || other->end < 2 || (end && *end != other->end))
    return false;
  end = other->end;
  return add(compare, {Kind::Mask, other->dim});
}

/// The size of a tensor, whose first block is under a mask like the others.
bool SizeUses::followBlock(OpOperand &use, Place place) {
  auto block = cast<BlockPointersOp>(use.getOwner());
  std::optional<int> axis = guardedAxis(use);
  if (!axis) // As a stride, or as a size that nothing is compared with.
    return place.kind != Kind::Rest && !llvm::is_contained(block.getOffsets(), use.get());
  std::optional<RangeAlong> range = findRange(block, *axis);
  if (place.kind != Kind::Size || !range || range->end < 2 || (end && *end != range->end))
    return false;
  end = range->end;
  return addValue(block.getInside(), {Kind::Mask, *axis});
}

bool SizeUses::followMask(OpOperand &use, int dim) {
  Operation *op = use.getOwner();
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getMask() == use.get() && accesses.add(op, load.getPtr(), {*end, dim});
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getMask() == use.get() && store.getValue() != use.get() &&
           accesses.add(op, store.getPtr(), {*end, dim});
  if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    return atomic.getMask() == use.get() && atomic.getValue() != use.get() &&
           accesses.add(op, atomic.getPtr(), {*end, dim});
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return add(op, {Kind::Mask, dim + (int(expand.getAxis()) <= dim)});
  if (isa<arith::AndIOp>(op)) // With what is the same all along the range.
    return !variesAlong(op->getOperand(1 - use.getOperandNumber()), dim) &&
           add(op, {Kind::Mask, dim});
  if (isa<BroadcastOp>(op))
    return add(op, {Kind::Mask, dim});
  return isa<arith::UIToFPOp>(op) || (isa<arith::SelectOp>(op) && use.getOperandNumber() == 0);
}

bool SizeUses::followUse(OpOperand &use, Place place) {
  Operation *op = use.getOwner();
  if (place.kind == Kind::Mask)
    return followMask(use, place.dim);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) // A mean.
    return true;
  if (keepsNumbers(op))
    return add(op, place);
  if (place.kind == Kind::Size && isa<arith::CmpIOp>(op))
    return followCompare(use);
  if (isa<BlockPointersOp>(op))
    return followBlock(use, place);
  if (isa<arith::SubIOp>(op))
    return add(op, {Kind::Rest});
  if (isa<arith::MulIOp, arith::AddIOp>(op)) {
    bool isOffset =
        isa<arith::AddIOp>(op) && (constantOf(op->getOperand(0)) || constantOf(op->getOperand(1)));
    return add(op, {place.kind == Kind::Rest || isOffset ? Kind::Rest : Kind::Product});
  }
  return place.kind != Kind::Rest && isa<AddPtrOp>(op);
}

bool SizeUses::follow() {
  values.insert({size, {Kind::Size}});
  for (size_t i = 0; i < values.size(); ++i) {
    auto [value, place] = *(values.begin() + i);
    for (OpOperand &use : value.getUses())
      if (!followUse(use, place))
        return false;
  }
  return true;
}

std::optional<int64_t> tilec::tile::findCoverLimit(BlockArgument size) {
  if (!size.getType().isInteger() || size.getType().isInteger(1))
    return std::nullopt;
  SizeUses uses(size);
  return uses.follow() ? uses.limit() : std::nullopt;
}

std::optional<int64_t> tilec::tile::findComparedRange(BlockArgument size) {
  if (!size.getType().isInteger() || size.getType().isInteger(1))
    return std::nullopt;
  std::optional<int64_t> longest;
  llvm::SetVector<Value> sizes;
  sizes.insert(size);
  for (size_t i = 0; i < sizes.size(); ++i)
    for (OpOperand &use : sizes[i].getUses()) {
      Operation *op = use.getOwner();
      bool isOffset = isa<arith::AddIOp, arith::SubIOp>(op) &&
                      constantOf(op->getOperand(1 - use.getOperandNumber()));
      bool isLeast = isa<arith::MinSIOp, arith::MinUIOp>(op) &&
                     !constantOf(op->getOperand(1 - use.getOperandNumber()));
      if (keepsNumbers(op) || isOffset || isLeast)
        sizes.insert(op->getResult(0));
      std::optional<RangeAlong> other;
      if (isa<arith::CmpIOp>(op))
        other = findRange(op->getOperand(1 - use.getOperandNumber()));
      else if (std::optional<int> axis = guardedAxis(use))
        other = findRange(cast<BlockPointersOp>(op), *axis);
      if (other && other->end > longest.value_or(1))
        longest = other->end;
    }
  return longest;
}
