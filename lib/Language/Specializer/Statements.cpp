//===- Statements.cpp - Execution of statements -----------------*- C++ -*-===//
//
// Statement lists, assignments, returns. A list knows what follows it, because an early `return`
// under a run-time condition moves the rest of the list into a branch. After an error the next
// statement is tried, with the assigned names poisoned.
//
//===----------------------------------------------------------------------===//

#include "KernelInterpreter.h"

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

KernelInterpreter::KernelInterpreter(Interpreter &in)
    : in(in), builder(in.ir()), ops(in.tensors()) {}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

/// Tuples with more elements than this, inner ones included, are called a tuple.
static constexpr size_t maxDescribed = 32;

/// The type as a reader of the kernel writes it: tuples with their elements.
static std::string describeType(const Object &value) {
  if (value.isTensor())
    return typeStr(value.dtype(), value.shape());
  if (value.isString())
    return "constexpr str";
  if (!value.isTuple() || value.leafCount() > maxDescribed)
    return value.typeStr();
  std::string text = "(";
  for (const Object &element : value.elements())
    text += (text.size() > 1 ? ", " : "") + describeType(element);
  return text + (value.elements().size() == 1 ? ",)" : ")");
}

void KernelInterpreter::tellObserver(SMRange range, StringRef name, const Object &value) {
  const Frame *frame = in.innermost();
  if (value.hasPoison() || !frame || (frame->env && frame->env->isPrelude()))
    return;
  ObservedValue observed;
  observed.type = describeType(value);
  bool isValue = value.isNumber() || value.isString() || value.isNone() || value.isType() ||
                 (value.isTuple() && value.leafCount() <= maxDescribed && value.isConst());
  if (isValue)
    observed.constant = value.repr();
  observed.isBlock = value.isBlock();
  if (observed.isBlock)
    observed.place = value.value().getLoc();
  observer->observe(range, name, observed);
}

Flow KernelInterpreter::run(const JitFunction &function) {
  if (observer)
    for (const ast::Param &param : function.def->params)
      if (auto found = in.frame().scope.find(param.name); found != in.frame().scope.end())
        observe(param.nameRange, param.name, found->second.value);
  return execList(function.def->body, /*tail=*/true);
}

//===----------------------------------------------------------------------===//
// Lists of statements
//===----------------------------------------------------------------------===//

Flow KernelInterpreter::execList(StmtList list, bool tail) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (observer && observer->shouldStop())
      in.stop();
    if (!in.chargeStatement(list[i]->range()))
      return {};
    StmtList rest = list.drop_front(i + 1);
    bool tookRest = false;
    Flow flow = execStmt(*list[i], rest, tail, tookRest);
    if (tookRest || flow.bare)
      return flow;
    if (flow.always) {
      execDead(rest);
      return flow;
    }
    if (flow.maybe)
      return rest.empty()
                 ? flow
                 : execRestUnder(
                       flow.maybe, flow.values, [&] { return execList(rest, tail); }, tail);
  }
  return {};
}

/// Statements behind a static branch that returned: they are checked, but leave no code.
void KernelInterpreter::execDead(StmtList list) {
  if (list.empty())
    return;
  mlir::Region scratch;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&scratch);
    execList(list, /*tail=*/true);
  }
  // Names keep their types, which a merge with another branch may look at.
  for (auto &[name, binding] : in.frame().scope)
    if (std::optional<Object> zeros = zeroInside(binding.value, scratch))
      binding.value = *zeros;
}

Flow KernelInterpreter::execStmt(const ast::Stmt &stmt, StmtList rest, bool tail, bool &tookRest) {
  CallStack::DepthGuard nested(in, stmt.range());
  if (!nested)
    return {};
  CallStack::PlaceScope place(in, stmt.range());
  using Kind = ast::Stmt::Kind;
  switch (stmt.kind()) {
  case Kind::Assign:
    execAssign(llvm::cast<ast::Assign>(stmt));
    return {};
  case Kind::AnnAssign:
    execAnnAssign(llvm::cast<ast::AnnAssign>(stmt));
    return {};
  case Kind::AugAssign:
    execAugAssign(llvm::cast<ast::AugAssign>(stmt));
    return {};
  case Kind::ExprStmt:
    if (llvm::isa<ast::Constant>(llvm::cast<ast::ExprStmt>(stmt).value))
      return {}; // Docstrings, and '...' as an empty body.
    if (in.eval(*llvm::cast<ast::ExprStmt>(stmt).value).isBlockPointer())
      in.error(stmt.range(), "this block pointer is not used; a block pointer never changes, "
                             "tl.advance returns a new one");
    return {};
  case Kind::Pass:
    return {};
  case Kind::If:
    return execIf(llvm::cast<ast::If>(stmt), rest, tail, tookRest);
  case Kind::For:
    return execFor(llvm::cast<ast::For>(stmt));
  case Kind::While:
    execWhile(llvm::cast<ast::While>(stmt));
    return {};
  case Kind::Assert:
    execAssert(llvm::cast<ast::Assert>(stmt));
    return {};
  case Kind::Return:
    return execReturn(llvm::cast<ast::Return>(stmt));
  default:
    execUnsupported(stmt);
    return {};
  }
}

void KernelInterpreter::execUnsupported(const ast::Stmt &stmt) {
  auto what = [&]() -> std::string {
    switch (stmt.kind()) {
    case ast::Stmt::Kind::With:
      return "'with'";
    case ast::Stmt::Kind::Break:
      return "'break'";
    case ast::Stmt::Kind::Continue:
      return "'continue'";
    case ast::Stmt::Kind::Import:
    case ast::Stmt::Kind::ImportFrom:
      return "'import'";
    case ast::Stmt::Kind::FunctionDef:
      return "a nested function";
    case ast::Stmt::Kind::HostDef:
      return "a nested definition";
    default:
      return llvm::cast<ast::UnsupportedStmt>(stmt).what.str();
    }
  }();
  SMRange range = stmt.range();
  if (auto *with = llvm::dyn_cast<ast::With>(&stmt))
    range = with->items.front().context->range();
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(&stmt)) {
    range = function->nameRange;
    in.setName(function->name, Object::poison());
  }
  in.error(range, what + " is not supported in a kernel");
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

/// The first element inside a tuple that cannot become a run-time value, or null.
static const Object *findFixed(const Object &object, bool noneMayStay) {
  if (object.isTuple()) {
    for (const Object &element : object.elements())
      if (const Object *found = findFixed(element, noneMayStay))
        return found;
    return nullptr;
  }
  bool isValue = object.isTensor() || object.isNumber() || object.isCompound();
  return isValue || object.isPoison() || (object.isNone() && noneMayStay) ? nullptr : &object;
}

/// The value of a plain assignment: numbers become run-time values, and what has no place in a
/// variable is an error.
Object KernelInterpreter::assignable(const Object &value, SMRange range) {
  switch (value.kind()) {
  case Object::Kind::String:
  case Object::Kind::Function:
  case Object::Kind::Builtin:
  case Object::Kind::Method:
  case Object::Kind::BoundMethod:
  case Object::Kind::Module:
  case Object::Kind::File:
  case Object::Kind::Class:
  case Object::Kind::Enum:
    return in.error(range, "cannot assign " + value.typeStr() +
                               " to a variable; annotate the variable with tl.constexpr");
  case Object::Kind::Host:
    in.rejectHost(value, range);
    return Object::poison();
  case Object::Kind::Tuple:
    if (const Object *fixed = findFixed(value, /*noneMayStay=*/true))
      return in.error(range, "cannot assign a tuple that contains " + fixed->typeStr() +
                                 " to a variable; annotate the variable with tl.constexpr");
    return in.materializeDeep(value, range);
  default:
    return in.materializeDeep(value, range);
  }
}

void KernelInterpreter::assignTarget(const ast::Expr &target, const Object &value,
                                     SMRange valueRange) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target)) {
    in.setName(name->id, value);
    observe(name->range(), name->id, value);
    return;
  }
  if (auto *element = llvm::dyn_cast<ast::Subscript>(&target)) {
    auto *name = llvm::dyn_cast<ast::Name>(element->value);
    auto found = name ? in.frame().scope.find(name->id) : in.frame().scope.end();
    bool isTuple = found != in.frame().scope.end() && found->second.value.isTuple();
    in.error(target.range(),
             isTuple ? "elements of a tuple cannot be assigned, as in Triton; make a new tuple"
                     : "elements cannot be assigned; write to memory with tl.store");
    return;
  }
  if (llvm::isa<ast::Attribute>(target)) {
    in.error(target.range(), "attributes cannot be assigned in a kernel");
    return;
  }
  auto *tuple = llvm::dyn_cast<ast::Tuple>(&target);
  if (!tuple) {
    in.error(target.range(), "this assignment target is not supported");
    return;
  }
  bool poisoned = value.isPoison();
  if (!poisoned && !value.isTuple()) {
    in.error(valueRange, "cannot unpack " + value.typeStr() + " into " +
                             llvm::Twine(tuple->elements.size()) + " names");
    poisoned = true;
  }
  if (!poisoned && value.elements().size() < tuple->elements.size()) {
    in.error(valueRange, "expected a tuple of at least " + llvm::Twine(tuple->elements.size()) +
                             " elements, found " + llvm::Twine(value.elements().size()));
    poisoned = true;
  }
  for (auto [index, element] : llvm::enumerate(tuple->elements)) {
    if (llvm::isa<ast::Name>(element)) {
      assignTarget(*element, poisoned ? Object::poison() : value.elements()[index], valueRange);
      continue;
    }
    in.error(element->range(), "only names can be unpacked into");
    if (llvm::isa<ast::Tuple>(element)) // So that uses of its names are not errors, too.
      assignTarget(*element, Object::poison(), valueRange);
  }
}

void KernelInterpreter::execAssign(const ast::Assign &assign) {
  Object value = in.eval(*assign.value);
  if (assign.targets.size() > 1) {
    in.error(assign.targets[1]->range(), "several targets in one assignment are not supported");
    value = Object::poison();
  }
  if (!value.isPoison())
    value = assignable(value, assign.value->range());
  for (const ast::Expr *target : assign.targets)
    assignTarget(*target, value, assign.value->range());
}

void KernelInterpreter::execAnnAssign(const ast::AnnAssign &assign) {
  auto *name = llvm::dyn_cast<ast::Name>(assign.target);
  if (!name) {
    in.error(assign.target->range(), "only a name can be annotated in a kernel");
    return;
  }
  if (!assign.value) {
    in.error(assign.target->range(), "a declaration without a value is not supported in a kernel");
    return;
  }
  Object annotation;
  { // Annotations other than tl.constexpr say nothing, but their names must exist.
    CallStack::SilentScope silent(in);
    annotation = in.eval(*assign.annotation);
  }
  if (annotation.isPoison() && llvm::isa<ast::Name>(assign.annotation))
    in.eval(*assign.annotation);
  Object value = in.eval(*assign.value);
  if (!isConstexprType(annotation)) {
    assignTarget(*name, value.isPoison() ? value : assignable(value, assign.value->range()),
                 assign.value->range());
    return;
  }
  if (in.frame().scope.count(name->id)) {
    if (!in.frame().scope[name->id].value.isPoison())
      in.error(name->range(),
               "'" + name->id + "' is already defined; a constexpr cannot be reassigned");
    return;
  }
  // A run-time value stays one: the wrapper disappears wherever it is used.
  if (in.rejectHost(value, assign.value->range()))
    value = Object::poison();
  in.setName(name->id, value, /*plain=*/false);
  observe(name->range(), name->id, value);
}

void KernelInterpreter::execAugAssign(const ast::AugAssign &assign) {
  auto *name = llvm::dyn_cast<ast::Name>(assign.target);
  if (!name) {
    assignTarget(*assign.target, Object::poison(), assign.value->range());
    return;
  }
  Object left = in.eval(*assign.target), right = in.eval(*assign.value);
  Object value = in.binaryOp(assign.op, left, right, assign.target->range(), assign.value->range(),
                             assign.opRange, assign.range());
  assignTarget(*name, value.isPoison() ? value : assignable(value, assign.range()), assign.range());
}

void KernelInterpreter::execAssert(const ast::Assert &stmt) {
  CallInfo info;
  info.range = info.calleeRange = stmt.range();
  auto add = [&](const ast::Expr *expr) {
    Object value = in.eval(*expr);
    bool sound = !value.isPoison();
    info.positional.push_back({std::move(value), expr->range(), true});
    return sound;
  };
  if (!add(stmt.test) || (stmt.message && !add(stmt.message)))
    return;
  const Namespace *language = findNamespace("triton.language");
  in.call(*findMember(*language, "device_assert"), info);
}

//===----------------------------------------------------------------------===//
// Return
//===----------------------------------------------------------------------===//

Object KernelInterpreter::returnValue(const ast::Return &stmt) {
  if (!stmt.value)
    return Object::none();
  Object value = in.eval(*stmt.value);
  if (value.hasPoison())
    return Object::poison();
  // What a function that returns nothing returns.
  if (value.isNone() && llvm::isa<ast::Call>(stmt.value))
    return value;
  if (in.frame().isKernel)
    return in.error(stmt.value->range(), "a kernel cannot return a value; store it to memory");
  bool returnable = value.isTensor() || value.isNumber() || value.isCompound();
  if (!returnable)
    return in.error(stmt.value->range(), "a jit function cannot return " + value.typeStr() +
                                             (value.isNone() ? "; write 'return' alone" : ""));
  if (const Object *fixed = findFixed(value, /*noneMayStay=*/false))
    return in.error(stmt.value->range(),
                    "a jit function cannot return a tuple that contains " + fixed->typeStr());
  return in.materializeDeep(value, stmt.value->range());
}

Flow KernelInterpreter::execReturn(const ast::Return &stmt) {
  Flow flow;
  flow.always = flow.bare = true;
  if (in.frame().loopDepth) {
    in.error(stmt.range(), "'return' is not supported inside a run-time loop");
    return flow;
  }
  Object value = returnValue(stmt);
  if (value.hasPoison())
    return flow;
  if (!in.frame().returnShape) {
    in.frame().returnShape = value;
    in.frame().firstReturn = stmt.range();
  } else if (!sameType(*in.frame().returnShape, value)) {
    in.errorWithNote(stmt.range(),
                     "inconsistent return types: " + value.typeStr() + " here, " +
                         in.frame().returnShape->typeStr() + " before",
                     in.frame().firstReturn, "the other return is here");
    return flow;
  }
  flatten(value, flow.values);
  return flow;
}
