//===- HostExpr.cpp - Expressions over a launch's arguments -----*- C++ -*-===//
//
// Nodes of expressions over a launch's arguments, and their evaluation. It uses the interpreter's
// values and arithmetic (Object, ConstArith), so that a grid or a heuristic has Python's results
// here as well. lib/Artifact/ExprCode.cpp turns the same nodes into code.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/HostExpr.h"

#include "ConstFunctions.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::shared_ptr<HostExpr> HostExpr::make(Kind kind, unsigned code, std::vector<Ref> children,
                                         SMRange range) {
  return std::shared_ptr<HostExpr>(new HostExpr(kind, code, std::move(children), range));
}

HostExpr::Ref HostExpr::constant(ConstValue value, SMRange range) {
  auto node = make(Kind::Constant, 0, {}, range);
  node->literal = std::move(value);
  return node;
}

HostExpr::Ref HostExpr::argument(std::string name, SMRange range) {
  auto node = make(Kind::Argument, 0, {}, range);
  node->text = std::move(name);
  return node;
}

HostExpr::Ref HostExpr::unary(ast::UnaryOpKind op, Ref operand, SMRange range) {
  return make(Kind::Unary, unsigned(op), {std::move(operand)}, range);
}

HostExpr::Ref HostExpr::binary(ast::BinaryOp op, Ref left, Ref right, SMRange range) {
  return make(Kind::Binary, unsigned(op), {std::move(left), std::move(right)}, range);
}

HostExpr::Ref HostExpr::boolean(ast::BoolOpKind op, std::vector<Ref> operands, SMRange range) {
  return make(Kind::Boolean, unsigned(op), std::move(operands), range);
}

HostExpr::Ref HostExpr::compare(ast::CompareOp op, Ref left, Ref right, SMRange range) {
  return make(Kind::Compare, unsigned(op), {std::move(left), std::move(right)}, range);
}

HostExpr::Ref HostExpr::conditional(Ref test, Ref body, Ref orelse, SMRange range) {
  return make(Kind::Conditional, 0, {std::move(test), std::move(body), std::move(orelse)}, range);
}

HostExpr::Ref HostExpr::call(Function function, std::vector<Ref> args, SMRange range) {
  return make(Kind::Call, unsigned(function), std::move(args), range);
}

HostExpr::Ref HostExpr::element(Ref tuple, int64_t index, SMRange range) {
  auto node = make(Kind::Element, 0, {std::move(tuple)}, range);
  node->literal = ConstValue::integer(index);
  return node;
}

HostExpr::Ref HostExpr::part(Ref descriptor, StringRef name, SMRange range) {
  auto node = make(Kind::Part, 0, {std::move(descriptor)}, range);
  node->text = name.str();
  return node;
}

llvm::ArrayRef<StringRef> tilec::descriptorParts() {
  static constexpr StringRef names[] = {"base", "shape", "strides"};
  return names;
}

StringRef tilec::spelling(HostExpr::Function function) {
  switch (function) {
  case HostExpr::Function::CDiv:
    return "triton.cdiv";
  case HostExpr::Function::NextPowerOf2:
    return "triton.next_power_of_2";
  case HostExpr::Function::Min:
    return "min";
  case HostExpr::Function::Max:
    return "max";
  case HostExpr::Function::Abs:
    return "abs";
  case HostExpr::Function::Int:
    return "int";
  case HostExpr::Function::Float:
    return "float";
  case HostExpr::Function::Bool:
    return "bool";
  }
  llvm_unreachable("unknown function");
}

void HostExpr::collectArguments(llvm::SmallVectorImpl<StringRef> &names) const {
  if (nodeKind == Kind::Argument && !llvm::is_contained(names, StringRef(text)))
    names.push_back(text);
  for (const Ref &child : children)
    child->collectArguments(names);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {

/// After an error `message` is set and every function returns a poisoned object.
class Evaluator {
public:
  explicit Evaluator(HostExpr::Lookup lookup) : lookup(lookup) {}

  Object eval(const HostExpr &expr);
  std::string message;

private:
  Object fail(const llvm::Twine &text) {
    if (message.empty())
      message = text.str();
    return Object::poison();
  }
  Object checked(ConstResult result) {
    return result.error.empty() ? result.object : fail(result.error);
  }
  Object evalArgument(const HostExpr &expr);
  Object evalElement(const Object &tuple, int64_t index);
  Object evalPart(const HostExpr &expr);
  Object evalBoolean(const HostExpr &expr);
  Object evalCompare(ast::CompareOp op, const Object &left, const Object &right);
  Object evalCall(const HostExpr &expr);
  Object nextPowerOf2(const Object &value);
  Object choose(bool isMax, llvm::ArrayRef<Object> values);

  HostExpr::Lookup lookup;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
};

} // namespace

Object Evaluator::evalArgument(const HostExpr &expr) {
  const ConstValue *value = lookup(expr.name());
  return value ? fromConst(*value)
               : fail("the value of the argument '" + expr.name() + "' is not known here");
}

Object Evaluator::evalElement(const Object &tuple, int64_t index) {
  if (tuple.isPoison())
    return tuple;
  if (!tuple.isTuple())
    return fail("expected a tuple before '[', found " + tuple.typeStr());
  size_t size = tuple.elements().size();
  std::optional<size_t> at = constIndex(Object::integer(index), size);
  return at ? tuple.elements()[*at]
            : fail("the index " + llvm::Twine(index) + " is outside of a tuple of " +
                   llvm::Twine(size));
}

Object Evaluator::evalPart(const HostExpr &expr) {
  const HostExpr &argument = *expr.operands()[0];
  const ConstValue *value = lookup(argument.name());
  if (!value)
    return evalArgument(argument);
  if (value->kind() != ConstValue::Kind::Tuple || value->className() != descriptorClass)
    return fail("'" + expr.name() + "' is known of tensor descriptors only, found " +
                fromConst(*value).typeStr());
  size_t index = llvm::find(descriptorParts(), expr.name()) - descriptorParts().begin();
  return fromConst(value->elements()[index]);
}

Object Evaluator::evalBoolean(const HostExpr &expr) {
  bool isAnd = expr.boolOp() == ast::BoolOpKind::And;
  Object last;
  for (const HostExpr::Ref &operand : expr.operands()) {
    last = eval(*operand);
    if (last.isPoison() || constTruth(last) != isAnd)
      return last;
  }
  return last;
}

Object Evaluator::evalCompare(ast::CompareOp op, const Object &left, const Object &right) {
  using ast::CompareOp;
  if (op == CompareOp::Is || op == CompareOp::IsNot)
    return Object::boolean(left.identicalTo(right) == (op == CompareOp::Is));
  if (op != CompareOp::In && op != CompareOp::NotIn)
    return checked(constCompare(op, left, right));
  if (!right.isTuple())
    return fail("expected a tuple or a list after 'in', found " + right.typeStr());
  bool found = llvm::any_of(right.elements(),
                            [&](const Object &element) { return constEquals(left, element); });
  return Object::boolean(found == (op == CompareOp::In));
}

Object Evaluator::nextPowerOf2(const Object &value) {
  std::optional<int64_t> n = value.isIntLike() ? value.asInt64() : std::nullopt;
  std::optional<int64_t> result = n ? constNextPowerOf2(*n) : std::nullopt;
  if (!result)
    return fail("triton.next_power_of_2 takes an integer up to 2**61, found " + value.repr());
  return Object::integer(*result);
}

Object Evaluator::choose(bool isMax, llvm::ArrayRef<Object> values) {
  Object best = values.front();
  for (const Object &value : values.drop_front()) {
    best = checked(constExtreme(isMax, value, best));
    if (best.isPoison())
      break;
  }
  return best;
}

Object Evaluator::evalCall(const HostExpr &expr) {
  llvm::SmallVector<Object, 2> args;
  for (const HostExpr::Ref &operand : expr.operands()) {
    args.push_back(eval(*operand));
    if (args.back().isPoison())
      return Object::poison();
  }
  switch (expr.function()) {
  case HostExpr::Function::CDiv:
    return checked(constCDiv(args[0], args[1], strings));
  case HostExpr::Function::NextPowerOf2:
    return nextPowerOf2(args[0]);
  case HostExpr::Function::Min:
  case HostExpr::Function::Max:
    return choose(expr.function() == HostExpr::Function::Max, args);
  case HostExpr::Function::Abs:
    return checked(constAbs(args[0]));
  case HostExpr::Function::Bool:
    return Object::boolean(constTruth(args[0]));
  default:
    break;
  }
  if (!args[0].isNumber())
    return fail(spelling(expr.function()) + " takes a number, found " + args[0].typeStr());
  if (expr.function() == HostExpr::Function::Int)
    return checked(constToInt(args[0]));
  return Object::real(args[0].asDouble());
}

Object Evaluator::eval(const HostExpr &expr) {
  llvm::ArrayRef<HostExpr::Ref> operands = expr.operands();
  switch (expr.kind()) {
  case HostExpr::Kind::Constant:
    return fromConst(expr.value());
  case HostExpr::Kind::Argument:
    return evalArgument(expr);
  case HostExpr::Kind::Boolean:
    return evalBoolean(expr);
  case HostExpr::Kind::Call:
    return evalCall(expr);
  case HostExpr::Kind::Element:
    return evalElement(eval(*operands[0]), expr.index());
  case HostExpr::Kind::Part:
    return evalPart(expr);
  case HostExpr::Kind::Conditional: {
    Object test = eval(*operands[0]);
    return test.isPoison() ? test : eval(*operands[constTruth(test) ? 1 : 2]);
  }
  case HostExpr::Kind::Unary: {
    Object operand = eval(*operands[0]);
    return operand.isPoison() ? operand : checked(constUnary(expr.unaryOp(), operand));
  }
  default:
    break;
  }
  Object left = eval(*operands[0]);
  Object right = left.isPoison() ? left : eval(*operands[1]);
  if (right.isPoison())
    return right;
  if (expr.kind() == HostExpr::Kind::Compare)
    return evalCompare(expr.compareOp(), left, right);
  return checked(constBinary(expr.binaryOp(), left, right, strings));
}

llvm::Expected<ConstValue> HostExpr::evaluate(Lookup lookup) const {
  Evaluator evaluator(lookup);
  Object result = evaluator.eval(*this);
  if (evaluator.message.empty())
    if (std::optional<ConstValue> value = toConst(result))
      return std::move(*value);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), evaluator.message.empty()
                                                                     ? "the value is no constant"
                                                                     : evaluator.message);
}
