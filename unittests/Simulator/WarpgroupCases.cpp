//===- WarpgroupCases.cpp - Products of warpgroups in tests -----*- C++ -*-===//

#include "WarpgroupTest.h"

#include "tilec/float16.h"

using namespace tilec;
using namespace tilec::test;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// "e5m2" of "f32.e4m3.e5m2" for 2.
static std::string wordOf(const std::string &types, unsigned index) {
  size_t begin = 0;
  for (; index > 0; --index)
    begin = types.find('.', begin) + 1;
  return types.substr(begin, types.find('.', begin) - begin);
}

uint32_t WarpgroupCase::elementBytes() const {
  std::string type = wordOf(types, 1);
  return type == "tf32" ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
}

int WarpgroupCase::left(uint32_t row, uint32_t k) const {
  return int((5 * row + 3 * k + row * k / 4) % 7) - (wordOf(types, 1) == "u8" ? 0 : 3);
}
int WarpgroupCase::right(uint32_t k, uint32_t column) const {
  return int((2 * column + 5 * k + column * k / 8) % 7) - (wordOf(types, 2) == "u8" ? 0 : 3);
}

/// An integer from -6 to 6.
static uint32_t encode(const std::string &type, int value) {
  static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c};
  static const uint8_t e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44, 0x45, 0x46};
  uint32_t sign = value < 0 ? 0x80 : 0, size = uint32_t(std::abs(value));
  if (type == "f16")
    return Half(float(value)).bits;
  if (type == "bf16")
    return BFloat16(float(value)).bits;
  if (type == "e4m3")
    return e4m3[size] | sign;
  if (type == "e5m2")
    return e5m2[size] | sign;
  if (type != "tf32")
    return uint32_t(value) & 0xff;
  float wide = float(value);
  uint32_t bits;
  std::memcpy(&bits, &wide, 4);
  return bits;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Where the unit `unit` of 16 bytes of an atom's row is.
static uint32_t swizzle(uint32_t width, uint32_t row, uint32_t unit) {
  row %= 8;
  return unit ^ (width == 128 ? row : width == 64 ? row / 2 : width == 32 ? row / 4 : 0);
}

/// Where row `row` (of the left factor; a column of the right one) has its byte `byte` of K.
static uint32_t placeAlongK(const WarpgroupCase &test, uint32_t row, uint32_t byte) {
  if (test.width == 16)
    return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
  byte += test.advance;
  return row * test.width + swizzle(test.width, row, byte / 16) * 16 + byte % 16;
}

/// The same where rows are contiguous; there are `rows`, of elements of 2 bytes.
static uint32_t placeAlongRows(const WarpgroupCase &test, uint32_t rows, uint32_t row, uint32_t k) {
  if (test.width == 16)
    return row / 8 * 128 + k / 8 * (rows * 16) + k % 8 * 16 + row % 8 * 2;
  uint32_t inRows = test.advance + row * 2;
  uint32_t block = inRows / test.width, byte = inRows % test.width;
  return block * 16 * test.width + k * test.width + swizzle(test.width, k, byte / 16) * 16 +
         byte % 16;
}

static std::string descriptorBits(const WarpgroupCase &test, bool transposed, uint32_t rows) {
  uint64_t leading = transposed ? 16 * test.width : 0, stride = 8 * test.width;
  if (test.width == 16) {
    leading = transposed ? rows * 16 : 128;
    stride = transposed ? 128 : 256;
  }
  uint64_t mode = test.width == 128 ? 1 : test.width == 64 ? 2 : test.width == 32 ? 3 : 0;
  return std::to_string(int64_t(leading / 16 << 16 | stride / 16 << 32 | mode << 62));
}

static void placeFactors(const WarpgroupCase &test, std::vector<uint8_t> &image) {
  uint32_t bytes = test.elementBytes();
  auto place = [&](uint32_t begin, bool transposed, uint32_t rows, auto bitsAt) {
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t k = 0; k < test.k(); ++k) {
        uint32_t bits = bitsAt(row, k);
        uint32_t at = begin + (transposed ? placeAlongRows(test, rows, row, k)
                                          : placeAlongK(test, row, k * bytes));
        std::memcpy(&image.at(at), &bits, bytes);
      }
  };
  place(0, test.leftTransposed, 64,
        [&](uint32_t row, uint32_t k) { return encode(wordOf(test.types, 1), test.left(row, k)); });
  place(kRightBegin, test.rightTransposed, test.n, [&](uint32_t row, uint32_t k) {
    return encode(wordOf(test.types, 2), test.right(k, row));
  });
}

/// Registers of the left factor: K's lowest bits are in the register, the next two in the lane.
static void placeRegisters(const WarpgroupCase &test, uint8_t *registers) {
  uint32_t bytes = test.elementBytes(), each = 4 / bytes;
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t k = 0; k < test.k(); ++k) {
      uint32_t bits = encode(wordOf(test.types, 1), test.left(row, k));
      uint32_t lane = (k / each & 3) | (row & 7) << 2;
      uint32_t reg = (row >> 3 & 1) | (k / each >> 2) << 1;
      uint32_t thread = (row >> 4) * 32 + lane;
      std::memcpy(registers + size_t(thread * 16 + reg * 4 + k % each * bytes), &bits, bytes);
    }
}

std::vector<uint8_t> tilec::test::dataOf(const WarpgroupCase &test) {
  std::vector<uint8_t> data(kImageBytes + 128 * 16 + 128 * 512);
  placeFactors(test, data);
  placeRegisters(test, data.data() + kImageBytes);
  return data;
}

double tilec::test::resultAt(const WarpgroupCase &test, const std::vector<uint8_t> &data,
                             uint32_t row, uint32_t column) {
  uint32_t lane = (column >> 1 & 3) | (row & 7) << 2, thread = (row >> 4) * 32 + lane;
  uint32_t reg = (column & 1) | (row >> 3 & 1) << 1 | (column >> 3) << 2;
  const uint8_t *values = data.data() + kImageBytes + 128 * 16 + size_t(thread) * 512;
  if (test.resultIsHalf()) {
    Half half;
    std::memcpy(&half.bits, values + size_t(reg / 2 * 4 + column % 2 * 2), 2);
    return double(float(half));
  }
  float value;
  int32_t integer;
  std::memcpy(&value, values + size_t(reg) * 4, 4);
  std::memcpy(&integer, values + size_t(reg) * 4, 4);
  return test.types.compare(0, 3, "s32") == 0 ? double(integer) : double(value);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::string tilec::test::listOf(const std::string &prefix, uint32_t count) {
  std::string list = "{";
  for (uint32_t index = 0; index < count; ++index)
    list += (index ? ", " : "") + prefix + std::to_string(index);
  return list + "}";
}

std::string tilec::test::prepare(const WarpgroupCase &test) {
  std::string code = ".shared .align 1024 .b8 tile[32768];\n"
                     "setp.eq.b32 %yes, 0, 0;\nsetp.ne.b32 %no, 0, 0;\n"
                     "mul.wide.u32 %t16, %tid.x, 16;\nmov.b64 %base, tile;\n"
                     "add.s64 %from, %p, %t16;\nadd.s64 %to, %base, %t16;\n";
  for (uint32_t at = 0; at < kImageBytes; at += 2048)
    code += "ld.global.v4.b32 {%x0, %x1, %x2, %x3}, [%from+" + std::to_string(at) +
            "];\nst.shared.v4.b32 [%to+" + std::to_string(at) + "], {%x0, %x1, %x2, %x3};\n";
  code += "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%from+" + std::to_string(kImageBytes) + "];\n";
  auto descriptor = [&](const char *name, uint32_t begin, bool transposed, uint32_t rows) {
    code += std::string("add.s64 ") + name + ", %base, " + std::to_string(begin) + ";\nshr.u64 " +
            name + ", " + name + ", 4;\nor.b64 " + name + ", " + name + ", " +
            descriptorBits(test, transposed, rows) + ";\n";
  };
  descriptor("%da", test.advance, test.leftTransposed, 64);
  descriptor("%db", kRightBegin + test.advance, test.rightTransposed, test.n);
  return code;
}

std::string tilec::test::prepareAll(const WarpgroupCase &test) {
  return prepare(test) + "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n";
}

std::string tilec::test::setResults(const WarpgroupCase &test, const std::string &prefix) {
  std::string code;
  std::string one = test.resultIsHalf()                    ? "0x3c003c00"
                    : test.types.compare(0, 3, "s32") == 0 ? "1"
                                                           : "0f3F800000";
  for (uint32_t index = 0; index < test.results(); ++index)
    code += "mov.b32 " + prefix + std::to_string(index) + ", " + one + ";\n";
  return code;
}

std::string tilec::test::multiply(const WarpgroupCase &test, const std::string &prefix) {
  std::string code = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(test.n) + "k" +
                     std::to_string(test.k()) + "." + test.types + " " +
                     listOf(prefix, test.results()) + ", " +
                     (test.leftInRegisters ? listOf("%a", 4) : "%da") + ", %db, " + test.predicate;
  if (test.types.compare(0, 3, "s32") != 0)
    code += ", " + std::to_string(test.leftScale) + ", " + std::to_string(test.rightScale);
  if (test.elementBytes() == 2 && !test.leftInRegisters)
    code += test.leftTransposed ? ", 1" : ", 0";
  if (test.elementBytes() == 2)
    code += test.rightTransposed ? ", 1" : ", 0";
  return code + ";\n";
}

std::string tilec::test::storeResults(const WarpgroupCase &test, const std::string &prefix) {
  std::string code = "mul.wide.u32 %t512, %tid.x, 512;\nadd.s64 %out, %p, %t512;\n";
  for (uint32_t index = 0; index < test.results(); ++index)
    code += "st.global.b32 [%out+" + std::to_string(kImageBytes + 128 * 16 + index * 4) + "], " +
            prefix + std::to_string(index) + ";\n";
  return code;
}

std::string tilec::test::simulateGroup(const WarpgroupCase &test, const std::string &code,
                                       std::vector<uint8_t> *data, uint64_t seed) {
  std::vector<uint8_t> own;
  if (!data)
    data = &own;
  *data = dataOf(test);
  return simulate(code, data->data(), data->size(), 128, seed);
}
