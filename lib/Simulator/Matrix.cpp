//===- Matrix.cpp - Matrix instructions of a warp ---------------*- C++ -*-===//
//
// mma.sync, ldmatrix and stmatrix: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
// Sums are made in double precision, and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "MatrixElements.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

static bool multiply(Warp &warp, const Instruction &i, uint32_t) {
  Product p = Product::unpack(i.detail);
  auto take = [&](unsigned operand, Element element, Fragment at) {
    return elementOf(element, warp.lanes(i.operands[operand].slots[at.reg])[at.lane], at.index);
  };
  std::vector<double> sums(size_t(p.m) * p.n);
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      double sum = take(3, p.result, resultElement(p, row, column));
      for (unsigned k = 0; k < p.k; ++k)
        sum +=
            take(1, p.left, leftElement(p, row, k)) * take(2, p.right, rightElement(p, k, column));
      sums[size_t(row) * p.n + column] = sum;
    }
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      Fragment at = resultElement(p, row, column);
      uint64_t &result = warp.lanes(i.operands[0].slots[at.reg])[at.lane];
      storeResult(result, p.result, at, sums[size_t(row) * p.n + column]);
    }
  return true;
}

/// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
static Handler findProduct(StringRef opcode, Instruction &instruction) {
  SmallVector<StringRef> words;
  opcode.split(words, '.');
  if (words.size() != 10 || words[4] != "row" || words[5] != "col" || words[6] != words[9])
    return nullptr;
  Product p;
  StringRef shape = words[3];
  if (!shape.consume_front("m") || shape.consumeInteger(10, p.m) || !shape.consume_front("n") ||
      shape.consumeInteger(10, p.n) || !shape.consume_front("k") || shape.getAsInteger(10, p.k))
    return nullptr;
  p.result = elementNamed(words[6]);
  p.left = elementNamed(words[7]);
  p.right = elementNamed(words[8]);
  if (p.result == Element::None || p.left == Element::None || p.right == Element::None)
    return nullptr;
  // The number of registers follows; another shape is laid out otherwise.
  unsigned each = p.left == Element::F64 ? 1 : 32 / bitsOf(p.left);
  bool fits = instruction.operands.size() == 4 && p.n == 8 &&
              instruction.operands[1].slots.size() == p.m / 8 * (p.k / (4 * each)) &&
              instruction.operands[2].slots.size() == p.k / (4 * each);
  if (!fits)
    return nullptr;
  instruction.detail = p.pack();
  instruction.kind = Kind::WarpSync;
  return multiply;
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Lane 8 * m + r has the address of row r of matrix m, eight elements of 16 bits. Each lane holds
/// two of them: of row lane / 4, or of column lane / 4 where the matrix is transposed.
static bool moveMatrices(Warp &warp, const Instruction &i, uint32_t) {
  bool isLoad = i.detail & 1, transposed = i.detail & 2;
  const Operand &address = i.operands[isLoad ? 1 : 0];
  ArrayRef<Slot> registers = i.operands[isLoad ? 0 : 1].slots;
  for (unsigned matrix = 0; matrix < registers.size(); ++matrix) {
    uint64_t *values = warp.lanes(registers[matrix]);
    uint16_t elements[8][8] = {};
    auto forElements = [&](auto body) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned half = 0; half < 2; ++half) {
          unsigned row = lane / 4, column = lane % 4 * 2 + half;
          body(lane, 16 * half, transposed ? elements[column][row] : elements[row][column]);
        }
    };
    if (!isLoad)
      forElements([&](unsigned lane, unsigned shift, uint16_t &element) {
        element = uint16_t(values[lane] >> shift);
      });
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = 8 * matrix + row;
      uint64_t at = warp.lanes(address.slots[0])[lane] + uint64_t(address.offset);
      auto *bytes = reinterpret_cast<uint8_t *>(elements[row]);
      if (!(isLoad ? readMemory(warp, i, lane, Space::Shared, at, 16, bytes)
                   : writeMemory(warp, i, lane, Space::Shared, at, 16, bytes, /*atomic=*/false)))
        return false;
    }
    if (isLoad)
      forElements([&](unsigned lane, unsigned shift, uint16_t &element) {
        values[lane] = shift ? (values[lane] & 0xffff) | uint64_t(element) << 16 : element;
      });
  }
  return true;
}

Handler tilec::simulator::findMatrix(StringRef opcode, Instruction &instruction) {
  if (opcode.starts_with("mma.sync."))
    return findProduct(opcode, instruction);
  bool isLoad = opcode.starts_with("ldmatrix.sync.aligned.m8n8.x");
  if (!isLoad && !opcode.starts_with("stmatrix.sync.aligned.m8n8.x"))
    return nullptr;
  if (!opcode.ends_with(".b16"))
    return nullptr;
  instruction.detail = uint32_t(isLoad) | uint32_t(opcode.contains(".trans")) << 1;
  instruction.kind = Kind::WarpSync;
  return moveMatrices;
}
