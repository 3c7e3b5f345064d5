//===- WarpgroupMatrix.cpp - Matrix instructions of a warpgroup -*- C++ -*-===//
//
// wgmma: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Each warp
// makes 16 of the 64 rows. Sums are made in double precision, and rounded once.
//
//===----------------------------------------------------------------------===//

#include "MatrixElements.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

static constexpr unsigned kRowsOfWarp = 16;
/// Of each row (or column) of a factor, one instruction takes that much.
static constexpr unsigned kBytesOfK = 32;
static constexpr unsigned kRowsOfAtom = 8;
static constexpr unsigned kBytesOfTransposed = 2; // Of an element; others are along K.

//===----------------------------------------------------------------------===//
// Factors in shared memory
//===----------------------------------------------------------------------===//

namespace {

/// A factor in shared memory as its descriptor gives it. Rows are those of the left factor, and the
/// columns of the right one. It consists of atoms, 8 rows of `width` bytes, in which units of 16
/// bytes are permuted.
struct SharedFactor {
  char name;
  bool transposed; // Rows, not K, are contiguous.
  uint64_t start, leading, stride;
  unsigned width; // 16, without a permutation, to 128.
  unsigned rows;  // Of the whole factor, for all warps.

  SharedFactor(char name, uint64_t descriptor, bool transposed, unsigned rows);
  bool isAligned() const;
  uint64_t addressOf(unsigned row, unsigned unit) const;
};

} // namespace

/// Bits of a descriptor that have a meaning.
static constexpr uint64_t kDescriptorBits = 0xc00e3fff3fff3fff;

/// Bits [begin, begin + 14): an address or a distance.
static uint64_t fieldOf(uint64_t descriptor, unsigned begin) {
  return (descriptor >> begin & 0x3fff) * kChunk;
}

SharedFactor::SharedFactor(char name, uint64_t descriptor, bool transposed, unsigned rows)
    : name(name), transposed(transposed), start(fieldOf(descriptor, 0)),
      leading(fieldOf(descriptor, 16)), stride(fieldOf(descriptor, 32)), rows(rows) {
  const unsigned widths[] = {16, 128, 64, 32};
  width = widths[descriptor >> 62];
}

/// Permutations are of absolute addresses, so atoms must begin where these do. An instruction may
/// begin inside of an atom's rows and take a part of them.
bool SharedFactor::isAligned() const {
  uint64_t atom = uint64_t(kRowsOfAtom) * width;
  if (width == kChunk)
    return true;
  if (transposed) {
    uint64_t bytes = uint64_t(rows) * kBytesOfTransposed;
    return start % atom + std::min<uint64_t>(bytes, width) <= width && stride % atom == 0 &&
           (bytes <= width || leading % atom == 0);
  }
  return start % atom + kBytesOfK <= width && (rows <= kRowsOfAtom || stride % atom == 0);
}

/// Where 16 bytes are: of row `row`, at K's byte 16 * unit; or, transposed, of K's element `row`,
/// and from row 8 * unit on.
uint64_t SharedFactor::addressOf(unsigned row, unsigned unit) const {
  uint64_t inside = row % kRowsOfAtom, atom = row / kRowsOfAtom, at = unit * kChunk;
  if (width == kChunk)
    return start + inside * kChunk +
           (transposed ? unit * stride + atom * leading : atom * stride + unit * leading);
  uint64_t address = start + atom * stride + inside * width;
  address += transposed ? at / width * leading + at % width : at;
  return address ^ ((address >> 7 & (width / kChunk - 1)) << 4);
}

/// Reads 16 bytes of a factor. False after a fault.
static bool readChunk(Warp &warp, const Instruction &i, const SharedFactor &factor,
                      uint64_t address, uint8_t *bytes, PendingProduct &product) {
  if (address < kSharedBase)
    return warp.fault(i, 0,
                      "uses " + Twine(address) + ", which is no address in shared memory (matrix " +
                          Twine(factor.name) + ")");
  std::string problem = warp.cta.shared.beginAsyncRead(warp.accessor(kNoLane, i.line), address,
                                                       kChunk, bytes, "wgmma");
  if (!problem.empty())
    return warp.fault(i, 0,
                      problem + " (byte " + Twine(address - kSharedBase) + ", matrix " +
                          Twine(factor.name) + ")");
  product.chunks.push_back(uint32_t(address));
  return true;
}

/// Calls `set(row, k, value)` for the `rows` rows from `first` on. False after a fault.
template <class Set>
static bool readFactor(Warp &warp, const Instruction &i, const SharedFactor &factor,
                       Element element, unsigned first, unsigned rows, PendingProduct &product,
                       Set set) {
  unsigned elementBytes = bitsOf(element) / 8, each = kChunk / elementBytes;
  unsigned k = kBytesOfK / elementBytes;
  unsigned outerBegin = factor.transposed ? 0 : first,
           outerEnd = factor.transposed ? k : first + rows;
  unsigned unitBegin = factor.transposed ? first / each : 0,
           unitEnd = factor.transposed ? (first + rows) / each : k / each;
  for (unsigned outer = outerBegin; outer < outerEnd; ++outer)
    for (unsigned unit = unitBegin; unit < unitEnd; ++unit) {
      uint8_t bytes[kChunk];
      if (!readChunk(warp, i, factor, factor.addressOf(outer, unit), bytes, product))
        return false;
      for (unsigned index = 0; index < each; ++index) {
        uint64_t bits = 0;
        std::memcpy(&bits, bytes + size_t(index) * elementBytes, elementBytes);
        unsigned inner = unit * each + index;
        set((factor.transposed ? inner : outer) - first, factor.transposed ? outer : inner,
            elementOf(element, bits, 0));
      }
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

enum OperandIndex : unsigned { Result, Left, Right, Accumulate, LeftScale, RightScale, Transposed };

/// The product of one warp, as it executes it.
class WarpProduct {
public:
  WarpProduct(Warp &warp, const Instruction &i)
      : warp(warp), i(i), p(Product::unpack(i.detail)), left(size_t(p.m) * p.k),
        right(size_t(p.k) * p.n), pending{i.line, {}} {}

  bool execute(uint32_t mask);

private:
  bool isFromRegisters() const { return i.operands[Left].slots.size() > 1; }
  uint64_t valueOf(unsigned operand) const { return warp.lanes(i.slot(operand))[0]; }
  bool isTransposed(unsigned operand) const;
  bool checkThreads(uint32_t mask) const;
  bool checkOperands() const;
  bool checkGroup() const;
  bool readShared(unsigned operand);
  void readRegisters();
  void multiply();

  Warp &warp;
  const Instruction &i;
  Product p;
  std::vector<double> left, right; // Row by row; the rows of `right` are those of K.
  PendingProduct pending;
};

} // namespace

/// Only factors of 16 bits say in which order they are: the left one only in shared memory.
bool WarpProduct::isTransposed(unsigned operand) const {
  if (bitsOf(p.left) != 16)
    return false;
  return valueOf(operand == Left ? unsigned(Transposed) : unsigned(i.operands.size() - 1)) != 0;
}

bool WarpProduct::checkThreads(uint32_t mask) const {
  if (mask != ~uint32_t(0))
    return warp.fault(i, unsigned(__builtin_ctz(mask)), "multiplies without some of its warp");
  if (warp.index / kWarpsOfGroup * kWarpsOfGroup + kWarpsOfGroup > warp.cta.warps.size())
    return warp.fault(i, 0, "is in a warpgroup of fewer than four warps");
  return true;
}

/// Descriptors and flags must be the same in all lanes, and scales 1 or -1.
bool WarpProduct::checkOperands() const {
  for (unsigned operand = isFromRegisters() ? Right : Left; operand <= Accumulate; ++operand) {
    const uint64_t *values = warp.lanes(i.slot(operand));
    uint64_t kept = operand == Accumulate ? 1 : ~uint64_t(0);
    for (unsigned lane = 1; lane < kLanes; ++lane)
      if ((values[lane] & kept) != (values[0] & kept))
        return warp.fault(i, lane, "multiplies with other operands than its warp");
  }
  for (unsigned operand = LeftScale; operand <= RightScale && operand < i.operands.size();
       ++operand)
    if (int64_t scale = int32_t(valueOf(operand)); scale != 1 && scale != -1)
      return warp.fault(i, 0, "scales by " + Twine(scale) + ", which is not 1 or -1");
  return true;
}

/// All warps of the group execute the same products.
bool WarpProduct::checkGroup() const {
  unsigned group = warp.index / kWarpsOfGroup;
  ProductLog &log = warp.cta.products[group];
  uint64_t number = warp.warpgroup->issued();
  if (number == log.size())
    for (unsigned other = 0; other < kWarpsOfGroup; ++other)
      if (warp.cta.warps[group * kWarpsOfGroup + other]->state() == Warp::State::Done)
        return warp.fault(i, 0, "multiplies without warp " + Twine(other) + " of its group");
  uint64_t descriptor = isFromRegisters() ? 0 : valueOf(Left);
  if (log.add(number, {&i, descriptor, valueOf(Right), bool(valueOf(Accumulate) & 1), 0}))
    return true;
  return warp.fault(i, 0,
                    "multiplies otherwise than another warp of its group at line " +
                        Twine(log[number].instruction->line));
}

bool WarpProduct::readShared(unsigned operand) {
  bool isLeft = operand == Left;
  uint64_t descriptor = valueOf(operand);
  SharedFactor factor(isLeft ? 'A' : 'B', descriptor, isTransposed(operand),
                      isLeft ? kWarpsOfGroup * kRowsOfWarp : p.n);
  auto fault = [&](const Twine &what) {
    return warp.fault(i, 0, "has a descriptor of matrix " + Twine(factor.name) + " " + what);
  };
  if (descriptor & ~kDescriptorBits)
    return fault("with bits that mean nothing: 0x" + utohexstr(descriptor));
  if (descriptor >> 49 & 7)
    return fault("with a base offset, which is not simulated");
  if (!factor.isAligned())
    return fault("that is not aligned for its swizzle of " + Twine(factor.width) + " bytes");
  if (isLeft)
    return readFactor(
        warp, i, factor, p.left, warp.index % kWarpsOfGroup * kRowsOfWarp, kRowsOfWarp, pending,
        [&](unsigned row, unsigned k, double value) { left[size_t(row) * p.k + k] = value; });
  return readFactor(
      warp, i, factor, p.right, 0, p.n, pending,
      [&](unsigned column, unsigned k, double value) { right[size_t(k) * p.n + column] = value; });
}

void WarpProduct::readRegisters() {
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned k = 0; k < p.k; ++k) {
      Fragment at = leftElement(p, row, k);
      left[size_t(row) * p.k + k] =
          elementOf(p.left, warp.lanes(i.operands[Left].slots[at.reg])[at.lane], at.index);
    }
}

void WarpProduct::multiply() {
  bool accumulates = valueOf(Accumulate) & 1;
  double scale = 1;
  if (i.operands.size() > RightScale)
    scale = int32_t(valueOf(LeftScale)) * int32_t(valueOf(RightScale));
  std::vector<double> sums(p.n);
  for (unsigned row = 0; row < p.m; ++row) {
    auto resultAt = [&](Fragment at) -> uint64_t & {
      return warp.lanes(i.operands[Result].slots[at.reg])[at.lane];
    };
    for (unsigned column = 0; column < p.n; ++column) {
      Fragment at = resultElement(p, row, column);
      sums[column] = accumulates ? elementOf(p.result, resultAt(at), at.index) : 0;
    }
    for (unsigned k = 0; k < p.k; ++k)
      for (unsigned column = 0; column < p.n; ++column)
        sums[column] += scale * left[size_t(row) * p.k + k] * right[size_t(k) * p.n + column];
    for (unsigned column = 0; column < p.n; ++column) {
      Fragment at = resultElement(p, row, column);
      storeResult(resultAt(at), p.result, at, sums[column]);
    }
  }
}

bool WarpProduct::execute(uint32_t mask) {
  if (!checkThreads(mask) || !checkOperands() || !checkGroup() ||
      !warp.warpgroup->checkProduct(warp, i))
    return false;
  if (isFromRegisters())
    readRegisters();
  else if (!readShared(Left))
    return false;
  if (!readShared(Right))
    return false;
  multiply();
  warp.warpgroup->issue(i, std::move(pending));
  return true;
}

static bool multiplyWarp(Warp &warp, const Instruction &i, uint32_t mask) {
  return WarpProduct(warp, i).execute(mask);
}

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

static bool fenceRegisters(Warp &warp, const Instruction &, uint32_t) {
  warp.warpgroup->fence();
  return true;
}

static bool commitProducts(Warp &warp, const Instruction &, uint32_t) {
  warp.warpgroup->commit();
  return true;
}

static bool waitForProducts(Warp &warp, const Instruction &i, uint32_t) {
  warp.warpgroup->wait(warp, i, warp.lanes(i.slot(0))[0]);
  return true;
}

/// Which types there are products of.
static bool hasTypes(const Product &p) {
  auto isInteger = [](Element type) { return type == Element::S8 || type == Element::U8; };
  auto isFloat8 = [](Element type) { return type == Element::E4M3 || type == Element::E5M2; };
  if (isInteger(p.left))
    return isInteger(p.right) && p.result == Element::S32;
  if (isFloat8(p.left))
    return isFloat8(p.right) && (p.result == Element::F32 || p.result == Element::F16);
  if (p.left != p.right)
    return false;
  if (p.left == Element::F16)
    return p.result == Element::F32 || p.result == Element::F16;
  return (p.left == Element::BF16 || p.left == Element::TF32) && p.result == Element::F32;
}

/// "m64n128k16.f32.f16.f16"
static std::optional<Product> readProduct(StringRef form) {
  SmallVector<StringRef> words;
  form.split(words, '.');
  Product p;
  if (words.size() != 4 || !words[0].consume_front("m64n") || words[0].consumeInteger(10, p.n) ||
      !words[0].consume_front("k") || words[0].getAsInteger(10, p.k))
    return std::nullopt;
  p.m = kRowsOfWarp;
  p.result = elementNamed(words[1]);
  p.left = elementNamed(words[2]);
  p.right = elementNamed(words[3]);
  if (!hasTypes(p) || p.k * bitsOf(p.left) != 8 * kBytesOfK || p.n == 0 || p.n > 256 || p.n % 8)
    return std::nullopt;
  if (p.result == Element::S32 && p.n > 32 && p.n % 16)
    return std::nullopt;
  return p;
}

/// Whether `instruction` has the operands that its product asks for.
static bool hasOperands(const Instruction &instruction, const Product &p) {
  if (instruction.operands.size() <= Accumulate)
    return false;
  size_t lefts = instruction.operands[Left].slots.size();
  size_t count = p.result == Element::S32 ? Accumulate + 1 : RightScale + 1;
  if (bitsOf(p.left) == 16)
    count += lefts == 1 ? 2 : 1;
  size_t results = p.n / (p.result == Element::F16 ? 4 : 2);
  return instruction.operands.size() == count && (lefts == 1 || lefts == 4) &&
         instruction.operands[Result].slots.size() == results;
}

Handler tilec::simulator::findWarpgroup(StringRef opcode, Instruction &instruction) {
  if (!opcode.consume_front("wgmma."))
    return nullptr;
  instruction.kind = Kind::WarpSync;
  if (opcode == "fence.sync.aligned")
    return fenceRegisters;
  if (opcode == "commit_group.sync.aligned")
    return commitProducts;
  if (opcode == "wait_group.sync.aligned" && instruction.operands.size() == 1)
    return waitForProducts;
  if (!opcode.consume_front("mma_async.sync.aligned."))
    return nullptr;
  std::optional<Product> p = readProduct(opcode);
  if (!p || !hasOperands(instruction, *p))
    return nullptr;
  instruction.detail = p->pack();
  return multiplyWarp;
}
