//===- Calls.cpp - Calls of functions ---------------------------*- C++ -*-===//
//
// Evaluates arguments, binds them to the parameters of a builtin or of a jit function, and runs it.
// A jit function is specialised for its arguments by interpreting its body in place, so that
// constexpr arguments stay constexpr and the result is inlined.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
#include "KernelInterpreter.h"
using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Longest chain of inlined calls.
static constexpr unsigned maxCallDepth = 100;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool Interpreter::evalArguments(const ast::Call &call, CallInfo &info) {
  bool sound = true;
  auto add = [&](Object value, SMRange range) {
    sound &= !value.hasPoison();
    info.positional.push_back({std::move(value), range, true});
  };
  for (const ast::Expr *expr : call.args) {
    auto *starred = llvm::dyn_cast<ast::Starred>(expr);
    if (!starred) {
      add(eval(*expr), expr->range());
      continue;
    }
    Object sequence = eval(*starred->value);
    if (frame().host && !sequence.isPoison())
      sequence = host().iterate(sequence, expr->range());
    if (!sequence.isTuple()) {
      sound = false;
      if (!sequence.isPoison())
        error(expr->range(), "'*' unpacks a tuple, found " + sequence.typeStr());
      continue;
    }
    for (const Object &element : sequence.elements())
      add(element, expr->range());
  }
  for (const ast::Keyword &keyword : call.keywords) {
    if (keyword.name.empty() && !frame().host) {
      error(keyword.range, "'**' is not supported in a call");
      return false;
    }
    Object value = eval(*keyword.value);
    sound &= !value.hasPoison();
    if (keyword.name.empty()) {
      sound = sound && addKeywords(value, keyword.value->range(), info);
      continue;
    }
    info.keywords.push_back(
        {keyword.name, keyword.nameRange, Arg{std::move(value), keyword.value->range(), true}});
  }
  return sound;
}

/// The entries of `dict` as keywords, for `f(**dict)`.
bool Interpreter::addKeywords(const Object &dict, SMRange range, CallInfo &info) {
  llvm::ArrayRef<Object> items =
      dict.isDict() ? llvm::ArrayRef<Object>(dict.elements()) : llvm::ArrayRef<Object>();
  if (!dict.isDict()) {
    error(range, "'**' unpacks a dictionary, found " + dict.typeStr());
    return false;
  }
  for (; !items.empty(); items = items.drop_front(2)) {
    if (!items[0].isString()) {
      error(range, "the keys of keyword arguments are strings, found " + items[0].repr());
      return false;
    }
    info.keywords.push_back({items[0].asString(), range, Arg{items[1], range, true}});
  }
  return true;
}

Object Interpreter::evalCall(const ast::Call &call) {
  if (frame().host)
    if (std::optional<Object> result = host().callMutator(call))
      return *result;
  Object callee = eval(*call.callee);
  CallInfo info;
  info.range = call.range();
  info.calleeRange = call.callee->range();
  bool sound = evalArguments(call, info);
  if (callee.isPoison() || !sound)
    return Object::poison();
  return this->call(callee, info);
}

Object Interpreter::call(const Object &callee, CallInfo &info) {
  switch (callee.kind()) {
  case Object::Kind::Function:
    return callJit(*callee.asFunction(), info);
  case Object::Kind::Builtin:
    return callBuiltin(*callee.asBuiltin(), nullptr, info);
  case Object::Kind::Method:
    return callBuiltin(*callee.asBuiltin(), &callee.self(), info);
  case Object::Kind::BoundMethod:
    info.positional.insert(info.positional.begin(), {callee.self(), info.calleeRange, true});
    return callJit(*callee.asFunction(), info);
  case Object::Kind::Class:
    return construct(*callee.asClass(), info);
  case Object::Kind::Host:
    if (inHost() && callee.asHostFunction())
      return callJit(*callee.asHostFunction(), info);
    if (inHost())
      return hostError(info.calleeRange, "cannot call " + callee.typeStr(),
                       ": host code is not executed", callee);
    if (const Builtin *likely = callee.likelyBuiltin()) {
      warning(info.calleeRange, "host code, which is not executed, says what this function is; "
                                "taken for " +
                                    likely->fullName());
      return callBuiltin(*likely, nullptr, info);
    }
    return hostError(info.calleeRange, "cannot call " + callee.typeStr() + " in a kernel",
                     "; only @triton.jit functions can be called", callee);
  case Object::Kind::Type:
    return error(info.calleeRange,
                 "a type is not callable; convert with x.to(" +
                     (callee.isBlockType() ? "dtype" : "tl." + callee.dtype().str()) + ")");
  case Object::Kind::Poison:
    return callee;
  default:
    return error(info.calleeRange, callee.typeStr() + " is not callable");
  }
}

Object Interpreter::callWith(const Object &callee, llvm::ArrayRef<Object> args, SMRange range) {
  CallInfo info;
  info.range = info.calleeRange = range;
  for (const Object &arg : args)
    info.positional.push_back({arg, range, true});
  return call(callee, info);
}

/// P(1, y=2).
Object Interpreter::construct(const RecordClass &named, CallInfo &info) {
  if (named.isAggregate)
    return constructAggregate(named, info);
  llvm::SmallVector<std::optional<Object>, 8> given(named.fields.size());
  if (info.positional.size() > given.size())
    return errorWithNote(info.positional[given.size()].range,
                         "too many arguments for '" + named.name + "': it has " +
                             llvm::Twine(given.size()) + " fields",
                         named.definition, "defined here");
  for (auto [field, arg] : llvm::zip(given, info.positional))
    field = arg.value;
  for (const KeywordArg &keyword : info.keywords) {
    const auto *name = llvm::find(named.fields, keyword.name);
    if (name == named.fields.end())
      return errorWithHint(keyword.nameRange,
                           "'" + named.name + "' has no field '" + keyword.name + "'",
                           closestName(keyword.name, named.fields), keyword.nameRange);
    std::optional<Object> &field = given[name - named.fields.begin()];
    if (field)
      return error(keyword.nameRange,
                   "field '" + keyword.name + "' of '" + named.name + "' is given twice");
    field = keyword.arg.value;
  }
  Object::List elements;
  for (auto [name, defaultValue, value] : llvm::zip(named.fields, named.defaults, given)) {
    if (!value && !defaultValue)
      return errorWithNote(info.range, "missing field '" + name + "' of '" + named.name + "'",
                           named.definition, "defined here");
    elements.push_back(value ? *value : host().evaluate(*defaultValue, *named.env));
    if (elements.back().hasPoison())
      return Object::poison();
  }
  return Object::tuple(std::move(elements), &named);
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

/// The constant that a row writes as a default.
static Object parseDefault(StringRef text) {
  int64_t number;
  if (text == "None")
    return Object::none();
  if (text == "True" || text == "False")
    return Object::boolean(text == "True");
  if (text == "()")
    return Object::tuple({});
  if (text.consume_front("'") && text.consume_back("'"))
    return Object::string(text);
  if (!text.getAsInteger(10, number))
    return Object::integer(number);
  if (text == "NONE")
    return Object::enumerator("PropagateNan.NONE");
  if (text == "fp32")
    return Object::type(ScalarKind::FP32);
  llvm_unreachable("unknown default in a builtin's row");
}

llvm::ArrayRef<BuiltinParam> Interpreter::paramsOf(const Builtin &builtin) {
  auto [place, isNew] = builtinParams.try_emplace(&builtin);
  if (!isNew)
    return place->second;
  llvm::SmallVector<StringRef, 10> items;
  StringRef(builtin.params).split(items, ',', -1, /*KeepEmpty=*/false);
  bool afterVariadic = false;
  for (StringRef item : items) {
    BuiltinParam param;
    auto [name, text] = item.trim().split('=');
    param.name = name;
    param.keywordOnly = afterVariadic;
    param.variadic = param.name.consume_front("*");
    afterVariadic |= param.variadic;
    param.hasDefault = item.contains('=');
    if (param.hasDefault)
      param.defaultValue = parseDefault(text);
    place->second.push_back(param);
  }
  return place->second;
}

bool Interpreter::bindPositional(Args &args, const CallInfo &info, unsigned next) {
  for (const Arg &arg : info.positional) {
    while (next < args.params.size() && args.params[next].keywordOnly)
      ++next;
    if (next >= args.params.size()) {
      unsigned most = 0;
      for (const BuiltinParam &param : args.params)
        most += !param.keywordOnly;
      error(arg.range,
            "too many arguments for " + args.builtin.fullName() + ": expected at most " +
                llvm::Twine(most) + ", found " +
                llvm::Twine(most + info.positional.size() - (&arg - info.positional.begin())));
      return false;
    }
    if (args.params[next].variadic)
      args.variadic.push_back(arg);
    else
      args.bound[next++] = arg;
  }
  return true;
}

bool Interpreter::bindKeyword(Args &args, const KeywordArg &keyword) {
  for (auto [index, param] : llvm::enumerate(args.params)) {
    if (param.name != keyword.name)
      continue;
    if (param.variadic) { // `shape=(..)` for a parameter that also takes separate arguments.
      if (!args.variadic.empty())
        break;
      args.variadic.push_back(keyword.arg);
      return true;
    }
    if (args.bound[index].given) {
      error(keyword.nameRange,
            "argument '" + keyword.name + "' of " + args.builtin.fullName() + " is given twice");
      return false;
    }
    args.bound[index] = keyword.arg;
    return true;
  }
  llvm::SmallVector<StringRef, 10> names;
  for (const BuiltinParam &param : args.params)
    names.push_back(param.name);
  errorWithHint(keyword.nameRange,
                args.builtin.fullName() + " has no parameter '" + keyword.name + "'",
                closestName(keyword.name, names), keyword.nameRange);
  return false;
}

bool Interpreter::bindBuiltin(Args &args, const Object *self, const CallInfo &info) {
  args.params = paramsOf(args.builtin);
  for (const BuiltinParam &param : args.params)
    args.bound.push_back({param.defaultValue, info.range, false});
  unsigned next = 0;
  if (self && !args.params.empty()) {
    Arg selfArg{*self, info.calleeRange, true};
    if (args.params[0].variadic)
      args.variadic.push_back(selfArg);
    else
      args.bound[next++] = selfArg;
  }
  if (!bindPositional(args, info, next))
    return false;
  for (const KeywordArg &keyword : info.keywords)
    if (!bindKeyword(args, keyword))
      return false;
  for (auto [index, param] : llvm::enumerate(args.params))
    if (!param.hasDefault && !param.variadic && !args.bound[index].given) {
      error(info.range, "missing argument '" + param.name + "' of " + args.builtin.fullName());
      return false;
    }
  return true;
}

Object Interpreter::callBuiltin(const Builtin &builtin, const Object *self, CallInfo &info) {
  if (builtin.flags & Unsupported)
    return error(info.calleeRange, builtin.fullName() + " is not supported yet");
  if (builtin.space == Space::Python && builtin.name == "dict")
    return host().callDict(info);
  if (builtin.space == Space::Python && builtin.name == "format" && self && self->isString())
    return formatFields(*this, self->asString(), info);
  Args args(*this, builtin, info);
  if (!bindBuiltin(args, self, info))
    return Object::poison();
  PlaceScope place(*this, info.range);
  if (builtin.call)
    return builtin.call(*this, args);
  const JitFunction *function = builtin.space == Space::Inductor ? inductorFunction(builtin.name)
                                                                 : preludeFunction(builtin.name);
  assert(function && "a row without a function needs one in the prelude");
  CallInfo inner;
  inner.range = info.range;
  inner.calleeRange = info.calleeRange;
  for (const Arg &arg : args.bound)
    inner.positional.push_back(arg);
  return callJit(*function, inner);
}

//===----------------------------------------------------------------------===//
// Jit functions
//===----------------------------------------------------------------------===//

bool Interpreter::canCall(const JitFunction &function, const CallInfo &info) {
  StringRef name = function.def->name;
  if (function.def->hasErrors) {
    setError(true); // The parser has reported them.
    return false;
  }
  if (function.launchOnly) {
    errorWithNote(info.calleeRange,
                  "cannot call '" + name +
                      "' in a kernel: autotune or heuristics make it a launcher",
                  function.def->nameRange, "defined here");
    return false;
  }
  if (!checkJitCall(function))
    return false;
  if (stopped())
    return false;
  unsigned chain = 0;
  for (Frame *at = innermost(); at; at = at->caller)
    ++chain;
  if (chain > maxCallDepth) {
    error(info.range, "more than " + llvm::Twine(maxCallDepth) + " nested calls");
    // What calls itself twice would come here as many times as there are paths.
    if (function.isJit)
      stop();
    return false;
  }
  return true;
}

/// What a function is specialised for.
static Object::List specializationOf(const JitFunction &function, const Frame &callee) {
  Object::List values;
  for (const ast::Param &param : function.def->params)
    values.push_back(callee.scope.lookup(param.name).value);
  return values;
}

/// A function may call itself for other types or compile-time values, which specialise it anew. For
/// the same ones it would be compiled without end, whatever it finds out while it runs.
bool Interpreter::checkRecursion(const JitFunction &function, Frame &callee, SMRange range) {
  callee.arguments = specializationOf(function, callee);
  auto matches = [&](const Frame &outer) {
    return outer.function && outer.function->def == function.def &&
           llvm::equal(outer.arguments, callee.arguments, sameType);
  };
  for (Frame *at = innermost(); at; at = at->caller)
    if (matches(*at)) {
      error(range, "'" + function.def->name +
                       "' calls itself without end: with arguments of the same types and the same "
                       "compile-time values");
      return false;
    }
  return true;
}

bool Interpreter::bindDefaults(const JitFunction &function, const CallInfo &info, Frame &callee) {
  for (const ast::Param &param : function.def->params) {
    if (callee.scope.count(param.name))
      continue;
    if (param.kind == ast::Param::Kind::VarArgs) {
      callee.scope[param.name] = Binding{Object::tuple({}), true};
      continue;
    }
    if (param.kind == ast::Param::Kind::VarKeywords) {
      callee.scope[param.name] = Binding{Object::dict({}), true};
      continue;
    }
    if (!param.defaultValue) {
      errorWithNote(info.range,
                    "missing argument '" + param.name + "' of '" + function.def->name + "'",
                    param.nameRange, "parameter declared here");
      return false;
    }
    Object value = function.closure
                       ? function.closure->defaults[&param - function.def->params.begin()]
                       : function.env->evaluateDefault(*function.def, param);
    if (value.hasPoison())
      return false;
    if (value.isList() || value.isDict())
      host().shareDefault(value);
    callee.scope[param.name] = Binding{std::move(value), true};
  }
  return true;
}

/// Functions of compile time may have parameters of all kinds.
bool Interpreter::checkParams(const JitFunction &function) {
  using Kind = ast::Param::Kind;
  for (const ast::Param &param : function.def->params) {
    if (param.kind == Kind::Regular || !function.isJit)
      continue;
    error(param.nameRange, "only plain parameters are supported in a kernel function");
    return false;
  }
  return true;
}

bool Interpreter::bindJitPositional(const JitFunction &function, const CallInfo &info,
                                    Frame &callee) {
  using Kind = ast::Param::Kind;
  const ast::FunctionDef &def = *function.def;
  llvm::ArrayRef<ast::Param> named = def.params.take_while([](const ast::Param &param) {
    return param.kind == Kind::Regular || param.kind == Kind::PositionalOnly;
  });
  llvm::ArrayRef<Arg> args = info.positional;
  for (auto [param, arg] : llvm::zip(named, args))
    callee.scope[param.name] = Binding{arg.value, true};
  if (args.size() <= named.size())
    return true;
  if (named.size() < def.params.size() && def.params[named.size()].kind == Kind::VarArgs) {
    Object::List rest;
    for (const Arg &arg : args.drop_front(named.size()))
      rest.push_back(arg.value);
    callee.scope[def.params[named.size()].name] = Binding{Object::tuple(std::move(rest)), true};
    return true;
  }
  errorWithNote(args[named.size()].range,
                "too many arguments for '" + def.name + "': expected at most " +
                    llvm::Twine(named.size()) + ", found " + llvm::Twine(args.size()),
                def.nameRange, "declared here");
  return false;
}

bool Interpreter::bindJit(const JitFunction &function, const CallInfo &info, Frame &callee) {
  const ast::FunctionDef &def = *function.def;
  if (!checkParams(function) || !bindJitPositional(function, info, callee))
    return false;
  Object::List extra; // For **kwargs.
  for (const KeywordArg &keyword : info.keywords) {
    auto *param = llvm::find_if(def.params, [&](const ast::Param &p) {
      return p.name == keyword.name && p.kind != ast::Param::Kind::VarArgs &&
             p.kind != ast::Param::Kind::VarKeywords && p.kind != ast::Param::Kind::PositionalOnly;
    });
    if (param == def.params.end() && !def.params.empty() &&
        def.params.back().kind == ast::Param::Kind::VarKeywords) {
      extra.push_back(Object::string(keyword.name));
      extra.push_back(keyword.arg.value);
      continue;
    }
    if (param == def.params.end()) {
      llvm::SmallVector<StringRef, 16> names;
      for (const ast::Param &known : def.params)
        names.push_back(known.name);
      errorWithHint(keyword.nameRange, "'" + def.name + "' has no parameter '" + keyword.name + "'",
                    closestName(keyword.name, names), keyword.nameRange);
      return false;
    }
    if (callee.scope.count(keyword.name)) {
      error(keyword.nameRange,
            "argument '" + keyword.name + "' of '" + def.name + "' is given twice");
      return false;
    }
    callee.scope[keyword.name] = Binding{keyword.arg.value, true};
  }
  if (!extra.empty())
    callee.scope[def.params.back().name] = Binding{Object::dict(std::move(extra)), true};
  return bindDefaults(function, info, callee);
}

/// The first block of more than one element inside an object, or null.
static const Object *findBlock(const Object &object) {
  if (object.isCompound()) {
    for (const Object &element : object.elements())
      if (const Object *found = findBlock(element))
        return found;
    return nullptr;
  }
  bool isBlock =
      object.isBlock() && llvm::any_of(object.shape(), [](int64_t size) { return size != 1; });
  return isBlock ? &object : nullptr;
}

/// A function that is not inlined takes scalars only. It is inlined all the same: what a call would
/// save is code size, and results do not depend on it.
bool Interpreter::checkNoinline(const JitFunction &function, const Frame &callee, SMRange range) {
  if (!function.noinline)
    return true;
  for (auto &[name, binding] : callee.scope)
    if (const Object *block = findBlock(binding.value)) {
      error(range, "'" + function.def->name + "' is noinline and takes no blocks, but '" + name +
                       "' holds " + block->typeStr());
      return false;
    }
  return true;
}

Object Interpreter::callJit(const JitFunction &function, CallInfo &info) {
  Frame callee;
  if (!host().checkClosure(function, info.range) || !canCall(function, info) ||
      !bindJit(function, info, callee) || !checkNoinline(function, callee, info.range) ||
      (function.isJit && !checkRecursion(function, callee, info.range)))
    return Object::poison();
  callee.outer = function.closure ? function.closure->frame : nullptr;
  callee.function = &function;
  callee.env = function.env;
  callee.caller = innermost();
  callee.callRange = info.range;
  return function.isJit ? inlineCall(function, callee) : host().call(function, callee);
}

Object Interpreter::inlineCall(const JitFunction &function, Frame &callee) {
  FrameScope scope(*this, callee);
  bool hadErrors = hadError();
  setError(false);
  Flow flow = kernel().run(function);
  bool failed = hadError();
  setError(failed || hadErrors);
  if (failed)
    return Object::poison();
  if (flow.never() || !callee.returnShape)
    return Object::none();
  llvm::ArrayRef<mlir::Value> values = flow.values;
  return rebuild(*callee.returnShape, values);
}
