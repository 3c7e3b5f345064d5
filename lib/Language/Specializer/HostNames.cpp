//===- HostNames.cpp - What is known of other Python modules ----*- C++ -*-===//
//
// Files choose between definitions by the version of Triton, the device or the environment. These
// are the names that such conditions are made of: the version is the one whose language is
// compiled, the device is no AMD one, and no environment variable is set. Also constants of
// mathematics, which kernels read from other modules than `math`, too.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
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

/// numpy.pi, torch.inf
static std::optional<Object> findNumber(StringRef dottedName) {
  auto [module, name] = dottedName.split('.');
  if (module != "numpy" && module != "torch")
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Object>>(name)
      .Case("pi", Object::real(M_PI))
      .Case("e", Object::real(M_E))
      .Case("inf", Object::real(INFINITY))
      .Case("nan", Object::real(NAN))
      .Default(std::nullopt);
}

std::optional<Object> front::findHostName(StringRef dottedName, llvm::SMRange definition) {
  if (std::optional<Object> number = findNumber(dottedName))
    return number;
  static constexpr Builtin version = {"Version", "version", parseVersion, Hidden, Space::Python};
  static constexpr Builtin variable = {"getenv", "key, default=None", unsetVariable, Hidden,
                                       Space::Python};
  static constexpr Builtin yes = {"is_available", "", alwaysTrue, Hidden, Space::Python};
  struct Known {
    StringRef name;
    const Builtin *function; // Null for a name whose value is None.
  };
  static constexpr Known names[] = {
      {"packaging.version.parse", &version},
      {"packaging.version.Version", &version},
      {"distutils.version.LooseVersion", &version},
      {"pkg_resources.parse_version", &version},
      {"os.environ.get", &variable},
      {"os.getenv", &variable},
      {"torch.cuda.is_available", &yes},
      {"torch.version.hip", nullptr},
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
