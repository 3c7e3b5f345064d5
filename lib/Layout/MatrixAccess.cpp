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

unsigned innerAxis(const LinearLayout &layout) {
  unsigned last = layout.rank() - 1;
  return layout.contiguousRegisters(last - 1) > layout.contiguousRegisters(last) ? last - 1 : last;
}

SharedLayout placeForMatrices(const Shape &shape, unsigned inner, unsigned elementBits) {
  unsigned rank = unsigned(shape.size()), outer = inner == rank - 1 ? rank - 2 : rank - 1;
  std::vector<unsigned> sizeBits, shifts(rank);
  unsigned tileBits = 0;
  for (int64_t size : shape)
    sizeBits.push_back(log2Floor(uint64_t(size)));
  for (unsigned axis = rank; axis-- > 0; tileBits += sizeBits[axis])
    shifts[axis] = tileBits;
  unsigned groupBits = log2Floor(128 / elementBits); // Elements of 16 bytes.
  unsigned lineBits = std::min(sizeBits[inner], groupBits + 3);
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

/// What the bits of a layout add to a place, sorted by what ldmatrix and stmatrix do with them.
struct Roles {
  std::vector<uint64_t> inGroup;  // Places in the 16 bytes of a row.
  std::vector<uint64_t> rows;     // Three of them.
  std::vector<uint64_t> matrices; // The other bits of the register.
};

} // namespace

/// Nothing if \p layout has too few bits for matrices, of rows or (\p transposed) of columns, whose
/// neighbours a lane has. \p basesOf gives what the bits of a hardware dimension add.
template <typename BasesOf>
static std::optional<Roles> rolesOf(const LinearLayout &layout, unsigned elementBits,
                                    bool transposed, BasesOf basesOf) {
  if (elementBits > 32 || (transposed && elementBits != 16) ||
      layout.freeBits(InDim::Register) != 0 || layout.numBases(InDim::Lane) != 5)
    return std::nullopt;
  std::vector<uint64_t> registers = basesOf(InDim::Register), lanes = basesOf(InDim::Lane);
  auto wordBits = std::ptrdiff_t(log2Floor(32 / elementBits));
  if (std::ptrdiff_t(registers.size()) < wordBits)
    return std::nullopt;
  Roles roles;
  if (transposed) {
    roles.inGroup.assign(lanes.begin() + 2, lanes.end());
    roles.rows = {registers[0], lanes[0], lanes[1]};
  } else {
    // A lane's elements and those of its three neighbours make a row.
    roles.inGroup.assign(registers.begin(), registers.begin() + wordBits);
    roles.inGroup.insert(roles.inGroup.end(), lanes.begin(), lanes.begin() + 2);
    roles.rows.assign(lanes.begin() + 2, lanes.end());
  }
  roles.matrices.assign(registers.begin() + wordBits, registers.end());
  return roles;
}

/// Matrices of an instruction: up to four.
static std::size_t matrixBitsOf(const Roles &roles) {
  return std::min<std::size_t>(2, roles.matrices.size());
}

static std::optional<MatrixPlan> planWith(bool transposed, const LinearLayout &layout,
                                          const SharedLayout &shared, unsigned elementBits) {
  std::optional<Roles> roles = rolesOf(layout, elementBits, transposed,
                                       [&](InDim dim) { return shared.offsetBases(layout, dim); });
  if (!roles)
    return std::nullopt;
  std::vector<uint64_t> others = roles->rows;
  others.insert(others.end(), roles->matrices.begin(), roles->matrices.end());
  for (InDim dim : {InDim::Warp, InDim::Block})
    for (uint64_t offset : shared.offsetBases(layout, dim))
      others.push_back(offset);
  uint64_t group = 128 / elementBits;
  for (size_t bit = 0; bit < roles->inGroup.size(); ++bit)
    if (roles->inGroup[bit] != uint64_t(1) << bit)
      return std::nullopt;
  if (std::any_of(others.begin(), others.end(), [&](uint64_t o) { return o % group != 0; }))
    return std::nullopt;
  MatrixPlan plan;
  plan.transposed = transposed;
  plan.elementsPerWord = 32 / elementBits;
  plan.laneOffsets = roles->rows;
  std::size_t matrixBits = matrixBitsOf(*roles);
  plan.laneOffsets.insert(plan.laneOffsets.end(), roles->matrices.begin(),
                          roles->matrices.begin() + std::ptrdiff_t(matrixBits));
  plan.laneOffsets.resize(5, 0);
  uint32_t stride = plan.elementsPerWord;
  for (uint32_t first = 0; first < layout.numRegisters(); first += stride << matrixBits) {
    std::vector<uint32_t> &matrices = plan.instructions.emplace_back();
    for (uint32_t matrix = 0; matrix < uint32_t(1) << matrixBits; ++matrix)
      matrices.push_back(first + matrix * stride);
  }
  return plan;
}

std::optional<MatrixPlan> planMatrixAccess(const LinearLayout &layout, const SharedLayout &shared,
                                           unsigned elementBits) {
  std::optional<MatrixPlan> plan = planWith(/*transposed=*/false, layout, shared, elementBits);
  return plan ? plan : planWith(/*transposed=*/true, layout, shared, elementBits);
}

/// The layout whose lanes have the rows that lanes of \p layout give the addresses of: an access of
/// 16 bytes in it has the banks and the wavefronts of an instruction for matrices.
static std::optional<LinearLayout> layoutOfRows(const LinearLayout &layout, unsigned elementBits,
                                                bool transposed) {
  std::optional<Roles> roles =
      rolesOf(layout, elementBits, transposed, [&](InDim dim) { return layout.flatBases(dim); });
  if (!roles)
    return std::nullopt;
  auto rest = roles->matrices.begin() + std::ptrdiff_t(matrixBitsOf(*roles));
  LinearLayout::FlatBasisLists bases;
  std::vector<uint64_t> &registers = bases[unsigned(InDim::Register)] = roles->inGroup;
  registers.insert(registers.end(), rest, roles->matrices.end());
  std::vector<uint64_t> &lanes = bases[unsigned(InDim::Lane)] = roles->rows;
  lanes.insert(lanes.end(), roles->matrices.begin(), rest);
  lanes.resize(5, 0);
  for (InDim dim : {InDim::Warp, InDim::Block})
    bases[unsigned(dim)] = layout.flatBases(dim);
  std::string error;
  return LinearLayout::createFlat(layout.shape(), std::move(bases), error);
}

/// In the unit of accessCost.
static uint64_t costOf(const MatrixPlan &plan, const LinearLayout &layout,
                       const SharedLayout &shared, unsigned elementBits) {
  std::optional<LinearLayout> rows = layoutOfRows(layout, elementBits, plan.transposed);
  assert(rows && "a plan has rows");
  SharedAccess access;
  access.vecElems = 128 / elementBits;
  // Of fewer than four matrices, only the lanes that give addresses of rows count.
  unsigned ofAllLanes = bankConflicts(*rows, shared, elementBits, access.vecElems);
  access.wavefronts = ofAllLanes * unsigned(plan.instructions.front().size()) / 4;
  return accessCost(access, uint32_t(plan.instructions.size()) * access.vecElems);
}

static uint64_t costOfUsual(const LinearLayout &layout, const SharedLayout &shared,
                            unsigned elementBits, bool isStore) {
  uint32_t redundant = isStore ? layout.freeBits(InDim::Register) : 0;
  return accessCost(planAccess(layout, shared, elementBits, isStore),
                    layout.numRegisters() >> popCount(redundant));
}

std::optional<MatrixPlan> planIfCheaper(const LinearLayout &layout, const SharedLayout &shared,
                                        unsigned elementBits, bool isStore) {
  if (isStore && layout.hasReplication())
    return std::nullopt;
  std::optional<MatrixPlan> plan = planMatrixAccess(layout, shared, elementBits);
  if (plan && costOf(*plan, layout, shared, elementBits) >=
                  costOfUsual(layout, shared, elementBits, isStore))
    plan.reset();
  return plan;
}

uint64_t leastCost(const LinearLayout &layout, const SharedLayout &shared, unsigned elementBits,
                   bool isStore, bool mayUseMatrices) {
  if (mayUseMatrices)
    if (auto plan = planIfCheaper(layout, shared, elementBits, isStore))
      return costOf(*plan, layout, shared, elementBits);
  return costOfUsual(layout, shared, elementBits, isStore);
}

/// \p layout, and what it is for instructions that access matrices of rows and of columns.
static std::vector<LinearLayout> viewsOf(const LinearLayout &layout, unsigned elementBits,
                                         bool mayUseMatrices) {
  std::vector<LinearLayout> views = {layout};
  for (bool transposed : {false, true})
    if (mayUseMatrices)
      if (std::optional<LinearLayout> rows = layoutOfRows(layout, elementBits, transposed))
        views.push_back(std::move(*rows));
  return views;
}

std::optional<SharedLayout> placeForMatrixAccess(const LinearLayout &src, const LinearLayout &dst,
                                                 const SharedPlan &usual, unsigned elementBits,
                                                 bool canStore) {
  if (src.numBases(InDim::Block) != 0)
    return std::nullopt;
  canStore &= !src.hasReplication();
  bool canLoad = elementBits < 32;
  uint32_t stored = src.numRegisters() >> popCount(src.freeBits(InDim::Register));
  uint64_t least = accessCost(usual.store, stored) + accessCost(usual.load, dst.numRegisters());
  // Matrices cost no less than accesses of 16 bytes.
  auto bound = [&](const LinearLayout &layout, uint32_t registers) {
    unsigned width = std::min(std::max(1u, 128 / elementBits), unsigned(registers));
    return leastAccessCost(layout, elementBits, width, registers);
  };
  uint64_t bestPossible = bound(src, stored) + bound(dst, dst.numRegisters());
  std::optional<SharedLayout> best;
  auto consider = [&](SharedLayout placed) {
    uint64_t cost = leastCost(src, placed, elementBits, /*isStore=*/true, canStore) +
                    leastCost(dst, placed, elementBits, /*isStore=*/false, canLoad);
    if (cost < least) {
      best = std::move(placed);
      least = cost;
    }
  };
  // Addresses in lines take the fewest instructions.
  unsigned rank = src.rank();
  if (rank >= 2 && elementBits <= 32)
    for (unsigned inner : {rank - 1, rank - 2})
      consider(placeForMatrices(src.shape(), inner, elementBits));
  std::vector<LinearLayout> sources = viewsOf(src, elementBits, canStore);
  std::vector<LinearLayout> results = viewsOf(dst, elementBits, canLoad);
  for (const LinearLayout &source : sources)
    for (const LinearLayout &result : results) {
      std::string error;
      bool isUsual = &source == &sources.front() && &result == &results.front();
      if (least <= bestPossible)
        return best;
      if (std::optional<SharedPlan> plan =
              isUsual ? std::nullopt : chooseSwizzle(source, result, elementBits, error))
        consider(std::move(plan->layout));
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
    if (elementBytes != 2)
      return std::nullopt;
    // An instruction may take a part of each line.
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
