//===- Object.cpp - What a name is bound to ---------------------*- C++ -*-===//
//
// Construction, comparison and printing of the interpreter's values, and their conversion from and
// to the ConstValue of callers. Printing follows Python's str and repr, since static_print and
// messages show it.
//
//===----------------------------------------------------------------------===//

#include "Object.h"

#include "Builtins.h"
#include "Importer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

const Method *RecordClass::findMethod(StringRef name) const {
  auto found =
      llvm::find_if(methods, [&](const Method &method) { return method.def->name == name; });
  return found == methods.end() ? nullptr : &*found;
}

std::optional<size_t> RecordClass::findField(StringRef name) const {
  auto found = llvm::find(fields, name);
  return found == fields.end() ? std::nullopt : std::optional(size_t(found - fields.begin()));
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Object Object::boolean(bool value) {
  Object result(Kind::Bool);
  result.flag = value;
  return result;
}

Object Object::integer(int64_t value) {
  Object result(Kind::Int);
  result.number = llvm::APInt(64, value, /*isSigned=*/true);
  return result;
}

Object Object::integer(llvm::APInt value) {
  Object result(Kind::Int);
  // 64 bits or the least width that holds the value: most arithmetic then needs no allocation.
  result.number = value.sextOrTrunc(std::max(64u, value.getSignificantBits()));
  return result;
}

Object Object::real(double value) {
  Object result(Kind::Float);
  result.floating = value;
  return result;
}

Object Object::string(StringRef text) {
  Object result(Kind::String);
  result.text = text;
  return result;
}

Object Object::type(DType element) {
  Object result(Kind::Type);
  result.element = element;
  return result;
}

Object Object::blockType(DType element, llvm::ArrayRef<int64_t> shape) {
  Object result = type(element);
  List sizes;
  for (int64_t size : shape)
    sizes.push_back(integer(size));
  result.list = std::make_shared<List>(std::move(sizes));
  return result;
}

Object Object::pointerToBlock(const Object &block, bool isConst) {
  Object result = block;
  result.element = DType::pointerTo(block.element, isConst);
  result.flag = true;
  return result;
}

Object Object::pointedBlock() const {
  Object result = *this;
  result.element = element.pointee();
  result.flag = false;
  return result;
}

Object Object::tuple(List elements, const RecordClass *named) {
  Object result(Kind::Tuple);
  result.pointer = named;
  result.leaves = leavesOf(elements);
  result.list = std::make_shared<List>(std::move(elements));
  return result;
}

size_t Object::leavesOf(llvm::ArrayRef<Object> elements) {
  size_t leaves = 0;
  for (const Object &element : elements)
    leaves += std::max<size_t>(element.leafCount(), 1);
  return leaves;
}

Object Object::listOf(List elements) {
  Object result = tuple(std::move(elements));
  result.flag = true;
  return result;
}

Object Object::dict(List keysAndValues) {
  Object result = tuple(std::move(keysAndValues));
  result.objectKind = Kind::Dict;
  return result;
}

Object Object::blockPointer(List elements) {
  Object result = tuple(std::move(elements));
  result.objectKind = Kind::BlockPointer;
  return result;
}

Object Object::descriptor(List elements) {
  Object result = tuple(std::move(elements));
  result.objectKind = Kind::Descriptor;
  return result;
}

Object Object::withElements(List elements) const {
  Object result = tuple(std::move(elements));
  result.objectKind = objectKind;
  result.pointer = pointer;
  result.flag = flag;
  return result;
}

Object Object::tensor(mlir::Value value, DType element) {
  Object result(Kind::Tensor);
  result.irValue = value;
  result.element = element;
  return result;
}

Object Object::function(const JitFunction *function) {
  Object result(Kind::Function);
  result.pointer = function;
  return result;
}

Object Object::builtin(const Builtin *builtin) {
  Object result(Kind::Builtin);
  result.pointer = builtin;
  return result;
}

Object Object::method(const JitFunction *function, Object self) {
  Object result(Kind::BoundMethod);
  result.pointer = function;
  result.list = std::make_shared<List>(List{std::move(self)});
  return result;
}

Object Object::method(const Builtin *builtin, Object self) {
  Object result(Kind::Method);
  result.pointer = builtin;
  result.list = std::make_shared<List>(List{std::move(self)});
  return result;
}

Object Object::aggregate(List fields, const RecordClass *type) {
  Object result = tuple(std::move(fields), type);
  result.objectKind = Kind::Aggregate;
  return result;
}

Object Object::recordClass(const RecordClass *named) {
  Object result(Kind::Class);
  result.pointer = named;
  return result;
}

Object Object::module(const Namespace *space) {
  Object result(Kind::Module);
  result.pointer = space;
  return result;
}

Object Object::file(const SourceModule *module) {
  Object result(Kind::File);
  result.pointer = module;
  return result;
}

Object Object::enumerator(StringRef name) {
  Object result(Kind::Enum);
  result.text = name;
  return result;
}

Object Object::enumerator(StringRef name, const RecordClass *type, Object value) {
  Object result = enumerator(name);
  result.pointer = type;
  result.list = std::make_shared<List>(List{std::move(value)});
  return result;
}

Object Object::host(StringRef what, llvm::SMRange definition, const MissingValue *missing) {
  Object result(Kind::Host);
  result.text = what;
  result.pointer = missing;
  result.place = definition;
  return result;
}

Object Object::hostFunction(StringRef what, const JitFunction *function, llvm::SMRange definition) {
  Object result = host(what, definition);
  result.pointer = function;
  result.flag = true;
  return result;
}

Object Object::hostMember(StringRef what, llvm::SMRange definition, const Builtin *likely) {
  Object result = host(what, definition);
  if (likely)
    result.list = std::make_shared<List>(List{builtin(likely)});
  return result;
}

Object Object::hostModule(StringRef what, llvm::SMRange definition, StringRef dotted,
                          const MissingValue *missing) {
  Object result = host(what, definition, missing);
  result.dotted = dotted;
  return result;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool Object::isConst() const {
  if (isCompound())
    return llvm::all_of(*list, [](const Object &item) { return item.isConst(); });
  return !isTensor() && !isPoison() && !is(Kind::Host);
}

bool Object::hasPoison() const {
  if (isCompound())
    return llvm::any_of(*list, [](const Object &item) { return item.hasPoison(); });
  return isPoison();
}

std::optional<int64_t> Object::asInt64() const {
  llvm::APInt value = asInt();
  if (value.getSignificantBits() > 64)
    return std::nullopt;
  return value.getSExtValue();
}

double Object::asDouble() const {
  if (is(Kind::Float))
    return floating;
  llvm::APFloat result(llvm::APFloat::IEEEdouble());
  result.convertFromAPInt(asInt(), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return result.convertToDouble();
}

llvm::ArrayRef<int64_t> Object::shape() const {
  if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(irValue.getType()))
    return type.getShape();
  return {};
}

bool Object::identicalTo(const Object &other) const {
  if (objectKind != other.objectKind)
    return false;
  switch (objectKind) {
  case Kind::Poison:
  case Kind::None:
    return true;
  case Kind::Bool:
    return flag == other.flag;
  case Kind::Int:
    return number.getBitWidth() == other.number.getBitWidth() && number == other.number;
  case Kind::Float:
    return llvm::APFloat(floating).bitwiseIsEqual(llvm::APFloat(other.floating));
  case Kind::String:
    return text == other.text;
  case Kind::Enum:
    return text == other.text && pointer == other.pointer;
  case Kind::Type:
    if (element != other.element || isBlockType() != other.isBlockType() || flag != other.flag)
      return false;
    if (!list)
      return true;
    break;
  case Kind::Tensor:
    return irValue == other.irValue && element == other.element;
  case Kind::Function:
  case Kind::Builtin:
  case Kind::Module:
  case Kind::File:
  case Kind::Class:
    return pointer == other.pointer;
  case Kind::Method:
  case Kind::BoundMethod:
    return pointer == other.pointer && self().identicalTo(other.self());
  case Kind::Host:
    return place.Start == other.place.Start && dotted == other.dotted;
  case Kind::Tuple:
  case Kind::Dict:
  case Kind::Aggregate:
  case Kind::BlockPointer:
  case Kind::Descriptor:
    if (pointer != other.pointer)
      return false;
    break;
  }
  return list->size() == other.list->size() &&
         std::equal(list->begin(), list->end(), other.list->begin(),
                    [](const Object &a, const Object &b) { return a.identicalTo(b); });
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string front::shapeStr(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [index, size] : llvm::enumerate(shape))
    text += (index ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string front::typeStr(DType element, llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? element.str() : element.str() + shapeStr(shape);
}

static std::string joined(const Object::List &items, bool types) {
  std::string text = "(";
  for (auto [index, item] : llvm::enumerate(items))
    text += (index ? ", " : "") + (types ? item.typeStr() : item.repr());
  return text + (items.size() == 1 ? ",)" : ")");
}

/// [1, 2], {'a': 1}
static std::string reprOfContainer(const Object &container) {
  std::string text = container.isDict() ? "{" : "[";
  for (auto [index, item] : llvm::enumerate(container.elements()))
    text += (!index ? "" : container.isDict() && index % 2 ? ": " : ", ") + item.repr();
  return text + (container.isDict() ? "}" : "]");
}

static llvm::SmallVector<int64_t> shapeOf(const Object &type) {
  llvm::SmallVector<int64_t> shape;
  for (const Object &size : type.elements())
    shape.push_back(*size.asInt64());
  return shape;
}

static std::string blockTypeStr(const Object &type) { return typeStr(type.dtype(), shapeOf(type)); }

std::string Object::typeStr() const {
  switch (objectKind) {
  case Kind::Poison:
    return "an erroneous value";
  case Kind::None:
    return "None";
  case Kind::Bool:
    return "constexpr bool";
  case Kind::Int:
    return "constexpr int";
  case Kind::Float:
    return "constexpr float";
  case Kind::String:
    return "a string";
  case Kind::Type:
    return "a type";
  case Kind::Tuple:
  case Kind::Aggregate:
    return (pointer ? asClass()->name.str() : "tuple ") + joined(*list, /*types=*/true);
  case Kind::Dict:
    return "a dictionary";
  case Kind::BlockPointer:
    return "block pointer to " + blockTypeStr(list->front());
  case Kind::Descriptor:
    return "tensor descriptor of " + blockTypeStr(list->front()) +
           ((*list)[1].asString() == "nan" ? " padded with NaN" : "");
  case Kind::Tensor:
    return front::typeStr(element, shape());
  case Kind::Function:
  case Kind::BoundMethod:
    return "function '" + asFunction()->def->name.str() + "'";
  case Kind::Builtin:
  case Kind::Method:
    return "function '" + asBuiltin()->fullName() + "'";
  case Kind::Module:
    return "module '" + asModule()->name.str() + "'";
  case Kind::File:
    return "module '" + asFile()->name.str() + "'";
  case Kind::Class:
    return "the class '" + asClass()->name.str() + "'";
  case Kind::Enum:
    return (pointer ? asClass()->name.str() + "." : "tl.") + text.str();
  case Kind::Host:
    return text.str();
  }
  llvm_unreachable("unknown kind");
}

/// What `dtype.name` holds: "int32", "fp16", "pointer<fp32>".
static std::string nameOf(DType type) {
  if (type.isPointer())
    return (type.isConst ? "const_pointer<" : "pointer<") + nameOf(type.pointee()) + ">";
  const ScalarInfo &info = scalarInfo(type.kind);
  return (type.isFloat() ? info.shortName : info.name).str();
}

std::string Object::repr() const {
  switch (objectKind) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return flag ? "True" : "False";
  case Kind::Int: {
    llvm::SmallString<32> digits;
    number.toStringSigned(digits);
    return digits.str().str();
  }
  case Kind::Float:
    return reprOfFloat(floating);
  case Kind::String:
    return reprOfString(text);
  case Kind::Type:
    if (flag)
      return (element.isConst ? "const_pointer<" : "pointer<") +
             front::typeStr(element.pointee(), shapeOf(*this)) + ">";
    return isBlockType() ? blockTypeStr(*this) : nameOf(element);
  case Kind::Tuple:
    return flag ? reprOfContainer(*this) : joined(*list, /*types=*/false);
  case Kind::Dict:
    return reprOfContainer(*this);
  case Kind::Enum:
    return pointer ? typeStr() : text.str();
  default:
    return typeStr();
  }
}

std::string Object::str() const { return isString() ? text.str() : repr(); }

//===----------------------------------------------------------------------===//
// Public values
//===----------------------------------------------------------------------===//

Object front::fromConst(const ConstValue &value) {
  switch (value.kind()) {
  case ConstValue::Kind::None:
    return Object::none();
  case ConstValue::Kind::Bool:
    return Object::boolean(value.asBool());
  case ConstValue::Kind::Int:
    return Object::integer(value.asInt());
  case ConstValue::Kind::Float:
    return Object::real(value.asFloat());
  case ConstValue::Kind::String:
    return Object::string(value.asString());
  case ConstValue::Kind::Type:
    return Object::type(value.asType());
  case ConstValue::Kind::Tuple: {
    Object::List elements;
    for (const ConstValue &element : value.elements())
      elements.push_back(fromConst(element));
    return Object::tuple(std::move(elements));
  }
  case ConstValue::Kind::Function:
    return Object::host("a function", llvm::SMRange());
  }
  llvm_unreachable("unknown kind");
}

std::optional<ConstValue> front::toConst(const Object &object) {
  switch (object.kind()) {
  case Object::Kind::None:
    return ConstValue::none();
  case Object::Kind::Bool:
    return ConstValue::boolean(object.asBool());
  case Object::Kind::Int:
    return ConstValue::integer(object.asInt());
  case Object::Kind::Float:
    return ConstValue::real(object.asDouble());
  case Object::Kind::String:
    return ConstValue::string(object.asString().str());
  case Object::Kind::Type:
    if (object.isBlockType() || object.isPointerToBlock())
      return std::nullopt;
    return ConstValue::type(object.dtype());
  case Object::Kind::Tuple: {
    std::vector<ConstValue> elements;
    for (const Object &element : object.elements()) {
      std::optional<ConstValue> value = toConst(element);
      if (!value)
        return std::nullopt;
      elements.push_back(std::move(*value));
    }
    const RecordClass *named = object.asClass();
    return ConstValue::tuple(std::move(elements), named ? named->name.str() : "");
  }
  case Object::Kind::Function:
    return ConstValue::function(object.asFunction()->def->name.str());
  default:
    return std::nullopt;
  }
}
