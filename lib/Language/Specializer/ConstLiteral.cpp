//===- ConstLiteral.cpp - Constants from command-line text ------*- C++ -*-===//
//
// Evaluates the small expressions that give constexpr parameters their values. Needs no IR and no
// module: the only names are `tl` (with its types), `float` and `int`; other names that are called
// are taken for classes of named tuples.
//
//===----------------------------------------------------------------------===//

#include "ConstArith.h"
#include "tilec/Language/ConstValue.h"
#include "tilec/Language/Parser.h"
#include "tilec/Language/Specializer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {
class LiteralReader {
public:
  explicit LiteralReader(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  std::optional<ConstValue> readValue(const ast::Expr &expr);

private:
  Object read(const ast::Expr &expr);
  Object readConstant(const ast::Constant &constant);
  Object readSequence(llvm::ArrayRef<ast::Expr *> elements);
  Object readName(const ast::Expr &expr, StringRef name);
  Object readCall(const ast::Call &call);
  Object readNamedTuple(const ast::Call &call, StringRef name);
  Object error(llvm::SMRange range, const llvm::Twine &message) {
    diagnostics.error(range, message);
    return Object::poison();
  }
  Object checked(const ConstResult &result, llvm::SMRange range) {
    return result.error.empty() ? result.object : error(range, result.error);
  }

  DiagnosticEngine &diagnostics;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  std::vector<std::unique_ptr<RecordClass>> classes;
};
} // namespace

static bool isFloatName(StringRef name) { return name == "inf" || name == "nan"; }

/// A name that can only be that of a function, which is an object of the host here.
static bool isFunctionName(const ast::Expr &expr) {
  auto *name = llvm::dyn_cast<ast::Name>(&expr);
  return name && !isFloatName(name->id) && !scalarByName(name->id);
}

static std::optional<ConstValue> toValue(const Object &object) {
  if (object.is(Object::Kind::Host))
    return ConstValue::function(object.asString().str());
  if (!object.isTuple())
    return toConst(object);
  std::vector<ConstValue> elements;
  for (const Object &element : object.elements())
    if (std::optional<ConstValue> value = toValue(element))
      elements.push_back(std::move(*value));
  if (elements.size() != object.elements().size())
    return std::nullopt;
  const RecordClass *named = object.asClass();
  return ConstValue::tuple(std::move(elements), named ? named->name.str() : "");
}

Object LiteralReader::readConstant(const ast::Constant &constant) {
  using Type = ast::Constant::Type;
  switch (constant.type()) {
  case Type::Int:
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
    return error(constant.range(), "'...' is not a constexpr value");
  }
  llvm_unreachable("unknown constant");
}

Object LiteralReader::readSequence(llvm::ArrayRef<ast::Expr *> elements) {
  Object::List items;
  for (const ast::Expr *element : elements) {
    items.push_back(isFunctionName(*element)
                        ? Object::host(llvm::cast<ast::Name>(element)->id, element->range())
                        : read(*element));
    if (items.back().isPoison())
      return Object::poison();
  }
  return Object::tuple(std::move(items));
}

/// A type: `tl.float16`, `triton.language.float16`, or its bare name. Also `inf` and `nan`, as
/// floats are printed.
Object LiteralReader::readName(const ast::Expr &expr, StringRef name) {
  if (isFloatName(name))
    return Object::real(*parseFloat(name));
  if (std::optional<ScalarKind> kind = scalarByName(name))
    return Object::type(*kind);
  llvm::SmallVector<StringRef> candidates(scalarNames());
  std::optional<StringRef> near = closestName(name, candidates);
  return error(expr.range(), "'" + name + "' is not a value or a type" +
                                 (near ? "; did you mean 'tl." + near->str() + "'?" : ""));
}

/// Only the name of the class is known here.
Object LiteralReader::readNamedTuple(const ast::Call &call, StringRef name) {
  if (!call.keywords.empty())
    return error(call.keywords.front().range,
                 "the fields of a named tuple are given in order here, without names");
  Object items = readSequence(call.args);
  if (items.isPoison())
    return items;
  classes.push_back(std::make_unique<RecordClass>());
  classes.back()->name = name;
  return Object::tuple(items.elements(), classes.back().get());
}

Object LiteralReader::readCall(const ast::Call &call) {
  auto *callee = llvm::dyn_cast<ast::Name>(call.callee);
  bool isFloat = callee && callee->id == "float", isInt = callee && callee->id == "int";
  if (callee && !isFloat && !isInt)
    return readNamedTuple(call, callee->id);
  if ((!isFloat && !isInt) || call.args.size() != 1 || !call.keywords.empty())
    return error(call.range(), "only float(...), int(...) and named tuples can be called here");
  Object arg = read(*call.args.front());
  if (arg.isPoison())
    return arg;
  if (isInt)
    return checked(constToInt(arg), call.range());
  if (arg.isNumber())
    return Object::real(arg.asDouble());
  std::optional<double> value = arg.isString() ? parseFloat(arg.asString()) : std::nullopt;
  return value ? Object::real(*value)
               : error(call.args.front()->range(), "cannot read " + arg.repr() + " as a float");
}

Object LiteralReader::read(const ast::Expr &expr) {
  if (auto *constant = llvm::dyn_cast<ast::Constant>(&expr))
    return readConstant(*constant);
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr))
    return readSequence(tuple->elements);
  if (auto *list = llvm::dyn_cast<ast::List>(&expr))
    return readSequence(list->elements);
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return readName(expr, name->id);
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
    return readName(expr, attribute->attr);
  if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
    return readCall(*call);
  if (auto *unary = llvm::dyn_cast<ast::UnaryOp>(&expr)) {
    Object operand = read(*unary->operand);
    return operand.isPoison() ? operand : checked(constUnary(unary->op, operand), unary->range());
  }
  if (auto *binary = llvm::dyn_cast<ast::BinOp>(&expr)) {
    Object left = read(*binary->left);
    Object right = left.isPoison() ? left : read(*binary->right);
    if (right.isPoison())
      return right;
    return checked(constBinary(binary->op, left, right, strings), binary->opRange);
  }
  return error(expr.range(),
               "expected a constant such as 12, 0.5, True, None, \"s\", tl.float16 or "
               "(1, 2)");
}

std::optional<ConstValue> LiteralReader::readValue(const ast::Expr &expr) {
  if (isFunctionName(expr))
    return ConstValue::function(llvm::cast<ast::Name>(expr).id.str());
  Object object = read(expr);
  return object.isPoison() ? std::nullopt : toValue(object);
}

std::optional<ConstValue> tilec::parseConstValue(StringRef text, StringRef bufferName,
                                                 llvm::SourceMgr &sourceMgr,
                                                 DiagnosticEngine &diagnostics) {
  unsigned buffer = sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), llvm::SMLoc());
  ast::Context context;
  ast::Expr *expr = parseExpression(sourceMgr, buffer, diagnostics, context);
  return expr ? LiteralReader(diagnostics).readValue(*expr) : std::nullopt;
}

std::optional<ConstValue> KernelInfo::Constexpr::read() const {
  llvm::SourceMgr sources;
  DiagnosticEngine silent(sources, llvm::nulls());
  return parseConstValue(value, "value", sources, silent);
}
