//===- Swizzle.cpp - Bank-conflict-free placement in shared memory -*- C++ -*-===//
//
// The placement is found by choosing a basis of the tile's bits, whose coordinates are the offset's
// bits, in three parts, low bits first:
//
//   vector   register moves that both sides (or the one with wider accesses) walk through inside
//            one access, completed to 4 bytes for small elements;
//   bank     completes a row of 128 bytes, in which every bank occurs once;
//   segment  numbers the rows. Elements that differ by a segment move share their bank.
//
// A phase of an access reaches the span of its vector and of the lanes in the phase, at most one
// row of elements. It is free of conflicts exactly if that span meets the segment space only in
// zero. So the segment space must avoid two spaces, one for each side, of at most the dimension of
// a row. Two spaces of equal dimension always have a common complement: with I their intersection,
// e_i and f_i bases of the two modulo I, and C a complement of their sum, it is spanned by all e_i
// + f_i and C.
//
// Vectors must also start at aligned offsets: lanes, warps and blocks may not contribute to the
// vector bits of their side. This confines bank and segment moves to a complement of the vector.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Swizzle.h"

#include "tilec/Layout/Conversion.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tilec::layout {

using Vectors = std::vector<uint64_t>;

static constexpr unsigned kRowBits = 128 * 8; // One row of all 32 banks.
static constexpr unsigned kWordBits = 32;     // One bank.

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// log2 of the lanes that one phase serves when each accesses \p accessBits.
static unsigned phaseLaneBits(uint64_t accessBits) {
  return accessBits <= kWordBits  ? 5
         : accessBits >= kRowBits ? 0
                                  : log2Floor(kRowBits / accessBits);
}

static unsigned subWordBits(unsigned elementBits) {
  return elementBits < kWordBits ? log2Floor(kWordBits / elementBits) : 0;
}

unsigned minWavefronts(unsigned elementBits, unsigned vecElems, unsigned numLanes) {
  unsigned lanesInPhase = 1u << phaseLaneBits(uint64_t(elementBits) * vecElems);
  return std::max(1u, numLanes / lanesInPhase);
}

unsigned bankConflicts(const LinearLayout &layout, const SharedLayout &shared, unsigned elementBits,
                       unsigned vecElems) {
  unsigned lanesInPhase = phaseLaneBits(uint64_t(elementBits) * vecElems);
  unsigned subWord = subWordBits(elementBits);
  uint64_t bankMask = (uint64_t(kRowBits) / elementBits >> subWord) - 1;
  F2Basis words, banks;
  auto reach = [&](uint64_t offset) {
    words.insert(offset >> subWord);
    banks.insert((offset >> subWord) & bankMask);
  };
  for (uint64_t offset = 1; offset < vecElems; offset *= 2)
    reach(offset);
  Vectors lanes = shared.offsetBases(layout, InDim::Lane);
  for (std::size_t i = 0; i < lanes.size() && i < lanesInPhase; ++i)
    reach(lanes[i]);
  // All banks in reach hold the same number of words: the maps are linear.
  unsigned phases = minWavefronts(elementBits, vecElems, layout.size(InDim::Lane));
  return phases << (words.dim() - banks.dim());
}

//===----------------------------------------------------------------------===//
// SharedLayout
//===----------------------------------------------------------------------===//

SharedLayout SharedLayout::rowMajor(const Shape &shape) {
  unsigned bits = 0;
  for (int64_t size : shape)
    bits += log2Floor(static_cast<uint64_t>(size));
  return {F2Matrix::identity(bits), F2Matrix::zero(0, bits)};
}

Vectors SharedLayout::offsetBases(const LinearLayout &layout, InDim dim) const {
  Vectors result;
  for (uint64_t basis : layout.flatBases(dim))
    result.push_back(toOffset.apply(basis));
  return result;
}

//===----------------------------------------------------------------------===//
// Helpers on spaces
//===----------------------------------------------------------------------===//

static void append(Vectors &to, const Vectors &from) {
  to.insert(to.end(), from.begin(), from.end());
}

static Vectors concat(Vectors a, const Vectors &b) {
  append(a, b);
  return a;
}

/// Appends vectors of \p from to \p to while these stay independent of \p blocked and each other.
static void appendIndependent(Vectors &to, const Vectors &from, F2Basis &blocked,
                              std::size_t maxSize = 64) {
  for (uint64_t v : from)
    if (to.size() < maxSize && blocked.insert(v))
      to.push_back(v);
}

/// The vectors of \p from that complete the span of \p base to that of both.
static Vectors complementIn(const Vectors &base, const Vectors &from) {
  F2Basis basis(base);
  Vectors result;
  appendIndependent(result, from, basis);
  return result;
}

static Vectors unitVectors(unsigned n) { return F2Matrix::identity(n).columns(); }

/// A space that completes both \p p and \p q, which have equal dimension, to the span of \p all.
static Vectors commonComplement(const Vectors &p, const Vectors &q, const Vectors &all) {
  assert(p.size() == q.size() && "a common complement needs equal dimensions");
  Vectors both = intersectSpans(p, q);
  Vectors onlyP = complementIn(both, p);
  Vectors onlyQ = complementIn(both, q);
  Vectors result;
  for (std::size_t i = 0; i < onlyP.size(); ++i)
    result.push_back(onlyP[i] ^ onlyQ[i]);
  append(result, complementIn(concat(p, q), all));
  return result;
}

//===----------------------------------------------------------------------===//
// One block's share of the tile
//===----------------------------------------------------------------------===//

namespace {
/// Coordinates for the elements that one block stores. The tile's bits split into those that the
/// registers, lanes and warps of a block reach and those that only block bits add.
struct BlockShare {
  /// Flat index -> coordinates inside the block; and one element that has given coordinates.
  F2Matrix project;
  F2Matrix embed;
  F2Matrix toBlock;
  unsigned bits = 0;

  explicit BlockShare(const LinearLayout &src) {
    unsigned tileBits = src.tileBits();
    Vectors local;
    F2Basis reached;
    for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
      appendIndependent(local, src.flatBases(dim), reached);
    bits = static_cast<unsigned>(local.size());
    Vectors basis = local;
    std::vector<unsigned> blockBit;
    for (unsigned i = 0; i < src.numBases(InDim::Block); ++i) {
      if (reached.insert(src.flatBases(InDim::Block)[i])) {
        basis.push_back(src.flatBases(InDim::Block)[i]);
        blockBit.push_back(i);
      }
    }
    embed = F2Matrix(tileBits, local);
    F2Matrix coordinates = F2Matrix(tileBits, basis).pseudoInverse();
    Vectors inside, owner;
    for (uint64_t column : coordinates.columns()) {
      inside.push_back(column & ((uint64_t(1) << bits) - 1));
      uint64_t block = 0;
      for (std::size_t i = 0; i < blockBit.size(); ++i)
        block |= ((column >> (bits + i)) & 1) << blockBit[i];
      owner.push_back(block);
    }
    project = F2Matrix(bits, inside);
    toBlock = F2Matrix(src.numBases(InDim::Block), owner);
  }
};

/// The moves of one side, in the coordinates of a BlockShare.
struct Side {
  const LinearLayout &layout;
  Vectors registers; // Moves that stay inside a block.
  Vectors lanes;
  Vectors threads; // Lanes, warps and blocks: none may break the alignment of a vector.

  Side(const LinearLayout &layout, const BlockShare &share) : layout(layout) {
    for (uint64_t v : intersectSpans(share.embed.columns(), layout.flatBases(InDim::Register)))
      registers.push_back(share.project.apply(v));
    for (uint64_t v : layout.flatBases(InDim::Lane))
      lanes.push_back(share.project.apply(v));
    threads = lanes;
    for (InDim dim : {InDim::Warp, InDim::Block})
      for (uint64_t v : layout.flatBases(dim))
        threads.push_back(share.project.apply(v));
  }

  Vectors phaseLanes(uint64_t accessBits) const {
    std::size_t count = std::min<std::size_t>(lanes.size(), phaseLaneBits(accessBits));
    return Vectors(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(count));
  }
};

/// What the search varies: the vectors of both sides. The wide side walks through common and extra
/// moves in one access, the narrow one through the common ones.
struct VectorChoice {
  Vectors common;
  Vectors extra;
  bool wideIsStore = true;
  /// Skew the narrow side's lanes into the extra moves, which else only the wide side's use.
  bool skew = false;
};

/// Builds one placement; see the head of this file.
class PlacementBuilder {
public:
  PlacementBuilder(const Side &src, const Side &dst, unsigned bits, unsigned elementBits)
      : src(src), dst(dst), bits(bits), elementBits(elementBits) {}

  /// Returns the map from block coordinates to offsets.
  F2Matrix build(const VectorChoice &choice) const;

private:
  Vectors alignedSpace(const VectorChoice &choice) const;
  Vectors phaseSpace(const Side &side, std::size_t vecBits, const Vectors &word,
                     const Vectors &space, std::size_t size) const;

  const Side &src;
  const Side &dst;
  unsigned bits;
  unsigned elementBits;
};
} // namespace

/// Returns a complement of the vector moves in which all thread moves of a side lie, as far as they
/// could disturb the alignment of that side's vectors.
Vectors PlacementBuilder::alignedSpace(const VectorChoice &choice) const {
  const Side &wide = choice.wideIsStore ? src : dst;
  const Side &narrow = choice.wideIsStore ? dst : src;
  // First a complement of the common moves, for the sake of both sides.
  Vectors outer;
  F2Basis used(choice.common);
  appendIndependent(outer, wide.threads, used);
  appendIndependent(outer, narrow.threads, used);
  appendIndependent(outer, choice.extra, used);
  appendIndependent(outer, unitVectors(bits), used);
  // Inside it a complement of the extra moves that keeps the wide side's threads.
  Vectors inner;
  F2Basis inUse(choice.extra);
  appendIndependent(inner, wide.threads, inUse);
  if (choice.skew) {
    std::size_t next = 0;
    Vectors phase = narrow.phaseLanes(uint64_t(elementBits) << choice.common.size());
    F2Basis narrowLanes(phase);
    for (uint64_t lane : phase) {
      while (next < choice.extra.size() && narrowLanes.contains(choice.extra[next]))
        ++next;
      if (next < choice.extra.size() && inUse.insert(lane))
        inner.push_back(lane ^ choice.extra[next++]);
    }
  }
  appendIndependent(inner, outer, inUse);
  return inner;
}

/// The part in \p space of what one phase of \p side reaches, cut or extended to \p size
/// dimensions. The side's own vector adds nothing there: its lanes stay clear of its vector bits.
Vectors PlacementBuilder::phaseSpace(const Side &side, std::size_t vecBits, const Vectors &word,
                                     const Vectors &space, std::size_t size) const {
  Vectors reached = concat(word, side.phaseLanes(uint64_t(elementBits) << vecBits));
  Vectors result;
  F2Basis basis;
  appendIndependent(result, intersectSpans(space, reached), basis, size);
  appendIndependent(result, space, basis, size);
  return result;
}

F2Matrix PlacementBuilder::build(const VectorChoice &choice) const {
  Vectors vector = concat(choice.common, choice.extra);
  std::size_t storeBits = choice.wideIsStore ? vector.size() : choice.common.size();
  std::size_t loadBits = choice.wideIsStore ? choice.common.size() : vector.size();
  Vectors space = alignedSpace(choice);
  std::size_t rowSize = std::min<std::size_t>(bits, log2Floor(kRowBits / elementBits));
  rowSize = std::max(rowSize, vector.size());

  // Small elements share words: these moves make up for a vector shorter than one.
  std::size_t wordSize = std::min<std::size_t>(bits, subWordBits(elementBits));
  std::size_t missing = wordSize > vector.size() ? wordSize - vector.size() : 0;
  Vectors word(space.begin(), space.begin() + static_cast<std::ptrdiff_t>(missing));

  Vectors wordReach = word;
  wordReach.insert(wordReach.end(), vector.begin(),
                   vector.begin() + static_cast<std::ptrdiff_t>(std::min(wordSize, vector.size())));
  Vectors stored = phaseSpace(src, storeBits, wordReach, space, rowSize - vector.size());
  Vectors loaded = phaseSpace(dst, loadBits, wordReach, space, rowSize - vector.size());
  const Vectors &wideReach = choice.wideIsStore ? stored : loaded;
  Vectors bank = word;
  append(bank, complementIn(word, wideReach));
  Vectors basis = concat(concat(vector, bank), commonComplement(stored, loaded, space));
  F2Matrix moves(bits, basis);
  assert(moves.isInvertible() && "vector, bank and segment moves form a basis");
  return moves.pseudoInverse();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static unsigned dimOf(const Vectors &vectors) { return F2Basis(vectors).dim(); }

/// Register moves of both sides that no thread of either disturbs, at most \p maxSize.
static Vectors commonMoves(const Side &src, const Side &dst, std::size_t maxSize) {
  F2Basis basis(concat(src.threads, dst.threads));
  Vectors result;
  appendIndependent(result, intersectSpans(src.registers, dst.registers), basis, maxSize);
  return result;
}

/// Further register moves of \p wide for vectors that start with \p common.
static Vectors extraMoves(const Side &wide, const Side &narrow, const Vectors &common,
                          std::size_t maxSize) {
  Vectors extra;
  F2Basis basis(concat(wide.threads, common));
  Vectors threads = concat(wide.threads, narrow.threads);
  for (uint64_t move : wide.registers) {
    if (common.size() + extra.size() >= maxSize)
      break;
    if (basis.contains(move))
      continue;
    // The common moves must stay independent of all threads and extra moves together.
    Vectors others = concat(threads, extra);
    others.push_back(move);
    if (dimOf(concat(others, common)) != dimOf(others) + common.size())
      continue;
    basis.insert(move);
    extra.push_back(move);
  }
  return extra;
}

/// All choices worth trying, widest vectors first.
static std::vector<VectorChoice> vectorChoices(const Side &src, const Side &dst,
                                               std::size_t maxSize) {
  std::vector<VectorChoice> choices;
  Vectors common = commonMoves(src, dst, maxSize);
  for (std::size_t size = common.size() + 1; size-- > 0;) {
    common.resize(size);
    for (bool wideIsStore : {true, false}) {
      VectorChoice choice;
      choice.common = common;
      choice.wideIsStore = wideIsStore;
      choice.extra = wideIsStore ? extraMoves(src, dst, common, maxSize)
                                 : extraMoves(dst, src, common, maxSize);
      // Narrower extra vectors are worth a try where a wide one forces conflicts.
      for (;; choice.extra.pop_back()) {
        for (bool skew : {false, true}) {
          choice.skew = skew;
          choices.push_back(choice);
        }
        if (choice.extra.empty())
          break;
      }
    }
  }
  return choices;
}

/// The accesses of one side without their registers: what is needed to compare placements.
static SharedAccess measureAccess(const LinearLayout &layout, const SharedLayout &shared,
                                  unsigned elementBits, std::size_t vecBits) {
  SharedAccess access;
  access.vecElems = 1u << vecBits;
  access.wavefronts = bankConflicts(layout, shared, elementBits, access.vecElems);
  access.minWavefronts = minWavefronts(elementBits, access.vecElems, layout.size(InDim::Lane));
  Vectors registers = shared.offsetBases(layout, InDim::Register);
  unsigned inWord = subWordBits(elementBits);
  access.takesWholeWords = vecBits >= inWord && registers.size() >= inWord;
  for (unsigned bit = 0; bit < inWord && access.takesWholeWords; ++bit)
    access.takesWholeWords = registers[bit] == uint64_t(1) << bit;
  return access;
}

/// Returns the register moves that add 0, 1, 2, ... to the offset inside one access. A move must
/// also stay in one block, so the owner counts as part of the place.
static std::vector<uint32_t> vectorMoves(const LinearLayout &layout, const SharedLayout &shared,
                                         unsigned vecElems) {
  unsigned offsetBits = shared.toOffset.numRows();
  Vectors places;
  for (uint64_t element : layout.flatBases(InDim::Register))
    places.push_back(shared.toOffset.apply(element) | shared.toBlock.apply(element) << offsetBits);
  F2Basis basis(places);
  std::vector<uint32_t> moves = {0};
  for (uint64_t step = 1; step < vecElems; step *= 2) {
    std::optional<uint64_t> move = basis.express(step);
    assert(move && "vector moves are register moves");
    for (uint64_t i = 0; i < step; ++i)
      moves.push_back(moves[i] ^ static_cast<uint32_t>(*move));
  }
  return moves;
}

/// Lists the registers of each access, leaving out those with a bit in \p skip.
static void listRegisters(const LinearLayout &layout, const SharedLayout &shared, uint32_t skip,
                          SharedAccess &access) {
  std::vector<uint32_t> moves = vectorMoves(layout, shared, access.vecElems);
  F2Matrix offsets(shared.toOffset.numRows(), shared.offsetBases(layout, InDim::Register));
  for (uint32_t first = 0; first < layout.numRegisters(); ++first) {
    if ((first & skip) != 0 || (offsets.apply(first) & (access.vecElems - 1)) != 0)
      continue;
    std::vector<uint32_t> registers;
    for (uint32_t move : moves)
      registers.push_back(first ^ move);
    access.vectors.push_back(std::move(registers));
  }
}

uint64_t accessCost(const SharedAccess &access, uint32_t numRegisters) {
  uint64_t accesses = numRegisters / access.vecElems;
  return 2 * accesses * (2 * uint64_t(access.wavefronts) + 1) +
         (access.takesWholeWords ? 0 : numRegisters);
}

uint64_t leastAccessCost(const LinearLayout &layout, unsigned elementBits, unsigned vecElems,
                         uint32_t numRegisters) {
  SharedAccess access;
  access.vecElems = vecElems;
  access.wavefronts = minWavefronts(elementBits, vecElems, layout.size(InDim::Lane));
  return accessCost(access, numRegisters);
}

/// The placement that counts offsets along \p counted, moves of the flat index that are independent
/// of each other and of \p owners, the moves between blocks, and reach all of the tile together
/// with them.
static SharedLayout placeAlong(unsigned tileBits, const Vectors &counted, const Vectors &owners) {
  Vectors basis = concat(counted, owners);
  F2Matrix coordinates = F2Matrix(tileBits, basis).pseudoInverse();
  Vectors offsets;
  for (uint64_t column : coordinates.columns())
    offsets.push_back(column & ((uint64_t(1) << counted.size()) - 1));
  return {F2Matrix(unsigned(counted.size()), offsets), F2Matrix::zero(0, tileBits)};
}

SharedLayout placeInOrder(const LinearLayout &layout, const std::vector<unsigned> &order) {
  Vectors local, owners;
  F2Basis reached;
  for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
    appendIndependent(local, layout.flatBases(dim), reached);
  appendIndependent(owners, layout.flatBases(InDim::Block), reached);
  // Bits of the index that stand for the block's own elements: those that the blocks leave over.
  Vectors counted;
  F2Basis used(owners);
  for (unsigned bit : order)
    if (used.insert(uint64_t(1) << bit))
      counted.push_back(uint64_t(1) << bit);
  assert(counted.size() == local.size() && "the order names every bit of the index");
  return placeAlong(layout.tileBits(), counted, owners);
}

SharedLayout placeByThread(const LinearLayout &layout, unsigned width) {
  const Vectors &registers = layout.flatBases(InDim::Register);
  assert(width <= layout.numRegisters() && "a copy takes registers of one thread");
  auto rest = registers.begin() + log2Floor(width);
  Vectors counted, owners;
  F2Basis reached;
  appendIndependent(counted, Vectors(registers.begin(), rest), reached);
  appendIndependent(counted, layout.flatBases(InDim::Lane), reached);
  appendIndependent(counted, layout.flatBases(InDim::Warp), reached);
  appendIndependent(counted, Vectors(rest, registers.end()), reached);
  appendIndependent(owners, layout.flatBases(InDim::Block), reached);
  return placeAlong(layout.tileBits(), counted, owners);
}

int64_t neighboursIn(const SharedLayout &map, const LinearLayout &layout, int64_t most) {
  uint64_t moved = 0;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t offset : map.offsetBases(layout, dim))
      moved |= offset;
  Vectors registers = map.offsetBases(layout, InDim::Register);
  int64_t width = 1;
  for (size_t bit = 0; bit < registers.size() && 2 * width <= most; ++bit, width *= 2) {
    uint64_t others = moved;
    for (size_t later = bit + 1; later < registers.size(); ++later)
      others |= registers[later];
    if (registers[bit] != uint64_t(width) || (others & (2 * uint64_t(width) - 1)) != 0)
      break;
  }
  return width;
}

SharedAccess planAccess(const LinearLayout &layout, const SharedLayout &shared,
                        unsigned elementBits, bool isStore, unsigned maxVecBits) {
  uint64_t threadOffsets = 0;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t offset : shared.offsetBases(layout, dim))
      threadOffsets |= offset;
  F2Basis registers(shared.offsetBases(layout, InDim::Register));
  uint32_t skip = isStore ? layout.freeBits(InDim::Register) : 0;
  uint32_t numAccessed = layout.numRegisters() >> popCount(skip);
  SharedAccess best = measureAccess(layout, shared, elementBits, 0);
  for (unsigned vecBits = 1; (elementBits << vecBits) <= maxVecBits; ++vecBits) {
    uint64_t vecElems = uint64_t(1) << vecBits;
    bool isAligned = (threadOffsets & (vecElems - 1)) == 0;
    if (!isAligned || !registers.contains(vecElems / 2))
      break;
    SharedAccess wider = measureAccess(layout, shared, elementBits, vecBits);
    if (accessCost(wider, numAccessed) <= accessCost(best, numAccessed))
      best = std::move(wider);
  }
  listRegisters(layout, shared, skip, best);
  return best;
}

std::optional<SharedPlan> chooseSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                        unsigned elementBits, std::string &error,
                                        unsigned maxVecBits) {
  if (!verifyConvertible(src, dst, error))
    return std::nullopt;
  if (elementBits < 8 || elementBits > 128 || !isPowerOf2(elementBits)) {
    error = "expected elements of 8, 16, 32, 64 or 128 bits, found " + std::to_string(elementBits);
    return std::nullopt;
  }
  unsigned vecLimit = std::min(std::max(maxVecBits, elementBits), 128u);
  BlockShare share(src);
  Side srcSide(src, share), dstSide(dst, share);
  PlacementBuilder builder(srcSide, dstSide, share.bits, elementBits);
  uint32_t redundant = src.freeBits(InDim::Register);
  uint32_t numStored = src.numRegisters() >> popCount(redundant);

  std::optional<SharedPlan> best;
  uint64_t bestCost = 0;
  for (const VectorChoice &choice :
       vectorChoices(srcSide, dstSide, log2Floor(vecLimit / elementBits))) {
    std::size_t narrow = choice.common.size(), wide = narrow + choice.extra.size();
    std::size_t storeBits = choice.wideIsStore ? wide : narrow;
    std::size_t loadBits = choice.wideIsStore ? narrow : wide;
    // Most choices need not be built: the first ones have the widest vectors.
    if (best && leastAccessCost(src, elementBits, 1u << storeBits, numStored) +
                        leastAccessCost(dst, elementBits, 1u << loadBits, dst.numRegisters()) >=
                    bestCost)
      continue;
    SharedPlan plan;
    plan.layout.toOffset = builder.build(choice).compose(share.project);
    plan.layout.toBlock = share.toBlock;
    plan.store = measureAccess(src, plan.layout, elementBits, storeBits);
    plan.load = measureAccess(dst, plan.layout, elementBits, loadBits);
    uint64_t cost = accessCost(plan.store, numStored) + accessCost(plan.load, dst.numRegisters());
    if (!best || cost < bestCost) {
      best = std::move(plan);
      bestCost = cost;
    }
  }
  listRegisters(src, best->layout, redundant, best->store);
  listRegisters(dst, best->layout, 0, best->load);
  return best;
}

} // namespace tilec::layout
