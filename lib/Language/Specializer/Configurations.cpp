//===- Configurations.cpp - What @triton.autotune lists ---------*- C++ -*-===//
//
// Lists of configurations may be written out, be comprehensions, sums of lists, names of the module
// or what its functions return. What is written out is read with its places; everything else is
// evaluated like code of compile time. Where that is not possible, that location is an error.
//
//===----------------------------------------------------------------------===//

#include "DecoratorReader.h"
#include "HostInterpreter.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Configurations of one kernel, and lists within lists, at most.
static constexpr size_t maxConfigs = 4096;
static constexpr unsigned maxListDepth = 64;

bool DecoratorReader::setValue(StringRef name, SMRange range, const ast::Expr &value,
                               const Scope &locals, TuneConfig &config) {
  if (!hasParameter(kernel, name)) {
    reportNoParameter(in, kernel, name, range);
    return false;
  }
  std::optional<Object> object = evaluate(value, locals);
  return object && setValue(name, range, *object, value.range(), config);
}

bool DecoratorReader::setValue(StringRef name, SMRange range, const Object &value,
                               SMRange valueRange, TuneConfig &config) {
  std::optional<ConstValue> constant = toConst(value);
  if (!constant)
    return error(valueRange, "expected a value, found " + value.typeStr());
  for (NamedConst &other : config.values)
    if (other.name == name) {
      other.value = *constant;
      return true;
    }
  config.values.push_back({name.str(), *constant, range});
  return true;
}

/// What `dictionary`, an object, gives parameters; `range` is where it is from.
bool DecoratorReader::setValues(const Object &dictionary, SMRange range, TuneConfig &config) {
  llvm::ArrayRef<Object> rest = dictionary.elements();
  for (; !rest.empty(); rest = rest.drop_front(2)) {
    if (!rest[0].isString())
      return error(range, "expected the name of a parameter, found " + rest[0].repr());
    if (!hasParameter(kernel, rest[0].asString())) {
      reportNoParameter(in, kernel, rest[0].asString(), range);
      return false;
    }
    if (!setValue(rest[0].asString(), range, rest[1], range, config))
      return false;
  }
  return true;
}

/// A dictionary that has a name or is computed.
bool DecoratorReader::readDictionary(const ast::Expr &expr, const Scope &locals,
                                     TuneConfig &config) {
  std::optional<Object> value = evaluate(expr, locals);
  if (!value)
    return false;
  return value->isDict()
             ? setValues(*value, expr.range(), config)
             : error(expr.range(), "expected a dictionary of parameter values, {\"NAME\": value}");
}

/// `{"BLOCK": 128}` or `dict(BLOCK=128)`.
bool DecoratorReader::readValues(const ast::Expr &expr, const Scope &locals, TuneConfig &config) {
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  auto *callee = call ? llvm::dyn_cast<ast::Name>(call->callee) : nullptr;
  if (callee && callee->id == "dict" && call->args.empty())
    return llvm::all_of(call->keywords, [&](const ast::Keyword &keyword) {
      return keyword.name.empty()
                 ? readValues(*keyword.value, locals, config)
                 : setValue(keyword.name, keyword.nameRange, *keyword.value, locals, config);
    });
  auto *dict = llvm::dyn_cast<ast::Dict>(&expr);
  if (!dict)
    return readDictionary(expr, locals, config);
  for (const ast::DictEntry &entry : dict->entries) {
    if (!entry.key) {
      if (!readValues(*entry.value, locals, config))
        return false;
      continue;
    }
    std::optional<Object> key = evaluate(*entry.key, locals);
    if (!key)
      return false;
    if (!key->isString())
      return error(entry.key->range(), "expected the name of a parameter, found " + key->repr());
    if (!setValue(key->asString(), entry.key->range(), *entry.value, locals, config))
      return false;
  }
  return true;
}

bool DecoratorReader::readConfig(const ast::Call &call, const Scope &locals, TuneConfig &config) {
  static const StringRef names[] = {"kwargs",  "num_warps", "num_stages", "num_ctas",
                                    "maxnreg", "pre_hook",  "ir_override"};
  Args args;
  if (!bindArgs(call, names, args))
    return false;
  config.range = call.range();
  if (args[0] && !readValues(*args[0], locals, config))
    return false;
  for (unsigned index = 1; index < 5; ++index)
    if (!readNumber(args[index], names[index], locals, config))
      return false;
  for (unsigned index : {5u, 6u})
    if (!isNone(args[index]))
      return hostCode(args[index]->range(),
                      "'" + names[index] + "' of a configuration is not supported");
  return true;
}

bool DecoratorReader::bindTarget(const ast::Expr &target, const Object &value, Scope &locals) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target)) {
    locals[name->id] = {value, true};
    return true;
  }
  auto *tuple = llvm::dyn_cast<ast::Tuple>(&target);
  if (!tuple || !value.isTuple() || value.elements().size() != tuple->elements.size())
    return error(target.range(), "the elements of the list cannot be assigned to this target");
  for (auto [element, item] : llvm::zip(tuple->elements, value.elements()))
    if (!bindTarget(*element, item, locals))
      return false;
  return true;
}

/// The `for` clauses from `index` on, then the element.
bool DecoratorReader::readComprehension(const ast::ListComp &comp, size_t index,
                                        const Scope &locals, std::vector<TuneConfig> &configs) {
  if (index == comp.generators.size())
    return readConfigs(*comp.element, locals, configs);
  const ast::Comprehension &generator = comp.generators[index];
  std::optional<Object> sequence = evaluate(*generator.iter, locals);
  if (!sequence)
    return false;
  if (!sequence->isTuple())
    return error(generator.iter->range(),
                 "expected a list or a tuple, found " + sequence->typeStr());
  for (const Object &element : sequence->elements()) {
    Scope inner = locals;
    if (!bindTarget(*generator.target, element, inner))
      return false;
    bool wanted = true;
    for (const ast::Expr *condition : generator.conditions) {
      std::optional<Object> value = evaluate(*condition, inner);
      if (!value)
        return false;
      wanted &= constTruth(*value);
    }
    if (wanted && !readComprehension(comp, index + 1, inner, configs))
      return false;
  }
  return true;
}

/// What `name` or `module.name` is bound to; null when that is no expression of a module.
const ast::Expr *DecoratorReader::findValue(const ast::Expr &name, const ModuleEnv *&owner) {
  if (auto *plain = llvm::dyn_cast<ast::Name>(&name))
    return env.findValue(plain->id, owner);
  auto *member = llvm::dyn_cast<ast::Attribute>(&name);
  Object module = member ? in.host().tryEvaluate(*member->value, env) : Object::none();
  const ModuleEnv *inside = module.is(Object::Kind::File) ? module.asFile()->env : nullptr;
  return inside ? inside->findValue(member->attr, owner) : nullptr;
}

bool DecoratorReader::readName(const ast::Expr &name, const Scope &locals,
                               std::vector<TuneConfig> &configs) {
  if (auto *plain = llvm::dyn_cast<ast::Name>(&name)) {
    // `CONFIGS = CONFIGS + [..]` means what the name was bound to before.
    auto inside = llvm::find_if(llvm::reverse(reading),
                                [&](const auto &part) { return part.first == plain->id; });
    llvm::SmallVector<const ast::Expr *, 2> parts =
        env.findParts(plain->id, inside == reading.rend() ? nullptr : inside->second);
    if (!parts.empty())
      return llvm::all_of(parts, [&](const ast::Expr *part) {
        reading.emplace_back(plain->id, part);
        llvm::scope_exit leave([&] { reading.pop_back(); });
        return readConfigs(*part, locals, configs);
      });
    if (inside != reading.rend())
      return hostCode(name.range(), "'" + plain->id + "' cannot be evaluated without Python");
  }
  const ModuleEnv *owner = nullptr;
  if (const ast::Expr *value = findValue(name, owner))
    return owner == &env ? readConfigs(*value, locals, configs)
                         : DecoratorReader(in, *owner, kernel, needsHost, depth)
                               .readConfigs(*value, Scope(), configs);
  return readEvaluated(name, locals, configs);
}

/// A configuration that code of compile time has made.
bool DecoratorReader::addConfig(const Object &object, SMRange range,
                                std::vector<TuneConfig> &configs) {
  if (configs.size() >= maxConfigs)
    return error(range, "there are more than " + llvm::Twine(maxConfigs) + " configurations");
  TuneConfig &config = configs.emplace_back();
  config.range = range;
  llvm::ArrayRef<Object> fields = object.elements();
  if (!setValues(fields[0], range, config))
    return false;
  int64_t given = fields.back().asInt().getSExtValue();
  for (unsigned index = 1; index < fields.size() - 1; ++index) {
    StringRef name = configClass().fields[index];
    if (!(given >> index & 1))
      continue;
    if (index > 4)
      return hostCode(range, "'" + name + "' of a configuration is not supported");
    if (!setNumber(fields[index], name, range, config))
      return false;
  }
  return true;
}

static bool isConfig(const Object &object) {
  return object.isTuple() && object.asClass() == &configClass();
}

/// An expression whose value is a configuration or a list of them.
bool DecoratorReader::readEvaluated(const ast::Expr &expr, const Scope &locals,
                                    std::vector<TuneConfig> &configs) {
  std::optional<Object> value = evaluate(expr, locals);
  if (!value)
    return false;
  if (isConfig(*value))
    return addConfig(*value, expr.range(), configs);
  if (!value->isTuple() || !llvm::all_of(value->elements(), isConfig))
    return hostCode(expr.range(),
                    "expected triton.Config(..) or a list of them, found " + value->typeStr());
  return llvm::all_of(value->elements(), [&](const Object &config) {
    return addConfig(config, expr.range(), configs);
  });
}

/// Only assignments and a return: configurations are read where they are written, so that messages
/// have their places.
static bool isPlainBody(const ast::FunctionDef &function) {
  return llvm::all_of(function.body, [](const ast::Stmt *stmt) {
    if (auto *expr = llvm::dyn_cast<ast::ExprStmt>(stmt))
      return llvm::isa<ast::Constant>(expr->value);
    if (auto *assign = llvm::dyn_cast<ast::Assign>(stmt))
      return assign->targets.size() == 1 &&
             llvm::isa<ast::Name, ast::Tuple>(assign->targets.front());
    auto *result = llvm::dyn_cast<ast::Return>(stmt);
    return result && result->value;
  });
}

const JitFunction *DecoratorReader::hostFunction(const ast::Expr &callee, const ModuleEnv &module,
                                                 const Scope *locals) {
  Object object = in.host().tryEvaluate(callee, module, locals);
  return object.is(Object::Kind::Host) ? object.asHostFunction() : nullptr;
}

/// A function that computes some values and returns a list of configurations.
bool DecoratorReader::readFunction(const JitFunction &function, const ast::Call &call,
                                   const Scope &locals, std::vector<TuneConfig> &configs) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : function.def->params)
    names.push_back(param.name);
  Args args;
  if (!bindArgs(call, names, args))
    return false;
  Scope inner;
  DecoratorReader body(in, *function.env, kernel, needsHost, depth);
  for (auto [param, arg] : llvm::zip(function.def->params, args)) {
    if (!arg && !param.defaultValue)
      return error(call.range(), "missing argument '" + param.name + "'");
    std::optional<Object> value =
        arg ? evaluate(*arg, locals) : body.evaluate(*param.defaultValue, Scope());
    if (!value)
      return false;
    inner[param.name] = {*value, true};
  }
  return body.readBody(*function.def, inner, configs);
}

bool DecoratorReader::readBody(const ast::FunctionDef &function, Scope &locals,
                               std::vector<TuneConfig> &configs) {
  llvm::DenseMap<StringRef, const ast::Expr *> lists; // Variables whose values are configurations.
  for (const ast::Stmt *stmt : function.body) {
    if (auto *result = llvm::dyn_cast<ast::Return>(stmt); result && result->value) {
      auto *name = llvm::dyn_cast<ast::Name>(result->value);
      const ast::Expr *list = name ? lists.lookup(name->id) : nullptr;
      return readConfigs(list ? *list : *result->value, locals, configs);
    }
    auto *plain = llvm::dyn_cast<ast::ExprStmt>(stmt);
    if (plain && llvm::isa<ast::Constant>(plain->value))
      continue;                                   // A docstring.
    auto *assign = llvm::cast<ast::Assign>(stmt); // See isPlainBody.
    auto *name = llvm::dyn_cast<ast::Name>(assign->targets[0]);
    Object known = name ? in.host().tryEvaluate(*assign->value, env, &locals) : Object::none();
    bool hasConfigs = isConfig(known) || (known.isTuple() && !known.elements().empty() &&
                                          llvm::all_of(known.elements(), isConfig));
    if (known.isPoison() || hasConfigs) {
      lists[name->id] = assign->value;
      continue;
    }
    std::optional<Object> value = evaluate(*assign->value, locals);
    if (!value || !bindTarget(*assign->targets[0], *value, locals))
      return false;
  }
  return error(function.nameRange, "the function ends without a return");
}

/// A configuration or a list of them, appended to `configs`.
bool DecoratorReader::readConfigs(const ast::Expr &expr, const Scope &locals,
                                  std::vector<TuneConfig> &configs) {
  if (++depth > maxListDepth)
    return error(expr.range(), "the list of configurations is nested too deeply");
  llvm::scope_exit leave([&] { --depth; });
  if (configs.size() >= maxConfigs)
    return error(expr.range(),
                 "there are more than " + llvm::Twine(maxConfigs) + " configurations");
  auto each = [&](llvm::ArrayRef<ast::Expr *> elements) {
    return llvm::all_of(elements, [&](const ast::Expr *element) {
      auto *starred = llvm::dyn_cast<ast::Starred>(element);
      return readConfigs(starred ? *starred->value : *element, locals, configs);
    });
  };
  if (auto *list = llvm::dyn_cast<ast::List>(&expr))
    return each(list->elements);
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr))
    return each(tuple->elements);
  if (auto *comp = llvm::dyn_cast<ast::ListComp>(&expr))
    return readComprehension(*comp, 0, locals, configs);
  if (llvm::isa<ast::Name, ast::Attribute>(expr))
    return readName(expr, locals, configs);
  if (auto *sum = llvm::dyn_cast<ast::BinOp>(&expr); sum && sum->op == ast::BinaryOp::Add)
    return each({sum->left, sum->right});
  if (auto *choice = llvm::dyn_cast<ast::IfExp>(&expr)) {
    std::optional<Object> test = evaluate(*choice->test, locals);
    return test &&
           readConfigs(constTruth(*test) ? *choice->body : *choice->orelse, locals, configs);
  }
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  if (call && tritonName(*call->callee, &locals) == "Config") {
    configs.emplace_back();
    return readConfig(*call, locals, configs.back());
  }
  if (const JitFunction *function = call ? hostFunction(*call->callee, env, &locals) : nullptr)
    if (isPlainBody(*function->def))
      return readFunction(*function, *call, locals, configs);
  return readEvaluated(expr, locals, configs);
}
