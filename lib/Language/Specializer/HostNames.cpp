//===- HostNames.cpp - What is known of other Python modules ----*- C++ -*-===//
//
// Files choose between definitions by the version of Triton, the device or the environment. These
// are the names that such conditions are made of: the version is the one whose language is
// compiled, the device is no AMD one, and no environment variable is set. Also constants of
// mathematics, which kernels read from other modules than `math`, too.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Kernels cannot call functions of other modules; false, after an error, inside one.
static bool checkHost(Interpreter &in, Args &args) {
  if (!in.inHost())
    in.error(args.callRange(), "'" + args.callee().fullName() + "' cannot be used in a kernel");
  return in.inHost();
}

/// os.environ.get("NAME", default)
static Object unsetVariable(Interpreter &in, Args &args) {
  return checkHost(in, args) ? args[1] : Object::poison();
}

static Object alwaysTrue(Interpreter &in, Args &args) {
  return checkHost(in, args) ? Object::boolean(true) : Object::poison();
}

/// Version("3.1.0"): a tuple of its numbers up to a suffix, without zeros at the end, so that
/// tuples compare as versions do.
static Object parseVersion(Interpreter &in, Args &args) {
  std::optional<StringRef> text = args.string(0);
  if (!text || !checkHost(in, args))
    return Object::poison();
  llvm::SmallVector<StringRef, 4> parts;
  text->trim().split(parts, '.');
  Object::List numbers;
  for (StringRef part : parts) {
    StringRef digits = part.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number))
      break;
    numbers.push_back(Object::integer(number));
    if (digits.size() != part.size())
      break; // "0+git", "0rc1": what follows is not a number of the release.
  }
  if (numbers.empty())
    return in.error(args.range(0), "expected a version such as \"3.1.0\", found " + args[0].repr());
  while (numbers.size() > 1 && numbers.back().asInt().isZero())
    numbers.pop_back();
  return Object::tuple(std::move(numbers));
}

/// inspect.signature(function): its `parameters`, as a dictionary of their names.
static Object signatureOf(Interpreter &in, Args &args) {
  static const RecordClass record = [] {
    RecordClass result;
    result.name = "Signature";
    result.fields = {"parameters"};
    return result;
  }();
  if (!checkHost(in, args))
    return Object::poison();
  Object::List parameters;
  auto add = [&](StringRef name) {
    parameters.push_back(Object::string(name));
    parameters.push_back(Object::string(name));
  };
  if (args[0].is(Object::Kind::Builtin)) {
    for (StringRef parameter : llvm::split(args[0].asBuiltin()->params, ','))
      add(parameter.split('=').first.trim());
  } else if (args[0].is(Object::Kind::Function)) {
    for (const ast::Param &parameter : args[0].asFunction()->def->params)
      add(parameter.name);
  } else {
    return in.error(args.range(0), "expected a function, found " + args[0].typeStr());
  }
  return Object::tuple({Object::dict(std::move(parameters))}, &record);
}

/// numpy.pi, torch.inf, sys.maxsize
static std::optional<Object> findNumber(StringRef dottedName) {
  auto [module, name] = dottedName.split('.');
  if (module == "sys")
    return llvm::StringSwitch<std::optional<Object>>(name)
        .Case("maxsize", Object::integer(std::numeric_limits<int64_t>::max()))
        .Case("float_info.max", Object::real(std::numeric_limits<double>::max()))
        .Case("float_info.min", Object::real(std::numeric_limits<double>::min()))
        .Case("float_info.epsilon", Object::real(std::numeric_limits<double>::epsilon()))
        .Default(std::nullopt);
  if (module != "numpy" && module != "torch" && module != "cmath")
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Object>>(name)
      .Case("pi", Object::real(M_PI))
      .Case("e", Object::real(M_E))
      .Case("inf", Object::real(INFINITY))
      .Case("nan", Object::real(NAN))
      .Default(std::nullopt);
}

/// The type that torch or numpy call `name`.
static std::optional<ScalarKind> numericType(StringRef name) {
  return llvm::StringSwitch<std::optional<ScalarKind>>(name)
      .Cases({"float16", "half"}, ScalarKind::FP16)
      .Case("bfloat16", ScalarKind::BF16)
      .Cases({"float32", "float", "single"}, ScalarKind::FP32)
      .Cases({"float64", "double"}, ScalarKind::FP64)
      .Case("float8_e4m3fn", ScalarKind::FP8E4NV)
      .Case("float8_e5m2", ScalarKind::FP8E5)
      .Case("int8", ScalarKind::Int8)
      .Cases({"int16", "short"}, ScalarKind::Int16)
      .Cases({"int32", "int"}, ScalarKind::Int32)
      .Cases({"int64", "long"}, ScalarKind::Int64)
      .Case("uint8", ScalarKind::UInt8)
      .Case("uint16", ScalarKind::UInt16)
      .Case("uint32", ScalarKind::UInt32)
      .Case("uint64", ScalarKind::UInt64)
      .Default(std::nullopt);
}

namespace {
/// torch.float32, numpy.int8, ..: `name` is empty for what is no such type, and lives for ever.
struct ModuleType {
  StringRef name;
  std::optional<DType> type;
};
} // namespace

static ModuleType numericModuleType(StringRef dottedName) {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> all;
    for (const char *module : {"torch.", "numpy."})
      for (const char *type :
           {"float16", "half",          "bfloat16",    "float32", "float",  "single", "float64",
            "double",  "float8_e4m3fn", "float8_e5m2", "int8",    "int16",  "short",  "int32",
            "int",     "int64",         "long",        "uint8",   "uint16", "uint32", "uint64"})
        all.insert(std::string(module) + type);
    return all;
  }();
  auto found = names.find(dottedName);
  if (found == names.end())
    return {};
  return {found->first(), DType(*numericType(dottedName.split('.').second))};
}

bool front::isHostType(const Object &object) {
  return object.is(Object::Kind::Host) && numericModuleType(object.dottedName()).type;
}

/// torch.finfo(torch.float32), numpy.iinfo(numpy.int8): a thing whose members findLimit() knows.
template <bool isFloat> static Object numberInfo(Interpreter &in, Args &args) {
  std::optional<DType> type = numericModuleType(args[0].dottedName()).type;
  if (!type || type->isFloat() != isFloat)
    return args.wrong(0, isFloat ? "a type of floating-point numbers, such as torch.float32"
                                 : "a type of integers, such as torch.int32");
  StringRef name = args[0].dottedName().split('.').second;
  StringRef dotted = in.strings().save((isFloat ? "finfo." : "iinfo.") + name);
  return Object::hostModule(in.strings().save("the limits of '" + name + "'"), args[0].definition(),
                            dotted);
}

/// finfo.float32.eps, iinfo.int8.max
static std::optional<Object> findLimit(StringRef dottedName) {
  auto [info, rest] = dottedName.split('.');
  auto [typeName, member] = rest.split('.');
  std::optional<ScalarKind> kind = numericType(typeName);
  if ((info != "finfo" && info != "iinfo") || !kind)
    return std::nullopt;
  DType type = *kind;
  unsigned bits = type.bits();
  if (member == "bits")
    return Object::integer(bits);
  if (info == "iinfo") {
    bool isSigned = type.isSignedInt();
    if (member == "max")
      return Object::integer(isSigned ? llvm::APInt::getSignedMaxValue(bits)
                                      : llvm::APInt::getMaxValue(bits).zext(bits + 1));
    if (member == "min")
      return Object::integer(isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt(64, 0));
    return std::nullopt;
  }
  const llvm::fltSemantics &format = *kind == ScalarKind::FP16      ? llvm::APFloat::IEEEhalf()
                                     : *kind == ScalarKind::BF16    ? llvm::APFloat::BFloat()
                                     : *kind == ScalarKind::FP32    ? llvm::APFloat::IEEEsingle()
                                     : *kind == ScalarKind::FP64    ? llvm::APFloat::IEEEdouble()
                                     : *kind == ScalarKind::FP8E4NV ? llvm::APFloat::Float8E4M3FN()
                                                                    : llvm::APFloat::Float8E5M2();
  double largest = llvm::APFloat::getLargest(format).convertToDouble();
  double smallest = llvm::APFloat::getSmallestNormalized(format).convertToDouble();
  double epsilon = std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(format)));
  return llvm::StringSwitch<std::optional<Object>>(member)
      .Case("max", Object::real(largest))
      .Case("min", Object::real(-largest))
      .Case("eps", Object::real(epsilon))
      .Cases({"tiny", "smallest_normal"}, Object::real(smallest))
      .Default(std::nullopt);
}

/// functools.reduce(function, iterable[, initial])
static Object reduceHost(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  Object sequence = in.host().iterate(args[1], args.range(1));
  if (sequence.isPoison())
    return sequence;
  llvm::ArrayRef<Object> rest = sequence.elements();
  if (!args.given(2) && rest.empty())
    return in.error(args.callRange(), "reduce of nothing needs a start");
  Object result = args.given(2) ? args[2] : rest.front();
  for (const Object &element : rest.drop_front(args.given(2) ? 0 : 1)) {
    result = in.callWith(args[0], {result, element}, args.callRange());
    if (result.isPoison())
      break;
  }
  return result;
}

/// itertools.product(a, b, ..)
static Object productHost(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  std::vector<Object::List> rows(1);
  for (const Arg &arg : args.rest()) {
    Object sequence = in.host().iterate(arg.value, arg.range);
    if (sequence.isPoison())
      return sequence;
    if (rows.size() * sequence.elements().size() * args.rest().size() > maxConstElements)
      return in.error(args.callRange(), "the product has too many elements");
    std::vector<Object::List> longer;
    for (const Object::List &row : rows)
      for (const Object &element : sequence.elements()) {
        longer.push_back(row);
        longer.back().push_back(element);
      }
    rows = std::move(longer);
  }
  Object::List items;
  for (Object::List &row : rows)
    items.push_back(Object::tuple(std::move(row)));
  return Object::tuple(std::move(items));
}

/// itertools.chain(a, b, ..)
static Object chainHost(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  Object::List items;
  for (const Arg &arg : args.rest()) {
    Object sequence = in.host().iterate(arg.value, arg.range);
    if (sequence.isPoison())
      return sequence;
    llvm::append_range(items, sequence.elements());
    if (items.size() > maxConstElements)
      return in.error(args.callRange(), "the chain has too many elements");
  }
  return Object::tuple(std::move(items));
}

/// The functions of the module `operator`.
template <ast::BinaryOp op> static Object operatorHost(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  return in.binaryOp(op, args[0], args[1], args.range(0), args.range(1), SMRange(),
                     args.callRange());
}

template <ast::CompareOp op> static Object comparisonHost(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  ConstResult result = args[0].isTuple() && args[1].isTuple()
                           ? constCompareTuples(op, args[0], args[1])
                           : constCompare(op, args[0], args[1]);
  return result.error.empty() ? result.object : in.error(args.callRange(), result.error);
}

/// importlib.util.find_spec("triton"): something; whether there are other modules is not known.
static Object findSpec(Interpreter &in, Args &args) {
  std::optional<StringRef> name = args.string(0);
  if (!name || !checkHost(in, args))
    return Object::poison();
  bool isKnown = findNamespace(*name) || findHostName(*name, args.range(0));
  return isKnown ? Object::string(*name)
                 : in.error(args.range(0), "the module '" + *name + "' is not known here");
}

/// importlib.import_module("triton")
static Object importModule(Interpreter &in, Args &args) {
  std::optional<StringRef> name = args.string(0);
  if (!name || !checkHost(in, args))
    return Object::poison();
  if (const Namespace *space = findNamespace(*name))
    return Object::module(space);
  std::optional<Object> known = findHostName(*name, args.range(0));
  return known ? *known : in.error(args.range(0), "the module '" + *name + "' is not known here");
}

/// torch.cuda.get_device_capability(): of the device that code is compiled for.
static Object deviceCapability(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  if (!in.options().arch)
    return in.error(args.callRange(), "the target is no CUDA device");
  Version capability = in.options().arch->capability();
  return Object::tuple({Object::integer(capability.major), Object::integer(capability.minor)});
}

Object front::gpuTarget(StringRef backend, unsigned number, unsigned warpSize) {
  static const RecordClass type = [] {
    RecordClass result;
    result.name = "GPUTarget";
    result.fields = {"backend", "arch", "warp_size"};
    return result;
  }();
  return Object::tuple(
      {Object::string(backend), Object::integer(number), Object::integer(warpSize)}, &type);
}

/// triton.runtime.driver.active.get_current_target()
static Object currentTarget(Interpreter &in, Args &args) {
  if (!checkHost(in, args))
    return Object::poison();
  return gpuTarget("cuda", in.options().arch ? in.options().arch->number() : 0, kWarpSize);
}

/// The name of a function or the last attribute.
static StringRef lastNameOf(const ast::Expr &expr) {
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
    return attribute->attr;
  auto *name = llvm::dyn_cast<ast::Name>(&expr);
  return name ? name->id : StringRef();
}

std::optional<bool> front::askedPlatform(const ast::Expr &test) {
  if (auto *unary = llvm::dyn_cast<ast::UnaryOp>(&test);
      unary && unary->op == ast::UnaryOpKind::Not)
    if (std::optional<bool> holds = askedPlatform(*unary->operand))
      return !*holds;
  if (auto *compare = llvm::dyn_cast<ast::Compare>(&test);
      compare && compare->ops.size() == 1 && lastNameOf(*compare->left).contains("vendor")) {
    auto *text = llvm::dyn_cast<ast::Constant>(compare->comparators.front());
    ast::CompareOp op = compare->ops.front();
    bool isEqual = op == ast::CompareOp::Eq || op == ast::CompareOp::NotEq;
    if (isEqual && text && text->type() == ast::Constant::Type::String)
      return (text->stringValue() == "nvidia") == (op == ast::CompareOp::Eq);
  }
  auto *call = llvm::dyn_cast<ast::Call>(&test);
  StringRef name =
      lastNameOf(call && call->args.empty() && call->keywords.empty() ? *call->callee : test);
  if (!name.consume_front("is_") && !name.consume_front("IS_"))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<bool>>(name.lower())
      .Cases({"cuda", "nvidia"}, true)
      .Cases({"hip", "rocm", "amd", "xpu", "intel", "npu", "ascend", "musa", "mps", "tpu"}, false)
      .Default(std::nullopt);
}

/// What a module of Triton's own defines that `triton` has by the same name:
/// triton.runtime.jit.jit.
static std::optional<Object> findWhereDefined(StringRef dottedName, llvm::SMRange definition) {
  for (StringRef module : {"triton.runtime.jit", "triton.runtime.autotuner"}) {
    if (dottedName == module)
      return Object::hostModule("a module of the host program", definition, module);
    StringRef name = dottedName;
    if (name.consume_front(module) && name.consume_front("."))
      return findMember(*findNamespace("triton"), name);
  }
  return std::nullopt;
}

std::optional<Object> front::findHostName(StringRef dottedName, llvm::SMRange definition) {
  if (std::optional<Object> known = findWhereDefined(dottedName, definition))
    return known;
  if (std::optional<Object> number = findNumber(dottedName))
    return number;
  if (std::optional<Object> limit = findLimit(dottedName))
    return limit;
  if (dottedName == "sys.float_info")
    return Object::hostModule("limits of Python's numbers", definition, "sys.float_info");
  if (StringRef type = numericModuleType(dottedName).name; !type.empty())
    return Object::hostModule("a type of the host program", definition, type);
  static constexpr Builtin version = {"Version", "version", parseVersion, Hidden, Space::Python};
  static constexpr Builtin signature = {"signature", "obj", signatureOf, Hidden, Space::Python};
  static constexpr Builtin variable = {"getenv", "key, default=None", unsetVariable, Hidden,
                                       Space::Python};
  static constexpr Builtin yes = {"is_available", "", alwaysTrue, Hidden, Space::Python};
  static constexpr Builtin finfo = {"finfo", "type", numberInfo<true>, Hidden, Space::Python};
  static constexpr Builtin iinfo = {"iinfo", "type", numberInfo<false>, Hidden, Space::Python};
  static constexpr Builtin reduce = {"reduce", "function, iterable, initial=None", reduceHost,
                                     Hidden, Space::Python};
  static constexpr Builtin product = {"product", "*iterables", productHost, Hidden, Space::Python};
  static constexpr Builtin chain = {"chain", "*iterables", chainHost, Hidden, Space::Python};
  static constexpr Builtin mul = {"mul", "a, b", operatorHost<ast::BinaryOp::Mul>, Hidden,
                                  Space::Python};
  static constexpr Builtin add = {"add", "a, b", operatorHost<ast::BinaryOp::Add>, Hidden,
                                  Space::Python};
  static constexpr Builtin capability = {"get_device_capability", "device=None", deviceCapability,
                                         Hidden, Space::Python};
  static constexpr Builtin target = {"get_current_target", "", currentTarget, Hidden,
                                     Space::Python};
  static constexpr Builtin import = {"import_module", "name", importModule, Hidden, Space::Python};
  static constexpr Builtin spec = {"find_spec", "name, package=None", findSpec, Hidden,
                                   Space::Python};
  static constexpr Builtin lt = {"lt", "a, b", comparisonHost<ast::CompareOp::Lt>, Hidden,
                                 Space::Python};
  static constexpr Builtin le = {"le", "a, b", comparisonHost<ast::CompareOp::LtE>, Hidden,
                                 Space::Python};
  static constexpr Builtin gt = {"gt", "a, b", comparisonHost<ast::CompareOp::Gt>, Hidden,
                                 Space::Python};
  static constexpr Builtin ge = {"ge", "a, b", comparisonHost<ast::CompareOp::GtE>, Hidden,
                                 Space::Python};
  static constexpr Builtin eq = {"eq", "a, b", comparisonHost<ast::CompareOp::Eq>, Hidden,
                                 Space::Python};
  static constexpr Builtin ne = {"ne", "a, b", comparisonHost<ast::CompareOp::NotEq>, Hidden,
                                 Space::Python};
  struct Known {
    StringRef name;
    const Builtin *function; // Null for a name whose value is None.
  };
  static constexpr Known names[] = {
      {"packaging.version.parse", &version},
      {"packaging.version.Version", &version},
      {"distutils.version.LooseVersion", &version},
      {"pkg_resources.parse_version", &version},
      {"inspect.signature", &signature},
      {"os.environ.get", &variable},
      {"os.getenv", &variable},
      {"torch.cuda.is_available", &yes},
      {"torch.version.hip", nullptr},
      {"torch.finfo", &finfo},
      {"torch.iinfo", &iinfo},
      {"numpy.finfo", &finfo},
      {"numpy.iinfo", &iinfo},
      {"functools.reduce", &reduce},
      {"itertools.product", &product},
      {"itertools.chain", &chain},
      {"operator.mul", &mul},
      {"operator.add", &add},
      {"operator.lt", &lt},
      {"operator.le", &le},
      {"operator.gt", &gt},
      {"operator.ge", &ge},
      {"operator.eq", &eq},
      {"operator.ne", &ne},
      {"importlib.import_module", &import},
      {"importlib.util.find_spec", &spec},
      {"torch.cuda.get_device_capability", &capability},
      {"triton.runtime.driver.active.get_current_target", &target},
  };
  for (const Known &known : names) {
    if (known.name == dottedName)
      return known.function ? Object::builtin(known.function) : Object::none();
    StringRef rest = known.name;
    if (rest.consume_front(dottedName) && rest.starts_with(".")) {
      StringRef module = known.name.drop_back(rest.size());
      return Object::hostModule("a module of the host program", definition, module);
    }
  }
  return std::nullopt;
}
