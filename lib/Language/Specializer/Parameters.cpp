//===- Parameters.cpp - What becomes of a kernel's parameters ---*- C++ -*-===//
//
// Decides for each parameter of a kernel whether it is a constant, and which, or a run-time
// argument, and of which type. Constants of the request win over the signature, and both over
// annotations and defaults. Wrong names, counts and types in a request are reported here.
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "Builtins.h"
#include "HostInterpreter.h"
#include "MemoryArgs.h"
#include "tilec/Language/HostExpr.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

void ParamValue::forEachArgument(llvm::function_ref<void(const ParamValue &)> visit) const {
  if (type)
    visit(*this);
  for (const ParamValue &element : elements)
    element.forEachArgument(visit);
}

SignatureItem ParamValue::toItem() const {
  SignatureItem item;
  item.type = type;
  item.isTuple = isTuple;
  item.descriptor = descriptor;
  if (named)
    item.className = named->name.str();
  for (const ParamValue &element : elements)
    item.elements.push_back(element.toItem());
  item.value = given;
  return item;
}

bool ParamResolver::error(SMRange range, const llvm::Twine &message, const ast::Param &param) {
  diagnostics.error(range, message).note(param.nameRange, "the parameter is declared here");
  return false;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool ParamResolver::unknownName(StringRef name, SMRange range, StringRef what) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : def.params)
    names.push_back(param.name);
  std::string message =
      "kernel '" + def.name.str() + "' has no parameter '" + name.str() + "'" + what.str();
  if (std::optional<StringRef> near = closestName(name, names))
    message += "; did you mean '" + near->str() + "'?";
  diagnostics.error(range, message).note(def.nameRange, "the kernel is defined here");
  return false;
}

/// Names in the request must be those of parameters.
bool ParamResolver::checkNames() {
  bool sound = true;
  auto known = [&](StringRef name) {
    return llvm::any_of(def.params, [&](const ast::Param &param) { return param.name == name; });
  };
  for (const NamedConst &value : request.constexprs)
    if (!known(value.name))
      sound = unknownName(value.name, value.range, "");
  if (request.signature.positional)
    return sound;
  for (const SignatureItem &item : request.signature.items)
    if (!known(item.name))
      sound = unknownName(item.name, item.range, ", which the signature names");
  return sound;
}

/// A positional signature has as many items as there are parameters for them.
bool ParamResolver::checkCount() {
  const Signature &signature = request.signature;
  size_t count = signature.items.size();
  if (!signature.positional || count == 0 || count == def.params.size() || count == numUndefined())
    return true;
  DiagnosticBuilder builder =
      diagnostics.error(signature.items[std::min(count - 1, def.params.size())].range,
                        "the signature has " + llvm::Twine(count) + " items, but kernel '" +
                            def.name + "' has " + llvm::Twine(def.params.size()) + " parameters");
  builder.note(def.nameRange, "the kernel is defined here");
  if (std::string named = signatureByName(); !named.empty())
    builder.note(SMRange(), "items without names are for all parameters, or for all that -D does "
                            "not define; with names, others can be left out: '" +
                                named + "'");
  return false;
}

/// The positional signature with names, if it has an item for each parameter that nothing else
/// gives a value: -D, a default, or whoever sets constexprs. Empty otherwise.
std::string ParamResolver::signatureByName() {
  llvm::ArrayRef<SignatureItem> items = request.signature.items;
  std::string text;
  for (const ast::Param &param : def.params) {
    Annotation annotation;
    if (param.annotation)
      readAnnotation(in.host().tryEvaluate(*param.annotation, *kernel.env), annotation);
    if (isDefined(param) || param.defaultValue || annotation.isConstexpr)
      continue;
    if (items.empty())
      return "";
    const SMRange &range = items.front().range;
    const char *start = range.Start.getPointer();
    text += (text.empty() ? "" : ",") + param.name.str() + "=" +
            (range.isValid() ? std::string(start, range.End.getPointer()) : items.front().str());
    items = items.drop_front();
  }
  return items.empty() ? text : "";
}

bool ParamResolver::isDefined(const ast::Param &param) const {
  return llvm::any_of(request.constexprs,
                      [&](const NamedConst &value) { return value.name == param.name; });
}

/// How many parameters are left to the signature when it passes over those with a value of their
/// own.
size_t ParamResolver::numUndefined() const {
  return llvm::count_if(def.params, [&](const ast::Param &param) { return !isDefined(param); });
}

const SignatureItem *ParamResolver::itemOf(const ast::Param &param, unsigned index) const {
  const Signature &signature = request.signature;
  if (signature.positional) {
    if (signature.items.size() != def.params.size())
      index -= llvm::count_if(def.params.take_front(index),
                              [&](const ast::Param &before) { return isDefined(before); });
    return index < signature.items.size() ? &signature.items[index] : nullptr;
  }
  for (const SignatureItem &item : signature.items)
    if (item.name == param.name)
      return &item;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

ParamResolver::Annotation ParamResolver::annotationOf(const ast::Param &param) {
  Annotation result;
  if (!param.annotation)
    return result;
  Object object = in.host().tryEvaluate(*param.annotation, *kernel.env);
  // Names of Python that the host sees, but kernels do not.
  bool hidden = object.is(Object::Kind::Builtin) && object.asBuiltin()->space == Space::Python &&
                object.asBuiltin()->flags & Hidden;
  if (auto *name = llvm::dyn_cast<ast::Name>(param.annotation);
      name && (object.isPoison() || hidden))
    in.error(name->range(), "'" + name->id + "' is not defined");
  else
    readAnnotation(object, result);
  return result;
}

void ParamResolver::readAnnotation(const Object &object, Annotation &result) {
  if (isConstexprType(object)) {
    result.isConstexpr = true;
  } else if (object.isString()) {
    result.isConstexpr = object.asString().contains("constexpr");
    result.type = parseTypeName(object.asString());
    result.isConstPointer = object.asString().contains("const");
  } else if (object.isType() && !object.isBlockType()) {
    result.type = object.dtype();
    result.type->isConst = false; // tl.pointer_type(.., const=True) loses it as an annotation.
  } else if (object.is(Object::Kind::Class) && !object.asClass()->isAggregate) {
    result.named = object.asClass();
  } else if (object.is(Object::Kind::Builtin)) {
    StringRef name = object.asBuiltin()->name;
    bool python = object.asBuiltin()->space == Space::Python;
    result.isConstPointer = name == "const";
    if (python && name == "int")
      result.type = ScalarKind::Int32;
    if (python && name == "float")
      result.type = ScalarKind::FP32;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The named tuple `name` of the kernel's file; null after reporting an error.
const RecordClass *ParamResolver::findClass(StringRef name, size_t numFields, SMRange range,
                                            const ast::Param &param) {
  std::optional<Object> known = env.lookup(name);
  const RecordClass *named = known && known->is(Object::Kind::Class) ? known->asClass() : nullptr;
  if (!named || named->isAggregate) {
    error(range, "'" + name + "' is not a named tuple of the kernel's file", param);
    return nullptr;
  }
  if (named->fields.size() == numFields)
    return named;
  error(range,
        "the named tuple '" + name + "' has " + llvm::Twine(named->fields.size()) +
            " fields, found " + llvm::Twine(numFields),
        param);
  return nullptr;
}

/// A constant; functions and classes are looked up in the kernel's file. Poisoned after an error.
Object ParamResolver::valueOf(const ConstValue &value, SMRange range, const ast::Param &param) {
  if (value.kind() == ConstValue::Kind::Tuple) {
    Object::List elements;
    for (const ConstValue &element : value.elements()) {
      elements.push_back(valueOf(element, range, param));
      if (elements.back().isPoison())
        return Object::poison();
    }
    if (value.className().empty())
      return Object::tuple(std::move(elements));
    const RecordClass *named = findClass(value.className(), elements.size(), range, param);
    return named ? Object::tuple(std::move(elements), named) : Object::poison();
  }
  if (value.kind() != ConstValue::Kind::Function)
    return fromConst(value);
  StringRef name = value.functionName();
  std::optional<Object> known = env.lookup(name);
  if (known && known->is(Object::Kind::Function))
    return *known;
  llvm::SmallVector<StringRef> candidates = {"True", "False", "None"};
  for (const JitFunction *function : env.functions())
    candidates.push_back(function->def->name);
  std::optional<StringRef> near = closestName(name, candidates);
  diagnostics
      .error(range, "'" + name + "' is not a value, a type or a jit function of the kernel's file" +
                        (near ? "; did you mean '" + near->str() + "'?" : ""))
      .note(param.nameRange, "for this parameter");
  return Object::poison();
}

bool ParamResolver::fromValue(const ConstValue &value, SMRange range, ParamValue &result) {
  result.value = valueOf(value, range, *result.param);
  result.given = value;
  return !result.value.isPoison();
}

bool ParamResolver::fromItem(const SignatureItem &item, const Annotation &annotation,
                             ParamValue &result) {
  if (item.isTuple)
    return fromTuple(item, annotation, result);
  if (item.value)
    return fromValue(*item.value, item.range, result);
  const ast::Param &param = *result.param;
  if (annotation.isConstexpr)
    return error(item.range,
                 "parameter '" + param.name +
                     "' is tl.constexpr: expected a value, found the type '" +
                     item.type->type.signatureStr() + "'",
                 param);
  result.type = item.type;
  DType &type = result.type->type;
  if (annotation.isConstPointer && type.isPointer())
    type.isConst = true;
  return in.tensors().checkType(type, param.nameRange);
}

/// The parameter's annotation says nothing about the elements.
bool ParamResolver::fromTuple(const SignatureItem &item, const Annotation &annotation,
                              ParamValue &result) {
  const ast::Param &param = *result.param;
  if (annotation.isConstexpr || annotation.type)
    return error(
        item.range,
        "parameter '" + param.name +
            (annotation.isConstexpr ? std::string("' is tl.constexpr: expected a value")
                                    : "' is declared as " + annotation.type->signatureStr()) +
            (item.descriptor ? ", found a tensor descriptor, " : ", found the tuple ") + item.str(),
        param);
  result.isTuple = true;
  result.descriptor = item.descriptor;
  result.range = item.range;
  size_t count = item.elements.size();
  if (!item.className.empty()) {
    result.named = findClass(item.className, count, item.range, param);
    if (!result.named)
      return false;
  } else if (!item.descriptor && annotation.named && annotation.named->fields.size() == count) {
    result.named = annotation.named;
  }
  bool sound = true;
  for (auto [index, element] : llvm::enumerate(item.elements)) {
    ParamValue &value = result.elements.emplace_back();
    value.param = &param;
    value.path = result.path + "." + std::to_string(index);
    value.name = result.name + "." +
                 (result.named ? result.named->fields[index].str() : std::to_string(index));
    sound &= fromItem(element, Annotation(), value);
  }
  if (item.descriptor)
    nameParts(result);
  return sound;
}

//===----------------------------------------------------------------------===//
// Tensor descriptors
//===----------------------------------------------------------------------===//

/// What kernels and hosts call the parts: "x.base", "x.shape.0", "x.strides.0".
void ParamResolver::nameParts(ParamValue &result) const {
  for (auto [part, name] : llvm::zip_equal(result.elements, descriptorParts())) {
    part.name = (llvm::Twine(result.name) + "." + name).str();
    for (auto [axis, element] : llvm::enumerate(part.elements))
      element.name = part.name + "." + std::to_string(axis);
  }
}

/// A size that is a number, or an integer that one of the parameters is.
std::optional<int64_t> ParamResolver::sizeOf(const DescriptorType::Size &size,
                                             const ParamValue &param,
                                             llvm::ArrayRef<ParamValue> all) {
  int64_t number = 0;
  if (!StringRef(size.text).getAsInteger(10, number))
    return number;
  llvm::SmallVector<StringRef> names;
  for (const ParamValue &other : all) {
    if (other.name == size.text && other.value.isIntLike() && other.value.asInt64())
      return other.value.asInt64();
    if (other.value.isIntLike())
      names.push_back(other.name);
  }
  std::optional<StringRef> near = closestName(size.text, names);
  error(size.range.isValid() ? size.range : param.range,
        "the size '" + size.text +
            "' of a descriptor's block is neither a number nor a tl.constexpr parameter that is an "
            "integer" +
            (near ? "; did you mean '" + near->str() + "'?" : ""),
        *param.param);
  return std::nullopt;
}

/// Finds the sizes of a descriptor's blocks, once all parameters are known.
bool ParamResolver::resolveBlock(ParamValue &param, llvm::ArrayRef<ParamValue> all) {
  llvm::SmallVector<int64_t> shape;
  for (const DescriptorType::Size &size : param.descriptor->block) {
    std::optional<int64_t> number = sizeOf(size, param, all);
    if (!number)
      return false;
    shape.push_back(*number);
  }
  DType element = param.descriptor->element;
  SMRange range = param.range.isValid() ? param.range : param.param->nameRange;
  if (!in.tensors().checkType(element, range) || !checkDescriptorBlock(in, element, shape, range))
    return false;
  param.blockType = Object::blockType(element, shape);
  return true;
}

bool ParamResolver::resolveBlocks(ParamValue &param, llvm::ArrayRef<ParamValue> all) {
  bool sound = !param.descriptor || resolveBlock(param, all);
  for (ParamValue &element : param.elements)
    sound &= resolveBlocks(element, all);
  return sound;
}

//===----------------------------------------------------------------------===//
// What the source says
//===----------------------------------------------------------------------===//

bool ParamResolver::fromSource(const Annotation &annotation, ParamValue &result) {
  const ast::Param &param = *result.param;
  if (annotation.type && !annotation.isConstexpr && !param.defaultValue) {
    result.type = ParamType{*annotation.type};
    return in.tensors().checkType(*annotation.type, param.nameRange);
  }
  if (param.defaultValue) {
    result.value = kernel.env->evaluateDefault(*kernel.def, param);
    return !result.value.hasPoison();
  }
  if (annotation.isConstexpr)
    diagnostics.error(param.nameRange, "the tl.constexpr parameter '" + param.name +
                                           "' has no value; -D" + param.name +
                                           "=VALUE gives it one");
  else
    diagnostics.error(param.nameRange, "parameter '" + param.name +
                                           "' has no type: it is not in the signature and has "
                                           "neither annotation nor default; " +
                                           param.name + "=TYPE in --sig gives it one, -D" +
                                           param.name + "=VALUE makes it a constant");
  return false;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

bool ParamResolver::resolveParam(unsigned index, ParamValue &result) {
  const ast::Param &param = def.params[index];
  result.param = &param;
  result.name = result.path = param.name.str();
  if (param.kind != ast::Param::Kind::Regular) {
    diagnostics.error(param.nameRange, "only plain parameters are supported in a kernel");
    return false;
  }
  for (const NamedConst &given : request.constexprs)
    if (given.name == param.name)
      return fromValue(given.value, given.range, result);
  Annotation annotation = annotationOf(param);
  const SignatureItem *item = itemOf(param, index);
  return item ? fromItem(*item, annotation, result) : fromSource(annotation, result);
}

bool ParamResolver::resolve(std::vector<ParamValue> &params) {
  bool sound = checkNames();
  if (!checkCount())
    return false; // Which item is whose is not known.
  for (unsigned i = 0; i < def.params.size(); ++i) {
    params.emplace_back();
    sound &= resolveParam(i, params.back());
  }
  for (ParamValue &param : params)
    sound = sound && resolveBlocks(param, params);
  return sound;
}
