//===- Decorators.cpp - What @triton.autotune and the like say --*- C++ -*-===//
//
// Lists of configurations may be written out, be comprehensions, sums of lists, names of the module
// or what its functions return; their values are constants of the module. Other functions of the
// host are not run: where one would have to be, that place is an error.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Decorators.h"

#include "Builtins.h"
#include "HostExprReader.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Configurations of one kernel, and lists within lists, at most.
static constexpr size_t maxConfigs = 4096;
static constexpr unsigned maxListDepth = 64;

std::string TuneConfig::str() const {
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    text += (text.empty() ? "" : ", ") + name.str() + "=" + value.str();
  };
  for (const NamedConst &constant : values)
    add(constant.name, constant.value.str());
  const std::pair<StringRef, unsigned> options[] = {{"num_warps", numWarps},
                                                    {"num_stages", numStages},
                                                    {"num_ctas", numCTAs},
                                                    {"maxnreg", maxRegisters}};
  for (auto [name, value] : options)
    if (value != 0)
      add(name, std::to_string(value));
  return text;
}

namespace {

class DecoratorReader {
public:
  DecoratorReader(Interpreter &in, const ModuleEnv &env, const ast::FunctionDef &kernel,
                  bool &needsHost, unsigned depth = 0)
      : in(in), env(env), kernel(kernel), needsHost(needsHost), depth(depth) {}

  bool read(KernelDecorators &result);

private:
  using Args = llvm::SmallVector<const ast::Expr *, 12>;
  /// What a decorator or a class of triton is called, or "".
  StringRef tritonName(const ast::Expr &expr, const Scope *locals = nullptr);
  bool bindArgs(const ast::Call &call, llvm::ArrayRef<StringRef> names, Args &args);
  bool readAutotune(const ast::Call &call, Autotune &result);
  bool checkIgnored(llvm::ArrayRef<StringRef> names, const Args &args);
  bool readConfigs(const ast::Expr &expr, const Scope &locals, std::vector<TuneConfig> &configs);
  const ast::Expr *findValue(const ast::Expr &name, const ModuleEnv *&owner);
  bool readName(const ast::Expr &name, const Scope &locals, std::vector<TuneConfig> &configs);
  bool readComprehension(const ast::ListComp &comp, size_t index, const Scope &locals,
                         std::vector<TuneConfig> &configs);
  bool bindTarget(const ast::Expr &target, const Object &value, Scope &locals);
  /// The undecorated function of the file that `callee` names, or null.
  const JitFunction *hostFunction(const ast::Expr &callee, const ModuleEnv &module,
                                  const Scope *locals = nullptr);
  bool readFunction(const JitFunction &function, const ast::Call &call, const Scope &locals,
                    std::vector<TuneConfig> &configs);
  bool readBody(const ast::FunctionDef &function, Scope &locals, std::vector<TuneConfig> &configs);
  bool readConfig(const ast::Call &call, const Scope &locals, TuneConfig &config);
  bool readValues(const ast::Expr &expr, const Scope &locals, TuneConfig &config);
  bool setValue(StringRef name, SMRange range, const ast::Expr &value, const Scope &locals,
                TuneConfig &config);
  bool readNumber(const ast::Expr *expr, StringRef name, const Scope &locals, unsigned &result);
  bool readNames(const ast::Expr *expr, bool mayBeUnknown, std::vector<std::string> &names);
  bool readHeuristics(const ast::Call &call, std::vector<Heuristic> &result);
  std::optional<Object> evaluate(const ast::Expr &expr, const Scope &locals);
  bool error(SMRange range, const llvm::Twine &message) {
    in.error(range, message);
    return false;
  }
  /// An error at what only Python could say.
  bool hostCode(SMRange range, const llvm::Twine &message) {
    needsHost = true;
    return error(range, message);
  }

  Interpreter &in;
  const ModuleEnv &env;
  const ast::FunctionDef &kernel;
  bool &needsHost; // Set by errors that are no mistakes of the decorators.
  unsigned depth;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments of calls
//===----------------------------------------------------------------------===//

StringRef DecoratorReader::tritonName(const ast::Expr &expr, const Scope *locals) {
  Object object = in.tryEvalHost(expr, env, locals);
  bool isTriton = object.is(Object::Kind::Builtin) && object.asBuiltin()->space == Space::Triton;
  return isTriton ? object.asBuiltin()->name : StringRef();
}

/// Puts the arguments of a call in the order of `names`; those that are absent are null.
bool DecoratorReader::bindArgs(const ast::Call &call, llvm::ArrayRef<StringRef> names, Args &args) {
  args.assign(names.size(), nullptr);
  if (call.args.size() > names.size())
    return error(call.range(), "expected at most " + llvm::Twine(names.size()) +
                                   " arguments, found " + llvm::Twine(call.args.size()));
  for (auto [index, arg] : llvm::enumerate(call.args)) {
    if (llvm::isa<ast::Starred>(arg))
      return hostCode(arg->range(), "unpacked arguments cannot be read without Python");
    args[index] = arg;
  }
  for (const ast::Keyword &keyword : call.keywords) {
    if (keyword.name.empty())
      return hostCode(keyword.range, "unpacked arguments cannot be read without Python");
    auto found = llvm::find(names, keyword.name);
    if (found == names.end()) {
      std::optional<StringRef> near = closestName(keyword.name, names);
      return error(keyword.nameRange, "there is no argument '" + keyword.name + "'" +
                                          (near ? "; did you mean '" + near->str() + "'?" : ""));
    }
    const ast::Expr *&slot = args[found - names.begin()];
    if (slot)
      return error(keyword.range, "the argument '" + keyword.name + "' is given twice");
    slot = keyword.value;
  }
  return true;
}

static bool isNone(const ast::Expr *expr) {
  auto *constant = llvm::dyn_cast_if_present<ast::Constant>(expr);
  return !expr || (constant && constant->isNone());
}

/// A value of the host program; nothing after an error.
std::optional<Object> DecoratorReader::evaluate(const ast::Expr &expr, const Scope &locals) {
  Object value = in.evalHost(expr, env, &locals);
  needsHost |= value.isPoison() || value.is(Object::Kind::Host);
  if (value.isPoison())
    return std::nullopt;
  if (!value.is(Object::Kind::Host))
    return value;
  in.hostError(expr.range(), value.typeStr() + " cannot be evaluated",
               ": host code is not executed", value);
  return std::nullopt;
}

bool DecoratorReader::readNumber(const ast::Expr *expr, StringRef name, const Scope &locals,
                                 unsigned &result) {
  if (isNone(expr))
    return true;
  std::optional<Object> value = evaluate(*expr, locals);
  if (!value)
    return false;
  std::optional<int64_t> number =
      value->is(Object::Kind::Int) ? value->asInt64() : std::optional<int64_t>();
  unsigned most = name == "num_warps" ? 32 : name == "num_ctas" ? 16 : name == "maxnreg" ? 255 : 64;
  bool isPower = name == "num_warps" || name == "num_ctas";
  bool fits = number && *number >= 1 && *number <= int64_t(most) &&
              (!isPower || llvm::isPowerOf2_64(uint64_t(*number)));
  if (!fits)
    return error(expr->range(), "expected '" + name + "' to be " +
                                    (isPower ? "a power of two up to " : "from 1 to ") +
                                    llvm::Twine(most) + ", found " + value->repr());
  result = unsigned(*number);
  return true;
}

/// A list of names of parameters. Those that there are not are errors, or are passed over.
bool DecoratorReader::readNames(const ast::Expr *expr, bool mayBeUnknown,
                                std::vector<std::string> &names) {
  if (isNone(expr))
    return true;
  std::optional<Object> list = evaluate(*expr, Scope());
  if (!list)
    return false;
  if (!list->isTuple() ||
      !llvm::all_of(list->elements(), [](const Object &element) { return element.isString(); }))
    return error(expr->range(), "expected a list of parameter names, found " + list->repr());
  for (const Object &element : list->elements()) {
    if (!hasParameter(kernel, element.asString())) {
      if (!mayBeUnknown) {
        reportNoParameter(in, kernel, element.asString(), expr->range());
        return false;
      }
      in.warning(expr->range(), "kernel '" + kernel.name + "' has no parameter '" +
                                    element.asString() + "', which the key names");
      continue;
    }
    names.push_back(element.asString().str());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

bool DecoratorReader::setValue(StringRef name, SMRange range, const ast::Expr &value,
                               const Scope &locals, TuneConfig &config) {
  if (!hasParameter(kernel, name)) {
    reportNoParameter(in, kernel, name, range);
    return false;
  }
  std::optional<Object> object = evaluate(value, locals);
  std::optional<ConstValue> constant = object ? toConst(*object) : std::nullopt;
  if (!constant)
    return object ? error(value.range(), "expected a value, found " + object->typeStr()) : false;
  for (NamedConst &other : config.values)
    if (other.name == name) {
      other.value = *constant;
      return true;
    }
  config.values.push_back({name.str(), *constant, range});
  return true;
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
    return error(expr.range(), "expected a dictionary of parameter values, {\"NAME\": value}");
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
  unsigned *numbers[] = {&config.numWarps, &config.numStages, &config.numCTAs,
                         &config.maxRegisters};
  for (unsigned index = 0; index < 4; ++index)
    if (!readNumber(args[index + 1], names[index + 1], locals, *numbers[index]))
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
  Object module = member ? in.tryEvalHost(*member->value, env) : Object::none();
  const ModuleEnv *inside = module.is(Object::Kind::File) ? module.asFile()->env : nullptr;
  return inside ? inside->findValue(member->attr, owner) : nullptr;
}

bool DecoratorReader::readName(const ast::Expr &name, const Scope &locals,
                               std::vector<TuneConfig> &configs) {
  const ModuleEnv *owner = nullptr;
  if (const ast::Expr *value = findValue(name, owner))
    return owner == &env
               ? readConfigs(*value, locals, configs)
               : DecoratorReader(in, *owner, kernel, needsHost, depth).readConfigs(*value, Scope(), configs);
  std::optional<Object> object = evaluate(name, locals);
  return object
             ? error(name.range(), "expected a list of triton.Config, found " + object->typeStr())
             : false;
}

const JitFunction *DecoratorReader::hostFunction(const ast::Expr &callee, const ModuleEnv &module,
                                                 const Scope *locals) {
  Object object = in.tryEvalHost(callee, module, locals);
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
      continue; // A docstring.
    auto *assign = llvm::dyn_cast<ast::Assign>(stmt);
    if (!assign || assign->targets.size() != 1)
      return hostCode(stmt->range(), "this statement cannot be evaluated without Python");
    auto *name = llvm::dyn_cast<ast::Name>(assign->targets[0]);
    if (name && in.tryEvalHost(*assign->value, env, &locals).isPoison()) {
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
    return readFunction(*function, *call, locals, configs);
  return hostCode(expr.range(), "expected triton.Config(..) or a list of them; host functions are not "
                             "executed, so configurations must be written out");
}

//===----------------------------------------------------------------------===//
// Decorators
//===----------------------------------------------------------------------===//

/// Arguments that are host code: those that could change a result are errors, others warnings.
bool DecoratorReader::checkIgnored(llvm::ArrayRef<StringRef> names, const Args &args) {
  for (auto [name, arg] : llvm::zip(names, args)) {
    if (isNone(arg))
      continue;
    if (name == "pre_hook" || name == "post_hook")
      return hostCode(arg->range(), "'" + name + "' is host code, which is not executed");
    if (name == "prune_configs_by" || name == "do_bench")
      in.warning(arg->range(), "'" + name + "' is host code, which is not executed; " +
                                   (name == "do_bench" ? "the usual method of timing is used"
                                                       : "all configurations are tried"));
  }
  return true;
}

bool DecoratorReader::readAutotune(const ast::Call &call, Autotune &result) {
  // warmup, rep, use_cuda_graph and cache_results are about how to measure, which is decided here.
  static const StringRef names[] = {"configs",        "key",           "prune_configs_by",
                                    "reset_to_zero",  "restore_value", "pre_hook",
                                    "post_hook",      "warmup",        "rep",
                                    "use_cuda_graph", "do_bench",      "cache_results"};
  Args args;
  if (!bindArgs(call, names, args) || !checkIgnored(names, args))
    return false;
  result.range = call.range();
  if (!args[0] || !args[1])
    return error(call.range(), "triton.autotune needs 'configs' and 'key'");
  if (!readConfigs(*args[0], Scope(), result.configs) ||
      !readNames(args[1], /*mayBeUnknown=*/true, result.key) ||
      !readNames(args[3], /*mayBeUnknown=*/false, result.resetToZero) ||
      !readNames(args[4], /*mayBeUnknown=*/false, result.restoreValue))
    return false;
  if (result.configs.empty()) {
    result.configs.emplace_back();
    result.configs.front().range = args[0]->range();
  }
  return true;
}

bool DecoratorReader::readHeuristics(const ast::Call &call, std::vector<Heuristic> &result) {
  static const StringRef names[] = {"values"};
  Args args;
  if (!bindArgs(call, names, args))
    return false;
  const ast::Expr *values = args[0];
  const ModuleEnv *owner = &env;
  if (values && llvm::isa<ast::Name, ast::Attribute>(*values))
    values = findValue(*values, owner);
  auto *dict = llvm::dyn_cast_if_present<ast::Dict>(values);
  if (!dict)
    return hostCode(args[0] ? args[0]->range() : call.range(),
                 "expected a dictionary of lambdas, {\"NAME\": lambda args: value}");
  for (const ast::DictEntry &entry : dict->entries) {
    auto *key = llvm::dyn_cast_if_present<ast::Constant>(entry.key);
    if (!key || !key->isString())
      return error((entry.key ? entry.key : entry.value)->range(),
                   "expected the name of a parameter in quotes");
    if (!hasParameter(kernel, key->stringValue())) {
      reportNoParameter(in, kernel, key->stringValue(), key->range());
      return false;
    }
    const ast::Expr *value = entry.value;
    const ModuleEnv *source = owner;
    if (auto *name = llvm::dyn_cast<ast::Name>(value))
      if (const ast::Expr *bound = owner->findValue(name->id, source))
        value = bound;
    auto *lambda = llvm::dyn_cast<ast::Lambda>(value);
    const JitFunction *function = lambda ? nullptr : hostFunction(*value, *source);
    if (!lambda && !function)
      return hostCode(entry.value->range(), "expected a lambda or a function of this file");
    HostExpr::Ref expr = lambda ? HostExprReader(in, *source, kernel).read(*lambda)
                                : HostExprReader(in, *function->env, kernel).read(*function->def);
    needsHost |= !expr;
    if (!expr)
      return false;
    result.push_back({key->stringValue().str(), std::move(expr)});
  }
  return true;
}

bool DecoratorReader::read(KernelDecorators &result) {
  for (const ast::Expr *decorator : kernel.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call)
      continue;
    StringRef name = tritonName(*call->callee);
    if (name == "autotune") {
      if (result.autotune)
        return error(call->range(), "a second @triton.autotune around one kernel is not supported");
      result.autotune.emplace();
      if (!readAutotune(*call, *result.autotune))
        return false;
    } else if (name == "heuristics" && !readHeuristics(*call, result.heuristics)) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// True when the caller has a value for each parameter that needs one to compile the kernel.
static bool hasAllValues(const ast::FunctionDef &kernel, Interpreter &in, const ModuleEnv &env,
                         llvm::function_ref<bool(StringRef)> isGiven) {
  bool hasSome =
      llvm::any_of(kernel.params, [&](const ast::Param &param) { return isGiven(param.name); });
  return hasSome && llvm::all_of(kernel.params, [&](const ast::Param &param) {
    if (param.defaultValue || !param.annotation || isGiven(param.name))
      return true;
    Object annotation = in.tryEvalHost(*param.annotation, env);
    return !isConstexprType(annotation) &&
           !(annotation.isString() && annotation.asString().contains("constexpr"));
  });
}

std::optional<KernelDecorators>
tilec::readDecorators(const ast::Module &module, const ast::FunctionDef &kernel,
                      llvm::SourceMgr &sourceMgr, DiagnosticEngine &diagnostics,
                      llvm::function_ref<bool(StringRef)> isGiven, Imports *imports) {
  if (kernel.decorators.size() == 1) // @triton.jit alone: the common case needs no evaluation.
    return KernelDecorators();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  KernelRequest request;
  Interpreter in(context, sourceMgr, diagnostics, request, imports);
  ModuleEnv env(in, module, in.importer().mainPath());
  in.importer().setMain(env);
  KernelDecorators result;
  bool needsHost = false;
  if (hasAllValues(kernel, in, env, isGiven)) {
    // The kernel can do without what cannot be known.
    Interpreter::SilentScope silent(in);
    if (DecoratorReader(in, env, kernel, needsHost).read(result))
      return result;
    result = {};
  }
  if (!needsHost)
    return DecoratorReader(in, env, kernel, needsHost).read(result)
               ? std::optional<KernelDecorators>(std::move(result))
               : std::nullopt;
  diagnostics.warning(kernel.decorators.front()->range(),
                      "the decorators of '" + kernel.name +
                          "' need host code, which is not executed; the given values are used");
  return KernelDecorators();
}
