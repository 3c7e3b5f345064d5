//===- DelayProducts.cpp - products that overlap the next iteration -*- C++ -*-===//
//
// The pass `tile-delay-products`. In an attention, an iteration multiplies, works on the scores,
// and multiplies what follows from them. Threads work on scores while no product of theirs is in
// flight. Here the last product of an iteration moves into the next one, behind the first products
// there, and is in flight while threads work on what these bring:
//
//   before:  scores(i), wait, work(i), scale the sum, sum(i)
//   after:   scores(i), scale the sum, sum(i - 1), wait for the scores, work(i), wait for the sum
//
// The first iteration is peeled off, and the last sum is made behind the loop. Each value is
// computed as before.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEDELAYPRODUCTS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A loop whose last product may be delayed by an iteration.
class DelayedProduct {
public:
  /// Finds the product in `loop`; nothing if there is none, or if something is in the way.
  static std::optional<DelayedProduct> find(scf::ForOp loop);

  /// Registers of a thread that sums, and factors in registers, take while they overlap.
  int64_t registers();
  /// Replaces the loop.
  void delay();

private:
  explicit DelayedProduct(scf::ForOp loop) : loop(loop) {}

  bool findOperations();
  bool findSum();
  bool findWaits();
  bool findLate();
  bool isLate(Operation *op);
  bool isFactorLate();
  void findScaling();
  void findNeeded();
  bool staysBehind(Operation &op);
  IRMapping beforeFrom(ValueRange carried);
  Value cloneProduct(OpBuilder &b, IRMapping &before);
  void clone(OpBuilder &b, IRMapping &mapping, IRMapping *before);
  SmallVector<Value> next(const IRMapping &mapping);

  scf::ForOp loop;
  GroupDotOp product;
  GroupWaitOp wait;    // For the products of the same iteration.
  unsigned number = 0; // Of the product's sum among the carried values.
  Value sumBefore;     // The sum of the iteration before, complete.
  /// What moves into the next iteration: waits for the slots that the product is the first to read,
  /// what scales the sum, and the product.
  llvm::SmallSetVector<Operation *, 8> moved;
  Operation *full = nullptr; // The last such wait.
  /// What `moved` repeats instead of having it carried.
  llvm::SmallSetVector<Operation *, 4> repeated;
  /// What the loop carries as the sum: as it is complete or, if it is scaled before the next
  /// iteration, as the product adds to it.
  Value passed;
  /// What `moved` needs of its own iteration beside that.
  llvm::SmallSetVector<Value, 4> needed;
  /// What has to be behind the wait for the delayed product, in order.
  llvm::SmallSetVector<Operation *, 8> late;
};

} // namespace

std::optional<DelayedProduct> DelayedProduct::find(scf::ForOp loop) {
  DelayedProduct found(loop);
  if (!found.findOperations() || !found.findSum() || !found.findWaits() || !found.findLate())
    return std::nullopt;
  found.findScaling();
  found.findNeeded();
  return found;
}

/// Whether `loop` is in a branch that is taken only if it has iterations, as tile-use-warp-groups
/// leaves loops with products in flight.
static bool isKnownToIterate(scf::ForOp loop) {
  auto branch = dyn_cast<scf::IfOp>(loop->getParentOp());
  if (!branch || loop->getBlock() != branch.thenBlock())
    return false;
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
         compare.getLhs() == loop.getLowerBound() && compare.getRhs() == loop.getUpperBound();
}

/// One product comes behind the only wait.
bool DelayedProduct::findOperations() {
  if (!isKnownToIterate(loop))
    return false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isWait = isa<GroupWaitOp>(op), isProduct = isa<GroupDotOp>(op);
    if ((isWait && wait) || (isProduct && product))
      return false;
    if (isWait)
      wait = cast<GroupWaitOp>(op);
    if (isProduct && wait)
      product = cast<GroupDotOp>(op);
    if (op.getNumRegions() != 0 && !isMemoryEffectFree(&op))
      return false;
  }
  return wait && product && wait.getPending() == 0;
}

/// The product is in flight into the next iteration, where the wait or the next one takes its sum.
bool DelayedProduct::findSum() {
  Value result = product.getResult();
  if (loopThatCarries(result) != loop || !result.hasOneUse() || product.getKeep())
    return false;
  number = result.use_begin()->getOperandNumber();
  BlockArgument sum = loop.getRegionIterArg(number);
  sumBefore = sum;
  size_t ofOthers = wait.getValues().size();
  for (auto [value, done] : llvm::zip_equal(wait.getValues(), wait.getResults()))
    if (value == sum) {
      sumBefore = done;
      --ofOthers;
    }
  return sum.hasOneUse() && ofOthers != 0 && (sumBefore != sum || product.getAcc() == sum);
}

bool DelayedProduct::findWaits() {
  for (Operation *op = product->getPrevNode(); op != wait; op = op->getPrevNode()) {
    if (isa<MBarrierWaitOp>(op)) {
      moved.insert(op);
      full = full ? full : op;
    } else if (!isMemoryEffectFree(op) && !isa<MBarrierArriveOp>(op)) {
      break;
    }
  }
  moved.insert(product);
  return full != nullptr;
}

/// Whether `op` uses the sum, says that the slot of an earlier iteration was read, or writes
/// registers that the product reads.
bool DelayedProduct::isLate(Operation *op) {
  auto arrive = dyn_cast<MBarrierArriveOp>(op);
  if (arrive && arrive.getSlot() != product.getRhsSlot())
    return true;
  if (isa<CastOpInterface>(op) && op->hasOneUse() && *op->user_begin() == product)
    return true;
  return op
      ->walk([&](Operation *inner) {
        bool isUser = llvm::any_of(inner->getOperands(), [&](Value operand) {
          return operand == sumBefore || late.contains(operand.getDefiningOp());
        });
        return isUser ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool DelayedProduct::findLate() {
  Operation *yield = loop.getBody()->getTerminator();
  for (Operation *op = wait->getNextNode(); op != yield; op = op->getNextNode()) {
    if (moved.contains(op) || !isLate(op))
      continue;
    if (!isMemoryEffectFree(op) && !isa<MBarrierArriveOp>(op))
      return false;
    late.insert(op);
  }
  return isFactorLate();
}

/// Whether registers that the product reads are written behind the wait, if ever: the loop carries
/// them, so those of the next iteration are the same.
bool DelayedProduct::isFactorLate() {
  Value factor = product.getLhs();
  return isa<BufferType>(factor.getType()) || loop.isDefinedOutsideOfLoop(factor) ||
         late.contains(factor.getDefiningOp());
}

/// Scaling can wait for the first products of the next iteration to be in flight, unless somebody
/// else needs what it makes of the sum.
void DelayedProduct::findScaling() {
  passed = product.getAcc();
  llvm::SmallSetVector<Operation *, 4> scaling;
  if (Operation *source = passed.getDefiningOp(); source && passed != sumBefore)
    scaling.insert(source);
  for (size_t index = 0; index < scaling.size(); ++index)
    for (Value operand : scaling[index]->getOperands())
      if (Operation *source = operand.getDefiningOp(); late.contains(source))
        scaling.insert(source);
  bool isAlone = llvm::all_of(scaling, [&](Operation *op) {
    return late.contains(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getUsers(),
                        [&](Operation *user) { return user == product || scaling.contains(user); });
  });
  if (!isAlone)
    return;
  passed = sumBefore;
  moved.insert(scaling.begin(), scaling.end());
  late.set_subtract(scaling);
}

void DelayedProduct::findNeeded() {
  auto add = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (operand == passed || moved.contains(source) || loop.isDefinedOutsideOfLoop(operand))
        continue;
      // Carried, it would take more registers than what it is made of.
      if (isa_and_nonnull<BroadcastOp, ExpandDimsOp, SplatOp>(source))
        repeated.insert(source);
      else
        needed.insert(operand);
    }
  };
  for (Operation *op : moved)
    add(op);
  for (size_t index = 0; index < repeated.size(); ++index)
    add(repeated[index]);
}

int64_t DelayedProduct::registers() {
  constexpr int64_t bytesOfRegister = 4;
  Value factor = product.getLhs();
  int64_t bytes = bytesOfThread(product.getType());
  if (!isa<BufferType>(factor.getType()))
    bytes += bytesOfThread(factor.getType());
  for (Value value : wait->getOperands())
    if (value != loop.getRegionIterArg(number))
      bytes += bytesOfThread(value.getType());
  return llvm::divideCeil(bytes, bytesOfRegister);
}

/// What the delayed product finds in the next iteration, or behind the loop.
IRMapping DelayedProduct::beforeFrom(ValueRange carried) {
  IRMapping before;
  before.map(passed, carried[number]);
  for (auto [value, as] : llvm::zip_equal(needed, carried.take_back(needed.size())))
    before.map(value, as);
  return before;
}

Value DelayedProduct::cloneProduct(OpBuilder &b, IRMapping &before) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (moved.contains(&op) || repeated.contains(&op))
      b.clone(op, before);
  return before.lookup(product.getResult());
}

/// Whether nobody needs `op` in its own iteration.
bool DelayedProduct::staysBehind(Operation &op) {
  return moved.contains(&op) ||
         (repeated.contains(&op) && llvm::all_of(op.getUsers(), [&](auto *user) {
            return moved.contains(user) || staysBehind(*user);
          }));
}

/// Clones an iteration: its own products, that of the one `before` unless it is the first, and the
/// rest.
void DelayedProduct::clone(OpBuilder &b, IRMapping &mapping, IRMapping *before) {
  BlockArgument sum = loop.getRegionIterArg(number);
  Value last = mapping.lookup(sum);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (staysBehind(op) || late.contains(&op))
      continue;
    if (&op != wait) {
      b.clone(op, mapping);
      continue;
    }
    if (before)
      last = cloneProduct(b, *before);
    SmallVector<Value> own, done;
    for (auto [value, result] : llvm::zip_equal(wait.getValues(), wait.getResults()))
      if (value != sum) {
        own.push_back(mapping.lookupOrDefault(value));
        done.push_back(result);
      }
    auto each = GroupWaitOp::create(b, op.getLoc(), TypeRange(ValueRange(own)),
                                    /*pending=*/before ? 1 : 0, own);
    mapping.map(done, each.getResults());
  }
  if (before) {
    // ptxas puts a wait for products to where its block begins. This one waits for nothing: it only
    // begins a block behind the rest of the work.
    b.clone(*full, *before);
    last = GroupWaitOp::create(b, wait.getLoc(), last.getType(), /*pending=*/0, last).getResult(0);
  }
  mapping.map(sumBefore, last);
  for (Operation *op : late)
    b.clone(*op, mapping);
}

/// What the iteration that `mapping` stands for leaves to the next one.
SmallVector<Value> DelayedProduct::next(const IRMapping &mapping) {
  SmallVector<Value> values;
  for (Value value : loop.getYieldedValues())
    values.push_back(mapping.lookupOrDefault(value == product.getResult() ? passed : value));
  for (Value value : needed)
    values.push_back(mapping.lookup(value));
  return values;
}

void DelayedProduct::delay() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  IRMapping first;
  first.map(loop.getInductionVar(), lower);
  first.map(loop.getRegionIterArgs(), loop.getInitArgs());
  clone(b, first, /*before=*/nullptr);
  // The counter of a second iteration may overflow where there is none.
  Value isMore = hasIterationAhead(b, loop, lower, /*ahead=*/1);
  Value second = arith::AddIOp::create(b, loc, lower, step);
  second = arith::SelectOp::create(b, loc, isMore, second, upper);
  auto replacement =
      scf::ForOp::create(b, loc, second, upper, step, next(first),
                         [&](OpBuilder &inner, Location, Value counter, ValueRange carried) {
                           IRMapping mapping, before = beforeFrom(carried);
                           mapping.map(loop.getInductionVar(), counter);
                           mapping.map(loop.getRegionIterArgs(), carried.drop_back(needed.size()));
                           clone(inner, mapping, &before);
                           scf::YieldOp::create(inner, loc, next(mapping));
                         });
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  IRMapping before = beforeFrom(replacement.getResults());
  SmallVector<Value> results(replacement.getResults().drop_back(needed.size()));
  results[number] = cloneProduct(b, before);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

namespace {

struct DelayProducts : tilec::tile::impl::TileDelayProductsBase<DelayProducts> {
  using TileDelayProductsBase::TileDelayProductsBase;

  void runOnOperation() override {
    if (!isEnabled(getOperation(), tilec::GpuHeuristic::DelayProducts))
      return;
    // Without roles, threads wait for each other once in an iteration, and copy in between.
    SmallVector<std::pair<scf::ForOp, int64_t>> loops;
    getOperation().walk([&](WarpRolesOp roles) {
      for (unsigned index = 0; index < roles.getRoles().size(); ++index)
        roles.getRoles()[index].walk([&, registers = roles.getRegisters()[index]](scf::ForOp loop) {
          loops.emplace_back(loop, registers);
        });
    });
    int64_t others = getTarget(getOperation()).tuning().roles.registersBesideProducts;
    for (auto [loop, registers] : loops)
      if (std::optional<DelayedProduct> product = DelayedProduct::find(loop);
          product && product->registers() + others <= registers) {
        product->delay();
        ++numProducts;
      }
  }
};

} // namespace
