//===- Branches.cpp - if, conditional expressions, early return -*- C++ -*-===//
//
// A run-time `if` becomes scf.if: both branches are interpreted into regions of their own, starting
// from copies of the scope, and the names that differ at their ends become results.
//
// A `return` inside ends the function on that path. Structured control flow has no jump, so what
// follows the `if` moves into the branch that did not return; when both branches may return, an i1
// result tells whether one did, and the rest goes under a second scf.if. On a path that has
// returned, values that only later code would use are zero.
//
//===----------------------------------------------------------------------===//

#include "KernelInterpreter.h"

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// One branch while it is built.
struct KernelInterpreter::Branch {
  mlir::Region region;
  Scope scope; // At its end.
  Flow flow;

  mlir::Block &block() { return region.front(); }
};

/// A name that becomes a result of the scf.if.
struct KernelInterpreter::Merge {
  StringRef name;
  Object thenValue, elseValue;
};

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Object KernelInterpreter::runtimeCondition(const Object &condition, SMRange range) {
  Object scalar = condition;
  if (condition.isBlock()) {
    int64_t count = 1;
    for (int64_t size : condition.shape())
      count *= size;
    if (count != 1)
      return in.error(range, "a condition must be a scalar, found " + condition.typeStr());
    in.warning(range, "a block of one element is used as a condition");
    scalar = ops.item(condition);
  }
  return ops.toBool(scalar, range);
}

Flow KernelInterpreter::execIf(const ast::If &stmt, StmtList rest, bool tail, bool &tookRest) {
  Object condition = in.eval(*stmt.test);
  if (condition.isPoison()) {
    poisonAssigned(stmt.body);
    poisonAssigned(stmt.orelse);
    return {};
  }
  if (condition.isTensor()) {
    Object scalar = runtimeCondition(condition, stmt.test->range());
    if (!scalar.isPoison())
      return execRuntimeIf(stmt, scalar.value(), rest, tail, tookRest);
    poisonAssigned(stmt.body);
    poisonAssigned(stmt.orelse);
    return {};
  }
  std::optional<bool> taken = in.staticCondition(condition, stmt.test->range());
  if (!taken) {
    poisonAssigned(stmt.body);
    poisonAssigned(stmt.orelse);
    return {};
  }
  Flow flow = execList(*taken ? stmt.body : stmt.orelse, tail && rest.empty());
  flow.bare = false; // What follows a static `if` is still checked.
  return flow;
}

//===----------------------------------------------------------------------===//
// Branches and the names that leave them
//===----------------------------------------------------------------------===//

void KernelInterpreter::buildBranch(Branch &branch, llvm::function_ref<Flow()> body) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  Scope saved = in.frame().scope;
  builder.createBlock(&branch.region);
  branch.flow = body();
  branch.scope = std::move(in.frame().scope);
  in.frame().scope = std::move(saved);
}

/// None and types in variables are weak: a branch may replace them by anything.
static bool isWeak(const Object &object) { return object.isNone() || object.isType(); }

bool KernelInterpreter::mergeKnown(StringRef name, const Binding &before, const Object &thenValue,
                                   const Object &elseValue, SMRange range) {
  for (const Object *value : {&thenValue, &elseValue}) {
    if (sameType(*value, before.value))
      continue;
    in.error(range, "the initial value of '" + name + "' is of type " + before.value.typeStr() +
                        ", but the " + (value == &thenValue ? "then" : "else") +
                        " block redefines it as " + value->typeStr());
    return false;
  }
  return true;
}

void KernelInterpreter::mergeName(StringRef name, const Binding *before, const Binding &thenBinding,
                                  const Binding &elseBinding, SMRange range,
                                  llvm::SmallVectorImpl<Merge> &merges) {
  const Object &thenValue = thenBinding.value, &elseValue = elseBinding.value;
  if (thenValue.hasPoison() || elseValue.hasPoison() || (before && before->value.hasPoison())) {
    in.setName(name, Object::poison());
    return;
  }
  if (before && !isWeak(before->value)) {
    if (!mergeKnown(name, *before, thenValue, elseValue, range)) {
      in.setName(name, Object::poison());
      return;
    }
  } else if (isWeak(thenValue) && isWeak(elseValue)) {
    in.error(range, "'" + name + "' becomes " + thenValue.typeStr() +
                        " in both blocks, which a run-time 'if' cannot merge; assign it before");
    in.setName(name, Object::poison());
    return;
  } else if (!sameType(thenValue, elseValue)) {
    in.error(range, "mismatched type of '" + name + "' between the then block (" +
                        thenValue.typeStr() + ") and the else block (" + elseValue.typeStr() + ")");
    in.setName(name, Object::poison());
    return;
  }
  if (thenValue.identicalTo(elseValue))
    in.setName(name, thenValue);
  else
    merges.push_back({name, thenValue, elseValue});
}

void KernelInterpreter::mergeScopes(const Scope &before, Branch &thenBranch, Branch &elseBranch,
                                    SMRange range, llvm::SmallVectorImpl<Merge> &merges) {
  for (auto &[name, binding] : before) {
    const Binding &thenBinding = thenBranch.scope[name], &elseBinding = elseBranch.scope[name];
    bool inThen = !thenBinding.value.identicalTo(binding.value);
    bool inElse = !elseBinding.value.identicalTo(binding.value);
    // A weak name that one branch leaves alone keeps its value.
    if ((inThen && inElse) || ((inThen || inElse) && !isWeak(binding.value)))
      mergeName(name, &binding, thenBinding, elseBinding, range, merges);
  }
  for (auto &[name, binding] : thenBranch.scope) {
    if (before.count(name))
      continue;
    auto other = elseBranch.scope.find(name);
    if (other != elseBranch.scope.end() && binding.plain && other->second.plain)
      mergeName(name, nullptr, binding, other->second, range, merges);
    else
      in.frame().vanished[name] = {range, "this 'if' assigns it in one branch only"};
  }
  for (auto &[name, binding] : elseBranch.scope)
    if (!before.count(name) && !thenBranch.scope.count(name))
      in.frame().vanished[name] = {range, "this 'if' assigns it in one branch only"};
}

//===----------------------------------------------------------------------===//
// Building scf.if
//===----------------------------------------------------------------------===//

/// The run-time values inside an object.
static void leaves(const Object &object, llvm::SmallVectorImpl<Object> &result) {
  if (object.isTensor())
    result.push_back(object);
  else if (object.isCompound())
    for (const Object &element : object.elements())
      leaves(element, result);
}

/// True when `value` is defined in `region` or deeper. Regions under construction have no parent,
/// so the walk is our own.
static bool isInside(mlir::Region &region, mlir::Value value) {
  mlir::Region *at = value.getParentRegion();
  while (at && at != &region)
    at = at->getParentOp() ? at->getParentOp()->getParentRegion() : nullptr;
  return at;
}

/// A copy of `object` in which values from inside `region` are zeros, made at the insertion point;
/// nothing when there are none. Such a copy stands for the object where the region did not run.
std::optional<Object> KernelInterpreter::zeroInside(const Object &object, mlir::Region &region) {
  llvm::SmallVector<Object> parts;
  leaves(object, parts);
  if (llvm::none_of(parts, [&](const Object &part) { return isInside(region, part.value()); }))
    return std::nullopt;
  llvm::SmallVector<mlir::Value> values;
  for (const Object &part : parts)
    values.push_back(isInside(region, part.value()) ? ops.zero(part.dtype(), part.shape()).value()
                                                    : part.value());
  llvm::ArrayRef<mlir::Value> list = values;
  return rebuild(object, list);
}

/// The values that a branch returns; zeros when it does not return.
void KernelInterpreter::yieldReturn(Branch &branch, bool withFlag,
                                    llvm::SmallVectorImpl<mlir::Value> &values) {
  llvm::SmallVector<Object> shape;
  if (in.frame().returnShape)
    leaves(*in.frame().returnShape, shape);
  if (branch.flow.values.size() == shape.size())
    llvm::append_range(values, branch.flow.values);
  else
    for (const Object &leaf : shape)
      values.push_back(ops.zero(leaf.dtype(), leaf.shape()).value());
  if (!withFlag)
    return;
  values.push_back(branch.flow.maybe
                       ? branch.flow.maybe
                       : ops.constantInt(branch.flow.always, ScalarKind::Int1).value());
}

Flow KernelInterpreter::closeIf(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                                llvm::ArrayRef<Merge> merges) {
  bool returns = !thenBranch.flow.never() || !elseBranch.flow.never();
  bool both = thenBranch.flow.always && elseBranch.flow.always;
  // The condition itself tells when exactly one branch returns and always does.
  bool simple = (thenBranch.flow.always && elseBranch.flow.never()) ||
                (thenBranch.flow.never() && elseBranch.flow.always);
  bool withFlag = returns && !both && !simple;
  llvm::SmallVector<mlir::Value> yields[2];
  Branch *branches[] = {&thenBranch, &elseBranch};
  for (unsigned side = 0; side < 2; ++side) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&branches[side]->block());
    for (const Merge &merge : merges)
      flatten(side == 0 ? merge.thenValue : merge.elseValue, yields[side]);
    if (returns)
      yieldReturn(*branches[side], withFlag, yields[side]);
  }
  llvm::SmallVector<mlir::Value> all = emitIf(condition, thenBranch, elseBranch, yields);
  llvm::ArrayRef<mlir::Value> results = all;
  for (const Merge &merge : merges)
    in.setName(merge.name, rebuild(merge.thenValue, results));
  Flow flow;
  if (!returns)
    return flow;
  flow.always = both;
  if (withFlag) {
    flow.maybe = results.back();
    results = results.drop_back();
  } else if (!both) {
    flow.maybe = thenBranch.flow.always
                     ? condition
                     : ops.unary(ast::UnaryOpKind::Not, Object::tensor(condition, ScalarKind::Int1),
                                 in.here())
                           .value();
  }
  flow.values.assign(results.begin(), results.end());
  return flow;
}

llvm::SmallVector<mlir::Value>
KernelInterpreter::emitIf(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                          llvm::SmallVector<mlir::Value> (&yields)[2]) {
  if (yields[0].empty() && thenBranch.block().empty() && elseBranch.block().empty())
    return {};
  bool hasElse = !yields[0].empty() || !elseBranch.block().empty();
  mlir::Location loc = in.loc();
  Branch *branches[] = {&thenBranch, &elseBranch};
  for (unsigned side = 0; side < 2; ++side) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&branches[side]->block());
    mlir::scf::YieldOp::create(builder, loc, yields[side]);
  }
  auto op = mlir::scf::IfOp::create(builder, loc, mlir::ValueRange(yields[0]).getTypes(), condition,
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(thenBranch.region);
  if (hasElse)
    op.getElseRegion().takeBody(elseBranch.region);
  return llvm::to_vector_of<mlir::Value>(op.getResults());
}

//===----------------------------------------------------------------------===//
// The statement
//===----------------------------------------------------------------------===//

Flow KernelInterpreter::execRuntimeIf(const ast::If &stmt, mlir::Value condition, StmtList rest,
                                      bool tail, bool &tookRest) {
  Scope before = in.frame().scope;
  bool last = tail && rest.empty();
  Branch thenBranch, elseBranch;
  buildBranch(thenBranch, [&] { return execList(stmt.body, last); });
  buildBranch(elseBranch, [&] { return execList(stmt.orelse, last); });
  llvm::SmallVector<Merge> merges;
  mergeScopes(before, thenBranch, elseBranch, stmt.test->range(), merges);
  if (last)
    merges.clear(); // Nobody reads them.
  bool thenReturns = thenBranch.flow.always && elseBranch.flow.never();
  bool elseReturns = elseBranch.flow.always && thenBranch.flow.never();
  if (!rest.empty() && (thenReturns || elseReturns)) {
    tookRest = true;
    Branch &returning = thenReturns ? thenBranch : elseBranch;
    Branch &other = thenReturns ? elseBranch : thenBranch;
    for (const Merge &merge : merges)
      in.setName(merge.name, thenReturns ? merge.elseValue : merge.thenValue);
    continueInBranch(returning, other, [&] { return execList(rest, tail); }, tail, merges);
    if (elseReturns)
      for (Merge &merge : merges)
        std::swap(merge.thenValue, merge.elseValue);
  }
  Flow flow = closeIf(condition, thenBranch, elseBranch, merges);
  flow.bare = false;
  return flow;
}

/// Runs `rest` at the end of `other`, whose sibling `returning` has returned. Afterwards `merges`
/// are the names that must leave, with the returning side as then-value.
void KernelInterpreter::continueInBranch(Branch &returning, Branch &other,
                                         llvm::function_ref<Flow()> rest, bool tail,
                                         llvm::SmallVectorImpl<Merge> &merges) {
  merges.clear();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&other.block());
  other.flow = rest();
  if (tail)
    return;
  builder.setInsertionPointToEnd(&returning.block());
  for (auto &[name, binding] : in.frame().scope)
    if (std::optional<Object> zeros = zeroInside(binding.value, other.region))
      merges.push_back({name, *zeros, binding.value});
}

Flow KernelInterpreter::execRestUnder(mlir::Value returned, llvm::ArrayRef<mlir::Value> values,
                                      llvm::function_ref<Flow()> rest, bool tail) {
  Branch returning, other;
  returning.flow.always = true;
  returning.flow.values.assign(values.begin(), values.end());
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&returning.region);
    builder.createBlock(&other.region);
  }
  llvm::SmallVector<Merge> merges;
  continueInBranch(returning, other, rest, tail, merges);
  Flow flow = closeIf(returned, returning, other, merges);
  flow.bare = false;
  return flow;
}

//===----------------------------------------------------------------------===//
// Conditional expressions
//===----------------------------------------------------------------------===//

Object KernelInterpreter::evalIfExp(const ast::IfExp &ifExp, const Object &condition) {
  if (condition.isBlock())
    return in.error(ifExp.test->range(), "a condition must be a scalar, found " +
                                             condition.typeStr() + "; use tl.where");
  Object scalar = ops.toBool(condition, ifExp.test->range());
  Object values[2];
  Branch branches[2];
  const ast::Expr *sides[] = {ifExp.body, ifExp.orelse};
  for (unsigned side = 0; side < 2; ++side)
    buildBranch(branches[side], [&] {
      Object value = in.eval(*sides[side]);
      values[side] = value.isPoison() ? value : ops.materialize(value, sides[side]->range());
      return Flow();
    });
  if (values[0].isPoison() || values[1].isPoison())
    return Object::poison();
  if (!sameType(values[0], values[1]))
    return in.error(ifExp.range(),
                    "both sides of a run-time conditional must have one type, found " +
                        values[0].typeStr() + " and " + values[1].typeStr());
  llvm::SmallVector<mlir::Value> yields[2];
  for (unsigned side = 0; side < 2; ++side)
    yields[side].push_back(values[side].value());
  llvm::SmallVector<mlir::Value> results = emitIf(scalar.value(), branches[0], branches[1], yields);
  return Object::tensor(results.front(), values[0].dtype());
}
