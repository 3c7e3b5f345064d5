//===- Dot.cpp - Layouts of a product of matrices ---------------*- C++ -*-===//
//
// A fragment is a list of coordinate bits for each bit of register and lane. The result's bits that
// one instruction does not cover go to warps, then to further registers; the factors repeat those
// of the axis that they share with the result.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Dot.h"

#include <algorithm>
#include <cassert>

using namespace tilec::layout;

static unsigned log2Of(int64_t value) {
  unsigned bits = 0;
  while ((int64_t(1) << bits) < value)
    ++bits;
  return bits;
}

namespace {

/// Bit number `bit` of the coordinate along `axis`.
struct AxisBit {
  unsigned axis, bit;
};

/// Gathers the bases of one layout; bits that the tile does not have are zero.
class FragmentBuilder {
public:
  explicit FragmentBuilder(const Shape &shape) : shape(shape) {
    std::string error;
    bool isSound = LinearLayout::verifyShape(shape, error);
    assert(isSound && "the verifier admits only tiles");
    (void)isSound;
  }

  bool has(AxisBit at) const { return (int64_t(1) << at.bit) < shape[at.axis]; }
  void addRegister(AxisBit at) {
    if (has(at))
      bases[unsigned(InDim::Register)].push_back(basis(at));
  }
  void addLane(AxisBit at) { add(InDim::Lane, at); }
  void add(InDim dim, AxisBit at) { bases[unsigned(dim)].push_back(has(at) ? basis(at) : 0); }
  void addCopies(InDim dim, unsigned count) { bases[unsigned(dim)].resize(count); }
  LinearLayout build() {
    std::string error;
    std::optional<LinearLayout> layout = LinearLayout::createFlat(shape, bases, error);
    assert(layout && "every bit of the tile is in some basis");
    return *layout;
  }

private:
  uint64_t basis(AxisBit at) const {
    uint64_t stride = 1;
    for (size_t axis = at.axis + 1; axis < shape.size(); ++axis)
      stride *= shape[axis];
    return stride << at.bit;
  }

  Shape shape;
  LinearLayout::FlatBasisLists bases;
};

/// The result's coordinate bits beyond one instruction: those of warps (nothing where a warp
/// repeats another one's work), and those of registers.
struct Distribution {
  std::vector<std::optional<AxisBit>> warps;
  std::vector<AxisBit> registers;
};

} // namespace

namespace {

/// Which of its sixteen rows an instruction has where, as bits of the coordinate.
struct RowBits {
  unsigned lanes = 0; ///< The first of three.
  unsigned half = 3;  ///< Of the register that tells the second eight rows from the first.
  unsigned next = 4;  ///< What warps share begins here.
  /// Of a register that counts instructions.
  std::optional<unsigned> repeat = std::nullopt;
};

} // namespace

/// The rows in order, or with neighbours in the registers of a thread, as far as there are any.
static RowBits rowBitsOf(const MmaShape &shape, const Shape &result, int64_t numWarps,
                         int64_t rowsTogether) {
  unsigned next = log2Of(shape.m);
  if (rowsTogether == 1 || shape.m != 16)
    return {/*lanes=*/0, /*half=*/3, next, /*repeat=*/std::nullopt};
  bool repeats = rowsTogether > 2 && result[0] > shape.m * numWarps;
  if (!repeats)
    return {/*lanes=*/1, /*half=*/0, next, /*repeat=*/std::nullopt};
  return {/*lanes=*/2, /*half=*/0, next + 1, /*repeat=*/1u};
}

/// Rows are the axis 0, columns 1. An instruction of a group takes neighbouring columns, so that
/// what groups share of them are the highest bits.
static Distribution distributeToGroups(const MmaShape &shape, const Shape &result, int64_t numWarps,
                                       const RowBits &rows) {
  unsigned row = rows.next, rowBits = log2Of(result[0]);
  unsigned column = log2Of(shape.n), columnBits = log2Of(result[1]);
  unsigned warpBits = log2Of(numWarps);
  unsigned ofRows = std::min(warpBits, rowBits - row);
  unsigned ofColumns = std::min(warpBits - ofRows, columnBits - column);
  Distribution distribution;
  for (unsigned bit = 0; bit < ofRows; ++bit)
    distribution.warps.push_back(AxisBit{0, row + bit});
  for (unsigned bit = 0; bit < ofColumns; ++bit)
    distribution.warps.push_back(AxisBit{1, columnBits - ofColumns + bit});
  distribution.warps.resize(warpBits);
  for (unsigned bit = column; bit < columnBits - ofColumns; ++bit)
    distribution.registers.push_back({1, bit});
  if (rows.repeat)
    distribution.registers.push_back({0, *rows.repeat});
  for (unsigned bit = row + ofRows; bit < rowBits; ++bit)
    distribution.registers.push_back({0, bit});
  return distribution;
}

/// Rows and columns are the last two axes.
static Distribution distribute(const MmaShape &shape, const Shape &result, int64_t numWarps,
                               WarpOrder order, const RowBits &ofRows) {
  if (order == WarpOrder::Groups)
    return distributeToGroups(shape, result, numWarps, ofRows);
  unsigned rows = result.size() - 2, columns = result.size() - 1;
  std::vector<unsigned> next(result.size(), 0);
  next[rows] = log2Of(shape.m);
  next[columns] = log2Of(shape.n);
  auto has = [&](unsigned axis) { return (int64_t(1) << next[axis]) < result[axis]; };
  auto left = [&](unsigned axis) { return has(axis) ? result[axis] >> next[axis] : 0; };
  auto takesColumns = [&] {
    bool areMore = left(columns) * shape.n > left(rows) * shape.m;
    return has(columns) &&
           (order == WarpOrder::Columns || (order == WarpOrder::Balanced && areMore));
  };
  Distribution distribution;
  for (int64_t warps = 1; warps < numWarps; warps *= 2) {
    unsigned axis = rows;
    if (rows > 0 && has(0))
      axis = 0;
    else if (!has(rows) || takesColumns())
      axis = columns;
    if (has(axis))
      distribution.warps.push_back(AxisBit{axis, next[axis]++});
    else
      distribution.warps.push_back(std::nullopt);
  }
  for (unsigned axis = result.size(); axis-- > 0;)
    while (has(axis))
      distribution.registers.push_back({axis, next[axis]++});
  return distribution;
}

/// The bits of a factor beyond one instruction: the whole of `depthAxis`, then what the factor
/// shares with the result, all but `otherAxis` of it.
static void repeat(FragmentBuilder &fragment, const Distribution &distribution, const Shape &factor,
                   unsigned depthAxis, unsigned firstBit, unsigned otherAxis, int64_t numCTAs) {
  for (unsigned bit = firstBit; (int64_t(1) << bit) < factor[depthAxis]; ++bit)
    fragment.addRegister({depthAxis, bit});
  for (AxisBit at : distribution.registers)
    if (at.axis != otherAxis)
      fragment.addRegister(at);
  for (const std::optional<AxisBit> &at : distribution.warps) {
    bool shares = at && at->axis != otherAxis;
    // A bit beyond the axis stands for a copy.
    fragment.add(InDim::Warp, shares ? *at : AxisBit{depthAxis, 62});
  }
  fragment.addCopies(InDim::Block, log2Of(numCTAs));
}

DotLayouts tilec::layout::mmaLayouts(const MmaShape &shape, const Shape &result, int64_t depth,
                                     int64_t numWarps, int64_t numCTAs, WarpOrder order,
                                     int64_t rowsTogether) {
  assert((rowsTogether == 1 || order == WarpOrder::Groups) && "only groups leave this open");
  unsigned rows = result.size() - 2, columns = result.size() - 1;
  unsigned packed = log2Of(shape.packed);
  RowBits rowBits = rowBitsOf(shape, result, numWarps, rowsTogether);
  Distribution distribution = distribute(shape, result, numWarps, order, rowBits);

  FragmentBuilder acc(result);
  acc.addRegister({columns, 0});
  for (unsigned bit : {1u, 2u})
    acc.addLane({columns, bit});
  for (unsigned bit : {0u, 1u, 2u})
    acc.addLane({rows, rowBits.lanes + bit});
  if (shape.m == 16)
    acc.addRegister({rows, rowBits.half});
  for (AxisBit at : distribution.registers)
    acc.addRegister(at);
  for (const std::optional<AxisBit> &at : distribution.warps)
    acc.add(InDim::Warp, at ? *at : AxisBit{rows, 62});
  acc.addCopies(InDim::Block, log2Of(numCTAs));

  // The factors: what is packed, four lanes along the depth, eight across; then the second half of
  // 16 rows, then the rest of the instruction's depth.
  auto factor = [&](bool isLeft) {
    Shape tile = result;
    tile[isLeft ? columns : rows] = depth;
    unsigned along = isLeft ? columns : rows, across = isLeft ? rows : columns;
    FragmentBuilder fragment(tile);
    for (unsigned bit = 0; bit < packed; ++bit)
      fragment.addRegister({along, bit});
    for (unsigned bit : {packed, packed + 1})
      fragment.addLane({along, bit});
    for (unsigned bit : {0u, 1u, 2u})
      fragment.addLane({across, (isLeft ? rowBits.lanes : 0) + bit});
    if (isLeft && shape.m == 16)
      fragment.addRegister({across, rowBits.half});
    repeat(fragment, distribution, tile, along, packed + 2, along, numCTAs);
    return fragment.build();
  };
  return {acc.build(), factor(/*isLeft=*/true), factor(/*isLeft=*/false)};
}

DotLayouts tilec::layout::threadDotLayouts(const LinearLayout &acc, int64_t depth) {
  const Shape &result = acc.shape();
  unsigned rows = result.size() - 2, columns = result.size() - 1;
  auto factor = [&](bool isLeft) {
    Shape tile = result;
    unsigned along = isLeft ? columns : rows;
    tile[along] = depth;
    LinearLayout::BasisLists bases;
    for (unsigned bit = 0; (int64_t(1) << bit) < depth; ++bit) {
      Coords step(tile.size(), 0);
      step[along] = int32_t(1) << bit;
      bases[unsigned(InDim::Register)].push_back(step);
    }
    for (InDim dim : kAllInDims)
      for (Coords step : acc.bases(dim)) {
        step[along] = 0;
        bool isZero = true;
        for (int32_t coordinate : step)
          isZero &= coordinate == 0;
        if (!isZero || dim != InDim::Register)
          bases[unsigned(dim)].push_back(step);
      }
    std::string error;
    std::optional<LinearLayout> layout = LinearLayout::create(tile, bases, error);
    assert(layout && "the result's layout covers its axes");
    return *layout;
  };
  return {acc, factor(/*isLeft=*/true), factor(/*isLeft=*/false)};
}
