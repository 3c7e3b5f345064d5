//===- FloatArithmetic.cpp - Floats, alone and in pairs ---------*- C++ -*-===//
//
// Floating point instructions by opcode. Approximations are as exact as the C library here.
// Semantics: PTX ISA, "Floating Point" and
// "Half Precision Floating Point" instructions.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include <algorithm>
#include <cfenv>
#include <limits>

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

namespace {

struct Add {
  template <class T> T operator()(T a, T b) const { return a + b; }
};
struct Subtract {
  template <class T> T operator()(T a, T b) const { return a - b; }
};
struct Multiply {
  template <class T> T operator()(T a, T b) const { return a * b; }
};
struct Divide {
  template <class T> T operator()(T a, T b) const { return a / b; }
};
struct MultiplyAdd {
  template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
/// Of 16-bit floats in doubles, in which the product is exact: a sum that is not has an odd last
/// bit, so that a second rounding, to fewer bits, is as good as one.
struct HalfMultiplyAdd {
  double operator()(double a, double b, double c) const {
    double product = a * b, sum = product + c, ofSum = sum - product;
    double error = (product - (sum - ofSum)) + (c - ofSum);
    if (!std::isfinite(sum) || error == 0 || (toBits(sum) & 1))
      return sum;
    return std::nextafter(sum, std::copysign(std::numeric_limits<double>::infinity(), error));
  }
};
/// -0.0 is below 0.0, and a NaN is left out.
struct Minimum {
  template <class T> T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T> T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    if (a == b)
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};
/// `Op`, but NaN where an operand is NaN.
template <class Op> struct PassNaN {
  template <class T> T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    return Op()(a, b);
  }
};
struct Negate {
  template <class T> T operator()(T a) const { return -a; }
};
struct Absolute {
  template <class T> T operator()(T a) const { return std::fabs(a); }
};
/// copysign: the magnitude is the second operand's.
struct CopySign {
  template <class T> T operator()(T sign, T magnitude) const {
    return std::copysign(magnitude, sign);
  }
};
struct SquareRoot {
  template <class T> T operator()(T a) const { return std::sqrt(a); }
};
struct ReciprocalRoot {
  template <class T> T operator()(T a) const { return T(1.0 / std::sqrt(double(a))); }
};
struct Reciprocal {
  template <class T> T operator()(T a) const { return T(1) / a; }
};
struct Exp2 {
  template <class T> T operator()(T a) const { return T(std::exp2(double(a))); }
};
struct Log2 {
  template <class T> T operator()(T a) const { return T(std::log2(double(a))); }
};
struct Sine {
  template <class T> T operator()(T a) const { return T(std::sin(double(a))); }
};
struct Cosine {
  template <class T> T operator()(T a) const { return T(std::cos(double(a))); }
};
struct HyperbolicTangent {
  template <class T> T operator()(T a) const { return T(std::tanh(double(a))); }
};

/// `Op` with subnormal operands and results taken as zeros.
template <class Op> struct Flush {
  static float flush(float a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0F, a) : a;
  }
  template <class... U> float operator()(U... a) const { return flush(Op()(flush(a)...)); }
};

/// The handler of an instruction whose name has a rounding.
template <int mode, Handler handler> bool rounded(Warp &warp, const Instruction &i, uint32_t mask) {
  // Not inlined, so that nothing is computed before the mode is set.
  Handler volatile run = handler;
  int before = std::fegetround();
  std::fesetround(mode);
  bool good = run(warp, i, mask);
  std::fesetround(before);
  return good;
}

using Table = StringMap<Handler>;

} // namespace

template <int mode, class T>
static void addRounding(Table &table, const std::string &rounding, const std::string &type) {
  std::string tail = "." + rounding + "." + type;
  table["add" + tail] = rounded<mode, binary<Add, T>>;
  table["sub" + tail] = rounded<mode, binary<Subtract, T>>;
  table["mul" + tail] = rounded<mode, binary<Multiply, T>>;
  table["div" + tail] = rounded<mode, binary<Divide, T>>;
  table["fma" + tail] = rounded<mode, ternary<MultiplyAdd, T>>;
  table["sqrt" + tail] = rounded<mode, unary<SquareRoot, T>>;
  table["rcp" + tail] = rounded<mode, unary<Reciprocal, T>>;
}

template <class T> static void addRoundings(Table &table, const std::string &type) {
  addRounding<FE_TONEAREST, T>(table, "rn", type);
  addRounding<FE_TOWARDZERO, T>(table, "rz", type);
  addRounding<FE_DOWNWARD, T>(table, "rm", type);
  addRounding<FE_UPWARD, T>(table, "rp", type);
}

/// What f32, f64, f16, bf16 and pairs have in common.
template <class T, class Fused = MultiplyAdd>
static void addType(Table &table, const std::string &type) {
  for (const char *rounding : {"", "rn."}) {
    table["add." + std::string(rounding) + type] = binary<Add, T>;
    table["sub." + std::string(rounding) + type] = binary<Subtract, T>;
    table["mul." + std::string(rounding) + type] = binary<Multiply, T>;
    table["fma." + std::string(rounding) + type] = ternary<Fused, T>;
  }
  table["min." + type] = binary<Minimum, T>;
  table["max." + type] = binary<Maximum, T>;
  table["min.NaN." + type] = binary<PassNaN<Minimum>, T>;
  table["max.NaN." + type] = binary<PassNaN<Maximum>, T>;
  table["neg." + type] = unary<Negate, T>;
  table["abs." + type] = unary<Absolute, T>;
  table["ex2.approx." + type] = unary<Exp2, T>;
  table["ex2.approx.ftz." + type] = unary<Exp2, T>;
  table["tanh.approx." + type] = unary<HyperbolicTangent, T>;
}

template <class T> static void addWide(Table &table, const std::string &type) {
  table["copysign." + type] = binary<CopySign, T>;
  table["rsqrt.approx." + type] = unary<ReciprocalRoot, T>;
}

/// f32 with subnormal numbers taken as zeros.
static void addFlushed(Table &table) {
  for (const char *rounding : {"", "rn."}) {
    std::string tail = "." + std::string(rounding) + "ftz.f32";
    table["add" + tail] = binary<Flush<Add>, float>;
    table["sub" + tail] = binary<Flush<Subtract>, float>;
    table["mul" + tail] = binary<Flush<Multiply>, float>;
    table["fma" + tail] = ternary<Flush<MultiplyAdd>, float>;
  }
}

static Table makeTable() {
  Table table;
  addFlushed(table);
  addType<float>(table, "f32");
  addType<double>(table, "f64");
  addType<Half, HalfMultiplyAdd>(table, "f16");
  addType<BFloat16, HalfMultiplyAdd>(table, "bf16");
  addType<Pair<Half>, HalfMultiplyAdd>(table, "f16x2");
  addType<Pair<BFloat16>, HalfMultiplyAdd>(table, "bf16x2");
  addRoundings<float>(table, "f32");
  addRoundings<double>(table, "f64");
  addWide<float>(table, "f32");
  addWide<double>(table, "f64");
  table["div.full.f32"] = binary<Divide, float>;
  table["div.full.ftz.f32"] = binary<Flush<Divide>, float>;
  table["div.approx.f32"] = binary<Divide, float>;
  table["sqrt.approx.f32"] = unary<SquareRoot, float>;
  table["sqrt.approx.ftz.f32"] = unary<Flush<SquareRoot>, float>;
  table["rsqrt.approx.ftz.f32"] = unary<Flush<ReciprocalRoot>, float>;
  table["rcp.approx.f32"] = unary<Reciprocal, float>;
  table["rcp.approx.ftz.f32"] = unary<Flush<Reciprocal>, float>;
  table["rcp.approx.ftz.f64"] = unary<Reciprocal, double>;
  table["ex2.approx.ftz.f32"] = unary<Flush<Exp2>, float>;
  table["lg2.approx.f32"] = unary<Log2, float>;
  table["lg2.approx.ftz.f32"] = unary<Flush<Log2>, float>;
  table["sin.approx.f32"] = unary<Sine, float>;
  table["cos.approx.f32"] = unary<Cosine, float>;
  table["sin.approx.ftz.f32"] = unary<Flush<Sine>, float>;
  table["cos.approx.ftz.f32"] = unary<Flush<Cosine>, float>;
  return table;
}

Handler tilec::simulator::findFloatArithmetic(StringRef opcode) {
  static const Table table = makeTable();
  return table.lookup(opcode);
}
