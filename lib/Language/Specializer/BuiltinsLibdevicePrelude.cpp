//===- BuiltinsLibdevicePrelude.cpp - libdevice in the language -*- C++ -*-===//
//
// The functions of libdevice that are written in the language itself, in Prelude/device_*.py. A row
// says which operand types a function takes; libdevice promotes nothing, so a call must match one
// of the forms exactly. The code then is the same on every target.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {
/// Forms are separated by blanks; each letter is an operand: F float32 or float64 (all F alike), f
/// float32, d float64, i int32, u uint32, l int64, m uint64.
struct DeviceFunction {
  StringRef name;
  StringRef forms;
};
} // namespace

static constexpr DeviceFunction deviceFunctions[] = {
    {"acos", "F"},
    {"acosh", "F"},
    {"add_rd", "FF"},
    {"add_ru", "FF"},
    {"add_rz", "FF"},
    {"asin", "F"},
    {"asinh", "F"},
    {"atan", "F"},
    {"atan2", "FF"},
    {"atanh", "F"},
    {"brev", "i l"},
    {"byte_perm", "iii"},
    {"cbrt", "F"},
    {"cosh", "F"},
    {"cospi", "F"},
    {"cyl_bessel_i0", "F"},
    {"cyl_bessel_i1", "F"},
    {"div_rd", "FF"},
    {"div_ru", "FF"},
    {"div_rz", "FF"},
    {"double2float_rd", "d"},
    {"double2float_ru", "d"},
    {"double2hiint", "d"},
    {"double2loint", "d"},
    {"erf", "F"},
    {"erfc", "F"},
    {"erfcinv", "F"},
    {"erfcx", "F"},
    {"erfinv", "F"},
    {"exp", "F"},
    {"exp10", "F"},
    {"expm1", "F"},
    {"fast_dividef", "ff"},
    {"fast_exp10f", "f"},
    {"fast_powf", "ff"},
    {"fast_tanf", "f"},
    {"fdim", "FF"},
    {"ffs", "i l"},
    {"finitef", "f"},
    {"fma_rd", "FFF"},
    {"fma_ru", "FFF"},
    {"fma_rz", "FFF"},
    {"hadd", "ii uu"},
    {"hiloint2double", "ii"},
    {"hypot", "FF"},
    {"ilogb", "F"},
    {"int2float_rd", "i"},
    {"int2float_ru", "i"},
    {"int2float_rz", "i"},
    {"isfinited", "d"},
    {"isinf", "F"},
    {"isnan", "F"},
    {"j0", "F"},
    {"j1", "F"},
    {"jn", "iF"},
    {"ldexp", "Fi"},
    {"lgamma", "F"},
    {"ll2double_rd", "l"},
    {"ll2double_ru", "l"},
    {"ll2double_rz", "l"},
    {"ll2float_rd", "l"},
    {"ll2float_ru", "l"},
    {"ll2float_rz", "l"},
    {"llrint", "F"},
    {"llround", "F"},
    {"log10", "F"},
    {"log1p", "F"},
    {"logb", "F"},
    {"mul24", "ii uu"},
    {"mul_rd", "FF"},
    {"mul_ru", "FF"},
    {"mul_rz", "FF"},
    {"mulhi", "ii uu ll mm"},
    {"nextafter", "FF"},
    {"norm3d", "FFF"},
    {"norm4d", "FFFF"},
    {"normcdf", "F"},
    {"normcdfinv", "F"},
    {"pow", "FF Fi"},
    {"rcbrt", "F"},
    {"rcp64h", "d"},
    {"rcp_rd", "F"},
    {"rcp_rn", "F"},
    {"rcp_ru", "F"},
    {"rcp_rz", "F"},
    {"remainder", "FF"},
    {"rhadd", "ii uu"},
    {"rhypot", "FF"},
    {"rnorm3d", "FFF"},
    {"rnorm4d", "FFFF"},
    {"round", "F"},
    {"rsqrt", "F"},
    {"rsqrt_rn", "f"},
    {"sad", "iiu uuu"},
    {"saturatef", "f"},
    {"scalbn", "Fi"},
    {"signbit", "F"},
    {"sinh", "F"},
    {"sinpi", "F"},
    {"sqrt_rd", "F"},
    {"sqrt_ru", "F"},
    {"sqrt_rz", "F"},
    {"sub_rd", "FF"},
    {"sub_ru", "FF"},
    {"sub_rz", "FF"},
    {"tanh", "F"},
    {"tgamma", "F"},
    {"uint2float_rd", "u"},
    {"uint2float_ru", "u"},
    {"uint2float_rz", "u"},
    {"ull2double_rd", "m"},
    {"ull2double_ru", "m"},
    {"ull2double_rz", "m"},
    {"ull2float_rd", "m"},
    {"ull2float_ru", "m"},
    {"ull2float_rz", "m"},
    {"y0", "F"},
    {"y1", "F"},
    {"yn", "iF"},
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool matches(char letter, DType type, DType firstFloat) {
  switch (letter) {
  case 'F':
    return (type.isFP32() || type.isFP64()) && type == firstFloat;
  case 'f':
    return type.isFP32();
  case 'd':
    return type.isFP64();
  case 'i':
    return type.isScalar(ScalarKind::Int32);
  case 'u':
    return type.isScalar(ScalarKind::UInt32);
  case 'l':
    return type.isScalar(ScalarKind::Int64);
  default:
    return type.isScalar(ScalarKind::UInt64);
  }
}

static bool matches(StringRef form, llvm::ArrayRef<Object> operands) {
  // All F alike: as the first of them.
  size_t place = form.find('F');
  DType first = operands[place == StringRef::npos ? 0 : place].dtype();
  return llvm::all_of(llvm::zip(form, operands), [&](auto pair) {
    return matches(std::get<0>(pair), std::get<1>(pair).dtype(), first);
  });
}

/// "(int32, int32) or (int64, int64)".
static std::string describe(StringRef forms) {
  std::string text;
  llvm::SmallVector<StringRef, 4> list;
  forms.split(list, ' ');
  auto name = [](char letter, bool wide) -> StringRef {
    switch (letter) {
    case 'F':
      return wide ? "float64" : "float32";
    case 'f':
      return "float32";
    case 'd':
      return "float64";
    case 'i':
      return "int32";
    case 'u':
      return "uint32";
    case 'l':
      return "int64";
    default:
      return "uint64";
    }
  };
  auto add = [&](StringRef form, bool wide) {
    text += text.empty() ? "(" : " or (";
    for (auto [index, letter] : llvm::enumerate(form))
      text += (index ? ", " : "") + name(letter, wide).str();
    text += ")";
  };
  for (StringRef form : list) {
    add(form, false);
    if (form.contains('F'))
      add(form, true);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The exponent of a call of `pow`, if it is a constant for which products or roots do.
static std::optional<double> shortPower(Args &args) {
  if (args.callee().name != "pow" || !args[1].isNumber())
    return std::nullopt;
  double power = args[1].asDouble();
  if (llvm::is_contained({-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0}, power))
    return power;
  return std::nullopt;
}

/// Calls the prelude's function of that name.
static Object callPrelude(Interpreter &in, Args &args) {
  StringRef name = args.callee().name;
  const DeviceFunction *row = llvm::find_if(
      deviceFunctions, [&](const DeviceFunction &function) { return function.name == name; });
  size_t count = row->forms.take_until([](char c) { return c == ' '; }).size();
  llvm::SmallVector<Object, 4> operands;
  std::string found;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(args.tensor(i));
    if (operands.back().isPoison())
      return operands.back();
    found += (i ? ", " : "") + operands.back().dtype().str();
  }
  llvm::SmallVector<StringRef, 4> forms;
  row->forms.split(forms, ' ');
  if (llvm::none_of(forms, [&](StringRef form) { return matches(form, operands); }))
    return in.error(args.callRange(), args.callee().fullName() + " takes " + describe(row->forms) +
                                          ", found (" + found + ")");
  if (std::optional<double> power = shortPower(args)) {
    operands[1] = Object::real(*power);
    name = "_power_of_constant";
  } else if (!in.tensors().broadcastAll(operands, args.callRange())) {
    return Object::poison();
  }
  const JitFunction *function = in.deviceFunction(name);
  assert(function && "a row needs a function in the prelude");
  return in.callWith(Object::function(function), operands, args.callRange());
}

/// exp, tanh and erf of float32 are operations on GPUs, which have faster forms.
template <typename OpT> static Object narrowOrPrelude(Interpreter &in, Args &args) {
  Object x = args.tensor(0);
  if (x.isPoison() || !x.dtype().isFP32() || !in.options().arch)
    return x.isPoison() ? x : callPrelude(in, args);
  return Object::tensor(OpT::create(in.ir(), in.loc(), x.value()), x.dtype());
}

llvm::ArrayRef<Builtin> front::devicePreludeBuiltins() {
  static const std::vector<Builtin> rows = [] {
    static constexpr StringRef params[] = {"", "arg0", "arg0, arg1", "arg0, arg1, arg2",
                                           "arg0, arg1, arg2, arg3"};
    std::vector<Builtin> result;
    for (const DeviceFunction &function : deviceFunctions) {
      size_t count = function.forms.take_until([](char c) { return c == ' '; }).size();
      BuiltinFn call = function.name == "tanh"  ? narrowOrPrelude<mlir::math::TanhOp>
                       : function.name == "exp" ? narrowOrPrelude<mlir::math::ExpOp>
                       : function.name == "erf" ? narrowOrPrelude<mlir::math::ErfOp>
                                                : callPrelude;
      result.push_back({function.name, params[count], call, 0, Space::Device});
    }
    return result;
  }();
  return rows;
}
