//===- MatrixAccess.cpp - Factors of products in shared memory --*- C++ -*-===//
//
// Places the factors of products in shared memory so that the instructions of tensor cores read
// them without bank conflicts, and tells which addresses and descriptors these instructions take.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/MatrixAccess.h"

#include <algorithm>
#include <cassert>

namespace tilec::layout {

SharedLayout placeForMatrices(const Shape &shape, unsigned inner, unsigned elementBits,
                              int64_t mostInLine) {
  unsigned rank = unsigned(shape.size()), outer = inner == rank - 1 ? rank - 2 : rank - 1;
  std::vector<unsigned> sizeBits, shifts(rank);
  unsigned tileBits = 0;
  for (int64_t size : shape)
    sizeBits.push_back(log2Floor(uint64_t(size)));
  for (unsigned axis = rank; axis-- > 0; tileBits += sizeBits[axis])
    shifts[axis] = tileBits;
  unsigned groupBits = log2Floor(128 / elementBits); // Elements of 16 bytes.
  unsigned lineBits = std::min(sizeBits[inner], groupBits + 3);
  if (mostInLine != 0)
    lineBits = std::min(lineBits, log2Floor(uint64_t(mostInLine)));
  unsigned rowBits = sizeBits[outer];
  // Rows share a period of 128 bytes where lines are shorter.
  unsigned groups = lineBits > groupBits ? lineBits - groupBits : 0, sharing = 3 - groups;
  std::vector<uint64_t> columns(tileBits);
  unsigned offsetBit = 0;
  auto place = [&](unsigned axis, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit)
      columns[shifts[axis] + bit] = uint64_t(1) << offsetBit++;
  };
  place(inner, 0, lineBits);
  place(outer, 0, rowBits);
  place(inner, lineBits, sizeBits[inner]);
  for (unsigned axis = rank - 2; axis-- > 0;)
    place(axis, 0, sizeBits[axis]);
  for (unsigned bit = 0; bit < groups && sharing + bit < rowBits; ++bit)
    columns[shifts[outer] + sharing + bit] |= uint64_t(1) << (groupBits + bit);
  return {F2Matrix(tileBits, std::move(columns)), F2Matrix::zero(0, tileBits)};
}

LinearLayout layoutForTransposition(const Shape &shape, unsigned inner, unsigned elementBits,
                                    int64_t numWarps, int64_t numCTAs) {
  constexpr unsigned laneBits = 5;
  const unsigned axes[] = {inner, 1 - inner};
  unsigned taken[2] = {0, 0};
  LinearLayout::BasisLists bases;
  // Gives the next bit of an axis to `dim`; false if there is none.
  auto give = [&](InDim dim, unsigned which) {
    unsigned axis = axes[which];
    if ((int64_t(1) << taken[which]) >= shape[axis])
      return false;
    Coords basis(2, 0);
    basis[axis] = int64_t(1) << taken[which]++;
    bases[unsigned(dim)].push_back(basis);
    return true;
  };
  auto giveAlternating = [&](InDim dim, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit)
      if (!give(dim, bit % 2) && !give(dim, 1 - bit % 2))
        bases[unsigned(dim)].push_back(Coords(2, 0));
  };
  const unsigned elementsOfBlock[] = {4, 128 / elementBits};
  for (unsigned which : {0, 1})
    for (unsigned bit = 0; bit < log2Floor(elementsOfBlock[which]); ++bit)
      give(InDim::Register, which);
  giveAlternating(InDim::Lane, laneBits);
  giveAlternating(InDim::Warp, log2Floor(uint64_t(numWarps)));
  for (unsigned which : {0, 1})
    while (give(InDim::Register, which))
      ;
  bases[unsigned(InDim::Block)].assign(log2Floor(uint64_t(numCTAs)), Coords(2, 0));
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(shape, bases, error);
  assert(layout && "each bit of the tile was given");
  return *layout;
}

namespace {

/// The offsets that the bits of a layout add, sorted by what ldmatrix and stmatrix do with them.
struct Roles {
  std::vector<uint64_t> inGroup; // Must be 1, 2, 4, ..: places in the 16 bytes of a row.
  std::vector<uint64_t> rows;    // Three of them.
  unsigned firstMatrixBit;       // Register bits from here on count matrices.
};

} // namespace

static std::optional<MatrixPlan> planWith(const Roles &roles, const LinearLayout &layout,
                                          const SharedLayout &shared, unsigned elementBits) {
  std::vector<uint64_t> registers = shared.offsetBases(layout, InDim::Register);
  std::vector<uint64_t> others = roles.rows;
  others.insert(others.end(), registers.begin() + roles.firstMatrixBit, registers.end());
  for (InDim dim : {InDim::Warp, InDim::Block})
    for (uint64_t offset : shared.offsetBases(layout, dim))
      others.push_back(offset);
  uint64_t group = 128 / elementBits;
  for (size_t bit = 0; bit < roles.inGroup.size(); ++bit)
    if (roles.inGroup[bit] != uint64_t(1) << bit)
      return std::nullopt;
  if (std::any_of(others.begin(), others.end(), [&](uint64_t o) { return o % group != 0; }))
    return std::nullopt;
  MatrixPlan plan;
  unsigned matrixBits = std::min<unsigned>(2, unsigned(registers.size()) - roles.firstMatrixBit);
  plan.laneOffsets = roles.rows;
  for (unsigned bit = 0; bit < 2; ++bit)
    plan.laneOffsets.push_back(bit < matrixBits ? registers[roles.firstMatrixBit + bit] : 0);
  uint32_t stride = uint32_t(1) << roles.firstMatrixBit;
  for (uint32_t first = 0; first < layout.numRegisters(); first += stride << matrixBits) {
    std::vector<uint32_t> &matrices = plan.instructions.emplace_back();
    for (uint32_t matrix = 0; matrix < uint32_t(1) << matrixBits; ++matrix)
      matrices.push_back(first + matrix * stride);
  }
  return plan;
}

std::optional<MatrixPlan> planMatrixAccess(const LinearLayout &layout, const SharedLayout &shared,
                                           unsigned elementBits) {
  if (elementBits > 32 || layout.freeBits(InDim::Register) != 0 ||
      layout.numBases(InDim::Lane) != 5)
    return std::nullopt;
  std::vector<uint64_t> registers = shared.offsetBases(layout, InDim::Register);
  std::vector<uint64_t> lanes = shared.offsetBases(layout, InDim::Lane);
  unsigned wordBits = log2Floor(32 / elementBits);
  if (registers.size() < wordBits)
    return std::nullopt;
  // A lane's elements and those of its three neighbours make a row.
  Roles rowwise;
  rowwise.inGroup.assign(registers.begin(), registers.begin() + wordBits);
  rowwise.inGroup.insert(rowwise.inGroup.end(), lanes.begin(), lanes.begin() + 2);
  rowwise.rows.assign(lanes.begin() + 2, lanes.end());
  rowwise.firstMatrixBit = wordBits;
  std::optional<MatrixPlan> plan = planWith(rowwise, layout, shared, elementBits);
  if (!plan && elementBits == 16) {
    Roles columnwise;
    columnwise.inGroup.assign(lanes.begin() + 2, lanes.end());
    columnwise.rows = {registers[0], lanes[0], lanes[1]};
    columnwise.firstMatrixBit = 1;
    plan = planWith(columnwise, layout, shared, elementBits);
    if (plan)
      plan->transposed = true;
  }
  if (plan)
    plan->elementsPerWord = 32 / elementBits;
  return plan;
}

static uint64_t wavefrontsOf(const SharedAccess &access) {
  return access.vectors.size() * access.wavefronts;
}

std::optional<SharedLayout> placeForMatrixStores(const LinearLayout &src, const LinearLayout &dst,
                                                 const SharedPlan &usual, unsigned elementBits) {
  unsigned rank = src.rank();
  if (rank < 2 || elementBits > 32 || src.hasReplication() || src.numBases(InDim::Block) != 0)
    return std::nullopt;
  std::size_t fewest = usual.store.vectors.size() + usual.load.vectors.size();
  std::optional<SharedLayout> best;
  for (unsigned inner : {rank - 1, rank - 2}) {
    SharedLayout placed = placeForMatrices(src.shape(), inner, elementBits);
    std::optional<MatrixPlan> plan = planMatrixAccess(src, placed, elementBits);
    if (!plan)
      continue;
    SharedAccess load = planAccess(dst, placed, elementBits, /*isStore=*/false);
    // Rows of a matrix lie in different banks: each takes one wavefront.
    std::size_t matrices = plan->instructions.size() * plan->instructions.front().size();
    std::size_t count = plan->instructions.size() + load.vectors.size();
    if (count < fewest &&
        matrices + wavefrontsOf(load) <= wavefrontsOf(usual.store) + wavefrontsOf(usual.load)) {
      best = std::move(placed);
      fewest = count;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

namespace {

/// The addresses of a factor's elements, compared with those of PTX's swizzle modes: an atom is
/// eight lines of 128, 64 or 32 bytes; in an address the bits from 4 on are changed (by XOR) by as
/// many from 7 on as count the groups of 16 bytes in a line.
class GroupFactor {
public:
  GroupFactor(const SharedLayout &shared, const Shape &shape, unsigned elementBits)
      : columns(shared.toOffset.columns()), elementBytes(elementBits / 8) {
    for (unsigned axis : {0u, 1u})
      sizeBits[axis] = log2Floor(uint64_t(shape[axis]));
  }

  /// The plan if lines of 16 << swizzleBits bytes run along \p line.
  std::optional<GroupFactorPlan> plan(unsigned swizzleBits, unsigned line, unsigned depthAxis,
                                      unsigned spanBits);

private:
  uint64_t address(unsigned axis, unsigned bit) const {
    return columns[(axis == 0 ? sizeBits[1] : 0) + bit] * elementBytes;
  }
  uint64_t swizzled(uint64_t address) const {
    return address ^ ((address >> 7 & ((uint64_t(1) << swizzleBits) - 1)) << 4);
  }
  bool isLine(unsigned axis, unsigned bits) const;
  bool isStride(unsigned axis, unsigned from, unsigned to, uint64_t stride) const;
  bool startsAtoms(unsigned axis, unsigned from) const;

  const std::vector<uint64_t> &columns;
  uint64_t elementBytes;
  unsigned sizeBits[2];
  unsigned swizzleBits = 0;
};

} // namespace

/// Whether the lowest bits along \p axis count neighbours.
bool GroupFactor::isLine(unsigned axis, unsigned bits) const {
  if (sizeBits[axis] < bits)
    return false;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (address(axis, bit) != elementBytes << bit)
      return false;
  return true;
}

/// Whether the bits from \p from on, below \p to, count multiples of \p stride.
bool GroupFactor::isStride(unsigned axis, unsigned from, unsigned to, uint64_t stride) const {
  for (unsigned bit = from; bit < to; ++bit)
    if (address(axis, bit) != swizzled(stride << (bit - from)))
      return false;
  return true;
}

/// Whether the bits from \p from on lead from atom to atom.
bool GroupFactor::startsAtoms(unsigned axis, unsigned from) const {
  uint64_t atom = uint64_t(128) << swizzleBits;
  for (unsigned bit = from; bit < sizeBits[axis]; ++bit)
    if (address(axis, bit) % atom != 0)
      return false;
  return true;
}

std::optional<GroupFactorPlan> GroupFactor::plan(unsigned bits, unsigned line, unsigned depthAxis,
                                                 unsigned spanBits) {
  swizzleBits = bits;
  uint64_t lineBytes = uint64_t(16) << bits;
  unsigned lineBits = log2Floor(lineBytes / elementBytes), other = 1 - line;
  if (!isLine(line, lineBits) || sizeBits[other] < 3 || !isStride(other, 0, 3, lineBytes) ||
      !startsAtoms(line, lineBits) || !startsAtoms(other, 3))
    return std::nullopt;
  GroupFactorPlan plan;
  plan.alignment = 8 * lineBytes;
  plan.isTransposed = line != depthAxis;
  // From one atom to the next along the lines' own direction, and across it.
  uint64_t leading = 0, stride = sizeBits[other] > 3 ? address(other, 3) : plan.alignment;
  if (!plan.isTransposed) {
    if (!isStride(other, 3, spanBits, stride))
      return std::nullopt;
  } else {
    if (elementBytes != 2 || spanBits < lineBits)
      return std::nullopt;
    leading = sizeBits[line] > lineBits ? address(line, lineBits) : plan.alignment;
    if (!isStride(line, lineBits, spanBits, leading))
      return std::nullopt;
  }
  constexpr uint64_t field = 1 << 14;
  if (leading / 16 >= field || stride / 16 >= field)
    return std::nullopt;
  plan.descriptor = leading / 16 << 16 | stride / 16 << 32 | uint64_t(4 - bits) << 62;
  return plan;
}

std::optional<GroupFactorPlan> planGroupFactor(const SharedLayout &shared, const Shape &shape,
                                               unsigned depthAxis, int64_t span,
                                               unsigned elementBits) {
  GroupFactor factor(shared, shape, elementBits);
  for (unsigned line : {depthAxis, 1 - depthAxis})
    for (unsigned swizzleBits : {3u, 2u, 1u})
      if (auto plan = factor.plan(swizzleBits, line, depthAxis, log2Floor(uint64_t(span))))
        return plan;
  return std::nullopt;
}

} // namespace tilec::layout
