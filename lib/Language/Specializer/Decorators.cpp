//===- Decorators.cpp - What a kernel's decorators say ----------*- C++ -*-===//
//
// Which decorators a kernel has, and their arguments, which are host code: what cannot be known
// without running it is an error at its place.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Decorators.h"

#include "DecoratorReader.h"
#include "HostInterpreter.h"
#include "tilec/Language/Stages.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

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

//===----------------------------------------------------------------------===//
// Arguments of calls
//===----------------------------------------------------------------------===//

StringRef DecoratorReader::tritonName(const ast::Expr &expr, const Scope *locals) {
  Object object = in.host().tryEvaluate(expr, env, locals);
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

bool DecoratorReader::isNone(const ast::Expr *expr) {
  auto *constant = llvm::dyn_cast_if_present<ast::Constant>(expr);
  return !expr || (constant && constant->isNone());
}

/// A value of the host program; nothing after an error.
std::optional<Object> DecoratorReader::evaluate(const ast::Expr &expr, const Scope &locals) {
  Object value = in.host().evaluate(expr, env, &locals);
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
                                 TuneConfig &config) {
  if (isNone(expr))
    return true;
  std::optional<Object> value = evaluate(*expr, locals);
  return value && setNumber(*value, name, expr->range(), config);
}

bool DecoratorReader::setNumber(const Object &value, StringRef name, SMRange range,
                                TuneConfig &config) {
  std::string message;
  std::optional<ConstValue> number = toConst(value);
  if (number && config.setNumber(name, *number, message))
    return true;
  return error(range, number ? message : "expected a number, found " + value.typeStr());
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
    bool isParameter = hasParameter(kernel, key->stringValue());
    if (!isParameter && !TuneConfig().number(key->stringValue())) {
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
    Heuristic &heuristic = result.emplace_back();
    heuristic.name = key->stringValue().str();
    heuristic.value = std::move(expr);
    heuristic.isNumber = !isParameter;
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
           Object annotation = in.host().tryEvaluate(*param.annotation, env);
           return !isConstexprType(annotation) &&
                  !(annotation.isString() && annotation.asString().contains("constexpr"));
         });
}

/// Configurations that differ only in a number that nothing reads are one.
static void dropUnreadStages(const ast::Module &module, const ast::FunctionDef &kernel,
                             Imports *imports, KernelDecorators &decorators) {
  auto isStages = [](const Heuristic &heuristic) {
    return heuristic.isNumber && heuristic.name == "num_stages";
  };
  auto setsStages = [](const TuneConfig &config) { return config.numStages != 0; };
  bool areGiven = llvm::any_of(decorators.heuristics, isStages) ||
                  (decorators.autotune && llvm::any_of(decorators.autotune->configs, setsStages));
  if (!areGiven || readsNumStages(module, kernel, imports))
    return;
  for (Heuristic &heuristic : decorators.heuristics)
    heuristic.isUnread = isStages(heuristic);
  if (!decorators.autotune)
    return;
  llvm::StringSet<> seen;
  llvm::erase_if(decorators.autotune->configs, [&](TuneConfig &config) {
    config.numStages = 0;
    return !seen.insert(config.str()).second;
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
  // What a file defines is read as for a GPU, whatever its kernels are compiled for.
  request.arch = GpuArch::forDevice(9, 0);
  Interpreter in(context, sourceMgr, diagnostics, request, imports);
  ModuleEnv file(in, module, in.importer().mainPath());
  in.importer().setMain(file);
  const JitFunction *function = file.findFunction(kernel.name);
  const ModuleEnv &env = function && function->def == &kernel ? *function->env : file;
  KernelDecorators result;
  bool needsHost = false;
  if (hasAllValues(kernel, in, env, isGiven)) {
    // The kernel can do without what cannot be known.
    Interpreter::SilentScope silent(in);
    if (DecoratorReader(in, env, kernel, needsHost).read(result)) {
      dropUnreadStages(module, kernel, imports, result);
      return result;
    }
    result = {};
  }
  if (!needsHost) {
    if (!DecoratorReader(in, env, kernel, needsHost).read(result))
      return std::nullopt;
    dropUnreadStages(module, kernel, imports, result);
    return result;
  }
  diagnostics.warning(kernel.decorators.front()->range(),
                      "the decorators of '" + kernel.name +
                          "' need host code, which is not executed; the given values are used");
  return KernelDecorators();
}
