//===- Attributes.cpp - Members of modules, tensors, types ------*- C++ -*-===//
//
// `object.name` for every kind of object: members of modules, properties and methods of tensors,
// queries of types.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

static Object shapeTuple(llvm::ArrayRef<int64_t> shape) {
  Object::List sizes;
  for (int64_t size : shape)
    sizes.push_back(Object::integer(size));
  return Object::tuple(std::move(sizes));
}

std::optional<Object> Interpreter::tensorAttribute(const Object &tensor, StringRef name) {
  if (name == "dtype")
    return Object::type(tensor.dtype());
  if (name == "shape")
    return shapeTuple(tensor.shape());
  if (name == "type")
    return tensor.isBlock() ? Object::blockType(tensor.dtype(), tensor.shape())
                            : Object::type(tensor.dtype());
  if (name == "numel") {
    int64_t count = 1;
    for (int64_t size : tensor.shape())
      count *= size;
    return Object::integer(count);
  }
  if (const Builtin *method = findMethod(name))
    return Object::method(method, tensor);
  return std::nullopt;
}

/// A block pointer's type is a pointer; its methods are functions of block pointers.
static std::optional<Object> blockPointerAttribute(const Object &pointer, StringRef name) {
  if (name == "dtype" || name == "type")
    return Object::pointerToBlock(pointer.elements().front());
  if (name == "advance" || name == "store")
    return Object::method(findMethod(name), pointer);
  return std::nullopt;
}

/// What a tensor descriptor tells of itself, and its methods.
static std::optional<Object> descriptorAttribute(const Object &object, StringRef name) {
  const Object &type = object.elements().front();
  if (name == "dtype")
    return Object::type(type.dtype());
  if (name == "block_type")
    return type;
  if (name == "block_shape")
    return Object::tuple(type.elements());
  llvm::ArrayRef<Object> geometry = llvm::ArrayRef<Object>(object.elements()).drop_front(3);
  size_t rank = geometry.size() / 2;
  if (name == "shape")
    return Object::tuple(geometry.take_front(rank));
  if (name == "strides")
    return Object::tuple(geometry.drop_front(rank));
  if (const Builtin *method = findDescriptorMethod(name))
    return Object::method(method, object);
  return std::nullopt;
}

/// The queries of a type that take no argument and give a bool, as methods named `is_...`.
static std::optional<bool> typeQuery(const Object &type, StringRef name) {
  DType dtype = type.dtype();
  if (!name.consume_front("is_"))
    return std::nullopt;
  bool block = type.isBlockType();
  if (name == "block")
    return block;
  if (name == "ptr")
    return !block && dtype.isPointer();
  if (name == "const")
    return !block && dtype.isConst;
  if (name == "int")
    return dtype.isInt();
  if (name == "int_signed")
    return dtype.isSignedInt();
  if (name == "int_unsigned")
    return dtype.isUnsignedInt();
  if (name == "bool")
    return dtype.isBool();
  if (name == "floating")
    return dtype.isFloat();
  if (name == "standard_floating")
    return dtype.isStandardFloat();
  if (name == "fp8")
    return dtype.isFP8();
  if (name == "dtype")
    return true;
  for (unsigned kind = 0; kind < numScalarKinds; ++kind) {
    const ScalarInfo &info = scalarInfo(ScalarKind(kind));
    bool isInt = DType(info.kind).isInt();
    if (name == (isInt ? StringRef(info.name) : StringRef(info.shortName)))
      return dtype.isScalar(info.kind);
  }
  return std::nullopt;
}

std::optional<Object> Interpreter::typeAttribute(const Object &type, StringRef name) {
  DType dtype = type.dtype();
  const ScalarInfo &info = scalarInfo(dtype.kind);
  if (name == "name")
    return Object::string(saver.save(type.repr()));
  if (name == "value") // What a constexpr that holds it has.
    return type;
  if (name == "primitive_bitwidth")
    return Object::integer(dtype.bits());
  if (name == "itemsize")
    return Object::integer(dtype.bits() / 8); // 0 for int1.
  if (name == "int_bitwidth" && dtype.isInt())
    return Object::integer(dtype.bits());
  if (name == "fp_mantissa_width" && dtype.isFloat())
    return Object::integer(info.mantissaBits);
  if (name == "exponent_bias" && dtype.isFloat())
    return Object::integer(info.exponentBias);
  if (name == "scalar")
    return type.isPointerToBlock() ? type : Object::type(dtype);
  if (name == "shape" && type.isBlockType())
    return Object::tuple(type.elements());
  if (name == "numel" && type.isBlockType()) {
    int64_t count = 1;
    for (const Object &size : type.elements())
      count *= *size.asInt64();
    return Object::integer(count);
  }
  if (name == "element_ty" && type.isBlockType())
    return Object::type(dtype);
  if (name == "element_ty" && type.isPointerToBlock())
    return type.pointedBlock();
  if (name == "element_ty" && dtype.isPointer())
    return Object::type(dtype.pointee());
  if (const Builtin *method = findTypeMethod(name))
    return Object::method(method, type);
  return std::nullopt;
}

/// Calls like `T.is_floating()`: every method of a type runs through here.
static Object typeMethod(Interpreter &in, Args &args) {
  StringRef name = args.callee().name;
  if (!args[0].isType())
    return args.wrong(0, "a type");
  if (std::optional<bool> answer = typeQuery(args[0], name))
    return Object::boolean(*answer);
  DType dtype = args[0].dtype();
  if (name == "get_block_shapes")
    return args[0].isBlockType() ? Object::tuple(args[0].elements())
                                 : args.wrong(0, "a block type");
  if (name == "kind" && (dtype.isInt() || dtype.isFloat()))
    return Object::enumerator(dtype.isBool()  ? "KIND.BOOLEAN"
                              : dtype.isInt() ? "KIND.INTEGRAL"
                                              : "KIND.FLOATING");
  if (!dtype.isInt())
    return in.error(args.callRange(), "'" + name + "' is for integer types, found " + dtype.str());
  bool isSigned = dtype.isSignedInt();
  unsigned bits = dtype.bits();
  if (name == "get_int_max_value")
    return Object::integer(isSigned ? llvm::APInt::getSignedMaxValue(bits)
                                    : llvm::APInt::getMaxValue(bits).zext(bits + 1));
  return Object::integer(isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt(64, 0));
}

llvm::ArrayRef<Builtin> front::typeMethods() {
  static const std::vector<Builtin> rows = [] {
    std::vector<Builtin> result;
    llvm::SmallVector<StringRef, 40> names;
    StringRef("is_block is_ptr is_const is_int is_int_signed is_int_unsigned is_bool is_floating "
              "is_standard_floating is_fp8 is_void is_int1 is_int8 is_int16 is_int32 is_int64 "
              "is_uint8 is_uint16 is_uint32 is_uint64 is_fp8e5 is_fp8e4nv is_fp8e4b15 is_fp8e4b8 "
              "is_fp8e5b16 is_fp16 is_bf16 is_fp32 is_fp64 get_int_max_value get_int_min_value "
              "get_block_shapes kind")
        .split(names, ' ');
    for (StringRef name : names)
      result.push_back({name, "self", typeMethod});
    return result;
  }();
  return rows;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

std::optional<Object> Interpreter::findAttribute(const Object &object, StringRef name) {
  switch (object.kind()) {
  case Object::Kind::Tensor:
    return tensorAttribute(object, name);
  case Object::Kind::Type:
    return typeAttribute(object, name);
  case Object::Kind::BlockPointer:
    return blockPointerAttribute(object, name);
  case Object::Kind::Descriptor:
    return descriptorAttribute(object, name);
  case Object::Kind::Module: {
    std::optional<Object> member = findMember(*object.asModule(), name);
    if (!member && inHost())
      member = findHostName((object.asModule()->name + "." + name).str(), here());
    return member;
  }
  case Object::Kind::File:
    return files.member(*object.asFile(), name, here());
  case Object::Kind::Bool:
  case Object::Kind::Int:
  case Object::Kind::Float:
  case Object::Kind::String:
  case Object::Kind::None:
    if (name == "value")
      return object;
    if (const Builtin *method = object.isString()   ? findStringMethod(name)
                                : object.isNumber() ? findNumberMethod(name)
                                                    : nullptr)
      return Object::method(method, object);
    return std::nullopt;
  case Object::Kind::Dict:
    if (const Builtin *method = findDictMethod(name))
      return Object::method(method, object);
    return std::nullopt;
  case Object::Kind::Host: {
    if (!object.dottedName().empty())
      if (std::optional<Object> known =
              findHostName((object.dottedName() + "." + name).str(), object.definition()))
        return known;
    if (const Builtin *likely = inHost() ? nullptr : findDeviceFunction(name))
      return Object::hostMember(saver.save("'" + name + "' of " + object.typeStr()),
                                object.definition(), likely);
    return std::nullopt;
  }
  case Object::Kind::Tuple:
    if (const RecordClass *named = object.asClass())
      if (std::optional<size_t> field = named->findField(name))
        return object.elements()[*field];
    if (name == "value" && !object.asClass()) // Of tl.constexpr((2, 3)).
      return object;
    if (const Builtin *method = object.isTuple() && inHost() ? findListMethod(name) : nullptr)
      return Object::method(method, object);
    return std::nullopt;
  case Object::Kind::Aggregate:
    if (std::optional<size_t> field = object.asClass()->findField(name))
      return object.elements()[*field];
    if (const Method *method = object.asClass()->findMethod(name); method && method->function)
      return method->isStatic ? Object::function(method->function)
                              : Object::method(method->function, object);
    return std::nullopt;
  case Object::Kind::Class:
    if (object.asClass()->isEnum())
      return enumMember(*object.asClass(), name);
    if (const Method *method = object.asClass()->findMethod(name); method && method->function)
      return Object::function(method->function);
    return std::nullopt;
  case Object::Kind::Function:
    if (name == "__name__")
      return Object::string(object.asFunction()->def->name);
    // What a tuner is around, which kernels may call.
    if (name == "fn" && object.asFunction()->launchOnly)
      return Object::function(object.asFunction()->env->withoutTuner(*object.asFunction()));
    return std::nullopt;
  case Object::Kind::Builtin:
    if (object.asBuiltin()->name == "PropagateNan" && (name == "ALL" || name == "NONE"))
      return Object::enumerator(name == "ALL" ? "PropagateNan.ALL" : "PropagateNan.NONE");
    if (object.asBuiltin()->name == "dtype" && name == "KIND")
      return Object::enumerator("KIND");
    return std::nullopt;
  case Object::Kind::Enum:
    if (object.asClass() && (name == "value" || name == "name"))
      return name == "value" ? object.self()
                             : Object::string(saver.save(object.repr()).split('.').second);
    for (StringRef member : {"KIND.BOOLEAN", "KIND.INTEGRAL", "KIND.FLOATING"})
      if (object.repr() == "KIND" && member.drop_front(5) == name)
        return Object::enumerator(member);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Object Interpreter::moduleAttribute(const Object &module, StringRef name, SMRange nameRange) {
  llvm::SmallVector<StringRef, 128> candidates;
  if (module.is(Object::Kind::Module))
    listMembers(*module.asModule(), candidates);
  else if (const ModuleEnv *env = module.asFile()->env)
    env->listNames(candidates);
  return errorWithHint(nameRange, module.typeStr() + " has no member '" + name + "'",
                       closestName(name, candidates), nameRange);
}

Object Interpreter::attribute(const Object &object, StringRef name, SMRange range,
                              SMRange nameRange) {
  if (object.isPoison())
    return object;
  if (std::optional<Object> found = findAttribute(object, name))
    return *found;
  // A transposition is the one property that emits code.
  if (object.isTensor() && name == "T") {
    if (object.shape().size() != 2)
      return error(range, "'.T' needs a block with two axes, found " + object.typeStr());
    CallInfo info;
    info.range = info.calleeRange = range;
    return callBuiltin(*findMethod("trans"), &object, info);
  }
  if (object.is(Object::Kind::Module) || object.is(Object::Kind::File))
    return moduleAttribute(object, name, nameRange);
  if (object.is(Object::Kind::Host))
    return hostError(range, "cannot read '" + name + "' of " + object.typeStr(),
                     ": host code is not executed", object);
  if (object.isAggregate())
    return aggregateAttribute(object, name, nameRange);
  if (object.isTensor()) {
    llvm::SmallVector<StringRef, 64> candidates = {"dtype", "shape", "type", "numel", "T"};
    listMethods(candidates);
    return errorWithHint(nameRange, object.typeStr() + " has no attribute '" + name + "'",
                         closestName(name, candidates), nameRange);
  }
  std::string hint;
  if (object.isNumber() && findMethod(name))
    hint = "; a compile-time number has no methods of tensors, use tl." +
           (name == "to" ? std::string("cast") : name.str());
  return error(nameRange, object.typeStr() + " has no attribute '" + name + "'" + hint);
}
