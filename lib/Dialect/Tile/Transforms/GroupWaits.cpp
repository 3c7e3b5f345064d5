//===- GroupWaits.cpp - waits for products of warp groups ------*- C++ -*-===//
//
// A product outside of loops, or whose sum its iteration needs, is waited for at once; what only
// adds to a sum that a loop carries stays in flight until the next iteration has started its own.
// Products that add to one sum one after the other are waited for behind the last of them.
//
//===----------------------------------------------------------------------===//

#include "GroupWaits.h"

#include "LoopIterations.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec::tile;

/// Whether `value` is computed in `loop` from a product that is waited for in the same iteration.
static bool isBehindProduct(Value value, scf::ForOp loop) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false; // Branches use what is computed before them.
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  if (failed(getBackwardSlice(value, &slice, options)))
    return false;
  return llvm::any_of(slice, [](Operation *op) {
    return isa<GroupDotOp>(op) && !loopThatCarries(op->getResult(0));
  });
}

/// Whether `factor` stays as it is until the next iteration of `loop` has waited for a product:
/// nothing writes into the buffer, or only into other slots than those in use; registers are
/// defined outside, or behind a wait.
static bool keepsFactor(scf::ForOp loop, Value factor) {
  auto buffer = dyn_cast<BufferType>(factor.getType());
  if (!buffer)
    return loop.isDefinedOutsideOfLoop(factor) || isBehindProduct(factor, loop);
  return buffer.getSlots() > 1 || llvm::none_of(factor.getUsers(), [&](Operation *user) {
           return isa<BufferStoreOp>(user) && loop->isAncestor(user);
         });
}

/// The product that adds to the sum of `product` next, while that is in flight: nothing between
/// them waits, touches memory or goes between threads, or writes registers that the next one reads.
static GroupDotOp findNext(GroupDotOp product) {
  if (!product.getResult().hasOneUse())
    return {};
  auto next = dyn_cast<GroupDotOp>(*product.getResult().user_begin());
  if (!next || next.getAcc() != product.getResult() || next->getBlock() != product->getBlock())
    return {};
  Operation *left =
      isa<BufferType>(next.getLhs().getType()) ? nullptr : next.getLhs().getDefiningOp();
  for (Operation *op = product->getNextNode(); op != next; op = op->getNextNode())
    if (op == left || op->getNumRegions() != 0 || isa<ExchangeOpInterface>(op) ||
        !isMemoryEffectFree(op))
      return {};
  return next;
}

/// `product` and those before it that nobody waits for in between, the first one last.
static SmallVector<GroupDotOp, 4> chainTo(GroupDotOp product) {
  SmallVector<GroupDotOp, 4> chain = {product};
  while (auto before = chain.back().getAcc().getDefiningOp<GroupDotOp>()) {
    if (findNext(before) != chain.back())
      break;
    chain.push_back(before);
  }
  return chain;
}

/// Waits behind `loop` for the products that it has left in flight. A loop without iterations does
/// not come here: where both paths met before the wait, ptxas would find registers of products in
/// flight that other instructions define, and make all products wait for each other. The same
/// happens where another loop goes on with the sums, unless the path around this one waits, too,
/// before it defines them.
static void waitBehind(scf::ForOp loop, ArrayRef<unsigned> sums) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value exists = hasIterationAhead(builder, loop, loop.getLowerBound(), /*ahead=*/0);
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), exists,
                                  /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToStart(branch.elseBlock());
  GroupWaitOp::create(builder, loc, TypeRange(), /*pending=*/0, ValueRange());
  scf::YieldOp::create(builder, loc, loop.getInitArgs());
  builder.setInsertionPointToStart(branch.thenBlock());
  auto yield = scf::YieldOp::create(builder, loc, loop.getResults());
  loop->moveBefore(yield);
  builder.setInsertionPoint(yield);
  SmallVector<Value> inFlight;
  for (unsigned sum : sums)
    inFlight.push_back(loop.getResult(sum));
  auto wait =
      GroupWaitOp::create(builder, loc, TypeRange(ValueRange(inFlight)), /*pending=*/0, inFlight);
  for (auto [sum, done] : llvm::zip_equal(sums, wait.getResults()))
    yield.setOperand(sum, done);
}

namespace {

/// The products of a loop's body, in order.
class LoopWaits {
public:
  explicit LoopWaits(scf::ForOp loop) : loop(loop) {}

  void add(GroupDotOp product, bool staysInFlight) {
    (staysInFlight ? carried : waited).push_back(product);
  }
  void insert();

private:
  void waitForCarried(BlockArgument sum);
  void waitInBranches(GroupDotOp product);

  scf::ForOp loop;
  SmallVector<GroupDotOp> carried, waited;
};

} // namespace

static GroupWaitOp waitAfter(GroupDotOp product) {
  OpBuilder builder(product->getContext());
  builder.setInsertionPointAfter(product);
  Value sum = product.getResult();
  auto wait = GroupWaitOp::create(builder, product.getLoc(), TypeRange(sum.getType()),
                                  /*pending=*/0, sum);
  sum.replaceAllUsesExcept(wait.getResult(0), wait);
  return wait;
}

/// Completes `sum` at the begin of a branch's block, if that reads it, and yields it as well.
static void completeIn(Block &block, Value sum) {
  auto isInside = [&](OpOperand &use) {
    return block.getParentOp()->isProperAncestor(use.getOwner()) &&
           block.findAncestorOpInBlock(*use.getOwner());
  };
  Operation *yield = block.empty() ? nullptr : &block.back();
  Value result = sum;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  if (llvm::any_of(sum.getUses(), isInside)) {
    auto wait =
        GroupWaitOp::create(builder, sum.getLoc(), TypeRange(sum.getType()), /*pending=*/0, sum);
    result = wait.getResult(0);
    sum.replaceUsesWithIf(result,
                          [&](OpOperand &use) { return use.getOwner() != wait && isInside(use); });
  }
  if (yield) {
    yield->insertOperands(yield->getNumOperands(), result);
    return;
  }
  builder.setInsertionPointToEnd(&block);
  scf::YieldOp::create(builder, sum.getLoc(), result);
}

/// Completes what the iteration before has left in flight before its first use: where another
/// product is waited for already, or there.
void LoopWaits::waitForCarried(BlockArgument sum) {
  Block *body = loop.getBody();
  Operation *first = body->getTerminator();
  for (Operation *user : sum.getUsers()) {
    Operation *inBody = body->findAncestorOpInBlock(*user);
    if (inBody->isBeforeInBlock(first))
      first = inBody;
  }
  GroupWaitOp before;
  for (auto wait : body->getOps<GroupWaitOp>())
    if (wait.getPending() == 0 && wait->isBeforeInBlock(first))
      before = wait;
  OpBuilder builder(before ? before.getOperation() : first);
  SmallVector<Value> values;
  if (before)
    values.append(before.getValues().begin(), before.getValues().end());
  values.push_back(sum);
  auto wait = GroupWaitOp::create(builder, first->getLoc(), TypeRange(ValueRange(values)),
                                  /*pending=*/0, values);
  sum.replaceAllUsesExcept(wait.getResults().back(), wait);
  if (before) {
    before->replaceAllUsesWith(wait.getResults().drop_back());
    before.erase();
  }
}

/// Completes a carried sum in the branches that read it: they give it back, as otherwise it would
/// be copied while products add to it.
void LoopWaits::waitInBranches(GroupDotOp product) {
  Value sum = product.getResult();
  for (Operation *op = product; op; op = op->getNextNode()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    bool isRead = branch && llvm::any_of(sum.getUsers(), [&](Operation *user) {
                    return branch->isProperAncestor(user);
                  });
    if (!isRead)
      continue;
    OpBuilder builder(branch);
    SmallVector<Type> types(branch.getResultTypes());
    types.push_back(sum.getType());
    auto more = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                                  /*withElseRegion=*/true);
    for (auto [from, to] : llvm::zip_equal(branch->getRegions(), more->getRegions())) {
      if (!from.empty())
        to.takeBody(from);
      completeIn(to.front(), sum);
    }
    branch->replaceAllUsesWith(more.getResults().drop_back());
    branch.erase();
    Value next = more.getResults().back();
    sum.replaceUsesWithIf(next, [&](OpOperand &use) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      return user && more->isBeforeInBlock(user);
    });
    sum = next;
    op = more;
  }
}

/// Products that only add to a carried sum are waited for in the next iteration, behind its own;
/// all behind the loop.
void LoopWaits::insert() {
  for (GroupDotOp product : waited)
    waitAfter(product);
  if (carried.empty())
    return;
  SmallVector<unsigned> sums;
  size_t inFlight = 0;
  bool needsWait = true;
  for (GroupDotOp product : carried) {
    Operation *yield = loop.getBody()->getTerminator();
    unsigned number =
        unsigned(llvm::find(yield->getOperands(), product.getResult()) - yield->operand_begin());
    waitInBranches(product);
    sums.push_back(number);
    BlockArgument sum = loop.getRegionIterArg(number);
    SmallVector<GroupDotOp, 4> chain = chainTo(product);
    inFlight += chain.size();
    if (chain.back().getAcc() == sum && sum.hasOneUse())
      continue;
    waitForCarried(sum);
    needsWait = false;
  }
  if (needsWait && waited.empty()) {
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(carried.back());
    GroupWaitOp::create(builder, loop.getLoc(), TypeRange(), inFlight, ValueRange());
  }
  waitBehind(loop, sums);
}

void tilec::tile::insertGroupWaits(ArrayRef<GroupDotOp> products,
                                   const llvm::SmallPtrSetImpl<Operation *> &synchronous) {
  llvm::MapVector<Operation *, LoopWaits> loops;
  for (GroupDotOp product : products) {
    if (findNext(product))
      continue;
    auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
    if (!loop) {
      waitAfter(product);
      continue;
    }
    bool staysInFlight =
        loopThatCarries(product.getResult()) && !synchronous.contains(loop) &&
        llvm::all_of(chainTo(product), [&](GroupDotOp each) {
          return keepsFactor(loop, each.getLhs()) && keepsFactor(loop, each.getRhs());
        });
    loops.try_emplace(loop, loop).first->second.add(product, staysInFlight);
  }
  for (auto &[loop, waits] : loops)
    waits.insert();
}
