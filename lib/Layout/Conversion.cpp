//===- Conversion.cpp - How to move a tile between two layouts --*- C++ -*-===//
//
// Let S and D be the source and destination maps. A destination place (r, l, w, b) needs the
// element D(r, l, w, b); a means of conversion works if that element has a source place that the
// means can reach, and because both maps are linear it is enough to check one basis vector at a
// time: the choice made for each basis extends to all places by XOR. Warps and blocks that keep
// their number on both sides contribute the difference of their bases, usually zero.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Conversion.h"

#include "tilec/Layout/Transforms.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tilec::layout {

//===----------------------------------------------------------------------===//
// Compatibility
//===----------------------------------------------------------------------===//

bool verifyConvertible(const LinearLayout &src, const LinearLayout &dst, std::string &error) {
  if (src.shape() != dst.shape()) {
    error = "expected layouts of one shape, found {" + src.toString() + "} and {" + dst.toString() +
            "}";
    return false;
  }
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block}) {
    if (src.numBases(dim) != dst.numBases(dim)) {
      error = "expected layouts with the same number of " + std::string(inDimName(dim)) +
              "s, found " + std::to_string(src.size(dim)) + " and " + std::to_string(dst.size(dim));
      return false;
    }
  }
  return true;
}

HwPoint pointOf(const LinearLayout &layout, uint64_t flat) {
  std::optional<uint64_t> solution = layout.matrix().solve(flat);
  assert(solution && "a layout holds every element");
  HwPoint point;
  uint64_t rest = *solution;
  uint32_t *parts[] = {&point.reg, &point.lane, &point.warp, &point.block};
  for (InDim dim : kAllInDims) {
    *parts[static_cast<unsigned>(dim)] = static_cast<uint32_t>(rest & (layout.size(dim) - 1));
    rest >>= layout.numBases(dim);
  }
  return point;
}

/// Whether each bit of \p axis belongs to one bit of a register, lane or warp, which moves along
/// nothing else.
static bool hasOwnBits(const LinearLayout &layout, unsigned axis) {
  unsigned along = 0;
  for (InDim dim : kAllInDims)
    for (uint64_t basis : layout.flatBases(dim)) {
      if ((basis & layout.axisMask(axis)) == 0)
        continue;
      if ((basis & ~layout.axisMask(axis)) != 0 || dim == InDim::Block)
        return false;
      ++along;
    }
  return along == layout.axisBits(axis);
}

std::optional<TakenIndex> takeIndex(const LinearLayout &layout, unsigned axis, int64_t index) {
  if (!hasOwnBits(layout, axis))
    return std::nullopt;
  TakenIndex taken;
  taken.layout = reduceDim(layout, axis);
  HwPoint holder = pointOf(layout, static_cast<uint64_t>(index) << layout.axisShift(axis));
  taken.lane = holder.lane;
  taken.warp = holder.warp;
  uint64_t below = (uint64_t(1) << layout.axisShift(axis)) - 1;
  for (uint32_t reg = 0; reg < taken.layout.numRegisters(); ++reg) {
    uint64_t flat = taken.layout.applyFlat(InDim::Register, reg);
    flat = (flat & below) | (flat & ~below) << layout.axisBits(axis);
    taken.registers.push_back(pointOf(layout, flat).reg ^ holder.reg);
  }
  return taken;
}

bool conversionCrossesBlocks(const LinearLayout &src, const LinearLayout &dst) {
  F2Basis local;
  for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
    for (uint64_t basis : src.flatBases(dim))
      local.insert(basis);
  for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
    for (uint64_t basis : dst.flatBases(dim))
      if (!local.contains(basis))
        return true;
  for (unsigned i = 0; i < dst.numBases(InDim::Block); ++i)
    if (!local.contains(src.flatBases(InDim::Block)[i] ^ dst.flatBases(InDim::Block)[i]))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Registers only
//===----------------------------------------------------------------------===//

/// Returns for every combination of \p images (one for each bit) its XOR.
static std::vector<uint32_t> expandLinear(const std::vector<uint64_t> &images) {
  std::vector<uint32_t> table = {0};
  for (uint64_t image : images) {
    std::size_t count = table.size();
    for (std::size_t i = 0; i < count; ++i)
      table.push_back(table[i] ^ static_cast<uint32_t>(image));
  }
  return table;
}

/// registerMap for destination bases \p to that are already flat indices of the tile of \p from.
static std::optional<std::vector<uint32_t>> mapRegisters(const LinearLayout &from,
                                                         const LinearLayout::FlatBasisLists &to) {
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    if (from.flatBases(dim) != to[static_cast<unsigned>(dim)])
      return std::nullopt;
  const std::vector<uint64_t> &have = from.flatBases(InDim::Register);
  const std::vector<uint64_t> &want = to[static_cast<unsigned>(InDim::Register)];
  F2Basis span(have);
  std::vector<uint64_t> images;
  for (std::size_t i = 0; i < want.size(); ++i) {
    // Prefer the same register over another replica.
    if (i < have.size() && have[i] == want[i]) {
      images.push_back(uint64_t(1) << i);
      continue;
    }
    std::optional<uint64_t> image = span.express(want[i]);
    if (!image)
      return std::nullopt;
    images.push_back(*image);
  }
  return expandLinear(images);
}

static LinearLayout::FlatBasisLists allFlatBases(const LinearLayout &layout) {
  LinearLayout::FlatBasisLists lists;
  for (InDim dim : kAllInDims)
    lists[static_cast<unsigned>(dim)] = layout.flatBases(dim);
  return lists;
}

std::optional<std::vector<uint32_t>> registerMap(const LinearLayout &from, const LinearLayout &to) {
  if (from.shape() != to.shape())
    return std::nullopt;
  return mapRegisters(from, allFlatBases(to));
}

std::optional<std::vector<uint32_t>> broadcastMap(const LinearLayout &operand,
                                                  const LinearLayout &result) {
  if (operand.rank() != result.rank())
    return std::nullopt;
  for (unsigned axis = 0; axis < result.rank(); ++axis)
    if (operand.shape()[axis] != 1 && operand.shape()[axis] != result.shape()[axis])
      return std::nullopt;
  LinearLayout::FlatBasisLists lists = allFlatBases(result);
  for (std::vector<uint64_t> &list : lists) {
    for (uint64_t &basis : list) {
      Coords coords = result.unflatten(basis);
      for (unsigned axis = 0; axis < result.rank(); ++axis)
        if (operand.shape()[axis] == 1)
          coords[axis] = 0;
      basis = operand.flatten(coords);
    }
  }
  return mapRegisters(operand, lists);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

uint32_t ShufflePlan::sourceLane(const HwPoint &point) const {
  uint32_t lane = registers[point.reg].laneXor;
  auto add = [&lane](const std::vector<uint32_t> &bases, uint32_t value) {
    for (std::size_t i = 0; i < bases.size(); ++i)
      if ((value >> i) & 1)
        lane ^= bases[i];
  };
  add(laneOfLane, point.lane);
  add(laneOfWarp, point.warp);
  add(laneOfBlock, point.block);
  return lane;
}

uint32_t ShufflePlan::sourceRegister(const HwPoint &point) const {
  std::size_t index = 0;
  for (std::size_t j = 0; j < selectors.size(); ++j) {
    const BitSelector &s = selectors[j];
    bool bit =
        parity(s.lane & point.lane) ^ parity(s.warp & point.warp) ^ parity(s.block & point.block);
    index |= std::size_t(bit) << j;
  }
  return registers[point.reg].candidates[index];
}

uint64_t ShufflePlan::numShuffles() const {
  uint64_t count = 0;
  for (const Register &r : registers)
    if (!sameLane || r.laneXor != 0)
      count += r.candidates.size();
  return count;
}

namespace {
/// A source place inside the warp.
struct Place {
  uint64_t reg = 0;
  uint64_t lane = 0;
};

/// Finds source places in the same warp for elements, or differences of elements.
class PlaceFinder {
public:
  explicit PlaceFinder(const LinearLayout &src)
      : laneBases(src.flatBases(InDim::Lane)), registers(src.flatBases(InDim::Register)),
        lanes(laneBases), both(laneBases) {
    for (uint64_t basis : src.flatBases(InDim::Register))
      both.insert(basis);
  }

  std::optional<Place> forRegisterBit(uint64_t element) const {
    if (std::optional<uint64_t> reg = registers.express(element))
      return Place{*reg, 0};
    return anywhere(element);
  }

  /// A register that depends on the lane costs a select, so a place in register 0 of whatever lane
  /// comes before another register of the same lane.
  std::optional<Place> forLaneBit(uint64_t element, unsigned bit) const {
    if (element == laneBases[bit])
      return Place{0, uint64_t(1) << bit};
    if (std::optional<uint64_t> lane = lanes.express(element))
      return Place{0, *lane};
    if (std::optional<uint64_t> reg = registers.express(element ^ laneBases[bit]))
      return Place{*reg, uint64_t(1) << bit};
    return anywhere(element);
  }

  std::optional<Place> forDifference(uint64_t element) const {
    if (std::optional<uint64_t> lane = lanes.express(element))
      return Place{0, *lane};
    return anywhere(element);
  }

private:
  std::optional<Place> anywhere(uint64_t element) const {
    std::optional<uint64_t> sum = both.express(element);
    if (!sum)
      return std::nullopt;
    std::size_t numLaneBits = laneBases.size();
    return Place{*sum >> numLaneBits, *sum & ((uint64_t(1) << numLaneBits) - 1)};
  }

  const std::vector<uint64_t> &laneBases;
  F2Basis registers;
  F2Basis lanes;
  F2Basis both;
};

/// The source place of every bit of a destination place; the places of all points are their sums.
struct WarpLocalMap {
  std::array<std::vector<Place>, kNumInDims> places;
  const std::vector<Place> &of(InDim dim) const { return places[static_cast<unsigned>(dim)]; }
};
} // namespace

static std::optional<WarpLocalMap> findWarpLocalMap(const LinearLayout &src,
                                                    const LinearLayout &dst) {
  PlaceFinder finder(src);
  WarpLocalMap map;
  for (InDim dim : kAllInDims) {
    for (unsigned i = 0; i < dst.numBases(dim); ++i) {
      uint64_t element = dst.flatBases(dim)[i];
      std::optional<Place> place;
      if (dim == InDim::Register)
        place = finder.forRegisterBit(element);
      else if (dim == InDim::Lane)
        place = finder.forLaneBit(element, i);
      else
        place = finder.forDifference(element ^ src.flatBases(dim)[i]);
      if (!place)
        return std::nullopt;
      map.places[static_cast<unsigned>(dim)].push_back(*place);
    }
  }
  return map;
}

/// Splits the part of the source register that depends on the thread into independent selector
/// bits. Returns the register XOR of each selector.
static std::vector<uint64_t> makeSelectors(const WarpLocalMap &map,
                                           std::vector<BitSelector> &selectors) {
  F2Basis basis;
  std::vector<uint64_t> moves;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block}) {
    for (const Place &place : map.of(dim)) {
      if (!basis.contains(place.reg)) {
        basis.insert(place.reg);
        moves.push_back(place.reg);
      }
    }
  }
  selectors.resize(moves.size());
  auto addBits = [&](InDim dim, uint32_t BitSelector::*mask) {
    for (std::size_t i = 0; i < map.of(dim).size(); ++i) {
      uint64_t sum = *basis.express(map.of(dim)[i].reg);
      for (std::size_t j = 0; j < moves.size(); ++j)
        if ((sum >> j) & 1)
          selectors[j].*mask |= uint32_t(1) << i;
    }
  };
  addBits(InDim::Lane, &BitSelector::lane);
  addBits(InDim::Warp, &BitSelector::warp);
  addBits(InDim::Block, &BitSelector::block);
  return moves;
}

static std::vector<uint64_t> partOf(const std::vector<Place> &places, uint64_t Place::*part) {
  std::vector<uint64_t> result;
  for (const Place &place : places)
    result.push_back(place.*part);
  return result;
}

static std::vector<uint32_t> narrow(const std::vector<uint64_t> &values) {
  return std::vector<uint32_t>(values.begin(), values.end());
}

/// Builds the shuffle plan, or nothing when some element lies outside the warp or the plan is
/// beyond the limits of \p options.
static std::optional<ShufflePlan> planShuffle(const LinearLayout &src, const LinearLayout &dst,
                                              const ConversionOptions &options) {
  std::optional<WarpLocalMap> map = findWarpLocalMap(src, dst);
  if (!map)
    return std::nullopt;
  ShufflePlan plan;
  std::vector<uint64_t> moves = makeSelectors(*map, plan.selectors);
  if ((uint64_t(1) << moves.size()) > options.maxCandidates)
    return std::nullopt;

  plan.laneOfLane = narrow(partOf(map->of(InDim::Lane), &Place::lane));
  plan.laneOfWarp = narrow(partOf(map->of(InDim::Warp), &Place::lane));
  plan.laneOfBlock = narrow(partOf(map->of(InDim::Block), &Place::lane));
  plan.sameLane = true;
  for (std::size_t i = 0; i < plan.laneOfLane.size(); ++i)
    plan.sameLane &= plan.laneOfLane[i] == uint32_t(1) << i;
  for (uint32_t lane : plan.laneOfWarp)
    plan.sameLane &= lane == 0;
  for (uint32_t lane : plan.laneOfBlock)
    plan.sameLane &= lane == 0;

  std::vector<uint32_t> regOf = expandLinear(partOf(map->of(InDim::Register), &Place::reg));
  std::vector<uint32_t> laneOf = expandLinear(partOf(map->of(InDim::Register), &Place::lane));
  std::vector<uint32_t> offsets = expandLinear(moves);
  for (uint32_t r = 0; r < dst.numRegisters(); ++r) {
    ShufflePlan::Register entry;
    entry.laneXor = laneOf[r];
    for (uint32_t offset : offsets)
      entry.candidates.push_back(regOf[r] ^ offset);
    plan.registers.push_back(std::move(entry));
  }
  if (plan.numShuffles() > (moves.empty() ? options.maxShuffles : options.maxSelectedShuffles))
    return std::nullopt;
  return plan;
}

//===----------------------------------------------------------------------===//
// Swaps
//===----------------------------------------------------------------------===//

/// \p layout behind a swap.
static LinearLayout swapped(const LinearLayout &layout, LaneSwap swap) {
  LinearLayout::FlatBasisLists bases = allFlatBases(layout);
  std::swap(bases[static_cast<unsigned>(InDim::Register)][swap.registerBit],
            bases[static_cast<unsigned>(InDim::Lane)][swap.laneBit]);
  std::string error;
  std::optional<LinearLayout> result =
      LinearLayout::createFlat(layout.shape(), std::move(bases), error);
  assert(result && "the same bases cover the tile");
  return std::move(*result);
}

/// A lane bit that differs from what \p dst wants of it, and the register bit that has that.
static std::optional<LaneSwap> nextSwap(const LinearLayout &have, const LinearLayout &dst) {
  const std::vector<uint64_t> &lanes = have.flatBases(InDim::Lane);
  const std::vector<uint64_t> &registers = have.flatBases(InDim::Register);
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    uint64_t wanted = dst.flatBases(InDim::Lane)[lane];
    auto found = std::find(registers.begin(), registers.end(), wanted);
    if (lanes[lane] != wanted && found != registers.end())
      return LaneSwap{static_cast<unsigned>(found - registers.begin()), lane};
  }
  return std::nullopt;
}

/// Each swap brings one lane bit to its place for good. Since others may then have what they want,
/// in a register, cycles through several lanes end, too; those of lanes alone stay.
static bool planSwaps(const LinearLayout &src, const LinearLayout &dst, std::size_t maxSwaps,
                      ConversionPlan &plan) {
  LinearLayout have = src;
  std::vector<LaneSwap> swaps;
  while (std::optional<LaneSwap> swap = nextSwap(have, dst)) {
    if (swaps.size() == maxSwaps)
      return false;
    swaps.push_back(*swap);
    have = swapped(have, *swap);
  }
  std::optional<std::vector<uint32_t>> registers = registerMap(have, dst);
  if (!registers)
    return false;
  plan.kind = ConversionKind::Swaps;
  plan.swaps = std::move(swaps);
  plan.registers = std::move(*registers);
  return true;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static bool isIdentity(const std::vector<uint32_t> &registers, const LinearLayout &src) {
  if (registers.size() != src.numRegisters())
    return false;
  for (std::size_t i = 0; i < registers.size(); ++i)
    if (registers[i] != i)
      return false;
  return true;
}

std::optional<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                             std::string &error, const ConversionOptions &options) {
  if (!verifyConvertible(src, dst, error))
    return std::nullopt;
  ConversionPlan plan;
  if (std::optional<std::vector<uint32_t>> registers = registerMap(src, dst)) {
    plan.kind = isIdentity(*registers, src) ? ConversionKind::Identity : ConversionKind::Registers;
    plan.registers = std::move(*registers);
    return plan;
  }
  std::optional<ShufflePlan> shuffle = planShuffle(src, dst, options);
  bool selects = !shuffle || (!shuffle->selectors.empty() && shuffle->numShuffles() != 0);
  if (selects && planSwaps(src, dst, options.maxSwaps, plan))
    return plan;
  if (shuffle) {
    plan.kind = ConversionKind::Shuffle;
    plan.shuffle = std::move(*shuffle);
    return plan;
  }
  plan.kind = ConversionKind::Shared;
  plan.crossesBlocks = conversionCrossesBlocks(src, dst);
  return plan;
}

} // namespace tilec::layout
