//===- AffineForms.cpp - tiles as sums over their indices -------*- C++ -*-===//

#include "AffineForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void AffineSum::add(const Term &term, int64_t factor) {
  auto [place, isNew] = terms.try_emplace(term, 0);
  place->second = int64_t(uint64_t(place->second) + uint64_t(factor));
  if (place->second == 0)
    terms.erase(place);
}

void AffineSum::add(const AffineSum &other, int64_t factor) {
  for (const auto &[term, number] : other.terms)
    add(term, int64_t(uint64_t(number) * uint64_t(factor)));
}

std::optional<AffineSum> AffineSum::times(const AffineSum &other) const {
  AffineSum product;
  for (const auto &[left, leftFactor] : terms)
    for (const auto &[right, rightFactor] : other.terms) {
      if (left.axis >= 0 && right.axis >= 0)
        return std::nullopt;
      Term term = left;
      term.axis = std::max(left.axis, right.axis);
      llvm::append_range(term.scalars, right.scalars);
      llvm::sort(term.scalars);
      product.add(term, int64_t(uint64_t(leftFactor) * uint64_t(rightFactor)));
    }
  return product;
}

AffineSum AffineSum::withAxes(llvm::function_ref<int(int)> map) const {
  AffineSum moved;
  for (const auto &[term, factor] : terms)
    moved.add(Term{term.scalars, term.axis < 0 ? term.axis : map(term.axis)}, factor);
  return moved;
}

int64_t AffineSum::factorOf(const Term &term) const {
  auto place = terms.find(term);
  return place == terms.end() ? 0 : place->second;
}

//===----------------------------------------------------------------------===//
// Tiles and scalars
//===----------------------------------------------------------------------===//

std::optional<AffineForm> AffineForms::read(Value value) {
  if (auto place = known.find(value); place != known.end())
    return place->second;
  known[value] = std::nullopt; // What a loop carries is no sum over itself.
  std::optional<AffineForm> form = compute(value);
  known[value] = form;
  return form;
}

AffineForm AffineForms::opaque(Value scalar) {
  if (isa<PtrType>(scalar.getType()))
    return {scalar};
  scalars.insert(scalar);
  Term term;
  term.scalars.push_back(unsigned(llvm::find(scalars, scalar) - scalars.begin()));
  return {Value(), AffineSum(term)};
}

std::optional<AffineForm> AffineForms::compute(Value value) {
  Type element = elementOf(value.getType());
  if (!isa<PtrType>(element) && !element.isInteger(32) && !element.isInteger(64))
    return std::nullopt;
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
    return AffineForm{Value(), AffineSum::constant(constant.getSExtValue())};
  std::optional<AffineForm> form;
  if (Operation *op = value.getDefiningOp())
    form = ofOperation(op);
  else
    form = ofArgument(cast<BlockArgument>(value));
  if (!form && !isa<RankedTensorType>(value.getType()))
    return opaque(value);
  return form;
}

std::optional<AffineForm> AffineForms::movedAxes(Value source, llvm::function_ref<int(int)> map) {
  std::optional<AffineForm> form = read(source);
  if (!form)
    return std::nullopt;
  form->sum = form->sum.withAxes(map);
  for (Remainder &remainder : form->remainders)
    remainder.axis = map(remainder.axis);
  return form;
}

/// What each dimension of the source becomes.
static int axisBehind(ExpandDimsOp op, int axis) { return axis + (axis >= int(op.getAxis())); }
static int axisBehind(PermuteOp op, int axis) {
  return int(llvm::find(op.getOrder(), axis) - op.getOrder().begin());
}

std::optional<AffineForm> AffineForms::ofOperation(Operation *op) {
  using Form = std::optional<AffineForm>;
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](MakeRangeOp range) {
        AffineSum sum = AffineSum::constant(range.getStart());
        if (range.getEnd() - range.getStart() > 1)
          sum.add(Term{{}, 0}, 1);
        return Form({Value(), sum});
      })
      .Case<SplatOp, BroadcastOp, arith::ExtSIOp>(
          [&](Operation *same) { return read(same->getOperand(0)); })
      .Case([&](arith::TruncIOp narrow) {
        Form form = read(narrow.getIn());
        return form && !hasWideScalars(form->sum) ? form : Form();
      })
      .Case([&](arith::ExtUIOp widen) {
        return axes.get(widen.getIn()).nonNegative ? read(widen.getIn()) : Form();
      })
      .Case([&](ExpandDimsOp expand) {
        return movedAxes(expand.getSrc(), [&](int axis) { return axisBehind(expand, axis); });
      })
      .Case([&](PermuteOp permute) {
        return movedAxes(permute.getSrc(), [&](int axis) { return axisBehind(permute, axis); });
      })
      .Case([&](PromiseOp promise) { return ofPromise(promise); })
      .Case<AddPtrOp, arith::AddIOp>(
          [&](Operation *sum) { return ofSum(sum->getOperand(0), sum->getOperand(1), 1); })
      .Case([&](arith::SubIOp sum) { return ofSum(sum.getLhs(), sum.getRhs(), -1); })
      .Case([&](arith::MulIOp product) { return ofProduct(product.getLhs(), product.getRhs()); })
      .Case([&](arith::RemSIOp remainder) { return ofRemainder(remainder); })
      .Case([&](arith::SelectOp select) { return ofSelect(select); })
      .Default([](Operation *) { return Form(); });
}

bool AffineForms::hasWideScalars(const AffineSum &sum) const {
  return llvm::any_of(sum.get(), [&](const auto &item) {
    return llvm::any_of(item.first.scalars,
                        [&](unsigned number) { return scalar(number).getType().isInteger(64); });
  });
}

std::optional<AffineForm> AffineForms::ofSum(Value left, Value right, int64_t factor) {
  std::optional<AffineForm> sum = read(left), other = read(right);
  if (!sum || !other || (other->base && (sum->base || factor != 1)))
    return std::nullopt;
  if (other->base)
    sum->base = other->base;
  sum->sum.add(other->sum, factor);
  llvm::append_range(sum->remainders, other->remainders);
  return sum;
}

std::optional<AffineForm> AffineForms::ofProduct(Value left, Value right) {
  std::optional<AffineForm> a = read(left), b = read(right);
  if (!a || !b || a->base || b->base)
    return std::nullopt;
  std::optional<AffineSum> product = a->sum.times(b->sum);
  if (!product)
    return std::nullopt;
  llvm::append_range(a->remainders, b->remainders);
  return AffineForm{Value(), *product, a->remainders};
}

/// Has the elements of `form`, a tile that counts up along one axis, be others from `end` on.
static std::optional<AffineForm> endingAt(AffineForm form, const AffineSum &end) {
  auto hasAxis = [](const auto &term) { return term.first.axis >= 0; };
  if (form.base || !form.remainders.empty() || llvm::count_if(form.sum.get(), hasAxis) != 1 ||
      llvm::any_of(end.get(), hasAxis))
    return std::nullopt;
  const auto &[index, factor] = *llvm::find_if(form.sum.get(), hasAxis);
  if (!index.scalars.empty() || factor != 1)
    return std::nullopt;
  Remainder remainder = {index.axis, form.sum, end};
  remainder.start.add(index, -1);
  form.remainders.push_back(remainder);
  return form;
}

/// Scalars are as they are.
std::optional<AffineForm> AffineForms::ofRemainder(arith::RemSIOp op) {
  if (!isa<RankedTensorType>(op.getType()))
    return std::nullopt;
  std::optional<AffineForm> of = read(op.getLhs()), divisor = read(op.getRhs());
  if (!of || !divisor || !divisor->remainders.empty())
    return std::nullopt;
  return endingAt(*of, divisor->sum);
}

/// `where(rows < M, rows, 0)` stays inside of a matrix, as `rows % M` does.
std::optional<AffineForm> AffineForms::ofSelect(arith::SelectOp op) {
  if (!isa<RankedTensorType>(op.getCondition().getType()))
    return std::nullopt;
  IndexBounds inside = readMask(op.getCondition());
  std::optional<AffineForm> of = read(op.getTrueValue());
  if (!of || !inside.isWhole || inside.bounds.size() != 1 || inside.bounds.front().isBelow)
    return std::nullopt;
  const IndexBound &bound = inside.bounds.front();
  AffineSum end = of->sum;
  end.add(Term{{}, bound.axis}, -1);
  end.add(bound.rest, -1);
  return endingAt(*of, end);
}

/// A promise of a scalar holds wherever its form counts, for what is behind it.
std::optional<AffineForm> AffineForms::ofPromise(PromiseOp op) {
  std::optional<AffineForm> form = read(op.getSrc());
  if (!form || isa<RankedTensorType>(op.getType()))
    return form;
  const auto &terms = form->sum.get();
  Value single = form->base;
  if (!single && terms.size() == 1 && terms.begin()->second == 1 &&
      terms.begin()->first.scalars.size() == 1)
    single = scalar(terms.begin()->first.scalars.front());
  if (single && (!form->base || terms.empty())) {
    int64_t &divisor = promised.try_emplace(single, 1).first->second;
    divisor = std::max(divisor, op.getDivisibility().front());
  }
  return form;
}

std::optional<AffineForm> AffineForms::ofArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  return ofCarried(loop, argument);
}

/// What each iteration moves by the same amount is its initial value and so many times that.
std::optional<AffineForm> AffineForms::ofCarried(scf::ForOp loop, BlockArgument argument) {
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  Operation *move = next.getDefiningOp();
  APInt stepOfLoop;
  if (!isa_and_nonnull<arith::AddIOp, AddPtrOp>(move) || move->getOperand(0) != argument ||
      !matchPattern(loop.getStep(), m_ConstantInt(&stepOfLoop)) || !stepOfLoop.isStrictlyPositive())
    return std::nullopt;
  std::optional<AffineForm> form = read(loop.getTiedLoopInit(argument)->get()),
                            by = read(move->getOperand(1)), first = read(loop.getLowerBound());
  if (!form || !by || by->base || !first || !isa<IntegerType>(loop.getInductionVar().getType()))
    return std::nullopt;
  AffineSum iteration = opaque(loop.getInductionVar()).sum; // Times the loop's step.
  iteration.add(first->sum, -1);
  for (const auto &[term, factor] : by->sum.get()) {
    auto isOutside = [&](unsigned number) { return loop.isDefinedOutsideOfLoop(scalar(number)); };
    if (term.axis >= 0 || factor % stepOfLoop.getSExtValue() != 0 ||
        !llvm::all_of(term.scalars, isOutside))
      return std::nullopt;
    form->sum.add(*iteration.times(AffineSum(term, factor / stepOfLoop.getSExtValue())));
  }
  return form;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

IndexBounds AffineForms::readMask(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    IndexBounds all = readMask(both.getLhs()), others = readMask(both.getRhs());
    llvm::append_range(all.bounds, others.bounds);
    all.isWhole &= others.isWhole;
    return all;
  }
  auto moved = [&](Value source, llvm::function_ref<int(int)> map) {
    IndexBounds all = readMask(source);
    for (IndexBound &bound : all.bounds)
      bound.axis = map(bound.axis);
    return all;
  };
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return readMask(broadcast.getSrc());
  if (auto expand = dyn_cast_or_null<ExpandDimsOp>(op))
    return moved(expand.getSrc(), [&](int axis) { return axisBehind(expand, axis); });
  if (auto permute = dyn_cast_or_null<PermuteOp>(op))
    return moved(permute.getSrc(), [&](int axis) { return axisBehind(permute, axis); });
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    return ofCompare(compare);
  return {{}, matchPattern(mask, m_One())};
}

IndexBounds AffineForms::ofCompare(arith::CmpIOp compare) {
  const IndexBounds unknown = {{}, false};
  std::optional<AffineForm> left = read(compare.getLhs()), right = read(compare.getRhs());
  if (!left || !right || left->base || right->base || !left->remainders.empty() ||
      !right->remainders.empty())
    return unknown;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge)
    std::swap(left, right);
  else if (predicate != Predicate::slt && predicate != Predicate::sle)
    return unknown;
  AffineSum rest = left->sum; // What is below 0.
  rest.add(right->sum, -1);
  if (predicate == Predicate::sle || predicate == Predicate::sge)
    rest.add(Term(), -1);
  std::optional<IndexBound> bound;
  for (const auto &[term, factor] : rest.get()) {
    if (term.axis < 0)
      continue;
    if (bound || !term.scalars.empty() || (factor != 1 && factor != -1))
      return unknown;
    bound = IndexBound{term.axis, factor < 0, {}};
  }
  if (!bound)
    return unknown;
  rest.add(Term{{}, bound->axis}, bound->isBelow ? 1 : -1);
  bound->rest = rest;
  return {{*bound}, true};
}

//===----------------------------------------------------------------------===//
// What is known of sums, and their values
//===----------------------------------------------------------------------===//

int64_t AffineForms::divisibilityOf(const Term &term, int64_t factor) const {
  auto lowestBit = [](int64_t number) { return number == 0 ? 1 : number & -number; };
  int64_t divisor = lowestBit(factor);
  for (unsigned number : term.scalars)
    divisor = capDivisibility(divisor * capDivisibility(divisibilityOf(scalar(number))));
  return divisor;
}

int64_t AffineForms::divisibilityOf(Value value) const {
  return std::max(axes.get(value).dims[0].divisibility, promised.lookup(value));
}

bool AffineForms::isNeverNegative(unsigned number) const {
  return axes.get(scalar(number)).nonNegative;
}

/// Whether the loop goes from x // c * c to x: if x is negative, it has no iteration.
static bool isOverRemainder(scf::ForOp loop) {
  auto start = loop.getLowerBound().getDefiningOp<arith::MulIOp>();
  auto whole = start ? start.getLhs().getDefiningOp<arith::DivSIOp>() : nullptr;
  APInt divisor;
  return whole && whole.getLhs() == loop.getUpperBound() && whole.getRhs() == start.getRhs() &&
         matchPattern(whole.getRhs(), m_ConstantInt(&divisor)) && divisor.isStrictlyPositive();
}

/// The term, or what it is at least because a loop's counter does not go below where it starts.
AffineSum AffineForms::leastOf(const Term &term, int64_t factor) {
  AffineSum least = AffineSum::constant(factor);
  for (unsigned number : term.scalars) {
    auto argument = dyn_cast<BlockArgument>(scalar(number));
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
    auto isOther = [&](unsigned other) { return other == number || isNeverNegative(other); };
    std::optional<AffineForm> first;
    bool isCounter = loop && argument == loop.getInductionVar() && factor > 0 &&
                     llvm::all_of(term.scalars, isOther);
    if (isCounter)
      first = isOverRemainder(loop) ? AffineForm() : read(loop.getLowerBound());
    least = *least.times(first ? first->sum : opaque(scalar(number)).sum);
  }
  return least;
}

bool AffineForms::isNeverNegative(const AffineSum &sum) {
  AffineSum least;
  for (const auto &[term, factor] : sum.get())
    least.add(leastOf(term, factor));
  return llvm::all_of(least.get(), [&](const auto &item) {
    return item.second > 0 && llvm::all_of(item.first.scalars, [&](unsigned number) {
             return isNeverNegative(number);
           });
  });
}

Value AffineForms::create(OpBuilder &b, Location loc, const AffineSum &sum, Type type) const {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, type, value).getResult();
  };
  Value total;
  for (const auto &[term, factor] : sum.get()) {
    Value product = factor != 1 || term.scalars.empty() ? constant(factor) : Value();
    for (unsigned number : term.scalars) {
      Value value = scalar(number);
      if (value.getType() != type)
        value = b.createOrFold<arith::ExtSIOp>(loc, type, value);
      product = product ? b.createOrFold<arith::MulIOp>(loc, product, value) : value;
    }
    total = total ? b.createOrFold<arith::AddIOp>(loc, total, product) : product;
  }
  return total ? total : constant(0);
}
