//===- Expressions.cpp - Evaluation of expressions --------------*- C++ -*-===//
//
// One method for each kind of expression. Compile-time operands are computed with Python's rules;
// as soon as a run-time value takes part, TensorOps emits code.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"
#include "Interpreter.h"
#include "KernelInterpreter.h"
#include "llvm/Support/Process.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

Object Interpreter::eval(const ast::Expr &expr) {
  DepthGuard nested(*this, expr.range());
  if (!nested)
    return Object::poison();
  PlaceScope place(*this, expr.range());
  return evalKind(expr);
}

Object Interpreter::evalKind(const ast::Expr &expr) {
  using Kind = ast::Expr::Kind;
  switch (expr.kind()) {
  case Kind::Name: {
    auto &name = llvm::cast<ast::Name>(expr);
    Object value = evalName(name);
    kernel().observe(name.range(), name.id, value);
    return value;
  }
  case Kind::Constant:
    return evalConstant(llvm::cast<ast::Constant>(expr));
  case Kind::JoinedStr:
    return evalFString(llvm::cast<ast::JoinedStr>(expr));
  case Kind::Tuple:
    return evalSequence(llvm::cast<ast::Tuple>(expr).elements);
  case Kind::List: {
    Object items = evalSequence(llvm::cast<ast::List>(expr).elements);
    return items.isPoison() || !frame().host ? items : Object::listOf(items.elements());
  }
  case Kind::ListComp:
    return evalListComp(llvm::cast<ast::ListComp>(expr));
  case Kind::Dict:
    return frame().host ? host().evalDict(llvm::cast<ast::Dict>(expr))
                        : error(expr.range(), "a dictionary is not supported in a kernel");
  case Kind::Set:
    return error(expr.range(), frame().host ? "a set is not supported, except after 'in'"
                                            : "a set is not supported in a kernel");
  case Kind::BinOp: {
    auto &binary = llvm::cast<ast::BinOp>(expr);
    Object left = eval(*binary.left), right = eval(*binary.right);
    return binaryOp(binary.op, left, right, binary.left->range(), binary.right->range(),
                    binary.opRange, binary.range());
  }
  case Kind::UnaryOp:
    return evalUnary(llvm::cast<ast::UnaryOp>(expr));
  case Kind::BoolOp:
    return evalBool(llvm::cast<ast::BoolOp>(expr));
  case Kind::Compare:
    return evalCompare(llvm::cast<ast::Compare>(expr));
  case Kind::IfExp:
    return evalIfExp(llvm::cast<ast::IfExp>(expr));
  case Kind::Call:
    return evalCall(llvm::cast<ast::Call>(expr));
  case Kind::Attribute: {
    auto &attr = llvm::cast<ast::Attribute>(expr);
    Object object = eval(*attr.value);
    return attribute(object, attr.attr, attr.range(), attr.attrRange);
  }
  case Kind::Subscript:
    return evalSubscript(llvm::cast<ast::Subscript>(expr));
  case Kind::Slice:
    return error(expr.range(), "a slice is allowed inside '[]' only");
  case Kind::Starred:
    return error(expr.range(), "'*' is allowed before an argument of a call only");
  case Kind::Lambda:
    return frame().host ? host().evalLambda(llvm::cast<ast::Lambda>(expr))
                        : error(expr.range(), "a lambda is not supported in a kernel");
  case Kind::NamedExpr:
    return frame().host
               ? host().evalNamedExpr(llvm::cast<ast::NamedExpr>(expr))
               : error(expr.range(), "an assignment expression is not supported in a kernel");
  case Kind::Unsupported:
    return error(expr.range(),
                 llvm::cast<ast::UnsupportedExpr>(expr).what + " is not supported in a kernel");
  }
  llvm_unreachable("unknown expression");
}

//===----------------------------------------------------------------------===//
// Names and literals
//===----------------------------------------------------------------------===//

/// Triton's switch for kernels that read plain numbers of their module.
static bool plainGlobalsAllowed() {
  std::optional<std::string> value =
      llvm::sys::Process::GetEnv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS");
  return value && (*value == "1" || StringRef(*value).equals_insensitive("true") ||
                   StringRef(*value).equals_insensitive("yes") ||
                   StringRef(*value).equals_insensitive("on"));
}

Object Interpreter::evalName(const ast::Name &name) {
  for (const Frame *at = innermost(); at; at = at->outer) {
    auto local = at->scope.find(name.id);
    if (local != at->scope.end())
      return local->second.value;
  }
  if (std::optional<Object> global = frame().env->lookup(name.id)) {
    SMRange definition;
    if (!frame().host && global->is(Object::Kind::Class) && global->asClass()->isEnum())
      return Object::host(saver.save("the class '" + global->asClass()->name + "'"),
                          global->asClass()->definition);
    if (!frame().host && frame().env->isPlainGlobal(name.id, definition) && !plainGlobalsAllowed())
      return errorWithNote(name.range(),
                           "cannot read the global '" + name.id +
                               "' in a kernel: it is not a tl.constexpr",
                           definition,
                           "defined here; write '" + name.id +
                               " = tl.constexpr(...)' to make it a compile-time value");
    return *global;
  }
  if (const Builtin *builtin = findPythonBuiltin(name.id))
    if (frame().host || !(builtin->flags & Hidden))
      return Object::builtin(builtin);
  return undefinedName(name);
}

Object Interpreter::undefinedName(const ast::Name &name) {
  auto gone = frame().vanished.find(name.id);
  if (gone != frame().vanished.end())
    return errorWithNote(name.range(), "'" + name.id + "' is not defined here", gone->second.range,
                         gone->second.why);
  SMRange import;
  if (const MissingValue *missing = frame().env->missingStar(import))
    return errorWithNote(name.range(), "'" + name.id + "' is not defined", import, missing->note);
  llvm::SmallVector<StringRef, 64> candidates = {"True", "False", "None"};
  for (auto &[id, binding] : frame().scope)
    candidates.push_back(id);
  frame().env->listNames(candidates);
  listPythonBuiltins(candidates);
  return errorWithHint(name.range(), "'" + name.id + "' is not defined",
                       closestName(name.id, candidates), name.range());
}

Object Interpreter::evalConstant(const ast::Constant &constant) {
  using Type = ast::Constant::Type;
  switch (constant.type()) {
  case Type::Int:
    if (constant.intValue().getSignificantBits() > maxConstBits)
      return error(constant.range(), "the integer is too large");
    return Object::integer(constant.intValue());
  case Type::Float:
    return Object::real(constant.floatValue());
  case Type::Bool:
    return Object::boolean(constant.boolValue());
  case Type::String:
    return Object::string(constant.stringValue());
  case Type::None:
    return Object::none();
  case Type::Ellipsis:
    return error(constant.range(), "'...' is not supported in a kernel");
  }
  llvm_unreachable("unknown constant");
}

Object Interpreter::evalSequence(llvm::ArrayRef<ast::Expr *> elements) {
  Object::List items;
  for (const ast::Expr *element : elements) {
    auto *starred = frame().host ? llvm::dyn_cast<ast::Starred>(element) : nullptr;
    if (starred) { // [*a, b]
      Object sequence = host().iterate(eval(*starred->value), element->range());
      if (sequence.isPoison())
        return sequence;
      llvm::append_range(items, sequence.elements());
      continue;
    }
    items.push_back(eval(*element));
    if (items.back().isPoison())
      return Object::poison();
  }
  return boundedTuple(std::move(items));
}

/// Tuples of tuples can double at each step; their total size is bounded.
Object Interpreter::boundedTuple(Object::List items) {
  Object result = Object::tuple(std::move(items));
  if (result.leafCount() > maxConstElements)
    return error(here(), "the tuple has more than " + llvm::Twine(maxConstElements) + " elements");
  return result;
}

Object Interpreter::evalListComp(const ast::ListComp &comp) {
  if ((comp.isGenerator || comp.key) && !frame().host)
    return error(comp.range(), comp.key ? "a dictionary comprehension is not supported in a kernel"
                                        : "a generator expression is not supported in a kernel");
  if (frame().host)
    return host().evalComp(comp);
  const ast::Comprehension &generator = comp.generators.front();
  if (comp.generators.size() > 1)
    return error(comp.generators[1].range, "a comprehension with two 'for' is not supported");
  if (!generator.conditions.empty())
    return error(generator.conditions.front()->range(),
                 "a condition in a comprehension is not supported");
  auto *target = llvm::dyn_cast<ast::Name>(generator.target);
  if (!target)
    return error(generator.target->range(), "the target of a comprehension must be a name");
  Object sequence = eval(*generator.iter);
  if (sequence.isPoison())
    return sequence;
  if (!sequence.isTuple())
    return error(generator.iter->range(),
                 "a comprehension runs over a tuple, found " + sequence.typeStr());
  Object::List items;
  for (const Object &element : sequence.elements()) {
    setName(target->id, element);
    items.push_back(eval(*comp.element));
    if (items.back().isPoison())
      return Object::poison();
  }
  return boundedTuple(std::move(items));
}

Object Interpreter::evalFString(const ast::JoinedStr &joined) {
  std::string text;
  for (const ast::FStringPart &part : joined.parts) {
    text += part.text;
    if (!part.value)
      continue;
    Object value = eval(*part.value);
    if (value.isPoison())
      return value;
    if (!value.isConst())
      return error(part.value->range(),
                   "an f-string shows compile-time values only, found " + value.typeStr());
    bool asRepr = part.conversion == 'r' || part.conversion == 'a';
    Object shown = asRepr ? Object::string(saver.save(value.repr())) : value;
    if (frame().host && part.spec) { // Kernels pass over it, as in Triton.
      Object spec = evalFString(*part.spec);
      if (spec.isPoison())
        return spec;
      std::string problem;
      std::optional<std::string> formatted = formatValue(shown, spec.asString(), problem);
      if (!formatted)
        return error(part.value->range(), problem);
      text += *formatted;
    } else {
      text += shown.str();
    }
    if (text.size() > maxConstElements)
      return error(part.value->range(), "the string is too long");
  }
  return Object::string(saver.save(text));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Object Interpreter::binaryOp(ast::BinaryOp op, const Object &left, const Object &right,
                             SMRange leftRange, SMRange rightRange, SMRange opRange,
                             SMRange range) {
  if (left.isPoison() || right.isPoison())
    return Object::poison();
  bool numeric = (left.isTensor() || left.isNumber()) && (right.isTensor() || right.isNumber());
  if (numeric && (left.isTensor() || right.isTensor()))
    return ops.binary(op, left, right, leftRange, rightRange, opRange);
  if (rejectHost(left, leftRange) || rejectHost(right, rightRange))
    return Object::poison();
  if (inHost() && op == ast::BinaryOp::Mod && left.isString())
    return formatPercent(*this, left.asString(), right, range);
  ConstResult result = constBinary(op, left, right, saver);
  if (!result.error.empty())
    return error(opRange.isValid() ? opRange : range, result.error);
  return result.object;
}

Object Interpreter::evalUnary(const ast::UnaryOp &unary) {
  Object operand = eval(*unary.operand);
  if (operand.isPoison())
    return operand;
  if (operand.isTensor())
    return ops.unary(unary.op, operand, unary.range());
  if (rejectHost(operand, unary.operand->range()))
    return Object::poison();
  ConstResult result = constUnary(unary.op, operand);
  if (!result.error.empty())
    return error(unary.range(), result.error);
  return result.object;
}

Object Interpreter::evalBool(const ast::BoolOp &boolean) {
  bool isAnd = boolean.op == ast::BoolOpKind::And;
  llvm::SmallVector<Object, 4> operands;
  llvm::SmallVector<SMRange, 4> ranges;
  Object last;
  for (const ast::Expr *expr : boolean.operands) {
    Object operand = eval(*expr);
    if (operand.isPoison() || rejectHost(operand, expr->range()))
      return Object::poison();
    last = operand;
    if (operand.isTensor()) {
      operands.push_back(operand);
      ranges.push_back(expr->range());
      continue;
    }
    // A deciding compile-time operand is the result; a neutral one drops out.
    if (constTruth(operand) != isAnd)
      return operand;
  }
  if (operands.empty())
    return last;
  return combineBool(boolean, operands, ranges);
}

Object Interpreter::combineBool(const ast::BoolOp &boolean, llvm::ArrayRef<Object> operands,
                                llvm::ArrayRef<SMRange> ranges) {
  Object result = operands.back();
  SMRange range = ranges.back();
  for (size_t i = operands.size() - 1; i-- > 0;) {
    range = SMRange(ranges[i].Start, range.End);
    result = ops.logical(boolean.op, operands[i], result, range);
    if (result.isPoison())
      return result;
  }
  return result;
}

/// In Python, too, a type of the kernel language differs from each type of torch.
static bool areDifferentTypes(const Object &left, const Object &right) {
  return (left.isType() && isHostType(right)) || (isHostType(left) && right.isType());
}

Object Interpreter::evalCompare(const ast::Compare &compare) {
  bool isMembership =
      compare.ops.front() == ast::CompareOp::In || compare.ops.front() == ast::CompareOp::NotIn;
  if (frame().host && (compare.ops.size() > 1 || isMembership))
    return host().evalCompare(compare);
  if (compare.ops.size() > 1)
    return error(compare.range(), "a chained comparison is not supported; write (a < b) & (b < c)");
  Object left = eval(*compare.left), right = eval(*compare.comparators.front());
  ast::CompareOp op = compare.ops.front();
  bool isEquality = op == ast::CompareOp::Eq || op == ast::CompareOp::NotEq;
  if (isEquality && areDifferentTypes(left, right)) {
    warning(compare.range(), "a type of the kernel language never equals one of the host program");
    return Object::boolean(op == ast::CompareOp::NotEq);
  }
  if (left.isPoison() || right.isPoison() || rejectHost(left, compare.left->range()) ||
      rejectHost(right, compare.comparators.front()->range()))
    return Object::poison();
  if (isMembership)
    return error(compare.range(), "'" + ast::spelling(op) + "' is not supported in a kernel");
  if (op == ast::CompareOp::Is || op == ast::CompareOp::IsNot)
    return evalIs(op, left, right);
  bool numeric = (left.isTensor() || left.isNumber()) && (right.isTensor() || right.isNumber());
  if (numeric && (left.isTensor() || right.isTensor()))
    return ops.compare(op, left, right, compare.range());
  if (left.isTensor() || right.isTensor())
    return error(compare.range(), "cannot compare " + left.typeStr() + " with " + right.typeStr() +
                                      (left.isNone() || right.isNone() ? "; write 'is None'" : ""));
  bool ordered = inHost() && left.isTuple() && right.isTuple();
  ConstResult result =
      ordered ? constCompareTuples(op, left, right) : constCompare(op, left, right);
  if (!result.error.empty())
    return error(compare.range(), result.error);
  return result.object;
}

std::optional<bool> Interpreter::staticCondition(const Object &condition, SMRange range) {
  if (condition.isIntLike() || condition.isNone())
    return constTruth(condition);
  if (!rejectHost(condition, range) && !condition.hasPoison())
    error(range,
          "a compile-time condition must be a bool, an int or None, found " + condition.typeStr());
  return std::nullopt;
}

/// A choice of host code by a condition that only Python knows: as of definitions under conditions,
/// those of its values that are known must agree.
Object Interpreter::evalUnknownChoice(const ast::IfExp &ifExp) {
  auto isKnown = [](const Object &value) {
    return !value.isPoison() && !value.is(Object::Kind::Host);
  };
  Object body = eval(*ifExp.body), orelse = eval(*ifExp.orelse);
  if (!isKnown(body) || !isKnown(orelse))
    return isKnown(body) ? body : orelse;
  if (body.identicalTo(orelse))
    return body;
  return Object::host("a value that depends on the host program", ifExp.range());
}

Object Interpreter::evalIfExp(const ast::IfExp &ifExp) {
  Object condition = eval(*ifExp.test);
  if (condition.isPoison())
    return condition;
  if (condition.isTensor())
    return kernel().evalIfExp(ifExp, condition);
  bool isOfPython = frame().host && condition.is(Object::Kind::Host);
  if (isOfPython && !frame().function) // Of a module, not of a function of compile time.
    return evalUnknownChoice(ifExp);
  // At compile time anything that is known has a truth.
  bool hasTruth = frame().host && !isOfPython;
  std::optional<bool> taken =
      hasTruth ? constTruth(condition) : staticCondition(condition, ifExp.test->range());
  if (!taken)
    return Object::poison();
  return eval(*taken ? *ifExp.body : *ifExp.orelse);
}
