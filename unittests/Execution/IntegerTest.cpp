//===- IntegerTest.cpp - arithmetic on integers of every width ---*- C++ -*-===//
//
// Results wrap around in their own width; `//` and `%` at run time round towards zero, as in C;
// `>>` follows the signedness of its left side.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Both sides sign- or zero-extended to 64 bits, as the type says.
using Reference = int64_t (*)(int64_t a, int64_t b, bool isSigned);

struct Operation {
  const char *name;
  const char *expression;
  Reference reference;
};

bool less(int64_t a, int64_t b, bool isSigned) {
  return isSigned ? a < b : uint64_t(a) < uint64_t(b);
}

const Operation operations[] = {
    {"add", "a + b", [](int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) + uint64_t(b)); }},
    {"sub", "a - b", [](int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) - uint64_t(b)); }},
    {"mul", "a * b", [](int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) * uint64_t(b)); }},
    {"floordiv", "a // b",
     [](int64_t a, int64_t b, bool isSigned) {
       return isSigned ? a / b : int64_t(uint64_t(a) / uint64_t(b));
     }},
    {"mod", "a % b",
     [](int64_t a, int64_t b, bool isSigned) {
       return isSigned ? a % b : int64_t(uint64_t(a) % uint64_t(b));
     }},
    {"and", "a & b", [](int64_t a, int64_t b, bool) { return a & b; }},
    {"or", "a | b", [](int64_t a, int64_t b, bool) { return a | b; }},
    {"xor", "a ^ b", [](int64_t a, int64_t b, bool) { return a ^ b; }},
    {"invert", "~a", [](int64_t a, int64_t, bool) { return ~a; }},
    {"shl", "a << (b & 7)",
     [](int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) << (b & 7)); }},
    {"shr", "a >> (b & 7)",
     [](int64_t a, int64_t b, bool isSigned) {
       return isSigned ? a >> (b & 7) : int64_t(uint64_t(a) >> (b & 7));
     }},
    {"maximum", "tl.maximum(a, b)",
     [](int64_t a, int64_t b, bool isSigned) { return less(a, b, isSigned) ? b : a; }},
    {"minimum", "tl.minimum(a, b)",
     [](int64_t a, int64_t b, bool isSigned) { return less(b, a, isSigned) ? b : a; }},
    {"where", "tl.where(a < b, a, b)",
     [](int64_t a, int64_t b, bool isSigned) { return less(a, b, isSigned) ? a : b; }},
    {"less", "a < b", [](int64_t a, int64_t b, bool s) { return int64_t(less(a, b, s)); }},
    {"less_equal", "a <= b", [](int64_t a, int64_t b, bool s) { return int64_t(!less(b, a, s)); }},
    {"greater", "a > b", [](int64_t a, int64_t b, bool s) { return int64_t(less(b, a, s)); }},
    {"greater_equal", "a >= b",
     [](int64_t a, int64_t b, bool s) { return int64_t(!less(a, b, s)); }},
    {"equal", "a == b", [](int64_t a, int64_t b, bool) { return int64_t(a == b); }},
    {"not_equal", "a != b", [](int64_t a, int64_t b, bool) { return int64_t(a != b); }},
};

struct Row {
  std::string name;
  ScalarKind type;
  bool isSigned;
};

void PrintTo(const Row &row, std::ostream *os) { *os << row.name; }

std::vector<Row> integerRows() {
  std::vector<Row> rows;
  for (ScalarKind type : elementTypes())
    if (DType(type).isInt() && !DType(type).isBool())
      rows.push_back({scalarInfo(type).shortName.str(), type, DType(type).isSignedInt()});
  return rows;
}

class Integers : public OnEachTargetWith<Row> {};

/// Small and extreme numbers in all pairs, and no divisor of 0 or -1.
void fillPairs(HostArray &a, HostArray &b) {
  unsigned bits = scalarInfo(a.type()).bits;
  const int64_t interesting[] = {
      0, 1,  2,  3, 7, 100, -2, -3, -7, -100, llvm::maxIntN(bits), llvm::minIntN(bits),
      5, 64, 31, 85};
  for (uint64_t index = 0; index < a.size(); ++index) {
    a.setInteger(index, interesting[index / 16 % 16]);
    int64_t divisor = interesting[index % 16];
    b.setInteger(index, divisor == 0 ? 11 : divisor);
  }
}

TEST_P(Integers, WrapAroundInTheirWidth) {
  HostArray a = makeArray(row().type, {256}), b = makeArray(row().type, {256});
  fillPairs(a, b);
  for (const Operation &operation : operations) {
    SCOPED_TRACE(operation.name);
    HostArray out = makeOutput(row().type, {256});
    Launch launch(std::string(R"(
@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, )") +
                  operation.expression + ")\n");
    runFine(launch.array("x", a).array("y", b).array("out", out));
    expectIntegers(out, [&](uint64_t i) {
      return operation.reference(a.integer(i), b.integer(i), row().isSigned);
    });
  }
}

TEST_P(Integers, DivideIntoFloats) {
  HostArray a = makeArray(row().type, {64}), b = makeArray(row().type, {64});
  fillRange(a, 0, 1);
  fillRange(b, 1, 1);
  HostArray out = makeOutput(ScalarKind::FP32, {64});
  Launch launch(R"(
@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 64)
    q = tl.load(x + i) / tl.load(y + i)
    tl.static_assert(q.dtype == tl.float32)
    tl.store(out + i, q)
)");
  runFine(launch.array("x", a).array("y", b).array("out", out));
  expectReals(out, [](uint64_t i) { return double(i) / double(i + 1); }, {3e-7, 0});
}

INSTANTIATE_TEST_SUITE_P(, Integers,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(integerRows())),
                         RowName<Row>());

class Mixed : public OnEachTarget {};

TEST_P(Mixed, BooleansAreBits) {
  HostArray x = makeArray(ScalarKind::Int1, {4}), y = makeArray(ScalarKind::Int1, {4});
  fillValues(x, {0, 0, 1, 1});
  fillValues(y, {0, 1, 0, 1});
  HostArray out = makeOutput(ScalarKind::Int32, {4, 4});
  Launch launch(R"(
@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, (a & b).to(tl.int32))
    tl.store(out + 4 + i, (a | b).to(tl.int32))
    tl.store(out + 8 + i, (a ^ b).to(tl.int32))
    tl.store(out + 12 + i, (a + b).to(tl.int32))
)");
  runFine(launch.array("x", x).array("y", y).array("out", out));
  const int expected[] = {0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0};
  expectIntegers(out, [&](uint64_t i) { return expected[i]; });
}

TEST_P(Mixed, WidthsAndSignsPromote) {
  HostArray x = makeArray(ScalarKind::Int8, {8}), y = makeArray(ScalarKind::UInt32, {8});
  fillValues(x, {-1, -2, 3, 4, -5, 6, 127, -128});
  fillValues(y, {1, 2, 3, 4000000000, 5, 6, 7, 4294967295});
  HostArray sum = makeOutput(ScalarKind::UInt32, {8}), wide = makeOutput(ScalarKind::Int64, {8});
  Launch launch(R"(
@triton.jit
def kernel(x, y, total, wide):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    b = tl.load(y + i)
    s = a + b
    tl.static_assert(s.dtype == tl.uint32)
    tl.store(total + i, s)
    tl.store(wide + i, a.to(tl.int64) * 3000000000 + b)
)");
  runFine(launch.array("x", x).array("y", y).array("total", sum).array("wide", wide));
  expectIntegers(sum, [&](uint64_t i) { return x.integer(i) + y.integer(i); });
  expectIntegers(wide, [&](uint64_t i) { return x.integer(i) * 3000000000 + y.integer(i); });
}

TEST_P(Mixed, HalfFloatsRoundOnce) {
  for (ScalarKind type : {ScalarKind::FP16, ScalarKind::BF16, ScalarKind::FP64}) {
    SCOPED_TRACE(scalarInfo(type).shortName.str());
    HostArray a = makeRandom(type, {512}, -8, 8, 1), b = makeRandom(type, {512}, -8, 8, 2);
    HostArray out = makeOutput(type, {3, 512});
    Launch launch(R"(
@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 512)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + 512 + i, a - b)
    tl.store(out + 1024 + i, a * b)
)");
    runFine(launch.array("x", a).array("y", b).array("out", out));
    expectReals(out, [&](uint64_t i) {
      double left = a.real(i % 512), right = b.real(i % 512);
      return i < 512 ? left + right : i < 1024 ? left - right : left * right;
    });
  }
}

TEST_P(Mixed, DenormalsSurvive) {
  HostArray a = makeArray(ScalarKind::FP32, {4}), out = makeOutput(ScalarKind::FP32, {4});
  fillValues(a, {1e-45, -1e-45, 1e-39, 1.1754942e-38});
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    tl.store(out + i, a * 0.5 + a)
)");
  runFine(launch.array("x", a).array("out", out));
  expectReals(out,
              [&](uint64_t i) {
                // With or without contraction: half of the smallest number is a tie, which goes to
                // 0 or not at all.
                return i < 2 ? (i ? -1.0 : 1.0) * 2.8e-45 : a.real(i) * 1.5;
              },
              {1e-6, 1.5e-45});
}

INSTANTIATE_TEST_SUITE_P(, Mixed, allTargets(), TargetName());

} // namespace
