//===- TypesTest.cpp - every element type ------------------------*- C++ -*-===//
//
// Copies, scalar arguments, casts between all pairs of types, and integer arithmetic of every
// width, which wraps around.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

std::string shortName(ScalarKind type) { return scalarInfo(type).shortName.str(); }

/// As kernels write it: tl.float32.
std::string languageName(ScalarKind type) { return "tl." + scalarInfo(type).name.str(); }

struct TypeRow {
  std::string name;
  ScalarKind type;
};

std::vector<TypeRow> typeRows(bool (*wanted)(DType) = [](DType) { return true; }) {
  std::vector<TypeRow> rows;
  for (ScalarKind type : elementTypes())
    if (wanted(DType(type)))
      rows.push_back({shortName(type), type});
  return rows;
}

void PrintTo(const TypeRow &row, std::ostream *os) { *os << row.name; }

/// Random elements of any bit pattern that is a number.
HostArray makeAny(ScalarKind type, uint64_t count, uint64_t seed, uint64_t offset = 0) {
  DType dtype(type);
  if (dtype.isFloat())
    return makeRandom(type, {count}, -1000, 1000, seed, offset);
  HostArray array = makeArray(type, {count}, offset);
  for (uint64_t index = 0; index < count; ++index) {
    uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15 * (seed + 1);
    array.setInteger(index, int64_t((bits ^ bits >> 29) >> (dtype.isBool() ? 60 : 0)));
  }
  if (dtype.isBool())
    for (uint64_t index = 0; index < count; ++index)
      array.setInteger(index, index % 3 == seed % 3);
  return array;
}

/// Element `index` with all its digits.
std::string numberAt(const HostArray &array, uint64_t index) {
  return array.type() == ScalarKind::Int1 ? std::to_string(array.integer(index))
                                          : formatElement(array, index);
}

/// Checks numbers that a double may not hold, by their digits.
void expectNumbers(const HostArray &actual, const std::function<std::string(uint64_t)> &expected) {
  if (::testing::Test::IsSkipped())
    return;
  for (uint64_t index = 0; index < actual.size(); ++index)
    ASSERT_EQ(numberAt(actual, index), expected(index)) << "at " << index;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

class EachType : public OnEachTargetWith<TypeRow> {};

TEST_P(EachType, CopiesAtAnyAlignment) {
  for (uint64_t offset : {0, 1, 3})
    for (uint64_t count : {1, 7, 1024, 1029}) {
      HostArray in = makeAny(row().type, count, count, offset);
      HostArray out = makeOutput(row().type, {count}, offset);
      Launch launch(R"(
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
)");
      launch.array("x", in).array("out", out).integer("n", count).integer("BLOCK", 512);
      runFine(launch.over(3));
      expectNumbers(out, [&](uint64_t i) { return numberAt(in, i); });
    }
}

TEST_P(EachType, LoadsOtherWhereMasked) {
  HostArray in = makeAny(row().type, 64, 1), out = makeOutput(row().type, {64});
  Launch launch(R"(
@triton.jit
def kernel(x, out, n):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i, mask=i % 3 == 0, other=1))
)");
  runFine(launch.array("x", in).array("out", out).integer("n", 64));
  expectNumbers(out, [&](uint64_t i) { return i % 3 == 0 ? numberAt(in, i) : "1"; });
}

TEST_P(EachType, StoresOnlyWhereMasked) {
  HostArray in = makeAny(row().type, 256, 1), out = makeOutput(row().type, {256});
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i), mask=(i & 5) == 4)
)");
  runFine(launch.array("x", in).array("out", out));
  if (IsSkipped())
    return;
  for (uint64_t index = 0; index < 256; ++index) {
    if ((index & 5) == 4)
      ASSERT_EQ(formatElement(out, index), formatElement(in, index)) << "at " << index;
    else
      ASSERT_TRUE(out.isPoison(index)) << "at " << index;
  }
}

TEST_P(EachType, ReadsOneScalar) {
  HostArray in = makeAny(row().type, 8, 1), out = makeOutput(row().type, {8});
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.program_id(0)
    tl.store(out + i, tl.load(x + 7 - i))
)");
  runFine(launch.array("x", in).array("out", out).over(8));
  expectNumbers(out, [&](uint64_t i) { return numberAt(in, 7 - i); });
}

TEST_P(EachType, TakesScalarArguments) {
  DType type(row().type);
  std::vector<ConstValue> values = {ConstValue::integer(0), ConstValue::integer(1)};
  if (type.isSignedInt())
    values = {ConstValue::integer(llvm::minIntN(type.bits())),
              ConstValue::integer(llvm::maxIntN(type.bits())), ConstValue::integer(-2)};
  else if (type.isUnsignedInt() && !type.isBool())
    values = {ConstValue::integer(llvm::APInt::getMaxValue(type.bits()).zext(65)),
              ConstValue::integer(3)};
  else if (type.isFloat())
    values = {ConstValue::real(-2.5), ConstValue::real(0.1), ConstValue::real(HUGE_VAL)};
  for (const ConstValue &value : values) {
    HostArray out = makeOutput(row().type, {1}), x = makeOutput(row().type, {1});
    // Between others, so that a wrong offset of the parameter shows.
    Launch launch(R"(
@triton.jit
def kernel(before, out, v, after):
    tl.store(out, v)
    tl.store(out, v, mask=before + 10 == after)
)");
    launch.value("before", ConstValue::integer(5)).array("out", out).value("v", value);
    launch.value("after", ConstValue::integer(15)).types("before=i8,after=i64,v=" + row().name);
    runFine(launch);
    if (type.isFloat())
      expectReals(out, [&](uint64_t) { return value.asFloat(); });
    else
      expectIntegers(
          out, [&](uint64_t) { return int64_t(value.asInt().zextOrTrunc(64).getZExtValue()); });
  }
}

INSTANTIATE_TEST_SUITE_P(, EachType,
                         ::testing::Combine(allTargets(), ::testing::ValuesIn(typeRows())),
                         RowName<TypeRow>());

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

class Casts : public OnEachTargetWith<TypeRow> {};

/// Numbers that both types can hold, with fractions where `from` has them.
std::vector<double> castInputs(DType from, DType to) {
  std::vector<double> values = {0, 1, 2, 3, 100, 127};
  if (from.isBool() || to.isBool())
    values = {0, 1, 0, 1, 2, 0};
  bool negative = (from.isSignedInt() || from.isFloat()) && (to.isSignedInt() || to.isFloat());
  if (negative)
    for (double value : {-1, -2, -100, -128})
      values.push_back(value);
  if (from.isFloat() && !to.isBool())
    for (double value : {0.5, 1.75, 2.9, 100.5})
      values.push_back(value);
  if (from.isFloat() && negative)
    for (double value : {-0.5, -1.75, -2.9})
      values.push_back(value);
  values.resize(16, 0);
  return values;
}

TEST_P(Casts, RoundAsTheTypesSay) {
  for (ScalarKind to : elementTypes()) {
    SCOPED_TRACE(shortName(row().type) + " to " + shortName(to));
    HostArray in = makeArray(row().type, {16});
    fillValues(in, castInputs(DType(row().type), DType(to)));
    HostArray out = makeOutput(to, {16});
    Launch launch("\n@triton.jit\ndef kernel(x, out):\n    i = tl.arange(0, 16)\n"
                  "    tl.store(out + i, tl.load(x + i).to(" +
                  languageName(to) + "))\n");
    runFine(launch.array("x", in).array("out", out));
    bool truncates = !DType(to).isFloat() && to != ScalarKind::Int1;
    expectReals(out, [&](uint64_t i) {
      double value = in.real(i);
      return truncates ? std::trunc(value) : to == ScalarKind::Int1 ? double(value != 0) : value;
    });
  }
}

TEST_P(Casts, StoresConvertSilently) {
  DType type(row().type);
  HostArray in = makeArray(ScalarKind::FP32, {16}), out = makeOutput(row().type, {16});
  fillValues(in, castInputs(ScalarKind::FP32, type));
  if (type.isBool())
    return; // A bool in memory is a byte, which takes the number as it is.
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i))
)");
  runFine(launch.array("x", in).array("out", out));
  expectReals(out,
              [&](uint64_t i) { return type.isFloat() ? in.real(i) : std::trunc(in.real(i)); });
}

INSTANTIATE_TEST_SUITE_P(, Casts, ::testing::Combine(allTargets(), ::testing::ValuesIn(typeRows())),
                         RowName<TypeRow>());

TEST(HostFloats, RoundToNearestEven) {
  auto bits = [](double value, ScalarKind kind) { return encodeFloat(value, kind); };
  EXPECT_EQ(bits(1.0, ScalarKind::FP16), 0x3c00u);
  EXPECT_EQ(bits(65504, ScalarKind::FP16), 0x7bffu);
  EXPECT_EQ(bits(65519.99, ScalarKind::FP16), 0x7bffu);
  EXPECT_EQ(bits(65520, ScalarKind::FP16), 0x7c00u);
  EXPECT_EQ(bits(-HUGE_VAL, ScalarKind::FP16), 0xfc00u);
  EXPECT_EQ(bits(0x1p-24, ScalarKind::FP16), 1u);
  EXPECT_EQ(bits(0x1p-25, ScalarKind::FP16), 0u);
  EXPECT_EQ(bits(0x1.8p-25, ScalarKind::FP16), 1u);
  EXPECT_EQ(bits(1 + 0x1p-11, ScalarKind::FP16), 0x3c00u);
  EXPECT_EQ(bits(1 + 3 * 0x1p-11, ScalarKind::FP16), 0x3c02u);
  EXPECT_EQ(bits(-0.0, ScalarKind::BF16), 0x8000u);
  EXPECT_EQ(bits(1.0, ScalarKind::BF16), 0x3f80u);
  EXPECT_EQ(bits(3.4e38, ScalarKind::BF16), 0x7f80u);
  EXPECT_EQ(bits(448, ScalarKind::FP8E4NV), 0x7eu);
  EXPECT_EQ(bits(1e9, ScalarKind::FP8E4NV), 0x7fu);
  EXPECT_EQ(bits(57344, ScalarKind::FP8E5), 0x7bu);
  for (ScalarKind kind :
       {ScalarKind::FP16, ScalarKind::BF16, ScalarKind::FP8E5, ScalarKind::FP8E4NV})
    for (uint64_t pattern = 0; pattern < uint64_t(1) << scalarInfo(kind).bits; ++pattern) {
      double value = decodeFloat(pattern, kind);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decodeFloat(encodeFloat(value, kind), kind)));
      else
        ASSERT_EQ(encodeFloat(value, kind), pattern) << value;
    }
}

} // namespace
