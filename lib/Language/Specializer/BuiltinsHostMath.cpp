//===- BuiltinsHostMath.cpp - Python's module math --------------*- C++ -*-===//
//
// The functions of `math`, on compile-time numbers. As in Python, a result that is no number or too
// large for a float is an error, and functions of integers take integers of any size.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include <cmath>
#include <numeric>

using namespace tilec;
using namespace tilec::front;

/// Factors of one product at most.
static constexpr int64_t maxFactors = 4096;

/// `value`, or an error where Python raises one for finite arguments.
static Object finite(Interpreter &in, Args &args, double value, bool argumentsFinite) {
  if (argumentsFinite && !std::isfinite(value))
    return in.error(args.callRange(),
                    args.callee().fullName() + (std::isnan(value)
                                                    ? " is not defined for this argument"
                                                    : " has no finite value for this argument"));
  return Object::real(value);
}

static std::optional<double> number(Args &args, unsigned index) {
  if (args[index].isNumber())
    return args[index].asDouble();
  args.wrong(index, "a compile-time number");
  return std::nullopt;
}

/// A function of one float. A pole or a place outside of the domain is an error.
template <double (*fn)(double)> static Object real(Interpreter &in, Args &args) {
  std::optional<double> x = number(args, 0);
  if (!x)
    return Object::poison();
  double result = fn(*x);
  if (std::isnan(result) && !std::isnan(*x))
    return in.error(args.callRange(),
                    args.callee().fullName() + " is not defined for " + args[0].repr());
  return finite(in, args, result, std::isfinite(*x));
}

/// A function of two floats.
template <double (*fn)(double, double)> static Object real2(Interpreter &in, Args &args) {
  std::optional<double> x = number(args, 0), y = x ? number(args, 1) : std::nullopt;
  return y ? finite(in, args, fn(*x, *y), std::isfinite(*x) && std::isfinite(*y))
           : Object::poison();
}

/// A question about one float.
template <bool (*fn)(double)> static Object query(Interpreter &, Args &args) {
  std::optional<double> x = number(args, 0);
  return x ? Object::boolean(fn(*x)) : Object::poison();
}

static bool isInf(double x) { return std::isinf(x); }
static bool isNaN(double x) { return std::isnan(x); }
static bool isFinite(double x) { return std::isfinite(x); }
static double degrees(double x) { return x * (180 / M_PI); }
static double radians(double x) { return x * (M_PI / 180); }

/// math.ceil, math.floor, math.trunc: integers.
template <double (*fn)(double)> static Object rounded(Interpreter &in, Args &args) {
  if (!args[0].isNumber())
    return args.wrong(0, "a compile-time number");
  if (args[0].isIntLike())
    return Object::integer(args[0].asInt());
  ConstResult result = constToInt(Object::real(fn(args[0].asDouble())));
  return result.error.empty() ? result.object : in.error(args.range(0), result.error);
}

static Object logarithm(Interpreter &in, Args &args) {
  std::optional<double> x = number(args, 0);
  std::optional<double> base = !x ? x : args.given(1) ? number(args, 1) : M_E;
  if (!base)
    return Object::poison();
  if (*x <= 0 || *base <= 0 || *base == 1)
    return in.error(args.callRange(), "math.log is not defined for this argument");
  return Object::real(args.given(1) ? std::log(*x) / std::log(*base) : std::log(*x));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// math.gcd, math.lcm: of any number of integers.
template <bool isLcm> static Object divisors(Interpreter &in, Args &args) {
  uint64_t result = isLcm ? 1 : 0;
  for (const Arg &arg : args.rest()) {
    std::optional<int64_t> value =
        arg.value.isIntLike() ? arg.value.asInt64() : std::optional<int64_t>();
    if (!value)
      return in.error(arg.range, args.callee().fullName() + " takes constexpr integers, found " +
                                     arg.value.typeStr());
    uint64_t size = *value < 0 ? 0 - uint64_t(*value) : uint64_t(*value);
    if (!isLcm) {
      result = std::gcd(result, size);
    } else if (result == 0 || size == 0) {
      result = 0;
    } else if (__builtin_mul_overflow(result / std::gcd(result, size), size, &result)) {
      return in.error(args.callRange(), "the least common multiple needs more than 64 bits");
    }
  }
  return Object::integer(llvm::APInt(65, result));
}

/// The product of the factors from `first` to `last`; poison after an error.
static Object productOf(Interpreter &in, Args &args, int64_t first, int64_t last) {
  if (last - first >= maxFactors)
    return in.error(args.callRange(), args.callee().fullName() + " has too many factors");
  Object product = Object::integer(1);
  for (int64_t factor = first; factor <= last; ++factor) {
    ConstResult next =
        constBinary(ast::BinaryOp::Mul, product, Object::integer(factor), in.strings());
    if (!next.error.empty())
      return in.error(args.callRange(), next.error);
    product = next.object;
  }
  return product;
}

static Object factorial(Interpreter &in, Args &args) {
  std::optional<int64_t> n = args.integer(0);
  if (n && *n < 0)
    return in.error(args.range(0), "math.factorial is not defined for negative numbers");
  return n ? productOf(in, args, 1, *n) : Object::poison();
}

/// math.comb(n, k): how many subsets of k elements there are.
static Object combinations(Interpreter &in, Args &args) {
  std::optional<int64_t> n = args.integer(0), k = n ? args.integer(1) : std::nullopt;
  if (!k)
    return Object::poison();
  if (*n < 0 || *k < 0)
    return in.error(args.callRange(), "math.comb is not defined for negative numbers");
  if (*k > *n)
    return Object::integer(0);
  int64_t count = std::min(*k, *n - *k);
  Object above = productOf(in, args, *n - count + 1, *n);
  Object below = above.isPoison() ? above : productOf(in, args, 1, count);
  return below.isPoison() ? below
                          : constBinary(ast::BinaryOp::FloorDiv, above, below, in.strings()).object;
}

static Object integerSqrt(Interpreter &in, Args &args) {
  std::optional<int64_t> n = args.integer(0);
  if (n && *n < 0)
    return in.error(args.range(0), "math.isqrt is not defined for negative numbers");
  if (!n)
    return Object::poison();
  llvm::APInt root = llvm::APInt(64, uint64_t(*n)).sqrt(); // Rounded to nearest.
  while ((root * root).ugt(uint64_t(*n)))
    --root;
  return Object::integer(root.zext(65));
}

/// math.prod(values, start=1)
static Object product(Interpreter &in, Args &args) {
  if (!args[0].isTuple())
    return args.wrong(0, "a tuple");
  Object result = args[1];
  for (const Object &element : args[0].elements()) {
    ConstResult next = constBinary(ast::BinaryOp::Mul, result, element, in.strings());
    if (!next.error.empty())
      return in.error(args.callRange(), next.error);
    result = next.object;
  }
  return result;
}

llvm::ArrayRef<Builtin> front::hostMathBuiltins() {
  static constexpr Space space = Space::HostMath;
  static constexpr Builtin rows[] = {
      {"acos", "x", real<std::acos>, 0, space},
      {"acosh", "x", real<std::acosh>, 0, space},
      {"asin", "x", real<std::asin>, 0, space},
      {"asinh", "x", real<std::asinh>, 0, space},
      {"atan", "x", real<std::atan>, 0, space},
      {"atan2", "y, x", real2<std::atan2>, 0, space},
      {"atanh", "x", real<std::atanh>, 0, space},
      {"cbrt", "x", real<std::cbrt>, 0, space},
      {"ceil", "x", rounded<std::ceil>, 0, space},
      {"comb", "n, k", combinations, 0, space},
      {"copysign", "x, y", real2<std::copysign>, 0, space},
      {"cos", "x", real<std::cos>, 0, space},
      {"cosh", "x", real<std::cosh>, 0, space},
      {"degrees", "x", real<degrees>, 0, space},
      {"erf", "x", real<std::erf>, 0, space},
      {"erfc", "x", real<std::erfc>, 0, space},
      {"exp", "x", real<std::exp>, 0, space},
      {"exp2", "x", real<std::exp2>, 0, space},
      {"expm1", "x", real<std::expm1>, 0, space},
      {"fabs", "x", real<std::fabs>, 0, space},
      {"factorial", "n", factorial, 0, space},
      {"floor", "x", rounded<std::floor>, 0, space},
      {"fmod", "x, y", real2<std::fmod>, 0, space},
      {"gamma", "x", real<std::tgamma>, 0, space},
      {"gcd", "*integers", divisors<false>, 0, space},
      {"hypot", "x, y", real2<std::hypot>, 0, space},
      {"isfinite", "x", query<isFinite>, 0, space},
      {"isinf", "x", query<isInf>, 0, space},
      {"isnan", "x", query<isNaN>, 0, space},
      {"isqrt", "n", integerSqrt, 0, space},
      {"lcm", "*integers", divisors<true>, 0, space},
      {"lgamma", "x", real<std::lgamma>, 0, space},
      {"log", "x, base=None", logarithm, 0, space},
      {"log10", "x", real<std::log10>, 0, space},
      {"log1p", "x", real<std::log1p>, 0, space},
      {"log2", "x", real<std::log2>, 0, space},
      {"pow", "x, y", real2<std::pow>, 0, space},
      {"prod", "iterable, start=1", product, 0, space},
      {"radians", "x", real<radians>, 0, space},
      {"remainder", "x, y", real2<std::remainder>, 0, space},
      {"sin", "x", real<std::sin>, 0, space},
      {"sinh", "x", real<std::sinh>, 0, space},
      {"sqrt", "x", real<std::sqrt>, 0, space},
      {"tan", "x", real<std::tan>, 0, space},
      {"tanh", "x", real<std::tanh>, 0, space},
      {"trunc", "x", rounded<std::trunc>, 0, space},
  };
  return rows;
}
