//===- Loops.cpp - for, while, static_range ---------------------*- C++ -*-===//
//
// Run-time loops become scf.for and scf.while. Which names a loop carries is known only after its
// body was interpreted: every name that the body might assign gets an argument of the loop's block,
// and those that turn out unchanged lose it again. static_range interprets the body once for each
// value.
//
//===----------------------------------------------------------------------===//

#include "KernelInterpreter.h"

#include "Interpreter.h"
#include "Promotion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Most iterations of one static_range.
static constexpr int64_t maxUnroll = 1 << 16;

//===----------------------------------------------------------------------===//
// Names that a list of statements may assign
//===----------------------------------------------------------------------===//

using NameSet = llvm::SetVector<StringRef>;

static void assignedBy(const ast::Expr *target, NameSet &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    names.insert(name->id);
  else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    for (const ast::Expr *element : tuple->elements)
      assignedBy(element, names);
}

static void assignedIn(StmtList list, NameSet &names) {
  for (const ast::Stmt *stmt : list) {
    if (auto *assign = llvm::dyn_cast<ast::Assign>(stmt)) {
      for (const ast::Expr *target : assign->targets)
        assignedBy(target, names);
    } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(stmt)) {
      assignedBy(annotated->target, names);
    } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(stmt)) {
      assignedBy(augmented->target, names);
    } else if (auto *branch = llvm::dyn_cast<ast::If>(stmt)) {
      assignedIn(branch->body, names);
      assignedIn(branch->orelse, names);
    } else if (auto *loop = llvm::dyn_cast<ast::For>(stmt)) {
      assignedBy(loop->target, names);
      assignedIn(loop->body, names);
    } else if (auto *loop = llvm::dyn_cast<ast::While>(stmt)) {
      assignedIn(loop->body, names);
    }
  }
}

void KernelInterpreter::poisonAssigned(StmtList list) {
  NameSet names;
  assignedIn(list, names);
  for (StringRef name : names)
    in.setName(name, Object::poison());
}

void KernelInterpreter::poisonLoop(const ast::For &stmt) {
  NameSet names;
  assignedBy(stmt.target, names);
  for (StringRef name : names)
    in.setName(name, Object::poison());
  poisonAssigned(stmt.body);
}

//===----------------------------------------------------------------------===//
// Carried names
//===----------------------------------------------------------------------===//

/// The names that a run-time loop may carry.
struct KernelInterpreter::LoopVars {
  struct Var {
    StringRef name;
    Object initial;
    unsigned firstArg = 0; // Of the block the loop's body starts with.
    unsigned numArgs = 0;
  };
  Scope before;
  llvm::SmallVector<Var> vars;
  llvm::SmallVector<mlir::Value> initial; // All initial values, flattened.
  llvm::SmallVector<mlir::Value> final;   // What the body yields for the carried ones.
  mlir::Region region;                    // The body.
};

void KernelInterpreter::collectCarried(StmtList body, StringRef target, LoopVars &vars) {
  vars.before = in.frame().scope;
  NameSet names;
  assignedIn(body, names);
  for (StringRef name : names) {
    auto found = in.frame().scope.find(name);
    if (found == in.frame().scope.end() || name == target)
      continue;
    const Object &value = found->second.value;
    if (!value.isTensor() && !value.isCompound())
      continue;
    unsigned first = vars.initial.size();
    flatten(value, vars.initial);
    vars.vars.push_back({name, value, first, unsigned(vars.initial.size()) - first});
  }
}

void KernelInterpreter::bindCarried(LoopVars &vars, llvm::ArrayRef<mlir::BlockArgument> args) {
  llvm::SmallVector<mlir::Value> values(args.begin(), args.end());
  for (const LoopVars::Var &var : vars.vars) {
    llvm::ArrayRef<mlir::Value> own =
        llvm::ArrayRef<mlir::Value>(values).slice(var.firstArg, var.numArgs);
    in.setName(var.name, rebuild(var.initial, own));
  }
}

/// Reports a name whose value cannot change in a loop, and tells whether there was one.
void KernelInterpreter::checkUncarried(const LoopVars &vars, StringRef target, SMRange range) {
  for (auto &[name, before] : vars.before) {
    bool carried =
        llvm::any_of(vars.vars, [&, name = name](auto &var) { return var.name == name; });
    const Object &after = in.frame().scope[name].value;
    if (carried || name == target || after.identicalTo(before.value) || after.hasPoison() ||
        before.value.hasPoison())
      continue;
    in.error(range,
             "'" + name + "' is " + before.value.typeStr() + " before the loop and cannot become " +
                 after.typeStr() + " in it" +
                 (before.value.isNumber() ? "; assign it to a variable before the loop" : ""));
  }
}

/// Finds out which names the body changed, fills `vars.final` with their values at its end, and
/// takes the arguments of the others away. `offset` arguments precede the carried ones.
void KernelInterpreter::settleCarried(LoopVars &vars, mlir::Block &block, unsigned offset,
                                      SMRange range) {
  llvm::SmallVector<LoopVars::Var> kept;
  llvm::BitVector unused(block.getNumArguments());
  llvm::SmallVector<mlir::Value> initial;
  for (const LoopVars::Var &var : vars.vars) {
    Object after = in.frame().scope[var.name].value;
    bool failed = after.hasPoison();
    if (!failed && !sameType(after, var.initial)) {
      in.error(range, "the loop-carried variable '" + var.name + "' is of type " +
                          var.initial.typeStr() + " before the loop but becomes " +
                          after.typeStr() + " in it");
      failed = true;
    }
    llvm::SmallVector<mlir::Value> values;
    if (!failed)
      flatten(after, values);
    auto args = block.getArguments().slice(offset + var.firstArg, var.numArgs);
    bool changed = !failed && !std::equal(values.begin(), values.end(), args.begin(), args.end());
    if (!changed) {
      for (auto [index, arg] : llvm::enumerate(args)) {
        arg.replaceAllUsesWith(vars.initial[var.firstArg + index]);
        unused.set(arg.getArgNumber());
      }
      vars.before[var.name].value = failed ? Object::poison() : var.initial;
      continue;
    }
    kept.push_back({var.name, var.initial, unsigned(initial.size()), var.numArgs});
    llvm::append_range(initial,
                       llvm::ArrayRef<mlir::Value>(vars.initial).slice(var.firstArg, var.numArgs));
    llvm::append_range(vars.final, values);
  }
  replaceErased(vars, block, unused);
  block.eraseArguments(unused);
  vars.vars = std::move(kept);
  vars.initial = std::move(initial);
}

/// The yielded values may be arguments that are about to disappear: take their initial values.
void KernelInterpreter::replaceErased(LoopVars &vars, mlir::Block &block,
                                      const llvm::BitVector &unused) {
  unsigned offset = block.getNumArguments() - vars.initial.size();
  for (mlir::Value &value : vars.final)
    if (auto arg = llvm::dyn_cast<mlir::BlockArgument>(value))
      if (arg.getOwner() == &block && unused.test(arg.getArgNumber()))
        value = vars.initial[arg.getArgNumber() - offset];
}

/// After the loop: names that were visible before it, the carried ones with the loop's results.
void KernelInterpreter::bindResults(LoopVars &vars, mlir::ValueRange results, SMRange range) {
  for (auto &[name, binding] : in.frame().scope)
    if (!vars.before.count(name))
      in.frame().vanished[name] = {range, "names assigned in a loop are not visible after it"};
  in.frame().scope = vars.before;
  llvm::SmallVector<mlir::Value> values(results.begin(), results.end());
  for (const LoopVars::Var &var : vars.vars) {
    llvm::ArrayRef<mlir::Value> own =
        llvm::ArrayRef<mlir::Value>(values).slice(var.firstArg, var.numArgs);
    in.setName(var.name, rebuild(var.initial, own));
  }
}

void KernelInterpreter::runLoopBody(StmtList body) {
  ++in.frame().loopDepth;
  execList(body, /*tail=*/false);
  --in.frame().loopDepth;
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

Flow KernelInterpreter::execFor(const ast::For &stmt) {
  auto fail = [&](SMRange range, const llvm::Twine &message) {
    in.error(range, message);
    poisonLoop(stmt);
    return Flow();
  };
  if (!stmt.orelse.empty())
    return fail(stmt.orelse.front()->range(), "'else' after a loop is not supported in a kernel");
  if (!llvm::isa<ast::Name>(stmt.target))
    return fail(stmt.target->range(), "the target of a loop must be one name");
  auto *iter = llvm::dyn_cast<ast::Call>(stmt.iter);
  Object callee = iter ? in.eval(*iter->callee) : Object::none();
  const Builtin *builtin = callee.is(Object::Kind::Builtin) ? callee.asBuiltin() : nullptr;
  if (!builtin || (!isRangeLike(*builtin) && !isStaticRange(*builtin))) {
    poisonLoop(stmt);
    if (!callee.isPoison())
      in.error(stmt.iter->range(), "a loop runs over range, tl.range or tl.static_range only");
    return {};
  }
  CallInfo info;
  info.range = iter->range();
  info.calleeRange = iter->callee->range();
  if (!in.evalArguments(*iter, info)) {
    poisonLoop(stmt);
    return {};
  }
  if (isStaticRange(*builtin))
    return execStaticRange(stmt, *builtin, info);
  execRange(stmt, *builtin, info);
  return {};
}

/// The bounds of a run-time loop.
struct KernelInterpreter::RangeArgs {
  Object lower, upper, step; // Scalars of one integer type; the step is positive.
  bool descending = false;   // The step was a negative constexpr.
  int64_t numStages = 1;     // Iterations whose loads may be in flight at once.
  bool flatten = false, warpSpecialize = false;
};

Object KernelInterpreter::rangeBound(const Arg &arg) {
  if (arg.value.isScalarTensor() && arg.value.dtype().isInt())
    return arg.value;
  if (arg.value.isIntLike())
    return ops.materialize(arg.value, arg.range);
  return in.error(arg.range, "a loop bound must be a scalar integer, found " + arg.value.typeStr());
}

bool KernelInterpreter::readStages(Args &args, RangeArgs &result) {
  constexpr unsigned numStages = 3; // Its place among the arguments.
  constexpr int64_t most = 64;
  if (args[numStages].isNone())
    return true;
  const Object &value = args[numStages];
  if (!value.isIntLike() || value.asInt().isNegative() || value.asInt().getZExtValue() > most) {
    in.error(args.range(numStages), "num_stages must be a constexpr integer from 0 to " +
                                        llvm::Twine(most) + ", found " + value.typeStr());
    return false;
  }
  result.numStages = value.asInt().getZExtValue();
  return true;
}

std::optional<KernelInterpreter::RangeArgs> KernelInterpreter::rangeArgs(const Builtin &builtin,
                                                                         CallInfo &info) {
  Args args(in, builtin, info);
  if (!in.bindBuiltin(args, nullptr, info))
    return std::nullopt;
  // range(end), range(start, end), range(start, end, step).
  bool single = args[1].isNone();
  Arg zero{Object::integer(0), info.range, true}, one{Object::integer(1), info.range, true};
  Arg lower = single ? zero : args.arg(0), upper = args.arg(single ? 0 : 1);
  Arg step = args[2].isNone() ? one : args.arg(2);
  RangeArgs result;
  if (step.value.isIntLike() && step.value.asInt().isZero()) {
    in.error(step.range, "the step of a loop cannot be zero");
    return std::nullopt;
  }
  if (step.value.isIntLike() && step.value.asInt().isNegative()) {
    result.descending = true;
    step.value = Object::integer(-step.value.asInt().sext(step.value.asInt().getBitWidth() + 1));
  }
  result.lower = rangeBound(lower);
  result.upper = rangeBound(upper);
  result.step = rangeBound(step);
  constexpr unsigned flatten = 6, warpSpecialize = 7; // Their places among the arguments.
  if (!readStages(args, result))
    return std::nullopt;
  std::optional<bool> isFlat = args.boolean(flatten), isSpecialized = args.boolean(warpSpecialize);
  if (!isFlat || !isSpecialized)
    return std::nullopt;
  result.flatten = *isFlat;
  result.warpSpecialize = *isSpecialized;
  if (result.lower.isPoison() || result.upper.isPoison() || result.step.isPoison())
    return std::nullopt;
  DType type =
      promoteInts(promoteInts(result.lower.dtype(), result.upper.dtype()), result.step.dtype());
  if (type.isBool())
    type = ScalarKind::Int32;
  for (Object *bound : {&result.lower, &result.upper, &result.step})
    *bound = ops.cast(*bound, type, info.range);
  return result;
}

void KernelInterpreter::execRange(const ast::For &stmt, const Builtin &builtin, CallInfo &info) {
  if (std::optional<RangeArgs> args = rangeArgs(builtin, info))
    emitFor(stmt, *args);
  else
    poisonLoop(stmt);
}

void KernelInterpreter::emitFor(const ast::For &stmt, const RangeArgs &args) {
  StringRef target = llvm::cast<ast::Name>(stmt.target)->id;
  // After the loop the target has no defined value, but keeps its type. Where it has that type
  // already, it stays as it is, so that a loop around this one need not carry it.
  auto old = in.frame().scope.find(target);
  if (old == in.frame().scope.end() || !sameType(old->second.value, args.lower))
    in.setName(target, args.lower);
  LoopVars vars;
  collectCarried(stmt.body, target, vars);
  Object from = args.descending ? args.upper : args.lower;
  Object to = args.descending ? args.lower : args.upper;
  mlir::Location loc = in.loc();
  mlir::Block *block;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    block = builder.createBlock(&vars.region);
    mlir::BlockArgument counter = block->addArgument(from.value().getType(), loc);
    for (mlir::Value value : vars.initial)
      block->addArgument(value.getType(), loc);
    Object index = Object::tensor(counter, from.dtype());
    // Counting up from `upper` mirrors to counting down from `lower`.
    if (args.descending)
      index = ops.rawBinaryUnchecked(ast::BinaryOp::Add,
                                     ops.rawBinaryUnchecked(ast::BinaryOp::Sub, to, index), from);
    in.setName(target, index);
    observe(stmt.target->range(), target, index);
    bindCarried(vars, block->getArguments().drop_front());
    runLoopBody(stmt.body);
    checkUncarried(vars, target, stmt.iter->range());
    settleCarried(vars, *block, /*offset=*/1, stmt.iter->range());
    builder.setInsertionPointToEnd(block);
    mlir::scf::YieldOp::create(builder, loc, vars.final);
  }
  auto op = mlir::scf::ForOp::create(builder, loc, from.value(), to.value(), args.step.value(),
                                     vars.initial, [](auto &&...) {});
  op.getRegion().takeBody(vars.region);
  if (args.numStages > 1)
    op->setAttr(tilec::tile::kNumStagesAttr, builder.getI32IntegerAttr(args.numStages));
  if (args.flatten)
    op->setAttr(tilec::tile::kFlattenAttr, builder.getUnitAttr());
  if (args.warpSpecialize)
    op->setAttr(tilec::tile::kWarpSpecializeAttr, builder.getUnitAttr());
  bindResults(vars, op.getResults(), stmt.iter->range());
}

//===----------------------------------------------------------------------===//
// static_range
//===----------------------------------------------------------------------===//

Flow KernelInterpreter::unroll(const ast::For &stmt, int64_t at, int64_t end, int64_t step) {
  StringRef target = llvm::cast<ast::Name>(stmt.target)->id;
  for (; step > 0 ? at < end : at > end; at += step) {
    in.setName(target, Object::integer(at), /*plain=*/false);
    observe(stmt.target->range(), target, Object::integer(at));
    if (!in.chargeStatement(stmt.range()))
      return {};
    Flow flow = execList(stmt.body, /*tail=*/false);
    flow.bare = false;
    if (flow.always)
      return flow;
    if (flow.maybe)
      return execRestUnder(
          flow.maybe, flow.values, [&] { return unroll(stmt, at + step, end, step); },
          /*tail=*/false);
  }
  return {};
}

Flow KernelInterpreter::execStaticRange(const ast::For &stmt, const Builtin &builtin,
                                        CallInfo &info) {
  Args args(in, builtin, info);
  auto fail = [&] {
    poisonLoop(stmt);
    return Flow();
  };
  if (!in.bindBuiltin(args, nullptr, info))
    return fail();
  bool single = args[1].isNone();
  std::optional<int64_t> first = args.integer(0);
  std::optional<int64_t> second = single ? first : args.integer(1);
  std::optional<int64_t> step = args[2].isNone() ? std::optional<int64_t>(1) : args.integer(2);
  if (!first || !second || !step)
    return fail();
  int64_t from = single ? 0 : *first, to = *second;
  if (*step == 0) {
    in.error(info.range, "the step of a loop cannot be zero");
    return fail();
  }
  // In unsigned arithmetic the distance of any two bounds is exact.
  uint64_t distance = *step > 0 ? (to > from ? uint64_t(to) - uint64_t(from) : 0)
                                : (from > to ? uint64_t(from) - uint64_t(to) : 0);
  uint64_t stride = *step > 0 ? uint64_t(*step) : uint64_t(0) - uint64_t(*step);
  if (distance / stride >= uint64_t(maxUnroll)) {
    in.error(info.range, "tl.static_range would unroll " + llvm::Twine(distance / stride) +
                             " iterations; at most " + llvm::Twine(maxUnroll) +
                             " are allowed, use tl.range");
    return fail();
  }
  if (distance == 0)
    return {};
  // A stride beyond the distance takes one iteration; shorten it so that the counter cannot
  // overflow.
  if (stride > distance)
    *step = *step > 0 ? int64_t(1) : int64_t(-1), to = from + *step;
  return unroll(stmt, from, to, *step);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

mlir::Value KernelInterpreter::whileCondition(const ast::While &stmt) {
  const ast::Expr *test = stmt.test;
  if (auto *call = llvm::dyn_cast<ast::Call>(test)) {
    Object callee = in.eval(*call->callee);
    if (callee.is(Object::Kind::Builtin) && isCondition(*callee.asBuiltin()) && !call->args.empty())
      test = call->args.front();
  }
  Object condition = in.eval(*test);
  if (condition.isPoison())
    return {};
  if (!condition.isScalarTensor() || !condition.dtype().isBool()) {
    in.error(test->range(), "the condition of 'while' must be a run-time int1 scalar, found " +
                                condition.typeStr());
    return {};
  }
  return condition.value();
}

void KernelInterpreter::execWhile(const ast::While &stmt) {
  if (!stmt.orelse.empty())
    in.error(stmt.orelse.front()->range(), "'else' after a loop is not supported in a kernel");
  LoopVars vars;
  collectCarried(stmt.body, "", vars);
  mlir::Location loc = in.loc();
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : vars.initial)
    types.push_back(value.getType());
  llvm::SmallVector<mlir::Location> locs(types.size(), loc);
  mlir::Region beforeRegion;
  mlir::Block *before, *body;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    before = builder.createBlock(&beforeRegion, {}, types, locs);
    bindCarried(vars, before->getArguments());
    mlir::Value condition = whileCondition(stmt);
    if (!condition) {
      in.frame().scope = vars.before;
      poisonAssigned(stmt.body);
      return;
    }
    mlir::scf::ConditionOp::create(builder, loc, condition, before->getArguments());
    body = builder.createBlock(&vars.region, {}, types, locs);
    bindCarried(vars, body->getArguments());
    runLoopBody(stmt.body);
    checkUncarried(vars, "", stmt.test->range());
    settleWhile(vars, *before, *body, stmt.test->range());
    builder.setInsertionPointToEnd(body);
    mlir::scf::YieldOp::create(builder, loc, vars.final);
  }
  auto op = mlir::scf::WhileOp::create(builder, loc, mlir::ValueRange(vars.initial).getTypes(),
                                       vars.initial);
  op.getBefore().takeBody(beforeRegion);
  op.getAfter().takeBody(vars.region);
  bindResults(vars, op.getResults(), stmt.test->range());
}

/// Like settleCarried, for both regions of a while.
void KernelInterpreter::settleWhile(LoopVars &vars, mlir::Block &before, mlir::Block &body,
                                    SMRange range) {
  llvm::SmallVector<mlir::Value> initial = vars.initial;
  llvm::SmallVector<LoopVars::Var> all = vars.vars;
  settleCarried(vars, body, /*offset=*/0, range);
  llvm::BitVector unused(before.getNumArguments());
  auto condition = llvm::cast<mlir::scf::ConditionOp>(before.back());
  for (const LoopVars::Var &var : all) {
    if (llvm::any_of(vars.vars, [&](auto &kept) { return kept.name == var.name; }))
      continue;
    for (unsigned i = var.firstArg; i < var.firstArg + var.numArgs; ++i) {
      before.getArgument(i).replaceAllUsesWith(initial[i]);
      unused.set(i);
    }
  }
  llvm::SmallVector<mlir::Value> passed;
  for (mlir::BlockArgument arg : before.getArguments())
    if (!unused.test(arg.getArgNumber()))
      passed.push_back(arg);
  condition.getArgsMutable().assign(passed);
  before.eraseArguments(unused);
}
